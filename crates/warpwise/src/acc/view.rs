//! Views and parts of arrays: reshaping, slicing, replication, transposition, concatenation, expansion.

use std::panic::Location;

use super::{Acc, NewAxes, Slicing};
use crate::array::Array;
use crate::elt::{Elt, IntoExp};
use crate::exp::{Coordinate, Exp, function1};
use crate::graph::{self, Axis, Op};
use crate::shape::{Dim, Dim1, Inner, IntoShape, Shape};

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    /// Returns the same elements in row-major order with other extents; a different number of elements is an error of the run.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let table = enum_from(6, 0).reshape((2, 3));
    /// assert_eq!(Context::cpu()?.run(&table)?.extents(), [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn reshape<S: IntoShape>(&self, extents: S) -> Acc<Array<S::Shape, E>> {
        Acc::make(Op::Reshape, vec![extents.into_extents().node(), self.node()], Vec::new())
    }

    /// Returns all elements in row-major order, as a vector.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from((2, 2), 1).flatten())?.to_vec(), [1, 2, 3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn flatten(&self) -> Acc<Array<Dim1, E>> {
        Acc::make(Op::Flatten, vec![self.node()], Vec::new())
    }

    /// Makes an array of these extents. The function maps an index of the new array to an index of this array, whose bounds are
    /// checked at run time.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(4, 1).backpermute(2, |i| 3 - 2 * i);
    /// assert_eq!(Context::cpu()?.run(&xs)?.to_vec(), [4, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn backpermute<S: IntoShape, R: IntoShape<Shape = Sh>>(
        &self,
        extents: S,
        f: impl FnOnce(<<S::Shape as Shape>::Index as Elt>::View) -> R + Send,
    ) -> Acc<Array<S::Shape, E>> {
        let function = function1::<<S::Shape as Shape>::Index, _>(|index| f(index).into_extents());
        Acc::make(Op::Backpermute, vec![extents.into_extents().node(), self.node()], vec![function])
    }

    /// Reads the elements at these indices, which may be of any integer type.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let places = use_(&Array::from([2_u32, 2, 0]));
    /// assert_eq!(Context::cpu()?.run(&enum_from(3, 10).gather(&places))?.to_vec(), [12, 12, 10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn gather<T: Shape, I: Elt<View: IntoShape<Shape = Sh>>>(
        &self,
        places: &Acc<Array<T, I>>,
    ) -> Acc<Array<T, E>> {
        let reader = places.reader();
        self.backpermute(places.extents(), move |index| reader.at_in_bounds(index.into_exp()))
    }

    /// Selects a part of the array. A slice has, for every dimension, an index, whose bounds are checked at run time, or a range,
    /// which is clipped to the extent. [`All`](crate::All) or `..` selects a whole dimension, and [`strided`](crate::strided)
    /// every n-th element of a range.
    ///
    /// A negative constant counts from the end of the dimension: `..-1` omits the last element, and `-1` selects it. An expression
    /// whose value is negative does not: as an index it is out of bounds, as the start or end of a range it is clipped to 0. Clippy
    /// takes `1..-1` for an empty range; `slice(1..).slice(..-1)` says the same.
    ///
    /// ```
    /// use warpwise::{All, Context, enum_from, strided};
    ///
    /// let table = enum_from((2, 3), 0);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&table.slice((1, All)))?.to_vec(), [3, 4, 5]);
    /// assert_eq!(context.run(&table.slice((.., 1)))?.to_vec(), [1, 4]);
    /// assert_eq!(context.run(&table.slice((1.., 0..2)))?.to_vec(), [3, 4]);
    /// assert_eq!(context.run(&table.slice((0, strided(.., 2))))?.to_vec(), [0, 2]);
    /// assert_eq!(context.run(&table.slice((-1, ..-1)))?.to_vec(), [3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn slice<S: Slicing<Full = Sh>>(&self, slice: S) -> Acc<Array<S::Part, E>> {
        let (axes, operands) = slice.axes(&super::dimensions(self.extents_exp(), Sh::RANK));
        let inputs = [self.node()].into_iter().chain(operands.into_iter().map(Exp::node)).collect();
        Acc::make(Op::Slice(axes), inputs, Vec::new())
    }

    /// Repeats the array along new dimensions: [`All`](crate::All) stands for a dimension of the array, an extent for a new one.
    ///
    /// ```
    /// use warpwise::{All, Context, enum_from};
    ///
    /// let xs = enum_from(2, 1);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&xs.replicate((2, All)))?.to_vec(), [1, 2, 1, 2]);
    /// assert_eq!(context.run(&xs.replicate((All, 2)))?.to_vec(), [1, 1, 2, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn replicate<S: NewAxes<Part = Sh>>(&self, slice: S) -> Acc<Array<S::Full, E>> {
        // The extents of this array do not matter, because its dimensions are kept whole.
        let (axes, extents) = slice.axes(&[]);
        self.spread(axes.iter().map(|axis| *axis == Axis::All).collect(), extents)
    }

    /// Repeats the array along new dimensions of these extents. `kept` is `false` for the new dimensions.
    #[track_caller]
    pub(super) fn spread<Full: Shape>(&self, kept: Vec<bool>, extents: Vec<Exp<i64>>) -> Acc<Array<Full, E>> {
        let inputs = [self.node()].into_iter().chain(extents.into_iter().map(Exp::node)).collect();
        Acc::make(Op::Replicate(kept), inputs, Vec::new())
    }

    /// Reverses the array along a dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from((2, 2), 1).reverse_on(0))?.to_vec(), [3, 4, 1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn reverse_on(&self, dimension: usize) -> Acc<Array<Sh, E>> {
        if let Some(wrong) = self.without_dimension(dimension) {
            return wrong;
        }
        let axis = |at| if at == dimension { Axis::Reversed } else { Axis::All };
        Acc::make(Op::Slice((0..Sh::RANK).map(axis).collect()), vec![self.node()], Vec::new())
    }

    /// Exchanges two dimensions of the array, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((1, 2, 2), 1).transpose_on(0, 2))?.to_vec(), [1, 3, 2, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn transpose_on(&self, first: usize, second: usize) -> Acc<Array<Sh, E>> {
        if let Some(wrong) = self.without_dimension(first.max(second)) {
            return wrong;
        }
        let mut perm: Vec<usize> = (0..Sh::RANK).collect();
        perm.swap(first, second);
        Acc::make(Op::Transpose(perm), vec![self.node()], Vec::new())
    }

    /// Computes the array separately, without fusing it into operations that use it.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from(2, 1).compute().map(|x| x + 1))?.to_vec(), [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn compute(&self) -> Acc<Array<Sh, E>> {
        Acc::make(Op::Compute, vec![self.node()], Vec::new())
    }

    /// Returns an error if arrays of this rank do not have this dimension.
    #[track_caller]
    fn without_dimension(&self, dimension: usize) -> Option<Acc<Array<Sh, E>>> {
        let place = Location::caller();
        let message = || match Sh::RANK {
            1 => format!("there is no dimension {dimension}: the array has one dimension"),
            rank => format!("there is no dimension {dimension}: the array has {rank} dimensions"),
        };
        (dimension >= Sh::RANK).then(|| Acc::of(graph::invalid(message(), Self::ty(), place)))
    }
}

