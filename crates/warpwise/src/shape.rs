//! Shapes: the number of dimensions is part of an array's type.

use std::fmt::Debug;

use crate::elt::{Elt, IntoExp};
use crate::exp::{Coordinate, Exp};

/// The shape of arrays of `N` dimensions, where `N` is 0 to 9. Dimensions are counted from the outermost; the innermost varies
/// fastest.
///
/// ```
/// use warpwise::{Array, Dim};
///
/// let array: Array<Dim<4>, bool> = Array::from_vec([1, 2, 1, 1], vec![true, false])?;
/// assert_eq!(array.extents(), [1, 2, 1, 1]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dim<const N: usize>;

/// Shape of a single element.
///
/// ```
/// use warpwise::{Array, Dim0};
///
/// let array: Array<Dim0, i32> = Array::from_vec([], vec![5])?;
/// assert_eq!(array.get([]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim0 = Dim<0>;
/// Shape of vectors.
///
/// ```
/// use warpwise::{Array, Dim1};
///
/// let array: Array<Dim1, i32> = Array::from_vec([1], vec![5])?;
/// assert_eq!(array.get([0]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim1 = Dim<1>;
/// Shape of matrices: rows, columns.
///
/// ```
/// use warpwise::{Array, Dim2};
///
/// let array: Array<Dim2, i32> = Array::from_vec([1, 1], vec![5])?;
/// assert_eq!(array.get([0, 0]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim2 = Dim<2>;
/// Shape of arrays of three dimensions.
///
/// ```
/// use warpwise::{Array, Dim3};
///
/// let array: Array<Dim3, i32> = Array::from_vec([1, 1, 1], vec![5])?;
/// assert_eq!(array.get([0, 0, 0]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim3 = Dim<3>;
/// Shape of arrays of four dimensions.
///
/// ```
/// use warpwise::{Array, Dim4};
///
/// let array: Array<Dim4, i32> = Array::from_vec([1, 1, 1, 1], vec![5])?;
/// assert_eq!(array.get([0, 0, 0, 0]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim4 = Dim<4>;
/// Shape of arrays of five dimensions.
///
/// ```
/// use warpwise::{Array, Dim5};
///
/// let array: Array<Dim5, i32> = Array::from_vec([1, 1, 1, 1, 1], vec![5])?;
/// assert_eq!(array.get([0, 0, 0, 0, 0]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim5 = Dim<5>;
/// Shape of arrays of six dimensions.
///
/// ```
/// use warpwise::{Array, Dim6};
///
/// let array: Array<Dim6, i32> = Array::from_vec([1, 1, 1, 1, 1, 1], vec![5])?;
/// assert_eq!(array.get([0, 0, 0, 0, 0, 0]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim6 = Dim<6>;
/// Seven dimensions.
///
/// ```
/// use warpwise::{Array, Dim7};
///
/// let array: Array<Dim7, i32> = Array::from_vec([1; 7], vec![5])?;
/// assert_eq!(array.get([0; 7]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim7 = Dim<7>;
/// Eight dimensions.
///
/// ```
/// use warpwise::{Array, Dim8};
///
/// let array: Array<Dim8, i32> = Array::from_vec([1; 8], vec![5])?;
/// assert_eq!(array.get([0; 8]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim8 = Dim<8>;
/// Nine dimensions.
///
/// ```
/// use warpwise::{Array, Dim9};
///
/// let array: Array<Dim9, i32> = Array::from_vec([1; 9], vec![5])?;
/// assert_eq!(array.get([0; 9]), Some(5));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Dim9 = Dim<9>;

/// The shape of an array: its number of dimensions, and the type of its indices.
///
/// An index is `()` for no dimensions, an `i64` for one, a tuple of `i64`, outermost first, for several.
///
/// ```
/// use warpwise::{Acc, Array, Shape, fill};
///
/// fn rank<Sh: Shape>(_: &Acc<Array<Sh, f32>>) -> usize {
///     Sh::RANK
/// }
///
/// assert_eq!(rank(&fill((2, 3), 0.0_f32)), 2);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no shape of an array",
    note = "shapes are `Dim0` to `Dim9`"
)]
pub trait Shape: Copy + Debug + Send + Sync + 'static {
    /// Number of dimensions.
    const RANK: usize;

    /// Type of an index.
    type Index: Elt<View: IntoShape<Shape = Self> + IntoExp<Elt = Self::Index>>;

    /// Extents on the host, outermost first: an array of `usize`.
    type Extents: Extents<Shape = Self> + AsRef<[usize]>;

    /// Converts the first `RANK` numbers to extents.
    #[doc(hidden)]
    fn extents(sizes: &[i64]) -> Self::Extents;
}

/// Extents on the host: an array or a tuple of `usize`; a single `usize` for vectors.
///
/// ```
/// use warpwise::{Array, Error, Extents};
///
/// fn zeros<X: Extents>(extents: X) -> Result<Array<X::Shape, i32>, Error> {
///     Array::from_vec(extents, vec![0; extents.sizes().as_ref().iter().product()])
/// }
///
/// assert_eq!((zeros([2, 3])?, zeros(6)?.len()), (zeros((2, 3))?, 6));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub trait Extents: Copy + Debug + PartialEq {
    /// Shape that these extents belong to.
    type Shape: Shape;

    /// Returns the extents, outermost first.
    fn sizes(&self) -> <Self::Shape as Shape>::Extents;

    /// Returns the index of the element at a row-major position, which must be within these extents.
    #[doc(hidden)]
    fn index_of(&self, place: usize) -> Self;
}

