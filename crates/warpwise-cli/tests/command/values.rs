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
