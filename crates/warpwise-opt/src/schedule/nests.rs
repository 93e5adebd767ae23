//! Imperfect nests on devices: several inner operations, or one and other work. Sizes at run time decide how much of their
//! parallelism is used.
//!
//! ```text
//! least = tuned "threads.f.0"; enough = sle least n;
//! ys = if enough { segmap (i < n: thread) { ... in order ... } }       // a work-item for each outer element
//!      else { most = tuned "groups.f.0"; short = sle m most;
//!        if short { segmap (i < n: grid) { ... s = segred (j < m: group) ...; t = segmap (j < m: group) ... } }
//!        else { s = segred (i < n: thread, j < m: thread) ...; t = segmap (i < n: thread, j < m: thread) ... } };
//! ```
//!
//! With many outer elements, one work-item for each is enough. With fewer, each gets a work-group whose work-items share the
//! inner operations; the results of these are in local memory. If rows are longer than a group can hold, the nest is split into
//! operations over all elements ([`super::split`]). Both thresholds are parameters.
//!
//! Nests that groups cannot run, because inner bodies make arrays of their own or contain histograms, have two versions: one
//! work-item for each outer element, or operations over everything. These operations are nests with versions of their own if they
//! contain further operations.
//!
//! Needs inner sizes that are known outside the nest. Not done here: inner partitions; loops on large arrays with operations
//! inside, which `flatten` turns into host loops.

