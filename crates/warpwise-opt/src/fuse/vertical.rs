//! Fuses a producer into its consumer.

use warpwise_diag::Span;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Screma, Stm, Var, exprs};

use crate::fuse::block::{Block, take, width};

/// Returns the inputs of a SOAC and the lambda over them.
fn parts(expr: &mut Expr) -> Option<(&mut Vec<Var>, &mut Lambda)> {
    match expr {
        Expr::Screma(soac) => Some((&mut soac.inputs, &mut soac.map)),
        Expr::Partition(soac) => Some((&mut soac.inputs, &mut soac.lambda)),
        Expr::Scatter(soac) => Some((&mut soac.inputs, &mut soac.lambda)),
        Expr::Hist(soac) => Some((&mut soac.inputs, &mut soac.lambda)),
        exprs!(simple, If, Loop, Stream, WithAcc, FlatMap, Seg) => None,
    }
}

/// Fuses the statement at `producer` into the one at `consumer`. Returns whether their kinds allow it.
pub fn fuse(
    function: &mut Function,
    body: &mut Body,
    block: &Block,
    producer: usize,
    consumer: usize,
) -> bool {
    let (Expr::Screma(from), to) = (&body.stms[producer].expr, &body.stms[consumer].expr) else {
        return false;
    };
    if matches!(to, Expr::Stream(_)) {
        return false;
    }
    let (n_scanned, n_reduced) = (from.n_scanned(), from.n_reduced());
    let made = body.stms[producer].pattern.clone();
    let consumed: Vec<Var> = made.iter().copied().filter(|&array| block.consumes(consumer, array)).collect();
    let kept = block.still_used(&made[n_reduced..], producer, consumer);
    let needed_later = kept.len() + n_reduced > 0;
    let fused = if from.scans.is_empty() && from.post.is_none() {
        if let Expr::Screma(_) = &body.stms[consumer].expr { true } else { !needed_later }
    } else {
        matches!(&body.stms[consumer].expr, Expr::Screma(to) if to.is_map() && !is_dear(&to.map.body))
    };
    if !fused {
        return false;
    }
    let Stm { expr: Expr::Screma(from), certs, .. } = take(body, producer) else {
        unreachable!("the producer is a screma")
    };
    let stm = &mut body.stms[consumer];
    stm.certs.extend(certs.into_iter().filter(|cert| !stm.certs.contains(cert)).collect::<Vec<_>>());
    if n_scanned > 0 || from.post.is_some() {
        after_scan(function, stm, *from, &made, (&kept, &consumed));
    } else {
        into_lambda(function, stm, *from, &made, (&kept, &consumed));
    }
    true
}

/// Whether a body works on arrays of sizes that are not constants, or has loops. Behind a scan such a body would lose its
/// parallelism. That is worth more than keeping the scanned values out of memory: a block of a scan has one worker on processors,
/// and one work-item on devices if arrays are made.
fn is_dear(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut dear = matches!(stm.expr, Expr::Loop { .. })
            || width(stm).is_some_and(|width| width.as_const().is_none());
        stm.expr.for_each_body(|body| dear |= is_dear(body));
        dear
    })
}

/// Binds the parameters that stood for the producer's arrays to the values that its map yields, and adds its inputs. Consumed
/// elements are copied, because they may be parts of arrays from outside.
fn join(
    inputs: &mut Vec<Var>,
    lambda: &mut Lambda,
    from_inputs: Vec<Var>,
    from_map: Lambda,
    (made, consumed): (&[(Var, Operand)], &[Var]),
    span: Span,
) {
    let mut stms = from_map.body.stms;
    for position in (0..inputs.len()).rev() {
        if let Some((array, value)) = made.iter().find(|(var, _)| *var == inputs[position]) {
            let param = lambda.params.remove(position);
            inputs.remove(position);
            let element = value.as_var().filter(|_| consumed.contains(array));
            let expr = element.map_or(Expr::Operand(*value), Expr::Copy);
            stms.push(Stm { pattern: vec![param], expr, certs: vec![], span });
        }
    }
    inputs.extend(from_inputs);
    lambda.params.extend(from_map.params);
    stms.append(&mut lambda.body.stms);
    lambda.body.stms = stms;
}

