//! Small arrays that loops carry and choices yield become scalars.
//!
//! ```text
//! s: [2]f32 = loop (p: [2]f32 = s_0) for i < n {        x_0 = index s_0[0]; y_0 = index s_0[1];
//!   ...                                                 x, y = loop (u = x_0, v = y_0) for i < n {
//!   return q };                                   ==>     p: [2]f32 = [u, v];
//!                                                         ...
//!                                                         a = index q[0]; b = index q[1];
//!                                                         return a, b };
//!                                                       s: [2]f32 = [x, y];
//! ```

use warpwise_ir::builder::Builder;
use warpwise_ir::{Body, Expr, Function, LoopParam, Operand, Stm, Var, exprs};

use super::worth::{chooses, is_known_view, updates_element, weight};
use super::{MOST_STATEMENTS, Unroller};
use crate::small_arrays::{Extents, Value};

impl Unroller<'_> {
    /// Makes a loop carry the elements of small arrays instead. Emits the statements that it needs before it, and returns those
    /// that assemble its results.
    pub(super) fn loop_of_scalars(&mut self, stm: &mut Stm, before: &mut Vec<Stm>) -> Vec<Stm> {
        let Expr::Loop { params, body, .. } = &mut stm.expr else { return Vec::new() };
        let carried = params.iter().zip(&stm.pattern).zip(&body.result);
        let is_apart = |((param, &bound), &next): ((&LoopParam, &Var), &Operand)| {
            self.is_carried_apart(*param, bound, next, body)
        };
        let apart: Vec<bool> = carried.map(is_apart).collect();
        if !(self.is_repeated() || self.host_loops) || !apart.contains(&true) {
            return Vec::new();
        }
        let mut b = Builder::new(self.function);
        b.set_span(stm.span);
        let arrays: Vec<Var> = params.iter().map(|param| param.var).collect();
        let inside = taken_apart(b.function, &arrays, &apart);
        let mut carried = Vec::new();
        for (param, inside) in params.iter().zip(&inside) {
            match inside.as_ref().and_then(|inside| Some((inside, Value::read(&mut b, param.init)?))) {
                None => carried.push(*param),
                Some((inside, init)) => {
                    let param = |(var, init)| LoopParam { var, init, consumed: false };
                    carried.extend(inside.vars().zip(init.elements).map(param));
                }
            }
        }
        before.extend(b.take_stms());
        *params = carried;
        body.stms.splice(0..0, assembled(&mut b, &arrays, &inside));
        take_results_apart(&mut b, body, &apart);
        results_of_scalars(&mut b, stm, &apart)
    }

    /// Whether a loop's small array is better carried as scalars: its first or its next value is a literal, and all its uses become
    /// uses of scalars.
    fn is_carried_apart(&self, param: LoopParam, bound: Var, next: Operand, body: &Body) -> bool {
        let Some(extents) = self.extents_of_all([param.var.into(), bound.into(), param.init, next]) else {
            return false;
        };
        let is_literal = self.is_literal(param.init) || becomes_literal(body, next);
        is_literal && body.stms.iter().all(|stm| uses_elements(stm, param.var, &extents))
    }

    /// Returns the extents of arrays that are small and all of one size.
    fn extents_of_all<const N: usize>(&self, arrays: [Operand; N]) -> Option<Extents> {
        let all = arrays.map(|array| Extents::of(&self.function.operand_type(array)));
        let first = all[0].clone().filter(|extents| !extents.shape.is_empty());
        first.filter(|first| all.iter().all(|extents| extents.as_ref() == Some(first)))
    }

    /// Makes a choice between literals one between their elements. Returns the statements that assemble its results.
    pub(super) fn choice_of_scalars(&mut self, stm: &mut Stm) -> Vec<Stm> {
        let Expr::If { then_body, else_body, .. } = &mut stm.expr else { return Vec::new() };
        let results = stm.pattern.iter().zip(then_body.result.iter().zip(&else_body.result));
        let are_literals = |(&bound, (&x, &y)): (&Var, (&Operand, &Operand))| {
            self.extents_of_all([bound.into(), x, y]).is_some() && self.is_literal(x) && self.is_literal(y)
        };
        let apart: Vec<bool> = results.map(are_literals).collect();
        if !self.is_repeated() || !apart.contains(&true) {
            return Vec::new();
        }
        let mut b = Builder::new(self.function);
        b.set_span(stm.span);
        take_results_apart(&mut b, then_body, &apart);
        take_results_apart(&mut b, else_body, &apart);
        results_of_scalars(&mut b, stm, &apart)
    }
}

