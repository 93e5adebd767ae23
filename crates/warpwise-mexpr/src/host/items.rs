//! Elements side by side: integers and floats lie flat, everything else as values.
//!
//! Flat numbers can be lent: the lender keeps them in place, and they are copied when one of them is to change.

use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::rc::Rc;

use super::object::release;
use super::value::Value;

/// Owner of lent numbers, which do not change.
pub trait Lender<T>: fmt::Debug + Any {
    /// Returns the numbers.
    fn numbers(&self) -> &[T];
}

/// Flat numbers.
#[derive(Clone, Debug)]
pub enum Numbers<T> {
    /// Owned numbers.
    Own(Vec<T>),
    /// Lent numbers.
    Lent(Rc<dyn Lender<T>>),
}

impl<T: 'static> Deref for Numbers<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Numbers::Own(numbers) => numbers,
            Numbers::Lent(lender) => lender.numbers(),
        }
    }
}

impl<T: Clone + 'static> Numbers<T> {
    /// Returns the numbers for changes; lent ones are copied first.
    pub fn to_mut(&mut self) -> &mut Vec<T> {
        if let Numbers::Lent(lender) = self {
            *self = Numbers::Own(lender.numbers().to_vec());
        }
        match self {
            Numbers::Own(numbers) => numbers,
            Numbers::Lent(_) => unreachable!("they were copied"),
        }
    }
}

/// Elements of one type.
#[derive(Clone, Debug)]
pub enum Items {
    /// Integers.
    Ints(Numbers<i64>),
    /// Floats.
    Floats(Numbers<f64>),
    /// Elements of any type; also numbers, if there are few.
    Values(Vec<Value>),
}

