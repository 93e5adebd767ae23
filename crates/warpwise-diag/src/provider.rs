//! The interface through which a front end asks for imported files. The implementation reads files and gives each a key.

/// A source of program files.
pub trait SourceProvider {
    /// Returns the file that `import "path"` means inside the file with the key `importing`.
    fn read(&self, importing: &str, path: &str) -> Result<SourceFile, ReadError>;
}

/// A file's contents, with its identity.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceFile {
    /// Identity of the file: equal for the same file, whatever path led to it.
    pub key: String,
    /// Name of the file in messages.
    pub name: String,
    /// Text of the file.
    pub text: String,
}

/// The reason why a file was not read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ReadError {
    /// There is no such file. Holds the path that was tried.
    NotFound(String),
    /// The file exists, but is unreadable or not UTF-8 text. Holds the reason.
    Unreadable(String),
}
