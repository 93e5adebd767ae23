//! A column of numbers that is read batch by batch: the common part of Arrow and Parquet.
//!
//! A row is a number, or a list of numbers. Lists of equal length are elements of a stream, vectors. Lists of different lengths
//! can be read as two streams: all numbers one after the other (elements are then scalars), and the length of each row's list
//! (the column's name with `.length` appended). A null is an error that names its row and column.
//!
//! The readers of these formats are external crates. Files are not trusted: a panic in a reader is reported as a damaged file.

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_buffer::Buffer;
use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::counted::Counted;
use super::number::parse;
use super::{End, Read, Source, Wanted};
use crate::element::ElementType;

/// Suffix of a column's name that selects the lengths of its lists.
const LENGTH: &str = ".length";

/// A reader of one column.
pub(super) trait Batches: Send {
    /// Returns the next rows, or `None` after the last.
    fn next(&mut self) -> Result<Option<Batch>, String>;

    /// Returns the number of all rows, if known.
    fn rows(&self) -> Option<u64>;
}

/// Consecutive rows.
pub(super) struct Batch {
    /// The rows' numbers, as in memory.
    pub numbers: Buffer,
    /// For lists of different lengths, the total count of numbers up to the end of each row.
    pub ends: Option<Vec<usize>>,
    /// Fault of the row after these.
    pub fault: Option<String>,
    /// Memory that the rows take, in addition to memory that `numbers` itself keeps.
    pub counted: Option<Counted>,
}

/// The type of a column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct ColumnType {
    pub scalar: ValueType,
    pub rows: Rows,
}

/// The form of a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Rows {
    /// An array of this shape; a number if it has no dimensions.
    Arrays(Shape),
    /// A list of any length.
    Lists,
}

/// A column requested by name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Asked {
    /// Number of the column.
    pub column: usize,
    /// Name of the column.
    pub name: String,
    /// Whether the lengths of its lists are requested.
    pub lengths: bool,
}

/// The elements that are made of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Taken {
    /// The whole row, or each of its numbers.
    Numbers,
    /// A list of this many numbers.
    Lists(usize),
    /// The length of the list.
    Lengths,
}

/// The elements of a column.
pub struct ColumnSource {
    name: String,
    column: String,
    element: ElementType,
    batches: Box<dyn Batches>,
    taken: Taken,
    /// Bytes of elements that are read but not consumed.
    bytes: Buffer,
    /// Memory that these elements take.
    counted: Option<Counted>,
    /// Fault after these elements.
    fault: Option<String>,
    /// Number of rows read.
    row: u64,
    /// Number of remaining elements, if known.
    left: Option<u64>,
}

/// Finds a column by its name; without a name, the only column.
pub(super) fn asked(names: &[&str], column: Option<&str>) -> Result<Asked, String> {
    let found = |name: &str| names.iter().position(|&other| other == name);
    let asked = |column: usize, lengths| Asked { column, name: names[column].to_string(), lengths };
    let all = || names.iter().take(20).copied().collect::<Vec<_>>().join(", ");
    match (column, names) {
        (None, [_]) => Ok(asked(0, false)),
        (None, _) => Err(format!("which column? There are {}: {}", names.len(), all())),
        (Some(column), _) => found(column)
            .map(|place| asked(place, false))
            .or_else(|| Some(asked(found(column.strip_suffix(LENGTH)?)?, true)))
            .ok_or_else(|| format!("there is no column `{column}`; there are: {}", all())),
    }
}

/// Makes the message for a row with a null.
pub(super) fn null_in(row: u64, column: &str) -> String {
    format!(
        "row {row} of column `{column}` is null, or holds a null; --missing VALUE says what null numbers stand for"
    )
}

/// Returns the value of null numbers of this type as it lies in memory.
pub(super) fn missing_number(missing: Option<&str>, scalar: ValueType) -> Result<Option<Vec<u8>>, String> {
    let Some(text) = missing else { return Ok(None) };
    let mut bytes = vec![0; scalar.scalar().bytes()];
    parse(text, scalar, &mut bytes).map_err(|message| format!("--missing: {message}"))?;
    Ok(Some(bytes))
}

/// Runs an external reader; a panic becomes an error.
pub(super) fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err("the file is damaged".to_string()))
}

