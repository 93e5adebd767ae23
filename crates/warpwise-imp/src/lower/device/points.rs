//! Maps and scatters with one work-item for each point of the space.
//!
//! If several scattered writes go to one place, any one of them remains.

use warpwise_diag::Span;
use warpwise_ir::{ScatterDest, SegDim, SegOp, Stm};

use crate::lower::emitter::{Emitter, Failing, Lowered};
use crate::op::{Block, Op};
use crate::traverse::any_op;
use crate::types::{Operand, Reg};

/// A function that emits code inside a kernel.
pub(super) type Inside<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>) -> Lowered<()>;

impl<'a> Emitter<'a> {
    /// Launches a map.
    pub fn device_map(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        if self.device_product(stm, op)? || self.map_of_rows(stm, op)? {
            return Ok(());
        }
        self.map_of_points(stm, op)
    }

    /// Launches a map with one work-item for each point.
    pub fn map_of_points(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let built = self.build("map", stm.span, &|kernel, lo, hi| {
            kernel.each_point(&op.space, (lo, hi), stm.span, &mut |kernel| {
                kernel.stms(&op.body)?;
                kernel.store_points(&stm.pattern, &op.space, &op.body.result, stm.span)
            })
        })?;
        let range = self.flat_range(stm, op)?;
        self.launch_points(built, range);
        Ok(())
    }

    /// Launches a scatter.
    pub fn device_scatter(&mut self, stm: &'a Stm, op: &'a SegOp, dests: &'a [ScatterDest]) -> Lowered<()> {
        let built = self.build("scatter", stm.span, &|kernel, lo, hi| {
            kernel.each_point(&op.space, (lo, hi), stm.span, &mut |kernel| {
                kernel.stms(&op.body)?;
                kernel.scatter_point(dests, &op.body.result, stm.span)
            })
        })?;
        let range = self.flat_range(stm, op)?;
        self.launch(built, range);
        Ok(())
    }

    /// Emits `body` for every point of a space in the kernel's range `part`.
    pub fn each_point(
        &mut self,
        space: &[SegDim],
        part: (Reg, Reg),
        span: Span,
        body: Inside<'_, 'a>,
    ) -> Lowered<()> {
        self.for_units(part, &mut |this, point| {
            this.counted_as(point.into(), &mut |this| {
                this.bind_flat(space, point.into(), span)?;
                this.in_own_arena(body)
            })
        })
    }

    /// Emits `body`, and frees its arena allocations.
    pub fn in_own_arena(&mut self, body: Inside<'_, 'a>) -> Lowered<()> {
        let (block, done) = self.block_of(|this| body(this));
        let mark = takes_arena(&block).then(|| self.code.int_reg("mark"));
        if let Some(dst) = mark {
            self.code.emit(Op::ArenaMark { dst });
        }
        for op in block {
            self.code.emit(op);
        }
        if let Some(mark) = mark {
            self.code.emit(Op::ArenaReset { mark: mark.into() });
        }
        done
    }

    /// Emits `body`, whose failing checks end it and count as those of this iteration.
    pub fn counted_as(&mut self, iteration: Operand, body: Inside<'_, 'a>) -> Lowered<()> {
        self.counted_telling(iteration, None, body)
    }

    /// As [`Emitter::counted_as`]; a check that fails also sets `failed`.
    pub fn counted_telling(
        &mut self,
        iteration: Operand,
        failed: Option<Reg>,
        body: Inside<'_, 'a>,
    ) -> Lowered<()> {
        let exit = self.code.label();
        let saved = self.failing.replace(Failing { failed, ..Failing::of(iteration, exit) });
        let (block, done) = self.block_of(|this| body(this));
        self.failing = saved;
        self.scope_if_left(exit, block);
        done
    }
}

/// Returns whether a block allocates in the arena.
fn takes_arena(block: &Block) -> bool {
    any_op(block, &|op| matches!(op, Op::ArenaAlloc { .. }))
}
