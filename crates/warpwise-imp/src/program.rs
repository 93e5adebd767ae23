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
    /// Host functions; [`crate::Op::Call`] refers to them by position.
    pub functions: Vec<HostFunction>,
    /// Kernels.
    pub kernels: PrimaryMap<KernelId, Kernel>,
    /// Run-time checks.
    pub checks: PrimaryMap<CheckId, Check>,
}

/// Code that runs on the host's register machine: it allocates, branches and launches.
#[derive(Clone, Debug)]
pub struct HostFunction {
    /// Name, unique within the program.
    pub name: String,
    /// Interface to callers, if the function is an entry point.
    pub entry: Option<EntryPoint>,
    /// Registers; all scalar.
    pub regs: PrimaryMap<Reg, RegData>,
    /// Memories.
    pub mems: PrimaryMap<Mem, MemData>,
    /// Parameters, in the order of those of the core function.
    pub params: Vec<HostParam>,
    /// Operations; the function returns at their end.
    pub body: Block,
    /// Results, in the order of those of the core function.
    pub results: Vec<HostResult>,
}

/// A parameter of a host function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostParam {
    /// A scalar.
    Scalar(Reg),
    /// An array, dense and row-major from the start of its block; its extents are scalar parameters or constants.
    Array {
        /// Block that holds the array.
        mem: Mem,
        /// Element type.
        elem: ScalarType,
        /// Extents, outermost first.
        shape: Vec<Operand>,
    },
}

impl HostParam {
    /// Returns the register of a scalar parameter.
    pub fn scalar(&self) -> Option<Reg> {
        match self {
            HostParam::Scalar(reg) => Some(*reg),
            HostParam::Array { .. } => None,
        }
    }
}

/// A result of a host function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostResult {
    /// A scalar.
    Scalar(Operand),
    /// An array, dense and row-major from the start of its block.
    Array {
        /// Block that holds the array.
        mem: Mem,
        /// Element type.
        elem: ScalarType,
        /// Extents, outermost first.
        shape: Vec<Operand>,
    },
}

impl HostResult {
    /// Returns the value of a scalar result.
    pub fn scalar(&self) -> Option<Operand> {
        match self {
            HostResult::Scalar(value) => Some(*value),
            HostResult::Array { .. } => None,
        }
    }
}

/// A function compiled to native or device code. The CPU calls it once for each task, a part `lo..hi` of a range. A GPU runs it
/// once for each work-item, or once for each work-group where there is a [`Group`].
#[derive(Clone, Debug)]
pub struct Kernel {
    /// Name, unique within the program.
    pub name: String,
    /// Parameters, set by the launch.
    pub params: Vec<KernelParam>,
    /// Registers.
    pub regs: PrimaryMap<Reg, RegData>,
    /// Memories.
    pub mems: PrimaryMap<Mem, MemData>,
    /// First index of the task; `i64`.
    pub lo: Reg,
    /// End of the task, exclusive; `i64`.
    pub hi: Reg,
    /// Work-group that computes one iteration together, if there is one.
    pub group: Option<Group>,
    /// Operations.
    pub body: Block,
    /// Source position of the kernel.
    pub span: Span,
    /// Source positions of its statements, in order.
    pub places: Vec<Span>,
    /// Source position of the first statement that computes an `f64`.
    pub doubles: Option<Span>,
}

/// The work-group that computes one iteration of a device kernel. All its work-items run the body, each with its own registers.
/// What one work-item writes, the others may read after the next [`crate::Op::Barrier`], which all of them reach.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Number of work-items; a power of two.
    pub size: u32,
    /// Index of the work-item in its group, from 0; `i64`.
    pub item: Reg,
    /// Memory that the work-items share.
    pub local: Vec<LocalArray>,
}

/// An array in the local memory of a work-group, of unspecified contents.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocalArray {
    /// The local memory.
    pub mem: Mem,
    /// Element type.
    pub elem: ScalarType,
    /// Number of elements: a constant, or a scalar parameter of the kernel.
    pub count: Operand,
}

impl LocalArray {
    /// Returns the size in bytes if it is known before the kernel is launched.
    pub fn known_bytes(&self) -> Option<i64> {
        Some(self.count.as_int()? * self.elem.bytes() as i64)
    }
}

/// A parameter of a kernel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KernelParam {
    /// A scalar.
    Scalar(Reg),
    /// A block of global memory.
    Memory {
        /// The memory of the block.
        mem: Mem,
        /// Whether no other argument that is written overlaps it.
        noalias: bool,
        /// Whether the kernel does not write it.
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
    /// Number of iterations, `i64`; the kernel does not run if it is not positive.
    pub extent: Operand,
    /// Distribution of the tasks over workers.
    pub schedule: Schedule,
    /// Multiple at which tasks begin; at least 1.
    pub align: i64,
    /// Estimated cost of one iteration in simple scalar operations, `i64`.
    pub cost: Operand,
    /// Host arrays that the kernel accesses. Not printed. The runtime checks that they lie in their blocks.
    pub arrays: Vec<LaunchedArray>,
}

/// An array in one of the memories that a launch hands to a kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct LaunchedArray {
    /// Element type.
    pub elem: ScalarType,
    /// Extents, outermost first.
    pub shape: Vec<Operand>,
    /// Placement of the array.
    pub view: StridedView,
}

/// The message of a failing check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Check {
    /// Text and values, in order.
    pub parts: Vec<CheckPart>,
    /// Source position of the check.
    pub span: Span,
    /// Source positions of the calls that lead to the function with the check, innermost first.
    pub calls: Vec<Span>,
}