impl<Sh: Inner, E: Elt> Acc<Array<Sh, E>> {
    /// Reverses the array along its innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from(3, 1).reverse())?.to_vec(), [3, 2, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[doc(alias = "rev")]
    #[track_caller]
    pub fn reverse(&self) -> Acc<Array<Sh, E>> {
        self.reverse_on(Sh::RANK - 1)
    }

    /// Returns the extent of the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// assert_eq!(Context::new()?.run(&fill((2, 3), true).inner_extent())?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn inner_extent(&self) -> Exp<i64> {
        self.extents_exp().part(Sh::RANK - 1)
    }

    /// Keeps the first `count` elements along the innermost dimension, or all if there are fewer.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(4, 1_i32);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&xs.take(2))?.to_vec(), [1, 2]);
    /// assert_eq!(context.run(&xs.skip(3))?.to_vec(), [4]);
    /// assert_eq!(context.run(&xs.init())?.to_vec(), [1, 2, 3]);
    /// assert_eq!(context.run(&xs.tail())?.to_vec(), [2, 3, 4]);
    /// assert_eq!(context.run(&xs.slit(1, 2))?.to_vec(), [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn take(&self, count: impl Coordinate) -> Acc<Array<Sh, E>> {
        self.take_on(Sh::RANK - 1, count)
    }

    /// Drops the first `count` elements along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 3), 1).skip(2))?.to_vec(), [3, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn skip(&self, count: impl Coordinate) -> Acc<Array<Sh, E>> {
        self.skip_on(Sh::RANK - 1, count)
    }

    /// Drops the last element along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 2), 1).init())?.to_vec(), [1, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn init(&self) -> Acc<Array<Sh, E>> {
        self.take(self.inner_extent() - 1)
    }

    /// Drops the first element along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 2), 1).tail())?.to_vec(), [2, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn tail(&self) -> Acc<Array<Sh, E>> {
        self.skip(1)
    }

    /// Keeps `count` elements from `start` on along the innermost dimension, or as many as there are.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 4), 1).slit(1, 2))?.to_vec(), [2, 3, 6, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn slit(&self, start: impl Coordinate, count: impl Coordinate) -> Acc<Array<Sh, E>> {
        self.range_on(Sh::RANK - 1, start.coordinate(), count.coordinate())
    }

    /// Works like [`take`](Acc::take) along another dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((3, 2), 1).take_on(0, 1))?.to_vec(), [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn take_on(&self, dimension: usize, count: impl Coordinate) -> Acc<Array<Sh, E>> {
        self.range_on(dimension, Exp::constant(0), count.coordinate())
    }

    /// Works like [`skip`](Acc::skip) along another dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((3, 2), 1).skip_on(0, 2))?.to_vec(), [5, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn skip_on(&self, dimension: usize, count: impl Coordinate) -> Acc<Array<Sh, E>> {
        self.range_on(dimension, count.coordinate(), Exp::greatest())
    }

    /// Works like [`init`](Acc::init) along another dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 2), 1).init_on(0))?.to_vec(), [1, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn init_on(&self, dimension: usize) -> Acc<Array<Sh, E>> {
        if let Some(wrong) = self.without_dimension(dimension) {
            return wrong;
        }
        let extent: Exp<i64> = self.extents_exp().part(dimension);
        self.take_on(dimension, extent - 1)
    }

    /// Works like [`tail`](Acc::tail) along another dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 2), 1).tail_on(0))?.to_vec(), [3, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn tail_on(&self, dimension: usize) -> Acc<Array<Sh, E>> {
        self.skip_on(dimension, 1)
    }

    /// Works like [`slit`](Acc::slit) along another dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((4, 1), 1).slit_on(0, 1, 2))?.to_vec(), [2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn slit_on(
        &self,
        dimension: usize,
        start: impl Coordinate,
        count: impl Coordinate,
    ) -> Acc<Array<Sh, E>> {
        self.range_on(dimension, start.coordinate(), count.coordinate())
    }

    /// Selects a range of a dimension, clipped to the extent.
    #[track_caller]
    fn range_on(&self, dimension: usize, start: Exp<i64>, count: Exp<i64>) -> Acc<Array<Sh, E>> {
        if let Some(wrong) = self.without_dimension(dimension) {
            return wrong;
        }
        let extent: Exp<i64> = self.extents_exp().part(dimension);
        let start = start.max(0).min(extent);
        let count = count.max(0).min(extent - start);
        let axis = |at| if at == dimension { Axis::Range } else { Axis::All };
        let axes: Vec<Axis> = (0..Sh::RANK).map(axis).collect();
        Acc::make(Op::Slice(axes), vec![self.node(), start.node(), count.node()], Vec::new())
    }

    /// Concatenates this array and another along the innermost dimension. Other extents that differ are an error of the run.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let joined = enum_from(2, 1).concat(&enum_from(2, 7));
    /// assert_eq!(Context::cpu()?.run(&joined)?.to_vec(), [1, 2, 7, 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn concat(&self, other: &Acc<Array<Sh, E>>) -> Acc<Array<Sh, E>> {
        Acc::make(Op::Concat, vec![self.node(), other.node()], Vec::new())
    }

    /// Works like [`concat`](Acc::concat) along another dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let joined = enum_from((1, 2), 1).concat_on(0, &enum_from((2, 2), 5));
    /// assert_eq!(Context::new()?.run(&joined)?.to_vec(), [1, 2, 5, 6, 7, 8]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn concat_on(&self, dimension: usize, other: &Acc<Array<Sh, E>>) -> Acc<Array<Sh, E>> {
        if let Some(wrong) = self.without_dimension(dimension) {
            return wrong;
        }
        let last = Sh::RANK - 1;
        if dimension == last {
            return self.concat(other);
        }
        let turned = |array: &Acc<Array<Sh, E>>| array.transpose_on(dimension, last);
        turned(&turned(self).concat(&turned(other)))
    }
}

