//! Computes scans and reductions on CPUs whose operator works on whole arrays: by blocks of elements, with the operator inside
//! tasks.
//!
//! ```text
//! t = screma n (xss) scan (a: [m]f32, b: [m]f32) { ... } [one]
//! ==>
//! partials: [blocks][m]f32 = screma blocks (numbers) map (block) { part = slice xss[...]; reduction of part };
//! before: [1][blocks][m]f32 = screma 1 (numbers) map (_) { exclusive scan of partials };
//! t = scatter blocks (numbers, before[0]) into (room segments) map (block, start) {
//!   part = slice xss[...];
//!   rows: [length][m]f32 = loop over part, from start;
//!   return first, rows };
//! ```
//!
//! A reduction needs only the partial results, and one task that combines them. Without this form the host combines one element
//! after the other, each by a launch. It still does so for long arrays ([`LONG`]), where each element is worth a launch. The
//! number of blocks follows from the number of elements alone.
//!
//! An operator that may fail is applied to one element after the other, by one task, because blocks could fail at a different
//! element. SOACs with several kinds of operations are split first ([`apart`]), and maps before them must have been computed. Not
//! done here: operators that work element by element ([`super::columns`], [`super::rows`]).

use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Expr, Function, Lambda, Operand, Reduce, Scan, Scatter, ScatterDest, Screma, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::blocks::{Cut, bounds, divided_up, each_block, part};
use super::sequential::screma_loop;

/// Number of elements of an array from which arrays are combined one after the other, each in parallel inside.
const LONG: i64 = 1 << 14;

/// Maximum number of blocks.
const MOST_BLOCKS: i64 = 128;

/// Minimum number of elements of a block. Each block costs a partial result that one task combines with all others.
const LEAST_ELEMENTS: i64 = 32;

/// Splits a SOAC into its reductions and its other operations, if it has both and at most one side can fail. Scans with unused
/// results are dropped.
pub fn apart(function: &mut Function, pattern: &[Var], soac: &Screma, span: Span) -> Option<Vec<Stm>> {
    let (totals, arrays) = pattern.split_at(soac.n_reduced());
    let reduction_fails = soac.reduces.iter().any(|reduce| reduce.op.body.can_fail());
    let others_fail = soac.scans.iter().map(|scan| &scan.op).chain(&soac.post).any(|op| op.body.can_fail());
    if !is_mixed(pattern, soac) || others_fail && reduction_fails && !arrays.is_empty() {
        return None;
    }
    let reduced = soac.n_scanned()..soac.n_scanned() + totals.len();
    let mut only = |is_kept: &dyn Fn(usize) -> bool| {
        let mut map = soac.map.clone();
        let results = map.body.result.into_iter().enumerate();
        map.body.result = results.filter(|(at, _)| is_kept(*at)).map(|(_, x)| x).collect();
        Copier::within(function, Substitution::new()).copy_lambda(&map)
    };
    let reduction = only(&|at| reduced.contains(&at));
    let others = only(&|at| !reduced.contains(&at));
    let reduction = Screma { map: reduction, scans: vec![], post: None, ..soac.clone() };
    let others = Screma { map: others, reduces: vec![], ..soac.clone() };
    let stm =
        |pattern: &[Var], soac: Screma| super::plain(pattern.to_vec(), Expr::Screma(Box::new(soac)), span);
    let mut stms = vec![stm(totals, reduction)];
    if !arrays.is_empty() {
        stms.push(stm(arrays, others));
    }
    Some(stms)
}

/// Whether a SOAC reduces and also scans or yields arrays, even if these results are unused.
fn is_mixed(pattern: &[Var], soac: &Screma) -> bool {
    let n_reduced = soac.n_reduced();
    n_reduced > 0 && (pattern.len() > n_reduced || !soac.scans.is_empty() || soac.post.is_some())
}

/// Returns the statements for a SOAC that only scans, or only reduces, arrays. Any other SOAC runs in one task.
pub fn by_blocks(function: &mut Function, pattern: &[Var], soac: &Screma, span: Span) -> Vec<Stm> {
    let mut b = Builder::new(function);
    b.set_span(span);
    let mixed = is_mixed(pattern, soac);
    let results = short_or_long(&mut b, soac, |b| match soac.scans.is_empty() {
        _ if mixed => in_one_task(b, soac),
        true => folded(b, soac),
        false => scanned(b, soac),
    });
    for (&var, result) in pattern.iter().zip(results) {
        b.bind_to(vec![var], Expr::Operand(result.into()));
    }
    b.take_stms()
}

