//! Conversion between NumPy arrays and those of the run time, without a copy where possible.
//!
//! An incoming array is lent: the block of the run time's array points to NumPy's memory and keeps the Python object alive. An outgoing
//! array is a NumPy array whose base keeps the block. NumPy is imported when the first array is met.

use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::Arc;

use numpy::npyffi::flags::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::npyffi::{
    NPY_TYPES, NpyTypes, PY_ARRAY_API, PyArray_Check, PyArray_CheckExact, PyArrayObject, get_type_object,
    npy_intp,
};
use pyo3::exceptions::PyMemoryError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyMemoryView};
use smallvec::SmallVec;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape, element_count};
use warpwise_runtime::memory::{Block, MemoryPool};

use crate::copies;
use crate::error::out_of_memory;

/// NumPy's description of an array.
pub struct Seen<'py> {
    object: Bound<'py, PyAny>,
    /// Element type, if programs have it.
    pub element: Option<ValueType>,
    /// Whether the elements have the machine's byte order.
    native: bool,
    /// Size of each dimension.
    pub shape: Shape,
    flags: c_int,
    data: *mut u8,
}

/// Base object of a NumPy array, which keeps its memory.
#[pyclass(frozen, module = "warpwise._native")]
struct Memory {
    _array: Array,
}

/// Returns whether an object is a NumPy array.
pub fn is_array(object: &Bound<'_, PyAny>) -> bool {
    // Without NumPy no object is one.
    let has_numpy = module(object.py()).is_ok();
    // SAFETY: the object is alive, and the interpreter is attached.
    has_numpy && unsafe { PyArray_Check(object.py(), object.as_ptr()) != 0 }
}

/// Returns the description of a NumPy array; `None` for other objects.
pub fn seen<'py>(object: &Bound<'py, PyAny>) -> Option<Seen<'py>> {
    if !is_array(object) {
        return None;
    }
    let array = object.as_ptr().cast::<PyArrayObject>();
    // SAFETY: the object is an array. Its dimensions and description live as long as the array and do not change under the
    // interpreter's lock.
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

/// Returns the element type with this NumPy type number. NumPy has two numbers for integers of 64 bits.
fn element(found: c_int) -> Option<ValueType> {
    let found = match found {
        _ if found == NPY_TYPES::NPY_LONGLONG as c_int => NPY_TYPES::NPY_LONG as c_int,
        _ if found == NPY_TYPES::NPY_ULONGLONG as c_int => NPY_TYPES::NPY_ULONG as c_int,
        _ => found,
    };
    ValueType::ALL.into_iter().find(|&ty| number(ty) as c_int == found)
}

/// Returns NumPy's type number of an element type.
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

/// Returns NumPy's name of an element type.
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
    /// Returns the elements, whose type is `ty`, as an array of the run time: in place, or as a copy. An array that is given away may
    /// be overwritten in place.
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
        // SAFETY: the object keeps its elements in place while it is referenced: NumPy resizes no array that others refer to. A write
        // from another thread during a call is a race, as with every library that releases the interpreter's lock.
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

    /// Returns whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Returns whether the elements are complex numbers.
    pub fn is_complex(&self) -> bool {
        let kind = self.object.getattr("dtype").and_then(|dtype| dtype.getattr("kind"));
        kind.is_ok_and(|kind| kind.eq("c").unwrap_or(false))
    }

    /// Returns the size in bytes of its elements, if they have type `ty`.
    pub fn bytes(&self, ty: ValueType) -> Option<usize> {
        element_count(&self.shape)?.checked_mul(ty.scalar().bytes() as u64)?.try_into().ok()
    }

    /// Returns whether the array is row-major contiguous, aligned, and in the machine's byte order.
    fn is_dense(&self) -> bool {
        let wanted = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED;
        self.native && self.flags & wanted == wanted
    }

    /// Copies the array into the run time's memory, row-major and in the machine's byte order. The elements cannot exceed the announced
    /// size, because memory is allocated first.
    fn copied(self, ty: ValueType, bytes: usize, memory: &MemoryPool) -> PyResult<Array> {
        let py = self.object.py();
        let mut array =
            Array::allocate(memory, ty.scalar(), &self.shape).map_err(|error| out_of_memory(&error))?;
        let target = array.bytes_mut(memory).map_err(|error| out_of_memory(&error))?;
        // SAFETY: the memory is as large as the shape says, nobody else uses it, and the view of it is gone before it is used.
        unsafe {
            let view = view(py, ty, &self.shape, target.as_mut_ptr())?;
            if PY_ARRAY_API.PyArray_CopyInto(py, view.as_ptr().cast(), self.object.as_ptr().cast()) != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        if ty == ValueType::Bool {
            // NumPy counts any byte except 0 as true.
            target.iter_mut().for_each(|byte| *byte = u8::from(*byte != 0));
        }
        copies::note(bytes);
        Ok(array)
    }

    /// Describes the type and shape of the array: `float64 array of shape (2, 3)`.
    pub fn describe(&self) -> String {
        let dtype = self.object.getattr("dtype").and_then(|dtype| dtype.str()).map(|name| name.to_string());
        format!("{} array of shape {}", dtype.unwrap_or_default(), shape_text(&self.shape))
    }
}

