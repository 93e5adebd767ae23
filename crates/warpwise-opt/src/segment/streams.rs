//! Turns streams into chunks that are tasks, into blocks of a loop, or into one chunk.
//!
//! ```text
//! c: [k]i32 = stream_red n (xs) accs (zeros) combine {...} chunk (c, o, acc, as) {...};
//! ==>
//! parts: [m][k]i32 = segmap (j < m: task) { o = mul j size; c = smin size (n - o); as = slice xs[o:c:1]; ...; return part };
//! c: [k]i32 = screma m (parts) reduce {...} [zeros];
//! ```
//!
//! - `stream_map` and `stream_red` in host code: chunks are tasks, and the inside of a chunk may run in lanes. The number of
//!   chunks depends on `n` alone, so results do not depend on the number of threads. The chunks of results are rows of one array;
//!   the last one is padded.
//! - The same inside a kernel: one chunk. Excess parallelism becomes sequential code in program order.
//! - `stream_seq`: one chunk in host code, which keeps all parallelism inside. In a chunk that is a task: blocks of [`BLOCK`]
//!   elements, so that lanes need no arrays of the chunk's length. In lambdas of other SOACs: single elements, so that arrays of
//!   a chunk become scalars. Without SOACs over the chunk it is one chunk everywhere.
//!
//! A chunk function with checks is not run for zero elements. Host code that calls functions runs one chunk.

use warpwise_diag::Span;
use warpwise_ir::{
    Body, Expr, Function, Lambda, LoopForm, LoopParam, Mapping, Operand, Reduce, Screma, SegDim, SegKind,
    SegOp, SliceDim, Stm, Stream, StreamKind, Type, Var, exprs,
};
use warpwise_prim::BinaryOp;

use super::sequential::calls;
use super::{bind, plain};
use crate::aliases::Aliases;

/// Maximum number of chunks of a parallel stream: enough for an even distribution over the cores of any CPU, few enough for one
/// accumulator per chunk.
const CHUNKS: i64 = 128;

/// Minimum number of elements of a chunk. Fewer are not worth a separate accumulator.
const LEAST: i64 = 32;

/// Number of elements of a block of a `stream_seq` inside a task: many vectors, but arrays of a block stay in the nearest cache.
const BLOCK: i64 = 512;

/// The context of a stream.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Within {
    /// In host code.
    Host,
    /// In a chunk that is a task.
    Task,
    /// In the lambda of another SOAC.
    Element,
}

/// Returns the statements that replace a stream. SOACs among and inside them are not segmented yet.
pub fn unstream(function: &mut Function, stm: Stm, within: Within) -> Vec<Stm> {
    let Stm { pattern, expr: Expr::Stream(stream), certs, span } = stm else {
        unreachable!("the statement is a stream")
    };
    let mut out = Vec::new();
    let parallel = matches!(stream.kind, StreamKind::Map | StreamKind::Red(_));
    if parallel && within == Within::Host && !calls(&stream.lambda.body) {
        as_tasks(function, pattern, *stream, span, &mut out);
    } else {
        let block = match within {
            _ if parallel || !has_soacs(&stream.lambda) => Block::Whole,
            Within::Host => Block::Whole,
            Within::Task => Block::Of(BLOCK),
            Within::Element => Block::Of(1),
        };
        match block {
            Block::Whole if !needs_elements(function, &stream.lambda) => {
                whole(function, pattern, *stream, span, &mut out)
            }
            Block::Whole | Block::Of(_) => as_blocks(function, pattern, *stream, block, span, &mut out),
        }
    }
    for stm in &mut out {
        stm.certs.extend(&certs);
    }
    out
}

/// The division of a sequential stream.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// One chunk.
    Whole,
    /// Blocks of this size.
    Of(i64),
}

