//! Comparison of index functions as polynomials: two offsets are equal if they are the same sum of products of variables.
//!
//! Only sums, differences and products of `i64`s are expanded; every other value is treated as a variable. A positive answer is
//! therefore certain, a negative one is not.

use std::collections::BTreeMap;

use warpwise_ir::{Expr, Operand as CoreOperand, Placement, SegDim, Var};
use warpwise_prim::BinaryOp;

use crate::lower::emitter::{Context, Emitter};

/// The coefficients of products of (sorted) variables; none of them is 0.
pub(super) type Polynomial = BTreeMap<Vec<Var>, i64>;

/// Maximum number of factors of a product; larger products are treated as variables.
const MOST_FACTORS: usize = 12;

impl Emitter<'_> {
    /// Returns whether an array lies exactly where the element of `array` at the space's indices belongs.
    pub fn lies_at_row(&self, row: CoreOperand, array: Var, space: &[SegDim]) -> bool {
        let vars = &self.cx.function.vars;
        let Some(own) = row.as_var().and_then(|var| vars[var].placement.as_ref()) else { return false };
        let Some(whole) = &vars[array].placement else { return false };
        let indices: Vec<CoreOperand> = space.iter().map(|dim| dim.index.into()).collect();
        own.block == whole.block
            && self.cx.same_strides(own, whole, space.len())
            && self.cx.polynomial(own.index_fn.offset) == self.cx.place(whole, &indices)
    }

    /// Returns whether an array is row-major without gaps, from its first element on.
    pub fn is_dense(&self, placement: &Placement) -> bool {
        let mut expected = Polynomial::from([(Vec::new(), 1)]);
        placement.index_fn.dims.iter().rev().all(|dim| {
            let dense = self.cx.polynomial(dim.stride) == expected;
            expected = times(&expected, &self.cx.polynomial(dim.extent));
            dense
        })
    }
}

impl Context<'_> {
    fn same_strides(&self, row: &Placement, whole: &Placement, skipped: usize) -> bool {
        let (row, whole) = (&row.index_fn.dims, &whole.index_fn.dims[skipped..]);
        row.len() == whole.len()
            && row.iter().zip(whole).all(|(x, y)| self.polynomial(x.stride) == self.polynomial(y.stride))
    }

    /// Returns the position of the element at leading indices.
    pub fn place(&self, whole: &Placement, indices: &[CoreOperand]) -> Polynomial {
        let mut place = self.polynomial(whole.index_fn.offset);
        for (dim, &index) in whole.index_fn.dims.iter().zip(indices) {
            place = plus(place, &times(&self.polynomial(index), &self.polynomial(dim.stride)), 1);
        }
        place
    }

    /// Returns an operand as a polynomial.
    pub fn polynomial(&self, operand: CoreOperand) -> Polynomial {
        let var = match operand {
            CoreOperand::Const(value) => {
                let value = value.as_int().unwrap_or(0);
                return if value == 0 { Polynomial::new() } else { Polynomial::from([(Vec::new(), value)]) };
            }
            CoreOperand::Var(var) => var,
        };
        match self.definitions.get(&var) {
            Some(Expr::Binary(BinaryOp::Add, x, y)) => plus(self.polynomial(*x), &self.polynomial(*y), 1),
            Some(Expr::Binary(BinaryOp::Sub, x, y)) => plus(self.polynomial(*x), &self.polynomial(*y), -1),
            Some(Expr::Binary(BinaryOp::Mul, x, y)) => {
                let product = times(&self.polynomial(*x), &self.polynomial(*y));
                let small = product.keys().all(|factors| factors.len() <= MOST_FACTORS);
                if small { product } else { Polynomial::from([(vec![var], 1)]) }
            }
            Some(Expr::Operand(x)) => self.polynomial(*x),
            Some(_) | None => Polynomial::from([(vec![var], 1)]),
        }
    }
}

/// Returns `x + sign * y`.
pub(super) fn plus(mut x: Polynomial, y: &Polynomial, sign: i64) -> Polynomial {
    for (factors, &coefficient) in y {
        let sum = x.entry(factors.clone()).or_insert(0);
        *sum = sum.wrapping_add(coefficient.wrapping_mul(sign));
    }
    x.retain(|_, coefficient| *coefficient != 0);
    x
}

/// Returns `x * y`.
pub(super) fn times(x: &Polynomial, y: &Polynomial) -> Polynomial {
    let mut product = Polynomial::new();
    for (a, p) in x {
        for (b, q) in y {
            let mut factors = [a.as_slice(), b].concat();
            factors.sort_unstable();
            let sum = product.entry(factors).or_insert(0);
            *sum = sum.wrapping_add(p.wrapping_mul(*q));
        }
    }
    product.retain(|_, coefficient| *coefficient != 0);
    product
}
