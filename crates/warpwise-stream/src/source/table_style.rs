//! How tables are written.

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

/// How a table is written, as far as it does not show.
#[derive(Clone, Default, Debug)]
pub struct TableStyle {
    /// Between fields; a comma without one, or a semicolon where numbers have commas.
    pub separator: Option<u8>,
    /// Before the fraction of a number; a point without one.
    pub decimal: Option<char>,
    /// Lines that begin so are skipped.
    pub comment: Option<u8>,
    /// The value of empty cells.
    pub missing: Option<String>,
    /// How characters are written; UTF-8, unless a byte order mark says otherwise, without one.
    #[cfg(feature = "csv")]
    pub encoding: Option<&'static Encoding>,
}

#[cfg(feature = "csv")]
/// A table, and what of it is asked for.
#[derive(Clone, Debug)]
pub struct TableOptions {
    /// How it is written.
    pub style: TableStyle,
    /// Between fields.
    pub separator: u8,
    /// Whether the first line holds names.
    pub header: bool,
    /// The column asked for; all of them without one.
    pub column: Option<String>,
    /// The notes about it.
    pub notes: Notes,
}

#[cfg(feature = "csv")]
impl TableStyle {
    /// The text of a table as UTF-8. Nothing is looked for in its first bytes: more of them might never come.
    pub(super) fn decoded(&self, reader: impl io::Read + Send + 'static) -> Box<dyn io::Read + Send> {
        if self.encoding.is_none_or(|encoding| encoding == UTF_8) {
            return Box::new(reader);
        }
        let mut decoder = DecodeReaderBytesBuilder::new();
        Box::new(decoder.encoding(self.encoding).bom_sniffing(false).build(reader))
    }

    /// A field as a number is written in programs.
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

/// Returns a field as messages show it, which may be as long as a line.
pub(super) fn shown(field: &str) -> String {
    field.trim().chars().take(40).collect()
}
