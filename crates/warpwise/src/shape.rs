//! Shapes: the number of dimensions is part of an array's type.

use std::fmt::Debug;

use crate::elt::{Elt, IntoExp, Operand};
use crate::exp::Exp;

/// The shape of arrays of `N` dimensions, of which 0 to 6 are supported. Dimensions are counted from the outermost;
/// the innermost varies fastest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim<const N: usize>;

/// One element.
pub type Dim0 = Dim<0>;
/// Vectors.
pub type Dim1 = Dim<1>;
/// Matrices: rows, columns.
pub type Dim2 = Dim<2>;
/// Three dimensions.
pub type Dim3 = Dim<3>;
/// Four dimensions.
pub type Dim4 = Dim<4>;
/// Five dimensions.
pub type Dim5 = Dim<5>;
/// Six dimensions.
pub type Dim6 = Dim<6>;

/// The shape of an array: how many dimensions it has, and what an index into it looks like.
///
/// An index is `()` for no dimensions, an `i64` for one, a tuple of `i64`, outermost first, for several.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape of an array",
    note = "shapes are `Dim0` to `Dim6`"
)]
pub trait Shape: Copy + Debug + Send + Sync + 'static {
    /// The number of dimensions.
    const RANK: usize;

    /// An index.
    type Index: Elt<View: IntoShape<Shape = Self> + IntoExp<Elt = Self::Index>>;

    /// Extents on the host, outermost first: an array of `usize`.
    type Extents: Extents<Shape = Self> + AsRef<[usize]>;

    /// Extents from the numbers of a shape with this many dimensions.
    #[doc(hidden)]
    fn extents(sizes: &[i64]) -> Self::Extents;
}

/// Extents on the host: an array of `usize` for every shape.
pub trait Extents: Copy + Debug + PartialEq {
    /// The shape they are of.
    type Shape: Shape;

    /// The extents, outermost first.
    fn sizes(&self) -> &[usize];
}

/// Extents within a program: `()`, an `i64` expression or constant, or a tuple of those.
#[diagnostic::on_unimplemented(message = "`{Self}` does not give the extents of an array")]
pub trait IntoShape {
    /// The shape they are of.
    type Shape: Shape;

    /// The extents as one expression.
    fn into_extents(self) -> Exp<<Self::Shape as Shape>::Index>;
}

/// The shape of an array with an innermost dimension.
#[diagnostic::on_unimplemented(
    message = "an array of shape `{Self}` has no innermost dimension to work along"
)]
pub trait Inner: Shape {
    /// The shape without its innermost dimension.
    type Outer: Shape;
}

/// A shape to which a dimension can be added.
pub trait Extend: Shape {
    /// The shape with another innermost dimension.
    type Larger: Inner<Outer = Self>;
}

macro_rules! shapes {
    ($($rank:literal $index:ty;)*) => { $(
        impl Extents for [usize; $rank] {
            type Shape = Dim<$rank>;

            fn sizes(&self) -> &[usize] {
                self
            }
        }

        impl IntoShape for Exp<$index> {
            type Shape = Dim<$rank>;

            fn into_extents(self) -> Exp<$index> {
                self
            }
        }

        impl Shape for Dim<$rank> {
            const RANK: usize = $rank;
            type Index = $index;
            type Extents = [usize; $rank];

            fn extents(sizes: &[i64]) -> [usize; $rank] {
                std::array::from_fn(|dimension| sizes.get(dimension).map_or(0, |&size| size.max(0) as usize))
            }
        }
    )* };
}

shapes! {
    0 ();
    1 i64;
    2 (i64, i64);
    3 (i64, i64, i64);
    4 (i64, i64, i64, i64);
    5 (i64, i64, i64, i64, i64);
    6 (i64, i64, i64, i64, i64, i64);
}

macro_rules! neighbours {
    ($($smaller:literal $larger:literal;)*) => { $(
        impl Inner for Dim<$larger> {
            type Outer = Dim<$smaller>;
        }

        impl Extend for Dim<$smaller> {
            type Larger = Dim<$larger>;
        }
    )* };
}

neighbours! {
    0 1;
    1 2;
    2 3;
    3 4;
    4 5;
    5 6;
}

impl IntoShape for i64 {
    type Shape = Dim1;

    fn into_extents(self) -> Exp<i64> {
        Exp::constant(self)
    }
}

macro_rules! tuples {
    ($($rank:literal $($name:ident)*;)*) => { $(
        impl<$($name: Operand<i64>),*> IntoShape for ($($name,)*) {
            type Shape = Dim<$rank>;

            #[track_caller]
            fn into_extents(self) -> Exp<<Dim<$rank> as Shape>::Index> {
                self.operand()
            }
        }
    )* };
}

tuples! {
    0;
    2 A B;
    3 A B C;
    4 A B C D;
    5 A B C D E;
    6 A B C D E F;
}
