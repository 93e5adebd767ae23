//! Values of interpreted programs.

use std::rc::Rc;

use warpwise_prim::{Scalar, ScalarType};

/// The value of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// An array.
    Array(ArrayValue),
    /// An accumulator, as the number of its `with_acc` input, counted over the whole run.
    Acc(usize),
    /// A certificate or a block of memory, which carry no value.
    Token,
}

/// A dense row-major array; clones share the elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    /// Element type.
    pub elem: ScalarType,
    /// Extents, outermost first.
    pub shape: Vec<usize>,
    /// All elements in row-major order.
    pub data: Rc<Vec<Scalar>>,
}

/// Returns the number of elements of an array of this shape: 0 if one of the extents is 0, however large the others are.
/// Saturates at `usize::MAX`.
pub fn element_count(shape: &[usize]) -> usize {
    if shape.contains(&0) {
        0
    } else {
        shape.iter().fold(1, |count: usize, &size| count.saturating_mul(size))
    }
}

impl Value {
    /// Returns the scalar, if this is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(value) => Some(*value),
            Value::Array(_) | Value::Acc(_) | Value::Token => None,
        }
    }

    /// Returns the array, if this is one.
    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(array) => Some(array),
            Value::Scalar(_) | Value::Acc(_) | Value::Token => None,
        }
    }

    /// Returns the elements of an array, or a scalar as its only element. Other values have no elements.
    pub fn elements(&self) -> &[Scalar] {
        match self {
            Value::Scalar(value) => std::slice::from_ref(value),
            Value::Array(array) => &array.data,
            Value::Acc(_) | Value::Token => &[],
        }
    }
}

impl ArrayValue {
    /// Returns an array with these elements in row-major order.
    pub fn new(elem: ScalarType, shape: Vec<usize>, data: Vec<Scalar>) -> ArrayValue {
        debug_assert_eq!(element_count(&shape), data.len());
        ArrayValue { elem, shape, data: Rc::new(data) }
    }

    /// Returns the number of elements that remain after indexing `dims` outer dimensions away.
    pub fn row_len(&self, dims: usize) -> usize {
        element_count(&self.shape[dims..])
    }

    /// Returns the element or subarray at these leading indices; `None` if an index is out of bounds.
    pub fn at(&self, indices: &[i64]) -> Option<Value> {
        let start = self.offset(indices)?;
        let rest = self.shape[indices.len()..].to_vec();
        if rest.is_empty() {
            return Some(Value::Scalar(self.data[start]));
        }
        let len = self.row_len(indices.len());
        Some(Value::Array(ArrayValue::new(self.elem, rest, self.data[start..start + len].to_vec())))
    }

    /// Overwrites the element or subarray at these leading indices; `None` if an index is out of bounds.
    pub fn set(&mut self, indices: &[i64], value: &Value) -> Option<()> {
        let start = self.offset(indices)?;
        let elements = value.elements();
        Rc::make_mut(&mut self.data)[start..start + elements.len()].copy_from_slice(elements);
        Some(())
    }

    fn offset(&self, indices: &[i64]) -> Option<usize> {
        let mut start = 0;
        for (dim, &index) in indices.iter().enumerate() {
            let index = usize::try_from(index).ok().filter(|&index| index < self.shape[dim])?;
            start += index * self.row_len(dim + 1);
        }
        Some(start)
    }
}
