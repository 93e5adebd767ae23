//! The conditions of the interior, computed before the choice between the versions of a body.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Span;
use warpwise_ir::{Expr, Function, Operand, SegDim, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp};

use super::decisions::Interior;

/// The statements before the choice: copies of the scalar work that its condition needs.
pub struct Prefix<'a> {
    function: &'a mut Function,
    scalars: &'a FxHashMap<Var, Expr>,
    bound: &'a FxHashSet<Var>,
    /// Copies of variables, at each point (`None`) or in the middle of the dimension of an index.
    copies: FxHashMap<(Option<Var>, Var), Option<Operand>>,
    pub stms: Vec<Stm>,
}

impl<'a> Prefix<'a> {
    /// Creates the prefix of a body that binds `bound`, after these statements.
    pub fn new(
        function: &'a mut Function,
        scalars: &'a FxHashMap<Var, Expr>,
        bound: &'a FxHashSet<Var>,
        stms: Vec<Stm>,
    ) -> Prefix<'a> {
        Prefix { function, scalars, bound, copies: FxHashMap::default(), stms }
    }

    /// Returns the condition of an interior and the value of the variable there; `None` if it needs more than scalar work.
    pub fn interior(&mut self, interior: &Interior) -> Option<(Operand, Expr)> {
        match *interior {
            Interior::Beside { holds: (op, x, y), value } => {
                let (x, y) = (self.copy(x, None)?, self.copy(y, None)?);
                Some((self.bind("inside", Type::BOOL, Expr::Compare(op, x, y)), Expr::Operand(value)))
            }
            Interior::Period { op, x, dim } => self.period(op, x, dim),
        }
    }

    /// Returns the conjunction of two conditions.
    pub fn both(&mut self, x: Option<Operand>, y: Operand) -> Operand {
        match x {
            None => y,
            Some(x) => self.bind("inside", Type::BOOL, Expr::Binary(BinaryOp::And, x, y)),
        }
    }

    /// Returns the same for [`Interior::Period`]. Neighbours around a ring have quotients of -1, 0 or 1, which need no division. If
    /// the quotient in the middle is another one, the condition never holds.
    fn period(&mut self, op: BinaryOp, x: Operand, dim: SegDim) -> Option<(Operand, Expr)> {
        if self.function.operand_type(x) != Type::I64 {
            return None;
        }
        let (zero, size) = (Operand::i64(0), dim.extent);
        let half = self.binary(BinaryOp::AShr, size, Operand::i64(1));
        self.copies.insert((Some(dim.index), dim.index), Some(half));
        let middle = self.copy(x, Some(dim.index))?;
        let each = self.copy(x, None)?;
        let is_first = self.bind("inside", Type::BOOL, Expr::Compare(CompareOp::SLt, middle, size));
        let mut low = self.bind("at", Type::I64, Expr::Select(is_first, zero, size));
        // A truncated remainder of a negative number is negative: no multiple of the size is subtracted.
        if op == BinaryOp::SMod {
            let is_before = self.bind("inside", Type::BOOL, Expr::Compare(CompareOp::SLt, middle, zero));
            let below = self.binary(BinaryOp::Sub, zero, size);
            low = self.bind("at", Type::I64, Expr::Select(is_before, below, low));
        }
        let high = self.binary(BinaryOp::Add, low, size);
        let above = self.bind("inside", Type::BOOL, Expr::Compare(CompareOp::SLe, low, each));
        let below = self.bind("inside", Type::BOOL, Expr::Compare(CompareOp::SLt, each, high));
        Some((self.both(Some(above), below), Expr::Binary(BinaryOp::Sub, x, low)))
    }

    fn binary(&mut self, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        self.bind("at", Type::I64, Expr::Binary(op, x, y))
    }

    fn bind(&mut self, name: &str, ty: Type, expr: Expr) -> Operand {
        let var = self.function.fresh(name, ty);
        self.stms.push(Stm { pattern: vec![var], expr, certs: vec![], span: Span::NONE });
        var.into()
    }

    /// Returns an operand at each point, or in the middle of the dimension of index `middle`.
    fn copy(&mut self, operand: Operand, middle: Option<Var>) -> Option<Operand> {
        let Operand::Var(var) = operand else { return Some(operand) };
        if let Some(known) = self.copies.get(&(middle, var)) {
            return *known;
        }
        let copied = self.copy_var(var, middle);
        self.copies.insert((middle, var), copied);
        copied
    }

    fn copy_var(&mut self, var: Var, middle: Option<Var>) -> Option<Operand> {
        let Some(expr) = self.scalars.get(&var) else {
            return (!self.bound.contains(&var)).then_some(var.into());
        };
        let mut possible = true;
        let mut expr = expr.clone();
        expr.map_operands(|x| {
            let copied = self.copy(x, middle);
            possible &= copied.is_some();
            copied.unwrap_or(x)
        });
        let ty = self.function.ty(var).clone();
        possible.then(|| self.bind("at", ty, expr))
    }
}
