//! The examples of `errors.md`: the first of a section gets the section's code and no other, the second has no errors.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use warpwise_diag::Sources;
use warpwise_mexpr::accelerate::split;
use warpwise_mexpr::compile::front_end;
use warpwise_mexpr::explain::{codes, explain};
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// Codes without an example, because it would have to be huge or several files.
const WITHOUT_EXAMPLE: [&str; 6] = ["M0111", "M0120", "M0131", "M0132", "M0133", "M0416"];

/// The library that comes with the compiler.
struct Library;

impl SourceProvider for Library {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        let text = library::file(path).ok_or_else(|| ReadError::NotFound(vec![path.to_string()]))?;
        Ok(SourceFile { key: path.to_string(), name: path.to_string(), text: text.to_string() })
    }
}

/// The codes of all messages on a program.
fn messages(text: &str) -> Vec<&'static str> {
    let root = SourceFile { key: "root".to_string(), name: "example.mc".to_string(), text: text.to_string() };
    match front_end(root, &Library, &mut Sources::new()).and_then(split) {
        Ok(_) => Vec::new(),
        Err(failure) => failure.diagnostics().iter().map(|diagnostic| diagnostic.code).collect(),
    }
}

fn blocks(section: &str) -> Vec<&str> {
    let inside = section.split("```mexpr\n").skip(1);
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

/// Every code that stands between quotes in the source.
fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path: PathBuf = entry.unwrap().path();
        if path.is_dir() {
            codes_in(&path, found);
            continue;
        }
        let text = fs::read_to_string(path).unwrap();
        let quoted = text.split('"').filter(|part| {
            let digits = part.strip_prefix('M');
            digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
        });
        found.extend(quoted.map(str::to_string));
    }
}

#[test]
fn every_code_is_explained() {
    let mut used = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut used);
    let explained: BTreeSet<String> = codes().map(str::to_string).collect();
    let missing: Vec<_> = used.difference(&explained).collect();
    assert!(missing.is_empty(), "no section for {missing:?}");
    let sorted: Vec<_> = explained.iter().cloned().collect();
    assert_eq!(codes().collect::<Vec<_>>(), sorted, "sections are sorted by code");
    assert_eq!(explain("m0110"), explain("M0110"));
    assert_eq!(explain("M9999"), None);
}
