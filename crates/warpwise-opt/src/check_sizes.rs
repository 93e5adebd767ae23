//! Moves checks of sizes out of nests, where a nest of negative extents still runs them.
//!
//! ```text
//! ok: bool = sle 0 m;                                   none: bool = sle n 0; holds: bool = or none ok;
//! ss: [n]i64 = screma n (is) map (i: i64) {        ==>  c: cert = assert holds ("Range 0..1..<", m: i64, " is invalid");
//!   c: cert = assert ok ("Range 0..1..<", m: i64, ...);  ss: [n]i64 = {c} screma n (is) map (i: i64) {
//!   s: i64 = screma m () ...;                              s: i64 = screma m () ...;
//!   return s };                                            return s };
//! ```
//!
//! Devices run such a nest as one space of n times m points. If m is negative there is no point, hence nothing that fails. Checks of
//! other values may vanish then, since no point needs these values.
//!
//! A check moves if its outcome is the same for all elements, depends on an extent inside the nest, and comes before all other
//! checks, so that the first of several failures is still the reported one. Without elements it does not fail. Not done here:
//! extents that vary between elements (`flatten` keeps their checks with the segments), checks in branches and in loops.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::free_in_stm;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Program, Stm, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use crate::flatten::first_map;
use crate::pass::rewrite_bodies;

/// Moves checks in every function.
pub fn check_sizes(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        Checks { function, operands: FxHashMap::default() }.body(body);
    });
    Ok(())
}

struct Checks<'f> {
    function: &'f mut Function,
    /// The variables that each scalar seen so far is computed from.
    operands: FxHashMap<Var, Vec<Var>>,
}

impl Checks<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            stm.expr.for_each_body_mut(|inner| self.body(inner));
            let mut stms = self.leaving(&mut stm);
            stms.push(stm);
            for stm in stms.iter().filter(|stm| is_arithmetic(&stm.expr)) {
                let operands = free_in_stm(self.function, stm).iter().collect();
                self.operands.insert(stm.pattern[0], operands);
            }
            body.stms.append(&mut stms);
        }
    }

    /// Takes the checks of sizes out of a nest, together with the arithmetic that they need.
    fn leaving(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let mut leaving = Vec::new();
        let Some((width, map)) = map_of(&mut stm.expr) else { return leaving };
        let mut extents = FxHashSet::default();
        extents_in(&map.body, &mut extents);
        if extents.is_empty() {
            return leaving;
        }
        let mut varying: FxHashSet<Var> = map.params.iter().copied().collect();
        let mut is_first = true;
        for inner in std::mem::take(&mut map.body.stms) {
            let is_same = !free_in_stm(self.function, &inner).iter().any(|var| varying.contains(&var));
            if is_same && is_arithmetic(&inner.expr) {
                leaving.push(inner);
            } else if let Expr::Assert { cond, .. } = inner.expr
                && is_same
                && is_first
                && self.depends(cond, &extents)
            {
                stm.certs.extend(&inner.pattern);
                leaving.extend(self.unless_empty(width, inner));
            } else {
                is_first &= !inner.expr.can_fail();
                varying.extend(&inner.pattern);
                map.body.stms.push(inner);
            }
        }
        leaving
    }

    /// Whether a scalar is computed from one of the given variables.
    fn depends(&self, scalar: Operand, on: &FxHashSet<Var>) -> bool {
        let mut open: Vec<Var> = scalar.as_var().into_iter().collect();
        let mut seen = FxHashSet::default();
        while let Some(var) = open.pop() {
            if on.contains(&var) {
                return true;
            }
            if seen.insert(var) {
                open.extend(self.operands.get(&var).into_iter().flatten());
            }
        }
        false
    }

    /// Returns a check that holds without elements, too.
    fn unless_empty(&mut self, width: Operand, check: Stm) -> Vec<Stm> {
        let Stm { pattern, expr, certs, span } = check;
        let Expr::Assert { cond, message } = expr else { unreachable!("only checks are asked") };
        let mut b = Builder::new(self.function);
        b.set_span(span);
        let none = b.compare("none", CompareOp::SLe, width, Scalar::I64(0));
        let holds = b.binary("holds", BinaryOp::Or, none, cond);
        b.with_certs(&certs, |b| b.bind_to(pattern, Expr::Assert { cond: holds, message }));
        b.take_stms()
    }
}

/// Returns the width and the lambda of a SOAC that maps elements first.
fn map_of(expr: &mut Expr) -> Option<(Operand, &mut Lambda)> {
    match expr {
        Expr::Screma(soac) => Some((soac.width, &mut soac.map)),
        Expr::Partition(soac) => Some((soac.width, &mut soac.lambda)),
        Expr::Scatter(soac) => Some((soac.width, &mut soac.lambda)),
        Expr::Hist(soac) => Some((soac.width, &mut soac.lambda)),
        Expr::FlatMap(soac) => Some((soac.width, &mut soac.lambda)),
        exprs!(simple, If, Loop, Stream, WithAcc, Seg) => None,
    }
}

/// Collects the variables that are extents of operations in a body, at any depth.
fn extents_in(body: &Body, extents: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        let width = match &stm.expr {
            Expr::Stream(soac) => Some(soac.width),
            expr @ exprs!(simple, If, Loop, Screma, Partition, Scatter, Hist, WithAcc, FlatMap, Seg) => {
                first_map(expr).map(|(width, ..)| width)
            }
        };
        extents.extend(width.and_then(|width| width.as_var()));
        stm.expr.for_each_body(|inner| extents_in(inner, extents));
    }
}

/// Whether an expression computes a scalar from scalars and cannot fail, so that it may stand anywhere.
fn is_arithmetic(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(op, ..) => !op.can_fail(),
        exprs!(Unary, Ternary, Compare, Convert, Select) => true,
        exprs!(Operand, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
    }
}
