//! Operations on integers and on numbers of all kinds.

use warpwise_prim::{BinaryOp, UnaryOp};

use super::{Exp, cond, while_};
use crate::elt::{Float, Integer, Num, Operand, Signed};

impl<T: Signed> Exp<T> {
    /// Returns the absolute value; the least integer is returned unchanged.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&Exp::constant(-3_i8).abs())?, 3);
    /// assert_eq!(context.run(&Exp::constant(-3.5_f64).abs())?, 3.5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn abs(self) -> Exp<T> {
        let is_float = T::VALUE_TYPE.scalar().is_float();
        self.unary(if is_float { UnaryOp::FAbs } else { UnaryOp::Abs })
    }

    /// Returns the sign as -1, 0 or 1; a float zero keeps its sign, NaN stays NaN.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(-7_i32).sign())?, -1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sign(self) -> Exp<T> {
        let is_float = T::VALUE_TYPE.scalar().is_float();
        self.unary(if is_float { UnaryOp::FSignum } else { UnaryOp::Signum })
    }
}

impl<T: Num> Exp<T> {
    /// Returns the least value of the type; for floats, negative infinity.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::<i8>::least())?, -128);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn least() -> Exp<T> {
        Exp::constant(T::bounds().0)
    }

    /// Returns the greatest value of the type; for floats, infinity.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::<u8>::greatest())?, u8::MAX);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn greatest() -> Exp<T> {
        Exp::constant(T::bounds().1)
    }
}

