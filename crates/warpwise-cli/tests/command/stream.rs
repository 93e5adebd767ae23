//! `warpwise stream`.

use crate::common::Folder;

const PROGRAM: &str = "
entry scale [n] (k: i32) (xs: [n]i32) : [n]i32 = map (* k) xs
entry add [n] (xs: [n]i32) (ys: [n]i32) : [n]i32 = map2 (+) xs ys
entry init : i64 = 0
entry step [n] (xs: [n]i32) (s: i64) : i64 = s + i64.sum (map i64.i32 xs)
entry merge (s: i64) (t: i64) : i64 = s + t
";

fn folder() -> Folder {
    let folder = Folder::with(PROGRAM);
    let raw: Vec<u8> = (0..100_000_i32).flat_map(i32::to_le_bytes).collect();
    folder.write("xs.raw", raw);
    folder.write("t.csv", "x,y\n1,10\n2,20\n3,30\n");
    folder
}

#[test]
fn a_file_is_mapped_by_any_blocks() {
    let folder = folder();
    let expected: Vec<u8> = (0..100_000_i32).flat_map(|x| (3 * x).to_le_bytes()).collect();
    for option in ["--block=1000", "--elementwise", "--block=99999999"] {
        let words = ["stream", "p.fut", "-e", "scale", "3", "-i", "xs.raw", "-o", "ys.raw", option];
        folder.run(&words).succeeds();
        assert_eq!(std::fs::read(folder.path("ys.raw")).unwrap(), expected, "{option}");
    }
}

#[test]
fn columns_of_one_table_go_to_several_parameters() {
    let words = ["stream", "p.fut", "-e", "add", "-i", "t.csv", "--column", "x", "--column", "y"];
    let ran = folder().run(&words);
    assert_eq!(String::from_utf8_lossy(&ran.output), "11\n22\n33\n", "{}", ran.errors);
}

#[test]
fn folds_give_the_state_also_of_standard_input() {
    let folder = folder();
    let ran = folder.run(&["stream", "p.fut", "--fold", "-i", "xs.raw", "--block", "64"]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "4999950000i64\n", "{}", ran.errors);
    let words = ["stream", "p.fut", "--fold", "-i", "-", "--input-format", "raw", "--take", "2"];
    let ran = folder.run_with(&words, &[1, 0, 0, 0, 2, 0, 0, 0, 9, 9]);
    assert_eq!(String::from_utf8_lossy(&ran.output), "3i64\n", "{}", ran.errors);
}

#[test]
fn what_is_wrong_names_the_element_and_keeps_the_rest() {
    let folder = folder();
    folder.write("cut.raw", [1, 0, 0, 0, 2, 0, 0, 0, 3]);
    let words = ["stream", "p.fut", "-e", "scale", "5", "-i", "cut.raw", "-o", "-"];
    let ran = folder.run(&words);
    assert_eq!(String::from_utf8_lossy(&ran.output), "5\n10\n");
    ran.fails(1, &["cut.raw: element 2: the input ends here"]);
    let refused = |words: &[&str], text: &str| {
        folder.run(&[&["stream", "p.fut"], words].concat()).fails(1, &[text]);
    };
    refused(&["-e", "scale", "-i", "xs.raw"], "takes 2 values");
    refused(&["-e", "scale", "1", "-i", "t.csv"], "which column");
    refused(&["-e", "scale", "1", "-i", "xs.raw", "-o", "xs.raw"], "both read and written");
    #[cfg(target_os = "linux")]
    refused(
        &["-e", "scale", "1", "-i", "xs.raw", "-o", "/dev/full", "--output-format", "raw"],
        "No space left",
    );
}
