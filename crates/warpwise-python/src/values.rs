//! Classes for values that have no counterpart in Python.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyString, PyTuple};
use warpwise_runtime::device::array::Placed;
use warpwise_standalone::interface::{Field, Kind, NamedType, TypeRef};
use warpwise_standalone::value::Held;

use crate::arguments::{ArrayType, Taker};
use crate::error::problem;
use crate::numpy;
use crate::program::{Code, Program};
use crate::results::Giver;

/// A value of a sum type: the constructor's name and the values it carries. `Variant("circle", 1.0)` is `#circle 1.0`.
#[pyclass(frozen, module = "warpwise")]
pub struct Variant {
    /// The constructor's name, without `#`.
    #[pyo3(get)]
    pub name: String,
    /// The values that the constructor carries.
    #[pyo3(get)]
    pub payload: Py<PyTuple>,
}

#[pymethods]
impl Variant {
    #[classattr]
    #[allow(non_upper_case_globals)]
    const __match_args__: (&'static str, &'static str) = ("name", "payload");

    #[new]
    #[pyo3(signature = (name, *payload))]
    fn new(name: &str, payload: Py<PyTuple>) -> Variant {
        Variant { name: name.trim_start_matches('#').to_string(), payload }
    }

    fn __eq__(&self, py: Python<'_>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Variant>() else { return Ok(false) };
        let other = other.get();
        Ok(self.name == other.name && self.payload.bind(py).eq(other.payload.bind(py))?)
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        PyTuple::new(
            py,
            [self.name.clone().into_pyobject(py)?.into_any(), self.payload.bind(py).clone().into_any()],
        )?
        .hash()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let parts = self.payload.bind(py).iter().map(|part| Ok(format!(" {}", part.repr()?)));
        Ok(format!("#{}{}", self.name, parts.collect::<PyResult<String>>()?))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let mut arguments = vec![self.name.clone().into_pyobject(py)?.into_any()];
        arguments.extend(self.payload.bind(py).iter());
        (py.get_type::<Variant>(), PyTuple::new(py, arguments)?).into_pyobject(py)
    }
}

/// An array of records, tuples or sums, which is not converted to Python objects: pass it to entry points of the program, read single
/// elements, or take the arrays of its fields.
#[pyclass(frozen, module = "warpwise")]
pub struct Opaque {
    code: Arc<Code>,
    /// The value.
    pub held: Held,
}

impl Opaque {
    /// Wraps a value of a program.
    pub fn new(code: &Arc<Code>, held: Held) -> Opaque {
        Opaque { code: Arc::clone(code), held }
    }

    /// Returns its type.
    pub fn named_type(&self) -> &NamedType {
        match self.held.ty {
            TypeRef::Named(number) => &self.code.interface.types[number],
            TypeRef::Scalar(_) => unreachable!("scalars are Python's numbers"),
        }
    }
}

impl Opaque {
    fn own_fields(&self) -> PyResult<&[Field]> {
        match &self.named_type().kind {
            Kind::OpaqueArray { fields: Some(fields), .. } => Ok(fields),
            _ => Err(PyTypeError::new_err(format!(
                "the elements of {} have no fields: read them one by one",
                self.named_type().name
            ))),
        }
    }

    /// Returns the array of a field.
    fn array_of<'py>(&self, py: Python<'py>, number: usize) -> PyResult<Bound<'py, PyAny>> {
        let running = self.code.running()?;
        let part = self.code.values(&running).project(&self.held, number).map_err(|error| problem(&error))?;
        Giver::new(py, &self.code, &running).value(part.ty, part.leaves)
    }

    fn field<'py>(&self, name: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let (py, fields, name) = (name.py(), self.own_fields()?, name.to_str()?);
        let number = fields.iter().position(|field| field.name == name).ok_or_else(|| {
            let names = fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>().join(", ");
            let ty = &self.named_type().name;
            PyKeyError::new_err(format!("the elements of {ty} have no field `{name}`; they have: {names}"))
        })?;
        self.array_of(py, number)
    }

    /// Returns the exception for an object that is no index.
    fn no_index(&self, index: &Bound<'_, PyAny>) -> PyErr {
        let class = index.get_type().name().map(|name| name.to_string()).unwrap_or_default();
        let remedy = match self.own_fields() {
            Ok(_) => "; slice the arrays in `.fields`",
            Err(_) => "",
        };
        PyTypeError::new_err(format!(
            "{}: an index is an int, one int per dimension, or the name of a field, and not a {class}{remedy}",
            self.named_type().name
        ))
    }
}

#[pymethods]
impl Opaque {
    /// The name of its type in the language.
    #[getter(r#type)]
    fn type_name(&self) -> &str {
        &self.named_type().name
    }

