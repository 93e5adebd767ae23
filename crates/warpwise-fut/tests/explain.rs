//! The examples of `errors.md`: the first of a section gets the section's code and no other, the second compiles.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use warpwise_diag::{Diagnostic, Failure, Sources};
use warpwise_fut::compile::{Options, compile};
use warpwise_fut::explain::{codes, explain};
use warpwise_fut::syntax::imports::{ReadError, SourceFile, SourceProvider};
use warpwise_fut::testspec::parse_test_spec;

/// Codes without an example, because it would have to be huge, or is no text.
const WITHOUT_EXAMPLE: [&str; 3] = ["E0120", "E0218", "E0900"];

/// The example itself, and a file that is no text.
struct Example(String);

impl SourceProvider for Example {
    fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        match path {
            "example" => Ok(source(&self.0)),
            "unreadable" => Err(ReadError::Unreadable("it is no text".to_string())),
            _ => Err(ReadError::NotFound(format!("{path}.fut"))),
        }
    }
}

fn source(text: &str) -> SourceFile {
    SourceFile { key: "example".to_string(), name: "example.fut".to_string(), text: text.to_string() }
}

/// The codes of all messages on a program and on its test blocks.
fn messages(text: &str) -> Vec<&'static str> {
    let mut sources = Sources::new();
    let file = sources.add("tests", text);
    let mut found: Vec<Diagnostic> = parse_test_spec(file, text).err().unwrap_or_default();
    match compile(source(text), &Example(text.to_string()), &mut sources, Options::default()) {
        Ok(compiled) => found.extend(compiled.warnings),
        Err(Failure::User(diagnostics)) => found.extend(diagnostics),
        Err(other) => panic!("{other:?} for\n{text}"),
    }
    found.iter().map(|diagnostic| diagnostic.code).collect()
}

fn blocks(section: &str) -> Vec<&str> {
    let inside = section.split("```futhark\n").skip(1);
    inside.map(|rest| rest.split("```").next().unwrap_or("")).collect()
}

#[test]
fn every_example_is_what_it_says() {
    let mut complaints = Vec::new();
    for code in codes() {
        let blocks = blocks(explain(code).unwrap());
        if blocks.is_empty() != WITHOUT_EXAMPLE.contains(&code) {
            complaints.push(format!("{code}: {} examples", blocks.len()));
        }
        for (index, block) in blocks.iter().enumerate() {
            let found = messages(block);
            let is_right = if index == 0 {
                !found.is_empty() && found.iter().all(|c| *c == code)
            } else {
                found.is_empty()
            };
            if !is_right {
                complaints.push(format!("{code}, block {}: found {found:?}", index + 1));
            }
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Every code that stands between quotes in the front end's source.
fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            codes_in(&path, found);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let quoted = text.split('"').filter(|part| {
            let digits = part.strip_prefix('E').or(part.strip_prefix('W'));
            digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        });
        found.extend(quoted.map(str::to_string));
    }
}

#[test]
fn every_code_is_explained() {
    let mut used = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    assert!(used.len() > 50, "{used:?}");
    let explained: BTreeSet<String> = codes().map(str::to_string).collect();
    let missing: Vec<_> = used.difference(&explained).collect();
    assert!(missing.is_empty(), "no section for {missing:?}");
    let sorted: Vec<_> = explained.iter().cloned().collect();
    assert_eq!(codes().collect::<Vec<_>>(), sorted, "sections are sorted by code");
    assert_eq!(explain("e0201"), explain("E0201"));
    assert_eq!(explain("E9999"), None);
}
