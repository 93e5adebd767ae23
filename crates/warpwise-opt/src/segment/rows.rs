//! Turns histograms and reductions of rows whose operator works element by element into those of elements.
//!
//! ```text
//! hist n (at, rows) into (dest) rank 1 with (x: [m]f32, y: [m]f32) { z = screma m (x, y) map {fadd}; return z } [zeros]
//! ==>
//! seghist (i < n: seq, j < m: seq) into (dest) rank 2 with (x: f32, y: f32) {fadd} [0.0f32]
//!   { k = index at[i]; row = index rows[i]; v = index row[j]; return k, j, v }
//! ```
//!
//! A reduction of rows becomes a map over columns of reductions (papers/001, rule G5).
//!
//! Without this, rows are combined one after the other. A histogram needs neutral rows that repeat a constant, and values that
//! already exist. Elements of the rows of a reduction may be computed from elements of other rows.

use rustc_hash::FxHashMap;
use warpwise_diag::Span;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::{Substitution, free_in_expr, free_in_lambda};
use warpwise_ir::{
    Body, Expr, Function, Hist, HistOp, Lambda, Mapping, Operand, Reduce, Screma, SegDim, SegKind, SegOp,
    Stm, Type, Var, exprs,
};

use super::copies::is_view;
use super::{element_body, plain};
use crate::schedule::cost;

/// The arrays that repeat a constant.
#[derive(Default)]
pub struct Repeated {
    values: SecondaryMap<Var, Option<Operand>>,
}

impl Repeated {
    /// Analyses every statement of a body.
    pub fn of(body: &Body) -> Repeated {
        let mut repeated = Repeated::default();
        repeated.body(body);
        repeated
    }

    fn body(&mut self, body: &Body) {
        for stm in &body.stms {
            if let Expr::Replicate { value: value @ Operand::Const(_), .. } = stm.expr {
                self.values[stm.pattern[0]] = Some(value);
            }
            stm.expr.for_each_body(|body| self.body(body));
        }
    }

    fn value(&self, operand: Operand) -> Option<Operand> {
        self.values[operand.as_var()?]
    }
}

/// Returns the histogram of elements that replaces a histogram of rows.
pub fn by_elements(
    function: &mut Function,
    repeated: &Repeated,
    pattern: &[Var],
    soac: &Hist,
    span: Span,
) -> Option<Stm> {
    let [op] = soac.ops.as_slice() else { return None };
    let rows = op.dests.iter().all(|&dest| function.ty(dest).rank() == op.rank + 1);
    if !rows || !soac.lambda.body.stms.is_empty() {
        return None;
    }
    let neutral: Option<Vec<Operand>> = op.neutral.iter().map(|&x| repeated.value(x)).collect();
    let neutral = neutral?;
    let scalar = of_elements(function, &op.op)?;
    let extent = function.ty(op.dests[0]).shape()[op.rank];
    let (index, mut body) = element_body(function, &soac.inputs, soac.lambda.clone());
    let column = function.fresh("j", Type::I64);
    let values = body.result.split_off(op.rank);
    body.result.push(column.into());
    for (row, &dest) in values.into_iter().zip(&op.dests) {
        let elem = function.ty(dest).elem()?;
        let value = function.fresh("value", Type::Scalar(elem));
        let expr = Expr::Index { array: row.as_var()?, indices: vec![column.into()] };
        body.stms.push(plain(vec![value], expr, span));
        body.result.push(value.into());
    }
    let dim = |index, extent| SegDim { index, extent, mapping: Mapping::Seq };
    let ops = vec![HistOp { rank: op.rank + 1, dests: op.dests.clone(), neutral, op: scalar }];
    let space = vec![dim(index, soac.width), dim(column, extent)];
    let expr = Expr::Seg(Box::new(SegOp { space, kind: SegKind::Hist { ops }, body }));
    Some(plain(pattern.to_vec(), expr, span))
}

/// Returns the reduction of every column that replaces a reduction of rows without other results. The rows exist, and may have
/// several dimensions, or their elements are computed one by one.
pub fn by_columns(function: &mut Function, (pattern, soac): (&[Var], &Screma), span: Span) -> Option<Stm> {
    let [reduce] = soac.reduces.as_slice() else { return None };
    let extents = function.ty(*pattern.first()?).shape().to_vec();
    let rows = reduce.op.params.iter().all(|&param| function.ty(param).rank() == extents.len());
    if !rows
        || extents.is_empty()
        || !soac.scans.is_empty()
        || soac.post.is_some()
        || pattern.len() != reduce.neutral.len()
    {
        return None;
    }
    let op = of_elements(function, &reduce.op)?;
    let columns: Vec<Var> = extents.iter().map(|_| function.fresh("j", Type::I64)).collect();
    let (index, body) = element_body(function, &soac.inputs, soac.map.clone());
    let inner = elements_at(function, body, &columns, span)?;
    let rows = Body { stms: vec![], result: reduce.neutral.clone() };
    let mut outer = elements_at(function, rows, &columns, span)?;
    let neutral = std::mem::take(&mut outer.result);
    let reduces = vec![Reduce { op, neutral, commutative: reduce.commutative }];
    let totals: Vec<Var> = (pattern.iter())
        .map(|&var| {
            let elem = function.ty(var).elem().expect("an array");
            function.fresh("total", Type::Scalar(elem))
        })
        .collect();
    let dim = |(index, extent)| SegDim { index, extent, mapping: Mapping::Seq };
    let space = columns.into_iter().zip(extents).map(dim).collect();
    let reduction =
        SegOp { space: vec![dim((index, soac.width))], kind: SegKind::Reduce { reduces }, body: inner };
    outer.result = totals.iter().map(|&total| total.into()).collect();
    outer.stms.push(plain(totals, Expr::Seg(Box::new(reduction)), span));
    let map = SegOp { space, kind: SegKind::Map, body: outer };
    Some(plain(pattern.to_vec(), Expr::Seg(Box::new(map)), span))
}

