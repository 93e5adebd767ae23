//! Rust's operators and comparisons on whole arrays, element by element.
//!
//! The other operand is an array of the same shape, a scalar, or an array of fewer dimensions that
//! [`insert_axis`](Acc::insert_axis) repeats along new ones. As in all operations, the result has the intersection of the
//! operands' extents.
//!
//! Absent: broadcasting of dimensions of extent 1, as in ndarray and NumPy. It would depend on the extents of a run, while a
//! program is compiled for all extents.

use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Rem, Sub};
use std::panic::Location;

use half::f16;

use super::Acc;
use crate::array::Array;
use crate::elt::{Bits, Elt, Num, Operand, Scalar, Signed};
use crate::exp::Exp;
use crate::graph;
use crate::shape::{Extend, Shape};

/// An array with new dimensions, whose extents are those of the other operand; made by [`insert_axis`](Acc::insert_axis).
///
/// ```
/// use warpwise::{Context, Dim2, Spread, enum_from, fill};
///
/// let columns: Spread<Dim2, f32> = enum_from(3, 1.0_f32).insert_axis(0);
/// let context = Context::new()?;
/// assert_eq!(context.run(&(fill((2, 3), 10.0_f32) * &columns))?.to_vec(), [10.0, 20.0, 30.0, 10.0, 20.0, 30.0]);
/// assert_eq!(context.run(&columns.like(&fill((1, 9), true)))?.to_vec(), [1.0, 2.0, 3.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Spread<Sh, E> {
    /// The array, typed as if it already had the new dimensions.
    array: Acc<Array<Sh, E>>,
    /// For each dimension, whether it belongs to the array.
    kept: Vec<bool>,
}

impl<Sh, E> Clone for Spread<Sh, E> {
    fn clone(&self) -> Spread<Sh, E> {
        Spread { array: self.array.clone(), kept: self.kept.clone() }
    }
}

impl<Sh: Extend, E: Elt> Acc<Array<Sh, E>> {
    /// Adds a dimension to the array, counted from the outermost. The array is repeated along it to the extent of the other
    /// operand, which must have that dimension. In a product of all pairs, [`replicate`](Acc::replicate) gives one of the arrays its
    /// new extent: `xs.replicate((All, ys.len())) * ys.insert_axis(0)`.
    ///
    /// ```
    /// use warpwise::{Context, Matrix, use_};
    ///
    /// // Every row divided by its sum.
    /// let matrix = use_(&Matrix::from([[1.0, 3.0], [2.0, 2.0]]));
    /// let shares = &matrix / matrix.sum().insert_axis(1);
    /// assert_eq!(Context::cpu()?.run(&shares)?.to_vec(), [0.25, 0.75, 0.5, 0.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn insert_axis(&self, dimension: usize) -> Spread<Sh::Larger, E> {
        inserted(self, vec![true; Sh::RANK], dimension)
    }
}

impl<Sh: Extend, E: Elt> Spread<Sh, E> {
    /// Adds another new dimension, counted from the outermost.
    ///
    /// ```
    /// use warpwise::{Context, enum_from, fill};
    ///
    /// let spread = enum_from(2, 1).insert_axis(0).insert_axis(2);
    /// assert_eq!(Context::new()?.run(&(fill((1, 2, 2), 10) * spread))?.to_vec(), [10, 10, 20, 20]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn insert_axis(&self, dimension: usize) -> Spread<Sh::Larger, E> {
        inserted(&self.array, self.kept.clone(), dimension)
    }
}

impl<Sh: Shape, E: Elt> Spread<Sh, E> {
    /// Repeats the array along its new dimensions to the extents of `other`.
    ///
    /// ```
    /// use warpwise::{Context, enum_from, fill};
    ///
    /// let rows = enum_from(2, 1).insert_axis(1).like(&fill((5, 3), true));
    /// assert_eq!(Context::new()?.run(&rows)?.to_vec(), [1, 1, 1, 2, 2, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn like<F: Elt>(&self, other: &Acc<Array<Sh, F>>) -> Acc<Array<Sh, E>> {
        let extents = super::dimensions(other.extents_exp(), Sh::RANK);
        let new = extents.into_iter().zip(&self.kept).filter(|(_, kept)| !**kept);
        self.array.spread(self.kept.clone(), new.map(|(extent, _)| extent).collect())
    }
}

#[track_caller]
fn inserted<Sh: Extend, E: Elt>(
    array: &Acc<Array<Sh, E>>,
    mut kept: Vec<bool>,
    dimension: usize,
) -> Spread<Sh::Larger, E> {
    kept.insert(dimension.min(Sh::RANK), false);
    if dimension <= Sh::RANK {
        return Spread { array: Acc::of(array.node()), kept };
    }
    let message = format!("a dimension {dimension} cannot be inserted among {} dimensions", Sh::RANK);
    let wrong = graph::invalid(message, array.node().ty.clone(), Location::caller());
    Spread { array: Acc::of(wrong), kept }
}

