//! Computes reductions and histograms of rows by blocks of elements (papers/001, Figure 4c).
//!
//! ```text
//! s: [m]f32 = screma n (xs) map (x: f32) { ...; return row } reduce (a, b) { map2 fadd a b } [zeros];
//! ==>
//! few: bool = slt n 16;
//! s: [m]f32 = if few { loop over the elements in host code, where the work of each is in parallel }
//! else {
//!   partials: [blocks][m]f32 = screma blocks (numbers) map (block: i64) {
//!     first = mul block size; left = sub n first; length = smin size left;
//!     part = slice xs[first:length:1];
//!     t: [m]f32 = screma length (part) map {...} reduce {...} [zeros];
//!     return t };
//!   t: [m]f32 = screma blocks (partials) reduce {...} [zeros];
//!   return t };
//! ```
//!
//! Histograms of rows are treated likewise: each block has its own table, and the tables are combined bin by bin. For devices
//! they become histograms of elements if possible; otherwise there are many blocks, one per work-item.
//!
//! Within a block elements are processed in order, so that a row is combined while it is in the cache, and never stored. The
//! number of blocks follows from the sizes alone, so results do not depend on the number of threads. Not done here: reductions
//! with additional array results, and those whose elements run better in lanes side by side
//! ([`crate::schedule::wants_outer_lanes`]).

