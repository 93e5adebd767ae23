//! Tests of the checker on the programs `tests/check/*.fut`, each with the prelude in scope.
//!
//! A line that ends in `-- error: CODE` must be where exactly one error with that code starts (several codes are separated by
//! spaces); no other line may have an error. If a file has lines that end in `-- warning: CODE`, the same holds for warnings. A
//! file without such lines must be accepted. A file whose first line is `-- limit: TEXT` must be rejected as not supported yet,
//! with TEXT in the message.

use std::fs;
use std::path::{Path, PathBuf};

use warpwise_diag::{Diagnostic, Failure, ReadError, Severity, SourceFile, SourceProvider, Sources};
use warpwise_fut::check::{Input, check};
use warpwise_fut::syntax::imports::{Loaded, load};
use warpwise_fut::syntax::session::Session;

/// A provider of files in the folder of their importers.
struct Folder(PathBuf);

impl SourceProvider for Folder {
    fn read(&self, _: &str, path: &str) -> Result<SourceFile, ReadError> {
        let name = format!("{path}.fut");
        let text = fs::read_to_string(self.0.join(&name)).map_err(|_| ReadError::NotFound(name.clone()))?;
        Ok(SourceFile { key: name.clone(), name, text })
    }
}

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/check");
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".fut"))
        .collect();
    names.sort();
    assert!(names.len() >= 10, "the corpus is missing");
    let complaints: Vec<String> = names.iter().flat_map(|name| complaints(&folder, name)).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn load_file(folder: &Path, name: &str, sources: &mut Sources, session: &mut Session) -> Loaded {
    let text = fs::read_to_string(folder.join(name)).unwrap();
    let root = SourceFile { key: name.to_string(), name: name.to_string(), text };
    let loaded = load(root, &Folder(folder.to_path_buf()), sources, session);
    loaded.unwrap_or_else(|errors| panic!("{name}: {errors:?}"))
}

fn complaints(folder: &Path, name: &str) -> Vec<String> {
    let (mut sources, mut session) = (Sources::new(), Session::new());
    let prelude_folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("prelude");
    let prelude = load_file(&prelude_folder, "prelude.fut", &mut sources, &mut session);
    let program = load_file(folder, name, &mut sources, &mut session);
    let input = Input { program: &program, prelude: Some(&prelude) };
    let checked = check(&mut session, &mut sources, input);
    let text = fs::read_to_string(folder.join(name)).unwrap();
    if let Some(expected) = text.strip_prefix("-- limit: ").and_then(|rest| rest.lines().next()) {
        return match checked {
            Err(Failure::Limit(limit)) if limit.message.contains(expected) => Vec::new(),
            other => vec![format!("{name}: expected the limit {expected}, found {other:?}")],
        };
    }
    let errors = match checked {
        Ok((_, warnings)) => warnings,
        Err(Failure::User(errors)) => errors,
        Err(other) => return vec![format!("{name}: {other:?}")],
    };
    let mut found = vec![Vec::new(); text.lines().count() + 1];
    let mut complaints = Vec::new();
    for error in errors.iter().filter(|error| error.severity == Severity::Error) {
        let place = sources.position(error.span.file, error.span.start);
        if sources.name(error.span.file) == name {
            found[place.line as usize - 1].push(error.code);
        } else {
            complaints.push(format!("{}: {} {}", sources.describe(error.span), error.code, error.message));
        }
    }
    if text.contains("-- warning: ") {
        complaints.extend(warned(name, &text, &sources, &errors));
    }
    for (number, line) in text.lines().enumerate() {
        let expected = line.split_once("-- error: ").map_or("", |(_, codes)| codes);
        if found[number].join(" ") != expected {
            let found = found[number].join(" ");
            complaints.push(format!("{name}:{}: expected [{expected}], found [{found}]", number + 1));
        }
    }
    complaints
}

/// Returns the differences between the warnings found and those that the lines of a file declare.
fn warned(name: &str, text: &str, sources: &Sources, found: &[Diagnostic]) -> Vec<String> {
    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let expected = line.split_once("-- warning: ").map_or("", |(_, codes)| codes);
        let here = |diagnostic: &&Diagnostic| {
            diagnostic.severity == Severity::Warning
                && sources.position(diagnostic.span.file, diagnostic.span.start).line as usize == number + 1
        };
        let found: Vec<&str> = found.iter().filter(here).map(|diagnostic| diagnostic.code).collect();
        if found.join(" ") != expected {
            complaints.push(format!("{name}:{}: expected [{expected}], found {found:?}", number + 1));
        }
    }
    complaints
}

/// A provider without any files, so that there is only the main one.
struct Nowhere;

impl SourceProvider for Nowhere {
    fn read(&self, _: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(path.to_string()))
    }
}

#[track_caller]
fn says(text: &str, expected: &str) {
    let main = SourceFile { key: "main".to_string(), name: "main".to_string(), text: text.to_string() };
    let mut sources = Sources::new();
    match warpwise_fut::compile::compile(main, &Nowhere, &mut sources, Default::default()) {
        Err(Failure::User(errors)) => assert_eq!(errors[0].message, expected),
        other => panic!("{other:?}"),
    }
}

#[test]
fn different_sizes_have_different_names() {
    says(
        "def main (xs: []i32) = map2 (+) (filter (> 0) xs) (filter (> 0) xs)",
        "expected `[k]i32`, found `[k1]i32`: the sizes `k` and `k1` do not match",
    );
    says(
        "def main [n] (xs: [n]i32) : [n]i32 = loop ys = xs for _i < 3i32 do tail ys",
        "expected `[n]i32`, found `[n1]i32`: the sizes `n` and `n1` do not match",
    );
    says(
        "def square [n] (a: [n][n]i32) : [n - 1][n - 1]i32 = a[1:, 1:]\n\
         def main [k][n] (a: [k][n]i32) = (loop a for _i < 2i32 do square a : [k][k]i32)",
        "initial value of the loop does not have expected type: the sizes `k` and `n` do not match",
    );
}

#[test]
fn unknown_sizes_have_names() {
    says(
        "def main (xs: []i32) (half: i64) =\n\
         loop ys = xs for _i < 3i32 do map2 i32.max (take half ys) (drop (length ys - half) ys)",
        "expected `[half]i32`, found `[_ - ((length ys) - half)]i32`: the sizes `half` and `_ - ((length ys) - half)` do not match",
    );
}
