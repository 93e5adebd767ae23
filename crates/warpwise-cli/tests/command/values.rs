//! Wrong value files: the message names the file, the place in it and the expected type; exit code 1.

use crate::common::{Folder, binary, npy};

const VECTOR: &str = "entry main (xs: []f64) = f64.sum xs";
const IMAGE: &str = "entry main [h][w] (image: [h][w][3]u8) = image";

/// Checks that truncated files, and files with a changed byte, lead to an error or a result.
fn damage(folder: &Folder, name: &str, whole: &[u8]) {
    let path = format!("damaged-{name}");
    for length in (0..whole.len()).step_by(7) {
        folder.write(&path, &whole[..length]);
        folder.run(&["run", "p.fut", &path]).fails(1, &[&path]);
    }
    for at in (0..whole.len()).step_by(5) {
        let mut bytes = whole.to_vec();
        bytes[at] ^= 0x55;
        folder.write(&path, &bytes);
        let ran = folder.run(&["run", "p.fut", &path]);
        if ran.code != Some(0) {
            ran.fails(1, &[&path]);
        }
    }
}

#[test]
fn damaged_binary_files_are_errors() {
    let folder = Folder::with(VECTOR);
    let whole = binary("f64", &[3], &[1.0_f64, 2.0, 4.0].map(f64::to_le_bytes).concat());
    folder.write("whole.bin", &whole);
    assert_eq!(folder.run(&["run", "p.fut", "whole.bin"]).succeeds(), "7.0f64\n");
    damage(&folder, "x.bin", &whole);
    folder.write("cut.bin", &whole[..30]);
    folder
        .run(&["run", "p.fut", "cut.bin"])
        .fails(1, &["cut.bin: byte 15", "[]f64", "24 bytes", "15 are left"]);
    folder.run_with(&["run", "p.fut", "--binary"], &whole[..30]).fails(1, &["standard input: byte 15"]);
}

#[test]
fn damaged_npy_files_are_errors() {
    let folder = Folder::with(VECTOR);
    let whole = npy("<f8", "(3,)", &[1.0_f64, 2.0, 4.0].map(f64::to_le_bytes).concat());
    folder.write("whole.npy", &whole);
    assert_eq!(folder.run(&["run", "p.fut", "whole.npy"]).succeeds(), "7.0f64\n");
    damage(&folder, "x.npy", &whole);
}

#[test]
fn damaged_pictures_are_errors() {
    let folder = Folder::with(IMAGE);
    let pixels = "[[[1u8, 2u8, 3u8], [4u8, 5u8, 6u8]], [[7u8, 8u8, 9u8], [0u8, 0u8, 255u8]]]";
    folder.run(&["run", "p.fut", pixels, "-o", "whole.png"]).succeeds();
    let whole = std::fs::read(folder.path("whole.png")).unwrap();
    assert_eq!(folder.run(&["run", "p.fut", "whole.png"]).succeeds(), format!("{pixels}\n"));
    damage(&folder, "x.png", &whole[..whole.len() - 12]);
}

#[test]
fn damaged_compressed_files_are_errors() {
    use std::io::Write;
    let folder = Folder::with(VECTOR);
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"[1.0, 2.0, 4.0]").unwrap();
    let whole = encoder.finish().unwrap();
    folder.write("whole.gz", &whole);
    assert_eq!(folder.run(&["run", "p.fut", "whole.gz"]).succeeds(), "7.0f64\n");
    for length in 1..whole.len() {
        folder.write("cut.gz", &whole[..length]);
        folder.run(&["run", "p.fut", "cut.gz"]).fails(1, &["cut.gz"]);
    }
}

