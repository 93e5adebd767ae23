//! Histograms whose operators need locks: those that do not consist of commutative operators on single components.

use warpwise_ir::{HistOp, SegOp, Stm};
use warpwise_prim::{Scalar, ScalarType};

use crate::lower::emitter::{Emitter, Lowered};
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

impl<'a> Emitter<'a> {
    /// Launches a histogram whose operators need locks. Host code.
    pub fn locked_hist(&mut self, stm: &'a Stm, op: &'a SegOp, ops: &'a [HistOp]) -> Lowered<()> {
        let range = self.flat_range(stm, op)?;
        let mut locks = Vec::new();
        for hist in ops {
            let bins = self.bins(stm, hist)?;
            let bytes = self.code.mul(bins, Operand::i64(4));
            let mem = self.alloc("locks", bytes);
            let (value, elem) = (Operand::Const(Scalar::I32(0)), ScalarType::I32);
            self.code.emit(Op::Fill { mem, index: Operand::i64(0), count: bins, value, elem });
            locks.push(mem);
        }
        let built = self.build("locked_hist", stm.span, &|kernel, lo, hi| {
            let locks: Vec<Mem> = locks.iter().map(|&mem| kernel.mem_param("locks", mem, None)).collect();
            kernel.for_units((lo, hi), &mut |kernel, point| {
                kernel.counted_as(point.into(), &mut |kernel| {
                    kernel.bind_flat(&op.space, point.into(), stm.span)?;
                    kernel.in_own_arena(&mut |kernel| {
                        kernel.stms(&op.body)?;
                        kernel.combine_locked(stm, op, ops, (&locks, point))
                    })
                })
            })
        })?;
        self.launch(built, range);
        self.release_locals(locks);
        Ok(())
    }

    /// Combines the results of one point, each under the lock of its bin.
    fn combine_locked(
        &mut self,
        stm: &Stm,
        op: &SegOp,
        ops: &'a [HistOp],
        (locks, point): (&[Mem], Reg),
    ) -> Lowered<()> {
        let mut taken = 0;
        for (hist, &mem) in ops.iter().zip(locks) {
            let results = &op.body.result[taken..taken + hist.rank + hist.dests.len()];
            taken += results.len();
            let (indices, values) = (self.values(&results[..hist.rank]), self.values(&results[hist.rank..]));
            let mut views = Vec::new();
            for &dest in &hist.dests {
                views.push(self.view(dest, stm.span)?);
            }
            let inside = self.in_bounds(&views[0], &indices);
            self.guarded(inside, &mut |this| {
                let bin = this.flat_bin(&views[0], &indices);
                let index = this.vector(bin);
                let (body, done) = this.block_of(|this| {
                    // A failing check first leaves the block under the lock.
                    this.counted_as(point.into(), &mut |this| {
                        this.combine_into(&hist.op, &views, &indices, &values, stm.span)
                    })
                });
                this.code.emit(Op::Locked { mem, index, body });
                done
            })?;
        }
        Ok(())
    }
}
