//! Complex numbers.

use std::ops::{Add, Div, Mul, Neg, Sub};

use super::{Float, Operand};
use crate::exp::Exp;
use crate::{Elt, cond};

/// A complex number, stored as two scalars.
///
/// ```
/// use warpwise::{Array, Complex, Context, use_};
///
/// let xs = Array::from_vec([2], vec![Complex::new(3.0, 4.0), Complex::new(0.0, 1.0)])?;
/// let context = Context::cpu()?;
/// assert_eq!(context.run(&use_(&xs).map(|z| z.abs()))?.to_vec(), [5.0, 1.0]);
/// assert_eq!(context.run(&use_(&xs).map(|z| z * z))?.to_vec()[1], Complex::new(-1.0, 0.0));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Debug, Default, Elt)]
pub struct Complex<T: Float> {
    /// The real part.
    pub re: T,
    /// The imaginary part.
    pub im: T,
}

impl<T: Float> Complex<T> {
    /// Creates a complex number from its parts.
    ///
    /// ```
    /// use warpwise::Complex;
    ///
    /// assert_eq!(Complex::new(3.0, 4.0).im, 4.0);
    /// ```
    pub fn new(re: T, im: T) -> Complex<T> {
        Complex { re, im }
    }
}

impl<T: Float> ComplexExp<T> {
    /// Makes a complex expression from its parts.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context, generate};
    ///
    /// let roots = generate(4, |i| {
    ///     let angle = i.cast::<f64>() * (std::f64::consts::PI / 2.0);
    ///     ComplexExp::new(angle.cos(), angle.sin())
    /// });
    /// assert_eq!(Context::cpu()?.run(&roots)?.to_vec()[0].re, 1.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new(re: impl Operand<T>, im: impl Operand<T>) -> ComplexExp<T> {
        ComplexExp { re: re.operand(), im: im.operand() }
    }

    /// Returns `cos(angle) + i sin(angle)`.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// let z = Context::new()?.run(&unit(ComplexExp::<f64>::cis(0.0)))?;
    /// assert_eq!(z.to_vec(), [Complex::new(1.0, 0.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn cis(angle: impl Operand<T>) -> ComplexExp<T> {
        let angle = angle.operand();
        ComplexExp { re: angle.cos(), im: angle.sin() }
    }

    /// Returns the conjugate.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// let z = ComplexExp::<f64>::new(3.0, 4.0);
    /// assert_eq!(Context::new()?.run(&unit(z.conj()))?.to_vec(), [Complex::new(3.0, -4.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn conj(self) -> ComplexExp<T> {
        ComplexExp { re: self.re, im: -self.im }
    }

    /// Returns the square of the magnitude.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(3.0, 4.0);
    /// assert_eq!(Context::new()?.run(&z.norm_sqr())?, 25.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn norm_sqr(self) -> Exp<T> {
        self.re * self.re + self.im * self.im
    }

    /// Returns the magnitude.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(3.0, 4.0);
    /// assert_eq!(Context::new()?.run(&z.abs())?, 5.0);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn abs(self) -> Exp<T> {
        self.re.hypot(self.im)
    }

    /// Returns the angle to the positive real axis.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// assert_eq!(Context::new()?.run(&ComplexExp::<f64>::new(0.0, 1.0).arg())?, std::f64::consts::FRAC_PI_2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn arg(self) -> Exp<T> {
        self.im.atan2(self.re)
    }

    /// Multiplies the number by a real factor.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// let z = ComplexExp::<f64>::new(3.0, 4.0);
    /// assert_eq!(Context::new()?.run(&unit(z.scale(2.0)))?.to_vec(), [Complex::new(6.0, 8.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn scale(self, by: impl Operand<T>) -> ComplexExp<T> {
        let by = by.operand();
        ComplexExp { re: self.re * by, im: self.im * by }
    }

    /// Computes the exponential function.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// assert_eq!(Context::new()?.run(&unit(ComplexExp::<f64>::new(0.0, 0.0).exp()))?.to_vec(), [Complex::new(1.0, 0.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn exp(self) -> ComplexExp<T> {
        ComplexExp::cis(self.im).scale(self.re.exp())
    }

    /// Returns the square root with non-negative real part.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// let z = ComplexExp::<f64>::new(3.0, 4.0);
    /// assert_eq!(Context::new()?.run(&unit(z.sqrt()))?.to_vec(), [Complex::new(2.0, 1.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn sqrt(self) -> ComplexExp<T> {
        let magnitude = self.abs();
        let re = ((magnitude + self.re) * T::of(0.5)).sqrt();
        let im = ((magnitude - self.re) * T::of(0.5)).sqrt();
        ComplexExp { re, im: cond(self.im.lt(T::of(0.0)), -im, im) }
    }

    /// Returns the natural logarithm with an imaginary part from -π to π.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// let z = ComplexExp::<f64>::new(1.0, 0.0);
    /// assert_eq!(Context::new()?.run(&unit(z.ln()))?.to_vec(), [Complex::new(0.0, 0.0)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn ln(self) -> ComplexExp<T> {
        ComplexExp { re: self.abs().ln(), im: self.arg() }
    }

    /// Returns this number to the power of another, `exp(power * ln(self))`. Zero to the power of zero is one, and to any other power zero.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let i = ComplexExp::<f64>::new(0.0, 1.0);
    /// assert!((Context::new()?.run(&i.pow(i).re)? - (-std::f64::consts::FRAC_PI_2).exp()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn pow(self, power: ComplexExp<T>) -> ComplexExp<T> {
        let is_zero = |z: ComplexExp<T>| z.re.eq(T::of(0.0)) & z.im.eq(T::of(0.0));
        let of_zero = cond(is_zero(power), T::of(1.0), T::of(0.0));
        let value = (self.ln() * power).exp();
        let is_zero = is_zero(self);
        ComplexExp { re: cond(is_zero, of_zero, value.re), im: cond(is_zero, T::of(0.0), value.im) }
    }

    /// Returns the sine.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(0.0, 1.0);
    /// assert!((Context::new()?.run(&z.sin().im)? - 1_f64.sinh()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn sin(self) -> ComplexExp<T> {
        ComplexExp { re: self.re.sin() * self.im.cosh(), im: self.re.cos() * self.im.sinh() }
    }

    /// Returns the cosine.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(0.0, 1.0);
    /// assert!((Context::new()?.run(&z.cos().re)? - 1_f64.cosh()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn cos(self) -> ComplexExp<T> {
        ComplexExp { re: self.re.cos() * self.im.cosh(), im: -(self.re.sin() * self.im.sinh()) }
    }

    /// Returns the tangent, the sine divided by the cosine.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(1.0, 0.0);
    /// assert!((Context::new()?.run(&z.tan().re)? - 1_f64.tan()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn tan(self) -> ComplexExp<T> {
        self.sin() / self.cos()
    }

    /// Returns the hyperbolic sine.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(1.0, 0.0);
    /// assert!((Context::new()?.run(&z.sinh().re)? - 1_f64.sinh()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn sinh(self) -> ComplexExp<T> {
        ComplexExp { re: self.re.sinh() * self.im.cos(), im: self.re.cosh() * self.im.sin() }
    }

    /// Returns the hyperbolic cosine.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(1.0, 0.0);
    /// assert!((Context::new()?.run(&z.cosh().re)? - 1_f64.cosh()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn cosh(self) -> ComplexExp<T> {
        ComplexExp { re: self.re.cosh() * self.im.cos(), im: self.re.sinh() * self.im.sin() }
    }

    /// Returns the hyperbolic tangent, the hyperbolic sine divided by the hyperbolic cosine.
    ///
    /// ```
    /// use warpwise::{ComplexExp, Context};
    ///
    /// let z = ComplexExp::<f64>::new(1.0, 0.0);
    /// assert!((Context::new()?.run(&z.tanh().re)? - 1_f64.tanh()).abs() < 1e-12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn tanh(self) -> ComplexExp<T> {
        self.sinh() / self.cosh()
    }

    /// Returns `1 / self`.
    ///
    /// ```
    /// use warpwise::{Complex, ComplexExp, Context, unit};
    ///
    /// let z = ComplexExp::<f64>::new(0.0, 2.0);
    /// assert_eq!(Context::new()?.run(&unit(z.recip()))?.to_vec(), [Complex::new(0.0, -0.5)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn recip(self) -> ComplexExp<T> {
        let square = self.norm_sqr();
        ComplexExp { re: self.re / square, im: -self.im / square }
    }
}

impl<T: Float> Add for ComplexExp<T> {
    type Output = ComplexExp<T>;

    fn add(self, other: ComplexExp<T>) -> ComplexExp<T> {
        ComplexExp { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T: Float> Sub for ComplexExp<T> {
    type Output = ComplexExp<T>;

    fn sub(self, other: ComplexExp<T>) -> ComplexExp<T> {
        ComplexExp { re: self.re - other.re, im: self.im - other.im }
    }
}

impl<T: Float> Mul for ComplexExp<T> {
    type Output = ComplexExp<T>;

    fn mul(self, other: ComplexExp<T>) -> ComplexExp<T> {
        ComplexExp {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

impl<T: Float> Div for ComplexExp<T> {
    type Output = ComplexExp<T>;

    fn div(self, other: ComplexExp<T>) -> ComplexExp<T> {
        let product = self * other.conj();
        let square = other.norm_sqr();
        ComplexExp { re: product.re / square, im: product.im / square }
    }
}

impl<T: Float> Neg for ComplexExp<T> {
    type Output = ComplexExp<T>;

    fn neg(self) -> ComplexExp<T> {
        ComplexExp { re: -self.re, im: -self.im }
    }
}
