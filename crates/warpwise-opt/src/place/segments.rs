//! Makes the segments that the points of a scatter yield directly in their destinations.
//!
//! ```text
//! ys = segscatter (i < n: task) into (room segments) {     ys @ r -> 0 + {...} = segscatter ... {
//!   xs = copy ...;                                    ==>    start = index starts[i];
//!   start = index starts[i];                                 xs @ r -> start + {...} = copy ...;
//!   return start, xs };                                      return start, xs };
//! ```
//!
//! Therefore the start of a segment is computed before all other statements, if possible.

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Operand, Placement, ScatterDest, SliceDim, Stm, Var, exprs};

use super::{Placer, views};

impl Placer<'_> {
    /// Returns the preferred destinations of the segments among the results of a body.
    pub(super) fn wanted_segments(
        &mut self,
        dests: &[ScatterDest],
        body: &mut Body,
    ) -> Result<Vec<Option<Placement>>, Limit> {
        let mut wanted = vec![None; body.result.len()];
        let results = body.result.clone();
        for ((dest, result), wanted) in dests.iter().zip(results.chunks(2)).zip(wanted.chunks_mut(2)) {
            let &[first, Operand::Var(segment)] = result else { continue };
            let Some(needed) = computation(body, first).filter(|_| dest.segments) else { continue };
            for stm in take(body, &needed) {
                self.stm(stm)?;
            }
            let len = self.shape(segment)[0];
            let mut dims = vec![SliceDim::Range { start: first, len, stride: Operand::i64(1) }];
            dims.extend(self.shape(dest.array)[1..].iter().map(|&len| SliceDim::Range {
                start: Operand::i64(0),
                len,
                stride: Operand::i64(1),
            }));
            let whole = self.placement(dest.array);
            wanted[1] = Some(views::slice(&mut self.emit, &whole, &dims));
        }
        Ok(wanted)
    }
}

/// Returns the positions of the statements that an operand depends on, if all of them can come first: scalar arithmetic and
/// elements of arrays from outside.
fn computation(body: &Body, of: Operand) -> Option<Vec<usize>> {
    let mut bound: FxHashSet<Var> = FxHashSet::default();
    bound.extend(body.stms.iter().flat_map(|stm| stm.pattern.iter().copied()));
    let mut needed = Vec::new();
    let mut wanted: Vec<Var> = of.as_var().into_iter().collect();
    while let Some(var) = wanted.pop() {
        let Some(position) = body.stms.iter().position(|stm| stm.pattern.contains(&var)) else { continue };
        if needed.contains(&position) {
            continue;
        }
        let stm = &body.stms[position];
        let outside = |array: &Var| !bound.contains(array);
        let can_come_first = match &stm.expr {
            Expr::Binary(op, ..) => !op.can_fail(),
            Expr::Unary(..) | Expr::Compare(..) | Expr::Select(..) | Expr::Convert(..) => true,
            Expr::Index { array, indices: _ } => outside(array),
            exprs!(
                Operand, Ternary, Assert, Slice, Update, fresh, Rearrange, Reshape, nested, Call, UpdateAcc,
                Tuned, Alloc
            ) => false,
        };
        if !can_come_first || !stm.certs.is_empty() {
            return None;
        }
        stm.expr.for_each_operand(|x| wanted.extend(x.as_var()));
        needed.push(position);
    }
    needed.sort_unstable();
    Some(needed)
}

/// Takes statements out of a body.
fn take(body: &mut Body, positions: &[usize]) -> Vec<Stm> {
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for (position, stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
        if positions.contains(&position) { taken.push(stm) } else { kept.push(stm) }
    }
    body.stms = kept;
    taken
}
