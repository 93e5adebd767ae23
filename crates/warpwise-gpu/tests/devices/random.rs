//! Random programs (`warpwise_ir::generate`) on devices.
//!
//! `WARPWISE_SEEDS=1000..2000` tries other programs than the few that always run.

use warpwise_diag::Failure;
use warpwise_gpu::kernel_text::Dialect;
use warpwise_imp::lower::{Scanning, lower_for_device};
use warpwise_interp::{ArrayValue, InterpError, Value, interpret};
use warpwise_ir::generate::{self, Case, Options, generate};
use warpwise_ir::verify::Level;
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;
use warpwise_runtime::execute::RunError;

use crate::device::{Device, devices};
use crate::host;
use crate::maps::agree_all;

/// Programs that every run of the tests tries, by seed.
const SEEDS: std::ops::Range<u64> = 0..40;

/// OpenCL's compilers for processors take seconds for a program: they get one of so many.
const OPENCL: u64 = 20;

#[test]
fn random_programs() {
    let seeds = std::env::var("WARPWISE_SEEDS").map_or(SEEDS, |text| {
        let (first, end) = text.split_once("..").expect("a range like 100..200");
        first.parse().expect("a number")..end.parse().expect("a number")
    });
    for seed in seeds {
        // Shown when the test fails.
        println!("seed {seed}");
        let case = generate(seed, &Options { statements: 5 + (seed % 30) as usize, ..Options::default() });
        for device in devices() {
            if device.dialect == Dialect::Cuda || seed.is_multiple_of(OPENCL) {
                check(&device, &case, seed);
            }
        }
    }
}

/// Demands of a program on the device what the interpreter says.
fn check(device: &Device, case: &Case, seed: u64) {
    let args: Vec<Value> = case.args.iter().map(value).collect();
    let main = case.program.entry("main").expect("an entry point `main`");
    let expected = interpret(&case.program, main, args.clone());
    let mut program = case.program.clone();
    let passes = pipelines::strict(pipelines::DEVICE);
    match run_passes(&passes, &mut program, Level::Soac, |_, _, _| {}) {
        Ok(_) => {}
        Err(Failure::Limit(_)) => return,
        Err(failure) => panic!("seed {seed}: {failure:?}"),
    }
    for scanning in [Scanning::Tiles, Scanning::LookBack { whole_words: true }] {
        let Ok(lowered) = lower_for_device(&program, scanning) else { return };
        match (host::run(device, &lowered, &args), &expected) {
            (Ok(results), Ok(expected)) => agree_all(&results, expected),
            (Err(RunError::Check { .. }), Err(InterpError::Check { .. })) => {}
            (found, expected) => {
                panic!("seed {seed}: {found:?} where {expected:?} is right\n{}", case.program)
            }
        }
    }
}

fn value(value: &generate::Value) -> Value {
    match value.shape.is_empty() {
        true => Value::Scalar(value.data[0]),
        false => Value::Array(ArrayValue::new(value.elem, value.shape.clone(), value.data.clone())),
    }
}
