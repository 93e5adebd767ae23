//! Measurements of streams: against whole arrays in memory, over a file of four times the budget, and with a slow source.
//!
//! All programs run in turn in this process, except the measurement of memory, which runs in a process of its own. The file has
//! just been written, so it is in the page cache as far as it fits. The results of streams are compared with those of the
//! whole-array program on the same numbers.

mod programs;
mod slow;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde::Serialize;
use warpwise_driver::{Context, Program};
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;
use warpwise_stream::pipeline::{Grouping, Settings, run};
use warpwise_stream::sink::{Flow, MemorySink, Sink};
use warpwise_stream::source::{Source, SourceOptions, ValueSource, Wanted, open};
use warpwise_stream::step::{Fold, Map};
use warpwise_stream::{Cause, ElementType};

use crate::measure::Ratio;
use programs::{PROGRAMS, Streamed};
pub use slow::Slow;

/// Size of a block of a stream, about a mebibyte.
const BLOCK_BYTES: u64 = 1 << 20;

/// Ratio of the file's size to the budget.
const TIMES_THE_BUDGET: u64 = 4;

/// Bytes of the file that the whole-array program gets, which must fit into memory.
const WHOLE_BYTES: u64 = 1 << 30;

/// The report, with all rows.
#[derive(Serialize)]
pub struct Report {
    threads: usize,
    /// Number of four-byte numbers in the file.
    numbers: u64,
    rows: Vec<Row>,
}

/// The figures of one program. Ratios should be above the required values, except `overlap`, which has an upper bound.
#[derive(Serialize)]
struct Row {
    program: &'static str,
    /// The time of the whole-array program over that of the stream of the same array; required 0.9.
    in_memory: Ratio,
    /// The throughput over the file, within a quarter of its size, over that of the whole-array program; required 0.75.
    over_budget: Ratio,
    /// The time with a slow source over the longer of reading and computing; at most 1.15.
    overlap: Ratio,
    /// The peak anonymous memory of a process over the budget; at most 1.1.
    memory: f64,
    /// Gigabytes per second over the file.
    gigabytes_per_second: f64,
}

/// A sink that discards all elements.
struct Nowhere;

impl Sink for Nowhere {
    fn name(&self) -> &str {
        "nowhere"
    }

    fn begin(&mut self, _: &ElementType) -> Result<(), String> {
        Ok(())
    }

    fn write(&mut self, _: &Array) -> Result<Flow, String> {
        Ok(Flow::More)
    }

    fn finish(&mut self) -> Result<(), String> {
        Ok(())
    }
}

/// Measures all programs.
pub fn report(threads: usize, rounds: usize, numbers: u64) -> Result<Report, String> {
    let folder = tempfile::tempdir_in(".").map_err(|error| error.to_string())?;
    let path = folder.path().join("numbers.raw");
    let numbers = numbers / 4 * 4;
    write_numbers(&path, numbers).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rows = Vec::new();
    for program in PROGRAMS {
        rows.push(row(&program, &path, numbers, threads, rounds)?);
    }
    Ok(Report { threads, numbers, rows })
}

/// Only runs one program over a file.
pub fn only(name: &str, file: &Path, budget: u64, threads: usize) -> Result<(), String> {
    let program = Streamed::named(name).ok_or_else(|| format!("there is no program `{name}`"))?;
    let context = Context::with(ThreadPool::new(threads), MemoryPool::new(budget));
    let loaded = program.load(&context)?;
    streamed(&program, &loaded, &context, source(&program, file)?, Box::new(Nowhere)).map(drop)
}

