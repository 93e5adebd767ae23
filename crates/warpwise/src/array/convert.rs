//! Conversions between arrays and Rust's own collections.
//!
//! Conversions that fail only for lack of memory are [`From`] and [`FromIterator`], and panic like those of `Vec`;
//! [`Array::from_vec`] and [`Array::from_fn`] return errors instead.

use std::ops::Index;

use super::{Array, shape_for};
use crate::elt::{Elt, Scalar};
use crate::error::Error;
use crate::shape::{Dim1, Dim2, Extents, Shape};

impl<Sh: Shape, E: Elt> Array<Sh, E> {
    /// Creates an array of these extents from the results of `f` at each index, called in row-major order.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// let table = Array::from_fn((2, 3), |(i, j)| 10 * i as i32 + j as i32)?;
    /// assert_eq!(table.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// assert_eq!(table, Array::from_fn([2, 3], |[i, j]| 10 * i as i32 + j as i32)?);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn from_fn<X: Extents<Shape = Sh>>(
        extents: X,
        mut f: impl FnMut(X) -> E,
    ) -> Result<Array<Sh, E>, Error> {
        let sizes = extents.sizes();
        let count = sizes.as_ref().iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
        let count = count.ok_or(Error::TooLarge)?;
        shape_for(extents, count)?;
        let mut elements = Vec::new();
        elements.try_reserve_exact(count).map_err(|error| Error::OutOfMemory(error.to_string()))?;
        elements.extend((0..count).map(|place| f(extents.index_of(place))));
        Array::from_vec(extents, elements)
    }

    /// Iterates over copies of the elements in row-major order. Scalars can be borrowed: [`as_slice`](Array::as_slice).
    ///
    /// ```
    /// use warpwise::Vector;
    ///
    /// let pairs = Vector::from([(1, 'a'), (2, 'b')]);
    /// assert_eq!(pairs.iter().map(|(number, _)| number).sum::<i32>(), 3);
    /// ```
    pub fn iter(&self) -> std::vec::IntoIter<E> {
        self.to_vec().into_iter()
    }

    /// Returns the elements in row-major order. They are copied, because arrays lie in memory of the runtime.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// assert_eq!(Array::from_vec([1, 2], vec!['a', 'b'])?.into_vec(), ['a', 'b']);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn into_vec(self) -> Vec<E> {
        self.to_vec()
    }
}

impl<E: Scalar> Array<Dim2, E> {
    /// Returns the rows, without copies.
    ///
    /// ```
    /// use warpwise::Matrix;
    ///
    /// let matrix = Matrix::from([[1, 2], [3, 4]]);
    /// assert_eq!(matrix.rows().map(|row| row[1]).collect::<Vec<_>>(), [2, 4]);
    /// ```
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[E]> {
        let ([rows, columns], elements) = (self.extents(), self.as_slice());
        (0..rows).map(move |row| &elements[row * columns..(row + 1) * columns])
    }
}

/// Creates a vector of the elements; scalars are not copied.
///
/// # Panics
/// Panics if there is no memory for the components of non-scalar elements.
impl<E: Elt> From<Vec<E>> for Array<Dim1, E> {
    #[track_caller]
    fn from(elements: Vec<E>) -> Array<Dim1, E> {
        stored(Array::from_vec([elements.len()], elements))
    }
}

/// Creates a vector of copies of the elements.
///
/// # Panics
/// Panics if there is no memory for them.
impl<E: Elt> From<&[E]> for Array<Dim1, E> {
    #[track_caller]
    fn from(elements: &[E]) -> Array<Dim1, E> {
        stored(Array::from_slice([elements.len()], elements))
    }
}

/// Creates a vector of the elements.
///
/// # Panics
/// Panics if there is no memory for them.
impl<E: Elt, const N: usize> From<[E; N]> for Array<Dim1, E> {
    #[track_caller]
    fn from(elements: [E; N]) -> Array<Dim1, E> {
        stored(Array::from_vec([N], elements.into()))
    }
}

/// Creates a matrix of these rows.
///
/// # Panics
/// Panics if there is no memory for the elements.
impl<E: Elt, const N: usize, const M: usize> From<[[E; M]; N]> for Array<Dim2, E> {
    #[track_caller]
    fn from(rows: [[E; M]; N]) -> Array<Dim2, E> {
        stored(Array::from_vec([N, M], rows.into_iter().flatten().collect()))
    }
}

/// Creates a vector of the elements.
///
/// # Panics
/// Panics if there is no memory for them.
impl<E: Elt> FromIterator<E> for Array<Dim1, E> {
    fn from_iter<I: IntoIterator<Item = E>>(elements: I) -> Array<Dim1, E> {
        Vec::from_iter(elements).into()
    }
}

