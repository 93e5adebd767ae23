//! Copies that are unnecessary because the array is already in its destination. Passes on memory create arrays directly in the
//! arrays that they become parts of, and leave the copy statement.
//!
//! Placements are compared as sums of products of variables, so that the order of their computation does not matter.

use warpwise_ir::sums::Sum;
use warpwise_ir::{Expr, Operand, SegDim, SliceDim, Stm, Var, exprs};

use crate::lower::emitter::Emitter;

/// The position of an array: block, offset and strides.
#[derive(PartialEq)]
struct Spot {
    block: Var,
    offset: Sum,
    strides: Vec<Sum>,
}

impl Emitter<'_> {
    /// Returns whether the `number`-th array that a statement copies is already in its destination.
    pub fn is_in_place(&self, stm: &Stm, number: usize, source: Var) -> bool {
        self.destination(stm, number)
            .is_some_and(|spot| self.spot(source).is_some_and(|source| source == spot))
    }

    /// Returns whether an array is already where the element of `array` at the space's indices belongs.
    pub fn lies_at_row(&self, row: Operand, array: Var, space: &[SegDim]) -> bool {
        let indices: Vec<Operand> = space.iter().map(|dim| dim.index.into()).collect();
        let spot = || {
            let whole = self.spot(array)?;
            let offset = self.cx.place(self.cx.function.vars[array].placement.as_ref()?, &indices)?;
            Some(Spot { offset, strides: whole.strides.get(space.len()..)?.to_vec(), ..whole })
        };
        let own = row.as_var().and_then(|row| self.spot(row));
        own.is_some_and(|own| spot().is_some_and(|spot| spot == own))
    }

    /// Returns whether a segment is already in its destination: in `array`, from row `first` on.
    pub fn lies_at_segment(&self, segment: Var, array: Var, first: Operand) -> bool {
        let spot = || {
            let whole = self.spot(array)?;
            let offset = whole.offset.plus(&self.cx.sum(first)?.times(whole.strides.first()?)?)?;
            Some(Spot { offset, ..whole })
        };
        spot().is_some_and(|spot| self.spot(segment).is_some_and(|segment| segment == spot))
    }

    fn destination(&self, stm: &Stm, number: usize) -> Option<Spot> {
        match &stm.expr {
            Expr::Update { array, dims, .. } => self.part(self.spot(*array)?, dims),
            Expr::Concat { arrays, .. } => {
                let mut start = Sum::default();
                for &before in &arrays[..number] {
                    start = start.plus(&self.cx.sum(self.cx.function.ty(before).shape()[0])?)?;
                }
                let whole = self.spot(stm.pattern[0])?;
                let offset = whole.offset.plus(&start.times(whole.strides.first()?)?)?;
                Some(Spot { offset, ..whole })
            }
            Expr::ArrayLit(_) => {
                let whole = self.spot(stm.pattern[0])?;
                let (stride, strides) = whole.strides.split_first()?;
                let offset = whole.offset.plus(&stride.times(&Sum::constant(number as i64))?)?;
                Some(Spot { block: whole.block, offset, strides: strides.to_vec() })
            }
            exprs!(
                Operand, scalar, Assert, view, Iota, Replicate, Copy, Manifest, Scratch, nested, Call,
                UpdateAcc, Tuned, Alloc
            ) => self.spot(stm.pattern[0]),
        }
    }

    fn part(&self, whole: Spot, dims: &[SliceDim]) -> Option<Spot> {
        let mut part = Spot { strides: Vec::new(), ..whole };
        for (dim, stride) in dims.iter().zip(&whole.strides) {
            let start = match *dim {
                SliceDim::Fix(index) => index,
                SliceDim::Range { start, stride: step, .. } => {
                    part.strides.push(self.cx.sum(step)?.times(stride)?);
                    start
                }
            };
            part.offset = part.offset.plus(&self.cx.sum(start)?.times(stride)?)?;
        }
        Some(part)
    }

    fn spot(&self, array: Var) -> Option<Spot> {
        let placement = self.cx.function.vars[array].placement.as_ref()?;
        let strides: Option<Vec<Sum>> =
            placement.index_fn.dims.iter().map(|dim| self.cx.sum(dim.stride)).collect();
        Some(Spot {
            block: placement.block,
            offset: self.cx.sum(placement.index_fn.offset)?,
            strides: strides?,
        })
    }
}
