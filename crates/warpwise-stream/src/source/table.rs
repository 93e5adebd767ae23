//! Tables as text: CSV (RFC 4180), with any character between fields.
//!
//! An element is one field of a line, or some fields of it as a vector. The first line names the columns unless the
//! options say otherwise; then columns are numbered from 0. Blank lines are no elements, and a note says that there were some.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::Duration;

use csv::{Reader, ReaderBuilder, StringRecord};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::notes::Notes;
use super::number::parse;
use super::piped::Arrivals;
use super::table_style::{TableOptions, TableStyle};
use super::{Read, Source, one_by_one};
use crate::element::ElementType;

/// The records that a reader has delivered.
#[derive(Default)]
struct Delivered {
    /// Bytes.
    all: AtomicU64,
    /// Bytes since the last line began.
    since: AtomicU64,
    /// The last byte.
    last: AtomicU8,
}

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
    style: TableStyle,
    lines: Lines,
    delivered: Arc<Delivered>,
    /// Whether the first line was read to know the columns, and is an element.
    first_is_read: bool,
    /// The arrivals of a pipe.
    arrivals: Option<Arrivals>,
}

/// A reader that stops in lines without end.
struct Bounded {
    reader: Box<dyn io::Read + Send>,
    delivered: Arc<Delivered>,
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
        let delivered = Arc::<Delivered>::default();
        let reader = options.style.decoded(reader);
        let bounded = Bounded { reader, delivered: Arc::clone(&delivered) };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(options.header).delimiter(options.separator).comment(options.style.comment);
        let mut reader = builder.from_reader(bounded);
        let first = reader.headers().map_err(|error| format!("{name}: {}", problem(&error)))?;
        if options.header && looks_like_data(first, &options.style) {
            let line: Vec<&str> = first.iter().take(NAMES_SHOWN).collect();
            options.notes.add(format!(
                "{name}: the first line, `{}`, is taken for the names of the columns; --no-header says that it holds none",
                line.join(&char::from(options.separator).to_string())
            ));
        }
        let columns = chosen(first, options, rank).map_err(|message| format!("{name}: {message}"))?;
        let first = first.clone();
        let lines = Lines::new(name, options, &first, reader.position());
        let shape = if rank == 0 { Shape::new() } else { Shape::from_slice(&[columns.len() as i64]) };
        let element = ElementType { scalar, shape };
        Ok(TableSource {
            name: name.to_string(),
            element,
            reader,
            columns,
            record: StringRecord::new(),
            style: options.style.clone(),
            lines,
            delivered,
            first_is_read: !options.header,
            arrivals: None,
        })
    }

    /// The same, of an input that is written meanwhile.
    pub(super) fn arriving(self, arrivals: Option<Arrivals>) -> TableSource {
        TableSource { arrivals, ..self }
    }
}

/// Returns the message of an error.
fn problem(error: &csv::Error) -> String {
    let line = error.position().map_or(0, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Utf8 { .. } => {
            format!("line {line}: this is no UTF-8; --encoding NAME says how characters are written")
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            let fields = if *len == 1 { "field" } else { "fields" };
            format!("line {line}: {len} {fields}, but there were {expected_len} in the lines before")
        }
        csv::ErrorKind::Io(error) => error.to_string(),
        _ => error.to_string(),
    }
}

/// Whether what should be names are all numbers.
fn looks_like_data(first: &StringRecord, style: &TableStyle) -> bool {
    let is_number = |field: &str| {
        let number = style.number(field);
        number.is_ok_and(|number| parse(&number, ValueType::F64, &mut [0; 8]).is_ok())
    };
    !first.is_empty() && first.iter().all(is_number)
}

/// Names that messages show.
const NAMES_SHOWN: usize = 20;

