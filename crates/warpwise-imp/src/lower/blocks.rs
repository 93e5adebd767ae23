//! Dimensions divided into blocks, the units of kernels that combine along a dimension.
//!
//! A unit is one block of one segment (a point of the outer dimensions). Units are numbered segment by segment. The block size is
//! fixed at compile time and blocks are counted from 0, so that the order of combination depends on the extents alone. Units of
//! scans and partitions wait for the preceding unit of their segment: they are claimed in order, and publish the prefix for the
//! next one.

use warpwise_diag::Span;
use warpwise_ir::SegDim;
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::kernels::{Built, Range};
use crate::op::Op;
use crate::types::{Mem, Operand, Reg};

/// The division of a dimension into blocks.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    /// Number of elements of a block.
    pub block: i64,
    /// Number of blocks of a segment, at least 1.
    pub blocks: Operand,
    /// Number of elements of a segment.
    pub extent: Operand,
    /// Number of segments.
    pub segments: Operand,
    /// Number of blocks of all segments.
    pub units: Operand,
}

/// The position of a unit, as a kernel knows it.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    /// Number of the unit among all units.
    pub unit: Reg,
    /// Number of the unit within its segment.
    pub number: Operand,
    /// First index of the unit along the dimension.
    pub from: Operand,
    /// End index of the unit, exclusive.
    pub to: Operand,
    /// Flat iteration of index 0 of the segment.
    pub counted: Operand,
}

impl<'a> Emitter<'a> {
    /// Divides the last dimension of a space into blocks. Host code.
    pub fn cut(&mut self, space: &[SegDim], block: i64, span: Span) -> Lowered<Cut> {
        let (last, outer) = space.split_last().expect("a space has dimensions");
        let extent = self.uniform(last.extent, span)?;
        let blocks = self.code.ceil_div(extent, block);
        let blocks = self.code.binary(BinaryOp::SMax, blocks, Operand::i64(1));
        let mut segments = Vec::new();
        for dim in outer {
            segments.push(self.uniform(dim.extent, span)?);
        }
        let segments = self.code.product(segments);
        let units = self.code.mul(segments, blocks);
        Ok(Cut { block, blocks, extent, segments, units })
    }

    /// Divides a whole space into blocks, regardless of its segments. Host code.
    pub fn cut_flat(&mut self, space: &[SegDim], block: i64, span: Span) -> Lowered<Cut> {
        let mut extents = Vec::new();
        for dim in space {
            extents.push(self.uniform(dim.extent, span)?);
        }
        let extent = self.code.product(extents);
        let blocks = self.code.ceil_div(extent, block);
        let blocks = self.code.binary(BinaryOp::SMax, blocks, Operand::i64(1));
        Ok(Cut { block, blocks, extent, segments: Operand::i64(1), units: blocks })
    }

    /// Passes the division to a kernel.
    pub fn cut_param(&mut self, cut: &Cut) -> Cut {
        let blocks = self.param_for(cut.blocks);
        let extent = self.param_for(cut.extent);
        Cut { blocks, extent, ..*cut }
    }

    /// Passes a host operand to a kernel.
    pub fn param_for(&mut self, x: Operand) -> Operand {
        match x {
            Operand::Const(_) => x,
            Operand::Reg(_) => self.scalar_param("size", ScalarType::I64, x).into(),
        }
    }

    /// Runs `body` for each iteration of the kernel's range.
    pub fn for_units(
        &mut self,
        (lo, hi): (Reg, Reg),
        body: &mut dyn FnMut(&mut Self, Reg) -> Lowered<()>,
    ) -> Lowered<()> {
        let unit = self.code.int_reg("unit");
        self.count_up(unit, (lo.into(), hi.into()), 1, |this| {
            let done = body(this, unit);
            // The code inside a unit must not determine where tasks begin.
            this.align = 1;
            done
        })
    }

    /// Binds the outer indices of a unit and computes its stretch of the last dimension.
    pub fn unit(&mut self, cut: &Cut, outer: &[SegDim], unit: Reg, span: Span) -> Lowered<Unit> {
        let (segment, number) = if cut.segments == Operand::i64(1) {
            (Operand::i64(0), unit.into())
        } else {
            let segment = self.code.binary(BinaryOp::SQuot, unit, cut.blocks);
            let skipped = self.code.mul(segment, cut.blocks);
            (segment, self.code.sub(unit, skipped))
        };
        self.bind_flat(outer, segment, span)?;
        let from = self.code.mul(number, Operand::i64(cut.block));
        let to = self.code.add(from, Operand::i64(cut.block));
        let to = self.code.binary(BinaryOp::SMin, to, cut.extent);
        let counted = self.code.mul(segment, cut.extent);
        Ok(Unit { unit, number, from, to, counted })
    }

    /// Runs `body` if the unit is not the first of its segment.
    pub fn unless_first(
        &mut self,
        unit: &Unit,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let later = self.code.compare(CompareOp::SLt, Operand::i64(0), unit.number);
        self.branch_if(later, body)
    }

    /// Runs `body` if the unit is not the last of its segment.
    pub fn unless_last(
        &mut self,
        cut: &Cut,
        unit: &Unit,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let next = self.code.add(unit.number, Operand::i64(1));
        let followed = self.code.compare(CompareOp::SLt, next, cut.blocks);
        self.branch_if(followed, body)
    }

    /// Runs `body` if a scalar condition holds.
    pub fn branch_if(
        &mut self,
        cond: Operand,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        self.when(cond, |this| body(this))
    }

    /// Emits a wait for the preceding unit to publish. Returns the number of that unit.
    pub fn await_previous(&mut self, flags: Mem, unit: &Unit) -> Operand {
        let previous = self.code.sub(unit.unit, Operand::i64(1));
        self.code.emit(Op::WaitFlag { mem: flags, index: previous });
        previous
    }

    /// Allocates flags for all units, none of them set. Host code.
    pub fn flags(&mut self, cut: &Cut) -> Mem {
        let bytes = self.code.mul(cut.units, Operand::i64(4));
        let mem = self.alloc("flags", bytes);
        let value = Operand::Const(Scalar::I32(0));
        let index = Operand::i64(0);
        self.code.emit(Op::Fill { mem, index, count: cut.units, value, elem: ScalarType::I32 });
        mem
    }

    /// Launches a kernel over all units, in order where one may wait for another. Host code.
    pub fn launch_in_order(&mut self, built: Built, cut: &Cut, cost: Operand) {
        let several = self.code.compare(CompareOp::SLt, Operand::i64(1), cut.blocks);
        let range = |schedule| Range { extent: cut.units, schedule, cost };
        self.either(several, |this, waits| {
            this.launch(built.clone(), range(if waits { Schedule::Ordered } else { Schedule::Static }));
        });
    }

    /// Returns the usual distance, in elements, between a unit and the next unit of the same thread. Host code.
    pub fn next_unit(&mut self, cut: &Cut) -> Operand {
        let threads = self.code.threads();
        let length = self.code.binary(BinaryOp::SMin, cut.extent, Operand::i64(cut.block));
        self.code.mul(length, threads)
    }

    /// Returns the cost of a block whose elements have this cost each. Host code.
    pub fn block_cost(&mut self, cut: &Cut, element: Operand) -> Operand {
        let length = self.code.binary(BinaryOp::SMin, cut.extent, Operand::i64(cut.block));
        self.code.mul(element, length)
    }
}
