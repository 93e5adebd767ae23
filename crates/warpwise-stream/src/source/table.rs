//! Tables as text: CSV (RFC 4180), with any separator between fields.
//!
//! An element is one field of a line, or several fields as a vector. The first line names the columns unless the options say
//! otherwise; then columns are numbered from 0. Blank lines are not elements, and a note reports them. Several sources may share
//! the lines of one table: whichever reads a line keeps the elements of the others for them.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use csv::{Reader, ReaderBuilder, StringRecord};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::binding::{Leaf, bind};
use super::notes::Notes;
use super::number::parse;
use super::piped::Arrivals;
use super::table_style::{TableOptions, TableStyle};
use super::{End, Read, Source, Wanted, one_by_one};
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

/// A source of some columns of a table. Sources of the same table share its lines, so that the table is read once.
pub struct TableSource {
    name: String,
    element: ElementType,
    /// Number of this source among those that share the table.
    number: usize,
    table: Arc<Mutex<Table>>,
}

/// The lines of a table, read in order.
struct Table {
    reader: Reader<Bounded>,
    /// Names of the columns; none if there are no names or a single column.
    names: Vec<String>,
    /// Columns of the sources that share the table.
    parts: Vec<Part>,
    record: StringRecord,
    /// Elements of the current line that belong to other sources than the reading one.
    others: Vec<u8>,
    style: TableStyle,
    lines: Lines,
    delivered: Arc<Delivered>,
    /// Whether the first line is an element and has already been read to find the columns.
    first_is_read: bool,
    /// Arrivals of a pipe.
    arrivals: Option<Arrivals>,
    /// The end of the table, once it has been found.
    end: Option<End>,
}

/// The columns that make up the elements of one source.
struct Part {
    scalar: ValueType,
    columns: Vec<usize>,
    /// Elements that were read for other sources, and that this one has still to deliver.
    ahead: VecDeque<u8>,
}

/// A reader that fails on endless lines.
struct Bounded {
    reader: Box<dyn io::Read + Send>,
    delivered: Arc<Delivered>,
}

impl TableSource {
    /// Opens a table for one source. For scalar elements (`rank` 0) there must be a single column, or one must be named; vectors
    /// hold all columns, or those that are named.
    pub fn new(
        name: &str,
        reader: Box<dyn io::Read + Send>,
        wanted: Wanted,
        options: &TableOptions,
    ) -> Result<TableSource, String> {
        let leaf = Leaf { name: String::new(), wanted, column: options.column.clone() };
        let mut sources = TableSource::several(name, reader, &[leaf], options, None)?;
        sources.pop().ok_or_else(|| format!("{name}: nothing is read"))
    }

