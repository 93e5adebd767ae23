//! NumPy's arrays and those of the run time, without a copy where that is possible.
//!
//! An array that comes in is lent: the block of the run time's array keeps the Python object, and lies where that does. One that goes out
//! is a NumPy array whose base keeps the block. NumPy is imported when the first array is met.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::npyffi::{
    NPY_TYPES, NpyTypes, PY_ARRAY_API, PyArray_Check, PyArrayObject, get_type_object, npy_intp,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyByteArray, PyBytes};
use smallvec::SmallVec;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape, element_count};
use warpwise_runtime::memory::{Block, MemoryPool};

use crate::copies;
use crate::error::out_of_memory;

/// What NumPy knows of an array.
pub struct Seen<'py> {
    object: Bound<'py, PyAny>,
    /// The type of its elements, if it is one that programs have.
    pub element: Option<ValueType>,
    /// Whether the bytes of an element lie as the machine wants them.
    native: bool,
    /// Its sizes.
    pub shape: Shape,
    flags: c_int,
    data: *mut u8,
}

/// Keeps the memory of a NumPy array.
#[pyclass(frozen, module = "warpwise._native")]
struct Memory {
    _array: Array,
}

/// Whether an object is a NumPy array.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    // Without NumPy nothing is.
    let has_numpy = module(object.py()).is_ok();
    // SAFETY: the object lives, and the interpreter is attached.
    has_numpy && unsafe { PyArray_Check(object.py(), object.as_ptr()) != 0 }
}

/// Looks at a NumPy array.
pub fn seen<'py>(object: &Bound<'py, PyAny>) -> Option<Seen<'py>> {
    if !is_array(object) {
        return None;
    }
    let array = object.as_ptr().cast::<PyArrayObject>();
    // SAFETY: the object is an array, whose dimensions and description live as long as it and do not change under the interpreter's lock.
    unsafe {
        let fields = &(*array).fields;
        let rank = fields.nd as usize;
        let sizes = if rank == 0 { &[] } else { std::slice::from_raw_parts(fields.dimensions, rank) };
        let description = &(*fields.descr).fields;
        Some(Seen {
            object: object.clone(),
            element: element(description.type_num),
            native: matches!(description.byteorder as u8, b'=' | b'|' | b'<'),
            shape: sizes.iter().map(|&size| size as i64).collect(),
            flags: fields.flags,
            data: fields.data.cast(),
        })
    }
}

/// The type of elements that NumPy gives this number. It has two for integers of 64 bits.
fn element(found: c_int) -> Option<ValueType> {
    let found = match found {
        _ if found == NPY_TYPES::NPY_LONGLONG as c_int => NPY_TYPES::NPY_LONG as c_int,
        _ if found == NPY_TYPES::NPY_ULONGLONG as c_int => NPY_TYPES::NPY_ULONG as c_int,
        _ => found,
    };
    ValueType::ALL.into_iter().find(|&ty| number(ty) as c_int == found)
}

/// NumPy's number of a type of elements.
fn number(ty: ValueType) -> NPY_TYPES {
    match ty {
        ValueType::Bool => NPY_TYPES::NPY_BOOL,
        ValueType::I8 => NPY_TYPES::NPY_BYTE,
        ValueType::I16 => NPY_TYPES::NPY_SHORT,
        ValueType::I32 => NPY_TYPES::NPY_INT,
        ValueType::I64 => NPY_TYPES::NPY_LONG,
        ValueType::U8 => NPY_TYPES::NPY_UBYTE,
        ValueType::U16 => NPY_TYPES::NPY_USHORT,
        ValueType::U32 => NPY_TYPES::NPY_UINT,
        ValueType::U64 => NPY_TYPES::NPY_ULONG,
        ValueType::F16 => NPY_TYPES::NPY_HALF,
        ValueType::F32 => NPY_TYPES::NPY_FLOAT,
        ValueType::F64 => NPY_TYPES::NPY_DOUBLE,
    }
}

/// What NumPy calls a type of elements.
pub fn dtype_name(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Bool => "bool",
        ValueType::I8 => "int8",
        ValueType::I16 => "int16",
        ValueType::I32 => "int32",
        ValueType::I64 => "int64",
        ValueType::U8 => "uint8",
        ValueType::U16 => "uint16",
        ValueType::U32 => "uint32",
        ValueType::U64 => "uint64",
        ValueType::F16 => "float16",
        ValueType::F32 => "float32",
        ValueType::F64 => "float64",
    }
}

impl<'py> Seen<'py> {
    /// The array of the run time with these elements, which are of the type `ty`: where they lie, or a copy. One that is given away may
    /// be overwritten where it lies.
    pub fn take(self, ty: ValueType, given_away: bool, memory: &MemoryPool) -> PyResult<Array> {
        let Some(bytes) = self.bytes(ty) else {
            return Err(PyMemoryError::new_err(format!("no memory holds a {}", self.describe())));
        };
        if bytes == 0 {
            return Array::allocate(memory, ty.scalar(), &self.shape).map_err(|error| out_of_memory(&error));
        }
        if !self.is_dense() {
            return self.copied(ty, bytes, memory);
        }
        // SAFETY: the array is dense, and as long as its shape says.
        let elements = unsafe { std::slice::from_raw_parts(self.data, bytes) };
        if ty == ValueType::Bool && elements.iter().fold(0, |all, byte| all | byte) > 1 {
            return self.copied(ty, bytes, memory);
        }
        let (start, shape) = (NonNull::new(self.data), self.shape.clone());
        let Some(start) = start else { return self.copied(ty, bytes, memory) };
        let may_write = given_away && self.flags & NPY_ARRAY_WRITEABLE != 0;
        let provider = Arc::new(self.object.unbind());
        // SAFETY: the object keeps its elements where they are while somebody has it: NumPy resizes no array that others refer to.
        // Whoever writes to it in another thread during a call has a race that Python's users know from every library without the lock.
        let block = unsafe {
            if may_write {
                Block::lent(start, bytes, provider)
            } else {
                Block::shared(start, bytes, provider)
            }
        };
        Array::from_block(ty.scalar(), &shape, Arc::new(block))
            .ok_or_else(|| PyMemoryError::new_err("the array is too large"))
    }