/// Returns the elements in row-major order.
impl<Sh: Shape, E: Elt> From<Array<Sh, E>> for Vec<E> {
    fn from(array: Array<Sh, E>) -> Vec<E> {
        array.into_vec()
    }
}

/// Iterates over the elements in row-major order.
impl<Sh: Shape, E: Elt> IntoIterator for Array<Sh, E> {
    type Item = E;
    type IntoIter = std::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

/// Iterates over the elements in row-major order.
impl<Sh: Shape, E: Elt> IntoIterator for &Array<Sh, E> {
    type Item = E;
    type IntoIter = std::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Returns the element at an index, outermost dimension first.
///
/// # Panics
/// Panics if out of bounds, where [`get`](Array::get) returns `None`.
impl<Sh: Shape, E: Scalar> Index<Sh::Extents> for Array<Sh, E> {
    type Output = E;

    fn index(&self, index: Sh::Extents) -> &E {
        match self.place(index).and_then(|place| self.scalar_at(place)) {
            Some(element) => element,
            None => panic!("index {index:?} out of bounds for an array of extents {:?}", self.extents()),
        }
    }
}

/// Returns the element at a position. Loops over many elements are faster on [`as_slice`](Array::as_slice).
///
/// # Panics
/// Panics if out of bounds, where [`get`](Array::get) returns `None`.
impl<E: Scalar> Index<usize> for Array<Dim1, E> {
    type Output = E;

    fn index(&self, place: usize) -> &E {
        &self[[place]]
    }
}

/// Unwraps an array whose number of elements matches its extents.
#[track_caller]
fn stored<Sh, E>(array: Result<Array<Sh, E>, Error>) -> Array<Sh, E> {
    array.unwrap_or_else(|error| panic!("no memory for an array: {error}"))
}

#[cfg(test)]
mod tests {
    use crate::{Array, Dim1, Error, Matrix, Vector};

    #[test]
    fn collections_become_arrays_and_come_back() {
        let collected: Vector<(u8, bool)> = (0..3).map(|i| (i, i == 1)).collect();
        assert_eq!(Vec::from(collected.clone()), [(0, false), (1, true), (2, false)]);
        assert_eq!(collected.into_iter().map(|(i, _)| i).sum::<u8>(), 3);
        assert_eq!(std::iter::empty::<f32>().collect::<Vector<f32>>().extents(), [0]);
        assert_eq!(Vector::from([1, 2]), Vector::from(vec![1, 2]));
        assert_eq!(Vector::from(&[1, 2][..]), Vector::from(vec![1, 2]));
        let rows = Matrix::from([[1, 2, 3], [4, 5, 6]]);
        assert_eq!((rows.shape(), rows[[1, 2]], (&rows).into_iter().max()), ([2, 3], 6, Some(6)));
        assert!(rows.rows().eq([&[1, 2, 3][..], &[4, 5, 6]]));
        let empty = Matrix::from([[0_u8; 0]; 3]);
        assert_eq!((empty.shape(), empty.rows().len(), empty.rows().flatten().count()), ([3, 0], 3, 0));
        // Conversions that once could fail can still be called as fallible ones.
        let tried: Result<Vector<i32>, _> = vec![1].try_into();
        assert_eq!(tried.map_err(Error::from).unwrap()[0], 1);
    }

    #[test]
    fn functions_are_called_in_row_major_order() {
        let mut calls = Vec::new();
        let array = Array::from_fn([2, 1, 2], |index| {
            calls.push(index);
            index[0] as i64 * 10 + index[2] as i64
        });
        assert_eq!(array.unwrap().to_vec(), [0, 1, 10, 11]);
        assert_eq!(calls, [[0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 0, 1]]);
        assert_eq!(Array::from_fn([], |[]| 'x').unwrap().to_vec(), ['x']);
        assert!(Array::from_fn([0, 3], |[_, _]| 0).unwrap().is_empty());
        assert_eq!(Array::from_fn([usize::MAX, 2], |_| 0_u8), Err(Error::TooLarge));
        assert!(matches!(Array::from_fn([1 << 60], |_| 0_u64), Err(Error::OutOfMemory(_))));
    }

    #[test]
    #[should_panic(expected = "index [1, 3] out of bounds for an array of extents [2, 3]")]
    fn beyond_the_extents_is_no_element() {
        let _ = Matrix::from([[1, 2, 3], [4, 5, 6]])[[1, 3]];
    }

    #[test]
    #[should_panic(expected = "index [2] out of bounds for an array of extents [2]")]
    fn beyond_the_end_is_no_element() {
        let _ = Vector::from([true, false])[2];
    }

    #[test]
    fn elements_that_are_no_scalars_are_taken_by_get() {
        let array: Array<Dim1, (i32, char)> = vec![(1, 'a')].into();
        assert_eq!((array.get([0]), array.get([1])), (Some((1, 'a')), None));
    }
}
