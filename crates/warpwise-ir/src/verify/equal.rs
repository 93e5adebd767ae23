//! Known equalities between operands: each operand is reduced to a representative.

use rustc_hash::FxHashMap;
use warpwise_prim::BinaryOp;

use crate::entity::SecondaryMap;
use crate::program::Var;
use crate::types::{Operand, Type};

/// The known equalities.
#[derive(Default)]
pub(super) struct Equalities {
    representative: SecondaryMap<Var, Option<Operand>>,
    sums: FxHashMap<(BinaryOp, Operand, Operand), Var>,
}

impl Equalities {
    /// Returns the representative of an operand.
    pub(super) fn resolve(&self, mut operand: Operand) -> Operand {
        // Learning resolves operands first, so that chains are short and acyclic.
        while let Operand::Var(var) = operand {
            match self.representative[var] {
                Some(next) => operand = next,
                None => break,
            }
        }
        operand
    }

    /// Records that `var`, without known equalities so far, equals `operand`.
    pub(super) fn learn(&mut self, var: Var, operand: Operand) {
        let operand = self.resolve(operand);
        if operand != Operand::Var(var) && self.representative[var].is_none() {
            self.representative[var] = Some(operand);
        }
    }

    /// Records that `var` is `op x y`. `in_scope` tells whether an earlier variable can still stand for it.
    pub(super) fn learn_binary(
        &mut self,
        var: Var,
        op: BinaryOp,
        x: Operand,
        y: Operand,
        in_scope: impl Fn(Var) -> bool,
    ) {
        let key = (op, self.resolve(x), self.resolve(y));
        match self.sums.get(&key) {
            Some(earlier) if in_scope(*earlier) => self.learn(var, Operand::Var(*earlier)),
            Some(_) | None => {
                self.sums.insert(key, var);
            }
        }
    }

    /// Returns whether two operands are known to be equal.
    pub(super) fn same(&self, x: Operand, y: Operand) -> bool {
        x == y || self.resolve(x) == self.resolve(y)
    }

    /// Returns whether two shapes are known to be equal.
    pub(super) fn same_shape(&self, x: &[Operand], y: &[Operand]) -> bool {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| self.same(*x, *y))
    }

    /// Returns whether two types are known to be equal.
    pub(super) fn same_type(&self, x: &Type, y: &Type) -> bool {
        match (x, y) {
            (Type::Scalar(x), Type::Scalar(y)) => x == y,
            (Type::Array(x), Type::Array(y)) => x.elem == y.elem && self.same_shape(&x.shape, &y.shape),
            (Type::Acc(x), Type::Acc(y)) => {
                x.token == y.token
                    && self.same_shape(&x.shape, &y.shape)
                    && self.same_types(&x.elems, &y.elems)
            }
            (Type::Cert, Type::Cert) | (Type::Mem, Type::Mem) => true,
            (Type::Scalar(_) | Type::Array(_) | Type::Acc(_) | Type::Cert | Type::Mem, _) => false,
        }
    }

    /// Returns whether two lists of types are known to be equal.
    pub(super) fn same_types(&self, x: &[Type], y: &[Type]) -> bool {
        x.len() == y.len() && x.iter().zip(y).all(|(x, y)| self.same_type(x, y))
    }
}
