//! Replaces maps with results of computed sizes by regular operations. Afterwards no `flatmap` is left.
//!
//! ```text
//! total, offsets, flat: [total]f32, more: [n]t = flatmap n (xs) rows (f32) (x) { k, ys: [k]f32, y }
//! ==>
//! sizes: [n]i64, more: [n]t = screma n (xs) map (x) { k, y };
//! total, offsets = screma n (sizes) map (k) { k, k } exscan (+) [0] reduce (+) [0];
//! room: [total]f32 = scratch [total]f32;
//! flat = scatter n (xs, offsets, sizes) into (room segments) (x, start, k) { ys': [k']f32 = ...; start, ys' };
//! ```
//!
//! The function runs twice: once for the sizes, for which simplification removes the rest of the code, and once for the elements,
//! which are written directly to their places. A function with parallelism inside is run in order, one element at a time, so that
//! its inner parallelism stays:
//!
//! ```text
//! flat = loop (out = room) for i < n { x = xs[i]; ys': [k']f32 = ...; out with [offsets[i] : offsets[i] + sizes[i]] = ys' };
//! ```
//!
//! But if there are many elements and few results of each, the operations in order would cost far more than the results. So there are
//! two versions, and the number of results decides. Functions with calls and flatmaps inside elements always run in order.
//! [`regularise_in_order`] makes no versions: for devices, where `flatten` has lifted what is parallel, and for code that other code is
//! compared with.
//!
//! Not done here: both kinds of parallelism at once, which needs segment descriptors (`flatten`).

use warpwise_diag::{Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, FlatMap, Function, Lambda, LoopForm, LoopParam, Message, MessagePart, Operand,
    Program, Scatter, ScatterDest, Screma, SliceDim, Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::pass::rewrite_bodies;

/// Minimum number of elements that occupy a processor without the parallelism inside of them.
const MANY: i64 = 64;

/// Logarithm of the mean number of results from which on an element is worth operations of its own.
const LONG_BITS: i64 = 12;

/// How the elements of a flatmap are computed.
#[derive(Clone, Copy)]
enum How {
    AtOnce,
    InOrder,
    /// At once if there are many short ones, otherwise in order.
    BySizes,
}

/// Replaces every `flatmap` of every function.
pub fn regularise(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| regularise_body(function, body, true, How::BySizes));
    Ok(())
}

/// Replaces every `flatmap` of every function; those with parallelism inside of their elements run in order.
pub fn regularise_in_order(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| regularise_body(function, body, true, How::InOrder));
    Ok(())
}

/// Replaces the flatmaps of a body. `nested` says how flatmaps with inner parallelism are computed.
fn regularise_body(function: &mut Function, body: &mut Body, host: bool, nested: How) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        let host_inside = host && matches!(stm.expr, Expr::If { .. } | Expr::Loop { .. });
        stm.expr.for_each_body_mut(|body| regularise_body(function, body, host_inside, nested));
        match stm.expr {
            Expr::FlatMap(flat_map) => {
                let inner = &flat_map.lambda.body;
                let order = match host {
                    true if is_sequential(inner) => How::AtOnce,
                    true if runs_in_kernels(inner) => nested,
                    true | false => How::InOrder,
                };
                let mut new = flat_map_stms(function, &stm.pattern, *flat_map, order, stm.span);
                new.iter_mut().for_each(|new| new.certs.extend(&stm.certs));
                stms.append(&mut new);
            }
            expr @ exprs!(simple, If, Loop, Screma, Partition, Scatter, Hist, Stream, WithAcc, Seg) => {
                stms.push(Stm { expr, ..stm });
            }
        }
    }
    body.stms = stms;
}

/// Whether a body contains no parallel operation and no call.
fn is_sequential(body: &Body) -> bool {
    all(body, &|expr| !matches!(expr, exprs!(soac, Call)))
}

/// Whether a body can be computed inside of a parallel operation.
fn runs_in_kernels(body: &Body) -> bool {
    all(body, &|expr| !matches!(expr, exprs!(WithAcc, FlatMap, Call)))
}

/// Whether a property holds for all expressions in a body.
fn all(body: &Body, holds: &dyn Fn(&Expr) -> bool) -> bool {
    body.stms.iter().all(|stm| {
        let mut inside = holds(&stm.expr);
        stm.expr.for_each_body(|body| inside = inside && all(body, holds));
        inside
    })
}

