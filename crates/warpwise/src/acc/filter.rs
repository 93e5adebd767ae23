//! Elements that satisfy a condition.

use super::Acc;
use crate::array::{Array, Vector};
use crate::elt::{Elt, IntoExp};
use crate::exp::function1;
use crate::graph::Op;
use crate::shape::{Dim1, Inner};

impl<E: Elt> Acc<Array<Dim1, E>> {
    /// Keeps the elements that satisfy a condition, in order.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from(6, 1_i32).filter(|x| x.is_even()))?.to_vec(), [2, 4, 6]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[doc(alias = "count")]
    #[track_caller]
    pub fn filter<R: IntoExp<Elt = bool>>(&self, f: impl FnOnce(E::View) -> R + Send) -> Acc<Array<Dim1, E>> {
        Acc::make(Op::Filter, vec![self.node()], vec![function1::<E, R>(f)])
    }
}

impl<Sh: Inner, E: Elt> Acc<Array<Sh, E>> {
    /// Returns the elements that satisfy a condition, in row-major order, and the number of them in each row (along
    /// the innermost dimension).
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let (kept, counts) = enum_from((2, 3), 1_i32).filter_counted(|x| x.gt(2));
    /// let (kept, counts) = Context::cpu()?.run(&(kept, counts))?;
    /// assert_eq!((kept.to_vec(), counts.to_vec()), (vec![3, 4, 5, 6], vec![1, 3]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn filter_counted<R: IntoExp<Elt = bool>>(
        &self,
        f: impl FnOnce(E::View) -> R + Send,
    ) -> (Acc<Vector<E>>, Acc<Array<Sh::Outer, i64>>) {
        let marked = self.map(|x| (f(x), x));
        let counts = marked.map(|(kept, _)| kept.to_int()).sum();
        (marked.flatten().filter(|(kept, _)| kept).map(|(_, x)| x), counts)
    }
}
