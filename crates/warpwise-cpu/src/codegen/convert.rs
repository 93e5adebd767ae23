//! Conversions between scalar types.

use warpwise_prim::{ConvertOp, ScalarType};

use super::Emitted;
use super::function::Function;
use super::llvm::{Any, Cast, Data, Element, Float, Int, Mask, Precision, Value, cast, float, int};

impl Function<'_> {
    /// Converts `x` from scalar type `from` to another, lane by lane.
    pub fn convert(
        &mut self,
        op: ConvertOp,
        from: ScalarType,
        x: &Value<Any>,
        to: Element,
    ) -> Emitted<Value<Any>> {
        Ok(match op {
            ConvertOp::SExt => self.text.cast(cast::SEXT, &x.int()?, to.bits()).any(),
            ConvertOp::ZExt => self.text.cast(cast::ZEXT, &whole_numbers(x)?, to.bits()).any(),
            ConvertOp::Truncate => self.text.cast(cast::TRUNC, &x.int()?, to.bits()).any(),
            ConvertOp::Bitcast => self.text.recast(x, to),
            ConvertOp::ToBool if from.is_float() => {
                let x = x.float()?;
                self.float_compare(float::UNE, &x, &x.ty.constant(0.0)).any()
            }
            ConvertOp::ToBool => self.text.compare_int(int::NE, &x.int()?, 0).any(),
            ConvertOp::SIToFP => self.int_to_float(cast::SITOFP, &x.int()?, to.precision()?).any(),
            ConvertOp::UIToFP => self.int_to_float(cast::UITOFP, &whole_numbers(x)?, to.precision()?).any(),
            ConvertOp::FPToSI => self.float_to_int(Sign::Signed, &x.float()?, to.bits()).any(),
            ConvertOp::FPToUI => self.float_to_int(Sign::Unsigned, &x.float()?, to.bits()).any(),
            ConvertOp::FPConvert => self.float_to_float(&x.float()?, to.precision()?).any(),
            ConvertOp::IsNan => {
                let x = x.float()?;
                self.float_compare(float::UNO, &x, &x).any()
            }
            ConvertOp::IsInf => self.is_infinite(&x.float()?).any(),
            ConvertOp::ILogB => self.leading_exponent(&x.float()?).any(),
        })
    }

    /// Converts any float to f64, exactly.
    pub fn double_of(&mut self, x: &Value<Float>) -> Value<Float> {
        let x = self.at_least_single(x);
        self.text.cast(cast::FPEXT, &x, Precision::Double)
    }

    /// Rounds an f64 once to any float type.
    pub fn rounded_from_double(&mut self, x: &Value<Float>, precision: Precision) -> Value<Float> {
        match precision {
            Precision::Half => self.double_to_half(x),
            Precision::Single | Precision::Double => self.text.cast(cast::FPTRUNC, x, precision),
        }
    }

    fn float_to_float(&mut self, x: &Value<Float>, to: Precision) -> Value<Float> {
        match (x.ty.element, to) {
            (from, to) if from == to => x.clone(),
            (Precision::Single, Precision::Half) => self.text.cast(cast::FPTRUNC, x, to),
            (Precision::Half, Precision::Single) => self.text.cast(cast::FPEXT, x, to),
            (_, Precision::Double) => self.double_of(x),
            (_, Precision::Half | Precision::Single) => self.rounded_from_double(x, to),
        }
    }

    /// Converts by way of f32, rounded to odd: the last digit then tells that digits were cut off, so that rounding a second time
    /// gives the result of rounding once.
    fn double_to_half(&mut self, x: &Value<Float>) -> Value<Float> {
        let nearest = self.text.cast(cast::FPTRUNC, x, Precision::Single);
        let back = self.text.cast(cast::FPEXT, &nearest, Precision::Double);
        let inexact = self.text.compare(float::ONE, &back, x);
        let (size, back_size) =
            (self.text.intrinsic(float::FABS, [x]), self.text.intrinsic(float::FABS, [&back]));
        let too_large = self.text.compare(float::OGT, &back_size, &size);
        let excess = self.text.number(cast::SEXT, &too_large, 32);
        let sticky = self.text.number(cast::ZEXT, &inexact, 32);
        let bits = self.text.bits(&nearest);
        let cut = self.text.binary(int::ADD, &bits, &excess);
        let odd = self.text.binary(int::OR, &cut, &sticky);
        let odd = self.text.float_of_bits(&odd, Precision::Single);
        self.text.cast(cast::FPTRUNC, &odd, Precision::Half)
    }

    /// Converts integers to floats. The conversion to f16 goes by way of f32, which is exact within the range of f16.
    fn int_to_float(&mut self, opcode: Cast<Int, Float>, x: &Value<Int>, to: Precision) -> Value<Float> {
        if to != Precision::Half {
            return self.text.cast(opcode, x, to);
        }
        let single = self.text.cast(opcode, x, Precision::Single);
        self.text.cast(cast::FPTRUNC, &single, to)
    }

    /// Converts floats to integers; saturates, and NaN becomes 0.
    fn float_to_int(&mut self, sign: Sign, x: &Value<Float>, bits: u32) -> Value<Int> {
        let x = self.at_least_single(x);
        if x.ty.is_vector() && matches!(bits, 32 | 64) {
            return self.vector_to_int(sign, &x, bits);
        }
        let to = x.ty.of::<Int>(bits);
        let name = format!("llvm.{}.sat.{}.{}", sign.opcode(), to.suffix(), x.ty.suffix());
        self.text.call(to, &name, &[&x], "")
    }

    /// Converts vectors. LLVM's saturating conversion goes lane by lane; its plain one does not, and yields poison in the lanes
    /// that it cannot convert, which selects then discard.
    fn vector_to_int(&mut self, sign: Sign, x: &Value<Float>, bits: u32) -> Value<Int> {
        let to = x.ty.of::<Int>(bits);
        let (digits, low, least, most) = match sign {
            Sign::Signed => {
                let digits = bits - 1;
                let least = i64::MIN >> (63 - digits);
                (digits, -(2f64.powi(digits as i32)), least, !least)
            }
            Sign::Unsigned => (bits, 0.0, 0, -1),
        };
        let above = self.text.compare_float(float::OGE, x, 2f64.powi(digits as i32));
        let below = self.text.compare_float(float::OLT, x, low);
        let number = self.text.compare(float::ORD, x, x);
        let plain = self.text.cast(sign.opcode(), x, bits);
        let value = self.text.select(&number, &plain, &to.constant(0));
        let value = self.text.select(&below, &to.constant(least), &value);
        self.text.select(&above, &to.constant(most), &value)
    }

    fn is_infinite(&mut self, x: &Value<Float>) -> Mask {
        let x = self.at_least_single(x);
        let size = self.text.intrinsic(float::FABS, [&x]);
        self.text.compare_float(float::OEQ, &size, f64::INFINITY)
    }

    /// Computes the exponent from the exponent field in f64; for its subnormal numbers, from the position of the first digit.
    fn leading_exponent(&mut self, x: &Value<Float>) -> Value<Int> {
        let x = self.double_of(x);
        let result = x.ty.of::<Int>(32);
        let bits = self.text.bits(&x);
        let size = self.text.binary_int(int::AND, &bits, i64::MAX);
        let field = self.text.binary_int(int::LSHR, &size, 52);
        let normal = self.text.binary_int(int::SUB, &field, 1023);
        let zeros = self.text.total(int::CTLZ, &size);
        let subnormal = self.text.binary(int::SUB, &bits.ty.constant(-1011), &zeros);
        let is_subnormal = self.text.compare_int(int::EQ, &field, 0);
        let exponent = self.text.select(&is_subnormal, &subnormal, &normal);
        let exponent = self.text.cast(cast::TRUNC, &exponent, 32);

        let infinity = f64::INFINITY.to_bits() as i64;
        let is_infinite = self.text.compare_int(int::EQ, &size, infinity);
        let is_nan = self.text.compare_int(int::UGT, &size, infinity);
        let is_zero = self.text.compare_int(int::EQ, &size, 0);
        let has_none = self.text.or(&is_nan, &is_zero);
        let exponent = self.text.select(&is_infinite, &result.constant(i32::MAX.into()), &exponent);
        self.text.select(&has_none, &result.constant(i32::MIN.into()), &exponent)
    }
}

/// The signedness of integers that floats are converted to.
#[derive(Clone, Copy)]
enum Sign {
    Signed,
    Unsigned,
}

impl Sign {
    fn opcode(self) -> Cast<Float, Int> {
        match self {
            Sign::Signed => cast::FPTOSI,
            Sign::Unsigned => cast::FPTOUI,
        }
    }
}

/// Returns integers, or truth values as integers of one bit.
fn whole_numbers(x: &Value<Any>) -> Emitted<Value<Int>> {
    match x.data()? {
        Data::Bit(x) => Ok(x.as_ints()),
        Data::Int(_) | Data::Float(_) => x.int(),
    }
}
