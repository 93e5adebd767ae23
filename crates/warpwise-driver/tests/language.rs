//! The language by example: checks of the promises of `tests/language/`.
//!
//! `warpwise test tests/language` runs the programs. Here the form of the folder is checked: every program starts with the rule it
//! shows, `README.md` lists them all (`BLESS=1` rewrites its tables), and a program that must be rejected gets exactly the errors it
//! names, as `CODE.*:LINE:COLUMN`, without consequential errors. The same holds for warnings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use warpwise_diag::{Diagnostic, Severity, Sources};
use warpwise_driver::build::{BuildError, read_core};
use warpwise_driver::compiler::Options;
use warpwise_fut::testspec::{Expected, TestSpec, parse_test_spec};

/// Errors that no readable program has: too large, too deep, not text, not a program, or an error in a test block itself.
const ELSEWHERE: [&str; 9] =
    ["E0120", "E0132", "E0140", "E0141", "E0142", "E0143", "E0218", "E0900", "E0901"];

/// The programs of a chapter, by name.
type Chapter = BTreeMap<String, Example>;

/// A program of the folder.
struct Example {
    path: PathBuf,
    /// Rule that it shows.
    rule: String,
    spec: TestSpec,
}

#[test]
fn the_index_lists_all_programs() {
    let path = folder().join("README.md");
    let readme = fs::read_to_string(&path).expect("the index is there");
    let expected = index(&readme, &chapters());
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("the index can be written");
    } else {
        assert!(readme == expected, "tests/language/README.md is not up to date; BLESS=1 rewrites it");
    }
}

