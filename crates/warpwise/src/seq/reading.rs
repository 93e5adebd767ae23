//! Feeds of files and other byte sources: single elements, segments, blocks and windows.
//!
//! Data that is in memory already, such as mapped files, is used in place. A source gives one component of the elements; several
//! sources are read in step and must end together.
//!
//! Absent: opening files (`warpwise_stream::source` does that).

use warpwise_prim::ValueType;
use warpwise_runtime::array::Array as Column;
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};
use warpwise_stream::source::{End as SourceEnd, Source, View};

use super::batch::{Batch, Elements, Extents, Numbers, part_of};
use super::feed::{End, Feed, Reading, no_segment, regular};
use crate::error::Error;

/// Sources of the components of the same elements.
pub struct Sources {
    sources: Vec<Box<dyn Source>>,
    types: Vec<ValueType>,
    /// Extents of an element.
    shape: Vec<i64>,
    ended: Option<End>,
}

/// Data read from all sources, with equally many elements of each.
struct Taken {
    count: u64,
    /// One array per source; the elements are at its start.
    columns: Vec<Column>,
    end: Option<End>,
}

impl Sources {
    /// Combines sources of these components, whose elements have this rank.
    pub fn new(sources: Vec<Box<dyn Source>>, types: &[ValueType], rank: usize) -> Result<Sources, Error> {
        let found: Vec<ValueType> = sources.iter().map(|source| source.element().scalar).collect();
        let shapes: Vec<&[i64]> = sources.iter().map(|source| &source.element().shape[..]).collect();
        let equal = shapes.iter().all(|shape| shape.len() == rank && shape == &shapes[0]);
        if found != types || !equal {
            let names = |types: &[ValueType]| types.iter().map(|ty| ty.name()).collect::<Vec<_>>().join(", ");
            let (found, types) = (names(&found), names(types));
            return Err(Error::Check(format!(
                "sources of {found} with extents {shapes:?}, where elements of {types} with {rank} dimensions are read"
            )));
        }
        let shape = shapes.first().map_or(Vec::new(), |shape| shape.to_vec());
        Ok(Sources { types: types.to_vec(), shape, ended: None, sources })
    }

    /// Returns the size of an element in bytes, at least 1.
    fn width(&self) -> u64 {
        let widths = self.sources.iter().map(|source| source.element().bytes().unwrap_or(u64::MAX));
        widths.fold(0, u64::saturating_add).max(1)
    }

    /// Reads up to `count` elements; fewer only at the end. If memory does not suffice, nothing is read.
    fn take(&mut self, count: u64, memory: &MemoryPool) -> Result<Taken, OutOfMemory> {
        let left = self.sources.iter().filter_map(|source| source.left()).min();
        let count = left.map_or(count, |left| count.min(left.max(1)));
        let mut rooms = Vec::new();
        for source in &mut self.sources {
            let lies = source.in_place().is_some_and(|source| source.holds(count));
            rooms.push(if lies { None } else { Some(source.element().allocate(count, memory)?) });
        }
        let mut columns = Vec::new();
        let mut reads = Vec::new();
        for (source, room) in self.sources.iter_mut().zip(rooms) {
            let (column, read) = match room {
                Some(mut column) => {
                    let read = source.read(count, column.bytes_mut(memory)?);
                    (column, read)
                }
                None => {
                    let view = source.in_place().and_then(|source| source.view(count));
                    let View { block, read } = view.expect("it holds the elements");
                    let shape = source.element().shape_of(read.count);
                    let column = Column::from_block(source.element().scalar.scalar(), &shape, block);
                    (column.expect("a block of so many elements"), read)
                }
            };
            columns.push(column);
            reads.push(read);
        }
        let common = reads.iter().map(|read| read.count).min().unwrap_or(0);
        let ended =
            reads.iter().zip(&self.sources).find(|(read, _)| read.count == common && read.end.is_some());
        let end = ended.map(|(read, source)| match &read.end {
            Some(SourceEnd::Failed(message)) => End::Failed(format!("{}: {message}", source.name())),
            Some(SourceEnd::Finished) | None => {
                let longer = reads.iter().any(|read| read.count > common || read.end.is_none());
                let message =
                    || format!("{}: the input ends here, but that of another source does not", source.name());
                if longer { End::Failed(message()) } else { End::Finished }
            }
        });
        self.ended = end.clone();
        Ok(Taken { count: common, columns, end })
    }
}

