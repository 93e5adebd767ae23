//! Which array a value was made from by overwriting: the analysis behind placing results in place.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, LoopParam, Operand, Stm, Var, exprs};

/// For every variable made by overwriting another (or just another name for it), that other.
pub struct Roots {
    made_from: SecondaryMap<Var, Option<Var>>,
}

impl Roots {
    /// Looks at every statement of a function.
    pub fn of(body: &Body) -> Roots {
        let mut roots = Roots { made_from: SecondaryMap::default() };
        roots.body(body);
        roots
    }

    /// The array that a value was made from in place, following the chain to its start.
    pub fn root(&self, mut var: Var) -> Var {
        while let Some(before) = self.made_from[var] {
            var = before;
        }
        var
    }

    /// Whether a loop hands the array of this parameter on in place.
    pub fn loop_in_place(&self, param: &LoopParam, result: Operand) -> bool {
        result.as_var().is_some_and(|result| self.root(result) == param.var)
    }

    fn body(&mut self, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        stm.expr.for_each_body(|body| self.body(body));
        match &stm.expr {
            Expr::Update { array, .. } | Expr::Operand(Operand::Var(array)) => {
                self.made_from[stm.pattern[0]] = Some(*array);
            }
            Expr::Seg(op) => {
                for (&var, array) in stm.pattern.iter().zip(op.kind.overwritten()) {
                    self.made_from[var] = Some(array);
                }
            }
            Expr::Loop { params, body, .. } => {
                for ((&var, param), &result) in stm.pattern.iter().zip(params).zip(&body.result) {
                    if self.loop_in_place(param, result) {
                        self.made_from[var] = param.init.as_var();
                    }
                }
            }
            Expr::If { then_body, else_body, .. } => {
                let results = then_body.result.iter().zip(&else_body.result);
                for (&var, (then_result, else_result)) in stm.pattern.iter().zip(results) {
                    if let (Operand::Var(x), Operand::Var(y)) = (*then_result, *else_result)
                        && self.root(x) == self.root(y)
                    {
                        self.made_from[var] = Some(self.root(x));
                    }
                }
            }
            exprs!(Operand, scalar, Assert, view, fresh, Call, soac, UpdateAcc, Tuned, Alloc) => {}
        }
    }
}
