//! Turns SOACs whose operators work on arrays into sequential loops around the operator.
//!
//! ```text
//! s: [m]f32 = screma n (xs) reduce (a, x) { ... } [zero];
//! ==>
//! s: [m]f32 = loop (acc = zero) for i < n { x = index xs[i]; ...; return t };
//! ```
//!
//! The inside of the operator stays parallel. This is the last resort. SOACs with a better form get that form here ([`by_host`]
//! and [`in_kernel`] give the order); for that, work before the operator is split off into a parallel map of its own.

use warpwise_diag::{Limit, Span};
use warpwise_ir::{
    Body, Expr, Function, Hist, HistOp, Lambda, LoopForm, LoopParam, Operand, Screma, SliceDim, Stm, Type,
    Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp, ScalarType};

use super::{Machine, apart, bind, blocks, columns, element_stms, inlined, plain, rows, small};

/// The context of a statement.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// In host code: work that can run in parallel beside the loop is split off.
    Host(Machine),
    /// Inside a kernel.
    Kernel,
}

/// Whether a SOAC cannot be a segmented operation because an operator, or the map after a scan, works on arrays.
pub fn needs_loop(function: &Function, expr: &Expr) -> bool {
    let on_arrays = |op: &Lambda| on_arrays(function, op);
    match expr {
        Expr::Screma(soac) => {
            let post_on_arrays = !soac.scans.is_empty() && soac.post.as_ref().is_some_and(on_arrays);
            let only_maps = soac.is_map() && calls(&soac.map.body);
            only_maps
                || post_on_arrays
                || soac.scans.iter().any(|scan| on_arrays(&scan.op))
                || soac.reduces.iter().any(|reduce| on_arrays(&reduce.op))
        }
        Expr::Hist(soac) => combines_arrays(function, soac),
        exprs!(simple, If, Loop, Partition, Scatter, Stream, WithAcc, FlatMap, Seg) => false,
    }
}

/// Whether an operator of a histogram works on arrays.
pub fn combines_arrays(function: &Function, soac: &Hist) -> bool {
    soac.ops.iter().any(|op| on_arrays(function, &op.op))
}

/// Whether a lambda works on arrays or calls a function.
fn on_arrays(function: &Function, op: &Lambda) -> bool {
    op.params.iter().any(|&param| function.ty(param).rank() > 0) || calls(&op.body)
}

/// Whether a body calls a function.
pub fn calls(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut found = matches!(stm.expr, Expr::Call { .. });
        stm.expr.for_each_body(|body| found |= calls(body));
        found
    })
}

/// Returns the statements that replace a SOAC for which [`needs_loop`] holds.
pub fn to_loop(function: &mut Function, stm: Stm, around: Around) -> Result<Vec<Stm>, Limit> {
    let Stm { pattern, expr, certs, span } = stm;
    let stms = match (expr, around) {
        (Expr::Screma(soac), Around::Host(machine)) => by_host(function, machine, pattern, *soac, span)?,
        (Expr::Screma(soac), Around::Kernel) => in_kernel(function, pattern, *soac, span),
        (Expr::Hist(soac), _) => vec![hist_loop(function, pattern, *soac, span)],
        (exprs!(simple, If, Loop, Partition, Scatter, Stream, WithAcc, FlatMap, Seg), _) => {
            unreachable!("only SOACs with operators need a loop")
        }
    };
    Ok(with_certs(stms, &certs))
}

/// Returns the statements inside a kernel for a SOAC with operators on arrays: by columns if the arrays already exist.
fn in_kernel(function: &mut Function, pattern: Vec<Var>, soac: Screma, span: Span) -> Vec<Stm> {
    if soac.map.body.stms.is_empty() {
        if let Some(stms) = columns::scans(function, Around::Kernel, (&pattern, &soac), span) {
            return stms;
        }
        if let Some(stm) = by_columns(function, None, (&pattern, &soac), span) {
            return vec![stm];
        }
    }
    let mut stms = Vec::new();
    screma_loop(function, pattern, soac, span, &mut stms);
    stms
}

