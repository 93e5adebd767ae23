//! Fuses streams with their producers, consumers and neighbours (papers/001, Figure 9).
//!
//! ```text
//! r1.., xs.., ys.. = stream_red n (as) accs (e1) combine {op1} chunk (c, o, a1, as) { f }
//! r2.., zs..       = stream_red n (xs, bs) accs (e2) combine {op2} chunk (c, o, a2, xs, bs) { g }
//! ==>
//! r1.., r2.., zs.. = stream_red n (as, bs) accs (e1, e2) combine {op1; op2} chunk (c, o, a1, a2, as, bs) { f; g }
//! ```
//!
//! - F6: two parallel streams, either of which may be a `stream_map`, become one. F7: the same for two sequential streams.
//!   Results of the first that nothing else reads disappear.
//! - F1 and F3: a map or reduction beside a parallel stream is first converted to a parallel stream. F2, F4 and F5: maps,
//!   reductions and inclusive scans beside a sequential stream are converted to sequential streams.
//! - In the chunk function of a parallel stream, a scan and the reduction or scan that reads it become a `stream_seq`: the chunk
//!   is sequential work for its task, and no array of the chunk's length is left (Figure 10c).
//!
//! Not done here: fusing parallel streams with sequential ones or with scans, which would lose the parallelism or the invariant
//! that the chunk function relies on.

use warpwise_diag::Span;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Body, Expr, Function, Lambda, Operand, Reduce, Screma, Stm, Stream, StreamKind, Type, Var,
};
use warpwise_prim::BinaryOp;

use crate::fuse::block::{Block, take};

/// The order in which the chunks of a composition run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    Parallel,
    Sequential,
}

/// Returns the order of the stream that two statements can become, or `None` if they cannot become one.
fn order(function: &Function, producer: &Expr, consumer: &Expr, in_chunk: bool) -> Option<Order> {
    let of = |stream: &Stream| match stream.kind {
        StreamKind::Map | StreamKind::Red(_) => Order::Parallel,
        StreamKind::Seq => Order::Sequential,
    };
    match (producer, consumer) {
        (Expr::Stream(first), Expr::Stream(second)) => (of(first) == of(second)).then_some(of(first)),
        (Expr::Stream(stream), Expr::Screma(soac)) | (Expr::Screma(soac), Expr::Stream(stream)) => {
            can_become(function, soac, of(stream)).then_some(of(stream))
        }
        (Expr::Screma(first), Expr::Screma(second)) => {
            let possible = in_chunk
                && !first.scans.is_empty()
                && !second.is_map()
                && can_become(function, first, Order::Sequential)
                && can_become(function, second, Order::Sequential);
            possible.then_some(Order::Sequential)
        }
        _ => None,
    }
}

/// Whether a SOAC over elements can become a stream.
fn can_become(function: &Function, soac: &Screma, order: Order) -> bool {
    let scans = match order {
        Order::Parallel => soac.scans.is_empty(),
        Order::Sequential => soac.scans.iter().all(|scan| !scan.exclusive),
    };
    scans && soac.inputs.iter().all(|&input| !matches!(function.ty(input), Type::Acc(_)))
}

/// Replaces the statements at `producer` and `consumer` by one stream at `consumer`. Returns whether their kinds allow it. The
/// caller has checked that no dependence prevents it.
pub fn fuse(
    function: &mut Function,
    body: &mut Body,
    block: &Block,
    (producer, consumer): (usize, usize),
    in_chunk: bool,
) -> bool {
    let Some(order) = order(function, &body.stms[producer].expr, &body.stms[consumer].expr, in_chunk) else {
        return false;
    };
    let kept = block.still_used(&body.stms[producer].pattern, producer, consumer);
    let first = take(body, producer);
    let second = &mut body.stms[consumer];
    let placeholder = Expr::Operand(Operand::bool(false));
    let expr = std::mem::replace(&mut second.expr, placeholder);
    let pattern = std::mem::take(&mut second.pattern);
    let span = second.span;
    second.certs.extend(first.certs.iter().filter(|cert| !second.certs.contains(cert)).collect::<Vec<_>>());
    let first = as_stream(function, first.pattern, first.expr, order, span);
    let later = as_stream(function, pattern, expr, order, span);
    let (pattern, stream) = compose(function, first, later, &kept);
    second.pattern = pattern;
    second.expr = Expr::Stream(Box::new(stream));
    true
}

/// A stream with the variables that it binds.
struct Bound {
    pattern: Vec<Var>,
    stream: Stream,
}

