//! A host program, ready to be run in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_driver::host_device::Accelerator;
use warpwise_driver::host_files::check_host;
use warpwise_driver::host_lower::{lower_host, split_host};
use warpwise_driver::host_native::HostNative;
use warpwise_driver::{Context, Options};
use warpwise_mexpr::accelerate::Accepted;
use warpwise_mexpr::compile::Checked;
use warpwise_mexpr::host::code::Code;
use warpwise_mexpr::host::compile::{Options as HostOptions, compile, compile_accelerated};
use warpwise_mexpr::host::device::{Device, HostOnly};
use warpwise_mexpr::host::machine::run_native;
use warpwise_mexpr::host::world::Listener;

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
        let lowered = lower_host(split, &sources, &options, Accepted::default()).map_err(failed)?;
        let accelerator = Accelerator::new(lowered, &options, context, None, Accepted::default());
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
    let mut world = Listener { arguments, ..Listener::default() };
    let start = Instant::now();
    let native = native.map(HostNative::native);
    run_native(code, native, &mut world, device, &mut |_| {}).map_err(|error| error.message)?;
    Ok((start.elapsed(), world.printed))
}
