//! Equality of values, without recursion, since values may be deep.

use std::rc::Rc;

use super::value::Value;

/// Returns whether two values of one type are equal; the error says why elements of a tensor cannot be fetched to the host.
/// Functions and references are equal only to themselves.
pub fn equal(left: &Value, right: &Value) -> Result<bool, String> {
    let mut waiting = vec![(left.clone(), right.clone())];
    while let Some((left, right)) = waiting.pop() {
        let same = match (&left, &right) {
            (Value::Unit, Value::Unit) => true,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a == b,
            (Value::Char(a), Value::Char(b)) => a == b,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Symbol(a), Value::Symbol(b)) => a == b,
            (Value::Builtin(a), Value::Builtin(b)) => a == b,
            (Value::Seq(a), Value::Seq(b)) => {
                waiting.extend(a.iter().zip(b.iter()));
                a.len() == b.len()
            }
            (Value::Record(a), Value::Record(b)) => {
                waiting.extend(a.fields().iter().cloned().zip(b.fields().iter().cloned()));
                a.shape() == b.shape()
            }
            (Value::Con(a), Value::Con(b)) => {
                waiting.push((a.held().clone(), b.held().clone()));
                a.con() == b.con()
            }
            (Value::Tensor(a), Value::Tensor(b)) => {
                for position in 0..a.size().min(b.size()) {
                    waiting.push((a.get(position)?, b.get(position)?));
                }
                a.shape == b.shape
            }
            (Value::Ref(a), Value::Ref(b)) => Rc::ptr_eq(a, b),
            (Value::Function(a), Value::Function(b)) => Rc::ptr_eq(a, b),
            (Value::Partial(a), Value::Partial(b)) => Rc::ptr_eq(a, b),
            _ => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
