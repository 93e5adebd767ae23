//! The dispatch of all operators, and the operators on integers and `bool`.

use warpwise_prim::{BinaryOp, CompareOp, UnaryOp};

use super::Emitted;
use super::function::Function;
use super::llvm::{
    Any, Cast, Data, Float, Int, Mask, Opcode, Precision, Predicate, Type, Value, cast, float, int,
};

/// Maximum number of wide divisions of a kernel. Each has two branches and a test of all lanes: LLVM would take minutes for a
/// nest of hundreds of maps with as many divisions.
const MOST_WIDE_DIVISIONS: usize = 16;

/// A division of vectors of 64-bit integers.
#[derive(Clone, Copy)]
struct WideDivision {
    signed: bool,
    part: Part,
    /// The divisor, if it is constant.
    known: Option<i64>,
}

/// A result of a division, rounded towards zero.
#[derive(Clone, Copy, PartialEq)]
enum Part {
    Quotient,
    Remainder,
}

impl Function<'_> {
    pub fn unary(&mut self, op: UnaryOp, x: &Value<Any>) -> Emitted<Value<Any>> {
        use UnaryOp::*;
        Ok(match op {
            Not => match x.data()? {
                Data::Bit(x) => self.text.xor(&x, &x.ty.constant(true)).any(),
                Data::Int(_) | Data::Float(_) => self.text.binary_int(int::XOR, &x.int()?, -1).any(),
            },
            Neg => {
                let x = x.int()?;
                self.text.binary(int::SUB, &x.ty.zero(), &x).any()
            }
            Abs => self.text.total(int::ABS, &x.int()?).any(),
            Signum => self.signum(&x.int()?).any(),
            PopCount => self.text.intrinsic(int::CTPOP, [&x.int()?]).any(),
            LeadingZeros => self.text.total(int::CTLZ, &x.int()?).any(),
            TrailingZeros => self.text.total(int::CTTZ, &x.int()?).any(),
            FNeg => self.float_bits(int::XOR, &x.float()?, i64::MIN).any(),
            FAbs => self.float_bits(int::AND, &x.float()?, i64::MAX).any(),
            FSignum => self.in_single([&x.float()?], |f, [x]| f.float_signum(x)).any(),
            Sqrt => self.rounded_by(float::SQRT, &x.float()?).any(),
            Rsqrt => self.reciprocal_root(&x.float()?).any(),
            ApproxRsqrt => self.estimated_reciprocal_root(&x.float()?).any(),
            Floor => self.rounded_by(float::FLOOR, &x.float()?).any(),
            Ceil => self.rounded_by(float::CEIL, &x.float()?).any(),
            Trunc => self.rounded_by(float::TRUNC, &x.float()?).any(),
            Round => self.rounded_by(float::ROUNDEVEN, &x.float()?).any(),
            Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Asin
            | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | SinPi | CosPi | TanPi | AsinPi
            | AcosPi | AtanPi | Gamma | LogGamma | Erf | Erfc => self.math_unary(op, &x.float()?).any(),
        })
    }

    /// Emits a binary operator. `known` is the integer `y` if it is constant: known divisors and exponents make simpler code.
    pub fn binary(
        &mut self,
        op: BinaryOp,
        x: &Value<Any>,
        y: &Value<Any>,
        known: Option<i64>,
    ) -> Emitted<Value<Any>> {
        match (x.data()?, y.data()?) {
            (Data::Int(x), Data::Int(y)) => Ok(self.int_binary(op, &x, &y, known)?.any()),
            (Data::Float(x), Data::Float(y)) => Ok(self.float_binary(op, &x, &y)?.any()),
            (Data::Bit(x), Data::Bit(y)) => Ok(self.bit_binary(op, &x, &y)?.any()),
            _ => Err(format!("{} of {} and {}", op.mnemonic(), x.ty, y.ty)),
        }
    }

    fn int_binary(
        &mut self,
        op: BinaryOp,
        x: &Value<Int>,
        y: &Value<Int>,
        known: Option<i64>,
    ) -> Emitted<Value<Int>> {
        use BinaryOp::*;
        Ok(match op {
            Add => self.text.binary(int::ADD, x, y),
            Sub => self.text.binary(int::SUB, x, y),
            Mul => self.text.binary(int::MUL, x, y),
            And => self.text.binary(int::AND, x, y),
            Or => self.text.binary(int::OR, x, y),
            Xor => self.text.binary(int::XOR, x, y),
            SMin => self.text.intrinsic(int::SMIN, [x, y]),
            UMin => self.text.intrinsic(int::UMIN, [x, y]),
            SMax => self.text.intrinsic(int::SMAX, [x, y]),
            UMax => self.text.intrinsic(int::UMAX, [x, y]),
            SMulHigh => self.high_product(cast::SEXT, x, y),
            UMulHigh => self.high_product(cast::ZEXT, x, y),
            SDiv => self.floor_quotient(x, y, known),
            SMod => self.floor_remainder(x, y, known),
            SQuot => self.signed_quotient(x, y, known),
            SRem => self.signed_remainder(x, y, known),
            UDiv => self.unsigned_quotient(x, y, known),
            UMod => self.unsigned_remainder(x, y, known),
            Pow | UPow => match known {
                Some(exponent) => self.known_power(x, exponent as u64 & low_bits(x.ty.bits())),
                None => self.power(x, y),
            },
            Shl => self.shift(int::SHL, x, y),
            LShr => self.shift(int::LSHR, x, y),
            AShr => {
                let most = x.ty.constant(i64::from(x.ty.bits()) - 1);
                let by = self.text.intrinsic(int::UMIN, [y, &most]);
                self.text.binary(int::ASHR, x, &by)
            }
            FAdd | FSub | FMul | FDiv | FMin | FMax | CopySign | NextAfter | FMod | FRem | FPow | Atan2
            | Atan2Pi | Hypot | LdExp => return Err(format!("{} of integers", op.mnemonic())),
        })
    }

    fn float_binary(&mut self, op: BinaryOp, x: &Value<Float>, y: &Value<Float>) -> Emitted<Value<Float>> {
        use BinaryOp::*;
        Ok(match op {
            FAdd => self.arithmetic(float::ADD, x, y),
            FSub => self.arithmetic(float::SUB, x, y),
            FMul => self.arithmetic(float::MUL, x, y),
            FDiv => self.arithmetic(float::DIV, x, y),
            FMin => self.in_single([x, y], |f, args| f.text.intrinsic(float::MINNUM, args)),
            FMax => self.in_single([x, y], |f, args| f.text.intrinsic(float::MAXNUM, args)),
            CopySign => self.copy_sign(x, y),
            NextAfter => self.next_after(x, y),
            FMod | FRem | FPow | Atan2 | Atan2Pi | Hypot | LdExp => self.math_binary(op, x, y),
            Add | Sub | Mul | And | Or | Xor | SMin | UMin | SMax | UMax | SMulHigh | UMulHigh | SDiv
            | SMod | SQuot | SRem | UDiv | UMod | Pow | UPow | Shl | LShr | AShr => {
                return Err(format!("{} of floats", op.mnemonic()));
            }
        })
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "a truth value knows three operators")]
    fn bit_binary(&mut self, op: BinaryOp, x: &Mask, y: &Mask) -> Emitted<Mask> {
        match op {
            BinaryOp::And => Ok(self.text.and(x, y)),
            BinaryOp::Or => Ok(self.text.or(x, y)),
            BinaryOp::Xor => Ok(self.text.xor(x, y)),
            other => Err(format!("{} of truth values", other.mnemonic())),
        }
    }

    pub fn compare(&mut self, op: CompareOp, x: &Value<Any>, y: &Value<Any>) -> Emitted<Mask> {
        match (x.data()?, y.data()?) {
            (Data::Int(x), Data::Int(y)) => Ok(self.text.compare(int_predicate(op)?, &x, &y)),
            (Data::Bit(x), Data::Bit(y)) => {
                Ok(self.text.compare(int_predicate(op)?, &x.as_ints(), &y.as_ints()))
            }
            (Data::Float(x), Data::Float(y)) => Ok(self.float_compare(float_predicate(op)?, &x, &y)),
            _ => Err(format!("{} of {} and {}", op.mnemonic(), x.ty, y.ty)),
        }
    }

    fn signum(&mut self, x: &Value<Int>) -> Value<Int> {
        let (positive, negative) =
            (self.text.compare_int(int::SGT, x, 0), self.text.compare_int(int::SLT, x, 0));
        let other = self.text.number(cast::ZEXT, &positive, x.ty.bits());
        self.text.select(&negative, &x.ty.constant(-1), &other)
    }

    fn high_product(&mut self, extend: Cast<Int, Int>, x: &Value<Int>, y: &Value<Int>) -> Value<Int> {
        let bits = x.ty.bits();
        let (x, y) = (self.text.cast(extend, x, 2 * bits), self.text.cast(extend, y, 2 * bits));
        let product = self.text.binary(int::MUL, &x, &y);
        let high = self.text.binary_int(int::LSHR, &product, bits.into());
        self.text.cast(cast::TRUNC, &high, bits)
    }

    /// Shifts; a shift by the width or more yields zero, where LLVM's shift is undefined.
    fn shift(&mut self, opcode: Opcode<Int>, x: &Value<Int>, y: &Value<Int>) -> Value<Int> {
        let shifted = self.text.binary(opcode, x, y);
        let in_range = self.text.compare_int(int::ULT, y, x.ty.bits().into());
        self.text.select(&in_range, &shifted, &x.ty.zero())
    }

    // -- division ----------------------------------------------------------------------------

    fn floor_quotient(&mut self, x: &Value<Int>, y: &Value<Int>, known: Option<i64>) -> Value<Int> {
        if let Some(exponent) = power_of_two(known) {
            return self.text.binary_int(int::ASHR, x, exponent);
        }
        let quotient = self.signed_quotient(x, y, known);
        let product = self.text.binary(int::MUL, &quotient, y);
        let remainder = self.text.binary(int::SUB, x, &product);
        let below = self.has_other_sign(&remainder, y);
        let correction = self.text.number(cast::SEXT, &below, x.ty.bits());
        self.text.binary(int::ADD, &quotient, &correction)
    }

    fn floor_remainder(&mut self, x: &Value<Int>, y: &Value<Int>, known: Option<i64>) -> Value<Int> {
        if let (Some(_), Some(divisor)) = (power_of_two(known), known) {
            return self.text.binary_int(int::AND, x, divisor - 1);
        }
        let remainder = self.signed_remainder(x, y, known);
        let below = self.has_other_sign(&remainder, y);
        let corrected = self.text.binary(int::ADD, &remainder, y);
        self.text.select(&below, &corrected, &remainder)
    }

    /// Computes whether a remainder is nonzero and differs in sign from the divisor.
    fn has_other_sign(&mut self, remainder: &Value<Int>, divisor: &Value<Int>) -> Mask {
        let signs = self.text.binary(int::XOR, remainder, divisor);
        let differ = self.text.compare_int(int::SLT, &signs, 0);
        let nonzero = self.text.compare_int(int::NE, remainder, 0);
        self.text.and(&differ, &nonzero)
    }

    fn signed_remainder(&mut self, x: &Value<Int>, y: &Value<Int>, known: Option<i64>) -> Value<Int> {
        if has_narrow_version(x.ty, known) {
            let (_, safe) = self.safe_divisor(y, known);
            return self.wide_division(WideDivision { signed: true, part: Part::Remainder, known }, x, &safe);
        }
        if divides_plainly(known) {
            return self.text.binary(int::SREM, x, y);
        }
        let quotient = self.signed_quotient(x, y, known);
        let product = self.text.binary(int::MUL, &quotient, y);
        self.text.binary(int::SUB, x, &product)
    }

    fn signed_quotient(&mut self, x: &Value<Int>, y: &Value<Int>, known: Option<i64>) -> Value<Int> {
        let has_narrow = has_narrow_version(x.ty, known);
        if divides_plainly(known) && !has_narrow {
            return self.text.binary(int::SDIV, x, y);
        }
        let (negates, safe) = self.safe_divisor(y, known);
        let quotient = if has_float_division(x.ty) {
            self.quotient_by_floats((cast::SITOFP, cast::FPTOSI), x, &safe)
        } else if has_narrow {
            self.wide_division(WideDivision { signed: true, part: Part::Quotient, known }, x, &safe)
        } else {
            self.text.binary(int::SDIV, x, &safe)
        };
        let negated = self.text.binary(int::SUB, &x.ty.zero(), x);
        self.text.select(&negates, &negated, &quotient)
    }

    /// Returns whether a signed divisor is -1, and the divisor with 1 instead of -1, because the least integer divided by -1 traps.
    fn safe_divisor(&mut self, y: &Value<Int>, known: Option<i64>) -> (Mask, Value<Int>) {
        let negates = self.text.compare_int(int::EQ, y, -1);
        let safe = self.text.select(&negates, &y.ty.constant(1), &never_zero(y, known));
        (negates, safe)
    }

    fn unsigned_quotient(&mut self, x: &Value<Int>, y: &Value<Int>, known: Option<i64>) -> Value<Int> {
        if known.is_none() && has_float_division(x.ty) {
            return self.quotient_by_floats((cast::UITOFP, cast::FPTOUI), x, y);
        }
        if has_narrow_version(x.ty, known) {
            return self.wide_division(WideDivision { signed: false, part: Part::Quotient, known }, x, y);
        }
        self.text.binary(int::UDIV, x, &never_zero(y, known))
    }

    fn unsigned_remainder(&mut self, x: &Value<Int>, y: &Value<Int>, known: Option<i64>) -> Value<Int> {
        if has_narrow_version(x.ty, known) {
            return self.wide_division(WideDivision { signed: false, part: Part::Remainder, known }, x, y);
        }
        if known.is_none() && x.ty.is_vector() {
            let quotient = self.unsigned_quotient(x, y, known);
            let product = self.text.binary(int::MUL, &quotient, y);
            return self.text.binary(int::SUB, x, &product);
        }
        self.text.binary(int::UREM, x, &never_zero(y, known))
    }

    /// Divides by floats, since there are no vector instructions for integer division. A float with more digits than both
    /// operands together gives the exact quotient after truncation: its rounding error is less than the distance 1/y of a
    /// fraction from the next integer.
    fn quotient_by_floats(
        &mut self,
        (to, from): (Cast<Int, Float>, Cast<Float, Int>),
        x: &Value<Int>,
        y: &Value<Int>,
    ) -> Value<Int> {
        let precision = if x.ty.bits() == 32 { Precision::Double } else { Precision::Single };
        let (x_float, y_float) = (self.text.cast(to, x, precision), self.text.cast(to, y, precision));
        let quotient = self.text.binary(float::DIV, &x_float, &y_float);
        self.text.cast(from, &quotient, x.ty.bits())
    }

    /// Divides vectors of 64-bit integers. The machine does so lane by lane, or for a known divisor by many multiplications. Most
    /// operands are indices or extents, though: if all operands are signed 32-bit integers, they are divided as such.
    fn wide_division(&mut self, how: WideDivision, x: &Value<Int>, y: &Value<Int>) -> Value<Int> {
        let division = match (how.part, how.signed) {
            (Part::Quotient, true) => int::SDIV,
            (Part::Quotient, false) => int::UDIV,
            (Part::Remainder, true) => int::SREM,
            (Part::Remainder, false) => int::UREM,
        };
        // Divisions by unknown numbers gain most and may use all of the budget.
        let most = if how.known.is_some() { MOST_WIDE_DIVISIONS / 2 } else { MOST_WIDE_DIVISIONS };
        self.wide_divisions += 1;
        if self.wide_divisions > most {
            return self.text.binary(division, x, y);
        }
        let result = self.text.slot(x.ty);
        let mut above = self.above_32_bits(how.signed, x);
        if how.known.is_none() {
            let above_y = self.above_32_bits(how.signed, y);
            above = self.text.binary(int::OR, &above, &above_y);
        }
        let wide = self.text.compare_int(int::NE, &above, 0);
        let any_wide = self.any(&wide);
        let (each, together, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.branch_unlikely(&any_wide, each, together);

        self.text.begin(each);
        let exact = self.text.binary(division, x, y);
        self.text.write(&result, &exact);
        self.text.jump(end);

        self.text.begin(together);
        let [x, y] = [x, y].map(|value| self.text.cast(cast::TRUNC, value, 32));
        let narrow = self.narrow_division(how, &x, &y);
        let exact = self.text.cast(cast::SEXT, &narrow, 64);
        self.text.write(&result, &exact);
        self.text.jump(end);

        self.text.begin(end);
        self.text.read(&result)
    }

    /// Returns zero if `value` is a signed 32-bit integer. Unsigned values must be nonnegative as such.
    fn above_32_bits(&mut self, signed: bool, value: &Value<Int>) -> Value<Int> {
        if !signed {
            return self.text.binary_int(int::LSHR, value, 31);
        }
        // The least 32-bit integer becomes 0; the largest has no bit above the low 32.
        let moved = self.text.binary_int(int::ADD, value, 1 << 31);
        self.text.binary_int(int::LSHR, &moved, 32)
    }

    /// Divides vectors of signed 32-bit integers. No divisor is -1.
    fn narrow_division(&mut self, how: WideDivision, x: &Value<Int>, y: &Value<Int>) -> Value<Int> {
        match (how.part, how.known) {
            (Part::Quotient, Some(_)) => self.text.binary(int::SDIV, x, y),
            (Part::Remainder, Some(_)) => self.text.binary(int::SREM, x, y),
            (part, None) => {
                let quotient = self.quotient_by_floats((cast::SITOFP, cast::FPTOSI), x, y);
                if part == Part::Quotient {
                    return quotient;
                }
                let product = self.text.binary(int::MUL, &quotient, y);
                self.text.binary(int::SUB, x, &product)
            }
        }
    }

    // -- power -------------------------------------------------------------------------------

    fn known_power(&mut self, x: &Value<Int>, mut exponent: u64) -> Value<Int> {
        let mut result = x.ty.constant(1);
        let mut base = x.clone();
        while exponent != 0 {
            if exponent & 1 == 1 {
                result = self.text.binary(int::MUL, &result, &base);
            }
            exponent >>= 1;
            if exponent != 0 {
                base = self.text.binary(int::MUL, &base, &base);
            }
        }
        result
    }

    /// Computes a power: squares and multiplies until no lane has exponent bits left.
    fn power(&mut self, x: &Value<Int>, y: &Value<Int>) -> Value<Int> {
        let ty = x.ty;
        let slots = [(); 3].map(|()| self.text.slot(ty));
        for (slot, value) in slots.iter().zip([&ty.constant(1), x, y]) {
            self.text.write(slot, value);
        }
        let (test, step, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.jump(test);
        self.text.begin(test);
        let [result, base, exponent] = slots.each_ref().map(|slot| self.text.read(slot));
        let left = self.text.compare_int(int::NE, &exponent, 0);
        let goes_on = self.any(&left);
        self.text.branch(&goes_on, step, end);

        self.text.begin(step);
        let low = self.text.low_bit(&exponent);
        let product = self.text.binary(int::MUL, &result, &base);
        let next = [
            self.text.select(&low, &product, &result),
            self.text.binary(int::MUL, &base, &base),
            self.text.binary_int(int::LSHR, &exponent, 1),
        ];
        for (slot, value) in slots.iter().zip(&next) {
            self.text.write(slot, value);
        }
        self.text.jump(test);
        self.text.begin(end);
        result
    }
}

fn int_predicate(op: CompareOp) -> Emitted<Predicate<Int>> {
    match op {
        CompareOp::Eq => Ok(int::EQ),
        CompareOp::Ne => Ok(int::NE),
        CompareOp::SLt => Ok(int::SLT),
        CompareOp::SLe => Ok(int::SLE),
        CompareOp::ULt => Ok(int::ULT),
        CompareOp::ULe => Ok(int::ULE),
        CompareOp::FLt | CompareOp::FLe => Err(format!("{} of integers", op.mnemonic())),
    }
}

fn float_predicate(op: CompareOp) -> Emitted<Predicate<Float>> {
    match op {
        CompareOp::Eq => Ok(float::OEQ),
        CompareOp::Ne => Ok(float::UNE),
        CompareOp::FLt => Ok(float::OLT),
        CompareOp::FLe => Ok(float::OLE),
        CompareOp::SLt | CompareOp::SLe | CompareOp::ULt | CompareOp::ULe => {
            Err(format!("{} of floats", op.mnemonic()))
        }
    }
}

/// Returns the exponent if the known divisor is a positive power of two.
fn power_of_two(known: Option<i64>) -> Option<i64> {
    known
        .filter(|&divisor| divisor > 0 && divisor & (divisor - 1) == 0)
        .map(|divisor| divisor.trailing_zeros().into())
}

/// Returns whether the division is defined for every dividend.
fn divides_plainly(known: Option<i64>) -> bool {
    known.is_some_and(|divisor| divisor != 0 && divisor != -1)
}

/// Replaces a known zero divisor. It occurs only in code that no correct run reaches, but must not let LLVM conclude that the
/// code before it is unreachable too.
fn never_zero(y: &Value<Int>, known: Option<i64>) -> Value<Int> {
    if known == Some(0) { y.ty.constant(1) } else { y.clone() }
}

/// Returns whether a division is much cheaper in 32 bits. Multiplications by few lanes cost no more than the test.
fn has_narrow_version(ty: Type<Int>, known: Option<i64>) -> bool {
    let gains = match known {
        Some(divisor) => {
            ty.lanes >= 4 && power_of_two(known).is_none() && (2..=i32::MAX.into()).contains(&divisor)
        }
        None => true,
    };
    ty.is_vector() && ty.bits() == 64 && gains
}

fn has_float_division(ty: Type<Int>) -> bool {
    ty.is_vector() && ty.bits() <= 32
}

fn low_bits(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}