/// Returns the statements that replace a flatmap.
fn flat_map_stms(
    function: &mut Function,
    pattern: &[Var],
    flat_map: FlatMap,
    order: How,
    span: Span,
) -> Vec<Stm> {
    let FlatMap { width, inputs, results, lambda } = flat_map;
    let [total, offsets, arrays @ ..] = pattern else { return Vec::new() };
    let (arrays, further) = arrays.split_at(results.len());
    let mut stms = Vec::new();

    let mut first = Copier::within(function, Substitution::new()).copy_lambda(&lambda);
    first.body.result.drain(1..=results.len());
    let sizes = function.fresh("sizes", Type::I64.array_of(&[width]));
    let bound = [sizes].into_iter().chain(further.iter().copied()).collect();
    stms.push(plain(bound, map(width, inputs.clone(), first), span));
    let mut b = Builder::new(function);
    b.set_span(span);
    let (sum, starts) = b.offsets(width, sizes);
    b.bind_to(vec![*total], Expr::Operand(sum));
    b.bind_to(vec![*offsets], Expr::Operand(starts.into()));
    stms.extend(b.take_stms());
    if arrays.is_empty() {
        return stms;
    }

    let inputs: Vec<Var> = inputs.into_iter().chain([*offsets, sizes]).collect();
    let filling = Filling { width, inputs, lambda, arrays, span };
    match order {
        How::AtOnce => stms.extend(filling.stms(function, arrays.to_vec(), true)),
        How::InOrder => stms.extend(filling.stms(function, arrays.to_vec(), false)),
        How::BySizes => stms.extend(filling.versions(function, sum)),
    }
    stms
}

/// The elements of a flatmap's arrays, to be written to known places.
struct Filling<'a> {
    width: Operand,
    /// Inputs of the function, and then the start and the size of each segment.
    inputs: Vec<Var>,
    lambda: Lambda,
    arrays: &'a [Var],
    span: Span,
}

impl Filling<'_> {
    /// Returns a choice between both orders, for a flatmap whose arrays have `total` elements.
    fn versions(&self, function: &mut Function, total: Operand) -> Vec<Stm> {
        let mut b = Builder::new(function);
        b.set_span(self.span);
        let mean = b.binary("mean", BinaryOp::AShr, total, Operand::i64(LONG_BITS));
        let short = b.compare("short", CompareOp::SLt, mean, self.width);
        let many = b.compare("many", CompareOp::SLe, Operand::i64(MANY), self.width);
        let cond = b.binary("at_once", BinaryOp::And, short, many);
        let mut stms = b.take_stms();
        let mut side = |at_once: bool| {
            let made: Vec<Var> = self.arrays.iter().map(|&array| function.fresh_like(array)).collect();
            let result = made.iter().map(|&array| array.into()).collect();
            Body { stms: self.stms(function, made, at_once), result }
        };
        let (then_body, else_body) = (side(true), side(false));
        let choice = Expr::If { cond, then_body, else_body, branch: Branch::Plain };
        stms.push(plain(self.arrays.to_vec(), choice, self.span));
        stms
    }

    /// Returns the statements that bind the arrays to `made`.
    fn stms(&self, function: &mut Function, made: Vec<Var>, at_once: bool) -> Vec<Stm> {
        let Filling { width, span, .. } = *self;
        let Lambda { params, body } = Copier::within(function, Substitution::new()).copy_lambda(&self.lambda);
        let element =
            Element { size: function.fresh("size", Type::I64), start: function.fresh("start", Type::I64) };
        let (body, rows) = element.rows(function, body, &made, span);
        let (mut stms, mut rooms) = (Vec::new(), Vec::new());
        for &array in &made {
            let ty = function.ty(array).as_array().expect("flatmap yields arrays").clone();
            let room = function.fresh_like(array);
            stms.push(plain(vec![room], Expr::Scratch { elem: ty.elem, shape: ty.shape }, span));
            rooms.push(room);
        }
        let params: Vec<Var> = params.into_iter().chain([element.start, element.size]).collect();
        let filled = if at_once {
            let result = rows.iter().flat_map(|&rows| [element.start.into(), rows.into()]).collect();
            let lambda = Lambda { params, body: Body { result, ..body } };
            let dests = rooms.into_iter().map(ScatterDest::segments).collect();
            Expr::Scatter(Box::new(Scatter { width, inputs: self.inputs.clone(), lambda, dests }))
        } else {
            let parts = Parts { element, rows, rooms };
            in_order(function, width, &self.inputs, Lambda { params, body }, &parts, span)
        };
        stms.push(plain(made, filled, span));
        stms
    }
}

