//! Converts Python arguments into the values that programs take.

mod arrays;

use std::fmt::{self, Write};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::memory::MemoryPool;
use warpwise_standalone::interface::{Field, Input, Kind, SumVariant, TypeRef};
use warpwise_standalone::value::{Held, Problem};

use crate::arrow::is_table;
use crate::copies;
use crate::entry::parameter_name;
use crate::error::problem;
use crate::given::{Consumed, Given};
use crate::numpy::{self, seen};
use crate::program::{Code, Running};
use crate::resident::refused;
use crate::scalar::{self, NoScalar, from_python};
use crate::values::{Opaque, Variant};

/// Converts the arguments of a call into leaves.
pub struct Taker<'c> {
    code: &'c Code,
    running: &'c Running,
    entry: &'c str,
    /// The leaves converted so far.
    leaves: Vec<Placed>,
    consumed: bool,
    given_away: bool,
    given: Given,
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
        let (leaves, given) = (Vec::new(), Given::default());
        Taker { code, running, entry, leaves, consumed: false, given_away: false, given }
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
                let before = self.leaves.len();
                self.given_away = self.consumed;
                let taken = self.value(input.ty, &given.get().array(object.py()), &place);
                if self.given_away {
                    self.given.leaves.extend(before..self.leaves.len());
                }
                self.given_away = false;
                taken
            }
            Err(_) => self.value(input.ty, object, &place),
        }
    }

    /// Returns the leaves. Arrays that are given away share no memory with others.
    pub fn leaves(mut self) -> PyResult<Vec<Placed>> {
        self.given.separate(&mut self.leaves, self.running.context.memory())?;
        Ok(self.leaves)
    }

    /// Converts an array for a parameter, or for a field of its elements; `name` is the name of either.
    pub fn column(&mut self, ty: ArrayType, object: &Bound<'_, PyAny>, name: &str) -> PyResult<()> {
        self.array(ty, object, &Place::Parameter(name))
    }

    /// Returns the leaves, in the host's memory.
    pub fn values(self) -> PyResult<Vec<Value>> {
        let memory = self.memory();
        self.leaves()?.into_iter().map(|leaf| on_host(leaf, memory)).collect()
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
        if element.is_some() {
            self.refuse_masked(object, place)?;
        }
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
        let columns = numpy::field_names(object)?;
        if object.is_instance_of::<PyList>() || (numpy::is_array(object) && columns.is_none()) {
            return Ok(None);
        }
        let mut parts = Vec::new();
        for (at, field) in fields.iter().enumerate() {
            let part = match object.cast::<PyTuple>() {
                _ if let Some(columns) = &columns => {
                    object.get_item(self.column_of(ty, fields, at, columns, place)?)?
                }
                Ok(tuple) if is_tuple(fields) && tuple.len() == fields.len() => tuple.get_item(at)?,
                Ok(_) | Err(_) => self.part(ty, fields, &field.name, object, place)?,
            };
            parts.push(self.apart(field.ty, &part, &Place::Field(place, &field.name))?);
        }
        Ok(Some(parts))
    }

    /// Returns the column of a structured array for a field: of this name or, for a component of a tuple, at this position.
    fn column_of<'n>(
        &self,
        ty: TypeRef,
        fields: &[Field],
        at: usize,
        columns: &'n [String],
        place: &Place<'_>,
    ) -> PyResult<&'n String> {
        let found = match is_tuple(fields) {
            true => columns.get(at).filter(|_| columns.len() == fields.len()),
            false => columns.iter().find(|column| **column == fields[at].name),
        };
        found.ok_or_else(|| {
            PyTypeError::new_err(format!(
                "{}: expected {}, found a structured array with the fields {}",
                self.words(place),
                self.code.type_name(ty),
                columns.join(", ")
            ))
        })
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
