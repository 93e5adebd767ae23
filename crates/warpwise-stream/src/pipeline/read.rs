//! The reading side: from sources to chunks.

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{Block, OutOfMemory};

use super::{Chunk, Grouping, Settings, units};
use crate::element::{Cause, StreamError};
use crate::source::{End, InPlace, Read, Source, View};

/// Interval of retries while others may give memory back.
pub(super) const PATIENCE: Duration = Duration::from_millis(1);

/// Number of elements that a source of several reads in its turn.
const TURN: u64 = 4096;

/// A reader of chunks, until the sources end.
pub(super) struct Reader {
    sources: Vec<Box<dyn Source>>,
    settings: Settings,
    size: Arc<AtomicU64>,
    /// Number of elements read so far.
    at: u64,
    /// Token held by all chunks and results.
    token: Arc<()>,
    ended: Option<Option<Cause>>,
}

/// A chunk, or the reason why there are no more.
pub(super) type Message = Result<Chunk, StreamError>;

impl Reader {
    pub(super) fn new(sources: Vec<Box<dyn Source>>, settings: Settings, size: Arc<AtomicU64>) -> Reader {
        Reader { sources, settings, size, at: 0, token: Arc::new(()), ended: None }
    }

    /// Returns the next chunk. A stream without elements is one empty chunk, so that the step determines the types of its
    /// results. Elements read before a failure are returned before it.
    pub(super) fn next(&mut self) -> Option<Message> {
        match self.ended.take() {
            Some(None) => {
                self.ended = Some(None);
                return None;
            }
            Some(Some(cause)) => {
                self.ended = Some(None);
                return Some(Err(StreamError { element: self.at, cause }));
            }
            None => {}
        }
        let first = self.at;
        let asked = units(&self.size);
        let calls = self.chunk(asked);
        if calls.is_empty() && first > 0 || matches!((&self.ended, calls.len()), (Some(Some(_)), 0)) {
            return self.next();
        }
        let unit = self.settings.grouping.unit();
        // Elements that were added for alignment do not count, because the policy learns from the number it asked for.
        let units = (self.at - first).div_ceil(unit).min(asked);
        Some(Ok(Chunk { first, calls, units, _token: Arc::clone(&self.token) }))
    }

    /// Reads `units` units, or fewer at the end.
    fn chunk(&mut self, units: u64) -> Vec<(u64, Vec<Value>)> {
        let (calls, elements) = match self.settings.grouping {
            Grouping::Blocks(count) => (units, count.max(1)),
            Grouping::Fixed(count) => (1, count.max(1)),
            Grouping::Elementwise => (1, units),
        };
        let mut all = Vec::new();
        for _ in 0..calls {
            if self.settings.cancel.is_set() {
                self.ended.get_or_insert(Some(Cause::Cancelled));
            }
            if self.ended.is_some() {
                break;
            }
            let (count, columns) = self.elements(elements);
            let is_first = self.at == 0 && self.ended == Some(None);
            if count > 0 || is_first {
                all.push((count, columns));
            }
            self.at += count;
            if self.would_wait(elements) {
                break;
            }
        }
        all
    }

    /// Returns whether reading `count` elements might wait for the writer of an input. If so, the elements read so far are
    /// computed on meanwhile.
    fn would_wait(&mut self, count: u64) -> bool {
        self.sources
            .iter_mut()
            .any(|source| source.arrived(Duration::ZERO).is_some_and(|there| there < count))
    }

    /// Reads `count` elements of every source, or fewer at the end; returns their number, and the arrays.
    fn elements(&mut self, count: u64) -> (u64, Vec<Value>) {
        // No more than are left: a file may be smaller than a block.
        let left = self.sources.iter().filter_map(|source| source.left()).max();
        let count = left.map_or(count, |left| count.min(left.max(1)));
        let aligned = self.aligned(count);
        let (count, blocks) = match self.room(aligned) {
            Ok(room) => room,
            Err(error) => {
                self.ended = Some(Some(Cause::Memory(error)));
                return (0, Vec::new());
            }
        };
        let mut views = match self.settings.patience {
            Some(patience)
                if self.sources.iter_mut().all(|source| source.arrived(Duration::ZERO).is_some()) =>
            {
                self.arriving(count, blocks, patience)
            }
            _ => self.whole(count, blocks),
        };
        self.settle(&mut views);
        let common = views.iter().map(|view| view.read.count).min().unwrap_or(0);
        let ends = views.iter().map(|view| (view.read.count, view.read.end.as_ref()));
        self.ended = ending(&self.sources, ends.collect());
        let values = self.sources.iter().zip(views).filter_map(|(source, view)| {
            let element = source.element();
            let array = Array::from_block(element.scalar.scalar(), &element.shape_of(common), view.block)?;
            Some(Value::array(element.scalar, array))
        });
        (common, values.collect())
    }

    /// Reads `count` elements of every source, or fewer at its end.
    fn whole(&mut self, count: u64, rooms: Vec<Option<Block>>) -> Vec<View> {
        // Sources that share an input keep the elements of the others, so they take turns.
        let turn = if self.sources.len() > 1 { TURN } else { count };
        let nothing = Read { count: 0, end: None };
        let mut reads: Vec<(Option<Block>, Read)> =
            rooms.into_iter().map(|room| (room, nothing.clone())).collect();
        for _ in 0..count.div_ceil(turn.max(1)).max(1) {
            for (source, (room, read)) in self.sources.iter_mut().zip(&mut reads) {
                let Some(room) = room else { continue };
                if read.end.is_none() && read.count < count {
                    read_on(source, count, turn, room, read);
                }
            }
        }
        let view = |(source, (room, read)): (&mut Box<dyn Source>, (Option<Block>, Read))| match room {
            Some(block) => Some(View { block: Arc::new(block), read }),
            None => source.in_place().and_then(|source| source.view(count)),
        };
        self.sources.iter_mut().zip(reads).filter_map(view).collect()
    }

