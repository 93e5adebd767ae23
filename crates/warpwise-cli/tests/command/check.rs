//! Wrong programs: each gets a located message and exit code 2.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::Folder;

/// Programs, with the place of the error and a part of its message.
const WRONG: &[(&str, &str, &str)] = &[
    ("entry main (x: i32) = x + y", "p.fut:1:27", "y"),
    ("entry main (x: i32) : bool = x", "p.fut:1:30", "bool"),
    ("entry main (x: i32) = x +", "p.fut:1:2", "end of"),
    ("def f x = x\nentry main (x: i32) = f x ?", "p.fut:2:27", "?"),
    ("entry main (x: i32) = if x then 1 else 2", "p.fut:1:26", "bool"),
    ("import \"nowhere\"\nentry main (x: i32) = x", "p.fut:1:8", "nowhere.fut"),
    ("import \"p\"\nentry main (x: i32) = x", "p.fut:1:8", "imports itself"),
    ("entry main [n] [m] (a: [n]i32) (b: [m]i32) = map2 (+) a b", "p.fut:1:", "do not match"),
    ("entry main (a: *[]i32) = let b = a with [0] = 1 in (a, b)", "p.fut:1:", "consumed"),
    ("entry main (a: []i32) = a with [0] = 1", "p.fut:1:", ""),
    ("entry main (x: i32) = \u{1F600}", "p.fut:1:23", ""),
];

#[test]
fn every_wrong_program_is_a_located_message() {
    for (program, place, said) in WRONG {
        let folder = Folder::with(program);
        for command in ["check", "run", "bench", "dev"] {
            folder.run(&[command, "p.fut"]).fails(2, &["error[", place, said]);
        }
    }
}

#[test]
fn several_errors_come_at_once() {
    let folder = Folder::with("def f = x\ndef g = y\nentry main (x: i32) = z");
    folder.run(&["check", "p.fut"]).fails(2, &["p.fut:1:9", "p.fut:2:9", "p.fut:3:23"]);
}

#[test]
fn right_programs_say_nothing() {
    for program in ["", "-- nothing\n", "entry main (x: i32) = x", "def f 't (x: t) = x"] {
        let ran = Folder::with(program).run(&["check", "p.fut"]);
        assert_eq!(ran.errors, "");
        assert_eq!(ran.succeeds(), "");
    }
}

/// Collects the codes between quotes in Rust source, except in `warpwise-diag`, whose tests invent theirs.
fn codes_in(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("warpwise-diag") {
            codes_in(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = fs::read_to_string(path).unwrap();
            found.extend(text.split('"').filter(|part| is_code(part)).map(str::to_string));
        }
    }
}

fn is_code(text: &str) -> bool {
    let digits = text.strip_prefix(['E', 'W', 'M']);
    digits.is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A code that will never exist.
const UNKNOWN: &str = "E9999";

#[test]
fn every_code_in_the_source_is_explained() {
    let mut used = BTreeSet::new();
    codes_in(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), &mut used);
    used.remove(UNKNOWN);
    assert!(used.len() > 100, "{used:?}");
    let titles = Folder::with("").run(&["explain"]).succeeds();
    let explained: BTreeSet<String> =
        titles.lines().filter_map(|title| title.split_once(':')).map(|(code, _)| code.to_string()).collect();
    let missing: Vec<_> = used.difference(&explained).collect();
    assert!(missing.is_empty(), "no section for {missing:?}");
}

#[test]
fn codes_are_explained() {
    let folder = Folder::with("def f = x");
    folder.run(&["check", "p.fut"]).fails(2, &["E0202"]);
    let text = folder.run(&["explain", "e0202"]).succeeds();
    assert!(text.starts_with("E0202: ") && text.contains("```futhark"), "{text}");
    let titles = folder.run(&["explain"]).succeeds();
    assert!(titles.lines().count() > 50 && titles.contains("\nE0202: "), "{titles}");
    folder.run(&["explain", UNKNOWN]).fails(1, &["no code `E9999`"]);
}

#[test]
fn warnings_are_shown_or_hidden_or_errors() {
    let folder = Folder::with("def f (x: i32) : i32 = ???");
    let ran = folder.run(&["check", "p.fut"]);
    assert!(ran.errors.contains("warning[W0001]: hole of type `i32`"), "{}", ran.errors);
    assert_eq!(ran.code, Some(0));
    assert_eq!(folder.run(&["check", "-w", "p.fut"]).errors, "");
    folder.run(&["check", "--Werror", "p.fut"]).fails(2, &["error[W0001]", "p.fut:1:24"]);
    folder.run(&["check", "-w", "--Werror", "p.fut"]).fails(1, &["cannot be used with"]);
}

#[test]
fn errors_are_data_for_tools() {
    let folder = Folder::with("entry main (x: i32) = y");
    folder.write("q.fut", "entry main (x: i32) = x");
    let ran = folder.run(&["check", "q.fut", "p.fut", "--json", "-"]);
    assert_eq!(ran.code, Some(2));
    let reports: serde_json::Value = serde_json::from_slice(&ran.output).unwrap();
    assert_eq!(reports.as_array().unwrap().len(), 1);
    assert_eq!(reports[0]["file"], "p.fut");
    assert_eq!((reports[0]["line"].as_u64(), reports[0]["column"].as_u64()), (Some(1), Some(23)));
    assert_eq!(reports[0]["severity"], "error");
    assert!(folder.run(&["check", "q.fut", "--json", "out.json"]).succeeds().is_empty());
    assert_eq!(std::fs::read_to_string(folder.path("out.json")).unwrap(), "[]\n");
}

#[test]
fn what_is_not_text_is_located() {
    let folder = Folder::new();
    folder.write("p.fut", b"entry main (x: i32) =\n  x \xff");
    for command in ["check", "run", "dev", "bench"] {
        folder.run(&[command, "p.fut"]).fails(2, &["p.fut:2:5", "UTF-8", "0xff"]);
    }
    folder.write("lib.fut", b"def x = \xff");
    folder.write("p.fut", "import \"lib\"\nentry main = x");
    folder.run(&["check", "p.fut"]).fails(2, &["p.fut:1:8", "lib", "UTF-8"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let folder = Folder::new();
    folder.write("folder/x", "");
    for command in ["check", "run", "dev", "bench", "test"] {
        folder.run(&[command, "nowhere.fut"]).fails(1, &["nowhere.fut"]);
    }
    for command in ["check", "run", "dev", "bench"] {
        folder.run(&[command, "folder"]).fails(1, &["folder", "directory"]);
    }
    folder.write("p.fut", "import \"lib\"\nentry main = 1i32");
    folder.write("lib.fut/x", "");
    folder.run(&["check", "p.fut"]).fails(2, &["p.fut:1:8", "directory"]);
}

#[test]
fn deep_nesting_ends_in_an_answer() {
    for depth in [100, 1_000, 100_000] {
        let nested = format!("entry main (x: i32) = {}x{}", "(".repeat(depth), ")".repeat(depth));
        let sum = format!("entry main (x: i32) = x{}", " + x".repeat(depth));
        let negated = format!("entry main (x: i32) = {}x", "- ".repeat(depth));
        for program in [nested, sum, negated] {
            let ran = Folder::with(&program).run(&["check", "p.fut"]);
            let code = ran.code;
            if code != Some(0) {
                ran.fails(2, &["p.fut:1:"]);
            }
            assert!(code == Some(0) || depth > 100, "{depth} levels are not many");
        }
    }
}
