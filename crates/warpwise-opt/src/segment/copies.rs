//! Maps that copy rows: as maps over the elements of these rows.
//!
//! ```text
//! ys: [k][m]f32 = screma k (is) map (i: i64) { row: [m]f32 = index xs[i]; return row }
//! ==>
//! ys: [k][m]f32 = segmap (p < k: seq, j < m: seq) { i = index is[p]; row = index xs[i]; x = index row[j]; return x }
//! ```
//!
//! A row would be copied by one work-item or lane otherwise, however long it is, and neighbours would be a row apart.
//! Of several results each is a map of its own, with what little it takes to find the row.
//!
//! Not done here: maps with checks, which must be made for every row, those without elements included.

use warpwise_diag::Span;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::{Expr, Function, Mapping, Operand, Screma, SegDim, SegKind, SegOp, Stm, Type, Var};

use super::{element_body, plain};

/// Whether a SOAC does next to nothing but copy rows of arrays.
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

/// Whether an expression makes no copy wherever its array lies: others would be made for every element.
fn is_view(function: &Function, expr: &Expr) -> bool {
    if let Expr::Reshape { array, shape } = expr {
        shape.len() == 1 && function.ty(*array).rank() == 1
    } else {
        true
    }
}

/// The maps over elements.
pub fn by_elements(function: &mut Function, pattern: &[Var], soac: &Screma, span: Span) -> Vec<Stm> {
    let each = pattern.iter().zip(&soac.map.body.result);
    each.map(|(&array, &row)| plain(vec![array], elements(function, soac, row, span), span)).collect()
}

/// The elements of one result.
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
    // The parameters and statements are those of the other results, too.
    Copier::within(function, Substitution::new()).copy_expr(&Expr::Seg(Box::new(op)))
}
