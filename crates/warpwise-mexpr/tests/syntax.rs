//! The corpus of syntax tests: `tests/syntax/*.mc`.
//!
//! A line that ends in `-- error: TEXT` must be the start of exactly one syntax error, with TEXT in its message, its label or a
//! hint; no other line may be the start of one. A line that ends in `-- tree: TEXT` must start a `let` whose value prints as TEXT. A text
//! without errors must be unchanged by printing and parsing again.

use std::fs;
use std::path::Path;

use warpwise_diag::{Diagnostic, FileId, Sources};
use warpwise_mexpr::syntax::ast::{DeclKind, Program};
use warpwise_mexpr::syntax::names::Names;
use warpwise_mexpr::syntax::parser::parse_program;
use warpwise_mexpr::syntax::print::{print_expression, print_program};

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
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
    let file = sources.add(name.clone(), text.clone());
    let mut names = Names::new();
    let parsed = parse_program(file, &text, &mut names);
    let line_of = |byte: u32| sources.position(file, byte).line;

    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number as u32 + 1;
        let errors: Vec<&Diagnostic> =
            parsed.errors.iter().filter(|error| line_of(error.span.start) == number).collect();
        let expected = line.split_once("-- error: ").map(|(_, text)| text);
        if let Some(complaint) = compare_errors(expected, &errors) {
            complaints.push(format!("{name}:{number}: {complaint}"));
        }
        if let Some((_, tree)) = line.split_once("-- tree: ") {
            let found = tree_on_line(&parsed.program, &names, |byte| line_of(byte) == number);
            if found.as_deref() != Some(tree) {
                complaints.push(format!("{name}:{number}: expected tree {tree}, found {found:?}"));
            }
        }
    }
    complaints.extend(round_trip(file, &parsed.program, &mut names).map(|text| format!("{name}: {text}")));
    complaints
}

fn round_trip(file: FileId, program: &Program, names: &mut Names) -> Option<String> {
    let printed = print_program(program, names);
    let again = parse_program(file, &printed, names);
    let same = again.errors.is_empty() && again.program == *program;
    (!same).then(|| format!("changed by printing:\n{printed}\n{:?}", again.errors))
}

fn compare_errors(expected: Option<&str>, errors: &[&Diagnostic]) -> Option<String> {
    match (expected, errors) {
        (None, []) => None,
        (Some(text), [error]) if says(error, text) => None,
        _ => Some(format!("expected error {expected:?}, found {errors:?}")),
    }
}

fn says(error: &Diagnostic, text: &str) -> bool {
    [&error.message, &error.at].into_iter().chain(&error.hints).any(|part| part.contains(text))
}

fn tree_on_line(program: &Program, names: &Names, on_line: impl Fn(u32) -> bool) -> Option<String> {
    let decl = program.decls.iter().find(|decl| on_line(decl.span.start))?;
    match &decl.kind {
        DeclKind::Let(binding) => {
            let printed = print_expression(&binding.body, names);
            Some(printed.split_whitespace().collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}
