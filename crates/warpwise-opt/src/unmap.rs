//! Replaces maps that only view their rows by views of the whole array (papers/001, section 4.2), which copy nothing.
//!
//! ```text
//! y: [n][c][b]f32 = screma n (x) map (row: [b][c]f32) {          y: [n][c][b]f32 = rearrange (0, 2, 1) x;
//!   t: [c][b]f32 = rearrange (1, 0) row; return t }         ==>
//! ```
//!
//! Rows may be rearranged, sliced, indexed and reshaped. The view must be the same for all rows and need no check inside. Other
//! results of the map stay.
//!
//! A map yields a fresh array, and a view does not. So neither the result nor the viewed array may be consumed anywhere or be a
//! unique result.
//!
//! Maps that take single elements of rows, or strided ones, stay: their result stores these contiguously for all its readers, and
//! a single reader has already fused with the map.
//!
//! Not done here: maps that yield their rows unchanged; maps that may fail, whose checks would disappear; producers that could
//! fuse (`fuse` runs before).

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::builder::Builder;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Program, Screma, SliceDim, Stm, Var, exprs};

use crate::aliases::Aliases;
use crate::pass::rewrite_bodies;

/// Replaces maps in every function.
pub fn unmap(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        let aliases = Aliases::of(function, body);
        let mut consumed = aliases.consumed_in(body);
        let results = function.results.iter().zip(&body.result).filter(|(declared, _)| declared.unique);
        let unique = results.filter_map(|(_, result)| result.as_var());
        consumed.extend(unique.flat_map(|var| aliases.roots(var)));
        Unmapper { function, aliases, consumed }.body(body);
    });
    Ok(())
}

struct Unmapper<'f> {
    function: &'f mut Function,
    aliases: Aliases,
    /// The roots of all arrays that are consumed or are unique results.
    consumed: FxHashSet<Var>,
}

impl Unmapper<'_> {
    fn body(&mut self, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            stm.expr.for_each_body_mut(|inner| self.body(inner));
            let Expr::Screma(soac) = &stm.expr else {
                body.stms.push(stm);
                continue;
            };
            let views = self.views(soac, &stm.pattern);
            body.stms.extend(self.replaced(stm, views));
        }
    }

    /// Returns the results of a map that are views of an input: position, input, and the views in order from the input on.
    fn views(&self, soac: &Screma, pattern: &[Var]) -> Vec<(usize, Var, Vec<Expr>)> {
        if !soac.is_map() || soac.map.body.can_fail() {
            return Vec::new();
        }
        let view = |(position, &result): (usize, &Operand)| {
            let (param, views) = views_of_row(&soac.map, result)?;
            let input = soac.inputs[param];
            let rank = self.function.ty(soac.map.params[param]).rank();
            let is_consumed =
                |array| self.aliases.roots(array).iter().any(|root| self.consumed.contains(root));
            let all_rows = self.function.ty(input).shape()[0] == soac.width;
            let is_better = !views.is_empty() && keep_neighbours(rank, &views);
            let may_be_overwritten = is_consumed(input) || is_consumed(pattern[position]);
            (all_rows && is_better && !may_be_overwritten).then_some((position, input, views))
        };
        soac.map.body.result.iter().enumerate().filter_map(view).collect()
    }

    /// Returns the replacement of a map, given its results that are views.
    fn replaced(&mut self, mut stm: Stm, views: Vec<(usize, Var, Vec<Expr>)>) -> Vec<Stm> {
        let mut b = Builder::new(self.function);
        b.set_span(stm.span);
        for (position, input, views) in views.into_iter().rev() {
            let result = stm.pattern.remove(position);
            if let Expr::Screma(soac) = &mut stm.expr {
                soac.map.body.result.remove(position);
            }
            b.with_certs(&stm.certs, |b| bind_views(b, result, input, views));
        }
        let mut stms = b.take_stms();
        if !stm.pattern.is_empty() {
            stms.push(stm);
        }
        stms
    }
}

/// Returns the index of the parameter that a value is a view of, and the views, the first one first.
fn views_of_row(map: &Lambda, result: Operand) -> Option<(usize, Vec<Expr>)> {
    let is_inside =
        |var: Var| map.params.contains(&var) || map.body.stms.iter().any(|stm| stm.pattern.contains(&var));
    let mut shown = result.as_var()?;
    let mut views = Vec::new();
    loop {
        if let Some(param) = map.params.iter().position(|&param| param == shown) {
            views.reverse();
            return Some((param, views));
        }
        let stm = map.body.stms.iter().find(|stm| stm.pattern == [shown])?;
        let array = stm.expr.viewed()?;
        let mut varies = stm.certs.iter().any(|&cert| is_inside(cert));
        stm.expr.for_each_operand(|x| varies |= x.as_var().is_some_and(|var| var != array && is_inside(var)));
        if varies {
            return None;
        }
        if !matches!(stm.expr, Expr::Operand(_)) {
            views.push(stm.expr.clone());
        }
        shown = array;
    }
}

/// Whether views of a row keep its contiguous dimension with stride 1, in whichever position.
fn keep_neighbours(rank: usize, views: &[Expr]) -> bool {
    let mut last = rank - 1;
    views.iter().all(|view| match view {
        Expr::Rearrange { perm, .. } => {
            last = perm.iter().position(|&dim| dim == last).unwrap_or(last);
            true
        }
        Expr::Index { indices, .. } => {
            let kept = indices.len() <= last;
            last -= indices.len().min(last);
            kept
        }
        Expr::Slice { dims, .. } => {
            let by_one = matches!(dims[last], SliceDim::Range { stride, .. } if stride == Operand::i64(1));
            last -= dims[..last].iter().filter(|dim| matches!(dim, SliceDim::Fix(_))).count();
            by_one
        }
        Expr::Reshape { array: _, shape } => {
            last = shape.len() - 1;
            views.len() == 1
        }
        exprs!(Operand, scalar, Assert, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => false,
    })
}

/// Binds `result` to these views of all rows of an array.
fn bind_views(b: &mut Builder, result: Var, mut array: Var, views: Vec<Expr>) {
    let last = views.len() - 1;
    for (number, view) in views.into_iter().enumerate() {
        let view = of_all_rows(b.function, array, view);
        if number == last {
            b.bind_to(vec![result], view);
        } else {
            array = b.bind_one("rows", view);
        }
    }
}

/// Returns a view of a row as the same view of all rows of an array.
fn of_all_rows(function: &Function, array: Var, view: Expr) -> Expr {
    let shape = function.ty(array).shape();
    let rows = SliceDim::whole(shape[0]);
    match view {
        Expr::Rearrange { perm, .. } => Expr::Rearrange {
            array,
            perm: std::iter::once(0).chain(perm.iter().map(|dim| dim + 1)).collect(),
        },
        Expr::Slice { dims, .. } => {
            Expr::Slice { array, dims: std::iter::once(rows).chain(dims.iter().copied()).collect() }
        }
        Expr::Index { indices, .. } => {
            let fixed = indices.iter().map(|&index| SliceDim::Fix(index));
            let rest = shape[1 + indices.len()..].iter().map(|&len| SliceDim::whole(len));
            Expr::Slice { array, dims: std::iter::once(rows).chain(fixed).chain(rest).collect() }
        }
        Expr::Reshape { shape: row, .. } => {
            Expr::Reshape { array, shape: std::iter::once(shape[0]).chain(row.iter().copied()).collect() }
        }
        exprs!(Operand, scalar, Assert, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => {
            unreachable!("not a view")
        }
    }
}
