//! Converts Python arguments into the values that programs take.

use std::fmt::{self, Write};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyRange, PyString, PyTuple};
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::memory::MemoryPool;
use warpwise_standalone::interface::{Field, Input, Kind, SumVariant, TypeRef};
use warpwise_standalone::value::{Held, Problem};

use crate::arrow::{Lent, NotTaken, is_arrow, is_table};
use crate::copies;
use crate::dlpack::Device;
use crate::dlpack::take::Lent as Tensor;
use crate::entry::parameter_name;
use crate::error::problem;
use crate::numpy::{self, Seen, dtype_name, seen};
use crate::program::{Code, Running};
use crate::resident::{self, DeviceArray, refused};
use crate::scalar::{self, NoScalar, from_python};
use crate::values::{Opaque, Variant};

/// An array that the caller gives away; see `consume`.
#[pyclass(frozen, module = "warpwise")]
pub struct Consumed {
    array: Py<PyAny>,
}

/// Gives an array away: an entry point that consumes it may overwrite it in place. Its contents afterwards are unspecified.
///
/// Arrays that are read-only or not contiguous are copied all the same.
#[pyfunction]
pub fn consume(array: Py<PyAny>) -> Consumed {
    Consumed { array }
}

/// Converts the arguments of a call into leaves.
pub struct Taker<'c> {
    code: &'c Code,
    running: &'c Running,
    entry: &'c str,
    /// The leaves converted so far.
    pub leaves: Vec<Placed>,
    consumed: bool,
    given_away: bool,
}

/// The type of an array of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ArrayType {
    /// Element type.
    pub element: ValueType,
    /// Number of dimensions.
    pub rank: usize,
}

