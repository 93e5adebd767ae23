//! Handwritten kernels on a device: built from their texts, launched over arrays in its memory.

use std::sync::Arc;
use std::time::{Duration, Instant};

use warpwise_driver::{Context, Dialect};
use warpwise_gpu::kernel_text::{Features, KernelText};
use warpwise_prim::Scalar;
use warpwise_runtime::device::memory::{Access, DeviceBlock, DeviceMemory};
use warpwise_runtime::device::{DeviceArgument, DeviceKernel, DeviceKernels, DeviceParam, Failures};

use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::Output;

/// Definitions that translate the texts to either language.
const DIALECT: &str = include_str!("../../../../benchmarks/baselines/gpu/dialect.h");

/// Number of threads of a block, in all kernels.
pub(super) const GROUP: u32 = 256;

/// A kernel by its name, with its text.
pub(super) type Source = (&'static str, &'static str);

/// An argument of a launch.
#[derive(Clone, Copy)]
pub(super) enum Argument {
    Scalar(Scalar),
    /// An array of the plan, by position.
    Array(usize),
}

/// The arrays, the launches in order, and the positions of the results among the arrays.
pub(super) struct Plan {
    /// Inputs, then written arrays.
    pub arrays: Vec<Array>,
    /// Numbers of blocks, with arguments.
    pub launches: Vec<(u64, Vec<Argument>)>,
    pub results: Vec<usize>,
}

/// An array of a plan.
pub(super) enum Array {
    /// The input at this position.
    Input(usize),
    /// Space for a result of this kind and shape.
    Room(Kind, Vec<usize>),
}

impl Array {
    /// Returns space for a result of a work.
    pub fn room(output: &Output) -> Array {
        match output {
            Output::Array(kind, shape) => Array::Room(*kind, shape.clone()),
            Output::Counted(kind, most) => Array::Room(*kind, vec![*most]),
        }
    }

    /// Places the array on a device, with its kind and shape; arrays other than inputs hold zeros.
    pub fn place(&self, inputs: &[Value], memory: &DeviceMemory) -> Result<Placed, String> {
        let (kind, shape) = match self {
            Array::Input(at) => (inputs[*at].kind, inputs[*at].shape.clone()),
            Array::Room(kind, shape) => (*kind, shape.clone()),
        };
        let bytes = (shape.iter().product::<usize>() * kind.size()) as u64;
        let block = memory.allocate(bytes).map_err(|error| error.to_string())?;
        let filled = match self {
            Array::Input(at) => block.write(0, inputs[*at].bytes()),
            Array::Room(..) => block.fill(0, &[0; 4], bytes),
        };
        filled.map_err(|error| error.to_string())?;
        Ok((block, kind, shape))
    }
}

/// An array on a device.
pub(super) type Placed = (Arc<DeviceBlock>, Kind, Vec<usize>);

/// Copies an array back to the host.
pub(super) fn fetch((block, kind, shape): &Placed) -> Result<Value, String> {
    let mut value = Value::zeros(*kind, shape);
    block.read(0, value.bytes_mut()).map_err(|error| error.to_string())?;
    Ok(value)
}

/// A plan on a device.
pub(super) struct Launches {
    name: &'static str,
    kernels: Arc<dyn DeviceKernels>,
    memory: DeviceMemory,
    arrays: Vec<Placed>,
    plan: Plan,
}

/// Returns a kernel's text as the device's compiler takes it.
pub fn kernel_text(text: &str) -> String {
    format!("{DIALECT}\n{text}")
}

/// Returns the text of a kernel, with parameters of the types of these arguments.
fn text_of((name, text): Source, arguments: &[Argument]) -> KernelText {
    let param = |argument: &Argument| match argument {
        Argument::Scalar(value) => DeviceParam::Scalar(value.ty()),
        Argument::Array(_) => DeviceParam::Memory { read: true, written: true },
    };
    let params = arguments.iter().map(param).collect();
    let name = name.to_string();
    let kernel = DeviceKernel {
        name,
        params,
        group: Some(GROUP),
        local: Vec::new(),
        per_item: 1,
        failures: Failures::Ignored,
        arena: false,
    };
    let text = kernel_text(text);
    let body = 0..text.len();
    KernelText { text, features: Features::default(), kernels: vec![kernel], bodies: vec![body] }
}

impl Launches {
    /// Builds a kernel on a device and copies the inputs there.
    pub fn prepare(
        name: &'static str,
        source: Source,
        plan: Plan,
        inputs: &[Value],
        context: &Context,
        device: (Dialect, usize),
    ) -> Result<Launches, String> {
        let arguments = plan.launches.first().map_or(&[][..], |(_, arguments)| arguments);
        let kernels = context.build_kernels(device, &text_of(source, arguments))?;
        let memory = context.device_memory(device.0, device.1).map_err(|error| error.to_string())?;
        let arrays =
            plan.arrays.iter().map(|array| array.place(inputs, &memory)).collect::<Result<_, _>>()?;
        Ok(Launches { name, kernels, memory, arrays, plan })
    }
}

impl Peer for Launches {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        let pins: Result<Vec<_>, _> =
            self.arrays.iter().map(|(block, ..)| block.pin(Access::Write)).collect();
        let pins = pins.map_err(|error| error.to_string())?;
        let argument = |argument: &Argument| match *argument {
            Argument::Scalar(value) => DeviceArgument::Scalar(value),
            Argument::Array(at) => DeviceArgument::Memory(pins[at].buffer()),
        };
        let start = Instant::now();
        for (groups, arguments) in &self.plan.launches {
            let arguments: Vec<DeviceArgument> = arguments.iter().map(argument).collect();
            // SAFETY: the arguments match the kernel, and the arrays have the sizes that it expects.
            unsafe { self.kernels.launch(0, &arguments, *groups) }.map_err(|error| error.to_string())?;
        }
        self.memory.device().finish().map_err(|error| error.to_string())?;
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        self.plan.results.iter().map(|&at| fetch(&self.arrays[at])).collect()
    }
}
