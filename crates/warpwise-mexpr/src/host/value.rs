//! Values of running programs.
//!
//! Values are shared by reference counts and, references and tensors apart, never change. Freeing a long chain of values
//! takes no stack: what a value held is put on a list that the outermost release works off.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use smallvec::SmallVec;

use crate::builtins::Builtin;
use crate::tree::ConId;

use super::code::{FunctionId, ShapeId};
use super::seq::Seq;
use super::tensor::Tensor;

/// A value.
#[derive(Clone, Debug)]
pub enum Value {
    /// The record without fields; also what an emptied slot holds.
    Unit,
    /// An integer.
    Int(i64),
    /// A float.
    Float(f64),
    /// A character.
    Char(char),
    /// A truth value.
    Bool(bool),
    /// A symbol that is equal only to itself.
    Symbol(u64),
    /// A built-in that waits for its arguments.
    Builtin(Builtin),
    /// A sequence.
    Seq(Seq),
    /// A record with fields.
    Record(Rc<Record>),
    /// A constructor with what it holds.
    Con(Rc<Constructed>),
    /// A function.
    Function(Rc<Closure>),
    /// A function with some of its arguments.
    Partial(Rc<Partial>),
    /// A reference.
    Ref(Rc<Reference>),
    /// A tensor.
    Tensor(Rc<Tensor>),
}

/// The fields of a record: as a rule there are two.
pub type Fields = SmallVec<[Value; 2]>;

/// A record with fields, in the order of its shape's labels.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its labels.
    pub shape: ShapeId,
    /// Its fields.
    pub fields: Fields,
}

/// A constructor with what it holds.
#[derive(Debug)]
pub struct Constructed {
    /// The constructor.
    pub con: ConId,
    /// What it holds.
    pub held: Value,
}

/// A function with the values it captured.
#[derive(Debug)]
pub struct Closure {
    /// The function.
    pub function: FunctionId,
    /// What it captured.
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

/// A place that holds a value.
#[derive(Debug)]
pub struct Reference {
    /// The value.
    pub value: RefCell<Value>,
}

thread_local! {
    /// Values that wait to be freed, if some release is going on.
    static WAITING: RefCell<Vec<Value>> = const { RefCell::new(Vec::new()) };
    static RELEASING: Cell<bool> = const { Cell::new(false) };
}

/// Frees values without recursion.
pub(super) fn release(values: impl Iterator<Item = Value>) {
    let heap = |value: &Value| {
        !matches!(
            value,
            Value::Unit
                | Value::Int(_)
                | Value::Float(_)
                | Value::Char(_)
                | Value::Bool(_)
                | Value::Symbol(_)
                | Value::Builtin(_)
        )
    };
    let are_there = WAITING.with_borrow_mut(|waiting| {
        let before = waiting.len();
        waiting.extend(values.filter(heap));
        waiting.len() > before
    });
    if !are_there || RELEASING.replace(true) {
        return;
    }
    while let Some(value) = WAITING.with_borrow_mut(Vec::pop) {
        drop(value);
    }
    RELEASING.set(false);
}

impl Drop for Record {
    fn drop(&mut self) {
        release(self.fields.drain(..));
    }
}

impl Drop for Constructed {
    fn drop(&mut self) {
        release(std::iter::once(std::mem::replace(&mut self.held, Value::Unit)));
    }
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

impl Value {
    /// A string.
    pub fn string(text: &str) -> Value {
        Value::Seq(text.chars().map(Value::Char).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_chains_are_freed_without_stack() {
        let mut chain = Value::Unit;
        for index in 0..1_000_000 {
            let pair = Record { shape: ShapeId(0), fields: smallvec::smallvec![Value::Int(index), chain] };
            chain = Value::Con(Rc::new(Constructed { con: ConId(0), held: Value::Record(Rc::new(pair)) }));
        }
        drop(chain);
    }
}
