//! Emits the nest over the digits of a flat index.

use warpwise_diag::Span;
use warpwise_ir::builder::Builder;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, Mapping, Operand, Reduce, SegDim, SegKind, SegOp, Stm, Type, Var};
use warpwise_prim::{BinaryOp, ConvertOp, ScalarType};

use super::Plan;
use super::digits::Digits;
use super::products::{Definitions, Product};

/// The sizes of the digits, the last digit first.
pub struct Radix {
    pub sizes: Vec<Operand>,
    /// The number of values of the first digit.
    pub first: Operand,
    /// The number of digits in the last dimension.
    pub in_row: usize,
}

/// Emits an operation as a nest. Returns its results, flat again.
pub fn nest(b: &mut Builder, outside: &Definitions, stm: &Stm, plan: &Plan, radix: &Radix) -> Vec<Operand> {
    let dims = dimensions(b, radix);
    let parts = Parts { plan, radix, dims: &dims };
    let mut body = b.body(|b| {
        let whole = parts.composed(b, 0, dims.len(), ScalarType::I64);
        b.bind_to(vec![plan.dim.index], Expr::Operand(whole));
        let mut body = plan.op.body.clone();
        parts.rewrite(b.function, outside, &mut Vec::new(), &mut body);
        b.extend(body.stms);
        body.result
    });
    let space: Vec<SegDim> = dims.iter().rev().copied().collect();
    let op = match &plan.op.kind {
        SegKind::Reduce { reduces } => {
            for &dim in &dims[..dims.len() - 1] {
                body = reduced(b.function, dim, reduces, body, stm.span);
            }
            SegOp { space: vec![space[0]], kind: plan.op.kind.clone(), body }
        }
        kind @ (SegKind::Map
        | SegKind::Scan { .. }
        | SegKind::Partition { .. }
        | SegKind::Scatter { .. }
        | SegKind::Hist { .. }) => SegOp { space, kind: kind.clone(), body },
    };
    // The original stays, so that the nest needs variables of its own.
    let copy = Copier::within(b.function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(op)));
    let results = b.with_certs(&stm.certs, |b| b.bind("rows", copy));
    let flat = |(&result, &var): (&Var, &Var)| {
        let shape = b.function.ty(var).shape().iter().copied().collect();
        match plan.op.kind {
            SegKind::Map => b.bind_one("flat", Expr::Reshape { array: result, shape }).into(),
            SegKind::Reduce { .. }
            | SegKind::Scan { .. }
            | SegKind::Partition { .. }
            | SegKind::Scatter { .. }
            | SegKind::Hist { .. } => result.into(),
        }
    };
    results.iter().zip(&stm.pattern).map(flat).collect()
}

/// Returns the dimensions of the nest, the last one first.
fn dimensions(b: &mut Builder, radix: &Radix) -> Vec<SegDim> {
    let (in_row, others) = radix.sizes.split_at(radix.in_row);
    let row = in_row.iter().copied().reduce(|x, y| b.binary("row", BinaryOp::Mul, y, x));
    let extents = row.into_iter().chain(others.iter().copied()).chain([radix.first]);
    let dim = |extent| SegDim { index: b.function.fresh("i", Type::I64), extent, mapping: Mapping::Seq };
    extents.map(dim).collect()
}

/// Returns the body of a reduction whose elements are the rows that `body` computes the elements of.
fn reduced(function: &mut Function, dim: SegDim, reduces: &[Reduce], body: Body, span: Span) -> Body {
    let copied = |reduce: &Reduce| Reduce {
        op: Copier::within(function, Substitution::new()).copy_lambda(&reduce.op),
        neutral: reduce.neutral.clone(),
        commutative: reduce.commutative,
    };
    let kind = SegKind::Reduce { reduces: reduces.iter().map(copied).collect() };
    let types = reduces.iter().flat_map(|reduce| &reduce.neutral);
    let pattern: Vec<Var> = types
        .map(|&neutral| {
            let ty = function.operand_type(neutral);
            function.fresh("row", ty)
        })
        .collect();
    let result = pattern.iter().map(|&var| var.into()).collect();
    let expr = Expr::Seg(Box::new(SegOp { space: vec![dim], kind, body }));
    Body { stms: vec![Stm { pattern, expr, certs: vec![], span }], result }
}

/// The parts of the flat index in terms of the indices of the nest.
struct Parts<'p> {
    plan: &'p Plan,
    radix: &'p Radix,
    /// The dimensions, the last one first.
    dims: &'p [SegDim],
}

/// The value of a part.
#[derive(Clone, Copy)]
enum Source {
    /// The indices of the dimensions from the first to below the second, the last one first.
    Dims(usize, usize),
    /// Digits of the last dimension, from the first to below the second.
    InRow(usize, usize),
}

