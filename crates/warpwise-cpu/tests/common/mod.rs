//! Shared code of this crate's tests: construction of kernels, a machine that runs them, and values to run them on.
#![allow(dead_code)] // each test binary uses a part

use std::ffi::c_void;

use warpwise_cpu::{CompileOptions, LoadedKernels, compile, detect_target, load, target_with_width};
use warpwise_diag::{Bug, Failure, Span};
use warpwise_imp::{
    Block, CpuTarget, ImpProgram, ImpType, Kernel, KernelId, KernelParam, Mem, MemData, Op, Operand, Reg,
    RegData, Space,
};
use warpwise_ir::entity::PrimaryMap;
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::kernel::TaskContext;

/// A kernel under construction.
pub struct KernelBuilder {
    name: String,
    params: Vec<KernelParam>,
    regs: PrimaryMap<Reg, RegData>,
    mems: PrimaryMap<Mem, MemData>,
    pub lo: Reg,
    pub hi: Reg,
}

impl KernelBuilder {
    pub fn new(name: &str) -> KernelBuilder {
        let mut regs = PrimaryMap::new();
        let mut bound =
            |name: &str| regs.push(RegData { ty: ImpType::scalar(ScalarType::I64), name: name.into() });
        let (lo, hi) = (bound("lo"), bound("hi"));
        KernelBuilder { name: name.into(), params: Vec::new(), regs, mems: PrimaryMap::new(), lo, hi }
    }

    pub fn reg(&mut self, ty: ScalarType, lanes: u16) -> Reg {
        self.regs.push(RegData { ty: ImpType { scalar: ty, lanes }, name: String::new() })
    }

    pub fn mem(&mut self, space: Space) -> Mem {
        self.mems.push(MemData::new(space, ""))
    }

    pub fn scalar_param(&mut self, ty: ScalarType) -> Reg {
        let reg = self.reg(ty, 1);
        self.params.push(KernelParam::Scalar(reg));
        reg
    }

    pub fn input(&mut self) -> Mem {
        self.memory_param(true, true)
    }

    pub fn output(&mut self) -> Mem {
        self.memory_param(true, false)
    }

    pub fn memory_param(&mut self, noalias: bool, read_only: bool) -> Mem {
        let mem = self.mem(Space::Global);
        self.params.push(KernelParam::Memory { mem, noalias, read_only });
        mem
    }

    pub fn finish(self, body: Block) -> Kernel {
        let KernelBuilder { name, params, regs, mems, lo, hi } = self;
        Kernel {
            name,
            params,
            regs,
            mems,
            lo,
            hi,
            group: None,
            body,
            span: Span::NONE,
            places: Vec::new(),
            doubles: None,
        }
    }

    /// Builds an elementwise kernel: `compute` turns the inputs, loaded `lanes` at a time, into the output.
    pub fn elementwise(
        name: &str,
        lanes: u16,
        inputs: &[ScalarType],
        output: ScalarType,
        compute: impl FnOnce(Reg, &[Reg]) -> Op,
    ) -> Kernel {
        let mut k = KernelBuilder::new(name);
        let mems: Vec<Mem> = inputs.iter().map(|_| k.input()).collect();
        let out = k.output();
        let index = k.reg(ScalarType::I64, 1);
        let values: Vec<Reg> = inputs.iter().map(|&ty| k.reg(ty, lanes)).collect();
        let result = k.reg(output, lanes);
        let mut body: Block = mems
            .iter()
            .zip(&values)
            .map(|(&mem, &dst)| Op::Load { dst, mem, index: index.into(), mask: None, ahead: None })
            .collect();
        body.push(compute(result, &values));
        body.push(store(out, index.into(), result.into(), output));
        let (from, to) = (k.lo.into(), k.hi.into());
        k.finish(vec![Op::For { index, from, to, step: lanes.into(), body }])
    }
}

pub fn store(mem: Mem, index: Operand, value: Operand, elem: ScalarType) -> Op {
    Op::Store { mem, index, value, elem, mask: None, stream: false }
}

/// Compiled kernels with a context to run them in.
pub struct Machine {
    kernels: LoadedKernels,
}

/// A failure that a kernel has reported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reported {
    pub check: u32,
    pub iteration: i64,
    pub values: Vec<u64>,
}

