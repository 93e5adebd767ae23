//! Arguments that describe parts of an array, for slices and replications.

use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};
use std::panic::Location;

use warpwise_prim::Scalar;

use crate::exp::{Coordinate, Exp};
use crate::graph::{self, Axis, Op, Ty};
use crate::shape::{Dim, Dim1, Shape};

/// The selection of all of a dimension, in [`slice`](crate::Acc::slice) and [`replicate`](crate::Acc::replicate).
///
/// ```
/// use warpwise::{All, Context, enum_from};
///
/// assert_eq!(Context::new()?.run(&enum_from((2, 3), 1).slice((All, 1)))?.to_vec(), [2, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct All;

/// Every n-th element of a range; made by [`strided`].
///
/// ```
/// use std::ops::RangeFrom;
///
/// use warpwise::{Context, Strided, enum_from, strided};
///
/// let odd: Strided<RangeFrom<usize>> = strided(1.., 2);
/// assert_eq!(Context::new()?.run(&enum_from(6, 0).slice(odd))?.to_vec(), [1, 3, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Strided<R> {
    range: R,
    step: usize,
}

/// Selects every `step`-th element of a range, starting with the first one; a step of 0 is an error.
///
/// ```
/// use warpwise::{Context, enum_from, strided};
///
/// let table = enum_from((4, 5), 0).slice((strided(.., 2), strided(1..5, 3)));
/// assert_eq!(Context::new()?.run(&table)?.to_vec(), [1, 4, 11, 14]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub fn strided<R: SliceAxis<Kind = Kept>>(range: R, step: usize) -> Strided<R> {
    Strided { range, step }
}

/// A description of a part of an array: a tuple with an index, a range or [`All`] for every dimension; for vectors, one of these
/// alone.
///
/// ```
/// use warpwise::{Acc, Array, All, Context, Dim2, Matrix, Slicing, enum_from};
///
/// fn part<S: Slicing<Full = Dim2>>(matrix: &Acc<Matrix<i32>>, slice: S) -> Acc<Array<S::Part, i32>> {
///     matrix.slice(slice)
/// }
///
/// let matrix = enum_from((2, 3), 1);
/// let (column, element) = Context::new()?.run(&(part(&matrix, (All, 0)), part(&matrix, (1, 2))))?;
/// assert_eq!((column.to_vec(), element.to_vec()), (vec![1, 4], vec![6]));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no slice of an array",
    note = "a slice is a tuple with an index, a range or `All` for every dimension, of 4 at most"
)]
pub trait Slicing {
    /// Shape of the array that the slice is taken from.
    type Full: Shape;
    /// Shape of the part.
    type Part: Shape;

    /// Returns the kinds of the dimensions, and their operands, for an array of these extents.
    #[doc(hidden)]
    fn axes(self, extents: &[Exp<i64>]) -> (Vec<Axis>, Vec<Exp<i64>>);
}

/// A description of the dimensions that [`replicate`](crate::Acc::replicate) adds: [`All`] for a dimension of the array, an
/// extent for a new one.
///
/// ```
/// use warpwise::{Acc, All, Array, Context, Dim1, NewAxes, Vector, enum_from};
///
/// fn repeated<N: NewAxes<Part = Dim1>>(xs: &Acc<Vector<i32>>, axes: N) -> Acc<Array<N::Full, i32>> {
///     xs.replicate(axes)
/// }
///
/// assert_eq!(Context::new()?.run(&repeated(&enum_from(2, 1), (All, 2)))?.to_vec(), [1, 1, 2, 2]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not name the dimensions of a replication",
    note = "these are `All` for a dimension of the array and an extent for a new one, as a tuple"
)]
pub trait NewAxes: Slicing {}

/// A selection along one dimension: an index, a range of indices, or [`All`]. A negative constant counts from the end, as in
/// ndarray.
///
/// ```
/// use warpwise::{Acc, Context, Dim1, SliceAxis, Slicing, Vector, enum_from};
///
/// fn ends<R: SliceAxis + Slicing<Full = Dim1, Part = Dim1>>(xs: &Acc<Vector<i32>>, range: R) -> Acc<Vector<i32>> {
///     xs.slice(range)
/// }
///
/// let xs = enum_from(5, 0);
/// assert_eq!(Context::new()?.run(&(ends(&xs, ..2), ends(&xs, 3..=9)))?.1.to_vec(), [3, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` takes no part of a dimension",
    note = "an index, a range of indices or `All` does"
)]
pub trait SliceAxis {
    /// Marker of whether the part has this dimension.
    #[doc(hidden)]
    type Kind;

