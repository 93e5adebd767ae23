//! Operations between the lanes of vectors.

use warpwise_imp::{Op, Operand, Reg, ops};

use super::Emitted;
use super::function::Function;
use super::llvm::{
    Condition, Data, Float, Int, Mask, Precision, Predicate, Scalar, Shaped, Value, cast, float, int,
};

impl Function<'_> {
    pub fn lane_op(&mut self, op: &Op) -> Emitted<()> {
        match op {
            Op::LaneIds { dst } => {
                let ids = self.reg_type(*dst).as_int().lane_numbers();
                self.set(*dst, &ids)
            }
            Op::Extract { dst, x, lane } => self.extract(*dst, *x, *lane),
            Op::Insert { dst, x, lane } => self.insert(*dst, *x, *lane),
            Op::Shuffle { dst, x, y, lanes } => self.shuffle(*dst, *x, *y, lanes),
            Op::Any { dst, mask } => self.test_mask(*dst, *mask, int::NE, 0),
            Op::All { dst, mask } => self.test_mask(*dst, *mask, int::EQ, -1),
            Op::Count { dst, mask } => {
                let mask = self.mask(*mask)?;
                let count = self.count_lanes(&mask);
                self.set(*dst, &count)
            }
            Op::First { dst, mask } => {
                let mask = self.mask(*mask)?;
                let bits = self.text.packed(&mask);
                let first = self.first_bit(&bits);
                self.set(*dst, &first)
            }
            other @ ops!(value, access, SetMem, arena, control, Fail, flag, group, host) => {
                Err(format!("not between lanes: {other:?}"))
            }
        }
    }

    fn extract(&mut self, dst: Reg, x: Operand, lane: Operand) -> Emitted<()> {
        let (x, lane) = (self.operand(x), self.index(lane)?);
        match x.shape() {
            Shaped::One(x) => self.set(dst, &x),
            Shaped::Many(x) => {
                let value = self.text.extract(&x, &lane);
                self.set(dst, &value)
            }
        }
    }

    fn insert(&mut self, dst: Reg, x: Operand, lane: Operand) -> Emitted<()> {
        let (x, lane, old) = (self.operand(x).scalar()?, self.index(lane)?, self.get(dst));
        match old.shape() {
            Shaped::One(_) => self.set(dst, &x),
            Shaped::Many(old) => {
                let value = self.text.insert(&old, &x, &lane);
                self.set(dst, &value)
            }
        }
    }

    fn shuffle(&mut self, dst: Reg, x: Operand, y: Operand, lanes: &[u16]) -> Emitted<()> {
        let width = self.lanes_of(x).max(self.lanes_of(y));
        let (x, y) = (self.operand_lanes(x, width), self.operand_lanes(y, width));
        let lanes: Vec<u32> = lanes.iter().map(|&lane| lane.into()).collect();
        if let (Data::Bit(x), Data::Bit(y)) = (x.data()?, y.data()?)
            && self.target.vector_bits == 512
            && lanes.len() > 1
        {
            let value = self.shuffle_masks(&x, &y, &lanes);
            return self.set(dst, &value);
        }
        let wide = self.target.vector_bits == 512 && x.ty.bits() * width >= 512;
        let y = if let Data::Float(y) = y.data()?
            && y.ty.element != Precision::Half
            && wide
            && moves_up(&lanes, width)
        {
            self.unknown(&y).any()
        } else {
            y
        };
        let value = self.text.shuffle(&x, &y, &lanes);
        self.set(dst, &value)
    }

    /// Shuffles masks as integers of all ones or zeros: LLVM moves the bits of mask registers one by one.
    fn shuffle_masks(&mut self, x: &Mask, y: &Mask, lanes: &[u32]) -> Mask {
        let bits = (self.target.vector_bits / x.ty.lanes).clamp(8, 32);
        let [x, y] = [x, y].map(|mask| self.text.cast(cast::SEXT, &mask.as_ints(), bits));
        let shuffled = self.text.shuffle(&x, &y, lanes);
        self.text.compare_int(int::SLT, &shuffled, 0)
    }

    /// Returns the same value in a form that LLVM cannot see through.
    ///
    /// Moving lanes up and filling with zeros is one instruction with a vector of zeros, but two if LLVM sees the zeros and
    /// expands under a mask. Integers are moved by one instruction in either case.
    fn unknown(&mut self, x: &Value<Float>) -> Value<Float> {
        self.text.intrinsic(float::FENCE, [x])
    }

    // -- masks -------------------------------------------------------------------------------

    /// Computes whether any lane of a mask holds.
    pub fn any(&mut self, mask: &Mask) -> Condition {
        let bits = self.text.packed(mask);
        self.text.compare_int(int::NE, &bits, 0)
    }

    /// Counts the lanes of a mask that hold, as an `i64`.
    pub fn count_lanes(&mut self, mask: &Mask) -> Scalar<Int> {
        let bits = self.text.packed(mask);
        let count = self.text.intrinsic(int::CTPOP, [&bits]);
        self.widen(&count)
    }

    fn test_mask(&mut self, dst: Reg, mask: Operand, predicate: Predicate<Int>, pattern: i64) -> Emitted<()> {
        let mask = self.mask(mask)?;
        let bits = self.text.packed(&mask);
        let value = self.text.compare_int(predicate, &bits, pattern);
        self.set(dst, &value)
    }

    /// Returns the number of the lowest set bit, as an `i64`.
    pub fn first_bit(&mut self, bits: &Scalar<Int>) -> Scalar<Int> {
        let place = self.text.total(int::CTTZ, bits);
        self.widen(&place)
    }

    /// Converts a count, which is small, to an `i64`.
    fn widen(&mut self, count: &Scalar<Int>) -> Scalar<Int> {
        let opcode = if count.ty.bits() > 64 { cast::TRUNC } else { cast::ZEXT };
        self.text.cast(opcode, count, 64)
    }
}

/// Returns whether a shuffle moves lanes up and fills with the first lane of another vector.
fn moves_up(lanes: &[u32], width: u32) -> bool {
    let by = lanes.iter().take_while(|&&lane| lane == width).count();
    by > 0 && lanes[by..].iter().zip(0..).all(|(&lane, from)| lane == from)
}