use rustc_hash::FxHashSet;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_expr};
use warpwise_ir::{
    Body, Branch, Expr, Function, Lambda, Mapping, Operand, SegKind, SegOp, Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::cost::is_cheap;
use super::device::{give, spread_expr};
use super::{absorb, perfect_inner, split};

/// Number of outer elements that keep a device busy with one work-item each. Set by `--param threads.FUNCTION.NUMBER=...`.
const ENOUGH_THREADS: i64 = 1 << 16;

/// The same if the inner operations read nothing that is specific to an outer element. Then neighbouring work-items read the same
/// places, once for all, while work-groups would read everything again for each outer element. On an H200 a step of 10,000 bodies
/// takes 1.02 ms with a work-item each, and 0.27 ms by Futhark.
const ENOUGH_THREADS_ALIKE: i64 = 1 << 15;

/// The same if an outer element has a loop without operations inside, which all work-items of a group would run; they share only
/// the work before and after it. On an H200 57,600 tridiagonal systems of 115 equations take 1.94 ms with a group each, and 0.38
/// ms by Futhark.
const ENOUGH_THREADS_IN_ORDER: i64 = 1 << 13;

/// Maximum number of inner elements for one work-group per outer element, if the nest can be split instead. Set by
/// `--param groups.FUNCTION.NUMBER=...`.
const MOST_IN_GROUP: i64 = 1 << 12;

/// Number of inner elements, if known, below which a work-group would mostly idle.
const WORTH_A_GROUP: i64 = 32;

/// Returns the versions of a nest and the choice between them; `None` if one version is enough. `nests` counts the nests of a
/// function and numbers their parameters.
pub fn versions(function: &mut Function, stm: &Stm, nests: &mut usize) -> Option<Vec<Stm>> {
    let Expr::Seg(op) = &stm.expr else { return None };
    let Some(sizes) = shared_sizes(function, op) else { return threads_or_flat(function, stm, op, nests) };
    let (groups_name, threads_name) =
        (format!("groups.{}.{nests}", function.name), threads_of(function, nests));
    let threads = version(function, stm, &mut spread_expr);
    let groups = version(function, stm, &mut |_, expr| give_groups(expr));
    let flat = split::split(function, stm, nests);
    let inner_results: Vec<Var> = stm.pattern.iter().map(|&var| function.fresh_like(var)).collect();
    let enough_threads = match reads_own(function, op) {
        _ if op.body.stms.iter().any(is_in_order) => ENOUGH_THREADS_IN_ORDER,
        true => ENOUGH_THREADS,
        false => ENOUGH_THREADS_ALIKE,
    };
    let outer: Vec<Operand> = op.space.iter().map(|dim| dim.extent).collect();
    let mut b = Builder::new(function);
    b.set_span(stm.span);
    let points = product(&mut b, &outer);
    let least = b.bind_one("least", Expr::Tuned { name: threads_name, default: enough_threads });
    let enough = b.compare("enough", CompareOp::SLe, least, points);
    let few = match flat {
        None => groups,
        Some(flat) => {
            let (mut stms, short) = b.collect(|b| {
                let longest = longest(b, &sizes);
                let most = b.bind_one("most", Expr::Tuned { name: groups_name, default: MOST_IN_GROUP });
                b.compare("short", CompareOp::SLe, longest, most)
            });
            stms.push(choice(stm, inner_results.clone(), short, groups, flat));
            Body { stms, result: inner_results.into_iter().map(Operand::Var).collect() }
        }
    };
    b.push(choice(stm, stm.pattern.clone(), enough, threads, few));
    let mut stms = b.take_stms();
    stms.iter_mut().for_each(|new| new.certs.extend(&stm.certs));
    Some(stms)
}

/// Returns the parameter for the number of work-items that are enough for the next nest of a function.
pub(super) fn threads_of(function: &Function, nests: &mut usize) -> String {
    let number = *nests;
    *nests += 1;
    format!("threads.{}.{number}", function.name)
}

/// Returns the versions of a nest that groups cannot run; `None` if splitting it yields no more work-items.
fn threads_or_flat(function: &mut Function, stm: &Stm, op: &SegOp, nests: &mut usize) -> Option<Vec<Stm>> {
    let inner = |stm: &Stm| matches!(&stm.expr, Expr::Seg(inner) if inner.space.iter().any(|dim| is_long(dim.extent)));
    // Operations that loops repeat would still run per outer element.
    let repeats = |stm: &Stm| !matches!(stm.expr, Expr::Seg(_)) && holds_long(&stm.expr);
    if op.kind != SegKind::Map || !op.body.stms.iter().any(inner) || op.body.stms.iter().any(repeats) {
        return None;
    }
    let before = *nests;
    let name = threads_of(function, nests);
    let Some(flat) = split::split(function, stm, nests) else {
        *nests = before;
        return None;
    };
    let threads = version(function, stm, &mut spread_expr);
    let outer: Vec<Operand> = op.space.iter().map(|dim| dim.extent).collect();
    Some(by_points(function, stm, &outer, (name, ENOUGH_THREADS), [threads, flat]))
}

/// Emits the choice between two versions: `threads`, with a work-item for each point, if there are at least as many points as the
/// parameter `name` says, and `other` if there are fewer.
pub(super) fn by_points(
    function: &mut Function,
    stm: &Stm,
    extents: &[Operand],
    (name, default): (String, i64),
    [threads, other]: [Body; 2],
) -> Vec<Stm> {
    let mut b = Builder::new(function);
    b.set_span(stm.span);
    let points = product(&mut b, extents);
    let least = b.bind_one("least", Expr::Tuned { name, default });
    let enough = b.compare("enough", CompareOp::SLe, least, points);
    b.push(choice(stm, stm.pattern.clone(), enough, threads, other));
    let mut stms = b.take_stms();
    stms.iter_mut().for_each(|new| new.certs.extend(&stm.certs));
    stms
}

/// Whether a statement is a loop without operations inside.
fn is_in_order(stm: &Stm) -> bool {
    matches!(stm.expr, Expr::Loop { .. }) && !holds_operations(&stm.expr)
}

fn holds_operations(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Seg(_));
    expr.for_each_body(|body| found = found || body.stms.iter().any(|stm| holds_operations(&stm.expr)));
    found
}

/// Whether an expression contains operations that are worth work-items of their own.
pub(super) fn holds_long(expr: &Expr) -> bool {
    let mut found = matches!(expr, Expr::Seg(op) if op.space.iter().any(|dim| is_long(dim.extent)));
    expr.for_each_body(|body| found = found || body.stms.iter().any(|stm| holds_long(&stm.expr)));
    found
}

/// Whether an extent is unknown, or large enough for work-items of its own.
fn is_long(extent: Operand) -> bool {
    extent.as_const().and_then(Scalar::as_int).is_none_or(|extent| extent >= WORTH_A_GROUP)
}