/// Whether a chunk function has parallelism over its chunk.
fn has_soacs(lambda: &Lambda) -> bool {
    let chunk = Operand::Var(lambda.params[0]);
    fn search(body: &Body, chunk: Operand) -> bool {
        body.stms.iter().any(|stm| {
            let mut found = match &stm.expr {
                Expr::Screma(soac) => soac.width == chunk,
                Expr::Partition(soac) => soac.width == chunk,
                Expr::Scatter(soac) => soac.width == chunk,
                Expr::Hist(soac) => soac.width == chunk,
                Expr::Stream(soac) => soac.width == chunk,
                exprs!(simple, If, Loop, WithAcc, FlatMap, Seg) => false,
            };
            stm.expr.for_each_body(|body| found |= search(body, chunk));
            found
        })
    }
    search(&lambda.body, chunk)
}

/// Whether a chunk function must not be applied to empty chunks, because it has checks or reads an element.
fn needs_elements(function: &Function, lambda: &Lambda) -> bool {
    let chunk = Operand::Var(lambda.params[0]);
    let reads =
        |stm: &Stm| matches!(&stm.expr, Expr::Index { array, .. } if function.ty(*array).shape()[0] == chunk);
    lambda.body.can_fail() || lambda.body.stms.iter().any(reads)
}

/// Appends statements and names their results.
struct Builder<'b> {
    function: &'b mut Function,
    stms: Vec<Stm>,
    span: Span,
}

impl Builder<'_> {
    fn binary(&mut self, name: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        let var = self.function.fresh(name, Type::I64);
        self.bind(var, Expr::Binary(op, x, y));
        var.into()
    }

    fn bind(&mut self, var: Var, expr: Expr) {
        self.stms.push(plain(vec![var], expr, self.span));
    }

    /// Emits `x / y` rounded up, for numbers that are not negative. No intermediate sum can overflow.
    fn quotient_up(&mut self, name: &str, x: Operand, y: Operand) -> Operand {
        let some = self.binary("some", BinaryOp::SMin, x, Operand::i64(1));
        let less = self.binary("less", BinaryOp::Sub, x, some);
        let full = self.binary("full", BinaryOp::UDiv, less, y);
        self.binary(name, BinaryOp::Add, full, some)
    }

    /// Returns start and length of block `index`, for blocks of `size` elements out of `width`.
    fn part(&mut self, index: Operand, size: Operand, width: Operand) -> (Operand, Operand) {
        let start = self.binary("start", BinaryOp::Mul, index, size);
        let left = self.binary("left", BinaryOp::Sub, width, start);
        (start, self.binary("len", BinaryOp::SMin, left, size))
    }

    /// Inlines the chunk function for the elements from `start` on. Returns its results.
    fn apply(
        &mut self,
        lambda: Lambda,
        inputs: &[Var],
        accs: &[Operand],
        (start, len): (Operand, Operand),
    ) -> Vec<Operand> {
        let Lambda { params, body } = lambda;
        let args: Vec<Operand> = [len, start].into_iter().chain(accs.iter().copied()).collect();
        let (scalars, chunks) = params.split_at(args.len());
        let mut bound = Body::default();
        bind(&mut bound, scalars, &args, self.span);
        self.stms.extend(bound.stms);
        for (&chunk, &array) in chunks.iter().zip(inputs) {
            let dims = rows(self.function.ty(array).shape(), start, len);
            self.bind(chunk, Expr::Slice { array, dims });
        }
        self.stms.extend(body.stms);
        body.result
    }

    /// Emits the array with the rows from `start` on overwritten.
    fn overwrite(&mut self, array: Var, (start, len): (Operand, Operand), value: Operand) -> Var {
        let updated = self.function.fresh_like(array);
        let dims = rows(self.function.ty(array).shape(), start, len);
        self.bind(updated, Expr::Update { array, dims, value });
        updated
    }

    /// Emits an array of `outer` rows like those of `like`, with undefined contents.
    fn scratch(&mut self, name: &str, like: Operand, outer: Operand) -> Var {
        let row = self.function.operand_type(like).row(1);
        let ty = row.array_of(&[outer]);
        let array = ty.as_array().expect("rows of an array are an array").clone();
        let var = self.function.fresh(name, ty);
        self.bind(var, Expr::Scratch { elem: array.elem, shape: array.shape });
        var
    }
}

