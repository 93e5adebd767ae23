//! Tensors: shaped views of shared buffers.
//!
//! The elements of a view lie in row-major order from its offset on. Slices, parts along the first dimension and reshaped
//! tensors are views of the same buffer: what is written through one is seen through all. Integers and floats lie flat.

use std::cell::RefCell;
use std::rc::Rc;

use super::items::Items;
use super::object::release;
use super::value::Value;

/// A view.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The elements.
    pub buffer: Rc<RefCell<Buffer>>,
    /// Where the view starts.
    pub offset: usize,
    /// Its extents.
    pub shape: Vec<usize>,
}

/// The elements of one or more views.
#[derive(Debug)]
pub enum Buffer {
    /// Integers.
    Ints(Vec<i64>),
    /// Floats.
    Floats(Vec<f64>),
    /// Anything else.
    Values(Vec<Value>),
}

impl Drop for Buffer {
    fn drop(&mut self) {
        if let Buffer::Values(values) = self {
            release(values.drain(..));
        }
    }
}

impl Buffer {
    /// A buffer of these values.
    pub fn of(values: Vec<Value>) -> Buffer {
        let ints: Option<Vec<i64>> = values.iter().map(as_int).collect();
        let floats = || values.iter().map(as_float).collect::<Option<Vec<f64>>>();
        match ints {
            Some(ints) if !ints.is_empty() => Buffer::Ints(ints),
            _ => match floats() {
                Some(floats) if !floats.is_empty() => Buffer::Floats(floats),
                _ => Buffer::Values(values),
            },
        }
    }

    /// A buffer of what a loop gave.
    pub(super) fn of_items(mut items: Items) -> Buffer {
        match &mut items {
            Items::Ints(numbers) => Buffer::Ints(std::mem::take(numbers.to_mut())),
            Items::Floats(numbers) => Buffer::Floats(std::mem::take(numbers.to_mut())),
            Items::Values(values) => Buffer::of(std::mem::take(values)),
        }
    }

    /// How many elements there are.
    pub(super) fn len(&self) -> usize {
        match self {
            Buffer::Ints(values) => values.len(),
            Buffer::Floats(values) => values.len(),
            Buffer::Values(values) => values.len(),
        }
    }

    fn get(&self, index: usize) -> Value {
        match self {
            Buffer::Ints(values) => Value::Int(values[index]),
            Buffer::Floats(values) => Value::Float(values[index]),
            Buffer::Values(values) => values[index].clone(),
        }
    }

    /// Exchanges an element; what was there is given back, to be freed when the buffer is not in use.
    fn set(&mut self, index: usize, value: Value) -> Value {
        match (self, value) {
            (Buffer::Ints(values), Value::Int(value)) => values[index] = value,
            (Buffer::Floats(values), Value::Float(value)) => values[index] = value,
            (Buffer::Values(values), value) => return std::mem::replace(&mut values[index], value),
            // A tensor has elements of one type.
            (Buffer::Ints(_) | Buffer::Floats(_), other) => return other,
        }
        Value::Unit
    }
}

fn as_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        _ => None,
    }
}

fn as_float(value: &Value) -> Option<f64> {
    match value {
        Value::Float(value) => Some(*value),
        _ => None,
    }
}

/// How many elements a shape has, if they can be counted.
pub fn size_of(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1usize, |size, extent| size.checked_mul(*extent))
        .filter(|size| *size <= isize::MAX as usize)
}

impl Tensor {
    /// A tensor of a buffer of its own.
    pub fn new(buffer: Buffer, shape: Vec<usize>) -> Tensor {
        Tensor { buffer: Rc::new(RefCell::new(buffer)), offset: 0, shape }
    }

    /// How many elements it has.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// The position in the view of an index that has as many components as there are dimensions, or fewer.
    pub fn position(&self, index: &[i64]) -> Option<usize> {
        if index.len() > self.shape.len() {
            return None;
        }
        let mut position = 0;
        for (component, extent) in index.iter().zip(&self.shape) {
            let component = usize::try_from(*component).ok().filter(|component| component < extent)?;
            position = position * extent + component;
        }
        Some(position * self.shape[index.len()..].iter().product::<usize>())
    }

    /// The element at a position of the view.
    pub fn get(&self, position: usize) -> Value {
        self.buffer.borrow().get(self.offset + position)
    }

    /// Exchanges the element at a position of the view.
    pub fn set(&self, position: usize, value: Value) {
        let before = self.buffer.borrow_mut().set(self.offset + position, value);
        drop(before);
    }

    /// The view that the first components of an index select.
    pub fn slice(&self, index: &[i64]) -> Option<Tensor> {
        let position = self.position(index)?;
        let shape = self.shape[index.len()..].to_vec();
        Some(Tensor { buffer: self.buffer.clone(), offset: self.offset + position, shape })
    }

