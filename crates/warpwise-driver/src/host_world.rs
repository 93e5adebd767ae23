//! The world of a running host program: standard streams, files, time.

use std::fs;
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use warpwise_mexpr::host::world::World;

/// The process and its surroundings.
pub struct ProcessWorld {
    output: BufWriter<io::Stdout>,
    arguments: Vec<String>,
    start: Instant,
}

impl ProcessWorld {
    /// The world of a program with these arguments, the first of which is its name.
    pub fn new(arguments: Vec<String>) -> ProcessWorld {
        ProcessWorld { output: BufWriter::new(io::stdout()), arguments, start: Instant::now() }
    }
}

impl Drop for ProcessWorld {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.output.flush();
    }
}

fn words<T>(result: io::Result<T>) -> Result<T, String> {
    result.map_err(|error| error.to_string())
}

fn about<T>(path: &str, result: io::Result<T>) -> Result<T, String> {
    result.map_err(|error| format!("{path}: {error}"))
}

impl World for ProcessWorld {
    fn print(&mut self, text: &str) -> Result<(), String> {
        words(self.output.write_all(text.as_bytes()))
    }

    fn print_error(&mut self, text: &str) -> Result<(), String> {
        self.flush()?;
        words(io::stderr().write_all(text.as_bytes()))
    }

    fn flush(&mut self) -> Result<(), String> {
        words(self.output.flush())
    }

    fn read_line(&mut self) -> Result<Option<String>, String> {
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

    fn delete_file(&mut self, path: &str) -> Result<(), String> {
        about(path, fs::remove_file(path))
    }

    fn command(&mut self, command: &str) -> Result<i64, String> {
        self.flush()?;
        let status = words(Command::new("sh").arg("-c").arg(command).status())?;
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
}