/// Reads the elements of sources unchanged.
impl Feed for Sources {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let count = count.min((bytes / self.width()).max(1));
        let Taken { count, columns, end } = self.take(count, memory)?;
        Ok(Reading { batch: regular(count, self.shape.clone(), self.types.clone(), columns), end })
    }

    fn left(&self) -> Option<u64> {
        self.sources.iter().filter_map(|source| source.left()).min()
    }

    fn is_ready(&self) -> bool {
        self.sources.iter().all(|source| source.is_ready())
    }
}

/// Lengths of segments.
pub enum Lengths {
    /// Given by a source of `i64`; lengths read ahead wait.
    Given {
        /// Source of the lengths.
        source: Sources,
        /// Lengths of the next segments.
        waiting: Numbers,
    },
    /// Equal lengths; only the last segment may be shorter.
    All(i64),
}

/// A feed of consecutive vectors from sources of scalars.
pub struct Segments {
    /// Sources of the scalars.
    pub data: Sources,
    /// Lengths of the vectors.
    pub lengths: Lengths,
}

impl Segments {
    /// Returns the lengths of the next segments, up to `count`.
    fn next(&mut self, count: u64, memory: &MemoryPool) -> Result<Numbers, OutOfMemory> {
        match &mut self.lengths {
            Lengths::All(length) => Numbers::new(count as usize, memory, std::iter::repeat(*length)),
            Lengths::Given { source, waiting } => {
                while (waiting.len() as u64) < count && source.ended.is_none() {
                    let Taken { count, columns, .. } = source.take(count - waiting.len() as u64, memory)?;
                    let fresh = Numbers::from_column(columns[0].clone()).expect("a source of i64");
                    let fresh = fresh.part(0, count as usize);
                    *waiting = match waiting.is_empty() {
                        true => fresh,
                        false => Numbers::on_heap([&waiting[..], &fresh].concat()),
                    };
                }
                Ok(waiting.part(0, waiting.len().min(count as usize)))
            }
        }
    }

    /// Drops the lengths of segments that were read.
    fn done(&mut self, count: usize) {
        if let Lengths::Given { waiting, .. } = &mut self.lengths {
            *waiting = waiting.part(count, waiting.len());
        }
    }

    /// Returns the reason if nothing follows the segments read so far. `missing` scalars are missing in the last segment.
    fn end(
        &mut self,
        end: Option<End>,
        missing: i64,
        memory: &MemoryPool,
    ) -> Result<Option<End>, OutOfMemory> {
        let Lengths::Given { source, waiting } = &self.lengths else { return Ok(end) };
        let failed = |message| Ok(Some(End::Failed(message)));
        match (end, waiting.first()) {
            (Some(End::Failed(message)), _) => failed(message),
            _ if missing > 0 => failed(no_segment(missing, 0)),
            (_, Some(&length)) if length < 0 => failed(no_segment(length, 0)),
            (_, Some(_)) => Ok(None),
            (Some(End::Finished), None) => Ok(source.ended.clone()),
            (None, None) if source.ended == Some(End::Finished) && self.data.ended.is_none() => {
                let Taken { count, end, .. } = self.data.take(1, memory)?;
                if count > 0 {
                    failed("there is more data after the last segment".to_string())
                } else {
                    Ok(end)
                }
            }
            (None, None) => Ok(source.ended.clone()),
        }
    }
}