#[test]
fn absurd_sizes_are_errors() {
    let folder = Folder::with(VECTOR);
    for size in [i64::MAX as u64, u64::MAX, 1 << 60, 1 << 40] {
        folder.write("x.bin", binary("f64", &[size], &[0; 64]));
        folder.run(&["run", "p.fut", "x.bin"]).fails(1, &["x.bin: byte ", "[]f64"]);
        folder
            .run_with(&["run", "p.fut"], &binary("f64", &[size], &[0; 64]))
            .fails(1, &["standard input: byte "]);
    }
    for shape in ["(9223372036854775807,)", "(99999999999999999999,)", "(-1,)", "(1152921504606846976,)"] {
        folder.write("x.npy", npy("<f8", shape, &[0; 64]));
        folder.run(&["run", "p.fut", "x.npy"]).fails(1, &["x.npy", "[]f64"]);
    }
    let sums = Folder::with("entry main (xs: [][]f64) = f64.sum (flatten xs)");
    sums.write("x.bin", binary("f64", &[1 << 40, 1 << 40], &[]));
    sums.run(&["run", "p.fut", "x.bin"]).fails(1, &["x.bin", "[][]f64"]);
    sums.run(&["run", "p.fut", "empty([9223372036854775807][0]f64)"]).succeeds();
}

#[test]
fn wrong_types_are_named() {
    let folder = Folder::with(VECTOR);
    folder.write("x.bin", binary("f32", &[1], &[0; 4]));
    folder.run(&["run", "p.fut", "x.bin"]).fails(1, &["x.bin: byte 0", "expected", "[]f64", "[]f32"]);
    folder.write("x.npy", npy("<i4", "(1,)", &[0; 4]));
    folder.run(&["run", "p.fut", "x.npy"]).fails(1, &["x.npy", "[]f64", "i32"]);
    folder.write("x.npy", npy("|O", "(1,)", &[0; 8]));
    folder.run(&["run", "p.fut", "x.npy"]).fails(1, &["x.npy", "[]f64"]);
    folder.write("x.txt", "[1.0,\n 2i32]");
    folder.run(&["run", "p.fut", "x.txt"]).fails(1, &["x.txt:2:2", "[]f64"]);
}

#[test]
fn wrong_words_are_located() {
    let folder = Folder::with(VECTOR);
    for (word, place) in
        [("[1.0, x]", ":1:7"), ("[1.0", ":1:5"), ("1.0", ":1:1"), ("[[1.0]]", ":1:"), ("", ":1:1")]
    {
        folder.run(&["run", "p.fut", word]).fails(1, &["argument 1 (`xs`)", place, "[]f64"]);
    }
    folder.run(&["run", "p.fut", "nowhere.npy"]).fails(1, &["nowhere.npy: there is no such file"]);
    folder.run(&["run", "p.fut", "."]).fails(1, &["."]);
    folder.run(&["run", "p.fut"]).fails(1, &["standard input", "[]f64"]);
}

#[test]
fn irregular_arrays_are_located() {
    let folder = Folder::with("entry main (xs: [][]i32) = flatten xs");
    folder.run(&["run", "p.fut", "[[1, 2], [3]]"]).fails(1, &["argument 1", "[][]i32"]);
    folder.run(&["run", "p.fut", "[[1, 2], 3]"]).fails(1, &["argument 1", "[][]i32"]);
}

#[test]
fn byte_order_marks_say_nothing() {
    let folder =
        Folder::with("\u{feff}-- ==\n-- input { 1i64 } output { 2i64 }\nentry main (x: i64) = x + 1");
    folder.write("x.txt", "\u{feff}41i64\n");
    assert_eq!(folder.run(&["run", "p.fut", "x.txt"]).succeeds(), "42i64\n");
    assert_eq!(folder.run_with(&["run", "p.fut"], "\u{feff}1".as_bytes()).succeeds(), "2i64\n");
    assert!(folder.run(&["test", "p.fut"]).succeeds().contains("(cases: 1 passed"));
    folder.run_with(&["run", "p.fut"], "\u{feff}x".as_bytes()).fails(1, &["standard input:1:1"]);
    folder.write("p.fut", "\u{feff}entry main = nowhere");
    folder.run(&["run", "p.fut"]).fails(2, &["p.fut:1:14"]);
}