/// The state that the run time would own: an arena in chunks and a list of failures.
pub struct Surroundings {
    chunks: Vec<Vec<u64>>,
    pub failures: Vec<Reported>,
    pub grown: usize,
    pub waited: usize,
    pub out_of_memory: bool,
}

/// Returns the compiler bug that a failure reports.
pub fn bug(failure: Failure) -> Bug {
    match failure {
        Failure::Bug(bug) => bug,
        Failure::User(_) | Failure::Limit(_) => panic!("{failure:?}"),
    }
}

impl Machine {
    pub fn new(kernels: Vec<Kernel>, target: &CpuTarget) -> Machine {
        let program = program(kernels);
        let object = compile(&program, target, &CompileOptions::default()).unwrap_or_else(|failure| {
            let bug = bug(failure);
            panic!("{}\n{}", bug.message, bug.ir.lines().take(60).collect::<Vec<_>>().join("\n"))
        });
        Machine { kernels: load(&object).unwrap_or_else(|e| panic!("{e}")) }
    }

    /// Runs a kernel on `0..n` with these arguments, as bits or addresses.
    pub fn run(&self, kernel: usize, args: &[u64], n: i64) -> Surroundings {
        let mut around = Surroundings {
            chunks: Vec::new(),
            failures: Vec::new(),
            grown: 0,
            waited: 0,
            out_of_memory: false,
        };
        self.run_in(&mut around, kernel, args, n);
        around
    }

    pub fn run_in(&self, around: &mut Surroundings, kernel: usize, args: &[u64], n: i64) {
        let mut context = TaskContext {
            arena_top: std::ptr::null_mut(),
            arena_end: std::ptr::null_mut(),
            grow_arena,
            reset_arena,
            fail,
            wait_flag,
            worker: 0,
            owner: std::ptr::from_mut(around).cast::<c_void>(),
        };
        let id: KernelId = warpwise_ir::entity::Entity::new(kernel);
        let function = self.kernels.kernel(id).expect("a kernel of this number");
        // SAFETY: the context outlives the call; every test passes the arguments that its kernel's parameters require.
        unsafe { function(&mut context, args.as_ptr(), 0, n) }
    }
}

pub fn program(kernels: Vec<Kernel>) -> ImpProgram {
    let mut program = ImpProgram::default();
    for kernel in kernels {
        program.kernels.push(kernel);
    }
    program
}

unsafe fn surroundings<'a>(context: *mut TaskContext) -> &'a mut Surroundings {
    // SAFETY: `run_in` points `owner` at its surroundings for as long as the kernel runs.
    unsafe { &mut *(*context).owner.cast::<Surroundings>() }
}

unsafe extern "C" fn grow_arena(context: *mut TaskContext, bytes: i64) -> *mut u8 {
    // SAFETY: the context is the one of `run_in`.
    let around = unsafe { surroundings(context) };
    around.grown += 1;
    if around.out_of_memory {
        return std::ptr::null_mut();
    }
    let size = (bytes as usize + 63) & !63;
    let chunk = vec![0xaaaa_aaaa_aaaa_aaaa_u64; (size + 4096) / 8];
    around.chunks.push(chunk);
    let chunk = around.chunks.last_mut().expect("just pushed");
    let start = ((chunk.as_mut_ptr() as usize + 63) & !63) as *mut u8;
    let end = chunk.as_mut_ptr_range().end.cast::<u8>();
    // SAFETY: as above; the chunk has room for `size` bytes from `start` on.
    unsafe {
        (*context).arena_top = start.add(size);
        (*context).arena_end = end;
    }
    start
}

unsafe extern "C" fn reset_arena(context: *mut TaskContext, mark: *mut u8) {
    // SAFETY: the context is the one of `run_in`.
    let around = unsafe { surroundings(context) };
    let within = |chunk: &&Vec<u64>| chunk.as_ptr_range().contains(&mark.cast_const().cast::<u64>());
    let end =
        around.chunks.iter().find(within).map_or(mark, |chunk| chunk.as_ptr_range().end.cast_mut().cast());
    // SAFETY: as above. A mark outside all chunks was taken before the first chunk: there is no room.
    unsafe {
        (*context).arena_top = mark;
        (*context).arena_end = end;
    }
}

unsafe extern "C" fn fail(
    context: *mut TaskContext,
    check: u32,
    iteration: i64,
    values: *const u64,
    count: u32,
) {
    // SAFETY: the context is the one of `run_in`; the kernel passes `count` values.
    let (around, values) =
        unsafe { (surroundings(context), std::slice::from_raw_parts(values, count as usize)) };
    around.failures.push(Reported { check, iteration, values: values.to_vec() });
}