impl<E: Elt> Acc<Array<Dim<2>, E>> {
    /// Exchanges the rows and columns of the matrix.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from((2, 2), 1).transpose())?.to_vec(), [1, 3, 2, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn transpose(&self) -> Acc<Array<Dim<2>, E>> {
        self.transpose_on(0, 1)
    }
}

impl<E: Elt> Acc<Array<Dim1, E>> {
    /// Replaces every element by `count` elements, which `f` computes from the element and a number that counts from 0.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let triangle = enum_from(4, 0_i64).expand(|n| n, |n, i| n * 10 + i);
    /// assert_eq!(Context::cpu()?.run(&triangle)?.to_vec(), [10, 20, 21, 30, 31, 32]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn expand<C: IntoExp<Elt = i64>, R: IntoExp>(
        &self,
        count: impl FnOnce(E::View) -> C + Send,
        f: impl FnOnce(E::View, Exp<i64>) -> R + Send,
    ) -> Acc<Array<Dim1, R::Elt>> {
        let counts = self.map(|x| count(x).into_exp().max(0));
        let segments = super::segmented::Segments::of(&counts);
        let (source, starts) = (self.reader(), segments.starts.reader());
        segments.numbers().imap(move |place, segment| {
            let number = place - starts.at_in_bounds(segment);
            f(source.at_in_bounds(segment), number)
        })
    }
}
