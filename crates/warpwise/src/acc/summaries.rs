//! Common operations on whole arrays: sizes, means, products of vectors and matrices, positions of extrema, histograms.
//!
//! Each is composed of a few other operations, under the name that it has in other libraries.

use super::Acc;
use crate::array::{Array, Vector};
use crate::elt::{Elt, Float, Integer, Num, Scalar};
use crate::exp::{Coordinate, Exp, cond, function2};
use crate::graph::Op;
use crate::shape::{Dim0, Dim1, Dim2, Inner, Shape};

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    /// Returns the extents, outermost first. Same as [`extents`](Acc::extents), by the name that other libraries use.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// let (n, m) = fill((2, 3), 1.0).shape();
    /// assert_eq!(Context::new()?.run(&(n * 10 + m))?, 23);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn shape(&self) -> <Sh::Index as Elt>::View {
        self.extents()
    }

    /// Returns the number of elements. Same as [`size`](Acc::size), by the name that other libraries use.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// assert_eq!(Context::new()?.run(&fill((2, 3), 1.0).len())?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn len(&self) -> Exp<i64> {
        self.size()
    }
}

impl<Sh: Inner, E: Float> Acc<Array<Sh, E>> {
    /// Computes the means along the innermost dimension; NaN where there are no elements.
    ///
    /// ```
    /// use warpwise::{Context, Matrix, use_};
    ///
    /// let rows = use_(&Matrix::from([[1.0, 2.0], [3.0, 5.0]]));
    /// assert_eq!(Context::new()?.run(&rows.mean())?.to_vec(), [1.5, 4.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn mean(&self) -> Acc<Array<Sh::Outer, E>> {
        let count = self.inner_extent().cast::<E>();
        self.sum().map(move |sum| sum / count)
    }

    /// Computes the variances along the innermost dimension: the sums of squared distances from the mean, divided by the extent
    /// minus `freedom`. With `freedom` 0 this is the variance of the elements; with `freedom` 1 it estimates the variance of the
    /// population that the elements are a sample of.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([1.0, 2.0, 3.0, 6.0]));
    /// let (all, sample) = Context::new()?.run(&(xs.var(0), xs.var(1)))?;
    /// assert_eq!((all.to_vec(), sample.to_vec()), (vec![3.5], vec![14.0 / 3.0]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn var(&self, freedom: impl Coordinate) -> Acc<Array<Sh::Outer, E>> {
        let count = (self.inner_extent() - freedom.coordinate()).cast::<E>();
        let means = self.mean().reader();
        let squares = self.imap(move |index, x| {
            let mut outer = super::dimensions(crate::elt::IntoExp::into_exp(index), Sh::RANK);
            outer.truncate(Sh::RANK - 1);
            let distance = x - means.at_in_bounds(super::index_of::<<Sh::Outer as Shape>::Index>(&outer));
            distance * distance
        });
        squares.sum().map(move |sum| sum / count)
    }
}

impl<E: Num> Acc<Array<Dim1, E>> {
    /// Computes the dot product of two vectors. Different lengths are an error of the run.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let (xs, ys) = (use_(&Array::from([1.0, 2.0, 3.0])), use_(&Array::from([4.0, 5.0, 6.0])));
    /// assert_eq!(Context::new()?.run(&xs.dot(&ys))?.to_vec(), [32.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn dot(&self, other: &Acc<Vector<E>>) -> Acc<Array<Dim0, E>> {
        self.multiplied(other).sum()
    }
}

impl<Sh: Shape, E: Num> Acc<Array<Sh, E>> {
    /// Multiplies the elements of two arrays, whose extents are checked to be equal.
    #[track_caller]
    fn multiplied(&self, other: &Acc<Array<Sh, E>>) -> Acc<Array<Sh, E>> {
        let product = function2::<E, E, _>(|x, y| x * y);
        Acc::make(Op::Map { indexed: false, equal: true }, vec![self.node(), other.node()], vec![product])
    }
}

impl<E: Num> Acc<Array<Dim2, E>> {
    /// Computes the product of two matrices. It is an error of the run if the columns of the first are not as many as the rows
    /// of the second.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let a = use_(&Array::from([[1, 2], [3, 4]]));
    /// let b = use_(&Array::from([[0, 1], [1, 0]]));
    /// assert_eq!(Context::new()?.run(&a.matmul(&b))?.to_vec(), [2, 1, 4, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn matmul(&self, other: &Acc<Array<Dim2, E>>) -> Acc<Array<Dim2, E>> {
        let ((rows, _), (_, columns)) = (self.extents(), other.extents());
        let left = self.replicate((crate::All, columns, crate::All));
        let right = other.transpose().replicate((rows, crate::All, crate::All));
        left.multiplied(&right).sum()
    }

    /// Computes the product of a matrix and a vector. It is an error of the run if the matrix does not have as many columns as
    /// the vector has elements.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let a = use_(&Array::from([[1, 2], [3, 4]]));
    /// assert_eq!(Context::new()?.run(&a.matvec(&use_(&Array::from([1, 10]))))?.to_vec(), [21, 43]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn matvec(&self, vector: &Acc<Vector<E>>) -> Acc<Vector<E>> {
        self.multiplied(&vector.insert_axis(0).like(self)).sum()
    }
}

