//! Every public item of the library has an example in its documentation.

use std::fs;
use std::path::{Path, PathBuf};

/// Items that users do not see, or that are mentioned only in signatures.
const INTERNAL: &[&str] = &[
    "graph/",
    "lower/",
    "included.rs",
    "elt/enums.rs",
    "seq/batch.rs",
    "seq/feed.rs",
    "seq/fold.rs",
    "seq/pass.rs",
    "seq/pipeline/",
    "seq/program.rs",
    "seq/reading.rs",
    "seq/scan.rs",
    "seq/sink.rs",
    "seq/slot.rs",
    "enum Kind",
    "struct PartsOf",
    "fn inputs",
    "fn prepared",
    "struct RawArray",
    "struct Native",
    "enum Implementation",
    "fn ty",
    "fn numbers",
    "fn of",
    "type Values",
    "type ProgramValues",
];

#[test]
fn every_public_item_has_an_example() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    collect(&source, &mut files);
    let mut missing = Vec::new();
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let name = file.strip_prefix(&source).unwrap().display().to_string();
        if !INTERNAL.iter().any(|internal| name.starts_with(internal)) {
            missing.extend(
                without_example(&text).into_iter().map(|(line, item)| format!("{name}:{line}: {item}")),
            );
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn items_without_examples_are_found() {
    let text = "/// One.\n///\n/// ```\n/// ```\n#[a(\n    b\n)]\npub fn one() {}\n\n/// Two.\npub fn two() {}\n\
                /// Three.\n#[doc(hidden)]\npub fn three() {}\npub(crate) fn four() {}\n";
    assert_eq!(without_example(text), [(11, "fn two() {}".to_string())]);
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => collect(&path, files),
            false => files.push(path),
        }
    }
}

/// Returns the public items whose documentation has no example, with their lines.
fn without_example(text: &str) -> Vec<(usize, String)> {
    let (mut found, mut documented, mut hidden, mut open) = (Vec::new(), false, false, 0);
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.starts_with("///") || open > 0 || line.starts_with("#[") {
            documented |= line.starts_with("/// ```");
            hidden |= line.starts_with("#[doc(hidden)]");
            if !line.starts_with("///") {
                open += line.matches('[').count() as i64 - line.matches(']').count() as i64;
            }
            continue;
        }
        let item = line.strip_prefix("pub ").filter(|item| {
            let kinds = ["fn ", "struct ", "enum ", "trait ", "type ", "const "];
            kinds.iter().any(|kind| item.starts_with(kind))
        });
        if let Some(item) = item
            && !documented
            && !hidden
            && !INTERNAL.iter().any(|internal| item.starts_with(internal))
        {
            found.push((number + 1, item.to_string()));
        }
        (documented, hidden) = (false, false);
    }
    found
}
