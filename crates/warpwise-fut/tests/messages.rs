//! Tests of the wording of messages: each `tests/messages/*.txt` has several programs with the compiler's messages.
//!
//! ```text
//! === what is shown
//! def f (x: int) = x
//! ---
//! error E0203 at 1:11: unknown type `int`
//!   help: integers are `i32` or `i64`, and `i8` to `u64`
//! ```
//!
//! `BLESS=1` rewrites the messages.

use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

use warpwise_diag::{Diagnostic, Failure, ReadError, Severity, SourceFile, SourceProvider, Sources, Span};
use warpwise_fut::compile::{Options, compile};

const PROGRAM: &str = "=== ";
const SAID: &str = "---\n";

/// A provider without any files, so that there is only the main one.
struct Nowhere;

impl SourceProvider for Nowhere {
    fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(path.to_string()))
    }
}

#[test]
fn messages_have_their_wording() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/messages");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty());
    let mut complaints = String::new();
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let said = said_anew(&text);
        if env::var_os("BLESS").is_some() {
            fs::write(&path, said).unwrap();
        } else if said != text {
            let (found, expected) = said.lines().zip(text.lines()).find(|(a, b)| a != b).unwrap_or_default();
            writeln!(complaints, "{}: expected\n  {expected}\nfound\n  {found}", path.display()).unwrap();
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

/// Returns the text of a file with the current messages.
fn said_anew(text: &str) -> String {
    let mut said = String::new();
    for part in text.split(PROGRAM).filter(|part| !part.trim().is_empty()) {
        let (title, rest) = part.split_once('\n').expect("a title");
        let program = rest.split(SAID).next().unwrap_or_default();
        let separator = if said.is_empty() { "" } else { "\n" };
        let messages = messages(program);
        assert!(!messages.is_empty(), "nothing is said of {title}");
        write!(said, "{separator}{PROGRAM}{title}\n{program}{SAID}{messages}").unwrap();
    }
    said
}

fn messages(program: &str) -> String {
    let file = SourceFile { key: "main".into(), name: "main".into(), text: program.into() };
    let mut sources = Sources::new();
    let found = match compile(file, &Nowhere, &mut sources, Options::default()) {
        Ok(compiled) => compiled.warnings,
        Err(Failure::User(found)) => found,
        Err(other) => panic!("{other:?} for\n{program}"),
    };
    found.iter().map(|diagnostic| describe(&sources, diagnostic)).collect()
}

fn describe(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let place = |span: Span| {
        let position = sources.position(span.file, span.start);
        match sources.name(span.file) {
            "main" => format!("{}:{}", position.line, position.column),
            name => name.to_string(),
        }
    };
    let Diagnostic { severity, code, message, span, at, labels, hints } = diagnostic;
    let kind = if *severity == Severity::Error { "error" } else { "warning" };
    let mut text = format!("{kind} {code} at {}: {message}\n", place(*span));
    if !at.is_empty() {
        writeln!(text, "  here: {at}").unwrap();
    }
    labels.iter().for_each(|label| writeln!(text, "  at {}: {}", place(label.span), label.message).unwrap());
    hints.iter().for_each(|hint| writeln!(text, "  help: {hint}").unwrap());
    text
}
