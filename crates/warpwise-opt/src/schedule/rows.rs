//! Cost of copying, filling and updating whole rows in a body.
//!
//! Code that processes one value at a time handles a row by vectors. Lanes that have a row each process their rows element by
//! element. If the rows leave the body or come from outside, elements of adjacent lanes are a row apart, which takes a gather or
//! scatter per element.

use rustc_hash::FxHashSet;
use warpwise_ir::{Body, Expr, Function, Operand, SegKind, SegOp, Stm, Var, exprs};

use super::access::{Access, Variance};
use super::cost::{Guess, LANES};

/// Cost of starting and ending a row of vectors.
const START: f64 = 8.0;

/// Cost of storing an element of each lane's row if the rows are far apart. It takes about twice as long as a gather.
pub const SCATTER: f64 = 2.0 * LANES;

/// Maximum number of elements of rows that are loaded and stored by shuffles.
const SHUFFLED: f64 = 4.0;

/// Returns the number of elements of the row that a statement copies or fills; `None` for other statements and short rows.
pub fn filled(function: &Function, stm: &Stm, guess: Guess) -> Option<f64> {
    let shape = match &stm.expr {
        Expr::Copy(_)
        | Expr::Manifest { .. }
        | Expr::Concat { .. }
        | Expr::Replicate { .. }
        | Expr::Iota { .. } => function.ty(stm.pattern[0]).shape(),
        Expr::Update { value: Operand::Var(value), .. } => function.ty(*value).shape(),
        exprs!(
            Operand, scalar, Assert, view, Update, ArrayLit, Scratch, nested, Call, UpdateAcc, Tuned, Alloc
        ) => {
            return None;
        }
    };
    some(shape, guess)
}

/// Returns the number of elements of rows that an operation's body yields without making them: views, which are copied, and all
/// rows of a scatter.
pub fn moved(function: &Function, op: &SegOp, guess: Guess) -> f64 {
    let is_made = |result: &Var| {
        let made = op.body.stms.iter().find(|stm| stm.pattern.contains(result));
        made.is_some_and(|stm| !matches!(&stm.expr, exprs!(Operand, view)))
    };
    let is_moved = |result: &Var| matches!(op.kind, SegKind::Scatter { .. }) || !is_made(result);
    let rows = op.body.result.iter().filter_map(|result| result.as_var()).filter(is_moved);
    rows.filter_map(|row| some(function.ty(row).shape(), guess)).sum()
}

/// Returns the number of elements of a row, if it is not short.
fn some(shape: &[Operand], guess: Guess) -> Option<f64> {
    let elements: f64 = shape.iter().map(|&extent| guess.inner_trips(extent)).product();
    (!shape.is_empty() && elements > SHUFFLED).then_some(elements)
}

/// Returns the cost of copying or filling elements of a row by vectors.
pub fn by_vectors(elements: f64) -> f64 {
    if elements == 0.0 { 0.0 } else { START + 2.0 * elements / LANES }
}

/// Whether an update writes a single element.
pub fn is_scalar_update(function: &Function, stm: &Stm) -> bool {
    let Expr::Update { value, .. } = &stm.expr else { return false };
    value.as_var().is_none_or(|value| function.ty(value).rank() == 0)
}

/// Returns the cost for all lanes of one element of each lane's row.
pub fn in_lanes(function: &Function, access: &Access, stm: &Stm, leaving: &FxHashSet<Var>) -> f64 {
    let mut loads: f64 = 0.0;
    let mut load = |operand: Operand| {
        if let Some(var) = operand.as_var().filter(|&var| function.ty(var).rank() > 0) {
            let lies_apart = leaving.contains(&var) || access.layout(var).offset != Variance::Uniform;
            loads = loads.max(if lies_apart { LANES } else { 1.0 });
        }
    };
    match &stm.expr {
        Expr::Update { value, .. } => load(*value),
        expr @ exprs!(Operand, scalar, Assert, view, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => {
            expr.for_each_operand(load)
        }
    }
    let stores = if stm.pattern.iter().any(|var| leaving.contains(var)) { SCATTER } else { 1.0 };
    loads + stores
}

/// Returns the arrays made in a body, including its loops, that are results of the body or updated in place to become results.
pub fn leaving(function: &Function, body: &Body) -> FxHashSet<Var> {
    let mut leaving = FxHashSet::default();
    let mut made = FxHashSet::default();
    add_made(body, &mut made);
    follow(body, &body.result, &mut leaving);
    leaving.retain(|var| made.contains(var) && function.ty(*var).rank() > 0);
    leaving
}

/// Adds the variables that a body and its loops bind.
fn add_made(body: &Body, made: &mut FxHashSet<Var>) {
    for stm in &body.stms {
        made.extend(&stm.pattern);
        if let Expr::Loop { params, body, .. } = &stm.expr {
            made.extend(params.iter().map(|param| param.var));
            add_made(body, made);
        }
    }
}

/// Adds these results of a body, and the arrays that they are views or updates of.
fn follow(body: &Body, results: &[Operand], leaving: &mut FxHashSet<Var>) {
    leaving.extend(results.iter().filter_map(|result| result.as_var()));
    for stm in body.stms.iter().rev() {
        if !stm.pattern.iter().any(|var| leaving.contains(var)) {
            continue;
        }
        match &stm.expr {
            Expr::Update { array, .. }
            | Expr::Index { array, .. }
            | Expr::Slice { array, .. }
            | Expr::Rearrange { array, .. }
            | Expr::Reshape { array, .. } => drop(leaving.insert(*array)),
            Expr::Operand(of) => leaving.extend(of.as_var()),
            Expr::Loop { params, body, .. } => {
                let mut results = Vec::new();
                for ((var, param), &result) in stm.pattern.iter().zip(params).zip(&body.result) {
                    if leaving.contains(var) {
                        leaving.insert(param.var);
                        leaving.extend(param.init.as_var());
                        results.push(result);
                    }
                }
                follow(body, &results, leaving);
            }
            exprs!(scalar, Assert, fresh, If, Call, soac, UpdateAcc, Seg, Tuned, Alloc) => {}
        }
    }
}
