//! Moves copies of a choice's result to the ends of its branches.
//!
//! ```text
//! m: mem, x: [n]f32 @ m -> ... = if c {                    x: [n]f32 @ a_mem -> ... = if c {
//!   p_mem: mem = alloc bytes;                                p_mem: mem = alloc bytes;
//!   p: [n]f32 @ p_mem -> ... = segmap ...;                   p: [n]f32 @ p_mem -> ... = segmap ...;
//!   return p_mem, p                                   ==>    q: [n]f32 @ a_mem -> ... = copy p;
//! } else { return b_mem, b };                                return q
//! r: [n][n]f32 @ a_mem -> ... = update a[i, 0:n:1] = x;    } else { q: [n]f32 @ a_mem -> ... = copy b; return q };
//!                                                          r: [n][n]f32 @ a_mem -> ... = update a[i, 0:n:1] = x;
//! ```

use warpwise_ir::{Body, Expr, Function, Lmad, LmadDim, Placement, Stm, Var};

/// Whether a branch of a choice makes the array in the block that the choice yields.
pub(super) fn is_made_in_a_branch(function: &Function, choice: &Stm, block: Var) -> bool {
    let Expr::If { then_body, else_body, .. } = &choice.expr else { return false };
    let Some(position) = choice.pattern.iter().position(|&var| var == block) else { return false };
    let makes = |body: &Body| {
        let yielded = body.result[position].as_var();
        let makes = |stm: &Stm| matches!(stm.expr, Expr::Alloc { .. } | Expr::If { .. });
        body.stms.iter().any(|stm| makes(stm) && stm.pattern.iter().any(|&var| Some(var) == yielded))
    };
    let is_here = |&&var: &&Var| {
        let placement = function.vars[var].placement.as_ref();
        placement.is_some_and(|placement| placement.block == block)
    };
    choice.pattern.iter().filter(is_here).count() == 1 && (makes(then_body) || makes(else_body))
}

/// Makes the choice that yielded a block copy its array at the end of each branch. The array has been placed elsewhere. Returns
/// the copies, and the blocks that the branches no longer yield.
pub(super) fn copy_in_branches(
    function: &mut Function,
    stms: &mut [Stm],
    block: Var,
    arrays: &[Var],
) -> (Vec<Var>, Vec<Var>) {
    let (mut copies, mut kept) = (Vec::new(), Vec::new());
    let Some(choice) = stms.iter_mut().find(|stm| stm.pattern.contains(&block)) else {
        return (copies, kept);
    };
    let Expr::If { then_body, else_body, .. } = &mut choice.expr else { return (copies, kept) };
    let yielded = choice.pattern.iter().position(|&var| var == block);
    let array = choice.pattern.iter().position(|var| arrays.contains(var));
    let Some((yielded, array)) = yielded.zip(array) else { return (copies, kept) };
    let place = function.vars[choice.pattern[array]]
        .placement
        .clone()
        .expect("arrays are placed where they are bound");
    for body in [then_body, else_body] {
        if let Some(source) = body.result[array].as_var() {
            let copy = function.fresh_like(source);
            let extents = function.ty(source).shape().iter();
            let dims = extents
                .zip(&place.index_fn.dims)
                .map(|(&extent, dim)| LmadDim { extent, stride: dim.stride });
            let index_fn = Lmad { offset: place.index_fn.offset, dims: dims.collect() };
            function.vars[copy].placement = Some(Placement { block: place.block, index_fn });
            body.stms.push(Stm {
                pattern: vec![copy],
                expr: Expr::Copy(source),
                certs: vec![],
                span: choice.span,
            });
            body.result[array] = copy.into();
            copies.push(copy);
        }
        kept.extend(body.result.remove(yielded).as_var());
    }
    choice.pattern.remove(yielded);
    (copies, kept)
}
