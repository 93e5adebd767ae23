//! Inputs of a histogram as columns in memory: their bins and values, which are combined in another order than that of the inputs.

use warpwise_ir::{HistOp, Operand as CoreOperand, SegOp, Stm};
use warpwise_prim::{BinaryOp, ConvertOp, Scalar, ScalarType};

use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::lanes::LaneLoop;
use crate::op::Op;
use crate::types::{Mem, Operand, Reg, Space};

/// Bins of inputs, and the values to combine there.
#[derive(Clone)]
pub struct Columns {
    /// Bins as `i32`; -1 where there is nothing to combine.
    pub bins: Mem,
    /// One column for each value.
    pub values: Vec<Column>,
}

/// The values of one component to combine at bins.
#[derive(Clone, Copy)]
pub enum Column {
    /// A constant.
    Constant(Scalar),
    /// A column in memory.
    Kept(Mem, ScalarType),
}

impl<'a> Emitter<'a> {
    /// Returns columns for the results of an operation's body; `room` allocates those that are not constant.
    pub fn columns(
        &mut self,
        op: &SegOp,
        hist: &HistOp,
        room: &mut dyn FnMut(&mut Self, ScalarType) -> Mem,
    ) -> Columns {
        let bins = room(self, ScalarType::I32);
        let results = op.body.result[hist.rank..].iter().zip(&hist.dests);
        let values = results.map(|(result, &dest)| match result {
            CoreOperand::Const(value) => Column::Constant(*value),
            CoreOperand::Var(_) => {
                let elem = self.elem(dest);
                Column::Kept(room(self, elem), elem)
            }
        });
        Columns { bins, values: values.collect() }
    }

    /// Allocates a column for `inputs` inputs in the arena.
    pub fn arena_column(&mut self, name: &str, elem: ScalarType, inputs: Operand) -> Mem {
        let mem = self.code.mem(name, Space::Arena);
        let bytes = self.code.mul(inputs, Operand::i64(elem.bytes() as i64));
        self.code.emit(Op::ArenaAlloc { dst: mem, bytes });
        mem
    }

    /// Computes the bins and values of the inputs `from..to`.
    pub fn fill_columns(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        hist: &'a HistOp,
        how: &LaneLoop,
        (from, to): (Reg, Operand),
        columns: &Columns,
    ) -> Lowered<()> {
        let last = op.space.last().expect("a space has dimensions").index;
        self.lane_loop(how, from.into(), to, &mut |this, index| {
            this.bind(last, index);
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                let indices = this.values(&op.body.result[..hist.rank]);
                let dest = this.view(hist.dests[0], stm.span)?;
                let inside = this.in_bounds(&dest, &indices);
                let bin = this.flat_bin(&dest, &indices);
                let bin = this.select(inside, bin, Value::constant(Scalar::I64(-1)));
                let bin = this.convert(ConvertOp::Truncate, bin, ScalarType::I32);
                let place = this.binary(BinaryOp::Sub, index, Value::Uniform(from.into()));
                this.store_at(BlockBinding::of(columns.bins), ScalarType::I32, place, bin, false);
                let values = this.values(&op.body.result[hist.rank..]);
                for (column, value) in columns.values.iter().zip(values) {
                    if let Column::Kept(mem, elem) = *column {
                        this.store_at(BlockBinding::of(mem), elem, place, value, false);
                    }
                }
                Ok(())
            })
        })
    }

    /// Loads the bin and the values at a position of the columns.
    pub fn load_columns(&mut self, columns: &Columns, at: Value) -> (Value, Vec<Value>) {
        let bin = self.load_at(BlockBinding::of(columns.bins), ScalarType::I32, at);
        let bin = self.convert(ConvertOp::ZExt, bin, ScalarType::I64);
        let values = columns.values.iter().map(|column| match *column {
            Column::Constant(value) => Value::constant(value),
            Column::Kept(mem, elem) => self.load_at(BlockBinding::of(mem), elem, at),
        });
        let values = values.collect();
        (bin, values)
    }
}
