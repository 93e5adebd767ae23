//! Warpwise's programs on a device, with arguments and results in its memory.

use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_driver::build::build;
use warpwise_driver::{Context, Dialect, Options, Program, Target};
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::device::memory::DeviceMemory;

use crate::ours::{hand_back, hand_over};
use crate::peer::Peer;
use crate::value::Value;
use crate::work::Work;

/// A program compiled for a device, with its arguments in the device's memory.
pub struct Resident {
    entry: &'static str,
    program: Program,
    memory: DeviceMemory,
    context: Context,
    inputs: Vec<Placed>,
    results: Vec<Placed>,
}

impl Resident {
    /// Compiles the work's program for a device and copies the inputs there.
    pub fn prepare(
        root: &Path,
        work: &Work,
        inputs: &[Value],
        context: &Context,
        device: (Dialect, usize),
    ) -> Result<Resident, String> {
        let options = Options { target: Target::Device(device.0, device.1), ..Options::default() };
        let path = root.join("benchmarks").join(work.program);
        let built = build(&path, &options, None).map_err(|error| error.to_string())?;
        let program = built.compiled.load(context).map_err(|error| error.to_string())?;
        let memory = context.device_memory(device.0, device.1).map_err(|error| error.to_string())?;
        let placed = |value: &Value| {
            let value = Placed::Host(hand_over(value, context.memory())?);
            value.to_device(&memory).map_err(|error| error.to_string())
        };
        let inputs = inputs.iter().map(placed).collect::<Result<_, String>>()?;
        let context = context.clone();
        Ok(Resident { entry: work.entry, program, memory, context, inputs, results: Vec::new() })
    }
}

impl Peer for Resident {
    fn name(&self) -> &str {
        "Warpwise"
    }

    fn run(&mut self) -> Result<Duration, String> {
        self.results.clear();
        let arguments = self.inputs.clone().into_iter();
        let start = Instant::now();
        self.results =
            self.program.call_resident(self.entry, arguments).map_err(|error| error.to_string())?;
        self.memory.device().finish().map_err(|error| error.to_string())?;
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        let back = |value: &Placed| {
            hand_back(&value.to_host(self.context.memory()).map_err(|error| error.to_string())?)
        };
        self.results.iter().map(back).collect()
    }
}