impl<T: Integer> Exp<T> {
    /// Raises the value to a non-negative integer power, wrapping; a negative exponent is an error of the run.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(-3_i32).pow(3))?, -27);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn pow(self, exponent: impl Operand<T>) -> Exp<T> {
        let op = super::ops::choose::<T>(BinaryOp::Pow, BinaryOp::UPow, BinaryOp::Pow);
        self.binary(op, exponent.operand())
    }

    /// Computes the quotient rounded down; [`/`](std::ops::Div) rounds towards zero.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&(Exp::constant(-7) / 2))?, -3);
    /// assert_eq!(context.run(&Exp::constant(-7).div_floor(2))?, -4);
    /// assert_eq!(context.run(&Exp::constant(-7).mod_floor(2))?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn div_floor(self, divisor: impl Operand<T>) -> Exp<T> {
        let op = super::ops::choose::<T>(BinaryOp::SDiv, BinaryOp::UDiv, BinaryOp::SDiv);
        self.binary(op, divisor.operand())
    }

    /// Returns the quotient rounded towards zero, and the remainder with the dividend's sign: `/` and `%`.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(-7).quot_rem(2))?, (-3, -1));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn quot_rem(self, divisor: impl Operand<T>) -> (Exp<T>, Exp<T>) {
        let divisor = divisor.operand();
        (self / divisor, self % divisor)
    }

    /// Returns the quotient rounded down, and the remainder with the divisor's sign: [`div_floor`](Exp::div_floor) and
    /// [`mod_floor`](Exp::mod_floor).
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(-7).div_mod(2))?, (-4, 1));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn div_mod(self, divisor: impl Operand<T>) -> (Exp<T>, Exp<T>) {
        let divisor = divisor.operand();
        (self.div_floor(divisor), self.mod_floor(divisor))
    }

    /// Computes the remainder with the divisor's sign; the remainder of [`%`](std::ops::Rem) has the dividend's sign.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(-7_i32).mod_floor(3))?, 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn mod_floor(self, divisor: impl Operand<T>) -> Exp<T> {
        let op = super::ops::choose::<T>(BinaryOp::SMod, BinaryOp::UMod, BinaryOp::SMod);
        self.binary(op, divisor.operand())
    }

    /// Computes the high half of the product.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(200_u8).mul_high(200))?, 156);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn mul_high(self, other: impl Operand<T>) -> Exp<T> {
        let op = super::ops::choose::<T>(BinaryOp::SMulHigh, BinaryOp::UMulHigh, BinaryOp::SMulHigh);
        self.binary(op, other.operand())
    }

    /// Returns the number of one bits.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(0b1011_u8).count_ones())?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn count_ones(self) -> Exp<u32> {
        self.unary(UnaryOp::PopCount).cast()
    }

    /// Returns the number of leading zero bits.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(1_u16).leading_zeros())?, 15);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn leading_zeros(self) -> Exp<u32> {
        self.unary(UnaryOp::LeadingZeros).cast()
    }

    /// Returns the number of trailing zero bits.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(8_i16).trailing_zeros())?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn trailing_zeros(self) -> Exp<u32> {
        self.unary(UnaryOp::TrailingZeros).cast()
    }

    /// Rotates the bits to the left, by the number of places modulo the width.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(0x81_u8).rotate_left(1))?, 0x03);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn rotate_left(self, places: impl Operand<T>) -> Exp<T> {
        let bits = T::VALUE_TYPE.scalar().bits();
        let mask = Exp::constant(T::of(f64::from(bits - 1)));
        let left = places.operand() & mask;
        let right = (Exp::constant(T::of(f64::from(bits))) - left) & mask;
        self.binary(BinaryOp::Shl, left) | self.binary(BinaryOp::LShr, right)
    }

    /// Rotates the bits to the right.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(1_u8).rotate_right(1))?, 128);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn rotate_right(self, places: impl Operand<T>) -> Exp<T> {
        self.rotate_left(Exp::constant(T::of(0.0)) - places.operand())
    }

    /// Shifts the bits to the right, and fills with zeros even if the type is signed.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(-1_i8).shift_right_zeros(4))?, 15);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn shift_right_zeros(self, places: impl Operand<T>) -> Exp<T> {
        self.binary(BinaryOp::LShr, places.operand())
    }

    /// Returns whether the bit with this number, from 0 on, is set.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(4_u32).test_bit(2))?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn test_bit(self, bit: impl Operand<T>) -> Exp<bool> {
        (self.shift_right_zeros(bit) & T::of(1.0)).ne(T::of(0.0))
    }

    /// Returns the number with this bit, from 0 on, set.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(1_u8).set_bit(2))?, 5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn set_bit(self, bit: impl Operand<T>) -> Exp<T> {
        self | (Exp::constant(T::of(1.0)) << bit.operand())
    }

    /// Returns the number with this bit, from 0 on, cleared.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(5_u8).clear_bit(2))?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn clear_bit(self, bit: impl Operand<T>) -> Exp<T> {
        self & !(Exp::constant(T::of(1.0)) << bit.operand())
    }

    /// Returns the number with this bit, from 0 on, flipped.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(5_u8).flip_bit(1))?, 7);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn flip_bit(self, bit: impl Operand<T>) -> Exp<T> {
        self ^ (Exp::constant(T::of(1.0)) << bit.operand())
    }

    /// Returns whether the value is divisible by 2.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(4).is_even())?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_even(self) -> Exp<bool> {
        (self & T::of(1.0)).eq(T::of(0.0))
    }

    /// Returns whether the value is not divisible by 2.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(4).is_odd())?, false);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_odd(self) -> Exp<bool> {
        (self & T::of(1.0)).ne(T::of(0.0))
    }

    /// Computes the greatest common divisor. It is not negative, except for the least integer together with itself or 0.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&Exp::constant(12).gcd(-18))?, 6);
    /// assert_eq!(context.run(&Exp::constant(4_u8).lcm(6))?, 12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn gcd(self, other: impl Operand<T>) -> Exp<T> {
        let zero = T::of(0.0);
        let (divisor, _) = while_((self, other.operand()), |(_, y)| y.ne(zero), |(x, y)| (y, x % y));
        divisor.magnitude()
    }

    /// Computes the least common multiple, wrapping.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::constant(4_u32).lcm(6))?, 12);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn lcm(self, other: impl Operand<T>) -> Exp<T> {
        let other = other.operand();
        let is_zero = self.eq(T::of(0.0)).or(other.eq(T::of(0.0)));
        cond(is_zero, Exp::constant(T::of(0.0)), (self / self.gcd(other) * other).magnitude())
    }

    /// Returns the absolute value, also for unsigned types.
    #[track_caller]
    fn magnitude(self) -> Exp<T> {
        if T::VALUE_TYPE.is_unsigned() { self } else { self.unary(UnaryOp::Abs) }
    }
}

impl<T: Float> Exp<T> {
    /// Raises the value to an integer power known when the program is built, by repeated multiplication.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(2.0_f32).powi(-3))?, 0.125);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn powi(self, exponent: i32) -> Exp<T> {
        let mut result = Exp::constant(T::of(1.0));
        let (mut square, mut left) = (self, exponent.unsigned_abs());
        while left > 0 {
            if left & 1 == 1 {
                result *= square;
            }
            square = square * square;
            left >>= 1;
        }
        if exponent < 0 { result.recip() } else { result }
    }
}