fn as_stream(function: &mut Function, pattern: Vec<Var>, expr: Expr, order: Order, span: Span) -> Bound {
    match (expr, order) {
        (Expr::Stream(stream), _) => Bound { pattern, stream: *stream },
        (Expr::Screma(soac), Order::Parallel) => parallel(function, pattern, *soac, span),
        (Expr::Screma(soac), Order::Sequential) => sequential(function, pattern, *soac, span),
        _ => unreachable!("only SOACs that fuse become streams"),
    }
}

/// Applies rules F6 and F7.
fn compose(function: &mut Function, first: Bound, second: Bound, kept: &[Var]) -> (Vec<Var>, Stream) {
    let (n_first, n_second) = (first.stream.accs.len(), second.stream.accs.len());
    let kind = both_kinds(first.stream.kind, second.stream.kind, (n_first, n_second));
    let Lambda { mut params, mut body } = first.stream.lambda;
    let mut later = second.stream.lambda;
    // The second function uses the first one's chunk size and offset.
    let mut same = Substitution::of(&later.params[..2], &[params[0].into(), params[1].into()]);
    let yielded: Vec<(Var, Operand)> =
        first.pattern[n_first..].iter().copied().zip(body.result[n_first..].iter().copied()).collect();
    let mut inputs = first.stream.inputs;
    let mut chunks = Vec::new();
    for (&input, &chunk) in second.stream.inputs.iter().zip(&later.params[2 + n_second..]) {
        match yielded.iter().find(|(made, _)| *made == input) {
            Some((_, value)) => same.insert(chunk, *value),
            None => {
                inputs.push(input);
                chunks.push(chunk);
            }
        }
    }
    same.apply_lambda(function, &mut later);
    let accs = later.params[2..2 + n_second].to_vec();
    for &var in accs.iter().chain(&chunks) {
        let mut data = function.vars[var].clone();
        same.apply_var_data(&mut data);
        function.vars[var] = data;
    }
    params.splice(2 + n_first..2 + n_first, accs);
    params.extend(chunks);
    body.stms.extend(later.body.stms);
    let mut result = body.result[..n_first].to_vec();
    result.extend(&later.body.result[..n_second]);
    let mut pattern = first.pattern[..n_first].to_vec();
    pattern.extend(&second.pattern[..n_second]);
    for &(made, value) in yielded.iter().filter(|(made, _)| kept.contains(made)) {
        pattern.push(made);
        result.push(value);
    }
    pattern.extend(&second.pattern[n_second..]);
    result.extend(&later.body.result[n_second..]);
    let accs = first.stream.accs.into_iter().chain(second.stream.accs).collect();
    let lambda = Lambda { params, body: Body { stms: body.stms, result } };
    (pattern, Stream { kind, width: first.stream.width, inputs, accs, lambda })
}

fn both_kinds(first: StreamKind, second: StreamKind, counts: (usize, usize)) -> StreamKind {
    match (first, second) {
        (StreamKind::Seq, _) | (_, StreamKind::Seq) => StreamKind::Seq,
        (StreamKind::Map, other) | (other, StreamKind::Map) => other,
        (StreamKind::Red(first), StreamKind::Red(second)) => {
            StreamKind::Red(beside(vec![(first, counts.0), (second, counts.1)]))
        }
    }
}

/// Returns one operator that applies several operators component by component.
fn beside(ops: Vec<(Lambda, usize)>) -> Lambda {
    let (mut left, mut right, mut body) = (Vec::new(), Vec::<Var>::new(), Body::default());
    for (op, n_values) in ops {
        left.extend(&op.params[..n_values]);
        right.extend(&op.params[n_values..]);
        body.stms.extend(op.body.stms);
        body.result.extend(op.body.result);
    }
    left.extend(right);
    Lambda { params: left, body }
}

/// The parameters of a chunk function over the inputs of a SOAC.
struct Chunk {
    size: Var,
    params: Vec<Var>,
    inputs: Vec<Var>,
    stms: Vec<Stm>,
    span: Span,
}

impl Chunk {
    fn of(function: &mut Function, soac: &Screma, accs: &[Var], span: Span) -> Chunk {
        let size = function.fresh("c", Type::I64);
        let mut params = vec![size, function.fresh("o", Type::I64)];
        params.extend(accs);
        let mut inputs = Vec::new();
        for &input in &soac.inputs {
            let chunk = function.ty(input).row(1).array_of(&[size.into()]);
            inputs.push(function.fresh("chunk", chunk));
        }
        params.extend(&inputs);
        Chunk { size, params, inputs, stms: Vec::new(), span }
    }

