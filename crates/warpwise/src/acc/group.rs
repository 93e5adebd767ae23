//! Grouping: elements with equal keys side by side, distinct elements, and segments that are each sorted by themselves.
//!
//! All of it rests on the stable sorts of [`sort`](super::sort), and what it gives goes with the folds and scans of segments:
//! `xs.group_by_key(f)` and then `elements.sum_segments(&lengths)` is the sum of each group.

use super::segmented::Segments;
use super::{Acc, SortKey, zip};
use crate::array::Vector;
use crate::elt::{Elt, IntoExp};
use crate::exp::{Exp, cond, less};

impl<E: Elt> Acc<Vector<E>> {
    /// Returns the distinct elements, in ascending order.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([3, 1, 3, 2, 1]));
    /// assert_eq!(Context::new()?.run(&xs.unique())?.to_vec(), [1, 2, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn unique(&self) -> Acc<Vector<E>>
    where
        E: SortKey,
    {
        let sorted = self.sort();
        let heads = heads(&sorted);
        zip(&heads, &sorted).filter(|(is_head, _)| is_head).map(|(_, x)| x)
    }

    /// Groups the elements by what the function makes of them. Returns the distinct keys in ascending order, the number of elements of each,
    /// and the elements: those of one key side by side, in the order that they had.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let sales = use_(&Array::from([('b', 2.5), ('a', 1.0), ('b', 0.5)]));
    /// let (shops, counts, grouped) = sales.group_by_key(|(shop, _)| shop);
    /// let totals = grouped.map(|(_, price)| price).sum_segments(&counts);
    /// let (shops, counts, totals) = Context::new()?.run(&(shops, counts, totals))?;
    /// assert_eq!((shops.to_vec(), counts.to_vec(), totals.to_vec()), (vec!['a', 'b'], vec![1, 2], vec![1.0, 3.0]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn group_by_key<R: IntoExp<Elt: SortKey>>(
        &self,
        key: impl FnOnce(E::View) -> R + Send,
    ) -> (Acc<Vector<R::Elt>>, Acc<Vector<i64>>, Acc<Vector<E>>) {
        let keys = self.map(key);
        let places = keys.argsort();
        let sorted = keys.gather(&places);
        let marked = heads(&sorted).imap(|place, is_head| (is_head, place));
        let starts = marked.filter(|(is_head, _)| is_head).map(|(_, place)| place);
        let (ends, count, total) = (starts.reader(), starts.size(), self.size());
        let lengths = starts.imap(move |group, start| {
            let is_last = (group + 1).ge(count);
            // There is no next group after the last one.
            let next: Exp<i64> = cond(is_last, total, ends.at_in_bounds((group + 1).min(count - 1)));
            next - start
        });
        (sorted.gather(&starts), lengths, self.gather(&places))
    }

    /// Sorts every segment by itself; the segments' lengths are given. Elements after the last segment are left out.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([3, 1, 9, 2, 4]));
    /// let lengths = use_(&Array::from([2_i64, 0, 3]));
    /// assert_eq!(Context::new()?.run(&xs.sort_segments(&lengths))?.to_vec(), [1, 3, 2, 4, 9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sort_segments(&self, lengths: &Acc<Vector<i64>>) -> Acc<Vector<E>>
    where
        E: SortKey,
    {
        self.sort_segments_by_key(lengths, |x| x)
    }

    /// Sorts every segment by itself, by what the function makes of the elements; elements with equal keys stay in order.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([3_i32, 1, 9, 2, 4]));
    /// let lengths = use_(&Array::from([2_i64, 3]));
    /// let descending = xs.sort_segments_by_key(&lengths, |x| -x);
    /// assert_eq!(Context::new()?.run(&descending)?.to_vec(), [3, 1, 9, 4, 2]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sort_segments_by_key<R: IntoExp<Elt: SortKey>>(
        &self,
        lengths: &Acc<Vector<i64>>,
        key: impl FnOnce(E::View) -> R + Send,
    ) -> Acc<Vector<E>> {
        let keys = zip(&Segments::of(lengths).numbers(), &self.map(key));
        self.gather(&keys.argsort())
    }
}

/// For every one of the sorted elements, whether it is the first one with its value.
#[track_caller]
fn heads<E: SortKey>(sorted: &Acc<Vector<E>>) -> Acc<Vector<bool>> {
    let before = sorted.reader();
    sorted.imap(move |place, x| {
        // The first element has none before it: it is compared with itself, and is a head anyway.
        let previous = before.at_in_bounds((place - 1).max(0));
        place.eq(0) | less(previous, x) | less(x, previous)
    })
}
