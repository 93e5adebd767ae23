//! The manuals of the languages: checks of `docs/language/` and `docs/mexpr-language.md`.
//!
//! Every ```` ```futhark ```` block of the manual is a program with a test block, except those with the name of a file (```` ```futhark
//! shapes.fut ````), which others import. Here the programs are compiled, must get exactly the errors and warnings that they name, and
//! their written cases are run by the interpreter of the core IR; `scripts/test-programs.sh` runs all cases, compiled. `prelude.md` has
//! a row for every public definition of the prelude, with its type as the source declares it. Examples of host programs pass their
//! `utest`s.

#[path = "../../warpwise-fut/tests/interpreted/mod.rs"]
mod interpreted;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, thread};

use warpwise_diag::{Sources, render_failure};
use warpwise_driver::build::{BuildError, build_core, read_core};
use warpwise_driver::compiler::Options;
use warpwise_driver::host::files::check_host;
use warpwise_fut::testspec::{TestSpec, parse_test_spec};
use warpwise_mexpr::builtins::{self, Kind};
use warpwise_mexpr::host::compile::{Options as HostOptions, compile};
use warpwise_mexpr::host::device::HostOnly;
use warpwise_mexpr::host::machine::run;
use warpwise_mexpr::host::world::Listener;
use warpwise_mexpr::library;

/// A block of a page.
struct Block {
    /// Name of the file, if others import the block.
    file: Option<String>,
    /// Page and line where the block begins.
    place: String,
    text: String,
}

