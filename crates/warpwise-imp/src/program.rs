//! Programs, host functions and kernels.

use warpwise_diag::Span;
use warpwise_ir::EntryPoint;
use warpwise_ir::entity;
use warpwise_ir::entity::PrimaryMap;
use warpwise_prim::ScalarType;
use warpwise_runtime::machine::{CheckPart, Schedule};

use crate::op::Block;
use crate::types::{Mem, MemData, Operand, Reg, RegData, StridedView};

entity!(
    /// A kernel of a program.
    KernelId
);

entity!(
    /// A run-time check of a program.
    CheckId
);

/// A lowered program.
#[derive(Clone, Default, Debug)]
pub struct ImpProgram {
    /// Host functions; [`crate::Op::Call`] names them by position.
    pub functions: Vec<HostFunction>,
    /// Kernels.
    pub kernels: PrimaryMap<KernelId, Kernel>,
    /// Everything that can fail.
    pub checks: PrimaryMap<CheckId, Check>,
}

/// Code that runs on the host's register machine: it allocates, decides, launches.
#[derive(Clone, Debug)]
pub struct HostFunction {
    /// Unique within the program.
    pub name: String,
    /// How the outside world sees it.
    pub entry: Option<EntryPoint>,
    /// Registers; all scalar.
    pub regs: PrimaryMap<Reg, RegData>,
    /// Memories.
    pub mems: PrimaryMap<Mem, MemData>,
    /// Parameters, in the order of the core function's.
    pub params: Vec<HostParam>,
    /// What it does; ends by falling off the end.
    pub body: Block,
    /// Results, in the order of the core function's.
    pub results: Vec<HostResult>,
}

/// A parameter of a host function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostParam {
    /// A scalar.
    Scalar(Reg),
    /// An array, dense and row-major from the start of its block; its sizes are scalar parameters or constants.
    Array {
        /// Its block.
        mem: Mem,
        /// Element type.
        elem: ScalarType,
        /// Sizes.
        shape: Vec<Operand>,
    },
}

/// A result of a host function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostResult {
    /// A scalar.
    Scalar(Operand),
    /// An array, dense and row-major from the start of its block.
    Array {
        /// Its block.
        mem: Mem,
        /// Element type.
        elem: ScalarType,
        /// Sizes.
        shape: Vec<Operand>,
    },
}

/// A function compiled to native or device code. The CPU runs it for parts `lo..hi` of a range, one
/// call a task; a GPU runs it once a work-item, or once a work-group where there is a [`Group`].
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Unique within the program.
    pub name: String,
    /// Arguments, set by the launch.
    pub params: Vec<KernelParam>,
    /// Registers.
    pub regs: PrimaryMap<Reg, RegData>,
    /// Memories.
    pub mems: PrimaryMap<Mem, MemData>,
    /// First index of the part to do; `i64`.
    pub lo: Reg,
    /// One past the last.
    pub hi: Reg,
    /// How work-items work together at one iteration.
    pub group: Option<Group>,
    /// What it does.
    pub body: Block,
    /// Where it came from.
    pub span: Span,
    /// Where its statements came from, in order.
    pub places: Vec<Span>,
    /// Where the first of them came from that computes an `f64`.
    pub doubles: Option<Span>,
}

/// The work-group that does an iteration of a device's kernel: all its work-items run the body, each with registers
/// of its own. What one writes others may read after the next [`crate::Op::Barrier`], which all of them reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// How many work-items; a power of two.
    pub size: u32,
    /// The number of the work-item, from 0; `i64`.
    pub item: Reg,
    /// Memory that the work-items share.
    pub local: Vec<LocalArray>,
}

/// An array in the local memory of a work-group, of unspecified contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalArray {
    /// The memory.
    pub mem: Mem,
    /// Type of its elements.
    pub elem: ScalarType,
    /// The number of elements: a constant, or a scalar parameter of the kernel.
    pub count: Operand,
}

impl LocalArray {
    /// Returns its size in bytes if that is known before the kernel is launched.
    pub fn known_bytes(&self) -> Option<i64> {
        Some(self.count.as_int()? * self.elem.bytes() as i64)
    }
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KernelParam {
    /// A scalar.
    Scalar(Reg),
    /// A block of global memory.
    Memory {
        /// The memory.
        mem: Mem,
        /// No other argument that is written overlaps it.
        noalias: bool,
        /// The kernel does not write it.
        read_only: bool,
    },
}

/// The launch of a kernel over the range `0..extent`.
#[derive(Clone, PartialEq, Debug)]
pub struct Launch {
    /// The kernel.
    pub kernel: KernelId,
    /// The scalar arguments, in order.
    pub args: Vec<Operand>,
    /// The memory arguments, in order.
    pub mem_args: Vec<Mem>,
    /// How many iterations, `i64`; none if not positive.
    pub extent: Operand,
    /// How parts are handed out.
    pub schedule: Schedule,
    /// Parts begin at multiples of this; at least 1.
    pub align: i64,
    /// Estimated cost of one iteration in simple scalar operations, `i64`.
    pub cost: Operand,
    /// The arrays of the host among those that the kernel works on. Not printed: the run time compares them with their blocks.
    pub arrays: Vec<LaunchedArray>,
}

/// An array in one of the memories that a launch hands to a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchedArray {
    /// Element type.
    pub elem: ScalarType,
    /// Sizes.
    pub shape: Vec<Operand>,
    /// Where it lies.
    pub view: StridedView,
}

/// What to say when a check fails.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Text and values in order.
    pub parts: Vec<CheckPart>,
    /// Where.
    pub span: Span,
    /// Where the function with the check was called, innermost first.
    pub calls: Vec<Span>,
}
