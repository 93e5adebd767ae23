//! Elements that may be absent.

use warpwise_prim::{Scalar as Value, ValueType};

use super::{Elt, IntoExp, Operand, Values, count};
use crate::exp::{Exp, cond};
use crate::graph::{self, Op, Ty};

/// An expression of type `Option<T>`, stored as a flag (whether there is a value) and the value.
///
/// ```
/// use warpwise::{Array, Context, OptionExp, cond, use_};
///
/// let xs = use_(&Array::from_vec([3], vec![Some(2_i32), None, Some(5)])?);
/// let context = Context::cpu()?;
/// assert_eq!(context.run(&xs.map(|x| x.unwrap_or(-1)))?.to_vec(), [2, -1, 5]);
/// let even = xs.map(|x| x.cases(|x| cond(x.is_even(), OptionExp::some(x * 2), OptionExp::none()), OptionExp::none));
/// assert_eq!(context.run(&even)?.to_vec(), [Some(4), None, None]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct OptionExp<T>(Exp<Option<T>>);

impl<T> Clone for OptionExp<T> {
    fn clone(&self) -> OptionExp<T> {
        *self
    }
}

impl<T> Copy for OptionExp<T> {}

impl<T: Elt> OptionExp<T> {
    /// Wraps a value.
    ///
    /// ```
    /// use warpwise::{Context, OptionExp, fill};
    ///
    /// assert_eq!(Context::new()?.run(&fill(1, OptionExp::some(7)))?.to_vec(), [Some(7)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn some(value: impl Operand<T>) -> OptionExp<T> {
        OptionExp(Exp::join(vec![Exp::constant(true).node(), value.operand().node()]))
    }

    /// Makes an expression without a value.
    ///
    /// ```
    /// use warpwise::{Context, OptionExp, fill};
    ///
    /// assert_eq!(Context::new()?.run(&fill(1, OptionExp::<i32>::none()))?.to_vec(), [None]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn none() -> OptionExp<T> {
        OptionExp(Exp::join(vec![Exp::constant(false).node(), zero::<T>()]))
    }

    /// Returns whether there is a value.
    ///
    /// ```
    /// use warpwise::{Context, OptionExp};
    ///
    /// assert_eq!(Context::new()?.run(&OptionExp::<i32>::some(7).is_some())?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_some(self) -> Exp<bool> {
        self.0.part(0)
    }

    /// Returns whether there is no value.
    ///
    /// ```
    /// use warpwise::{Context, OptionExp};
    ///
    /// assert_eq!(Context::new()?.run(&OptionExp::<i32>::some(7).is_none())?, false);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_none(self) -> Exp<bool> {
        !self.is_some()
    }

    /// Returns the value, or `default` if there is none.
    ///
    /// ```
    /// use warpwise::{Context, OptionExp};
    ///
    /// assert_eq!(Context::new()?.run(&OptionExp::<i32>::none().unwrap_or(5))?, 5);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn unwrap_or(self, default: impl Operand<T>) -> T::View {
        cond(self.is_some(), self.0.part::<T>(1), default.operand())
    }

    /// Returns the first closure's result for the value, or the second closure's result if there is none.
    ///
    /// ```
    /// use warpwise::{Context, OptionExp};
    ///
    /// let double = OptionExp::<i32>::some(7).cases::<i32, _, _>(|x| x * 2, || 0);
    /// assert_eq!(Context::new()?.run(&double)?, 14);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn cases<R: Elt, A: Operand<R>, B: Operand<R>>(
        self,
        some: impl FnOnce(T::View) -> A,
        none: impl FnOnce() -> B,
    ) -> R::View {
        cond(self.is_some(), some(self.0.part::<T>(1).view()).operand(), none().operand())
    }
}

/// Returns the placeholder that is stored if there is no value.
#[track_caller]
fn zero<T: Elt>() -> graph::Ref {
    let zeros = super::components::<T>().iter().map(|ty| Value::zero(ty.scalar())).collect();
    graph::node(Op::Constant(zeros), Vec::new(), Vec::new(), Ty::Scalars(super::components::<T>().into()))
}

impl<T: Elt> Elt for Option<T> {
    type View = OptionExp<T>;

    fn components(into: &mut Vec<ValueType>) {
        into.push(ValueType::Bool);
        T::components(into);
    }

    fn store(&self, into: &mut Vec<Value>) {
        into.push(Value::Bool(self.is_some()));
        match self {
            Some(value) => value.store(into),
            None => into.extend(super::components::<T>().iter().map(|ty| Value::zero(ty.scalar()))),
        }
    }

    fn load(from: &mut Values<'_>) -> Option<Option<T>> {
        if bool::load(from)? {
            return T::load(from).map(Some);
        }
        from.take(count::<T>()).for_each(|_| ());
        Some(None)
    }

    fn view(exp: Exp<Option<T>>) -> OptionExp<T> {
        OptionExp(exp)
    }
}

impl<T: Elt> IntoExp for OptionExp<T> {
    type Elt = Option<T>;

    fn into_exp(self) -> Exp<Option<T>> {
        self.0
    }
}

impl<T: Elt> Operand<Option<T>> for OptionExp<T> {
    fn operand(self) -> Exp<Option<T>> {
        self.0
    }
}

impl<T: Elt> Operand<Option<T>> for Option<T> {
    #[track_caller]
    fn operand(self) -> Exp<Option<T>> {
        Exp::constant(self)
    }
}