    /// Reads up to `count` elements of every source, at least one; stops when none arrives within `patience`.
    fn arriving(&mut self, count: u64, blocks: Vec<Option<Block>>, patience: Duration) -> Vec<View> {
        let mut blocks: Vec<Block> = blocks.into_iter().flatten().collect();
        let nothing = Read { count: 0, end: None };
        let mut reads = vec![nothing; self.sources.len()];
        let mut done = 0;
        while done < count && reads.iter().all(|read| read.end.is_none()) {
            let arrived = self.sources.iter_mut().filter_map(|source| source.arrived(patience)).min();
            let ready = arrived.unwrap_or(0).min(count - done);
            if ready == 0 && done > 0 {
                break;
            }
            // The call waits for the first element in any case.
            let asked = ready.max(1);
            for ((source, block), read) in self.sources.iter_mut().zip(&mut blocks).zip(&mut reads) {
                read_on(source, count, asked, block, read);
            }
            done += asked;
        }
        let view = |(block, read)| View { block: Arc::new(block), read };
        blocks.into_iter().zip(reads).map(view).collect()
    }

    /// Finds out whether sources that have delivered all that was asked have ended, too, when another one has ended there. A file
    /// knows its end with its last element, and a pipe only after it.
    fn settle(&mut self, views: &mut [View]) {
        let count = |view: &View| view.read.count;
        let Some(common) = views.iter().filter(|view| view.read.end.is_some()).map(count).min() else {
            return;
        };
        for (source, view) in self.sources.iter_mut().zip(views) {
            let size = source.element().bytes().and_then(|bytes| usize::try_from(bytes).ok());
            if let (true, None, Some(size)) = (view.read.count == common, &view.read.end, size) {
                let next = source.read(1, &mut vec![0; size]);
                view.read = Read { count: view.read.count + next.count, end: next.end };
            }
        }
    }

    /// Returns `count`, or slightly more if elements can then be used in place.
    fn aligned(&mut self, count: u64) -> u64 {
        let grains = self.sources.iter_mut().filter_map(|source| source.in_place());
        match self.settings.grouping {
            Grouping::Elementwise => {
                // All grains are powers of two.
                count.saturating_add(
                    grains.map(InPlace::grain).max().map_or(0, |grain| (grain - count % grain) % grain),
                )
            }
            Grouping::Blocks(_) | Grouping::Fixed(_) => count,
        }
    }

    /// Allocates room for `count` elements of the sources whose elements are not in memory. With [`Grouping::Elementwise`] there
    /// may be room for fewer.
    fn room(&mut self, mut count: u64) -> Result<(u64, Vec<Option<Block>>), OutOfMemory> {
        loop {
            match self.rooms(count) {
                Ok(rooms) => return Ok((count, rooms)),
                Err(error) => {
                    let others = Arc::strong_count(&self.token) > 1 && !self.settings.cancel.is_set();
                    match self.settings.grouping {
                        _ if others => std::thread::sleep(PATIENCE),
                        Grouping::Elementwise if count > 1 => count /= 2,
                        Grouping::Elementwise | Grouping::Blocks(_) | Grouping::Fixed(_) => {
                            return Err(error);
                        }
                    }
                }
            }
        }
    }

    fn rooms(&mut self, count: u64) -> Result<Vec<Option<Block>>, OutOfMemory> {
        let memory = &self.settings.memory;
        let room = |source: &mut Box<dyn Source>| {
            if source.in_place().is_some_and(|source| source.holds(count)) {
                return Ok(None);
            }
            let bytes = source.element().bytes();
            memory.allocate_elements(bytes.and_then(|bytes| bytes.checked_mul(count)), 1).map(Some)
        };
        self.sources.iter_mut().map(room).collect()
    }
}

/// Reads up to `turn` further elements of `count`, into the place behind those that `read` counts.
fn read_on(source: &mut Box<dyn Source>, count: u64, turn: u64, room: &mut Block, read: &mut Read) {
    let size = room.as_slice().len().checked_div(count as usize).unwrap_or(0);
    let asked = turn.min(count - read.count);
    let place = read.count as usize * size;
    let next = source.read(asked, &mut room.as_mut_slice()[place..place + asked as usize * size]);
    *read = Read { count: read.count + next.count, end: next.end };
}

/// Returns how a stream of several sources ends, if it does: the source that yielded the fewest elements decides, and the others
/// must not have more.
fn ending(sources: &[Box<dyn Source>], ends: Vec<(u64, Option<&End>)>) -> Option<Option<Cause>> {
    let (&(least, _), &(most, _)) =
        (ends.iter().min_by_key(|(count, _)| count)?, ends.iter().max_by_key(|(count, _)| count)?);
    let failed = |name: &str, message: String| Some(Some(Cause::Source { name: name.to_string(), message }));
    let at_least = || sources.iter().zip(&ends).filter(|(_, (count, _))| *count == least);
    for (source, (_, end)) in at_least() {
        if let Some(End::Failed(message)) = end {
            return failed(source.name(), message.clone());
        }
    }
    let (ended, _) = at_least().find(|(_, (_, end))| end.is_some())?;
    let all = ends.iter().all(|(_, end)| end.is_some());
    if least == most && all {
        return Some(None);
    }
    failed(ended.name(), "the input ends here, but that of another source does not".to_string())
}
