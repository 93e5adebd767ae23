//! State that passes from block to block, with results for each block.

use crate::common::{Folder, Ran};

const SUMS: &str = "
entry init : i64 = 0
entry step [n] (xs: [n]i64) (sum: i64) : (i64, [n]i64) =
  let sums = map (+ sum) (scan (+) 0 xs)
  in (if n == 0 then sum else sums[n - 1], sums)
";

fn scan(folder: &Folder, words: &[&str]) -> Ran {
    folder.run(&[&["stream", "p.fut", "--scan"], words].concat())
}

#[test]
fn sums_run_on_from_block_to_block() {
    let folder = Folder::with(SUMS);
    let numbers: Vec<i64> = (0..10_000).map(|i| i * 7 % 1000 - 300).collect();
    folder.write("xs.raw", numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>());
    let mut sum = 0;
    let sums = numbers.iter().map(|x| {
        sum += x;
        sum
    });
    let expected: Vec<u8> = sums.flat_map(i64::to_le_bytes).collect();
    for options in
        [&["--block", "1"][..], &["--block", "999"], &["--block", "10000"], &[], &["--elementwise"]]
    {
        scan(&folder, &[&["-i", "xs.raw", "-o", "ys.raw"], options].concat()).succeeds();
        assert!(std::fs::read(folder.path("ys.raw")).unwrap() == expected, "{options:?}");
    }
    folder.write("none.raw", "");
    assert_eq!(scan(&folder, &["-i", "none.raw"]).succeeds(), "");
}

#[test]
fn what_the_last_state_holds_comes_last() {
    // Pairs of neighbours may lie in two blocks; a single element remains at the end.
    let folder = Folder::with(
        "
entry init (width: i64) : []i32 = replicate (width - width) 0
entry step [n] (width: i64) (xs: [n]i32) (rest: []i32) : ([]i32, []i32) =
  let all = rest ++ xs
  let whole = length all / width
  in (drop (whole * width) all, map (\\i -> i32.sum all[i * width: (i + 1) * width]) (iota whole))
entry last (rest: []i32) : []i32 = if null rest then [] else [i32.sum rest]
",
    );
    folder.write("xs.csv", "x\n1\n2\n3\n4\n5\n6\n7\n");
    for block in ["1", "2", "3", "100"] {
        let words = ["3", "-i", "xs.csv", "--block", block];
        assert_eq!(scan(&folder, &words).succeeds(), "6\n15\n7\n", "{block}");
    }
    scan(&folder, &["3", "-i", "xs.csv", "-o", "ys.npy"]).succeeds();
    assert!(std::fs::read(folder.path("ys.npy")).unwrap().ends_with(&[6, 0, 0, 0, 15, 0, 0, 0, 7, 0, 0, 0]));
}

#[test]
fn a_failing_step_names_its_element_and_keeps_what_came_before() {
    let folder = Folder::with(
        "
entry init : i32 = 1
entry step [n] (xs: [n]i32) (s: i32) : (i32, [n]i32) = (s + 1, map (\\x -> 100 / (x - 5) + s * 0) xs)
",
    );
    folder.write("xs.csv", "x\n1\n2\n3\n4\n5\n6\n");
    let ran = scan(&folder, &["-i", "xs.csv", "--block", "3", "-o", "ys.csv"]);
    ran.fails(1, &["element 4: p.fut:3:", "division by zero", "ys.csv.partial"]);
    assert_eq!(std::fs::read_to_string(folder.path("ys.csv.partial")).unwrap().lines().count(), 3);
    assert!(!folder.path("ys.csv").exists());
}

#[test]
fn types_that_do_not_fit_are_said() {
    let folder = Folder::with(SUMS);
    folder.write("xs.csv", "x\n1\n");
    for (program, said) in [
        (
            "entry init : i64 = 0\nentry step (xs: []i64) (s: i64) : i64 = s",
            "`step` must be of type (arrays...) -> s",
        ),
        ("entry init : i32 = 0\nentry step (xs: []i64) (s: i64) = (s, xs)", "with the s of `init`"),
        ("entry init : i64 = 0\nentry step (xs: []i64) (s: i64) = (s, s)", "is no array"),
        ("entry step (xs: []i64) (s: i64) = (s, xs)", "no entry point `init`"),
        (
            "entry init : i64 = 0\nentry step (xs: []i64) (s: i64) = (s, xs)\nentry last (s: i64) = s",
            "`last` must be of type s -> (arrays...)",
        ),
    ] {
        folder.write("p.fut", program);
        scan(&folder, &["-i", "xs.csv"]).fails(1, &[said]);
    }
    folder.write("p.fut", SUMS);
    scan(&folder, &["-i", "xs.csv", "-e", "step"]).fails(1, &["--scan"]);
}

/// Returns the text of the first block after `mark` that begins with this line.
fn block<'t>(text: &'t str, mark: &str, begin: &str) -> &'t str {
    let after = text.split_once(mark).unwrap().1;
    let block = after.split_once(begin).unwrap().1;
    block.split_once("```").unwrap().0
}

#[test]
fn the_example_of_the_documentation_does_what_it_says() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/streaming.md");
    let text = std::fs::read_to_string(path).unwrap();
    let heading = "## State from block to block";
    let folder = Folder::with(block(&text, heading, "```\n"));
    let (command, expected) = block(&text, heading, "```\n$ ").split_once('\n').unwrap();
    let (_, words) = command.split_once("| warpwise ").unwrap();
    let words: Vec<&str> = words.split_whitespace().collect();
    for block in ["1", "2", "5"] {
        let ran = folder.run_with(&[&words[..], &["--block", block]].concat(), b"1\n2\n6\n4\n5\n");
        assert_eq!(ran.succeeds(), expected, "{block}");
    }
}
