//! Reads a program and runs the front end on it.

use std::path::{Path, PathBuf};
use std::thread;

use warpwise_diag::{Sources, render_failure};
use warpwise_fut::compile::{Options, compile};
use warpwise_ir::EntryPoint;
use warpwise_source::files::{Import, SourceFiles};

/// Stack size of the front end in bytes; its recursion is as deep as the program's nesting.
const STACK: usize = 1 << 28;

/// A program, as far as its callers need to know it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Program {
    /// The program's files, the main file first.
    pub files: Vec<File>,
    /// The importing file, the path in the import, and the imported file.
    pub imports: Vec<(usize, String, usize)>,
    /// The entry points, in the order of the source.
    pub entries: Vec<Entry>,
}

/// A file.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct File {
    /// Path of the file.
    pub path: PathBuf,
    /// Name of the file in messages of the running program.
    pub name: String,
}

/// An entry point.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Entry {
    pub point: EntryPoint,
    /// `file:line:column`.
    pub place: String,
}

impl Entry {
    /// Returns the file that contains the entry point.
    pub fn file(&self) -> &str {
        self.place.rsplitn(3, ':').nth(2).unwrap_or(&self.place)
    }
}

/// Reads the program at a path relative to the folder of the crate's `Cargo.toml`. An error is a message for the user.
pub(crate) fn read(path: &str) -> Result<Program, String> {
    let folder = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default();
    let program = (folder, path.to_string());
    let thread = thread::Builder::new().stack_size(STACK).spawn(move || read_in(&program.0, &program.1));
    match thread.map(thread::JoinHandle::join) {
        Ok(Ok(program)) => program,
        Ok(Err(_)) => Err(format!("{path}: internal error of the compiler, please report it")),
        Err(error) => Err(format!("no thread for the compiler: {error}")),
    }
}

fn read_in(folder: &Path, path: &str) -> Result<Program, String> {
    let files = SourceFiles::new();
    let main = files.root(&shown(&folder.join(path))).map_err(|error| error.to_string())?;
    let key = main.key.clone();
    let mut sources = Sources::new();
    let compiled = compile(main, &files, &mut sources, Options::default())
        .map_err(|failure| render_failure(&sources, &failure, false).trim_end().to_string())?;
    let functions = compiled.program.functions.values();
    let entries: Vec<Entry> = functions
        .filter_map(|function| {
            let point = function.entry.clone()?;
            Some(Entry { point, place: sources.describe(function.span) })
        })
        .collect();
    if entries.is_empty() {
        return Err(format!("{path}: the program has no entry points"));
    }
    let (files, imports) = numbered(folder, key, files.imports());
    Ok(Program { files, imports, entries })
}

/// Returns a path relative to the current folder if possible, as rustc shows paths of Rust files.
fn shown(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_path_buf()
}

/// Numbers the files of a program, each once. Returns them and their imports.
fn numbered(folder: &Path, main: String, imports: Vec<Import>) -> (Vec<File>, Vec<(usize, String, usize)>) {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let mut keys = vec![main];
    let mut number = |key: String| match keys.iter().position(|known| *known == key) {
        Some(number) => number,
        None => {
            keys.push(key);
            keys.len() - 1
        }
    };
    let imports = imports
        .into_iter()
        .map(|import| (number(import.importing), import.path, number(import.imported.key)))
        .collect();
    let file = |key: String| {
        let path = PathBuf::from(key);
        let name = path.strip_prefix(&folder).unwrap_or(&path).display().to_string();
        File { path, name }
    };
    (keys.into_iter().map(file).collect(), imports)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn files_imports_and_entry_points() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("lib")).unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("p.fut", "import \"lib/a\"\nimport \"b\"\nentry one = a + b");
        write("lib/a.fut", "import \"../b\"\ndef a = b + 1");
        write("b.fut", "def b = 1i32");
        let program = read_in(folder.path(), "p.fut").unwrap();
        let names: Vec<&str> = program.files.iter().map(|file| file.name.as_str()).collect();
        let number = |name: &str| names.iter().position(|known| *known == name).unwrap();
        assert_eq!(names.len(), 3);
        assert_eq!(names[0], "p.fut");
        let mut imports = program.imports.clone();
        imports.sort();
        let (a, b) = (number("lib/a.fut"), number("b.fut"));
        let mut expected =
            vec![(0, "lib/a".to_string(), a), (0, "b".to_string(), b), (a, "../b".to_string(), b)];
        expected.sort();
        assert_eq!(imports, expected);
        assert_eq!(program.entries.len(), 1);
        assert_eq!(program.entries[0].point.name, "one");
        assert!(program.entries[0].place.ends_with("p.fut:3:7"), "{}", program.entries[0].place);
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let folder = tempfile::tempdir().unwrap();
        let of = |text: &str| {
            fs::write(folder.path().join("p.fut"), text).unwrap();
            read_in(folder.path(), "p.fut").unwrap_err()
        };
        assert!(of("entry f (x: i32) = x\nentry g = f true").contains("p.fut:2:"));
        assert!(of("def x = 1").contains("p.fut: the program has no entry points"));
        assert!(of("entry f =").contains("p.fut:1:"));
        assert!(read_in(folder.path(), "q.fut").unwrap_err().contains("q.fut: cannot read"));
    }
}
