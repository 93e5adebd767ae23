//! Elements that arrive in pieces of any size, from a producer of arrays.
//!
//! A piece has an array for each column, and each column is a source. If a piece that stays has all the requested elements, they
//! are used in place; otherwise they are copied together. A producer may reuse the memory of a piece for the next one: unread
//! elements are copied before.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{Block, MemoryPool};

use super::{End, InPlace, Read, Source, View};
use crate::element::ElementType;

/// A producer of arrays.
pub trait Pieces: Send {
    /// Returns the next arrays, or `None` after the last.
    fn next(&mut self) -> Result<Option<Piece>, String>;
}

/// Consecutive rows.
#[derive(Clone, Debug)]
pub struct Piece {
    /// One array for each column.
    pub columns: Vec<Value>,
    /// Whether the arrays are never written to, not even when the next piece is made.
    pub stays: bool,
}

/// A source of one column of the pieces.
pub struct PieceSource {
    name: String,
    element: ElementType,
    column: usize,
    shared: Arc<Mutex<Shared>>,
    left: Option<u64>,
}

/// State that the columns share.
struct Shared {
    pieces: Box<dyn Pieces>,
    elements: Vec<ElementType>,
    /// Unread parts of each column.
    waiting: Vec<VecDeque<Part>>,
    /// Memory for copies.
    memory: MemoryPool,
    end: Option<End>,
}

/// The unread rest of an array.
struct Part {
    array: Array,
    /// Number of rows read.
    at: u64,
    stays: bool,
}

impl PieceSource {
    /// Makes a source for each column, given its name and type. `left` is the number of rows, if known.
    pub fn columns(
        columns: Vec<(String, ElementType)>,
        left: Option<u64>,
        pieces: Box<dyn Pieces>,
        memory: &MemoryPool,
    ) -> Vec<PieceSource> {
        let waiting = columns.iter().map(|_| VecDeque::new()).collect();
        let elements = columns.iter().map(|(_, element)| element.clone()).collect();
        let shared = Shared { pieces, elements, waiting, memory: memory.clone(), end: None };
        let shared = Arc::new(Mutex::new(shared));
        let source = |(column, (name, element))| {
            let shared = Arc::clone(&shared);
            PieceSource { name, element, column, shared, left }
        };
        columns.into_iter().enumerate().map(source).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn passed(&mut self, rows: u64) {
        self.left = self.left.map(|left| left.saturating_sub(rows));
    }
}

impl Part {
    fn rows(&self) -> u64 {
        self.array.shape()[0] as u64 - self.at
    }

    /// Copies the unread rows.
    fn copied(&self, element: &ElementType, memory: &MemoryPool) -> Result<Part, String> {
        let rows = self.rows();
        let mut array = element.allocate(rows, memory).map_err(|error| error.to_string())?;
        let bytes = array.bytes_mut(memory).map_err(|error| error.to_string())?;
        bytes.copy_from_slice(&self.array.bytes()[self.array.bytes().len() - bytes.len()..]);
        Ok(Part { array, at: 0, stays: true })
    }
}

impl Shared {
    /// Returns the next unread part of a column; it has at least one row.
    fn next(&mut self, column: usize) -> Result<&mut Part, End> {
        loop {
            while self.waiting[column].front().is_some_and(|part| part.rows() == 0) {
                self.waiting[column].pop_front();
            }
            if !self.waiting[column].is_empty() {
                break;
            }
            if let Some(end) = &self.end {
                return Err(end.clone());
            }
            match self.piece() {
                Ok(true) => {}
                Ok(false) => self.end = Some(End::Finished),
                Err(message) => self.end = Some(End::Failed(message)),
            }
        }
        self.waiting[column].front_mut().ok_or(End::Finished)
    }

    /// Takes the next piece, and returns whether there was one.
    fn piece(&mut self) -> Result<bool, String> {
        for (element, waiting) in self.elements.iter().zip(&mut self.waiting) {
            for part in waiting.iter_mut().filter(|part| !part.stays && part.rows() > 0) {
                *part = part.copied(element, &self.memory)?;
            }
        }
        let Some(piece) = self.pieces.next()? else { return Ok(false) };
        let stays = piece.stays;
        let parts = self.checked(piece.columns)?;
        for (waiting, array) in self.waiting.iter_mut().zip(parts) {
            waiting.push_back(Part { array, at: 0, stays });
        }
        Ok(true)
    }

