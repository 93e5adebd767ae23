//! The examples of `errors.md` give the messages that they explain.

use warpwise_diag::Sources;
use warpwise_mexpr::accelerate::split;
use warpwise_mexpr::compile::front_end;
use warpwise_mexpr::explain::EXPLANATIONS;
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// Codes without an example, because it would be huge or need several files.
const WITHOUT_EXAMPLE: [&str; 9] =
    ["M0111", "M0120", "M0131", "M0132", "M0133", "M0134", "M0416", "M0418", "M0430"];

/// The library that comes with the compiler.
struct Library;

impl SourceProvider for Library {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        let text = library::file(path).ok_or_else(|| ReadError::NotFound(vec![path.to_string()]))?;
        Ok(SourceFile { key: path.to_string(), name: path.to_string(), text: text.to_string() })
    }
}

/// Returns the codes of all messages for a program.
fn messages(text: &str) -> Vec<&'static str> {
    let root = SourceFile { key: "root".to_string(), name: "example.mc".to_string(), text: text.to_string() };
    let wrong = match front_end(root, &Library, &mut Sources::new()) {
        Ok(checked) if checked.unused.is_empty() => split(checked).err().map(|failure| failure.diagnostics()),
        Ok(checked) => Some(checked.unused),
        Err(failure) => Some(failure.diagnostics()),
    };
    wrong.iter().flatten().map(|diagnostic| diagnostic.code).collect()
}

#[test]
fn every_example_is_what_it_says() {
    let complaints = EXPLANATIONS.complaints(&WITHOUT_EXAMPLE, messages);
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
