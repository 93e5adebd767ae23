//! Operations inside a nest, shared by the work-items of a group: maps and scatters with the points in turn, reductions by folding
//! shares, scans tile by tile.
//!
//! ```text
//! carry = neutral; base = 0; do {
//!   x = element base + item, or neutral; scanned[item] = x; barrier
//!   for distance in [1, 2, 4, ...] { if distance <= item { x = op(scanned[item - distance], x) }; barrier; scanned[item] = x; barrier }
//!   result[base + item] = op(carry, x); carry = op(carry, scanned[size - 1]); barrier
//!   base = base + size } while base < m
//! ```

use warpwise_ir::{Lambda, Reduce, Scan, SegOp, Stm};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use super::groups::SIZE;
use crate::lower::emitter::{Emitter, Lowered, Together, Value};
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg};

/// The work-items that share an operation, and the register that is set in a work-item one of whose checks has failed.
type Sharing = (Together, Option<Reg>);

impl<'a> Emitter<'a> {
    /// Runs the points of a map or scatter, with the work-items taking points in turn.
    pub fn shared_points(
        &mut self,
        (stm, op): (&'a Stm, &'a SegOp),
        (together, failed): Sharing,
    ) -> Lowered<()> {
        let mut extents = Vec::new();
        for dim in &op.space {
            extents.push(self.uniform(dim.extent, stm.span)?);
        }
        let count = self.code.product(extents);
        self.each_in_turn(together.item.into(), count, &mut |this, flat| {
            let iteration = this.code.add(together.first, flat);
            this.counted_telling(iteration, failed, &mut |this| {
                this.bind_flat(&op.space, flat.into(), stm.span)?;
                this.stms(&op.body)?;
                if let warpwise_ir::SegKind::Scatter { dests } = &op.kind {
                    this.scatter_point(dests, &op.body.result, stm.span)
                } else {
                    this.store_points(&stm.pattern, &op.space, &op.body.result, stm.span)
                }
            })
        })
    }

    /// Folds the elements of a reduction. The totals are the first elements of the returned arrays, after the next barrier.
    pub fn shared_reduce(
        &mut self,
        (stm, op): (&'a Stm, &'a SegOp),
        reduces: &'a [Reduce],
        (together, failed): Sharing,
    ) -> Lowered<Vec<(Mem, ScalarType)>> {
        let last = op.space.last().expect("a space has dimensions");
        let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        let extent = self.uniform(last.extent, stm.span)?;
        let range = (Operand::i64(0), extent);
        let folded =
            self.fold_shares(reduces, together.item, range, stm.span, &mut |this, index, folded| {
                let iteration = this.code.add(together.first, index);
                this.counted_telling(iteration, failed, &mut |this| {
                    this.bind_uniform(last.index, index);
                    this.stms(&op.body)?;
                    let (inputs, further) = op.body.result.split_at(n_reduced);
                    this.store_points(&stm.pattern[n_reduced..], &op.space, further, stm.span)?;
                    this.fold_element(reduces, folded, inputs)
                })
            })?;
        let types = self.folded_types(&folded);
        let all = Operand::i64(i64::from(SIZE));
        let mut arrays = Vec::new();
        for (reduce, accs) in reduces.iter().zip(&folded) {
            arrays.extend(self.fold_items(reduce, together.item, (together.item.into(), all), accs)?);
        }
        Ok(arrays.into_iter().zip(types).collect())
    }

    /// Scans a row, one tile at a time with one element for each work-item.
    pub fn shared_scan(
        &mut self,
        (stm, op): (&'a Stm, &'a SegOp),
        (scans, post): (&'a [Scan], Option<&'a Lambda>),
        (together, failed): Sharing,
    ) -> Lowered<()> {
        let last = op.space.last().expect("a space has dimensions");
        let extent = self.uniform(last.extent, stm.span)?;
        let mut row = Row { stm, op, scans, post, carries: Vec::new(), scanned: Vec::new() };
        for scan in scans {
            let carry = self.neutral_regs(&scan.neutral, stm.span)?;
            row.scanned.push(carry.iter().map(|&reg| self.scratch_array(reg)).collect());
            row.carries.push(carry);
        }
        let base = self.code.copy("base", Operand::i64(0));
        self.at_least_once(&mut |this| {
            this.scan_tile(&row, base, extent, (together, failed))?;
            let next = this.code.add(base, Operand::i64(i64::from(SIZE)));
            this.code.set(base, next);
            Ok(this.code.compare(CompareOp::SLt, base, extent))
        })
    }

    /// Emits a loop of the whole group, whose body runs at least once and yields the condition. Some compilers for CPUs (PoCL's)
    /// duplicate the code after a barrier in a loop that may not run at all, and consecutive loops double it every time.
    fn at_least_once(&mut self, body: &mut dyn FnMut(&mut Self) -> Lowered<Operand>) -> Lowered<()> {
        let (test, more) = self.block_of(|this| body(this));
        self.code.emit(Op::While { test, cond: more?, body: Vec::new() });
        Ok(())
    }

