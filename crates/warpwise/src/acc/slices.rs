//! What names a part of an array, for slices and replications.

use crate::elt::Operand;
use crate::exp::Exp;
use crate::graph::Axis;
use crate::shape::{Dim, Dim1, Shape};

/// All of a dimension, in [`slice`](crate::Acc::slice) and [`replicate`](crate::Acc::replicate).
///
/// ```
/// use warpwise::{All, Context, enum_from};
///
/// assert_eq!(Context::new()?.run(&enum_from((2, 3), 1).slice((All, 1)))?.to_vec(), [2, 5]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct All;

/// What names a part of an array: [`All`] or an index for every dimension, as a tuple.
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
#[diagnostic::on_unimplemented(message = "`{Self}` is no slice of an array")]
pub trait Slicing {
    /// The shape of what the slice is taken from.
    type Full: Shape;
    /// The shape of the part.
    type Part: Shape;

    /// The kinds of the dimensions, and the indices.
    #[doc(hidden)]
    fn axes(self) -> (Vec<Axis>, Vec<Exp<i64>>);
}

/// A slice for every way to choose which dimensions are fixed.
macro_rules! slices {
    ($($full:literal $part:literal ($($kind:ident $name:ident)*);)*) => { $(
        slices!(@impl $full $part () ($($kind $name)*) ($($kind $name)*));
    )* };
    (@impl $full:literal $part:literal ($($generic:ident)*) (Fixed $name:ident $($rest:tt)*) $all:tt) => {
        slices!(@impl $full $part ($($generic)* $name) ($($rest)*) $all);
    };
    (@impl $full:literal $part:literal ($($generic:ident)*) (Whole $name:ident $($rest:tt)*) $all:tt) => {
        slices!(@impl $full $part ($($generic)*) ($($rest)*) $all);
    };
    (@impl $full:literal $part:literal ($($generic:ident)*) () ($($kind:ident $name:ident)*)) => {
        impl<$($generic: Operand<i64>),*> Slicing for ($(slices!(@type $kind $name),)*) {
            type Full = Dim<$full>;
            type Part = Dim<$part>;

            #[allow(non_snake_case, unused_mut, unused_variables)]
            fn axes(self) -> (Vec<Axis>, Vec<Exp<i64>>) {
                let ($($name,)*) = self;
                let mut indices = Vec::new();
                let axes = vec![$(slices!(@axis indices $kind $name)),*];
                (axes, indices)
            }
        }
    };
    (@type Fixed $name:ident) => { $name };
    (@type Whole $name:ident) => { All };
    (@axis $indices:ident Fixed $name:ident) => {{
        $indices.push($name.operand());
        Axis::Fixed
    }};
    (@axis $indices:ident Whole $name:ident) => { Axis::All };
}

slices! {
    1 1 (Whole A);
    1 0 (Fixed A);
    2 2 (Whole A Whole B);
    2 1 (Whole A Fixed B);
    2 1 (Fixed A Whole B);
    2 0 (Fixed A Fixed B);
    3 3 (Whole A Whole B Whole C);
    3 2 (Whole A Whole B Fixed C);
    3 2 (Whole A Fixed B Whole C);
    3 1 (Whole A Fixed B Fixed C);
    3 2 (Fixed A Whole B Whole C);
    3 1 (Fixed A Whole B Fixed C);
    3 1 (Fixed A Fixed B Whole C);
    3 0 (Fixed A Fixed B Fixed C);
    4 4 (Whole A Whole B Whole C Whole D);
    4 3 (Whole A Whole B Whole C Fixed D);
    4 3 (Whole A Whole B Fixed C Whole D);
    4 2 (Whole A Whole B Fixed C Fixed D);
    4 3 (Whole A Fixed B Whole C Whole D);
    4 2 (Whole A Fixed B Whole C Fixed D);
    4 2 (Whole A Fixed B Fixed C Whole D);
    4 1 (Whole A Fixed B Fixed C Fixed D);
    4 3 (Fixed A Whole B Whole C Whole D);
    4 2 (Fixed A Whole B Whole C Fixed D);
    4 2 (Fixed A Whole B Fixed C Whole D);
    4 1 (Fixed A Whole B Fixed C Fixed D);
    4 2 (Fixed A Fixed B Whole C Whole D);
    4 1 (Fixed A Fixed B Whole C Fixed D);
    4 1 (Fixed A Fixed B Fixed C Whole D);
    4 0 (Fixed A Fixed B Fixed C Fixed D);
}

/// A new dimension of this extent around one element, or one index of a vector.
impl Slicing for i64 {
    type Full = Dim1;
    type Part = Dim<0>;

    fn axes(self) -> (Vec<Axis>, Vec<Exp<i64>>) {
        (vec![Axis::Fixed], vec![self.operand()])
    }
}

/// A new dimension of this extent around one element, or one index of a vector.
impl Slicing for Exp<i64> {
    type Full = Dim1;
    type Part = Dim<0>;

    fn axes(self) -> (Vec<Axis>, Vec<Exp<i64>>) {
        (vec![Axis::Fixed], vec![self])
    }
}
