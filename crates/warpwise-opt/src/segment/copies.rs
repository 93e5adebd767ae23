//! Turns maps that copy rows into maps over the elements of these rows.
//!
//! ```text
//! ys: [k][m]f32 = screma k (is) map (i: i64) { row: [m]f32 = index xs[i]; return row }
//! ==>
//! ys: [k][m]f32 = segmap (p < k: seq, j < m: seq) { i = index is[p]; row = index xs[i]; x = index row[j]; return x }
//! ```
//!
//! Otherwise a single work-item or lane would copy a whole row, and neighbours would access addresses a row apart. Several
//! results become separate maps, each with the few statements that find its row.
//!
//! Not done here: maps with checks, which must run for every row, even for empty rows.

use warpwise_diag::Span;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Expr, Function, Mapping, Operand, Screma, SegDim, SegKind, SegOp, Stm, Type, Var};

use super::{element_body, plain};

/// Whether a SOAC does almost nothing but copy rows of arrays.
pub fn copies_rows(function: &Function, soac: &Screma) -> bool {
    let body = &soac.map.body;
    let is_row = |&x: &Operand| {
        let view = |stm: &Stm| {
            let view = matches!(
                stm.expr,
                Expr::Index { .. } | Expr::Slice { .. } | Expr::Rearrange { .. } | Expr::Reshape { .. }
            );
            view && x.as_var() == Some(stm.pattern[0])
        };
        function.operand_type(x).rank() == 0 || body.stms.iter().any(view)
    };
    let some = body.result.iter().any(|&x| function.operand_type(x).rank() > 0);
    soac.is_map()
        && some
        && body.stms.iter().all(|stm| stm.expr.is_straight() && is_view(function, &stm.expr))
        && body.result.iter().all(is_row)
}

/// Whether an expression is a view for any layout of its array. Otherwise the copy would be made for every element.
pub fn is_view(function: &Function, expr: &Expr) -> bool {
    if let Expr::Reshape { array, shape } = expr {
        shape.len() == 1 && function.ty(*array).rank() == 1
    } else {
        true
    }
}

/// Returns the maps over elements.
pub fn by_elements(
    function: &mut Function,
    pattern: &[Var],
    soac: &Screma,
    certs: &[Var],
    span: Span,
) -> Vec<Stm> {
    let each = pattern.iter().zip(&soac.map.body.result);
    let map = |(&array, &row): (&Var, &Operand)| Stm {
        pattern: vec![array],
        expr: elements(function, soac, row, span),
        certs: certs.to_vec(),
        span,
    };
    each.map(map).collect()
}

/// Returns the map over the elements of one result.
fn elements(function: &mut Function, soac: &Screma, row: Operand, span: Span) -> Expr {
    let (index, mut body) = element_body(function, &soac.inputs, soac.map.clone());
    let mut space = vec![SegDim { index, extent: soac.width, mapping: Mapping::Seq }];
    body.result = vec![row];
    if let (Some(array), Type::Array(ty)) = (row.as_var(), function.operand_type(row)) {
        let mut indices = Vec::new();
        for extent in ty.shape {
            let index = function.fresh("j", Type::I64);
            space.push(SegDim { index, extent, mapping: Mapping::Seq });
            indices.push(index.into());
        }
        let element = function.fresh("x", Type::Scalar(ty.elem));
        body.stms.push(plain(vec![element], Expr::Index { array, indices }, span));
        body.result = vec![element.into()];
    }
    let op = SegOp { space, kind: SegKind::Map, body };
    // Copied, because the maps of the other results have the same parameters and statements.
    Copier::within(function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(op)))
}
