//! The table of devices at a small scale, on the emulator of CUDA and on an OpenCL device: all programs there give the
//! processor's results, and absent programs are named. The handwritten kernels also go through NVIDIA's compiler.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use warpwise_bench::gpu::{PROBES, SOURCES, kernel_text, works_by_hand};
use warpwise_bench::work::{DeviceGoal, DeviceWork, device_works};
use warpwise_driver::{Context, Dialect};
use warpwise_gpu::cuda::{Compiler, NVRTC};

/// Scale at which most sizes are no multiple of a block.
const SCALE: f64 = 2e-5;

/// Returns a folder with the emulator of CUDA in which programs find it as the driver.
fn emulator() -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.with_file_name("cuda-driver");
    std::fs::create_dir_all(&folder).unwrap();
    let made = std::os::unix::fs::symlink("../libwarpwise_cuda_emulator.so", folder.join("libcuda.so"));
    assert!(made.is_ok() || folder.join("libcuda.so").exists(), "{made:?}");
    folder
}

/// Runs the command on a device; returns its output with the table that it writes.
fn table(device: &str, words: &[&str], results: &Path) -> (Output, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_warpwise-bench-gpu"));
    command.current_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")).args(words);
    command.args(["--device", device, "--python-on", "cpu", "--rounds", "1", "--repetitions", "1"]);
    if let Some(python) = std::env::var_os("WARPWISE_PYTHON").filter(|_| !words.contains(&"--python")) {
        command.arg("--python").arg(python);
    }
    command.arg("--scale").arg(SCALE.to_string()).arg("--results").arg(results);
    if device == "cuda" {
        let emulator = emulator();
        command.env("WARPWISE_NVRTC", emulator.join("libcuda.so")).env("LD_LIBRARY_PATH", emulator);
    }
    let output = command.output().unwrap();
    let files = std::fs::read_dir(results).unwrap().map(|entry| entry.unwrap().path());
    let tables: Vec<PathBuf> = files.filter(|path| path.extension().is_some_and(|it| it == "md")).collect();
    let text = tables.first().map(|path| std::fs::read_to_string(path).unwrap()).unwrap_or_default();
    (output, text)
}

/// Checks that every row was measured against the expected programs, and that absent programs are named.
fn check(output: &Output, table: &str) {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}\n{}\n{table}", String::from_utf8_lossy(&output.stdout));
    for DeviceWork { work, goal } in device_works(SCALE) {
        let row = table.lines().find(|line| line.starts_with(&format!("| {} |", work.name)));
        let row = row.unwrap_or_else(|| panic!("{}: {table}", work.name));
        let judged = match goal {
            DeviceGoal::Share(_) => " | share | ",
            DeviceGoal::Over(["by hand"], _) => " | by hand / ours | ",
            DeviceGoal::Over(..) => " / ours | ",
            DeviceGoal::Flat(_) => " | flat / ours, for a byte | ",
        };
        assert!(row.contains(judged) && !row.contains("FAILED"), "{row}");
        let measured = !matches!(goal, DeviceGoal::Over([first, ..], _) if *first != "by hand");
        assert!(!measured || row.contains("REACHED") || row.contains("| reached |"), "{row}");
    }
    for said in ["figures reached: ", "the limit copy: ", "the limit arithmetic: "] {
        assert!(table.contains(&format!("\n- {said}")), "{said}: {table}");
    }
    for name in ["CUB", "cuBLAS", "NumPy", "PyTorch", "JAX"] {
        let takes_part = table.contains(&format!("\n- there: {name} "));
        assert!(takes_part || table.contains(&format!("\n- not there: {name}: ")), "{name}: {table}");
        if !takes_part {
            let _ = writeln!(std::io::stderr(), "skipped: {name} in the table, which says why");
        }
        assert_eq!(takes_part, table.contains(&format!(" | {name} |")), "{name}: {table}");
    }
}

#[test]
fn every_row_runs_on_the_emulator_of_cuda() {
    let results = tempfile::tempdir().unwrap();
    let (output, table) = table("cuda", &[], results.path());
    check(&output, &table);
}

#[test]
fn every_row_runs_on_an_opencl_device_and_parts_come_together() {
    if let Err(missing) = Context::new().device_memory(Dialect::OpenCl, 0) {
        let _ = writeln!(std::io::stderr(), "skipped: the table of an OpenCL device, because {missing}");
        return;
    }
    let results = tempfile::tempdir().unwrap();
    let (_, first) = table("opencl", &["--part", "1/2"], results.path());
    let rows = first.lines().filter(|line| line.starts_with("| ")).count() - 1;
    assert_eq!(rows, device_works(SCALE).len().div_ceil(2), "{first}");
    let (output, both) = table("opencl", &["--part", "2/2"], results.path());
    check(&output, &both);
    assert!(both.contains("\n- not there: CUB: this is no CUDA device\n"), "{both}");
}

#[test]
fn a_table_without_python_and_time_says_so() {
    let results = tempfile::tempdir().unwrap();
    let words = ["map_f32", "--seconds", "0", "--python", "no-such-python"];
    let (output, table) = table("cuda", &words, results.path());
    assert!(!output.status.success(), "{table}");
    assert!(table.contains("- not there: NumPy: no-such-python: "), "{table}");
    assert!(table.contains("| FAILED |") && table.contains("- PROBLEM: map_f32: no time left\n"), "{table}");
    assert!(table.contains("- figures reached: 0 of 1\n"), "{table}");
}

#[test]
fn there_is_a_work_for_each_kernel() {
    let works = works_by_hand(SCALE);
    let programs: BTreeSet<&str> = works.iter().map(|work| work.work.program).collect();
    assert_eq!(programs.len(), SOURCES.len(), "{programs:?}");
}

#[test]
fn kernels_by_hand_compile_as_cuda() {
    if std::env::var_os(NVRTC).is_none() {
        // `eprintln!` is avoided, because the test runner would capture its output.
        let _ = writeln!(std::io::stderr(), "skipped: kernels by hand as CUDA, because {NVRTC} is not set");
        return;
    }
    let compiler = Compiler::find(None).unwrap();
    for (name, text) in SOURCES.into_iter().chain(PROBES) {
        for architecture in [80, 90] {
            let code = compiler
                .compile(&kernel_text(text), architecture)
                .unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(!code.is_empty());
        }
    }
}
