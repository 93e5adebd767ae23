//! Choices and loops on scalars.

use std::panic::Location;

use super::{Coordinate, Exp};
use crate::elt::{Elt, IntoExp, Operand};
use crate::graph::{self, Function, Op};

/// Returns `then` if the condition holds, else `otherwise`; only the chosen side is computed.
///
/// ```
/// use warpwise::{Array, Context, cond, use_};
///
/// let xs = Array::from_vec([3], vec![4_i32, 0, -2])?;
/// let inverse = use_(&xs).map(|x| cond(x.ne(0), 100 / x, 0));
/// assert_eq!(Context::cpu()?.run(&inverse)?.to_vec(), [25, 0, -50]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn cond<E: Elt>(
    condition: impl Operand<bool>,
    then: impl Operand<E>,
    otherwise: impl Operand<E>,
) -> E::View {
    let inputs = vec![condition.operand().node(), then.operand().node(), otherwise.operand().node()];
    Exp::<E>::make(Op::Choose, inputs, Vec::new()).view()
}

/// Applies `step` as long as `condition` holds for the value.
///
/// ```
/// use warpwise::{Context, Exp, while_};
///
/// // Collatz steps from 27.
/// let start = (Exp::constant(27_i64), Exp::constant(0_i32));
/// let (_, steps) = while_(
///     start,
///     |(n, _)| n.ne(1),
///     |(n, steps)| (warpwise::cond((n % 2).eq(0), n / 2, 3 * n + 1), steps + 1),
/// );
/// assert_eq!(Context::cpu()?.run(&steps)?, 111);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn while_<I: IntoExp, C, R>(
    initial: I,
    condition: impl FnOnce(<I::Elt as Elt>::View) -> C + Send,
    step: impl FnOnce(<I::Elt as Elt>::View) -> R + Send,
) -> <I::Elt as Elt>::View
where
    C: IntoExp<Elt = bool>,
    R: IntoExp<Elt = I::Elt>,
{
    let initial = initial.into_exp().node();
    let functions = vec![function1::<I::Elt, C>(condition), function1::<I::Elt, R>(step)];
    Exp::<I::Elt>::make(Op::While, vec![initial], functions).view()
}

impl<E: Elt> Exp<E> {
    /// Applies `step` `times` times, or not at all if `times` is negative. The step receives the number of the iteration, from 0
    /// on.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let power = Exp::constant(3_u64).iterate(4, |_, x| x * 3);
    /// assert_eq!(Context::cpu()?.run(&power)?, 243);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn iterate<R: IntoExp<Elt = E>>(
        self,
        times: impl Coordinate,
        step: impl FnOnce(Exp<i64>, E::View) -> R + Send,
    ) -> E::View {
        let times = times.coordinate();
        let initial: Exp<(i64, E)> = (Exp::constant(0_i64), self).into_exp();
        let (_, last) = while_(
            initial,
            |(round, _)| round.lt(times),
            |(round, value)| (round + 1, step(round, value).into_exp()),
        );
        last
    }
}

/// Turns a closure of one element into a function.
#[track_caller]
pub(crate) fn function1<A: Elt, R: IntoExp>(f: impl FnOnce(A::View) -> R) -> Function {
    let place = Location::caller();
    graph::scope(|| {
        let param = graph::parameter(Exp::<A>::ty(), place);
        let result = f(Exp::<A>::of_node(param.clone()).view()).into_exp().node();
        Function { params: vec![param], result }
    })
}

/// Turns a closure of two elements into a function.
#[track_caller]
pub(crate) fn function2<A: Elt, B: Elt, R: IntoExp>(f: impl FnOnce(A::View, B::View) -> R) -> Function {
    let place = Location::caller();
    graph::scope(|| {
        let params = vec![graph::parameter(Exp::<A>::ty(), place), graph::parameter(Exp::<B>::ty(), place)];
        let (a, b) = (Exp::<A>::of_node(params[0].clone()), Exp::<B>::of_node(params[1].clone()));
        let result = f(a.view(), b.view()).into_exp().node();
        Function { params, result }
    })
}
