//! Handwritten kernels: their texts, and the launches of each work.

use warpwise_driver::{Context, Dialect};
use warpwise_prim::{Scalar, ScalarType};

use super::launches::{Argument, Array, GROUP, Launches, Plan, Source};
use crate::peer::Peer;
use crate::value::{Kind, Value};
use crate::work::Work;

/// Name of the column of handwritten kernels.
pub const BY_HAND: &str = "by hand";

/// The kernels, each with its text.
pub const SOURCES: [Source; 5] = [
    ("nbody", include_str!("../../../../benchmarks/baselines/gpu/nbody.cu")),
    ("mandelbrot", include_str!("../../../../benchmarks/baselines/gpu/mandelbrot.cu")),
    ("blackscholes", include_str!("../../../../benchmarks/baselines/gpu/blackscholes.cu")),
    ("hotspot", include_str!("../../../../benchmarks/baselines/gpu/hotspot.cu")),
    ("sgemm", include_str!("../../../../benchmarks/baselines/gpu/sgemm.cu")),
];

/// Returns the kernel for a work.
pub(super) fn source_of(work: &Work) -> Option<Source> {
    SOURCES.into_iter().find(|(name, _)| work.program.strip_suffix(".fut") == Some(name))
}

/// Prepares the work's kernel on a device, with the inputs in its memory.
pub fn by_hand(
    work: &Work,
    inputs: &[Value],
    context: &Context,
    device: (Dialect, usize),
) -> Result<Box<dyn Peer>, String> {
    let source = source_of(work).ok_or("there is no kernel by hand")?;
    Ok(Box::new(Launches::prepare(BY_HAND, source, plan(work, inputs), inputs, context, device)?))
}

/// Returns the launches of a work.
fn plan(work: &Work, inputs: &[Value]) -> Plan {
    match work.symbol {
        "hotspot" => hotspot(work, inputs),
        _ => one_launch(work, inputs),
    }
}

/// Returns the number of groups for `count` items, `each` per group.
fn groups(count: i64, each: i64) -> u64 {
    count.div_euclid(each) as u64 + u64::from(count.rem_euclid(each) > 0)
}

fn int(value: i64) -> Argument {
    Argument::Scalar(Scalar::I32(value as i32))
}

/// Returns the scalar of an input.
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

/// Plans a single launch: sizes, the scalars, the arrays, the results.
fn one_launch(work: &Work, inputs: &[Value]) -> Plan {
    let sizes = &work.sizes;
    let groups = match work.symbol {
        "mandelbrot" => groups(sizes[0], 16) * groups(sizes[1], 16),
        "sgemm" => groups(sizes[0], 128) * groups(sizes[2], 128),
        _ => groups(sizes[0], i64::from(GROUP)),
    };
    let is_scalar = |at: &usize| inputs[*at].shape.is_empty();
    // A kernel does not get the number of steps, which is one, or sizes that it knows.
    let left_out = match work.symbol {
        "nbody" => 1,
        "mandelbrot" => 2,
        _ => 0,
    };
    let mut arguments: Vec<Argument> = sizes.iter().map(|&size| int(size)).collect();
    arguments.extend((left_out..inputs.len()).filter(is_scalar).map(|at| scalar(&inputs[at])));
    let taken: Vec<usize> = (0..inputs.len()).filter(|at| !is_scalar(at)).collect();
    let mut arrays: Vec<Array> = taken.iter().map(|&at| Array::Input(at)).collect();
    arrays.extend(work.outputs.iter().map(Array::room));
    arguments.extend((0..arrays.len()).map(Argument::Array));
    let results = (taken.len()..arrays.len()).collect();
    Plan { arrays, launches: vec![(groups, arguments)], results }
}

/// Plans one launch per step, alternating between two grids.
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
    let arrays =
        vec![Array::Input(1), Array::Input(2), Array::room(&work.outputs[0]), Array::room(&work.outputs[0])];
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
