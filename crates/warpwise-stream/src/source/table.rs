//! Tables as text: CSV (RFC 4180), with any separator between fields.
//!
//! An element is one field of a line, or several fields as a vector. The first line names the columns unless the options say
//! otherwise; then columns are numbered from 0. Blank lines are not elements, and a note reports them.

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

/// The input that the reader has delivered to the parser.
#[derive(Default)]
struct Delivered {
    /// Number of bytes.
    all: AtomicU64,
    /// Number of bytes since the last line began.
    since: AtomicU64,
    /// The last byte.
    last: AtomicU8,
}

/// Maximum length of a line in bytes.
const LONGEST_LINE: u64 = 16 << 20;

/// A source of the lines of a table.
pub struct TableSource {
    name: String,
    element: ElementType,
    reader: Reader<Bounded>,
    /// Columns that make up an element.
    columns: Vec<usize>,
    record: StringRecord,
    style: TableStyle,
    lines: Lines,
    delivered: Arc<Delivered>,
    /// Whether the first line is an element and has already been read to find the columns.
    first_is_read: bool,
    /// Arrivals of a pipe.
    arrivals: Option<Arrivals>,
}

/// A reader that fails on endless lines.
struct Bounded {
    reader: Box<dyn io::Read + Send>,
    delivered: Arc<Delivered>,
}

impl TableSource {
    /// Opens a table. For scalar elements (`rank` 0) there must be a single column, or one must be named; vectors hold all
    /// columns.
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

    /// Sets the arrivals of an input that is still being written.
    pub(super) fn arriving(self, arrivals: Option<Arrivals>) -> TableSource {
        TableSource { arrivals, ..self }
    }
}

/// Returns the message for an error.
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

/// Returns whether all column names are numbers, so that the first line may be data.
fn looks_like_data(first: &StringRecord, style: &TableStyle) -> bool {
    let is_number = |field: &str| {
        let number = style.number(field);
        number.is_ok_and(|number| parse(&number, ValueType::F64, &mut [0; 8]).is_ok())
    };
    !first.is_empty() && first.iter().all(is_number)
}

/// Maximum number of names in messages.
const NAMES_SHOWN: usize = 20;

/// Returns the numbers of the requested columns.
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

    /// Reports at most one line.
    fn arrived(&mut self, within: Duration) -> Option<u64> {
        let arrivals = self.arrivals.as_ref()?;
        let unread = self.delivered.all.load(Ordering::Relaxed) - self.reader.position().byte();
        // One unread byte may be the rest of a line's end, which is not a line.
        if self.first_is_read || unread > 1 {
            return Some(1);
        }
        Some(arrivals.bytes(within).map_or(1, |bytes| bytes.min(1)))
    }
}

/// Line numbers of records, and the blank lines between them.
struct Lines {
    /// Whether the reader consumes the end of a line only with the next line, as it does for ends of two characters.
    ends_late: bool,
    /// Number of the first blank line, from 1, and the number of blank lines.
    first_blank: u64,
    blank: u64,
    /// Whether a note is made of blank lines, the table's name in it, and its receiver.
    is_said: bool,
    name: String,
    notes: Notes,
}

impl Lines {
    /// Makes the state for a table whose first line ends at `end`.
    fn new(name: &str, options: &TableOptions, first: &StringRecord, end: &csv::Position) -> Lines {
        Lines {
            ends_late: end.line() == 1 + inside(first),
            first_blank: 0,
            blank: 0,
            // Comments are skipped like blank lines, and cannot be told from them.
            is_said: options.style.comment.is_none(),
            name: name.to_string(),
            notes: options.notes.clone(),
        }
    }

    /// Returns the line in which a record begins. The reader is at its end, `end`; `is_cut` tells whether that is the end of a
    /// last line without a newline.
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

/// Returns the number of line ends within the fields of a record.
fn inside(record: &StringRecord) -> u64 {
    record.iter().map(|field| field.matches('\n').count() as u64).sum()
}

impl Delivered {
    /// Returns whether the input ends at `end` without a newline.
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
