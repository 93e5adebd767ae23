//! Takes a nest that is not perfect apart: an operation over all its elements for each inner one.
//!
//! ```text
//! ys: [n][m]f32 = segmap (i < n) {          ss: [n]f32    = segmap (i < n) { s = segred (j < m) { ... }; return s };
//!   s = segred (j < m) { ... };        ==>  ys: [n][m]f32 = segmap (i < n) { s = index ss[i];
//!   ys' = segmap (j < m) { ... s ... };                                      ys' = segmap (j < m) { ... s ... }; return ys' };
//!   return ys' };
//! ```
//!
//! Each of them is a perfect nest, hence one space. What a later one needs is kept for all elements; scalars and views that
//! cost next to nothing are computed again instead.
//!
//! The first failing element must stay the first: nothing is split where more than one part has checks. Not done here: loops
//! around inner operations, which stay within an element.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::{Copier, Substitution, free_in_body};
use warpwise_ir::{Body, Expr, Function, Operand, SegKind, SegOp, Stm, Type, Var};

use super::cost;
use super::device::spread_expr;

/// Statements that become one operation.
struct Part {
    /// Of the nest, in order, with the cheap ones before them.
    stms: Vec<Stm>,
    /// What it binds that is not computed again.
    binds: Vec<Var>,
    /// Whether it is an inner operation, all results of which are kept.
    inner: bool,
}

/// The body that yields what a nest does, in operations over all elements; none where it cannot be taken apart.
pub fn split(function: &mut Function, stm: &Stm) -> Option<Body> {
    let Expr::Seg(op) = &stm.expr else { return None };
    let parts = parts(op)?;
    let outer: FxHashSet<Var> = local(op);
    let mut split = Split { function, op, stm, local: outer, kept: FxHashMap::default(), out: Vec::new() };
    for (number, part) in parts.iter().enumerate() {
        split.part(part, &parts[number + 1..])?;
    }
    let result = split.results(&parts)?;
    let joined = |stm: &Stm| matches!(&stm.expr, Expr::Seg(own) if own.space.len() > op.space.len());
    split.out.iter().any(joined).then_some(Body { stms: split.out, result })
}

/// Everything that the points of a nest bind for themselves.
fn local(op: &SegOp) -> FxHashSet<Var> {
    let bound = op.body.stms.iter().flat_map(|stm| stm.pattern.iter().copied());
    op.space.iter().map(|dim| dim.index).chain(bound).collect()
}

fn parts(op: &SegOp) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut cheap: Vec<Stm> = Vec::new();
    let mut checked = 0;
    let mut inner_parts = 0;
    for stm in &op.body.stms {
        let inner = match &stm.expr {
            Expr::Seg(inner) => match inner.kind {
                SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } => true,
                SegKind::Partition { .. } | SegKind::Scatter { .. } | SegKind::Hist { .. } => return None,
            },
            Expr::If { .. } | Expr::Loop { .. } | Expr::Assert { .. } => false,
            expr if cost::is_cheap(expr) => {
                cheap.push(stm.clone());
                continue;
            }
            _ => return None,
        };
        checked += usize::from(fails(&stm.expr));
        inner_parts += usize::from(inner);
        let stms = cheap.iter().chain([stm]).cloned().collect();
        parts.push(Part { stms, binds: stm.pattern.clone(), inner });
    }
    // What comes after the last of them.
    parts.push(Part { stms: cheap, binds: Vec::new(), inner: false });
    (checked <= 1 && inner_parts > 0).then_some(parts)
}

/// Whether an expression has checks inside.
fn fails(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Assert { .. });
    expr.for_each_body(|body| found |= body.stms.iter().any(|stm| fails(&stm.expr)));
    expr.for_each_lambda(|lambda| found |= lambda.body.stms.iter().any(|stm| fails(&stm.expr)));
    found
}