    fn bind(&mut self, pattern: Vec<Var>, expr: Expr) {
        self.stms.push(Stm { pattern, expr, certs: vec![], span: self.span });
    }

    /// Returns arrays over the chunk with elements of the types of the given values.
    fn arrays(&self, function: &mut Function, elements: &[Operand]) -> Vec<Var> {
        let mut arrays = Vec::new();
        for &element in elements {
            let ty = function.operand_type(element).array_of(&[self.size.into()]);
            arrays.push(function.fresh("part", ty));
        }
        arrays
    }

    /// Applies a copy of an operator.
    fn apply(&mut self, function: &mut Function, op: &Lambda, args: &[Operand]) -> Vec<Operand> {
        let op = Copier::within(function, Substitution::new()).copy_lambda(op);
        for (&param, &arg) in op.params.iter().zip(args) {
            self.bind(vec![param], Expr::Operand(arg));
        }
        self.stms.extend(op.body.stms);
        op.body.result
    }

    fn stream(
        self,
        kind: StreamKind,
        soac: (Operand, Vec<Var>),
        accs: Vec<Operand>,
        result: Vec<Operand>,
    ) -> Stream {
        let lambda = Lambda { params: self.params, body: Body { stms: self.stms, result } };
        Stream { kind, width: soac.0, inputs: soac.1, accs, lambda }
    }
}

/// Returns fresh accumulators of the types of the given values.
fn accumulators(function: &mut Function, values: &[Operand]) -> Vec<Var> {
    let mut accs = Vec::new();
    for &value in values {
        let ty = function.operand_type(value);
        accs.push(function.fresh("acc", ty));
    }
    accs
}

/// Applies rules F1 and F3. Each chunk starts from the neutral elements, so the accumulators serve as neutral elements.
fn parallel(function: &mut Function, pattern: Vec<Var>, soac: Screma, span: Span) -> Bound {
    let neutral: Vec<Operand> =
        soac.reduces.iter().flat_map(|reduce| reduce.neutral.iter().copied()).collect();
    let accs = accumulators(function, &neutral);
    let mut chunk = Chunk::of(function, &soac, &accs, span);
    let mut ops = Vec::new();
    let mut inner = soac.clone();
    let mut left = accs.iter().map(|&acc| Operand::Var(acc));
    for reduce in &mut inner.reduces {
        let op = Copier::within(function, Substitution::new()).copy_lambda(&reduce.op);
        ops.push((op, reduce.neutral.len()));
        reduce.neutral = left.by_ref().take(reduce.neutral.len()).collect();
    }
    inner.width = chunk.size.into();
    inner.inputs = chunk.inputs.clone();
    let arrays = chunk.arrays(function, yielded(&soac));
    let totals: Vec<Var> = accs.iter().map(|&acc| function.fresh_like(acc)).collect();
    let results: Vec<Var> = totals.into_iter().chain(arrays).collect();
    chunk.bind(results.clone(), Expr::Screma(Box::new(inner)));
    let kind = if ops.is_empty() { StreamKind::Map } else { StreamKind::Red(beside(ops)) };
    let result = results.into_iter().map(Operand::Var).collect();
    Bound { pattern, stream: chunk.stream(kind, (soac.width, soac.inputs), neutral, result) }
}

/// Returns the elements of the array results of a SOAC without scans.
fn yielded(soac: &Screma) -> &[Operand] {
    match &soac.post {
        Some(post) => &post.body.result,
        None => &soac.map.body.result[soac.n_reduced()..],
    }
}

