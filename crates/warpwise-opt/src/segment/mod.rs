//! Turns SOACs into segmented operations: level `soac` to level `seg`. All dimensions are sequential at first.
//!
//! ```text
//! ys: [n]f32 = screma n (xs) map (x: f32) {...};   ==>   ys: [n]f32 = segmap (i < n: seq) {
//!                                                          x: f32 = index xs[i]; ... };
//! ```
//!
//! A reduction or scan whose operator works on arrays becomes a sequential loop around its operator, whose inner parallelism
//! remains ([`sequential`]). Such a loop is in host code for devices and for long arrays; otherwise kernels run it by blocks of
//! elements ([`inlined`], [`blocks`]). Special forms:
//! - Histograms and reductions of rows that combine element by element become those of elements ([`rows`]).
//! - Scans of rows become scans of columns ([`columns`], [`column_blocks`]), on CPUs also those of a transposed matrix
//!   ([`turned`]).
//! - Reductions and scans of small arrays become those of scalars ([`small`]).
//! - Rows that are only copied are copied element by element ([`copies`]).
//! - Loops and inner operations whose values a scan or filter needs become a map of their own ([`apart`]).
//! - A map that calls a recursive function becomes a loop, too, since host code runs calls.
//! - Streams become tasks, blocks or one chunk ([`streams`]).
//!
//! Not done here: choosing mappings except for streams (the next scheduling pass does), accumulators and `flatmap` (gone by now).

mod apart;
mod blocks;
mod column_blocks;
mod columns;
mod copies;
mod independent;
mod inlined;
mod rows;
mod sequential;
mod small;
mod streams;
mod turned;

use warpwise_diag::{Limit, Span};
use warpwise_ir::{
    Body, Expr, Function, Lambda, Mapping, Operand, Program, Scatter, Screma, SegDim, SegKind, SegOp, Stm,
    Type, Var, exprs,
};

use crate::schedule;
use rows::Repeated;
use sequential::Around;
use streams::Within;
use turned::Turned;

/// The target of the program. It decides into how many blocks rows are combined.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Machine {
    /// A few cores, each with a cache of its own.
    Cpu,
    /// Thousands of work-items, with atomic operations.
    Device,
}

/// Segments every function for CPUs.
pub fn segment(program: &mut Program) -> Result<(), Limit> {
    segment_for(Machine::Cpu, program)
}

/// Segments every function for devices.
pub fn segment_device(program: &mut Program) -> Result<(), Limit> {
    segment_for(Machine::Device, program)
}

fn segment_for(machine: Machine, program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let body = std::mem::take(&mut function.body);
        let repeated = Repeated::of(&body);
        let turned = Turned::of(&body);
        let host = Host { machine, repeated: &repeated, turned: &turned };
        function.body = host_body(function, host, body)?;
    }
    Ok(())
}

/// The context of segmenting host code.
#[derive(Clone, Copy)]
struct Host<'r> {
    machine: Machine,
    repeated: &'r Repeated,
    turned: &'r Turned,
}

/// Segments the SOACs of a host body.
fn host_body(function: &mut Function, host: Host<'_>, body: Body) -> Result<Body, Limit> {
    let mut stms = Vec::with_capacity(body.stms.len());
    for stm in body.stms {
        host_stm(function, host, stm, &mut stms)?;
    }
    Ok(Body { stms, result: body.result })
}