    /// Returns the kind of the dimension, and appends its operands, for a dimension of this extent.
    #[doc(hidden)]
    fn axis(self, extent: Option<Exp<i64>>, operands: &mut Vec<Exp<i64>>) -> Axis;
}

/// Marker: the part has this dimension.
#[doc(hidden)]
pub struct Kept;

/// Marker: the part does not have this dimension.
#[doc(hidden)]
pub struct Fixed;

/// Markers of all dimensions.
#[doc(hidden)]
pub trait Kinds {
    type Part: Shape;
}

impl<T: Coordinate> SliceAxis for T {
    type Kind = Fixed;

    #[track_caller]
    fn axis(self, extent: Option<Exp<i64>>, operands: &mut Vec<Exp<i64>>) -> Axis {
        let index = self.coordinate();
        operands.push(extent.map_or(index, |extent| from_either_end(index, extent)));
        Axis::Fixed
    }
}

impl SliceAxis for All {
    type Kind = Kept;

    fn axis(self, _extent: Option<Exp<i64>>, _operands: &mut Vec<Exp<i64>>) -> Axis {
        Axis::All
    }
}

impl SliceAxis for RangeFull {
    type Kind = Kept;

    fn axis(self, extent: Option<Exp<i64>>, operands: &mut Vec<Exp<i64>>) -> Axis {
        All.axis(extent, operands)
    }
}

/// The end of a range.
enum End {
    /// That of the dimension.
    Extent,
    /// Before this index.
    Before(Exp<i64>),
    /// After this index.
    After(Exp<i64>),
}

/// Returns a range from `start` to an end, clipped to the extent.
#[track_caller]
fn range(extent: Option<Exp<i64>>, start: Exp<i64>, end: End, operands: &mut Vec<Exp<i64>>) -> Axis {
    let Some(extent) = extent else { return Axis::All };
    let start = from_either_end(start, extent).max(0).min(extent);
    let end = match end {
        End::Extent => extent,
        End::Before(index) => from_either_end(index, extent),
        End::After(index) => from_either_end(index, extent) + 1,
    };
    operands.extend([start, end.max(start).min(extent) - start]);
    Axis::Range
}

/// Returns the index that a constant means: a negative one counts from the end of the dimension.
#[track_caller]
fn from_either_end(index: Exp<i64>, extent: Exp<i64>) -> Exp<i64> {
    match &index.node().op {
        Op::Constant(values) if matches!(values[..], [Scalar::I64(..0)]) => extent + index,
        _ => index,
    }
}

macro_rules! ranges {
    ($($range:ident $self:ident $start:expr, $end:expr;)*) => { $(
        impl<T: Coordinate> SliceAxis for $range<T> {
            type Kind = Kept;

            #[track_caller]
            fn axis($self, extent: Option<Exp<i64>>, operands: &mut Vec<Exp<i64>>) -> Axis {
                range(extent, $start, $end, operands)
            }
        }
    )* };
}

ranges! {
    Range self self.start.coordinate(), End::Before(self.end.coordinate());
    RangeFrom self self.start.coordinate(), End::Extent;
    RangeTo self Exp::constant(0), End::Before(self.end.coordinate());
    RangeToInclusive self Exp::constant(0), End::After(self.end.coordinate());
}

impl<T: Coordinate> SliceAxis for RangeInclusive<T> {
    type Kind = Kept;

    #[track_caller]
    fn axis(self, extent: Option<Exp<i64>>, operands: &mut Vec<Exp<i64>>) -> Axis {
        let (start, end) = self.into_inner();
        range(extent, start.coordinate(), End::After(end.coordinate()), operands)
    }
}

impl<R: SliceAxis<Kind = Kept>> SliceAxis for Strided<R> {
    type Kind = Kept;