    /// The view of `length` from `start` on along the first dimension.
    pub fn sub(&self, start: i64, length: i64) -> Option<Tensor> {
        let (first, rest) = self.shape.split_first()?;
        let (start, length) = (usize::try_from(start).ok()?, usize::try_from(length).ok()?);
        if start.checked_add(length)? > *first {
            return None;
        }
        let offset = self.offset + start * rest.iter().product::<usize>();
        let shape = std::iter::once(length).chain(rest.iter().copied()).collect();
        Some(Tensor { buffer: self.buffer.clone(), offset, shape })
    }

    /// The same elements in another shape of the same size.
    pub fn reshape(&self, shape: Vec<usize>) -> Option<Tensor> {
        let same = size_of(&shape) == Some(self.size());
        same.then(|| Tensor { buffer: self.buffer.clone(), offset: self.offset, shape })
    }

    /// The same elements in a buffer of their own.
    pub fn copy(&self) -> Tensor {
        let range = self.offset..self.offset + self.size();
        let buffer = match &*self.buffer.borrow() {
            Buffer::Ints(values) => Buffer::Ints(values[range].to_vec()),
            Buffer::Floats(values) => Buffer::Floats(values[range].to_vec()),
            Buffer::Values(values) => Buffer::Values(values[range].to_vec()),
        };
        Tensor::new(buffer, self.shape.clone())
    }

    /// A copy with two dimensions exchanged.
    pub fn transpose(&self, first: i64, second: i64) -> Option<Tensor> {
        let dimension = |d: i64| usize::try_from(d).ok().filter(|d| *d < self.shape.len());
        let (first, second) = (dimension(first)?, dimension(second)?);
        let mut shape = self.shape.clone();
        shape.swap(first, second);
        let mut values = Vec::with_capacity(self.size());
        let mut index = vec![0i64; shape.len()];
        for _ in 0..self.size() {
            index.swap(first, second);
            values.push(self.position(&index).map_or(Value::Unit, |position| self.get(position)));
            index.swap(first, second);
            advance(&mut index, &shape);
        }
        let mut buffer = Buffer::of(values);
        if self.size() == 0 {
            buffer = match &*self.buffer.borrow() {
                Buffer::Ints(_) => Buffer::Ints(Vec::new()),
                Buffer::Floats(_) => Buffer::Floats(Vec::new()),
                Buffer::Values(_) => Buffer::Values(Vec::new()),
            };
        }
        Some(Tensor::new(buffer, shape))
    }
}

/// The next index in row-major order; after the last comes the first.
pub fn advance(index: &mut [i64], shape: &[usize]) {
    for (component, extent) in index.iter_mut().zip(shape).rev() {
        *component += 1;
        if *component < *extent as i64 {
            return;
        }
        *component = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(shape: &[usize]) -> Tensor {
        let n = shape.iter().product::<usize>() as i64;
        Tensor::new(Buffer::Ints((0..n).collect()), shape.to_vec())
    }

    fn numbers(tensor: &Tensor) -> Vec<i64> {
        (0..tensor.size()).map(|position| as_int(&tensor.get(position)).unwrap()).collect()
    }

    #[test]
    fn views_share() {
        let whole = counting(&[3, 4]);
        let row = whole.slice(&[1]).unwrap();
        let rows = whole.sub(1, 2).unwrap();
        let flat = rows.reshape(vec![8]).unwrap();
        row.set(2, Value::Int(60));
        assert_eq!(numbers(&flat), [4, 5, 60, 7, 8, 9, 10, 11]);
        let copy = whole.copy();
        row.set(0, Value::Int(40));
        assert_eq!((numbers(&copy)[4], numbers(&whole)[4]), (4, 40));
        assert!(whole.slice(&[3]).is_none() && whole.sub(2, 2).is_none() && whole.reshape(vec![5]).is_none());
        assert!(whole.slice(&[0, 0, 0]).is_none() && whole.sub(-1, 1).is_none());
    }

    #[test]
    fn transposed() {
        let t = counting(&[2, 3]).transpose(0, 1).unwrap();
        assert_eq!((t.shape.clone(), numbers(&t)), (vec![3, 2], vec![0, 3, 1, 4, 2, 5]));
        let t = counting(&[2, 1, 3]).transpose(2, 0).unwrap();
        assert_eq!((t.shape.clone(), numbers(&t)), (vec![3, 1, 2], vec![0, 3, 1, 4, 2, 5]));
        assert_eq!(numbers(&counting(&[0, 3]).transpose(0, 1).unwrap()), Vec::<i64>::new());
        assert!(counting(&[2]).transpose(0, 1).is_none());
    }
}
