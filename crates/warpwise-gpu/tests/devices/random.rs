//! Random programs (`warpwise_ir::generate`) on devices.
//!
//! `WARPWISE_SEEDS=1000..2000` tries other programs than the few default ones; `WARPWISE_DIALECT=opencl` (or `cuda`) tries all of
//! them only on that kind of device.

use warpwise_diag::Failure;
use warpwise_gpu::kernel_text::Dialect;
use warpwise_imp::lower::{Scanning, lower_for_device};
use warpwise_interp::acceptable::acceptable;
use warpwise_interp::{ArrayValue, InterpError, Value, interpret};
use warpwise_ir::generate::{self, Case, Checks, Options, generate};
use warpwise_ir::verify::Level;
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;
use warpwise_runtime::execute::RunError;

use crate::device::{Device, devices};
use crate::host;
use crate::maps::agree_all;

/// Seeds of the programs that every run of the tests tries.
const SEEDS: std::ops::Range<u64> = 0..40;

/// OpenCL's compilers for processors take seconds per program: they get one program in this many.
const OPENCL: u64 = 20;

#[test]
fn random_programs() {
    let seeds = std::env::var("WARPWISE_SEEDS").map_or(SEEDS, |text| {
        let (first, end) = text.split_once("..").expect("a range like 100..200");
        first.parse().expect("a number")..end.parse().expect("a number")
    });
    let only = std::env::var("WARPWISE_DIALECT").ok().map(|name| match name.as_str() {
        "opencl" => Dialect::OpenCl,
        "cuda" => Dialect::Cuda,
        _ => panic!("WARPWISE_DIALECT is opencl or cuda"),
    });
    for seed in seeds {
        // Shown when the test fails.
        println!("seed {seed}");
        // Every third program may fail, and every seventh has small arrays.
        let failing = seed.is_multiple_of(3).then(Checks::default);
        let (statements, small) = (5 + (seed % 30) as usize, seed % 7 == 4);
        let options = Options { statements, failing, small, ..Options::default() };
        let case = generate(seed, &options);
        for device in devices() {
            let is_tried = match only {
                Some(only) => device.dialect == only,
                None => device.dialect == Dialect::Cuda || seed.is_multiple_of(OPENCL),
            };
            if is_tried {
                check(&device, &case, (seed, &options));
            }
        }
    }
}

/// Asserts that a program on the device gives the interpreter's results, or a result that is acceptable because checks of unused
/// values were removed.
fn check(device: &Device, case: &Case, (seed, options): (u64, &Options)) {
    let args: Vec<Value> = case.args.iter().map(value).collect();
    let main = case.program.entry("main").expect("an entry point `main`");
    let expected = match options.failing {
        None => vec![interpret(&case.program, main, args.clone())],
        Some(_) => acceptable(seed, options, &args),
    };
    let mut program = case.program.clone();
    let passes = pipelines::strict(pipelines::DEVICE);
    match run_passes(&passes, &mut program, Level::Soac, |_, _, _| {}) {
        Ok(_) => {}
        Err(Failure::Limit(_)) => return,
        Err(failure) => panic!("seed {seed}: {failure:?}"),
    }
    let whole_words = device.dialect == Dialect::Cuda;
    for scanning in [Scanning::Tiles, Scanning::LookBack { whole_words }] {
        let Ok(lowered) = lower_for_device(&program, scanning) else { return };
        let found = host::run(device, &lowered, &args);
        let right = expected.iter().find(|expected| match (&found, expected) {
            (Ok(_), Ok(_)) => true,
            (Err(RunError::Check { message: found, .. }), Err(InterpError::Check { message, .. })) => {
                found == message
            }
            _ => false,
        });
        match (&found, right) {
            (Ok(results), Some(Ok(expected))) => agree_all(results, expected),
            (Err(_), Some(Err(_))) => {}
            _ => panic!("seed {seed}: {found:?} where {expected:?} is right\n{}", case.program),
        }
    }
}

fn value(value: &generate::Value) -> Value {
    match value.shape.is_empty() {
        true => Value::Scalar(value.data[0]),
        false => Value::Array(ArrayValue::new(value.elem, value.shape.clone(), value.data.clone())),
    }
}
