//! Whether a kernel relies on its loads, that is, whether wrong contents of its arrays could make it do harm.
//!
//! ```text
//! x = load a[i]; y = fmul x x; store b[i] = y        no: the worst it does is to store nonsense
//! j = load a[i]; x = load b[j]; store c[i] = x       yes: `j` may lead out of `b`
//! n = load a[i]; for k in 0..n { ... }               yes: the loop may take forever
//! ```
//!
//! Such a kernel must not run after a failed launch (see [`warpwise_runtime::device::failure`]). Any other kernel may, so it need
//! not check for failures. The scalar arguments of a kernel come from the host, which takes no values from failed launches.
//!
//! Loaded values, and all values computed from them, must not decide which elements are accessed, how often loops run, how much
//! memory is taken, or whether any of these happens. The answer is conservative: it may be yes for a kernel that does no harm.

use rustc_hash::FxHashSet;
use warpwise_imp::{Block, Kernel, Op, Operand, Reg};

/// Returns whether a kernel relies on its loads.
pub(super) fn relies_on_loads(kernel: &Kernel) -> bool {
    let mut walk = Walk::default();
    // A register that loops carry may be recognised as loaded only in the second walk, or later; every walk but the last adds a
    // register.
    loop {
        let known = walk.loaded.len();
        walk.block(&kernel.body, false);
        if walk.relies || walk.loaded.len() == known {
            return walk.relies;
        }
    }
}

/// State of the analysis.
#[derive(Default)]
struct Walk {
    /// Registers that depend on loaded values.
    loaded: FxHashSet<Reg>,
    relies: bool,
}

impl Walk {
    fn is_loaded(&self, x: Operand) -> bool {
        matches!(x, Operand::Reg(reg) if self.loaded.contains(&reg))
    }

    /// Notes an assignment from these operands; `decided` tells whether its execution depends on loaded values.
    fn assign(&mut self, dst: Reg, from: &[Operand], decided: bool) {
        if decided || from.iter().any(|&x| self.is_loaded(x)) {
            self.loaded.insert(dst);
        }
    }

    /// Notes that these operands, and the execution of the operation, must not depend on loaded values.
    fn rely(&mut self, on: &[Operand], decided: bool) {
        self.relies = self.relies || decided || on.iter().any(|&x| self.is_loaded(x));
    }

    fn block(&mut self, block: &Block, decided: bool) {
        block.iter().for_each(|op| self.op(op, decided));
    }

    fn op(&mut self, op: &Op, decided: bool) {
        match op {
            Op::Move { dst, x } | Op::Unary { dst, x, .. } | Op::Convert { dst, x, .. } => {
                self.assign(*dst, &[*x], decided);
            }
            Op::Binary { dst, op, x, y } => {
                // Some processors stop at a division by zero.
                if op.can_fail() {
                    self.rely(&[*y], decided);
                }
                self.assign(*dst, &[*x, *y], decided);
            }
            Op::Compare { dst, x, y, .. } => self.assign(*dst, &[*x, *y], decided),
            Op::Ternary { dst, x, y, z, .. } | Op::Select { dst, cond: x, x: y, y: z } => {
                self.assign(*dst, &[*x, *y, *z], decided);
            }
            Op::Load { dst, index, mask, .. } => {
                self.rely(&[*index], decided);
                self.rely(mask.as_slice(), decided);
                self.loaded.insert(*dst);
            }
            Op::Store { index, mask, .. } | Op::Atomic { index, mask, .. } => {
                self.rely(&[*index], decided);
                self.rely(mask.as_slice(), decided);
            }
            Op::If { cond, then_block, else_block } => {
                let decided = decided || self.is_loaded(*cond);
                self.block(then_block, decided);
                self.block(else_block, decided);
            }
            Op::For { index, from, to, body, .. } => {
                self.rely(&[*from, *to], decided);
                self.assign(*index, &[*from, *to], decided);
                self.block(body, decided);
            }
            Op::While { test, cond, body } => {
                self.block(test, decided);
                self.rely(&[*cond], decided);
                self.block(body, decided);
            }
            Op::Scope { body, .. } => self.block(body, decided),
            Op::Barrier | Op::Leave { .. } => self.rely(&[], decided),
            Op::ArenaMark { dst } => self.assign(*dst, &[], decided),
            Op::ArenaAlloc { bytes: x, .. } | Op::ArenaReset { mark: x } => self.rely(&[*x], decided),
            Op::SetMem { .. } => self.rely(&[], decided),
            // `Claim` is a hint, and a recorded failure is heeded anyway.
            Op::Claim { .. } | Op::Fail { .. } => {}
            // Operations by which work-items wait for each other or draw tickets.
            Op::Locked { .. } | Op::Ticket { .. } | Op::Publish { .. } | Op::Await { .. } => {
                self.relies = true;
            }
            // The printer refuses these.
            Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. }
            | Op::CompressStore { .. }
            | Op::WaitFlag { .. }
            | Op::SetFlag { .. }
            | Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Tuned { .. }
            | Op::Threads { .. }
            | Op::Call { .. } => {}
        }
    }
}