    /// The size of each dimension.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.held.shape)
    }

    /// The arrays of the fields of an array of records, by name: `{"x": array(...), ...}`. They are copies.
    #[getter]
    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = PyDict::new(py);
        for (number, field) in self.own_fields()?.iter().enumerate() {
            arrays.set_item(&field.name, self.array_of(py, number)?)?;
        }
        Ok(arrays)
    }

    /// Returns a structured NumPy array: a copy. TypeError if the elements have no fields.
    #[pyo3(signature = (dtype=None, copy=None))]
    fn __array__<'py>(
        &self,
        py: Python<'py>,
        dtype: Option<&Bound<'py, PyAny>>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if copy == Some(false) {
            return Err(PyValueError::new_err("a value of a program becomes a NumPy array only as a copy"));
        }
        let records = py.import("warpwise._records")?;
        let array = records.call_method1("structured", (self.shape(py)?, self.fields(py)?))?;
        numpy::with_dtype(array, dtype)
    }

    fn __len__(&self) -> usize {
        self.held.shape.first().map_or(0, |&size| size as usize)
    }

    /// Returns the element at an index: an int, or one int per dimension. With the name of a field, returns the array of this field.
    fn __getitem__<'py>(&self, py: Python<'py>, index: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        if let Ok(name) = index.cast::<PyString>() {
            return self.field(name);
        }
        let given: Vec<i64> = match index.extract::<i64>() {
            Ok(index) => vec![index],
            Err(_) => index.extract().map_err(|_| self.no_index(index))?,
        };
        let shape = &self.held.shape;
        let wrapped = |(&at, &size): (&i64, &i64)| if at < 0 { at + size } else { at };
        let place: Vec<i64> = given.iter().zip(shape).map(wrapped).collect();
        if given.len() != shape.len() || place.iter().zip(shape).any(|(at, size)| !(0..*size).contains(at)) {
            return Err(PyIndexError::new_err(format!(
                "{given:?} is no index into a value of shape {shape:?}"
            )));
        }
        let running = self.code.running()?;
        let element =
            self.code.values(&running).index(&self.held, &place).map_err(|error| problem(&error))?;
        Giver::new(py, &self.code, &running).value(element.ty, element.leaves)
    }

    /// Pickles as the program, the name of the type, and the arrays that the value is made of.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let running = self.code.running()?;
        let giver = Giver::new(py, &self.code, &running);
        let leaves = self.held.leaves.iter().map(|leaf| giver.leaf(Some(Placed::Host(leaf.clone()))));
        let leaves = PyTuple::new(py, leaves.collect::<PyResult<Vec<_>>>()?)?;
        let made = py.import("warpwise._native")?.getattr("_opaque")?;
        let program = Program::of(py, Arc::clone(&self.code))?;
        (made, (program, self.type_name(), leaves).into_pyobject(py)?).into_pyobject(py)
    }

    fn __repr__(&self) -> String {
        let sizes: String = self.held.shape.iter().map(|size| format!("[{size}]")).collect();
        format!("<{sizes}{}>", self.type_name().trim_start_matches("[]"))
    }
}

/// Unpickles an [`Opaque`].
#[pyfunction(name = "_opaque")]
pub fn opaque(program: &Bound<'_, Program>, name: &str, leaves: Vec<Bound<'_, PyAny>>) -> PyResult<Opaque> {
    let code = program.get().code();
    let ty = code.interface.find(name).filter(|ty| code.interface.leaves(*ty).len() == leaves.len());
    let ty =
        ty.ok_or_else(|| PyTypeError::new_err(format!("the program has no type {name} of this kind")))?;
    let running = code.running()?;
    let mut taker = Taker::new(code, &running, "_opaque");
    for ((element, rank), leaf) in code.interface.leaves(ty).into_iter().zip(&leaves) {
        taker.column(ArrayType { element, rank }, leaf, name)?;
    }
    Ok(Opaque::new(code, Held::new(&code.interface, ty, taker.values()?)))
}

/// The named-tuple classes of a program's record types, each created on first use.
pub struct Classes(Vec<PyOnceLock<Py<PyAny>>>);

impl Classes {
    /// Creates an empty table for `types` types.
    pub fn new(types: usize) -> Classes {
        Classes((0..types).map(|_| PyOnceLock::new()).collect())
    }

    /// Returns the class of a record type.
    pub fn of_record<'py>(
        &self,
        py: Python<'py>,
        number: usize,
        name: &str,
        fields: &[Field],
    ) -> PyResult<Bound<'py, PyAny>> {
        let made = self.0[number].get_or_try_init(py, || named_tuple(py, name, fields))?;
        Ok(made.bind(py).clone())
    }
}

/// Returns a named-tuple class. Records with the same name and fields share one class, so that they are equal wherever they come from.
fn named_tuple(py: Python<'_>, name: &str, fields: &[Field]) -> PyResult<Py<PyAny>> {
    let names = PyTuple::new(py, fields.iter().map(|field| field.name.as_str()))?;
    let name = if is_word(name) { name } else { "record" };
    Ok(py.import("warpwise._records")?.call_method1("record_class", (name, names))?.unbind())
}

/// Returns whether the name of a type can name a Python class.
pub fn is_word(name: &str) -> bool {
    !name.is_empty()
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
}