/// Combines the partial results of a reduction: in one task, unless the arrays are long.
pub fn combination(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    short_or_long(b, soac, |b| in_one_task(b, soac))
}

/// Returns the results of `short`, or those of a host loop if arrays are long.
fn short_or_long(b: &mut Builder, soac: &Screma, short: impl FnOnce(&mut Builder) -> Vec<Var>) -> Vec<Var> {
    let neutral = soac.scans.iter().flat_map(|scan| &scan.neutral);
    let neutral: Vec<Operand> =
        neutral.chain(soac.reduces.iter().flat_map(|reduce| &reduce.neutral)).copied().collect();
    let mut longest = Operand::i64(0);
    for x in neutral {
        let shape = b.function.operand_type(x).shape().to_vec();
        let size = shape.into_iter().fold(Operand::i64(1), |x, y| product(b, x, y));
        longest = greater(b, longest, size);
    }
    match constant(longest) {
        Some(size) if size < LONG => short(b),
        Some(_) => one_by_one(b, soac),
        None => {
            let is_long = b.compare("long", CompareOp::SLe, Operand::i64(LONG), longest);
            let operands = |vars: Vec<Var>| vars.into_iter().map(Operand::Var).collect();
            b.branch("combined", is_long, |b| operands(one_by_one(b, soac)), |b| operands(short(b)))
        }
    }
}

fn product(b: &mut Builder, x: Operand, y: Operand) -> Operand {
    match (constant(x), constant(y)) {
        (Some(x), Some(y)) => Operand::i64(x.saturating_mul(y)),
        (Some(1), None) => y,
        _ => b.binary("size", BinaryOp::Mul, x, y),
    }
}

fn greater(b: &mut Builder, x: Operand, y: Operand) -> Operand {
    match (constant(x), constant(y)) {
        (Some(x), Some(y)) => Operand::i64(x.max(y)),
        // An extent of 0 or 1 never decides whether arrays are long.
        (Some(0 | 1), None) => y,
        (None, Some(0 | 1)) => x,
        _ => b.binary("longest", BinaryOp::SMax, x, y),
    }
}

fn constant(x: Operand) -> Option<i64> {
    x.as_const().and_then(Scalar::as_int)
}

/// Emits a loop over the elements at the current position.
fn one_by_one(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    let types = result_types(b, soac);
    let pattern: Vec<Var> = types.into_iter().map(|ty| b.function.fresh("t", ty)).collect();
    let mut stms = Vec::new();
    let soac = copied(b, soac);
    screma_loop(b.function, pattern.clone(), soac, b.span(), &mut stms);
    b.extend(stms);
    pattern
}

/// Returns the types of a SOAC's results.
fn result_types(b: &Builder, soac: &Screma) -> Vec<Type> {
    let reduced = soac.reduces.iter().flat_map(|reduce| &reduce.neutral).copied();
    let scanned = soac.scans.iter().flat_map(|scan| &scan.neutral).copied();
    let further = soac.map.body.result[soac.n_scanned() + soac.n_reduced()..].iter().copied();
    let rows: Vec<Operand> = match &soac.post {
        Some(post) => post.body.result.clone(),
        None => scanned.chain(further).collect(),
    };
    let rows = rows.into_iter().map(|x| b.function.operand_type(x).array_of(&[soac.width]));
    reduced.map(|x| b.function.operand_type(x)).chain(rows).collect()
}

/// Returns a copy of a SOAC with fresh variables.
fn copied(b: &mut Builder, soac: &Screma) -> Screma {
    let expr = Expr::Screma(Box::new(soac.clone()));
    let Expr::Screma(soac) = Copier::within(b.function, Substitution::new()).copy_expr(&expr) else {
        unreachable!("a copy is alike")
    };
    *soac
}

/// Emits the whole operation as a single task.
fn in_one_task(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    let one = numbers(b, Operand::i64(1));
    let map = b.lambda(&[("task", Type::I64)], |b, _| {
        let soac = copied(b, soac);
        b.bind("t", Expr::Screma(Box::new(soac))).into_iter().map(Operand::Var).collect()
    });
    let all = b.map("all", Operand::i64(1), &[one], map);
    all.into_iter().map(|array| b.index("t", array, &[Operand::i64(0)])).collect()
}