/// A slice of elements.
#[derive(Clone, Copy, Debug)]
pub enum Slice<'a> {
    /// Integers.
    Ints(&'a [i64]),
    /// Floats.
    Floats(&'a [f64]),
    /// Elements of any type.
    Values(&'a [Value]),
}

impl Drop for Items {
    fn drop(&mut self) {
        if let Items::Values(values) = self {
            release(values.drain(..));
        }
    }
}

impl Default for Items {
    fn default() -> Items {
        Items::Values(Vec::new())
    }
}

impl Items {
    /// Returns all elements.
    #[inline]
    pub fn slice(&self) -> Slice<'_> {
        match self {
            Items::Ints(numbers) => Slice::Ints(numbers),
            Items::Floats(numbers) => Slice::Floats(numbers),
            Items::Values(values) => Slice::Values(values),
        }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.slice().len()
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds an element at the end. The first element determines the representation.
    pub fn push(&mut self, value: Value) {
        match (&mut *self, value) {
            (Items::Ints(numbers), Value::Int(number)) => numbers.to_mut().push(number),
            (Items::Floats(numbers), Value::Float(number)) => numbers.to_mut().push(number),
            (Items::Values(values), Value::Int(number)) if values.is_empty() => {
                *self = Items::Ints(Numbers::Own(vec![number]));
            }
            (Items::Values(values), Value::Float(number)) if values.is_empty() => {
                *self = Items::Floats(Numbers::Own(vec![number]));
            }
            (Items::Values(values), value) => values.push(value),
            // Elements have one type, unless the program bypasses the checker on purpose.
            (Items::Ints(_) | Items::Floats(_), value) => self.values().push(value),
        }
    }

    /// Returns the number of bytes that one more element allocates: if there is no room, the capacity doubles.
    pub(super) fn growth(&self) -> usize {
        let (n, capacity, size) = match self {
            Items::Ints(Numbers::Own(numbers)) => (numbers.len(), numbers.capacity(), size_of::<i64>()),
            Items::Floats(Numbers::Own(numbers)) => (numbers.len(), numbers.capacity(), size_of::<f64>()),
            Items::Values(values) => (values.len(), values.capacity(), size_of::<Value>()),
            Items::Ints(Numbers::Lent(numbers)) => (numbers.numbers().len(), 0, size_of::<i64>()),
            Items::Floats(Numbers::Lent(numbers)) => (numbers.numbers().len(), 0, size_of::<f64>()),
        };
        if n >= capacity { 2 * n * size } else { 0 }
    }

    /// Adds an element at the start, in time linear in the number of elements.
    pub fn insert_first(&mut self, value: Value) {
        match (&mut *self, value) {
            (Items::Ints(numbers), Value::Int(number)) => numbers.to_mut().insert(0, number),
            (Items::Floats(numbers), Value::Float(number)) => numbers.to_mut().insert(0, number),
            (Items::Values(values), value) => values.insert(0, value),
            (Items::Ints(_) | Items::Floats(_), value) => self.values().insert(0, value),
        }
    }

    /// Replaces an element; the index must be in bounds.
    pub fn set(&mut self, index: usize, value: Value) {
        self.replace(index, value);
    }

    /// Replaces an element; the index must be in bounds. Returns the old element, unless it was a flat number.
    pub(super) fn replace(&mut self, index: usize, value: Value) -> Value {
        match (&mut *self, value) {
            (Items::Ints(numbers), Value::Int(number)) => numbers.to_mut()[index] = number,
            (Items::Floats(numbers), Value::Float(number)) => numbers.to_mut()[index] = number,
            (Items::Values(values), value) => return std::mem::replace(&mut values[index], value),
            (Items::Ints(_) | Items::Floats(_), value) => self.values()[index] = value,
        }
        Value::Unit
    }

    /// Returns the elements as values, for changes.
    fn values(&mut self) -> &mut Vec<Value> {
        if !matches!(self, Items::Values(_)) {
            *self = Items::Values(self.slice().iter().collect());
        }
        match self {
            Items::Values(values) => values,
            Items::Ints(_) | Items::Floats(_) => unreachable!("they were made values"),
        }
    }

    /// Makes the numbers flat if all elements are numbers.
    pub fn flat(mut self) -> Items {
        let Items::Values(values) = &mut self else { return self };
        match values.first() {
            Some(Value::Int(_)) => all(values, |value| match value {
                Value::Int(number) => Some(*number),
                _ => None,
            })
            .map(|numbers| Items::Ints(Numbers::Own(numbers))),
            Some(Value::Float(_)) => all(values, |value| match value {
                Value::Float(number) => Some(*number),
                _ => None,
            })
            .map(|numbers| Items::Floats(Numbers::Own(numbers))),
            _ => None,
        }
        .unwrap_or(self)
    }
}

fn all<T>(values: &[Value], number: impl Fn(&Value) -> Option<T>) -> Option<Vec<T>> {
    values.iter().map(number).collect()
}

impl<'a> Slice<'a> {
    /// Returns the number of elements.
    pub fn len(self) -> usize {
        match self {
            Slice::Ints(numbers) => numbers.len(),
            Slice::Floats(numbers) => numbers.len(),
            Slice::Values(values) => values.len(),
        }
    }

    /// Returns whether there are no elements.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the element at an index, counted from 0.
    #[inline]
    pub fn get(self, index: usize) -> Option<Value> {
        match self {
            Slice::Ints(numbers) => numbers.get(index).copied().map(Value::Int),
            Slice::Floats(numbers) => numbers.get(index).copied().map(Value::Float),
            Slice::Values(values) => values.get(index).cloned(),
        }
    }

    /// Returns the elements `start..start + length`.
    #[inline]
    pub fn part(self, start: usize, length: usize) -> Slice<'a> {
        match self {
            Slice::Ints(numbers) => Slice::Ints(&numbers[start..start + length]),
            Slice::Floats(numbers) => Slice::Floats(&numbers[start..start + length]),
            Slice::Values(values) => Slice::Values(&values[start..start + length]),
        }
    }

    /// Copies the elements.
    pub fn to_items(self) -> Items {
        match self {
            Slice::Ints(numbers) => Items::Ints(Numbers::Own(numbers.to_vec())),
            Slice::Floats(numbers) => Items::Floats(Numbers::Own(numbers.to_vec())),
            Slice::Values(values) => Items::Values(values.to_vec()),
        }
    }

    /// Iterates over the elements in order.
    pub fn iter(self) -> impl Iterator<Item = Value> + 'a {
        (0..self.len()).filter_map(move |index| self.get(index))
    }
}
