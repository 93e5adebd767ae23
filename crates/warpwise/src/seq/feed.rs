//! The reading side of sources: elements in bulk.
//!
//! A [`Feed`] gives up to so many elements at a time, in order, each once. What cannot be had for lack of memory stays
//! where it is and can be asked for again, fewer at a time. A failing source comes with all elements before the failure.
//!
//! Absent: threads, waiting for memory ([`super::pipeline`]).

use std::collections::VecDeque;

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array as Column, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use super::batch::{Batch, Elements, Extents, Numbers as Extent, item_bytes, part_of};
use crate::graph::ArrayTy;

/// A source of elements.
pub trait Feed: Send {
    /// Up to `count` (at least 1) elements, and up to so many bytes of them, but one in any case. None only at the end.
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory>;

    /// How many elements there are to come, if that is known.
    fn left(&self) -> Option<u64> {
        None
    }

    /// Whether nobody has to wait for elements, so that nothing is gained by beginning with few.
    fn is_ready(&self) -> bool {
        false
    }
}

/// What one reading gave.
pub struct Reading {
    /// The elements.
    pub batch: Batch,
    /// Whether it was the last reading.
    pub end: Option<End>,
}

/// Why a source gives no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// There is no more.
    Finished,
    /// The next element cannot be had.
    Failed(String),
}

/// The numbers of elements.
pub struct Numbers {
    /// The next one.
    pub next: u64,
    /// Before which it ends, if it does.
    pub end: Option<u64>,
}

impl Feed for Numbers {
    fn read(&mut self, count: u64, _: u64, _: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let left = self.end.map_or(u64::MAX, |end| end - self.next);
        let count = count.min(left);
        let extents = Extents::Numbers { first: self.next as i64 };
        self.next += count;
        let end = (count == left).then_some(End::Finished);
        let numbers = Elements { extents, types: vec![ValueType::I64], columns: Vec::new() };
        Ok(Reading { batch: Batch { count: count as usize, arrays: vec![numbers] }, end })
    }

    fn left(&self) -> Option<u64> {
        self.end.map(|end| end - self.next)
    }

    fn is_ready(&self) -> bool {
        true
    }
}

/// An iterator's items, each the components of an element.
pub struct Items<I> {
    items: I,
    types: Vec<ArrayTy>,
    /// What did not fit the memory yet.
    waiting: VecDeque<Vec<Value>>,
    end: Option<End>,
}

impl<I: Iterator<Item = Result<Vec<Value>, String>>> Items<I> {
    /// Elements of these types.
    pub fn new(items: I, types: Vec<ArrayTy>) -> Items<I> {
        Items { items, types, waiting: VecDeque::new(), end: None }
    }

    /// Asks the iterator until so many wait.
    fn fill(&mut self, count: u64, bytes: u64) {
        let mut have: u64 = self.waiting.iter().map(|item| item_bytes(item)).sum();
        while (self.waiting.len() as u64) < count
            && self.end.is_none()
            && (have < bytes || self.waiting.is_empty())
        {
            match self.items.next() {
                Some(Ok(item)) => {
                    have += item_bytes(&item);
                    self.waiting.push_back(item);
                }
                Some(Err(message)) => self.end = Some(End::Failed(message)),
                None => self.end = Some(End::Finished),
            }
        }
    }
}

impl<I: Iterator<Item = Result<Vec<Value>, String>> + Send> Feed for Items<I> {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        self.fill(count, bytes);
        let mut room = bytes;
        let fits = |item: &&Vec<Value>| {
            let size = item_bytes(item);
            let fits = size <= room;
            room = room.saturating_sub(size);
            fits
        };
        let fitting = self.waiting.iter().take_while(fits).count().max(1);
        let count = fitting.min(self.waiting.len()).min(usize::try_from(count).unwrap_or(usize::MAX));
        let batch = Batch::pack(&self.waiting.make_contiguous()[..count], &self.types, memory)?;
        self.waiting.drain(..count);
        let end = if self.waiting.is_empty() { self.end.clone() } else { None };
        Ok(Reading { batch, end })
    }
}

/// The rows of an array of the host, where they lie.
pub struct Rows {
    /// The array's components.
    pub columns: Vec<Column>,
    /// Their types.
    pub types: Vec<ValueType>,
    /// The extents of a row.
    pub shape: Vec<i64>,
    /// The next row.
    pub next: u64,
    /// Before which it ends.
    pub end: u64,
}

impl Feed for Rows {
    fn read(&mut self, count: u64, bytes: u64, _: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let size: i64 = self.shape.iter().product();
        let width: u64 = self.types.iter().map(|ty| ty.scalar().bytes() as u64 * size as u64).sum();
        let count = count.min((bytes / width.max(1)).max(1)).min(self.end - self.next);
        let whole = [&[count as i64], self.shape.as_slice()].concat();
        let first = self.next as usize * size as usize;
        let columns = self.columns.iter().map(|column| part_of(column, first, &whole)).collect();
        self.next += count;
        let end = (self.next == self.end).then_some(End::Finished);
        Ok(Reading { batch: regular(count, self.shape.clone(), self.types.clone(), columns), end })
    }

    fn left(&self) -> Option<u64> {
        Some(self.end - self.next)
    }

