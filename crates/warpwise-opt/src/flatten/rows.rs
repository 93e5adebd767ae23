//! Maps over a regular level as maps over rows.
//!
//! ```text
//! at = iota total;  ys = screma total (at, xs) map (at, x) { p = squot at m; j = srem at m; ... }
//! ==>
//! ys = screma n (iota n, reshape [n][m] xs) map (p, row) { screma m (iota m, row) map (j, x) { ... } };
//! ys = reshape [n * m] ys;
//! ```
//!
//! Dividing indices costs more than most bodies do, and has no vector instructions. Maps that use neither index stay flat and
//! fuse with other flat maps. All maps stay flat if folds are segmented, as on devices.

use warpwise_ir::builder::Builder;
use warpwise_ir::{Expr, Lambda, Operand, Type, Var};
use warpwise_prim::BinaryOp;

use super::lifter::{Level, iota};

/// The variables of a group that were computed from the index of an element of a regular level.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Split {
    /// The index of the element of the level around.
    pub parent: Option<Var>,
    /// The index within that element.
    pub position: Option<Var>,
}

/// Maps over `level` row by row; each element of the level around has `inner` elements. Returns flat arrays.
pub fn rows(
    b: &mut Builder,
    (outer, level, inner): (&Level, &Level, Operand),
    split: Split,
    inputs: &[Var],
    lambda: Lambda,
) -> Vec<Var> {
    let Lambda { params, mut body } = lambda;
    let index = |b: &mut Builder, known: Option<Var>, name: &str| {
        known.unwrap_or_else(|| b.function.fresh(name, Type::I64))
    };
    let (parent, position) = (index(b, split.parent, "p"), index(b, split.position, "j"));
    body.stms.retain(|stm| stm.pattern[..] != [parent] && stm.pattern[..] != [position]);
    let (mut whole, mut row_types, mut elements) = (vec![outer.indices], Vec::new(), vec![position]);
    let mut flat = None;
    for (&input, &param) in inputs.iter().zip(&params) {
        if input == level.indices {
            flat = Some(param);
            continue;
        }
        let ty = b.function.ty(input).row(1);
        let shape = ty.array_of(&[outer.width, inner]).shape().into();
        whole.push(b.bind_one("rows", Expr::Reshape { array: input, shape }));
        row_types.push(("row", ty.array_of(&[inner])));
        elements.push(param);
    }
    let row_vars = row_types.into_iter().map(|(name, ty)| b.function.fresh(name, ty));
    let given: Vec<Var> = [parent].into_iter().chain(row_vars).collect();
    let by_row = b.lambda_of(given, |b, given| {
        let positions = b.bind_one("at", iota(inner));
        let mut within = vec![positions];
        within.extend(&given[1..]);
        if let Some(flat) = flat {
            let mut before = Builder::new(b.function);
            let first = before.binary("first", BinaryOp::Mul, parent, inner);
            before.bind_to(vec![flat], Expr::Binary(BinaryOp::Add, first, position.into()));
            body.stms.splice(0..0, before.take_stms());
        }
        let arrays = b.map("row", inner, &within, Lambda { params: elements, body });
        arrays.into_iter().map(Operand::Var).collect()
    });
    let arrays = b.map("all", outer.width, &whole, by_row);
    let flattened = |array: Var| {
        let shape = b.function.ty(array).row(2).array_of(&[level.width]).shape().into();
        b.bind_one("all", Expr::Reshape { array, shape })
    };
    arrays.into_iter().map(flattened).collect()
}
