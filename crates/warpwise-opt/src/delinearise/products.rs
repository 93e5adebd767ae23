//! Positive numbers as products of variables and a constant: the divisors of flat indices, and numbers of points.
//!
//! A product stands for a number modulo 2^64, or modulo 2^32 if it was computed in 32 bits. The test before a nest makes sure that
//! no product that divides the number of points has wrapped.

use rustc_hash::FxHashMap;
use warpwise_ir::builder::Builder;
use warpwise_ir::{Expr, Function, Operand, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType};

/// Maximum number of operations through which a number is followed to its factors.
const MOST_STEPS: usize = 6;

/// A product of variables of type `i32` or `i64`, and a positive number.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Product {
    number: i64,
    /// Sorted; a variable occurs once for each factor.
    vars: Vec<Var>,
}

impl Product {
    /// Returns the product without factors.
    pub fn one() -> Product {
        Product { number: 1, vars: Vec::new() }
    }

    /// Returns the number, if there are no variables.
    pub fn as_number(&self) -> Option<i64> {
        self.vars.is_empty().then_some(self.number)
    }

    /// Returns the product of both, if its number is in range.
    pub fn times(&self, other: &Product) -> Option<Product> {
        let number = self.number.checked_mul(other.number)?;
        let mut vars = [self.vars.as_slice(), &other.vars].concat();
        vars.sort();
        Some(Product { number, vars })
    }

    /// Returns the remaining factors, if all factors of `other` are among these.
    pub fn over(&self, other: &Product) -> Option<Product> {
        let mut vars = self.vars.clone();
        for var in &other.vars {
            vars.remove(vars.iter().position(|own| own == var)?);
        }
        (self.number % other.number == 0).then(|| Product { number: self.number / other.number, vars })
    }

    /// Whether all factors are among those of `other`.
    pub fn divides(&self, other: &Product) -> bool {
        other.over(self).is_some()
    }

    /// Emits the value in 64 bits.
    pub fn value(&self, b: &mut Builder) -> Operand {
        let mut value = None;
        for &var in &self.vars {
            let is_wide = b.function.ty(var) == &Type::I64;
            let factor =
                if is_wide { var.into() } else { b.convert("wide", ConvertOp::SExt, var, ScalarType::I64) };
            value =
                Some(value.map_or(factor, |value: Operand| b.binary("size", BinaryOp::Mul, value, factor)));
        }
        match value {
            None => self.number.into(),
            Some(value) if self.number == 1 => value,
            Some(value) => b.binary("size", BinaryOp::Mul, value, self.number),
        }
    }
}

/// The scalar work of host code that leads to factors and to conditions.
#[derive(Default)]
pub struct Definitions(FxHashMap<Var, Expr>);

impl Definitions {
    /// Records a statement of host code.
    pub fn note(&mut self, stm: &Stm) {
        if let [var] = stm.pattern[..]
            && matches!(
                stm.expr,
                Expr::Operand(_) | Expr::Binary(BinaryOp::Mul, ..) | Expr::Compare(..) | Expr::Convert(..)
            )
        {
            self.0.insert(var, stm.expr.clone());
        }
    }

    /// Returns a number as a product, and whether that relies on 32 bits being enough for it. `None` for numbers that are not
    /// positive.
    pub fn product(&self, function: &Function, x: Operand) -> Option<(Product, bool)> {
        self.follow(function, x, MOST_STEPS)
    }

    fn follow(&self, function: &Function, x: Operand, steps: usize) -> Option<(Product, bool)> {
        let var = match x {
            Operand::Const(value) => {
                let number = value.as_int().filter(|&number| number > 0)?;
                return Some((Product { number, vars: Vec::new() }, false));
            }
            Operand::Var(var) => var,
        };
        let is_index = |ty: Option<ScalarType>| matches!(ty, Some(ScalarType::I32 | ScalarType::I64));
        let ty = function.ty(var).as_scalar();
        if !is_index(ty) {
            return None;
        }
        let alone = Some((Product { number: 1, vars: vec![var] }, false));
        let Some(expr) = self.0.get(&var).filter(|_| steps > 0) else { return alone };
        match *expr {
            Expr::Operand(x) => self.follow(function, x, steps - 1),
            Expr::Binary(BinaryOp::Mul, x, y) => {
                let parts = (self.follow(function, x, steps - 1), self.follow(function, y, steps - 1));
                let (Some((x, x_narrow)), Some((y, y_narrow))) = parts else { return alone };
                let is_narrow = x_narrow || y_narrow || ty == Some(ScalarType::I32);
                x.times(&y).map(|product| (product, is_narrow)).or(alone)
            }
            Expr::Convert(ConvertOp::SExt | ConvertOp::ZExt | ConvertOp::Truncate, x, _)
                if is_index(function.operand_type(x).as_scalar()) =>
            {
                let truncates = ty == Some(ScalarType::I32);
                let (product, is_narrow) = self.follow(function, x, steps - 1)?;
                Some((product, is_narrow || truncates))
            }
            exprs!(simple, nested) => alone,
        }
    }

    /// Returns the number that a condition says not to be zero.
    pub fn nonzero(&self, cond: Operand) -> Option<Operand> {
        let Expr::Compare(op, x, y) = self.0.get(&cond.as_var()?)? else { return None };
        let is_zero = |x: Operand| x.as_const().and_then(Scalar::as_int) == Some(0);
        match op {
            CompareOp::Ne if is_zero(*y) => Some(*x),
            CompareOp::Ne | CompareOp::SLt | CompareOp::ULt if is_zero(*x) => Some(*y),
            CompareOp::Eq
            | CompareOp::Ne
            | CompareOp::SLt
            | CompareOp::SLe
            | CompareOp::ULt
            | CompareOp::ULe
            | CompareOp::FLt
            | CompareOp::FLe => None,
        }
    }
}
