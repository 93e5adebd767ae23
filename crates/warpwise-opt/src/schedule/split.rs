//! Splits an imperfect nest into operations over all its elements, one for each inner operation.
//!
//! ```text
//! ys: [n][m]f32 = segmap (i < n) {          ss: [n]f32    = segmap (i < n) { s = segred (j < m) { ... }; return s };
//!   s = segred (j < m) { ... };        ==>  ys: [n][m]f32 = segmap (i < n) { s = index ss[i];
//!   ys' = segmap (j < m) { ... s ... };                                      ys' = segmap (j < m) { ... s ... }; return ys' };
//!   return ys' };
//! ```
//!
//! Each of these is a perfect nest, hence one space. Values that a later operation needs are stored for all elements, but cheap
//! scalars and views are recomputed. Histograms per outer element become one histogram into a table with a row for each.
//!
//! The first failing element must stay the first, so nothing is split if several parts have checks whose outcome varies between
//! elements. Not done here: loops around inner operations, which stay within an element.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::traverse::{Copier, Substitution, free_in_body, free_in_lambda};
use warpwise_ir::{
    Body, Expr, Function, HistOp, LoopForm, Mapping, Operand, SegDim, SegKind, SegOp, Stm, Type, Var, exprs,
};

use super::cost;
use super::device::{join, spread, spread_expr};

/// Statements of the nest that become one operation.
struct Part {
    /// The statements in order, including the cheap ones before them.
    stms: Vec<Stm>,
    /// The bound variables that are not recomputed.
    binds: Vec<Var>,
    /// Whether the part is an inner operation, all results of which are stored.
    inner: bool,
}

/// Returns the body that replaces a nest by operations over all elements; `None` if the nest cannot be split. `nests` counts
/// nests with several versions, which the new operations may have, too.
pub fn split(function: &mut Function, stm: &Stm, nests: &mut usize) -> Option<Body> {
    let Expr::Seg(op) = &stm.expr else { return None };
    let local: FxHashSet<Var> = local(op);
    let parts = parts(op, &local)?;
    let (kept, out) = (FxHashMap::default(), Vec::new());
    let mut split = Split { function, op, stm, nests, local, kept, out, joined: false };
    for (number, part) in parts.iter().enumerate() {
        split.part(part, &parts[number + 1..])?;
    }
    let result = split.results(&parts)?;
    split.joined.then_some(Body { stms: split.out, result })
}

/// Returns all variables that the points of a nest bind for themselves.
fn local(op: &SegOp) -> FxHashSet<Var> {
    let bound = op.body.stms.iter().flat_map(|stm| stm.pattern.iter().copied());
    op.space.iter().map(|dim| dim.index).chain(bound).collect()
}

fn parts(op: &SegOp, local: &FxHashSet<Var>) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let mut cheap: Vec<Stm> = Vec::new();
    let mut checked = 0;
    let mut inner_parts = 0;
    for stm in &op.body.stms {
        let inner = match &stm.expr {
            Expr::Seg(inner) => match inner.kind {
                SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Hist { .. } => true,
                SegKind::Partition { .. } | SegKind::Scatter { .. } => return None,
            },
            Expr::If { .. } | Expr::Loop { .. } => false,
            // A fill is as cheap to recompute as to store. A check whose outcome is the same at all points is repeated, too.
            Expr::Assert { .. } if fails_for_some(&stm.expr, local) => false,
            expr @ exprs!(simple)
                if cost::is_cheap(expr) || matches!(expr, Expr::Replicate { .. } | Expr::Iota { .. }) =>
            {
                cheap.push(stm.clone());
                continue;
            }
            exprs!(simple, soac) => return None,
        };
        checked += usize::from(fails_for_some(&stm.expr, local));
        inner_parts += usize::from(inner);
        let stms = cheap.iter().chain([stm]).cloned().collect();
        parts.push(Part { stms, binds: stm.pattern.clone(), inner });
    }
    // The statements after the last part.
    parts.push(Part { stms: cheap, binds: Vec::new(), inner: false });
    (checked <= 1 && inner_parts > 0).then_some(parts)
}

