//! Kernels written by hand: their texts, and the launches that a work is.

use std::sync::Arc;
use std::time::{Duration, Instant};

use warpwise_driver::{Context, Dialect};
use warpwise_gpu::kernel_text::{Features, KernelText};
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::device::memory::{Access, DeviceBlock, DeviceMemory};
use warpwise_runtime::device::{DeviceArgument, DeviceKernel, DeviceKernels, DeviceParam, Failures};

use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::{Output, Work};

/// What the texts mean in either language.
const DIALECT: &str = include_str!("../../../../benchmarks/baselines/gpu/dialect.h");

/// Threads of a block, in all kernels.
const GROUP: u32 = 256;

/// A kernel by its name, with its text.
type Source = (&'static str, &'static str);

/// The kernels, each with its text.
pub const SOURCES: [Source; 5] = [
    ("nbody", include_str!("../../../../benchmarks/baselines/gpu/nbody.cu")),
    ("mandelbrot", include_str!("../../../../benchmarks/baselines/gpu/mandelbrot.cu")),
    ("blackscholes", include_str!("../../../../benchmarks/baselines/gpu/blackscholes.cu")),
    ("hotspot", include_str!("../../../../benchmarks/baselines/gpu/hotspot.cu")),
    ("sgemm", include_str!("../../../../benchmarks/baselines/gpu/sgemm.cu")),
];

/// The kernel that does a work.
pub(super) fn source_of(work: &Work) -> Option<Source> {
    SOURCES.into_iter().find(|(name, _)| work.program.strip_suffix(".fut") == Some(name))
}

/// An argument of a launch.
#[derive(Clone, Copy)]
enum Argument {
    Scalar(Scalar),
    /// An array of the plan, by position.
    Array(usize),
}

/// What is launched: the arrays, the launches in order, and which of the arrays are the results.
struct Plan {
    /// Inputs, then what is written.
    arrays: Vec<Array>,
    launches: Vec<(u64, Vec<Argument>)>,
    results: Vec<usize>,
}

/// An array of a plan.
enum Array {
    /// The input at this position.
    Input(usize),
    /// Room for a result of this kind and shape.
    Room(Kind, Vec<usize>),
}

/// A kernel by hand with its arrays on a device.
pub struct ByHand {
    kernels: Arc<dyn DeviceKernels>,
    memory: DeviceMemory,
    arrays: Vec<(Arc<DeviceBlock>, Kind, Vec<usize>)>,
    plan: Plan,
}

/// The text of a kernel, whose parameters these arguments tell.
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
        per_item: 1,
        failures: Failures::Ignored,
        arena: false,
    };
    KernelText { text: kernel_text(text), features: Features::default(), kernels: vec![kernel] }
}

/// A kernel's text as the device's compiler takes it.
pub fn kernel_text(text: &str) -> String {
    format!("{DIALECT}\n{text}")
}

impl ByHand {
    /// Builds the work's kernel on a device and copies the inputs there.
    pub fn prepare(
        work: &Work,
        inputs: &[Value],
        context: &Context,
        device: (Dialect, usize),
    ) -> Result<ByHand, String> {
        let source = source_of(work).ok_or("there is no kernel by hand")?;
        let plan = plan(work, inputs);
        let arguments = plan.launches.first().map_or(&[][..], |(_, arguments)| arguments);
        let kernels = context.build_kernels(device, &text_of(source, arguments))?;
        let memory = context.device_memory(device.0, device.1).map_err(|error| error.to_string())?;
        let place = |array: &Array| {
            let (kind, shape) = match array {
                Array::Input(at) => (inputs[*at].kind, inputs[*at].shape.clone()),
                Array::Room(kind, shape) => (*kind, shape.clone()),
            };
            let bytes = shape.iter().product::<usize>() * kind.size();
            let block = memory.allocate(bytes as u64).map_err(|error| error.to_string())?;
            if let Array::Input(at) = array {
                block.write(0, inputs[*at].bytes()).map_err(|error| error.to_string())?;
            }
            Ok((block, kind, shape))
        };
        let arrays = plan.arrays.iter().map(place).collect::<Result<_, String>>()?;
        Ok(ByHand { kernels, memory, arrays, plan })
    }
}

impl Peer for ByHand {
    fn name(&self) -> &str {
        "by hand"
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
            // SAFETY: the arguments are those of the kernel, and the arrays as large as it takes them to be.
            unsafe { self.kernels.launch(0, &arguments, *groups) }.map_err(|error| error.to_string())?;
        }
        self.memory.device().finish().map_err(|error| error.to_string())?;
        Ok(start.elapsed())
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        let result = |&at: &usize| {
            let (block, kind, shape) = &self.arrays[at];
            let mut value = Value::zeros(*kind, shape);
            block.read(0, value.bytes_mut()).map_err(|error| error.to_string())?;
            Ok(value)
        };
        self.plan.results.iter().map(result).collect()
    }
}

