//! Functions of numbers on whole arrays, element by element, named like those of [`Exp`](crate::Exp).
//!
//! `xs.exp()` is `xs.map(|x| x.exp())`. Absent: the rarer functions of expressions, which are used in [`map`](Acc::map).

use super::{Acc, Elementwise};
use crate::array::Array;
use crate::elt::{Float, Num, Operand, Signed};
use crate::shape::Shape;

/// Defines functions of one number, each with the result of its example.
macro_rules! functions {
    ($($(#[$meta:meta])* $name:ident $result:literal;)*) => {
        impl<Sh: Shape, E: Float> Acc<Array<Sh, E>> { $(
            $(#[$meta])*
            ///
            /// ```
            /// use warpwise::{Context, fill};
            ///
            #[doc = concat!("let found = Context::new()?.run(&fill(1, 0.25_f64).", stringify!($name), "())?[0];")]
            #[doc = concat!("assert!((found - ", $result, ").abs() < 1e-12);")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn $name(&self) -> Acc<Array<Sh, E>> {
                self.map(|x| x.$name())
            }
        )* }
    };
}

functions! {
    /// Computes the square root of every element.
    sqrt "0.5";
    /// Computes e raised to every element.
    exp "1.2840254166877414";
    /// Computes the natural logarithm of every element.
    ln "-1.3862943611198906";
    /// Computes the sine of every element.
    sin "0.24740395925452294";
    /// Computes the cosine of every element.
    cos "0.9689124217106447";
    /// Computes the hyperbolic tangent of every element.
    tanh "0.24491866240370913";
}

impl<Sh: Shape, E: Float> Acc<Array<Sh, E>> {
    /// Raises every element to an integer power.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1.0).powi(2))?.to_vec(), [1.0, 4.0, 9.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn powi(&self, exponent: i32) -> Acc<Array<Sh, E>> {
        self.map(|x| x.powi(exponent))
    }
}

impl<Sh: Shape, E: Signed> Acc<Array<Sh, E>> {
    /// Computes the absolute value of every element.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, -1).abs())?.to_vec(), [1, 0, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn abs(&self) -> Acc<Array<Sh, E>> {
        self.map(|x| x.abs())
    }
}

impl<Sh: Shape, E: Num> Acc<Array<Sh, E>> {
    /// Returns the smaller of every element and that of another array, or a scalar. The smallest element is
    /// [`minimum`](Acc::minimum).
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).min(2))?.to_vec(), [1, 2, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn min(&self, other: impl Elementwise<Sh, E>) -> Acc<Array<Sh, E>> {
        self.combined(other, |x, y| x.min(y))
    }

    /// Returns the larger of every element and that of another array, or a scalar. The largest element is
    /// [`maximum`](Acc::maximum).
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).max(2))?.to_vec(), [2, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn max(&self, other: impl Elementwise<Sh, E>) -> Acc<Array<Sh, E>> {
        self.combined(other, |x, y| x.max(y))
    }

    /// Restricts every element to the range between the bounds.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).clamp(2, 4))?.to_vec(), [2, 2, 3, 4, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn clamp(&self, least: impl Operand<E>, greatest: impl Operand<E>) -> Acc<Array<Sh, E>> {
        let (least, greatest) = (least.operand(), greatest.operand());
        self.map(move |x| x.clamp(least, greatest))
    }
}
