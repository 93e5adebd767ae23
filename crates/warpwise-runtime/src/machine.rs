//! The code of the host's register machine.
//!
//! Host code allocates, decides and launches; it is compact, portable and the same for every
//! device. Registers hold the bits of scalars ([`warpwise_prim::Scalar::to_bits`]); memory registers
//! hold shared blocks, freed when nobody holds them.
//!
//! ```text
//!  0  load_const r2 4
//!  1  binary     r3 = mul i64 r0 r2
//!  2  alloc      m1 r3
//!  3  launch     kernel 0 (r0, m0, m1) extent r0 static
//!  4  return
//! ```

use serde::{Deserialize, Serialize};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp, ValueType};

/// A scalar register.
pub type Reg = u32;
/// A memory register.
pub type MemReg = u32;
/// A position in a function's code.
pub type Target = u32;

/// Everything that the run time needs to run a program, except the kernels' native code.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Module {
    /// Host functions.
    pub functions: Vec<Function>,
    /// Kernel names, by number.
    pub kernels: Vec<KernelName>,
    /// Messages of the failing checks, by number.
    pub checks: Vec<Check>,
}

impl Module {
    /// Returns the names of the tuning parameters, in order of first occurrence in the code.
    pub fn parameters(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for instr in self.functions.iter().flat_map(|function| &function.code) {
            if let Instr::Tuned { name, .. } = instr
                && !names.contains(&name.as_str())
            {
                names.push(name);
            }
        }
        names
    }
}

/// Name and source position of a kernel, for messages.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
pub struct KernelName {
    /// Unique within the module.
    pub name: String,
    /// `file:line:column` of the operation that the kernel was made from.
    pub place: String,
    /// Source lines of the kernel's statements if there are several: `file:3, 7-9`.
    pub lines: String,
    /// An `f64` expression of the kernel, with its place; empty if there is none, or none with a place.
    pub doubles: String,
}

/// Purpose of the block in a memory register, for messages.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct BlockName {
    /// Name of the array that the block is allocated for.
    pub array: String,
    /// `file:line:column` of the statement that makes the block; empty for parameters.
    pub place: String,
}

/// A host function.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Function {
    /// Unique within the module.
    pub name: String,
    /// Number of scalar registers.
    pub regs: u32,
    /// The memory registers.
    pub mems: Vec<BlockName>,
    /// Places of the arguments, in order.
    pub params: Vec<Slot>,
    /// The code; ends with `Return`.
    pub code: Vec<Instr>,
    /// Places of the results, in order.
    pub results: Vec<Slot>,
}

/// Place of an argument or result.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Slot {
    /// A scalar of this type.
    Scalar(ScalarType, Reg),
    /// A dense row-major array. Its sizes are in registers; the sizes of a parameter are separate arguments.
    Array {
        /// Element type.
        elem: ScalarType,
        /// Block of the array.
        mem: MemReg,
        /// Sizes of the array.
        shape: Vec<Reg>,
    },
}

