//! Atomic updates of memory: one instruction where the machine has one, else compare and swap.

use warpwise_imp::{AtomicOp, Mem, Operand};
use warpwise_prim::{BinaryOp, ScalarType};

use super::Emitted;
use super::function::Function;
use super::memory::{bytes, memory_element};
use super::text::{Type, Value};

impl Function<'_> {
    pub fn atomic(
        &mut self,
        op: AtomicOp,
        mem: Mem,
        index: Operand,
        value: Operand,
        elem: ScalarType,
        mask: Option<Operand>,
    ) -> Emitted<()> {
        let lanes = [Some(index), Some(value), mask]
            .into_iter()
            .flatten()
            .map(|x| self.lanes_of(x))
            .max()
            .unwrap_or(1);
        let (index, value) = (self.operand_lanes(index, lanes), self.operand_lanes(value, lanes));
        let mask = mask.map(|mask| self.operand_lanes(mask, lanes));
        if lanes == 1 {
            let place = self.place(mem, memory_element(elem.into()), &index, false);
            match mask {
                None => self.atomic_update(op, &place, &value, elem),
                Some(mask) => self.guarded(&mask, |f| f.atomic_update(op, &place, &value, elem)),
            }
            return Ok(());
        }
        let mask = mask.unwrap_or(Type::I1.with_lanes(lanes).int_constant(1));
        self.for_each_lane(&mask, |f, lane| {
            let [index, value] = [&index, &value]
                .map(|x| f.text.value(x.ty.with_lanes(1), format_args!("extractelement {x}, {lane}")));
            let place = f.place(mem, memory_element(elem.into()), &index, false);
            f.atomic_update(op, &place, &value, elem);
        });
        Ok(())
    }

    /// Does something for every lane where the mask holds, in order; the lane is an `i64`.
    fn for_each_lane(&mut self, mask: &Value, act: impl FnOnce(&mut Self, &Value)) {
        let bits = self.mask_bits(mask);
        let ty = bits.ty;
        let slot = self.text.alloca(format_args!("{ty}"));
        self.text.line(format_args!("store {bits}, {slot}"));
        let (test, step, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.jump(test);
        self.text.begin(test);
        let left = self.text.value(ty, format_args!("load {ty}, {slot}"));
        let some = self.text.icmp_int("ne", &left, 0);
        self.text.branch(&some, step, end);
        self.text.begin(step);
        let lane = self.text.intrinsic("cttz", &[&left, &Type::I1.int_constant(0)]);
        let lane = self.widen(&lane);
        let less = self.text.binary_int("sub", &left, 1);
        let rest = self.text.binary("and", &left, &less);
        self.text.line(format_args!("store {rest}, {slot}"));
        act(self, &lane);
        self.text.jump(test);
        self.text.begin(end);
    }

    fn atomic_update(&mut self, op: AtomicOp, place: &Value, value: &Value, elem: ScalarType) {
        match machine_update(op) {
            Some(name) => {
                let value = self.stored_form(value, elem);
                let align = bytes(value.ty);
                self.text.value(
                    value.ty,
                    format_args!("atomicrmw {name} {place}, {value} monotonic, align {align}"),
                );
            }
            None => self.compare_and_swap(op, place, value, elem),
        }
    }

    /// Tries again until nobody has interfered.
    fn compare_and_swap(&mut self, op: AtomicOp, place: &Value, value: &Value, elem: ScalarType) {
        let stored = value.ty.of(memory_element(elem.into())).as_int();
        let align = bytes(stored);
        let slot = self.text.alloca(format_args!("{stored}"));
        let seen =
            self.text.value(stored, format_args!("load atomic {stored}, {place} monotonic, align {align}"));
        self.text.line(format_args!("store {seen}, {slot}"));
        let (attempt, end) = (self.text.new_block(), self.text.new_block());
        self.text.jump(attempt);
        self.text.begin(attempt);
        let seen = self.text.value(stored, format_args!("load {stored}, {slot}"));
        let old = self.loaded_form(&seen, value.ty);
        let new = match op {
            AtomicOp::Binary(op) => self.binary(op, &old, value, None),
            AtomicOp::Exchange => value.clone(),
        };
        let new = self.stored_form(&new, elem);
        let new = self.text.cast("bitcast", &new, stored);
        let pair = self
            .text
            .value(stored, format_args!("cmpxchg {place}, {seen}, {new} monotonic monotonic, align {align}"));
        let pair = format!("{{ {stored}, i1 }} {}", pair.text);
        let now = self.text.value(stored, format_args!("extractvalue {pair}, 0"));
        let done = self.text.value(Type::I1, format_args!("extractvalue {pair}, 1"));
        self.text.line(format_args!("store {now}, {slot}"));
        self.text.branch(&done, end, attempt);
        self.text.begin(end);
    }
}

/// The read-modify-write operation of LLVM that is one instruction, or a loop of LLVM's making.
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
