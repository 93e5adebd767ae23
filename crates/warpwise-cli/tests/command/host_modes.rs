//! Programs that accelerate, `tests/acceleration/*.mc`, in every mode: all their tests pass, and all modes print the same.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Folder, tests_all};
use crate::devices::{devices, has_device};

/// Options for running a program without a device.
const MODES: [&[&str]; 4] = [&["--sequential"], &["--debug"], &[], &["--threads=2", "--vector-width=128"]];

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/acceleration");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 10, "the programs are missing");
    paths
}

/// Runs a program in a mode. Returns its output, or a description of what is wrong.
fn run(folder: &Folder, program: &Path, mode: &[&str]) -> Result<Vec<u8>, String> {
    let path = program.display().to_string();
    let ran = folder.run(&[&["run", "--test", &path], mode].concat());
    let last = ran.errors.lines().find(|line| line.ends_with(" tests passed")).unwrap_or_default();
    let mut numbers = last.split(' ').filter_map(|word| word.parse::<u64>().ok());
    let (passed, total) = (numbers.next(), numbers.next());
    if ran.code == Some(0) && passed == total && total > Some(0) {
        return Ok(ran.output);
    }
    Err(format!("{path} {}: exit code {:?}\n{}", mode.join(" "), ran.code, ran.errors))
}

#[test]
fn programs_give_the_same_in_every_mode() {
    let folder = Folder::new();
    let mut complaints = Vec::new();
    for program in programs() {
        let mut printed = Vec::new();
        for mode in MODES {
            match run(&folder, &program, mode) {
                Ok(output) => printed.push(output),
                Err(complaint) => complaints.push(complaint),
            }
        }
        if printed.windows(2).any(|pair| pair[0] != pair[1]) {
            complaints.push(format!("{}: modes print differently", program.display()));
        }
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

/// The examples, with sizes that take little time, and a part of their output in every mode.
const EXAMPLES: [(&str, &[&str], &str); 7] = [
    ("histo", &["2000", "16"], ""),
    ("mriq", &["20", "10"], "first: "),
    ("network", &["6", "5", "4", "4", "4"], "slopes are right\n"),
    ("ode", &["30", "50"], "conserved\n"),
    ("sgemm", &["5", "4", "3"], "first: "),
    ("stencil", &["4", "5", "6", "4"], "inner: "),
    ("tpacf", &["12", "5"], ""),
];

#[test]
fn examples_give_the_same_in_every_mode() {
    let folder = Folder::new();
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mexpr");
    assert_eq!(fs::read_dir(&examples).unwrap().count(), EXAMPLES.len());
    for (name, arguments, fragment) in EXAMPLES {
        let path = examples.join(name).with_extension("mc").display().to_string();
        // Reordered sums and fused multiply-adds differ only in digits that are not printed.
        let printed = |mode: &[&str]| {
            let words = [&["run"], mode, &[path.as_str()], arguments].concat();
            folder.run(&words).succeeds()
        };
        let first = printed(&["--sequential"]);
        assert!(!first.is_empty() && first.contains(fragment), "{name}: {first}");
        let mut modes: Vec<&[&str]> = vec![
            &["--debug"],
            &["--strict-fp"],
            &["--strict-fp", "--threads=2", "--vector-width=128"],
            &["--device=cuda"],
        ];
        // OpenCL's driver takes too long to compile the others.
        if ["histo", "ode", "sgemm"].contains(&name) && has_device() {
            modes.push(&["--device=opencl"]);
        }
        for mode in modes {
            assert!(same(&first, &printed(mode)), "{name} {}: {first}\n{}", mode.join(" "), printed(mode));
        }
    }
}

/// Returns whether two texts have the same words, except that numbers may differ in their last digits.
fn same(a: &str, b: &str) -> bool {
    let close = |(a, b): (&str, &str)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-6 * a.abs().max(1.0),
        _ => a == b,
    };
    a.split_whitespace().count() == b.split_whitespace().count()
        && a.split_whitespace().zip(b.split_whitespace()).all(close)
}

/// Programs with hundreds of kernels, which the OpenCL driver takes minutes to compile.
const LONG_TO_COMPILE: [&str; 1] = ["irregular"];

#[test]
fn programs_pass_on_a_device() {
    let folder = Folder::new();
    let mut complaints = Vec::new();
    let is_long =
        |program: &PathBuf| LONG_TO_COMPILE.iter().any(|name| program.ends_with(format!("{name}.mc")));
    let devices = devices();
    // The devices' compilers are slow, so each device gets a share of half of the programs. The last one, the emulator, also gets those
    // for which OpenCL's driver takes minutes. `make test-all` runs every program on every device.
    for (number, device) in devices.iter().enumerate() {
        let chosen = programs().into_iter().enumerate().filter_map(|(at, program)| {
            let share = if is_long(&program) { devices.len() - 1 } else { at % (2 * devices.len()) };
            (share == number || tests_all()).then_some(program)
        });
        let option = format!("--device={device}");
        complaints.extend(chosen.filter_map(|program| run(&folder, &program, &[&option]).err()));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
