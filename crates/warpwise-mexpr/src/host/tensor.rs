//! Tensors: shaped views of shared buffers.
//!
//! The elements of a view lie in row-major order from its offset on. Slices, parts along the first dimension and reshaped
//! tensors are views of the same buffer: what is written through one is seen through all. Integers and floats lie flat, and
//! need not be in the host's memory before the host looks at them ([`Away`]).

use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::fmt;
use std::rc::Rc;

use super::items::{Items, Numbers};
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
    /// In the host's memory.
    Here(Items),
    /// Somewhere else, until the host reads or writes one of them.
    Away(Box<dyn Away>),
}

/// Integers or floats that are not in the host's memory: nothing was written yet ([`Blank`]), or accelerated code wrote last.
pub trait Away: fmt::Debug + Any {
    /// How many there are.
    fn count(&self) -> usize;

    /// The same in the host's memory, or why they cannot be brought there.
    fn fetch(&self) -> Result<Items, String>;
}

/// Zeros that nobody has written or read yet.
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
    /// These integers.
    pub fn ints(numbers: Vec<i64>) -> Buffer {
        Buffer::Here(Items::Ints(Numbers::Own(numbers)))
    }

    /// These floats.
    pub fn floats(numbers: Vec<f64>) -> Buffer {
        Buffer::Here(Items::Floats(Numbers::Own(numbers)))
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        match self {
            Buffer::Here(items) => items.len(),
            Buffer::Away(away) => away.count(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The elements, which are brought to the host if they are not there.
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

    /// The elements of the buffer, on the host.
    fn items(&self) -> Result<RefMut<'_, Items>, String> {
        let mut buffer = self.buffer.borrow_mut();
        buffer.here()?;
        Ok(RefMut::map(buffer, |buffer| match buffer {
            Buffer::Here(items) => items,
            Buffer::Away(_) => unreachable!("they were fetched"),
        }))
    }

    /// The element at a position of the view; says why if it cannot be brought to the host.
    pub fn get(&self, position: usize) -> Result<Value, String> {
        let value = self.items()?.slice().get(self.offset + position);
        Ok(value.unwrap_or(Value::Unit))
    }

    /// Exchanges the element at a position of the view; says why if the others cannot be brought to the host.
    pub fn set(&self, position: usize, value: Value) -> Result<(), String> {
        let before = self.items()?.replace(self.offset + position, value);
        // It may hold the last view of this buffer, which is not in use any more.
        drop(before);
        Ok(())
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
    pub fn copy(&self) -> Result<Tensor, String> {
        let items = self.items()?.slice().part(self.offset, self.size()).to_items();
        Ok(Tensor::new(Buffer::Here(items), self.shape.clone()))
    }

    /// A copy with two dimensions exchanged; none if there are no such dimensions.
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
