//! Arrays and values as programs take and return them.
//!
//! An [`Array`] is dense and row-major; its elements are signless, as in the core IR. A [`Value`]
//! adds the sign that surface languages and value files see. Layouts other than row-major exist
//! only inside compiled programs.

use std::mem::size_of;
use std::sync::Arc;

use bytemuck::{CheckedBitPattern, NoUninit};
use half::f16;
use smallvec::SmallVec;
use warpwise_prim::{Scalar, ScalarType, ValueType};

use crate::memory::{Block, BlockBuilder, MemoryPool, OutOfMemory};

/// Sizes per dimension, outermost first; none is negative.
pub type Shape = SmallVec<[i64; 4]>;

/// A dense row-major array; clones share the elements.
#[derive(Clone, Debug)]
pub struct Array {
    elem: ScalarType,
    shape: Shape,
    data: Arc<Block>,
}

/// A scalar or an array, with the type that surface languages give it.
#[derive(Clone, Debug)]
pub enum Value {
    /// A scalar; `value` has the type `ty.scalar()`.
    Scalar {
        /// Surface type of the scalar.
        ty: ValueType,
        /// Value of the scalar.
        value: Scalar,
    },
    /// An array; its elements have the type `ty.scalar()`.
    Array {
        /// The surface type of the elements.
        ty: ValueType,
        /// The elements.
        array: Array,
    },
}

/// A Rust type that can be an array's element.
pub trait Element: CheckedBitPattern + NoUninit + PartialEq {
    /// Surface type of the elements.
    const TYPE: ValueType;
}

impl Array {
    /// Allocates an array with unspecified elements; `bool` elements are `false`. A negative size, or an element count beyond 64
    /// bits, is an [`OutOfMemory`].
    pub fn allocate(pool: &MemoryPool, elem: ScalarType, shape: &[i64]) -> Result<Array, OutOfMemory> {
        let mut block = pool.allocate_elements(element_count(shape), elem.bytes() as u64)?;
        if elem == ScalarType::Bool {
            block.as_mut_slice().fill(0);
        }
        Ok(Array { elem, shape: Shape::from_slice(shape), data: Arc::new(block) })
    }

    /// Returns the array that lies at the start of `data`, or `None` if the block is too small or a size is negative.
    ///
    /// The elements of a `bool` array must be 0 or 1; other bytes make typed access fail.
    pub fn from_block(elem: ScalarType, shape: &[i64], data: Arc<Block>) -> Option<Array> {
        let bytes = element_count(shape)?.checked_mul(elem.bytes() as u64)?;
        (bytes <= data.bytes() as u64).then(|| Array { elem, shape: Shape::from_slice(shape), data })
    }

    /// Copies the elements, in row-major order, into a new array.
    ///
    /// # Panics
    /// When `elements` does not have as many elements as `shape`.
    pub fn from_slice<T: Element>(
        pool: &MemoryPool,
        shape: &[i64],
        elements: &[T],
    ) -> Result<Array, OutOfMemory> {
        assert_eq!(element_count(shape), Some(elements.len() as u64), "elements of shape {shape:?}");
        let bytes: &[u8] = bytemuck::cast_slice(elements);
        let mut block = pool.allocate_unique(bytes.len() as u64)?;
        block.as_mut_slice().copy_from_slice(bytes);
        Ok(Array { elem: T::TYPE.scalar(), shape: Shape::from_slice(shape), data: Arc::new(block) })
    }

    /// Wraps the elements, in row-major order, in an array without copying them.
    ///
    /// # Panics
    /// When `elements` does not have as many elements as `shape`.
    pub fn from_vec<T: Element + Send + Sync>(shape: &[i64], elements: Vec<T>) -> Array {
        assert_eq!(element_count(shape), Some(elements.len() as u64), "elements of shape {shape:?}");
        let data = Arc::new(Block::of_vec(elements));
        Array { elem: T::TYPE.scalar(), shape: Shape::from_slice(shape), data }
    }