/// Returns the body that computes the elements at `indices` of a body's results, instead of whole rows: `None` unless the results
/// are views, or maps whose elements cost little.
fn elements_at(function: &mut Function, body: Body, indices: &[Var], span: Span) -> Option<Body> {
    let mut elements = Elements { function, indices, span, computed: FxHashMap::default(), stms: Vec::new() };
    for stm in body.stms {
        elements.stm(stm)?;
    }
    let result = body.result.iter().map(|row| elements.of(row.as_var()?)).collect::<Option<_>>()?;
    Some(Body { stms: elements.stms, result })
}

/// A body under construction that computes elements of rows.
struct Elements<'a> {
    function: &'a mut Function,
    indices: &'a [Var],
    span: Span,
    /// The elements of rows that are not made.
    computed: FxHashMap<Var, Operand>,
    stms: Vec<Stm>,
}

impl Elements<'_> {
    /// Adds a statement, or what it computes for the element.
    fn stm(&mut self, stm: Stm) -> Option<()> {
        let Stm { pattern, expr, certs, span } = stm;
        match expr {
            Expr::Screma(map) if map.is_map() && self.indices.len() == 1 => {
                let Lambda { params, mut body } = map.map;
                let is_cheap = |inside: &Stm| inside.expr.is_straight() && !self.reads_row(&inside.expr);
                if !body.stms.iter().all(is_cheap) {
                    return None;
                }
                let first = self.stms.len();
                let args: Vec<Operand> =
                    map.inputs.into_iter().map(|input| self.of(input)).collect::<Option<_>>()?;
                Substitution::of(&params, &args).apply_body(self.function, &mut body);
                self.stms.append(&mut body.stms);
                self.stms[first..].iter_mut().for_each(|inside| inside.certs.extend(&certs));
                self.computed.extend(pattern.into_iter().zip(body.result));
            }
            // Repeated for every column.
            expr @ exprs!(Operand, scalar, view)
                if !self.reads_row(&expr) && is_one_operation(&expr) && is_view(self.function, &expr) =>
            {
                self.stms.push(Stm { pattern, expr, certs, span });
            }
            exprs!(simple, nested) => return None,
        }
        Some(())
    }

    /// Whether an expression reads a row that is not made.
    fn reads_row(&self, expr: &Expr) -> bool {
        free_in_expr(self.function, expr).iter().any(|var| self.computed.contains_key(&var))
    }

    /// Returns the element of a row, unless it is a row itself.
    fn of(&mut self, array: Var) -> Option<Operand> {
        if let Some(&element) = self.computed.get(&array) {
            return Some(element);
        }
        if self.function.ty(array).rank() != self.indices.len() {
            return None;
        }
        let elem = self.function.ty(array).elem().expect("an array");
        let value = self.function.fresh("value", Type::Scalar(elem));
        let indices = self.indices.iter().map(|&index| index.into()).collect();
        self.stms.push(plain(vec![value], Expr::Index { array, indices }, self.span));
        Some(value.into())
    }
}

/// Whether an expression costs at most as much as one simple operation.
fn is_one_operation(expr: &Expr) -> bool {
    cost::scalar(expr).is_none_or(|cost| cost <= 1.0)
}

/// Returns the operator on elements of an operator on arrays of equal rank, if the latter consists only of maps over them.
pub fn of_elements(function: &mut Function, op: &Lambda) -> Option<Lambda> {
    let rank = function.ty(*op.params.first()?).rank();
    if !op.params.iter().all(|&param| function.ty(param).rank() == rank) {
        return None;
    }
    let mut op = op.clone();
    for _ in 0..rank {
        op = of_rows(function, &op)?;
    }
    Some(op)
}

/// Returns the operator on rows of an operator, if the latter is a map over its arguments that reads nothing else of them.
fn of_rows(function: &mut Function, op: &Lambda) -> Option<Lambda> {
    let [stm] = op.body.stms.as_slice() else { return None };
    let Expr::Screma(map) = &stm.expr else { return None };
    let yields_it = op.body.result.iter().copied().eq(stm.pattern.iter().map(|&var| Operand::Var(var)));
    let free = free_in_lambda(function, &map.map);
    let looks_elsewhere = op.params.iter().any(|&param| free.contains(param));
    if !map.is_map() || !yields_it || looks_elsewhere {
        return None;
    }
    let row = |&param: &Var| function.ty(param).row(1);
    let types: Vec<Type> = op.params.iter().map(row).collect();
    let params: Vec<Var> = types.into_iter().map(|ty| function.fresh("x", ty)).collect();
    let element = |input: &Var| Some(params[op.params.iter().position(|param| param == input)?].into());
    let elements: Vec<Operand> = map.inputs.iter().map(element).collect::<Option<_>>()?;
    let mut body = map.map.body.clone();
    body.stms.iter_mut().for_each(|inside| inside.certs.extend(&stm.certs));
    Substitution::of(&map.map.params, &elements).apply_body(function, &mut body);
    Some(Lambda { params, body })
}
