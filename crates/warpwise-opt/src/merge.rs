//! Makes arrays with disjoint lifetimes share memory (papers/002 section 6, memory block merging): level `mem`.
//!
//! ```text
//! x_mem: mem = alloc bytes;                                x_mem: mem = alloc bytes;
//! x: [n]f32 @ x_mem -> ... = segmap (...) {...};           x: [n]f32 @ x_mem -> ... = segmap (...) {...};
//! y_mem: mem = alloc bytes;                           ==>
//! y: [n]f32 @ y_mem -> ... = segscan (...) {... x ...};    y: [n]f32 @ y_mem -> ... = segscan (...) {... x ...};
//! z_mem: mem = alloc bytes;
//! z: [n]f32 @ z_mem -> ... = segmap (...) {... y ...};     z: [n]f32 @ x_mem -> ... = segmap (...) {... y ...};
//! ```
//!
//! Two blocks of one body interfere if one is used between the first and the last use of the other. The uses within a body form
//! an interval of its statements, and colouring intervals in the order of their starts needs the fewest blocks. Blocks share a
//! colour if they have the same size; blocks of constant sizes get the larger size.
//!
//! A result of a `segmap` may take over the block of an input whose last use is this `segmap`, if the operation reads the input
//! only at the point that it computes, and both have the same layout: reuse of dead inputs.
//!
//! Inside kernels, memory comes from arenas, which only grow, and all possible blocks are merged. In host code a pool reuses dead
//! blocks, also across bodies and sizes. A merged block would be kept even while no array needs it, so there only dead inputs are
//! taken over.
//!
//! Not done: blocks that are results of their bodies or have several names; blocks of different symbolic sizes.

use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Function, Operand, Program, Stm, Var};

use crate::blocks::{Blocks, arrays_of, reads_own_point_only};
use crate::pass::rewrite_bodies;

/// Rewrites every function.
pub fn merge(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        let blocks = Blocks::of(function, body);
        Merger { function, blocks }.body(body, false);
    });
    Ok(())
}

struct Merger<'f> {
    function: &'f mut Function,
    blocks: Blocks,
}

/// A block with the positions of the statements that use it.
#[derive(Clone, Copy)]
struct Life {
    block: Var,
    bytes: Operand,
    first: usize,
    last: usize,
}

impl Merger<'_> {
    fn body(&mut self, body: &mut Body, in_kernel: bool) {
        let mut colours: Vec<Life> = Vec::new();
        for life in self.lives(body) {
            let free = colours.iter().position(|colour| self.can_share(body, colour, &life, in_kernel));
            let Some(free) = free else {
                colours.push(life);
                continue;
            };
            let colour = &mut colours[free];
            colour.last = life.last;
            colour.bytes = larger(colour.bytes, life.bytes);
            let (from, to, bytes) = (life.block, colour.block, colour.bytes);
            self.replace(from, to);
            body.stms
                .iter_mut()
                .filter(|stm| stm.pattern == [to])
                .for_each(|stm| stm.expr = Expr::Alloc { bytes });
        }
        let merged =
            |stm: &Stm| matches!(stm.expr, Expr::Alloc { .. }) && self.blocks.is_emptied(stm.pattern[0]);
        body.stms.retain(|stm| !merged(stm));
        for stm in &mut body.stms {
            let in_kernel = in_kernel || matches!(stm.expr, Expr::Seg(_));
            stm.expr.for_each_body_mut(|inner| self.body(inner, in_kernel));
        }
    }

    /// Returns the blocks that a body allocates and does not yield, in the order of their first uses.
    fn lives(&self, body: &Body) -> Vec<Life> {
        let mut lives: Vec<Life> = Vec::new();
        for (position, stm) in body.stms.iter().enumerate() {
            if let Expr::Alloc { bytes } = stm.expr {
                let block = stm.pattern[0];
                if self.blocks.has_one_name(block) && !self.blocks.is_result(block) {
                    lives.push(Life { block, bytes, first: usize::MAX, last: position });
                }
                continue;
            }
            if lives.is_empty() {
                continue;
            }
            for array in arrays_of(self.function, stm) {
                if let Some(life) = lives.iter_mut().find(|life| self.lies_in(array, life.block)) {
                    life.first = life.first.min(position);
                    life.last = position;
                }
            }
        }
        for array in body.result.iter().filter_map(|result| result.as_var()) {
            if let Some(life) = lives.iter_mut().find(|life| self.lies_in(array, life.block)) {
                life.last = body.stms.len();
            }
        }
        lives.retain(|life| life.first != usize::MAX);
        lives.sort_unstable_by_key(|life| (life.first, life.block));
        lives
    }

    fn can_share(&self, body: &Body, colour: &Life, life: &Life, in_kernel: bool) -> bool {
        let constant = |bytes: Operand| bytes.as_const().is_some();
        let fits =
            self.blocks.same_size(colour.bytes, life.bytes) || constant(colour.bytes) && constant(life.bytes);
        fits && (in_kernel && colour.last < life.first || self.takes_over(body, colour, life))
    }

    /// Whether the new block is first used by an operation that is the last use of the old one and reads it point by point.
    fn takes_over(&self, body: &Body, colour: &Life, life: &Life) -> bool {
        if colour.last != life.first
            || colour.last >= body.stms.len()
            || !self.blocks.same_size(colour.bytes, life.bytes)
        {
            return false;
        }
        let stm = &body.stms[life.first];
        let Expr::Seg(op) = &stm.expr else { return false };
        let made: Vec<Var> =
            stm.pattern.iter().copied().filter(|&var| self.lies_in(var, life.block)).collect();
        let [made] = made[..] else { return false };
        let used = arrays_of(self.function, stm);
        let alike = |&var: &Var| {
            let (x, y) = (&self.function.vars[var], &self.function.vars[made]);
            let (Some(x_place), Some(y_place)) = (&x.placement, &y.placement) else { return false };
            x.ty.elem() == y.ty.elem() && self.blocks.same_places(&x_place.index_fn, &y_place.index_fn)
        };
        used.iter().filter(|&&var| self.lies_in(var, colour.block)).all(alike)
            && used.iter().filter(|&&var| self.lies_in(var, life.block)).count() == 1
            && reads_own_point_only(op, |var| self.lies_in(var, colour.block))
    }

    fn lies_in(&self, var: Var, block: Var) -> bool {
        self.function.vars[var].placement.as_ref().is_some_and(|placement| placement.block == block)
    }

    fn replace(&mut self, from: Var, to: Var) {
        for &array in self.blocks.arrays(from) {
            self.function.vars[array].placement.as_mut().expect("listed arrays are placed").block = to;
        }
        self.blocks.move_arrays(from, to);
    }
}

/// Returns the larger of two constants. Other operands are assumed to be equal.
fn larger(x: Operand, y: Operand) -> Operand {
    let value = |operand: Operand| operand.as_const().and_then(warpwise_prim::Scalar::as_int);
    match (value(x), value(y)) {
        (Some(a), Some(b)) => Operand::i64(a.max(b)),
        _ => x,
    }
}
