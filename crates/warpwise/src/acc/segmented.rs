//! Folds and scans of segments: blocks of the innermost dimension (for scans, of a vector), given by their lengths.
//!
//! A segmented scan is a scan of pairs of a flag and a value, where the flag marks the start of a segment. The combination of two
//! pairs takes the later value alone if its flag is set, and the `or` of the flags. This function is associative if the given one
//! is.

use super::{Acc, generate};
use crate::array::{Array, Vector};
use crate::elt::{Elt, IntoExp, Operand};
use crate::exp::{Exp, cond, function2};
use crate::graph::Op;
use crate::shape::{Dim1, Inner};

/// Segments of a vector.
pub(super) struct Segments {
    /// Length of each segment.
    lengths: Acc<Vector<i64>>,
    /// Start of each segment.
    pub starts: Acc<Vector<i64>>,
    /// Sum of the lengths.
    total: Exp<i64>,
}

impl Segments {
    /// Makes segments of these lengths, which are not negative.
    #[track_caller]
    pub fn of(lengths: &Acc<Vector<i64>>) -> Segments {
        let starts = lengths.prescan(0, |x, y| x + y);
        Segments { lengths: lengths.clone(), starts, total: lengths.sum().the() }
    }

    /// Returns for every element whether a segment starts there.
    #[track_caller]
    fn heads(&self) -> Acc<Vector<bool>> {
        let (starts, total) = (self.starts.reader(), self.total);
        let begins = self.lengths.imap(move |segment, length| (length.gt(0), starts.at_in_bounds(segment)));
        let none = generate(total, |_| false);
        none.scatter_where(&begins.map(|_| true), {
            let begins = begins.reader();
            move |segment| begins.at_in_bounds(segment)
        })
    }

    /// Returns for every element the number of its segment.
    #[track_caller]
    pub fn numbers(&self) -> Acc<Vector<i64>> {
        let (starts, lengths) = (self.starts.reader(), self.lengths.reader());
        let numbers = generate(self.total, |_| 0_i64);
        let begins = self.lengths.imap(|segment, _| segment);
        let marked = numbers.scatter_where(&begins, move |segment| {
            (lengths.at_in_bounds(segment).gt(0), starts.at_in_bounds(segment))
        });
        marked.scan1(|x, y| x.max(y))
    }
}

impl<Sh: Inner, E: Elt> Acc<Array<Sh, E>> {
    /// Folds segments of the innermost dimension, starting from an initial value. The lengths of the segments are checked
    /// against the extent at run time. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// let sums = enum_from(5, 1).fold_segments(10, &lengths, |x, y| x + y);
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [13, 10, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.fold_stretches(Some(initial.operand()), &lengths.prescan(0, |x, y| x + y), lengths, f)
    }

    /// Works like [`fold_segments`](Acc::fold_segments), starting from each segment's first element; an empty segment is an
    /// error of the run. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([2], vec![2_i64, 3])?);
    /// let last = enum_from(5, 1).fold1_segments(&lengths, |_, y| y);
    /// assert_eq!(Context::new()?.run(&last)?.to_vec(), [2, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold1_segments<R: IntoExp<Elt = E>>(
        &self,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        self.fold_stretches(None, &lengths.prescan(0, |x, y| x + y), lengths, f)
    }

    /// Works like [`fold_segments`](Acc::fold_segments), with segments given by their start positions, followed by the end of
    /// the last segment: one number more than there are segments. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let offsets = use_(&Array::from_vec([3], vec![0_i64, 2, 5])?);
    /// let sums = enum_from(5, 1).fold_segments_at(0, &offsets, |x, y| x + y);
    /// assert_eq!(Context::cpu()?.run(&sums)?.to_vec(), [3, 12]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold_segments_at<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        offsets: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        let (starts, lengths) = stretches(offsets);
        self.fold_stretches(Some(initial.operand()), &starts, &lengths, f)
    }

    /// Works like [`fold1_segments`](Acc::fold1_segments), with segments given as in
    /// [`fold_segments_at`](Acc::fold_segments_at). `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let offsets = use_(&Array::from_vec([3], vec![0_i64, 2, 5])?);
    /// let products = enum_from(5, 1).fold1_segments_at(&offsets, |x, y| x * y);
    /// assert_eq!(Context::new()?.run(&products)?.to_vec(), [2, 60]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn fold1_segments_at<R: IntoExp<Elt = E>>(
        &self,
        offsets: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        let (starts, lengths) = stretches(offsets);
        self.fold_stretches(None, &starts, &lengths, f)
    }

    #[track_caller]
    fn fold_stretches<R: IntoExp<Elt = E>>(
        &self,
        initial: Option<Exp<E>>,
        starts: &Acc<Vector<i64>>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Sh, E>> {
        let mut inputs = vec![self.node(), starts.node(), lengths.node()];
        inputs.extend(initial.map(Exp::node));
        Acc::make(Op::FoldSegments, inputs, vec![function2::<E, E, R>(f)])
    }
}

