//! Runs programs of the core IR through scheduling, placement, lowering and the interpreter.

#![allow(dead_code)] // every test binary uses its own part

use warpwise_diag::FileId;
use warpwise_imp::interp::{Data, Report, Stop, run};
use warpwise_imp::{CpuTarget, ImpProgram, lower};
use warpwise_prim::Scalar;

/// The machines that programs are lowered for: 2 to 64 lanes.
pub const VECTOR_BITS: [u32; 3] = [128, 256, 512];

/// A machine with vectors of this many bits.
pub fn target(vector_bits: u32) -> CpuTarget {
    CpuTarget {
        name: "x86-64".to_string(),
        features: String::new(),
        vector_bits,
        mask_registers: vector_bits == 512,
        compress_narrow: false,
    }
}

/// A program of level `soac`, lowered.
pub fn lowered(text: &str, vector_bits: u32) -> ImpProgram {
    let mut program = warpwise_ir::parse::parse(text, FileId(0)).expect("the program parses");
    warpwise_opt::schedule::schedule(&mut program).expect("the program can be scheduled");
    warpwise_opt::place::place(&mut program).expect("the program can be placed");
    lower::lower(&program, &target(vector_bits)).expect("the program can be lowered")
}

/// Whether every kernel of a program uses vectors.
pub fn all_in_lanes(text: &str) -> bool {
    let program = lowered(text, 512);
    program.kernels.values().all(|kernel| kernel.regs.values().any(|reg| reg.ty.is_vector()))
}

/// What the function `main` comes to on each machine.
pub fn run_all(text: &str, args: &[Data]) -> Vec<Result<Report, Stop>> {
    VECTOR_BITS.iter().map(|&bits| run(&lowered(text, bits), "main", args)).collect()
}

/// Demands these results on every machine, and that no block leaks.
pub fn expect(text: &str, args: &[Data], results: &[Data]) {
    for (bits, outcome) in VECTOR_BITS.into_iter().zip(run_all(text, args)) {
        let report = outcome.unwrap_or_else(|stop| panic!("{bits} bits: {stop:?}"));
        assert_eq!(report.results, results, "{bits} bits");
        assert_eq!(report.leaked, Vec::<String>::new(), "{bits} bits");
    }
}

/// An `i64`.
pub fn int(value: i64) -> Data {
    Data::Scalar(Scalar::I64(value))
}

/// An `f32`.
pub fn float(value: f32) -> Data {
    Data::Scalar(Scalar::F32(value))
}

/// An array of `i64`.
pub fn ints(values: impl IntoIterator<Item = i64>) -> Data {
    Data::Array(values.into_iter().flat_map(i64::to_le_bytes).collect())
}

/// An array of `i32`.
pub fn words(values: impl IntoIterator<Item = i32>) -> Data {
    Data::Array(values.into_iter().flat_map(i32::to_le_bytes).collect())
}

/// An array of `f32`.
pub fn floats(values: impl IntoIterator<Item = f32>) -> Data {
    Data::Array(values.into_iter().flat_map(f32::to_le_bytes).collect())
}

/// Sizes around every number of lanes, and more than one block.
pub const SIZES: [i64; 14] = [0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 40_000];
