//! Conversion of host programs' values to arrays and back, by type alone.
//!
//! ```text
//! [{a = 1, b = 0.5}, {a = 2, b = 1.5}]   is   [2]i64 [1, 2] and [2]f64 [0.5, 1.5]
//! ```
//! A scalar is itself, a record its fields in the order of labels, and a sequence an array for each leaf of its elements. A
//! sequence of sequences is an array of higher rank, so all its elements must have equal length. Others are
//! [`MarshalError::Irregular`], which [`rows`](crate::host::rows) handles.
//!
//! Extents are taken from the first elements, so that arrays are allocated once. Each number is copied once on its way to the
//! device, and stays in place on its way back. Absent: tensors, which [`tensors`](crate::host::tensors) replaces by places in
//! arrays.

use std::rc::Rc;

use warpwise_mexpr::host::code::Form;
use warpwise_mexpr::host::items::{Lender, Slice};
use warpwise_mexpr::host::seq::Seq;
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Element, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// The reason why a value cannot be taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum MarshalError {
    /// Two elements of a sequence have different lengths.
    Irregular(i64, usize),
    /// There is no room for the arrays.
    OutOfMemory(OutOfMemory),
    /// A value does not have the form that the checker found.
    IllTyped,
}

/// Takes a value apart, and appends its leaves to `leaves`.
pub fn take_apart(
    form: &Form,
    value: &HostValue,
    memory: &MemoryPool,
    leaves: &mut Vec<Value>,
) -> Result<(), MarshalError> {
    let mut types = Vec::new();
    plan(form, Some(value), &mut Vec::new(), &mut types);
    let allocate = |(ty, shape): &(ValueType, Vec<i64>)| Array::allocate(memory, ty.scalar(), shape);
    let mut arrays = types
        .iter()
        .map(allocate)
        .collect::<Result<Vec<Array>, OutOfMemory>>()
        .map_err(MarshalError::OutOfMemory)?;
    let room = arrays.iter_mut().map(|array| array.bytes_mut(memory));
    let room = room.collect::<Result<Vec<&mut [u8]>, OutOfMemory>>().map_err(MarshalError::OutOfMemory)?;
    let shapes = types.iter().map(|(_, shape)| shape.as_slice()).collect();
    let mut filler = Filler { shapes, room };
    filler.fill(form, value, 0, 0)?;
    leaves.extend(arrays.into_iter().zip(types).map(|(array, (ty, shape))| match array.element(0) {
        Some(scalar) if shape.is_empty() => Value::scalar(ty, scalar),
        _ => Value::array(ty, array),
    }));
    Ok(())
}

/// Assembles a value from its leaves.
pub fn put_together(form: &Form, leaves: &[Value]) -> Option<HostValue> {
    let leaves = leaves.iter().map(Leaf::of).collect::<Option<Vec<Leaf<'_>>>>()?;
    if leaves.len() < n_leaves(form) {
        return None;
    }
    Some(build(form, &leaves, 0, 0))
}

/// Minimum length of a sequence that keeps its numbers in the array. A shorter one is copied, so that it does not keep the array alive.
pub(crate) const FEW: usize = 64;

/// Returns the number of leaves of a value of this form.
pub fn n_leaves(form: &Form) -> usize {
    match form {
        Form::Unit => 0,
        Form::Int | Form::Float | Form::Char | Form::Bool => 1,
        Form::Record(_, fields) => fields.iter().map(n_leaves).sum(),
        Form::Seq(element) | Form::Tensor(element) => n_leaves(element),
    }
}

pub(crate) fn scalar_type(form: &Form) -> Option<ValueType> {
    match form {
        Form::Int => Some(ValueType::I64),
        Form::Float => Some(ValueType::F64),
        Form::Char => Some(ValueType::I32),
        Form::Bool => Some(ValueType::Bool),
        Form::Unit | Form::Record(..) | Form::Seq(_) | Form::Tensor(_) => None,
    }
}

