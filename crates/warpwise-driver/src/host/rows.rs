//! Conversion of host programs' values to arrays and back, where nested sequences may be irregular: each inner sequence is a row of a
//! pool.
//!
//! ```text
//! [[1, 2], [], [3]]   is   [3]i64 [0, 2, 2], [3]i64 [2, 0, 1] and [3]i64 [1, 2, 3]
//! ```
//! A scalar is itself, a record its fields in the order of labels, and a sequence an array for each leaf of its elements. An
//! element that is a sequence has two leaves, the start of its row in the pool and its length. The leaves of the pool follow, which are
//! made of the pool's elements in the same way. Every array therefore has one dimension. Absent: tensors, which
//! [`tensors`](crate::host::tensors) replaces by places in arrays.

use warpwise_mexpr::host::code::Form;
use warpwise_mexpr::host::items::Slice;
use warpwise_mexpr::host::seq::Seq;
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::host::marshal::{FEW, Leaf, MarshalError, scalar_type};

/// Takes a value apart, and appends its leaves to `leaves`.
pub fn take_apart_rows(
    form: &Form,
    value: &HostValue,
    memory: &MemoryPool,
    leaves: &mut Vec<Value>,
) -> Result<(), MarshalError> {
    let mut columns = Vec::new();
    columns_of(form, false, &mut columns);
    add(form, value, false, &mut columns)?;
    for column in columns {
        leaves.push(column.value(memory).map_err(MarshalError::OutOfMemory)?);
    }
    Ok(())
}

/// Assembles a value from its leaves.
pub fn put_together_rows(form: &Form, leaves: &[Value]) -> Option<HostValue> {
    let leaves = leaves.iter().map(Leaf::of).collect::<Option<Vec<Leaf<'_>>>>()?;
    if leaves.len() < n_leaves_of_rows(form) {
        return None;
    }
    build(form, &leaves, 0, false)
}

/// Returns the number of leaves of a value of this form.
pub fn n_leaves_of_rows(form: &Form) -> usize {
    n_columns(form, false)
}

/// Returns the number of leaves of a value, inside a sequence or not. Computed for every record, so nothing is allocated.
fn n_columns(form: &Form, is_inside: bool) -> usize {
    match form {
        Form::Unit => 0,
        Form::Int | Form::Float | Form::Char | Form::Bool => 1,
        Form::Record(_, fields) => fields.iter().map(|field| n_columns(field, is_inside)).sum(),
        Form::Seq(element) | Form::Tensor(element) => {
            (if is_inside { 2 } else { 0 }) + n_columns(element, true)
        }
    }
}

/// The values of a leaf, contiguous.
struct Column {
    ty: ValueType,
    /// Whether the leaf is a scalar, not an array.
    is_one: bool,
    bytes: Vec<u8>,
    /// Number of values.
    len: usize,
}

impl Column {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        self.len += 1;
    }

    fn value(self, memory: &MemoryPool) -> Result<Value, OutOfMemory> {
        let shape = [self.len as i64];
        let mut array = Array::allocate(memory, self.ty.scalar(), if self.is_one { &[] } else { &shape })?;
        array.bytes_mut(memory)?.copy_from_slice(&self.bytes);
        Ok(match array.element(0) {
            Some(scalar) if self.is_one => Value::scalar(self.ty, scalar),
            _ => Value::array(self.ty, array),
        })
    }
}

fn columns_of(form: &Form, is_inside: bool, columns: &mut Vec<Column>) {
    let column = |ty| Column { ty, is_one: !is_inside, bytes: Vec::new(), len: 0 };
    match form {
        Form::Unit => {}
        Form::Int | Form::Float | Form::Char | Form::Bool => {
            columns.extend(scalar_type(form).map(column));
        }
        Form::Record(_, fields) => fields.iter().for_each(|field| columns_of(field, is_inside, columns)),
        Form::Seq(element) | Form::Tensor(element) => {
            if is_inside {
                columns.extend([column(ValueType::I64), column(ValueType::I64)]);
            }
            columns_of(element, true, columns);
        }
    }
}