struct Split<'a> {
    function: &'a mut Function,
    op: &'a SegOp,
    stm: &'a Stm,
    local: FxHashSet<Var>,
    /// The arrays of what has been computed for all elements.
    kept: FxHashMap<Var, Var>,
    out: Vec<Stm>,
}

impl Split<'_> {
    fn part(&mut self, part: &Part, later: &[Part]) -> Option<()> {
        if part.binds.is_empty() {
            return Some(());
        }
        let needed = |var: &Var| {
            let asks = |later: &Part| {
                let body = Body { stms: later.stms.clone(), result: self.op.body.result.clone() };
                free_in_body(self.function, &body).contains(*var)
            };
            part.inner || later.iter().any(asks)
        };
        let results: Vec<Var> = part.binds.iter().copied().filter(needed).collect();
        let kept = |var: &Var| match self.function.ty(*var) {
            Type::Scalar(_) => true,
            Type::Array(array) => array.shape.iter().all(|&size| self.is_outside(size)),
            Type::Acc(_) | Type::Cert | Type::Mem => false,
        };
        let values: Vec<Var> =
            results.into_iter().filter(|&var| *self.function.ty(var) != Type::Cert).collect();
        if values.is_empty() || !values.iter().all(kept) {
            return None;
        }
        let arrays = self.operation(&part.stms, values.iter().map(|&var| var.into()).collect());
        self.kept.extend(values.into_iter().zip(arrays));
        Some(())
    }

    fn is_outside(&self, x: Operand) -> bool {
        x.as_var().is_none_or(|var| !self.local.contains(&var))
    }

    /// Emits a map over the outer space; what it yields.
    fn operation(&mut self, stms: &[Stm], result: Vec<Operand>) -> Vec<Var> {
        let mut body = Body { stms: stms.to_vec(), result };
        forget(&mut body, &self.local);
        let free = free_in_body(self.function, &body);
        let indices: Vec<Operand> = self.op.space.iter().map(|dim| dim.index.into()).collect();
        let loads = free.iter().filter_map(|var| {
            let expr = Expr::Index { array: *self.kept.get(&var)?, indices: indices.clone() };
            Some(Stm { pattern: vec![var], expr, certs: Vec::new(), span: self.stm.span })
        });
        let loads: Vec<Stm> = loads.collect();
        body.stms.splice(0..0, loads);
        let extents: Vec<Operand> = self.op.space.iter().map(|dim| dim.extent).collect();
        let types: Vec<Type> =
            body.result.iter().map(|&x| self.function.operand_type(x).array_of(&extents)).collect();
        let map = SegOp { space: self.op.space.clone(), kind: SegKind::Map, body };
        let expr = Copier::within(self.function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(map)));
        let expr = spread_expr(self.function, expr);
        let pattern: Vec<Var> = types.into_iter().map(|ty| self.function.fresh("each", ty)).collect();
        self.out.push(Stm { pattern: pattern.clone(), expr, certs: Vec::new(), span: self.stm.span });
        pattern
    }

    /// What the whole yields; what no part keeps is computed at last.
    fn results(&mut self, parts: &[Part]) -> Option<Vec<Operand>> {
        let last = parts.last()?;
        let mut results = Vec::new();
        let mut taken = FxHashSet::default();
        for &result in &self.op.body.result {
            let kept = result.as_var().and_then(|var| self.kept.get(&var)).copied();
            let array = match kept.filter(|&array| taken.insert(array)) {
                Some(array) => array,
                None => self.operation(&last.stms, vec![result])[0],
            };
            results.push(array.into());
        }
        Some(results)
    }
}

/// Drops certificates of checks that hold once the operations before are over.
fn forget(body: &mut Body, certs: &FxHashSet<Var>) {
    for stm in &mut body.stms {
        stm.certs.retain(|cert| !certs.contains(cert));
        stm.expr.for_each_body_mut(|body| forget(body, certs));
    }
}