impl Feed for Segments {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let most = bytes / self.data.width();
        let count = match self.lengths {
            Lengths::All(length) => count.min((most / length.max(1) as u64).max(1)),
            Lengths::Given { .. } => count,
        };
        let sizes = self.next(count, memory)?;
        let (mut starts, wanted) = Numbers::starts(&sizes, most, memory)?;
        if starts.is_empty() {
            return Ok(Reading { batch: Batch::default(), end: self.end(None, 0, memory)? });
        }
        let mut sizes = sizes.part(0, starts.len());
        let taken = match wanted {
            0 => Taken { count: 0, columns: self.empty(memory)?, end: None },
            _ => self.data.take(wanted as u64, memory)?,
        };
        let available = taken.count as i64;
        let ends = sizes.iter().zip(&starts[..]).map(|(size, start)| start.saturating_add(*size));
        let whole =
            if available == wanted { sizes.len() } else { ends.take_while(|&end| end <= available).count() };
        let mut missing = 0;
        if let (Some(size), Some(&start)) = (sizes.get(whole), starts.get(whole)) {
            let left = available - start;
            missing = size - left;
            sizes = if matches!(self.lengths, Lengths::All(_)) && left > 0 {
                Numbers::on_heap([&sizes[..whole], &[left]].concat())
            } else {
                sizes.part(0, whole)
            };
            starts = starts.part(0, sizes.len());
        }
        let total = sizes.last().zip(starts.last()).map_or(0, |(size, start)| size + start);
        self.done(sizes.len());
        let end = self.end(taken.end, missing, memory)?;
        let columns = taken.columns.iter().map(|column| part_of(column, 0, &[total])).collect();
        let count = sizes.len();
        let extents = Extents::Each { sizes: vec![sizes], starts };
        let arrays = vec![Elements { extents, types: self.data.types.clone(), columns }];
        Ok(Reading { batch: Batch { count, arrays }, end })
    }

    fn is_ready(&self) -> bool {
        let lengths = match &self.lengths {
            Lengths::Given { source, .. } => source.is_ready(),
            Lengths::All(_) => true,
        };
        lengths && self.data.is_ready()
    }
}

impl Segments {
    fn empty(&self, memory: &MemoryPool) -> Result<Vec<Column>, OutOfMemory> {
        self.data.types.iter().map(|ty| Column::allocate(memory, ty.scalar(), &[0])).collect()
    }
}

/// A feed of windows, possibly overlapping, from sources of scalars.
pub struct Windows {
    data: Sources,
    size: i64,
    step: i64,
    /// Scalars that the next windows start with, for each source.
    kept: Vec<Vec<u8>>,
    /// Number of scalars between the last scalar read and the next window.
    skipped: i64,
}

impl Windows {
    /// Makes windows of `size` scalars, each starting `step` scalars after the preceding one.
    pub fn new(data: Sources, size: usize, step: usize) -> Windows {
        let kept = vec![Vec::new(); data.types.len()];
        Windows { data, size: size.max(1) as i64, step: step.max(1) as i64, kept, skipped: 0 }
    }

    /// Copies windows to arrays, from the kept scalars and the newly read ones; keeps the rest.
    fn cut(
        &mut self,
        count: i64,
        fresh: &Taken,
        columns: &mut [Column],
        memory: &MemoryPool,
    ) -> Result<(), OutOfMemory> {
        for ((kept, fresh_column), target) in self.kept.iter_mut().zip(&fresh.columns).zip(columns) {
            let width = target.elem().bytes();
            let bytes = &fresh_column.bytes()[..fresh.count as usize * width];
            kept.extend_from_slice(bytes.get(self.skipped as usize * width..).unwrap_or_default());
            let size = self.size as usize * width;
            for (at, window) in
                target.bytes_mut(memory)?.chunks_exact_mut(size).take(count as usize).enumerate()
            {
                let from = at * self.step as usize * width;
                window.copy_from_slice(&kept[from..from + size]);
            }
            kept.drain(..(count as usize * self.step as usize * width).min(kept.len()));
        }
        Ok(())
    }
}

impl Feed for Windows {
    fn read(&mut self, count: u64, bytes: u64, memory: &MemoryPool) -> Result<Reading, OutOfMemory> {
        let most = (bytes / self.data.width().saturating_mul(self.size as u64)).max(1);
        let count = count.min(most) as i64;
        let shape = [count, self.size];
        let allocated = self.data.types.iter().map(|ty| Column::allocate(memory, ty.scalar(), &shape));
        let mut columns = allocated.collect::<Result<Vec<Column>, _>>()?;
        let have = (self.kept[0].len() / self.data.types[0].scalar().bytes()) as i64;
        let wanted = (count - 1) * self.step + self.size - have + self.skipped;
        let fresh = self.data.take(wanted.max(1) as u64, memory)?;
        let there = have + (fresh.count as i64 - self.skipped).max(0);
        let count = if there < self.size { 0 } else { ((there - self.size) / self.step + 1).min(count) };
        self.cut(count, &fresh, &mut columns, memory)?;
        self.skipped = (self.skipped - fresh.count as i64).max(0) + (count * self.step - there).max(0);
        let batch = regular(count as u64, vec![self.size], self.data.types.clone(), columns);
        Ok(Reading { batch, end: fresh.end })
    }

    fn is_ready(&self) -> bool {
        self.data.is_ready()
    }
}