/// The numbers of the columns asked for.
fn chosen(first: &StringRecord, options: &TableOptions, rank: usize) -> Result<Vec<usize>, String> {
    let names = || first.iter().take(NAMES_SHOWN).collect::<Vec<_>>().join(", ");
    match &options.column {
        Some(column) if options.header => {
            let places = first.iter().enumerate().filter(|(_, name)| name.trim() == column);
            match places.map(|(place, _)| place).collect::<Vec<_>>().as_slice() {
                [] => Err(format!("there is no column `{column}`; there are: {}", names())),
                &[place] => Ok(vec![place]),
                [first, second, ..] => Err(format!(
                    "the columns {first} and {second} (from 0) are both called `{column}`; with --no-header, columns have numbers"
                )),
            }
        }
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
            self.delivered.since.store(0, Ordering::Relaxed);
            if !self.reader.read_record(&mut self.record).map_err(|error| problem(&error))? {
                return Ok(false);
            }
            let end = self.reader.position();
            let line = self.lines.of(&self.record, end, self.delivered.is_cut(end));
            for (&column, target) in self.columns.iter().zip(element.chunks_exact_mut(width)) {
                let field = self.record.get(column).ok_or_else(|| format!("line {line} ends early"))?;
                let number = self.style.number(field).map_err(|message| format!("line {line}: {message}"))?;
                parse(&number, self.element.scalar, target)
                    .map_err(|message| format!("line {line}: {message}"))?;
            }
            Ok(true)
        })
    }

    /// Tells no more than one line.
    fn arrived(&mut self, within: Duration) -> Option<u64> {
        let arrivals = self.arrivals.as_ref()?;
        let unread = self.delivered.all.load(Ordering::Relaxed) - self.reader.position().byte();
        // The rest of the end of a line may be one byte, which is no line.
        if self.first_is_read || unread > 1 {
            return Some(1);
        }
        Some(arrivals.bytes(within).map_or(1, |bytes| bytes.min(1)))
    }
}

/// Where records begin, and how many lines between them are skipped.
struct Lines {
    /// Whether the reader takes the end of a line with the next one: if it is of two characters, it does.
    ends_late: bool,
    /// The number of the first blank line, from 1, and how many there are.
    first_blank: u64,
    blank: u64,
    /// Whether something is said of them, of what and to whom.
    is_said: bool,
    name: String,
    notes: Notes,
}

impl Lines {
    /// Makes a table whose first line ends here.
    fn new(name: &str, options: &TableOptions, first: &StringRecord, end: &csv::Position) -> Lines {
        Lines {
            ends_late: end.line() == 1 + inside(first),
            first_blank: 0,
            blank: 0,
            // Comments are skipped as blank lines are.
            is_said: options.style.comment.is_none(),
            name: name.to_string(),
            notes: options.notes.clone(),
        }
    }

    /// The line that a record begins in, of which the reader has come to the end; it may be that of a last line without one.
    fn of(&mut self, record: &StringRecord, end: &csv::Position, is_cut: bool) -> u64 {
        let Some(start) = record.position() else { return 0 };
        let line = start.line() + u64::from(self.ends_late && start.byte() > 0);
        let own = inside(record) + u64::from(!is_cut);
        let blank = (end.line() - start.line()).saturating_sub(own);
        if self.blank == 0 {
            self.first_blank = line;
        }
        self.blank += blank;
        line + blank
    }
}

/// Ends of lines within the fields of a record.
fn inside(record: &StringRecord) -> u64 {
    record.iter().map(|field| field.matches('\n').count() as u64).sum()
}

impl Delivered {
    /// Whether the input ends here, within a line.
    fn is_cut(&self, end: &csv::Position) -> bool {
        self.all.load(Ordering::Relaxed) == end.byte() && self.last.load(Ordering::Relaxed) != b'\n'
    }
}

impl Drop for Lines {
    fn drop(&mut self) {
        let Lines { first_blank, blank, name, .. } = self;
        match blank {
            _ if !self.is_said => {}
            0 => {}
            1 => self.notes.add(format!("{name}: line {first_blank} is blank, and is no element")),
            _ => self.notes.add(format!(
                "{name}: {blank} lines are blank, from line {first_blank} on, and are no elements"
            )),
        }
    }
}

impl io::Read for Bounded {
    fn read(&mut self, target: &mut [u8]) -> io::Result<usize> {
        if self.delivered.since.load(Ordering::Relaxed) > LONGEST_LINE {
            return Err(io::Error::other(format!("a line has more than {LONGEST_LINE} bytes")));
        }
        let count = self.reader.read(target)?;
        self.delivered.since.fetch_add(count as u64, Ordering::Relaxed);
        self.delivered.all.fetch_add(count as u64, Ordering::Relaxed);
        if let Some(&last) = target[..count].last() {
            self.delivered.last.store(last, Ordering::Relaxed);
        }
        Ok(count)
    }
}
