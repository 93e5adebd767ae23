//! Measurements of sequences of the embedding: against whole arrays in memory, from files of four times the budget, from slow
//! files, and against programs in C, MKL and hashcat.
//!
//! The programs are those of the example `streams` of the crate `warpwise`. They run in turn in this process, except the
//! measurement of memory, which runs in a process of its own. Files have just been written, so they are in the page cache as far
//! as they fit; the arrays in memory have the contents of the files. The results of sequences are compared with those of the
//! whole-array programs.

mod hashcat;
mod mkl;
mod peers;
mod report;
mod subjects;

#[path = "../../../warpwise/examples/streams/audio.rs"]
#[allow(dead_code)]
mod audio;
#[path = "../../../warpwise/examples/streams/clusters.rs"]
#[allow(dead_code)]
mod clusters;
#[path = "../../../warpwise/examples/streams/files.rs"]
mod files;
#[path = "../../../warpwise/examples/streams/histogram.rs"]
#[allow(dead_code)]
mod histogram;
#[path = "../../../warpwise/examples/streams/matrices.rs"]
#[allow(dead_code)]
mod matrices;
#[path = "../../../warpwise/examples/streams/pages.rs"]
#[allow(dead_code)]
mod pages;
#[path = "../../../warpwise/examples/streams/random.rs"]
mod random;
#[path = "../../../warpwise/examples/streams/words.rs"]
#[allow(dead_code)]
mod words;

use std::path::Path;
use std::time::{Duration, Instant};

use serde::Serialize;
use warpwise::{Context, Source, Streaming};

use crate::baseline::Baselines;
use crate::measure::Ratio;
use crate::streams::{Slow, peak_memory};

use subjects::{Answer, SUBJECTS, Subject};

/// Ratio of the files' size to the budget.
const TIMES_THE_BUDGET: u64 = 4;

/// Size in bytes of almost no data.
const FEW_BYTES: u64 = 1 << 16;

/// The measurements of sequences.
#[derive(Serialize)]
pub struct Report {
    rows: Vec<Row>,
    peers: Vec<peers::Row>,
}

/// The measurements of one program.
#[derive(Serialize)]
struct Row {
    program: &'static str,
    /// Size of the files in bytes.
    bytes: u64,
    /// The time of the whole-array program over that of the sequence of the same arrays.
    in_memory: Ratio,
    /// The throughput from files of four times the budget over that of the whole-array program.
    over_budget: Ratio,
    /// The time with slow files over the longer of reading and computing.
    overlap: Ratio,
    /// The peak anonymous memory of a process, beyond that of one with almost no data, over the budget.
    memory: f64,
    /// Gigabytes per second from files.
    gigabytes_per_second: f64,
}

/// Measures all programs, on about `bytes` bytes.
pub fn report(
    baselines: &Baselines,
    rounds: usize,
    bytes: u64,
    only: Option<&str>,
    library: Option<&Path>,
) -> Result<Report, String> {
    let threads = baselines.threads();
    let wanted = |name: &str| only.is_none_or(|only| only == name);
    let mut rows = Vec::new();
    for subject in SUBJECTS.iter().filter(|subject| wanted(subject.name)) {
        let row =
            row(subject, bytes, threads, rounds).map_err(|error| format!("{}: {error}", subject.name))?;
        print!("{}", report::line(&row));
        rows.push(row);
    }
    let peers = peers::rows(baselines, rounds, bytes, library, &wanted)?;
    Ok(Report { rows, peers })
}

/// Only runs one program over its files with a budget of `budget` bytes.
pub fn only(name: &str, folder: &Path, budget: u64, threads: usize) -> Result<(), String> {
    let subject = SUBJECTS.iter().find(|subject| subject.name == name);
    let subject = subject.ok_or_else(|| format!("there is no program `{name}`"))?;
    let context = context(threads)?;
    let streaming = Streaming::new().memory_limit(budget);
    match subject.passing {
        Some(passing) => passing(&context, folder, &streaming),
        None => (subject.streamed)(context, folder.to_path_buf())?(&streaming, &|source| source).map(drop),
    }
}

fn context(threads: usize) -> Result<Context, String> {
    Context::cpu_with_threads(threads).map_err(|error| error.to_string())
}