    #[track_caller]
    fn axis(self, extent: Option<Exp<i64>>, operands: &mut Vec<Exp<i64>>) -> Axis {
        let mut own = Vec::new();
        self.range.axis(extent, &mut own);
        // A whole dimension has no operands, and an already strided one has a third operand.
        let (start, count, inner) = match (own.as_slice(), extent) {
            (&[start, count], _) => (start, count, Exp::constant(1)),
            (&[start, count, inner], _) => (start, count, inner),
            (_, extent) => (Exp::constant(0), extent.unwrap_or(Exp::constant(0)), Exp::constant(1)),
        };
        let step = match i64::try_from(self.step) {
            Ok(step @ 1..) => Exp::constant(step),
            Ok(_) | Err(_) => {
                let message = format!("a slice cannot go by steps of {}", self.step);
                Exp::of_node(graph::invalid(message, Ty::index(1), Location::caller()))
            }
        };
        operands.extend([start, (count - 1).div_floor(step) + 1, inner * step]);
        Axis::Strided
    }
}

/// A selection along one dimension is a slice of a vector.
impl<T: SliceAxis> Slicing for T
where
    (T::Kind,): Kinds,
{
    type Full = Dim1;
    type Part = <(T::Kind,) as Kinds>::Part;

    #[track_caller]
    fn axes(self, extents: &[Exp<i64>]) -> (Vec<Axis>, Vec<Exp<i64>>) {
        let mut operands = Vec::new();
        (vec![self.axis(extents.first().copied(), &mut operands)], operands)
    }
}

macro_rules! slices {
    ($($rank:literal $($name:ident $small:ident)*;)*) => { $(
        impl<$($name: SliceAxis),*> Slicing for ($($name,)*)
        where
            ($($name::Kind,)*): Kinds,
        {
            type Full = Dim<$rank>;
            type Part = <($($name::Kind,)*) as Kinds>::Part;

            #[track_caller]
            fn axes(self, extents: &[Exp<i64>]) -> (Vec<Axis>, Vec<Exp<i64>>) {
                let ($($small,)*) = self;
                let (mut extents, mut operands) = (extents.iter().copied(), Vec::new());
                (vec![$($small.axis(extents.next(), &mut operands)),*], operands)
            }
        }

        impl<$($name: NewAxis),*> NewAxes for ($($name,)*) where ($($name::Kind,)*): Kinds {}
    )* };
}

slices! {
    1 A a;
    2 A a B b;
    3 A a B b C c;
    4 A a B b C c D d;
}

/// A dimension in a replication: one of the array, or a new one.
#[doc(hidden)]
pub trait NewAxis: SliceAxis {}

impl NewAxis for All {}

impl<T: Coordinate> NewAxis for T {}

/// A replication of one element along a new dimension of this extent.
impl<T: Coordinate> NewAxes for T {}

macro_rules! kinds {
    ($($part:literal $($kind:ident)*;)*) => { $(
        impl Kinds for ($($kind,)*) {
            type Part = Dim<$part>;
        }
    )* };
}

kinds! {
    1 Kept;
    0 Fixed;
    2 Kept Kept;
    1 Kept Fixed;
    1 Fixed Kept;
    0 Fixed Fixed;
    3 Kept Kept Kept;
    2 Kept Kept Fixed;
    2 Kept Fixed Kept;
    1 Kept Fixed Fixed;
    2 Fixed Kept Kept;
    1 Fixed Kept Fixed;
    1 Fixed Fixed Kept;
    0 Fixed Fixed Fixed;
    4 Kept Kept Kept Kept;
    3 Kept Kept Kept Fixed;
    3 Kept Kept Fixed Kept;
    2 Kept Kept Fixed Fixed;
    3 Kept Fixed Kept Kept;
    2 Kept Fixed Kept Fixed;
    2 Kept Fixed Fixed Kept;
    1 Kept Fixed Fixed Fixed;
    3 Fixed Kept Kept Kept;
    2 Fixed Kept Kept Fixed;
    2 Fixed Kept Fixed Kept;
    1 Fixed Kept Fixed Fixed;
    2 Fixed Fixed Kept Kept;
    1 Fixed Fixed Kept Fixed;
    1 Fixed Fixed Fixed Kept;
    0 Fixed Fixed Fixed Fixed;
}
