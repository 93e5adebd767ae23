//! Vectors of two, three and four numbers as elements, with the arithmetic of points and directions.
//!
//! An array of these is stored as an array per component. Operators work component by component; `*` and `/` also take a scalar.

use std::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

use super::{Float, Num, Operand, Signed};
use crate::Elt;
use crate::exp::Exp;

/// Operators on the views of vectors, with views and with vectors of the host.
macro_rules! componentwise {
    ($name:ident $view:ident ($($part:ident)*) $trait:ident $method:ident, $assign:ident $assign_method:ident) => {
        impl<T: Num> $trait for $view<T> {
            type Output = $view<T>;

            #[track_caller]
            fn $method(self, other: $view<T>) -> $view<T> {
                $view { $($part: self.$part.$method(other.$part)),* }
            }
        }

        impl<T: Num> $trait<$name<T>> for $view<T> {
            type Output = $view<T>;

            #[track_caller]
            fn $method(self, other: $name<T>) -> $view<T> {
                $view { $($part: self.$part.$method(other.$part)),* }
            }
        }

        impl<T: Num, R> $assign<R> for $view<T>
        where
            $view<T>: $trait<R, Output = $view<T>>,
        {
            #[track_caller]
            fn $assign_method(&mut self, other: R) {
                *self = (*self).$method(other);
            }
        }
    };
}

/// Products and quotients of the views of vectors and scalars.
macro_rules! scaled {
    ($view:ident ($($part:ident)*) $trait:ident $method:ident) => {
        impl<T: Num> $trait<Exp<T>> for $view<T> {
            type Output = $view<T>;

            #[track_caller]
            fn $method(self, by: Exp<T>) -> $view<T> {
                $view { $($part: self.$part.$method(by)),* }
            }
        }

        impl<T: Num> $trait<T> for $view<T> {
            type Output = $view<T>;

            #[track_caller]
            fn $method(self, by: T) -> $view<T> {
                self.$method(Exp::constant(by))
            }
        }
    };
}

