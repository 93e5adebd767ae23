//! Arrow arrays, by Arrow's C data interface: arrays of pyarrow, Polars, pandas and others come in, and NumPy arrays go out.
//!
//! An incoming array is lent: if it is one chunk of numbers, the run time's array uses Arrow's memory in place and keeps it alive.
//! Several chunks, and truth values (bits in Arrow, bytes here), are copied, and the copies counted.
//!
//! Absent: nulls, which programs have no value for; dictionaries, texts, and lists of different lengths.

use std::ffi::CStr;
use std::panic::RefUnwindSafe;
use std::ptr::NonNull;
use std::sync::Arc;

use arrow_array::ffi::from_ffi;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{ArrayRef, make_array};
use arrow_buffer::{BooleanBuffer, Buffer};
use arrow_data::ArrayData;
use arrow_data::ffi::FFI_ArrowArray;
use arrow_schema::ffi::FFI_ArrowSchema;
use arrow_schema::{ArrowError, DataType, Field};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Shape};
use warpwise_runtime::memory::{Block, MemoryPool};
use warpwise_stream::sink::scalar_type;
use warpwise_stream::source::ArrowRows;

use crate::copies;
use crate::error::{Error, guarded, out_of_memory};
use crate::numpy::{self, seen};
use crate::runtime::Resources;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

/// Returns whether an object lends Arrow arrays and does not wrap a NumPy array (as most columns of pandas do).
pub fn is_arrow(object: &Bound<'_, PyAny>) -> bool {
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    (has("__arrow_c_array__") || has("__arrow_c_stream__")) && !numpy::has_dtype(object)
}

/// Returns whether an object is a table, whose columns are its items.
pub fn is_table(object: &Bound<'_, PyAny>) -> bool {
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    has("__arrow_c_stream__") && has("__getitem__") && (has("columns") || has("column_names"))
}

/// Returns whether an object is a table of pandas, which NumPy converts to a matrix.
pub fn is_frame(object: &Bound<'_, PyAny>) -> bool {
    is_table(object) && object.hasattr("iloc").unwrap_or(false)
}

/// A stream of arrays.
pub struct Chunks {
    stream: FFI_ArrowArrayStream,
    schema: FFI_ArrowSchema,
    /// Type of each array.
    pub ty: DataType,
}

// SAFETY: any thread may use a stream, one thread at a time; a schema is data.
unsafe impl Send for Chunks {}

impl Chunks {
    /// Takes the stream that an object lends by `__arrow_c_stream__`.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Chunks> {
        let capsule = object.call_method0("__arrow_c_stream__")?;
        let stream = capsule.cast::<PyCapsule>()?.pointer_checked(Some(STREAM))?;
        // SAFETY: a capsule of this name holds a stream, which is moved out, as the interface demands.
        let mut stream = unsafe { FFI_ArrowArrayStream::from_raw(stream.as_ptr().cast()) };
        let mut schema = FFI_ArrowSchema::empty();
        let status = match stream.get_schema {
            // SAFETY: the stream is not released, and the schema is written completely or not at all.
            Some(get_schema) => unsafe { get_schema(&mut stream, &mut schema) },
            None => return Err(PyValueError::new_err("the Arrow stream was used before")),
        };
        if status != 0 {
            return Err(Error::new_err(last_error(&mut stream, status)));
        }
        let ty = guarded(|| DataType::try_from(&schema))?.map_err(unknown)?;
        Ok(Chunks { stream, schema, ty })
    }

    /// Returns the next array; `None` after the last.
    pub fn next(&mut self) -> Result<Option<ArrayRef>, String> {
        let Some(get_next) = self.stream.get_next else { return Ok(None) };
        let mut array = FFI_ArrowArray::empty();
        // SAFETY: the stream is not released, and the array is written completely or not at all.
        let status = unsafe { get_next(&mut self.stream, &mut array) };
        if status != 0 {
            return Err(last_error(&mut self.stream, status));
        }
        if array.is_released() {
            return Ok(None);
        }
        imported(array, &self.schema).map(Some)
    }
}

fn last_error(stream: &mut FFI_ArrowArrayStream, status: i32) -> String {
    // SAFETY: the stream is not released; the text that it returns, if any, lives until the next call.
    let text = stream.get_last_error.and_then(|get| unsafe {
        let text = get(stream);
        (!text.is_null()).then(|| CStr::from_ptr(text).to_string_lossy().into_owned())
    });
    text.unwrap_or_else(|| format!("the Arrow stream fails with code {status}"))
}