    fn is_ready(&self) -> bool {
        true
    }
}

/// Boxes of equal extents within an array of the host, at given places; windows are such.
pub struct Boxes<I> {
    /// The array's components.
    pub columns: Vec<Column>,
    /// Their types.
    pub types: Vec<ValueType>,
    /// The extents of a box, over all dimensions of the array.
    pub extents: Vec<i64>,
    /// Where boxes begin.
    pub places: I,
}

impl<I: Iterator<Item = Vec<i64>> + Send> Feed for Boxes<I> {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let shape = self.extents.clone();
        let size: i64 = shape.iter().product();
        let width: u64 = self.types.iter().map(|ty| ty.scalar().bytes() as u64 * size as u64).sum();
        let most = count.min((bytes / width.max(1)).max(1));
        let whole = [&[most as i64], shape.as_slice()].concat();
        // Before the places are asked for: what fails here can be asked for again.
        let mut columns = Vec::new();
        for column in &self.columns {
            columns.push(Column::allocate(memory, column.elem(), &whole)?);
        }
        let places: Vec<Vec<i64>> = self.places.by_ref().take(most as usize).collect();
        for (column, target) in self.columns.iter().zip(&mut columns) {
            let mut place = target.bytes_mut(memory)?;
            for corner in &places {
                let bytes = size as usize * column.elem().bytes();
                let (here, rest) = place.split_at_mut(bytes);
                copy_box(column, corner, &self.extents, here);
                place = rest;
            }
        }
        let count = places.len() as u64;
        let end = (count < most).then_some(End::Finished);
        Ok(Reading { batch: regular(count, shape, self.types.clone(), columns), end })
    }

    fn is_ready(&self) -> bool {
        true
    }
}

/// Segments of a vector of the host.
pub struct Segments {
    /// The vector's components.
    pub columns: Vec<Column>,
    /// Their types.
    pub types: Vec<ValueType>,
    /// The lengths of all segments.
    pub lengths: Extent,
    /// The number of the next one.
    pub next: usize,
    /// Where it begins.
    pub start: usize,
    /// Where the vector ends.
    pub end: usize,
}

impl Feed for Segments {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let width: u64 = self.types.iter().map(|ty| ty.scalar().bytes() as u64).sum();
        let count = usize::try_from(count).unwrap_or(usize::MAX).min(self.lengths.len() - self.next);
        let lengths = &self.lengths[self.next..][..count];
        let left = (self.end - self.start) as u64;
        let (starts, total) = Extent::starts(lengths, left.min(bytes / width.max(1)), memory)?;
        let count = starts.len();
        if let Some(&length) = lengths.first().filter(|_| count == 0 || total as u64 > left) {
            let end = Some(End::Failed(no_segment(length, left as i64)));
            return Ok(Reading { batch: Batch::default(), end });
        }
        let columns = self.columns.iter().map(|column| part_of(column, self.start, &[total])).collect();
        let sizes = self.lengths.part(self.next, self.next + count);
        self.next += count;
        self.start += total as usize;
        let end = (self.next == self.lengths.len()).then_some(End::Finished);
        let extents = Extents::Each { sizes: vec![sizes], starts };
        let arrays = vec![Elements { extents, types: self.types.clone(), columns }];
        Ok(Reading { batch: Batch { count, arrays }, end })
    }

    fn left(&self) -> Option<u64> {
        Some((self.lengths.len() - self.next) as u64)
    }

    fn is_ready(&self) -> bool {
        true
    }
}

/// Why there is no segment of this length where so many elements are left.
pub fn no_segment(length: i64, left: i64) -> String {
    if length < 0 {
        return format!("a segment of length {length}");
    }
    format!("the data ends here, {} elements before the end of the segment", length - left)
}

/// So many elements of the same extents, at the start of these columns.
pub fn regular(count: u64, shape: Vec<i64>, types: Vec<ValueType>, columns: Vec<Column>) -> Batch {
    let whole = [&[count as i64], shape.as_slice()].concat();
    let cut =
        |column: Column| Column::from_block(column.elem(), &whole, column.data().clone()).unwrap_or(column);
    let columns = columns.into_iter().map(cut).collect();
    Batch { count: count as usize, arrays: vec![Elements { extents: Extents::Same(shape), types, columns }] }
}

/// Copies a box of an array, row by row.
fn copy_box(column: &Column, corner: &[i64], extents: &[i64], target: &mut [u8]) {
    let width = column.elem().bytes();
    let Some((&row, outer)) = extents.split_last() else {
        target.copy_from_slice(column.bytes());
        return;
    };
    let bytes = row as usize * width;
    if bytes == 0 {
        return;
    }
    for (number, place) in target.chunks_exact_mut(bytes).enumerate() {
        let (mut rest, mut at, mut stride) = (number as i64, 0, 1);
        for dimension in (0..column.rank()).rev() {
            let index = match outer.get(dimension) {
                Some(&extent) => {
                    let index = rest % extent;
                    rest /= extent;
                    index
                }
                None => 0,
            };
            at += (corner[dimension] + index) * stride;
            stride *= column.shape()[dimension];
        }
        let from = at as usize * width;
        place.copy_from_slice(&column.bytes()[from..from + bytes]);
    }
}