/// Computes the types and shapes of the leaves, as far as first elements tell.
fn plan(
    form: &Form,
    value: Option<&HostValue>,
    shape: &mut Vec<i64>,
    leaves: &mut Vec<(ValueType, Vec<i64>)>,
) {
    if let Some(ty) = scalar_type(form) {
        return leaves.push((ty, shape.clone()));
    }
    match (form, value) {
        (Form::Record(_, fields), Some(HostValue::Record(record))) => {
            let values = fields.iter().zip(record.fields());
            values.into_iter().for_each(|(field, value)| plan(field, Some(value), shape, leaves));
        }
        (Form::Record(_, fields), _) => fields.iter().for_each(|field| plan(field, None, shape, leaves)),
        (Form::Seq(element), Some(HostValue::Seq(seq))) => {
            shape.push(seq.len() as i64);
            plan(element, seq.get(0).as_ref(), shape, leaves);
            shape.pop();
        }
        (Form::Seq(element) | Form::Tensor(element), _) => {
            shape.push(0);
            plan(element, None, shape, leaves);
            shape.pop();
        }
        (Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool, _) => {}
    }
}

/// Writes values into the arrays of their leaves.
struct Filler<'a> {
    shapes: Vec<&'a [i64]>,
    /// Unfilled rest of each leaf's array.
    room: Vec<&'a mut [u8]>,
}

impl Filler<'_> {
    /// Writes a value inside `depth` sequences; `leaf` is the number of its first leaf.
    fn fill(
        &mut self,
        form: &Form,
        value: &HostValue,
        depth: usize,
        leaf: usize,
    ) -> Result<(), MarshalError> {
        match (form, value) {
            (Form::Unit, _) => {}
            (Form::Int, HostValue::Int(value)) => self.put(leaf, &value.to_ne_bytes()),
            (Form::Float, HostValue::Float(value)) => self.put(leaf, &value.to_ne_bytes()),
            (Form::Char, HostValue::Char(value)) => self.put(leaf, &u32::from(*value).to_ne_bytes()),
            (Form::Bool, HostValue::Bool(value)) => self.put(leaf, &[u8::from(*value)]),
            (Form::Record(_, fields), HostValue::Record(record)) => {
                let mut leaf = leaf;
                for (form, value) in fields.iter().zip(record.fields()) {
                    self.fill(form, value, depth, leaf)?;
                    leaf += n_leaves(form);
                }
            }
            (Form::Seq(element), HostValue::Seq(seq)) => self.fill_seq(element, seq, depth, leaf)?,
            (Form::Int | Form::Float | Form::Char | Form::Bool, _)
            | (Form::Record(..) | Form::Seq(_) | Form::Tensor(_), _) => return Err(MarshalError::IllTyped),
        }
        Ok(())
    }

    fn fill_seq(&mut self, element: &Form, seq: &Seq, depth: usize, leaf: usize) -> Result<(), MarshalError> {
        let expected = self.shapes.get(leaf).map_or(0, |shape| shape[depth]);
        if expected != seq.len() as i64 {
            return Err(MarshalError::Irregular(expected, seq.len()));
        }
        match element {
            Form::Int | Form::Float => {
                seq.slices().try_for_each(|slice| self.fill_slice(element, slice, leaf))
            }
            Form::Unit | Form::Char | Form::Bool | Form::Record(..) | Form::Seq(_) | Form::Tensor(_) => {
                seq.iter().try_for_each(|value| self.fill(element, &value, depth + 1, leaf))
            }
        }
    }

    /// Writes contiguous numbers.
    fn fill_slice(&mut self, element: &Form, slice: Slice<'_>, leaf: usize) -> Result<(), MarshalError> {
        let (now, later) = std::mem::take(&mut self.room[leaf]).split_at_mut(slice.len() * 8);
        self.room[leaf] = later;
        let places = now.chunks_exact_mut(8);
        match (element, slice) {
            (Form::Int, Slice::Ints(numbers)) => {
                places.zip(numbers).for_each(|(place, number)| place.copy_from_slice(&number.to_ne_bytes()));
            }
            (Form::Float, Slice::Floats(numbers)) => {
                places.zip(numbers).for_each(|(place, number)| place.copy_from_slice(&number.to_ne_bytes()));
            }
            (_, Slice::Values(values)) => {
                for (place, value) in places.zip(values) {
                    place.copy_from_slice(&match (element, value) {
                        (Form::Int, HostValue::Int(value)) => value.to_ne_bytes(),
                        (Form::Float, HostValue::Float(value)) => value.to_ne_bytes(),
                        _ => return Err(MarshalError::IllTyped),
                    });
                }
            }
            (_, Slice::Ints(_) | Slice::Floats(_)) => return Err(MarshalError::IllTyped),
        }
        Ok(())
    }

    fn put(&mut self, leaf: usize, bytes: &[u8]) {
        let (now, later) = std::mem::take(&mut self.room[leaf]).split_at_mut(bytes.len());
        now.copy_from_slice(bytes);
        self.room[leaf] = later;
    }
}

