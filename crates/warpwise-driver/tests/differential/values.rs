//! Conversion of values between the forms of the interpreters and of the run time, and their comparison.

use warpwise_imp::interp::Data;
use warpwise_interp::{ArrayValue, Value};
use warpwise_prim::{Scalar, ScalarType, ValueType};
use warpwise_runtime::array::{self, Array};
use warpwise_runtime::memory::MemoryPool;

/// The allowed deviation of floats. Integers and bools are always compared exactly.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Bound {
    /// Floats must be equal. NaNs are equal to each other, and so are zeros of either sign, since `fmin` may choose either.
    Equal,
    /// Floats may differ by this many units in the last place, relative to the larger of the two.
    Ulps(f64),
}

/// Describes a difference; `None` if all values are equal within the bound.
pub fn difference(found: &[Value], expected: &[Value], bound: Bound) -> Option<String> {
    if found.len() != expected.len() {
        return Some(format!("{} results instead of {}", found.len(), expected.len()));
    }
    let mut pairs = found.iter().zip(expected).enumerate();
    pairs.find_map(|(position, (found, expected))| {
        let what = value_difference(found, expected, bound)?;
        Some(format!("result {position}: {what}"))
    })
}

fn value_difference(found: &Value, expected: &Value, bound: Bound) -> Option<String> {
    let shape = |value: &Value| value.as_array().map(|array| array.shape.clone());
    if shape(found) != shape(expected) {
        return Some(format!("shape {:?} instead of {:?}", shape(found), shape(expected)));
    }
    let mut pairs = found.elements().iter().zip(expected.elements()).enumerate();
    let (at, (found, expected)) = pairs.find(|(_, (found, expected))| !agree(**found, **expected, bound))?;
    Some(format!("element {at} is {found:?} instead of {expected:?}"))
}

fn agree(found: Scalar, expected: Scalar, bound: Bound) -> bool {
    if found.ty() != expected.ty() {
        return false;
    }
    let (Some(x), Some(y)) = (found.as_float(), expected.as_float()) else { return found == expected };
    if x == y || x.is_nan() && y.is_nan() {
        return true;
    }
    match bound {
        Bound::Equal => false,
        Bound::Ulps(ulps) => (x - y).abs() <= ulps * epsilon(found.ty()) * x.abs().max(y.abs()),
    }
}

fn epsilon(ty: ScalarType) -> f64 {
    match ty {
        ScalarType::F16 => 2f64.powi(-10),
        ScalarType::F32 => f64::from(f32::EPSILON),
        ScalarType::F64 => f64::EPSILON,
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => 0.0,
    }
}

/// Converts a value to an argument of the interpreter of the imperative IR.
pub fn data(value: &Value) -> Data {
    match value {
        Value::Array(array) => Data::Array(bytes(array)),
        Value::Scalar(value) => Data::Scalar(*value),
        Value::Acc(_) | Value::Token => unreachable!("arguments are scalars and arrays"),
    }
}

/// Converts a result of the interpreter of the imperative IR, with the type and shape of the expected value.
pub fn from_data(found: &Data, expected: &Value) -> Option<Value> {
    match (found, expected) {
        (Data::Scalar(value), Value::Scalar(_)) => Some(Value::Scalar(*value)),
        (Data::Array(bytes), Value::Array(array)) => {
            let (elem, shape) = (array.elem, array.shape.clone());
            let count: usize = shape.iter().product();
            (bytes.len() == count * elem.bytes())
                .then(|| Value::Array(ArrayValue::new(elem, shape, elements(elem, bytes))))
        }
        _ => None,
    }
}

/// Converts a value to an argument of a compiled program, in memory of its own.
pub fn argument(value: &Value, memory: &MemoryPool) -> array::Value {
    match value {
        Value::Scalar(value) => array::Value::scalar(surface(value.ty()), *value),
        Value::Array(given) => {
            let shape: Vec<i64> = given.shape.iter().map(|&extent| extent as i64).collect();
            let mut array = Array::allocate(memory, given.elem, &shape).expect("memory");
            array.bytes_mut(memory).expect("memory").copy_from_slice(&bytes(given));
            array::Value::array(surface(given.elem), array)
        }
        Value::Acc(_) | Value::Token => unreachable!("arguments are scalars and arrays"),
    }
}

/// Converts a result of a compiled program.
pub fn from_output(value: &array::Value) -> Value {
    match value {
        array::Value::Scalar { value, .. } => Value::Scalar(*value),
        array::Value::Array { array, .. } => {
            let shape = array.shape().iter().map(|&extent| extent as usize).collect();
            Value::Array(ArrayValue::new(array.elem(), shape, elements(array.elem(), array.bytes())))
        }
    }
}

/// Returns the surface type with this name.
pub fn surface(ty: ScalarType) -> ValueType {
    ValueType::from_name(ty.name()).expect("every scalar type is a surface type")
}

fn bytes(array: &ArrayValue) -> Vec<u8> {
    array.data.iter().flat_map(|x| x.to_bits().to_le_bytes()[..array.elem.bytes()].to_vec()).collect()
}

fn elements(elem: ScalarType, bytes: &[u8]) -> Vec<Scalar> {
    let element = |bytes: &[u8]| {
        let mut bits = [0; 8];
        bits[..bytes.len()].copy_from_slice(bytes);
        Scalar::from_bits(elem, u64::from_le_bytes(bits))
    };
    bytes.chunks(elem.bytes()).map(element).collect()
}
