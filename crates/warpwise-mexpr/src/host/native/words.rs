//! Values of the machine as words of native code, and back.

use std::rc::Rc;

use super::super::value::{Record, Value};
use super::kinds::{Kind, Leaf};

/// Adds the words of a value; nothing if it is of another kind.
pub(in crate::host) fn put(kind: &Kind, value: &Value, words: &mut Vec<u64>) -> Option<()> {
    match (kind, value) {
        (Kind::Unit, Value::Unit) => {}
        (Kind::Scalar(Leaf::Int), Value::Int(value)) => words.push(*value as u64),
        (Kind::Scalar(Leaf::Float), Value::Float(value)) => words.push(value.to_bits()),
        (Kind::Scalar(Leaf::Char), Value::Char(value)) => words.push(u64::from(u32::from(*value))),
        (Kind::Scalar(Leaf::Bool), Value::Bool(value)) => words.push(u64::from(*value)),
        (Kind::Record(shape, kinds), Value::Record(record))
            if *shape == record.shape && kinds.len() == record.fields.len() =>
        {
            for (kind, field) in kinds.iter().zip(&record.fields) {
                put(kind, field, words)?;
            }
        }
        _ => return None,
    }
    Some(())
}

/// Takes a value from words.
pub(in crate::host) fn take(kind: &Kind, words: &mut impl Iterator<Item = u64>) -> Option<Value> {
    Some(match kind {
        Kind::Unit => Value::Unit,
        Kind::Scalar(Leaf::Int) => Value::Int(words.next()? as i64),
        Kind::Scalar(Leaf::Float) => Value::Float(f64::from_bits(words.next()?)),
        Kind::Scalar(Leaf::Char) => Value::Char(char::from_u32(words.next()? as u32)?),
        Kind::Scalar(Leaf::Bool) => Value::Bool(words.next()? != 0),
        Kind::Record(shape, kinds) => {
            let fields = kinds.iter().map(|kind| take(kind, words)).collect::<Option<_>>()?;
            Value::Record(Rc::new(Record { shape: *shape, fields }))
        }
        Kind::Function(..) | Kind::Builtin(..) => return None,
    })
}