    /// Returns the arrays of a piece if their types and lengths are valid.
    fn checked(&self, columns: Vec<Value>) -> Result<Vec<Array>, String> {
        let mut arrays: Vec<Array> = Vec::new();
        for (value, expected) in columns.into_iter().zip(&self.elements) {
            let Value::Array { ty, array } = value else {
                return Err("a scalar is no piece of a stream".to_string());
            };
            let Some((&rows, shape)) = array.shape().split_first() else {
                return Err("an array without dimensions is no piece of a stream".to_string());
            };
            let element = ElementType { scalar: ty, shape: shape.into() };
            if element != *expected {
                return Err(format!("the elements are of type {element}, those before of type {expected}"));
            }
            let first = arrays.first().map_or(rows, |first| first.shape()[0]);
            if first != rows {
                return Err(format!("the columns have {first} and {rows} rows"));
            }
            arrays.push(array);
        }
        if arrays.len() < self.elements.len() {
            return Err(format!(
                "there are {} columns, but {} are wanted",
                arrays.len(),
                self.elements.len()
            ));
        }
        Ok(arrays)
    }
}

impl Source for PieceSource {
    fn name(&self) -> &str {
        &self.name
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        self.left
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let size = target.len().checked_div(count as usize).unwrap_or(0);
        let (mut done, mut end) = (0, None);
        let mut shared = self.lock();
        while done < count && end.is_none() {
            match shared.next(self.column) {
                Ok(part) => {
                    let rows = part.rows().min(count - done);
                    let (place, from, bytes) =
                        (done as usize * size, part.at as usize * size, rows as usize * size);
                    target[place..place + bytes].copy_from_slice(&part.array.bytes()[from..from + bytes]);
                    part.at += rows;
                    done += rows;
                }
                Err(ended) => end = Some(ended),
            }
        }
        drop(shared);
        self.passed(done);
        Read { count: done, end }
    }

    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        Some(self)
    }
}

impl InPlace for PieceSource {
    fn grain(&mut self) -> u64 {
        1
    }

    fn holds(&mut self, count: u64) -> bool {
        self.lock().next(self.column).is_ok_and(|part| part.stays && part.rows() >= count)
    }

    fn view(&mut self, count: u64) -> Option<View> {
        let size = self.element.bytes()? as usize;
        let mut shared = self.lock();
        let part = shared.next(self.column).ok().filter(|part| part.stays && part.rows() >= count)?;
        let from = part.at as usize * size;
        let block = Block::part(part.array.data(), from..from + count as usize * size)?;
        part.at += count;
        drop(shared);
        self.passed(count);
        Some(View { block: Arc::new(block), read: Read { count, end: None } })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI32, Ordering};

    use warpwise_prim::ValueType;
    use warpwise_runtime::array::Shape;

    use super::*;

    /// Pieces that exist already.
    struct There(VecDeque<Result<Vec<Value>, String>>);

    impl Pieces for There {
        fn next(&mut self) -> Result<Option<Piece>, String> {
            let columns = self.0.pop_front().transpose()?;
            Ok(columns.map(|columns| Piece { columns, stays: true }))
        }
    }

    /// The same memory reused for every piece: `[n, n]`, for n from 1 to 3, in both columns.
    struct Again {
        numbers: Arc<[AtomicI32; 2]>,
        made: i32,
    }

    impl Pieces for Again {
        fn next(&mut self) -> Result<Option<Piece>, String> {
            self.made += 1;
            self.numbers.iter().for_each(|number| number.store(self.made, Ordering::Relaxed));
            let start = std::ptr::NonNull::from(&*self.numbers).cast();
            // SAFETY: the memory is kept alive; it is written only when no block is used any more, which this test checks.
            let block = unsafe { Block::shared(start, 8, Arc::clone(&self.numbers) as _) };
            let array = Array::from_block(ValueType::I32.scalar(), &[2], Arc::new(block)).unwrap();
            let columns = vec![Value::array(ValueType::I32, array); 2];
            Ok((self.made <= 3).then_some(Piece { columns, stays: false }))
        }
    }