/// Adds a value to its columns, which come first, and returns the remaining columns.
fn add<'c>(
    form: &Form,
    value: &HostValue,
    is_inside: bool,
    columns: &'c mut [Column],
) -> Result<&'c mut [Column], MarshalError> {
    let bytes: ([u8; 8], usize) = match (form, value) {
        (Form::Unit, _) => return Ok(columns),
        (Form::Int, HostValue::Int(value)) => (value.to_ne_bytes(), 8),
        (Form::Float, HostValue::Float(value)) => (value.to_ne_bytes(), 8),
        (Form::Char, HostValue::Char(value)) => {
            let [a, b, c, d] = (*value as i32).to_ne_bytes();
            ([a, b, c, d, 0, 0, 0, 0], 4)
        }
        (Form::Bool, HostValue::Bool(value)) => ([u8::from(*value), 0, 0, 0, 0, 0, 0, 0], 1),
        (Form::Record(_, fields), HostValue::Record(record)) => {
            let mut rest = columns;
            for (field, value) in fields.iter().zip(record.fields()) {
                rest = add(field, value, is_inside, rest)?;
            }
            return Ok(rest);
        }
        (Form::Seq(element), HostValue::Seq(seq)) => return add_all(element, seq, is_inside, columns),
        (Form::Int | Form::Float | Form::Char | Form::Bool, _)
        | (Form::Record(..) | Form::Seq(_) | Form::Tensor(_), _) => return Err(MarshalError::IllTyped),
    };
    let (own, rest) = columns.split_first_mut().ok_or(MarshalError::IllTyped)?;
    own.push(&bytes.0[..bytes.1]);
    Ok(rest)
}

/// Adds the elements of a sequence. An inner sequence first adds the start and the length of its row.
fn add_all<'c>(
    element: &Form,
    seq: &Seq,
    is_inside: bool,
    columns: &'c mut [Column],
) -> Result<&'c mut [Column], MarshalError> {
    let mut pool = columns;
    if is_inside {
        let (bounds, elements) = pool.split_at_mut_checked(2).ok_or(MarshalError::IllTyped)?;
        let start = elements.first().map_or(0, |column| column.len);
        bounds[0].push(&(start as i64).to_ne_bytes());
        bounds[1].push(&(seq.len() as i64).to_ne_bytes());
        pool = elements;
    }
    if let (Form::Int | Form::Float, Some(column)) = (element, pool.first_mut()) {
        seq.slices().try_for_each(|slice| add_slice(element, slice, column))?;
    } else {
        for value in seq.iter() {
            add(element, &value, true, pool)?;
        }
    }
    Ok(&mut pool[n_columns(element, true)..])
}

/// Adds contiguous numbers.
fn add_slice(element: &Form, slice: Slice<'_>, column: &mut Column) -> Result<(), MarshalError> {
    match (element, slice) {
        (Form::Int, Slice::Ints(numbers)) => numbers.iter().for_each(|n| column.push(&n.to_ne_bytes())),
        (Form::Float, Slice::Floats(numbers)) => numbers.iter().for_each(|n| column.push(&n.to_ne_bytes())),
        (_, Slice::Values(values)) => {
            for value in values {
                add(element, value, true, std::slice::from_mut(column))?;
            }
        }
        (_, Slice::Ints(_) | Slice::Floats(_)) => return Err(MarshalError::IllTyped),
    }
    Ok(())
}

