//! Copies arrays on devices so that work-items that walk along rows access memory contiguously.
//!
//! ```text
//! ys = segmap (i < n: thread) {                 b = manifest (1, 0) a;
//!   s = loop (s = 0) for k < m {          ==>   ys = segmap (i < n: thread) {
//!     x = index a[i, k]; ... }; ... }             s = loop (s = 0) for k < m { x = index b[i, k]; ... }; ... }
//! ```
//!
//! In each step, neighbouring work-items read elements of neighbouring rows. These are far apart in `a` and adjacent in `b`,
//! which has the same value. The copy reads and writes the array once, and the loops read it at least once. So a copy is made
//! only if a loop walks over a whole row except for a few elements, forwards or backwards. Rows of a few elements share the
//! loaded cache lines anyway. Arrays that host loops do not change are copied before these loops, regardless of choices inside,
//! and one copy serves all operations that walk along the same dimension.
//!
//! Needs: level `seg`, scheduled for a device and simplified, so that elements of rows are elements of arrays.

use rustc_hash::FxHashSet;
use warpwise_diag::{Limit, Span};
use warpwise_ir::{Body, Expr, Function, LoopForm, Mapping, Operand, Program, SegOp, Stm, Type, Var, exprs};
use warpwise_prim::ScalarType;

use crate::simplify::sums::Sums;

/// Maximum known length of rows that stay in place.
const SHORT_ROW: i64 = 4;

/// Maximum number of elements of a row that a loop may skip for a copy of all rows to pay off.
const MOST_LEFT_OUT: i64 = 4;

/// Inserts copies before the operations in host code of every function.
pub fn coalesce(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        let mut sums = Sums::default();
        sums_in(function, &body, &mut sums);
        let mut host = Host { function, sums, views: FxHashSet::default(), open: Vec::new() };
        host.body(&mut body, FxHashSet::default(), false);
        function.body = body;
    }
    Ok(())
}

/// A host body whose statements are being visited.
struct Open {
    stms: Vec<Stm>,
    /// All variables that the body binds, including the parameters of its loop.
    own: FxHashSet<Var>,
    /// Whether the body is that of a loop.
    is_loop: bool,
    /// The copies in the body, by array and dimension.
    copies: Vec<((Var, usize), Var)>,
}

/// A walk over host code.
struct Host<'f> {
    function: &'f mut Function,
    /// The sums that indices and loop bounds equal.
    sums: Sums,
    /// The arrays whose layout is not row-major.
    views: FxHashSet<Var>,
    /// The enclosing bodies, outermost first.
    open: Vec<Open>,
}

impl Host<'_> {
    /// Visits a body. `own` are the parameters of its loop.
    fn body(&mut self, body: &mut Body, mut own: FxHashSet<Var>, is_loop: bool) {
        bound_in(body, &mut own);
        let stms = Vec::with_capacity(body.stms.len());
        self.open.push(Open { stms, own, is_loop, copies: Vec::new() });
        for mut stm in std::mem::take(&mut body.stms) {
            match &mut stm.expr {
                Expr::Rearrange { .. } => self.views.extend(&stm.pattern),
                Expr::Seg(op) => {
                    for (array, dim) in walked((self.function, &self.sums), op, &self.views) {
                        let copy = self.copy(array, dim, stm.span);
                        let item = op.space.last().expect("a space has dimensions").index;
                        replace(&mut op.body, (array, dim, item), copy);
                    }
                }
                Expr::Loop { params, body, .. } => {
                    self.body(body, params.iter().map(|param| param.var).collect(), true);
                }
                expr @ exprs!(
                    Operand, scalar, Assert, Index, Slice, Update, fresh, Reshape, If, Call, soac, UpdateAcc,
                    Tuned, Alloc
                ) => expr.for_each_body_mut(|body| self.body(body, FxHashSet::default(), false)),
            }
            self.open.last_mut().expect("this body is open").stms.push(stm);
        }
        body.stms = self.open.pop().expect("this body is open").stms;
    }

    /// Returns the copy of an array in which elements along this dimension are adjacent.
    fn copy(&mut self, array: Var, dim: usize, span: Span) -> Var {
        let known = self.open.iter().flat_map(|open| &open.copies).find(|(of, _)| *of == (array, dim));
        if let Some(&(_, copy)) = known {
            return copy;
        }
        let copy = self.function.fresh_like(array);
        let rank = self.function.ty(array).rank();
        let perm = (0..rank).filter(|&other| other != dim).chain([dim]).collect();
        // Out of loops, and also out of choices in loops: one copy is cheaper than many.
        let mut place = self.open.len() - 1;
        for (at, open) in self.open.iter().enumerate().skip(1).rev() {
            if open.own.contains(&array) {
                break;
            }
            if open.is_loop {
                place = at - 1;
            }
        }
        let expr = Expr::Manifest { array, perm };
        self.open[place].stms.push(Stm { pattern: vec![copy], expr, certs: vec![], span });
        self.open[place].copies.push(((array, dim), copy));
        copy
    }
}