fn choice(stm: &Stm, pattern: Vec<Var>, cond: Operand, then_body: Body, else_body: Body) -> Stm {
    let expr = Expr::If { cond, then_body, else_body, branch: Branch::Plain };
    Stm { pattern, expr, certs: Vec::new(), span: stm.span }
}

/// Returns a version of a statement with fresh variables.
pub(super) fn version(
    function: &mut Function,
    stm: &Stm,
    schedule: &mut dyn FnMut(&mut Function, Expr) -> Expr,
) -> Body {
    let mut copier = Copier::within(function, Substitution::new());
    let pattern: Vec<Var> = stm.pattern.iter().map(|&var| copier.copy_binding(var)).collect();
    let expr = copier.copy_expr(&stm.expr);
    let result = pattern.iter().map(|&var| var.into()).collect();
    let expr = schedule(function, expr);
    Body { stms: vec![Stm { pattern, expr, certs: Vec::new(), span: stm.span }], result }
}

fn product(b: &mut Builder, extents: &[Operand]) -> Operand {
    let mut extents = extents.iter().copied();
    let first = extents.next().unwrap_or(Operand::i64(1));
    extents.fold(first, |all, extent| b.binary("points", BinaryOp::Mul, all, extent))
}

fn longest(b: &mut Builder, sizes: &[Vec<Operand>]) -> Operand {
    let mut longest: Option<Operand> = None;
    for size in sizes {
        let size = product(b, size);
        longest = Some(match longest {
            None => size,
            Some(other) => b.binary("longest", BinaryOp::SMax, other, size),
        });
    }
    longest.unwrap_or(Operand::i64(0))
}

/// Maps every point to a work-group, whose work-items share the operations inside.
fn give_groups(mut expr: Expr) -> Expr {
    if let Expr::Seg(op) = &mut expr {
        op.space.iter_mut().for_each(|dim| dim.mapping = Mapping::Grid);
        share(&mut op.body);
    }
    expr
}

/// Maps the operations of a body to the work-items of a group, which run the body together.
fn share(body: &mut Body) {
    for stm in &mut body.stms {
        if let Expr::Seg(op) = &mut stm.expr {
            while let Some(inner) = perfect_inner(op).filter(|inner| inner.kind == SegKind::Map) {
                absorb(op, *inner);
            }
            give(op, Mapping::Group);
        } else {
            stm.expr.for_each_body_mut(share)
        }
    }
}

/// Returns the sizes of the operations inside a map that the work-items of a group can share; `None` if none is large enough, or
/// if something inside cannot run in a group.
fn shared_sizes(function: &Function, op: &SegOp) -> Option<Vec<Vec<Operand>>> {
    if op.kind != SegKind::Map {
        return None;
    }
    let bound = op.space.iter().map(|dim| dim.index).collect();
    let mut nest = Nest { function, bound, sizes: Vec::new() };
    nest.body(&op.body)?;
    let worth = |size: &Vec<Operand>| {
        let known: Option<Vec<i64>> = size.iter().map(|extent| extent.as_const()?.as_int()).collect();
        known.is_none_or(|extents| extents.iter().product::<i64>() >= WORTH_A_GROUP)
    };
    nest.sizes.iter().any(worth).then_some(nest.sizes)
}

/// The state of analysing a nest.
struct Nest<'f> {
    function: &'f Function,
    /// The variables bound inside the nest so far.
    bound: FxHashSet<Var>,
    sizes: Vec<Vec<Operand>>,
}