/// The other operand of an operator on arrays of shape `Sh`: an array of the same shape, a [`Spread`], or a scalar.
///
/// ```
/// use warpwise::{Acc, Context, Elementwise, Vector, enum_from};
///
/// fn doubled(xs: &Acc<Vector<i32>>, and: impl Elementwise<warpwise::Dim1, i32>) -> Acc<Vector<i32>> {
///     xs * 2 + and
/// }
///
/// let xs = enum_from(2, 1);
/// assert_eq!(Context::new()?.run(&(doubled(&xs, 10), doubled(&xs, &xs)))?.1.to_vec(), [3, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be combined with an array of shape `{Sh}` and elements `{E}`",
    note = "what can is an array of the same shape and elements, a scalar, `total.the()` of an array without dimensions, and `xs.insert_axis(dimension)` of an array with fewer dimensions"
)]
pub trait Elementwise<Sh: Shape, E: Elt> {
    /// Returns the operand as an array, or as one element for all of `other`.
    #[doc(hidden)]
    fn beside(self, other: &Acc<Array<Sh, E>>) -> Beside<Sh, E>;
}

/// The other operand.
#[doc(hidden)]
pub enum Beside<Sh, E> {
    Array(Acc<Array<Sh, E>>),
    Element(Exp<E>),
}

impl<Sh: Shape, E: Elt> Elementwise<Sh, E> for Acc<Array<Sh, E>> {
    fn beside(self, _other: &Acc<Array<Sh, E>>) -> Beside<Sh, E> {
        Beside::Array(self)
    }
}

impl<Sh: Shape, E: Elt> Elementwise<Sh, E> for &Acc<Array<Sh, E>> {
    fn beside(self, _other: &Acc<Array<Sh, E>>) -> Beside<Sh, E> {
        Beside::Array(self.clone())
    }
}

impl<Sh: Shape, E: Elt> Elementwise<Sh, E> for Spread<Sh, E> {
    #[track_caller]
    fn beside(self, other: &Acc<Array<Sh, E>>) -> Beside<Sh, E> {
        Beside::Array(self.like(other))
    }
}

impl<Sh: Shape, E: Elt> Elementwise<Sh, E> for &Spread<Sh, E> {
    #[track_caller]
    fn beside(self, other: &Acc<Array<Sh, E>>) -> Beside<Sh, E> {
        Beside::Array(self.like(other))
    }
}

impl<Sh: Shape, E: Elt> Elementwise<Sh, E> for Exp<E> {
    fn beside(self, _other: &Acc<Array<Sh, E>>) -> Beside<Sh, E> {
        Beside::Element(self)
    }
}

macro_rules! scalars {
    ($($ty:ident)*) => { $(
        impl<Sh: Shape> Elementwise<Sh, $ty> for $ty {
            #[track_caller]
            fn beside(self, _other: &Acc<Array<Sh, $ty>>) -> Beside<Sh, $ty> {
                Beside::Element(self.operand())
            }
        }
    )* };
}

scalars!(bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64);

impl<Sh: Shape, E: Scalar> Acc<Array<Sh, E>> {
    /// Combines every element with that of the other operand.
    #[track_caller]
    pub(super) fn combined<R: Scalar>(
        &self,
        other: impl Elementwise<Sh, E>,
        f: impl FnOnce(Exp<E>, Exp<E>) -> Exp<R> + Send,
    ) -> Acc<Array<Sh, R>> {
        match other.beside(self) {
            Beside::Array(other) => self.zip_with(&other, f),
            Beside::Element(element) => self.map(move |x| f(x, element)),
        }
    }
}