/// Returns the statements of host code for a SOAC with operators on arrays, in the first form that applies.
fn by_host(
    function: &mut Function,
    machine: Machine,
    pattern: Vec<Var>,
    mut soac: Screma,
    span: Span,
) -> Result<Vec<Stm>, Limit> {
    if let Some(stms) = by_parts(function, machine, (&pattern, &soac), span) {
        return Ok(stms);
    }
    if machine == Machine::Cpu
        && let Some(stm) = by_columns(function, Some(machine), (&pattern, &soac), span)
    {
        return Ok(vec![stm]);
    }
    let is_small = machine == Machine::Cpu && shrinks_rows(function, &soac);
    if !is_small && let Some(stms) = blocks::reduce(function, machine, (&pattern, &soac), span)? {
        return Ok(stms);
    }
    let mut stms = Vec::new();
    if !soac.map.body.stms.is_empty() && !soac.is_map() {
        let Screma { width, inputs, map, .. } = &mut soac;
        apart::split_lambda(function, *width, inputs, map, span, &mut stms);
        if let Some(mut parts) = by_parts(function, machine, (&pattern, &soac), span) {
            stms.append(&mut parts);
            return Ok(stms);
        }
    }
    if let Some(stm) = by_columns(function, Some(machine), (&pattern, &soac), span) {
        stms.push(stm);
    } else if machine == Machine::Device || soac.is_map() || calls_within(&soac) {
        screma_loop(function, pattern, soac, span, &mut stms);
    } else if let Some(mut parts) = inlined::apart(function, &pattern, &soac, span) {
        stms.append(&mut parts);
    } else {
        stms.append(&mut inlined::by_blocks(function, &pattern, &soac, span));
    }
    Ok(stms)
}

/// Whether every row that a map yields has the leading dimensions of an element of an input with further dimensions. So the rows of
/// all elements take no more memory than the input, unless that has no elements, and may be stored.
fn shrinks_rows(function: &Function, soac: &Screma) -> bool {
    let is_part = |row: &Operand, element: &Var| {
        let (row, element) = (function.operand_type(*row), function.ty(*element));
        let bytes = |ty: &Type| ty.elem().map_or(0, ScalarType::bytes);
        (1..element.rank()).contains(&row.rank())
            && element.shape().starts_with(row.shape())
            && bytes(&row) <= bytes(element)
    };
    let shrinks = |row: &Operand| soac.map.params.iter().any(|element| is_part(row, element));
    soac.scans.is_empty() && soac.map.body.result.iter().all(shrinks)
}

/// Returns scans and reductions of parts of arrays: of elements of small arrays, or of columns.
fn by_parts(
    function: &mut Function,
    machine: Machine,
    (pattern, soac): (&[Var], &Screma),
    span: Span,
) -> Option<Vec<Stm>> {
    if soac.is_map() {
        return None;
    }
    let small = match machine {
        Machine::Device => true,
        Machine::Cpu => small::rather_than_columns(function, soac),
    };
    let by_scalars = small.then(|| small::by_scalars(function, machine, (pattern, soac), span)).flatten();
    by_scalars.or_else(|| columns::scans(function, Around::Host(machine), (pattern, soac), span))
}

/// Returns the reduction of every column. Except on devices, the operators must not fail, because columns one after the other
/// would fail in a different order than rows.
fn by_columns(
    function: &mut Function,
    machine: Option<Machine>,
    (pattern, soac): (&[Var], &Screma),
    span: Span,
) -> Option<Stm> {
    let fails = soac.reduces.iter().any(|reduce| reduce.op.body.can_fail());
    if fails && machine != Some(Machine::Device) {
        return None;
    }
    rows::by_columns(function, (pattern, soac), span)
}

/// Whether an operator, or the map after a scan, calls a function, which only the host can.
fn calls_within(soac: &Screma) -> bool {
    let operators =
        soac.scans.iter().map(|scan| &scan.op).chain(soac.reduces.iter().map(|reduce| &reduce.op));
    operators.chain(&soac.post).any(|lambda| calls(&lambda.body))
}

/// Adds certificates to statements.
fn with_certs(mut stms: Vec<Stm>, certs: &[Var]) -> Vec<Stm> {
    for stm in &mut stms {
        stm.certs.extend(certs);
    }
    stms
}

/// The parts of a loop under construction.
struct LoopParts {
    params: Vec<LoopParam>,
    body: Body,
    pattern: Vec<Var>,
}

