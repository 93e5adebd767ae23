//! Conversion between scalars of programs and Python's numbers.

use half::f16;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt};
use warpwise_prim::{Scalar, ValueType};

/// The reason why a Python object is no scalar of a type.
#[derive(Debug)]
pub enum NoScalar {
    /// The object is not a number of that kind.
    Kind,
    /// The object is an integer outside the type's range.
    Range,
}

/// Converts an object to a scalar. Integers are accepted as floats; there are no other conversions between kinds. A `float` for an
/// `f32` is rounded.
pub fn from_python(ty: ValueType, object: &Bound<'_, PyAny>) -> Result<Scalar, NoScalar> {
    match ty {
        ValueType::Bool => truth(object).map(Scalar::Bool).ok_or(NoScalar::Kind),
        ValueType::F64 => float(object).map(Scalar::F64),
        ValueType::F32 => float(object).map(|x| Scalar::F32(x as f32)),
        ValueType::F16 => float(object).map(|x| Scalar::F16(f16::from_f64(x))),
        ValueType::U64 => {
            whole(object)?.extract().map(|x: u64| Scalar::I64(x as i64)).map_err(|_| NoScalar::Range)
        }
        ValueType::I8
        | ValueType::I16
        | ValueType::I32
        | ValueType::I64
        | ValueType::U8
        | ValueType::U16
        | ValueType::U32 => {
            let value: i64 = whole(object)?.extract().map_err(|_| NoScalar::Range)?;
            let (least, most) = range(ty);
            if !(least..=most).contains(&value) {
                return Err(NoScalar::Range);
            }
            Ok(Scalar::int(ty.scalar(), value))
        }
    }
}

/// Returns the least and the greatest value of an integer type of fewer than 64 bits, or of `i64`.
pub fn range(ty: ValueType) -> (i64, i64) {
    let bits = ty.scalar().bits();
    if ty.is_unsigned() {
        (0, i64::MAX >> (63 - bits))
    } else {
        (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits))
    }
}

fn truth(object: &Bound<'_, PyAny>) -> Option<bool> {
    if let Ok(truth) = object.cast::<PyBool>() {
        return Some(truth.is_true());
    }
    // NumPy's own type of truth values.
    let is_numpys = object.get_type().name().is_ok_and(|name| name == "bool" || name == "bool_");
    if is_numpys { object.is_truthy().ok() } else { None }
}

fn float(object: &Bound<'_, PyAny>) -> Result<f64, NoScalar> {
    if let Ok(float) = object.cast::<PyFloat>() {
        return Ok(float.value());
    }
    if let Ok(int) = object.cast::<PyInt>() {
        return if object.is_instance_of::<PyBool>() {
            Err(NoScalar::Kind)
        } else {
            int.extract().map_err(|_| NoScalar::Range)
        };
    }
    // This accepts NumPy's integers and its floats of other widths, but no arrays: `extract` would take the element of a one-element
    // array.
    let is_number =
        object.hasattr("__float__").unwrap_or(false) && !object.hasattr("__len__").unwrap_or(true);
    let is_truth = truth(object).is_some();
    if is_number && !is_truth { object.extract().map_err(|_| NoScalar::Kind) } else { Err(NoScalar::Kind) }
}

/// Returns the object as a Python integer.
fn whole<'py>(object: &Bound<'py, PyAny>) -> Result<Bound<'py, PyAny>, NoScalar> {
    if object.is_exact_instance_of::<PyInt>() {
        return Ok(object.clone());
    }
    if object.is_instance_of::<PyBool>() || truth(object).is_some() || object.is_instance_of::<PyFloat>() {
        return Err(NoScalar::Kind);
    }
    object.call_method0("__index__").map_err(|_| NoScalar::Kind)
}

/// Returns the Python number for a scalar.
pub fn to_python<'py>(py: Python<'py>, ty: ValueType, value: Scalar) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Scalar::Bool(x) => Ok(PyBool::new(py, x).to_owned().into_any()),
        Scalar::F16(x) => Ok(PyFloat::new(py, x.to_f64()).into_any()),
        Scalar::F32(x) => Ok(PyFloat::new(py, f64::from(x)).into_any()),
        Scalar::F64(x) => Ok(PyFloat::new(py, x).into_any()),
        Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) if ty.is_unsigned() => {
            let bits = value.to_bits() & (u64::MAX >> (64 - ty.scalar().bits()));
            Ok(bits.into_pyobject(py)?.into_any())
        }
        Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) => {
            Ok(value.as_int().unwrap_or_default().into_pyobject(py)?.into_any())
        }
    }
}
