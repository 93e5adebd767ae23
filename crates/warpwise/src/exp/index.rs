//! Arithmetic on extents and indices.

use super::Exp;
use crate::elt::{Elt, Integer};
use crate::shape::{IntoShape, Shape};

/// An index, an extent or a number of elements along a dimension: an integer of the host, or an expression of any integer type.
///
/// ```
/// use warpwise::{Acc, Context, Coordinate, Exp, Vector, enum_from};
///
/// fn middle(xs: &Acc<Vector<i32>>, border: impl Coordinate) -> Acc<Vector<i32>> {
///     let border = border.coordinate();
///     xs.skip(border).take(xs.len() - border * 2)
/// }
///
/// let (xs, by_two) = (enum_from(6_usize, 1), Exp::constant(2_u8));
/// let context = Context::new()?;
/// assert_eq!(context.run(&middle(&xs, 1))?.to_vec(), [2, 3, 4, 5]);
/// assert_eq!(context.run(&middle(&xs, by_two))?.to_vec(), [3, 4]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index, extent or number of elements",
    note = "these are integers, and expressions `Exp<i64>` or of other integers"
)]
pub trait Coordinate {
    /// Converts the value to an expression. A value that does not fit in 64 bits with a sign becomes an out-of-bounds number.
    fn coordinate(self) -> Exp<i64>;
}

impl<T: Integer> Coordinate for Exp<T> {
    #[track_caller]
    fn coordinate(self) -> Exp<i64> {
        self.cast()
    }
}

macro_rules! coordinates {
    ($($ty:ident)*) => { $(
        impl Coordinate for $ty {
            #[track_caller]
            fn coordinate(self) -> Exp<i64> {
                Exp::constant(i64::try_from(self).unwrap_or(i64::MAX))
            }
        }
    )* };
}

coordinates!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

/// View of the indices of a shape.
type View<S> = <<<S as IntoShape>::Shape as Shape>::Index as Elt>::View;

/// Returns the row-major position of an index, from 0 on, in an array of these extents.
///
/// ```
/// use warpwise::{Context, generate, to_index};
///
/// let places = generate((2, 3), |(i, j)| to_index((2, 3), (i, j)));
/// assert_eq!(Context::new()?.run(&places)?.to_vec(), [0, 1, 2, 3, 4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn to_index<S: IntoShape>(extents: S, index: impl IntoShape<Shape = S::Shape>) -> Exp<i64> {
    let (extents, index) = (dimensions::<S>(extents), dimensions(index));
    let places = extents.into_iter().zip(index);
    places.fold(Exp::constant(0), |place, (extent, index)| place * extent + index)
}

/// Returns the index of the element at a row-major position, from 0 on, in an array of these extents.
///
/// ```
/// use warpwise::{Context, from_index, generate};
///
/// let rows = generate(6, |place| from_index((2, 3), place).0);
/// assert_eq!(Context::new()?.run(&rows)?.to_vec(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn from_index<S: IntoShape>(extents: S, place: impl Coordinate) -> View<S> {
    let extents = dimensions::<S>(extents);
    let mut rest = place.coordinate();
    let mut index = Vec::with_capacity(extents.len());
    for extent in extents.iter().skip(1).rev() {
        index.push(rest % *extent);
        rest /= *extent;
    }
    if !extents.is_empty() {
        index.push(rest);
    }
    index.reverse();
    joined::<S>(&index)
}

/// Returns the smaller extent in every dimension: the extents of the common part of two arrays.
///
/// ```
/// use warpwise::{Context, fill, intersection};
///
/// let common = fill(intersection((2, 5), (4, 3)), 1);
/// assert_eq!(Context::new()?.run(&common)?.extents(), [2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn intersection<S: IntoShape>(one: S, other: impl IntoShape<Shape = S::Shape>) -> View<S> {
    let pairs = dimensions::<S>(one).into_iter().zip(dimensions(other));
    joined::<S>(&pairs.map(|(x, y)| x.min(y)).collect::<Vec<_>>())
}

/// Returns the larger extent in every dimension: the extents of the smallest array that contains both.
///
/// ```
/// use warpwise::{Context, fill, union};
///
/// let both = fill(union((2, 5), (4, 3)), 1);
/// assert_eq!(Context::new()?.run(&both)?.extents(), [4, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn union<S: IntoShape>(one: S, other: impl IntoShape<Shape = S::Shape>) -> View<S> {
    let pairs = dimensions::<S>(one).into_iter().zip(dimensions(other));
    joined::<S>(&pairs.map(|(x, y)| x.max(y)).collect::<Vec<_>>())
}

#[track_caller]
fn dimensions<S: IntoShape>(extents: S) -> Vec<Exp<i64>> {
    let index = extents.into_extents();
    (0..S::Shape::RANK).map(|dimension| index.part::<i64>(dimension)).collect()
}

#[track_caller]
fn joined<S: IntoShape>(dimensions: &[Exp<i64>]) -> View<S> {
    Exp::<<S::Shape as Shape>::Index>::join(dimensions.iter().map(|dimension| dimension.node()).collect())
        .view()
}