/// Emits a loop over the elements of a SOAC.
pub fn screma_loop(
    function: &mut Function,
    pattern: Vec<Var>,
    soac: Screma,
    span: Span,
    stms: &mut Vec<Stm>,
) {
    let Screma { width, inputs, map, scans, reduces, post } = soac;
    let index = function.fresh("i", Type::I64);
    let mut body = Body { stms: element_stms(index, &inputs, &map.params), result: vec![] };
    body.stms.extend(map.body.stms);
    let mut parts = LoopParts { params: vec![], body, pattern: vec![] };
    let mut values = map.body.result.into_iter();
    let mut elements = Vec::new();
    for scan in scans {
        let inputs: Vec<Operand> = values.by_ref().take(scan.neutral.len()).collect();
        let before = combine(function, &mut parts, scan.op, &scan.neutral, &inputs, span);
        let after = parts.body.result[parts.body.result.len() - inputs.len()..].to_vec();
        elements.extend(if scan.exclusive { before } else { after });
    }
    for param in &parts.params {
        parts.pattern.push(function.fresh_like(param.var));
    }
    let n_scanned = parts.params.len();
    let mut chosen = Vec::new();
    for reduce in reduces {
        chosen.extend(reduce.op.body.result.iter().map(|&result| !makes(&reduce.op.body, result)));
        let inputs: Vec<Operand> = values.by_ref().take(reduce.neutral.len()).collect();
        combine(function, &mut parts, reduce.op, &reduce.neutral, &inputs, span);
    }
    let n_reduced = parts.params.len() - n_scanned;
    elements.extend(values);
    if let Some(post) = post {
        bind(&mut parts.body, &post.params, &elements, span);
        parts.body.stms.extend(post.body.stms);
        elements = post.body.result;
    }
    for (&result, element) in pattern[n_reduced..].iter().zip(elements) {
        collect(function, &mut parts, index, result, element, span, stms);
    }
    // A SOAC yields fresh arrays, but an operator may yield one of its arguments.
    let mut copies = Vec::new();
    for (position, result) in pattern.into_iter().enumerate() {
        let is_chosen = chosen.get(position).copied().unwrap_or(false) && function.ty(result).rank() > 0;
        let bound = if is_chosen { function.fresh_like(result) } else { result };
        if is_chosen {
            copies.push(plain(vec![result], Expr::Copy(bound), span));
        }
        parts.pattern.push(bound);
    }
    let form = LoopForm::For { index, bound: width };
    stms.push(plain(parts.pattern, Expr::Loop { params: parts.params, form, body: parts.body }, span));
    stms.append(&mut copies);
}

/// Whether a body makes the array that it yields.
fn makes(body: &Body, result: Operand) -> bool {
    let bound = body.stms.iter().find(|stm| stm.pattern.iter().any(|&var| result == var.into()));
    bound.is_some_and(|stm| match &stm.expr {
        exprs!(fresh, soac, Seg) => true,
        exprs!(Operand, scalar, Assert, view, Update, If, Loop, Call, UpdateAcc, Tuned, Alloc) => false,
    })
}

/// Adds loop-carried accumulators that are combined with `inputs`. Returns the accumulators before the combination.
fn combine(
    function: &mut Function,
    parts: &mut LoopParts,
    op: Lambda,
    neutral: &[Operand],
    inputs: &[Operand],
    span: Span,
) -> Vec<Operand> {
    let accs: Vec<Var> = op.params[..neutral.len()].iter().map(|&param| function.fresh_like(param)).collect();
    let param = |(&var, &init): (&Var, &Operand)| LoopParam { var, init, consumed: false };
    parts.params.extend(accs.iter().zip(neutral).map(param));
    let accs: Vec<Operand> = accs.into_iter().map(Operand::Var).collect();
    let args: Vec<Operand> = accs.iter().chain(inputs).copied().collect();
    bind(&mut parts.body, &op.params, &args, span);
    parts.body.stms.extend(op.body.stms);
    parts.body.result.extend(op.body.result);
    accs
}

/// Adds a loop-carried array, finally `result`, whose element `index` becomes `element`.
fn collect(
    function: &mut Function,
    parts: &mut LoopParts,
    index: Var,
    result: Var,
    element: Operand,
    span: Span,
    stms: &mut Vec<Stm>,
) {
    let ty = function.ty(result).as_array().expect("array results are arrays").clone();
    let scratch = function.fresh_like(result);
    stms.push(plain(vec![scratch], Expr::Scratch { elem: ty.elem, shape: ty.shape.clone() }, span));
    let var = function.fresh_like(result);
    parts.params.push(LoopParam { var, init: scratch.into(), consumed: true });
    let updated = function.fresh_like(result);
    let dims = row_at(&[index.into()], &ty.shape);
    parts.body.stms.push(plain(vec![updated], Expr::Update { array: var, dims, value: element }, span));
    parts.body.result.push(updated.into());
}