#[test]
fn every_example_does_what_it_says() {
    let folder = tempfile::tempdir().expect("a folder for the examples");
    let (files, programs): (Vec<Block>, Vec<Block>) =
        pages().iter().flat_map(|page| blocks(page, "futhark")).partition(|block| block.file.is_some());
    for Block { file, text, .. } in &files {
        fs::write(folder.path().join(file.as_deref().unwrap_or_default()), text).expect("a file to import");
    }
    let share = programs.len().div_ceil(thread::available_parallelism().map_or(1, usize::from));
    let complaints: Vec<String> = thread::scope(|scope| {
        let workers = programs.chunks(share).map(|part| {
            let folder = folder.path();
            scope.spawn(move || part.iter().flat_map(|block| complaints(block, folder)).collect::<Vec<_>>())
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Returns the complaints about an example.
fn complaints(block: &Block, folder: &Path) -> Vec<String> {
    let path = folder.join(format!("{}.fut", block.place.replace(':', "-")));
    fs::write(&path, &block.text).expect("the example can be written");
    let file = Sources::new().add("", block.text.clone());
    let found = match parse_test_spec(file, &block.text) {
        Err(errors) => vec![format!("{errors:?}")],
        Ok(spec) => wrong_messages(&path, &spec)
            .or_else(|| (!is_tested(&spec)).then(|| "it has no case".to_string()))
            .map_or_else(|| interpreted::run_program(&path).failed, |why| vec![why]),
    };
    found.into_iter().map(|why| format!("docs/language/{}: {why}", block.place)).collect()
}

fn is_tested(spec: &TestSpec) -> bool {
    spec.compile_error.is_some() || !spec.blocks.is_empty() || !spec.properties.is_empty()
}

/// Compares the messages of a program with those that it names: the code of an error, or the codes of its warnings. Returns a
/// description of a difference.
fn wrong_messages(path: &Path, spec: &TestSpec) -> Option<String> {
    let options = Options::default();
    let (diagnostics, shown) = match read_core(path, &options) {
        Ok(core) => match build_core(core.program, "", &options, None) {
            Ok(_) => (core.warnings, String::new()),
            Err(error) => return Some(error.to_string()),
        },
        Err(BuildError::Failure { failure, sources }) => {
            (failure.diagnostics(), render_failure(&sources, &failure, false))
        }
        Err(error) => return Some(error.to_string()),
    };
    let named = spec.compile_error.iter().chain(&spec.warnings).map(|pattern| pattern.regex.as_str());
    let named: BTreeSet<&str> = named.collect();
    let found: BTreeSet<&str> = diagnostics.iter().map(|diagnostic| diagnostic.code).collect();
    (named != found).then(|| format!("messages {found:?}, not {named:?}\n{shown}"))
}

#[test]
fn every_page_has_examples_and_is_in_the_index() {
    let index = fs::read_to_string(folder().join("README.md")).expect("the index is there");
    for page in pages() {
        let name = name(&page);
        assert!(blocks(&page, "futhark").iter().any(|block| block.file.is_none()), "{name} shows nothing");
        assert!(
            name == "README.md" || index.contains(&format!("({name})")),
            "README.md does not list {name}"
        );
    }
}

#[test]
fn the_tables_of_the_prelude_are_complete() {
    let files = ["array", "functional", "math", "prelude", "soacs", "zip"];
    compare(&folder().join("prelude.md"), files.into_iter().flat_map(declared).collect());
}

#[test]
fn every_host_program_passes_its_tests() {
    let folder = tempfile::tempdir().expect("a folder for the examples");
    for Block { place, text, .. } in blocks(&host_page(), "mexpr") {
        let path = folder.path().join("example.mc");
        fs::write(&path, text).expect("the example can be written");
        let (checked, _) = check_host(&path, None).unwrap_or_else(|error| panic!("{place}: {error}"));
        let code = compile(&checked, HostOptions { tests: true });
        let mut failed = Vec::new();
        let outcome =
            run(&code, &mut Listener::default(), &mut HostOnly, &mut |test| failed.extend(test.failure));
        let outcome = outcome.unwrap_or_else(|error| panic!("{place}: {}", error.message));
        assert!(failed.is_empty(), "{place}: {failed:?}");
        assert!(outcome.passed > 0, "{place}: it has no `utest`");
    }
}

#[test]
fn the_tables_of_built_in_functions_are_complete() {
    // Externals are for the library, and the functions that parse programs are for compilers.
    let plain = builtins::ALL
        .iter()
        .filter(|builtin| builtin.kind() != Kind::External && !builtin.name().starts_with("bootParser"));
    compare(
        &host_page(),
        plain.map(|builtin| row(&format!("{} {}", builtin.name(), builtin.ty()))).collect(),
    );
}

#[test]
fn the_table_of_the_library_of_host_programs_is_complete() {
    let page = fs::read_to_string(host_page()).expect("the page is there");
    for file in library::paths() {
        let text = library::file(file).expect("a file of the library");
        let row = page.lines().find(|line| line.starts_with(&format!("| `{file}` |")));
        let row = row.unwrap_or_else(|| panic!("{file} is not in the table"));
        let names = row.rsplit('|').nth(1).unwrap_or_default().split_whitespace();
        let unknown: Vec<&str> = names.filter(|name| !text.contains(name.trim_matches('`'))).collect();
        assert!(unknown.is_empty(), "{file} does not define {unknown:?}");
        let defined = text.lines().filter_map(|line| line.strip_prefix("let ")?.split([' ', ':']).next());
        let public = defined.filter(|name| !name.starts_with('_'));
        let missing: Vec<&str> = public.filter(|name| !row.contains(&format!("`{name}`"))).collect();
        assert!(missing.is_empty(), "the row of {file} lacks {missing:?}");
    }
}

/// Compares the rows of a page with the expected rows.
fn compare(page: &Path, mut declared: Vec<(String, String)>) {
    let text = fs::read_to_string(page).expect("the page is there");
    let mut shown: Vec<(String, String)> = text.lines().filter_map(shown).collect();
    declared.sort_unstable();
    shown.sort_unstable();
    let rows = |of: &[(String, String)], without: &[(String, String)]| -> String {
        of.iter()
            .filter(|row| !without.contains(row))
            .map(|(name, ty)| format!("| {name} | {ty} |\n"))
            .collect()
    };
    let (missing, unknown) = (rows(&declared, &shown), rows(&shown, &declared));
    assert!(declared == shown, "{} lacks\n{missing}and has what is not there\n{unknown}", page.display());
}

/// Returns the name and type of a row, as Markdown; `None` if the line is no such row.
fn shown(line: &str) -> Option<(String, String)> {
    let mut cells = line.strip_prefix("| ")?.split(" | ");
    let (name, ty) = (cells.next()?, cells.next()?);
    [name, ty].iter().all(|cell| cell.starts_with('`')).then(|| (name.to_string(), ty.to_string()))
}

/// Returns names and types of the public declarations of a prelude file, as Markdown: definitions, members of module types, modules.
fn declared(file: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../warpwise-fut/prelude/{file}.fut"));
    let text = fs::read_to_string(path).expect("the prelude is there");
    let definitions = text.split("\ndef ").skip(1).map(|rest| {
        let end = [rest.find(" = "), rest.find(" =\n")].into_iter().flatten().min();
        row(&rest[..end.expect("a definition has an equals sign")])
    });
    let members = text.lines().filter_map(|line| line.strip_prefix("  val ")).map(row);
    let modules = text.lines().filter_map(|line| {
        let (name, ty) = line.strip_prefix("module ")?.split_once(" : (")?;
        Some(row(&format!("{name} {}", ty.split(' ').next()?)))
    });
    definitions.chain(members).chain(modules).collect()
}

/// Splits a declaration into a name and a type, as cells of a table.
fn row(declaration: &str) -> (String, String) {
    let declaration = declaration.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|");
    let (name, ty) = declaration.split_once(' ').expect("a name and a type");
    (format!("`{}`", name.trim_matches(['(', ')'])), format!("`{}`", ty.trim_start_matches(": ")))
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/language")
}

fn host_page() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/mexpr-language.md")
}

fn pages() -> Vec<PathBuf> {
    let entries = fs::read_dir(folder()).expect("the manual is there");
    let paths = entries.map(|entry| entry.expect("a page of the manual").path());
    let mut pages: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect();
    pages.sort_unstable();
    pages
}

fn name(page: &Path) -> String {
    page.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the blocks of a page in a language.
fn blocks(page: &Path, language: &str) -> Vec<Block> {
    let text = fs::read_to_string(page).expect("the page can be read");
    let mut blocks: Vec<Block> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if let Some(info) = line.strip_prefix("```").and_then(|info| info.strip_prefix(language)) {
            let file = info.split_whitespace().next().map(str::to_string);
            let place = format!("{}:{}", name(page), number + 1);
            blocks.push(Block { file, place, text: String::new() });
            inside = true;
        } else if line.starts_with("```") {
            inside = false;
        } else if let Some(block) = blocks.last_mut().filter(|_| inside) {
            block.text += line;
            block.text.push('\n');
        }
    }
    blocks
}