unsafe extern "C" fn wait_flag(context: *mut TaskContext, flag: *const u32) {
    // SAFETY: as above. The flag is never set here: tests check the count.
    unsafe { surroundings(context) }.waited += 1;
    assert!(!flag.is_null());
}

// -- targets ---------------------------------------------------------------------------------

/// Returns the CPU of this process with each of its vector widths, and narrower machines that it can stand in for.
pub fn targets() -> Vec<CpuTarget> {
    let mut targets: Vec<CpuTarget> =
        [512, 256, 128].iter().filter_map(|&bits| target_with_width(bits).ok()).collect();
    let older = |name: &str, vector_bits| CpuTarget {
        name: name.into(),
        features: String::new(),
        vector_bits,
        mask_registers: false,
        compress_narrow: false,
    };
    if detect_target().vector_bits >= 256 {
        targets.push(older("x86-64-v3", 256));
    }
    targets.push(older("x86-64", 128));
    targets
}

// -- values ----------------------------------------------------------------------------------

/// Returns the elements of an array in memory, with 8 extra bytes at the end.
pub fn pack(values: &[Scalar]) -> Vec<u8> {
    let mut bytes: Vec<u8> =
        values.iter().flat_map(|v| v.to_bits().to_le_bytes()[..v.ty().bytes()].to_vec()).collect();
    bytes.extend([0; 8]);
    bytes
}

/// Returns the elements of an array in memory.
pub fn unpack(bytes: &[u8], ty: ScalarType, count: usize) -> Vec<Scalar> {
    let element = |i: usize| {
        let mut bits = [0; 8];
        bits[..ty.bytes()].copy_from_slice(&bytes[i * ty.bytes()..(i + 1) * ty.bytes()]);
        Scalar::from_bits(ty, u64::from_le_bytes(bits))
    };
    (0..count).map(element).collect()
}

/// Random bits, the same in every run.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns arbitrary bits of the type; half of the integers are small.
    pub fn scalar(&mut self, ty: ScalarType) -> Scalar {
        let bits = self.bits();
        let small = ty.is_int() && bits & 1 == 1;
        Scalar::from_bits(ty, if small { ((bits as i64) >> 58) as u64 } else { self.bits() })
    }
}

/// Returns boundary values of a type and a few ordinary ones.
pub fn interesting(ty: ScalarType) -> Vec<Scalar> {
    let bits = ty.bits();
    let mut values = match ty {
        ScalarType::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            let ends = [i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)];
            let mut values = vec![0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 10, 100, -100];
            values.extend([
                bits as i64 - 1,
                bits as i64,
                bits as i64 + 1,
                1 << (bits / 2),
                -(1 << (bits / 2)),
                0x55,
            ]);
            if ty == ScalarType::I64 {
                let (least, most) = (i64::from(i32::MIN), i64::from(i32::MAX));
                values.extend([least - 1, least, least + 1, most - 1, most, most + 1]);
            }
            values.extend([ends[0], ends[0] + 1, ends[1], ends[1] - 1, ends[0] / 2, ends[1] / 2 + 1]);
            values.into_iter().map(|v| Scalar::int(ty, v)).collect()
        }
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => floats(ty),
    };
    values.dedup();
    values
}

fn floats(ty: ScalarType) -> Vec<Scalar> {
    let ordinary =
        [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 0.1, 1e-3, 100.0, 127.0, 255.5, 2047.5, 32768.0];
    let large = [65504.0, 65520.0, 1e5, 2147483647.0, 2147483648.0, 9.2e18, 1.9e19, 1e30, 1e300];
    let extreme = [f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324, 1e-40, 6e-8];
    let values = ordinary.into_iter().chain(large).chain(extreme);
    let mut values: Vec<Scalar> =
        values.flat_map(|x| [Scalar::float(ty, x), Scalar::float(ty, -x)]).collect();
    let infinity = Scalar::float(ty, f64::INFINITY).to_bits();
    let least_normal = infinity & infinity.wrapping_neg();
    let patterns = [1, 2, least_normal - 1, least_normal, least_normal + 1, infinity - 1];
    values.extend(patterns.map(|bits| Scalar::from_bits(ty, bits)));
    values
}
