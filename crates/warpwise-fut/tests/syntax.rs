//! Tests of the syntax on the programs `tests/syntax/*.fut`.
//!
//! A line that ends in `-- error: TEXT` must be where exactly one syntax error starts, with TEXT in its message or label; no
//! other line may have an error. A line that ends in `-- tree: TEXT` must start a declaration whose right-hand side prints as
//! TEXT. Every program that parses must be unchanged by printing and parsing again.

use std::fs;
use std::path::Path;

use warpwise_diag::{Diagnostic, FileId, Sources};
use warpwise_fut::syntax::ast::{DeclKind, Program};
use warpwise_fut::syntax::parser::parse_program;
use warpwise_fut::syntax::print::{print_expression, print_program};
use warpwise_fut::syntax::session::Session;

#[test]
fn the_corpus() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/syntax");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let complaints: Vec<String> = paths.iter().flat_map(|path| check_file(path)).collect();
    assert!(paths.len() >= 5, "the corpus is missing");
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_file(path: &Path) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let mut sources = Sources::new();
    let file = sources.add(name.clone(), text.clone());
    let mut session = Session::new();
    let parsed = parse_program(file, &text, &mut session);

    let mut complaints = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let number = number as u32 + 1;
        let errors: Vec<&Diagnostic> = parsed
            .errors
            .iter()
            .filter(|error| line_of(&sources, file, error.span.start) == number)
            .collect();
        let expected = line.split_once("-- error: ").map(|(_, text)| text);
        if let Some(complaint) = compare_errors(expected, &errors) {
            complaints.push(format!("{name}:{number}: {complaint}"));
        }
        if let Some((_, tree)) = line.split_once("-- tree: ") {
            let found =
                tree_on_line(&parsed.program, &session, |byte| line_of(&sources, file, byte) == number);
            if found.as_deref() != Some(tree) {
                complaints.push(format!("{name}:{number}: expected tree {tree}, found {found:?}"));
            }
        }
    }
    let printed = print_program(&parsed.program, &session.names);
    let again = parse_program(file, &printed, &mut session);
    if !again.errors.is_empty() || again.program != parsed.program {
        complaints.push(format!("{name}: changed by printing:\n{printed}\n{:?}", again.errors));
    }
    complaints
}

fn line_of(sources: &Sources, file: FileId, byte: u32) -> u32 {
    sources.position(file, byte).line
}

fn compare_errors(expected: Option<&str>, errors: &[&Diagnostic]) -> Option<String> {
    match (expected, errors) {
        (None, []) => None,
        (Some(text), [error]) if error.message.contains(text) || error.at.contains(text) => None,
        _ => Some(format!("expected error {expected:?}, found {errors:?}")),
    }
}

fn tree_on_line(program: &Program, session: &Session, on_line: impl Fn(u32) -> bool) -> Option<String> {
    program.decls.iter().find(|decl| on_line(decl.span.start)).and_then(|decl| match &decl.kind {
        DeclKind::Value(value) => Some(print_expression(&value.body, &session.names)),
        DeclKind::Type(_)
        | DeclKind::ModuleType(_)
        | DeclKind::Module(_)
        | DeclKind::Open(_)
        | DeclKind::Import(_)
        | DeclKind::Local(_) => None,
    })
}
