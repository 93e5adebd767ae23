//! Conversions between scalar types.

use warpwise_prim::{ConvertOp, ScalarClass, ScalarType, ValueType};

use super::Exp;
use crate::elt::{Num, Scalar};
use crate::graph::Op;

impl<T: Num> Exp<T> {
    /// Returns the value of this type that is nearest to `number`: a literal for code that is generic in the type.
    ///
    /// ```
    /// use warpwise::{Context, Exp, Float};
    ///
    /// fn midpoint<T: Float>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
    ///     (x + y) * Exp::of(0.5)
    /// }
    ///
    /// assert_eq!(Context::new()?.run(&midpoint(Exp::constant(1.0_f32), Exp::constant(2.0)))?, 1.5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn of(number: f64) -> Exp<T> {
        Exp::constant(T::of(number))
    }
}

impl<T: Scalar> Exp<T> {
    /// Converts the value to another number type, like Rust's `as`: integers wrap, floats saturate and NaN gives 0, `bool` gives
    /// 0 or 1.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&Exp::constant(-1_i32).cast::<u8>())?, -1_i32 as u8);
    /// assert_eq!(context.run(&Exp::constant(-1.5_f32).cast::<u8>())?, -1.5_f32 as u8);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn cast<U: Num>(self) -> Exp<U> {
        if T::VALUE_TYPE == U::VALUE_TYPE {
            return Exp::of_node(self.node());
        }
        Exp::make(Op::Convert(conversion(T::VALUE_TYPE, U::VALUE_TYPE)), vec![self.node()], Vec::new())
    }

    /// Reinterprets the bits as a value of another type of the same width.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(1.0_f32).bitcast::<u32>())?, 1.0_f32.to_bits());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn bitcast<U: Num>(self) -> Exp<U> {
        Exp::make(Op::Convert(ConvertOp::Bitcast), vec![self.node()], Vec::new())
    }
}

impl Exp<char> {
    /// Returns the code point.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant('a').code())?, 'a' as u32);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn code(self) -> Exp<u32> {
        self.part(0)
    }

    /// Returns the character of a code point; an invalid code point is an error of the run.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::new()?.run(&Exp::<char>::from_code(Exp::constant(97)))?, 'a');
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn from_code(code: Exp<u32>) -> Exp<char> {
        Exp::make(Op::Character, vec![code.node()], Vec::new())
    }
}

/// Returns the conversion that corresponds to `as`.
fn conversion(from: ValueType, to: ValueType) -> ConvertOp {
    let (source, target) = (from.scalar(), to.scalar());
    match (source.class(), target.class()) {
        (ScalarClass::Bool, ScalarClass::Bool) | (ScalarClass::Int, ScalarClass::Bool | ScalarClass::Int) => {
            integers(from, source, target)
        }
        (ScalarClass::Float, ScalarClass::Bool) => ConvertOp::ToBool,
        (ScalarClass::Bool, ScalarClass::Int) => ConvertOp::ZExt,
        (ScalarClass::Bool, ScalarClass::Float) => ConvertOp::UIToFP,
        (ScalarClass::Int, ScalarClass::Float) if from.is_unsigned() => ConvertOp::UIToFP,
        (ScalarClass::Int, ScalarClass::Float) => ConvertOp::SIToFP,
        (ScalarClass::Float, ScalarClass::Int) if to.is_unsigned() => ConvertOp::FPToUI,
        (ScalarClass::Float, ScalarClass::Int) => ConvertOp::FPToSI,
        (ScalarClass::Float, ScalarClass::Float) => ConvertOp::FPConvert,
    }
}

fn integers(from: ValueType, source: ScalarType, target: ScalarType) -> ConvertOp {
    if target == ScalarType::Bool {
        ConvertOp::ToBool
    } else if target.bits() < source.bits() {
        ConvertOp::Truncate
    } else if from.is_unsigned() {
        ConvertOp::ZExt
    } else {
        ConvertOp::SExt
    }
}
