//! Uses the licence of `--fast-math`: cheaper operators whose results differ in the last places.
//!
//! ```text
//! r: f32 = sqrt x;            i: f32 = arsqrt x;
//! q: f32 = fdiv a r;    ==>   q: f32 = fmul a i;
//! h: f32 = fdiv a 3.0;        h: f32 = fmul a 0.33333334;
//! ```
//!
//! The decision to approximate is made only here. Code generators compute the operators they are given, identically in every lane
//! and tail. Results that are zero, infinite or NaN are the same as without the pass.
//!
//! Not done: sums and products are not reassociated, and other divisions and lone square roots stay correctly rounded. `f16` is
//! left alone.

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{Body, Expr, Function, Operand, Program, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, Scalar, ScalarType, UnaryOp};

use crate::pass::rewrite_bodies;

/// Relaxes divisions by square roots and by constants in every function.
pub fn relax(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        Relaxer { function, radicands: SecondaryMap::default() }.body(body)
    });
    Ok(())
}

struct Relaxer<'f> {
    function: &'f mut Function,
    /// The radicand of each variable that is a square root.
    radicands: SecondaryMap<Var, Option<Operand>>,
}

impl Relaxer<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            stm.expr.for_each_body_mut(|body| self.body(body));
            self.stm(&mut stm, &mut body.stms);
            body.stms.push(stm);
        }
    }

    fn stm(&mut self, stm: &mut Stm, before: &mut Vec<Stm>) {
        let [var] = stm.pattern[..] else { return };
        if !matches!(self.function.ty(var), Type::Scalar(ScalarType::F32 | ScalarType::F64)) {
            return;
        }
        match stm.expr {
            Expr::Unary(UnaryOp::Sqrt, x) => self.radicands[var] = Some(x),
            Expr::Unary(UnaryOp::Rsqrt, x) => stm.expr = Expr::Unary(UnaryOp::ApproxRsqrt, x),
            Expr::Binary(BinaryOp::FDiv, x, y) => {
                if let Some(radicand) = self.radicand(y) {
                    stm.expr = self.over_root(x, radicand, stm, before);
                } else if let Some(reciprocal) = reciprocal(y) {
                    stm.expr = Expr::Binary(BinaryOp::FMul, x, reciprocal);
                }
            }
            exprs!(simple, nested) => {}
        }
    }

    fn radicand(&self, operand: Operand) -> Option<Operand> {
        self.radicands[operand.as_var()?]
    }

    /// Returns `x / sqrt radicand`.
    fn over_root(&mut self, x: Operand, radicand: Operand, stm: &Stm, before: &mut Vec<Stm>) -> Expr {
        let root = Expr::Unary(UnaryOp::ApproxRsqrt, radicand);
        if x.as_const().and_then(Scalar::as_float) == Some(1.0) {
            return root;
        }
        let ty = self.function.operand_type(radicand);
        let inverse = self.function.fresh("inverse", ty);
        before.push(Stm { pattern: vec![inverse], expr: root, certs: vec![], span: stm.span });
        Expr::Binary(BinaryOp::FMul, x, inverse.into())
    }
}

/// Returns 1 over a constant, if that is a normal number.
fn reciprocal(y: Operand) -> Option<Operand> {
    let y = y.as_const()?;
    let value = 1.0 / y.as_float()?;
    let single = y.ty() == ScalarType::F32;
    let normal = if single { (value as f32).is_normal() } else { value.is_normal() };
    normal.then(|| Scalar::float(y.ty(), value).into())
}
