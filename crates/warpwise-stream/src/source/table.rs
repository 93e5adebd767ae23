//! Tables as text: CSV (RFC 4180), comma or tab between fields.
//!
//! An element is one field of a line, or some fields of it as a vector. The first line names the columns unless the
//! options say otherwise; then columns are numbered from 0.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use csv::{Reader, ReaderBuilder, StringRecord};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::number::parse;
use super::piped::Arrivals;
use super::{Read, Source, one_by_one};
use crate::element::ElementType;

/// Bytes that a line may have.
const LONGEST_LINE: u64 = 16 << 20;

/// The lines of a table.
pub struct TableSource {
    name: String,
    element: ElementType,
    reader: Reader<Bounded>,
    /// The fields of an element.
    columns: Vec<usize>,
    record: StringRecord,
    /// Bytes read since the last line began.
    since: Arc<AtomicU64>,
    /// Bytes read.
    all: Arc<AtomicU64>,
    /// Whether the first line was read to know the columns, and is an element.
    first_is_read: bool,
    /// Of a pipe.
    arrivals: Option<Arrivals>,
}

/// How a table is written, and what of it is asked for.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// Between fields.
    pub separator: u8,
    /// Whether the first line holds names.
    pub header: bool,
    /// The column asked for; all of them without one.
    pub column: Option<String>,
}

/// A reader that stops in lines without end.
struct Bounded {
    reader: Box<dyn io::Read + Send>,
    since: Arc<AtomicU64>,
    all: Arc<AtomicU64>,
}

impl TableSource {
    /// A table. For scalar elements (`rank` 0) there must be one column, or one must be named; vectors hold them all.
    pub fn new(
        name: &str,
        reader: Box<dyn io::Read + Send>,
        (scalar, rank): (ValueType, usize),
        options: &TableOptions,
    ) -> Result<TableSource, String> {
        if rank > 1 {
            return Err(format!("{name}: a line of a table is a scalar or a vector"));
        }
        let (since, all) = (Arc::<AtomicU64>::default(), Arc::<AtomicU64>::default());
        let bounded = Bounded { reader, since: Arc::clone(&since), all: Arc::clone(&all) };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(options.header).delimiter(options.separator);
        let mut reader = builder.from_reader(bounded);
        let first = reader.headers().map_err(|error| format!("{name}: {error}"))?;
        let columns = chosen(first, options, rank).map_err(|message| format!("{name}: {message}"))?;
        let shape = if rank == 0 { Shape::new() } else { Shape::from_slice(&[columns.len() as i64]) };
        let element = ElementType { scalar, shape };
        Ok(TableSource {
            name: name.to_string(),
            element,
            reader,
            columns,
            record: StringRecord::new(),
            since,
            all,
            first_is_read: !options.header,
            arrivals: None,
        })
    }

    /// The same, of an input that is written meanwhile.
    pub(super) fn arriving(self, arrivals: Option<Arrivals>) -> TableSource {
        TableSource { arrivals, ..self }
    }
}

/// The numbers of the columns asked for.
fn chosen(first: &StringRecord, options: &TableOptions, rank: usize) -> Result<Vec<usize>, String> {
    let names = || first.iter().take(20).collect::<Vec<_>>().join(", ");
    match &options.column {
        Some(column) if options.header => first
            .iter()
            .position(|name| name.trim() == column)
            .map(|place| vec![place])
            .ok_or_else(|| format!("there is no column `{column}`; there are: {}", names())),
        Some(column) => match column.parse() {
            Ok(place) if place < first.len() || first.is_empty() => Ok(vec![place]),
            _ => Err(format!("`{column}` is no number of a column, of {} from 0", first.len())),
        },
        None if rank == 1 || first.len() <= 1 => Ok((0..first.len().max(1 - rank)).collect()),
        None => Err(format!("which column? There are {}: {}", first.len(), names())),
    }
}

impl Source for TableSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        None
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let width = self.element.scalar.scalar().bytes();
        self.first_is_read &= count == 0;
        one_by_one(count, target, |element| {
            self.since.store(0, Ordering::Relaxed);
            if !self.reader.read_record(&mut self.record).map_err(|error| error.to_string())? {
                return Ok(false);
            }
            let line = || self.record.position().map_or(0, csv::Position::line);
            for (&column, target) in self.columns.iter().zip(element.chunks_exact_mut(width)) {
                let field = self.record.get(column).ok_or_else(|| format!("line {} ends early", line()))?;
                parse(field, self.element.scalar, target)
                    .map_err(|message| format!("line {}: {message}", line()))?;
            }
            Ok(true)
        })
    }

    /// Tells no more than one line.
    fn arrived(&mut self, within: Duration) -> Option<u64> {
        let arrivals = self.arrivals.as_ref()?;
        let unread = self.all.load(Ordering::Relaxed) - self.reader.position().byte();
        // What is left of the end of a line may be one byte, which is no line.
        if self.first_is_read || unread > 1 {
            return Some(1);
        }
        Some(arrivals.bytes(within).map_or(1, |bytes| bytes.min(1)))
    }
}

impl io::Read for Bounded {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.since.load(Ordering::Relaxed) > LONGEST_LINE {
            return Err(io::Error::other(format!("a line has more than {LONGEST_LINE} bytes")));
        }
        let count = self.reader.read(target)?;
        self.since.fetch_add(count as u64, Ordering::Relaxed);
        self.all.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}
