//! Helpers that run programs of the core IR through scheduling, placement, lowering and the interpreter.

#![allow(dead_code)] // every test binary uses its own part

use warpwise_diag::FileId;
use warpwise_imp::interp::{Data, Report, Stop, run, run_on_device};
use warpwise_imp::lower::{self, Scanning};
use warpwise_imp::{CpuTarget, ImpProgram, verify};
use warpwise_ir::verify::Level;
use warpwise_opt::pass::{Pass, run_passes};
use warpwise_opt::pipelines;
use warpwise_prim::Scalar;

/// Vector widths of the CPUs that programs are lowered for: 2 to 64 lanes.
pub const VECTOR_BITS: [u32; 3] = [128, 256, 512];

/// Returns a CPU with vectors of this many bits.
pub fn target(vector_bits: u32) -> CpuTarget {
    CpuTarget {
        name: "x86-64".to_string(),
        features: String::new(),
        vector_bits,
        mask_registers: vector_bits == 512,
        compress_narrow: false,
    }
}

/// Returns the passes that make a program lowerable, and no others.
fn least_passes() -> Vec<Pass> {
    let names = ["segment", "schedule", "place"];
    names.map(|name| *pipelines::pass(name).expect("a pass of this name")).to_vec()
}

/// Lowers a program of level `soac` after these passes.
fn lowered(text: &str, passes: &[Pass], vector_bits: u32) -> ImpProgram {
    let mut program = warpwise_ir::parse::parse(text, FileId(0)).expect("the program parses");
    let passed = run_passes(passes, &mut program, Level::Soac, |_, _, _| {});
    passed.unwrap_or_else(|failure| panic!("{failure:?}"));
    let lowered = lower::lower(&program, &target(vector_bits)).expect("the program can be lowered");
    assert_eq!(verify::verify(&lowered), Ok(()));
    lowered
}

/// Returns the text form of a program lowered for vectors of 512 bits.
pub fn shown(text: &str) -> String {
    lowered(text, &least_passes(), 512).to_string()
}

/// Returns the text form of a program after all passes, lowered for vectors of 512 bits.
pub fn shown_optimised(text: &str) -> String {
    lowered(text, &pipelines::strict(pipelines::CPU), 512).to_string()
}

/// Returns whether every kernel of a program uses vectors.
pub fn all_in_lanes(text: &str) -> bool {
    let program = lowered(text, &least_passes(), 512);
    program.kernels.values().all(|kernel| kernel.regs.values().any(|reg| reg.ty.is_vector()))
}

/// A program lowered for each CPU, without and with the optimiser, and for devices: for programs that run many times.
pub struct Machines {
    cpus: Vec<ImpProgram>,
    devices: Vec<ImpProgram>,
}

impl Machines {
    pub fn of(text: &str) -> Machines {
        let passes = [least_passes(), pipelines::strict(pipelines::CPU)];
        let cpus = passes.iter().flat_map(|passes| VECTOR_BITS.map(|bits| lowered(text, passes, bits)));
        let devices = SCANNING.map(|scanning| for_device(text, scanning));
        Machines { cpus: cpus.collect(), devices: devices.into() }
    }

    /// Runs the function `main` on every machine.
    pub fn run(&self, args: &[Data]) -> Vec<Result<Report, Stop>> {
        let cpus = self.cpus.iter().map(|program| run(program, "main", args));
        cpus.chain(self.devices.iter().map(|program| run_on_device(program, "main", args))).collect()
    }
}

/// Runs the function `main` on each CPU, without and with the optimiser, and on devices.
pub fn run_all(text: &str, args: &[Data]) -> Vec<Result<Report, Stop>> {
    let mut outcomes = run_on_cpus(text, args);
    // Only scans and partitions depend on the method.
    let looks_back = text.contains("scan") || text.contains("partition");
    for scanning in SCANNING.into_iter().filter(|&scanning| looks_back || scanning == Scanning::Tiles) {
        outcomes.push(run_on_device(&for_device(text, scanning), "main", args));
    }
    outcomes
}

