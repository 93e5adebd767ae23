//! Options that mean the same in every command.

use std::path::{Path, PathBuf};

use clap::Args;
use warpwise_driver::cache::{DEFAULT_BOUND, DiskCache};
use warpwise_driver::{Context, Options, Target};
use warpwise_opt::pipelines::OPTIONAL;
use warpwise_runtime::memory::{MemoryPool, default_limit, parse_bytes};
use warpwise_runtime::pool::{MOST_THREADS, ThreadPool, available_cores};

use crate::failure::Failure;

/// How to compile.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Compilation")]
pub struct CompileOptions {
    /// Run kernels on the processor (cpu) or on a device (opencl, cuda, either with :N; see `warpwise devices`)
    #[arg(long, value_name = "DEVICE", default_value_t = Target::Cpu)]
    pub device: Target,
    /// Round every float operation separately (no fused multiply-add)
    #[arg(long)]
    pub strict_fp: bool,
    /// Approximate divisions by square roots and by constants
    #[arg(long, conflicts_with = "strict_fp")]
    pub fast_math: bool,
    /// Leave out all run-time checks
    #[arg(long = "unsafe")]
    pub unsafe_: bool,
    /// Vector width in bits (128, 256, 512; 1: no vectors), instead of the machine's widest
    #[arg(long, value_name = "BITS")]
    pub vector_width: Option<u32>,
    /// Omit these passes, to measure their effect (sink, fuse, unmap, hoist, nest, tighten, enclose, delinearise, distribute, divide, carry, specialise, tile, narrow, contract, short_circuit, merge)
    #[arg(long, value_name = "PASS,...", value_delimiter = ',', value_parser = optional_pass)]
    pub without: Vec<String>,
    /// Scan and partition in one launch on OpenCL devices too; this needs work-groups that make progress while others wait for
    /// them, as on GPUs
    #[arg(long)]
    pub single_pass: bool,
}

/// Where compiled programs are kept.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Cache")]
pub struct CacheOptions {
    /// Store compiled programs in this folder, instead of the user's cache folder
    #[arg(long, value_name = "DIR")]
    pub cache: Option<PathBuf>,
    /// Compile again, and store nothing
    #[arg(long, conflicts_with = "cache")]
    pub no_cache: bool,
}

/// What programs run on.
#[derive(Args, Clone, Debug)]
#[command(next_help_heading = "Execution")]
pub struct RunOptions {
    /// Number of threads, instead of one per core
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<usize>,
    /// Memory limit (K, M, G, T: units of 1024), instead of 80 % of the machine's memory
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory_limit: Option<u64>,
    /// Set a tuning parameter: an expression marked `#[param(NAME)]`, or a size at which the program switches between versions of
    /// its code
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    pub param: Vec<(String, i64)>,
    /// Set tuning parameters from a file with one NAME=VALUE per line
    #[arg(long, value_name = "FILE")]
    pub tuning: Option<PathBuf>,
}

impl CompileOptions {
    /// Converts to the compiler's options.
    pub fn options(&self) -> Options {
        Options {
            target: self.device,
            strict_fp: self.strict_fp,
            fast_math: self.fast_math,
            unsafe_: self.unsafe_,
            vector_width: self.vector_width,
            without: self.without.clone(),
            single_pass: self.single_pass,
            entries: Vec::new(),
        }
    }

    /// Converts to words of a command line.
    pub fn words(&self) -> Vec<String> {
        let flag = |set: bool, word: &str| set.then(|| word.to_string());
        let width = self.vector_width.map(|bits| format!("--vector-width={bits}"));
        let flags = [
            flag(self.device != Target::Cpu, &format!("--device={}", self.device)),
            flag(self.strict_fp, "--strict-fp"),
            flag(self.fast_math, "--fast-math"),
            flag(self.unsafe_, "--unsafe"),
            flag(self.single_pass, "--single-pass"),
            width,
        ];
        let without = self.without.iter().map(|name| format!("--without={name}"));
        flags.into_iter().flatten().chain(without).collect()
    }
}

impl CacheOptions {
    /// Returns the chosen cache: the named one, or the user's; `None` with `--no-cache`.
    pub fn cache(&self) -> Option<DiskCache> {
        if self.no_cache { None } else { self.named_cache().or_else(DiskCache::of_user) }
    }