    /// How much memory its elements take as elements of a type.
    pub fn bytes(&self, ty: ValueType) -> Option<usize> {
        element_count(&self.shape)?.checked_mul(ty.scalar().bytes() as u64)?.try_into().ok()
    }

    /// Whether the elements lie one after the other, in row-major order, each as the machine wants it.
    fn is_dense(&self) -> bool {
        let wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
        self.native && self.flags & wanted == wanted
    }

    /// A copy in the run time's memory, in row-major order and as the machine wants it. Other elements than were announced cannot come:
    /// memory is asked for first.
    fn copied(self, ty: ValueType, bytes: usize, memory: &MemoryPool) -> PyResult<Array> {
        let py = self.object.py();
        let mut array =
            Array::allocate(memory, ty.scalar(), &self.shape).map_err(|error| out_of_memory(&error))?;
        let target = array.bytes_mut(memory).map_err(|error| out_of_memory(&error))?;
        // SAFETY: the memory is as large as the shape says, nobody else has it, and the view of it is gone before it is used.
        unsafe {
            let view = view(py, ty, &self.shape, target.as_mut_ptr())?;
            if PY_ARRAY_API.PyArray_CopyInto(py, view.as_ptr().cast(), self.object.as_ptr().cast()) != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        if ty == ValueType::Bool {
            // Any byte but 0 is true to NumPy.
            target.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        copies::note(bytes);
        Ok(array)
    }

    /// NumPy's words for the type and shape of the array: `float64 array of shape (2, 3)`.
    pub fn describe(&self) -> String {
        let dtype = self.object.getattr("dtype").and_then(|dtype| dtype.str()).map(|name| name.to_string());
        format!("{} array of shape {}", dtype.unwrap_or_default(), shape_text(&self.shape))
    }
}

/// A shape as Python writes it.
pub fn shape_text(shape: &[i64]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// The module `numpy`.
pub fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py))
}

/// A NumPy array on the run time's memory; a copy if others see the same memory.
pub fn give<'py>(
    py: Python<'py>,
    ty: ValueType,
    array: Array,
    memory: &MemoryPool,
) -> PyResult<Bound<'py, PyAny>> {
    module(py)?;
    let array = unshared(array, memory)?;
    let data = array.data().as_mut_ptr();
    let shape = Shape::from_slice(array.shape());
    let base = Bound::new(py, Memory { _array: array })?;
    // SAFETY: the memory is as large as the shape says and lives as long as the base, which nobody else writes to. The call takes over its
    // reference to the base.
    unsafe {
        let made = view(py, ty, &shape, data)?;
        if PY_ARRAY_API.PyArray_SetBaseObject(py, made.as_ptr().cast(), base.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(made)
    }
}

/// A NumPy array of this memory, which it does not keep.
///
/// # Safety
/// The memory is as large as the shape says and lives as long as the array.
unsafe fn view<'py>(
    py: Python<'py>,
    ty: ValueType,
    shape: &[i64],
    data: *mut u8,
) -> PyResult<Bound<'py, PyAny>> {
    let mut sizes: SmallVec<[npy_intp; 4]> = shape.iter().map(|&size| size as npy_intp).collect();
    let flags = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;
    // SAFETY: the call gives a new reference or sets an exception, and takes over its reference to the description.
    unsafe {
        let description = PY_ARRAY_API.PyArray_DescrFromType(py, number(ty) as c_int);
        let class = get_type_object(py, NpyTypes::PyArray_Type);
        let (rank, strides) = (sizes.len() as c_int, std::ptr::null_mut());
        let (sizes, data, none) = (sizes.as_mut_ptr(), data.cast::<c_void>(), std::ptr::null_mut());
        let made = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            description,
            rank,
            sizes,
            strides,
            data,
            flags,
            none,
        );
        Bound::from_owned_ptr_or_err(py, made)
    }
}

/// An array that nobody else sees.
fn unshared(mut array: Array, memory: &MemoryPool) -> PyResult<Array> {
    let is_alone = Arc::strong_count(array.data()) == 1 && !array.data().is_part();
    if !is_alone && !array.is_empty() {
        copies::note(array.bytes().len());
        array.bytes_mut(memory).map_err(|error| out_of_memory(&error))?;
    }
    Ok(array)
}

/// Whether an object would have NumPy make an array of it without looking at each element.
pub fn is_array_like(object: &Bound<'_, PyAny>) -> bool {
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    has("__array__") || has("__array_interface__") || is_buffer(object)
}

/// Whether an object says of its elements that they are of one of NumPy's types.
pub fn has_dtype(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let class = module(py).and_then(|numpy| numpy.getattr(intern!(py, "dtype")));
    let dtype = object.getattr(intern!(py, "dtype"));
    class.is_ok_and(|class| dtype.is_ok_and(|dtype| dtype.is_instance(&class).unwrap_or(false)))
}

/// Whether an object is one of Python's own that lend memory.
fn is_buffer(object: &Bound<'_, PyAny>) -> bool {
    let class = object.get_type();
    let is_memory = class.name().is_ok_and(|name| name == "memoryview" || name == "array");
    is_memory || object.is_instance_of::<PyByteArray>() || object.is_instance_of::<PyBytes>()
}
