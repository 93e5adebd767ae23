//! Makes fused multiply-adds explicit (SEMANTICS: contraction happens once, here).
//!
//! ```text
//! p: f32 = fmul a b;          p: f32 = fmul a b;
//! s: f32 = fadd p c;    ==>   s: f32 = fma a b c;
//! d: f32 = fsub c p;          n: f32 = fneg a;
//!                             d: f32 = fma n b c;
//! ```
//!
//! The product is then left to dead-code removal. A product with other uses stays uncontracted: it is computed anyway, so
//! contraction would save nothing and keep its factors live. `f16` is left alone, because machines without half arithmetic would
//! compute the same result more slowly. Skipped under `--strict-fp`.

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Function, Operand, Program, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, ScalarType, TernaryOp, UnaryOp};

use crate::pass::rewrite_bodies;

/// Contracts multiplications into additions and subtractions in every function.
pub fn contract(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        let mut kept = Kept(SecondaryMap::default());
        kept.body(body);
        Contracter { function, kept, products: SecondaryMap::default() }.body(body)
    });
    Ok(())
}

/// The variables that are used other than as terms of sums.
struct Kept(SecondaryMap<Var, bool>);

impl<'a> Visitor<'a> for Kept {
    fn stm(&mut self, stm: &'a Stm) {
        if !matches!(stm.expr, Expr::Binary(BinaryOp::FAdd | BinaryOp::FSub, ..)) {
            self.walk_stm(stm);
        }
    }

    fn operand(&mut self, operand: &'a Operand) {
        if let Operand::Var(var) = operand {
            self.0[*var] = true;
        }
    }
}

struct Contracter<'f> {
    function: &'f mut Function,
    kept: Kept,
    /// The factors of each variable that is a product.
    products: SecondaryMap<Var, Option<(Operand, Operand)>>,
}

impl Contracter<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            stm.expr.for_each_body_mut(|body| self.body(body));
            self.stm(&mut stm, &mut body.stms);
            body.stms.push(stm);
        }
    }

    fn stm(&mut self, stm: &mut Stm, before: &mut Vec<Stm>) {
        match stm.expr {
            Expr::Binary(BinaryOp::FMul, x, y) if self.contracts(stm.pattern[0]) => {
                self.products[stm.pattern[0]] = Some((x, y));
            }
            Expr::Binary(BinaryOp::FAdd, x, y) => {
                if let Some((a, b)) = self.product(x) {
                    stm.expr = Expr::Ternary(TernaryOp::Fma, a, b, y);
                } else if let Some((a, b)) = self.product(y) {
                    stm.expr = Expr::Ternary(TernaryOp::Fma, a, b, x);
                }
            }
            Expr::Binary(BinaryOp::FSub, x, y) => {
                if let Some((a, b)) = self.product(x) {
                    let negated = self.negate(y, stm, before);
                    stm.expr = Expr::Ternary(TernaryOp::Fma, a, b, negated);
                } else if let Some((a, b)) = self.product(y) {
                    let negated = self.negate(a, stm, before);
                    stm.expr = Expr::Ternary(TernaryOp::Fma, negated, b, x);
                }
            }
            exprs!(simple, nested) => {}
        }
    }

    fn contracts(&self, var: Var) -> bool {
        !self.kept.0[var] && matches!(self.function.ty(var), Type::Scalar(ScalarType::F32 | ScalarType::F64))
    }

    fn product(&self, operand: Operand) -> Option<(Operand, Operand)> {
        self.products[operand.as_var()?]
    }

    fn negate(&mut self, x: Operand, stm: &Stm, before: &mut Vec<Stm>) -> Operand {
        let ty = self.function.operand_type(x);
        let var = self.function.fresh("neg", ty);
        let expr = Expr::Unary(UnaryOp::FNeg, x);
        before.push(Stm { pattern: vec![var], expr, certs: vec![], span: stm.span });
        var.into()
    }
}