fn row(program: &Streamed, path: &Path, numbers: u64, threads: usize, rounds: usize) -> Result<Row, String> {
    let bytes = 4 * numbers;
    let budget = bytes / TIMES_THE_BUDGET;
    let plenty = Context::with(ThreadPool::new(threads), MemoryPool::with_default_limit());
    let scarce = Context::with(ThreadPool::new(threads), MemoryPool::new(budget));
    let (whole, over) = (program.load(&plenty)?, program.load(&scarce)?);
    let elements = bytes.min(WHOLE_BYTES) / (4 * program.width);
    let array = first(program, path, elements, &plenty)?;
    let expected = whole.call("whole", vec![array.clone()]).map_err(|error| error.to_string())?;
    let (mut in_memory, mut over_budget, mut overlap, mut speeds) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for _ in 0..rounds {
        let start = Instant::now();
        let results = whole.call("whole", vec![array.clone()]).map_err(|error| error.to_string())?;
        let alone = start.elapsed().as_secs_f64();
        drop(results);
        let start = Instant::now();
        streamed(program, &whole, &plenty, rows_of(&array)?, Box::new(Nowhere))?;
        let stream = start.elapsed().as_secs_f64();
        in_memory.push(alone / stream);
        let start = Instant::now();
        streamed(program, &over, &scarce, source(program, path)?, Box::new(Nowhere))?;
        let file = start.elapsed().as_secs_f64();
        speeds.push(bytes as f64 / 1e9 / file);
        over_budget.push(alone / array.bytes() as f64 * bytes as f64 / file);
        // A source that takes as long as the computation is the hardest to overlap.
        let slow = Slow::new(rows_of(&array)?, array.bytes(), Duration::from_secs_f64(stream));
        let start = Instant::now();
        streamed(program, &whole, &plenty, Box::new(slow), Box::new(Nowhere))?;
        overlap.push(start.elapsed().as_secs_f64() / stream);
    }
    check(program, &whole, &plenty, &array, &expected)?;
    let memory = peak_memory("--only", program.name, path, budget, threads)? as f64 / budget as f64;
    let gigabytes_per_second = Ratio::of(speeds).median;
    let (in_memory, over_budget, overlap) =
        (Ratio::of(in_memory), Ratio::of(over_budget), Ratio::of(overlap));
    Ok(Row { program: program.name, in_memory, over_budget, overlap, memory, gigabytes_per_second })
}

/// Writes numbers between 0 and 1.
fn write_numbers(path: &Path, numbers: u64) -> std::io::Result<()> {
    let mut output = BufWriter::with_capacity(1 << 20, File::create(path)?);
    for number in 0..numbers {
        let mixed = (number as u32).wrapping_mul(2_654_435_761);
        output.write_all(&(mixed as f32 / 4_294_967_296.0).to_le_bytes())?;
    }
    output.flush()
}

fn source(program: &Streamed, path: &Path) -> Result<Box<dyn Source>, String> {
    let shape = program.shape();
    let wanted = Wanted { scalar: ValueType::F32, rank: shape.len() };
    open(path, wanted, &SourceOptions { shape, ..SourceOptions::default() })
}

/// Reads the first elements of the file.
fn first(program: &Streamed, path: &Path, elements: u64, context: &Context) -> Result<Value, String> {
    let mut source = source(program, path)?;
    let mut array =
        source.element().allocate(elements, context.memory()).map_err(|error| error.to_string())?;
    let target = array.bytes_mut(context.memory()).map_err(|error| error.to_string())?;
    source.read(elements, target);
    Ok(Value::array(ValueType::F32, array))
}

fn rows_of(value: &Value) -> Result<Box<dyn Source>, String> {
    let Value::Array { ty, array } = value else { return Err("no array".to_string()) };
    let source = ValueSource::new("array", *ty, array.clone())?;
    Ok(Box::new(source))
}

