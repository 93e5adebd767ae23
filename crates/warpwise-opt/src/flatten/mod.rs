//! Flattens irregular nests: parallelism inside a map whose extent varies between elements becomes operations over all inner
//! elements at once (papers/004, chapter 4).
//!
//! ```text
//! ss: [n]i64 = screma n (ks) map (k: i64) {
//!   is: [k]i64 = iota k 0 1;
//!   s: i64 = screma k (is) map (i) { i * i } reduce (+) [0];
//!   return s };
//! ==>
//! total, starts = screma n (ks) map (k) { k, k } exscan (+) [0] reduce (+) [0];     // the segment descriptor
//! owners, heads: [total] = ...;                                                     // (levels)
//! xs: [total]i64 = screma total (0..total) map (q) { i = q - starts[owners[q]]; i * i };
//! sums = screma total (heads, xs) scan (+, begun anew at each head);                // (folds)
//! ss   = screma n (starts, ks) map (start, k) { if 0 < k then sums[start + k - 1] else 0 };
//! ```
//!
//! Every value of a nest is *avoided* (one value for all elements), *regular* (an array with one more dimension) or *irregular*
//! (concatenated segments with the start of each), separately for each component. A nest is left alone if it has no irregular
//! parallelism, no flatmaps, no calls, and no loops on arrays around parallel work. Within a flattened nest, statements that are
//! not irregular stay together as maps with their inner dimensions ([`lifter`], [`body`]). Loops on irregular arrays without
//! parallelism inside run in order, each element in its segment of the whole array ([`in_order`]).
//!
//! Before: all calls except recursive ones are inlined, accumulators are gone. After: nests that could not be lifted are
//! unchanged and run sequentially within an element. A nest that can run so has both versions, chosen by the number of outer
//! elements or by the size of the operations that its loops repeat ([`blocks`]). Not done here: operators on arrays, or on
//! segments with different operators; work-groups for segments. If several elements fail, the reported one may differ from the
//! one without this pass.

mod arrays;
mod blocks;
mod body;
mod calls;
mod chunk;
mod control;
mod filters;
mod folds;
mod in_order;
mod levels;
mod lifter;
mod rows;
mod soacs;

use rustc_hash::FxHashSet;
use warpwise_diag::{Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution, free_in_lambda};
use warpwise_ir::{Body, Branch, Expr, Function, Lambda, Operand, Program, Stm, Var, exprs};

use warpwise_prim::{BinaryOp, CompareOp};

use body::{Result as Known, holds_irregular, repeats_in_parallel};
use calls::Functions;
pub use calls::{Folds, TakenAs};
pub use chunk::{Chunk, GivenAs, Varies, chunk};
use lifter::{Form, Lifted, Lifter, Unlifted};

/// Flattens the irregular nests of every function.
pub fn flatten(program: &mut Program) -> Result<(), Limit> {
    flatten_noting(program);
    Ok(())
}

/// A note on the representation of a value of an irregular nest, or on the reason why a nest is unchanged.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Source position of the statement, if known.
    pub span: Span,
    /// Human-readable text.
    pub text: String,
}

/// Does the same as [`flatten`], and returns notes on the chosen representations.
pub fn flatten_noting(program: &mut Program) -> Vec<Note> {
    let mut pass = Flatten { functions: Functions::of(program), nests: 0, notes: Vec::new() };
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        pass.host_body(function, &mut body);
        function.body = body;
    }
    pass.notes.append(&mut pass.functions.notes);
    pass.functions.add_to(program);
    pass.notes
}

/// Minimum number of elements that keep a device busy if each element runs in order, so that no inner values need be stored. Set
/// by `--param flatten.FUNCTION.NUMBER=...`.
const ENOUGH_ELEMENTS: i64 = 1 << 17;

/// Maximum number of points of operations in a loop that updates arrays, for the loop to stay within an element of the nest, instead of
/// launching the operations for all elements in each iteration. Set by `--param blocks.FUNCTION.NUMBER=...`.
const BLOCK: i64 = 1 << 9;

struct Flatten {
    functions: Functions,
    /// Number of nests that have two versions.
    nests: usize,
    notes: Vec<Note>,
}

