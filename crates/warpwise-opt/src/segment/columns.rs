//! Turns scans of rows whose operator works element by element into scans of the columns (papers/001, rule G5 for scans).
//!
//! ```text
//! t = screma n (xss) scan (x: [m]f32, y: [m]f32) { z = screma m (x, y) map {fadd}; return z } [zeros]
//! ==> (on devices)
//! columns = manifest (1, 0) xss;
//! sums: [m][n]f32 = segmap (j < m: seq) {
//!   zero = index zeros[j];
//!   s = segscan (i < n: seq) scan (x: f32, y: f32) {fadd} [zero] { v = index columns[i, j]; return v }; return s };
//! t = rearrange (1, 0) sums;
//! ```
//!
//! On CPUs rows keep their layout: neighbouring columns are lanes, and long columns are split into blocks
//! ([`super::column_blocks`]). Without this pass the host would combine one row after the other, each by a launch. Rows of any
//! rank are scanned this way, and independent values of a tuple separately. Computation before the scans becomes a map of its
//! own, as does computation on their results. Reductions beside the scans become statements of their own.
//!
//! Not done here: operators that read more than one element of each row ([`super::inlined`]); small rows of known size
//! ([`super::small`]); and, except on devices, operators that may fail, since columns one after the other would fail in a
//! different order.

use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{
    Expr, Function, Lambda, Mapping, Operand, Scan, Screma, SegDim, SegKind, SegOp, Stm, Type, Var,
};

use super::rows::of_elements;
use super::sequential::{Around, calls};
use super::{Machine, column_blocks, independent};

/// Arrays of rows that are scanned by an operator on their elements.
pub struct Columns {
    /// The number of rows.
    pub width: Operand,
    /// The extents of a row, outermost first.
    pub extents: Vec<Operand>,
    /// The arrays.
    pub arrays: Vec<Var>,
    /// The neutral row of each array.
    pub neutral: Vec<Var>,
    /// The operator on elements.
    pub op: Lambda,
    /// Whether a result excludes its own row.
    pub exclusive: bool,
}