    /// Wraps an owner's elements, in row-major order, in an array without copying them. They are never written. Returns `None` if
    /// their number is not that of `shape`.
    pub fn from_owner<T: Element>(
        shape: &[i64],
        owner: impl AsRef<[T]> + Send + Sync + 'static,
    ) -> Option<Array> {
        let data = Block::of_owner(owner);
        let fits = element_count(shape)?.checked_mul(size_of::<T>() as u64)? == data.bytes() as u64;
        fits.then(|| Array { elem: T::TYPE.scalar(), shape: Shape::from_slice(shape), data: Arc::new(data) })
    }

    /// Collects the elements in an array of one dimension.
    pub fn from_elements<T: Element>(
        pool: &MemoryPool,
        elements: impl IntoIterator<Item = T>,
    ) -> Result<Array, OutOfMemory> {
        let mut builder = BlockBuilder::new(pool);
        for element in elements {
            builder.push(bytemuck::bytes_of(&element))?;
        }
        let count = builder.bytes() / size_of::<T>();
        let data = Arc::new(builder.finish()?);
        Ok(Array { elem: T::TYPE.scalar(), shape: Shape::from_slice(&[count as i64]), data })
    }

    /// Returns the element type.
    pub fn elem(&self) -> ScalarType {
        self.elem
    }

    /// Returns the sizes, outermost first.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Returns the number of dimensions.
    pub fn rank(&self) -> usize {
        self.shape.len()
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        element_count(&self.shape).unwrap_or(0) as usize
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Returns the block whose start holds the elements.
    pub fn data(&self) -> &Arc<Block> {
        &self.data
    }

    /// Returns the elements as bytes in native order.
    pub fn bytes(&self) -> &[u8] {
        &self.data.as_slice()[..self.len() * self.elem.bytes()]
    }

    /// Returns the elements as writable bytes. Elements that others share are copied first.
    pub fn bytes_mut(&mut self, pool: &MemoryPool) -> Result<&mut [u8], OutOfMemory> {
        let bytes = self.len() * self.elem.bytes();
        if Arc::get_mut(&mut self.data).is_none_or(|block| block.is_part()) {
            let mut copy = pool.allocate_unique(bytes as u64)?;
            copy.as_mut_slice().copy_from_slice(self.bytes());
            self.data = Arc::new(copy);
        }
        let block = Arc::get_mut(&mut self.data).expect("the only owner, as just made sure");
        Ok(&mut block.as_mut_slice()[..bytes])
    }

    /// Returns the elements in row-major order, or `None` if their type is not `T` (signs aside).
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if T::TYPE.scalar() != self.elem {
            return None;
        }
        bytemuck::checked::try_cast_slice(self.bytes()).ok()
    }

    /// Returns the element at a row-major index, or `None` beyond the end.
    pub fn element(&self, index: usize) -> Option<Scalar> {
        let bytes = self.bytes().chunks_exact(self.elem.bytes()).nth(index)?;
        Some(scalar_from_bytes(self.elem, bytes))
    }

    /// Returns the same elements under another shape, or `None` if the element counts differ.
    pub fn reshape(&self, shape: &[i64]) -> Option<Array> {
        let array = Array::from_block(self.elem, shape, Arc::clone(&self.data))?;
        (array.len() == self.len()).then_some(array)
    }
}

/// Compares element types, shapes and the bits of the elements (so NaN can equal NaN).
impl PartialEq for Array {
    fn eq(&self, other: &Array) -> bool {
        self.elem == other.elem && self.shape == other.shape && self.bytes() == other.bytes()
    }
}

impl Value {
    /// Makes a scalar value.
    ///
    /// # Panics
    /// When `value` is not of type `ty.scalar()`.
    pub fn scalar(ty: ValueType, value: Scalar) -> Value {
        assert_eq!(ty.scalar(), value.ty());
        Value::Scalar { ty, value }
    }

    /// Makes a scalar value of `T`'s surface type.
    pub fn from_element<T: Element>(value: T) -> Value {
        let value = scalar_from_bytes(T::TYPE.scalar(), bytemuck::bytes_of(&value));
        Value::Scalar { ty: T::TYPE, value }
    }

    /// Makes an array value.
    ///
    /// # Panics
    /// When the elements are not of type `ty.scalar()`.
    pub fn array(ty: ValueType, array: Array) -> Value {
        assert_eq!(ty.scalar(), array.elem());
        Value::Array { ty, array }
    }