/// Extents or an index within a program: an integer ([`Coordinate`]) for a vector, a tuple or an array of integers for more dimensions,
/// `()` for none.
///
/// ```
/// use warpwise::{Acc, Array, Context, IntoShape, fill};
///
/// fn zeros<S: IntoShape>(extents: S) -> Acc<Array<S::Shape, i32>> {
///     fill(extents, 0)
/// }
///
/// assert_eq!(Context::new()?.run(&zeros((2, 3)).size())?, 6);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no index, and does not give the extents of an array",
    note = "these are integers and expressions of integers, tuples and arrays of as many as there are dimensions"
)]
pub trait IntoShape {
    /// Shape that the extents or the index belong to.
    type Shape: Shape;

    /// Returns the extents as one expression.
    fn into_extents(self) -> Exp<<Self::Shape as Shape>::Index>;
}

/// The shape of an array with an innermost dimension.
///
/// ```
/// use warpwise::{Acc, Array, Context, Inner, fill};
///
/// fn sums<Sh: Inner>(xs: &Acc<Array<Sh, i32>>) -> Acc<Array<Sh::Outer, i32>> {
///     xs.sum()
/// }
///
/// assert_eq!(Context::new()?.run(&sums(&fill((2, 3), 1)))?.to_vec(), [3, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "an array of shape `{Self}` has no innermost dimension to work along"
)]
pub trait Inner: Shape {
    /// Shape without the innermost dimension.
    type Outer: Shape;
}

/// A shape to which a dimension can be added.
///
/// ```
/// use warpwise::{Dim1, Extend, Shape};
///
/// fn rank_of_rows<Sh: Extend>() -> usize {
///     <Sh::Larger as Shape>::RANK
/// }
///
/// assert_eq!(rank_of_rows::<Dim1>(), 2);
/// ```
pub trait Extend: Shape {
    /// Shape with another innermost dimension.
    type Larger: Inner<Outer = Self>;
}

macro_rules! shapes {
    ($($rank:literal $index:ty;)*) => { $(
        impl Extents for [usize; $rank] {
            type Shape = Dim<$rank>;

            fn sizes(&self) -> [usize; $rank] {
                *self
            }

            #[allow(unused_mut)]
            fn index_of(&self, place: usize) -> [usize; $rank] {
                let (mut index, mut rest) = ([0; $rank], place);
                for (at, &size) in index.iter_mut().zip(self).rev() {
                    (*at, rest) = (rest % size, rest / size);
                }
                index
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
    7 (i64, i64, i64, i64, i64, i64, i64);
    8 (i64, i64, i64, i64, i64, i64, i64, i64);
    9 (i64, i64, i64, i64, i64, i64, i64, i64, i64);
}

impl Extents for usize {
    type Shape = Dim1;

    fn sizes(&self) -> [usize; 1] {
        [*self]
    }

    fn index_of(&self, place: usize) -> usize {
        place
    }
}

macro_rules! extents {
    ($($rank:literal $($ty:ident)*;)*) => { $(
        impl Extents for ($($ty,)*) {
            type Shape = Dim<$rank>;

            fn sizes(&self) -> [usize; $rank] {
                (*self).into()
            }

            fn index_of(&self, place: usize) -> Self {
                self.sizes().index_of(place).into()
            }
        }
    )* };
}

extents! {
    2 usize usize;
    3 usize usize usize;
    4 usize usize usize usize;
    5 usize usize usize usize usize;
    6 usize usize usize usize usize usize;
    7 usize usize usize usize usize usize usize;
    8 usize usize usize usize usize usize usize usize;
    9 usize usize usize usize usize usize usize usize usize;
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
    6 7;
    7 8;
    8 9;
}

impl<T: Coordinate> IntoShape for T {
    type Shape = Dim1;

    #[track_caller]
    fn into_extents(self) -> Exp<i64> {
        self.coordinate()
    }
}

macro_rules! tuples {
    ($($rank:literal $($name:ident $small:ident)*;)*) => { $(
        impl<$($name: Coordinate),*> IntoShape for ($($name,)*) {
            type Shape = Dim<$rank>;

            #[track_caller]
            fn into_extents(self) -> Exp<<Dim<$rank> as Shape>::Index> {
                let ($($small,)*) = self;
                Exp::join(vec![$($small.coordinate().node()),*])
            }
        }

        impl IntoShape for Exp<<Dim<$rank> as Shape>::Index> {
            type Shape = Dim<$rank>;

            fn into_extents(self) -> Self {
                self
            }
        }
    )* };
}

tuples! {
    0;
    2 A a B b;
    3 A a B b C c;
    4 A a B b C c D d;
    5 A a B b C c D d E e;
    6 A a B b C c D d E e F f;
    7 A a B b C c D d E e F f G g;
    8 A a B b C c D d E e F f G g H h;
    9 A a B b C c D d E e F f G g H h I i;
}

macro_rules! arrays {
    ($($rank:literal)*) => { $(
        impl<T: Coordinate> IntoShape for [T; $rank] {
            type Shape = Dim<$rank>;

            #[track_caller]
            fn into_extents(self) -> Exp<<Dim<$rank> as Shape>::Index> {
                // A single extent is not a tuple, but has the same components.
                Exp::join(self.map(|extent| extent.coordinate().node()).to_vec())
            }
        }
    )* };
}

arrays!(1 2 3 4 5 6 7 8 9);
