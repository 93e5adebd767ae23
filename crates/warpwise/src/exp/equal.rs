//! Comparisons of elements with several scalar components.

use warpwise_prim::CompareOp;

use super::Exp;
use crate::acc::{Digits, SortKey};
use crate::elt::{Elt, IntoExp, Operand, components};
use crate::graph::{self, Op, Ty};

/// Returns whether two elements are equal in all components: tuples, arrays, structs, enums, `Option`s. NaN is not equal to
/// anything.
///
/// ```
/// use warpwise::{Array, Context, equal, use_};
///
/// let xs = use_(&Array::from([Some((1, 'a')), None, Some((1, 'b'))]));
/// let found = xs.map(|x| equal(x, Some((1, 'b'))));
/// assert_eq!(Context::new()?.run(&found)?.to_vec(), [false, false, true]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn equal<X: IntoExp>(x: X, y: impl Operand<X::Elt>) -> Exp<bool> {
    let (x, y) = (x.into_exp().node(), y.operand().node());
    let part = |whole: &graph::Ref, at: usize, ty| {
        let ty = Ty::Scalars([ty].as_slice().into());
        graph::node(Op::Part(at), vec![whole.clone()], Vec::new(), ty)
    };
    let parts = components::<X::Elt>().into_iter().enumerate();
    let equal = parts.map(|(at, ty)| {
        let pair = vec![part(&x, at, ty), part(&y, at, ty)];
        Exp::<bool>::make(Op::Compare(CompareOp::Eq), pair, Vec::new())
    });
    equal.reduce(|all, equal| all & equal).unwrap_or_else(|| Exp::constant(true))
}

/// Returns whether one element comes before another in the sorting order of arrays ([`SortKey`]): tuples are compared
/// lexicographically, and floats by `total_cmp`.
///
/// ```
/// use warpwise::{Array, Context, cond, less, use_};
///
/// let xs = use_(&Array::from([(2, 1.5), (1, 7.0), (1, -3.0)]));
/// let least = xs.fold1(|x, y| cond(less(y, x), y, x));
/// assert_eq!(Context::new()?.run(&least)?.to_vec(), [(1, -3.0)]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn less<X: IntoExp<Elt: SortKey>>(x: X, y: impl Operand<X::Elt>) -> Exp<bool> {
    let digits = |exp: Exp<X::Elt>| <X::Elt as SortKey>::digits(X::Elt::view(exp));
    let pairs = digits(x.into_exp()).into_iter().zip(digits(y.operand()));
    // Starts with the least significant pair: the result so far counts only if the current pair is equal.
    pairs.rev().fold(Exp::constant(false), |rest, pair| match pair {
        (Digits::Narrow(x, _), Digits::Narrow(y, _)) => x.lt(y) | (x.eq(y) & rest),
        (Digits::Wide(x), Digits::Wide(y)) => x.lt(y) | (x.eq(y) & rest),
        // Keys of one type have numbers of the same widths.
        (Digits::Narrow(..), Digits::Wide(_)) | (Digits::Wide(_), Digits::Narrow(..)) => rest,
    })
}