    /// Copies the elements, in row-major order, into an array value of `T`'s surface type.
    ///
    /// # Panics
    /// When `elements` does not have as many elements as `shape`.
    pub fn from_slice<T: Element>(
        pool: &MemoryPool,
        shape: &[i64],
        elements: &[T],
    ) -> Result<Value, OutOfMemory> {
        Ok(Value::Array { ty: T::TYPE, array: Array::from_slice(pool, shape, elements)? })
    }

    /// Returns the surface type of the scalar or of the elements.
    pub fn element_type(&self) -> ValueType {
        match self {
            Value::Scalar { ty, .. } | Value::Array { ty, .. } => *ty,
        }
    }

    /// Returns the sizes; a scalar has none.
    pub fn shape(&self) -> &[i64] {
        match self {
            Value::Scalar { .. } => &[],
            Value::Array { array, .. } => array.shape(),
        }
    }

    /// Returns the type with its sizes: `[2][3]f32`.
    pub fn type_text(&self) -> String {
        type_text(self.element_type(), self.shape())
    }

    /// Returns the elements of an array if their type is exactly `T`; `None` for a scalar.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        match self {
            Value::Array { ty, array } if *ty == T::TYPE => array.as_slice(),
            Value::Array { .. } | Value::Scalar { .. } => None,
        }
    }

    /// Returns the size of all elements in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Value::Scalar { ty, .. } => ty.scalar().bytes() as u64,
            Value::Array { array, .. } => array.bytes().len() as u64,
        }
    }
}

/// Compares surface types, shapes and bits.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Scalar { ty, value }, Value::Scalar { ty: other_ty, value: other }) => {
                (ty, value) == (other_ty, other)
            }
            (Value::Array { ty, array }, Value::Array { ty: other_ty, array: other }) => {
                (ty, array) == (other_ty, other)
            }
            (Value::Scalar { .. }, Value::Array { .. }) | (Value::Array { .. }, Value::Scalar { .. }) => {
                false
            }
        }
    }
}

/// Formats a type with its sizes: `[2][3]f32`.
pub(crate) fn type_text(element: ValueType, shape: &[i64]) -> String {
    let sizes: String = shape.iter().map(|size| format!("[{size}]")).collect();
    sizes + element.name()
}

/// Returns the number of elements of an array of this shape, or `None` if a size is negative or the number exceeds 64 bits.
pub fn element_count(shape: &[i64]) -> Option<u64> {
    if shape.iter().any(|&size| size < 0) {
        return None;
    }
    if shape.contains(&0) {
        return Some(0);
    }
    shape.iter().try_fold(1_u64, |count, &size| count.checked_mul(size as u64))
}

/// Reads the scalar that these bytes of memory represent.
fn scalar_from_bytes(ty: ScalarType, bytes: &[u8]) -> Scalar {
    let mut bits = [0; 8];
    bits[..bytes.len()].copy_from_slice(bytes);
    Scalar::from_bits(ty, u64::from_le_bytes(bits))
}

/// Implements `Element` with the surface type of each Rust type.
macro_rules! elements {
    ($($rust:ty => $variant:ident,)*) => {
        $(impl Element for $rust {
            const TYPE: ValueType = ValueType::$variant;
        })*
    };
}

elements! {
    bool => Bool,
    i8 => I8,
    i16 => I16,
    i32 => I32,
    i64 => I64,
    u8 => U8,
    u16 => U16,
    u32 => U32,
    u64 => U64,
    f16 => F16,
    f32 => F32,
    f64 => F64,
}

// Rust's sizes and indices, where their width is that of programs' sizes.
#[cfg(target_pointer_width = "64")]
elements! {
    isize => I64,
    usize => U64,
}

#[cfg(target_endian = "big")]
compile_error!("arrays are little-endian in memory and in files");

#[cfg(test)]
mod tests {
    use super::*;

    fn pool() -> MemoryPool {
        MemoryPool::new(1 << 24)
    }

