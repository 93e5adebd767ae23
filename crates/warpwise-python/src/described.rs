//! The types of a program as plain Python data, for the stubs (`_stubs.py`) and for code that must know them before a call
//! (`_entries.py`).
//!
//! ```text
//! f32                    ("scalar", "f32")
//! [][]f32                ("array", "f32", 2)
//! (i32, bool)            ("tuple", [type, type])
//! {x: f32, y: f32}       ("record", "point", [("x", type), ("y", type)])
//! #box f32 | #nothing    ("sum", "shape", [("box", [type]), ("nothing", [])])
//! []point                ("opaque", "[]point", type, 1, True)      an element's type, the rank, whether it has arrays of fields
//! ```

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use warpwise_standalone::interface::{EntryInterface, Field, Interface, Kind, TypeRef};

use crate::arguments::is_tuple;
use crate::entry::{EntryPoint, parameter_name};
use crate::program::Program;

/// Returns the types of all entry points: for each its name, a list of parameters (name, type, whether it is consumed), and the type of
/// its result.
#[pyfunction(name = "_described")]
pub fn described<'py>(py: Python<'py>, program: &Program) -> PyResult<Bound<'py, PyList>> {
    let interface = program.interface();
    let all = PyList::empty(py);
    for entry in &interface.entries {
        all.append(described_entry(py, interface, entry)?)?;
    }
    Ok(all)
}

/// Returns the types of one entry point, in the same form as `_described`.
#[pyfunction(name = "_described_entry")]
pub fn described_alone<'py>(py: Python<'py>, entry: &EntryPoint) -> PyResult<Bound<'py, PyTuple>> {
    described_entry(py, entry.program_interface(), entry.interface())
}

fn described_entry<'py>(
    py: Python<'py>,
    interface: &Interface,
    entry: &EntryInterface,
) -> PyResult<Bound<'py, PyTuple>> {
    let parameters = PyList::empty(py);
    for (at, input) in entry.inputs.iter().enumerate() {
        let ty = described_type(py, interface, input.ty)?;
        parameters.append((parameter_name(at, input), ty, input.is_consumed()))?;
    }
    (&entry.name, parameters, described_type(py, interface, entry.output.ty)?).into_pyobject(py)
}

fn described_type<'py>(py: Python<'py>, interface: &Interface, ty: TypeRef) -> PyResult<Bound<'py, PyTuple>> {
    let number = match ty {
        TypeRef::Scalar(scalar) => return ("scalar", scalar.name()).into_pyobject(py),
        TypeRef::Named(number) => number,
    };
    let named = &interface.types[number];
    let parts = |types: &mut dyn Iterator<Item = TypeRef>| {
        let parts = types.map(|ty| described_type(py, interface, ty)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, parts)
    };
    match &named.kind {
        Kind::Array { element, rank } => ("array", element.name(), *rank).into_pyobject(py),
        Kind::Record(fields) if is_tuple(fields) => {
            ("tuple", parts(&mut fields.iter().map(|field| field.ty))?).into_pyobject(py)
        }
        Kind::Record(fields) => {
            let field =
                |field: &Field| (&field.name, described_type(py, interface, field.ty)?).into_pyobject(py);
            let fields = fields.iter().map(field).collect::<PyResult<Vec<_>>>()?;
            ("record", &named.name, fields).into_pyobject(py)
        }
        Kind::Sum(variants) => {
            let all = PyList::empty(py);
            for variant in variants {
                let payload = parts(&mut variant.payload.iter().map(|(ty, _)| *ty))?;
                all.append((variant.name.trim_start_matches('#'), payload))?;
            }
            ("sum", &named.name, all).into_pyobject(py)
        }
        Kind::OpaqueArray { element, rank, fields } => {
            let element = described_type(py, interface, *element)?;
            ("opaque", &named.name, element, *rank, fields.is_some()).into_pyobject(py)
        }
    }
}