fn host_stm(function: &mut Function, host: Host<'_>, mut stm: Stm, out: &mut Vec<Stm>) -> Result<(), Limit> {
    if host.machine == Machine::Cpu
        && let Expr::Screma(soac) = &stm.expr
        && let Some(stms) = turned::scan_of_rows(function, host.turned, (&stm.pattern, soac), stm.span)
    {
        for mut part in stms {
            part.certs.extend(&stm.certs);
            host_stm(function, host, part, out)?;
        }
        return Ok(());
    }
    if host.machine == Machine::Cpu
        && let Some(loops) = apart::loops(function, &mut stm)
    {
        host_stm(function, host, loops, out)?;
    }
    match stm.expr {
        Expr::If { cond, then_body, else_body, branch } => {
            let then_body = host_body(function, host, then_body)?;
            let else_body = host_body(function, host, else_body)?;
            stm.expr = Expr::If { cond, then_body, else_body, branch };
            out.push(stm);
        }
        Expr::Loop { params, form, body } => {
            let body = host_body(function, host, body)?;
            stm.expr = Expr::Loop { params, form, body };
            out.push(stm);
        }
        Expr::Stream(_) => {
            for stm in streams::unstream(function, stm, Within::Host) {
                host_stm(function, host, stm, out)?;
            }
        }
        Expr::Scatter(ref soac) if host.machine == Machine::Cpu && has_long_body(function, soac) => {
            for stm in apart::map_apart(function, stm) {
                host_stm(function, host, stm, out)?;
            }
        }
        _ if apart::map_calls(&stm.expr) => {
            for stm in apart::map_apart(function, stm) {
                host_stm(function, host, stm, out)?;
            }
        }
        Expr::Hist(soac) if sequential::combines_arrays(function, &soac) => {
            for mut part in blocks::hist(function, host, &stm.pattern, *soac, stm.span) {
                part.certs.extend(&stm.certs);
                host_stm(function, host, part, out)?;
            }
        }
        _ if sequential::needs_loop(function, &stm.expr) => {
            for stm in sequential::to_loop(function, stm, Around::Host(host.machine))? {
                host_stm(function, host, stm, out)?;
            }
        }
        exprs!(simple, Screma, Partition, Scatter, Hist, WithAcc, FlatMap, Seg) => {
            out.append(&mut segment_stm(function, stm)?)
        }
    }
    Ok(())
}

/// Whether a map should compute the places and values of a scatter: loops and inner operations get the form that suits them. Of
/// rows, the tasks for each part of the destination would compute all places again, which is little work only for arithmetic.
fn has_long_body(function: &Function, soac: &Scatter) -> bool {
    let segments = soac.dests.iter().any(|dest| dest.segments);
    let rows = soac.lambda.body.result.iter().any(|&x| function.operand_type(x).rank() > 0);
    fn is_long(body: &Body, rows: bool) -> bool {
        body.stms.iter().any(|stm| match &stm.expr {
            Expr::Index { .. } => rows,
            Expr::If { then_body, else_body, .. } => is_long(then_body, rows) || is_long(else_body, rows),
            exprs!(Loop, soac) => true,
            exprs!(
                Operand, scalar, Assert, Slice, Rearrange, Reshape, Update, fresh, Seg, Call, UpdateAcc,
                Tuned, Alloc
            ) => rows && !schedule::cost::is_cheap(&stm.expr),
        })
    }
    !segments && is_long(&soac.lambda.body, rows)
}

/// Segments every SOAC in a body inside a kernel, at any depth.
fn segment_body(function: &mut Function, body: &mut Body) -> Result<(), Limit> {
    let mut stms = Vec::with_capacity(body.stms.len());
    for stm in std::mem::take(&mut body.stms) {
        stms.append(&mut segment_stm(function, stm)?);
    }
    body.stms = stms;
    Ok(())
}

