//! Random programs, compiled and run with vectors of every width this CPU has, against the
//! interpreter of the imperative IR: whatever differs is a mistake of the CPU back end, of the run
//! time or of the host machine.

use std::collections::HashMap;
use std::sync::Arc;

use warpwise_cpu::CompileOptions;
use warpwise_diag::Sources;
use warpwise_imp::interp::Data;
use warpwise_imp::{CpuTarget, ImpProgram};
use warpwise_ir::generate::{self, Case, generate};
use warpwise_ir::verify::Level;
use warpwise_opt::pass::{Pass, run_passes};
use warpwise_opt::pipelines;
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::array::Array;
use warpwise_runtime::execute::{Argument, Machine, Output};
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

/// How many programs are tried for each width.
const PROGRAMS: u64 = 24;

#[test]
fn compiled_programs_agree_with_the_interpreter() {
    let threads = Arc::new(ThreadPool::with_all_cores());
    let memory = MemoryPool::with_default_limit();
    let (mut ran, mut tried) = (0, 0);
    for bits in [128, 256, 512] {
        let Ok(target) = warpwise_cpu::target_with_width(bits) else { continue };
        for seed in 0..PROGRAMS {
            let options = options();
            let case = generate(seed * 3 + u64::from(bits), &options);
            tried += 1;
            if let Some(imp) = lowered(&case, &target) {
                check(&imp, &case, &target, &threads, &memory);
                ran += 1;
            }
        }
    }
    assert!(ran * 2 > tried, "only {ran} of {tried} programs reached the back end");
}

/// What is lowered completely.
fn options() -> generate::Options {
    generate::Options { float_sums: true, streams: false, scatters: false, ..generate::Options::default() }
}

/// Only what the lowering needs: other passes have tests of their own, and hide code from the back end.
const PASSES: [&str; 7] = ["inline", "accumulate", "regularise", "segment", "schedule", "contract", "place"];

/// The lowered program; `None` where a pass before the back end gives up, in whatever way: that is
/// for the tests of the passes to find.
fn lowered(case: &Case, target: &CpuTarget) -> Option<ImpProgram> {
    let passes: Vec<Pass> = PASSES.iter().filter_map(|name| pipelines::pass(name).copied()).collect();
    assert_eq!(passes.len(), PASSES.len());
    let run = || {
        let mut program = case.program.clone();
        run_passes(&passes, &mut program, Level::Soac, |_, _, _| {}).ok()?;
        warpwise_imp::lower::lower(&program, target).ok()
    };
    std::panic::catch_unwind(run).ok().flatten()
}

fn check(imp: &ImpProgram, case: &Case, target: &CpuTarget, threads: &Arc<ThreadPool>, memory: &MemoryPool) {
    let inputs: Vec<Data> = case.args.iter().map(data).collect();
    let expected = match warpwise_imp::interp::run(imp, "main", &inputs) {
        Ok(report) => report.results,
        Err(stop) => panic!("the interpreter stops: {stop:?}\n{}", case.program),
    };
    let module = warpwise_imp::bytecode::bytecode(imp, &Sources::default()).expect("host code");
    let object = warpwise_cpu::compile(imp, target, &CompileOptions::default()).expect("kernels");
    let kernels = warpwise_cpu::load(&object).expect("linked kernels");
    let functions = kernels.functions().to_vec();
    let machine = Machine::new(module, functions, Arc::clone(threads), memory.clone(), HashMap::new());
    let main = machine.module().functions.iter().position(|f| f.name == "main").expect("the entry point");
    let arguments = case.args.iter().map(|value| argument(value, memory)).collect();
    let outputs = machine.run(main, arguments).expect("generated programs do not fail");
    assert_eq!(outputs.len(), expected.len());
    for (position, (output, expected)) in outputs.iter().zip(&expected).enumerate() {
        let agrees = match (output, expected) {
            (Output::Scalar(got), Data::Scalar(expected)) => same(*got, *expected),
            (Output::Array(got), Data::Array(expected)) => same_elements(got, expected),
            (Output::Scalar(_), Data::Array(_)) | (Output::Array(_), Data::Scalar(_)) => false,
        };
        assert!(
            agrees,
            "result {position} with {} bits: {output:?} instead of {expected:?}\n{}",
            target.vector_bits, case.program
        );
    }
}

/// Whether two results are equal; NaNs are, and zeros of either sign, which `fmin` may choose between.
fn same(x: Scalar, y: Scalar) -> bool {
    match (x.as_float(), y.as_float()) {
        (Some(a), Some(b)) => a == b || a.is_nan() && b.is_nan(),
        _ => x == y,
    }
}

fn same_elements(got: &Array, expected: &[u8]) -> bool {
    let size = got.elem().bytes();
    let (got_bytes, ty) = (got.bytes(), got.elem());
    got_bytes.len() == expected.len()
        && got_bytes
            .chunks(size)
            .zip(expected.chunks(size))
            .all(|(x, y)| same(element(ty, x), element(ty, y)))
}

fn element(ty: ScalarType, bytes: &[u8]) -> Scalar {
    let mut bits = [0; 8];
    bits[..bytes.len()].copy_from_slice(bytes);
    Scalar::from_bits(ty, u64::from_le_bytes(bits))
}

fn bytes(value: &generate::Value) -> Vec<u8> {
    value.data.iter().flat_map(|x| x.to_bits().to_le_bytes()[..value.elem.bytes()].to_vec()).collect()
}

fn data(value: &generate::Value) -> Data {
    if value.shape.is_empty() { Data::Scalar(value.data[0]) } else { Data::Array(bytes(value)) }
}

fn argument(value: &generate::Value, memory: &MemoryPool) -> Argument {
    if value.shape.is_empty() {
        return Argument::Scalar(value.data[0]);
    }
    let shape: Vec<i64> = value.shape.iter().map(|&extent| extent as i64).collect();
    let mut array = Array::allocate(memory, value.elem, &shape).expect("memory");
    array.bytes_mut(memory).expect("memory").copy_from_slice(&bytes(value));
    Argument::Block(Arc::clone(array.data()))
}
