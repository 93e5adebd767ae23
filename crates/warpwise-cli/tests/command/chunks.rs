//! `warpwise run` with insufficient memory.

use crate::common::{Folder, npy};

const LARGE: &str = "
entry both [n] (xs: [n]f32) : ([n]f32, f32) =
  let ys = map (\\x -> f32.sqrt (x + 1)) xs
  in (ys, f32.sum ys)
entry normalised [n] (xs: [n]f32) : [n]f32 = let s = f32.sum xs in map (/ s) xs
";

/// Returns a folder with a file of two million numbers.
fn large() -> Folder {
    let folder = Folder::with(LARGE);
    let data: Vec<u8> = (0..2_000_000).flat_map(|i| (i as f32 / 7.0).to_le_bytes()).collect();
    folder.write("xs.npy", npy("<f4", "(2000000,)", &data));
    folder
}

#[test]
fn a_program_beyond_its_memory_runs_in_chunks() {
    let folder = large();
    let run = |limit: &str, outputs: &[&str]| {
        let words = ["run", "p.fut", "-e", "both", "xs.npy", "--memory-limit", limit];
        folder.run(&[&words, outputs].concat())
    };
    let whole = run("1G", &["-o", "a.npy", "-o", "a.txt"]);
    assert_eq!(whole.errors, "");
    whole.succeeds();
    // With the first limit the arguments do not fit, with the second the results do not.
    for (limit, why) in [("6M", "the arguments do not fit"), ("12M", "memory does not suffice")] {
        let ran = run(limit, &["-o", "b.npy", "-o", "b.txt"]);
        assert!(ran.errors.contains(why) && ran.errors.contains("rows of `xs` at a time"), "{}", ran.errors);
        ran.succeeds();
        for ending in ["npy", "txt"] {
            let read = |name: &str| std::fs::read(folder.path(&format!("{name}.{ending}"))).unwrap();
            let (a, b) = (read("a"), read("b"));
            // The headers differ in length.
            assert!(a.ends_with(&b[b.len().saturating_sub(8_000_000)..]), "{ending} with {limit}");
        }
    }
}

#[test]
fn binary_files_are_read_and_written_in_parts() {
    let folder = large();
    folder.run(&["run", "p.fut", "-e", "both", "xs.npy", "-o", "a.bin", "-o", "a.txt"]).succeeds();
    // A file of results can be an argument.
    let words = ["run", "p.fut", "-e", "both", "a.bin"];
    folder.run(&[&words[..], &["-o", "whole.bin", "-o", "whole.txt"]].concat()).succeeds();
    let outputs = ["--memory-limit", "6M", "-o", "parts.bin", "-o", "parts.txt"];
    let ran = folder.run(&[&words[..], &outputs].concat());
    assert!(ran.errors.contains("rows of `xs` at a time"), "{}", ran.errors);
    ran.succeeds();
    for ending in ["bin", "txt"] {
        let read = |name: &str| std::fs::read(folder.path(&format!("{name}.{ending}"))).unwrap();
        assert!(read("parts") == read("whole"), "{ending}");
    }
}

#[test]
fn a_program_that_needs_all_rows_says_so() {
    let words = ["run", "p.fut", "-e", "normalised", "xs.npy", "--memory-limit", "6M", "-o", "b.npy"];
    let expected =
        ["cannot be run in chunks: p.fut:5:", "a second pass", "`warpwise stream`", "out of memory"];
    large().run(&words).fails(1, &expected);
}