/// The launches of a work.
fn plan(work: &Work, inputs: &[Value]) -> Plan {
    match work.symbol {
        "hotspot" => hotspot(work, inputs),
        _ => one_launch(work, inputs),
    }
}

/// As many groups as it takes to do `count` things, `each` in a group.
fn groups(count: i64, each: i64) -> u64 {
    count.div_euclid(each) as u64 + u64::from(count.rem_euclid(each) > 0)
}

fn int(value: i64) -> Argument {
    Argument::Scalar(Scalar::I32(value as i32))
}

/// The scalar that an input is.
fn scalar(value: &Value) -> Argument {
    let ty = match value.kind {
        Kind::F32 => ScalarType::F32,
        Kind::F64 => ScalarType::F64,
        Kind::I32 => ScalarType::I32,
        Kind::I64 => ScalarType::I64,
    };
    let mut bits = [0; 8];
    bits[..value.bytes().len()].copy_from_slice(value.bytes());
    Argument::Scalar(Scalar::from_bits(ty, u64::from_le_bytes(bits)))
}

/// Works of a single launch: sizes, the scalars, the arrays, the results.
fn one_launch(work: &Work, inputs: &[Value]) -> Plan {
    let sizes = &work.sizes;
    let groups = match work.symbol {
        "mandelbrot" => groups(sizes[0], 16) * groups(sizes[1], 16),
        "sgemm" => groups(sizes[0], 128) * groups(sizes[2], 128),
        _ => groups(sizes[0], i64::from(GROUP)),
    };
    let is_scalar = |at: &usize| inputs[*at].shape.is_empty();
    // What a kernel is not told: the number of steps, which is one, and sizes, which it knows.
    let left_out = match work.symbol {
        "nbody" => 1,
        "mandelbrot" => 2,
        _ => 0,
    };
    let mut arguments: Vec<Argument> = sizes.iter().map(|&size| int(size)).collect();
    arguments.extend((left_out..inputs.len()).filter(is_scalar).map(|at| scalar(&inputs[at])));
    let taken: Vec<usize> = (0..inputs.len()).filter(|at| !is_scalar(at)).collect();
    let mut arrays: Vec<Array> = taken.iter().map(|&at| Array::Input(at)).collect();
    arrays.extend(work.outputs.iter().map(room));
    arguments.extend((0..arrays.len()).map(Argument::Array));
    let results = (taken.len()..arrays.len()).collect();
    Plan { arrays, launches: vec![(groups, arguments)], results }
}

fn room(output: &Output) -> Array {
    match output {
        Output::Array(kind, shape) => Array::Room(*kind, shape.clone()),
        Output::Counted(kind, most) => Array::Room(*kind, vec![*most]),
    }
}

/// A launch a step, from one grid to the other and back.
fn hotspot(work: &Work, inputs: &[Value]) -> Plan {
    let (rows, columns) = (work.sizes[0], work.sizes[1]);
    let (cell_height, cell_width) = (0.016 / rows as f32, 0.016 / columns as f32);
    let capacity = 0.5 * 1.75e6 * 0.0005 * cell_width * cell_height;
    let constants = [
        0.001 / (3.0e6 / (0.5 * 0.0005 * 1.75e6)) / capacity,
        2.0 * 100.0 * 0.0005 * cell_height / cell_width,
        2.0 * 100.0 * 0.0005 * cell_width / cell_height,
        100.0 * cell_height * cell_width / 0.0005,
    ];
    let arrays = vec![Array::Input(1), Array::Input(2), room(&work.outputs[0]), room(&work.outputs[0])];
    let groups = groups(rows, 8) * groups(columns, 32);
    let steps = inputs[0].i32s()[0] as usize;
    let launch = |step: usize| {
        let (from, to) = if step == 0 { (0, 2) } else { (2 + (step - 1) % 2, 2 + step % 2) };
        let mut arguments = vec![int(rows), int(columns)];
        arguments.extend(constants.map(|constant: f32| Argument::Scalar(Scalar::F32(constant))));
        arguments.extend([from, 1, to].map(Argument::Array));
        (groups, arguments)
    };
    let last = if steps == 0 { 0 } else { 2 + (steps - 1) % 2 };
    Plan { arrays, launches: (0..steps).map(launch).collect(), results: vec![last] }
}
