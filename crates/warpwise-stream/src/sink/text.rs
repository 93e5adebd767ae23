//! Elements as lines of text, with a separator between the numbers. The first line has the names of the columns, if they have
//! names. Floats are written so that reading them yields the same value.

use std::io::Write;

use warpwise_prim::ValueType;
use warpwise_runtime::array::Array;
use warpwise_runtime::formats::push_number;

use super::Flow;
use super::table::{Column, Table};

/// A table that has one line per row.
pub(super) struct TextTable<W> {
    name: String,
    output: W,
    separator: char,
    /// Type and number of the scalars of each column in a line.
    columns: Vec<(ValueType, usize)>,
}

impl<W: Write + Send> TextTable<W> {
    /// Writes to `output`.
    pub(super) fn new(name: &str, output: W, separator: char) -> TextTable<W> {
        TextTable { name: name.to_string(), output, separator, columns: Vec::new() }
    }

    /// Writes the names of the columns, if all have one: numbers, as components of tuples have, are none. The scalars of a vector are
    /// numbered.
    fn write_names(&mut self, columns: &[Column]) -> Result<(), String> {
        if columns.iter().any(|(name, _)| name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit())) {
            return Ok(());
        }
        let names = columns.iter().zip(&self.columns).flat_map(|((name, element), &(_, width))| {
            let is_scalar = element.shape.is_empty();
            (0..width).map(move |place| if is_scalar { name.clone() } else { format!("{name}.{place}") })
        });
        let line = names.collect::<Vec<_>>().join(&self.separator.to_string()) + "\n";
        self.output.write_all(line.as_bytes()).map_err(|error| error.to_string())
    }
}

impl<W: Write + Send> Table for TextTable<W> {
    fn name(&self) -> &str {
        &self.name
    }

    fn begin(&mut self, columns: &[Column]) -> Result<(), String> {
        let column = |(_, element): &Column| match element.shape.as_slice() {
            [] => Ok((element.scalar, 1)),
            &[width] => Ok((element.scalar, width as usize)),
            _ => Err(format!("an element of type {element} is more than a line")),
        };
        self.columns = columns.iter().map(column).collect::<Result<_, _>>()?;
        self.write_names(columns)
    }

    fn write(&mut self, columns: &[Array]) -> Result<Flow, String> {
        let mut line = String::new();
        let mut scalars: Vec<_> = columns
            .iter()
            .zip(&self.columns)
            .map(|(column, &(scalar, width))| {
                (column.bytes().chunks_exact(scalar.scalar().bytes()), scalar, width)
            })
            .collect();
        for _ in 0..columns.first().map_or(0, |column| column.shape()[0]) {
            line.clear();
            for (scalars, scalar, width) in &mut scalars {
                for bytes in scalars.by_ref().take(*width) {
                    if !line.is_empty() {
                        line.push(self.separator);
                    }
                    push_number(&mut line, *scalar, bytes);
                }
            }
            line.push('\n');
            self.output.write_all(line.as_bytes()).map_err(|error| error.to_string())?;
        }
        Ok(Flow::More)
    }

    fn show(&mut self) -> Result<(), String> {
        self.output.flush().map_err(|error| error.to_string())
    }

    fn finish(&mut self) -> Result<(), String> {
        self.show()
    }
}
