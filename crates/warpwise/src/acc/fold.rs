//! Reductions, along the innermost dimension or over all dimensions.
//!
//! Functions must be associative. The grouping of calls depends on the number of elements alone, so results do not depend on the
//! number of threads.

use super::Acc;
use crate::array::Array;
use crate::elt::{Elt, IntoExp, Num, Operand};
use crate::exp::{Exp, function2};
use crate::graph::{Fold, Op};
use crate::shape::{Dim0, Inner, Shape};

impl<Sh: Inner, E: Elt> Acc<Array<Sh, E>> {
    /// Combines the elements along the innermost dimension, starting from an initial value. The initial value need not be neutral:
    /// it is combined once, before the first element. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let rows = use_(&Array::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?);
    /// assert_eq!(Context::cpu()?.run(&rows.fold(100, |x, y| x + y))?.to_vec(), [106, 115]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh::Outer, E>> {
        let inputs = vec![self.node(), initial.operand().node()];
        Acc::make(Op::Fold(Fold::Initial), inputs, vec![function2::<E, E, R>(f)])
    }

    /// Combines the elements like [`fold`](Acc::fold), with a neutral element as initial value: `f(neutral, x)` and
    /// `f(x, neutral)` are `x`. The neutral element may be combined any number of times, which is faster for functions other than the
    /// common operators. If `f` is not associative, or the element is not neutral, the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, cond, use_};
    ///
    /// // The greatest value and where it is.
    /// let xs = use_(&Array::from_vec([4], vec![3.0_f32, 9.0, 9.0, 1.0])?);
    /// let best = xs.imap(|i, x| (x, i)).reduce((f32::NEG_INFINITY, -1), |(x, i), (y, j)| {
    ///     cond(y.gt(x), (y, j), (x, i))
    /// });
    /// assert_eq!(Context::cpu()?.run(&best)?.to_vec(), [(9.0, 1)]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn reduce<R: IntoExp<Elt = E>>(
        &self,
        neutral: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh::Outer, E>> {
        let inputs = vec![self.node(), neutral.operand().node()];
        Acc::make(Op::Fold(Fold::Neutral), inputs, vec![function2::<E, E, R>(f)])
    }

    /// Combines the elements like [`fold`](Acc::fold), starting from the first element; an empty dimension is an error of the
    /// run. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from(4, 1_i32).fold1(|x, y| x * y))?.to_vec(), [24]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold1<R: IntoExp<Elt = E>>(
        &self,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh::Outer, E>> {
        Acc::make(Op::Fold(Fold::First), vec![self.node()], vec![function2::<E, E, R>(f)])
    }
}

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    /// Combines all elements, in row-major order, starting from an initial value. `f` must be associative; otherwise the result
    /// is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from((2, 2), 1).fold_all(10, |x, y| x + y))?.to_vec(), [20]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold_all<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim0, E>> {
        self.folded_whole(Fold::Initial, Some(initial.operand()), f)
    }

    /// Combines all elements, in row-major order; an empty array is an error of the run. `f` must be associative; otherwise the
    /// result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 3), 1).fold1_all(|x, y| x * y))?.to_vec(), [720]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold1_all<R: IntoExp<Elt = E>>(
        &self,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim0, E>> {
        self.folded_whole(Fold::First, None, f)
    }

    /// Returns whether a condition holds for every element.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(4, 1_i32);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&xs.all(|x| x.gt(0)))?.to_vec(), [true]);
    /// assert_eq!(context.run(&xs.any(|x| x.gt(4)))?.to_vec(), [false]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn all<R: IntoExp<Elt = bool>>(&self, f: impl FnOnce(E::View) -> R + Send) -> Acc<Array<Dim0, bool>> {
        self.map(f).folded_whole(Fold::Neutral, Some(Exp::constant(true)), |x, y| x & y)
    }

    /// Returns whether a condition holds for some element.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(4, 1_i64).any(|x| x.gt(3)))?.to_vec(), [true]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn any<R: IntoExp<Elt = bool>>(&self, f: impl FnOnce(E::View) -> R + Send) -> Acc<Array<Dim0, bool>> {
        self.map(f).folded_whole(Fold::Neutral, Some(Exp::constant(false)), |x, y| x | y)
    }
}

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    #[track_caller]
    fn folded_whole<R: IntoExp<Elt = E>>(
        &self,
        fold: Fold,
        initial: Option<Exp<E>>,
        f: impl FnOnce(E::View, E::View) -> R,
    ) -> Acc<Array<Dim0, E>> {
        let source = if Sh::RANK == 0 { self.flatten().node() } else { self.node() };
        let inputs = [source].into_iter().chain(initial.map(Exp::node)).collect();
        Acc::make(Op::FoldAll(fold), inputs, vec![function2::<E, E, R>(f)])
    }
}

impl<Sh: Inner, E: Num> Acc<Array<Sh, E>> {
    /// Computes the sums along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from((2, 2), 1).sum())?.to_vec(), [3, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sum(&self) -> Acc<Array<Sh::Outer, E>> {
        self.reduce(Exp::constant(E::of(0.0)), |x, y| x + y)
    }

    /// Computes the products along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 2), 1).product())?.to_vec(), [2, 12]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn product(&self) -> Acc<Array<Sh::Outer, E>> {
        self.reduce(Exp::constant(E::of(1.0)), |x, y| x * y)
    }

    /// Computes the minima along the innermost dimension; an empty dimension is an error of the run.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from_vec([3], vec![3_u8, 1, 2])?);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&xs.minimum())?.to_vec(), [1]);
    /// assert_eq!(context.run(&xs.maximum())?.to_vec(), [3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn minimum(&self) -> Acc<Array<Sh::Outer, E>> {
        self.fold1(|x, y| x.min(y))
    }

    /// Computes the maxima along the innermost dimension; an empty dimension is an error of the run.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 2), 1).maximum())?.to_vec(), [2, 4]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn maximum(&self) -> Acc<Array<Sh::Outer, E>> {
        self.fold1(|x, y| x.max(y))
    }
}