/// Applies rules F2, F4 and F5.
fn sequential(function: &mut Function, pattern: Vec<Var>, soac: Screma, span: Span) -> Bound {
    let reduced: Vec<Operand> =
        soac.reduces.iter().flat_map(|reduce| reduce.neutral.iter().copied()).collect();
    let scanned: Vec<Operand> = soac.scans.iter().flat_map(|scan| scan.neutral.iter().copied()).collect();
    let neutral: Vec<Operand> = reduced.iter().chain(&scanned).copied().collect();
    let accs = accumulators(function, &neutral);
    let mut chunk = Chunk::of(function, &soac, &accs, span);
    let (acc_reduced, acc_scanned) = accs.split_at(reduced.len());
    let mut inner = soac.clone();
    inner.width = chunk.size.into();
    inner.inputs = chunk.inputs.clone();
    let post = if scanned.is_empty() { None } else { inner.post.take() };
    let elements = if scanned.is_empty() {
        yielded(&soac).to_vec()
    } else {
        let further = &soac.map.body.result[soac.n_scanned() + soac.n_reduced()..];
        scanned.iter().chain(further).copied().collect()
    };
    let arrays = chunk.arrays(function, &elements);
    let totals: Vec<Var> = acc_reduced.iter().map(|&acc| function.fresh_like(acc)).collect();
    chunk.bind(totals.iter().chain(&arrays).copied().collect(), Expr::Screma(Box::new(inner)));
    let mut result = after_reductions(function, &mut chunk, &soac.reduces, acc_reduced, &totals);
    let (lasts, arrays) = match scanned.is_empty() {
        true => (Vec::new(), arrays),
        false => after_scans(function, &mut chunk, &soac, post, acc_scanned, &arrays),
    };
    result.extend(&lasts);
    result.extend(arrays.into_iter().map(Operand::Var));
    // The final value of a scan is an additional result that nothing reads.
    let (before, behind) = pattern.split_at(reduced.len());
    let ends = acc_scanned.iter().map(|&acc| function.fresh_like(acc)).collect::<Vec<_>>();
    let pattern = before.iter().copied().chain(ends).chain(behind.iter().copied()).collect();
    Bound { pattern, stream: chunk.stream(StreamKind::Seq, (soac.width, soac.inputs), neutral, result) }
}

/// Returns the accumulators combined with the totals of the chunk.
fn after_reductions(
    function: &mut Function,
    chunk: &mut Chunk,
    reduces: &[Reduce],
    accs: &[Var],
    totals: &[Var],
) -> Vec<Operand> {
    let mut result = Vec::new();
    let mut at = 0;
    for reduce in reduces {
        let next = at + reduce.neutral.len();
        let args: Vec<Operand> =
            accs[at..next].iter().chain(&totals[at..next]).map(|&var| var.into()).collect();
        result.extend(chunk.apply(function, &reduce.op, &args));
        at = next;
    }
    result
}

/// Combines the scan's state before the chunk with every scanned element of the chunk. Returns the last of them and the arrays.
fn after_scans(
    function: &mut Function,
    chunk: &mut Chunk,
    soac: &Screma,
    post: Option<Lambda>,
    accs: &[Var],
    arrays: &[Var],
) -> (Vec<Operand>, Vec<Var>) {
    let mut params = Vec::new();
    for &array in arrays {
        let row = function.ty(array).row(1);
        params.push(function.fresh("x", row));
    }
    let outside = std::mem::take(&mut chunk.stms);
    let mut values: Vec<Operand> = Vec::new();
    let mut at = 0;
    for scan in &soac.scans {
        let next = at + scan.neutral.len();
        let args: Vec<Operand> =
            accs[at..next].iter().chain(&params[at..next]).map(|&var| var.into()).collect();
        values.extend(chunk.apply(function, &scan.op, &args));
        at = next;
    }
    let further: Vec<Operand> = params[at..].iter().map(|&param| param.into()).collect();
    let mut elements = values.clone();
    elements.extend(&further);
    if let Some(post) = post {
        for (&param, &value) in post.params.iter().zip(&elements) {
            chunk.bind(vec![param], Expr::Operand(value));
        }
        chunk.stms.extend(post.body.stms);
        elements = values.into_iter().chain(post.body.result).collect();
    }
    let inner = std::mem::replace(&mut chunk.stms, outside);
    let results = chunk.arrays(function, &elements);
    let map = Lambda { params, body: Body { stms: inner, result: elements } };
    let inputs = arrays.to_vec();
    let width = chunk.size.into();
    let screma = Screma { width, inputs, map, scans: vec![], reduces: vec![], post: None };
    chunk.bind(results.clone(), Expr::Screma(Box::new(screma)));
    let last = function.fresh("last", Type::I64);
    chunk.bind(vec![last], Expr::Binary(BinaryOp::Sub, width, Operand::i64(1)));
    let mut lasts = Vec::new();
    for (&array, &acc) in results.iter().zip(accs) {
        let end = function.fresh_like(acc);
        chunk.bind(vec![end], Expr::Index { array, indices: vec![last.into()] });
        lasts.push(end.into());
    }
    let yielded = if soac.post.is_some() { results[at..].to_vec() } else { results };
    (lasts, yielded)
}
