//! A host program, ready to be run in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_driver::host_device::{Accelerator, lower_host, split_host};
use warpwise_driver::host_files::check_host;
use warpwise_driver::host_native::HostNative;
use warpwise_driver::{Context, Options};
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options as HostOptions, compile, compile_accelerated};
use warpwise_mexpr::host::device::{Device, HostOnly};
use warpwise_mexpr::host::machine::run_native;
use warpwise_mexpr::host::world::World;

/// A compiled program.
pub struct HostProgram {
    checked: Checked,
    code: Code,
    native: Option<HostNative>,
    /// What it accelerates.
    pub accelerator: Accelerator,
    /// From the text to what can be run.
    pub compile: Duration,
}

impl HostProgram {
    /// Compiles a program, without a cache.
    pub fn new(path: &Path, context: &Context) -> Result<HostProgram, String> {
        let start = Instant::now();
        let failed = |error: warpwise_driver::build::BuildError| error.to_string();
        let (checked, sources) = check_host(path, None).map_err(failed)?;
        let split = split_host(checked.clone(), &sources).map_err(failed)?;
        let code = compile_accelerated(&split.host, HostOptions { tests: false }, &split.entries);
        let options = Options::default();
        let lowered = lower_host(split, &sources, &options).map_err(failed)?;
        let accelerator = Accelerator::new(lowered, &options, context, None, false);
        let accelerator = accelerator.map_err(|error| format!("{error:?}"))?;
        let native = native(&code)?;
        Ok(HostProgram { checked, code, native, accelerator, compile: start.elapsed() })
    }

    /// Runs the program with what it accelerates; says how long.
    pub fn run(&mut self, arguments: &[String]) -> Result<Duration, String> {
        timed(&self.code, self.native.as_mut(), &mut self.accelerator, arguments).map(|(time, _)| time)
    }

    /// Runs the program in order; says how long.
    pub fn run_in_order(&self, arguments: &[String]) -> Result<Duration, String> {
        in_order(&self.checked, arguments).map(|(time, _)| time)
    }
}

/// Runs a program in order; says how long, and what it prints.
pub fn in_order(checked: &Checked, arguments: &[String]) -> Result<(Duration, String), String> {
    let code = compile(checked, HostOptions { tests: false });
    let mut native = native(&code)?;
    timed(&code, native.as_mut(), &mut HostOnly, arguments)
}

fn native(code: &Code) -> Result<Option<HostNative>, String> {
    HostNative::new(code, &Options::default(), None).map_err(|error| error.to_string())
}

fn timed(
    code: &Code,
    native: Option<&mut HostNative>,
    device: &mut dyn Device,
    arguments: &[String],
) -> Result<(Duration, String), String> {
    let arguments = std::iter::once("program".to_string()).chain(arguments.iter().cloned()).collect();
    let mut world = Quiet { arguments, printed: String::new(), start: Instant::now() };
    let start = Instant::now();
    let native = native.map(HostNative::native);
    run_native(code, native, &mut world, device, &mut |_| {}).map_err(|error| error.message)?;
    Ok((start.elapsed(), world.printed))
}

/// A world that keeps what is printed, and has no files.
struct Quiet {
    arguments: Vec<String>,
    printed: String,
    start: Instant,
}

const NO_FILES: &str = "there are no files here";

impl World for Quiet {
    fn print(&mut self, text: &str) -> Result<(), String> {
        self.printed.push_str(text);
        Ok(())
    }
    fn print_error(&mut self, _: &str) -> Result<(), String> {
        Ok(())
    }
    fn flush(&mut self) -> Result<(), String> {
        Ok(())
    }
    fn read_line(&mut self) -> Result<Option<String>, String> {
        Ok(None)
    }
    fn read_bytes(&mut self, _: usize) -> Result<Vec<u8>, String> {
        Ok(Vec::new())
    }
    fn read_file(&mut self, _: &str) -> Result<String, String> {
        Err(NO_FILES.to_string())
    }
    fn write_file(&mut self, _: &str, _: &str) -> Result<(), String> {
        Err(NO_FILES.to_string())
    }
    fn file_exists(&mut self, _: &str) -> bool {
        false
    }
    fn delete_file(&mut self, _: &str) -> Result<(), String> {
        Err(NO_FILES.to_string())
    }
    fn command(&mut self, _: &str) -> Result<i64, String> {
        Err(NO_FILES.to_string())
    }
    fn arguments(&self) -> Vec<String> {
        self.arguments.clone()
    }
    fn time_ms(&self) -> f64 {
        1e3 * self.start.elapsed().as_secs_f64()
    }
    fn sleep_ms(&self, _: u64) {}
}
