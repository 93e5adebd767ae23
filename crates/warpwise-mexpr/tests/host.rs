//! Programs that the host runs (`tests/host/*.mc`) and debugs (`tests/debug/*.mc`).
//!
//! Every test of a program passes. At a line that ends in `-- fails: TEXT`, the run must fail with TEXT in the message; without
//! such a line the run succeeds. The lines after `-- prints:` are the output of the program.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, Cursor, Write};
use std::path::Path;
use std::rc::Rc;

use warpwise_diag::Sources;
use warpwise_mexpr::accelerate::Accepted;
use warpwise_mexpr::accelerate::split;
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options, compile, compile_accelerated};
use warpwise_mexpr::host::debug::Debugger;
use warpwise_mexpr::host::device::{Device, HostOnly};
use warpwise_mexpr::host::machine::{Call, Outcome, RunError, run};
use warpwise_mexpr::host::world::World;
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// The library that comes with the compiler.
struct Library;

impl SourceProvider for Library {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        let path = path.strip_prefix("stdlib::").unwrap_or(path);
        let text = library::file(path).ok_or_else(|| ReadError::NotFound(vec![path.to_string()]))?;
        Ok(SourceFile { key: path.to_string(), name: path.to_string(), text: text.to_string() })
    }
}

/// A world in memory.
#[derive(Default)]
struct Paper {
    printed: String,
    files: Rc<RefCell<BTreeMap<String, String>>>,
    lines: Vec<String>,
}

/// A writer that appends to a file of [`Paper`].
struct Pen {
    files: Rc<RefCell<BTreeMap<String, String>>>,
    path: String,
}

impl Write for Pen {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let text = std::str::from_utf8(bytes).unwrap();
        self.files.borrow_mut().entry(self.path.clone()).or_default().push_str(text);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl World for Paper {
    fn print(&mut self, text: &str) -> Result<(), String> {
        self.printed.push_str(text);
        Ok(())
    }
    fn print_error(&mut self, text: &str) -> Result<(), String> {
        self.print(text)
    }
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn read_line(&mut self) -> Result<Option<String>, String> {
        Ok(self.lines.pop())
    }
    fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>, String> {
        Ok(self.lines.pop().unwrap_or_default().bytes().take(count).collect())
    }
    fn read_file(&mut self, path: &str) -> Result<String, String> {
        self.files.borrow().get(path).cloned().ok_or_else(|| format!("{path}: no such file"))
    }
    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String> {
        self.files.borrow_mut().insert(path.to_string(), text.to_string());
        Ok(())
    }
    fn file_exists(&mut self, path: &str) -> bool {
        self.files.borrow().contains_key(path)
    }
    fn file_size(&mut self, path: &str) -> Option<u64> {
        self.files.borrow().get(path).map(|text| text.len() as u64)
    }
    fn open_read(&mut self, path: &str) -> Result<Box<dyn BufRead>, String> {
        Ok(Box::new(Cursor::new(self.read_file(path)?)))
    }
    fn open_write(&mut self, path: &str) -> Result<Box<dyn Write>, String> {
        if path.ends_with('/') {
            return Err(format!("{path}: it is a folder"));
        }
        self.write_file(path, "")?;
        Ok(Box::new(Pen { files: self.files.clone(), path: path.to_string() }))
    }
    fn delete_file(&mut self, path: &str) -> Result<(), String> {
        self.files.borrow_mut().remove(path).map(|_| ()).ok_or_else(|| format!("{path}: no such file"))
    }
    fn command(&mut self, command: &str) -> Result<i64, String> {
        Ok(command.len() as i64)
    }
    fn arguments(&self) -> Vec<String> {
        vec!["program".to_string()]
    }
    fn time_ms(&self) -> f64 {
        1.0
    }
    fn sleep_ms(&self, _ms: u64) {}
}

struct Ran {
    result: Result<Outcome, RunError>,
    failures: Vec<String>,
    printed: String,
    sources: Sources,
}

fn check(name: &str, text: &str, sources: &mut Sources) -> Checked {
    let root = SourceFile { key: format!("tests/{name}"), name: name.to_string(), text: text.to_string() };
    front_end(root, &Library, sources)
        .unwrap_or_else(|failure| panic!("{}", warpwise_diag::render_failure(sources, &failure, false)))
}

fn run_text(name: &str, text: &str) -> Ran {
    let mut sources = Sources::new();
    let checked = check(name, text, &mut sources);
    run_code(&compile(&checked, Options { tests: true }), &mut HostOnly, sources)
}

fn debug_text(name: &str, text: &str) -> Ran {
    let mut sources = Sources::new();
    let split = split(check(name, text, &mut sources))
        .unwrap_or_else(|failure| panic!("{}", warpwise_diag::render_failure(&sources, &failure, false)));
    let code = compile_accelerated(&split.host, Options { tests: true }, &split.entries);
    run_code(&code, &mut Debugger::new(Accepted { irregular: false, ..Accepted::default() }), sources)
}

fn run_code(code: &Code, device: &mut dyn Device, sources: Sources) -> Ran {
    let mut world = Paper { lines: vec!["second".to_string(), "first".to_string()], ..Paper::default() };
    let mut failures = Vec::new();
    let mut report = |test: warpwise_mexpr::host::machine::TestOutcome| {
        failures.extend(test.failure.map(|message| format!("{}: {message}", sources.describe(test.span))));
    };
    let result = run(code, &mut world, device, &mut report);
    Ran { result, failures, printed: world.printed, sources }
}

#[test]
fn the_corpus() {
    check_folder("tests/host", run_text);
}

#[test]
fn the_corpus_of_debugging() {
    check_folder("tests/debug", debug_text);
}

fn check_folder(folder: &str, run: fn(&str, &str) -> Ran) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let complaints: Vec<String> = paths.iter().flat_map(|path| check_file(path, run)).collect();
    assert!(paths.len() >= 4, "the corpus is missing");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_file(path: &Path, run: fn(&str, &str) -> Ran) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let ran = run(&name, &text);
    let mut complaints = ran.failures.clone();
    let fails = text
        .lines()
        .enumerate()
        .find_map(|(index, line)| Some((index + 1, line.split_once("-- fails: ")?.1)));
    match (&ran.result, fails) {
        (Ok(outcome), None) => {
            if outcome.passed == 0 {
                complaints.push(format!("{name}: no test was run"));
            }
        }
        (Err(error), Some((line, message))) => {
            let place = format!("{name}:{line}:");
            let found = format!("{}: {}", ran.sources.describe(error.span), error.message);
            if !found.starts_with(&place) || !error.message.contains(message) {
                complaints.push(format!("{name}: expected {place} {message}, found {found}"));
            }
        }
        (result, expected) => complaints.push(format!("{name}: expected {expected:?}, found {result:?}")),
    }
    let printed: String = text
        .split_once("-- prints:\n")
        .map(|(_, lines)| lines.lines().map(|line| format!("{}\n", line.trim_start_matches("-- "))).collect())
        .unwrap_or_default();
    if printed != ran.printed {
        complaints.push(format!("{name}: expected output {printed:?}, found {:?}", ran.printed));
    }
    complaints
}

