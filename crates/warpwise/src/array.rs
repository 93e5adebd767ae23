//! Host arrays: the arguments and results of programs.
//!
//! An array of elements is stored as one array per component ([`RawArray`]), in memory of the runtime, so that programs read it
//! without a copy. Arrays are immutable and shared: cloning one copies nothing. Conversions from and to collections are in
//! [`convert`], the text format in [`mod@print`].

mod convert;
mod print;

use std::marker::PhantomData;
use std::sync::OnceLock;

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array as Column, element_count};
use warpwise_runtime::memory::MemoryPool;

use crate::elt::{Elt, Scalar, components};
use crate::error::Error;
use crate::graph::ArrayTy;
use crate::shape::{Dim0, Dim1, Dim2, Extents, Shape};

/// An array on the host, of shape `Sh` with elements `E`. Clones share the elements.
///
/// ```
/// use warpwise::{Array, Dim2};
///
/// let matrix: Array<Dim2, i32> = Array::from_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?;
/// assert_eq!(matrix.extents(), [2, 3]);
/// assert_eq!(matrix.get([1, 0]), Some(4));
/// assert_eq!(matrix.to_vec(), [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Array<Sh, E> {
    raw: RawArray,
    of: PhantomData<fn() -> (Sh, E)>,
}

/// An array of rank 0, which holds one element.
///
/// ```
/// use warpwise::{Context, Singleton, enum_from};
///
/// let total: Singleton<i32> = Context::new()?.run(&enum_from(4, 1).sum())?;
/// assert_eq!(total.get([]), Some(10));
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Singleton<E> = Array<Dim0, E>;
/// A vector.
///
/// ```
/// use warpwise::Vector;
///
/// let vector: Vector<u8> = vec![1, 2, 3].try_into()?;
/// assert_eq!(vector.extents(), [3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Vector<E> = Array<Dim1, E>;
/// A matrix, stored in row-major order.
///
/// ```
/// use warpwise::{Array, Matrix};
///
/// let matrix: Matrix<u8> = Array::from_vec([1, 3], vec![1, 2, 3])?;
/// assert_eq!(matrix.extents(), [1, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub type Matrix<E> = Array<Dim2, E>;

/// An array without its Rust type.
#[derive(Clone, PartialEq, Debug)]
pub struct RawArray {
    /// Extents, outermost first.
    pub shape: Vec<i64>,
    /// Types of the elements' components.
    pub types: Vec<ValueType>,
    /// One array per component, each of this shape; for rank 0 too.
    pub columns: Vec<Column>,
}

impl RawArray {
    pub fn ty(&self) -> ArrayTy {
        ArrayTy { rank: self.shape.len(), components: self.types.as_slice().into() }
    }
}

/// Returns the memory of host arrays, and of contexts without memory of their own.
pub(crate) fn host_memory() -> &'static MemoryPool {
    static MEMORY: OnceLock<MemoryPool> = OnceLock::new();
    MEMORY.get_or_init(MemoryPool::with_default_limit)
}

impl<Sh: Shape, E: Elt> Array<Sh, E> {
    /// Creates an array of these extents from its elements in row-major order. Scalars are not copied; other elements are copied
    /// component by component.
    ///
    /// ```
    /// use warpwise::{Array, Error};
    ///
    /// let wrong = Array::from_vec([2, 2], vec![1, 2, 3]);
    /// assert!(matches!(wrong, Err(Error::Length { expected: 4, found: 3 })));
    /// ```
    pub fn from_vec(extents: impl Extents<Shape = Sh>, elements: Vec<E>) -> Result<Array<Sh, E>, Error> {
        let shape = shape_for(extents, elements.len())?;
        let columns = E::into_columns(elements, &shape, host_memory())?;
        Ok(Array::from_raw(RawArray { shape, types: components::<E>(), columns }))
    }

