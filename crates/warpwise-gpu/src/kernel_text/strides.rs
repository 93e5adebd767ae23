//! Kernels whose work-items do several iterations, so that each has several loads under way.
//!
//! ```text
//! const long stride = (long)gridDim.x * blockDim.x;
//! const long lo = first + ((long)blockIdx.x * blockDim.x + threadIdx.x), hi = extent;
//! if (lo + 3 * stride < hi) {
//!     #pragma unroll
//!     for (int step = 0; step < 4; step++) { unit = lo + step * stride; ... }
//! } else {
//!     for (unit = lo; unit < hi; unit += stride) { ... } }
//! ```
//!
//! A device has to have some megabytes of loads under way before its memory is busy (bandwidth times latency), which one load
//! of a few bytes for each resident work-item does not come to. Iterations of a work-item are as far apart as the launch is
//! wide, so that neighbours still load side by side.
//!
//! Only kernels that are one loop over their iterations, and straight lines inside: others have enough to do. Those that access
//! nothing but their own elements do neighbouring iterations instead (see [`together`](super::together)). Not for OpenCL,
//! whose compilers for processors make vectors of neighbouring work-items.

use warpwise_imp::{Block, Kernel, Op, ops};

use super::dialect::Dialect;
use super::printer::{Printed, Printer};

/// Iterations of a work-item.
const PER_ITEM: u32 = 4;

/// Operations of an iteration at most.
const MOST_OPERATIONS: usize = 48;

/// Iterations that a work-item of a kernel does, where there are many.
pub(super) fn per_item(kernel: &Kernel, dialect: Dialect) -> u32 {
    match kernel.body.as_slice() {
        [Op::For { from, to, step: 1, body, .. }]
            if dialect == Dialect::Cuda
                && kernel.group.is_none()
                && *from == kernel.lo.into()
                && *to == kernel.hi.into()
                && operations(body).is_some_and(|count| count <= MOST_OPERATIONS) =>
        {
            PER_ITEM
        }
        _ => 1,
    }
}

/// How many operations a block has; none where it repeats any, waits, or takes memory.
pub(super) fn operations(block: &Block) -> Option<usize> {
    block.iter().try_fold(0, |count, op| {
        let inside = match op {
            Op::For { .. }
            | Op::While { .. }
            | Op::Locked { .. }
            | Op::Barrier
            | Op::Ticket { .. }
            | Op::Await { .. }
            | Op::Publish { .. }
            | Op::ArenaAlloc { .. } => return None,
            ops!(value, lane, access, SetMem, ArenaMark, ArenaReset, If, Scope, Leave, Fail, flag, host) => {
                op.blocks().into_iter().flatten().map(operations).sum::<Option<usize>>()?
            }
        };
        Some(count + 1 + inside)
    })
}

impl Printer<'_> {
    /// The first iteration of the work-item, and how far the others are from it.
    pub(super) fn first_of_several(&mut self) {
        let (lo, hi) = (self.reg(self.kernel.lo), self.reg(self.kernel.hi));
        let (item, items) = (self.dialect.work_item(), self.dialect.work_items());
        self.line(&format!("const long stride = {items};"));
        self.line(&format!("const long {lo} = first + {item}, {hi} = extent;"));
    }

    /// The kernel's body: as many iterations as a work-item has at most, all at once, or those there are.
    pub(super) fn strided(&mut self) -> Printed<()> {
        let [Op::For { index, body, .. }] = self.kernel.body.as_slice() else {
            return self.bug("several iterations of what is not one loop");
        };
        let (lo, hi, unit) = (self.reg(self.kernel.lo), self.reg(self.kernel.hi), self.reg(*index));
        let per_item = self.per_item;
        self.line(&format!("if ({lo} + {} * stride < {hi}) {{", per_item - 1));
        self.line("    #pragma unroll");
        self.line(&format!("    for (int step = 0; step < {per_item}; step++) {{"));
        self.line(&format!("        {unit} = {lo} + step * stride;"));
        self.further_in(body)?;
        self.line("    }");
        self.line("} else {");
        self.line("    #pragma unroll 1");
        self.line(&format!("    for ({unit} = {lo}; {unit} < {hi}; {unit} += stride) {{"));
        self.further_in(body)?;
        self.line("    }");
        self.line("}");
        Ok(())
    }
}