impl Nest<'_> {
    fn body(&mut self, body: &Body) -> Option<()> {
        for stm in &body.stms {
            self.stm(stm)?;
            self.bound.extend(&stm.pattern);
        }
        Some(())
    }

    fn stm(&mut self, stm: &Stm) -> Option<()> {
        let scalars = stm.pattern.iter().all(|&var| !matches!(self.function.ty(var), Type::Array(_)));
        match &stm.expr {
            Expr::Seg(op) => self.inner(op),
            Expr::If { then_body, else_body, .. } if scalars => {
                self.body(then_body)?;
                self.body(else_body)
            }
            // A work-group updates arrays in place. For a loop that makes new arrays the lowering falls back to a work-item per outer element.
            Expr::Loop { params, form: _, body } if scalars || self.known_outside(stm) => {
                self.bound.extend(params.iter().map(|param| param.var));
                self.body(body)
            }
            expr @ exprs!(simple) if is_cheap(expr) => Some(()),
            Expr::Update { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Concat { .. }
                if self.known_outside(stm) =>
            {
                Some(())
            }
            exprs!(simple, If, Loop, soac) => None,
        }
    }

    /// Whether the arrays of a statement have sizes that are known outside the nest.
    fn known_outside(&self, stm: &Stm) -> bool {
        stm.pattern.iter().all(|&var| self.function.ty(var).shape().iter().all(|&size| self.is_outside(size)))
    }

    fn is_outside(&self, x: Operand) -> bool {
        x.as_var().is_none_or(|var| !self.bound.contains(&var))
    }

    fn inner(&mut self, op: &SegOp) -> Option<()> {
        let of_scalars = |lambda: &Lambda| {
            lambda.params.iter().all(|&param| self.function.ty(param).rank() == 0)
                && is_simple(&lambda.body, false)
        };
        let possible = match &op.kind {
            SegKind::Map | SegKind::Scatter { .. } => true,
            SegKind::Reduce { reduces } => {
                op.space.len() == 1 && reduces.iter().all(|reduce| of_scalars(&reduce.op))
            }
            SegKind::Scan { scans, reduces, post } => {
                op.space.len() == 1
                    && reduces.is_empty()
                    && scans.iter().all(|scan| of_scalars(&scan.op))
                    && post.as_ref().is_none_or(|post| is_simple(&post.body, true))
                    && op.body.result.iter().all(|&x| self.function.operand_type(x).rank() == 0)
            }
            SegKind::Partition { .. } | SegKind::Hist { .. } => false,
        };
        let known = op.space.iter().all(|dim| self.is_outside(dim.extent));
        if !possible || !known || !is_simple(&op.body, true) {
            return None;
        }
        self.sizes.push(op.space.iter().map(|dim| dim.extent).collect());
        Some(())
    }
}

/// Whether a body makes no array and thus takes no memory, and has checks only if they are allowed.
fn is_simple(body: &Body, checks: bool) -> bool {
    body.stms.iter().all(|stm| match &stm.expr {
        Expr::If { then_body, else_body, .. } => is_simple(then_body, checks) && is_simple(else_body, checks),
        Expr::Loop { body, .. } => is_simple(body, checks),
        Expr::Seg(op) => {
            let operators = |reduces: &[warpwise_ir::Reduce]| {
                reduces.iter().all(|reduce| is_simple(&reduce.op.body, checks))
            };
            matches!(&op.kind, SegKind::Reduce { reduces } if operators(reduces) && op.space.len() == 1)
                && op.body.result.len() == stm.pattern.len()
                && is_simple(&op.body, checks)
        }
        Expr::Assert { .. } => checks,
        expr @ exprs!(Operand, scalar, array, Call, soac, UpdateAcc, Tuned, Alloc) => is_cheap(expr),
    })
}

/// Whether the operations inside a map read arrays at places that depend on the point of the map.
fn reads_own(function: &Function, op: &SegOp) -> bool {
    let mut own: FxHashSet<Var> = op.space.iter().map(|dim| dim.index).collect();
    reads_of(function, &op.body, &mut own, false)
}

/// Applies [`reads_own`] to a body. `own` are the variables that depend on the point, and `inner` says whether the body is that
/// of an inner operation.
fn reads_of(function: &Function, body: &Body, own: &mut FxHashSet<Var>, inner: bool) -> bool {
    body.stms.iter().any(|stm| {
        if !free_in_expr(function, &stm.expr).iter().any(|var| own.contains(&var)) {
            return false;
        }
        let reads = match &stm.expr {
            Expr::Index { .. } => inner,
            Expr::Loop { params, .. } => {
                own.extend(params.iter().map(|param| param.var));
                false
            }
            exprs!(
                Operand, scalar, Assert, Slice, Update, fresh, Rearrange, Reshape, If, Call, soac, UpdateAcc,
                Seg, Tuned, Alloc
            ) => false,
        };
        let inner = inner || matches!(stm.expr, Expr::Seg(_));
        let mut found = reads;
        stm.expr.for_each_body(|body| found = found || reads_of(function, body, own, inner));
        own.extend(&stm.pattern);
        found
    })
}