/// Returns the statements for a SOAC with scans, if all scans work element by element.
pub fn scans(
    function: &mut Function,
    around: Around,
    (pattern, soac): (&[Var], &Screma),
    span: Span,
) -> Option<Vec<Stm>> {
    let fails = |scan: &Scan| around != Around::Host(Machine::Device) && scan.op.body.can_fail();
    if soac.scans.is_empty() || soac.scans.iter().any(|scan| calls(&scan.op.body) || fails(scan)) {
        return None;
    }
    let mut scans = Vec::new();
    for scan in soac.scans.iter().flat_map(|scan| independent::scans(function, scan)).collect::<Vec<_>>() {
        let op = of_elements(function, &scan.op)?;
        scans.push((scan, op));
    }
    let mut b = Builder::new(function);
    b.set_span(span);
    let mut mapped = mapped(&mut b, soac);
    let further = mapped.split_off(soac.n_scanned() + soac.n_reduced());
    let reduced = mapped.split_off(soac.n_scanned());
    let mut rows = mapped.into_iter();
    let mut elements = Vec::new();
    for (scan, op) in scans {
        let own: Vec<Var> = rows.by_ref().take(scan.neutral.len()).collect();
        elements.extend(scanned(&mut b, around, soac.width, (&scan, op), own)?);
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

/// Returns the arrays that the map before the scans yields. Without computation they are the inputs; further results are copied.
fn mapped(b: &mut Builder, soac: &Screma) -> Vec<Var> {
    let map = &soac.map;
    let input = |x: &Operand| Some(soac.inputs[map.params.iter().position(|&param| *x == param.into())?]);
    let Some(mut arrays) = map.body.result.iter().map(input).collect::<Option<Vec<Var>>>() else {
        return b.map("mapped", soac.width, &soac.inputs, map.clone());
    };
    if soac.post.is_none() {
        for array in arrays.iter_mut().skip(soac.n_scanned() + soac.n_reduced()) {
            *array = b.bind_one("copied", Expr::Copy(*array));
        }
    }
    arrays
}

/// Emits the map after the scans, over scanned and further elements.
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

/// Returns the running sums of arrays of rows, by an operator on elements.
fn scanned(
    b: &mut Builder,
    around: Around,
    width: Operand,
    (scan, op): (&Scan, Lambda),
    arrays: Vec<Var>,
) -> Option<Vec<Var>> {
    let extents = b.function.ty(*arrays.first()?).shape()[1..].to_vec();
    if extents.is_empty() {
        return Some(column(b, width, &arrays, &[], Scan { op, ..scan.clone() }));
    }
    let neutral = scan.neutral.iter().map(|x| x.as_var()).collect::<Option<Vec<Var>>>()?;
    let columns = Columns { width, extents, arrays, neutral, op, exclusive: scan.exclusive };
    Some(match around {
        Around::Host(Machine::Device) => {
            let arrays = side_by_side(b, &columns);
            columns.whole(b, &arrays)
        }
        Around::Host(Machine::Cpu) => column_blocks::scan(b, &columns),
        Around::Kernel => column_blocks::scan_in_kernel(b, &columns),
    })
}

/// Returns the arrays stored column by column, so that adjacent work-items access adjacent rows of a column.
fn side_by_side(b: &mut Builder, columns: &Columns) -> Vec<Var> {
    let rank = columns.extents.len();
    let perm: Vec<usize> = (1..=rank).chain([0]).collect();
    let stored = |&array: &Var| b.bind_one("columns", Expr::Manifest { array, perm: perm.clone() });
    columns.arrays.iter().map(stored).collect()
}

impl Columns {
    /// Scans every column as a whole. `arrays` are the arrays of the columns in any layout.
    pub fn whole(&self, b: &mut Builder, arrays: &[Var]) -> Vec<Var> {
        self.each(b, |b, at| {
            let scan = self.scan_at(b, at, self.exclusive);
            column(b, self.width, arrays, at, scan)
        })
    }

    /// Runs `work` for every column, given its indices. Returns the results as arrays of rows.
    pub fn each(&self, b: &mut Builder, work: impl FnOnce(&mut Builder, &[Operand]) -> Vec<Var>) -> Vec<Var> {
        let (space, at) = self.space(b);
        let body = b.body(|b| work(b, &at).into_iter().map(Operand::Var).collect());
        let sums = b.bind("sums", Expr::Seg(Box::new(SegOp { space, kind: SegKind::Map, body })));
        let rank = self.extents.len();
        let perm: Vec<usize> = [rank].into_iter().chain(0..rank).collect();
        let turned = |array| b.bind_one("scanned", Expr::Rearrange { array, perm: perm.clone() });
        sums.into_iter().map(turned).collect()
    }

    /// Returns dimensions over all columns, and their indices.
    pub fn space(&self, b: &mut Builder) -> (Vec<SegDim>, Vec<Operand>) {
        let dim = |&extent| {
            let index = b.function.fresh("j", Type::I64);
            SegDim { index, extent, mapping: Mapping::Seq }
        };
        let space: Vec<SegDim> = self.extents.iter().map(dim).collect();
        let at = space.iter().map(|dim| dim.index.into()).collect();
        (space, at)
    }

    /// Returns the scan of the column at these indices.
    pub fn scan_at(&self, b: &mut Builder, at: &[Operand], exclusive: bool) -> Scan {
        Scan { op: self.operator(b), neutral: self.neutral_at(b, at), exclusive }
    }

    /// Returns the operator with fresh variables.
    pub fn operator(&self, b: &mut Builder) -> Lambda {
        Copier::within(b.function, Substitution::new()).copy_lambda(&self.op)
    }

    /// Returns the neutral elements of the column at these indices.
    pub fn neutral_at(&self, b: &mut Builder, at: &[Operand]) -> Vec<Operand> {
        self.neutral.iter().map(|&row| b.index("neutral", row, at).into()).collect()
    }
}

/// Returns the running sums of one column of each array.
pub fn column(b: &mut Builder, width: Operand, arrays: &[Var], column: &[Operand], scan: Scan) -> Vec<Var> {
    let index = b.function.fresh("i", Type::I64);
    let indices: Vec<Operand> = [index.into()].into_iter().chain(column.iter().copied()).collect();
    let body = b.body(|b| arrays.iter().map(|&array| b.index("value", array, &indices).into()).collect());
    let space = vec![SegDim { index, extent: width, mapping: Mapping::Seq }];
    let kind = SegKind::Scan { scans: vec![scan], reduces: Vec::new(), post: None };
    b.bind("sums", Expr::Seg(Box::new(SegOp { space, kind, body })))
}
