//! Mathematical functions of floats, named as those of Rust's floats.

use warpwise_prim::{BinaryOp, ConvertOp, TernaryOp, UnaryOp};

use super::{Exp, cond};
use crate::elt::{Float, Operand};
use crate::graph::Op;

/// Methods that are one operator.
macro_rules! functions {
    ($($(#[$meta:meta])* $name:ident $op:ident;)*) => {
        impl<T: Float> Exp<T> { $(
            $(#[$meta])*
            #[track_caller]
            pub fn $name(self) -> Exp<T> {
                self.unary(UnaryOp::$op)
            }
        )* }
    };
}

/// Methods that are one operator of two operands.
macro_rules! binary_functions {
    ($($(#[$meta:meta])* $name:ident $op:ident;)*) => {
        impl<T: Float> Exp<T> { $(
            $(#[$meta])*
            #[track_caller]
            pub fn $name(self, other: impl Operand<T>) -> Exp<T> {
                self.binary(BinaryOp::$op, other.operand())
            }
        )* }
    };
}

functions! {
    /// The square root, correctly rounded.
    sqrt Sqrt;
    /// The cube root.
    cbrt Cbrt;
    /// The power of e.
    exp Exp;
    /// The power of 2.
    exp2 Exp2;
    /// The power of 10.
    exp10 Exp10;
    /// `exp(x) - 1`, precise near 0.
    exp_m1 Expm1;
    /// The natural logarithm.
    ln Log;
    /// The logarithm to base 2.
    log2 Log2;
    /// The logarithm to base 10.
    log10 Log10;
    /// `ln(1 + x)`, precise near 0.
    ln_1p Log1p;
    /// The sine.
    sin Sin;
    /// The cosine.
    cos Cos;
    /// The tangent.
    tan Tan;
    /// The inverse sine.
    asin Asin;
    /// The inverse cosine.
    acos Acos;
    /// The inverse tangent.
    atan Atan;
    /// The hyperbolic sine.
    sinh Sinh;
    /// The hyperbolic cosine.
    cosh Cosh;
    /// The hyperbolic tangent.
    tanh Tanh;
    /// The inverse hyperbolic sine.
    asinh Asinh;
    /// The inverse hyperbolic cosine.
    acosh Acosh;
    /// The inverse hyperbolic tangent.
    atanh Atanh;
    /// The gamma function.
    gamma Gamma;
    /// The logarithm of the absolute value of the gamma function.
    ln_gamma LogGamma;
    /// The error function.
    erf Erf;
    /// The complementary error function.
    erfc Erfc;
    /// The greatest integer not above the value.
    floor Floor;
    /// The least integer not below the value.
    ceil Ceil;
    /// The integer towards zero.
    trunc Trunc;
    /// The nearest integer, of two the even one.
    round_ties_even Round;
}

binary_functions! {
    /// The power by a float.
    powf FPow;
    /// The angle of the point (`other`, `self`).
    atan2 Atan2;
    /// The length of the hypotenuse.
    hypot Hypot;
    /// The magnitude of this value with the sign of the other.
    copysign CopySign;
    /// The next float in the direction of the other.
    next_after NextAfter;
    /// The remainder with the divisor's sign; that of `%` has the dividend's.
    rem_floor FMod;
}

impl<T: Float> Exp<T> {
    /// `self * factor + summand`, rounded once.
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

    /// One divided by the value.
    #[track_caller]
    pub fn recip(self) -> Exp<T> {
        Exp::constant(T::of(1.0)) / self
    }

    /// The logarithm to a base.
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

    /// The sine and the cosine.
    #[track_caller]
    pub fn sin_cos(self) -> (Exp<T>, Exp<T>) {
        (self.sin(), self.cos())
    }

    /// The nearest integer, of two the one away from zero.
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

    /// What is behind the point, with the value's sign.
    #[track_caller]
    pub fn fract(self) -> Exp<T> {
        self - self.trunc()
    }

    /// Whether the value is NaN.
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

    /// Whether the value is infinite.
    #[track_caller]
    pub fn is_infinite(self) -> Exp<bool> {
        Exp::make(Op::Convert(ConvertOp::IsInf), vec![self.node()], Vec::new())
    }

    /// Whether the value is neither infinite nor NaN.
    #[track_caller]
    pub fn is_finite(self) -> Exp<bool> {
        !(self.is_nan() | self.is_infinite())
    }

    /// An angle in degrees as radians.
    #[track_caller]
    pub fn to_radians(self) -> Exp<T> {
        self * T::of(std::f64::consts::PI / 180.0)
    }

    /// An angle in radians as degrees.
    #[track_caller]
    pub fn to_degrees(self) -> Exp<T> {
        self * T::of(180.0 / std::f64::consts::PI)
    }
}