    fn column(numbers: &[i32]) -> Value {
        Value::array(ValueType::I32, Array::from_vec(&[numbers.len() as i64], numbers.to_vec()))
    }

    fn sources_of(columns: usize, pieces: Box<dyn Pieces>) -> Vec<PieceSource> {
        let element = ElementType { scalar: ValueType::I32, shape: Shape::new() };
        let columns = (0..columns).map(|number| (format!("column {number}"), element.clone())).collect();
        PieceSource::columns(columns, None, pieces, &MemoryPool::new(1 << 20))
    }

    fn sources(columns: usize, pieces: Vec<Result<Vec<Value>, String>>) -> Vec<PieceSource> {
        sources_of(columns, Box::new(There(pieces.into())))
    }

    fn read(source: &mut PieceSource, count: u64) -> (Vec<i32>, Option<End>) {
        let mut target = vec![0_u8; count as usize * 4];
        let Read { count, end } = source.read(count, &mut target);
        let numbers = target.chunks_exact(4).take(count as usize);
        (numbers.map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect(), end)
    }

    #[test]
    fn columns_are_read_at_their_own_pace() {
        let pieces = [&[1, 2, 3][..], &[], &[4], &[5, 6]];
        let negative = |piece: &[i32]| column(&piece.iter().map(|x| -x).collect::<Vec<_>>());
        let mut sources =
            sources(2, pieces.iter().map(|piece| Ok(vec![column(piece), negative(piece)])).collect());
        assert_eq!(read(&mut sources[0], 5), (vec![1, 2, 3, 4, 5], None));
        assert_eq!(read(&mut sources[1], 2), (vec![-1, -2], None));
        assert_eq!(read(&mut sources[0], 5), (vec![6], Some(End::Finished)));
        assert_eq!(read(&mut sources[1], 4), (vec![-3, -4, -5, -6], None));
        assert_eq!(read(&mut sources[1], 1), (vec![], Some(End::Finished)));
    }

    #[test]
    fn memory_may_be_used_again_for_the_next_piece() {
        let again = Again { numbers: Arc::default(), made: 0 };
        let mut sources = sources_of(2, Box::new(again));
        assert!(!sources[0].holds(1) && sources[0].view(1).is_none());
        assert_eq!(read(&mut sources[1], 1), (vec![1], None));
        assert_eq!(read(&mut sources[0], 5), (vec![1, 1, 2, 2, 3], None));
        assert_eq!(read(&mut sources[1], 6), (vec![1, 2, 2, 3, 3], Some(End::Finished)));
    }

    #[test]
    fn what_one_piece_has_is_not_copied() {
        let piece = column(&[1, 2, 3, 4]);
        let Value::Array { array, .. } = &piece else { unreachable!() };
        let start = array.bytes().as_ptr();
        let mut sources = sources(1, vec![Ok(vec![piece.clone()]), Ok(vec![column(&[5])])]);
        let source = &mut sources[0];
        assert!(source.holds(3) && source.holds(4) && !source.holds(5));
        let view = source.view(3).unwrap();
        assert_eq!((view.block.as_ptr(), view.read), (start, Read { count: 3, end: None }));
        assert!(!source.holds(2) && source.view(2).is_none());
        assert_eq!(read(source, 2), (vec![4, 5], None));
        assert!(!source.holds(1));
    }

    #[test]
    fn what_is_wrong_comes_after_what_is_right() {
        let longer = |rows: &[i32]| Ok(vec![column(&[1, 2]), column(rows)]);
        for (piece, message) in [
            (longer(&[1]), "the columns have 2 and 1 rows"),
            (Ok(vec![column(&[1])]), "there are 1 columns, but 2 are wanted"),
            (Ok(vec![Value::from_element(1_i32)]), "a scalar is no piece of a stream"),
            (Err("no more".to_string()), "no more"),
        ] {
            let mut sources = sources(2, vec![longer(&[3, 4]), piece]);
            let failed = Some(End::Failed(message.to_string()));
            assert_eq!(read(&mut sources[1], 4), (vec![3, 4], failed.clone()));
            assert_eq!(read(&mut sources[1], 4), (vec![], failed));
            assert_eq!(read(&mut sources[0], 2), (vec![1, 2], None));
        }
    }
}
