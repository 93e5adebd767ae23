//! Notation of tables.

#[cfg(feature = "csv")]
use std::borrow::Cow;
#[cfg(feature = "csv")]
use std::io;

#[cfg(feature = "csv")]
use encoding_rs::{Encoding, UTF_8};
#[cfg(feature = "csv")]
use encoding_rs_io::DecodeReaderBytesBuilder;

#[cfg(feature = "csv")]
use super::notes::Notes;

/// Aspects of a table's notation that cannot be recognised from it.
#[derive(Clone, Default, Debug)]
pub struct TableStyle {
    /// Separator of fields; if `None`, a comma, or a semicolon if numbers have commas.
    pub separator: Option<u8>,
    /// Decimal mark of numbers; if `None`, a point.
    pub decimal: Option<char>,
    /// First character of lines that are skipped.
    pub comment: Option<u8>,
    /// Number of lines at the start that are skipped.
    pub skip: u64,
    /// Value of empty cells.
    pub missing: Option<String>,
    /// Encoding of characters; if `None`, the one that a byte order mark names, or UTF-8.
    #[cfg(feature = "csv")]
    pub encoding: Option<&'static Encoding>,
}

#[cfg(feature = "csv")]
/// The notation of a table, and the requested part of it.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// Notation of the table.
    pub style: TableStyle,
    /// Separator of fields.
    pub separator: u8,
    /// Whether the first line holds names.
    pub header: bool,
    /// The requested column; all columns if `None`.
    pub column: Option<String>,
    /// Receiver of notes about the table.
    pub notes: Notes,
}

#[cfg(feature = "csv")]
impl TableStyle {
    /// Returns the text of a table as UTF-8. Its first bytes are not inspected, because more of them might never arrive.
    pub(super) fn decoded(&self, reader: impl io::Read + Send + 'static) -> Box<dyn io::Read + Send> {
        if self.encoding.is_none_or(|encoding| encoding == UTF_8) {
            return Box::new(reader);
        }
        let mut decoder = DecodeReaderBytesBuilder::new();
        Box::new(decoder.encoding(self.encoding).bom_sniffing(false).build(reader))
    }

    /// Skips lines at the start of a table.
    pub(super) fn skip_lines(&self, reader: &mut dyn io::Read) -> Result<(), String> {
        let mut byte = [0];
        for line in 0..self.skip {
            while byte != *b"\n" {
                match reader.read(&mut byte) {
                    Ok(0) => {
                        return Err(format!(
                            "there are no more than {line} whole lines, but {} are to be skipped",
                            self.skip
                        ));
                    }
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(error) => return Err(format!("cannot read: {error}")),
                }
            }
            byte = [0];
        }
        Ok(())
    }

    /// Returns a field as a number in the notation of programs.
    pub(super) fn number<'f>(&'f self, field: &'f str) -> Result<Cow<'f, str>, String> {
        match (&self.missing, self.decimal) {
            (missing, _) if field.trim().is_empty() => match missing {
                Some(missing) => Ok(Cow::Borrowed(missing)),
                None => Err("a cell is empty; --missing VALUE says what empty cells stand for".to_string()),
            },
            (_, Some(mark)) if mark != '.' => {
                if field.contains('.') {
                    return Err(format!(
                        "`{}` has a point, but `{mark}` was said to stand before fractions",
                        shown(field)
                    ));
                }
                Ok(Cow::Owned(field.replace(mark, ".")))
            }
            _ => Ok(Cow::Borrowed(field)),
        }
    }
}

/// Returns a field for a message, shortened because it may be as long as a line.
pub(super) fn shown(field: &str) -> String {
    field.trim().chars().take(40).collect()
}
