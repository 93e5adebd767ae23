//! The index functions of all that lies in a source's block, when the source moves.
//!
//! Everything must be a part of the source: the source under another name, a view of a part, or a row that an
//! operation makes in place (its offset counts rows by indices that stay below the source's extents). Then, with equal strides, all
//! offsets grow by the destination's.

use rustc_hash::FxHashSet;
use warpwise_ir::sums::Sum;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Function, Lmad, Operand, Placement, Stm, Var, exprs};

use crate::blocks::Blocks;
use crate::place::Emitter;

/// How index functions follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// All are the source's: they become the destination's.
    Replace,
    /// The strides stay; offsets grow by the destination's.
    Shift,
}

/// What decides whether index functions can follow.
pub(super) struct Follow<'a> {
    pub function: &'a Function,
    pub blocks: &'a Blocks,
}

impl Follow<'_> {
    /// How all that lies in the source's block can follow it to the destination, if it can.
    pub(super) fn way(&self, body: &Body, source: Var, destination: &Lmad) -> Option<Way> {
        let (elem, arrays) = (self.function.ty(source).elem(), self.blocks.arrays(self.block(source)));
        let source = self.index_fn(source);
        if arrays.iter().any(|&var| self.function.ty(var).elem() != elem) {
            return None;
        }
        if arrays.iter().all(|&var| self.is_same(self.index_fn(var), source)) {
            return Some(Way::Replace);
        }
        let keeps_strides = source.offset == Operand::i64(0)
            && self.blocks.same_strides(source, destination)
            && is_row_major(self.blocks, source);
        (keeps_strides && self.are_parts(body, arrays, source)).then_some(Way::Shift)
    }

    /// Whether these arrays are all parts of the source.
    fn are_parts(&self, body: &Body, arrays: &[Var], source: &Lmad) -> bool {
        let mut views = Views::default();
        views.body(body);
        let mut parts: FxHashSet<Var> = FxHashSet::default();
        loop {
            let is_part = |&&var: &&Var| {
                let index_fn = self.index_fn(var);
                !parts.contains(&var)
                    && (self.is_same(index_fn, source)
                        || self.is_row(index_fn, source)
                        || parts.iter().any(|&part| self.is_same(index_fn, self.index_fn(part)))
                        || views.0.iter().any(|&(view, of)| view == var && parts.contains(&of)))
            };
            let found: Vec<Var> = arrays.iter().filter(is_part).copied().collect();
            if found.is_empty() {
                return arrays.iter().all(|var| parts.contains(var));
            }
            parts.extend(found);
        }
    }

    /// Whether two index functions lead to the same elements in the same order.
    fn is_same(&self, x: &Lmad, y: &Lmad) -> bool {
        let extents = x.dims.iter().zip(&y.dims);
        self.blocks.same_places(x, y)
            && extents.into_iter().all(|(x, y)| self.blocks.same(x.extent, y.extent))
    }

    /// Whether an index function leads to a row of the source, chosen by indices of spaces or loops over its dimensions.
    fn is_row(&self, row: &Lmad, source: &Lmad) -> bool {
        let Some(outer) = source.dims.len().checked_sub(row.dims.len()) else { return false };
        let inner = Lmad { offset: row.offset, dims: source.dims[outer..].to_vec() };
        let Some(mut offset) = self.blocks.sum(row.offset) else { return false };
        if outer == 0 || !self.is_same(row, &inner) {
            return false;
        }
        for dim in &source.dims[..outer] {
            let divided = self.blocks.sum(dim.stride).and_then(|stride| offset.divide(&stride));
            let Some((index, rest)) = divided else { return false };
            let extent = index.as_var().and_then(|index| self.blocks.range(index));
            let in_range = extent.is_some_and(|extent| self.blocks.same(extent, dim.extent));
            if !in_range && index != Sum::default() {
                return false;
            }
            offset = rest;
        }
        offset == Sum::default()
    }

    fn index_fn(&self, var: Var) -> &Lmad {
        &self.placement(var).index_fn
    }

    fn block(&self, var: Var) -> Var {
        self.placement(var).block
    }

    fn placement(&self, var: Var) -> &Placement {
        self.function.vars[var].placement.as_ref().expect("arrays are placed where they are bound")
    }
}

/// Whether an index function is row-major without gaps.
fn is_row_major(blocks: &Blocks, index_fn: &Lmad) -> bool {
    let mut expected = Some(Sum::constant(1));
    index_fn.dims.iter().rev().all(|dim| {
        let is = expected.is_some() && blocks.sum(dim.stride) == expected;
        expected = expected.take().and_then(|stride| stride.times(&blocks.sum(dim.extent)?));
        is
    })
}

/// Views, each with the array it is a view of.
#[derive(Default)]
struct Views(Vec<(Var, Var)>);

impl Visitor<'_> for Views {
    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Index { array, .. }
            | Expr::Slice { array, .. }
            | Expr::Rearrange { array, .. }
            | Expr::Reshape { array, .. } => self.0.push((stm.pattern[0], *array)),
            exprs!(Operand, scalar, Assert, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => {}
        }
        self.walk_stm(stm);
    }
}

/// Moves all that lies in the source's block to the destination. Yields the new statements, which are among the others.
pub(super) fn follow(
    function: &mut Function,
    arrays: &[Var],
    stms: &mut Vec<Stm>,
    way: Way,
    destination: &Placement,
) -> Vec<Stm> {
    let mut mover = Mover { emit: Emitter::new(function), arrays, way, destination, made: Vec::new() };
    mover.stms(stms);
    mover.made
}

struct Mover<'a, 'f> {
    emit: Emitter<'f>,
    arrays: &'a [Var],
    way: Way,
    destination: &'a Placement,
    made: Vec<Stm>,
}

impl Mover<'_, '_> {
    fn stms(&mut self, stms: &mut Vec<Stm>) {
        let mut moved = Vec::with_capacity(stms.len());
        for mut stm in std::mem::take(stms) {
            stm.expr.for_each_body_mut(|body| self.stms(&mut body.stms));
            let mut bound = stm.pattern.clone();
            stm.expr.for_each_binding(|var| bound.push(var));
            bound.retain(|var| self.arrays.contains(var));
            self.emit.span = stm.span;
            self.emit.open();
            bound.into_iter().for_each(|var| self.place(var));
            let made = self.emit.close();
            self.made.extend(made.iter().cloned());
            moved.extend(made);
            moved.push(stm);
        }
        *stms = moved;
    }

    fn place(&mut self, var: Var) {
        let before = self.emit.function.vars[var].placement.clone().expect("listed arrays are placed");
        let to = &self.destination.index_fn;
        let mut index_fn = before.index_fn;
        match self.way {
            Way::Shift => index_fn.offset = self.emit.add(to.offset, index_fn.offset),
            Way::Replace => {
                index_fn.offset = to.offset;
                index_fn.dims.iter_mut().zip(&to.dims).for_each(|(dim, to)| dim.stride = to.stride);
            }
        }
        self.emit.function.vars[var].placement = Some(Placement { block: self.destination.block, index_fn });
    }
}