fn imported(array: FFI_ArrowArray, schema: &FFI_ArrowSchema) -> Result<ArrayRef, String> {
    // SAFETY: the interface obliges the lender to pass an array that its schema describes.
    let import = || unsafe { from_ffi(array, schema) }.map(make_array);
    match guarded(import) {
        Ok(imported) => imported.map_err(|error| error.to_string()),
        Err(_) => Err("the Arrow array is not what its schema says".to_string()),
    }
}

fn unknown(error: ArrowError) -> PyErr {
    PyTypeError::new_err(error.to_string())
}

/// The arrays that an object lends, in order, with their type.
pub struct Lent {
    ty: DataType,
    chunks: Vec<ArrayRef>,
}

/// The reason why a lent array is not taken.
pub enum NotTaken {
    /// It has another type, described by this text.
    Type(String),
    /// The row of this number is null, or holds a null.
    Null(u64),
    /// Another failure.
    Other(PyErr),
}

impl Lent {
    /// Takes the arrays that an object lends.
    pub fn of(object: &Bound<'_, PyAny>) -> PyResult<Lent> {
        if !object.hasattr("__arrow_c_array__")? {
            let mut stream = Chunks::of(object)?;
            let mut chunks = Vec::new();
            while let Some(chunk) = stream.next().map_err(Error::new_err)? {
                chunks.push(chunk);
            }
            return Ok(Lent { ty: stream.ty, chunks });
        }
        let pair = object.call_method0("__arrow_c_array__")?;
        let pair = pair.cast::<PyTuple>()?;
        let pointer = |place, name| pair.get_item(place)?.cast::<PyCapsule>()?.pointer_checked(Some(name));
        let (schema, array) = (pointer(0, SCHEMA)?, pointer(1, ARRAY)?);
        // SAFETY: capsules of these names hold a schema and an array, which are moved out, as the interface demands.
        let (schema, array) = unsafe {
            (
                FFI_ArrowSchema::from_raw(schema.as_ptr().cast()),
                FFI_ArrowArray::from_raw(array.as_ptr().cast()),
            )
        };
        let ty = guarded(|| DataType::try_from(&schema))?.map_err(unknown)?;
        let array = imported(array, &schema).map_err(Error::new_err)?;
        Ok(Lent { ty, chunks: vec![array] })
    }

    /// Returns the rows as an array of the run time, of element type `ty` and this rank: in place, or as a copy.
    pub fn take(self, ty: ValueType, rank: usize, memory: &MemoryPool) -> Result<Array, NotTaken> {
        taken(&self.ty, &self.chunks, ty, rank, memory)
    }
}

/// Returns the rows of chunks as an array of the run time: in place, or as a copy.
pub fn taken(
    arrow: &DataType,
    chunks: &[ArrayRef],
    ty: ValueType,
    rank: usize,
    memory: &MemoryPool,
) -> Result<Array, NotTaken> {
    let other = || NotTaken::Type(arrow.to_string());
    let empty = arrow_array::new_empty_array(arrow);
    let kind = ArrowRows::of(&empty).ok_or_else(other)?.element;
    if kind.scalar != ty || kind.shape.len() + 1 != rank {
        return Err(other());
    }
    let mut parts = Vec::new();
    let mut count = 0;
    for chunk in chunks {
        let rows = ArrowRows::of(chunk).ok_or_else(other)?;
        count += rows.count;
        if rows.null {
            return Err(NotTaken::Null(count));
        }
        if rows.count > 0 {
            parts.push(rows);
        }
    }
    let no_memory = |error| NotTaken::Other(out_of_memory(&error));
    if let [only] = parts.as_slice() {
        if only.copied {
            copies::note(only.bytes.len());
        }
        let block = Arc::new(lent(only.bytes.clone()));
        let array = Array::from_block(ty.scalar(), &kind.shape_of(count), block);
        return array
            .ok_or_else(|| NotTaken::Other(Error::new_err("the Arrow array is shorter than it says")));
    }
    let mut array = kind.allocate(count, memory).map_err(no_memory)?;
    let mut target = array.bytes_mut(memory).map_err(no_memory)?;
    copies::note(target.len());
    for part in &parts {
        let (place, rest) = target.split_at_mut(part.bytes.len());
        place.copy_from_slice(&part.bytes);
        target = rest;
    }
    Ok(array)
}