/// Returns the slice of `len` rows from `start` on.
fn rows(shape: &[Operand], start: Operand, len: Operand) -> Vec<SliceDim> {
    let one = Operand::i64(1);
    let others = shape[1..].iter().map(|&len| SliceDim::whole(len));
    [SliceDim::Range { start, len, stride: one }].into_iter().chain(others).collect()
}

/// Emits chunks as tasks, then the combination of their results.
fn as_tasks(function: &mut Function, pattern: Vec<Var>, stream: Stream, span: Span, out: &mut Vec<Stm>) {
    let Stream { kind, width, inputs, accs, lambda } = stream;
    let mut host = Builder { function, stms: Vec::new(), span };
    let share = host.quotient_up("share", width, Operand::i64(CHUNKS));
    let size = host.binary("chunk", BinaryOp::SMax, share, Operand::i64(LEAST));
    let chunks = host.quotient_up("chunks", width, size);
    let index = host.function.fresh("j", Type::I64);
    let mut task = Builder { function: host.function, stms: Vec::new(), span };
    let part = task.part(index.into(), size, width);
    let yielded = task.apply(lambda, &inputs, &accs, part);
    let mut results = yielded[..accs.len()].to_vec();
    for &chunk in &yielded[accs.len()..] {
        let padded = task.scratch("padded", chunk, size);
        results.push(task.overwrite(padded, (Operand::i64(0), part.1), chunk).into());
    }
    let body = sequential_inside(task.function, Body { stms: task.stms, result: results });
    let parts: Vec<Var> = (body.result.iter())
        .map(|&result| {
            let ty = host.function.operand_type(result).array_of(&[chunks]);
            host.function.fresh("parts", ty)
        })
        .collect();
    let space = vec![SegDim { index, extent: chunks, mapping: Mapping::Task }];
    let op = SegOp { space, kind: SegKind::Map, body };
    host.stms.push(plain(parts.clone(), Expr::Seg(Box::new(op)), span));
    let (folded, joined) = parts.split_at(accs.len());
    if let StreamKind::Red(op) = kind {
        let expr = combination(host.function, chunks, folded, op, accs);
        host.stms.push(plain(pattern[..folded.len()].to_vec(), expr, span));
    }
    let total = host.binary("total", BinaryOp::Mul, chunks, size);
    for (&array, &result) in joined.iter().zip(&pattern[folded.len()..]) {
        let ty = host.function.ty(result).as_array().expect("chunks are arrays").clone();
        let shape = std::iter::once(total).chain(ty.shape[1..].iter().copied()).collect();
        let row = host.function.ty(result).row(1);
        let flat = host.function.fresh("flat", row.array_of(&[total]));
        host.bind(flat, Expr::Reshape { array, shape });
        host.bind(result, Expr::Slice { array: flat, dims: rows(&ty.shape, Operand::i64(0), width) });
    }
    out.append(&mut host.stms);
}

/// Returns the reduction of the chunks' results.
fn combination(
    function: &mut Function,
    chunks: Operand,
    parts: &[Var],
    op: Lambda,
    neutral: Vec<Operand>,
) -> Expr {
    let mut params = Vec::new();
    for &part in parts {
        let row = function.ty(part).row(1);
        params.push(function.fresh("part", row));
    }
    let result = params.iter().map(|&param| param.into()).collect();
    let map = Lambda { params, body: Body { stms: vec![], result } };
    let reduces = vec![Reduce { op, neutral, commutative: false }];
    let inputs = parts.to_vec();
    Expr::Screma(Box::new(Screma { width: chunks, inputs, map, scans: vec![], reduces, post: None }))
}

