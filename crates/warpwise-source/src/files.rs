//! Program files on disk: reading them and resolving their imports.
//!
//! An `import "path"` means the file `path.fut` beside the importing file. Two paths mean the same file if their canonical paths
//! are equal. Each imported file is recorded with a fingerprint of its text, so that a cache can detect changes ([`Dependency`]).
//!
//! Not done here: parsing, and searching for imported files anywhere but beside their importers.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};
use warpwise_diag::{ReadError, SourceFile, SourceProvider, without_mark};

use crate::fingerprint::Fingerprint;

/// Maximum size of a file in bytes. Spans count bytes with 32 bits; no real program comes near this size.
const LONGEST: u64 = 1 << 28;

/// The files of one program.
#[derive(Debug, Default)]
pub struct SourceFiles {
    /// Names of files in messages, by key.
    names: RefCell<HashMap<String, String>>,
    imported: RefCell<Vec<Dependency>>,
    imports: RefCell<Vec<Import>>,
}

/// A resolved import.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Import {
    /// Key of the importing file: its canonical path, or folder and name if it is a text.
    pub importing: String,
    /// The path as written after `import`.
    pub path: String,
    /// The imported file.
    pub imported: SourceFile,
}

/// An imported file, with a fingerprint of its text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Dependency {
    /// The file's canonical path.
    pub path: String,
    /// Fingerprint of the text.
    pub text: u128,
}

/// The reason why a program's file cannot be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceError {
    /// The file does not exist, or may not be read.
    Unreadable {
        /// Name of the file in messages.
        name: String,
        /// The reason.
        message: String,
    },
    /// The file is not UTF-8 text.
    NotText {
        /// Name of the file in messages.
        name: String,
        /// Line of the first byte that is not UTF-8, counted from 1.
        line: usize,
        /// Column of that byte, in bytes, counted from 1.
        column: usize,
        /// Value of that byte.
        byte: u8,
    },
}

impl SourceFiles {
    /// Creates a table without files.
    pub fn new() -> SourceFiles {
        SourceFiles::default()
    }

    /// Reads a program's main file.
    pub fn root(&self, path: &Path) -> Result<SourceFile, SourceError> {
        let name = path.display().to_string();
        let text = read_text(path, &name)?;
        let key = canonical(path).map_err(|error| unreadable(&name, error.to_string()))?;
        self.names.borrow_mut().insert(key.clone(), name.clone());
        Ok(SourceFile { key, name, text })
    }

    /// Makes a main file of a text that lies in no file. Messages call it `name`; its imports are resolved in `folder`.
    pub fn text(&self, folder: &Path, name: &str, text: String) -> Result<SourceFile, SourceError> {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let place = canonical(folder)
            .map_err(|error| unreadable(&folder.display().to_string(), error.to_string()))?;
        let key = format!("{place}/{name}");
        self.names.borrow_mut().insert(key.clone(), name.to_string());
        Ok(SourceFile { key, name: name.to_string(), text: without_mark(text) })
    }

    /// Returns the imports resolved so far.
    pub fn imports(&self) -> Vec<Import> {
        self.imports.borrow().clone()
    }

    /// Returns the files imported so far.
    pub fn imported(&self) -> Vec<Dependency> {
        self.imported.borrow().clone()
    }
}

impl SourceProvider for SourceFiles {
    fn read(&self, importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        let file = sibling(Path::new(importing), path);
        let importing_name = self.names.borrow().get(importing).cloned().unwrap_or_default();
        let name = sibling(Path::new(&importing_name), path).display().to_string();
        let text = read_text(&file, &name).map_err(|error| match error {
            SourceError::Unreadable { .. } if !file.exists() => ReadError::NotFound(name.clone()),
            SourceError::Unreadable { message, .. } => ReadError::Unreadable(message),
            SourceError::NotText { .. } => ReadError::Unreadable(error.to_string()),
        })?;
        let key = canonical(&file).map_err(|error| ReadError::Unreadable(error.to_string()))?;
        let name = self.names.borrow_mut().entry(key.clone()).or_insert(name).clone();
        let dependency = Dependency { path: key.clone(), text: fingerprint(&text) };
        let mut imported = self.imported.borrow_mut();
        if !imported.contains(&dependency) {
            imported.push(dependency);
        }
        drop(imported);
        let file = SourceFile { key, name, text };
        let (importing, path, imported) = (importing.to_string(), path.to_string(), file.clone());
        self.imports.borrow_mut().push(Import { importing, path, imported });
        Ok(file)
    }
}

impl Dependency {
    /// Whether the file still has the same text.
    pub fn is_current(&self) -> bool {
        read_text(Path::new(&self.path), &self.path).is_ok_and(|text| fingerprint(&text) == self.text)
    }
}