/// Whether a small array is made in a body, by an expression that becomes a literal.
fn becomes_literal(body: &Body, array: Operand) -> bool {
    let made = body.stms.iter().find(|stm| stm.pattern.iter().any(|&var| array == var.into()));
    made.is_some_and(|stm| match &stm.expr {
        Expr::ArrayLit(_) | Expr::Copy(_) | Expr::Replicate { .. } | Expr::Update { .. } => true,
        Expr::Screma(_) => is_light(&stm.expr),
        exprs!(
            Operand, scalar, Assert, view, Iota, Concat, Manifest, Scratch, If, Loop, Partition, Scatter,
            Hist, Stream, WithAcc, FlatMap, Seg, Call, UpdateAcc, Tuned, Alloc
        ) => false,
    })
}

/// Whether an expression may be unrolled as far as its weight matters.
fn is_light(expr: &Expr) -> bool {
    weight(expr).is_some_and(|weight| weight <= MOST_STATEMENTS)
}

/// Whether a statement uses an array only in ways that become uses of its elements.
fn uses_elements(stm: &Stm, array: Var, extents: &Extents) -> bool {
    let (mut uses, mut inside) = (0, true);
    stm.expr.for_each_operand(|x| uses += usize::from(x == Operand::Var(array)));
    let may_yield = matches!(stm.expr, Expr::If { .. });
    stm.expr.for_each_body(|body| {
        inside &= body.stms.iter().all(|stm| uses_elements(stm, array, extents));
        inside &= may_yield || !body.result.contains(&array.into());
    });
    let of_elements = match &stm.expr {
        Expr::Index { array: read, indices } => {
            let is_fixed = indices.iter().all(|index| index.as_const().is_some());
            usize::from(*read == array && (is_fixed || chooses(extents, indices.len())))
        }
        Expr::Update { array: written, dims, .. } => {
            usize::from(*written == array && updates_element(extents, dims))
        }
        Expr::Rearrange { array: viewed, .. }
        | Expr::Reshape { array: viewed, .. }
        | Expr::Slice { array: viewed, .. }
            if is_known_view(&stm.expr) =>
        {
            usize::from(*viewed == array)
        }
        Expr::Screma(soac) if is_light(&stm.expr) => {
            soac.inputs.iter().filter(|&&input| input == array).count()
        }
        Expr::Loop { params, body, .. } => {
            let carried = params.iter().filter(|param| param.init == array.into());
            let by_elements =
                |param: &&LoopParam| body.stms.iter().all(|stm| uses_elements(stm, param.var, extents));
            carried.filter(by_elements).count()
        }
        exprs!(
            Operand, scalar, Assert, Slice, Rearrange, Reshape, fresh, If, soac, Seg, Call, UpdateAcc, Tuned,
            Alloc
        ) => 0,
    };
    inside && uses == of_elements
}

/// Replaces results of a body by their elements, where `apart` holds.
fn take_results_apart(b: &mut Builder, body: &mut Body, apart: &[bool]) {
    let mut results = Vec::new();
    for (&result, &apart) in body.result.iter().zip(apart) {
        match apart.then(|| Value::read(b, result)).flatten() {
            Some(value) => results.extend(value.elements),
            None => results.push(result),
        }
    }
    body.stms.extend(b.take_stms());
    body.result = results;
}

/// Makes a statement bind the elements of the results where `apart` holds. Returns the statements that assemble these.
fn results_of_scalars(b: &mut Builder, stm: &mut Stm, apart: &[bool]) -> Vec<Stm> {
    let scalars = taken_apart(b.function, &stm.pattern, apart);
    let assembled = assembled(b, &stm.pattern, &scalars);
    let bound = stm.pattern.iter().zip(&scalars).map(|(&array, scalars)| match scalars {
        Some(scalars) => scalars.vars().collect(),
        None => vec![array],
    });
    stm.pattern = bound.collect::<Vec<_>>().concat();
    assembled
}

/// Returns arrays of fresh variables in place of the given arrays, where `apart` holds.
fn taken_apart(function: &mut Function, arrays: &[Var], apart: &[bool]) -> Vec<Option<Value>> {
    let mut values = Vec::new();
    for (&array, &apart) in arrays.iter().zip(apart) {
        let extents = Extents::of(function.ty(array)).filter(|_| apart);
        values.push(extents.map(|extents| {
            let fresh = |_| function.fresh("x", extents.scalar()).into();
            Value { elements: (0..extents.count()).map(fresh).collect(), extents }
        }));
    }
    values
}

/// Returns statements that bind the arrays that are taken apart.
fn assembled(b: &mut Builder, arrays: &[Var], values: &[Option<Value>]) -> Vec<Stm> {
    for (&array, value) in arrays.iter().zip(values) {
        if let Some(value) = value {
            value.bind_to(b, array);
        }
    }
    b.take_stms()
}