/// The elements of a leaf, with their shape.
pub(crate) struct Leaf<'a> {
    shape: &'a [i64],
    elements: Elements<'a>,
    /// All numbers of an array, in place.
    pub(crate) numbers: Seq,
}

/// An array that lends its numbers to a sequence.
#[derive(Debug)]
pub(crate) struct Lent(pub(crate) Array);

impl<T: Element> Lender<T> for Lent {
    fn numbers(&self) -> &[T] {
        self.0.as_slice().unwrap_or_default()
    }
}

enum Elements<'a> {
    Ints(&'a [i64]),
    Floats(&'a [f64]),
    Chars(&'a [i32]),
    Bools(&'a [bool]),
    /// A single scalar.
    One(HostValue),
}

impl<'a> Leaf<'a> {
    pub(crate) fn of(value: &'a Value) -> Option<Leaf<'a>> {
        let elements = match value {
            Value::Scalar { value, .. } => Elements::One(match value {
                warpwise_prim::Scalar::I64(value) => HostValue::Int(*value),
                warpwise_prim::Scalar::F64(value) => HostValue::Float(*value),
                warpwise_prim::Scalar::I32(value) => HostValue::Char(char_of(*value)),
                warpwise_prim::Scalar::Bool(value) => HostValue::Bool(*value),
                _ => return None,
            }),
            Value::Array { ty: ValueType::I64, array } => Elements::Ints(array.as_slice()?),
            Value::Array { ty: ValueType::F64, array } => Elements::Floats(array.as_slice()?),
            Value::Array { ty: ValueType::I32, array } => Elements::Chars(array.as_slice()?),
            Value::Array { ty: ValueType::Bool, array } => Elements::Bools(array.as_slice()?),
            Value::Array { .. } => return None,
        };
        let numbers = match value {
            Value::Array { ty: ValueType::I64, array } => Seq::lent_ints(Rc::new(Lent(array.clone()))),
            Value::Array { ty: ValueType::F64, array } => Seq::lent_floats(Rc::new(Lent(array.clone()))),
            Value::Array { .. } | Value::Scalar { .. } => Seq::EMPTY,
        };
        Some(Leaf { shape: value.shape(), elements, numbers })
    }

    /// Returns the number of elements.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    pub(crate) fn get(&self, index: usize) -> HostValue {
        match &self.elements {
            Elements::Ints(values) => HostValue::Int(values[index]),
            Elements::Floats(values) => HostValue::Float(values[index]),
            Elements::Chars(values) => HostValue::Char(char_of(values[index])),
            Elements::Bools(values) => HostValue::Bool(values[index]),
            Elements::One(value) => value.clone(),
        }
    }
}

fn char_of(code: i32) -> char {
    char::from_u32(code as u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Assembles a value inside `depth` sequences; `index` is its index among all values at that depth.
fn build(form: &Form, leaves: &[Leaf<'_>], depth: usize, index: usize) -> HostValue {
    match form {
        Form::Unit => HostValue::Unit,
        Form::Int | Form::Float | Form::Char | Form::Bool => leaves[0].get(index),
        Form::Record(shape, fields) => {
            let mut leaves = leaves;
            let mut values = Vec::with_capacity(fields.len());
            for form in fields {
                values.push(build(form, leaves, depth, index));
                leaves = &leaves[n_leaves(form)..];
            }
            HostValue::record(*shape, values)
        }
        Form::Seq(element) | Form::Tensor(element) => {
            let n = leaves.first().map_or(0, |leaf| leaf.shape[depth]) as usize;
            let range = index * n..(index + 1) * n;
            HostValue::Seq(match (&**element, leaves.first()) {
                (Form::Int | Form::Float, Some(leaf)) if n >= FEW && leaf.numbers.len() >= range.end => {
                    leaf.numbers.part(range.start, n)
                }
                _ => range.map(|index| build(element, leaves, depth + 1, index)).collect(),
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use warpwise_mexpr::host::code::ShapeId;

    use super::*;

    fn ints(values: &[i64]) -> HostValue {
        HostValue::Seq(values.iter().map(|value| HostValue::Int(*value)).collect())
    }

    fn seq(values: Vec<HostValue>) -> HostValue {
        HostValue::Seq(values.into())
    }

    fn seq_of(form: Form) -> Form {
        Form::Seq(Box::new(form))
    }

    fn leaves(form: &Form, value: &HostValue) -> Result<Vec<Value>, MarshalError> {
        let mut leaves = Vec::new();
        take_apart(form, value, &MemoryPool::new(1 << 20), &mut leaves).map(|()| leaves)
    }

    /// Returns the types and sizes of a value's leaves.
    fn types(form: &Form, value: &HostValue) -> Vec<String> {
        leaves(form, value).unwrap().iter().map(Value::type_text).collect()
    }

    #[test]
    fn leaves_by_type() {
        let nest = seq_of(seq_of(Form::Int));
        assert_eq!(types(&nest, &seq(vec![ints(&[1, 2, 3]), ints(&[4, 5, 6])])), ["[2][3]i64"]);
        assert_eq!(types(&nest, &seq(vec![])), ["[0][0]i64"]);
        assert_eq!(types(&nest, &seq(vec![ints(&[]), ints(&[])])), ["[2][0]i64"]);
        assert_eq!(types(&Form::Unit, &HostValue::Unit), [""; 0]);
        assert_eq!(types(&Form::Bool, &HostValue::Bool(true)), ["bool"]);
        assert_eq!(types(&seq_of(Form::Char), &HostValue::string("häß")), ["[3]i32"]);
        let pair = Form::Record(ShapeId(0), vec![Form::Int, seq_of(Form::Bool)]);
        let one = HostValue::record(ShapeId(0), [HostValue::Int(1), seq(vec![])]);
        assert_eq!(types(&seq_of(pair), &seq(vec![one])), ["[1]i64", "[1][0]bool"]);
    }

    #[test]
    fn irregular_sequences_are_refused_at_every_depth() {
        let nest = seq_of(seq_of(Form::Int));
        let irregular = seq(vec![ints(&[1]), ints(&[1, 2])]);
        assert_eq!(leaves(&nest, &irregular), Err(MarshalError::Irregular(1, 2)));
        let second = seq(vec![seq(vec![ints(&[1])]), seq(vec![ints(&[])])]);
        assert_eq!(leaves(&seq_of(nest), &second), Err(MarshalError::Irregular(1, 0)));
    }

    #[test]
    fn numbers_that_come_back_stay_where_they_are() {
        let rows: Vec<Vec<i64>> =
            (0..3).map(|row| (0..100).map(|column| 100 * row + column).collect()).collect();
        let nest = seq_of(seq_of(Form::Int));
        let value = seq(rows.iter().map(|row| ints(row)).collect());
        let HostValue::Seq(back) = put_together(&nest, &leaves(&nest, &value).unwrap()).unwrap() else {
            panic!("no sequence");
        };
        let numbers = |seq: &Seq| -> Vec<i64> {
            seq.iter().map(|value| if let HostValue::Int(number) = value { number } else { -1 }).collect()
        };
        let row = |index: usize| match back.get(index) {
            Some(HostValue::Seq(row)) => row,
            other => panic!("{other:?}"),
        };
        assert!(row(1).slices().all(|slice| matches!(slice, Slice::Ints(numbers) if numbers.len() == 100)));
        // They are copied when one changes.
        let changed = row(1).set(7, HostValue::Int(-7)).snoc(HostValue::Int(-8));
        assert_eq!((numbers(&changed)[7], numbers(&changed)[100], changed.len()), (-7, -8, 101));
        assert_eq!((0..3).map(|index| numbers(&row(index))).collect::<Vec<_>>(), rows);
        assert_eq!(leaves(&nest, &HostValue::Seq(back.clone())), leaves(&nest, &value));
    }

    #[test]
    fn memory_runs_out() {
        let many = ints(&[0; 1 << 18]);
        assert!(matches!(leaves(&seq_of(Form::Int), &many), Err(MarshalError::OutOfMemory(_))));
    }
}