impl<Sh: Inner, E: Num> Acc<Array<Sh, E>> {
    /// Computes the inclusive prefix sums along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 3), 1).cumsum())?.to_vec(), [1, 3, 6, 4, 9, 15]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn cumsum(&self) -> Acc<Array<Sh, E>> {
        self.scan1(|x, y| x + y)
    }

    /// Computes the inclusive prefix products along the innermost dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from((2, 3), 1).cumprod())?.to_vec(), [1, 2, 6, 4, 20, 120]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn cumprod(&self) -> Acc<Array<Sh, E>> {
        self.scan1(|x, y| x * y)
    }
}

impl<Sh: Inner, E: Num> Acc<Array<Sh, E>> {
    /// Computes the sums of segments of the innermost dimension. The lengths of the segments are checked against the extent at
    /// run time.
    ///
    /// ```
    /// use warpwise::{Array, Context, enum_from, use_};
    ///
    /// let lengths = use_(&Array::from([2, 0, 3]));
    /// assert_eq!(Context::new()?.run(&enum_from(5, 1).sum_segments(&lengths))?.to_vec(), [3, 0, 12]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn sum_segments(&self, lengths: &Acc<Vector<i64>>) -> Acc<Array<Sh, E>> {
        self.fold_segments(Exp::of(0.0), lengths, |x, y| x + y)
    }
}

impl<Sh: Inner, E: Scalar> Acc<Array<Sh, E>> {
    /// Returns the index of the least element along the innermost dimension, the first of equal ones. A NaN is chosen only if all
    /// elements are NaN. An empty dimension is an error of the run.
    ///
    /// ```
    /// use warpwise::{Context, Matrix, use_};
    ///
    /// let rows = use_(&Matrix::from([[3, 1, 1], [0, 5, 2]]));
    /// let (least, greatest) = Context::new()?.run(&(rows.argmin(), rows.argmax()))?;
    /// assert_eq!((least.to_vec(), greatest.to_vec()), (vec![1, 0], vec![0, 1]));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn argmin(&self) -> Acc<Array<Sh::Outer, i64>> {
        self.best_place(|x, y| x.lt(y))
    }

    /// Returns the index of the greatest element along the innermost dimension, the first of equal ones. A NaN is chosen only if
    /// all elements are NaN. An empty dimension is an error of the run.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from([1.0, 7.0, f32::NAN, 7.0]));
    /// assert_eq!(Context::new()?.run(&xs.argmax())?.to_vec(), [1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn argmax(&self) -> Acc<Array<Sh::Outer, i64>> {
        self.best_place(|x, y| x.gt(y))
    }

    /// Returns the first index whose element no other element is better than. A NaN is worse than all other values.
    #[track_caller]
    fn best_place(
        &self,
        is_better: impl Fn(Exp<E>, Exp<E>) -> Exp<bool> + Send,
    ) -> Acc<Array<Sh::Outer, i64>> {
        let numbered = self.imap(|index, x| {
            let places = super::dimensions(crate::elt::IntoExp::into_exp(index), Sh::RANK);
            (x, places[Sh::RANK - 1])
        });
        let best = numbered.fold1(move |(x, i), (y, j)| {
            let (x_is_nan, y_is_nan) = (x.ne(x), y.ne(y));
            let y_wins = is_better(y, x) | (x_is_nan & !y_is_nan);
            // Indices are in order, but devices may combine them in another order.
            let are_equal = x.eq(y) | (x_is_nan & y_is_nan);
            cond(y_wins | (are_equal & j.lt(i)), (y, j), (x, i))
        });
        best.map(|(_, place)| place)
    }
}

impl<Sh: Shape, E: Integer> Acc<Array<Sh, E>> {
    /// Counts the occurrences of each of the numbers from 0 to `bins` - 1; other numbers are ignored.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let words = use_(&Array::from([1_u8, 0, 1, 9, 1]));
    /// assert_eq!(Context::new()?.run(&words.histogram(3))?.to_vec(), [1, 3, 0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn histogram(&self, bins: impl Coordinate) -> Acc<Vector<i64>> {
        let numbers = self.flatten();
        let (reader, ones) = (numbers.reader(), numbers.map(|_| 1_i64));
        super::fill(bins.coordinate(), 0_i64).permute(
            &ones,
            |x, y| x + y,
            move |place| (true, reader.at_in_bounds(place)),
        )
    }
}
