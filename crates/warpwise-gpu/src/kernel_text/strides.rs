//! Kernels whose work-items do several iterations, so that each has several loads in flight.
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
//! A device needs some megabytes of loads in flight to keep its memory busy (bandwidth times latency). One load of a few bytes
//! per resident work-item is less than that. The iterations of a work-item are as far apart as the launch is wide, so
//! neighbouring work-items still load adjacent elements.
//!
//! Only for kernels that are a single loop over their iterations with a body without loops: others have enough work. Kernels that
//! access only their own elements do neighbouring iterations instead (see [`together`](super::together)). Not for OpenCL, whose
//! compilers for processors vectorise across neighbouring work-items.

use warpwise_imp::{Block, Kernel, Op, ops};

use super::dialect::Dialect;
use super::printer::{Printed, Printer};

/// Number of iterations per work-item.
const PER_ITEM: u32 = 4;

/// Maximum number of operations of an iteration.
const MOST_OPERATIONS: usize = 48;

/// Returns the number of iterations per work-item in large launches.
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

/// Returns the number of operations of a block, or `None` if it contains loops, waits, or takes memory.
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
    /// Prints the first iteration of the work-item and the distance between its iterations.
    pub(super) fn first_of_several(&mut self) {
        let (lo, hi) = (self.reg(self.kernel.lo), self.reg(self.kernel.hi));
        let (item, items) = (self.dialect.work_item(), self.dialect.work_items());
        self.line(&format!("const long stride = {items};"));
        self.line(&format!("const long {lo} = first + {item}, {hi} = extent;"));
    }

    /// Prints the kernel's body: all iterations of a work-item at once if there are enough, otherwise one by one.
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
