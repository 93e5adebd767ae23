//! The files of host programs, with the files that they include.
//!
//! `include "x.mc"` means a file beside the including one, or one of the library. A path that begins with `./` or `../` means a
//! file beside the including one only, and `stdlib::x.mc` one of the library only. The library is a folder or the built-in library
//! of the compiler, whose files have keys and names that begin with `library:`. `name::x.mc` means a file of another library,
//! whose folder the environment names (`MCORE_LIBS`).

use std::cell::RefCell;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use warpwise_diag::Sources;
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

use crate::build::BuildError;
use warpwise_source::files::{SourceError, SourceFiles, read_text};

/// Prefix of the keys and names of files of the built-in library.
const LIBRARY: &str = "library:";

/// The folders of libraries.
#[derive(Clone, Default, Debug)]
struct Libraries {
    /// Folder of the standard library; `None` for the built-in one.
    standard: Option<PathBuf>,
    /// Other libraries, by name.
    others: Vec<(String, PathBuf)>,
}

impl Libraries {
    /// Reads the libraries from the environment: `MCORE_LIBS=name=folder:name=folder`, where `stdlib` is the standard library.
    fn from_environment() -> Libraries {
        Libraries::of(&std::env::var("MCORE_LIBS").unwrap_or_default())
    }

    fn of(text: &str) -> Libraries {
        let mut libraries = Libraries::default();
        for (name, folder) in text.split(':').filter_map(|entry| entry.split_once('=')) {
            match name.trim() {
                STANDARD => libraries.standard = Some(PathBuf::from(folder)),
                name => libraries.others.push((name.to_string(), PathBuf::from(folder))),
            }
        }
        libraries
    }
}

/// Name of the standard library in includes.
const STANDARD: &str = "stdlib";

/// The files of one host program.
#[derive(Debug)]
pub struct HostFiles {
    libraries: Libraries,
    /// Names of files in messages, by key.
    names: RefCell<HashMap<String, String>>,
}

/// A file that an include may refer to.
struct Candidate {
    path: PathBuf,
    name: String,
}

/// Reads and checks a host program. The library is in the given folder, otherwise in that of the environment, otherwise built in.
pub fn check_host(path: &Path, library: Option<&Path>) -> Result<(Checked, Sources), BuildError> {
    let mut libraries = Libraries::from_environment();
    libraries.standard = library.map(Path::to_path_buf).or(libraries.standard);
    check_host_with(path, libraries)
}

fn check_host_with(path: &Path, libraries: Libraries) -> Result<(Checked, Sources), BuildError> {
    let files = HostFiles { libraries, names: RefCell::default() };
    let root = SourceFiles::new().root(path).map_err(BuildError::Source)?;
    files.names.borrow_mut().insert(root.key.clone(), root.name.clone());
    let mut sources = Sources::new();
    match front_end(root, &files, &mut sources) {
        Ok(checked) => Ok((checked, sources)),
        Err(failure) => Err(BuildError::Failure { failure, sources }),
    }
}

impl Candidate {
    fn within(folder: &Path, path: &str) -> Candidate {
        let path = folder.join(path);
        Candidate { name: path.display().to_string(), path }
    }
}

impl HostFiles {
    /// Returns the file beside the including one.
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

    /// Returns the file in the standard library's folder.
    fn foreign(&self, path: &str) -> Option<Candidate> {
        Some(Candidate::within(self.libraries.standard.as_ref()?, path))
    }

    /// Reads a file of another library, by the library's name.
    fn named(&self, name: &str, path: &str) -> Result<SourceFile, ReadError> {
        let Some((_, folder)) = self.libraries.others.iter().find(|(other, _)| other == name) else {
            return Err(ReadError::NoLibrary(name.to_string()));
        };
        let candidate = Candidate::within(folder, path);
        if candidate.path.exists() {
            self.open(candidate)
        } else {
            Err(ReadError::NotFound(vec![candidate.name]))
        }
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
        let (path, library_only) = match path.split_once("::") {
            Some((STANDARD, rest)) => (rest, true),
            Some((name, rest)) => return self.named(name, rest),
            None => (path, false),
        };
        let local_only = path.starts_with("./") || path.starts_with("../");
        let local = if library_only { None } else { self.local(including, path) };
        let foreign = if local_only { None } else { self.foreign(path) };
        let mut tried: Vec<String> =
            local.iter().chain(&foreign).map(|candidate| candidate.name.clone()).collect();
        let own = if local_only || self.libraries.standard.is_some() {
            None
        } else {
            library_file(including, path)
        };
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
                if self.libraries.standard.is_none() && !local_only {
                    tried.push(format!("{LIBRARY}{path}"));
                }
                Err(ReadError::NotFound(tried))
            }
        }
    }
}

/// Finds a file of the built-in library. From one of its files, a path beside that file is also possible.
fn library_file(including: &str, path: &str) -> Option<SourceFile> {
    let beside = including.strip_prefix(LIBRARY).map(|including| sibling(Path::new(including), path));
    let beside = beside.and_then(|path| path.to_str().map(str::to_string));
    let known = |path: String| library::file(&path).map(|text| (path, text));
    let (path, text) = beside.and_then(known).or_else(|| known(path.to_string()))?;
    let name = format!("{LIBRARY}{path}");
    Some(SourceFile { key: name.clone(), name, text: text.to_string() })
}

/// Returns `path` beside `file`, without `.` components.
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
            ("lib/c.mc", "include \"a.mc\" let c = a"),
            ("other.mc", "include \"more::c.mc\" mexpr addi c a"),
            ("none.mc", "include \"less::c.mc\""),
        ] {
            fs::write(folder.path().join(path), text).unwrap();
        }
        let libraries = Libraries::of(&format!("stdlib={0}:more={0}", library.display()));
        let codes = |path: &str| match check_host_with(&folder.path().join(path), libraries.clone()) {
            Ok(_) => Vec::new(),
            Err(BuildError::Failure { failure, .. }) => {
                failure.diagnostics().iter().map(|diagnostic| diagnostic.code).collect()
            }
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(codes("main.mc"), Vec::<&str>::new());
        assert_eq!(codes("both.mc"), ["M0133"]);
        assert_eq!(codes("only.mc"), ["M0130"]);
        assert_eq!(codes("other.mc"), Vec::<&str>::new());
        assert_eq!(codes("none.mc"), ["M0134"]);
    }

    #[test]
    fn cycles_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.mc"), "include \"b.mc\"").unwrap();
        fs::write(folder.path().join("b.mc"), "include \"./a.mc\"").unwrap();
        let error = check_host_with(&folder.path().join("a.mc"), Libraries::default()).unwrap_err();
        let BuildError::Failure { failure, .. } = error else { panic!("{error:?}") };
        assert_eq!(failure.diagnostics()[0].code, "M0131");
    }
}
