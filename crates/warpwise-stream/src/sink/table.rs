//! Several results as the columns of one table.
//!
//! Each result has its own sink. The sink of the last column writes the rows, once all columns of a call are there.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use warpwise_runtime::array::Array;

use super::{Flow, Sink};
use crate::element::ElementType;

/// A column: its name, which is empty if it has none, and the type of its elements.
pub type Column = (String, ElementType);

/// A writer of tables.
pub(super) trait Table: Send {
    /// Returns the table's name in messages.
    fn name(&self) -> &str;

    /// Begins a table with these columns.
    fn begin(&mut self, columns: &[Column]) -> Result<(), String>;

    /// Writes rows: an array for each column, all with the same number of rows.
    fn write(&mut self, columns: &[Array]) -> Result<Flow, String>;

    /// Makes the written rows visible.
    fn show(&mut self) -> Result<(), String> {
        Ok(())
    }

    /// Ends the table.
    fn finish(&mut self) -> Result<(), String>;
}

/// A sink that writes one column of a table.
pub struct ColumnSink {
    name: String,
    number: usize,
    shared: Arc<Mutex<Shared>>,
}

/// The table, and the columns of a call that have come so far.
struct Shared {
    table: Box<dyn Table>,
    names: Vec<String>,
    types: Vec<ElementType>,
    columns: Vec<Array>,
    /// Whether the table takes no more rows.
    has_enough: bool,
}

impl ColumnSink {
    /// Returns a sink for each column of a table, in order.
    pub(super) fn several(table: Box<dyn Table>, names: &[String]) -> Vec<ColumnSink> {
        let name = table.name().to_string();
        let (types, columns, names) = (Vec::new(), Vec::new(), names.to_vec());
        let numbers = 0..names.len();
        let shared = Shared { table, names, types, columns, has_enough: false };
        let shared = Arc::new(Mutex::new(shared));
        numbers.map(|number| ColumnSink { name: name.clone(), number, shared: Arc::clone(&shared) }).collect()
    }

    fn shared(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shared {
    /// Returns whether this is the last column.
    fn is_last(&self, number: usize) -> bool {
        number + 1 == self.names.len()
    }

    fn begin(&mut self) -> Result<(), String> {
        let columns: Vec<Column> = self.names.iter().cloned().zip(self.types.iter().cloned()).collect();
        self.table.begin(&columns)
    }

    fn write(&mut self) -> Result<Flow, String> {
        let columns = std::mem::take(&mut self.columns);
        let rows = |column: &Array| column.shape().first().copied().unwrap_or(0);
        if let Some(other) = columns.iter().position(|column| rows(column) != rows(&columns[0])) {
            let called = |place: usize| match self.names[place].as_str() {
                "" => format!("column {place}"),
                name => format!("column `{name}`"),
            };
            return Err(format!(
                "{} has {} rows and {} has {}; results of different lengths need an output each",
                called(0),
                rows(&columns[0]),
                called(other),
                rows(&columns[other])
            ));
        }
        let flow = self.table.write(&columns)?;
        self.has_enough = flow == Flow::Enough;
        Ok(flow)
    }
}

impl Sink for ColumnSink {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, element: &ElementType) -> Result<(), String> {
        let mut shared = self.shared();
        shared.types.push(element.clone());
        if shared.is_last(self.number) { shared.begin() } else { Ok(()) }
    }

    fn write(&mut self, elements: &Array) -> Result<Flow, String> {
        let mut shared = self.shared();
        shared.columns.push(elements.clone());
        match (shared.is_last(self.number), shared.has_enough) {
            (true, _) => shared.write(),
            (false, true) => Ok(Flow::Enough),
            (false, false) => Ok(Flow::More),
        }
    }

    fn show(&mut self) -> Result<(), String> {
        let mut shared = self.shared();
        if shared.is_last(self.number) { shared.table.show() } else { Ok(()) }
    }

    fn finish(&mut self) -> Result<(), String> {
        let mut shared = self.shared();
        shared.columns.clear();
        if shared.is_last(self.number) { shared.table.finish() } else { Ok(()) }
    }
}