/// Fuses a producer that only maps and reduces: its map goes in front of the consumer's.
fn into_lambda(
    function: &mut Function,
    stm: &mut Stm,
    from: Screma,
    made: &[Var],
    (kept, consumed): (&[Var], &[Var]),
) {
    let n_reduced = from.n_reduced();
    let mut yielded = from.map.body.result.clone();
    let further = yielded.split_off(n_reduced);
    let arrays: Vec<(Var, Operand)> = made[n_reduced..].iter().copied().zip(further).collect();
    let map = Lambda { params: from.map.params, body: Body { stms: from.map.body.stms, result: vec![] } };
    let (inputs, lambda) = parts(&mut stm.expr).expect("the consumer is a SOAC");
    join(inputs, lambda, from.inputs, map, (&arrays, consumed), stm.span);
    let Expr::Screma(to) = &mut stm.expr else { return };
    // The producer's reductions come first, its remaining arrays last.
    let at = to.n_scanned();
    to.map.body.result.splice(at..at, yielded);
    stm.pattern.splice(0..0, made[..n_reduced].iter().copied());
    to.reduces.splice(0..0, from.reduces);
    for (var, value) in only(&arrays, kept) {
        to.map.body.result.push(value);
        pass_through(function, to, value);
        stm.pattern.push(var);
    }
}

/// Returns the kept arrays with their values. `kept` is in the order of `arrays`.
fn only<'a>(arrays: &'a [(Var, Operand)], kept: &'a [Var]) -> impl Iterator<Item = (Var, Operand)> + 'a {
    let mut kept = kept.iter().copied().peekable();
    arrays.iter().copied().filter(move |(var, _)| kept.next_if_eq(var).is_some())
}

/// Passes a further value of the map through the second map, if there is one.
fn pass_through(function: &mut Function, soac: &mut Screma, value: Operand) {
    let Some(post) = &mut soac.post else { return };
    let ty = function.operand_type(value);
    let param = function.fresh("x", ty);
    post.params.push(param);
    post.body.result.push(param.into());
}

/// Fuses a map into a producer that scans: the map goes behind the producer's second map.
fn after_scan(
    function: &mut Function,
    stm: &mut Stm,
    mut from: Screma,
    made: &[Var],
    (kept, consumed): (&[Var], &[Var]),
) {
    let placeholder = Expr::Operand(Operand::bool(false));
    let Expr::Screma(to) = std::mem::replace(&mut stm.expr, placeholder) else {
        unreachable!("the consumer is a screma")
    };
    let to = *to;
    let n_reduced = from.n_reduced();
    let mut post = from.post.take().unwrap_or_else(|| identity_post(function, &from));
    let arrays: Vec<(Var, Operand)> =
        made[n_reduced..].iter().copied().zip(post.body.result.iter().copied()).collect();
    let mut map = to.map;
    let mut inputs = to.inputs;
    // The consumer's other inputs go through the first map.
    let made_by_producer = |input: &Var| arrays.iter().any(|(var, _)| var == input);
    for (&input, &param) in inputs.iter().zip(&map.params).filter(|(input, _)| !made_by_producer(input)) {
        let element = function.fresh_like(param);
        from.inputs.push(input);
        from.map.params.push(element);
        from.map.body.result.push(element.into());
        post.params.push(param);
    }
    let old =
        Lambda { params: vec![], body: Body { stms: std::mem::take(&mut post.body.stms), result: vec![] } };
    join(&mut inputs, &mut map, vec![], old, (&arrays, consumed), stm.span);
    post.body = map.body;
    let mut pattern: Vec<Var> = made[..n_reduced].to_vec();
    pattern.append(&mut stm.pattern);
    for (var, value) in only(&arrays, kept) {
        post.body.result.push(value);
        pattern.push(var);
    }
    from.post = Some(post);
    stm.pattern = pattern;
    stm.expr = Expr::Screma(Box::new(from));
}

/// Returns a second map that is the identity.
fn identity_post(function: &mut Function, soac: &Screma) -> Lambda {
    let scanned = soac.scans.iter().flat_map(|scan| scan.op.params[..scan.neutral.len()].to_vec());
    let mut params: Vec<Var> = Vec::new();
    for var in scanned {
        params.push(function.fresh_like(var));
    }
    for &value in &soac.map.body.result[soac.n_scanned() + soac.n_reduced()..] {
        let ty = function.operand_type(value);
        params.push(function.fresh("x", ty));
    }
    let result = params.iter().map(|&param| param.into()).collect();
    Lambda { params, body: Body { stms: vec![], result } }
}
