//! Operators on integers and truth values. C promotes types narrower than `int` to it with their sign; a cast marks those that
//! are read as unsigned.

use warpwise_prim::{BinaryOp, ScalarType, UnaryOp};

use super::helpers::Helper;
use super::printer::Printer;

impl Printer<'_> {
    pub(super) fn integer_unary(&mut self, op: UnaryOp, ty: ScalarType, x: &str) -> Option<String> {
        let unsigned = self.dialect.unsigned(ty);
        let wrapping = self.dialect.unsigned(self.wide(ty));
        Some(match op {
            UnaryOp::Neg => format!("0 - ({wrapping}){x}"),
            UnaryOp::Not => format!("~{x}"),
            UnaryOp::Abs => format!("{x} < 0 ? 0 - ({wrapping}){x} : ({wrapping}){x}"),
            UnaryOp::Signum => format!("({x} > 0) - ({x} < 0)"),
            UnaryOp::PopCount => format!("popcount(({unsigned}){x})"),
            UnaryOp::LeadingZeros => format!("clz(({unsigned}){x})"),
            // Counts the bits below the lowest set bit; all bits if none is set.
            UnaryOp::TrailingZeros => format!("popcount(({unsigned})(~{x} & (({wrapping}){x} - 1)))"),
            UnaryOp::FNeg
            | UnaryOp::FAbs
            | UnaryOp::FSignum
            | UnaryOp::Sqrt
            | UnaryOp::Cbrt
            | UnaryOp::Exp
            | UnaryOp::Exp2
            | UnaryOp::Exp10
            | UnaryOp::Expm1
            | UnaryOp::Log
            | UnaryOp::Log2
            | UnaryOp::Log10
            | UnaryOp::Log1p
            | UnaryOp::Sin
            | UnaryOp::Cos
            | UnaryOp::Tan
            | UnaryOp::Asin
            | UnaryOp::Acos
            | UnaryOp::Atan
            | UnaryOp::Sinh
            | UnaryOp::Cosh
            | UnaryOp::Tanh
            | UnaryOp::Asinh
            | UnaryOp::Acosh
            | UnaryOp::Atanh
            | UnaryOp::SinPi
            | UnaryOp::CosPi
            | UnaryOp::TanPi
            | UnaryOp::AsinPi
            | UnaryOp::AcosPi
            | UnaryOp::AtanPi
            | UnaryOp::Gamma
            | UnaryOp::LogGamma
            | UnaryOp::Erf
            | UnaryOp::Erfc
            | UnaryOp::Rsqrt
            | UnaryOp::ApproxRsqrt
            | UnaryOp::Floor
            | UnaryOp::Ceil
            | UnaryOp::Trunc
            | UnaryOp::Round => return None,
        })
    }

    pub(super) fn integer_binary(
        &mut self,
        op: BinaryOp,
        ty: ScalarType,
        x: &str,
        y: &str,
    ) -> Option<String> {
        let unsigned = self.dialect.unsigned(ty);
        let wrapping = self.dialect.unsigned(self.wide(ty));
        let wide = self.wide(ty);
        Some(match op {
            BinaryOp::Add => format!("({wrapping}){x} + {y}"),
            BinaryOp::Sub => format!("({wrapping}){x} - {y}"),
            BinaryOp::Mul => format!("({wrapping}){x} * {y}"),
            BinaryOp::SMulHigh => self.high_product(ty, true, x, y),
            BinaryOp::UMulHigh => self.high_product(ty, false, x, y),
            BinaryOp::SDiv => self.call(Helper::FloorQuotient(wide), &[x, y]),
            BinaryOp::SMod => self.call(Helper::FloorRemainder(wide), &[x, y]),
            BinaryOp::SQuot => self.call(Helper::Quotient(wide), &[x, y]),
            BinaryOp::SRem => self.call(Helper::Remainder(wide), &[x, y]),
            BinaryOp::UDiv => format!("({unsigned}){x} / ({unsigned}){y}"),
            BinaryOp::UMod => format!("({unsigned}){x} % ({unsigned}){y}"),
            BinaryOp::SMin => format!("{x} < {y} ? {x} : {y}"),
            BinaryOp::SMax => format!("{x} > {y} ? {x} : {y}"),
            BinaryOp::UMin => format!("({unsigned}){x} < ({unsigned}){y} ? {x} : {y}"),
            BinaryOp::UMax => format!("({unsigned}){x} > ({unsigned}){y} ? {x} : {y}"),
            BinaryOp::Pow | BinaryOp::UPow => {
                self.call(Helper::Power(wide), &[x, &format!("({unsigned}){y}")])
            }
            BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr => self.shift(op, ty, x, y),
            BinaryOp::And => format!("{x} & {y}"),
            BinaryOp::Or => format!("{x} | {y}"),
            BinaryOp::Xor => format!("{x} ^ {y}"),
            BinaryOp::FAdd
            | BinaryOp::FSub
            | BinaryOp::FMul
            | BinaryOp::FDiv
            | BinaryOp::FMod
            | BinaryOp::FRem
            | BinaryOp::FMin
            | BinaryOp::FMax
            | BinaryOp::FPow
            | BinaryOp::Atan2
            | BinaryOp::Atan2Pi
            | BinaryOp::Hypot
            | BinaryOp::CopySign
            | BinaryOp::NextAfter
            | BinaryOp::LdExp => return None,
        })
    }

    /// Returns the high half of a product: within `int` for narrow types, by a built-in function for others.
    fn high_product(&mut self, ty: ScalarType, signed: bool, x: &str, y: &str) -> String {
        let own = if signed { self.dialect.ty(ty) } else { self.dialect.unsigned(ty) };
        if ty.bytes() >= 4 {
            return format!("mul_hi(({own}){x}, ({own}){y})");
        }
        let wide =
            if signed { self.dialect.ty(ScalarType::I32) } else { self.dialect.unsigned(ScalarType::I32) };
        format!("(({wide})({own}){x} * ({wide})({own}){y}) >> {}", ty.bits())
    }

    /// Returns a shift. A shift by at least the width gives the result of repeated shifts by one. A shift by a constant needs no
    /// check of the distance.
    fn shift(&mut self, op: BinaryOp, ty: ScalarType, x: &str, y: &str) -> String {
        let (unsigned, bits) = (self.dialect.unsigned(ty), ty.bits());
        let wrapping = self.dialect.unsigned(self.wide(ty));
        let shifted = if op == BinaryOp::Shl {
            format!("({wrapping}){x} <<")
        } else if op == BinaryOp::LShr {
            format!("({unsigned}){x} >>")
        } else {
            format!("{x} >>")
        };
        if y.parse::<u32>().is_ok_and(|known| known < bits) {
            return format!("{shifted} {y}");
        }
        let distance = format!("({unsigned}){y}");
        if op == BinaryOp::AShr {
            return format!("{shifted} ({distance} < {bits} ? {distance} : {})", bits - 1);
        }
        format!("{distance} < {bits} ? {shifted} {distance} : 0")
    }
}
