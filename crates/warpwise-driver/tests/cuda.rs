//! Compiles the kernels of the language's programs, the examples and the benchmarks as CUDA text by NVIDIA's compiler.
//!
//! `WARPWISE_NVRTC` names the compiler's library; without it this test says that it is skipped, and passes. Every fourth program is
//! compiled, each for one of three architectures; with `WARPWISE_TESTS=all`, every program is compiled for all of them.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs, thread};

use warpwise_driver::build::read_core;
use warpwise_driver::compiler::{Options, generate_for_device, optimise};
use warpwise_driver::{Code, Dialect, Target};
use warpwise_gpu::cuda::{Compiler, NVRTC};
use warpwise_imp::lower::Scanning;

/// Architectures of devices. A compiler may not know the oldest.
const ARCHITECTURES: [u32; 3] = [70, 80, 90];

#[test]
fn kernels_of_programs_compile_as_cuda() {
    if env::var_os(NVRTC).is_none() {
        // The line is not printed by a macro, because the test runner would capture it.
        let _ = writeln!(std::io::stderr(), "skipped: programs as CUDA text, because {NVRTC} is not set");
        return;
    }
    let compiler = Compiler::find(None).unwrap_or_else(|missing| panic!("{missing}"));
    let all = env::var_os("WARPWISE_TESTS").is_some_and(|value| value == "all");
    let programs: Vec<PathBuf> = programs().into_iter().step_by(if all { 1 } else { 4 }).collect();
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let complaints: Vec<String> = thread::scope(|scope| {
        let workers = (0..workers).map(|worker| {
            let (programs, compiler) = (&programs, &compiler);
            scope.spawn(move || {
                let own = programs.iter().enumerate().skip(worker).step_by(workers);
                own.filter_map(|(number, path)| complaint(compiler, path, number, all)).collect::<Vec<_>>()
            })
        });
        let workers: Vec<_> = workers.collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a worker ends")).collect()
    });
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Returns the compiler's error for a program's kernels, if there is one. Programs that cannot be compiled for devices are left to
/// other tests.
fn complaint(compiler: &Compiler, path: &Path, number: usize, all: bool) -> Option<String> {
    let options = Options { target: Target::Device(Dialect::Cuda, 0), ..Options::default() };
    let core = read_core(path, &options).ok()?;
    let (mut program, sources) = (core.program, core.sources);
    optimise(&mut program, &options, |_, _, _| {}).ok()?;
    let Code::Device { text, .. } =
        generate_for_device(&program, &sources, (Dialect::Cuda, 0), Scanning::LookBack { whole_words: true })
            .ok()?
            .code
    else {
        return Some(format!("{}: no code for a device", path.display()));
    };
    let known = ARCHITECTURES.iter().filter(|number| compiler.architectures().contains(number));
    let known: Vec<u32> = known.copied().collect();
    let wanted = if all { &known[..] } else { &known[number % known.len()..][..1] };
    let refused = wanted.iter().find_map(|&number| compiler.compile(&text.text, number).err());
    refused.map(|error| format!("{}: {error}", path.display()))
}

/// Returns all programs, sorted.
fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["tests", "examples", "benchmarks"] {
        collect(&root.join(folder), &mut found);
    }
    found.sort();
    assert!(found.len() > 100, "the programs are there");
    found
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "fut") {
            found.push(path);
        }
    }
}