fn fingerprint(text: &str) -> u128 {
    let mut fingerprint = Fingerprint::new();
    fingerprint.add(text);
    fingerprint.finish()
}

/// Returns the path `path.fut` beside `file`, without `.` components.
fn sibling(file: &Path, path: &str) -> PathBuf {
    let joined = file.parent().unwrap_or(Path::new("")).join(format!("{path}.fut"));
    joined.components().filter(|component| *component != Component::CurDir).collect()
}

fn canonical(path: &Path) -> io::Result<String> {
    let path = path.canonicalize()?;
    path.into_os_string().into_string().map_err(|_| io::Error::other("its path is not UTF-8"))
}

/// Reads the text of a file. Errors call the file `name`.
pub fn read_text(path: &Path, name: &str) -> Result<String, SourceError> {
    let bytes = read_bytes(path).map_err(|error| unreadable(name, error.to_string()))?;
    String::from_utf8(bytes).map(without_mark).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let bytes = error.as_bytes();
        let line_start = bytes[..at].iter().rposition(|&byte| byte == b'\n').map_or(0, |i| i + 1);
        let line = 1 + bytes[..at].iter().filter(|&&byte| byte == b'\n').count();
        SourceError::NotText { name: name.into(), line, column: 1 + at - line_start, byte: bytes[at] }
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    if file.metadata()?.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    let mut bytes = Vec::new();
    file.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > LONGEST {
        return Err(io::Error::other(format!("it is longer than {} MiB", LONGEST >> 20)));
    }
    Ok(bytes)
}

fn unreadable(name: &str, message: String) -> SourceError {
    SourceError::Unreadable { name: name.into(), message }
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SourceError::Unreadable { name, message } => write!(f, "{name}: cannot read: {message}"),
            SourceError::NotText { name, line, column, byte } => {
                write!(f, "{name}:{line}:{column}: programs are UTF-8 text, but here is a byte {byte:#04x}")
            }
        }
    }
}

impl std::error::Error for SourceError {}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn imports_are_beside_their_importers() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        fs::write(folder.path().join("main.fut"), "import \"lib/a\"").unwrap();
        fs::write(folder.path().join("lib/a.fut"), "import \"../b\"").unwrap();
        fs::write(folder.path().join("b.fut"), "").unwrap();
        let files = SourceFiles::new();
        let main = files.root(&folder.path().join("main.fut")).unwrap();
        let a = files.read(&main.key, "./lib/a").unwrap();
        assert_eq!(a.name, folder.path().join("lib/a.fut").display().to_string());
        let b = files.read(&a.key, "../b").unwrap();
        let same = files.read(&main.key, "b").unwrap();
        assert_eq!(b.key, same.key);
        assert_eq!(b.name, same.name, "a file keeps the name it was first met under");
        assert_eq!(files.imported().len(), 2);
        assert!(files.imported().iter().all(Dependency::is_current));
        fs::write(folder.path().join("b.fut"), "def x = 1").unwrap();
        assert!(!files.imported().iter().all(Dependency::is_current));
        assert!(matches!(files.read(&main.key, "nowhere"), Err(ReadError::NotFound(_))));
        let followed: Vec<(String, String)> =
            files.imports().into_iter().map(|import| (import.path, import.imported.key)).collect();
        let expected = [("./lib/a", &a), ("../b", &b), ("b", &b)];
        assert_eq!(followed, expected.map(|(path, file)| (path.to_string(), file.key.clone())));
    }

    #[test]
    fn a_text_imports_what_lies_in_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.fut"), "def x = 1").unwrap();
        let files = SourceFiles::new();
        let main = files.text(folder.path(), "<text>", "import \"a\"".to_string()).unwrap();
        let a = files.read(&main.key, "a").unwrap();
        assert_eq!((main.name.as_str(), a.name.as_str(), a.text.as_str()), ("<text>", "a.fut", "def x = 1"));
        assert!(matches!(files.read(&main.key, "b"), Err(ReadError::NotFound(_))));
        assert!(files.text(&folder.path().join("nowhere"), "<text>", String::new()).is_err());
    }

    #[test]
    fn what_is_not_text_is_located() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("main.fut");
        fs::write(&path, b"def x = 1\ndef \xff = 2").unwrap();
        let error = SourceFiles::new().root(&path).unwrap_err();
        let SourceError::NotText { line, column, byte, .. } = error else { panic!("{error}") };
        assert_eq!((line, column, byte), (2, 5, 0xff));
        let error = SourceFiles::new().root(folder.path()).unwrap_err();
        assert!(error.to_string().ends_with("it is a directory"), "{error}");
        assert!(SourceFiles::new().root(&folder.path().join("none.fut")).is_err());
    }
}
