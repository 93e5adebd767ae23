//! Exported computations, used by a C program that is compiled as users would, and run under valgrind.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use warpwise::{Acc, Array, DeviceKind, Exp, Export, Matrix, Vector, foreign, use_, zip};

/// Exports the functions that the C program calls, for a generic processor, because valgrind does not know the newest
/// instructions.
fn export() -> Export {
    let scaled = |factor: Exp<f64>, a: Acc<Matrix<f64>>| a.map(move |x| x * factor);
    let points = |n: Exp<i64>| {
        let numbers = warpwise::enum_from(n, 0_i64);
        zip(&numbers.map(|i| i.cast::<f32>()), &numbers.map(|i| (i * i).cast::<f32>()))
    };
    let bounds = |xs: Acc<Vector<i32>>| (xs.minimum().the(), xs.maximum().the());
    let dot = |xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| {
        let never = |_: (Vector<f64>, Vector<f64>)| Err("not in exported programs".into());
        foreign(DeviceKind::Cpu, "never", never, &(xs, ys), |(xs, ys)| xs.zip_with(&ys, |x, y| x * y).sum())
    };
    let export = Export::new().portable().entry("scaled", scaled).unwrap();
    let export = export.entry("points", points).unwrap().entry("bounds", bounds).unwrap();
    let export = export.entry("abscissas", |points: Acc<Vector<(f32, f32)>>| points.map(|(x, _)| x)).unwrap();
    export.entry("dot", dot).unwrap()
}

#[track_caller]
fn succeeds(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Links the C program with the library.
fn program(folder: &TempDir) -> PathBuf {
    export().library(&folder.path().join("computed")).unwrap();
    let program = folder.path().join("program");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/embedded/exported.c");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-o"]).arg(&program).arg(source);
    succeeds(cc.args(["-I.", "-L.", "-lcomputed", "-Wl,-rpath,$ORIGIN"]).current_dir(folder.path()));
    program
}

#[test]
fn a_c_program_calls_them_cleanly() {
    let folder = tempfile::tempdir().unwrap();
    let program = program(&folder);
    succeeds(&mut Command::new(&program));
    let mut valgrind = Command::new("valgrind");
    valgrind.args([
        "--quiet",
        "--error-exitcode=99",
        "--leak-check=full",
        "--errors-for-leak-kinds=definite",
    ]);
    succeeds(valgrind.arg(program));
}

#[test]
fn what_cannot_be_exported_is_said() {
    let array: Vector<f32> = Array::from_vec([2], vec![1.0, 2.0]).unwrap();
    let with = |xs: Acc<Vector<f32>>| xs.zip_with(&use_(&array), |x, y| x + y);
    let error = Export::new().entry("with", with).unwrap_err().to_string();
    assert!(error.contains("exported.rs:") && error.ends_with("make it a parameter"), "{error}");
    let double = |x: Exp<i32>| x * 2;
    let error = Export::new().entry("f", double).unwrap().entry("f", double).unwrap_err().to_string();
    assert_eq!(error, "two computations are called `f`");
    let nowhere = Path::new("/nowhere/at/all");
    let error = Export::new().entry("f", double).unwrap().executable(nowhere).unwrap_err().to_string();
    assert!(error.starts_with("/nowhere/at/all: cannot write"), "{error}");
}
