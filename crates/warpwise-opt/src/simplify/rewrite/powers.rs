//! Rewrites powers with small known exponents as products, and integer powers of 2 and -1 as shifts and choices.
//!
//! An integer power is the same product to the last bit. A float's square and reciprocal are correctly
//! rounded; its third and fourth power take two roundings, which keeps those of f32 and f64 within the bound
//! that `docs/accuracy.md` gives for functions. Higher powers stay calls.

use warpwise_ir::{Expr, Operand, Stm, exprs};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use super::Rewriter;

/// Largest exponent of an integer power that is multiplied out: at most ten multiplications.
const HIGHEST_OF_INTEGERS: u32 = 63;

impl Rewriter<'_> {
    /// Returns a cheaper equivalent of a power whose exponent or base is known.
    pub(super) fn power(&mut self, stm: &Stm) -> Option<Expr> {
        match stm.expr {
            Expr::Binary(op, base, Operand::Const(exponent)) => {
                self.power_as_product(op, base, exponent, stm)
            }
            Expr::Binary(BinaryOp::Pow | BinaryOp::UPow, Operand::Const(base), exponent) => {
                self.power_of_known(base, exponent, stm)
            }
            exprs!(Operand, scalar, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => None,
        }
    }

    /// Rewrites an integer power of 2 as a shift, and a power of -1 as 1 or -1. Exponents are not negative.
    fn power_of_known(&mut self, base: Scalar, exponent: Operand, stm: &Stm) -> Option<Expr> {
        let ty = base.ty();
        let constant = |value| Operand::from(Scalar::int(ty, value));
        match base.as_int()? {
            2 => Some(Expr::Binary(BinaryOp::Shl, constant(1), exponent)),
            -1 => {
                let last = self.scalar(Expr::Binary(BinaryOp::And, exponent, constant(1)), ty, stm);
                let is_odd = Expr::Compare(CompareOp::Ne, last, constant(0));
                let is_odd = self.scalar(is_odd, ScalarType::Bool, stm);
                Some(Expr::Select(is_odd, constant(-1), constant(1)))
            }
            _ => None,
        }
    }

    /// Returns the product that equals a power, if its exponent is small enough.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other operator is a power")]
    fn power_as_product(&mut self, op: BinaryOp, base: Operand, exponent: Scalar, stm: &Stm) -> Option<Expr> {
        let (multiply, exponent) = match op {
            BinaryOp::Pow | BinaryOp::UPow => {
                let exponent = u32::try_from(exponent.as_int()?).ok()?;
                (BinaryOp::Mul, Some(exponent).filter(|&n| n <= HIGHEST_OF_INTEGERS)?)
            }
            BinaryOp::FPow if exponent == Scalar::float(exponent.ty(), -1.0) => {
                let one = Scalar::float(exponent.ty(), 1.0);
                return Some(Expr::Binary(BinaryOp::FDiv, one.into(), base));
            }
            BinaryOp::FPow => {
                let is = |n: &u32| exponent == Scalar::float(exponent.ty(), f64::from(*n));
                (BinaryOp::FMul, (1..=highest_of_floats(exponent.ty())).find(is)?)
            }
            _ => return None,
        };
        if exponent == 0 {
            return Some(Expr::Operand(Scalar::int(self.scalar_type(base), 1).into()));
        }
        Some(self.product(multiply, base, exponent, stm))
    }

    /// Returns the product of `exponent` factors `base`, by repeated squaring from the highest bit down.
    fn product(&mut self, multiply: BinaryOp, base: Operand, exponent: u32, stm: &Stm) -> Expr {
        let ty = self.scalar_type(base);
        let mut product = Expr::Operand(base);
        for bit in (0..exponent.ilog2()).rev() {
            let root = self.scalar(product, ty, stm);
            product = Expr::Binary(multiply, root, root);
            if exponent >> bit & 1 == 1 {
                let square = self.scalar(product, ty, stm);
                product = Expr::Binary(multiply, square, base);
            }
        }
        product
    }

    fn scalar_type(&self, operand: Operand) -> ScalarType {
        self.function.operand_type(operand).as_scalar().expect("powers are of scalars")
    }
}

/// Returns the largest exponent of a float power that is multiplied out. Up to it the product is as accurate as a call.
fn highest_of_floats(ty: ScalarType) -> u32 {
    if ty == ScalarType::F16 { 2 } else { 4 }
}