fn row(subject: &Subject, bytes: u64, threads: usize, rounds: usize) -> Result<Row, String> {
    let folder = tempfile::tempdir_in(".").map_err(|error| error.to_string())?;
    let folder = folder.path();
    (subject.generate)(folder, bytes / subject.divisor)?;
    let small = tempfile::tempdir_in(".").map_err(|error| error.to_string())?;
    (subject.generate)(small.path(), FEW_BYTES)?;
    let context = context(threads)?;
    let bytes = size_of_files(folder).map_err(|error| error.to_string())?;
    let budget = bytes / TIMES_THE_BUDGET;
    let scarce = Streaming::new().memory_limit(budget);
    let loaded = (subject.load)(&context, folder)?;
    let streamed = (subject.streamed)(context.clone(), folder.to_path_buf())?;
    let expected = (loaded.whole)()?();
    agree(&(loaded.sequence)()?(), &expected, subject.tolerance)?;
    agree(&streamed(&scarce, &|source| source)?(), &expected, subject.tolerance)?;
    let (mut in_memory, mut over_budget, mut overlap, mut speeds) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let alone = timed(&loaded.whole)?;
        in_memory.push(alone / timed(&loaded.sequence)?);
        let stream = timed(&|| streamed(&scarce, &|source| source))?;
        speeds.push(bytes as f64 / 1e9 / stream);
        over_budget.push(alone / stream);
        // Files that take as long as the computation are the hardest to overlap.
        let slow = |source: Box<dyn Source>| -> Box<dyn Source> {
            let bytes = source.left().unwrap_or(1) * source.element().bytes().unwrap_or(1);
            Box::new(Slow::new(source, bytes, Duration::from_secs_f64(stream)))
        };
        overlap.push(timed(&|| streamed(&scarce, &slow))? / stream);
    }
    drop(loaded);
    let peak = |folder: &Path| peak_memory("--only-sequence", subject.name, folder, budget, threads);
    let memory = peak(folder)?.saturating_sub(peak(small.path())?) as f64 / budget as f64;
    Ok(Row {
        program: subject.name,
        bytes,
        in_memory: Ratio::of(in_memory),
        over_budget: Ratio::of(over_budget),
        overlap: Ratio::of(overlap),
        memory,
        gigabytes_per_second: Ratio::of(speeds).median,
    })
}

fn timed(run: &dyn Fn() -> Answer) -> Result<f64, String> {
    let start = Instant::now();
    let answer = run()?;
    let time = start.elapsed().as_secs_f64();
    drop(answer);
    Ok(time)
}

fn size_of_files(folder: &Path) -> std::io::Result<u64> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(folder)? {
        bytes += entry?.metadata()?.len();
    }
    Ok(bytes)
}

/// Checks that numbers agree up to `tolerance` times the largest.
fn agree(found: &[f64], expected: &[f64], tolerance: f64) -> Result<(), String> {
    let largest = expected.iter().fold(0.0, |largest: f64, x| largest.max(x.abs()));
    let differ = |(x, y): (&f64, &f64)| x != y && (x - y).abs() > tolerance * largest;
    if found.len() == expected.len() && !found.iter().zip(expected).any(differ) {
        return Ok(());
    }
    Err("the sequence gives other results than the whole-array program".to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sequences_from_small_files_give_what_whole_arrays_give() {
        let context = context(2).unwrap();
        for subject in &SUBJECTS {
            let folder = tempfile::tempdir().unwrap();
            let folder = folder.path();
            (subject.generate)(folder, 400_000).unwrap();
            let loaded = (subject.load)(&context, folder).unwrap();
            let expected = (loaded.whole)().unwrap()();
            assert!(!expected.is_empty());
            agree(&(loaded.sequence)().unwrap()(), &expected, subject.tolerance).unwrap();
            let scarce = Streaming::new().memory_limit(8 << 20);
            let streamed = (subject.streamed)(context.clone(), folder.to_path_buf()).unwrap();
            let found = streamed(&scarce, &|source| source).unwrap()();
            agree(&found, &expected, subject.tolerance).unwrap();
        }
    }
}