impl ColumnSource {
    /// Makes a source of a column's elements, with the wanted number of dimensions if there is a choice.
    pub(super) fn new(
        name: &str,
        asked: Asked,
        ty: ColumnType,
        wanted: Wanted,
        batches: Box<dyn Batches>,
    ) -> Result<ColumnSource, String> {
        let is_list = ty.rows == Rows::Lists;
        if asked.lengths && !is_list {
            return Err(format!("{name}: column `{}` has no lists, so none has a length", asked.name));
        }
        let (scalar, shape, taken) = match ty.rows {
            _ if asked.lengths => (ValueType::I64, Shape::new(), Taken::Lengths),
            _ if wanted.rank == 0 => (ty.scalar, Shape::new(), Taken::Numbers),
            Rows::Arrays(shape) => (ty.scalar, shape, Taken::Numbers),
            // `measure` determines the lists' length below.
            Rows::Lists => (ty.scalar, Shape::from_slice(&[0]), Taken::Lists(0)),
        };
        let per_row = matches!(taken, Taken::Lengths | Taken::Lists(_)) || !is_list;
        let element = ElementType { scalar, shape };
        let left = batches.rows().filter(|_| per_row);
        let (name, column, bytes) = (name.to_string(), asked.name, Buffer::from_vec(Vec::<u8>::new()));
        let mut source = ColumnSource {
            name,
            column,
            element,
            batches,
            taken,
            bytes,
            counted: None,
            fault: None,
            row: 0,
            left,
        };
        if let Taken::Lists(_) = taken {
            source.measure().map_err(|message| format!("{}: {message}", source.name))?;
        }
        let nothing_known = is_list && source.row == 0;
        match source.element.bytes() {
            None | Some(0) if !nothing_known => {
                Err(format!("{}: elements of type {} cannot be told apart", source.name, source.element))
            }
            _ => Ok(source),
        }
    }

    /// Reads the first rows, which determine the length of all lists.
    fn measure(&mut self) -> Result<(), String> {
        while self.bytes.is_empty() && self.row == 0 {
            let batches = &mut self.batches;
            let Some(batch) = guarded(|| batches.next())? else { return Ok(()) };
            let length = batch.ends.as_ref().and_then(|ends| ends.first().copied()).unwrap_or(0);
            self.element.shape = Shape::from_slice(&[length as i64]);
            self.taken = Taken::Lists(length);
            let stop = batch.fault.is_some();
            self.take_in(batch);
            if stop {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Keeps the elements of some rows.
    fn take_in(&mut self, batch: Batch) {
        let Batch { numbers, ends, mut fault, counted } = batch;
        let width = self.element.scalar.scalar().bytes();
        let rows = ends.as_ref().map_or(0, Vec::len);
        self.bytes = match (self.taken, ends) {
            (Taken::Lengths, Some(ends)) => {
                let starts = std::iter::once(0).chain(ends.iter().copied());
                Buffer::from_vec(
                    ends.iter().zip(starts).map(|(end, start)| (end - start) as i64).collect::<Vec<_>>(),
                )
            }
            (Taken::Lists(length), Some(ends)) => {
                let wrong = ends.iter().enumerate().find(|&(row, &end)| end != (row + 1) * length);
                let good = wrong.map_or(ends.len(), |(row, _)| row);
                if let Some((row, end)) = wrong {
                    let (found, column) = (end - row * length, &self.column);
                    let row = self.row + row as u64;
                    fault = Some(format!(
                        "row {row} of column `{column}` has {found} numbers, those before {length}"
                    ));
                }
                numbers.slice_with_length(0, good * length * width)
            }
            (Taken::Numbers | Taken::Lists(_) | Taken::Lengths, _) => numbers,
        };
        self.fault = fault;
        self.counted = counted;
        self.row += rows as u64;
    }

    /// Returns whether there are unconsumed elements, reading rows if necessary.
    fn more(&mut self) -> Result<bool, String> {
        while self.bytes.is_empty() {
            if let Some(fault) = self.fault.take() {
                return Err(fault);
            }
            // An empty slice would keep the whole buffer as well.
            (self.bytes, self.counted) = (Buffer::from_vec(Vec::<u8>::new()), None);
            let batches = &mut self.batches;
            match guarded(|| batches.next())? {
                Some(batch) => self.take_in(batch),
                None => return Ok(false),
            }
        }
        Ok(true)
    }
}

impl Source for ColumnSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        self.left
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let size = target.len().checked_div(count as usize).unwrap_or(0);
        let mut done = 0;
        let end = loop {
            // Elements without bytes occur only in a column without rows.
            if done == target.len() && size > 0 {
                break None;
            }
            match self.more() {
                Ok(true) => {}
                Ok(false) => break Some(End::Finished),
                Err(message) => break Some(End::Failed(message)),
            }
            let part = self.bytes.len().min(target.len() - done);
            target[done..done + part].copy_from_slice(&self.bytes[..part]);
            self.bytes.advance(part);
            done += part;
        };
        let count = done.checked_div(size).unwrap_or(0) as u64;
        self.left = self.left.map(|left| left.saturating_sub(count));
        Read { count, end }
    }
}
