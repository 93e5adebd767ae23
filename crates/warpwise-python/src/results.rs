//! Conversion of results of programs to Python objects.

use pyo3::prelude::*;
use pyo3::types::PyTuple;
use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::memory::MemoryPool;
use warpwise_standalone::interface::{Kind, TypeRef};
use warpwise_standalone::value::Held;

use crate::arguments::is_tuple;
use crate::error::{InternalError, problem};
use crate::numpy;
use crate::program::{Code, Running};
use crate::resident::{DeviceArray, refused};
use crate::scalar::to_python;
use crate::values::{Opaque, Variant};

use std::sync::Arc;

/// Converts results.
pub struct Giver<'c, 'py> {
    py: Python<'py>,
    code: &'c Arc<Code>,
    running: &'c Running,
    given_away: Vec<Bound<'py, PyAny>>,
}

impl<'c, 'py> Giver<'c, 'py> {
    /// Creates a converter for a program's values.
    pub fn new(py: Python<'py>, code: &'c Arc<Code>, running: &'c Running) -> Giver<'c, 'py> {
        Giver { py, code, running, given_away: Vec::new() }
    }

    /// Adds the arrays that the caller gave away. Results may lie in their memory.
    pub fn with_given_away(self, given_away: Vec<Bound<'py, PyAny>>) -> Giver<'c, 'py> {
        Giver { given_away, ..self }
    }

    fn memory(&self) -> &'c MemoryPool {
        self.running.context.memory()
    }

    /// Returns the Python object for a value of type `ty` with these leaves.
    pub fn value(&self, ty: TypeRef, leaves: Vec<Value>) -> PyResult<Bound<'py, PyAny>> {
        self.next(ty, &mut leaves.into_iter().map(Placed::Host))
    }

    /// Does the same as [`value`](Self::value) for leaves that may lie on a device. Sums and opaque arrays are assembled on the host.
    pub fn placed(&self, ty: TypeRef, leaves: Vec<Placed>) -> PyResult<Bound<'py, PyAny>> {
        self.next(ty, &mut leaves.into_iter())
    }

    fn next(&self, ty: TypeRef, leaves: &mut dyn Iterator<Item = Placed>) -> PyResult<Bound<'py, PyAny>> {
        let number = match ty {
            TypeRef::Scalar(_) => return self.leaf(leaves.next()),
            TypeRef::Named(number) => number,
        };
        let interface = &self.code.interface;
        match &interface.types[number].kind {
            Kind::Array { .. } => self.leaf(leaves.next()),
            Kind::Record(fields) => {
                let parts =
                    fields.iter().map(|field| self.next(field.ty, leaves)).collect::<PyResult<Vec<_>>>()?;
                let parts = PyTuple::new(self.py, parts)?;
                if is_tuple(fields) {
                    return Ok(parts.into_any());
                }
                let class =
                    self.code.classes.of_record(self.py, number, &interface.types[number].name, fields)?;
                class.call1(parts)
            }
            Kind::Sum(variants) => {
                let held = self.held(ty, leaves)?;
                let values = self.code.values(self.running);
                let number = values.variant(&held).map_err(|error| problem(&error))?;
                let payload = values.destruct(&held, number).map_err(|error| problem(&error))?;
                let parts = payload.into_iter().map(|part| self.value(part.ty, part.leaves));
                let payload = PyTuple::new(self.py, parts.collect::<PyResult<Vec<_>>>()?)?;
                let name = variants[number].name.trim_start_matches('#').to_string();
                Ok(Bound::new(self.py, Variant { name, payload: payload.unbind() })?.into_any())
            }
            Kind::OpaqueArray { .. } => {
                let held = self.held(ty, leaves)?;
                Ok(Bound::new(self.py, Opaque::new(self.code, held))?.into_any())
            }
        }
    }

    fn held(&self, ty: TypeRef, leaves: &mut dyn Iterator<Item = Placed>) -> PyResult<Held> {
        let count = self.code.interface.leaves(ty).len();
        let leaves = leaves.take(count).map(|leaf| leaf.to_host(self.memory()).map_err(refused));
        Ok(Held::new(&self.code.interface, ty, leaves.collect::<PyResult<_>>()?))
    }

    /// Converts a leaf: a scalar or an array.
    pub fn leaf(&self, leaf: Option<Placed>) -> PyResult<Bound<'py, PyAny>> {
        match leaf {
            Some(Placed::Host(Value::Scalar { ty, value })) => to_python(self.py, ty, value),
            Some(Placed::Host(Value::Array { ty, array })) => {
                numpy::give(self.py, ty, array, &self.given_away, self.memory())
            }
            Some(Placed::Device(ty, array)) => {
                let there = DeviceArray::new(ty, array, self.code.device(), self.memory())?;
                Ok(Bound::new(self.py, there)?.into_any())
            }
            None => Err(InternalError::new_err("a result is missing")),
        }
    }
}
