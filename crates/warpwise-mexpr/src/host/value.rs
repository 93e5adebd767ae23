//! Values of running programs.
//!
//! Values are shared by reference counts and never change, except references and tensors. Native code knows their layout in
//! memory: a byte for the variant, and from byte 8 on a number or an address.

use std::cell::RefCell;
use std::rc::Rc;

use crate::builtins::Builtin;
use crate::tree::ConId;

use super::code::{FunctionId, ShapeId};
use super::object::{Object, release};
use super::seq::Seq;
use super::tensor::Tensor;

/// A value.
#[derive(Debug)]
#[repr(C, u8)]
pub enum Value {
    /// The record without fields; also the content of an emptied slot.
    Unit = tags::UNIT,
    /// An integer.
    Int(i64) = tags::INT,
    /// A float.
    Float(f64) = tags::FLOAT,
    /// A character.
    Char(char) = tags::CHAR,
    /// A truth value.
    Bool(bool) = tags::BOOL,
    /// A symbol, which is equal only to itself.
    Symbol(u64) = tags::SYMBOL,
    /// A built-in that waits for its arguments.
    Builtin(Builtin) = tags::BUILTIN,
    /// A sequence.
    Seq(Seq) = tags::SEQ,
    /// A record with fields.
    Record(Object) = tags::RECORD,
    /// A constructor with the value it holds.
    Con(Object) = tags::CON,
    /// A function.
    Function(Rc<Closure>) = tags::FUNCTION,
    /// A function with some of its arguments.
    Partial(Rc<Partial>) = tags::PARTIAL,
    /// A reference.
    Ref(Rc<Reference>) = tags::REF,
    /// A tensor.
    Tensor(Rc<Tensor>) = tags::TENSOR,
}

/// A function with the values it captured.
#[derive(Debug)]
pub struct Closure {
    /// The function.
    pub function: FunctionId,
    /// The captured values.
    pub captured: Vec<Value>,
}

/// A function or built-in with fewer arguments than it takes.
#[derive(Debug)]
pub struct Partial {
    /// The function.
    pub function: Value,
    /// Its first arguments.
    pub arguments: Vec<Value>,
}

/// A mutable cell.
#[derive(Debug)]
pub struct Reference {
    /// The value.
    pub value: RefCell<Value>,
}

impl Drop for Closure {
    fn drop(&mut self) {
        release(self.captured.drain(..));
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let function = std::mem::replace(&mut self.function, Value::Unit);
        release(self.arguments.drain(..).chain(std::iter::once(function)));
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        release(std::iter::once(self.value.replace(Value::Unit)));
    }
}

impl Clone for Value {
    /// Copies the value as a whole. A copy variant by variant would be written in pieces, and the next read would wait until all
    /// of them are in the cache.
    #[inline]
    fn clone(&self) -> Value {
        match self {
            Value::Unit
            | Value::Int(_)
            | Value::Float(_)
            | Value::Char(_)
            | Value::Bool(_)
            | Value::Symbol(_)
            | Value::Builtin(_) => {}
            Value::Seq(seq) => std::mem::forget(seq.clone()),
            Value::Record(object) | Value::Con(object) => std::mem::forget(object.clone()),
            Value::Function(closure) => std::mem::forget(Rc::clone(closure)),
            Value::Partial(partial) => std::mem::forget(Rc::clone(partial)),
            Value::Ref(reference) => std::mem::forget(Rc::clone(reference)),
            Value::Tensor(tensor) => std::mem::forget(Rc::clone(tensor)),
        }
        // SAFETY: the shared part has one more owner, whose share is never dropped: it belongs to the copy.
        unsafe { std::ptr::read(self) }
    }
}

impl Value {
    /// Returns a record of fields in the order of its shape's labels.
    pub fn record<I: ExactSizeIterator<Item = Value>>(
        shape: ShapeId,
        fields: impl IntoIterator<IntoIter = I>,
    ) -> Value {
        Value::Record(Object::new(shape.0, fields))
    }

    /// Returns a constructor with the value it holds.
    pub fn con(con: ConId, held: Value) -> Value {
        Value::Con(Object::new(con.0, [held]))
    }

    /// Returns whether the value has a part that others may own, too.
    pub(super) fn is_shared(&self) -> bool {
        tags::of(self) >= tags::FIRST_SHARED
    }

    /// Returns a string.
    pub fn string(text: &str) -> Value {
        Value::Seq(text.chars().map(Value::Char).collect())
    }
}

/// The tags of values: their first bytes.
pub mod tags {
    #![allow(missing_docs)] // Each constant belongs to the variant of its name.

    use super::Value;

    pub const UNIT: u8 = 0;
    pub const INT: u8 = 1;
    pub const FLOAT: u8 = 2;
    pub const CHAR: u8 = 3;
    pub const BOOL: u8 = 4;
    pub const SYMBOL: u8 = 5;
    pub const BUILTIN: u8 = 6;
    pub const SEQ: u8 = 7;
    pub const RECORD: u8 = 8;
    pub const CON: u8 = 9;
    pub const FUNCTION: u8 = 10;
    pub const PARTIAL: u8 = 11;
    pub const REF: u8 = 12;
    pub const TENSOR: u8 = 13;

    /// The first tag of the values with a part that others may own.
    pub const FIRST_SHARED: u8 = SEQ;

    const _: () = assert!(size_of::<Value>() == 16 && align_of::<Value>() <= 16);

    /// Returns the tag of a value.
    pub fn of(value: &Value) -> u8 {
        match value {
            Value::Unit => UNIT,
            Value::Int(_) => INT,
            Value::Float(_) => FLOAT,
            Value::Char(_) => CHAR,
            Value::Bool(_) => BOOL,
            Value::Symbol(_) => SYMBOL,
            Value::Builtin(_) => BUILTIN,
            Value::Seq(_) => SEQ,
            Value::Record(_) => RECORD,
            Value::Con(_) => CON,
            Value::Function(_) => FUNCTION,
            Value::Partial(_) => PARTIAL,
            Value::Ref(_) => REF,
            Value::Tensor(_) => TENSOR,
        }
    }
}
