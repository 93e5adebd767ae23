//! The operations. Destination registers come first; every operation on vectors works lane by lane
//! unless it says otherwise, and its operands have equally many lanes (constants stretch).

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarType, TernaryOp, UnaryOp};

use crate::program::{CheckId, Launch};
use crate::types::{Mem, Operand, Reg, StridedView};

/// Operations in order.
pub type Block = Vec<Op>;

/// The name of a [`Op::Scope`] within its function or kernel.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Label(pub u32);

/// Read-modify-write operations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AtomicOp {
    /// The old value combined with the new one. Integers, and floats where the operator is `fadd`, `fmin` or `fmax`.
    Binary(BinaryOp),
    /// The new value.
    Exchange,
}

/// What a word that is published says about other memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Order {
    /// Nothing: the word is all there is.
    Relaxed,
    /// Whoever has waited for the word sees what its publisher wrote before.
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
    /// `dst = op x y`. Division is by a safe operand in every lane, active or not.
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
    /// `dst[lane] = x`, other lanes stay.
    Insert { dst: Reg, x: Operand, lane: Operand },
    /// Lane `i` of `dst` is lane `lanes[i]` of `x` followed by `y`. `dst` may have another number of lanes.
    Shuffle { dst: Reg, x: Operand, y: Operand, lanes: Vec<u16> },
    /// `dst: bool` = whether any lane of the mask holds.
    Any { dst: Reg, mask: Operand },
    /// `dst: bool` = whether all lanes of the mask hold.
    All { dst: Reg, mask: Operand },
    /// `dst: i64` = how many lanes of the mask hold.
    Count { dst: Reg, mask: Operand },
    /// `dst: i64` = the first lane of the mask that holds; one must.
    First { dst: Reg, mask: Operand },

    // -- memory ------------------------------------------------------------------------------
    /// Loads elements of the type of `dst` (a `bool` is a byte, 0 or 1).
    /// A scalar `index` with a vector `dst`: contiguous elements from `index` on. A vector `index`: a gather.
    /// Lanes outside `mask` are not accessed and get zero.
    /// `ahead`: the caches are also asked for what lies so many elements (`i64`) further on, in the block or not, where
    /// the task will come to (contiguous only).
    Load { dst: Reg, mem: Mem, index: Operand, mask: Option<Operand>, ahead: Option<Operand> },
    /// Stores `value`, whose scalar type is `elem`; addressing as for loads. Of several lanes to one
    /// place the highest counts. `stream`: past the caches (contiguous only).
    Store { mem: Mem, index: Operand, value: Operand, elem: ScalarType, mask: Option<Operand>, stream: bool },
    /// Kernel: the caches are asked for the line of an element, in the block or not, because the task will write there soon.
    Claim { mem: Mem, index: Operand, elem: ScalarType },
    /// Stores the lanes of `value` for which `mask` holds next to each other from `index` on. `spare`: what lies
    /// behind them, within as many elements as there are lanes, may become anything.
    CompressStore { mem: Mem, index: Operand, value: Operand, elem: ScalarType, mask: Operand, spare: bool },
    /// Combines `value` into an element atomically; a vector does so lane by lane where `mask` holds.
    Atomic { op: AtomicOp, mem: Mem, index: Operand, value: Operand, elem: ScalarType, mask: Option<Operand> },
    /// `dst = src`, as pointers.
    SetMem { dst: Mem, src: Mem },
    /// Kernel: a fresh block from the task's arena, 64-byte aligned, of unspecified contents.
    ArenaAlloc { dst: Mem, bytes: Operand },
    /// Kernel: `dst: i64` = how full the arena is.
    ArenaMark { dst: Reg },
    /// Kernel: frees what was allocated since the mark.
    ArenaReset { mark: Operand },

    // -- control -----------------------------------------------------------------------------
    /// Runs one of two blocks; `cond` is a scalar `bool`.
    If { cond: Operand, then_block: Block, else_block: Block },
    /// `for index in from..to step`: `index` is a scalar integer register, not assigned in the body;
    /// `step` is a positive constant. `from` and `to` are read once.
    For { index: Reg, from: Operand, to: Operand, step: i64, body: Block },
    /// Runs `test`, leaves if `cond` is false, runs `body`, and again.
    While { test: Block, cond: Operand, body: Block },
    /// Runs the block; [`Op::Leave`] inside it continues after it.
    Scope { label: Label, body: Block },
    /// Continues after the scope of this label, which encloses this operation.
    Leave { label: Label },

    // -- failure -----------------------------------------------------------------------------
    /// Reports a failed check. In a kernel: records it unless an earlier iteration has failed, and goes on;
    /// `iteration` is the flat `i64` iteration. In host code: raises the error at once.
    Fail { check: CheckId, iteration: Operand, values: Vec<Operand> },

    // -- tasks that wait for tasks -------------------------------------------------------------
    /// Kernel: waits until the `i32` flag at `index` is not 0 (acquire). Returns also when the run is cancelled.
    WaitFlag { mem: Mem, index: Operand },
    /// Kernel: sets the `i32` flag at `index` to 1 (release).
    SetFlag { mem: Mem, index: Operand },

    // -- work-groups (GPU) ---------------------------------------------------------------------
    /// All work-items of a group meet; local and global memory are consistent afterwards.
    Barrier,
    /// `dst: i64` = the `i32` at `index`, which then is one more: no two work-items get the same.
    Ticket { dst: Reg, mem: Mem, index: Operand },
    /// Sets the word at `index`, an `i32` or `i64`, as a whole.
    Publish { mem: Mem, index: Operand, value: Operand, order: Order },
    /// `dst` = the word at `index`, an `i32` or `i64`, as soon as it is not 0. Whoever publishes it must run already, or be done.
    Await { dst: Reg, mem: Mem, index: Operand, order: Order },

    /// Kernel of a device: runs the block while no other work-item runs one under the lock at `index`, an `i32` that is 0
    /// while nobody does. The block leaves no scope around it, and waits for nobody.
    Locked { mem: Mem, index: Operand, body: Block },

    // -- host code only ------------------------------------------------------------------------
    /// A fresh block of global memory; the old one is released.
    Alloc { dst: Mem, bytes: Operand },
    /// Lets go of a block: it is freed when nobody holds it.
    Release { mem: Mem },
    /// Runs a kernel over a range. The first failure of it is raised before anything that it could be seen by.
    Launch(Box<Launch>),
    /// Copies a whole array of this shape between views.
    Copy { elem: ScalarType, shape: Vec<Operand>, dst: StridedView, src: StridedView },
    /// Sets `count` contiguous elements from `index` on to the scalar `value`.
    Fill { mem: Mem, index: Operand, count: Operand, value: Operand, elem: ScalarType },
    /// `dst: i64` = what the program was loaded with for this name.
    Tuned { dst: Reg, name: String, default: i64 },
    /// `dst: i64` = how many threads run kernels, at least 1: for hints, which no result may depend on.
    Threads { dst: Reg },
    /// Calls another host function. Scalars and memories in the order of its parameters and results.
    /// Where calls nest too deep, check `too_deep` fails.
    Call {
        function: usize,
        args: Vec<Operand>,
        mem_args: Vec<Mem>,
        results: Vec<Reg>,
        mem_results: Vec<Mem>,
        too_deep: CheckId,
    },
}

/// A pattern for operations by class: `ops!(If, lane)` matches any `If`, and operations between lanes.
///
/// It stands where a wildcard would: an operation that is new must be put in a class here, or else each `match` that it concerns
/// fails to compile. A name is a variant of [`Op`] or one of these classes, which are the sections of its definition:
/// `value`, `lane`, `access`, `arena`, `control`, `flag`, `group`, `host`.
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