impl Flatten {
    fn host_body(&mut self, function: &mut Function, body: &mut Body) {
        let mut stms = Vec::with_capacity(body.stms.len());
        for mut stm in std::mem::take(&mut body.stms) {
            if let Expr::If { .. } | Expr::Loop { .. } = stm.expr {
                stm.expr.for_each_body_mut(|body| self.host_body(function, body));
                stms.push(stm);
            } else if loses_parallelism(function, &stm.expr) {
                let lifted = self.functions.count();
                match self.versions(function, &stm) {
                    Ok(mut versions) => {
                        versions.iter_mut().for_each(|new| new.certs.extend(&stm.certs));
                        stms.append(&mut versions);
                    }
                    Err(Unlifted { what, span }) => {
                        self.notes.push(Note { span, text: format!("not flattened: {what}") });
                        self.functions.forget_from(lifted);
                        stms.push(stm);
                    }
                }
            } else {
                stms.push(stm);
            }
        }
        body.stms = stms;
    }

    /// Returns the flat form of an irregular nest. If the nest can also run in order within each element, returns a choice
    /// between the two forms, by the number of elements and the size of the operations that loops repeat.
    fn versions(&mut self, function: &mut Function, stm: &Stm) -> Lifted<Vec<Stm>> {
        if !runs_in_order(&stm.expr) {
            return self.nest(function, stm);
        }
        let Some((width, _, lambda)) = first_map(&stm.expr) else { return self.nest(function, stm) };
        let [name, block_name] =
            ["flatten", "blocks"].map(|kind| format!("{kind}.{}.{}", function.name, self.nests));
        let blocks = blocks::repeated(function, lambda);
        let renamed = |function: &mut Function| {
            let mut copier = Copier::within(function, Substitution::new());
            let pattern: Vec<Var> = stm.pattern.iter().map(|&var| copier.copy_binding(var)).collect();
            let expr = copier.copy_expr(&stm.expr);
            Stm { pattern, expr, certs: Vec::new(), span: stm.span }
        };
        let (in_order, flat) = (renamed(function), renamed(function));
        let result = |stm: &Stm| stm.pattern.iter().map(|&var| var.into()).collect();
        let else_body = Body { result: result(&flat), stms: self.nest(function, &flat)? };
        let then_body = Body { result: result(&in_order), stms: vec![in_order] };
        self.nests += 1;
        let mut b = Builder::new(function);
        b.set_span(stm.span);
        let least = b.bind_one("least", Expr::Tuned { name, default: ENOUGH_ELEMENTS });
        let mut enough = b.compare("enough", CompareOp::SLe, least, width);
        if let Some(blocks) = blocks {
            let most = b.bind_one("most", Expr::Tuned { name: block_name, default: BLOCK });
            let small = blocks.is_small(&mut b, most.into());
            enough = b.binary("in_order", BinaryOp::Or, enough, small);
        }
        b.bind_to(
            stm.pattern.clone(),
            Expr::If { cond: enough, then_body, else_body, branch: Branch::Plain },
        );
        Ok(b.take_stms())
    }

    /// Returns the flat form of an irregular nest.
    fn nest(&mut self, function: &mut Function, stm: &Stm) -> Lifted<Vec<Stm>> {
        let Some((width, inputs, lambda)) = first_map(&stm.expr) else {
            return Err(Unlifted { what: "no map".to_string(), span: stm.span });
        };
        let mut lifter = Lifter::new(function, &mut self.functions, width);
        lifter.span = stm.span;
        for (&input, &param) in inputs.iter().zip(&lambda.params) {
            lifter.set(param, Form::Regular(input));
        }
        let results = lifter.body(&lambda.body)?;
        if lifter.has_checks() {
            return lifter.unlifted("a check without a kept value");
        }
        if let Expr::FlatMap(_) = &stm.expr {
            lifter.joined(stm, &results)?;
        } else {
            lifter.rest(stm, &stm.expr, &results)?;
        }
        self.notes.extend(lifter.notes());
        Ok(lifter.out)
    }
}

/// Returns the width, inputs and lambda of a SOAC that starts with a map over elements.
pub(crate) fn first_map(expr: &Expr) -> Option<(Operand, &[Var], &Lambda)> {
    match expr {
        Expr::Screma(soac) => Some((soac.width, &soac.inputs, &soac.map)),
        Expr::Partition(soac) => Some((soac.width, &soac.inputs, &soac.lambda)),
        Expr::Scatter(soac) => Some((soac.width, &soac.inputs, &soac.lambda)),
        Expr::Hist(soac) => Some((soac.width, &soac.inputs, &soac.lambda)),
        Expr::FlatMap(soac) => Some((soac.width, &soac.inputs, &soac.lambda)),
        exprs!(simple, If, Loop, Stream, WithAcc, Seg) => None,
    }
}