    /// Opens a table for several sources, one for each leaf. Columns are found as [`bind`] describes. `arrivals` are those of an
    /// input that is still being written.
    pub(super) fn several(
        name: &str,
        reader: Box<dyn io::Read + Send>,
        leaves: &[Leaf],
        options: &TableOptions,
        arrivals: Option<Arrivals>,
    ) -> Result<Vec<TableSource>, String> {
        let located = |message: String| format!("{name}: {message}");
        let delivered = Arc::<Delivered>::default();
        let mut reader = options.style.decoded(reader);
        options.style.skip_lines(&mut reader).map_err(located)?;
        let bounded = Bounded { reader, delivered: Arc::clone(&delivered) };
        let mut builder = ReaderBuilder::new();
        builder.has_headers(options.header).delimiter(options.separator).comment(options.style.comment);
        let mut reader = builder.from_reader(bounded);
        let first = reader.headers().map_err(|error| located(problem(&error, options.style.skip)))?;
        if options.header && looks_like_data(first, &options.style) {
            let line: Vec<&str> = first.iter().take(NAMES_SHOWN).collect();
            options.notes.add(format!(
                "{name}: the first line, `{}`, is taken for the names of the columns; --no-header says that it holds none",
                line.join(&char::from(options.separator).to_string())
            ));
        }
        let parts = parts(first, leaves, options).map_err(located)?;
        let first = first.clone();
        let lines = Lines::new(name, options, &first, reader.position());
        let element = |(part, leaf): (&Part, &Leaf)| {
            let width = part.columns.len() as i64;
            let shape = if leaf.wanted.rank == 0 { Shape::new() } else { Shape::from_slice(&[width]) };
            ElementType { scalar: part.scalar, shape }
        };
        let elements: Vec<ElementType> = parts.iter().zip(leaves).map(element).collect();
        let table = Arc::new(Mutex::new(Table {
            reader,
            names: if options.header && first.len() > 1 {
                first.iter().map(str::to_string).collect()
            } else {
                Vec::new()
            },
            parts,
            record: StringRecord::new(),
            others: Vec::new(),
            style: options.style.clone(),
            lines,
            delivered,
            first_is_read: !options.header,
            arrivals,
            end: None,
        }));
        let source = |(number, element)| {
            let table = Arc::clone(&table);
            TableSource { name: name.to_string(), element, number, table }
        };
        Ok(elements.into_iter().enumerate().map(source).collect())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Part {
    /// Returns the size of an element in bytes.
    fn bytes(&self) -> usize {
        self.columns.len() * self.scalar.scalar().bytes()
    }
}

impl Table {
    /// Reads a line: writes the element of source `number` to `target`, and keeps those of the other sources for them.
    fn line(&mut self, number: usize, target: &mut [u8]) -> Result<bool, String> {
        self.delivered.since.store(0, Ordering::Relaxed);
        if !self.reader.read_record(&mut self.record).map_err(|error| problem(&error, self.style.skip))? {
            return Ok(false);
        }
        let end = self.reader.position();
        let line = self.lines.of(&self.record, end, self.delivered.is_cut(end));
        let names = &self.names;
        let located = |column: usize, message: &str| match names.get(column) {
            Some(name) => format!("line {line}: {message} (column `{name}`)"),
            None => format!("line {line}: {message}"),
        };
        self.others.clear();
        for (place, part) in self.parts.iter().enumerate() {
            let width = part.scalar.scalar().bytes();
            for (index, &column) in part.columns.iter().enumerate() {
                let field = self.record.get(column).ok_or_else(|| located(column, "it ends early"))?;
                let text = self.style.number(field).map_err(|message| located(column, &message))?;
                let target = if place == number {
                    &mut target[index * width..][..width]
                } else {
                    let at = self.others.len();
                    self.others.resize(at + width, 0);
                    &mut self.others[at..]
                };
                parse(&text, part.scalar, target).map_err(|message| located(column, &message))?;
            }
        }
        let mut others = &self.others[..];
        for (_, part) in self.parts.iter_mut().enumerate().filter(|&(place, _)| place != number) {
            let own;
            (own, others) = others.split_at(part.bytes());
            part.ahead.extend(own);
        }
        Ok(true)
    }

    /// Reads up to `count` elements of source `number`.
    fn read(&mut self, number: usize, count: u64, target: &mut [u8]) -> Read {
        self.first_is_read &= count == 0;
        let size = target.len().checked_div(count as usize).unwrap_or(0);
        let ahead = &mut self.parts[number].ahead;
        let there = ahead.len().checked_div(size).unwrap_or(0).min(count as usize);
        for (byte, kept) in target.iter_mut().zip(ahead.drain(..there * size)) {
            *byte = kept;
        }
        let there = there as u64;
        let mut read = match &self.end {
            _ if there == count => Read { count: 0, end: None },
            Some(end) => Read { count: 0, end: Some(end.clone()) },
            None => one_by_one(count - there, &mut target[there as usize * size..], |element| {
                self.line(number, element)
            }),
        };
        self.end = self.end.take().or_else(|| read.end.clone());
        read.count += there;
        read
    }

    /// Returns the number of elements of source `number` that can be read without waiting; at most one that is not parsed yet.
    fn arrived(&self, number: usize, within: Duration) -> Option<u64> {
        let arrivals = self.arrivals.as_ref()?;
        let part = &self.parts[number];
        let ahead = part.ahead.len().checked_div(part.bytes()).unwrap_or(0) as u64;
        let unread = self.delivered.all.load(Ordering::Relaxed) - self.reader.position().byte();
        // One unread byte may be the rest of a line's end, which is not a line.
        if ahead > 0 || self.end.is_some() || self.first_is_read || unread > 1 {
            return Some(ahead.max(1));
        }
        Some(arrivals.bytes(within).map_or(1, |bytes| bytes.min(1)))
    }
}

/// Returns the message for an error in a table whose first `skipped` lines were skipped.
fn problem(error: &csv::Error, skipped: u64) -> String {
    let line = error.position().map_or(0, csv::Position::line) + skipped;
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

/// Returns the columns of each leaf.
fn parts(first: &StringRecord, leaves: &[Leaf], options: &TableOptions) -> Result<Vec<Part>, String> {
    let names: Vec<&str> = if options.header { first.iter().map(str::trim).collect() } else { Vec::new() };
    let bound = bind(&names, leaves).map_err(|message| hinted(first, options, message))?;
    let part = |(leaf, column): (&Leaf, Option<String>)| {
        if leaf.wanted.rank > 1 {
            return Err("a line of a table is a scalar or a vector".to_string());
        }
        let columns = chosen(first, options, leaf.wanted.rank, column.as_deref())?;
        Ok(Part { scalar: leaf.wanted.scalar, columns, ahead: VecDeque::new() })
    };
    leaves.iter().zip(bound).map(part).collect()
}

/// Adds to the message about a missing column what may be the reason.
fn hinted(first: &StringRecord, options: &TableOptions, message: String) -> String {
    if first.is_empty() {
        return "the table is empty: there is no line from which to learn its columns".to_string();
    }
    let other = |line: &str| line.chars().find(|mark| [';', ',', '\t', '|'].contains(mark));
    match (first.len(), first.get(0).and_then(other)) {
        (1, Some(mark)) if options.separator != mark as u8 => {
            let mark = if mark == '\t' { "tab".to_string() } else { format!("'{mark}'") };
            format!("{message}; is there another separator? --delimiter {mark} says it")
        }
        (_, _) => message,
    }
}

/// Returns the numbers of the columns that make up an element of this rank.
fn chosen(
    first: &StringRecord,
    options: &TableOptions,
    rank: usize,
    column: Option<&str>,
) -> Result<Vec<usize>, String> {
    let Some(column) = column else {
        return match rank {
            0 if first.len() > 1 => Err(format!("which column? There are {}: {}", first.len(), names(first))),
            _ => Ok((0..first.len().max(1 - rank)).collect()),
        };
    };
    match place(first, options, column) {
        // A vector may take several columns.
        Err(_) if rank == 1 && column.contains(',') => {
            column.split(',').map(|column| place(first, options, column.trim())).collect()
        }
        place => Ok(vec![place?]),
    }
}

/// Returns the number of a column.
fn place(first: &StringRecord, options: &TableOptions, column: &str) -> Result<usize, String> {
    if !options.header {
        return match column.parse() {
            Ok(place) if place < first.len() || first.is_empty() => Ok(place),
            _ => Err(format!("`{column}` is no number of a column, of {} from 0", first.len())),
        };
    }
    let places = first.iter().enumerate().filter(|(_, name)| name.trim() == column);
    match places.map(|(place, _)| place).collect::<Vec<_>>().as_slice() {
        [] => {
            Err(hinted(first, options, format!("there is no column `{column}`; there are: {}", names(first))))
        }
        &[place] => Ok(place),
        [first, second, ..] => Err(format!(
            "the columns {first} and {second} (from 0) are both called `{column}`; with --no-header, columns have numbers"
        )),
    }
}

/// Returns the first names of columns, for messages.
fn names(first: &StringRecord) -> String {
    first.iter().take(NAMES_SHOWN).collect::<Vec<_>>().join(", ")
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
        self.table().read(self.number, count, target)
    }

    fn arrived(&mut self, within: Duration) -> Option<u64> {
        self.table().arrived(self.number, within)
    }
}

/// Line numbers of records, and the blank lines between them.
struct Lines {
    /// Number of lines before the table.
    skipped: u64,
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
            skipped: options.style.skip,
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
        let line = self.skipped + start.line() + u64::from(self.ends_late && start.byte() > 0);
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