fn numbers(b: &mut Builder, len: Operand) -> Var {
    b.bind_one("numbers", Expr::Iota { len, start: Operand::i64(0), step: Operand::i64(1) })
}

/// Returns the division into blocks; `None` if an operator may fail.
fn cut(b: &mut Builder, soac: &Screma) -> Option<Cut> {
    let mut operators =
        soac.scans.iter().map(|scan| &scan.op).chain(soac.reduces.iter().map(|reduce| &reduce.op));
    if operators.any(|op| op.body.can_fail()) {
        return None;
    }
    let least = divided_up(b, soac.width, Operand::i64(MOST_BLOCKS));
    let size = b.binary("size", BinaryOp::SMax, least, Operand::i64(LEAST_ELEMENTS));
    let blocks = divided_up(b, soac.width, size);
    Some(Cut { width: soac.width, blocks, size })
}

fn folded(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    let Some(cut) = cut(b, soac) else { return in_one_task(b, soac) };
    let partials = partials(b, &cut, soac, soac.map.clone(), &soac.reduces);
    let whole = over(b, cut.blocks, partials, vec![], soac.reduces.clone());
    in_one_task(b, &whole)
}

/// Returns the partial result of each block.
fn partials(b: &mut Builder, cut: &Cut, soac: &Screma, map: Lambda, reduces: &[Reduce]) -> Vec<Var> {
    each_block(b, cut, &soac.inputs, |b, width, inputs| {
        let reduces = reduces.to_vec();
        let fold = Screma { width, inputs, map, scans: vec![], reduces, post: None };
        let fold = copied(b, &fold);
        b.bind("partial", Expr::Screma(Box::new(fold)))
    })
}

/// Returns scans and reductions of arrays, without computation before them.
fn over(b: &mut Builder, width: Operand, inputs: Vec<Var>, scans: Vec<Scan>, reduces: Vec<Reduce>) -> Screma {
    let rows: Vec<Type> = inputs.iter().map(|&array| b.function.ty(array).row(1)).collect();
    let map = b.identity(&rows);
    Screma { width, inputs, map, scans, reduces, post: None }
}

fn scanned(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    let Some(cut) = cut(b, soac) else { return in_one_task(b, soac) };
    let mut map = soac.map.clone();
    map.body.result.truncate(soac.n_scanned());
    let fold =
        |scan: &Scan| Reduce { op: scan.op.clone(), neutral: scan.neutral.clone(), commutative: false };
    let reduces: Vec<Reduce> = soac.scans.iter().map(fold).collect();
    let partials = partials(b, &cut, soac, map, &reduces);
    let exclusive = soac.scans.iter().map(|scan| Scan { exclusive: true, ..scan.clone() }).collect();
    let prefixes = over(b, cut.blocks, partials, exclusive, vec![]);
    let before = in_one_task(b, &prefixes);
    from(b, &cut, soac, before)
}

/// Returns the scans of all blocks, starting from their prefixes.
fn from(b: &mut Builder, cut: &Cut, soac: &Screma, before: Vec<Var>) -> Vec<Var> {
    let mut dests = Vec::new();
    for ty in result_types(b, soac) {
        let ty = ty.as_array().expect("scans yield arrays").clone();
        let room = b.bind_one("room", Expr::Scratch { elem: ty.elem, shape: ty.shape });
        dests.push(ScatterDest::segments(room));
    }
    let rows = before.iter().map(|&array| ("start", b.function.ty(array).row(1)));
    let params: Vec<(&str, Type)> = [("block", Type::I64)].into_iter().chain(rows).collect();
    let lambda = b.lambda(&params, |b, vars| {
        let (first, width) = bounds(b, cut, vars[0]);
        let inputs = soac.inputs.iter().map(|&array| part(b, array, first, width)).collect();
        let mut starts = vars[1..].iter().map(|&start| Operand::Var(start));
        let mut scans = soac.scans.clone();
        for scan in &mut scans {
            scan.neutral = starts.by_ref().take(scan.neutral.len()).collect();
        }
        // Emitted as a loop immediately, because its start value is not a neutral element.
        let rows = one_by_one(b, &Screma { width, inputs, scans, ..soac.clone() });
        rows.into_iter().flat_map(|rows| [first, rows.into()]).collect()
    });
    let inputs = [numbers(b, cut.blocks)].into_iter().chain(before).collect();
    b.bind("t", Expr::Scatter(Box::new(Scatter { width: cut.blocks, inputs, lambda, dests })))
}