#[test]
fn programs_get_the_errors_and_warnings_they_name_and_no_others() {
    let chapters = chapters();
    let examples: Vec<&Example> = chapters.values().flat_map(Chapter::values).collect();
    let share = examples.len().div_ceil(thread::available_parallelism().map_or(1, usize::from));
    let complaints: Vec<String> = thread::scope(|scope| {
        let workers = examples.chunks(share).map(|part| {
            scope.spawn(move || part.iter().filter_map(|example| complaint(example)).collect::<Vec<_>>())
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Describes wrong errors of a program that must be rejected, or wrong warnings of one that has some.
fn complaint(example: &Example) -> Option<String> {
    let (patterns, severity) = match &example.spec.compile_error {
        Some(pattern) => (std::slice::from_ref(pattern), Severity::Error),
        None => (example.spec.warnings.as_slice(), Severity::Warning),
    };
    let expected: Vec<String> =
        patterns.iter().map(|pattern| pattern.regex.replace(".*:", " at ").replace(".*E", ", E")).collect();
    if expected.is_empty() {
        return None;
    }
    let (expected, found) = (expected.join(", "), found(&example.path, severity));
    (found != expected).then(|| format!("{}: {expected}, not {found}", example.path.display()))
}

#[test]
fn every_error_is_shown() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../warpwise-fut/errors.md");
    let explained = fs::read_to_string(&path).expect("the explanations are there");
    let codes = explained.lines().filter_map(|line| line.strip_prefix("## ")?.split(':').next());
    let chapters = chapters();
    let shown: Vec<&str> = chapters.values().flat_map(Chapter::values).flat_map(codes_of).collect();
    let missing: Vec<&str> =
        codes.filter(|code| !shown.contains(code) && !ELSEWHERE.contains(code)).collect();
    assert!(missing.is_empty(), "no program of tests/language shows {}", missing.join(", "));
}

/// Returns the codes of the errors and warnings that a program names.
fn codes_of(example: &Example) -> Vec<&str> {
    let patterns = example.spec.compile_error.iter().chain(&example.spec.warnings);
    let parts = patterns.flat_map(|pattern| pattern.regex.split(".*"));
    parts.filter(|part| part.starts_with(['E', 'W'])).collect()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/language")
}

/// Returns the chapters by the names of their folders. Imported files lie in subfolders of chapters, and are not listed.
fn chapters() -> BTreeMap<String, Chapter> {
    let folders = entries(&folder()).into_iter().filter(|(_, path)| path.is_dir());
    folders.map(|(name, path)| (name, chapter(&path))).collect()
}

fn chapter(folder: &Path) -> Chapter {
    let programs = entries(folder).into_iter().filter_map(|(name, path)| {
        let name = name.strip_suffix(".fut")?.to_string();
        Some((name, example(path)))
    });
    programs.collect()
}

fn entries(folder: &Path) -> Vec<(String, PathBuf)> {
    let entries = fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let paths = entries.map(|entry| entry.expect("an entry of the folder").path());
    paths.map(|path| (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path)).collect()
}

fn example(path: PathBuf) -> Example {
    let bytes = fs::read(&path).expect("the program can be read");
    let text = String::from_utf8_lossy(&bytes);
    let comment: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("-- ")).collect();
    let end = comment.iter().position(|&line| line == "==");
    let end = end.unwrap_or_else(|| panic!("{}: no test block after the rule", path.display()));
    let rule = comment[..end].join(" ");
    assert!(rule.ends_with('.') && rule.len() > 20, "{}: what is its rule?", path.display());
    let file = Sources::new().add("", text.clone());
    let spec = parse_test_spec(file, &text).unwrap_or_else(|errors| panic!("{}: {errors:?}", path.display()));
    Example { path, rule, spec }
}

/// Returns the index with new tables and unchanged prose.
fn index(readme: &str, chapters: &BTreeMap<String, Chapter>) -> String {
    let all = || chapters.values().flat_map(Chapter::values);
    let rejected = all().filter(|example| example.spec.compile_error.is_some()).count();
    let counts = format!("**{} programs**, of which {rejected} must be rejected.", all().count());
    let mut shown = Vec::new();
    let mut lines = Vec::new();
    let mut open: Option<&str> = None;
    for line in readme.lines().filter(|line| !line.starts_with('|')) {
        if line.starts_with("## ") {
            close(&mut lines, open.take(), chapters);
            open = line.split('`').nth(1).map(|name| name.trim_end_matches('/'));
            shown.extend(open);
        }
        lines.push(if line.starts_with("**") { counts.clone() } else { line.to_string() });
    }
    close(&mut lines, open, chapters);
    let names: Vec<&String> = chapters.keys().collect();
    shown.sort_unstable();
    assert_eq!(names, shown, "one heading of README.md for each folder");
    lines.join("\n").trim_end().to_string() + "\n"
}

/// Ends a chapter of the index with its table.
fn close(lines: &mut Vec<String>, chapter: Option<&str>, chapters: &BTreeMap<String, Chapter>) {
    while lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    let Some(name) = chapter else {
        lines.push(String::new());
        return;
    };
    lines.extend(["", "| program | rule | |", "|---|---|---|"].map(String::from));
    for (program, example) in chapters.get(name).into_iter().flatten() {
        let rule = example.rule.replace('|', "\\|");
        lines.push(format!("| [{program}]({name}/{program}.fut) | {rule} | {} |", outcome(example)));
    }
    lines.push(String::new());
}

/// Returns the outcome of a program in a few words.
fn outcome(example: &Example) -> String {
    let spec = &example.spec;
    let failing = |expected: &Expected| matches!(expected, Expected::Error(_));
    match &spec.compile_error {
        Some(_) => codes_of(example).join(", "),
        None if spec.blocks.iter().flat_map(|block| &block.cases).any(|case| failing(&case.expected)) => {
            "may fail".to_string()
        }
        None if spec.warnings.is_empty() => String::new(),
        None => format!("warning {}", codes_of(example).join(", ")).trim_end().to_string(),
    }
}

/// Returns the errors or warnings of a program, in the order of their report.
fn found(path: &Path, severity: Severity) -> String {
    let (diagnostics, sources) = match read_core(path, &Options::default()) {
        Ok(core) => (core.warnings, core.sources),
        Err(BuildError::Failure { failure, sources }) => (failure.diagnostics(), sources),
        Err(error) => return error.to_string(),
    };
    let told = diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity);
    told.map(|diagnostic| described(&sources, diagnostic)).collect::<Vec<_>>().join(", ")
}

fn described(sources: &Sources, diagnostic: &Diagnostic) -> String {
    let place = sources.position(diagnostic.span.file, diagnostic.span.start);
    format!("{} at {}:{}", diagnostic.code, place.line, place.column)
}
