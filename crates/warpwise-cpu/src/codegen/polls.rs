//! Where loops look whether the run is cancelled.
//!
//! A loop that may run long asks at its back edge. One with little code in it asks once per strip: it runs so many iterations as it would
//! without, then asks, and goes on with the next strip. Between two questions of one task lie some ten thousand operations, which
//! take milliseconds at worst. A loop that is known to be short does not ask.
//!
//! ```text
//! strip:  stop = min(end, i + 4096)
//! body:   ...; i += 1; if i < stop goto body           as without
//!         if i < end goto poll else goto exit
//! poll:   if *cancelled goto interrupted else goto strip
//! ```
//!
//! A kernel that returns so says it in its context: nobody may use what it has made.

use warpwise_imp::traverse::any_op;
use warpwise_imp::{Block, Kernel, Op, Operand};
use warpwise_runtime::kernel::offsets;

use super::function::Function;
use super::llvm::{BlockName, Int, One, Type, int};

/// Operations that may run from one question to the next, when no other loop comes between.
const UNASKED: i64 = 1 << 16;

/// A body of so many operations can ask each time.
const HEAVY: i64 = 256;

/// A loop over loops that ask need not ask itself if it runs so often at most.
const FEW: i64 = 16;

/// When a counting loop asks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Polling {
    Never,
    EachIteration,
    /// After so many iterations.
    Strips(i64),
}

impl Polling {
    /// When a loop with this body asks that runs so often, if that is known. `wide`: its index counts in 32 bits or more.
    pub fn of(iterations: Option<i64>, body: &Block, wide: bool) -> Polling {
        match (iterations, longest(body)) {
            (Some(count), Some(operations)) if count.saturating_mul(operations) <= UNASKED => Polling::Never,
            (Some(count), None) if count <= FEW => Polling::Never,
            (_, Some(operations)) if operations < HEAVY && wide => {
                // A power of two, so that strips of one loop are alike.
                Polling::Strips(UNASKED >> (i64::BITS - operations.leading_zeros()))
            }
            (_, Some(operations)) if operations < HEAVY => Polling::Never,
            (_, Some(_) | None) => Polling::EachIteration,
        }
    }
}

impl Function<'_> {
    /// Reads from the context where the answer stands, if there are loops.
    pub fn find_cancelled(&mut self, kernel: &Kernel) {
        if any_op(&kernel.body, &|op| matches!(op, Op::For { .. } | Op::While { .. })) {
            let place = self.text.further(&Type::POINTER.parameter("context"), offsets::CANCELLED as i64);
            self.cancelled = Some(self.text.load(Type::POINTER, &place, ", !invariant.load !{}"));
        }
    }

    /// Asks; goes on in this block unless the run is cancelled.
    pub fn poll(&mut self, go_on: BlockName) {
        let Some(cancelled) = self.cancelled.clone() else { return self.text.jump(go_on) };
        let interrupted = *self.interrupted.get_or_insert_with(|| self.text.new_block());
        let answer = self.text.load_volatile(BYTE, &cancelled);
        let asked = self.text.compare_int(int::NE, &answer, 0);
        self.text.branch_unlikely(&asked, interrupted, go_on);
    }

    /// The end of a kernel whose run is cancelled.
    pub fn return_interrupted(&mut self) {
        let Some(block) = self.interrupted else { return };
        self.text.begin(block);
        let left = self.text.further(&Type::POINTER.parameter("context"), offsets::LEFT as i64);
        self.text.store(&BYTE.constant(1), &left, self.aliases.context());
        self.return_from_kernel();
    }
}

const BYTE: Type<Int, One> = Type::I8;

/// Operations that a block runs at most; none where a loop in it may run for ever.
fn longest(block: &Block) -> Option<i64> {
    block.iter().try_fold(0i64, |sum, op| {
        let mut inside = 0i64;
        for block in op.blocks().into_iter().flatten() {
            inside = inside.saturating_add(longest(block)?);
        }
        let times = match op {
            Op::For { from, to, step, .. } => iterations(*from, *to, *step)?,
            Op::While { .. } => return None,
            _ => 1,
        };
        Some(sum.saturating_add(1).saturating_add(inside.saturating_mul(times)))
    })
}

/// How often a loop with constant bounds runs.
pub(super) fn iterations(from: Operand, to: Operand, step: i64) -> Option<i64> {
    let (Operand::Const(from), Operand::Const(to)) = (from, to) else { return None };
    let span = to.as_int()?.checked_sub(from.as_int()?)?;
    Some(span.max(0) as u64).map(|span| span.div_ceil(step as u64) as i64)
}
