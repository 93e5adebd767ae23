//! Atomic updates of memory: one instruction if the machine has one, otherwise compare and swap.

use warpwise_imp::{AtomicOp, Mem, Operand};
use warpwise_prim::BinaryOp;

use super::Emitted;
use super::function::Function;
use super::llvm::{Any, Int, Mask, Pointer, Scalar, Shaped, Type, int};

impl Function<'_> {
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        mem: Mem,
        index: Operand,
        value: Operand,
        mask: Option<Operand>,
    ) -> Emitted<()> {
        let lanes = self.most_lanes([Some(index), Some(value), mask].into_iter().flatten());
        let (index, value) = (self.operand_lanes(index, lanes).int()?, self.operand_lanes(value, lanes));
        let mask = mask.map(|mask| self.mask_lanes(mask, lanes)).transpose()?;
        match (index.shape(), value.shape()) {
            (Shaped::Many(index), Shaped::Many(value)) => {
                let mask = mask.unwrap_or(Type::BIT.with_lanes(lanes).constant(true));
                self.for_each_lane(&mask, |f, lane| {
                    let (index, value) = (f.text.extract(&index, lane), f.text.extract(&value, lane));
                    f.atomic_element(op, mem, &index, &value)
                })
            }
            (index, value) => {
                let (index, value) = (index.scalar()?, value.scalar()?);
                match mask {
                    None => self.atomic_element(op, mem, &index, &value),
                    Some(mask) => {
                        self.guarded(&mask.scalar()?, |f| f.atomic_element(op, mem, &index, &value))
                    }
                }
            }
        }
    }

    /// Emits code that runs for every lane whose mask holds, in order; the lane is an `i64`.
    fn for_each_lane<T>(&mut self, mask: &Mask, act: impl FnOnce(&mut Self, &Scalar<Int>) -> T) -> T {
        let bits = self.text.packed(mask);
        let slot = self.text.slot(bits.ty);
        self.text.write(&slot, &bits);
        let (test, step, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.jump(test);
        self.text.begin(test);
        let left = self.text.read(&slot);
        let some = self.text.compare_int(int::NE, &left, 0);
        self.text.branch(&some, step, end);
        self.text.begin(step);
        let lane = self.first_bit(&left);
        let less = self.text.binary_int(int::SUB, &left, 1);
        let rest = self.text.binary(int::AND, &left, &less);
        self.text.write(&slot, &rest);
        let done = act(self, &lane);
        self.text.jump(test);
        self.text.begin(end);
        done
    }

    fn atomic_element(
        &mut self,
        op: AtomicOp,
        mem: Mem,
        index: &Scalar<Int>,
        value: &Scalar<Any>,
    ) -> Emitted<()> {
        let place = self.place(mem, value.ty.element.stored(), index, false);
        match machine_update(op) {
            Some(name) => {
                let value = self.stored_form(value)?;
                self.text.update_atomic(name, &place, &value);
                Ok(())
            }
            None => self.compare_and_swap(op, &place, value),
        }
    }

    /// Updates by compare and swap, repeated until no other thread has interfered.
    fn compare_and_swap(&mut self, op: AtomicOp, place: &Pointer, value: &Scalar<Any>) -> Emitted<()> {
        let stored = value.ty.element.stored();
        let slot = self.text.slot(Type::int(stored.bits()));
        let seen = self.text.load_atomic(slot.ty, place, "monotonic");
        self.text.write(&slot, &seen);
        let (attempt, end) = (self.text.new_block(), self.text.new_block());
        self.text.jump(attempt);
        self.text.begin(attempt);
        let seen = self.text.read(&slot);
        let old = self.loaded_form(&seen.any(), value.ty.element)?;
        let new = match op {
            AtomicOp::Binary(op) => self.binary(op, &old.lanewise(), &value.lanewise(), None)?.scalar()?,
            AtomicOp::Exchange => value.clone(),
        };
        let new = self.stored_form(&new)?;
        let new = self.text.any_bits(&new)?;
        let (now, done) = self.text.compare_exchange(place, &seen, &new);
        self.text.write(&slot, &now);
        self.text.branch(&done, end, attempt);
        self.text.begin(end);
        Ok(())
    }
}

/// Returns LLVM's read-modify-write operation, which is one instruction, or a loop that LLVM generates.
fn machine_update(op: AtomicOp) -> Option<&'static str> {
    match op {
        AtomicOp::Exchange => Some("xchg"),
        AtomicOp::Binary(BinaryOp::Add) => Some("add"),
        AtomicOp::Binary(BinaryOp::Sub) => Some("sub"),
        AtomicOp::Binary(BinaryOp::And) => Some("and"),
        AtomicOp::Binary(BinaryOp::Or) => Some("or"),
        AtomicOp::Binary(BinaryOp::Xor) => Some("xor"),
        AtomicOp::Binary(BinaryOp::SMin) => Some("min"),
        AtomicOp::Binary(BinaryOp::SMax) => Some("max"),
        AtomicOp::Binary(BinaryOp::UMin) => Some("umin"),
        AtomicOp::Binary(BinaryOp::UMax) => Some("umax"),
        AtomicOp::Binary(_) => None,
    }
}