/// The segment of one element.
struct Element {
    size: Var,
    start: Var,
}

impl Element {
    /// Returns the function's body with a check that it yields arrays of the known size, and these arrays.
    fn rows(&self, function: &mut Function, found: Body, arrays: &[Var], span: Span) -> (Body, Vec<Var>) {
        let Body { mut stms, result } = found;
        let mut values = result.into_iter();
        let found = values.next().unwrap_or(Operand::i64(0));
        let mut bind = |function: &mut Function, name: &str, ty: Type, expr: Expr| {
            let var = function.fresh(name, ty);
            stms.push(plain(vec![var], expr, span));
            var
        };
        // Both runs compute the same sizes. The check guards against writing out of bounds if they ever differ.
        let same = Expr::Compare(CompareOp::Eq, found, self.size.into());
        let same = bind(function, "same", Type::BOOL, same);
        let text = "The function of a flatmap yields arrays of two sizes for one element".to_string();
        let message = Message { parts: vec![MessagePart::Text(text)], calls: Vec::new() };
        let cert = bind(function, "c", Type::Cert, Expr::Assert { cond: same.into(), message });
        let mut rows = Vec::new();
        for (&array, value) in arrays.iter().zip(values) {
            let Operand::Var(found) = value else { continue };
            let ty = function.ty(array).row(1).array_of(&[self.size.into()]);
            let row = function.fresh("rows", ty.clone());
            let reshape = Expr::Reshape { array: found, shape: ty.shape().into() };
            stms.push(Stm { certs: vec![cert], ..plain(vec![row], reshape, span) });
            rows.push(row);
        }
        (Body { stms, result: Vec::new() }, rows)
    }
}

/// The segments that elements yield, and the arrays that they are written to.
struct Parts {
    element: Element,
    rows: Vec<Var>,
    rooms: Vec<Var>,
}

/// Returns a loop over the elements that overwrites the segment of each.
fn in_order(
    function: &mut Function,
    width: Operand,
    inputs: &[Var],
    found: Lambda,
    parts: &Parts,
    span: Span,
) -> Expr {
    let i = function.fresh("i", Type::I64);
    let mut body = Body::default();
    for (&array, &element) in inputs.iter().zip(&found.params) {
        let index = Expr::Index { array, indices: vec![i.into()] };
        body.stms.push(plain(vec![element], index, Span::NONE));
    }
    body.stms.extend(found.body.stms);
    let mut params = Vec::new();
    for (&room, &rows) in parts.rooms.iter().zip(&parts.rows) {
        let out = function.fresh_like(room);
        params.push(LoopParam { var: out, init: room.into(), consumed: true });
        let dims = [range(parts.element.start.into(), parts.element.size.into())].into_iter();
        let whole = |&len: &Operand| range(Operand::i64(0), len);
        let dims = dims.chain(function.ty(room).shape().iter().skip(1).map(whole)).collect();
        let updated = function.fresh_like(room);
        body.stms.push(plain(vec![updated], Expr::Update { array: out, dims, value: rows.into() }, span));
        body.result.push(updated.into());
    }
    Expr::Loop { params, form: LoopForm::For { index: i, bound: width }, body }
}

fn map(width: Operand, inputs: Vec<Var>, map: Lambda) -> Expr {
    Expr::Screma(Box::new(Screma { width, inputs, map, scans: vec![], reduces: vec![], post: None }))
}

fn range(start: Operand, len: Operand) -> SliceDim {
    SliceDim::Range { start, len, stride: Operand::i64(1) }
}

/// Returns a statement without certificates.
fn plain(pattern: Vec<Var>, expr: Expr, span: Span) -> Stm {
    Stm { pattern, expr, certs: Vec::new(), span }
}
