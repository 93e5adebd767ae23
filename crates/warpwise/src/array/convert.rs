//! Arrays from and to Rust's own collections.
//!
//! Conversions that cannot fail but for want of memory are [`From`] and [`FromIterator`], and panic there as those of `Vec` do;
//! [`Array::from_vec`] and [`Array::from_fn`] are errors instead.

use std::ops::Index;

use super::{Array, shape_for};
use crate::elt::{Elt, Scalar};
use crate::error::Error;
use crate::shape::{Dim1, Dim2, Extents, Shape};

impl<Sh: Shape, E: Elt> Array<Sh, E> {
    /// An array of these extents whose element at an index is what the function gives for it, called in row-major order.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// let table = Array::from_fn([2, 3], |[i, j]| 10 * i as i32 + j as i32)?;
    /// assert_eq!(table.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn from_fn<X: Extents<Shape = Sh>>(
        extents: X,
        mut f: impl FnMut(X) -> E,
    ) -> Result<Array<Sh, E>, Error> {
        let count = extents.sizes().iter().try_fold(1_usize, |count, &size| count.checked_mul(size));
        let count = count.ok_or(Error::TooLarge)?;
        shape_for(extents, count)?;
        let mut elements = Vec::new();
        elements.try_reserve_exact(count).map_err(|error| Error::OutOfMemory(error.to_string()))?;
        elements.extend((0..count).map(|place| f(extents.index_of(place))));
        Array::from_vec(extents, elements)
    }

    /// The elements in row-major order. They are copied: the memory of arrays is the run time's.
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
    /// The rows, where they lie.
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

/// A vector of the elements; scalars stay where they lie.
///
/// # Panics
/// Where there is no memory for the components of elements that are no scalars.
impl<E: Elt> From<Vec<E>> for Array<Dim1, E> {
    #[track_caller]
    fn from(elements: Vec<E>) -> Array<Dim1, E> {
        stored(Array::from_vec([elements.len()], elements))
    }
}

/// A vector of copies of the elements.
///
/// # Panics
/// Where there is no memory for them.
impl<E: Elt> From<&[E]> for Array<Dim1, E> {
    #[track_caller]
    fn from(elements: &[E]) -> Array<Dim1, E> {
        stored(Array::from_slice([elements.len()], elements))
    }
}

/// A vector of the elements.
///
/// # Panics
/// Where there is no memory for them.
impl<E: Elt, const N: usize> From<[E; N]> for Array<Dim1, E> {
    #[track_caller]
    fn from(elements: [E; N]) -> Array<Dim1, E> {
        stored(Array::from_vec([N], elements.into()))
    }
}

/// A matrix of these rows.
///
/// # Panics
/// Where there is no memory for the elements.
impl<E: Elt, const N: usize, const M: usize> From<[[E; M]; N]> for Array<Dim2, E> {
    #[track_caller]
    fn from(rows: [[E; M]; N]) -> Array<Dim2, E> {
        stored(Array::from_vec([N, M], rows.into_iter().flatten().collect()))
    }
}

/// A vector of the elements.
///
/// # Panics
/// Where there is no memory for them.
impl<E: Elt> FromIterator<E> for Array<Dim1, E> {
    fn from_iter<I: IntoIterator<Item = E>>(elements: I) -> Array<Dim1, E> {
        Vec::from_iter(elements).into()
    }
}

/// The elements in row-major order.
impl<Sh: Shape, E: Elt> From<Array<Sh, E>> for Vec<E> {
    fn from(array: Array<Sh, E>) -> Vec<E> {
        array.into_vec()
    }
}

/// The elements in row-major order.
impl<Sh: Shape, E: Elt> IntoIterator for Array<Sh, E> {
    type Item = E;
    type IntoIter = std::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.into_vec().into_iter()
    }
}

/// The elements in row-major order.
impl<Sh: Shape, E: Elt> IntoIterator for &Array<Sh, E> {
    type Item = E;
    type IntoIter = std::vec::IntoIter<E>;

    fn into_iter(self) -> Self::IntoIter {
        self.to_vec().into_iter()
    }
}

/// The element at an index, outermost dimension first.
///
/// # Panics
/// Out of bounds; [`get`](Array::get) gives none there.
impl<Sh: Shape, E: Scalar> Index<Sh::Extents> for Array<Sh, E> {
    type Output = E;

    fn index(&self, index: Sh::Extents) -> &E {
        match self.place(index) {
            Some(place) => &self.as_slice()[place],
            None => panic!("index {index:?} out of bounds for an array of extents {:?}", self.extents()),
        }
    }
}

/// The element at a place.
///
/// # Panics
/// Out of bounds; [`get`](Array::get) gives none there.
impl<E: Scalar> Index<usize> for Array<Dim1, E> {
    type Output = E;

    fn index(&self, place: usize) -> &E {
        &self.as_slice()[place]
    }
}

/// An array that has as many elements as its extents ask for.
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
        // What could fail once still can be asked for an error.
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
    fn elements_that_are_no_scalars_are_taken_by_get() {
        let array: Array<Dim1, (i32, char)> = vec![(1, 'a')].into();
        assert_eq!((array.get([0]), array.get([1])), (Some((1, 'a')), None));
    }
}
