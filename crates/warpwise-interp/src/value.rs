//! Values.

use std::rc::Rc;

use warpwise_prim::{Scalar, ScalarType};

/// What a variable can hold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// An array.
    Array(ArrayValue),
    /// An accumulator: which `with_acc` input, counted over the whole run.
    Acc(usize),
    /// Something that carries no value: a certificate or a block of memory.
    Token,
}

/// A dense row-major array; clones share the elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArrayValue {
    /// Element type.
    pub elem: ScalarType,
    /// Sizes, outermost first.
    pub shape: Vec<usize>,
    /// All elements in row-major order.
    pub data: Rc<Vec<Scalar>>,
}

/// How many elements an array of this shape has: none where one of the extents is 0, however large the others are, and the greatest
/// number where they are more than that.
pub fn element_count(shape: &[usize]) -> usize {
    if shape.contains(&0) {
        0
    } else {
        shape.iter().fold(1, |count: usize, &size| count.saturating_mul(size))
    }
}

impl Value {
    /// The scalar, if this is one.
    pub fn as_scalar(&self) -> Option<Scalar> {
        match self {
            Value::Scalar(value) => Some(*value),
            Value::Array(_) | Value::Acc(_) | Value::Token => None,
        }
    }

    /// The array, if this is one.
    pub fn as_array(&self) -> Option<&ArrayValue> {
        match self {
            Value::Array(array) => Some(array),
            Value::Scalar(_) | Value::Acc(_) | Value::Token => None,
        }
    }

    /// The elements of an array, or the scalar as one.
    pub fn elements(&self) -> &[Scalar] {
        match self {
            Value::Scalar(value) => std::slice::from_ref(value),
            Value::Array(array) => &array.data,
            Value::Acc(_) | Value::Token => &[],
        }
    }
}

impl ArrayValue {
    /// An array with these elements in row-major order.
    pub fn new(elem: ScalarType, shape: Vec<usize>, data: Vec<Scalar>) -> ArrayValue {
        debug_assert_eq!(element_count(&shape), data.len());
        ArrayValue { elem, shape, data: Rc::new(data) }
    }

    /// Number of elements in what remains after indexing `dims` outer dimensions away.
    pub fn row_len(&self, dims: usize) -> usize {
        element_count(&self.shape[dims..])
    }

    /// What lies at these leading indices, which must be in bounds; `None` where one is not.
    pub fn at(&self, indices: &[i64]) -> Option<Value> {
        let start = self.offset(indices)?;
        let rest = self.shape[indices.len()..].to_vec();
        if rest.is_empty() {
            return Some(Value::Scalar(self.data[start]));
        }
        let len = self.row_len(indices.len());
        Some(Value::Array(ArrayValue::new(self.elem, rest, self.data[start..start + len].to_vec())))
    }

    /// Overwrites what lies at these leading indices; `None` where one is out of bounds.
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
