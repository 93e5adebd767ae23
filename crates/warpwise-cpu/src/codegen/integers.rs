//! Every operator by name, and those on integers and `bool`.

use warpwise_prim::{BinaryOp, CompareOp, UnaryOp};

use super::function::Function;
use super::text::{Element, Type, Value};

impl Function<'_> {
    pub fn unary(&mut self, op: UnaryOp, x: &Value) -> Value {
        use UnaryOp::*;
        match op {
            Neg => self.text.binary("sub", &x.ty.zero(), x),
            Not => self.text.binary_int("xor", x, -1),
            Abs => self.text.intrinsic("abs", &[x, &Type::I1.int_constant(0)]),
            Signum => self.signum(x),
            PopCount => self.text.intrinsic("ctpop", &[x]),
            LeadingZeros => self.text.intrinsic("ctlz", &[x, &Type::I1.int_constant(0)]),
            TrailingZeros => self.text.intrinsic("cttz", &[x, &Type::I1.int_constant(0)]),
            FNeg => self.float_bits("xor", x, i64::MIN),
            FAbs => self.float_bits("and", x, i64::MAX),
            FSignum => self.in_float([x], |f, [x]| f.float_signum(x)),
            Sqrt => self.rounded_by("sqrt", x),
            Rsqrt => self.reciprocal_root(x),
            ApproxRsqrt => self.estimated_reciprocal_root(x),
            Floor => self.rounded_by("floor", x),
            Ceil => self.rounded_by("ceil", x),
            Trunc => self.rounded_by("trunc", x),
            Round => self.rounded_by("roundeven", x),
            Cbrt | Exp | Exp2 | Exp10 | Expm1 | Log | Log2 | Log10 | Log1p | Sin | Cos | Tan | Asin
            | Acos | Atan | Sinh | Cosh | Tanh | Asinh | Acosh | Atanh | SinPi | CosPi | TanPi | AsinPi
            | AcosPi | AtanPi | Gamma | LogGamma | Erf | Erfc => self.math_unary(op, x),
        }
    }

    /// `known` is the integer `y` if it is constant: known divisors and exponents make simpler code.
    pub fn binary(&mut self, op: BinaryOp, x: &Value, y: &Value, known: Option<i64>) -> Value {
        use BinaryOp::*;
        match op {
            Add => self.text.binary("add", x, y),
            Sub => self.text.binary("sub", x, y),
            Mul => self.text.binary("mul", x, y),
            And => self.text.binary("and", x, y),
            Or => self.text.binary("or", x, y),
            Xor => self.text.binary("xor", x, y),
            SMin => self.text.intrinsic("smin", &[x, y]),
            UMin => self.text.intrinsic("umin", &[x, y]),
            SMax => self.text.intrinsic("smax", &[x, y]),
            UMax => self.text.intrinsic("umax", &[x, y]),
            SMulHigh => self.high_product("sext", x, y),
            UMulHigh => self.high_product("zext", x, y),
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
            Shl => self.shift("shl", x, y),
            LShr => self.shift("lshr", x, y),
            AShr => {
                let most = x.ty.int_constant(i64::from(x.ty.bits()) - 1);
                let by = self.text.intrinsic("umin", &[y, &most]);
                self.text.binary("ashr", x, &by)
            }
            FAdd => self.arithmetic("fadd", x, y),
            FSub => self.arithmetic("fsub", x, y),
            FMul => self.arithmetic("fmul", x, y),
            FDiv => self.arithmetic("fdiv", x, y),
            FMin => self.in_float([x, y], |f, [x, y]| f.text.intrinsic("minnum", &[x, y])),
            FMax => self.in_float([x, y], |f, [x, y]| f.text.intrinsic("maxnum", &[x, y])),
            CopySign => self.copy_sign(x, y),
            NextAfter => self.next_after(x, y),
            FMod | FRem | FPow | Atan2 | Atan2Pi | Hypot | LdExp => self.math_binary(op, x, y),
        }
    }

    pub fn compare(&mut self, op: CompareOp, x: &Value, y: &Value) -> Value {
        let float = matches!(x.ty.element, Element::Half | Element::Float | Element::Double);
        match op {
            CompareOp::Eq if float => self.float_compare("oeq", x, y),
            CompareOp::Ne if float => self.float_compare("une", x, y),
            CompareOp::Eq => self.text.icmp("eq", x, y),
            CompareOp::Ne => self.text.icmp("ne", x, y),
            CompareOp::SLt => self.text.icmp("slt", x, y),
            CompareOp::SLe => self.text.icmp("sle", x, y),
            CompareOp::ULt => self.text.icmp("ult", x, y),
            CompareOp::ULe => self.text.icmp("ule", x, y),
            CompareOp::FLt => self.float_compare("olt", x, y),
            CompareOp::FLe => self.float_compare("ole", x, y),
        }
    }

    fn signum(&mut self, x: &Value) -> Value {
        let (positive, negative) = (self.text.icmp_int("sgt", x, 0), self.text.icmp_int("slt", x, 0));
        let other = self.text.cast("zext", &positive, x.ty);
        self.text.select(&negative, &x.ty.int_constant(-1), &other)
    }

    fn high_product(&mut self, extend: &str, x: &Value, y: &Value) -> Value {
        let bits = x.ty.bits();
        let wide = x.ty.of(Element::Int(2 * bits));
        let (x, y) = (self.text.cast(extend, x, wide), self.text.cast(extend, y, wide));
        let product = self.text.binary("mul", &x, &y);
        let high = self.text.binary_int("lshr", &product, bits.into());
        self.text.cast("trunc", &high, wide.of(Element::Int(bits)))
    }

    /// Zero from a shift by the width or more on; LLVM leaves such shifts undefined.
    fn shift(&mut self, opcode: &str, x: &Value, y: &Value) -> Value {
        let shifted = self.text.binary(opcode, x, y);
        let in_range = self.text.icmp_int("ult", y, x.ty.bits().into());
        self.text.select(&in_range, &shifted, &x.ty.zero())
    }

    // -- division ----------------------------------------------------------------------------

    fn floor_quotient(&mut self, x: &Value, y: &Value, known: Option<i64>) -> Value {
        if let Some(exponent) = power_of_two(known) {
            return self.text.binary_int("ashr", x, exponent);
        }
        let quotient = self.signed_quotient(x, y, known);
        let product = self.text.binary("mul", &quotient, y);
        let remainder = self.text.binary("sub", x, &product);
        let below = self.has_other_sign(&remainder, y);
        let correction = self.text.cast("sext", &below, x.ty);
        self.text.binary("add", &quotient, &correction)
    }

    fn floor_remainder(&mut self, x: &Value, y: &Value, known: Option<i64>) -> Value {
        if let (Some(_), Some(divisor)) = (power_of_two(known), known) {
            return self.text.binary_int("and", x, divisor - 1);
        }
        let remainder = self.signed_remainder(x, y, known);
        let below = self.has_other_sign(&remainder, y);
        let corrected = self.text.binary("add", &remainder, y);
        self.text.select(&below, &corrected, &remainder)
    }

    /// Whether a remainder is not zero and of another sign than the divisor.
    fn has_other_sign(&mut self, remainder: &Value, divisor: &Value) -> Value {
        let signs = self.text.binary("xor", remainder, divisor);
        let differ = self.text.icmp_int("slt", &signs, 0);
        let nonzero = self.text.icmp_int("ne", remainder, 0);
        self.text.binary("and", &differ, &nonzero)
    }

    fn signed_remainder(&mut self, x: &Value, y: &Value, known: Option<i64>) -> Value {
        if divides_plainly(known) {
            return self.text.binary("srem", x, y);
        }
        let quotient = self.signed_quotient(x, y, known);
        let product = self.text.binary("mul", &quotient, y);
        self.text.binary("sub", x, &product)
    }

    /// The divisor -1 is replaced, because the least integer over -1 traps.
    fn signed_quotient(&mut self, x: &Value, y: &Value, known: Option<i64>) -> Value {
        if divides_plainly(known) {
            return self.text.binary("sdiv", x, y);
        }
        let negates = self.text.icmp_int("eq", y, -1);
        let safe = self.text.select(&negates, &x.ty.int_constant(1), &never_zero(y, known));
        let quotient = if has_float_division(x.ty) {
            self.quotient_by_floats(["sitofp", "fptosi"], x, &safe)
        } else {
            self.text.binary("sdiv", x, &safe)
        };
        let negated = self.text.binary("sub", &x.ty.zero(), x);
        self.text.select(&negates, &negated, &quotient)
    }

    fn unsigned_quotient(&mut self, x: &Value, y: &Value, known: Option<i64>) -> Value {
        if known.is_none() && has_float_division(x.ty) {
            return self.quotient_by_floats(["uitofp", "fptoui"], x, y);
        }
        self.text.binary("udiv", x, &never_zero(y, known))
    }

    fn unsigned_remainder(&mut self, x: &Value, y: &Value, known: Option<i64>) -> Value {
        if known.is_none() && has_float_division(x.ty) {
            let quotient = self.unsigned_quotient(x, y, known);
            let product = self.text.binary("mul", &quotient, y);
            return self.text.binary("sub", x, &product);
        }
        self.text.binary("urem", x, &never_zero(y, known))
    }

    /// There are no vector instructions for integer division, but a float with more digits than both
    /// operands together need gives the exact quotient after truncation: its rounding error is less
    /// than the distance 1/y of a fraction from the next integer.
    fn quotient_by_floats(&mut self, [to, from]: [&str; 2], x: &Value, y: &Value) -> Value {
        let float = x.ty.of(if x.ty.bits() == 32 { Element::Double } else { Element::Float });
        let (x_float, y_float) = (self.text.cast(to, x, float), self.text.cast(to, y, float));
        let quotient = self.text.binary("fdiv", &x_float, &y_float);
        self.text.cast(from, &quotient, x.ty)
    }

    // -- power -------------------------------------------------------------------------------

    fn known_power(&mut self, x: &Value, mut exponent: u64) -> Value {
        let mut result = x.ty.int_constant(1);
        let mut base = x.clone();
        while exponent != 0 {
            if exponent & 1 == 1 {
                result = self.text.binary("mul", &result, &base);
            }
            exponent >>= 1;
            if exponent != 0 {
                base = self.text.binary("mul", &base, &base);
            }
        }
        result
    }

    /// Squares and multiplies until no lane has exponent bits left.
    fn power(&mut self, x: &Value, y: &Value) -> Value {
        let ty = x.ty;
        let slots = [(); 3].map(|()| self.text.alloca(format_args!("{ty}")));
        for (slot, value) in slots.iter().zip([&ty.int_constant(1), x, y]) {
            self.text.line(format_args!("store {value}, {slot}"));
        }
        let (test, step, end) = (self.text.new_block(), self.text.new_block(), self.text.new_block());
        self.text.jump(test);
        self.text.begin(test);
        let [result, base, exponent] =
            slots.each_ref().map(|slot| self.text.value(ty, format_args!("load {ty}, {slot}")));
        let left = self.text.icmp_int("ne", &exponent, 0);
        let goes_on = self.any(&left);
        self.text.branch(&goes_on, step, end);

        self.text.begin(step);
        let low = self.text.cast("trunc", &exponent, ty.of(Element::Int(1)));
        let product = self.text.binary("mul", &result, &base);
        let next = [
            self.text.select(&low, &product, &result),
            self.text.binary("mul", &base, &base),
            self.text.binary_int("lshr", &exponent, 1),
        ];
        for (slot, value) in slots.iter().zip(&next) {
            self.text.line(format_args!("store {value}, {slot}"));
        }
        self.text.jump(test);
        self.text.begin(end);
        result
    }
}

/// The exponent, if the known divisor is a positive power of two.
fn power_of_two(known: Option<i64>) -> Option<i64> {
    known
        .filter(|&divisor| divisor > 0 && divisor & (divisor - 1) == 0)
        .map(|divisor| divisor.trailing_zeros().into())
}

/// Whether no dividend makes the division undefined.
fn divides_plainly(known: Option<i64>) -> bool {
    known.is_some_and(|divisor| divisor != 0 && divisor != -1)
}

/// A known zero divisor stands in code that cannot be reached with meaning, but must not let LLVM
/// conclude that the code before it is never reached either.
fn never_zero(y: &Value, known: Option<i64>) -> Value {
    if known == Some(0) { y.ty.int_constant(1) } else { y.clone() }
}

fn has_float_division(ty: Type) -> bool {
    ty.is_vector() && ty.bits() <= 32
}

fn low_bits(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}
