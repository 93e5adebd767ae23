//! Conversion between values of the machine and words of native code.

use std::mem::{ManuallyDrop, MaybeUninit};

use super::super::value::{Value, tags};
use super::kinds::{Kind, Leaf, Shared};

/// Returns whether a value is of a kind.
pub(in crate::host) fn fits(kind: &Kind, value: &Value) -> bool {
    match (kind, value) {
        (Kind::Any, _)
        | (Kind::Unit, Value::Unit)
        | (Kind::Scalar(Leaf::Int), Value::Int(_))
        | (Kind::Scalar(Leaf::Float), Value::Float(_))
        | (Kind::Scalar(Leaf::Char), Value::Char(_))
        | (Kind::Scalar(Leaf::Bool), Value::Bool(_))
        | (Kind::Shared(Shared::Seq), Value::Seq(_))
        | (Kind::Shared(Shared::Record), Value::Record(_))
        | (Kind::Shared(Shared::Con), Value::Con(_))
        | (Kind::Shared(Shared::Tensor), Value::Tensor(_)) => true,
        (Kind::Record(shape, kinds), Value::Record(record)) => {
            *shape == record.shape()
                && kinds.len() == record.fields().len()
                && kinds.iter().zip(record.fields()).all(|(kind, field)| fits(kind, field))
        }
        _ => false,
    }
}

/// Adds the words of a value of this kind; the words own the shared parts from then on.
pub(in crate::host) fn put(kind: &Kind, value: &Value, words: &mut Vec<u64>) {
    match (kind, value) {
        (Kind::Record(_, kinds), Value::Record(record)) => {
            kinds.iter().zip(record.fields()).for_each(|(kind, field)| put(kind, field, words));
        }
        (Kind::Unit, _) => {}
        (Kind::Any, _) => {
            words.push(u64::from(tags::of(value)));
            words.push(bits(value.clone()));
        }
        _ => words.push(bits(value.clone())),
    }
}

/// Takes a value from words that own it.
///
/// # Safety
/// The words come from [`put`] for a value of this kind, or from native code.
pub(in crate::host) unsafe fn take(kind: &Kind, words: &mut impl Iterator<Item = u64>) -> Option<Value> {
    let tag = match kind {
        Kind::Unit => return Some(Value::Unit),
        Kind::Record(shape, kinds) => {
            // SAFETY: the words of a record are those of its fields.
            let fields = kinds.iter().map(|kind| unsafe { take(kind, words) });
            return Some(Value::record(*shape, fields.collect::<Option<Vec<_>>>()?));
        }
        Kind::Function(..) | Kind::Builtin(..) => return None,
        Kind::Any => words.next()? as u8,
        Kind::Scalar(leaf) => tag(*leaf)?,
        Kind::Shared(shared) => shared.tag(),
    };
    // SAFETY: guaranteed by the caller.
    Some(unsafe { value(tag, words.next()?) })
}

fn tag(leaf: Leaf) -> Option<u8> {
    Some(match leaf {
        Leaf::Int => tags::INT,
        Leaf::Float => tags::FLOAT,
        Leaf::Char => tags::CHAR,
        Leaf::Bool => tags::BOOL,
        Leaf::Shared(shared) => shared.tag(),
        Leaf::Tag | Leaf::Bits => return None,
    })
}

impl Shared {
    /// Returns the tag of this kind in a value.
    pub(super) fn tag(self) -> u8 {
        match self {
            Shared::Seq => tags::SEQ,
            Shared::Record => tags::RECORD,
            Shared::Con => tags::CON,
            Shared::Tensor => tags::TENSOR,
        }
    }
}

/// Returns the number or address in a value, which takes over the ownership of the value.
pub(super) fn bits(value: Value) -> u64 {
    match &value {
        Value::Unit => 0,
        Value::Int(value) => *value as u64,
        Value::Float(value) => value.to_bits(),
        Value::Char(value) => u64::from(u32::from(*value)),
        Value::Bool(value) => u64::from(*value),
        Value::Symbol(value) => *value,
        Value::Builtin(value) => *value as u64,
        Value::Seq(_)
        | Value::Record(_)
        | Value::Con(_)
        | Value::Function(_)
        | Value::Partial(_)
        | Value::Ref(_)
        | Value::Tensor(_) => {
            let kept = ManuallyDrop::new(value);
            let place = std::ptr::from_ref(&kept).cast::<u64>();
            // SAFETY: a value has 16 bytes, and these variants hold one address, from byte 8 on.
            unsafe { place.add(1).read() }
        }
    }
}

/// Returns the value with this tag and these [`bits`].
///
/// # Safety
/// Such a value exists, and nobody else has the ownership that the result takes.
pub(super) unsafe fn value(tag: u8, bits: u64) -> Value {
    let mut value = MaybeUninit::<Value>::uninit();
    let place = value.as_mut_ptr();
    // SAFETY: a value's first byte is its tag, and its content lies from byte 8 on, lowest byte first.
    unsafe {
        place.cast::<u8>().write(tag);
        place.cast::<u64>().add(1).write(bits);
        value.assume_init()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builtins::Builtin;
    use crate::host::code::ShapeId;
    use crate::host::equal::equal;
    use crate::host::object::n_live;
    use crate::tree::ConId;

    #[test]
    fn values_survive_being_words() {
        let before = n_live();
        let pair = Value::record(ShapeId(3), [Value::Int(-1), Value::string("two")]);
        let values = [
            Value::Unit,
            Value::Int(i64::MIN),
            Value::Float(-0.5),
            Value::Char('ß'),
            Value::Bool(true),
            Value::Bool(false),
            Value::Symbol(7),
            Value::Builtin(Builtin::Addi),
            Value::Builtin(crate::builtins::ALL[crate::builtins::ALL.len() - 1]),
            Value::Seq(crate::host::seq::Seq::EMPTY),
            Value::string("text"),
            pair.clone(),
            Value::con(ConId(1), pair.clone()),
        ];
        for one in values {
            let mut words = Vec::new();
            put(&Kind::Any, &one, &mut words);
            // SAFETY: these are words of this kind.
            let other = unsafe { take(&Kind::Any, &mut words.into_iter()) }.unwrap();
            assert!(equal(&one, &other).unwrap(), "{one:?} {other:?}");
        }
        drop(pair);
        assert_eq!(n_live(), before);
    }
}