/// Whether a nest can run in a kernel unchanged: without calls, and without flatmaps, whose offsets the host computes.
fn runs_in_order(expr: &Expr) -> bool {
    let mut can = !matches!(expr, Expr::Call { .. } | Expr::FlatMap(_));
    expr.for_each_body(|body| can = can && body.stms.iter().all(|stm| runs_in_order(&stm.expr)));
    can
}

/// Whether parallelism would be lost that varies between elements, or that loops on arrays repeat.
fn loses_parallelism(function: &Function, expr: &Expr) -> bool {
    if let Expr::FlatMap(_) = expr {
        return true;
    }
    let Some((_, _, lambda)) = first_map(expr) else { return false };
    let free = free_in_lambda(function, lambda);
    let avoided = |x: Operand| x.as_var().is_none_or(|var| free.contains(var));
    let lost = |expr: &Expr| holds_irregular(expr, &avoided) || repeats_in_parallel(function, expr, &avoided);
    lambda.body.stms.iter().any(|stm| lost(&stm.expr))
}

impl Lifter<'_> {
    /// Emits the part of a host SOAC that follows its map.
    fn rest(&mut self, stm: &Stm, expr: &Expr, results: &[Known]) -> Lifted<()> {
        let arrays = results.iter().map(|&result| self.scalars(result)).collect::<Lifted<Vec<Var>>>()?;
        if let Expr::Screma(soac) = expr
            && soac.is_map()
        {
            let mut taken = FxHashSet::default();
            for (&var, &array) in stm.pattern.iter().zip(&arrays) {
                let own = self.own(array, &mut taken);
                self.host(|b| b.bind_to(vec![var], Expr::Operand(own.into())));
            }
            return Ok(());
        }
        let mut expr = expr.clone();
        let types: Vec<_> = arrays.iter().map(|&array| self.function.ty(array).row(1)).collect();
        self.host(|b| {
            let identity = b.identity(&types);
            let (inputs, lambda) = match &mut expr {
                Expr::Screma(soac) => (&mut soac.inputs, &mut soac.map),
                Expr::Partition(soac) => (&mut soac.inputs, &mut soac.lambda),
                Expr::Scatter(soac) => (&mut soac.inputs, &mut soac.lambda),
                Expr::Hist(soac) => (&mut soac.inputs, &mut soac.lambda),
                exprs!(simple, If, Loop, Stream, WithAcc, FlatMap, Seg) => return,
            };
            *inputs = arrays;
            *lambda = identity;
            b.bind_to(stm.pattern.clone(), expr);
        });
        Ok(())
    }

    /// Emits the concatenated results of a host flatmap.
    fn joined(&mut self, stm: &Stm, results: &[Known]) -> Lifted<()> {
        let Expr::FlatMap(soac) = &stm.expr else { return self.unlifted("no flatmap") };
        let [total, offsets, arrays @ ..] = stm.pattern.as_slice() else {
            return self.unlifted("a flatmap without results");
        };
        let width = self.width();
        let sizes = self.scalars(results[0])?;
        let (sum, before) = self.host(|b| b.offsets(width, sizes));
        self.host(|b| {
            b.bind_to(vec![*total], Expr::Operand(sum));
            b.bind_to(vec![*offsets], Expr::Operand(before.into()));
        });
        let mut taken = FxHashSet::default();
        let (lists, further) = results[1..].split_at(soac.results.len());
        for (&array, &list) in arrays.iter().zip(lists) {
            let data = match list {
                Known::Irregular(segments) => segments.data,
                Known::Regular(all) => all,
            };
            let data = self.own(data, &mut taken);
            let shape = self.function.ty(array).shape().into();
            self.host(|b| b.bind_to(vec![array], Expr::Reshape { array: data, shape }));
        }
        for (&array, &result) in arrays[lists.len()..].iter().zip(further) {
            let kept = self.scalars(result)?;
            let kept = self.own(kept, &mut taken);
            self.host(|b| b.bind_to(vec![array], Expr::Operand(kept.into())));
        }
        Ok(())
    }
}