/// Returns whether elements of a NumPy array are masked.
pub fn is_masked(array: &Bound<'_, PyAny>) -> PyResult<bool> {
    // SAFETY: the object is alive, and the interpreter is attached.
    let is_plain = unsafe { PyArray_CheckExact(array.py(), array.as_ptr()) != 0 };
    if is_plain {
        return Ok(false);
    }
    module(array.py())?.getattr("ma")?.call_method1("is_masked", (array,))?.extract()
}

/// Returns the names of the fields of a structured array; `None` for other objects.
pub fn field_names(object: &Bound<'_, PyAny>) -> PyResult<Option<Vec<String>>> {
    if !is_array(object) {
        return Ok(None);
    }
    object.getattr("dtype")?.getattr("names")?.extract()
}

/// Returns a copy of an array in the run time's memory.
pub fn copy(array: &Array, memory: &MemoryPool) -> PyResult<Array> {
    let no_memory = |error| out_of_memory(&error);
    let mut copy = Array::allocate(memory, array.elem(), array.shape()).map_err(no_memory)?;
    copy.bytes_mut(memory).map_err(no_memory)?.copy_from_slice(array.bytes());
    Ok(copy)
}

/// Returns a shape in Python's notation.
pub fn shape_text(shape: &[i64]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", shape.iter().map(i64::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// Imports the module `numpy`, once.
pub fn module(py: Python<'_>) -> PyResult<&Bound<'_, PyModule>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    Ok(MODULE.get_or_try_init(py, || py.import("numpy").map(Bound::unbind))?.bind(py))
}

/// Converts a new array to the dtype that a caller of `__array__` asks for, if it asks for one.
pub fn with_dtype<'py>(
    array: Bound<'py, PyAny>,
    dtype: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Some(dtype) = dtype else { return Ok(array) };
    let options = PyDict::new(array.py());
    options.set_item("copy", false)?;
    array.call_method("astype", (dtype,), Some(&options))
}

/// Returns a NumPy array on the run time's memory; a copy if others see the same memory. If that is the memory of one of the arrays
/// `given_away`, the new array keeps that one: in a loop that passes each result on, a chain of owners would get ever longer.
pub fn give<'py>(
    py: Python<'py>,
    ty: ValueType,
    array: Array,
    given_away: &[Bound<'py, PyAny>],
    memory: &MemoryPool,
) -> PyResult<Bound<'py, PyAny>> {
    module(py)?;
    let array = unshared(array, memory)?;
    let data = array.data().as_mut_ptr();
    let shape = Shape::from_slice(array.shape());
    let owner = given_away.iter().find(|given| seen(given).is_some_and(|given| given.data == data));
    let base = match owner {
        Some(owner) if !array.is_empty() => owner.clone(),
        Some(_) | None => Bound::new(py, Memory { _array: array })?.into_any(),
    };
    // SAFETY: the memory is as large as the shape says and lives as long as the base. Nobody else writes to it. The call takes over its
    // reference to the base.
    unsafe {
        let made = view(py, ty, &shape, data)?;
        if PY_ARRAY_API.PyArray_SetBaseObject(py, made.as_ptr().cast(), base.into_ptr()) != 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(made)
    }
}

/// Returns a NumPy array on this memory, without keeping the memory alive.
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
    // SAFETY: the call returns a new reference or sets an exception, and takes over its reference to the description.
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

/// Returns the array itself if nobody else sees its memory, otherwise a copy.
fn unshared(mut array: Array, memory: &MemoryPool) -> PyResult<Array> {
    let is_alone = Arc::strong_count(array.data()) == 1 && !array.data().is_part();
    if !is_alone && !array.is_empty() {
        copies::note(array.bytes().len());
        array.bytes_mut(memory).map_err(|error| out_of_memory(&error))?;
    }
    Ok(array)
}

/// Returns whether NumPy can make an array of an object without looking at each element.
pub fn is_array_like(object: &Bound<'_, PyAny>) -> bool {
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    has("__array__") || has("__array_interface__") || is_buffer(object)
}

/// Returns whether an object declares a NumPy type for its elements.
pub fn has_dtype(object: &Bound<'_, PyAny>) -> bool {
    let py = object.py();
    let class = module(py).and_then(|numpy| numpy.getattr(intern!(py, "dtype")));
    let dtype = object.getattr(intern!(py, "dtype"));
    class.is_ok_and(|class| dtype.is_ok_and(|dtype| dtype.is_instance(&class).unwrap_or(false)))
}

/// Returns whether an object lends memory by Python's buffer protocol.
fn is_buffer(object: &Bound<'_, PyAny>) -> bool {
    PyMemoryView::from(object).is_ok()
}