impl Parts<'_> {
    /// Replaces the parts of the index in a body, and drops the checks of their divisors; checks of places test
    /// digits. `known` are the certificates of dropped checks.
    fn rewrite(&self, function: &mut Function, outside: &Definitions, known: &mut Vec<Var>, body: &mut Body) {
        for mut stm in std::mem::take(&mut body.stms) {
            if let Expr::Assert { cond, .. } = stm.expr
                && self.is_positive(function, outside, cond)
            {
                known.extend(&stm.pattern);
                continue;
            }
            stm.certs.retain(|cert| !known.contains(cert));
            let mut b = Builder::new(function);
            let check = self.plan.checks.iter().find(|check| stm.pattern[..] == [check.cond]);
            if let Some(check) = check {
                stm.expr = check.by_digits(&mut b, self.dims, stm.expr);
            } else if let Some(value) = self.value(&mut b, &stm) {
                stm.expr = value;
            }
            body.stms.extend(b.take_stms());
            stm.expr.for_each_body_mut(|body| self.rewrite(function, outside, known, body));
            body.stms.push(stm);
        }
    }

    /// Whether a condition says that a number is not zero which is positive wherever the nest runs.
    fn is_positive(&self, function: &Function, outside: &Definitions, cond: Operand) -> bool {
        let Plan { digits, first, .. } = self.plan;
        let divisor = outside.nonzero(cond).and_then(|x| outside.product(function, x));
        divisor.is_some_and(|(divisor, is_narrow)| {
            let is_positive = digits.is_ratio(&divisor) || *first == Some(divisor);
            (!is_narrow || digits.is_narrow) && is_positive
        })
    }

    /// Emits the value of a statement that computes a part, or the low half of one.
    fn value(&self, b: &mut Builder, stm: &Stm) -> Option<Expr> {
        let [var] = stm.pattern[..] else { return None };
        let ty = b.function.ty(var).as_scalar()?;
        let source = if let Expr::Convert(ConvertOp::Truncate, wide, ScalarType::I32) = stm.expr {
            self.source(wide.as_var()?)
        } else {
            self.source(var)
        };
        match source? {
            Source::Dims(first, end) => Some(Expr::Operand(self.composed(b, first, end, ty))),
            Source::InRow(low, high) => {
                let wide = self.in_row(b, low, high);
                let is_narrow = ty == ScalarType::I32;
                Some(if is_narrow {
                    Expr::Convert(ConvertOp::Truncate, wide, ty)
                } else {
                    Expr::Operand(wide)
                })
            }
        }
    }

    /// Returns the source of a variable that is a part of the index, unless its definition is as simple.
    fn source(&self, var: Var) -> Option<Source> {
        if var == self.plan.dim.index {
            return Some(Source::Dims(0, self.dims.len()));
        }
        let Digits { cuts, parts, .. } = &self.plan.digits;
        let (_, part) = parts.iter().find(|(other, _)| *other == var)?;
        let end = |end: &Product| cuts.iter().position(|cut| cut == end).map(|cut| cut + 1);
        let low = if part.low == Product::one() { 0 } else { end(&part.low)? };
        let high = match &part.high {
            Some(high) => end(high)?,
            None => cuts.len() + 1,
        };
        let in_row = self.radix.in_row;
        if (low == 0 || low >= in_row) && high >= in_row {
            let first = if low == 0 { 0 } else { low + 1 - in_row };
            return Some(Source::Dims(first, high + 1 - in_row));
        }
        (high <= in_row).then_some(Source::InRow(low, high))
    }

    /// Emits the part of the index that digits `low..high` of the last dimension make up.
    fn in_row(&self, b: &mut Builder, low: usize, high: usize) -> Operand {
        let Radix { sizes, in_row, .. } = self.radix;
        let size = |b: &mut Builder, digits: &[Operand]| {
            digits.iter().copied().reduce(|x, y| b.binary("size", BinaryOp::Mul, y, x))
        };
        let mut value = self.dims[0].index.into();
        if high < *in_row
            && let Some(end) = size(b, &sizes[..high])
        {
            value = b.binary("digits", BinaryOp::SMod, value, end);
        }
        match size(b, &sizes[..low]) {
            Some(low) => b.binary("digits", BinaryOp::SDiv, value, low),
            None => value,
        }
    }

    /// Emits the number of this type that the indices of dimensions `first..end` make up together.
    fn composed(&self, b: &mut Builder, first: usize, end: usize, ty: ScalarType) -> Operand {
        let number = |b: &mut Builder, x: Operand| {
            if ty == ScalarType::I64 { x } else { b.convert("short", ConvertOp::Truncate, x, ty) }
        };
        let mut value = number(b, self.dims[end - 1].index.into());
        for dim in self.dims[first..end - 1].iter().rev() {
            let extent = number(b, dim.extent);
            let index = number(b, dim.index.into());
            let at = b.binary("at", BinaryOp::Mul, value, extent);
            value = b.binary("at", BinaryOp::Add, at, index);
        }
        value
    }
}
