//! Conversions between scalar types.

use warpwise_prim::{ConvertOp, ScalarType};

use super::function::Function;
use super::text::{Element, Type, Value};

impl Function<'_> {
    /// `x`, of scalar type `from`, converted to the scalar type of `to`, lane by lane.
    pub fn convert(&mut self, op: ConvertOp, from: ScalarType, x: &Value, to: Type) -> Value {
        let to = x.ty.of(to.element);
        match op {
            ConvertOp::SExt => self.text.cast("sext", x, to),
            ConvertOp::ZExt => self.text.cast("zext", x, to),
            ConvertOp::Truncate => self.text.cast("trunc", x, to),
            ConvertOp::Bitcast => self.text.cast("bitcast", x, to),
            ConvertOp::ToBool if from.is_float() => self.float_compare("une", x, &x.ty.float_constant(0.0)),
            ConvertOp::ToBool => self.text.icmp_int("ne", x, 0),
            ConvertOp::SIToFP => self.int_to_float("sitofp", x, to),
            ConvertOp::UIToFP => self.int_to_float("uitofp", x, to),
            ConvertOp::FPToSI => self.float_to_int("fptosi", x, to),
            ConvertOp::FPToUI => self.float_to_int("fptoui", x, to),
            ConvertOp::FPConvert => self.float_to_float(x, to.element),
            ConvertOp::IsNan => self.float_compare("uno", x, x),
            ConvertOp::IsInf => self.is_infinite(x),
            ConvertOp::ILogB => self.leading_exponent(x),
        }
    }

    /// Any float as f64, exactly.
    pub fn double_of(&mut self, x: &Value) -> Value {
        let x = self.at_least_float(x);
        self.text.cast("fpext", &x, x.ty.of(Element::Double))
    }

    /// An f64 rounded once to any float type.
    pub fn rounded_from_double(&mut self, x: &Value, element: Element) -> Value {
        match element {
            Element::Half => self.double_to_half(x),
            other => self.text.cast("fptrunc", x, x.ty.of(other)),
        }
    }

    fn float_to_float(&mut self, x: &Value, to: Element) -> Value {
        if x.ty.element == to {
            return x.clone();
        }
        match (x.ty.element, to) {
            (Element::Float, Element::Half) => self.text.cast("fptrunc", x, x.ty.of(to)),
            (Element::Half, Element::Float) => self.text.cast("fpext", x, x.ty.of(to)),
            (_, Element::Double) => self.double_of(x),
            _ => self.rounded_from_double(x, to),
        }
    }

    /// By way of f32, rounded to odd: the last digit then tells that something was cut off, and
    /// rounding a second time gives what rounding once would have given.
    fn double_to_half(&mut self, x: &Value) -> Value {
        let float = x.ty.of(Element::Float);
        let (ints, nearest) = (float.as_int(), self.text.cast("fptrunc", x, float));
        let back = self.text.cast("fpext", &nearest, x.ty);
        let inexact = self.text.fcmp("one", &back, x);
        let (size, back_size) = (self.text.intrinsic("fabs", &[x]), self.text.intrinsic("fabs", &[&back]));
        let too_large = self.text.fcmp("ogt", &back_size, &size);
        let excess = self.text.cast("sext", &too_large, ints);
        let sticky = self.text.cast("zext", &inexact, ints);
        let bits = self.text.cast("bitcast", &nearest, ints);
        let cut = self.text.binary("add", &bits, &excess);
        let odd = self.text.binary("or", &cut, &sticky);
        let odd = self.text.cast("bitcast", &odd, float);
        self.text.cast("fptrunc", &odd, x.ty.of(Element::Half))
    }

    /// To f16 by way of f32, which is exact as far as f16 reaches.
    fn int_to_float(&mut self, opcode: &str, x: &Value, to: Type) -> Value {
        if to.element != Element::Half {
            return self.text.cast(opcode, x, to);
        }
        let float = self.text.cast(opcode, x, to.of(Element::Float));
        self.text.cast("fptrunc", &float, to)
    }

    /// Saturates; NaN becomes 0.
    fn float_to_int(&mut self, opcode: &str, x: &Value, to: Type) -> Value {
        let x = self.at_least_float(x);
        if x.ty.is_vector() && matches!(to.bits(), 32 | 64) {
            return self.vector_to_int(opcode, &x, to);
        }
        let name = format!("llvm.{opcode}.sat.{}.{}", to.suffix(), x.ty.suffix());
        self.text.call(to, &name, &[&x], "")
    }

    /// LLVM's saturating conversion goes lane by lane. Its plain one does not, and yields poison in the lanes that it
    /// cannot convert, which selects then pass over.
    fn vector_to_int(&mut self, opcode: &str, x: &Value, to: Type) -> Value {
        let signed = opcode == "fptosi";
        let digits = if signed { to.bits() - 1 } else { to.bits() };
        let (low, least) =
            if signed { (-(2f64.powi(digits as i32)), i64::MIN >> (63 - digits)) } else { (0.0, 0) };
        let most = if signed { !least } else { -1 };
        let above = self.text.fcmp_const("oge", x, 2f64.powi(digits as i32));
        let below = self.text.fcmp_const("olt", x, low);
        let number = self.text.fcmp("ord", x, x);
        let plain = self.text.cast(opcode, x, to);
        let value = self.text.select(&number, &plain, &to.int_constant(0));
        let value = self.text.select(&below, &to.int_constant(least), &value);
        self.text.select(&above, &to.int_constant(most), &value)
    }

    fn is_infinite(&mut self, x: &Value) -> Value {
        let x = self.at_least_float(x);
        let size = self.text.intrinsic("fabs", &[&x]);
        self.text.fcmp_const("oeq", &size, f64::INFINITY)
    }

    /// From the exponent field in f64; of its subnormal numbers from the place of the first digit.
    fn leading_exponent(&mut self, x: &Value) -> Value {
        let x = self.double_of(x);
        let (ints, result) = (x.ty.as_int(), x.ty.of(Element::Int(32)));
        let bits = self.text.cast("bitcast", &x, ints);
        let size = self.text.binary_int("and", &bits, i64::MAX);
        let field = self.text.binary_int("lshr", &size, 52);
        let normal = self.text.binary_int("sub", &field, 1023);
        let zeros = self.text.intrinsic("ctlz", &[&size, &Type::I1.int_constant(0)]);
        let subnormal = self.text.binary("sub", &ints.int_constant(-1011), &zeros);
        let is_subnormal = self.text.icmp_int("eq", &field, 0);
        let exponent = self.text.select(&is_subnormal, &subnormal, &normal);
        let exponent = self.text.cast("trunc", &exponent, result);

        let infinity = f64::INFINITY.to_bits() as i64;
        let is_infinite = self.text.icmp_int("eq", &size, infinity);
        let is_nan = self.text.icmp_int("ugt", &size, infinity);
        let is_zero = self.text.icmp_int("eq", &size, 0);
        let has_none = self.text.binary("or", &is_nan, &is_zero);
        let exponent = self.text.select(&is_infinite, &result.int_constant(i32::MAX.into()), &exponent);
        self.text.select(&has_none, &result.int_constant(i32::MIN.into()), &exponent)
    }
}