#[test]
fn failed_tests_are_reported() {
    let ran = run_text(
        "a.mc",
        "utest (1, {x = 'a', y = [1.5]}) with (2, {y = [], x = 'b'})\nutest 1 with 1\nutest \"a\" with \"b\" else lam a. lam b. concat a b",
    );
    assert_eq!(ran.result, Ok(Outcome { exit: None, passed: 1, failed: 2 }));
    let expected =
        ["a.mc:1:1: found    (1, {x = 'a', y = [1.5]})\nexpected (2, {x = 'b', y = []})", "a.mc:3:1: ab"];
    assert_eq!(ran.failures, expected);
}

#[test]
fn exit_ends_the_program() {
    let ran = run_text("a.mc", "mexpr utest 1 with 1 in exit 3; utest 1 with 2 in ()");
    assert_eq!(ran.result, Ok(Outcome { exit: Some(3), passed: 1, failed: 0 }));
}

#[test]
fn recursion_without_an_end_names_the_calls() {
    let text =
        "recursive let f = lam n. addi 1 (g n) let g = lam n. addi 1 (f (addi n 1)) end\nmexpr addi 1 (f 0)";
    let error = run_text("a.mc", text).result.unwrap_err();
    assert!(error.message.starts_with("the stack is full"), "{}", error.message);
    let names: Vec<String> = error
        .calls
        .iter()
        .map(|call| match call {
            Call::In(name, _) => name.to_string(),
            Call::More(_) => "...".to_string(),
        })
        .collect();
    assert!(
        names.windows(2).any(|pair| pair == ["f", "g"]) && names.contains(&"...".to_string()),
        "{names:?}"
    );
    assert_eq!(names.last().map(String::as_str), Some("mexpr"));
}

#[test]
fn the_library_passes_its_tests() {
    for path in library::paths() {
        let ran = run_text(path, library::file(path).unwrap());
        assert_eq!(ran.failures, Vec::<String>::new());
        let outcome = ran.result.unwrap_or_else(|error| panic!("{path}: {error:?}"));
        assert!(outcome.passed > 0 || path == "basic-types.mc", "{path} has no tests");
    }
}
