//! Feeds: reading of elements in bulk.
//!
//! A [`Feed`] returns a limited number of elements at a time, in order, each once. A read that fails for lack of memory consumes
//! nothing, and can be repeated with fewer elements. A failing source returns all elements before the failure.
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
    /// Reads up to `count` (at least 1) elements of up to `bytes` bytes in total, but at least one element. Reads none only at
    /// the end.
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory>;

    /// Returns the number of remaining elements, if known.
    fn left(&self) -> Option<u64> {
        None
    }

    /// Returns whether elements are available without waiting, so that starting with small chunks gains nothing.
    fn is_ready(&self) -> bool {
        false
    }
}

/// Result of a read.
pub struct Reading {
    /// The elements.
    pub batch: Batch,
    /// Reason why this was the last read, if it was.
    pub end: Option<End>,
}

/// Reason why a source has no more elements.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The source is exhausted.
    Finished,
    /// The next element could not be read.
    Failed(String),
}

/// A feed of the numbers of elements.
pub struct Numbers {
    /// Next number.
    pub next: u64,
    /// Number before which the feed ends, if any.
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

/// A feed of an iterator's items, each given by its components.
pub struct Items<I> {
    items: I,
    types: Vec<ArrayTy>,
    /// Items that did not fit in memory yet.
    waiting: VecDeque<Vec<Value>>,
    end: Option<End>,
}

impl<I: Iterator<Item = Result<Vec<Value>, String>>> Items<I> {
    /// Makes a feed of elements of these types.
    pub fn new(items: I, types: Vec<ArrayTy>) -> Items<I> {
        Items { items, types, waiting: VecDeque::new(), end: None }
    }

    /// Asks the iterator for items until `count` of them wait, or as many as fit in `bytes`.
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

/// A feed of the rows of a host array, without copies.
pub struct Rows {
    /// Components of the array.
    pub columns: Vec<Column>,
    /// Types of the components.
    pub types: Vec<ValueType>,
    /// Extents of a row.
    pub shape: Vec<i64>,
    /// Next row.
    pub next: u64,
    /// Row before which the feed ends.
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

/// A feed of boxes of equal extents within a host array, at given places; for example windows.
pub struct Boxes<I> {
    /// Components of the array.
    pub columns: Vec<Column>,
    /// Types of the components.
    pub types: Vec<ValueType>,
    /// Extents of a box, over all dimensions of the array.
    pub extents: Vec<i64>,
    /// First corners of the boxes.
    pub places: I,
}

impl<I: Iterator<Item = Vec<i64>> + Send> Feed for Boxes<I> {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let shape = self.extents.clone();
        let size: i64 = shape.iter().product();
        let width: u64 = self.types.iter().map(|ty| ty.scalar().bytes() as u64 * size as u64).sum();
        let most = count.min((bytes / width.max(1)).max(1));
        let whole = [&[most as i64], shape.as_slice()].concat();
        // Allocated before the places are consumed, so that a failing read can be repeated.
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

/// A feed of the segments of a host vector.
pub struct Segments {
    /// Components of the vector.
    pub columns: Vec<Column>,
    /// Types of the components.
    pub types: Vec<ValueType>,
    /// Lengths of all segments.
    pub lengths: Extent,
    /// Number of the next segment.
    pub next: usize,
    /// Start of the next segment.
    pub start: usize,
    /// End of the vector.
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

/// Returns the message for a segment of this length when only `left` elements remain.
pub fn no_segment(length: i64, left: i64) -> String {
    if length < 0 {
        return format!("a segment of length {length}");
    }
    format!("the data ends here, {} elements before the end of the segment", length - left)
}

/// Makes a batch of `count` elements of equal extents, stored at the start of these columns.
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