/// Defines comparisons of all elements, each with the result of its example.
macro_rules! comparisons {
    ($($(#[$meta:meta])* $name:ident $result:literal;)*) => {
        impl<Sh: Shape, E: Scalar> Acc<Array<Sh, E>> { $(
            $(#[$meta])*
            ///
            /// ```
            /// use warpwise::{Context, enum_from};
            ///
            #[doc = concat!("let found = enum_from(3, 1).", stringify!($name), "(2);")]
            #[doc = concat!("assert_eq!(Context::new()?.run(&found)?.to_vec(), ", $result, ");")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[allow(clippy::should_implement_trait)]
            #[track_caller]
            pub fn $name(&self, other: impl Elementwise<Sh, E>) -> Acc<Array<Sh, bool>> {
                self.combined(other, |x, y| x.$name(y))
            }
        )* }
    };
}

comparisons! {
    /// Returns for every element whether it is equal to that of another array, or to a scalar.
    eq "[false, true, false]";
    /// Returns for every element whether it differs from that of another array, or from a scalar.
    ne "[true, false, true]";
    /// Returns for every element whether it is less than that of another array, or than a scalar.
    lt "[true, false, false]";
    /// Returns for every element whether it is at most that of another array, or a scalar.
    le "[true, true, false]";
    /// Returns for every element whether it is greater than that of another array, or than a scalar.
    gt "[false, false, true]";
    /// Returns for every element whether it is at least that of another array, or a scalar.
    ge "[false, true, true]";
}

macro_rules! operators {
    ($($trait:ident $method:ident $bound:ident [$($ty:ident)*];)*) => { $(
        impl<Sh: Shape, E: $bound, R: Elementwise<Sh, E>> $trait<R> for &Acc<Array<Sh, E>> {
            type Output = Acc<Array<Sh, E>>;

            #[track_caller]
            fn $method(self, other: R) -> Acc<Array<Sh, E>> {
                self.combined(other, |x, y| $trait::$method(x, y))
            }
        }

        impl<Sh: Shape, E: $bound, R: Elementwise<Sh, E>> $trait<R> for Acc<Array<Sh, E>> {
            type Output = Acc<Array<Sh, E>>;

            #[track_caller]
            fn $method(self, other: R) -> Acc<Array<Sh, E>> {
                $trait::$method(&self, other)
            }
        }

        operators!(@left $trait $method [Sh E: $bound] Spread<Sh, E>, E, |array, other| array.like(other));
        operators!(@left $trait $method [Sh E: $bound] &Spread<Sh, E>, E, |array, other| array.like(other));
        operators!(@element $trait $method [Sh E: $bound] Exp<E>, E);
        $(operators!(@element $trait $method [Sh] $ty, $ty);)*
    )* };
    (@left $trait:ident $method:ident [$sh:ident $($e:ident: $bound:ident)?] $left:ty, $elt:ty, |$array:ident, $other:ident| $like:expr) => {
        impl<$sh: Shape $(, $e: $bound)?> $trait<&Acc<Array<$sh, $elt>>> for $left {
            type Output = Acc<Array<$sh, $elt>>;

            #[track_caller]
            fn $method(self, other: &Acc<Array<$sh, $elt>>) -> Acc<Array<$sh, $elt>> {
                let ($array, $other) = (self, other);
                $trait::$method($like, $other)
            }
        }

        impl<$sh: Shape $(, $e: $bound)?> $trait<Acc<Array<$sh, $elt>>> for $left {
            type Output = Acc<Array<$sh, $elt>>;

            #[track_caller]
            fn $method(self, other: Acc<Array<$sh, $elt>>) -> Acc<Array<$sh, $elt>> {
                $trait::$method(self, &other)
            }
        }
    };
    (@element $trait:ident $method:ident [$sh:ident $($e:ident: $bound:ident)?] $left:ty, $elt:ty) => {
        impl<$sh: Shape $(, $e: $bound)?> $trait<&Acc<Array<$sh, $elt>>> for $left {
            type Output = Acc<Array<$sh, $elt>>;

            #[track_caller]
            fn $method(self, other: &Acc<Array<$sh, $elt>>) -> Acc<Array<$sh, $elt>> {
                let element = Operand::<$elt>::operand(self);
                other.map(move |x| $trait::$method(element, x))
            }
        }

        impl<$sh: Shape $(, $e: $bound)?> $trait<Acc<Array<$sh, $elt>>> for $left {
            type Output = Acc<Array<$sh, $elt>>;

            #[track_caller]
            fn $method(self, other: Acc<Array<$sh, $elt>>) -> Acc<Array<$sh, $elt>> {
                $trait::$method(self, &other)
            }
        }
    };
}

operators! {
    Add add Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64];
    Sub sub Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64];
    Mul mul Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64];
    Div div Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64];
    Rem rem Num [i8 i16 i32 i64 isize u8 u16 u32 u64 usize f16 f32 f64];
    BitAnd bitand Bits [bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize];
    BitOr bitor Bits [bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize];
    BitXor bitxor Bits [bool i8 i16 i32 i64 isize u8 u16 u32 u64 usize];
}

impl<Sh: Shape, E: Signed> Neg for &Acc<Array<Sh, E>> {
    type Output = Acc<Array<Sh, E>>;

    #[track_caller]
    fn neg(self) -> Acc<Array<Sh, E>> {
        self.map(|x| -x)
    }
}

impl<Sh: Shape, E: Signed> Neg for Acc<Array<Sh, E>> {
    type Output = Acc<Array<Sh, E>>;

    #[track_caller]
    fn neg(self) -> Acc<Array<Sh, E>> {
        -&self
    }
}

impl<Sh: Shape, E: Bits> Not for &Acc<Array<Sh, E>> {
    type Output = Acc<Array<Sh, E>>;

    #[track_caller]
    fn not(self) -> Acc<Array<Sh, E>> {
        self.map(|x| !x)
    }
}

impl<Sh: Shape, E: Bits> Not for Acc<Array<Sh, E>> {
    type Output = Acc<Array<Sh, E>>;

    #[track_caller]
    fn not(self) -> Acc<Array<Sh, E>> {
        !&self
    }
}
