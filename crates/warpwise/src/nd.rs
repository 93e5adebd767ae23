//! Conversions from and to arrays of the crate `ndarray`, of 0 to 6 dimensions.
//!
//! An owned array of scalars in row-major order becomes an [`Array`] without a copy, and an [`Array`] of scalars can be viewed as
//! an `ndarray` view without a copy. All other arrays are copied.

use ndarray::{ArrayBase, ArrayView, Data, Dim as NdDim, Ix, OwnedRepr, ShapeError};

use crate::array::Array;
use crate::elt::{Elt, Scalar};
use crate::error::Error;
use crate::shape::Dim;

macro_rules! dimensions {
    ($($rank:literal)*) => { $(
        /// Copies nothing if the elements are scalars in row-major order.
        impl<E: Elt> TryFrom<ArrayBase<OwnedRepr<E>, NdDim<[Ix; $rank]>>> for Array<Dim<$rank>, E> {
            type Error = Error;

            fn try_from(array: ArrayBase<OwnedRepr<E>, NdDim<[Ix; $rank]>>) -> Result<Self, Error> {
                let extents: [usize; $rank] = extents_of(array.shape());
                if !array.is_standard_layout() {
                    return Array::from_vec(extents, array.iter().cloned().collect());
                }
                let count = array.len();
                let (mut elements, start) = array.into_raw_vec_and_offset();
                // The vector of a part of a larger array contains all elements of the larger array.
                let start = start.unwrap_or(0);
                if start == 0 {
                    elements.truncate(count);
                    return Array::from_vec(extents, elements);
                }
                Array::from_slice(extents, elements.get(start..start + count).unwrap_or_default())
            }
        }

        /// Copies the elements.
        impl<E: Elt, S: Data<Elem = E>> TryFrom<&ArrayBase<S, NdDim<[Ix; $rank]>>> for Array<Dim<$rank>, E> {
            type Error = Error;

            fn try_from(array: &ArrayBase<S, NdDim<[Ix; $rank]>>) -> Result<Self, Error> {
                let extents: [usize; $rank] = extents_of(array.shape());
                match array.as_slice() {
                    Some(elements) => Array::from_slice(extents, elements),
                    None => Array::from_vec(extents, array.iter().cloned().collect()),
                }
            }
        }

        /// Copies nothing.
        impl<'a, E: Scalar> TryFrom<&'a Array<Dim<$rank>, E>> for ArrayView<'a, E, NdDim<[Ix; $rank]>> {
            type Error = Error;

            fn try_from(array: &'a Array<Dim<$rank>, E>) -> Result<Self, Error> {
                ArrayView::from_shape(NdDim(array.extents()), array.as_slice()).map_err(not_elements)
            }
        }

        /// Copies the elements.
        impl<E: Elt> TryFrom<Array<Dim<$rank>, E>> for ArrayBase<OwnedRepr<E>, NdDim<[Ix; $rank]>> {
            type Error = Error;

            fn try_from(array: Array<Dim<$rank>, E>) -> Result<Self, Error> {
                Self::try_from(&array)
            }
        }

        /// Copies the elements.
        impl<E: Elt> TryFrom<&Array<Dim<$rank>, E>> for ArrayBase<OwnedRepr<E>, NdDim<[Ix; $rank]>> {
            type Error = Error;

            fn try_from(array: &Array<Dim<$rank>, E>) -> Result<Self, Error> {
                ArrayBase::from_shape_vec(NdDim(array.extents()), array.to_vec()).map_err(not_elements)
            }
        }
    )* };
}

dimensions!(0 1 2 3 4 5 6);

fn extents_of<const N: usize>(shape: &[usize]) -> [usize; N] {
    std::array::from_fn(|dimension| shape.get(dimension).copied().unwrap_or(0))
}

/// Returns the error for an array whose contents are not values of its type.
fn not_elements(_: ShapeError) -> Error {
    Error::Check("the elements are no values of their type".to_string())
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, Array3, ArrayView2, Axis, arr0, array, s};

    use super::*;
    use crate::{Context, Dim0, Dim2, use_};

    #[test]
    fn owned_arrays_stay_where_they_lie() {
        let matrix = Array2::from_shape_fn((30, 40), |(i, j)| (i * 40 + j) as f64);
        let (place, expected) = (matrix.as_ptr(), matrix.clone());
        let ours: Array<Dim2, f64> = matrix.try_into().unwrap();
        assert_eq!(ours.as_slice().as_ptr(), place);
        assert_eq!(ours.extents(), [30, 40]);
        let view = ArrayView2::try_from(&ours).unwrap();
        assert_eq!((view.as_ptr(), view), (place, expected.view()));
        let doubled = Context::cpu().unwrap().run(&use_(&ours).map(|x| x * 2.0)).unwrap();
        assert_eq!(Array2::try_from(&doubled).unwrap(), &expected * 2.0);
        assert_eq!(Array2::try_from(doubled).unwrap(), expected * 2.0);
    }

    #[test]
    fn what_lies_otherwise_is_copied() {
        let matrix = array![[1, 2, 3], [4, 5, 6]];
        let turned: Array<Dim2, i32> = matrix.clone().reversed_axes().try_into().unwrap();
        assert_eq!((turned.extents(), turned.to_vec()), ([3, 2], vec![1, 4, 2, 5, 3, 6]));
        let part: Array<Dim2, i32> = (&matrix.slice(s![.., 1..])).try_into().unwrap();
        assert_eq!(part.to_vec(), [2, 3, 5, 6]);
        let last: Array<Dim2, i32> = matrix.clone().slice_move(s![1.., ..]).try_into().unwrap();
        assert_eq!((last.extents(), last.to_vec()), ([1, 3], vec![4, 5, 6]));
        let first: Array<Dim2, i32> = matrix.clone().slice_move(s![..1, ..]).try_into().unwrap();
        assert_eq!((first.extents(), first.to_vec()), ([1, 3], vec![1, 2, 3]));
        let mut backwards = matrix;
        backwards.invert_axis(Axis(1));
        let backwards: Array<Dim2, i32> = backwards.try_into().unwrap();
        assert_eq!(backwards.to_vec(), [3, 2, 1, 6, 5, 4]);
    }

    #[test]
    fn other_ranks_elements_and_no_elements() {
        let single: Array<Dim0, u8> = arr0(7).try_into().unwrap();
        assert_eq!(single.to_vec(), [7]);
        let pairs: Array<crate::Dim1, (i64, bool)> = Array1::from(vec![(1, true)]).try_into().unwrap();
        assert_eq!(Array1::try_from(&pairs).unwrap(), Array1::from(vec![(1, true)]));
        for extents in [(0, 3, 2), (2, 0, 3), (2, 3, 0)] {
            let empty: Array<crate::Dim3, f32> = Array3::zeros(extents).try_into().unwrap();
            assert_eq!(empty.extents(), <[usize; 3]>::from(extents));
            assert_eq!(Array3::try_from(&empty).unwrap().dim(), extents);
        }
        let six = ndarray::Array6::from_elem((1, 1, 1, 1, 1, 1), 2_i8);
        assert_eq!(Array::<crate::Dim6, i8>::try_from(&six).unwrap().to_vec(), [2]);
    }
}