/// Returns the starts and lengths of segments, from their starts and the end of the last one.
#[track_caller]
fn stretches(offsets: &Acc<Vector<i64>>) -> (Acc<Vector<i64>>, Acc<Vector<i64>>) {
    let starts = offsets.init();
    let lengths = offsets.tail().zip_with(&starts, |end, start| end - start);
    (starts, lengths)
}

impl<E: Elt> Acc<Array<Dim1, E>> {
    /// Applies [`scan1`](Acc::scan1) to each segment; the segments are given by their lengths. `f` must be associative;
    /// otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// let xs = enum_from(5, 1);
    /// let context = Context::cpu()?;
    /// assert_eq!(context.run(&xs.scan1_segments(&lengths, |x, y| x + y))?.to_vec(), [1, 3, 3, 7, 12]);
    /// assert_eq!(context.run(&xs.prescan_segments(0, &lengths, |x, y| x + y))?.to_vec(), [0, 1, 0, 3, 7]);
    /// assert_eq!(context.run(&xs.scan_segments(0, &lengths, |x, y| x + y))?.to_vec(), [0, 1, 3, 0, 0, 3, 7, 12]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan1_segments<R: IntoExp<Elt = E>>(
        &self,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        self.scan1_from(&Segments::of(lengths).heads(), f)
    }

    /// Applies [`postscan`](Acc::postscan) to each segment. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).postscan_segments(10, &lengths, |x, y| x + y))?.to_vec(), [11, 13, 13, 17, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn postscan_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        let scanned = self.scan_segments(initial, lengths, f);
        self.without_initials(&scanned, lengths, 1)
    }

    /// Applies [`prescan`](Acc::prescan) to each segment. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).prescan_segments(10, &lengths, |x, y| x + y))?.to_vec(), [10, 11, 10, 13, 17]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn prescan_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        let scanned = self.scan_segments(initial, lengths, f);
        self.without_initials(&scanned, lengths, 0)
    }

    /// Applies [`scan`](Acc::scan) to each segment: the result has one element more per segment. `f` must be associative;
    /// otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).scan_segments(10, &lengths, |x, y| x + y))?.to_vec(), [10, 11, 13, 10, 10, 13, 17, 22]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        let initial = initial.operand();
        let longer = Segments::of(&lengths.map(|length| length + 1));
        let (source, starts) = (self.reader(), longer.starts.reader());
        let padded = longer.numbers().imap(move |place, segment| {
            let is_head = place.eq(starts.at_in_bounds(segment));
            cond(is_head, initial, source.at(place - segment - 1).into_exp())
        });
        padded.scan1_from(&longer.heads(), f)
    }

    /// Applies [`scan_split`](Acc::scan_split) to each segment. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// let (before, totals) = enum_from(5, 1).scan_split_segments(10, &lengths, |x, y| x + y);
    /// let (before, totals) = Context::new()?.run(&(before, totals))?;
    /// assert_eq!((before.to_vec(), totals.to_vec()), (vec![10, 11, 10, 13, 17], vec![13, 10, 22]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_split_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> (Acc<Array<Dim1, E>>, Acc<Array<Dim1, E>>) {
        let scanned = self.scan_segments(initial, lengths, f);
        let ends = lengths.map(|length| length + 1).scan1(|x, y| x + y).map(|end| end - 1);
        (self.without_initials(&scanned, lengths, 0), scanned.gather(&ends))
    }

    /// Applies [`scan1_right`](Acc::scan1_right) to each segment. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).scan1_right_segments(&lengths, |x, y| x + y))?.to_vec(), [3, 2, 12, 9, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan1_right_segments<R: IntoExp<Elt = E>>(
        &self,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        self.reverse().scan1_segments(&lengths.reverse(), |x, y| f(y, x)).reverse()
    }

    /// Applies [`postscan_right`](Acc::postscan_right) to each segment. `f` must be associative; otherwise the result is
    /// unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).postscan_right_segments(10, &lengths, |x, y| x + y))?.to_vec(), [13, 12, 22, 19, 15]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn postscan_right_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        self.reverse().postscan_segments(initial, &lengths.reverse(), |x, y| f(y, x)).reverse()
    }

    /// Applies [`prescan_right`](Acc::prescan_right) to each segment. `f` must be associative; otherwise the result is
    /// unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).prescan_right_segments(10, &lengths, |x, y| x + y))?.to_vec(), [12, 10, 19, 15, 10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn prescan_right_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        self.reverse().prescan_segments(initial, &lengths.reverse(), |x, y| f(y, x)).reverse()
    }

    /// Applies [`scan_right`](Acc::scan_right) to each segment. `f` must be associative; otherwise the result is unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).scan_right_segments(10, &lengths, |x, y| x + y))?.to_vec(), [13, 12, 10, 10, 22, 19, 15, 10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_right_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        self.reverse().scan_segments(initial, &lengths.reverse(), |x, y| f(y, x)).reverse()
    }

    /// Applies [`scan_right_split`](Acc::scan_right_split) to each segment. `f` must be associative; otherwise the result is
    /// unspecified.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from_vec([3], vec![2_i64, 0, 3])?);
    /// let (after, totals) = enum_from(5, 1).scan_right_split_segments(10, &lengths, |x, y| x + y);
    /// let (after, totals) = Context::new()?.run(&(after, totals))?;
    /// assert_eq!((after.to_vec(), totals.to_vec()), (vec![12, 10, 19, 15, 10], vec![13, 10, 22]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn scan_right_split_segments<R: IntoExp<Elt = E>>(
        &self,
        initial: impl Operand<E>,
        lengths: &Acc<Vector<i64>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> (Acc<Array<Dim1, E>>, Acc<Array<Dim1, E>>) {
        let (scanned, totals) =
            self.reverse().scan_split_segments(initial, &lengths.reverse(), |x, y| f(y, x));
        (scanned.reverse(), totals.reverse())
    }

    /// Scans with a restart at each segment flag.
    #[track_caller]
    fn scan1_from<R: IntoExp<Elt = E>>(
        &self,
        heads: &Acc<Vector<bool>>,
        f: impl FnOnce(E::View, E::View) -> R + Send,
    ) -> Acc<Array<Dim1, E>> {
        let scanned = heads.zip(self).scan1(move |(first, x), (second, y)| {
            let combined = f(x, y).into_exp();
            (first | second, cond(second, y.into_exp(), combined))
        });
        scanned.map(|(_, value)| value)
    }

    /// Drops the last (`from` 0) or the first (`from` 1) element of each segment, where segments have one element more than `lengths`.
    #[track_caller]
    fn without_initials(
        &self,
        scanned: &Acc<Array<Dim1, E>>,
        lengths: &Acc<Vector<i64>>,
        from: i64,
    ) -> Acc<Array<Dim1, E>> {
        let scanned = scanned.reader();
        Segments::of(lengths).numbers().imap(move |place, segment| scanned.at(place + segment + from))
    }
}
