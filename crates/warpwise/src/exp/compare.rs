//! Comparisons, truth values, minimum and maximum.

use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, ValueType};

use super::ops::choose;
use super::{Exp, cond};
use crate::elt::{Num, Operand, Scalar};
use crate::graph::Op;

impl<T: Scalar> Exp<T> {
    /// Returns whether the values are equal; NaN is not equal to anything.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert!(Context::cpu()?.run(&Exp::constant(3).eq(3))?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn eq(self, other: impl Operand<T>) -> Exp<bool> {
        self.compare(CompareOp::Eq, other.operand())
    }

    /// Returns whether the values differ.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.ne(4))?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn ne(self, other: impl Operand<T>) -> Exp<bool> {
        self.compare(CompareOp::Ne, other.operand())
    }

    #[track_caller]
    fn compare(self, op: CompareOp, other: Exp<T>) -> Exp<bool> {
        Exp::make(Op::Compare(op), vec![self.node(), other.node()], Vec::new())
    }

    /// Compares with the order of this type, strictly or not.
    #[track_caller]
    fn order(self, other: Exp<T>, strict: bool) -> Exp<bool> {
        let op = match (T::VALUE_TYPE, strict) {
            (ValueType::F16 | ValueType::F32 | ValueType::F64, true) => CompareOp::FLt,
            (ValueType::F16 | ValueType::F32 | ValueType::F64, false) => CompareOp::FLe,
            (ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64, true) => CompareOp::SLt,
            (ValueType::I8 | ValueType::I16 | ValueType::I32 | ValueType::I64, false) => CompareOp::SLe,
            (ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 | ValueType::Bool, true) => {
                CompareOp::ULt
            }
            (ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64 | ValueType::Bool, false) => {
                CompareOp::ULe
            }
        };
        self.compare(op, other)
    }

    /// Returns `self < other`.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = Array::from_vec([3], vec![1.5_f32, -2.0, 0.0])?;
    /// assert_eq!(Context::cpu()?.run(&use_(&xs).map(|x| x.lt(0.0)))?.to_vec(), [false, true, false]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn lt(self, other: impl Operand<T>) -> Exp<bool> {
        self.order(other.operand(), true)
    }

    /// Returns `self <= other`.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.le(4))?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn le(self, other: impl Operand<T>) -> Exp<bool> {
        self.order(other.operand(), false)
    }

    /// Returns `self > other`.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.gt(4))?, false);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn gt(self, other: impl Operand<T>) -> Exp<bool> {
        other.operand().order(self, true)
    }

    /// Returns `self >= other`.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.ge(4))?, false);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn ge(self, other: impl Operand<T>) -> Exp<bool> {
        other.operand().order(self, false)
    }
}

impl<T: Num> Exp<T> {
    /// Returns the smaller value; if one of two floats is NaN, the other one.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.min(4))?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn min(self, other: impl Operand<T>) -> Exp<T> {
        self.binary(choose::<T>(BinaryOp::SMin, BinaryOp::UMin, BinaryOp::FMin), other.operand())
    }

    /// Returns the greater value; if one of two floats is NaN, the other one.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.max(4))?, 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn max(self, other: impl Operand<T>) -> Exp<T> {
        self.binary(choose::<T>(BinaryOp::SMax, BinaryOp::UMax, BinaryOp::FMax), other.operand())
    }

    /// Restricts the value to the range between the bounds.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant(7_u8).clamp(1, 5))?, 5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[allow(clippy::should_implement_trait)]
    #[track_caller]
    pub fn clamp(self, least: impl Operand<T>, greatest: impl Operand<T>) -> Exp<T> {
        self.max(least).min(greatest)
    }
}

impl Exp<bool> {
    /// Returns whether both conditions hold; `other` is computed only if this one holds.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let n = Exp::constant(0_i32);
    /// assert!(!Context::cpu()?.run(&n.ne(0).and((12 / n).gt(1)))?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn and(self, other: impl Operand<bool>) -> Exp<bool> {
        cond(self, other.operand(), false)
    }

    /// Returns whether at least one of the conditions holds; `other` is computed only if this one does not hold.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.gt(4).or(x.eq(3)))?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn or(self, other: impl Operand<bool>) -> Exp<bool> {
        cond(self, Exp::constant(true), other.operand())
    }

    /// Returns 1 for `true`, 0 for `false`.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let x = Exp::constant(3_i32);
    /// assert_eq!(Context::new()?.run(&x.eq(3).to_int())?, 1);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn to_int(self) -> Exp<i64> {
        Exp::make(Op::Convert(ConvertOp::ZExt), vec![self.node()], Vec::new())
    }
}
