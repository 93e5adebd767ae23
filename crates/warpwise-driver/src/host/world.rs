//! The world of a running host program: standard streams, files, processes and time.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use warpwise_cpu::{Evaluate, compiled_binary, compiled_unary};
use warpwise_mexpr::builtins::Builtin;
use warpwise_mexpr::host::budget::Budget;
use warpwise_mexpr::host::world::World;
use warpwise_prim::{BinaryOp, UnaryOp};
use warpwise_runtime::memory::resident;

use crate::compiler::{self, Options};

/// The world of a program that uses this process.
pub struct ProcessWorld {
    output: BufWriter<io::Stdout>,
    /// Whether the process has a standard output.
    is_open: bool,
    /// Whether the program has standard streams; without them its output is discarded, and its input is empty.
    has_streams: bool,
    arguments: Vec<String>,
    start: Instant,
    /// Mathematical functions of compiled code.
    functions: Vec<(Builtin, Evaluate)>,
    /// Bound on the memory of the process, in bytes.
    memory_limit: u64,
}

impl ProcessWorld {
    /// Creates the world of a program with these arguments; the first one is the program's name. The whole process takes at most
    /// `memory_limit` bytes. Mathematical functions are those of the C library.
    pub fn new(arguments: Vec<String>, memory_limit: u64) -> ProcessWorld {
        let (output, functions) = (BufWriter::new(io::stdout()), Vec::new());
        let has_streams = true;
        ProcessWorld {
            output,
            is_open: true,
            has_streams,
            arguments,
            start: Instant::now(),
            functions,
            memory_limit,
        }
    }

    /// Uses the mathematical functions of code compiled with these options, so that the results of the host and of accelerated code on
    /// a processor are bitwise equal.
    pub fn accelerating(self, options: &Options) -> ProcessWorld {
        ProcessWorld { functions: functions(options), ..self }
    }

    /// Discards the output of the program and its commands, and gives them no input.
    pub fn without_streams(self) -> ProcessWorld {
        ProcessWorld { has_streams: false, ..self }
    }

    /// Makes printing an error, for a process without standard output.
    pub fn without_output(self) -> ProcessWorld {
        ProcessWorld { is_open: false, ..self }
    }
}

fn functions(options: &Options) -> Vec<(Builtin, Evaluate)> {
    let Ok(target) = compiler::target(options) else { return Vec::new() };
    let unary = [
        (Builtin::ExternalExp, UnaryOp::Exp),
        (Builtin::ExternalLog, UnaryOp::Log),
        (Builtin::ExternalAtan, UnaryOp::Atan),
        (Builtin::ExternalSin, UnaryOp::Sin),
        (Builtin::ExternalCos, UnaryOp::Cos),
    ];
    let binary = [(Builtin::ExternalAtan2, BinaryOp::Atan2), (Builtin::ExternalPow, BinaryOp::FPow)];
    let unary = unary.into_iter().map(|(name, op)| (name, compiled_unary(op, &target)));
    let binary = binary.into_iter().map(|(name, op)| (name, compiled_binary(op, &target)));
    unary.chain(binary).filter_map(|(name, function)| Some((name, function?))).collect()
}

fn words<T>(result: io::Result<T>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn about<T>(path: &str, result: io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{path}: {error}"))
}

impl World for ProcessWorld {
    fn print(&mut self, text: &str) -> Result<(), String> {
        if !self.is_open && !text.is_empty() {
            return Err("standard output is closed".to_string());
        }
        match self.has_streams {
            true => words(self.output.write_all(text.as_bytes())),
            false => Ok(()),
        }
    }

    fn print_error(&mut self, text: &str) -> Result<(), String> {
        if !self.has_streams {
            return Ok(());
        }
        self.flush()?;
        words(io::stderr().write_all(text.as_bytes()))
    }

    fn flush(&mut self) -> Result<(), String> {
        words(self.output.flush())
    }

    fn read_line(&mut self) -> Result<Option<String>, String> {
        if !self.has_streams {
            return Ok(None);
        }
        self.flush()?;
        let mut line = String::new();
        if words(io::stdin().lock().read_line(&mut line))? == 0 {
            return Ok(None);
        }
        if line.ends_with('\n') {
            line.pop();
        }
        Ok(Some(line))
    }

    fn read_bytes(&mut self, count: usize) -> Result<Vec<u8>, String> {
        let mut bytes = Vec::new();
        if !self.has_streams {
            return Ok(bytes);
        }
        words(io::stdin().lock().take(count as u64).read_to_end(&mut bytes))?;
        Ok(bytes)
    }

    fn read_file(&mut self, path: &str) -> Result<String, String> {
        about(path, fs::read_to_string(path))
    }

    fn write_file(&mut self, path: &str, text: &str) -> Result<(), String> {
        about(path, fs::write(path, text))
    }

    fn file_exists(&mut self, path: &str) -> bool {
        fs::metadata(path).is_ok()
    }

    fn file_size(&mut self, path: &str) -> Option<u64> {
        fs::metadata(path).ok().map(|metadata| metadata.len())
    }

    fn open_read(&mut self, path: &str) -> Result<Box<dyn BufRead>, String> {
        let file = about(path, File::open(path))?;
        // A folder can be opened but not read.
        if about(path, file.metadata())?.is_dir() {
            return Err(format!("{path}: it is a folder"));
        }
        Ok(Box::new(BufReader::new(file)))
    }

    fn open_write(&mut self, path: &str) -> Result<Box<dyn Write>, String> {
        Ok(Box::new(about(path, File::create(path))?))
    }

    fn delete_file(&mut self, path: &str) -> Result<(), String> {
        about(path, fs::remove_file(path))
    }

    fn command(&mut self, command: &str) -> Result<i64, String> {
        self.flush()?;
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        if !self.has_streams {
            shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        }
        let status = words(shell.status())?;
        Ok(status.code().map_or(-1, i64::from))
    }

    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }

    fn time_ms(&self) -> f64 {
        let passed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_else(|_| self.start.elapsed());
        passed.as_secs_f64() * 1e3
    }

    fn sleep_ms(&self, ms: u64) {
        std::thread::sleep(Duration::from_millis(ms));
    }

    fn budget(&self) -> Option<Budget> {
        Some(Budget { bytes: self.memory_limit, used: resident })
    }

    fn mathematics(&self, function: Builtin, x: f64, y: f64) -> Option<f64> {
        let (_, evaluate) = self.functions.iter().find(|(name, _)| *name == function)?;
        Some(evaluate(x, y))
    }
}
