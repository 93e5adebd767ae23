//! Host programs as files: reading them, and finding what they include.
//!
//! `include "x.mc"` means the file beside the including one, or the library's; a path with `./` or `../` at its start is
//! beside the including file only, and `stdlib::x.mc` is the library's. The library is a folder, or else the one that
//! comes with the compiler, whose files have keys and names that start with `library:`.

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use warpwise_diag::Sources;
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

use crate::build::BuildError;
use warpwise_source::files::{SourceError, SourceFiles, read_text};

/// What keys and names of files of the library that comes with the compiler start with.
const LIBRARY: &str = "library:";

/// The files of one host program.
#[derive(Debug)]
pub struct HostFiles {
    library: Option<PathBuf>,
    /// What messages call a file, by key.
    names: RefCell<HashMap<String, String>>,
}

/// A file that an include may mean.
struct Candidate {
    path: PathBuf,
    name: String,
}

/// Reads and checks a host program, with the library in a folder or the one that comes with the compiler.
pub fn check_host(path: &Path, library: Option<&Path>) -> Result<(Checked, Sources), BuildError> {
    let files = HostFiles { library: library.map(Path::to_path_buf), names: RefCell::default() };
    let root = SourceFiles::new().root(path).map_err(BuildError::Source)?;
    files.names.borrow_mut().insert(root.key.clone(), root.name.clone());
    let root = SourceFile { key: root.key, name: root.name, text: root.text };
    let mut sources = Sources::new();
    match front_end(root, &files, &mut sources) {
        Ok(checked) => Ok((checked, sources)),
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}

impl HostFiles {
    /// The file beside the including one.
    fn local(&self, including: &str, path: &str) -> Option<Candidate> {
        if including.starts_with(LIBRARY) {
            return None;
        }
        let name = self.names.borrow().get(including).cloned().unwrap_or_default();
        let candidate = Candidate {
            path: sibling(Path::new(including), path),
            name: sibling(Path::new(&name), path).display().to_string(),
        };
        Some(candidate)
    }

    /// The file of the library's folder.
    fn foreign(&self, path: &str) -> Option<Candidate> {
        let path = self.library.as_ref()?.join(path);
        Some(Candidate { name: path.display().to_string(), path })
    }

    fn open(&self, candidate: Candidate) -> Result<SourceFile, ReadError> {
        let unreadable = |error: std::io::Error| ReadError::Unreadable(error.to_string());
        let key = candidate.path.canonicalize().map_err(unreadable)?;
        let key = key.into_os_string().into_string();
        let key = key.map_err(|_| ReadError::Unreadable("its path is not UTF-8".to_string()))?;
        let text = read_text(&candidate.path, &candidate.name).map_err(|error| match error {
            SourceError::Unreadable { message, .. } => ReadError::Unreadable(message),
            SourceError::NotText { .. } => ReadError::Unreadable(error.to_string()),
        })?;
        let name = self.names.borrow_mut().entry(key.clone()).or_insert(candidate.name).clone();
        Ok(SourceFile { key, name, text })
    }
}

impl SourceProvider for HostFiles {
    fn read(&self, including: &str, path: &str) -> Result<SourceFile, ReadError> {
        let (path, library_only) = match path.strip_prefix("stdlib::") {
            Some(rest) => (rest, true),
            None => (path, false),
        };
        let local_only = path.starts_with("./") || path.starts_with("../");
        let local = if library_only { None } else { self.local(including, path) };
        let foreign = if local_only { None } else { self.foreign(path) };
        let mut tried: Vec<String> =
            local.iter().chain(&foreign).map(|candidate| candidate.name.clone()).collect();
        let own = if local_only || self.library.is_some() { None } else { library_file(including, path) };
        let found: Vec<Candidate> =
            local.into_iter().chain(foreign).filter(|candidate| candidate.path.exists()).collect();
        let same =
            found.windows(2).all(|pair| pair[0].path.canonicalize().ok() == pair[1].path.canonicalize().ok());
        match (found.into_iter().next(), own) {
            (Some(file), None) if same => self.open(file),
            (None, Some(file)) => Ok(file),
            (Some(_), None) => Err(ReadError::Ambiguous(tried.swap_remove(0), tried.swap_remove(0))),
            (Some(file), Some(own)) => Err(ReadError::Ambiguous(file.name, own.name)),
            (None, None) => {
                if self.library.is_none() && !local_only {
                    tried.push(format!("{LIBRARY}{path}"));
                }
                Err(ReadError::NotFound(tried))
            }
        }
    }
}

/// A file of the library that comes with the compiler; from one of its files also by a path beside that.
fn library_file(including: &str, path: &str) -> Option<SourceFile> {
    let beside = including.strip_prefix(LIBRARY).map(|including| sibling(Path::new(including), path));
    let beside = beside.and_then(|path| path.to_str().map(str::to_string));
    let known = |path: String| library::file(&path).map(|text| (path, text));
    let (path, text) = beside.and_then(known).or_else(|| known(path.to_string()))?;
    let name = format!("{LIBRARY}{path}");
    Some(SourceFile { key: name.clone(), name, text: text.to_string() })
}

/// `path` beside `file`, without `.` in between.
fn sibling(file: &Path, path: &str) -> PathBuf {
    let joined = file.parent().unwrap_or(Path::new("")).join(path);
    joined.components().filter(|component| *component != Component::CurDir).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn includes_are_local_or_of_the_library() {
        let folder = tempfile::tempdir().unwrap();
        let library = folder.path().join("lib");
        fs::create_dir(&library).unwrap();
        for (path, text) in [
            ("main.mc", "include \"a.mc\" include \"./b.mc\" mexpr addi a b"),
            ("b.mc", "include \"stdlib::a.mc\" let b = a"),
            ("lib/a.mc", "let a = 1"),
            ("both.mc", "include \"twice.mc\" mexpr x"),
            ("twice.mc", "let x = 1"),
            ("lib/twice.mc", "let x = 2"),
            ("only.mc", "include \"./a.mc\""),
        ] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let codes = |path: &str| match check_host(&folder.path().join(path), Some(&library)) {
            Ok(_) => Vec::new(),
            Err(BuildError::Failure { failure, .. }) => {
                failure.diagnostics().iter().map(|diagnostic| diagnostic.code).collect()
            }
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(codes("main.mc"), Vec::<&str>::new());
        assert_eq!(codes("both.mc"), ["M0133"]);
        assert_eq!(codes("only.mc"), ["M0130"]);
    }

    #[test]
    fn cycles_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.mc"), "include \"b.mc\"").unwrap();
        fs::write(folder.path().join("b.mc"), "include \"./a.mc\"").unwrap();
        let error = check_host(&folder.path().join("a.mc"), None).unwrap_err();
        let BuildError::Failure { failure, .. } = error else { panic!("{error:?}") };
        assert_eq!(failure.diagnostics()[0].code, "M0131");
    }
}