/// Whether an expression contains checks whose outcome may vary between the points of a nest.
fn fails_for_some(expr: &Expr, local: &FxHashSet<Var>) -> bool {
    Checks { local: local.clone(), some: false }.found_in(expr)
}

/// A walk that looks for checks.
struct Checks {
    /// The variables that may vary between points.
    local: FxHashSet<Var>,
    /// Whether the current code runs at some points only.
    some: bool,
}

impl Checks {
    fn found_in(&mut self, expr: &Expr) -> bool {
        let differs = |x: Operand| x.as_var().is_some_and(|var| self.local.contains(&var));
        let at_some = match expr {
            Expr::Assert { cond, .. } => return self.some || differs(*cond),
            Expr::If { cond, .. } => differs(*cond),
            Expr::Loop { form: LoopForm::For { bound, .. }, .. } => differs(*bound),
            Expr::Loop { form: LoopForm::While { .. }, .. } => true,
            Expr::Seg(op) => op.space.iter().any(|dim| differs(dim.extent)),
            exprs!(Operand, scalar, array, Loop, Call, soac, UpdateAcc, Tuned, Alloc) => false,
        };
        let around = self.some;
        self.some |= at_some;
        expr.for_each_binding(|var| {
            self.local.insert(var);
        });
        let mut found = false;
        let mut body = |body: &Body| {
            for stm in &body.stms {
                found = found || self.found_in(&stm.expr);
                self.local.extend(&stm.pattern);
            }
        };
        expr.for_each_body(&mut body);
        expr.for_each_lambda(|lambda| body(&lambda.body));
        self.some = around;
        found
    }
}

