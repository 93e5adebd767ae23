//! Mathematical functions on floats, named like those of Rust's floats.

use warpwise_prim::{BinaryOp, ConvertOp, TernaryOp, UnaryOp};

use super::{Exp, cond};
use crate::elt::{Float, Operand};
use crate::graph::Op;

/// Defines methods that are one unary operator, each with an example value and its result.
macro_rules! functions {
    ($($(#[$meta:meta])* $name:ident $op:ident $of:literal is $result:literal;)*) => {
        impl<T: Float> Exp<T> { $(
            $(#[$meta])*
            ///
            /// ```
            /// use warpwise::{Context, Exp};
            ///
            #[doc = concat!("let found = Context::new()?.run(&Exp::constant(", $of, "_f64).", stringify!($name), "())?;")]
            #[doc = concat!("assert!((found - ", $result, "_f64).abs() < 1e-12);")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn $name(self) -> Exp<T> {
                self.unary(UnaryOp::$op)
            }
        )* }
    };
}

/// Defines methods that are one binary operator, each with two example values and their result.
macro_rules! binary_functions {
    ($($(#[$meta:meta])* $name:ident $op:ident $of:literal by $by:literal is $result:literal;)*) => {
        impl<T: Float> Exp<T> { $(
            $(#[$meta])*
            ///
            /// ```
            /// use warpwise::{Context, Exp};
            ///
            #[doc = concat!("let found = Context::new()?.run(&Exp::constant(", $of, "_f64).", stringify!($name), "(", $by, "))?;")]
            #[doc = concat!("assert!((found - ", $result, "_f64).abs() < 1e-12);")]
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            #[track_caller]
            pub fn $name(self, other: impl Operand<T>) -> Exp<T> {
                self.binary(BinaryOp::$op, other.operand())
            }
        )* }
    };
}

functions! {
    /// Computes the square root, correctly rounded.
    sqrt Sqrt 9.0 is 3.0;
    /// Computes the cube root.
    cbrt Cbrt 27.0 is 3.0;
    /// Computes e raised to the value.
    exp Exp 0.0 is 1.0;
    /// Computes 2 raised to the value.
    exp2 Exp2 3.0 is 8.0;
    /// Computes 10 raised to the value.
    exp10 Exp10 2.0 is 100.0;
    /// Computes `exp(x) - 1`, accurately near 0.
    exp_m1 Expm1 0.0 is 0.0;
    /// Computes the natural logarithm.
    ln Log 1.0 is 0.0;
    /// Computes the logarithm to base 2.
    log2 Log2 8.0 is 3.0;
    /// Computes the logarithm to base 10.
    log10 Log10 100.0 is 2.0;
    /// Computes `ln(1 + x)`, accurately near 0.
    ln_1p Log1p 0.0 is 0.0;
    /// Computes the sine.
    sin Sin 0.5 is 0.479425538604203;
    /// Computes the cosine.
    cos Cos 0.5 is 0.8775825618903728;
    /// Computes the tangent.
    tan Tan 0.5 is 0.5463024898437905;
    /// Computes the inverse sine.
    asin Asin 0.5 is 0.5235987755982989;
    /// Computes the inverse cosine.
    acos Acos 0.5 is 1.0471975511965979;
    /// Computes the inverse tangent.
    atan Atan 1.0 is 0.7853981633974483;
    /// Computes the hyperbolic sine.
    sinh Sinh 1.0 is 1.1752011936438014;
    /// Computes the hyperbolic cosine.
    cosh Cosh 1.0 is 1.5430806348152437;
    /// Computes the hyperbolic tangent.
    tanh Tanh 1.0 is 0.7615941559557649;
    /// Computes the inverse hyperbolic sine.
    asinh Asinh 1.0 is 0.881373587019543;
    /// Computes the inverse hyperbolic cosine.
    acosh Acosh 2.0 is 1.3169578969248166;
    /// Computes the inverse hyperbolic tangent.
    atanh Atanh 0.5 is 0.5493061443340548;
    /// Computes the gamma function.
    gamma Gamma 5.0 is 24.0;
    /// Computes the logarithm of the absolute value of the gamma function.
    ln_gamma LogGamma 1.0 is 0.0;
    /// Computes the error function.
    erf Erf 1.0 is 0.8427007929497149;
    /// Computes the complementary error function.
    erfc Erfc 1.0 is 0.15729920705028513;
    /// Rounds down to an integer.
    floor Floor 2.7 is 2.0;
    /// Rounds up to an integer.
    ceil Ceil 2.1 is 3.0;
    /// Rounds towards zero to an integer.
    trunc Trunc -2.7 is -2.0;
    /// Rounds to the nearest integer, ties to even.
    round_ties_even Round 2.5 is 2.0;
}

binary_functions! {
    /// Raises the value to the power of a float.
    powf FPow 2.0 by 10.0 is 1024.0;
    /// Computes the angle of the point (`other`, `self`).
    atan2 Atan2 1.0 by 1.0 is 0.7853981633974483;
    /// Computes the length of the hypotenuse.
    hypot Hypot 3.0 by 4.0 is 5.0;
    /// Returns the magnitude of this value with the sign of the other.
    copysign CopySign 3.0 by -0.0 is -3.0;
    /// Returns the next float in the direction of the other.
    next_after NextAfter 1.0 by 2.0 is 1.0000000000000002;
    /// Computes the remainder with the divisor's sign; the remainder of `%` has the dividend's sign.
    rem_floor FMod -7.0 by 3.0 is 2.0;
}

impl<T: Float> Exp<T> {
    /// Computes `self * factor + summand`, rounded once.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(2.0_f64).mul_add(3.0, 4.0))?, 10.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn mul_add(self, factor: impl Operand<T>, summand: impl Operand<T>) -> Exp<T> {
        self.ternary(TernaryOp::Fma, factor.operand(), summand.operand())
    }

    /// Computes one divided by the value.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(2.5_f64);
    /// assert_eq!(Context::new()?.run(&x.recip())?, 0.4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn recip(self) -> Exp<T> {
        Exp::constant(T::of(1.0)) / self
    }

    /// Computes the logarithm to a base.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(8.0_f32).log(2.0))?.round(), 3.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn log(self, base: impl Operand<T>) -> Exp<T> {
        self.ln() / base.operand().ln()
    }

    /// Computes the sine and the cosine.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(0.0_f64).sin_cos())?, (0.0, 1.0));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sin_cos(self) -> (Exp<T>, Exp<T>) {
        (self.sin(), self.cos())
    }

    /// Rounds to the nearest integer, ties away from zero.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = Array::from_vec([4], vec![0.5_f32, -2.5, 2.4, 0.49999997])?;
    /// assert_eq!(Context::cpu()?.run(&use_(&xs).map(|x| x.round()))?.to_vec(), [1.0, -3.0, 2.0, 0.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn round(self) -> Exp<T> {
        let towards_zero = self.trunc();
        let away = towards_zero + Exp::constant(T::of(1.0)).copysign(self);
        cond((self - towards_zero).abs().ge(T::of(0.5)), away, towards_zero)
    }

    /// Returns the fractional part, with the value's sign.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(2.5_f64);
    /// assert_eq!(Context::new()?.run(&x.fract())?, 0.5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fract(self) -> Exp<T> {
        self - self.trunc()
    }

    /// Returns whether the value is NaN.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert!(Context::cpu()?.run(&Exp::constant(0.0_f32).ln().sqrt().is_nan())?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_nan(self) -> Exp<bool> {
        Exp::make(Op::Convert(ConvertOp::IsNan), vec![self.node()], Vec::new())
    }

    /// Returns whether the value is infinite.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(2.5_f64);
    /// assert_eq!(Context::new()?.run(&x.is_infinite())?, false);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_infinite(self) -> Exp<bool> {
        Exp::make(Op::Convert(ConvertOp::IsInf), vec![self.node()], Vec::new())
    }

    /// Returns whether the value is neither infinite nor NaN.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(2.5_f64);
    /// assert_eq!(Context::new()?.run(&x.is_finite())?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_finite(self) -> Exp<bool> {
        !(self.is_nan() | self.is_infinite())
    }

    /// Converts an angle from degrees to radians.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(180.0_f64).to_radians())?, std::f64::consts::PI);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn to_radians(self) -> Exp<T> {
        self * T::of(std::f64::consts::PI / 180.0)
    }

    /// Converts an angle from radians to degrees.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(std::f64::consts::PI).to_degrees())?, 180.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn to_degrees(self) -> Exp<T> {
        self * T::of(180.0 / std::f64::consts::PI)
    }
}