/// Emits one chunk. Results that are not fresh arrays are copied, since results of streams are fresh.
fn whole(function: &mut Function, pattern: Vec<Var>, stream: Stream, span: Span, out: &mut Vec<Stm>) {
    let aliases = Aliases::of(function, &stream.lambda.body);
    let made: Vec<Var> = bound_in(&stream.lambda.body);
    let mut builder = Builder { function, stms: Vec::new(), span };
    let all = (Operand::i64(0), stream.width);
    let results = builder.apply(stream.lambda, &stream.inputs, &stream.accs, all);
    let n_accs = stream.accs.len();
    for (position, (&var, &result)) in pattern.iter().zip(&results).enumerate() {
        let own = |array: Var| aliases.roots(array).iter().all(|root| made.contains(root));
        let handed_on = position < n_accs && stream.kind == StreamKind::Seq;
        let once = results.iter().filter(|&&other| other == result).count() == 1;
        let expr = match result {
            Operand::Var(array)
                if builder.function.ty(array).rank() > 0 && !handed_on && !(own(array) && once) =>
            {
                Expr::Copy(array)
            }
            Operand::Var(_) | Operand::Const(_) => Expr::Operand(result),
        };
        builder.bind(var, expr);
    }
    out.append(&mut builder.stms);
}

fn bound_in(body: &Body) -> Vec<Var> {
    body.stms.iter().flat_map(|stm| stm.pattern.iter().copied()).collect()
}

/// Emits a loop over blocks.
fn as_blocks(
    function: &mut Function,
    pattern: Vec<Var>,
    stream: Stream,
    block: Block,
    span: Span,
    out: &mut Vec<Stm>,
) {
    let Stream { kind, width, inputs, accs, lambda } = stream;
    let consumed = consumed_params(function, &lambda, accs.len());
    let mut host = Builder { function, stms: Vec::new(), span };
    let (size, count) = match block {
        Block::Whole => (width, host.binary("some", BinaryOp::SMin, width, Operand::i64(1))),
        Block::Of(1) => (Operand::i64(1), width),
        Block::Of(size) => {
            let size = Operand::i64(size);
            (size, host.quotient_up("blocks", width, size))
        }
    };
    let index = host.function.fresh("j", Type::I64);
    let mut params = Vec::new();
    for (&acc, &consumed) in accs.iter().zip(&consumed) {
        let ty = host.function.operand_type(acc);
        let mut init = acc;
        if let Operand::Var(array) = acc
            && ty.rank() > 0
            && kind != StreamKind::Seq
        {
            // Without elements the result is the neutral array, which may have other uses.
            let copy = host.function.fresh("neutral", ty.clone());
            host.bind(copy, Expr::Copy(array));
            init = copy.into();
        }
        params.push(LoopParam { var: host.function.fresh("acc", ty), init, consumed });
    }
    for &result in &pattern[accs.len()..] {
        let init = host.scratch("joined", result.into(), width);
        params.push(LoopParam { var: host.function.fresh_like(result), init: init.into(), consumed: true });
    }
    let mut inner = Builder { function: host.function, stms: Vec::new(), span };
    let part = match block {
        Block::Whole => (Operand::i64(0), width),
        Block::Of(1) => (index.into(), size),
        Block::Of(_) => inner.part(index.into(), size, width),
    };
    let handed: Vec<Operand> = params[..accs.len()].iter().map(|param| param.var.into()).collect();
    let lambda = if block == Block::Of(1) { single(inner.function, lambda) } else { lambda };
    let mut results = inner.apply(lambda, &inputs, &handed, part);
    for (result, param) in results[accs.len()..].iter_mut().zip(&params[accs.len()..]) {
        *result = match block {
            Block::Of(1) => element_into(&mut inner, param.var, index, *result),
            Block::Of(_) | Block::Whole => inner.overwrite(param.var, part, *result),
        }
        .into();
    }
    let body = Body { stms: inner.stms, result: results };
    let form = LoopForm::For { index, bound: count };
    host.stms.push(plain(pattern, Expr::Loop { params, form, body }, span));
    out.append(&mut host.stms);
}

/// Stores the only element of a chunk at `index` of an array.
fn element_into(builder: &mut Builder, array: Var, index: Var, chunk: Operand) -> Var {
    let chunk = chunk.as_var().expect("a chunk is an array");
    let row = builder.function.ty(chunk).row(1);
    let element = builder.function.fresh("element", row);
    builder.bind(element, Expr::Index { array: chunk, indices: vec![Operand::i64(0)] });
    let mut dims = rows(builder.function.ty(array).shape(), index.into(), Operand::i64(1));
    dims[0] = SliceDim::Fix(index.into());
    let updated = builder.function.fresh_like(array);
    builder.bind(updated, Expr::Update { array, dims, value: element.into() });
    updated
}