macro_rules! vectors {
    ($($(#[$about:meta])* $name:ident $view:ident $count:literal ($($part:ident)*) is $ones:literal;)*) => { $(
        $(#[$about])*
        ///
        /// ```
        #[doc = concat!("use warpwise::{Array, Context, ", stringify!($name), ", use_};")]
        ///
        #[doc = concat!("let points = use_(&Array::from_vec([2], vec![", stringify!($name), "::from([1.0; ", $count, "]); 2])?);")]
        /// let lengths = points.map(|p| (p * 2.0 - p).norm_sqr());
        #[doc = concat!("assert_eq!(Context::new()?.run(&lengths)?.to_vec(), [", $ones, "; 2]);")]
        /// # Ok::<(), warpwise::Error>(())
        /// ```
        #[derive(Clone, Copy, PartialEq, Debug, Default, Elt)]
        pub struct $name<T: Num> {
            $(
                #[doc = concat!("The component `", stringify!($part), "`.")]
                pub $part: T,
            )*
        }

        impl<T: Num> $name<T> {
            /// Returns the vector with these components.
            ///
            /// ```
            #[doc = concat!("use warpwise::", stringify!($name), ";")]
            ///
            #[doc = concat!("let [", $(stringify!($part), ", ",)* "] = [1; ", $count, "];")]
            #[doc = concat!("assert_eq!(", stringify!($name), "::new(", $(stringify!($part), ", ",)* "), ", stringify!($name), "::from([1; ", $count, "]));")]
            /// ```
            #[allow(clippy::many_single_char_names)]
            pub const fn new($($part: T),*) -> $name<T> {
                $name { $($part),* }
            }
        }

        impl<T: Num> From<[T; $count]> for $name<T> {
            #[allow(clippy::many_single_char_names)]
            fn from([$($part),*]: [T; $count]) -> $name<T> {
                $name { $($part),* }
            }
        }

        impl<T: Num> From<$name<T>> for [T; $count] {
            fn from(vector: $name<T>) -> [T; $count] {
                [$(vector.$part),*]
            }
        }

        impl<T: Num> $view<T> {
            /// Returns the expression of the vector with these components.
            ///
            /// ```
            #[doc = concat!("use warpwise::{Context, ", stringify!($view), "};")]
            ///
            #[doc = concat!("let [", $(stringify!($part), ", ",)* "] = [1_i64; ", $count, "];")]
            #[doc = concat!("let v = ", stringify!($view), "::new(", $(stringify!($part), ", ",)* ");")]
            #[doc = concat!("assert_eq!(Context::new()?.run(&v.dot(v))?, ", $count, ");")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            #[allow(clippy::many_single_char_names)]
            pub fn new($($part: impl Operand<T>),*) -> $view<T> {
                $view { $($part: $part.operand()),* }
            }

            /// Returns the vector whose components all are this scalar.
            ///
            /// ```
            #[doc = concat!("use warpwise::{Context, ", stringify!($view), "};")]
            ///
            #[doc = concat!("assert_eq!(Context::new()?.run(&", stringify!($view), "::splat(1_i64).norm_sqr())?, ", $count, ");")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn splat(component: impl Operand<T>) -> $view<T> {
                let component = component.operand();
                $view { $($part: component),* }
            }

            /// Returns the scalar product.
            ///
            /// ```
            #[doc = concat!("use warpwise::{Context, ", stringify!($view), "};")]
            ///
            #[doc = concat!("let (u, v) = (", stringify!($view), "::splat(2_i64), ", stringify!($view), "::splat(3));")]
            #[doc = concat!("assert_eq!(Context::new()?.run(&u.dot(v))?, 6 * ", $count, ");")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn dot(self, other: $view<T>) -> Exp<T> {
                let products = [$(self.$part * other.$part),*];
                products.into_iter().reduce(|sum, product| sum + product).unwrap_or_else(|| Exp::of(0.0))
            }

            /// Returns the square of the length, the scalar product with itself.
            ///
            /// ```
            #[doc = concat!("use warpwise::{Context, ", stringify!($view), "};")]
            ///
            #[doc = concat!("assert_eq!(Context::new()?.run(&", stringify!($view), "::splat(2_i64).norm_sqr())?, 4 * ", $count, ");")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn norm_sqr(self) -> Exp<T> {
                self.dot(self)
            }
        }

        impl<T: Float> $view<T> {
            /// Returns the length.
            ///
            /// ```
            #[doc = concat!("use warpwise::{Context, ", stringify!($view), "};")]
            ///
            #[doc = concat!("let length = Context::new()?.run(&", stringify!($view), "::splat(2.0_f64).norm())?;")]
            #[doc = concat!("assert_eq!(length, (4.0 * ", $count, "_f64).sqrt());")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn norm(self) -> Exp<T> {
                self.norm_sqr().sqrt()
            }

            /// Returns the vector of length one in the same direction; that of the zero vector has NaN components.
            ///
            /// ```
            #[doc = concat!("use warpwise::{Context, ", stringify!($view), "};")]
            ///
            #[doc = concat!("let unit = ", stringify!($view), "::splat(2.0_f64).normalized();")]
            /// assert!((Context::new()?.run(&unit.norm())? - 1.0).abs() < 1e-12);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn normalized(self) -> $view<T> {
                self / self.norm()
            }
        }

        componentwise!($name $view ($($part)*) Add add, AddAssign add_assign);
        componentwise!($name $view ($($part)*) Sub sub, SubAssign sub_assign);
        scaled!($view ($($part)*) Mul mul);
        scaled!($view ($($part)*) Div div);

        /// The product of every component with that of the other vector.
        impl<T: Num> Mul for $view<T> {
            type Output = $view<T>;

            #[track_caller]
            fn mul(self, other: $view<T>) -> $view<T> {
                $view { $($part: self.$part * other.$part),* }
            }
        }

        impl<T: Num, R> MulAssign<R> for $view<T>
        where
            $view<T>: Mul<R, Output = $view<T>>,
        {
            #[track_caller]
            fn mul_assign(&mut self, by: R) {
                *self = *self * by;
            }
        }

        impl<T: Num> Mul<$view<T>> for Exp<T> {
            type Output = $view<T>;

            #[track_caller]
            fn mul(self, vector: $view<T>) -> $view<T> {
                $view { $($part: self * vector.$part),* }
            }
        }

        impl<T: Signed> Neg for $view<T> {
            type Output = $view<T>;

            #[track_caller]
            fn neg(self) -> $view<T> {
                $view { $($part: -self.$part),* }
            }
        }
    )* };
}

vectors! {
    /// A vector of two numbers.
    V2 V2Exp 2 (x y) is 2.0;
    /// A vector of three numbers.
    V3 V3Exp 3 (x y z) is 3.0;
    /// A vector of four numbers.
    V4 V4Exp 4 (x y z w) is 4.0;
}

impl<T: Num> V3Exp<T> {
    /// Returns the vector product.
    ///
    /// ```
    /// use warpwise::{Context, V3, V3Exp, unit};
    ///
    /// let (x, y) = (V3Exp::new(1, 0, 0), V3Exp::new(0, 1, 0));
    /// assert_eq!(Context::new()?.run(&unit(x.cross(y)))?.to_vec(), [V3::new(0, 0, 1)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn cross(self, other: V3Exp<T>) -> V3Exp<T> {
        V3Exp {
            x: self.y * other.z - self.z * other.y,
            y: self.z * other.x - self.x * other.z,
            z: self.x * other.y - self.y * other.x,
        }
    }
}
