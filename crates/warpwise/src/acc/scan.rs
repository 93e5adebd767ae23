//! Scans (prefix sums) along the innermost dimension, with any associative function.
//!
//! | | from the left | from the right |
//! |---|---|---|
//! | initial value first, one element more | `scan` | `scan_right` |
//! | initial value first, the last combination apart | `scan_split` | `scan_right_split` |
//! | initial value first, the last combination dropped | `prescan` | `prescan_right` |
//! | initial value combined with every element | `postscan` | `postscan_right` |
//! | without an initial value | `scan1` | `scan1_right` |

use super::Acc;
use crate::array::Array;
use crate::elt::{Elt, IntoExp, Operand};
use crate::exp::{Exp, cond, function2};
use crate::graph::{Axis, Fold, Function, Op};
use crate::shape::Inner;

impl<Sh: Inner, E: Elt> Acc<Array<Sh, E>> {
    /// Computes `[z, f(z, x0), f(f(z, x0), x1), ...]`: one element more than the array has along its innermost dimension. `f`
    /// must be associative; otherwise the result is unspecified. A recurrence whose steps are not associative is a loop
    /// ([`while_`](crate::while_), [`Exp::iterate`], for arrays [`awhile`](crate::awhile)).
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(3, 1);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&xs.scan(10, |x, y| x + y))?.to_vec(), [10, 11, 13, 16]);
    /// assert_eq!(context.run(&xs.scan_right(10, |x, y| x + y))?.to_vec(), [16, 15, 13, 10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        let initial = initial.operand();
        self.with_initial(initial, self.scanned(false, Some(initial), function2::<E, E, R>(f)))
    }

    /// Returns the array of [`prescan`](Acc::prescan), and the combination of all elements. `f` must be associative; otherwise
    /// the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let (before, total) = enum_from(3, 1_i32).scan_split(0, |x, y| x + y);
    /// let (before, total) = Context::cpu()?.run(&(before, total))?;
    /// assert_eq!((before.to_vec(), total.to_vec()), (vec![0, 1, 3], vec![6]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_split<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> (Acc<Array<Sh, E>>, Acc<Array<Sh::Outer, E>>) {
        self.split(initial.operand(), function2::<E, E, R>(f))
    }

    /// Computes `[z, f(z, x0), ...]` without the last combination: as many elements as the array has. `f` must be associative;
    /// otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).prescan(10, |x, y| x + y))?.to_vec(), [10, 11, 13]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn prescan<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.scanned(true, Some(initial.operand()), function2::<E, E, R>(f))
    }

    /// Computes `[f(z, x0), f(f(z, x0), x1), ...]`: as many elements as the array has. `f` must be associative; otherwise the
    /// result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).postscan(10, |x, y| x + y))?.to_vec(), [11, 13, 16]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn postscan<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.scanned(false, Some(initial.operand()), function2::<E, E, R>(f))
    }

    /// Computes `[x0, f(x0, x1), ...]`: as many elements as the array has. `f` must be associative; otherwise the result is
    /// unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from((2, 2), 1);
    /// assert_eq!(Context::cpu()?.run(&xs.scan1(|x, y| x + y))?.to_vec(), [1, 3, 3, 7]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan1<R: IntoExp<Elt = E>>(
        &self,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.scanned(false, None, function2::<E, E, R>(f))
    }

    /// Computes `[..., f(x_last, z), z]`: one element more than the array has along its innermost dimension. `f` must be
    /// associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).scan_right(10, |x, y| x + y))?.to_vec(), [16, 15, 13, 10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_right<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        let (initial, reversed) = (initial.operand(), self.reverse());
        reversed.with_initial(initial, reversed.scanned(false, Some(initial), flipped::<E, R>(f))).reverse()
    }

    /// Returns the array of [`prescan_right`](Acc::prescan_right), and the combination of all elements. `f` must be
    /// associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let (after, total) = enum_from(3, 1).scan_right_split(0, |x, y| x + y);
    /// let (after, total) = Context::new()?.run(&(after, total))?;
    /// assert_eq!((after.to_vec(), total.to_vec()), (vec![5, 3, 0], vec![6]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_right_split<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> (Acc<Array<Sh, E>>, Acc<Array<Sh::Outer, E>>) {
        let (scanned, total) = self.reverse().split(initial.operand(), flipped::<E, R>(f));
        (scanned.reverse(), total)
    }

    /// Computes `[..., f(x_last, z), z]` without the first combination: as many elements as the array has. `f` must be
    /// associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).prescan_right(10, |x, y| x + y))?.to_vec(), [15, 13, 10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn prescan_right<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.reverse().scanned(true, Some(initial.operand()), flipped::<E, R>(f)).reverse()
    }

    /// Computes `[..., f(x_last, z)]`: as many elements as the array has. `f` must be associative; otherwise the result is
    /// unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).postscan_right(10, |x, y| x + y))?.to_vec(), [16, 15, 13]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn postscan_right<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.reverse().scanned(false, Some(initial.operand()), flipped::<E, R>(f)).reverse()
    }

    /// Computes `[..., f(x_last_but_one, x_last), x_last]`: as many elements as the array has. `f` must be associative;
    /// otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(3, 1).scan1_right(|x, y| x + y))?.to_vec(), [6, 5, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan1_right<R: IntoExp<Elt = E>>(
        &self,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.reverse().scanned(false, None, flipped::<E, R>(f)).reverse()
    }

    #[track_caller]
    fn scanned(&self, exclusive: bool, initial: Option<Exp<E>>, function: Function) -> Acc<Array<Sh, E>> {
        let fold = if initial.is_some() { Fold::Initial } else { Fold::First };
        let inputs = [self.node()].into_iter().chain(initial.map(Exp::node)).collect();
        Acc::make(Op::Scan { exclusive, fold }, inputs, vec![function])
    }

    #[track_caller]
    fn split(&self, initial: Exp<E>, function: Function) -> (Acc<Array<Sh, E>>, Acc<Array<Sh::Outer, E>>) {
        let whole = self.with_initial(initial, self.scanned(false, Some(initial), function));
        let axis = |at| if at == Sh::RANK - 1 { Axis::Fixed } else { Axis::All };
        let inputs = vec![whole.node(), self.inner_extent().node()];
        let total = Acc::make(Op::Slice((0..Sh::RANK).map(axis).collect()), inputs, Vec::new());
        (whole.init(), total)
    }

    /// Puts the initial value before the results of a scan.
    #[track_caller]
    fn with_initial(&self, initial: Exp<E>, scanned: Acc<Array<Sh, E>>) -> Acc<Array<Sh, E>> {
        let mut extents = super::dimensions(self.extents_exp(), Sh::RANK);
        let reader = scanned.reader();
        if let Some(last) = extents.last_mut() {
            *last += 1;
        }
        let extents: Exp<Sh::Index> = super::index_of(&extents);
        super::generate(extents.view(), move |index| {
            let mut place = super::dimensions(index.into_exp(), Sh::RANK);
            let inner = place[Sh::RANK - 1];
            place[Sh::RANK - 1] = inner - 1;
            let before = reader.at_in_bounds(super::index_of::<Sh::Index>(&place));
            cond(inner.eq(0), initial, before)
        })
    }
}

/// Turns a closure into a function with its two parameters exchanged.
#[track_caller]
fn flipped<E: Elt, R: IntoExp<Elt = E>>(f: impl FnOnce(E::View, E::View) -> R) -> Function {
    function2::<E, E, R>(|x, y| f(y, x))
}
