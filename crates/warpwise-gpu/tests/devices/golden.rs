//! Snapshot files of the text of kernels: a program, a line `----`, its kernels in OpenCL C, another such line, and its kernels
//! in CUDA C. `BLESS=1` rewrites the texts.

use std::path::PathBuf;

use warpwise_gpu::kernel_text::{Dialect, kernel_text};
use warpwise_imp::ImpProgram;

use crate::programs;

fn path(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests", "devices", "golden", &format!("{name}.ir")].iter().collect()
}

/// Reads the parts of a file: the program, its OpenCL text and its CUDA text.
fn read(name: &str) -> [String; 3] {
    let file = std::fs::read_to_string(path(name)).expect("the file is there");
    let mut parts = file.split("----\n").map(str::to_string);
    [(); 3].map(|()| parts.next().unwrap_or_default())
}

/// Returns the program of a file.
pub fn program(name: &str) -> String {
    let [program, ..] = read(name);
    program
}

/// All files.
pub const NAMES: [&str; 20] = [
    "saxpy",
    "rows",
    "sums",
    "pairs",
    "scan",
    "prefixes",
    "segments",
    "groups",
    "filter",
    "histogram",
    "narrow",
    "locked",
    "scatter",
    "checked",
    "heeded",
    "mean",
    "private",
    "small",
    "transpose",
    "product",
];

/// Returns the text of a program's kernels without its prologue.
fn printed(program: &ImpProgram, dialect: Dialect) -> String {
    let text = kernel_text(program.kernels.values(), dialect).expect("kernels that can be printed");
    text.text.strip_prefix(&dialect.prologue(text.features)).expect("a text with a prologue").to_string()
}

#[test]
fn kernels_are_printed_as_they_were() {
    for name in NAMES {
        let [program, opencl, cuda] = read(name);
        let texts = [Dialect::OpenCl, Dialect::Cuda].map(|dialect| {
            let lowered = programs::lowered_for(&program, dialect == Dialect::Cuda);
            printed(&lowered, dialect)
        });
        if std::env::var_os("BLESS").is_some() {
            let file = format!("{program}----\n{}----\n{}", texts[0], texts[1]);
            std::fs::write(path(name), file).expect("the file can be written");
        } else {
            assert!(texts == [opencl, cuda], "{name} is printed differently (BLESS=1 accepts it)");
        }
    }
}

/// An array that compilers may take for exclusive is kept in registers across barriers.
#[test]
fn nothing_that_work_items_write_for_each_other_is_promised_to_one() {
    let mut kernels = 0;
    for (name, dialect) in NAMES.into_iter().flat_map(|name| [(name, Dialect::OpenCl), (name, Dialect::Cuda)])
    {
        let text = printed(&programs::lowered_for(&program(name), dialect == Dialect::Cuda), dialect);
        let meets = |kernel: &&str| {
            ["barrier(", "__syncthreads", "atomic_cmpxchg", "fence"].iter().any(|word| kernel.contains(word))
        };
        for kernel in text.split("\n}\n").filter(|part| part.contains("long extent")).filter(meets) {
            kernels += 1;
            let promised = |line: &&str| line.contains("restrict") && !line.contains("const");
            assert_eq!(kernel.lines().find(promised), None, "{name}: {kernel}");
        }
    }
    assert!(kernels > 10, "{kernels} kernels whose work-items meet");
}
