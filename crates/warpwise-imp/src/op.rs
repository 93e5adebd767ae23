//! The operations. Destination registers come first. Every operation on vectors works lane by lane unless it says otherwise; its
//! operands have equal numbers of lanes (constants fill all lanes).

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp};

use crate::program::{CheckId, Launch};
use crate::types::{Mem, Operand, Reg, StridedView};

/// A sequence of operations.
pub type Block = Vec<Op>;

/// The name of an [`Op::Scope`] within its function or kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// Combines the old value with the given one. Integers, and floats where the operator is `fadd`, `fmin` or `fmax`.
    Binary(BinaryOp),
    /// Replaces the old value.
    Exchange,
}

/// The guarantee that a published word gives about other memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// None: only the word itself is communicated.
    Relaxed,
    /// A work-item that has waited for the word sees everything that its publisher wrote before.
    Released,
}

/// One operation.
#[allow(missing_docs)] // the fields are named in each operation's description
#[derive(Clone, PartialEq, Debug)]
pub enum Op {
    // -- values ------------------------------------------------------------------------------
    /// `dst = x`. A scalar moved to a vector register fills all lanes.
    Move { dst: Reg, x: Operand },
    /// `dst = op x`.
    Unary { dst: Reg, op: UnaryOp, x: Operand },
    /// `dst = op x y`. The divisor must be safe in every lane, active or not.
    Binary { dst: Reg, op: BinaryOp, x: Operand, y: Operand },
    /// `dst = op x y z`.
    Ternary { dst: Reg, op: TernaryOp, x: Operand, y: Operand, z: Operand },
    /// `dst = op x y`; `dst` is a `bool` or a mask.
    Compare { dst: Reg, op: CompareOp, x: Operand, y: Operand },
    /// `dst = op x`, to the type of `dst`; `from` is the scalar type of `x`.
    Convert { dst: Reg, op: ConvertOp, from: ScalarType, x: Operand },
    /// `dst = cond ? x : y`; a scalar `cond` chooses for all lanes.
    Select { dst: Reg, cond: Operand, x: Operand, y: Operand },

    // -- lanes -------------------------------------------------------------------------------
    /// `dst = [0, 1, 2, ...]`, an integer vector.
    LaneIds { dst: Reg },
    /// `dst = x[lane]`; `lane` is an `i64` in range.
    Extract { dst: Reg, x: Operand, lane: Operand },
    /// `dst[lane] = x`; other lanes keep their values.
    Insert { dst: Reg, x: Operand, lane: Operand },
    /// Lane `i` of `dst` is lane `lanes[i]` of `x` followed by `y`. `dst` may have another number of lanes.
    Shuffle { dst: Reg, x: Operand, y: Operand, lanes: Vec<u16> },
    /// `dst: bool` = whether any lane of the mask holds.
    Any { dst: Reg, mask: Operand },
    /// `dst: bool` = whether all lanes of the mask hold.
    All { dst: Reg, mask: Operand },
    /// `dst: i64` = the number of lanes of the mask that hold.
    Count { dst: Reg, mask: Operand },
    /// `dst: i64` = the first lane of the mask that holds; at least one must hold.
    First { dst: Reg, mask: Operand },

    // -- memory ------------------------------------------------------------------------------
    /// Loads elements of the type of `dst` (a `bool` is a byte, 0 or 1).
    /// A scalar `index` with a vector `dst` loads contiguous elements from `index` on; a vector `index` gathers.
    /// Lanes outside `mask` are not accessed and get zero.
    /// `ahead`: also prefetches the elements at this distance (`i64`, in elements), inside the block or not, which the task will
    /// reach later (contiguous only).
    Load { dst: Reg, mem: Mem, index: Operand, mask: Option<Operand>, ahead: Option<Operand> },
    /// Stores `value`, whose scalar type is `elem`; addressing as for loads. Where several lanes write one place, the highest lane
    /// wins. `stream`: bypasses the caches (contiguous only).
    Store { mem: Mem, index: Operand, value: Operand, elem: ScalarType, mask: Option<Operand>, stream: bool },
    /// Kernel: prefetches the cache line of an element for writing, inside the block or not, because the task will write there
    /// soon.
    Claim { mem: Mem, index: Operand, elem: ScalarType },
    /// Stores the lanes of `value` for which `mask` holds next to each other from `index` on. `spare`: the elements behind them,
    /// up to the number of lanes, may be overwritten with anything.
    CompressStore { mem: Mem, index: Operand, value: Operand, elem: ScalarType, mask: Operand, spare: bool },
    /// Combines `value` with an element atomically; a vector does so lane by lane where `mask` holds.
    Atomic { op: AtomicOp, mem: Mem, index: Operand, value: Operand, elem: ScalarType, mask: Option<Operand> },
    /// `dst = src`, as pointers.
    SetMem { dst: Mem, src: Mem },
    /// Kernel: allocates a block in the task's arena, 64-byte aligned, of unspecified contents.
    ArenaAlloc { dst: Mem, bytes: Operand },
    /// Kernel: `dst: i64` = the number of bytes in use in the arena.
    ArenaMark { dst: Reg },
    /// Kernel: frees everything allocated since the mark.
    ArenaReset { mark: Operand },

