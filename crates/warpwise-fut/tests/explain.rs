//! Tests that the examples of `errors.md` cause the messages that they explain.

use warpwise_diag::{Diagnostic, Failure, ReadError, SourceFile, SourceProvider, Sources};
use warpwise_fut::compile::{Options, compile};
use warpwise_fut::explain::EXPLANATIONS;
use warpwise_fut::testspec::parse_test_spec;

/// Codes without an example, because it would have to be huge or is not text.
const WITHOUT_EXAMPLE: [&str; 5] = ["E0111", "E0120", "E0218", "E0900", "E0901"];

/// A provider of the example itself, and of a file that is not text.
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

/// Returns the codes of all messages on a program and on its test blocks.
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

#[test]
fn every_example_is_what_it_says() {
    let complaints = EXPLANATIONS.complaints(&WITHOUT_EXAMPLE, messages);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
