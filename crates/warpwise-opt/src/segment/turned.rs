//! Turns scans of the columns of a matrix, written as a map over its transposition, into scans of its rows.
//!
//! ```text
//! t: [m][n]f32 = rearrange (1, 0) a;
//! s: [m][n]f32 = screma m (t) map (xs: [n]f32) { ys = screma n (xs) map {...} scan op [0f32] post {...}; return ys };
//! r: [n][m]f32 = rearrange (1, 0) s;
//! ==>
//! rows: [n][m]f32 = screma n (a) map (row: [m]f32) { screma m (row) map {...} }
//!   scan (x: [m]f32, y: [m]f32) { screma m (x, y) map op } [zeros] post (z: [m]f32) { screma m (z) map {...} };
//! s: [m][n]f32 = rearrange (1, 0) rows;
//! ```
//!
//! The columns would be walked with a stride, one after the other. Scans of rows go through memory in order
//! ([`super::column_blocks`]).
//!
//! Only where the result is always turned back: stored column by column, it would be copied. Not done here: matrices of higher
//! rank, maps with more than the scan.

use rustc_hash::FxHashMap;
use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::free_in_expr;
use warpwise_ir::{Body, Expr, Function, Lambda, Operand, Scan, Screma, Stm, Type, Var};

use super::sequential::calls;
use crate::uses::uses;

/// The transpositions of a function.
pub struct Turned {
    /// The matrices that transpositions turn, by the transpositions.
    sources: FxHashMap<Var, Var>,
    /// Number of transpositions of each array.
    times: FxHashMap<Var, u32>,
    /// Number of uses of each array.
    uses: SecondaryMap<Var, u32>,
}

impl Turned {
    /// Finds the transpositions in a body.
    pub fn of(body: &Body) -> Turned {
        let mut turned =
            Turned { sources: FxHashMap::default(), times: FxHashMap::default(), uses: uses(body) };
        turned.body(body);
        turned
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            if let Expr::Rearrange { array, perm } = &stm.expr
                && perm.as_slice() == [1, 0]
            {
                self.sources.insert(stm.pattern[0], *array);
                *self.times.entry(*array).or_default() += 1;
            }
            stm.expr.for_each_body(|body| self.body(body));
        }
    }

    /// Whether an array occurs in transpositions only.
    fn is_turned_back(&self, array: Var) -> bool {
        self.times.get(&array) == Some(&self.uses[array])
    }
}

/// Returns the scan of rows that replaces a map, if the map scans the columns of matrices and its results are turned back.
pub fn scan_of_rows(
    function: &mut Function,
    turned: &Turned,
    (pattern, soac): (&[Var], &Screma),
    span: Span,
) -> Option<Vec<Stm>> {
    let inner = only_scan(soac)?;
    if !pattern.iter().all(|&var| turned.is_turned_back(var)) || !is_by_elements(function, soac, inner) {
        return None;
    }
    let source = |column: &Var| {
        let at = soac.map.params.iter().position(|param| param == column)?;
        turned.sources.get(&soac.inputs[at]).copied()
    };
    let inputs = inner.inputs.iter().map(source).collect::<Option<Vec<Var>>>()?;
    let mut b = Builder::new(function);
    b.set_span(span);
    let width = soac.width;
    let of_rows = |b: &mut Builder, lambda: &Lambda| {
        let params: Vec<Type> = lambda.params.iter().map(|&x| b.function.ty(x).array_of(&[width])).collect();
        let is_identity =
            lambda.params.iter().map(|&x| Operand::Var(x)).eq(lambda.body.result.iter().copied());
        if is_identity {
            return b.identity(&params);
        }
        let named: Vec<(&str, Type)> = params.into_iter().map(|ty| ("row", ty)).collect();
        b.lambda(&named, |b, rows| {
            let elements = b.map("row", width, rows, lambda.clone());
            elements.into_iter().map(Operand::Var).collect()
        })
    };
    let map = of_rows(&mut b, &inner.map);
    let mut scans = Vec::new();
    for scan in &inner.scans {
        let neutral = scan.neutral.iter().map(|&value| {
            let shape = vec![width].into();
            Operand::Var(b.bind_one("neutral", Expr::Replicate { shape, value }))
        });
        let neutral = neutral.collect();
        scans.push(Scan { op: of_rows(&mut b, &scan.op), neutral, exclusive: scan.exclusive });
    }
    let post = inner.post.as_ref().map(|post| of_rows(&mut b, post));
    let rows = Screma { width: inner.width, inputs, map, scans, reduces: Vec::new(), post };
    let rows = b.bind("rows", Expr::Screma(Box::new(rows)));
    for (&var, array) in pattern.iter().zip(rows) {
        b.bind_to(vec![var], Expr::Rearrange { array, perm: vec![1, 0] });
    }
    Some(b.take_stms())
}

/// Returns the scan that a map consists of.
fn only_scan(soac: &Screma) -> Option<&Screma> {
    let [stm] = soac.map.body.stms.as_slice() else { return None };
    let Expr::Screma(inner) = &stm.expr else { return None };
    let results: Vec<Operand> = stm.pattern.iter().map(|&var| var.into()).collect();
    let is_map = soac.scans.is_empty() && soac.reduces.is_empty() && soac.post.is_none();
    let only_scans = !inner.scans.is_empty() && inner.reduces.is_empty() && stm.certs.is_empty();
    (is_map && only_scans && soac.map.body.result == results).then_some(inner)
}

/// Whether a scan works on scalars, by code that cannot fail, and takes nothing of the column but its elements.
fn is_by_elements(function: &Function, soac: &Screma, inner: &Screma) -> bool {
    let lambdas = [&inner.map].into_iter().chain(inner.scans.iter().map(|scan| &scan.op)).chain(&inner.post);
    let is_scalar = |var: &Var| function.ty(*var).as_scalar().is_some();
    let mut lambdas_fit = lambdas.map(|lambda| {
        lambda.params.iter().all(is_scalar)
            && lambda.body.result.iter().all(|&x| function.operand_type(x).as_scalar().is_some())
            && !lambda.body.can_fail()
            && !calls(&lambda.body)
    });
    let without_columns = Expr::Screma(Box::new(Screma { inputs: Vec::new(), ..inner.clone() }));
    let depends = free_in_expr(function, &without_columns).iter().any(|var| soac.map.params.contains(&var));
    !depends && lambdas_fit.all(|fits| fits)
}