/// Assembles the value at an index of its leaves, which come first in `leaves`. `None` if a row lies outside its pool.
fn build(form: &Form, leaves: &[Leaf<'_>], index: usize, is_inside: bool) -> Option<HostValue> {
    Some(match form {
        Form::Unit => HostValue::Unit,
        Form::Int | Form::Float | Form::Char | Form::Bool => leaves.first()?.get(index),
        Form::Record(shape, fields) => {
            let mut rest = leaves;
            let mut values = Vec::with_capacity(fields.len());
            for field in fields {
                values.push(build(field, rest, index, is_inside)?);
                rest = &rest[n_columns(field, is_inside)..];
            }
            HostValue::record(*shape, values)
        }
        Form::Seq(element) | Form::Tensor(element) => {
            let bound = |leaf: usize| match leaves.get(leaf)?.get(index) {
                HostValue::Int(bound) => usize::try_from(bound).ok(),
                _ => None,
            };
            let (start, n, pool) = match is_inside {
                true => (bound(0)?, bound(1)?, &leaves[2..]),
                false => (0, leaves.first().map_or(0, Leaf::len), leaves),
            };
            let end = start.checked_add(n)?;
            if pool.first().is_some_and(|leaf| leaf.len() < end) {
                return None;
            }
            HostValue::Seq(match (&**element, pool.first()) {
                (Form::Int | Form::Float, Some(leaf)) if n >= FEW => leaf.numbers.part(start, n),
                _ => (start..end).map(|at| build(element, pool, at, true)).collect::<Option<_>>()?,
            })
        }
    })
}

#[cfg(test)]
mod tests {
    use warpwise_mexpr::host::code::ShapeId;
    use warpwise_mexpr::host::equal::equal;

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

    fn leaves(form: &Form, value: &HostValue) -> Vec<Value> {
        let mut leaves = Vec::new();
        take_apart_rows(form, value, &MemoryPool::new(1 << 20), &mut leaves).unwrap();
        leaves
    }

    /// Returns the numbers of all leaves that are integers.
    fn numbers(leaves: &[Value]) -> Vec<Vec<i64>> {
        leaves.iter().filter_map(|leaf| leaf.as_slice::<i64>().map(<[i64]>::to_vec)).collect()
    }

    #[test]
    fn rows_of_pools() {
        let nest = seq_of(seq_of(Form::Int));
        let value = seq(vec![ints(&[1, 2]), ints(&[]), ints(&[3])]);
        let there = leaves(&nest, &value);
        assert_eq!(numbers(&there), [vec![0, 2, 2], vec![2, 0, 1], vec![1, 2, 3]]);
        assert!(equal(&put_together_rows(&nest, &there).unwrap(), &value).unwrap());
        assert_eq!(numbers(&leaves(&nest, &seq(vec![]))), [[0; 0]; 3]);
        let deep = seq_of(nest);
        let value = seq(vec![seq(vec![]), seq(vec![ints(&[4]), ints(&[5, 6])]), seq(vec![ints(&[])])]);
        let there = leaves(&deep, &value);
        let expected = [vec![0, 0, 2], vec![0, 2, 1], vec![0, 1, 3], vec![1, 2, 0], vec![4, 5, 6]];
        assert_eq!(numbers(&there), expected);
        assert!(equal(&put_together_rows(&deep, &there).unwrap(), &value).unwrap());
    }

    #[test]
    fn rows_in_records_and_records_in_rows() {
        let pair = |a, b| Form::Record(ShapeId(0), vec![a, b]);
        let record = |a, b| HostValue::record(ShapeId(0), [a, b]);
        let form =
            pair(seq_of(pair(seq_of(Form::Char), Form::Bool)), seq_of(seq_of(pair(Form::Int, Form::Float))));
        let word = |text: &str, value| record(HostValue::string(text), HostValue::Bool(value));
        let item = |n| record(HostValue::Int(n), HostValue::Float(n as f64 / 2.0));
        let value = record(
            seq(vec![word("häß", true), word("", false), word("x", true)]),
            seq(vec![seq(vec![item(1)]), seq(vec![]), seq(vec![item(2), item(3)])]),
        );
        let there = leaves(&form, &value);
        assert_eq!(there.len(), n_leaves_of_rows(&form));
        assert!(equal(&put_together_rows(&form, &there).unwrap(), &value).unwrap());
    }

    #[test]
    fn rows_outside_of_their_pool_are_no_value() {
        let nest = seq_of(seq_of(Form::Int));
        let mut there = leaves(&nest, &seq(vec![ints(&[1, 2]), ints(&[3])]));
        there[2] = leaves(&seq_of(Form::Int), &ints(&[1])).swap_remove(0);
        assert!(put_together_rows(&nest, &there).is_none());
    }
}
