//! Tensors: shaped views of shared buffers.
//!
//! The elements of a view lie in row-major order from its offset on. Slices, parts along the first dimension and reshaped tensors
//! are views of the same buffer: a write through one of them is seen through all. Integers and floats lie flat, and need not be
//! in the host's memory before the host accesses them ([`Away`]).

use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::fmt;
use std::rc::Rc;

use super::items::{Items, Numbers};
use super::value::Value;

/// A view of a buffer.
#[derive(Clone, Debug)]
pub struct Tensor {
    /// The elements.
    pub buffer: Rc<RefCell<Buffer>>,
    /// Index of the view's first element in the buffer.
    pub offset: usize,
    /// Its extents.
    pub shape: Vec<usize>,
}

/// The elements of one or more views.
#[derive(Debug)]
pub enum Buffer {
    /// Elements in the host's memory.
    Here(Items),
    /// Elements elsewhere, until the host reads or writes one of them.
    Away(Box<dyn Away>),
}

/// Integers or floats that are not in the host's memory: they have not been written yet ([`Blank`]), or accelerated code wrote
/// them last.
pub trait Away: fmt::Debug + Any {
    /// Returns the number of elements.
    fn count(&self) -> usize;

    /// Returns the elements in the host's memory, or the reason why they cannot be fetched.
    fn fetch(&self) -> Result<Items, String>;
}

/// Zeros that have not been written or read yet.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Blank {
    /// A number of integers.
    Ints(usize),
    /// A number of floats.
    Floats(usize),
}

impl Away for Blank {
    fn count(&self) -> usize {
        match self {
            Blank::Ints(n) | Blank::Floats(n) => *n,
        }
    }

    fn fetch(&self) -> Result<Items, String> {
        Ok(match self {
            Blank::Ints(n) => Items::Ints(Numbers::Own(vec![0; *n])),
            Blank::Floats(n) => Items::Floats(Numbers::Own(vec![0.0; *n])),
        })
    }
}

impl Buffer {
    /// Makes a buffer of these integers.
    pub fn ints(numbers: Vec<i64>) -> Buffer {
        Buffer::Here(Items::Ints(Numbers::Own(numbers)))
    }

    /// Makes a buffer of these floats.
    pub fn floats(numbers: Vec<f64>) -> Buffer {
        Buffer::Here(Items::Floats(Numbers::Own(numbers)))
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        match self {
            Buffer::Here(items) => items.len(),
            Buffer::Away(away) => away.count(),
        }
    }

    /// Returns whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the elements, which are fetched to the host if necessary.
    pub fn here(&mut self) -> Result<&mut Items, String> {
        if let Buffer::Away(away) = self {
            *self = Buffer::Here(away.fetch()?);
        }
        match self {
            Buffer::Here(items) => Ok(items),
            Buffer::Away(_) => unreachable!("they were fetched"),
        }
    }
}

/// Returns the number of elements of a shape, if it fits.
pub fn size_of(shape: &[usize]) -> Option<usize> {
    shape
        .iter()
        .try_fold(1usize, |size, extent| size.checked_mul(*extent))
        .filter(|size| *size <= isize::MAX as usize)
}

impl Tensor {
    /// Makes a tensor with a buffer of its own.
    pub fn new(buffer: Buffer, shape: Vec<usize>) -> Tensor {
        Tensor { buffer: Rc::new(RefCell::new(buffer)), offset: 0, shape }
    }

    /// Returns the number of elements.
    pub fn size(&self) -> usize {
        self.shape.iter().product()
    }

    /// Returns the position in the view of an index, which must not have more components than there are dimensions.
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