/// Returns the arrays whose rows the work-items of an operation walk along, with the dimension that the work-items differ in.
fn walked((function, sums): (&Function, &Sums), op: &SegOp, views: &FxHashSet<Var>) -> Vec<(Var, usize)> {
    let Some(last) = op.space.last().filter(|dim| dim.mapping == Mapping::Thread) else { return Vec::new() };
    let mut apart = views.clone();
    bound_in(&op.body, &mut apart);
    let mut walk = Walk { function, sums, item: last.index, apart, loops: Vec::new(), found: Vec::new() };
    walk.body(&op.body);
    walk.found
}

/// Collects the sums that the scalars of a body equal.
fn sums_in(function: &Function, body: &Body, sums: &mut Sums) {
    for stm in &body.stms {
        if let [var] = stm.pattern[..]
            && function.ty(var).as_scalar() == Some(ScalarType::I64)
        {
            sums.bind(var, &stm.expr);
        }
        stm.expr.for_each_body(|body| sums_in(function, body, sums));
    }
}

/// Collects all variables that a body binds.
fn bound_in(body: &Body, bound: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        bound.extend(&stm.pattern);
        if let Expr::Loop { params, .. } = &stm.expr {
            bound.extend(params.iter().map(|param| param.var));
        }
        stm.expr.for_each_body(|body| bound_in(body, bound));
    }
}

/// A walk over the body of an operation.
struct Walk<'f> {
    function: &'f Function,
    sums: &'f Sums,
    /// The index that neighbouring work-items differ in.
    item: Var,
    /// Arrays that are not candidates.
    apart: FxHashSet<Var>,
    /// The enclosing loops, with their numbers of iterations.
    loops: Vec<(Var, Operand)>,
    found: Vec<(Var, usize)>,
}

impl Walk<'_> {
    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            let around = self.loops.len();
            match &stm.expr {
                Expr::Index { array, indices } => self.load(stm.pattern[0], *array, indices),
                Expr::Loop { form: LoopForm::For { index, bound }, .. } => self.loops.push((*index, *bound)),
                Expr::Seg(op) => self.loops.extend(op.space.iter().map(|dim| (dim.index, dim.extent))),
                exprs!(
                    Operand, scalar, Assert, Slice, Update, fresh, Rearrange, Reshape, If, Loop, Call, soac,
                    UpdateAcc, Tuned, Alloc
                ) => {}
            }
            stm.expr.for_each_body(|body| self.body(body));
            self.loops.truncate(around);
        }
    }

    fn load(&mut self, element: Var, array: Var, indices: &[Operand]) {
        let is_scalar = matches!(self.function.ty(element), Type::Scalar(_));
        let (Some(&at), Some(&length)) = (indices.last(), self.function.ty(array).shape().last()) else {
            return;
        };
        let is_long = length.as_const().and_then(|x| x.as_int()).is_none_or(|length| length > SHORT_ROW);
        let is_whole = |bound| {
            self.sums.difference(length, bound).is_some_and(|rest| (0..=MOST_LEFT_OUT).contains(&rest))
        };
        let mut steps = self.loops.iter().filter(|(index, _)| self.sums.steps_with(at, *index));
        let walks = is_long && steps.any(|(_, bound)| is_whole(*bound));
        let mut of_item = (0..indices.len()).filter(|&dim| indices[dim].as_var() == Some(self.item));
        let (Some(dim), None) = (of_item.next(), of_item.next()) else { return };
        let known = self.found.contains(&(array, dim));
        if is_scalar && walks && !known && !self.apart.contains(&array) {
            self.found.push((array, dim));
        }
    }
}

/// Redirects loads to the copy of an array, if the work-item indexes the dimension.
fn replace(body: &mut Body, (array, dim, item): (Var, usize, Var), copy: Var) {
    for stm in &mut body.stms {
        if let Expr::Index { array: from, indices } = &mut stm.expr
            && *from == array
            && indices.get(dim).and_then(|x| x.as_var()) == Some(item)
        {
            *from = copy;
        } else {
            stm.expr.for_each_body_mut(|body| replace(body, (array, dim, item), copy))
        }
    }
}
