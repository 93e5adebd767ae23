//! Mutated and random programs: each is compiled, rejected or not supported, within a short time.
//!
//! `FUZZ_SECONDS` sets the duration (default: 20 seconds), `FUZZ_SEED` the first seed (default: 0). A failure names its seed and leaves
//! the program, made smaller, in the folder for temporary files of the tests; the program belongs in `corpus/` once the bug is fixed. A
//! program that is not done in time, or that ends the whole process, is found in `fuzz-current-*.fut` there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rand::rngs::SmallRng;
use rand::{Rng, SeedableRng};
use warpwise_fuzz::compile::{Ending, compile};
use warpwise_fuzz::grammar;
use warpwise_fuzz::mutate::{Corpus, smaller};

/// Number of programs compiled concurrently.
const WORKERS: usize = 2;

/// Time after which a program of a few kilobytes counts as hanging.
const LIMIT: Duration = Duration::from_secs(60);

/// Folders of programs to mutate, relative to the root of the repository.
const FOLDERS: [&str; 7] = [
    "crates/warpwise-fuzz/corpus",
    "crates/warpwise-fut/prelude",
    "crates/warpwise-fut/tests/check",
    "crates/warpwise-fut/tests/run",
    "crates/warpwise-fut/tests/syntax",
    "benchmarks",
    "tests",
];

fn corpus() -> Corpus {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    FOLDERS.iter().for_each(|folder| programs_below(&root.join(folder), &mut files));
    files.sort();
    let programs = files.iter().filter_map(|file| fs::read_to_string(file).ok()).collect();
    Corpus::new(programs)
}

fn programs_below(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs_below(&path, files);
        } else if path.extension().is_some_and(|ending| ending == "fut") {
            files.push(path);
        }
    }
}

fn program(corpus: &Corpus, seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    match random.random_range(0..10) {
        0 | 1 => corpus.with_bytes_changed(&mut random),
        2..=6 => corpus.with_words_changed(&mut random),
        _ => grammar::program(&mut random),
    }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

fn temporary(name: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn what_once_failed_does_not() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let mut files = Vec::new();
    programs_below(&folder, &mut files);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(compile(&text).is_ok(), "{}: {:?}", file.display(), compile(&text));
    }
}

#[test]
fn nothing_makes_the_compiler_fail() {
    let corpus = corpus();
    let end = Instant::now() + Duration::from_secs(number("FUZZ_SECONDS", 20));
    let next = AtomicU64::new(number("FUZZ_SEED", 0));
    let found = Mutex::new(Vec::new());
    let endings = Mutex::new([0u64; 3]);
    std::thread::scope(|scope| {
        for worker in 0..WORKERS {
            let (corpus, next, found, endings) = (&corpus, &next, &found, &endings);
            scope.spawn(move || {
                while Instant::now() < end && found.lock().unwrap().len() < 20 {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    match watched(worker, &program(corpus, seed)) {
                        Ok(ending) => endings.lock().unwrap()[ending] += 1,
                        Err(why) => found.lock().unwrap().push((seed, why)),
                    }
                }
            });
        }
    });
    let [compiled, rejected, limited] = endings.into_inner().unwrap();
    println!("{compiled} compiled, {rejected} rejected, {limited} not supported");
    let found = found.into_inner().unwrap();
    let reports: Vec<String> = found.iter().map(|(seed, why)| report(&corpus, *seed, why)).collect();
    assert!(reports.is_empty(), "\n{}", reports.join("\n"));
}

/// Compiles a program. Meanwhile it is kept in a file, to find out why the process ended if it does.
fn watched(worker: usize, text: &str) -> Result<usize, String> {
    fs::write(temporary(&format!("fuzz-current-{worker}.fut")), text).unwrap();
    let start = Instant::now();
    let ending = compile(text)?;
    if start.elapsed() > LIMIT {
        return Err(format!("took {:?}", start.elapsed()));
    }
    Ok(match ending {
        Ending::Compiled => 0,
        Ending::Rejected(_) => 1,
        Ending::Limited(_) => 2,
    })
}

/// Reduces the program, writes it to a file, and says where.
fn report(corpus: &Corpus, seed: u64, why: &str) -> String {
    let kind = |why: &str| why.chars().filter(|c| !c.is_ascii_digit()).take(60).collect::<String>();
    let path = temporary(&format!("fuzz-{seed}.fut"));
    let small =
        smaller(&program(corpus, seed), |text| compile(text).is_err_and(|other| kind(&other) == kind(why)));
    fs::write(&path, &small).unwrap();
    format!("seed {seed}: {why}\n{}:\n{small}\n", path.display())
}