/// Runs the function `main` on each CPU, without and with the optimiser.
fn run_on_cpus(text: &str, args: &[Data]) -> Vec<Result<Report, Stop>> {
    let mut outcomes = Vec::new();
    for passes in [least_passes(), pipelines::strict(pipelines::CPU)] {
        outcomes.extend(VECTOR_BITS.map(|bits| run(&lowered(text, &passes, bits), "main", args)));
    }
    outcomes
}

/// Methods for scans on devices that run work-groups.
const SCANNING: [Scanning; 3] =
    [Scanning::Tiles, Scanning::LookBack { whole_words: true }, Scanning::LookBack { whole_words: false }];

/// Lowers a program of level `soac` for a device.
pub fn for_device(text: &str, scanning: Scanning) -> ImpProgram {
    let mut program = warpwise_ir::parse::parse(text, FileId(0)).expect("the program parses");
    let passes = pipelines::strict(pipelines::DEVICE);
    let passed = run_passes(&passes, &mut program, Level::Soac, |_, _, _| {});
    passed.unwrap_or_else(|failure| panic!("{failure:?}"));
    let lowered = lower::lower_for_device(&program, scanning).expect("the program can be lowered");
    assert_eq!(verify::verify(&lowered), Ok(()));
    lowered
}

/// Checks that every machine yields these results and leaks no block.
pub fn expect(text: &str, args: &[Data], results: &[Data]) {
    expect_of(run_all(text, args), results);
}

/// Checks that the CPUs yield these results, for programs whose meaning on other machines is not fixed.
pub fn expect_on_cpus(text: &str, args: &[Data], results: &[Data]) {
    expect_of(run_on_cpus(text, args), results);
}

fn expect_of(outcomes: Vec<Result<Report, Stop>>, results: &[Data]) {
    for (i, outcome) in outcomes.into_iter().enumerate() {
        let report = outcome.unwrap_or_else(|stop| panic!("machine {i}: {stop:?}"));
        assert!(report.results == results, "machine {i}: other results than expected");
        assert_eq!(report.leaked, Vec::<String>::new(), "machine {i}");
    }
}

/// Checks that the machine with the widest vectors yields these results, for runs that take long.
pub fn expect_on_last(text: &str, args: &[Data], results: &[Data]) {
    let report = run(&lowered(text, &least_passes(), 512), "main", args).expect("the run succeeds");
    assert!(report.results == results, "other results than expected");
}

/// Returns an `i64`.
pub fn int(value: i64) -> Data {
    Data::Scalar(Scalar::I64(value))
}

/// Returns an `f32`.
pub fn float(value: f32) -> Data {
    Data::Scalar(Scalar::F32(value))
}

/// Returns an array of `i64`.
pub fn ints(values: impl IntoIterator<Item = i64>) -> Data {
    Data::Array(values.into_iter().flat_map(i64::to_le_bytes).collect())
}

/// Returns an array of `i32`.
pub fn words(values: impl IntoIterator<Item = i32>) -> Data {
    Data::Array(values.into_iter().flat_map(i32::to_le_bytes).collect())
}

/// Returns an array of `f32`.
pub fn floats(values: impl IntoIterator<Item = f32>) -> Data {
    Data::Array(values.into_iter().flat_map(f32::to_le_bytes).collect())
}

/// Returns an array of `bool`.
pub fn bools(values: impl IntoIterator<Item = bool>) -> Data {
    Data::Array(values.into_iter().map(u8::from).collect())
}

/// Sizes around every number of lanes, and more than one block.
pub const SIZES: [i64; 14] = [0, 1, 2, 3, 4, 5, 15, 16, 17, 63, 64, 65, 1000, 40_000];

/// Checks that on every machine the run stops at a check, in this iteration, with these values.
pub fn expect_failure(text: &str, args: &[Data], iteration: i64, shown: &[i64]) {
    for (i, outcome) in run_all(text, args).into_iter().enumerate() {
        match outcome {
            Err(Stop::Check { iteration: own, values, .. }) => {
                let values: Vec<i64> = values.into_iter().filter_map(Scalar::as_int).collect();
                assert_eq!((own, &values[..]), (iteration, shown), "machine {i}");
            }
            other => panic!("machine {i}: {other:?}"),
        }
    }
}
