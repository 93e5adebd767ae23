//! The text of kernels, as files to be read: a program, a line `----`, and what its kernels look like.
//! `BLESS=1` rewrites the second part.

use std::path::PathBuf;

use warpwise_gpu::kernel_text::{Dialect, kernel_text};

use crate::programs;

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "pocl", "golden", &format!("{name}.ir")].iter().collect()
}

/// The program and the expected text of a file.
fn read(name: &str) -> (String, String) {
    let file = std::fs::read_to_string(path(name)).expect("the file is there");
    let (program, text) = file.split_once("----\n").expect("a line that parts program and text");
    (program.to_string(), text.to_string())
}

/// The program of a file.
pub fn program(name: &str) -> String {
    read(name).0
}

fn check(name: &str) {
    let (program, expected) = read(name);
    let lowered = programs::lowered(&program);
    let text =
        kernel_text(lowered.kernels.values(), Dialect::OpenCl).expect("kernels that can be printed").text;
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(path(name), format!("{program}----\n{text}")).expect("the file can be written");
    } else {
        assert!(text == expected, "{name} is printed differently (BLESS=1 accepts it):\n{text}");
    }
}

#[test]
fn a_map() {
    check("saxpy");
}

#[test]
fn a_map_with_a_sequential_reduction_and_a_branch() {
    check("rows");
}