    #[test]
    fn vectors_stay_where_they_lie() {
        let elements: Vec<f64> = (0..1000).map(f64::from).collect();
        let place = elements.as_ptr();
        let mut array = Array::from_vec(&[10, 100], elements);
        assert_eq!(array.as_slice::<f64>().map(<[f64]>::as_ptr), Some(place));
        let shared = array.clone();
        array.bytes_mut(&pool()).unwrap().fill(0);
        assert_eq!(shared.as_slice::<f64>().unwrap()[999], 999.0, "copied, since it was shared");
        drop(array);
        let mut alone = shared;
        alone.bytes_mut(&pool()).unwrap()[..8].fill(0);
        let elements = alone.as_slice::<f64>().unwrap();
        assert_eq!((elements.as_ptr(), elements[0], elements[1]), (place, 0.0, 1.0), "in place");
        assert!(Array::from_vec(&[0, 3], Vec::<bool>::new()).bytes().is_empty());
        std::thread::spawn(move || drop(alone)).join().unwrap();
    }

    #[test]
    fn elements_come_back_in_their_type_only() {
        let array = Array::from_slice(&pool(), &[2, 3], &[1_i32, -2, 3, -4, 5, -6]).unwrap();
        assert_eq!(array.as_slice::<i32>(), Some(&[1, -2, 3, -4, 5, -6][..]));
        assert_eq!(array.as_slice::<u32>().unwrap()[1], 2_u32.wrapping_neg(), "signless");
        assert_eq!(array.as_slice::<i64>(), None);
        assert_eq!(array.as_slice::<f32>(), None);
        assert_eq!((array.rank(), array.len()), (2, 6));
        assert_eq!(array.element(3), Some(Scalar::I32(-4)));
        assert_eq!(array.element(6), None);
    }

    #[test]
    fn surface_types_tell_signs_apart() {
        let value = Value::from_slice(&pool(), &[2], &[1_u8, 255]).unwrap();
        assert_eq!(value.as_slice::<u8>(), Some(&[1, 255][..]));
        assert_eq!(value.as_slice::<i8>(), None);
        assert_eq!(value.type_text(), "[2]u8");
        assert_ne!(value, Value::from_slice(&pool(), &[2], &[1_i8, -1]).unwrap());
        assert_eq!(Value::from_element(f16::from_f32(1.5)).type_text(), "f16");
    }

    #[test]
    fn empty_and_absurd_shapes() {
        for shape in [&[0][..], &[0, i64::MAX, i64::MAX], &[i64::MAX, i64::MAX, 0], &[3, 0]] {
            let array = Array::allocate(&pool(), ScalarType::F64, shape).unwrap();
            assert!(array.is_empty());
            assert_eq!(array.as_slice::<f64>(), Some(&[][..]));
        }
        for shape in [&[i64::MAX][..], &[1 << 40, 1 << 40], &[-1], &[-1, -1], &[0, -1]] {
            assert!(Array::allocate(&pool(), ScalarType::F64, shape).is_err(), "{shape:?}");
        }
    }

    #[test]
    fn from_elements_of_any_number() {
        let most = if cfg!(miri) { 2_000 } else { 100_000 };
        for count in [0, 1, 5, 511, 512, 513, most] {
            let array = Array::from_elements(&pool(), 0..count).unwrap();
            assert_eq!(array.as_slice::<i64>().unwrap(), (0..count).collect::<Vec<i64>>());
        }
        assert!(Array::from_elements(&MemoryPool::new(1000), 0..1000_i64).is_err());
    }

    #[test]
    fn writing_copies_what_is_shared() {
        let pool = pool();
        let mut array = Array::from_slice(&pool, &[3], &[true, false, true]).unwrap();
        let shared = array.clone();
        array.bytes_mut(&pool).unwrap()[0] = 0;
        assert_eq!(array.as_slice::<bool>(), Some(&[false, false, true][..]));
        assert_eq!(shared.as_slice::<bool>(), Some(&[true, false, true][..]));
        let start = array.data().as_ptr();
        array.bytes_mut(&pool).unwrap()[1] = 7;
        assert_eq!(array.data().as_ptr(), start, "not shared: in place");
        assert_eq!(array.as_slice::<bool>(), None, "7 is no truth value");
    }

    #[test]
    fn reshaping_keeps_the_elements() {
        let array = Array::from_elements(&pool(), 0..6_i16).unwrap();
        assert_eq!(array.reshape(&[2, 3]).unwrap().shape(), [2, 3]);
        assert_eq!(array.reshape(&[2, 2]), None);
        assert_eq!(array.reshape(&[7]), None);
    }
}
