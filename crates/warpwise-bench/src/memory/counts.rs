//! A compiled program with counts of its allocations and copies, and the interpreter's results for comparison.

use std::path::Path;

use warpwise_driver::build::{build, read_core};
use warpwise_driver::oracle::{INTERPRETED_STEPS, NoAnswer, Oracle};
use warpwise_driver::{Context, Options, Program};
use warpwise_runtime::array::Value as RuntimeValue;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::ours::hand_back;
use crate::value::Value;

/// The use of the host's memory by a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Number of allocated blocks.
    pub allocations: u64,
    /// Number of copied arrays.
    pub copies: u64,
    /// Number of copied bytes.
    pub copied: u64,
    /// Maximum number of bytes in use.
    pub peak: u64,
}

/// A program for one entry point.
pub struct Counted {
    program: Program,
    entry: String,
    memory: MemoryPool,
}

impl Counted {
    /// Compiles an entry point with these options.
    pub fn prepare(path: &Path, entry: &str, threads: usize, options: &Options) -> Result<Counted, String> {
        let memory = MemoryPool::with_default_limit();
        let context = Context::with(ThreadPool::new(threads), memory.clone());
        let built = build(path, options, None).map_err(|error| error.to_string())?;
        let program = built.compiled.load(&context).map_err(|error| error.to_string())?;
        Ok(Counted { program, entry: entry.to_string(), memory })
    }

    /// Calls the entry point with these numbers; returns its results and counts. Peaks are those of all calls so far.
    pub fn run(&mut self, arguments: &[i64]) -> Result<(Vec<Value>, Counts), String> {
        let allocations = || {
            let statistics = self.memory.statistics();
            statistics.hits + statistics.misses
        };
        let copied = || {
            let spent = self.program.profile();
            let copies = spent.iter().find(|spent| spent.what == "copy");
            copies.map_or((0, 0), |spent| (spent.times, spent.bytes))
        };
        self.program.start_profile();
        let (before, (times, bytes)) = (allocations(), copied());
        let results =
            self.program.call(&self.entry, numbers(arguments)).map_err(|error| error.to_string())?;
        let (all_times, all_bytes) = copied();
        let counts = Counts {
            allocations: allocations() - before,
            copies: all_times - times,
            copied: all_bytes - bytes,
            peak: self.memory.statistics().peak_live,
        };
        Ok((results.iter().map(hand_back).collect::<Result<_, _>>()?, counts))
    }
}

/// Returns the interpreter's results.
pub fn interpreted(path: &Path, entry: &str, arguments: &[i64]) -> Result<Vec<Value>, String> {
    let options = Options { entries: vec![entry.to_string()], ..Options::default() };
    let core = read_core(path, &options).map_err(|error| error.to_string())?;
    let oracle = Oracle::new(core, &options)?;
    let results = oracle.results(entry, numbers(arguments), &Context::new(), INTERPRETED_STEPS);
    let results = results.map_err(|reason| match reason {
        NoAnswer::Fails(message) | NoAnswer::TooLarge(message) => message,
    })?;
    results.iter().map(hand_back).collect()
}

fn numbers(arguments: &[i64]) -> Vec<RuntimeValue> {
    arguments.iter().map(|&number| RuntimeValue::from_element(number)).collect()
}