struct Split<'a> {
    function: &'a mut Function,
    op: &'a SegOp,
    stm: &'a Stm,
    nests: &'a mut usize,
    local: FxHashSet<Var>,
    /// The arrays of values that have been computed for all elements.
    kept: FxHashMap<Var, Var>,
    out: Vec<Stm>,
    /// Whether some operation has a larger space than the outer one.
    joined: bool,
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
        let arrays = match &part.stms.last()?.expr {
            Expr::Seg(hist) if matches!(hist.kind, SegKind::Hist { .. }) => {
                self.histogram(&part.stms, hist)?
            }
            exprs!(simple, nested) => {
                self.operation(&part.stms, values.iter().map(|&var| var.into()).collect())
            }
        };
        self.kept.extend(values.into_iter().zip(arrays));
        Some(())
    }

    /// Emits a histogram of all elements, whose tables have a row for each point of the outer space. Returns these tables.
    fn histogram(&mut self, stms: &[Stm], hist: &SegOp) -> Option<Vec<Var>> {
        let SegKind::Hist { ops } = &hist.kind else { return None };
        let of_all = |op: &HistOp| {
            let lambda = free_in_lambda(self.function, &op.op);
            !lambda.iter().any(|var| self.local.contains(&var))
                && op.neutral.iter().all(|&x| self.is_outside(x))
        };
        if !ops.iter().all(of_all) || hist.space.iter().any(|dim| !self.is_outside(dim.extent)) {
            return None;
        }
        let (before, outer) = (&stms[..stms.len() - 1], self.op.space.clone());
        let mut ops = ops.clone();
        for dest in ops.iter_mut().flat_map(|op| &mut op.dests) {
            let (stms, table) = self.spread(before, (*dest).into());
            *dest = self.operation(&stms, vec![table])[0];
        }
        let mut result = Vec::new();
        let mut of_point = hist.body.result.iter().copied();
        for op in &mut ops {
            result.extend(outer.iter().map(|dim| Operand::from(dim.index)));
            result.extend(of_point.by_ref().take(op.rank + op.dests.len()));
            op.rank += outer.len();
        }
        let body = Body { stms: [before, &hist.body.stms].concat(), result };
        let body = Body { stms: needed_for(self.function, &body.stms, &body.result), ..body };
        let space = [outer, hist.space.clone()].concat();
        let tables: Vec<Var> = ops.iter().flat_map(|op| op.dests.clone()).collect();
        let types = tables.iter().map(|&table| self.function.ty(table).clone()).collect();
        Some(self.emit(SegOp { space, kind: SegKind::Hist { ops }, body }, stms, types))
    }

    fn is_outside(&self, x: Operand) -> bool {
        x.as_var().is_none_or(|var| !self.local.contains(&var))
    }

    /// Emits a map over the outer space. Returns its results.
    fn operation(&mut self, stms: &[Stm], result: Vec<Operand>) -> Vec<Var> {
        let body = Body { stms: needed_for(self.function, stms, &result), result };
        let extents: Vec<Operand> = self.op.space.iter().map(|dim| dim.extent).collect();
        let types: Vec<Type> =
            body.result.iter().map(|&x| self.function.operand_type(x).array_of(&extents)).collect();
        self.emit(SegOp { space: self.op.space.clone(), kind: SegKind::Map, body }, stms, types)
    }

    /// Emits an operation of these statements, which loads the stored values that it needs. Returns its results.
    fn emit(&mut self, mut op: SegOp, stms: &[Stm], types: Vec<Type>) -> Vec<Var> {
        let own: FxHashSet<Var> = stms.iter().flat_map(|stm| stm.pattern.iter().copied()).collect();
        forget(&mut op.body, &|cert| self.local.contains(&cert) && !own.contains(&cert));
        let free = free_in_body(self.function, &op.body);
        let indices: Vec<Operand> = self.op.space.iter().map(|dim| dim.index.into()).collect();
        let loads = free.iter().filter_map(|var| {
            let expr = Expr::Index { array: *self.kept.get(&var)?, indices: indices.clone() };
            Some(Stm { pattern: vec![var], expr, certs: Vec::new(), span: self.stm.span })
        });
        let loads: Vec<Stm> = loads.collect();
        op.body.stms.splice(0..0, loads);
        join(self.function, &mut op);
        let joined = op.space.len() > self.op.space.len();
        let expr = Copier::within(self.function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(op)));
        let pattern: Vec<Var> = types.into_iter().map(|ty| self.function.fresh("each", ty)).collect();
        let mut stm = Stm { pattern: pattern.clone(), expr, certs: Vec::new(), span: self.stm.span };
        if joined {
            self.joined = true;
            spread(self.function, stm, self.nests, &mut self.out);
        } else {
            // Splitting it would yield the same operation again.
            stm.expr = spread_expr(self.function, stm.expr);
            self.out.push(stm);
        }
        pattern
    }

    /// Returns the results of the nest. Results that no part stores are computed last.
    fn results(&mut self, parts: &[Part]) -> Option<Vec<Operand>> {
        let last = parts.last()?;
        let mut results = Vec::new();
        let mut taken = FxHashSet::default();
        for &result in &self.op.body.result {
            let kept = result.as_var().and_then(|var| self.kept.get(&var)).copied();
            let array = match kept.filter(|&array| taken.insert(array)) {
                Some(array) => array,
                None => match self.turned(&last.stms, result).filter(|&(array, _)| taken.insert(array)) {
                    Some((array, perm)) => self.rearranged(array, perm),
                    None => {
                        let (stms, result) = self.spread(&last.stms, result);
                        self.operation(&stms, vec![result])[0]
                    }
                },
            };
            results.push(array.into());
        }
        Some(results)
    }

    /// Returns the stored array that a result is a transposition of, with the permutation of all dimensions.
    fn turned(&self, stms: &[Stm], result: Operand) -> Option<(Var, Vec<usize>)> {
        let stm = stms.iter().find(|stm| stm.pattern.first().map(|&var| var.into()) == Some(result))?;
        let Expr::Rearrange { array, perm } = &stm.expr else { return None };
        let outer = self.op.space.len();
        let perm = (0..outer).chain(perm.iter().map(|dim| dim + outer)).collect();
        Some((*self.kept.get(array)?, perm))
    }

    fn rearranged(&mut self, array: Var, perm: Vec<usize>) -> Var {
        let Type::Array(from) = self.function.ty(array).clone() else {
            unreachable!("only arrays have dimensions")
        };
        let shape: Vec<Operand> = perm.iter().map(|&dim| from.shape[dim]).collect();
        let turned = self.function.fresh("each", Type::array(from.elem, shape));
        let expr = Expr::Rearrange { array, perm };
        self.out.push(Stm { pattern: vec![turned], expr, certs: Vec::new(), span: self.stm.span });
        turned
    }

    /// Returns the statements of a result. For an array result, an operation over its elements follows, because otherwise a
    /// single work-item would fill it for each point.
    fn spread(&mut self, stms: &[Stm], result: Operand) -> (Vec<Stm>, Operand) {
        let mut stms = stms.to_vec();
        let (Operand::Var(array), Type::Array(ty)) = (result, self.function.operand_type(result)) else {
            return (stms, result);
        };
        if ty.shape.iter().any(|&size| !self.is_outside(size)) {
            return (stms, result);
        }
        let mut dim = |extent: &Operand| SegDim {
            index: self.function.fresh("i", Type::I64),
            extent: *extent,
            mapping: Mapping::Seq,
        };
        let space: Vec<SegDim> = ty.shape.iter().map(&mut dim).collect();
        let element = self.function.fresh("x", Type::Scalar(ty.elem));
        let indices: Vec<Operand> = space.iter().map(|dim| dim.index.into()).collect();
        let plain = |pattern, expr| Stm { pattern, expr, certs: Vec::new(), span: self.stm.span };
        let load = plain(vec![element], element_of(&stms, array, indices));
        let body = Body { stms: vec![load], result: vec![element.into()] };
        let spread = self.function.fresh_like(array);
        stms.push(plain(vec![spread], Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body }))));
        (stms, spread.into())
    }
}