#[test]
fn values_may_be_named_and_fields_of_records_are_never_silently_in_order() {
    let folder = Folder::with(
        "entry main (k: f64) (p: {y: f64, x: f64}) : f64 = k + p.x - p.y
entry pair (p: (f64, f64)) : f64 = p.0 - p.1
entry size [n] (s: [n]u8) = n",
    );
    for words in [["1", "y=2", "x=5"], ["p.x=5", "p.y=2", "1"], ["k=1", "x=5", "p.y=2"]] {
        let ran = folder.run(&[&["run", "p.fut"], &words[..]].concat());
        assert_eq!((String::from_utf8_lossy(&ran.output).as_ref(), ran.errors.as_str()), ("4.0f64\n", ""));
    }
    let ran = folder.run(&["run", "p.fut", "1", "5", "2"]);
    assert!(ran.errors.contains("note: the values for fields of records were taken in the order p.x, p.y"));
    assert_eq!(ran.succeeds(), "4.0f64\n");
    let ran = folder.run(&["run", "p.fut", "-e", "pair", "5", "2"]);
    assert_eq!(ran.errors, "", "the components of a tuple have an order");
    assert_eq!(folder.run(&["run", "p.fut", "-e", "size", "\"a=b\""]).succeeds(), "3i64\n");
    let refused = |words: &[&str], said: &str| {
        folder.run(&[&["run", "p.fut"], words].concat()).fails(1, &[said]);
    };
    refused(&["1", "y=2", "z=5"], "z=5: no parameter is called `z`; there are k: f64, p.x: f64, p.y: f64");
    refused(&["1", "y=2", "y=5"], "`y` has a value already");
    refused(&["1", "y=2"], "takes 3 arguments");
    for name in ["t.csv", "t.parquet", "t.wav", "t.csv.gz"] {
        folder.write(name, "x\n1\n");
        refused(&[name, "y=2", "x=1"], "such files are read by `warpwise stream`");
    }
}

#[test]
fn fields_of_results_go_to_outputs_by_name() {
    let folder = Folder::with("entry main (x: i32) : {z: i32, a: i32} = {z = x, a = x + 1}");
    folder.run(&["run", "p.fut", "1", "-o", "z=z.txt", "-o", "a=a.txt"]).succeeds();
    let text = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!((text("z.txt").as_str(), text("a.txt").as_str()), ("1i32\n", "2i32\n"));
    folder.run(&["run", "p.fut", "1", "-o", "both.txt"]).succeeds();
    assert_eq!(text("both.txt"), "2i32\n1i32\n");
    folder
        .run(&["run", "p.fut", "1", "-o", "1.txt", "-o", "2.txt"])
        .fails(1, &["which output is for which field? -o NAME=FILE says it, for the results `a`, `z`"]);
    folder
        .run(&["run", "p.fut", "1", "-o", "y=y.txt", "-o", "a=a.txt"])
        .fails(1, &["no result is called `y`"]);
    folder.run(&["run", "p.fut", "1", "-o", "z=z.txt"]).fails(1, &["there is no output for the results `a`"]);
}

#[test]
fn outputs_that_cannot_be_created_are_said_before_the_run() {
    let folder = Folder::with("entry main (x: i32) = [1 / x]");
    folder.write("sub/here", "");
    folder.write("xs.csv", "x\n1\n");
    for (path, said) in [
        ("no/a.npy", "no/a.npy: cannot write: there is no folder no; create it first"),
        ("sub", "sub: cannot write: it is a folder"),
        ("sub/here/a.npy", "there is no folder sub/here"),
    ] {
        folder.run(&["run", "p.fut", "0", "-o", path]).fails(1, &[said]);
    }
    let folder = Folder::with("entry main [n] (xs: [n]i32) : [n]i32 = xs");
    folder.write("xs.csv", "x\n1\n");
    folder.run(&["stream", "p.fut", "-i", "xs.csv", "-o", "no/a.csv"]).fails(1, &["there is no folder no"]);
    folder.run(&["stream", "p.fut", "-i", "xs.csv", "-o", "y=a.csv"]).fails(1, &["no result is called `y`"]);
}