/// Segments a statement inside a kernel, or a SOAC of the host, together with everything inside it.
fn segment_stm(function: &mut Function, mut stm: Stm) -> Result<Vec<Stm>, Limit> {
    if sequential::needs_loop(function, &stm.expr) {
        let mut stms = Vec::new();
        for stm in sequential::to_loop(function, stm, Around::Kernel)? {
            stms.append(&mut segment_stm(function, stm)?);
        }
        return Ok(stms);
    }
    let limit =
        |what: &str| Limit { message: format!("{what} cannot be scheduled on the CPU yet"), span: stm.span };
    let (width, inputs, lambda, kind) = match stm.expr {
        Expr::Screma(soac) if copies::copies_rows(function, &soac) => {
            return Ok(copies::by_elements(function, &stm.pattern, &soac, &stm.certs, stm.span));
        }
        Expr::Screma(soac) => return segment_screma(function, stm.pattern, *soac, stm.certs, stm.span),
        Expr::Partition(soac) => {
            (soac.width, soac.inputs, soac.lambda, SegKind::Partition { classes: soac.classes })
        }
        Expr::Scatter(soac) => (soac.width, soac.inputs, soac.lambda, SegKind::Scatter { dests: soac.dests }),
        Expr::Hist(mut soac) => {
            for op in &mut soac.ops {
                segment_body(function, &mut op.op.body)?;
            }
            (soac.width, soac.inputs, soac.lambda, SegKind::Hist { ops: soac.ops })
        }
        Expr::Stream(_) => {
            let mut stms = Vec::new();
            for stm in streams::unstream(function, stm, Within::Element) {
                stms.append(&mut segment_stm(function, stm)?);
            }
            return Ok(stms);
        }
        Expr::WithAcc(_) | Expr::UpdateAcc { .. } => return Err(limit("an accumulator")),
        Expr::FlatMap(_) => return Err(limit("`flatmap`")),
        ref mut expr @ (exprs!(Operand, scalar, Assert, array, If, Loop, Call, Seg, Tuned, Alloc)) => {
            let mut failed = None;
            expr.for_each_body_mut(|body| {
                if failed.is_none() {
                    failed = segment_body(function, body).err();
                }
            });
            return failed.map_or(Ok(vec![stm]), Err);
        }
    };
    let (index, mut body) = element_body(function, &inputs, lambda);
    segment_body(function, &mut body)?;
    let space = vec![SegDim { index, extent: width, mapping: Mapping::Seq }];
    stm.expr = Expr::Seg(Box::new(SegOp { space, kind, body }));
    Ok(vec![stm])
}

fn segment_screma(
    function: &mut Function,
    pattern: Vec<Var>,
    soac: Screma,
    certs: Vec<Var>,
    span: Span,
) -> Result<Vec<Stm>, Limit> {
    let Screma { width, inputs, map, mut scans, mut reduces, mut post } = soac;
    let (index, mut body) = element_body(function, &inputs, map);
    if scans.is_empty()
        && let Some(post) = post.take()
    {
        let reduced = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        let further = body.result.split_off(reduced);
        bind(&mut body, &post.params, &further, span);
        body.stms.extend(post.body.stms);
        body.result.extend(post.body.result);
    }
    segment_body(function, &mut body)?;
    for op in scans.iter_mut().map(|scan| &mut scan.op).chain(reduces.iter_mut().map(|r| &mut r.op)) {
        segment_body(function, &mut op.body)?;
    }
    if let Some(post) = &mut post {
        segment_body(function, &mut post.body)?;
    }
    let kind = if !scans.is_empty() {
        SegKind::Scan { scans, reduces, post }
    } else if !reduces.is_empty() {
        SegKind::Reduce { reduces }
    } else {
        SegKind::Map
    };
    let space = vec![SegDim { index, extent: width, mapping: Mapping::Seq }];
    let expr = Expr::Seg(Box::new(SegOp { space, kind, body }));
    Ok(vec![Stm { pattern, expr, certs, span }])
}

/// Returns a fresh index and the body of a lambda applied to the element at that index of every input.
fn element_body(function: &mut Function, inputs: &[Var], lambda: Lambda) -> (Var, Body) {
    let index = function.fresh("i", Type::I64);
    let mut stms = element_stms(index, inputs, &lambda.params);
    stms.extend(lambda.body.stms);
    (index, Body { stms, result: lambda.body.result })
}

/// Returns statements that bind each of `elements` to element `index` of its array.
fn element_stms(index: Var, arrays: &[Var], elements: &[Var]) -> Vec<Stm> {
    let element = |(&array, &element): (&Var, &Var)| {
        plain(vec![element], Expr::Index { array, indices: vec![index.into()] }, Span::NONE)
    };
    arrays.iter().zip(elements).map(element).collect()
}

/// Returns a statement without certificates.
fn plain(pattern: Vec<Var>, expr: Expr, span: Span) -> Stm {
    Stm { pattern, expr, certs: Vec::new(), span }
}

/// Appends statements that give `vars` the values of `operands`.
fn bind(body: &mut Body, vars: &[Var], operands: &[Operand], span: Span) {
    let stms = vars.iter().zip(operands).map(|(&var, &x)| plain(vec![var], Expr::Operand(x), span));
    body.stms.extend(stms);
}