/// Returns the slice at leading `indices` of an array of this shape, whole in the other dimensions.
fn row_at(indices: &[Operand], shape: &[Operand]) -> Vec<SliceDim> {
    let whole = |&len: &Operand| SliceDim::whole(len);
    let fixed = indices.iter().map(|&index| SliceDim::Fix(index));
    fixed.chain(shape[indices.len()..].iter().map(whole)).collect()
}

/// Returns a loop over the elements of a histogram.
pub fn hist_loop(function: &mut Function, pattern: Vec<Var>, soac: Hist, span: Span) -> Stm {
    let Hist { width, inputs, lambda, ops } = soac;
    let index = function.fresh("i", Type::I64);
    let mut body = Body { stms: element_stms(index, &inputs, &lambda.params), result: vec![] };
    body.stms.extend(lambda.body.stms);
    let mut params = Vec::new();
    let mut values = lambda.body.result.into_iter();
    for op in ops {
        let at: Vec<Operand> = values.by_ref().take(op.rank).collect();
        let inputs: Vec<Operand> = values.by_ref().take(op.dests.len()).collect();
        let dests: Vec<Var> = op.dests.iter().map(|&dest| function.fresh_like(dest)).collect();
        let param = |(&var, &dest): (&Var, &Var)| LoopParam { var, init: dest.into(), consumed: true };
        params.extend(dests.iter().zip(&op.dests).map(param));
        let inside =
            in_bounds(function, &mut body, &at, function.ty(dests[0]).shape().to_vec().as_slice(), span);
        let results: Vec<Var> = dests.iter().map(|&dest| function.fresh_like(dest)).collect();
        let then_body = add_to_bin(function, op, &dests, &at, &inputs, span);
        let else_body = Body { stms: vec![], result: dests.into_iter().map(Operand::Var).collect() };
        let branch = warpwise_ir::Branch::Plain;
        body.stms.push(plain(results.clone(), Expr::If { cond: inside, then_body, else_body, branch }, span));
        body.result.extend(results.into_iter().map(Operand::Var));
    }
    plain(pattern, Expr::Loop { params, form: LoopForm::For { index, bound: width }, body }, span)
}

/// Appends the test whether `at` lies in the leading dimensions of `shape`.
fn in_bounds(
    function: &mut Function,
    body: &mut Body,
    at: &[Operand],
    shape: &[Operand],
    span: Span,
) -> Operand {
    let mut all = Operand::bool(true);
    for (&index, &size) in at.iter().zip(shape) {
        // One unsigned comparison rejects negative indices too.
        let inside = function.fresh("inside", Type::BOOL);
        body.stms.push(plain(vec![inside], Expr::Compare(CompareOp::ULt, index, size), span));
        let both = function.fresh("inside", Type::BOOL);
        body.stms.push(plain(vec![both], Expr::Binary(BinaryOp::And, all, inside.into()), span));
        all = both.into();
    }
    all
}

/// Returns a body that combines `inputs` into the bin `at` of `dests`.
fn add_to_bin(
    function: &mut Function,
    op: HistOp,
    dests: &[Var],
    at: &[Operand],
    inputs: &[Operand],
    span: Span,
) -> Body {
    let mut body = Body::default();
    let olds = &op.op.params[..dests.len()];
    for (&dest, &old) in dests.iter().zip(olds) {
        body.stms.push(plain(vec![old], Expr::Index { array: dest, indices: at.to_vec() }, span));
    }
    bind(&mut body, &op.op.params[dests.len()..], inputs, span);
    body.stms.extend(op.op.body.stms);
    for (&dest, value) in dests.iter().zip(op.op.body.result) {
        let dims = row_at(at, function.ty(dest).shape());
        let updated = function.fresh_like(dest);
        body.stms.push(plain(vec![updated], Expr::Update { array: dest, dims, value }, span));
        body.result.push(updated.into());
    }
    body
}
