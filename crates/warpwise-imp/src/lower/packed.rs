//! Values that lanes append to arena memory, one after another and in order: some of the lanes of each group, without gaps.

use warpwise_prim::{BinaryOp, ScalarType};

use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::op::Op;
use crate::types::{ImpType, Mem, Operand, Reg, Space};

/// Tuples of values in arena memory.
pub(super) struct Packed {
    /// Number of tuples.
    pub count: Reg,
    /// Memory of each component.
    pub values: Vec<(Mem, ScalarType)>,
}

impl Emitter<'_> {
    /// Allocates room for tuples of values. Compressed vectors are stored whole, so there must be room for one more group of lanes
    /// than there will be tuples.
    pub fn pack_room(&mut self, elems: &[ScalarType], capacity: i64) -> Packed {
        let count = self.code.copy("count", Operand::i64(0));
        let mut values = Vec::new();
        for &elem in elems {
            let mem = self.code.mem("packed", Space::Arena);
            let bytes = Operand::i64(capacity * elem.bytes() as i64);
            self.code.emit(Op::ArenaAlloc { dst: mem, bytes });
            values.push((mem, elem));
        }
        Packed { count, values }
    }

    /// Appends the values of the lanes in which a condition holds.
    pub fn pack(&mut self, packed: &Packed, cond: Value, values: &[Value]) -> Lowered<()> {
        if self.width() == 1 {
            let Value::Uniform(cond) = cond else { unreachable!("one lane has no others to differ from") };
            return self.branch_if(cond, &mut |this| {
                for (&(mem, elem), &value) in packed.values.iter().zip(values) {
                    let place = Value::Uniform(packed.count.into());
                    this.store_at(BlockBinding::of(mem), elem, place, value, false);
                }
                let next = this.code.add(packed.count, Operand::i64(1));
                this.code.set(packed.count, next);
                Ok(())
            });
        }
        let mut mask: Operand = self.vector_reg(cond).into();
        if let Some(running) = self.mask_operand() {
            mask = self.code.binary(BinaryOp::And, mask, running);
        }
        for (&(mem, elem), &value) in packed.values.iter().zip(values) {
            let value = self.vector_reg(value).into();
            let index = packed.count.into();
            self.code.emit(Op::CompressStore { mem, index, value, elem, mask, spare: true });
        }
        let members = self.code.reg("members", ImpType::scalar(ScalarType::I64));
        self.code.emit(Op::Count { dst: members, mask });
        let next = self.code.add(packed.count, members);
        self.code.set(packed.count, next);
        Ok(())
    }
}
