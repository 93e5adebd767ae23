//! Replaces maps whose results have sizes of their own by regular operations: afterwards no `flatmap` is left.
//!
//! ```text
//! total, offsets, flat: [total]f32, more: [n]t = flatmap n (xs) rows (f32) (x) { k, ys: [k]f32, y }
//! ==>
//! sizes: [n]i64, more: [n]t = screma n (xs) map (x) { k, y };
//! total, offsets = screma n (sizes) map (k) { k, k } exscan (+) [0] reduce (+) [0];
//! room: [total]f32 = scratch [total]f32;
//! flat = loop (out = room) for i < n { x = xs[i]; ys': [k']f32 = ...; out with [offsets[i] : offsets[i] + sizes[i]] = ys' };
//! ```
//!
//! So the function runs twice: once for its sizes, of which simplification leaves what they need, and once for its
//! elements, in order. What it does inside stays parallel.
//!
//! Not done here: filling in parallel, which needs a descriptor of segments (`flatten`).

use warpwise_diag::{Limit, Span};
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Expr, FlatMap, Function, Lambda, LoopForm, LoopParam, Message, MessagePart, Operand, Program,
    Reduce, Scan, Screma, SliceDim, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp};

use crate::pass::rewrite_bodies;

/// Replaces every `flatmap` of every function.
pub fn regularise(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, regularise_body);
    Ok(())
}

fn regularise_body(function: &mut Function, body: &mut Body) {
    let mut stms = Vec::with_capacity(body.stms.len());
    for mut stm in std::mem::take(&mut body.stms) {
        stm.expr.for_each_body_mut(|body| regularise_body(function, body));
        match stm.expr {
            Expr::FlatMap(flat_map) => {
                let mut new = flat_map_stms(function, &stm.pattern, *flat_map, stm.span);
                new.iter_mut().for_each(|new| new.certs.extend(&stm.certs));
                stms.append(&mut new);
            }
            expr => stms.push(Stm { expr, ..stm }),
        }
    }
    body.stms = stms;
}

fn flat_map_stms(function: &mut Function, pattern: &[Var], flat_map: FlatMap, span: Span) -> Vec<Stm> {
    let FlatMap { width, inputs, results, lambda } = flat_map;
    let [total, offsets, arrays @ ..] = pattern else { return Vec::new() };
    let (arrays, further) = arrays.split_at(results.len());
    let mut stms = Vec::new();

    let mut first = Copier::within(function, Substitution::new()).copy_lambda(&lambda);
    first.body.result.drain(1..=results.len());
    let sizes = function.fresh("sizes", Type::I64.array_of(&[width]));
    let bound = [sizes].into_iter().chain(further.iter().copied()).collect();
    stms.push(plain(bound, map(width, inputs.clone(), first), span));
    stms.push(plain(vec![*total, *offsets], running_sum(function, width, sizes), span));
    if arrays.is_empty() {
        return stms;
    }

    let i = function.fresh("i", Type::I64);
    let mut body = Body::default();
    for (&array, &element) in inputs.iter().zip(&lambda.params) {
        let index = Expr::Index { array, indices: vec![i.into()] };
        body.stms.push(plain(vec![element], index, Span::NONE));
    }
    let mut values = lambda.body.result.into_iter();
    let found = values.next().unwrap_or(Operand::i64(0));
    body.stms.extend(lambda.body.stms);
    let bind = |function: &mut Function, body: &mut Body, name: &str, ty: Type, expr: Expr| {
        let var = function.fresh(name, ty);
        body.stms.push(plain(vec![var], expr, span));
        var
    };
    let at = |array: Var| Expr::Index { array, indices: vec![i.into()] };
    let start = bind(function, &mut body, "start", Type::I64, at(*offsets));
    let size = bind(function, &mut body, "size", Type::I64, at(sizes));
    // Both runs do the same; should they ever not, nothing is written where it does not belong.
    let same =
        bind(function, &mut body, "same", Type::BOOL, Expr::Compare(CompareOp::Eq, found, size.into()));
    let text = "The function of a flatmap yields arrays of two sizes for one element".to_string();
    let message = Message { parts: vec![MessagePart::Text(text)], calls: Vec::new() };
    let check = Expr::Assert { cond: same.into(), message };
    let cert = bind(function, &mut body, "c", Type::Cert, check);
    let mut params = Vec::new();
    for (&array, value) in arrays.iter().zip(values) {
        let ty = function.ty(array).as_array().expect("flatmap yields arrays").clone();
        let room = function.fresh_like(array);
        stms.push(plain(vec![room], Expr::Scratch { elem: ty.elem, shape: ty.shape.clone() }, span));
        let out = function.fresh_like(array);
        params.push(LoopParam { var: out, init: room.into(), consumed: true });
        let row = Type::Array(ty.clone()).row(1).array_of(&[size.into()]);
        let shape = row.shape().into();
        let Operand::Var(found) = value else { continue };
        let rows = bind(function, &mut body, "rows", row, Expr::Reshape { array: found, shape });
        body.stms.last_mut().expect("the reshape").certs.push(cert);
        let whole = |&len: &Operand| range(Operand::i64(0), len);
        let dims = [range(start.into(), size.into())].into_iter();
        let dims = dims.chain(ty.shape.iter().skip(1).map(whole)).collect();
        let updated = function.fresh_like(array);
        body.stms.push(plain(vec![updated], Expr::Update { array: out, dims, value: rows.into() }, span));
        body.result.push(updated.into());
    }
    let form = LoopForm::For { index: i, bound: width };
    stms.push(plain(arrays.to_vec(), Expr::Loop { params, form, body }, span));
    stms
}

/// The sum of sizes, and what precedes each.
fn running_sum(function: &mut Function, width: Operand, sizes: Var) -> Expr {
    let size = function.fresh("size", Type::I64);
    let result = vec![size.into(), size.into()];
    let map = Lambda { params: vec![size], body: Body { stms: vec![], result } };
    let neutral = vec![Operand::i64(0)];
    let scans = vec![Scan { op: sum(function), neutral: neutral.clone(), exclusive: true }];
    let reduces = vec![Reduce { op: sum(function), neutral, commutative: true }];
    Expr::Screma(Box::new(Screma { width, inputs: vec![sizes], map, scans, reduces, post: None }))
}

fn sum(function: &mut Function) -> Lambda {
    let (x, y) = (function.fresh("x", Type::I64), function.fresh("y", Type::I64));
    let z = function.fresh("z", Type::I64);
    let add = plain(vec![z], Expr::Binary(BinaryOp::Add, x.into(), y.into()), Span::NONE);
    Lambda { params: vec![x, y], body: Body { stms: vec![add], result: vec![z.into()] } }
}

fn map(width: Operand, inputs: Vec<Var>, map: Lambda) -> Expr {
    Expr::Screma(Box::new(Screma { width, inputs, map, scans: vec![], reduces: vec![], post: None }))
}

fn range(start: Operand, len: Operand) -> SliceDim {
    SliceDim::Range { start, len, stride: Operand::i64(1) }
}

/// A statement that relies on nothing.
fn plain(pattern: Vec<Var>, expr: Expr, span: Span) -> Stm {
    Stm { pattern, expr, certs: Vec::new(), span }
}