    /// Returns the cache that is named.
    pub fn named_cache(&self) -> Option<DiskCache> {
        self.cache.as_ref().map(|folder| DiskCache::new(folder, DEFAULT_BOUND))
    }
}

impl RunOptions {
    /// Creates a context with the chosen threads, memory and tuning parameters.
    pub fn context(&self) -> Result<Context, Failure> {
        let threads = ThreadPool::new(self.threads.unwrap_or_else(available_cores));
        let memory = MemoryPool::new(self.memory_limit.unwrap_or_else(default_limit));
        let mut context = Context::with(threads, memory);
        if let Some(limit) = self.memory_limit {
            context.limit_device(limit);
        }
        for Tuned { name, value, .. } in self.tuned()? {
            context.tune(name, value);
        }
        for (name, value) in &self.param {
            context.tune(name, *value);
        }
        Ok(context)
    }

    /// Reads the tuning file, if one is named.
    pub fn tuned(&self) -> Result<Vec<Tuned>, Failure> {
        self.tuning.as_deref().map_or(Ok(Vec::new()), tuning)
    }

    /// Adds the tuning file beside a program (`p.fut.tuning` beside `p.fut`), if it exists and no other file is given.
    pub fn tuned_beside(mut self, program: &Path) -> RunOptions {
        let beside = PathBuf::from(format!("{}.tuning", program.display()));
        self.tuning = self.tuning.or_else(|| beside.is_file().then_some(beside));
        self
    }

    /// Converts to words of a command line, with `memory_limit` if no limit is given.
    pub fn words(&self, memory_limit: u64) -> Vec<String> {
        let mut words = vec![format!("--memory-limit={}", self.memory_limit.unwrap_or(memory_limit))];
        words.extend(self.threads.map(|threads| format!("--threads={threads}")));
        words.extend(self.tuning.as_ref().map(|file| format!("--tuning={}", file.display())));
        words.extend(self.param.iter().map(|(name, value)| format!("--param={name}={value}")));
        words
    }
}

fn optional_pass(name: &str) -> Result<String, String> {
    let names: Vec<&str> = OPTIONAL.iter().map(|pass| pass.name).collect();
    if names.contains(&name) {
        return Ok(name.to_string());
    }
    Err(format!("the passes that can be left out are {}", names.join(", ")))
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("a program needs at least one thread".to_string()),
        Ok(threads) if threads <= MOST_THREADS => Ok(threads),
        Ok(_) => Err(format!("at most {MOST_THREADS} threads are supported")),
        Err(_) => Err("expected the number of threads".to_string()),
    }
}

fn parameter(text: &str) -> Result<(String, i64), String> {
    let wrong = || "expected NAME=VALUE, the value an integer".to_string();
    let (name, value) = text.split_once('=').ok_or_else(wrong)?;
    let name = name.trim();
    if name.is_empty() {
        return Err(wrong());
    }
    Ok((name.to_string(), value.trim().parse().map_err(|_| wrong())?))
}

/// A parameter in a tuning file.
pub struct Tuned {
    /// Place in the file, as `file:line`.
    pub place: String,
    /// Name of the parameter.
    pub name: String,
    /// Value of the parameter.
    pub value: i64,
}

/// Reads the tuning parameters in a file. Empty lines, and lines that begin with `#`, are skipped.
fn tuning(path: &Path) -> Result<Vec<Tuned>, Failure> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Failed(format!("{}: cannot read: {error}", path.display())))?;
    let lines = text.lines().enumerate().filter(|(_, line)| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#')
    });
    let located = |(index, line)| {
        let place = format!("{}:{}", path.display(), index + 1);
        match parameter(line) {
            Ok((name, value)) => Ok(Tuned { place, name, value }),
            Err(message) => Err(Failure::Failed(format!("{place}: {message}"))),
        }
    };
    lines.map(located).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_a_few() {
        assert_eq!(threads("1"), Ok(1));
        for wrong in ["0", "-1", "x", "", "1000000"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn parameters_have_names_and_values() {
        assert_eq!(parameter("a.b = -3"), Ok(("a.b".to_string(), -3)));
        for wrong in ["a", "=1", "a=", "a=b"] {
            assert!(parameter(wrong).is_err(), "{wrong}");
        }
    }
}