    /// Returns the elements of the buffer, on the host.
    fn items(&self) -> Result<RefMut<'_, Items>, String> {
        let mut buffer = self.buffer.borrow_mut();
        buffer.here()?;
        Ok(RefMut::map(buffer, |buffer| match buffer {
            Buffer::Here(items) => items,
            Buffer::Away(_) => unreachable!("they were fetched"),
        }))
    }

    /// Returns the element at a position of the view; the error says why the elements cannot be fetched.
    pub fn get(&self, position: usize) -> Result<Value, String> {
        let value = self.items()?.slice().get(self.offset + position);
        Ok(value.unwrap_or(Value::Unit))
    }

    /// Replaces the element at a position of the view; the error says why the elements cannot be fetched.
    pub fn set(&self, position: usize, value: Value) -> Result<(), String> {
        let before = self.items()?.replace(self.offset + position, value);
        // The old element may hold the last view of this buffer, which is no longer borrowed here.
        drop(before);
        Ok(())
    }

    /// Returns the view that the first components of an index select.
    pub fn slice(&self, index: &[i64]) -> Option<Tensor> {
        let position = self.position(index)?;
        let shape = self.shape[index.len()..].to_vec();
        Some(Tensor { buffer: self.buffer.clone(), offset: self.offset + position, shape })
    }

    /// Returns the view of `length` indices of the first dimension, starting at `start`.
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

    /// Returns the same elements in another shape of equal size.
    pub fn reshape(&self, shape: Vec<usize>) -> Option<Tensor> {
        let same = size_of(&shape) == Some(self.size());
        same.then(|| Tensor { buffer: self.buffer.clone(), offset: self.offset, shape })
    }

    /// Copies the elements to a buffer of their own.
    pub fn copy(&self) -> Result<Tensor, String> {
        let items = self.items()?.slice().part(self.offset, self.size()).to_items();
        Ok(Tensor::new(Buffer::Here(items), self.shape.clone()))
    }

    /// Returns a copy with two dimensions exchanged; `None` if the dimensions do not exist.
    pub fn transpose(&self, first: i64, second: i64) -> Result<Option<Tensor>, String> {
        let dimension = |d: i64| usize::try_from(d).ok().filter(|d| *d < self.shape.len());
        let (Some(first), Some(second)) = (dimension(first), dimension(second)) else { return Ok(None) };
        let mut shape = self.shape.clone();
        shape.swap(first, second);
        let mut items = self.items()?.slice().part(self.offset, 0).to_items();
        let mut index = vec![0i64; shape.len()];
        for _ in 0..self.size() {
            index.swap(first, second);
            let position = self.position(&index).unwrap_or_default();
            items.push(self.get(position)?);
            index.swap(first, second);
            advance(&mut index, &shape);
        }
        Ok(Some(Tensor::new(Buffer::Here(items), shape)))
    }
}

/// Advances to the next index in row-major order; the first index follows the last.
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
        Tensor::new(Buffer::ints((0..n).collect()), shape.to_vec())
    }

    fn numbers(tensor: &Tensor) -> Vec<i64> {
        let number = |position| match tensor.get(position) {
            Ok(Value::Int(number)) => number,
            other => panic!("{other:?}"),
        };
        (0..tensor.size()).map(number).collect()
    }

    #[test]
    fn views_share() {
        let whole = counting(&[3, 4]);
        let row = whole.slice(&[1]).unwrap();
        let rows = whole.sub(1, 2).unwrap();
        let flat = rows.reshape(vec![8]).unwrap();
        row.set(2, Value::Int(60)).unwrap();
        assert_eq!(numbers(&flat), [4, 5, 60, 7, 8, 9, 10, 11]);
        let copy = whole.copy().unwrap();
        row.set(0, Value::Int(40)).unwrap();
        assert_eq!((numbers(&copy)[4], numbers(&whole)[4]), (4, 40));
        assert!(whole.slice(&[3]).is_none() && whole.sub(2, 2).is_none() && whole.reshape(vec![5]).is_none());
        assert!(whole.slice(&[0, 0, 0]).is_none() && whole.sub(-1, 1).is_none());
    }

    #[test]
    fn transposed() {
        let t = counting(&[2, 3]).transpose(0, 1).unwrap().unwrap();
        assert_eq!((t.shape.clone(), numbers(&t)), (vec![3, 2], vec![0, 3, 1, 4, 2, 5]));
        let t = counting(&[2, 1, 3]).transpose(2, 0).unwrap().unwrap();
        assert_eq!((t.shape.clone(), numbers(&t)), (vec![3, 1, 2], vec![0, 3, 1, 4, 2, 5]));
        assert_eq!(numbers(&counting(&[0, 3]).transpose(0, 1).unwrap().unwrap()), Vec::<i64>::new());
        assert!(counting(&[2]).transpose(0, 1).unwrap().is_none());
    }
    #[test]
    fn blanks_are_zeros_once_somebody_looks() {
        let blank = Tensor::new(Buffer::Away(Box::new(Blank::Ints(6))), vec![2, 3]);
        let row = blank.slice(&[1]).unwrap();
        assert!(matches!(*blank.buffer.borrow(), Buffer::Away(_)), "views do not look");
        row.set(1, Value::Int(5)).unwrap();
        assert!(matches!(*blank.buffer.borrow(), Buffer::Here(_)));
        assert_eq!(numbers(&blank), [0, 0, 0, 0, 5, 0]);
    }
}