    fn scan_tile(
        &mut self,
        row: &Row<'a>,
        base: Reg,
        extent: Operand,
        (together, failed): Sharing,
    ) -> Lowered<()> {
        let last = row.op.space.last().expect("a space has dimensions");
        let n_scanned: usize = row.carries.iter().map(Vec::len).sum();
        let at = self.code.add(base, together.item);
        let exists = self.code.compare(CompareOp::SLt, at, extent);
        let iteration = self.code.add(together.first, at);
        let mut values = Vec::new();
        for scan in row.scans {
            values.push(self.neutral_regs(&scan.neutral, row.stm.span)?);
        }
        let further: Vec<Reg> = row.op.body.result[n_scanned..]
            .iter()
            .map(|&x| self.zero_reg(self.cx.function.operand_type(x).elem()))
            .collect();
        self.branch_if(exists, &mut |this| {
            this.counted_telling(iteration, failed, &mut |this| {
                this.bind_uniform(last.index, at);
                this.stms(&row.op.body)?;
                let results = this.values(&row.op.body.result);
                let regs: Vec<Reg> = values.iter().flatten().chain(&further).copied().collect();
                this.set_all(&regs, &results);
                Ok(())
            })
        })?;
        self.scan_values(row, together.item, &values)?;
        for (&x, &reg) in row.op.body.result[n_scanned..].iter().zip(&further) {
            if let Some(var) = x.as_var() {
                self.bind_uniform(var, reg);
            }
        }
        self.branch_if(exists, &mut |this| {
            this.counted_telling(iteration, failed, &mut |this| {
                this.bind_uniform(last.index, at);
                let scanned = this.scanned_at(row, together.item, &values)?;
                let results = &row.op.body.result[n_scanned..];
                this.store_scanned(&row.stm.pattern, &row.op.space, scanned, results, row.post, row.stm.span)
            })
        })?;
        for ((scan, carry), scanned) in row.scans.iter().zip(&row.carries).zip(&row.scanned) {
            let total = self.loaded(carry, scanned, Operand::i64(i64::from(SIZE) - 1));
            self.advance(&scan.op, carry, &total)?;
        }
        self.code.emit(Op::Barrier);
        Ok(())
    }

    fn zero_reg(&mut self, elem: Option<ScalarType>) -> Reg {
        let elem = elem.unwrap_or(ScalarType::Bool);
        let reg = self.code.reg("further", ImpType::scalar(elem));
        self.code.set(reg, Operand::Const(Scalar::zero(elem)));
        reg
    }

    /// Scans the values of the work-items, in their registers and in local memory.
    fn scan_values(&mut self, row: &Row<'a>, item: Reg, values: &[Vec<Reg>]) -> Lowered<()> {
        let store = |this: &mut Self| {
            for (values, scanned) in values.iter().zip(&row.scanned) {
                this.store_own(scanned, values, item);
            }
        };
        store(self);
        self.code.emit(Op::Barrier);
        let distance = self.code.copy("distance", Operand::i64(1));
        self.at_least_once(&mut |this| {
            let reaches = this.code.compare(CompareOp::SLe, distance, item);
            this.branch_if(reaches, &mut |this| {
                let other = this.code.sub(item, distance);
                for ((scan, values), scanned) in row.scans.iter().zip(values).zip(&row.scanned) {
                    let mut args = this.loaded(values, scanned, other);
                    args.extend(values.iter().map(|&reg| Value::Uniform(reg.into())));
                    let next = this.apply(&scan.op, &args)?;
                    this.set_all(values, &next);
                }
                Ok(())
            })?;
            this.code.emit(Op::Barrier);
            store(this);
            this.code.emit(Op::Barrier);
            let twice = this.code.add(distance, distance);
            this.code.set(distance, twice);
            Ok(this.code.compare(CompareOp::SLt, distance, Operand::i64(i64::from(SIZE))))
        })
    }

    /// Returns the scanned values of the work-item's element, combined from the carries and the tile's scan.
    fn scanned_at(&mut self, row: &Row<'a>, item: Reg, values: &[Vec<Reg>]) -> Lowered<Vec<Value>> {
        let mut all = Vec::new();
        for (((scan, carry), scanned), own) in
            row.scans.iter().zip(&row.carries).zip(&row.scanned).zip(values)
        {
            let before: Vec<Reg> = carry.iter().map(|&reg| self.code.copy("before", reg)).collect();
            if scan.exclusive {
                let behind_first = self.code.compare(CompareOp::SLt, Operand::i64(0), item);
                self.branch_if(behind_first, &mut |this| {
                    let other = this.code.binary(BinaryOp::Sub, item, Operand::i64(1));
                    let tile = this.loaded(&before, scanned, other);
                    this.advance(&scan.op, &before, &tile)
                })?;
            } else {
                let tile: Vec<Value> = own.iter().map(|&reg| Value::Uniform(reg.into())).collect();
                self.advance(&scan.op, &before, &tile)?;
            }
            all.extend(before.into_iter().map(|reg| Value::Uniform(reg.into())));
        }
        Ok(all)
    }
}

/// The state of scanning a row.
struct Row<'a> {
    stm: &'a Stm,
    op: &'a SegOp,
    scans: &'a [Scan],
    post: Option<&'a Lambda>,
    /// Prefix of the tile, for each scan; the same for all work-items.
    carries: Vec<Vec<Reg>>,
    /// Local arrays with a value of each work-item, for each scan.
    scanned: Vec<Vec<Mem>>,
}
