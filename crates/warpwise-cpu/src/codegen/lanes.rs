//! What happens between the lanes of vectors.

use warpwise_imp::{Op, Operand, Reg};

use super::Emitted;
use super::function::Function;
use super::text::{Element, Type, Value};

impl Function<'_> {
    pub fn lane_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::LaneIds { dst } => self.lane_ids(*dst),
            Op::Extract { dst, x, lane } => self.extract(*dst, *x, *lane),
            Op::Insert { dst, x, lane } => self.insert(*dst, *x, *lane),
            Op::Shuffle { dst, x, y, lanes } => self.shuffle(*dst, *x, *y, lanes),
            Op::Any { dst, mask } => self.test_mask(*dst, *mask, "ne", 0),
            Op::All { dst, mask } => self.test_mask(*dst, *mask, "eq", -1),
            Op::Count { dst, mask } => {
                let mask = self.operand(*mask);
                let count = self.count_lanes(&mask);
                self.set(*dst, &count);
            }
            Op::First { dst, mask } => self.first(*dst, *mask),
            other => return Err(format!("not between lanes: {other:?}")),
        }
        Ok(())
    }

    fn lane_ids(&mut self, dst: Reg) {
        let ty = self.reg_type(dst);
        let ids = if ty.is_vector() { ty.lane_numbers() } else { ty.zero() };
        self.set(dst, &ids);
    }

    fn extract(&mut self, dst: Reg, x: Operand, lane: Operand) {
        let (x, lane) = (self.operand(x), self.operand(lane));
        if !x.ty.is_vector() {
            return self.set(dst, &x);
        }
        let value = self.text.value(x.ty.with_lanes(1), format_args!("extractelement {x}, {lane}"));
        self.set(dst, &value);
    }

    fn insert(&mut self, dst: Reg, x: Operand, lane: Operand) {
        let (x, lane, old) = (self.operand(x), self.operand(lane), self.get(dst));
        if !old.ty.is_vector() {
            return self.set(dst, &x);
        }
        let value = self.text.value(old.ty, format_args!("insertelement {old}, {x}, {lane}"));
        self.set(dst, &value);
    }

    fn shuffle(&mut self, dst: Reg, x: Operand, y: Operand, lanes: &[u16]) {
        let width = self.lanes_of(x).max(self.lanes_of(y));
        let (x, y) = (self.operand_lanes(x, width), self.operand_lanes(y, width));
        let lanes: Vec<u32> = lanes.iter().map(|&lane| lane.into()).collect();
        let floats = matches!(x.ty.element, Element::Float | Element::Double);
        let wide = self.target.vector_bits == 512 && x.ty.bits() * width >= 512;
        let y = if floats && wide && moves_up(&lanes, width) { self.unknown(&y) } else { y };
        let value = self.text.shuffle(&x, &y, &lanes);
        self.set(dst, &value);
    }

    /// The same value, of which LLVM does not know what it is.
    ///
    /// Moving lanes up to let zeros in is one instruction with a vector of zeros, but two where LLVM sees the zeros and
    /// expands under a mask. Integers are moved by one instruction anyway.
    fn unknown(&mut self, x: &Value) -> Value {
        self.text.intrinsic("arithmetic.fence", &[x])
    }

    // -- masks -------------------------------------------------------------------------------

    /// The lanes of a mask as the bits of one integer.
    pub fn mask_bits(&mut self, mask: &Value) -> Value {
        self.text.cast("bitcast", mask, Type::int(mask.ty.lanes))
    }

    /// Whether any lane of a mask holds.
    pub fn any(&mut self, mask: &Value) -> Value {
        let bits = self.mask_bits(mask);
        self.text.icmp_int("ne", &bits, 0)
    }

    /// How many lanes of a mask hold, an `i64`.
    pub fn count_lanes(&mut self, mask: &Value) -> Value {
        let bits = self.mask_bits(mask);
        let count = self.text.intrinsic("ctpop", &[&bits]);
        self.widen(&count)
    }

    fn test_mask(&mut self, dst: Reg, mask: Operand, predicate: &str, pattern: i64) {
        let mask = self.operand(mask);
        let bits = self.mask_bits(&mask);
        let value = self.text.icmp_int(predicate, &bits, pattern);
        self.set(dst, &value);
    }

    fn first(&mut self, dst: Reg, mask: Operand) {
        let mask = self.operand(mask);
        let bits = self.mask_bits(&mask);
        let place = self.text.intrinsic("cttz", &[&bits, &Type::I1.int_constant(0)]);
        let place = self.widen(&place);
        self.set(dst, &place);
    }

    /// A count, which is small, as an `i64`.
    pub fn widen(&mut self, count: &Value) -> Value {
        let opcode = if count.ty.bits() > 64 { "trunc" } else { "zext" };
        self.text.cast(opcode, count, Type::I64)
    }
}

/// Whether a shuffle moves lanes up and lets the first lane of another vector in.
fn moves_up(lanes: &[u32], width: u32) -> bool {
    let by = lanes.iter().take_while(|&&lane| lane == width).count();
    by > 0 && lanes[by..].iter().zip(0..).all(|(&lane, from)| lane == from)
}