/// Returns the element of an array at these indices. For an array that repeats a value, it is taken from the value.
fn element_of(stms: &[Stm], array: Var, mut indices: Vec<Operand>) -> Expr {
    let made = stms.iter().find(|stm| stm.pattern == [array]).map(|stm| &stm.expr);
    let Some(Expr::Replicate { shape, value }) = made else { return Expr::Index { array, indices } };
    match value {
        Operand::Var(row) if indices.len() > shape.len() => {
            element_of(stms, *row, indices.split_off(shape.len()))
        }
        Operand::Var(_) | Operand::Const(_) => Expr::Operand(*value),
    }
}

/// Returns the statements that the given results need.
fn needed_for(function: &Function, stms: &[Stm], result: &[Operand]) -> Vec<Stm> {
    let mut needed: FxHashSet<Var> = result.iter().filter_map(|x| x.as_var()).collect();
    let mut kept = Vec::new();
    for stm in stms.iter().rev().filter(|stm| !stm.pattern.is_empty()) {
        if stm.pattern.iter().any(|var| needed.contains(var)) {
            let alone = Body { stms: vec![stm.clone()], result: Vec::new() };
            needed.extend(free_in_body(function, &alone).iter());
            kept.push(stm.clone());
        }
    }
    kept.reverse();
    kept
}

/// Drops certificates of checks that have succeeded, because the operations before are over.
fn forget(body: &mut Body, holds: &dyn Fn(Var) -> bool) {
    for stm in &mut body.stms {
        stm.certs.retain(|&cert| !holds(cert));
        stm.expr.for_each_body_mut(|body| forget(body, holds));
    }
}