/// The place of a value within the arguments: `xs`, `points[3].x`.
#[derive(Clone, Copy)]
enum Place<'p> {
    Parameter(&'p str),
    Field(&'p Place<'p>, &'p str),
    Element(&'p Place<'p>, usize),
    Payload(&'p Place<'p>, &'p str, usize),
}

impl<'c> Taker<'c> {
    /// Creates a converter that has no leaves yet.
    pub fn new(code: &'c Code, running: &'c Running, entry: &'c str) -> Taker<'c> {
        Taker { code, running, entry, leaves: Vec::new(), consumed: false, given_away: false }
    }

    /// Converts the argument for parameter number `at`.
    pub fn argument(&mut self, at: usize, input: &Input, object: &Bound<'_, PyAny>) -> PyResult<()> {
        self.consumed = input.is_consumed();
        // The common cases need no parameter name, which only messages use.
        if let TypeRef::Scalar(ty) = input.ty
            && let Ok(value) = from_python(ty, object)
        {
            self.leaves.push(Placed::Host(Value::scalar(ty, value)));
            return Ok(());
        }
        let name = parameter_name(at, input);
        let place = Place::Parameter(&name);
        match object.cast::<Consumed>() {
            Ok(given) => {
                self.given_away = true;
                let taken = self.value(input.ty, given.get().array.bind(object.py()), &place);
                self.given_away = false;
                taken
            }
            Err(_) => self.value(input.ty, object, &place),
        }
    }

    /// Converts an array for a parameter, or for a field of its elements; `name` is the name of either.
    pub fn column(&mut self, ty: ArrayType, object: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        self.array(ty, object, &Place::Parameter(name))
    }

    /// Returns the leaves, in the host's memory.
    pub fn values(self) -> PyResult<Vec<Value>> {
        let memory = self.memory();
        self.leaves.into_iter().map(|leaf| on_host(leaf, memory)).collect()
    }

    fn memory(&self) -> &'c MemoryPool {
        self.running.context.memory()
    }

    fn value(&mut self, ty: TypeRef, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
        let code = self.code;
        let number = match ty {
            TypeRef::Scalar(scalar) => return self.scalar(scalar, object, place),
            TypeRef::Named(number) => number,
        };
        if let Ok(opaque) = object.cast::<Opaque>() {
            return self.opaque(number, opaque.get(), object, place);
        }
        match &code.interface.types[number].kind {
            Kind::Array { element, rank } => {
                self.array(ArrayType { element: *element, rank: *rank }, object, place)
            }
            Kind::Record(fields) if is_tuple(fields) => self.tuple(ty, fields, object, place),
            Kind::Record(fields) => self.record(ty, fields, object, place),
            Kind::Sum(variants) => self.sum(ty, variants, object, place),
            Kind::OpaqueArray { element, rank, fields } => {
                self.opaque_array(ty, (*element, *rank), fields.as_deref(), object, place)
            }
        }
    }

    fn scalar(&mut self, ty: ValueType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
        // A NumPy array without dimensions counts as its only element.
        let element = seen(object).filter(|seen| seen.shape.is_empty()).map(|_| object.call_method0("item"));
        let element = element.transpose()?;
        match from_python(ty, element.as_ref().unwrap_or(object)) {
            Ok(value) => {
                self.leaves.push(Placed::Host(Value::scalar(ty, value)));
                Ok(())
            }
            Err(NoScalar::Kind) => Err(self.mismatch(ty.name(), object, place)),
            Err(NoScalar::Range) => Err(self.out_of_range(ty, object, place)),
        }
    }

    fn out_of_range(&self, ty: ValueType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyErr {
        let value = object.str().map(|text| text.to_string()).unwrap_or_default();
        let bounds = match ty {
            ValueType::U64 => "0 to 18446744073709551615".to_string(),
            _ if ty.scalar().is_int() => {
                let (least, most) = scalar::range(ty);
                format!("{least} to {most}")
            }
            _ => "at most about 1.8e308".to_string(),
        };
        PyOverflowError::new_err(format!("{}: {value} is no {ty} ({bounds})", self.words(place)))
    }

    fn array(&mut self, ty: ArrayType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
        let taken = match seen(object) {
            Some(array) => self.numpys(ty, array, place)?,
            None => match object.cast::<DeviceArray>() {
                Ok(there) => return self.resident(ty, there.get(), place),
                Err(_) if is_arrow(object) => self.arrow(ty, object, place)?,
                Err(_) if self.is_near(object)? => return self.tensor(ty, object, place),
                Err(_) => self.numpys(ty, self.as_array(ty, object, place)?, place)?,
            },
        };
        if self.consumed && taken.data().is_part() {
            copies::note(taken.bytes().len());
        }
        self.leaves.push(Placed::Host(Value::array(ty.element, taken)));
        Ok(())
    }

    /// Takes an array that lies on a device.
    fn resident(&mut self, ty: ArrayType, there: &DeviceArray, place: &Place<'_>) -> PyResult<()> {
        let (element, shape) = there.kind();
        if element != ty.element || shape.len() != ty.rank {
            let found = there.describe();
            return Err(PyTypeError::new_err(format!("{}: expected {ty}, found {found}", self.words(place))));
        }
        self.leaves.push(there.placed(self.code.device(), &self.running.context)?);
        Ok(())
    }

    /// Returns whether `object` is a tensor in the memory of the CUDA device that the program runs on.
    fn is_near(&self, object: &Bound<'_, PyAny>) -> PyResult<bool> {
        let own = Device::of(self.code.device());
        Ok(own.is_cuda() && Device::elsewhere(object)? == Some(own))
    }

    /// Takes a tensor of another library, on the program's device.
    fn tensor(&mut self, ty: ArrayType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<()> {
        let device = self.code.device();
        let in_place = |error: PyErr| {
            let words = error.value(object.py()).to_string();
            PyValueError::new_err(format!("{}: expected {ty}: {words}", self.words(place)))
        };
        let tensor = Tensor::of(object, Device::of(device)).map_err(in_place)?;
        if tensor.element() != Some(ty.element) || tensor.shape().len() != ty.rank {
            let dtype = object.getattr("dtype").map(|dtype| dtype.to_string());
            let element = tensor.element().map(|element| dtype_name(element).to_string());
            let (element, shape) = (element.or(dtype.ok()), numpy::shape_text(tensor.shape()));
            return Err(PyTypeError::new_err(format!(
                "{}: expected {ty}, found {} array of shape {shape} on {device}",
                self.words(place),
                element.unwrap_or_else(|| "an unknown".to_string()),
            )));
        }
        let context = &self.running.context;
        let placed =
            resident::taken(ty.element, tensor, self.given_away, device, context).map_err(in_place)?;
        self.leaves.push(placed);
        Ok(())
    }

    fn numpys(&self, ty: ArrayType, array: Seen<'_>, place: &Place<'_>) -> PyResult<Array> {
        if array.element != Some(ty.element) || array.shape.len() != ty.rank {
            return Err(self.other_array(ty, &array, place));
        }
        array.take(ty.element, self.given_away, self.memory())
    }

    fn arrow(&self, ty: ArrayType, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<Array> {
        Lent::of(object)?.take(ty.element, ty.rank, self.memory()).map_err(|not_taken| match not_taken {
            NotTaken::Type(found) => PyTypeError::new_err(format!(
                "{}: expected {ty}, found an Arrow array of {found}; cast it",
                self.words(place)
            )),
            NotTaken::Null(row) => PyValueError::new_err(format!(
                "{}: element {row} is null, or holds a null; fill nulls first (`.fill_null(0)`, in pandas `.fillna(0)`) or drop them",
                self.words(place)
            )),
            NotTaken::Other(error) => error,
        })
    }

    /// Has NumPy make an array of an object that is none: other libraries' arrays, buffers, lists of numbers.
    fn as_array<'py>(
        &self,
        ty: ArrayType,
        object: &Bound<'py, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<Seen<'py>> {
        let py = object.py();
        let numpy = numpy::module(py)?;
        let is_list = object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyTuple>()
            || object.is_instance_of::<PyRange>();
        let is_tensor = object.hasattr("__dlpack__").unwrap_or(false);
        if is_tensor && let Some(device) = Device::elsewhere(object)? {
            return Err(PyTypeError::new_err(format!(
                "{}: the array lies on a device ({device}), where this program does not run; bring it to the CPU first (`.cpu()` of \
                 PyTorch, `.get()` of CuPy)",
                self.words(place)
            )));
        }
        let way = match is_list || numpy::is_array_like(object) {
            true => "asarray",
            false if is_tensor => "from_dlpack",
            false => return Err(self.mismatch(&ty.to_string(), object, place)),
        };
        let in_place = |error: PyErr| {
            let words = error.value(py).to_string();
            PyValueError::new_err(format!("{}: expected {ty}: {words}", self.words(place)))
        };
        let array = numpy.call_method1(way, (object,)).map_err(in_place)?;
        let found = seen(&array).ok_or_else(|| self.mismatch(&ty.to_string(), object, place))?;
        if !is_list || found.element == Some(ty.element) {
            return Ok(found);
        }
        // Numbers in lists have no element type of their own; they only are whole or not.
        let is_empty = found.shape.contains(&0);
        let fits = match found.element {
            Some(ValueType::Bool) => ty.element == ValueType::Bool,
            Some(element) if element.scalar().is_int() => ty.element != ValueType::Bool,
            Some(_) => ty.element.scalar().is_float(),
            None => false,
        };
        if !fits && !is_empty {
            return Err(self.other_array(ty, &found, place));
        }
        let array = numpy.call_method1("array", (object, dtype_name(ty.element))).map_err(in_place)?;
        copies::note(found.bytes(ty.element).unwrap_or(0));
        seen(&array).ok_or_else(|| self.mismatch(&ty.to_string(), object, place))
    }

    fn tuple(
        &mut self,
        ty: TypeRef,
        fields: &[Field],
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        let parts: Vec<Bound<'_, PyAny>> = match (object.cast::<PyTuple>(), object.cast::<PyList>()) {
            (Ok(tuple), _) => tuple.iter().collect(),
            (_, Ok(list)) => list.iter().collect(),
            (Err(_), Err(_)) => return Err(self.mismatch(self.code.type_name(ty), object, place)),
        };
        if parts.len() != fields.len() {
            let (expected, count) = (self.code.type_name(ty), parts.len());
            let message = format!("{}: expected {expected}, found a tuple of {count}", self.words(place));
            return Err(PyTypeError::new_err(message));
        }
        let parts = fields.iter().zip(&parts);
        parts
            .into_iter()
            .try_for_each(|(field, part)| self.value(field.ty, part, &Place::Field(place, &field.name)))
    }

    fn record(
        &mut self,
        ty: TypeRef,
        fields: &[Field],
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        for field in fields {
            let part = self.part(ty, fields, &field.name, object, place)?;
            self.value(field.ty, &part, &Place::Field(place, &field.name))?;
        }
        Ok(())
    }

    /// Returns a field of `object`: an item of a dict, a column of a table, or an attribute.
    fn part<'py>(
        &self,
        ty: TypeRef,
        fields: &[Field],
        name: &str,
        object: &Bound<'py, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let expected = self.code.type_name(ty);
        let Ok(dict) = object.cast::<PyDict>() else {
            if is_table(object) {
                return object.get_item(name).map_err(|_| self.mismatch(expected, object, place));
            }
            let is_plain = object.is_instance_of::<PyString>() || object.is_instance_of::<PyList>();
            let found = if is_plain { None } else { object.getattr_opt(name)? };
            return found.ok_or_else(|| self.mismatch(expected, object, place));
        };
        if let Some((other, _)) = dict.iter().find(|(key, _)| {
            !fields.iter().any(|field| key.extract::<&str>().is_ok_and(|key| key == field.name))
        }) {
            let message = format!("{}: {} is no field of {expected}", self.words(place), other.repr()?);
            return Err(PyTypeError::new_err(message));
        }
        dict.get_item(name)?.ok_or_else(|| {
            PyTypeError::new_err(format!(
                "{}: the field `{name}` of {expected} is missing",
                self.words(place)
            ))
        })
    }

    fn sum(
        &mut self,
        ty: TypeRef,
        variants: &[SumVariant],
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        let py = object.py();
        let (name, payload) = match (object.cast::<Variant>(), object.extract::<String>()) {
            (Ok(variant), _) => (variant.get().name.clone(), variant.get().payload.bind(py).clone()),
            (Err(_), Ok(name)) => (name, PyTuple::empty(py)),
            (Err(_), Err(_)) => return Err(self.mismatch(self.code.type_name(ty), object, place)),
        };
        let name = name.strip_prefix('#').unwrap_or(&name);
        let Some(number) = variants.iter().position(|variant| variant.name.trim_start_matches('#') == name)
        else {
            let all: Vec<String> =
                variants.iter().map(|variant| format!("#{}", variant.name.trim_start_matches('#'))).collect();
            let message =
                format!("{}: there is no `#{name}`; there are: {}", self.words(place), all.join(", "));
            return Err(PyValueError::new_err(message));
        };
        let parts = &variants[number].payload;
        if payload.len() != parts.len() {
            let message = format!(
                "{}: `#{name}` carries {} values, but {} are given",
                self.words(place),
                parts.len(),
                payload.len()
            );
            return Err(PyTypeError::new_err(message));
        }
        let mut held = Vec::new();
        for (at, ((ty, _), part)) in parts.iter().zip(payload.iter()).enumerate() {
            held.push(self.apart(*ty, &part, &Place::Payload(place, name, at))?);
        }
        let parts: Vec<&Held> = held.iter().collect();
        let whole = self.code.values(self.running).construct(ty, number, &parts);
        self.whole(whole, place).map(|_| ())
    }

    /// Converts a value that becomes part of another one. Leaves `self.leaves` unchanged.
    fn apart(&mut self, ty: TypeRef, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyResult<Held> {
        let before = std::mem::take(&mut self.leaves);
        let taken = self.value(ty, object, place);
        let leaves = std::mem::replace(&mut self.leaves, before);
        taken?;
        let leaves = leaves.into_iter().map(|leaf| on_host(leaf, self.memory())).collect::<PyResult<_>>()?;
        Ok(Held::new(&self.code.interface, ty, leaves))
    }

    /// Takes an opaque array: an array of records as a record of arrays or a structured array, or any array as a list.
    fn opaque_array(
        &mut self,
        ty: TypeRef,
        (element, rank): (TypeRef, usize),
        fields: Option<&[Field]>,
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        if let Some(fields) = fields {
            let parts = self.field_arrays(ty, fields, object, place)?;
            if let Some(parts) = parts {
                let parts: Vec<&Held> = parts.iter().collect();
                let whole = self.code.values(self.running).assemble(ty, &parts);
                return self.whole(whole, place).map(|_| ());
            }
        }
        let Some(items) = object.cast::<PyList>().ok().filter(|_| rank == 1) else {
            return Err(self.mismatch(self.code.type_name(ty), object, place));
        };
        let mut held = Vec::with_capacity(items.len());
        for (at, item) in items.iter().enumerate() {
            held.push(self.apart(element, &item, &Place::Element(place, at))?);
        }
        let (shape, parts) = ([held.len() as i64], held.iter().collect::<Vec<_>>());
        let whole = self.code.values(self.running).array(ty, &shape, &parts);
        copies::note(self.whole(whole, place)?);
        Ok(())
    }

    /// Takes a value that was assembled from parts. Returns its size in bytes.
    fn whole(&mut self, whole: Result<Held, Problem>, place: &Place<'_>) -> PyResult<usize> {
        let whole = whole.map_err(|wrong| problem(&wrong.within(&self.words(place))))?;
        let bytes = whole.leaves.iter().map(|leaf| leaf.bytes() as usize).sum();
        self.leaves.extend(whole.leaves.into_iter().map(Placed::Host));
        Ok(bytes)
    }

    /// Converts the arrays of the fields; returns `None` if `object` does not have one for each field.
    fn field_arrays(
        &mut self,
        ty: TypeRef,
        fields: &[Field],
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<Option<Vec<Held>>> {
        let is_structured = numpy::is_array(object) && !object.getattr("dtype")?.getattr("names")?.is_none();
        if object.is_instance_of::<PyList>() || (numpy::is_array(object) && !is_structured) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let part = match object.cast::<PyTuple>() {
                _ if is_structured => object.get_item(&field.name)?,
                Ok(tuple) if is_tuple(fields) && tuple.len() == fields.len() => tuple.get_item(at)?,
                Ok(_) | Err(_) => self.part(ty, fields, &field.name, object, place)?,
            };
            parts.push(self.apart(field.ty, &part, &Place::Field(place, &field.name))?);
        }
        Ok(Some(parts))
    }

    fn opaque(
        &mut self,
        number: usize,
        opaque: &Opaque,
        object: &Bound<'_, PyAny>,
        place: &Place<'_>,
    ) -> PyResult<()> {
        let expected = &self.code.interface.types[number];
        let found = opaque.named_type();
        if found.name != expected.name || found.leaves != expected.leaves {
            return Err(self.mismatch(&expected.name, object, place));
        }
        self.leaves.extend(opaque.held.leaves.iter().cloned().map(Placed::Host));
        Ok(())
    }

    fn words(&self, place: &Place<'_>) -> String {
        let mut text = format!("{}(): argument `", self.entry);
        place.write(&mut text);
        text.push('`');
        text
    }

    fn mismatch(&self, expected: &str, object: &Bound<'_, PyAny>, place: &Place<'_>) -> PyErr {
        let found = match (seen(object), object.cast::<Opaque>()) {
            (Some(array), _) => array.describe(),
            (None, Ok(opaque)) => format!("a value of type {}", opaque.get().named_type().name),
            (None, Err(_)) => object
                .get_type()
                .name()
                .map(|name| name.to_string())
                .unwrap_or_else(|_| "something else".to_string()),
        };
        PyTypeError::new_err(format!("{}: expected {expected}, found {found}", self.words(place)))
    }

    fn other_array(&self, ty: ArrayType, array: &Seen<'_>, place: &Place<'_>) -> PyErr {
        let found = array.describe();
        let article = if found.starts_with(['i', 'o']) { "an" } else { "a" };
        let remedy = if array.shape.len() != ty.rank {
            let dimensions =
                if ty.rank == 1 { "1 dimension".to_string() } else { format!("{} dimensions", ty.rank) };
            format!("an array of {dimensions} is needed")
        } else {
            format!("convert it: .astype(\"{}\")", dtype_name(ty.element))
        };
        PyTypeError::new_err(format!(
            "{}: expected {ty}, found {article} {found}; {remedy}",
            self.words(place)
        ))
    }
}

impl Place<'_> {
    fn write(&self, text: &mut String) {
        // Writing to a string cannot fail.
        let _ = match self {
            Place::Parameter(name) => write!(text, "{name}"),
            Place::Field(whole, name) => {
                whole.write(text);
                write!(text, ".{name}")
            }
            Place::Element(whole, at) => {
                whole.write(text);
                write!(text, "[{at}]")
            }
            Place::Payload(whole, name, at) => {
                whole.write(text);
                write!(text, " (#{name}, value {})", at + 1)
            }
        };
    }
}

/// Returns whether these are the fields of a tuple.
pub fn is_tuple(fields: &[Field]) -> bool {
    fields.len() != 1 && fields.iter().enumerate().all(|(at, field)| field.name == at.to_string())
}

/// Returns a leaf in the host's memory, copied from the device if it lies there.
fn on_host(leaf: Placed, memory: &MemoryPool) -> PyResult<Value> {
    match leaf {
        Placed::Host(value) => Ok(value),
        Placed::Device(..) => leaf.to_host(memory).map_err(refused),
    }
}

impl fmt::Display for ArrayType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", "[]".repeat(self.rank), self.element)
    }
}
