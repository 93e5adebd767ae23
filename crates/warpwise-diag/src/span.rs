//! Places in source text.

use serde::{Deserialize, Serialize};

/// A source file of a compilation, by its position in [`Sources`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct FileId(pub u32);

/// The bytes `start..end` of a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

/// A line and column, both counted from 1; columns count characters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Position {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl Span {
    /// The span of something made by the compiler itself, without a place in any file.
    pub const NONE: Span = Span { file: FileId(u32::MAX), start: 0, end: 0 };

    /// Whether this span has no place in any file.
    pub fn is_none(self) -> bool {
        self.file == Span::NONE.file
    }

    /// Returns the smallest span that covers both. They must lie in one file; if one has no place, the result is the other.
    pub fn to(self, other: Span) -> Span {
        if self.is_none() {
            return other;
        }
        if other.is_none() {
            return self;
        }
        debug_assert_eq!(self.file, other.file);
        Span { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// The source texts of a compilation.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    files: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: String,
    line_starts: Vec<u32>,
}

/// Strips the byte order mark that some editors put before a text.
pub fn without_mark(mut text: String) -> String {
    if text.starts_with('\u{feff}') {
        text.drain(..'\u{feff}'.len_utf8());
    }
    text
}

impl Sources {
    /// Creates an empty table.
    pub fn new() -> Sources {
        Sources::default()
    }

    /// Adds a file under the name that messages show.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> FileId {
        let (name, text) = (name.into(), without_mark(text.into()));
        let starts = text.bytes().enumerate().filter(|&(_, b)| b == b'\n').map(|(i, _)| i as u32 + 1);
        let line_starts = std::iter::once(0).chain(starts).collect();
        self.files.push(Source { name, text, line_starts });
        FileId(self.files.len() as u32 - 1)
    }

    /// Whether this table has the file. The other methods require that it does, except [`describe`](Sources::describe).
    pub fn contains(&self, file: FileId) -> bool {
        (file.0 as usize) < self.files.len()
    }

    /// Returns the name that messages show for a file.
    pub fn name(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].name
    }

    /// Returns the whole text of a file.
    pub fn text(&self, file: FileId) -> &str {
        &self.files[file.0 as usize].text
    }

    /// Returns the line and column of a byte of a file.
    pub fn position(&self, file: FileId, byte: u32) -> Position {
        let source = &self.files[file.0 as usize];
        let line = source.line_starts.partition_point(|&start| start <= byte) - 1;
        let start = source.line_starts[line] as usize;
        let end = (byte as usize).min(source.text.len());
        let column = source.text.get(start..end).map_or(end - start, |s| s.chars().count());
        Position { line: line as u32 + 1, column: column as u32 + 1 }
    }

    /// `file:line:column` of a span's start; `<compiler>` for a span without a place in these files.
    pub fn describe(&self, span: Span) -> String {
        if !self.contains(span.file) {
            return "<compiler>".to_string();
        }
        let at = self.position(span.file, span.start);
        format!("{}:{}:{}", self.name(span.file), at.line, at.column)
    }
}
