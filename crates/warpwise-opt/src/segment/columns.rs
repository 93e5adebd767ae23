//! Scans of rows whose operator works element by element, on devices: as scans of the columns.
//!
//! ```text
//! t = screma n (xss) scan (x: [m]f32, y: [m]f32) { z = screma m (x, y) map {fadd}; return z } [zeros]
//! ==>
//! columns = manifest (1, 0) xss;
//! sums: [m][n]f32 = segmap (j < m: seq) {
//!   zero = index zeros[j];
//!   s = segscan (i < n: seq) scan (x: f32, y: f32) {fadd} [zero] { v = index columns[i, j]; return v }; return s };
//! t = rearrange (1, 0) sums;
//! ```
//!
//! Without that the host combines one row after the other, each by a launch. Rows of any rank are scanned so. What is
//! computed before the scans becomes a map of its own; so does what is done with their results, and reductions beside them
//! stand for themselves.
//!
//! Small rows of known size are taken apart instead ([`super::small`]). Not done here: operators that look at more than an element of each row; scans inside an element.

use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::{
    Expr, Function, Lambda, Mapping, Operand, Scan, Screma, SegDim, SegKind, SegOp, Stm, Type, Var,
};

use super::rows::of_elements;
use super::sequential::calls;

/// The statements for a SOAC with scans, if all of these work element by element.
pub fn scans(function: &mut Function, pattern: &[Var], soac: &Screma, span: Span) -> Option<Vec<Stm>> {
    if soac.scans.is_empty() || soac.scans.iter().any(|scan| calls(&scan.op.body)) {
        return None;
    }
    let mut operators = Vec::new();
    for scan in &soac.scans {
        operators.push(of_elements(function, &scan.op)?);
    }
    let mut b = Builder::new(function);
    b.set_span(span);
    let mut mapped = mapped(&mut b, soac);
    let further = mapped.split_off(soac.n_scanned() + soac.n_reduced());
    let reduced = mapped.split_off(soac.n_scanned());
    let mut rows = mapped.into_iter();
    let mut elements = Vec::new();
    for (scan, op) in soac.scans.iter().zip(operators) {
        let own: Vec<Var> = rows.by_ref().take(scan.neutral.len()).collect();
        elements.extend(scanned(&mut b, soac.width, scan, op, &own));
    }
    elements.extend(further);
    let (totals, arrays) = pattern.split_at(soac.n_reduced());
    if !totals.is_empty() {
        let types: Vec<Type> = reduced.iter().map(|&array| b.function.ty(array).row(1)).collect();
        let map = b.identity(&types);
        let reduction = Screma { inputs: reduced, map, scans: Vec::new(), post: None, ..soac.clone() };
        b.bind_to(totals.to_vec(), Expr::Screma(Box::new(reduction)));
    }
    afterwards(&mut b, arrays, soac, elements);
    Some(b.take_stms())
}

/// What is computed before the scans: what goes in as it is, but for what also comes out.
fn mapped(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    let map = &soac.map;
    let input = |x: &Operand| Some(soac.inputs[map.params.iter().position(|&param| *x == param.into())?]);
    let Some(mut arrays) = map.body.result.iter().map(input).collect::<Option<Vec<Var>>>() else {
        return b.map("mapped", soac.width, &soac.inputs, map.clone());
    };
    for array in arrays.iter_mut().skip(soac.n_scanned() + soac.n_reduced()) {
        *array = b.bind_one("copied", Expr::Copy(*array));
    }
    arrays
}

/// What is done with scanned and further elements.
fn afterwards(b: &mut Builder, arrays: &[Var], soac: &Screma, elements: Vec<Var>) {
    if let Some(post) = soac.post.clone() {
        let (scans, reduces) = (Vec::new(), Vec::new());
        let map = Screma { width: soac.width, inputs: elements, map: post, scans, reduces, post: None };
        b.bind_to(arrays.to_vec(), Expr::Screma(Box::new(map)));
        return;
    }
    for (&array, element) in arrays.iter().zip(elements) {
        b.bind_to(vec![array], Expr::Operand(element.into()));
    }
}

/// The running sums of arrays of rows, by an operator on elements.
fn scanned(b: &mut Builder, width: Operand, scan: &Scan, op: Lambda, rows: &[Var]) -> Vec<Var> {
    let extents = b.function.ty(rows[0]).shape()[1..].to_vec();
    let rank = extents.len();
    if rank == 0 {
        return column(b, width, rows, &[], Scan { op, ..scan.clone() });
    }
    let columns = side_by_side(b, rows, rank);
    let dim = |extent| {
        let index = b.function.fresh("j", Type::I64);
        SegDim { index, extent, mapping: Mapping::Seq }
    };
    let space: Vec<SegDim> = extents.into_iter().map(dim).collect();
    let indices: Vec<Operand> = space.iter().map(|dim| dim.index.into()).collect();
    let body = b.body(|b| {
        let rows = scan.neutral.iter().filter_map(|x| x.as_var());
        let neutral = rows.map(|row| b.index("neutral", row, &indices).into()).collect();
        let scan = Scan { op, neutral, exclusive: scan.exclusive };
        column(b, width, &columns, &indices, scan).into_iter().map(Operand::Var).collect()
    });
    let sums = b.bind("sums", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })));
    let perm: Vec<usize> = [rank].into_iter().chain(0..rank).collect();
    let turned = |array| b.bind_one("scanned", Expr::Rearrange { array, perm: perm.clone() });
    sums.into_iter().map(turned).collect()
}

/// The arrays, stored column by column: work-items side by side are at neighbouring rows of one column.
fn side_by_side(b: &mut Builder, rows: &[Var], rank: usize) -> Vec<Var> {
    let perm: Vec<usize> = (1..=rank).chain([0]).collect();
    let stored = |&array: &Var| b.bind_one("columns", Expr::Manifest { array, perm: perm.clone() });
    rows.iter().map(stored).collect()
}

/// The running sums of one column of each array.
fn column(b: &mut Builder, width: Operand, arrays: &[Var], column: &[Operand], scan: Scan) -> Vec<Var> {
    let index = b.function.fresh("i", Type::I64);
    let indices: Vec<Operand> = [index.into()].into_iter().chain(column.iter().copied()).collect();
    let body = b.body(|b| arrays.iter().map(|&array| b.index("value", array, &indices).into()).collect());
    let space = vec![SegDim { index, extent: width, mapping: Mapping::Seq }];
    let kind = SegKind::Scan { scans: vec![scan], reduces: Vec::new(), post: None };
    b.bind("sums", Expr::Seg(Box::new(SegOp { space, kind, body })))
}