/// Runs a stream; returns the state of a fold.
fn streamed(
    program: &Streamed,
    loaded: &Program,
    context: &Context,
    source: Box<dyn Source>,
    sink: Box<dyn Sink>,
) -> Result<Vec<Value>, String> {
    let (memory, cancel) = (context.memory().clone(), context.threads().cancel_flag().clone());
    let block = BLOCK_BYTES / (4 * program.width);
    let outcome = |error: Option<warpwise_stream::StreamError>| match error {
        Some(error) if error.cause == Cause::Cancelled => Err("interrupted".to_string()),
        Some(error) => Err(error.to_string()),
        None => Ok(()),
    };
    if program.folds {
        let mut fold = Fold::new(loaded, ["init", "step", "merge"].map(str::to_string))?;
        let settings = Settings { grouping: Grouping::Blocks(block), memory, patience: None, cancel };
        outcome(run(vec![source], &mut fold, Vec::new(), &settings, &mut |_| {}).error)?;
        return fold.finish().map_err(|error| error.to_string());
    }
    let mut map = Map::new(loaded, "chunk", Vec::new())?;
    let settings = Settings { grouping: Grouping::Elementwise, memory, patience: None, cancel };
    outcome(run(vec![source], &mut map, vec![sink], &settings, &mut |_| {}).error)?;
    Ok(Vec::new())
}

/// Checks that a stream gives the same result as the whole-array program.
fn check(
    program: &Streamed,
    loaded: &Program,
    context: &Context,
    array: &Value,
    expected: &[Value],
) -> Result<(), String> {
    let sink = MemorySink::new("list", context.memory());
    let gathered = sink.gathered();
    let state = streamed(program, loaded, context, rows_of(array)?, Box::new(sink))?;
    let found: Vec<Value> = if program.folds { state } else { gathered.take().into_iter().collect() };
    let agree = found.len() == expected.len()
        && found.iter().zip(expected).all(|(found, expected)| {
            found.shape() == expected.shape()
                && numbers(found)
                    .zip(numbers(expected))
                    .all(|(a, b)| a == b || (a - b).abs() <= program.tolerance * b.abs())
        });
    if agree { Ok(()) } else { Err(format!("{}: the stream gives other results", program.name)) }
}

fn numbers(value: &Value) -> impl Iterator<Item = f64> + '_ {
    let scalar = |value: Scalar| match value {
        Scalar::I64(x) => x as f64,
        Scalar::F32(x) => f64::from(x),
        Scalar::F64(x) => x,
        _ => f64::NAN,
    };
    let (one, many): (Option<f64>, &[u8]) = match value {
        Value::Scalar { value, .. } => (Some(scalar(*value)), &[]),
        Value::Array { array, .. } => (None, array.bytes()),
    };
    let ty = value.element_type().scalar();
    one.into_iter().chain(many.chunks_exact(ty.bytes()).map(move |bytes| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        scalar(Scalar::from_bits(ty, u64::from_le_bytes(bits)))
    }))
}

/// Returns the peak anonymous memory of a process that runs a program over files, as `option` specifies.
pub fn peak_memory(
    option: &str,
    program: &str,
    path: &Path,
    budget: u64,
    threads: usize,
) -> Result<u64, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut child = Command::new(own)
        .args(["--threads", &threads.to_string(), option, program])
        .arg(path)
        .arg(budget.to_string())
        .spawn()
        .map_err(|error| error.to_string())?;
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        if let Some(code) = child.try_wait().map_err(|error| error.to_string())? {
            return if code.success() { Ok(peak) } else { Err(format!("{program}: the process failed")) };
        }
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) << 10);
        std::thread::sleep(Duration::from_millis(1));
    }
}

impl Report {
    /// Returns the report as a table.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "# Streams\n\nPrograms in Futhark's language, as `warpwise stream` runs them. {} threads; a file of {} numbers of four bytes, in the page cache; the budget is a quarter of it.\n\n\
             | program | in memory: whole / stream, asked 0.9 | over the budget: throughput / in memory, asked 0.75 | \
             slow source: time / longer part, at most 1.15 | anonymous memory / budget, at most 1.1 | GB/s over the file |\n\
             |---|---|---|---|---|---|\n",
            self.threads, self.numbers
        );
        for row in &self.rows {
            text.push_str(&format!(
                "| {} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} |\n",
                row.program,
                row.in_memory.median,
                row.over_budget.median,
                row.overlap.median,
                row.memory,
                row.gigabytes_per_second
            ));
        }
        text
    }
}
