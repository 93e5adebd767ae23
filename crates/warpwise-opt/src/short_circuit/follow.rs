//! The index functions of all arrays in a source's block, when the source moves.
//!
//! Every array must be a part of the source: the source under another name, a view of a part, or a row that an operation makes in
//! place (its offset counts rows by indices that are below the source's extents). If strides are equal, the destination's offset
//! is added to all offsets. Otherwise the offsets of rows are recomputed, and so are views. Dimensions of extent 1 are ignored,
//! because their strides have no effect.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_ir::sums::Sum;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Function, Lmad, LmadDim, Operand, Placement, Stm, Var, exprs};

use warpwise_prim::Scalar;

use crate::blocks::Blocks;
use crate::place::{Emitter, slice};

/// The way in which index functions follow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// All index functions equal the source's, and become the destination's.
    Replace,
    /// The strides stay, and the destination's offset is added.
    Shift,
    /// Rows and views of the source become those of the destination.
    Rows,
}

/// The context for deciding whether index functions can follow.
pub(super) struct Follow<'a> {
    pub function: &'a Function,
    pub blocks: &'a Blocks,
}

impl Follow<'_> {
    /// Returns the way in which all arrays in the source's block can follow it to the destination, if there is one.
    pub(super) fn way(&self, body: &Body, source: Var, destination: &Lmad) -> Option<Way> {
        let (elem, arrays) = (self.function.ty(source).elem(), self.blocks.arrays(self.block(source)));
        let source = self.index_fn(source);
        if arrays.iter().any(|&var| self.function.ty(var).elem() != elem) {
            return None;
        }
        let has_parts = source.offset == Operand::i64(0)
            && is_row_major(self.blocks, source)
            && self.are_parts(body, arrays, source);
        if has_parts && self.blocks.same_strides(source, destination) {
            return Some(Way::Shift);
        }
        if arrays.iter().all(|&var| self.is_same(self.index_fn(var), source)) {
            return Some(Way::Replace);
        }
        let mut views = Views::default();
        views.body(body);
        let is_simple = |var: &Var| views.0.iter().any(|(view, _, simple)| view == var && *simple);
        let follows = |var: &Var| self.row(self.index_fn(*var), source).is_some() || is_simple(var);
        (has_parts && arrays.iter().all(follows)).then_some(Way::Rows)
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
                    && (self.row(index_fn, source).is_some()
                        || parts.iter().any(|&part| self.is_same(index_fn, self.index_fn(part)))
                        || views.0.iter().any(|&(view, of, _)| view == var && parts.contains(&of)))
            };
            let found: Vec<Var> = arrays.iter().filter(is_part).copied().collect();
            if found.is_empty() {
                return arrays.iter().all(|var| parts.contains(var));
            }
            parts.extend(found);
        }
    }

    /// Whether two index functions yield the same elements in the same order.
    fn is_same(&self, x: &Lmad, y: &Lmad) -> bool {
        self.blocks.same(x.offset, y.offset) && self.same_dims(&counting(&x.dims), &counting(&y.dims))
    }

    fn same_dims(&self, x: &[LmadDim], y: &[LmadDim]) -> bool {
        let same = |(x, y): (&LmadDim, &LmadDim)| {
            self.blocks.same(x.extent, y.extent) && self.blocks.same(x.stride, y.stride)
        };
        x.len() == y.len() && x.iter().zip(y).all(same)
    }

    /// Returns the indices of the row of the source that an index function describes: indices of spaces or loops over the outer
    /// dimensions, or 0. They are empty for the source itself.
    fn row(&self, row: &Lmad, source: &Lmad) -> Option<Vec<Operand>> {
        let (row_dims, source_dims) = (counting(&row.dims), counting(&source.dims));
        let outer = source_dims.len().checked_sub(row_dims.len())?;
        if !self.same_dims(&row_dims, &source_dims[outer..]) {
            return None;
        }
        let mut offset = self.blocks.sum(row.offset)?;
        let mut indices = Vec::with_capacity(outer);
        for dim in &source_dims[..outer] {
            let (index, rest) = offset.divide(&self.blocks.sum(dim.stride)?)?;
            let var = index.as_var();
            let extent = var.and_then(|index| self.blocks.range(index));
            let in_range = extent.is_some_and(|extent| self.blocks.same(extent, dim.extent));
            // A dimension that may be empty has no first row.
            let has_rows = dim.extent.as_const().and_then(Scalar::as_int).is_some_and(|extent| extent > 0);
            let is_row = in_range || (index == Sum::default() && has_rows);
            if !is_row {
                return None;
            }
            indices.push(var.map_or(Operand::i64(0), Operand::Var));
            offset = rest;
        }
        (offset == Sum::default()).then_some(indices)
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

/// Returns the dimensions that have more than one index.
fn counting(dims: &[LmadDim]) -> Vec<LmadDim> {
    dims.iter().copied().filter(|dim| dim.extent != Operand::i64(1)).collect()
}

/// Views, each with the array that it views, and whether it can be recomputed for another index function.
#[derive(Default)]
struct Views(Vec<(Var, Var, bool)>);

impl Visitor<'_> for Views {
    fn stm(&mut self, stm: &Stm) {
        match &stm.expr {
            Expr::Index { array, .. } | Expr::Slice { array, .. } | Expr::Rearrange { array, .. } => {
                self.0.push((stm.pattern[0], *array, true));
            }
            Expr::Reshape { array, .. } => self.0.push((stm.pattern[0], *array, false)),
            exprs!(Operand, scalar, Assert, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => {}
        }
        self.walk_stm(stm);
    }
}

/// Moves all arrays in the source's block to the destination.
pub(super) fn follow(
    function: &mut Function,
    blocks: &Blocks,
    (source, arrays): (Var, &[Var]),
    stms: &mut Vec<Stm>,
    way: Way,
    destination: &Placement,
) {
    let follow = Follow { function, blocks };
    let index_fn = follow.index_fn(source).clone();
    let row = |&var: &Var| (var, follow.row(follow.index_fn(var), &index_fn));
    let rows = arrays.iter().map(row).collect();
    let mut mover = Mover { emit: Emitter::new(function), rows, way, destination };
    mover.stms(stms);
}

struct Mover<'a, 'f> {
    emit: Emitter<'f>,
    /// The arrays, with the indices of the source's row that each one is.
    rows: FxHashMap<Var, Option<Vec<Operand>>>,
    way: Way,
    destination: &'a Placement,
}

impl Mover<'_, '_> {
    fn stms(&mut self, stms: &mut Vec<Stm>) {
        let mut moved = Vec::with_capacity(stms.len());
        for mut stm in std::mem::take(stms) {
            stm.expr.for_each_body_mut(|body| self.stms(&mut body.stms));
            let mut bound = stm.pattern.clone();
            stm.expr.for_each_binding(|var| bound.push(var));
            bound.retain(|var| self.rows.contains_key(var));
            self.emit.span = stm.span;
            self.emit.open();
            bound.into_iter().for_each(|var| self.place(var, &stm.expr));
            moved.extend(self.emit.close());
            moved.push(stm);
        }
        *stms = moved;
    }

    /// Places an array that a statement binds.
    fn place(&mut self, var: Var, expr: &Expr) {
        let before = self.emit.function.vars[var].placement.clone().expect("listed arrays are placed");
        let to = self.destination.index_fn.clone();
        let mut index_fn = before.index_fn;
        match (self.way, &self.rows[&var]) {
            (Way::Shift, _) => index_fn.offset = self.emit.add(to.offset, index_fn.offset),
            // A view follows its array, including dimensions of extent 1.
            (Way::Replace | Way::Rows, _) if self.is_turned(expr) => index_fn = self.viewed(expr, index_fn),
            (Way::Replace, _) => index_fn = in_place_of(index_fn, to),
            (Way::Rows, Some(indices)) => {
                let to = Lmad { offset: to.offset, dims: counting(&to.dims) };
                let row = self.emit.row(&to, indices);
                index_fn = in_place_of(index_fn, row);
            }
            (Way::Rows, None) => index_fn = self.viewed(expr, index_fn),
        }
        self.emit.function.vars[var].placement = Some(Placement { block: self.destination.block, index_fn });
    }

    /// Whether an expression permutes the dimensions of an array that has moved.
    fn is_turned(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Rearrange { array, .. } if self.rows.contains_key(array))
    }

    /// Returns the index function of a view of an array that has moved.
    fn viewed(&mut self, expr: &Expr, before: Lmad) -> Lmad {
        let place = |emit: &Emitter, array: Var| {
            emit.function.vars[array].placement.clone().expect("arrays are placed where they are bound")
        };
        match expr {
            Expr::Index { array, indices } => {
                let of = place(&self.emit, *array);
                self.emit.row(&of.index_fn, indices)
            }
            Expr::Slice { array, dims } => {
                let of = place(&self.emit, *array);
                slice(&mut self.emit, &of, dims).index_fn
            }
            Expr::Rearrange { array, perm } => {
                let of = place(&self.emit, *array).index_fn;
                Lmad { offset: of.offset, dims: perm.iter().map(|&dim| of.dims[dim]).collect() }
            }
            // `Follow::way` rejects all others.
            exprs!(
                Operand, scalar, Assert, Reshape, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc
            ) => before,
        }
    }
}

/// Returns an index function moved to another place, with its own extents. Dimensions of extent 1 keep their strides unless the
/// other place has them in the same positions.
fn in_place_of(mut own: Lmad, to: Lmad) -> Lmad {
    let is_one = |dim: &LmadDim| dim.extent == Operand::i64(1);
    let is_alike = own.dims.iter().map(is_one).eq(to.dims.iter().map(is_one));
    let strides = to.dims.iter().filter(|dim| is_alike || !is_one(dim)).map(|dim| dim.stride);
    let counting = own.dims.iter_mut().filter(|dim| is_alike || !is_one(dim));
    counting.zip(strides).for_each(|(dim, stride)| dim.stride = stride);
    Lmad { offset: to.offset, dims: own.dims }
}
