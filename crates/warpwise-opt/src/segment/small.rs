//! Turns reductions and scans of small arrays of known size into those of their elements, all together.
//!
//! ```text
//! t = screma n (xs) scan (a: [2]f32, b: [2]f32) { c = index b[0]; d = screma 2 (a) map (x) { fmul x c }; return d } [one]
//! ==>
//! n0 = index one[0]; n1 = index one[1];
//! t = screma n (xs) map (x: [2]f32) { x0 = index x[0]; x1 = index x[1]; return x0, x1 }
//!   scan (a0, a1, b0, b1) { d0 = fmul a0 b0; d1 = fmul a1 b0; return d0, d1 } [n0, n1]
//!   post (s0, s1) { s: [2]f32 = [s0, s1]; return s };
//! ```
//!
//! The operator is unrolled completely, and its arrays are replaced by their elements ([`unroll`]). So is the map before it, if
//! possible. Without this the host combines one element after the other. On CPUs, scans of wider rows by columns are better
//! ([`rather_than_columns`]). A map that cannot be unrolled is split off.
//!
//! Not done here: operators with many elements, or with loops, checks or indices that are not constant.

mod unroll;

use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Reduce, Scan, Screma, Stm, Type, Var};

use super::Machine;
use super::rows::of_elements;
use crate::small_arrays::{Extents, Value};
use unroll::{unrolled, written_out};

/// Minimum number of elements of a row for which lanes along the row are better than lanes along the rows.
const WIDE: usize = 4;

/// Whether some operator on arrays does not work element by element, or works on narrow rows.
pub fn rather_than_columns(function: &mut Function, soac: &Screma) -> bool {
    let operators =
        soac.scans.iter().map(|scan| &scan.op).chain(soac.reduces.iter().map(|reduce| &reduce.op));
    let on_arrays = |op: &&Lambda| op.params.iter().any(|&param| function.ty(param).rank() > 0);
    operators.filter(on_arrays).collect::<Vec<_>>().into_iter().any(|op| {
        let narrow =
            |&param: &Var| Extents::of(function.ty(param)).is_some_and(|extents| extents.count() < WIDE);
        op.params.iter().all(narrow) || of_elements(function, op).is_none()
    })
}

/// Returns the statements for a SOAC with operators on small arrays, if all these can be unrolled.
pub fn by_scalars(
    function: &mut Function,
    machine: Machine,
    (pattern, soac): (&[Var], &Screma),
    span: Span,
) -> Option<Vec<Stm>> {
    let scanned = soac.scans.iter().flat_map(|scan| &scan.neutral);
    let mut neutral = scanned.chain(soac.reduces.iter().flat_map(|reduce| &reduce.neutral));
    if !neutral.any(|&x| function.operand_type(x).rank() > 0) {
        return None;
    }
    let mut b = Builder::new(function);
    b.set_span(span);
    let (scans, reduces) = operators(&mut b, soac)?;
    let (combined, further) = soac.map.body.result.split_at(soac.n_scanned() + soac.n_reduced());
    let type_of = |&x: &Operand| b.function.operand_type(x);
    let (types, more): (Vec<Type>, Vec<Type>) =
        (combined.iter().map(type_of).collect(), further.iter().map(type_of).collect());
    let map = elements_of_map(&mut b, machine, &soac.map, (combined, further))?;
    let post = after_scans(&mut b, soac, &types[..soac.n_scanned()], &more)?;
    let (totals, arrays) = pattern.split_at(soac.n_reduced());
    let parts = parts(&mut b, &types[soac.n_scanned()..])?;
    let mut bound: Vec<Var> = parts.iter().flat_map(Value::vars).collect();
    bound.extend(arrays);
    let (width, inputs) = (soac.width, soac.inputs.clone());
    b.bind_to(bound, Expr::Screma(Box::new(Screma { width, inputs, map, scans, reduces, post })));
    for (&total, parts) in totals.iter().zip(parts) {
        let whole = parts.assembled(&mut b);
        b.bind_to(vec![total], Expr::Operand(whole));
    }
    Some(b.take_stms())
}

/// Returns the scans and reductions of elements.
fn operators(b: &mut Builder, soac: &Screma) -> Option<(Vec<Scan>, Vec<Reduce>)> {
    let (mut scans, mut reduces) = (Vec::new(), Vec::new());
    for scan in &soac.scans {
        let op = unrolled(b, &scan.op)?;
        scans.push(Scan { op, neutral: all_elements(b, &scan.neutral)?, ..scan.clone() });
    }
    for reduce in &soac.reduces {
        let op = unrolled(b, &reduce.op)?;
        reduces.push(Reduce { op, neutral: all_elements(b, &reduce.neutral)?, ..reduce.clone() });
    }
    Some((scans, reduces))
}

/// Returns fresh variables for the elements of results of these types.
fn parts(b: &mut Builder, types: &[Type]) -> Option<Vec<Value>> {
    let parts = |ty| {
        let extents = Extents::of(ty)?;
        let part = |_| b.function.fresh("total", extents.scalar()).into();
        Some(Value { elements: (0..extents.count()).map(part).collect(), extents })
    };
    types.iter().map(parts).collect()
}

/// Returns the elements of several values, concatenated.
fn all_elements(b: &mut Builder, values: &[Operand]) -> Option<Vec<Operand>> {
    let mut elements = Vec::new();
    for &value in values {
        elements.extend(Value::read(b, value)?.elements);
    }
    Some(elements)
}

/// Returns the map before the operators, which yields the elements of the combined values.
fn elements_of_map(
    b: &mut Builder,
    machine: Machine,
    map: &Lambda,
    (combined, further): (&[Operand], &[Operand]),
) -> Option<Lambda> {
    if let Some(map) = written_out(b, map, combined.len()) {
        return Some(map);
    }
    let made = |x: &Operand| {
        b.function.operand_type(*x).rank() > 0 && x.as_var().is_some_and(|var| !map.params.contains(&var))
    };
    if machine == Machine::Cpu && combined.iter().any(made) {
        return None;
    }
    let mut read = None;
    let after = b.body(|b| {
        read = all_elements(b, combined);
        Vec::new()
    });
    let result = read?.into_iter().chain(further.iter().copied()).collect();
    let stms = map.body.stms.iter().cloned().chain(after.stms).collect();
    Some(Lambda { params: map.params.clone(), body: Body { stms, result } })
}

/// Returns the map after the scans, which first assembles the scanned arrays.
fn after_scans(b: &mut Builder, soac: &Screma, scanned: &[Type], further: &[Type]) -> Option<Option<Lambda>> {
    if soac.scans.is_empty() {
        return Some(soac.post.clone());
    }
    let extents: Vec<Extents> = scanned.iter().map(Extents::of).collect::<Option<_>>()?;
    let each =
        extents.iter().flat_map(|extents| std::iter::repeat_n(("s", extents.scalar()), extents.count()));
    let params: Vec<(&str, Type)> = each.chain(further.iter().map(|ty| ("x", ty.clone()))).collect();
    let post = b.lambda(&params, |b, vars| {
        let mut vars = vars.iter().map(|&var| Operand::Var(var));
        let mut values = Vec::new();
        for extents in extents {
            let elements = vars.by_ref().take(extents.count()).collect();
            values.push(Value { extents, elements }.assembled(b));
        }
        values.extend(vars);
        match &soac.post {
            Some(post) => b.apply(post, &values),
            None => values,
        }
    });
    Some(Some(post))
}