/// One instruction. `dst` registers come first.
#[allow(missing_docs)] // the fields are named in each instruction's description
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Instr {
    /// `dst = bits`.
    Const { dst: Reg, bits: u64 },
    /// `dst = x`.
    Move { dst: Reg, x: Reg },
    /// `dst = op x`, on values of type `ty`.
    Unary { dst: Reg, op: UnaryOp, ty: ScalarType, x: Reg },
    /// `dst = op x y`.
    Binary { dst: Reg, op: BinaryOp, ty: ScalarType, x: Reg, y: Reg },
    /// `dst = op x y z`.
    Ternary { dst: Reg, op: TernaryOp, ty: ScalarType, x: Reg, y: Reg, z: Reg },
    /// `dst = op x y`, a `bool`.
    Compare { dst: Reg, op: CompareOp, ty: ScalarType, x: Reg, y: Reg },
    /// `dst = op x`.
    Convert { dst: Reg, op: ConvertOp, from: ScalarType, to: ScalarType, x: Reg },
    /// `dst = cond ? x : y`.
    Select { dst: Reg, cond: Reg, x: Reg, y: Reg },
    /// Continues at `target`.
    Jump { target: Target },
    /// Continues at `target` unless `cond` holds.
    JumpUnless { cond: Reg, target: Target },
    /// Ends the function.
    Return,
    /// `dst` = a fresh block.
    Alloc { dst: MemReg, bytes: Reg },
    /// Lets go of a block.
    Release { mem: MemReg },
    /// `dst` shares the block of `src`.
    SetMem { dst: MemReg, src: MemReg },
    /// `dst` = the element at `index` of a block seen as an array of `ty`.
    Load { dst: Reg, mem: MemReg, index: Reg, ty: ScalarType },
    /// Sets an element.
    Store { mem: MemReg, index: Reg, value: Reg, ty: ScalarType },
    /// Runs a kernel over `0..extent`. Its first failure is raised at once; on a device, when a value is read back or the run
    /// ends.
    Launch(Box<Launch>),
    /// Copies a whole array between views.
    Copy(Box<Copy>),
    /// Sets `count` elements, starting at `index`, to `value`.
    Fill { mem: MemReg, index: Reg, count: Reg, value: Reg, ty: ScalarType },
    /// Raises check `check` with these values.
    Fail { check: u32, values: Vec<Reg> },
    /// `dst: i64` = the value that the program was loaded with for this tuning parameter.
    Tuned { dst: Reg, name: String, default: i64 },
    /// `dst: i64` = the number of threads that run kernels.
    Threads { dst: Reg },
    /// Calls a function of the module; arguments and results are in the order of its slots. Raises check `too_deep` if calls nest
    /// too deep.
    Call { function: u32, args: Vec<Arg>, results: Vec<Arg>, too_deep: u32 },
}

/// A scalar or memory register.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Arg {
    /// A scalar register.
    Reg(Reg),
    /// A memory register.
    Mem(MemReg),
}

/// The launch of a kernel.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// Number of the kernel.
    pub kernel: u32,
    /// Arguments, in order.
    pub args: Vec<Arg>,
    /// Blocks among the arguments that the kernel may write.
    pub written: Vec<MemReg>,
    /// Number of iterations.
    pub extent: Reg,
    /// Division of the range among workers.
    pub schedule: Schedule,
    /// Alignment: parts begin at multiples of this number.
    pub align: i64,
    /// Register with the estimated cost of one iteration in simple scalar operations.
    pub cost: Reg,
    /// The arrays of host code that the kernel works on, as they lie in their blocks.
    pub arrays: Vec<LaunchedArray>,
}

/// An array in one of the blocks that a kernel receives.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LaunchedArray {
    /// Element type.
    pub elem: ScalarType,
    /// Sizes, outermost first.
    pub shape: Vec<Reg>,
    /// Placement in its block.
    pub view: View,
}

/// Division of a range among workers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Schedule {
    /// The whole range in one call on the calling thread.
    Sequential,
    /// Iterations of equal cost: contiguous parts, about one per worker.
    Static,
    /// Iterations of varying cost: parts are split while other workers are idle.
    Dynamic,
    /// One iteration per part, claimed in increasing order; later iterations may wait for earlier ones.
    Ordered,
}

/// A copy of a whole array between strided views.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Copy {
    /// Element type.
    pub elem: ScalarType,
    /// Sizes, outermost first.
    pub shape: Vec<Reg>,
    /// Destination.
    pub dst: View,
    /// Source.
    pub src: View,
}

/// A strided view of a block, in elements.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct View {
    /// The block.
    pub mem: MemReg,
    /// Offset of the first element.
    pub offset: Reg,
    /// Distance between neighbours in each dimension, outermost first.
    pub strides: Vec<Reg>,
}

/// The message of a failing check.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Check {
    /// Text and values in order.
    pub parts: Vec<CheckPart>,
    /// `file:line:column` of the check.
    pub place: String,
    /// Places where the function with the check was called, innermost first.
    pub calls: Vec<String>,
}

/// A piece of a message.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum CheckPart {
    /// Literal text.
    Text(String),
    /// The next value, printed as this type.
    Value(ValueType),
}
