//! Programs that accelerate, `tests/acceleration/*.mc`, in every mode: all their tests pass, and all modes print the same.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::Folder;
use crate::devices::has_device;

/// How a program may be run without a device.
const MODES: [&[&str]; 4] = [&["--sequential"], &["--debug"], &[], &["--threads=2", "--vector-width=128"]];

fn programs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/acceleration");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 10, "the programs are missing");
    paths
}

/// What is wrong with a program in a mode; what it prints otherwise.
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

#[test]
fn programs_pass_on_a_device() {
    if !has_device() {
        return;
    }
    let folder = Folder::new();
    let runs = programs().into_iter().map(|program| run(&folder, &program, &["--device=opencl"]));
    let complaints: Vec<String> = runs.filter_map(Result::err).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}
