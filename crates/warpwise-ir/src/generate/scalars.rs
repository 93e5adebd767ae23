//! Scalar constants, operators and expressions.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, UnaryOp};

use super::random::Random;
use super::{Generator, Options};
use crate::expr::Expr;
use crate::program::Var;
use crate::types::{Operand, Type};

/// Chooses a type for values.
pub(super) fn scalar_type(random: &mut Random, options: &Options) -> ScalarType {
    use ScalarType::*;
    let types = [I64, I32, I32, F32, F32, F64, Bool, I8, I16, F16];
    types[random.below(if options.f16 { 10 } else { 9 })]
}

/// Chooses a constant; floats are small whole numbers and halves.
pub(super) fn constant(random: &mut Random, ty: ScalarType) -> Scalar {
    let small = random.below(21) as i64 - 10;
    match ty {
        ScalarType::Bool => Scalar::Bool(random.chance(1, 2)),
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => Scalar::float(ty, small as f64 / 2.0),
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            if random.chance(1, 8) {
                Scalar::from_bits(ty, random.bits())
            } else {
                Scalar::int(ty, small)
            }
        }
    }
}

/// Returns operators on this type that cannot fail and are exact in every implementation.
fn binary_operators(ty: ScalarType) -> &'static [BinaryOp] {
    use BinaryOp::*;
    match ty {
        ScalarType::Bool => &[And, Or, Xor],
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
            &[FAdd, FSub, FMul, FDiv, FMin, FMax, CopySign]
        }
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            &[Add, Sub, Mul, SMulHigh, UMulHigh, SMin, UMin, SMax, UMax, Shl, LShr, AShr, And, Or, Xor]
        }
    }
}

fn unary_operators(ty: ScalarType) -> &'static [UnaryOp] {
    use UnaryOp::*;
    match ty {
        ScalarType::Bool => &[Not],
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => {
            &[FNeg, FAbs, FSignum, Sqrt, Floor, Ceil, Trunc, Round]
        }
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
            &[Neg, Not, Abs, Signum, PopCount, LeadingZeros, TrailingZeros]
        }
    }
}

fn comparisons(ty: ScalarType) -> &'static [CompareOp] {
    use CompareOp::*;
    match ty {
        ScalarType::Bool => &[Eq, Ne, ULt, ULe],
        ScalarType::F16 | ScalarType::F32 | ScalarType::F64 => &[Eq, Ne, FLt, FLe],
        ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => &[Eq, Ne, SLt, SLe, ULt, ULe],
    }
}

impl Generator<'_> {
    /// Chooses a type for values.
    pub(super) fn scalar_type(&mut self) -> ScalarType {
        scalar_type(self.random, self.options)
    }

    /// Chooses a scalar in scope or a constant.
    pub(super) fn scalar(&mut self, ty: ScalarType) -> Operand {
        let found = self.scope.find(|found| found.as_scalar() == Some(ty));
        if found.is_empty() || self.random.chance(1, 5) {
            return constant(self.random, ty).into();
        }
        // Later values are chosen more often.
        let at = self.random.below(found.len()).max(self.random.below(found.len()));
        found[at].0.into()
    }

    /// Binds a scalar expression.
    pub(super) fn scalar_statement(&mut self) {
        let ty = self.scalar_type();
        let expr = match self.random.below(8) {
            0 => Expr::Unary(self.random.pick(unary_operators(ty)), self.scalar(ty)),
            1..=3 => {
                let op = self.random.pick(binary_operators(ty));
                Expr::Binary(op, self.scalar(ty), self.scalar(ty))
            }
            4 => {
                let op = self.random.pick(comparisons(ty));
                Expr::Compare(op, self.scalar(ty), self.scalar(ty))
            }
            5 => Expr::Select(self.scalar(ScalarType::Bool), self.scalar(ty), self.scalar(ty)),
            6 if ty.is_int() => self.division(ty),
            _ => self.conversion(ty),
        };
        let var = self.b.bind_one("s", expr);
        self.add(var);
    }

    /// Builds a division whose divisor is odd.
    fn division(&mut self, ty: ScalarType) -> Expr {
        use BinaryOp::*;
        let op = self.random.pick(&[SDiv, SMod, SQuot, SRem, UDiv, UMod]);
        let (x, y) = (self.scalar(ty), self.scalar(ty));
        let odd = self.b.binary("odd", Or, y, Scalar::int(ty, 1));
        Expr::Binary(op, x, odd)
    }

    fn conversion(&mut self, from: ScalarType) -> Expr {
        let to = self.scalar_type();
        let fitting: Vec<ConvertOp> =
            ConvertOp::ALL.iter().copied().filter(|op| op.accepts(from, to)).collect();
        let x = self.scalar(from);
        if fitting.is_empty() { Expr::Operand(x) } else { Expr::Convert(self.random.pick(&fitting), x, to) }
    }

    /// Makes a bound variable with storage of its own available.
    pub(super) fn add(&mut self, var: Var) {
        let ty = self.b.function.ty(var).clone();
        if ty.elem().is_some() {
            self.scope.add_fresh(var, ty);
        }
    }

    /// Binds an expression whose results have storage of their own.
    pub(super) fn bind(&mut self, name: &str, expr: Expr) -> Vec<Var> {
        let vars = self.b.bind(name, expr);
        vars.iter().for_each(|var| self.add(*var));
        vars
    }

    /// Returns a value of this type that all code in scope may use.
    pub(super) fn value(&mut self, ty: &Type) -> Operand {
        match ty {
            Type::Scalar(scalar) => self.scalar(*scalar),
            Type::Array(array) => {
                let found = self.scope.find(|found| found == ty);
                if !found.is_empty() && self.random.chance(4, 5) {
                    return self.random.pick(&found).0.into();
                }
                let value = self.scalar(array.elem);
                self.bind("r", Expr::Replicate { shape: array.shape.clone(), value })[0].into()
            }
            Type::Acc(_) | Type::Cert | Type::Mem => Operand::i64(0),
        }
    }

    /// Chooses a type for a result: a scalar, or an array over sizes in scope.
    pub(super) fn value_type(&mut self) -> Type {
        let elem = self.scalar_type();
        let rank = self.random.pick(&[0usize, 0, 0, 1, 1, 2]);
        let sizes: Vec<Operand> = (0..rank).map(|_| self.size()).collect();
        Type::array(elem, sizes)
    }

    /// Chooses a size in scope.
    pub(super) fn size(&mut self) -> Operand {
        let sizes = &self.scope.sizes;
        self.random.pick(sizes)
    }
}
