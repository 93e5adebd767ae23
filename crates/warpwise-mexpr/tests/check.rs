//! The corpus of the checker: `tests/check/*.mc`.
//!
//! A line that ends in `-- error: TEXT` must be the start of exactly one error, with TEXT in its message, its label or a hint; no
//! other line may be the start of one. A line `let NAME ... -- type: TEXT` must define a variable of that type.

use std::fs;
use std::path::Path;

use warpwise_diag::{Diagnostic, Failure, Sources};
use warpwise_mexpr::check::show::show;
use warpwise_mexpr::compile::{Checked, front_end};
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// The library that comes with the compiler.
struct Library;

impl SourceProvider for Library {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        let text = library::file(path).ok_or_else(|| ReadError::NotFound(vec![path.to_string()]))?;
        Ok(SourceFile { key: path.to_string(), name: path.to_string(), text: text.to_string() })
    }
}

fn compile(name: &str, text: &str, sources: &mut Sources) -> Result<Checked, Vec<Diagnostic>> {
    let root = SourceFile { key: "root".to_string(), name: name.to_string(), text: text.to_string() };
    match front_end(root, &Library, sources) {
        Ok(checked) if checked.unused.is_empty() => Ok(checked),
        Ok(checked) => Err(checked.unused),
        Err(Failure::User(diagnostics)) => Err(diagnostics),
        Err(other) => panic!("{other:?}"),
    }
}

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let complaints: Vec<String> = paths.iter().flat_map(|path| check_file(path)).collect();
    assert!(paths.len() >= 4, "the corpus is missing");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_file(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut sources = Sources::new();
    let (checked, errors) = match compile(&name, &text, &mut sources) {
        Ok(checked) => (Some(checked), Vec::new()),
        Err(errors) => (None, errors),
    };
    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let on_line = |error: &&Diagnostic| {
            sources.position(error.span.file, error.span.start).line == number as u32 + 1
        };
        let found: Vec<&Diagnostic> = errors.iter().filter(on_line).collect();
        let expected = line.split_once("-- error: ").map(|(_, text)| text);
        let says = |error: &Diagnostic, text: &str| {
            error.message.contains(text)
                || error.at.contains(text)
                || error.hints.iter().any(|h| h.contains(text))
        };
        let right = match (expected, found.as_slice()) {
            (None, []) => true,
            (Some(text), [error]) => says(error, text),
            _ => false,
        };
        if !right {
            complaints.push(format!("{name}:{}: expected {expected:?}, found {found:?}", number + 1));
        }
        if let Some((defined, ty)) = line.split_once("-- type: ")
            && let Some(checked) = &checked
        {
            let variable = defined.split_whitespace().skip_while(|word| *word != "let").nth(1).unwrap();
            let found = type_of(checked, variable);
            if found.as_deref() != Some(ty) {
                complaints.push(format!("{name}:{}: expected {ty}, found {found:?}", number + 1));
            }
        }
    }
    if checked.is_none() && text.contains("-- type: ") {
        complaints.push(format!("{name}: has errors, so no types were looked at"));
    }
    complaints
}

/// Returns the type of the last variable of that name.
fn type_of(checked: &Checked, name: &str) -> Option<String> {
    let symbol = checked.names.get(name)?;
    let index = checked.program.vars.iter().rposition(|var| var.name == symbol)?;
    Some(show(&checked.typing.types, &checked.program, &checked.names, checked.typing.vars[index]))
}