    // -- control -----------------------------------------------------------------------------
    /// Runs one of two blocks; `cond` is a scalar `bool`.
    If { cond: Operand, then_block: Block, else_block: Block },
    /// `for index in from..to step`: `index` is a scalar integer register, not assigned in the body;
    /// `step` is a positive constant. `from` and `to` are read once.
    For { index: Reg, from: Operand, to: Operand, step: i64, body: Block },
    /// Runs `test`, leaves if `cond` is false, otherwise runs `body` and repeats.
    While { test: Block, cond: Operand, body: Block },
    /// Runs the block; an [`Op::Leave`] inside it continues after the block.
    Scope { label: Label, body: Block },
    /// Continues after the scope with this label, which must enclose this operation.
    Leave { label: Label },

    // -- failure -----------------------------------------------------------------------------
    /// Reports a failed check. In a kernel: records the failure unless an earlier iteration has failed, and continues; `iteration`
    /// is the flat `i64` iteration. In host code: raises the error at once.
    Fail { check: CheckId, iteration: Operand, values: Vec<Operand> },

    // -- tasks that wait for tasks -------------------------------------------------------------
    /// Kernel: waits until the `i32` flag at `index` is not 0 (acquire). Also returns when the run is cancelled.
    WaitFlag { mem: Mem, index: Operand },
    /// Kernel: sets the `i32` flag at `index` to 1 (release).
    SetFlag { mem: Mem, index: Operand },

    // -- work-groups (GPU) ---------------------------------------------------------------------
    /// Waits for all work-items of the group; local and global memory are consistent afterwards.
    Barrier,
    /// `dst: i64` = the `i32` at `index`, which is then incremented, so that no two work-items get the same value.
    Ticket { dst: Reg, mem: Mem, index: Operand },
    /// Sets the word at `index`, an `i32` or `i64`, in one piece.
    Publish { mem: Mem, index: Operand, value: Operand, order: Order },
    /// Waits until the word at `index`, an `i32` or `i64`, is not 0; then `dst` = the word. Its publisher must be running already,
    /// or done.
    Await { dst: Reg, mem: Mem, index: Operand, order: Order },

    /// Kernel of a device: runs the block under the lock at `index`, an `i32` that is 0 while the lock is free, so that no other
    /// work-item runs a block under the same lock. The block leaves no enclosing scope, and does not wait.
    Locked { mem: Mem, index: Operand, body: Block },

    // -- host code only ------------------------------------------------------------------------
    /// Allocates a block of global memory; the old block of `dst` is released.
    Alloc { dst: Mem, bytes: Operand },
    /// Releases a block, which is freed when nothing else holds it.
    Release { mem: Mem },
    /// Runs a kernel over a range. Its first failure is raised before anything that could observe the failure.
    Launch(Box<Launch>),
    /// Copies a whole array of shape `shape` between views.
    Copy { elem: ScalarType, shape: Vec<Operand>, dst: StridedView, src: StridedView },
    /// Sets `count` contiguous elements from `index` on to the scalar `value`.
    Fill { mem: Mem, index: Operand, count: Operand, value: Operand, elem: ScalarType },
    /// `dst: i64` = the value that the program was loaded with for this tuning parameter.
    Tuned { dst: Reg, name: String, default: i64 },
    /// `dst: i64` = the number of threads that run kernels, at least 1. For hints only: no result may depend on it.
    Threads { dst: Reg },
    /// Calls another host function. Scalars and memories are in the order of its parameters and results. Check `too_deep` fails
    /// where calls nest too deeply.
    Call {
        function: usize,
        args: Vec<Operand>,
        mem_args: Vec<Mem>,
        results: Vec<Reg>,
        mem_results: Vec<Mem>,
        too_deep: CheckId,
    },
}

/// A pattern for operations by class: `ops!(If, lane)` matches any `If`, and all operations between lanes.
///
/// It replaces wildcard patterns: a new operation must be assigned to a class here, otherwise each `match` that it concerns fails
/// to compile. A name is a variant of [`Op`] or one of these classes, which are the sections of its definition: `value`, `lane`,
/// `access`, `arena`, `control`, `flag`, `group`, `host`.
#[macro_export]
macro_rules! ops {
    (@value) => { $crate::ops!(Move, Unary, Binary, Ternary, Compare, Convert, Select) };
    (@lane) => { $crate::ops!(LaneIds, Extract, Insert, Shuffle, Any, All, Count, First) };
    (@access) => { $crate::ops!(Load, Store, Claim, CompressStore, Atomic) };
    (@arena) => { $crate::ops!(ArenaAlloc, ArenaMark, ArenaReset) };
    (@control) => { $crate::ops!(If, For, While, Scope, Leave) };
    (@flag) => { $crate::ops!(WaitFlag, SetFlag) };
    (@group) => { $crate::ops!(Barrier, Ticket, Publish, Await, Locked) };
    (@host) => { $crate::ops!(Alloc, Release, Launch, Copy, Fill, Tuned, Threads, Call) };
    (@$variant:ident) => { $crate::Op::$variant { .. } };
    ($($class:ident),+) => { $($crate::ops!(@$class))|+ };
}