/// Wraps a buffer in a block, without a copy.
fn lent(buffer: Buffer) -> Block {
    let (start, bytes) = (NonNull::from(buffer.as_slice()).cast(), buffer.len());
    // SAFETY: the block keeps the buffer, and nobody writes to its bytes.
    unsafe { Block::shared(start, bytes, Arc::new(buffer)) }
}

/// A NumPy array that others take as an Arrow array: it has `__arrow_c_array__`, which `pyarrow.array`, `polars.Series` and others ask
/// for.
#[pyclass(frozen, module = "warpwise")]
pub struct ArrowArray {
    data: ArrayData,
}

/// Owner of an array's memory.
struct Kept {
    _array: Array,
}

// Its contents are never read, so a panic cannot expose a broken state.
impl RefUnwindSafe for Kept {}

/// Lends a NumPy array to libraries that take Arrow arrays: `pyarrow.array(warpwise.arrow(xs))`, `polars.Series(warpwise.arrow(xs))`.
///
/// The elements stay where they are, so nobody should write to `array` from then on. A matrix becomes an array of lists of equal
/// length. Truth values, which are bits in Arrow, and arrays that are not contiguous are copied, and counted in `copied_bytes`.
/// TypeError if `array` is not an array with dimensions, or if programs do not have its element type.
#[pyfunction]
pub fn arrow(array: &Bound<'_, PyAny>) -> PyResult<ArrowArray> {
    let wrong = || {
        let class = array.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        let found = seen(array).map_or(class, |seen| seen.describe());
        PyTypeError::new_err(format!("array: expected an array of numbers with dimensions, found {found}"))
    };
    let found = seen(array).filter(|seen| !seen.shape.is_empty()).ok_or_else(wrong)?;
    let ty = found.element.ok_or_else(wrong)?;
    let taken = found.take(ty, false, Resources::default().context().memory())?;
    let (shape, elements) = (Shape::from_slice(taken.shape()), taken.len());
    let (start, bytes) = (NonNull::from(taken.bytes()).cast(), taken.bytes().len());
    // SAFETY: the array keeps its elements, which are contiguous and not written to.
    let buffer = unsafe { Buffer::from_custom_allocation(start, bytes, Arc::new(Kept { _array: taken })) };
    let buffer = if ty == ValueType::Bool {
        let bits = BooleanBuffer::from_iter(buffer.iter().map(|&byte| byte != 0)).into_inner();
        copies::note(bits.len());
        bits
    } else {
        buffer
    };
    let numbers = ArrayData::builder(scalar_type(ty)).len(elements).add_buffer(buffer).build();
    let data = numbers.and_then(|numbers| nested(numbers, &shape)).map_err(unknown)?;
    Ok(ArrowArray { data })
}

/// Wraps numbers in lists of fixed size, one level for each inner dimension of the shape.
fn nested(mut data: ArrayData, shape: &Shape) -> Result<ArrayData, ArrowError> {
    for dimension in (1..shape.len()).rev() {
        let item = Arc::new(Field::new("item", data.data_type().clone(), false));
        let size = i32::try_from(shape[dimension]).map_err(|_| {
            ArrowError::InvalidArgumentError("lists of Arrow's have at most 2^31 - 1 elements".into())
        })?;
        let rows: i64 = shape[..dimension].iter().product();
        let lists = ArrayData::builder(DataType::FixedSizeList(item, size)).len(rows as usize);
        data = lists.add_child_data(data).build()?;
    }
    Ok(data)
}

#[pymethods]
impl ArrowArray {
    /// Returns the type, by Arrow's C data interface: a capsule.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.data.data_type()).map_err(unknown)?;
        PyCapsule::new_with_value(py, schema, SCHEMA)
    }

    /// Returns the type and the array, by Arrow's C data interface: a pair of capsules. A requested schema is ignored.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyCapsule>, Bound<'py, PyCapsule>)> {
        // The interface lets a producer that cannot convert return what it has.
        let _ = requested_schema;
        let array = PyCapsule::new_with_value(py, FFI_ArrowArray::new(&self.data), ARRAY)?;
        Ok((self.__arrow_c_schema__(py)?, array))
    }

    fn __len__(&self) -> usize {
        self.data.len()
    }

    fn __repr__(&self) -> String {
        format!("<Arrow array of {} {}>", self.data.len(), self.data.data_type())
    }
}
