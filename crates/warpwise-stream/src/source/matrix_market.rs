//! Matrix Market files: the entries in file order.
//!
//! In a `coordinate` file one column is selected: `row` and `column` (of type i64, from 0) or `value`; three sources over one
//! file yield all three. An `array` file yields the values, column by column. The header's number of entries is checked, and so
//! are both indices of every entry, whichever column is selected. Only `general` matrices of `real`, `integer` or `pattern`
//! entries are supported: entries that symmetry leaves out would have to be made up.

use std::io::{self, BufRead, BufReader, Read as _};

use warpwise_prim::ValueType;
use warpwise_runtime::array::Shape;

use super::number::parse;
use super::{Read, Source, one_by_one};
use crate::element::ElementType;

/// Maximum length of a line in bytes.
const LONGEST_LINE: u64 = 1 << 16;

/// A source of one column of a Matrix Market file.
pub struct MatrixMarketSource {
    name: String,
    element: ElementType,
    reader: BufReader<Box<dyn io::Read + Send>>,
    line: u64,
    column: Column,
    /// Whether entries begin with their two indices.
    has_indices: bool,
    /// Sizes of the matrix.
    sizes: [i64; 2],
    left: u64,
}

/// A part of an entry: the index along an axis, or the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    Coordinate(usize),
    Value,
}

impl MatrixMarketSource {
    /// Names of the columns of a coordinate file.
    pub(super) const COLUMNS: [&str; 3] = ["row", "column", "value"];

    /// Reads the header. The column is `value` unless named.
    pub fn new(
        name: &str,
        reader: Box<dyn io::Read + Send>,
        scalar: ValueType,
        column: Option<&str>,
    ) -> Result<MatrixMarketSource, String> {
        let element = ElementType { scalar, shape: Shape::new() };
        let (name, reader) = (name.to_string(), BufReader::with_capacity(1 << 16, reader));
        let (line, column_of_values, has_indices, sizes, left) = (0, Column::Value, false, [0; 2], 0);
        let mut source = MatrixMarketSource {
            name,
            element,
            reader,
            line,
            column: column_of_values,
            has_indices,
            sizes,
            left,
        };
        match source.header(column) {
            Ok(()) => Ok(source),
            Err(message) => Err(format!("{}:{}: {message}", source.name, source.line)),
        }
    }

    fn header(&mut self, column: Option<&str>) -> Result<(), String> {
        let banner = self.next_line()?.unwrap_or_default().to_ascii_lowercase();
        let words: Vec<&str> = banner.split_whitespace().collect();
        let ["%%matrixmarket", "matrix", form @ ("coordinate" | "array"), field, symmetry] = words[..] else {
            return Err("this is no Matrix Market file of a matrix".to_string());
        };
        if symmetry != "general" || !matches!(field, "real" | "integer" | "pattern") {
            return Err(format!("{field} {symmetry} matrices are not supported; real general ones are"));
        }
        self.column = match (form, column.unwrap_or("value"), field) {
            (_, "value", "pattern") => return Err("a pattern has no values, only row and column".to_string()),
            ("array", "value", _) => Column::Value,
            ("array", other, _) => return Err(format!("there is no column `{other}`, only value")),
            (_, "value", _) => Column::Value,
            (_, "row", _) => Column::Coordinate(0),
            (_, "column", _) => Column::Coordinate(1),
            (_, other, _) => {
                return Err(format!("there is no column `{other}`; there are: row, column, value"));
            }
        };
        self.has_indices = form == "coordinate";
        if matches!(self.column, Column::Coordinate(_)) && self.element.scalar != ValueType::I64 {
            return Err(format!("row and column are of type i64, not {}", self.element.scalar.name()));
        }
        self.sizes(form)
    }

    fn sizes(&mut self, form: &str) -> Result<(), String> {
        let line = self.next_entry()?.ok_or("the sizes are missing")?;
        let number = |word: &str| word.parse().ok().filter(|&size: &i64| size >= 0);
        let sizes: Option<Vec<i64>> = line.split_whitespace().map(number).collect();
        let (rows, columns, entries) = match (form, sizes.as_deref()) {
            ("coordinate", Some(&[rows, columns, entries])) => (rows, columns, Some(entries)),
            ("array", Some(&[rows, columns])) => (rows, columns, rows.checked_mul(columns)),
            _ => return Err("expected the sizes of the matrix".to_string()),
        };
        self.left = entries.ok_or("more entries than 64 bits can count")? as u64;
        self.sizes = [rows, columns];
        Ok(())
    }

    /// Returns the next line that is neither blank nor a comment.
    fn next_entry(&mut self) -> Result<Option<String>, String> {
        loop {
            match self.next_line()? {
                Some(line) if line.trim().is_empty() || line.starts_with('%') => {}
                other => return Ok(other),
            }
        }
    }

    fn next_line(&mut self) -> Result<Option<String>, String> {
        let mut line = Vec::new();
        self.line += 1;
        let mut limited = (&mut self.reader).take(LONGEST_LINE);
        let count = limited.read_until(b'\n', &mut line).map_err(|error| format!("cannot read: {error}"))?;
        if count as u64 == LONGEST_LINE {
            return Err(format!("the line has more than {LONGEST_LINE} bytes"));
        }
        let line = String::from_utf8(line).map_err(|_| "the line is no text".to_string())?;
        Ok((count > 0).then_some(line))
    }

    fn entry(&mut self, target: &mut [u8]) -> Result<bool, String> {
        let entry = self.next_entry()?;
        let (line, left) = (self.line, self.left);
        let Some(entry) = entry else {
            return if left == 0 { Ok(false) } else { Err(format!("{left} entries are missing")) };
        };
        let located = |message: String| format!("line {line}: {message}");
        if left == 0 {
            return Err(located("there is more than the header says".to_string()));
        }
        self.left -= 1;
        let mut words = entry.split_whitespace();
        let mut word = || words.next().ok_or_else(|| located("the line ends early".to_string()));
        let indices = match self.has_indices {
            true => [self.index(0, word()?).map_err(located)?, self.index(1, word()?).map_err(located)?],
            false => [0; 2],
        };
        match self.column {
            Column::Value => parse(word()?, self.element.scalar, target).map_err(located)?,
            Column::Coordinate(axis) => target.copy_from_slice(&indices[axis].to_le_bytes()),
        }
        Ok(true)
    }

    /// Parses an index along an axis and returns it counted from 0.
    fn index(&self, axis: usize, word: &str) -> Result<i64, String> {
        let inside = word.parse().ok().filter(|index| (1..=self.sizes[axis]).contains(index));
        inside.map(|index: i64| index - 1).ok_or_else(|| "an index lies outside the matrix".to_string())
    }
}

impl Source for MatrixMarketSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        Some(self.left)
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        one_by_one(count, target, |element| self.entry(element))
    }
}
