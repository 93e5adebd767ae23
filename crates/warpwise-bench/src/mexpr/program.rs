//! A host program that runs in this process.

use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_driver::host::accelerator::Accelerator;
use warpwise_driver::host::program::{self, Executable, How, Mode};
use warpwise_driver::{Context, Options};
use warpwise_mexpr::host::world::Listener;

/// A compiled program.
pub struct HostProgram {
    executable: Executable,
    /// Time from the text to the executable program.
    pub compile: Duration,
}

impl HostProgram {
    /// Compiles a program, without a cache.
    pub fn new(path: &Path, context: &Context, mode: Mode) -> Result<HostProgram, String> {
        let start = Instant::now();
        let how = How { mode, ..How::default() };
        let executable = program::build(path, how, &Options::default(), context, None);
        let executable = executable.map_err(|error| error.to_string())?;
        Ok(HostProgram { executable, compile: start.elapsed() })
    }

    /// Runs the program; returns the elapsed time and its output.
    pub fn run(&mut self, arguments: &[String]) -> Result<(Duration, String), String> {
        let arguments = std::iter::once("program".to_string()).chain(arguments.iter().cloned()).collect();
        let mut world = Listener { arguments, ..Listener::default() };
        let start = Instant::now();
        self.executable.run_in(&mut world).map_err(|error| self.executable.describe(&error))?;
        Ok((start.elapsed(), world.printed))
    }

    /// Returns its accelerator.
    pub fn accelerator(&mut self) -> Result<&mut Accelerator, String> {
        self.executable.accelerator_mut().ok_or_else(|| "nothing is accelerated".to_string())
    }
}
