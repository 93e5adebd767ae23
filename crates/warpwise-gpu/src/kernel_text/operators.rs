//! Scalar operators as expressions of C.
//!
//! An expression is meant to be assigned to a register of the operator's result type: C's conversion on assignment wraps
//! integers. Integer arithmetic is done unsigned, where C wraps. `f16` arithmetic is done in `float` and rounded; the result
//! equals that of a single rounding (a `float` has more than twice the digits). `None` stands for operands of the wrong type.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ScalarClass, ScalarType, TernaryOp, UnaryOp};

use super::helpers::Helper;
use super::printer::Printer;

impl Printer<'_> {
    /// Returns `op x`.
    pub fn unary(&mut self, op: UnaryOp, ty: ScalarType, x: &str) -> Option<String> {
        if !op.accepts(ty) {
            return None;
        }
        match ty.class() {
            ScalarClass::Bool => Some(format!("!{x}")),
            ScalarClass::Int => self.integer_unary(op, ty, x),
            ScalarClass::Float => self.float_unary(op, ty, x),
        }
    }

    /// Returns `op x y`.
    pub fn binary(&mut self, op: BinaryOp, ty: ScalarType, x: &str, y: &str) -> Option<String> {
        if !op.accepts(ty) {
            return None;
        }
        match ty.class() {
            ScalarClass::Bool | ScalarClass::Int => self.integer_binary(op, ty, x, y),
            ScalarClass::Float => self.float_binary(op, ty, x, y),
        }
    }

    /// Returns `op x y z`.
    pub fn ternary(&mut self, op: TernaryOp, ty: ScalarType, x: &str, y: &str, z: &str) -> Option<String> {
        if !op.accepts(ty) {
            return None;
        }
        if ty != ScalarType::F16 {
            return Some(match op {
                TernaryOp::Fma => format!("fma({x}, {y}, {z})"),
                TernaryOp::Mad => format!("{x} * {y} + {z}"),
                TernaryOp::Lerp => format!("{x} + ({y} - {x}) * {z}"),
            });
        }
        match op {
            TernaryOp::Fma => Some(self.call(Helper::HalfFma, &[x, y, z])),
            TernaryOp::Mad => {
                let product = self.float_binary(BinaryOp::FMul, ty, x, y)?;
                self.float_binary(BinaryOp::FAdd, ty, &product, z)
            }
            TernaryOp::Lerp => {
                let distance = self.float_binary(BinaryOp::FSub, ty, y, x)?;
                let part = self.float_binary(BinaryOp::FMul, ty, &distance, z)?;
                self.float_binary(BinaryOp::FAdd, ty, x, &part)
            }
        }
    }

    /// Returns `op x y`, 0 or 1.
    pub fn compare(&mut self, op: CompareOp, ty: ScalarType, x: &str, y: &str) -> Option<String> {
        if !op.accepts(ty) {
            return None;
        }
        let (x, y) = (self.number(ty, x), self.number(ty, y));
        let unsigned = self.dialect.unsigned(ty);
        Some(match op {
            CompareOp::Eq => format!("{x} == {y}"),
            CompareOp::Ne => format!("{x} != {y}"),
            CompareOp::SLt | CompareOp::FLt => format!("{x} < {y}"),
            CompareOp::SLe | CompareOp::FLe => format!("{x} <= {y}"),
            CompareOp::ULt => format!("({unsigned}){x} < ({unsigned}){y}"),
            CompareOp::ULe => format!("({unsigned}){x} <= ({unsigned}){y}"),
        })
    }

    /// Returns `op x : to`.
    pub fn convert(&mut self, op: ConvertOp, from: ScalarType, to: ScalarType, x: &str) -> Option<String> {
        if !op.accepts(from, to) {
            return None;
        }
        let half = from == ScalarType::F16;
        Some(match op {
            ConvertOp::SExt | ConvertOp::Truncate => x.to_string(),
            ConvertOp::ZExt => format!("({}){x}", self.dialect.unsigned(from)),
            ConvertOp::ToBool if half => format!("({x} & 0x7fff) != 0"),
            ConvertOp::ToBool => format!("{x} != 0"),
            ConvertOp::SIToFP => self.rounded(to, &format!("({}){x}", self.arithmetic(to))),
            ConvertOp::UIToFP => {
                let number = format!("({})({}){x}", self.arithmetic(to), self.dialect.unsigned(from));
                self.rounded(to, &number)
            }
            ConvertOp::FPToSI => self.saturated(from, to, true, x),
            ConvertOp::FPToUI => self.saturated(from, to, false, x),
            ConvertOp::FPConvert if from == to => x.to_string(),
            ConvertOp::FPConvert if from == ScalarType::F64 && to == ScalarType::F16 => {
                self.call(Helper::HalfOfDouble, &[x])
            }
            ConvertOp::FPConvert => {
                let number = self.number(from, x);
                self.rounded(to, &number)
            }
            ConvertOp::Bitcast if from.class() == to.class() || from.bytes() == 2 => x.to_string(),
            ConvertOp::Bitcast => {
                let x = if from.is_int() { format!("({}){x}", self.dialect.ty(from)) } else { x.to_string() };
                self.dialect.bits_as(to, &x)
            }
            ConvertOp::IsNan if half => format!("({x} & 0x7fff) > 0x7c00"),
            ConvertOp::IsNan => format!("{x} != {x}"),
            ConvertOp::IsInf if half => format!("({x} & 0x7fff) == 0x7c00"),
            ConvertOp::IsInf => format!("isinf({x})"),
            ConvertOp::ILogB => {
                let number = self.number(from, x);
                self.call(Helper::Exponent(self.wide(from)), &[&number])
            }
        })
    }

    /// Returns a saturating conversion to an integer.
    pub fn saturated(&mut self, from: ScalarType, to: ScalarType, signed: bool, x: &str) -> String {
        let number = self.number(from, x);
        self.call(Helper::ToInt { from: self.wide(from), to, signed }, &[&number])
    }

    /// Returns an operand as a number for arithmetic: an `f16` as the `float` of its value.
    pub fn number(&mut self, ty: ScalarType, x: &str) -> String {
        if ty == ScalarType::F16 { self.call(Helper::HalfValue, &[x]) } else { x.to_string() }
    }

    /// Returns a result of arithmetic in its stored form: for `f16` its bits, rounded.
    pub fn rounded(&mut self, ty: ScalarType, x: &str) -> String {
        if ty == ScalarType::F16 { self.call(Helper::HalfBits, &[x]) } else { x.to_string() }
    }

    /// Returns the type in which arithmetic on a type is done.
    pub fn wide(&self, ty: ScalarType) -> ScalarType {
        match ty {
            ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 => ScalarType::I32,
            ScalarType::F16 | ScalarType::F32 => ScalarType::F32,
            ScalarType::I64 => ScalarType::I64,
            ScalarType::F64 => ScalarType::F64,
        }
    }

    /// Returns the name of [`Printer::wide`].
    fn arithmetic(&self, ty: ScalarType) -> &'static str {
        self.dialect.ty(self.wide(ty))
    }

    /// Returns a call of a helper, which is added to the text.
    pub fn call(&mut self, helper: Helper, args: &[&str]) -> String {
        helper.add_to(self.helpers);
        format!("{}({})", helper.name(), args.join(", "))
    }
}
