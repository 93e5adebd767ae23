//! Splits reductions of the results of nests, on devices, into the nest and a reduction of its stored results.
//!
//! ```text
//! t, yss = segred (i < n) reduce (+) { s, ys = segred (j < m) ...; return s, ys }
//! ==>
//! ss, yss = segmap (i < n) { s, ys = segred (j < m) ...; return s, ys }; t = segred (i < n) reduce (+) { s = index ss[i]; return s }
//! ```
//!
//! A processor saves storing a value for each outer element. On devices the inner parallelism would be lost. After the split, the
//! map is a nest like any other (see [`super::nests`]), and storing its results costs little compared with computing them.

use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Body, Expr, Function, Operand, SegDim, SegKind, SegOp, Stm, Type};

use super::nests::holds_long;

/// Returns the nest and the reduction of its results; `None` if the statement is not a reduction of a nest.
pub fn apart(function: &mut Function, stm: &Stm) -> Option<[Stm; 2]> {
    let Expr::Seg(op) = &stm.expr else { return None };
    let SegKind::Reduce { reduces } = &op.kind else { return None };
    let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
    let scalars = |x: &Operand| function.operand_type(*x).as_scalar().is_some();
    if !op.body.stms.iter().any(|stm| holds_long(&stm.expr))
        || !op.body.result[..n_reduced].iter().all(scalars)
    {
        return None;
    }
    let extents: Vec<Operand> = op.space.iter().map(|dim| dim.extent).collect();
    let types: Vec<Type> =
        op.body.result[..n_reduced].iter().map(|&x| function.operand_type(x).array_of(&extents)).collect();
    let mut pattern: Vec<_> = types.into_iter().map(|ty| function.fresh("each", ty)).collect();
    let space: Vec<SegDim> =
        op.space.iter().map(|dim| SegDim { index: function.fresh("i", Type::I64), ..*dim }).collect();
    let indices: Vec<Operand> = space.iter().map(|dim| dim.index.into()).collect();
    let mut body = Body::default();
    for (&array, &x) in pattern.iter().zip(&op.body.result) {
        let value = function.fresh("x", function.operand_type(x));
        let expr = Expr::Index { array, indices: indices.clone() };
        body.stms.push(Stm { pattern: vec![value], expr, certs: Vec::new(), span: stm.span });
        body.result.push(value.into());
    }
    let (totals, arrays) = stm.pattern.split_at(n_reduced);
    pattern.extend(arrays);
    let nest = SegOp { space: op.space.clone(), kind: SegKind::Map, body: op.body.clone() };
    let nest = Copier::within(function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(nest)));
    let reduction = Expr::Seg(Box::new(SegOp { space, kind: op.kind.clone(), body }));
    Some([
        Stm { pattern, expr: nest, ..stm.clone() },
        Stm { pattern: totals.to_vec(), expr: reduction, ..stm.clone() },
    ])
}