/// Returns which accumulators a chunk function overwrites.
fn consumed_params(function: &Function, lambda: &Lambda, n_accs: usize) -> Vec<bool> {
    let aliases = Aliases::of(function, &lambda.body);
    let mut consumed = Vec::new();
    lambda.body.stms.iter().for_each(|stm| consumed.extend(aliases.consumed(stm)));
    lambda.params[2..2 + n_accs].iter().map(|param| consumed.contains(param)).collect()
}

/// Returns the body with every `stream_seq` at its level split into blocks.
fn sequential_inside(function: &mut Function, body: Body) -> Body {
    let mut stms = Vec::new();
    for mut stm in body.stms {
        match &mut stm.expr {
            Expr::Stream(_) => {
                for stm in unstream(function, stm, Within::Task) {
                    stms.push(stm);
                }
            }
            Expr::If { then_body, else_body, .. } => {
                for body in [then_body, else_body] {
                    *body = sequential_inside(function, std::mem::take(body));
                }
                stms.push(stm);
            }
            Expr::Loop { body, .. } => {
                *body = sequential_inside(function, std::mem::take(body));
                stms.push(stm);
            }
            exprs!(simple, Screma, Partition, Scatter, Hist, WithAcc, FlatMap, Seg) => stms.push(stm),
        }
    }
    Body { stms, result: body.result }
}

/// Returns a chunk function for chunks of one element. SOACs over the chunk are applied to that element.
fn single(function: &mut Function, lambda: Lambda) -> Lambda {
    let chunk = Operand::Var(lambda.params[0]);
    let mut stms = Vec::new();
    for stm in lambda.body.stms {
        match stm.expr {
            Expr::Screma(soac) if soac.width == chunk => {
                let first = stms.len();
                screma_of_one(function, stm.pattern, *soac, stm.span, &mut stms);
                stms[first..].iter_mut().for_each(|made: &mut Stm| made.certs.extend(&stm.certs));
            }
            expr @ exprs!(simple, nested) => stms.push(Stm { expr, ..stm }),
        }
    }
    Lambda { params: lambda.params, body: Body { stms, result: lambda.body.result } }
}

/// Emits a screma over one element.
fn screma_of_one(function: &mut Function, pattern: Vec<Var>, soac: Screma, span: Span, out: &mut Vec<Stm>) {
    let zero = Operand::i64(0);
    for (&param, &array) in soac.map.params.iter().zip(&soac.inputs) {
        let is_acc = matches!(function.ty(array), Type::Acc(_));
        let element = Expr::Index { array, indices: vec![zero] };
        let expr = if is_acc { Expr::Operand(array.into()) } else { element };
        out.push(plain(vec![param], expr, span));
    }
    let (n_scanned, n_reduced) = (soac.n_scanned(), soac.n_reduced());
    out.extend(soac.map.body.stms);
    let mut values = soac.map.body.result;
    let reduced: Vec<Operand> = values.drain(n_scanned..n_scanned + n_reduced).collect();
    // An inclusive scan of one element yields the element, an exclusive one its start value.
    let mut at = 0;
    for scan in soac.scans {
        let next = at + scan.neutral.len();
        if scan.exclusive {
            values[at..next].copy_from_slice(&scan.neutral);
        }
        at = next;
    }
    let mut bound = Body::default();
    if let Some(post) = soac.post {
        bind(&mut bound, &post.params, &values, span);
        bound.stms.extend(post.body.stms);
        values = post.body.result;
    }
    bind(&mut bound, &pattern[..n_reduced], &reduced, span);
    out.append(&mut bound.stms);
    for (&var, value) in pattern[n_reduced..].iter().zip(values) {
        let is_acc = matches!(function.ty(var), Type::Acc(_));
        let expr = if is_acc { Expr::Operand(value) } else { Expr::ArrayLit(vec![value]) };
        out.push(plain(vec![var], expr, span));
    }
}