    /// Creates an array of these extents from copies of its elements in row-major order.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// let vector = Array::from_slice([2], &[1.5, 2.5])?;
    /// assert_eq!(vector.len(), 2);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn from_slice(extents: impl Extents<Shape = Sh>, elements: &[E]) -> Result<Array<Sh, E>, Error> {
        let shape = shape_for(extents, elements.len())?;
        let columns = E::to_columns(elements, &shape, host_memory())?;
        Ok(Array::from_raw(RawArray { shape, types: components::<E>(), columns }))
    }

    /// Returns the extents, outermost first.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// assert_eq!(Array::from_vec([1, 3], vec![1, 2, 3])?.extents(), [1, 3]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn extents(&self) -> Sh::Extents {
        Sh::extents(&self.raw.shape)
    }

    /// Returns the extents, outermost first. Same as [`extents`](Array::extents), by the name that other libraries use.
    ///
    /// ```
    /// use warpwise::Matrix;
    ///
    /// assert_eq!(Matrix::from([[1, 2, 3]]).shape(), [1, 3]);
    /// ```
    pub fn shape(&self) -> Sh::Extents {
        self.extents()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// assert_eq!(Array::from_vec([2, 2], vec![1, 2, 3, 4])?.len(), 4);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        element_count(&self.raw.shape).unwrap_or(0) as usize
    }

    /// Returns whether there are no elements.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// assert!(Array::from_vec([0, 7], Vec::<f32>::new())?.is_empty());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements in row-major order. The vector is empty if a `char` component is not a valid character, which happens
    /// only if a program makes characters from invalid code points.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// let array = Array::from_vec([2], vec![(1, 'a'), (2, 'b')])?;
    /// assert_eq!(array.to_vec(), [(1, 'a'), (2, 'b')]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn to_vec(&self) -> Vec<E> {
        E::from_columns(&self.raw.columns, self.len()).unwrap_or_default()
    }

    /// Returns the element at an index, outermost dimension first; `None` if out of bounds.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// let matrix = Array::from_vec([2, 2], vec![1, 2, 3, 4])?;
    /// assert_eq!((matrix.get([0, 1]), matrix.get([0, 2])), (Some(2), None));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn get(&self, index: Sh::Extents) -> Option<E> {
        self.at_place(self.place(index)?)
    }

    /// Returns the row-major position of an index; `None` if out of bounds.
    fn place(&self, index: Sh::Extents) -> Option<usize> {
        let dimensions = index.as_ref().iter().zip(&self.raw.shape);
        let step = |flat: usize, (&place, &extent): (&usize, &i64)| {
            (place < extent as usize).then_some(flat * extent as usize + place)
        };
        dimensions.into_iter().try_fold(0, step)
    }

    /// Returns the element at a row-major position; `None` beyond the last element.
    fn at_place(&self, place: usize) -> Option<E> {
        let values: Option<Vec<_>> = self.raw.columns.iter().map(|column| column.element(place)).collect();
        E::load(&mut values?.iter())
    }

    /// Returns the same elements in row-major order with other extents. Nothing is copied.
    ///
    /// ```
    /// use warpwise::{Array, Matrix};
    ///
    /// let numbers = Array::from_vec([6], vec![1, 2, 3, 4, 5, 6])?;
    /// let table: Matrix<i32> = numbers.reshaped([2, 3])?;
    /// assert_eq!(table.get([1, 0]), Some(4));
    /// assert!(numbers.reshaped([4]).is_err());
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn reshaped<X: Extents>(&self, extents: X) -> Result<Array<X::Shape, E>, Error> {
        let shape = shape_for(extents, self.len())?;
        let reshaped = |column: &Column| column.reshape(&shape).ok_or(Error::TooLarge);
        let columns = self.raw.columns.iter().map(reshaped).collect::<Result<_, Error>>()?;
        Ok(Array::from_raw(RawArray { shape, types: self.raw.types.clone(), columns }))
    }

    pub(crate) fn from_raw(raw: RawArray) -> Array<Sh, E> {
        Array { raw, of: PhantomData }
    }

    pub(crate) fn raw(&self) -> &RawArray {
        &self.raw
    }

    #[cfg(feature = "include")]
    pub(crate) fn into_raw(self) -> RawArray {
        self.raw
    }
}

impl<Sh: Shape, E: Scalar> Array<Sh, E> {
    /// Creates an array of these extents whose elements, in row-major order, stay in the owner's memory: for example a constant,
    /// a shared `Arc<[E]>`, or a memory-mapped file. The owner is dropped with the last clone of the array.
    ///
    /// ```
    /// use std::sync::Arc;
    ///
    /// use warpwise::{Array, Context, use_};
    ///
    /// let owner: Arc<[f32]> = Arc::from([1.0, 2.0, 3.0]);
    /// let array = Array::from_owner([3], Arc::clone(&owner))?;
    /// assert_eq!(array.as_slice().as_ptr(), owner.as_ptr());
    /// assert_eq!(Context::new()?.run(&use_(&array).sum())?.to_vec(), [6.0]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn from_owner(
        extents: impl Extents<Shape = Sh>,
        owner: impl AsRef<[E]> + Send + Sync + 'static,
    ) -> Result<Array<Sh, E>, Error> {
        let found = owner.as_ref().len();
        let shape = shape_for(extents, found)?;
        // `as_ref` is called again: an owner whose length has changed is rejected.
        let column = Column::from_owner(&shape, owner).ok_or(Error::Length {
            expected: element_count(&shape).unwrap_or(u64::MAX),
            found: found as u64,
        })?;
        Ok(Array::from_raw(RawArray { shape, types: components::<E>(), columns: vec![column] }))
    }

    /// Returns the elements in row-major order, without a copy.
    ///
    /// ```
    /// use warpwise::Array;
    ///
    /// let vector = Array::from_slice([2], &[1.5, 2.5])?;
    /// assert_eq!(vector.as_slice(), [1.5, 2.5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn as_slice(&self) -> &[E] {
        self.raw.columns.first().and_then(|column| column.as_slice()).unwrap_or_default()
    }

    /// Returns the scalar at a row-major position within the array. Nothing else is looked at, whereas a slice of `bool` is
    /// checked as a whole.
    fn scalar_at(&self, place: usize) -> Option<&E> {
        let bytes = self.raw.columns.first()?.data().as_slice();
        let start = place.checked_mul(size_of::<E>())?;
        bytemuck::checked::try_from_bytes(bytes.get(start..)?.get(..size_of::<E>())?).ok()
    }
}

/// Converts extents to `i64`.
pub(crate) fn shape_of(extents: impl Extents) -> Result<Vec<i64>, Error> {
    let sizes = extents.sizes();
    sizes.as_ref().iter().map(|&extent| i64::try_from(extent).map_err(|_| Error::TooLarge)).collect()
}

/// Returns the shape if these extents have `count` elements.
fn shape_for(extents: impl Extents, count: usize) -> Result<Vec<i64>, Error> {
    let shape = shape_of(extents)?;
    let expected = element_count(&shape).ok_or(Error::TooLarge)?;
    let found = count as u64;
    if expected == found { Ok(shape) } else { Err(Error::Length { expected, found }) }
}

impl<Sh, E> Clone for Array<Sh, E> {
    fn clone(&self) -> Array<Sh, E> {
        Array { raw: self.raw.clone(), of: PhantomData }
    }
}

/// Compares the extents and the bits of the elements.
impl<Sh, E> PartialEq for Array<Sh, E> {
    fn eq(&self, other: &Array<Sh, E>) -> bool {
        self.raw == other.raw
    }
}
