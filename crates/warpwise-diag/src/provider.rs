//! What a front end asks for when a file imports another one. Whoever reads files answers, and gives each file a key.

/// Where files come from.
pub trait SourceProvider {
    /// The file that `import "path"` means inside the file whose key is `importing`.
    fn read(&self, importing: &str, path: &str) -> Result<SourceFile, ReadError>;
}

/// A file that was read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// The same for the same file, whatever path led to it.
    pub key: String,
    /// What messages call it.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a file was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// There is no such file; the place that was looked at.
    NotFound(String),
    /// It is there, but not as UTF-8 text, or not readable: what is wrong.
    Unreadable(String),
}