use warpwise_diag::{Limit, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Branch, Expr, Function, Hist, HistOp, LoopParam, Operand, Reduce, Screma, SliceDim, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::rows::{self, Repeated};
use super::{Host, Machine, inlined, plain, segment_stm, sequential};

/// Number of elements below which elements are processed one after the other, each in parallel inside.
const FEW: i64 = 16;

/// Maximum number of blocks of a reduction on CPUs.
const MOST_BLOCKS: i64 = 128;

/// Maximum number of blocks of a reduction on devices.
const MOST_BLOCKS_OF_DEVICES: i64 = 1 << 14;

/// Minimum number of elements of a block of a reduction. One is enough, because each element has a row and work inside.
const LEAST_REDUCED: i64 = 1;

/// Maximum number of blocks of a histogram.
const MOST_TABLES: i64 = 64;

/// Minimum number of elements of a block of a histogram.
const LEAST_COUNTED: i64 = 1 << 10;

/// Minimum number of elements per bin and block for a separate table to pay off.
const ELEMENTS_PER_BIN: i64 = 8;

/// Maximum extent that is too short to be worth a launch.
const SHORT: i64 = 16;

/// A division of elements into blocks.
pub struct Cut {
    /// Number of elements.
    pub width: Operand,
    /// Number of blocks.
    pub blocks: Operand,
    /// Number of elements of a block. The last one may have fewer.
    pub size: Operand,
}

/// Returns a reduction of computed rows by blocks; `None` if map and reduction are better separate.
pub fn reduce(
    function: &mut Function,
    machine: Machine,
    (pattern, soac): (&[Var], &Screma),
    span: Span,
) -> Result<Option<Vec<Stm>>, Limit> {
    let plain_fold = soac.scans.is_empty() && soac.post.is_none() && pattern.len() == soac.n_reduced();
    if !plain_fold || soac.map.body.stms.is_empty() || outer_lanes(function, soac, span)? {
        return Ok(None);
    }
    let width = soac.width.as_const().and_then(Scalar::as_int);
    let parallel = is_parallel(&soac.map.body);
    if parallel && width.is_some_and(|n| n < FEW) {
        return Ok(Some(one_by_one(function, pattern, soac, span)));
    }
    if !parallel || width.is_some() {
        return Ok(Some(by_blocks(function, pattern, soac, (machine, span))));
    }
    let mut version = |one: bool| {
        let results: Vec<Var> = pattern.iter().map(|&var| function.fresh_like(var)).collect();
        let stms = match one {
            true => one_by_one(function, &results, soac, span),
            false => by_blocks(function, &results, soac, (machine, span)),
        };
        Body { stms, result: results.into_iter().map(Operand::Var).collect() }
    };
    let (then_body, else_body) = (version(true), version(false));
    let few = function.fresh("few", Type::BOOL);
    let is_few = plain(vec![few], Expr::Compare(CompareOp::SLt, soac.width, Operand::i64(FEW)), span);
    let choice = Expr::If { cond: few.into(), then_body, else_body, branch: Branch::Plain };
    Ok(Some(vec![is_few, plain(pattern.to_vec(), choice, span)]))
}

/// Returns a histogram of rows, by blocks if a table for each pays off.
pub fn hist(
    function: &mut Function,
    Host { machine, repeated, .. }: Host<'_>,
    pattern: &[Var],
    mut soac: Hist,
    span: Span,
) -> Vec<Stm> {
    let mut stms = split_indices(function, &mut soac, span);
    if machine == Machine::Device
        && let Some(stm) = rows::by_elements(function, repeated, pattern, &soac, span)
    {
        stms.push(stm);
        return stms;
    }
    if soac.ops.iter().any(|op| op.op.body.can_fail()) {
        // Tables start with neutral elements, on which the operator may fail even if it fails on no element.
        stms.push(as_a_whole(function, repeated, pattern.to_vec(), soac, span));
        return stms;
    }
    let mut b = Builder::new(function);
    b.set_span(span);
    let mut most = Operand::i64(1);
    for op in &soac.ops {
        let extents = b.function.ty(op.dests[0]).shape()[..op.rank].to_vec();
        let bins = extents.into_iter().fold(Operand::i64(1), |x, y| b.binary("bins", BinaryOp::Mul, x, y));
        most = b.binary("bins", BinaryOp::SMax, most, bins);
    }
    let worth = b.binary("worth", BinaryOp::Mul, most, Operand::i64(ELEMENTS_PER_BIN));
    let worth = b.binary("worth", BinaryOp::SMax, worth, Operand::i64(LEAST_COUNTED));
    let blocks = b.binary("blocks", BinaryOp::SQuot, soac.width, worth);
    let blocks = b.binary("blocks", BinaryOp::SMin, blocks, Operand::i64(MOST_TABLES));
    let several = b.compare("several", CompareOp::SLt, Operand::i64(1), blocks);
    let tables = b.body(|b| {
        let size = divided_up(b, soac.width, blocks);
        let cut = Cut { width: soac.width, blocks, size };
        tables(b, repeated, &cut, &soac)
    });
    stms.extend(b.take_stms());
    let results: Vec<Var> = pattern.iter().map(|&var| function.fresh_like(var)).collect();
    let result = results.iter().map(|&var| var.into()).collect();
    let else_body = Body { stms: vec![as_a_whole(function, repeated, results, soac, span)], result };
    let choice = Expr::If { cond: several, then_body: tables, else_body, branch: Branch::Plain };
    stms.push(plain(pattern.to_vec(), choice, span));
    stms
}

/// Returns a histogram of rows without block tables.
fn as_a_whole(
    function: &mut Function,
    repeated: &Repeated,
    pattern: Vec<Var>,
    soac: Hist,
    span: Span,
) -> Stm {
    match rows::by_elements(function, repeated, &pattern, &soac, span) {
        Some(stm) => stm,
        None => sequential::hist_loop(function, pattern, soac, span),
    }
}

/// Whether the elements of a reduction run better in lanes side by side.
fn outer_lanes(function: &mut Function, soac: &Screma, span: Span) -> Result<bool, Limit> {
    let map = Screma { reduces: vec![], ..soac.clone() };
    let expr = Copier::within(function, Substitution::new()).copy_expr(&Expr::Screma(Box::new(map)));
    let mut types = Vec::new();
    for &result in &soac.map.body.result {
        types.push(function.operand_type(result).array_of(&[soac.width]));
    }
    let pattern = types.into_iter().map(|ty| function.fresh("mapped", ty)).collect();
    let stms = segment_stm(function, plain(pattern, expr, span))?;
    Ok(stms
        .iter()
        .any(|stm| matches!(&stm.expr, Expr::Seg(op) if crate::schedule::wants_outer_lanes(function, op))))
}

/// Whether host code can run a body: long parallel operations, and almost nothing else.
fn is_parallel(body: &Body) -> bool {
    let long = |width: Operand| width.as_const().and_then(Scalar::as_int).is_none_or(|n| n > SHORT);
    let mut some = false;
    let all = body.stms.iter().all(|stm| match &stm.expr {
        Expr::Screma(soac) => {
            some |= long(soac.width);
            true
        }
        Expr::Hist(soac) => {
            some |= long(soac.width);
            true
        }
        Expr::Scatter(soac) => {
            some |= long(soac.width);
            true
        }
        Expr::Partition(soac) => {
            some |= long(soac.width);
            true
        }
        Expr::If { .. } | Expr::Loop { .. } => {
            let mut inside = true;
            stm.expr.for_each_body(|body| inside &= body.stms.is_empty() || is_parallel(body));
            inside
        }
        Expr::Stream(_) | Expr::WithAcc(_) | Expr::UpdateAcc { .. } | Expr::FlatMap(_) => false,
        Expr::Seg(_) | Expr::Call { .. } => false,
        Expr::Operand(_)
        | Expr::Unary(..)
        | Expr::Binary(..)
        | Expr::Ternary(..)
        | Expr::Compare(..)
        | Expr::Convert(..)
        | Expr::Select(..)
        | Expr::Assert { .. }
        | Expr::Tuned { .. }
        | Expr::Index { .. }
        | Expr::Slice { .. }
        | Expr::Update { .. }
        | Expr::Iota { .. }
        | Expr::Replicate { .. }
        | Expr::ArrayLit(_)
        | Expr::Concat { .. }
        | Expr::Rearrange { .. }
        | Expr::Reshape { .. }
        | Expr::Copy(_)
        | Expr::Manifest { .. }
        | Expr::Scratch { .. }
        | Expr::Alloc { .. } => true,
    });
    all && some
}

/// Returns a loop over the elements in host code.
fn one_by_one(function: &mut Function, pattern: &[Var], soac: &Screma, span: Span) -> Vec<Stm> {
    let copy = Copier::within(function, Substitution::new()).copy_expr(&Expr::Screma(Box::new(soac.clone())));
    let Expr::Screma(soac) = copy else { unreachable!("a copy is alike") };
    let mut stms = Vec::new();
    sequential::screma_loop(function, pattern.to_vec(), *soac, span, &mut stms);
    stms
}

/// Returns partial results of a limited number of blocks, and their combination.
fn by_blocks(
    function: &mut Function,
    pattern: &[Var],
    soac: &Screma,
    (machine, span): (Machine, Span),
) -> Vec<Stm> {
    let mut b = Builder::new(function);
    b.set_span(span);
    let most = match machine {
        Machine::Cpu => MOST_BLOCKS,
        Machine::Device => MOST_BLOCKS_OF_DEVICES,
    };
    let least = divided_up(&mut b, soac.width, Operand::i64(most));
    let size = b.binary("size", BinaryOp::SMax, least, Operand::i64(LEAST_REDUCED));
    let blocks = divided_up(&mut b, soac.width, size);
    let cut = Cut { width: soac.width, blocks, size };
    let partials = each_block(&mut b, &cut, &soac.inputs, |b, width, inputs| {
        let part = Screma { width, inputs, ..soac.clone() };
        let part = Copier::within(b.function, Substitution::new()).copy_expr(&Expr::Screma(Box::new(part)));
        b.bind("partial", part)
    });
    let rows: Vec<Type> = partials.iter().map(|&var| row_type(b.function, var)).collect();
    let map = b.identity(&rows);
    let mut reduces = Vec::new();
    for reduce in &soac.reduces {
        let op = Copier::within(b.function, Substitution::new()).copy_lambda(&reduce.op);
        reduces.push(Reduce { op, ..reduce.clone() });
    }
    let whole = Screma { width: blocks, inputs: partials, map, scans: vec![], reduces, post: None };
    let by_columns = |function: &mut Function| {
        whole.reduces.iter().all(|reduce| rows::of_elements(function, &reduce.op).is_some())
    };
    if machine == Machine::Device || by_columns(b.function) {
        b.bind_to(pattern.to_vec(), Expr::Screma(Box::new(whole)));
        return b.take_stms();
    }
    for (&var, total) in pattern.iter().zip(inlined::combination(&mut b, &whole)) {
        b.bind_to(vec![var], Expr::Operand(total.into()));
    }
    b.take_stms()
}

fn row_type(function: &Function, array: Var) -> Type {
    let ty = function.ty(array).as_array().expect("partial results are arrays").clone();
    match ty.shape.len() {
        1 => Type::Scalar(ty.elem),
        _ => Type::array(ty.elem, ty.shape[1..].to_vec()),
    }
}

/// Returns `x / y`, rounded up. The sum may exceed the maximum `i64`, but not the maximum `u64`.
pub fn divided_up(b: &mut Builder, x: Operand, y: Operand) -> Operand {
    let less = b.binary("less", BinaryOp::Sub, y, Operand::i64(1));
    let up = b.binary("up", BinaryOp::Add, x, less);
    b.binary("n", BinaryOp::UDiv, up, y)
}

/// Emits a map over blocks. `work` gets the number of elements of a block and the block of each input.
pub fn each_block(
    b: &mut Builder,
    cut: &Cut,
    inputs: &[Var],
    work: impl FnOnce(&mut Builder, Operand, Vec<Var>) -> Vec<Var>,
) -> Vec<Var> {
    let (start, step) = (Operand::i64(0), Operand::i64(1));
    let numbers = b.bind_one("numbers", Expr::Iota { len: cut.blocks, start, step });
    let map = b.lambda(&[("block", Type::I64)], |b, vars| {
        let (first, length) = bounds(b, cut, vars[0]);
        let parts = inputs.iter().map(|&array| part(b, array, first, length)).collect();
        work(b, length, parts).into_iter().map(Operand::Var).collect()
    });
    b.map("partials", cut.blocks, &[numbers], map)
}

/// Returns the first element of a block, and the number of its elements.
pub fn bounds(b: &mut Builder, cut: &Cut, block: Var) -> (Operand, Operand) {
    let first = b.binary("first", BinaryOp::Mul, block, cut.size);
    let left = b.binary("left", BinaryOp::Sub, cut.width, first);
    let length = b.binary("length", BinaryOp::SMin, left, cut.size);
    (first, b.binary("length", BinaryOp::SMax, length, Operand::i64(0)))
}

/// Returns the slice of `length` elements of an array from `first` on.
pub fn part(b: &mut Builder, array: Var, first: Operand, length: Operand) -> Var {
    let range = |start, len| SliceDim::Range { start, len, stride: Operand::i64(1) };
    let rest = b.function.ty(array).shape()[1..].to_vec();
    let whole = rest.into_iter().map(|len| range(Operand::i64(0), len));
    let dims = std::iter::once(range(first, length)).chain(whole).collect();
    b.slice("part", array, dims)
}

/// Emits block tables. Returns the destinations combined with all of them.
fn tables(b: &mut Builder, repeated: &Repeated, cut: &Cut, soac: &Hist) -> Vec<Operand> {
    let partials = each_block(b, cut, &soac.inputs, |b, width, inputs| {
        let mut ops = Vec::new();
        for op in &soac.ops {
            let mut dests = Vec::new();
            for (&dest, &value) in op.dests.iter().zip(&op.neutral) {
                let shape = b.function.ty(dest).shape()[..op.rank].iter().copied().collect();
                dests.push(b.bind_one("table", Expr::Replicate { shape, value }));
            }
            ops.push(HistOp { dests, ..op.clone() });
        }
        let part = Hist { width, inputs, ops, ..soac.clone() };
        let part = Copier::within(b.function, Substitution::new()).copy_expr(&Expr::Hist(Box::new(part)));
        let Expr::Hist(part) = part else { unreachable!("a copy is alike") };
        let dests = part.ops.iter().flat_map(|op| &op.dests);
        let pattern: Vec<Var> = dests.map(|&dest| b.function.fresh_like(dest)).collect();
        // By elements, lanes run along a row, directly in the table.
        match rows::by_elements(b.function, repeated, &pattern, &part, b.span()) {
            Some(stm) => b.push(stm),
            None => b.bind_to(pattern.clone(), Expr::Hist(part)),
        }
        pattern
    });
    let mut partials = partials.into_iter();
    let mut results = Vec::new();
    for op in &soac.ops {
        let own: Vec<Var> = partials.by_ref().take(op.dests.len()).collect();
        let dests = op.dests.clone();
        results.extend(with_tables(b, cut, op, &own, dests, &mut Vec::new()));
    }
    results
}

/// Returns the destinations at these indices, combined with all tables there.
fn with_tables(
    b: &mut Builder,
    cut: &Cut,
    op: &HistOp,
    partials: &[Var],
    dests: Vec<Var>,
    indices: &mut Vec<Operand>,
) -> Vec<Operand> {
    if indices.len() < op.rank {
        let extent = b.function.ty(dests[0]).shape()[0];
        let (start, step) = (Operand::i64(0), Operand::i64(1));
        let numbers = b.bind_one("numbers", Expr::Iota { len: extent, start, step });
        let mut inputs = dests;
        let mut params: Vec<(&str, Type)> =
            inputs.iter().map(|&dest| ("row", row_type(b.function, dest))).collect();
        inputs.push(numbers);
        params.push(("bin", Type::I64));
        let map = b.lambda(&params, |b, vars| {
            let (rows, bin) = (vars[..vars.len() - 1].to_vec(), vars[vars.len() - 1]);
            indices.push(bin.into());
            with_tables(b, cut, op, partials, rows, indices)
        });
        return b.map("dest", extent, &inputs, map).into_iter().map(Operand::Var).collect();
    }
    let mut params = Vec::new();
    for &dest in &dests {
        let var = b.function.fresh_like(dest);
        params.push(LoopParam { var, init: dest.into(), consumed: false });
    }
    let sums = b.for_loop("sum", cut.blocks, params, |b, block, params| {
        let mut args: Vec<Operand> = params.iter().map(|param| param.var.into()).collect();
        for &partial in partials {
            let at: Vec<Operand> = std::iter::once(block.into()).chain(indices.iter().copied()).collect();
            args.push(b.index("own", partial, &at).into());
        }
        b.apply(&op.op, &args)
    });
    sums.into_iter().map(Operand::Var).collect()
}

/// Computes the indices of a histogram in advance, all in parallel, if the rows already exist.
fn split_indices(function: &mut Function, soac: &mut Hist, span: Span) -> Vec<Stm> {
    let mut bound = rustc_hash::FxHashSet::default();
    bound.extend(soac.lambda.body.stms.iter().flat_map(|stm| stm.pattern.iter().copied()));
    let computed = |x: &Operand| x.as_var().is_some_and(|var| bound.contains(&var));
    let result = soac.lambda.body.result.clone();
    let rows_are_there = !result.iter().any(|x| computed(x) && function.operand_type(*x).rank() > 0);
    if bound.is_empty() || !rows_are_there {
        return Vec::new();
    }
    let mut first: Vec<Operand> = result.iter().copied().filter(computed).collect();
    first.dedup();
    let mut inputs = soac.inputs.clone();
    let mut params: Vec<Var> = soac.lambda.params.iter().map(|&param| function.fresh_like(param)).collect();
    let mut substitution = Substitution::of(
        &soac.lambda.params,
        &params.iter().map(|&param| param.into()).collect::<Vec<Operand>>(),
    );
    let mut mapped = Vec::new();
    for &x in &first {
        let ty = function.operand_type(x);
        let array = function.fresh("at", ty.array_of(&[soac.width]));
        let param = function.fresh("at", ty);
        substitution.insert(x.as_var().expect("what is computed is a variable"), param);
        mapped.push(array);
        inputs.push(array);
        params.push(param);
    }
    let body = Body { stms: vec![], result: result.into_iter().map(|x| substitution.apply(x)).collect() };
    let mut map = std::mem::replace(&mut soac.lambda, warpwise_ir::Lambda { params, body });
    map.body.result = first;
    let width = soac.width;
    let inputs = std::mem::replace(&mut soac.inputs, inputs);
    let map = Screma { width, inputs, map, scans: vec![], reduces: vec![], post: None };
    vec![plain(mapped, Expr::Screma(Box::new(map)), span)]
}
