//! A pass: the programs that compute the demands of all consumers from their sources.
//!
//! Everything is compiled here, on the caller's thread, before anything is read. The resulting [`Pass`] can be sent to the
//! threads that run it.

use warpwise_runtime::memory::MemoryPool;

use super::batch::Batch;
use super::error::SeqCause;
use super::feed::Feed;
use super::program::{ChunkProgram, Experience};
use super::scan::Scanning;
use super::slot::{Origin, Slot, given};
use crate::context::Context;
use crate::error::Error;
use crate::graph::Ref;

/// The demand of a consumer.
pub struct Want {
    /// Arrays of an element.
    pub results: Vec<Ref>,
    /// Slots that the arrays are computed from.
    pub slots: Vec<Slot>,
    /// Maximum number of elements.
    pub limit: Option<u64>,
}

/// A pass ready to run.
pub struct Pass {
    /// The sources to read, in order.
    pub feeds: Vec<Box<dyn Feed>>,
    /// For each consumer, the feeds that it needs, and its maximum number of elements.
    pub needs: Vec<(Vec<usize>, Option<u64>)>,
    /// The computation on a chunk.
    pub steps: Steps,
    /// For every array that consumers take, whether all elements have the same extents.
    pub regular: Vec<bool>,
}

/// The computation on a chunk of the sources' elements.
pub struct Steps {
    scans: Vec<ScanStep>,
    last: ChunkProgram,
    /// Numbers of the slots that the last program takes.
    takes: Vec<usize>,
    /// For each slot, whether it is the result of the next scan; otherwise it is read.
    is_scan: Vec<bool>,
    memory: MemoryPool,
}

/// A scan, and the numbers of the slots that it takes.
struct ScanStep {
    scan: Scanning,
    takes: Vec<usize>,
}

impl Pass {
    /// Compiles the demands. Takes over sources that can be read only once.
    pub fn new(context: &Context, wants: &[Want], memory: &MemoryPool) -> Result<Pass, Error> {
        let mut slots: Vec<Slot> = Vec::new();
        for want in wants {
            want.slots.iter().for_each(|slot| add(slot, &mut slots));
        }
        let mut direct: Vec<Slot> = Vec::new();
        for slot in wants.iter().flat_map(|want| &want.slots) {
            if !direct.contains(slot) {
                direct.push(slot.clone());
            }
        }
        let results: Vec<Ref> = wants.iter().flat_map(|want| want.results.clone()).collect();
        let last = ChunkProgram::new(context, &given(&direct), &results)?;
        let mut scans = Vec::new();
        for slot in &slots {
            if let Origin::Scan(scan) = slot.origin() {
                let takes = numbers(&scan.slots, &slots);
                scans.push(ScanStep { scan: Scanning::new(context, scan)?, takes });
            }
        }
        let regular = last.regular();
        let is_scan = slots.iter().map(|slot| matches!(slot.origin(), Origin::Scan(_))).collect();
        let takes = numbers(&direct, &slots);
        let needs = wants.iter().map(|want| (feeds_of(want, &slots), want.limit)).collect();
        let mut feeds = Vec::new();
        for slot in &slots {
            feeds.extend(slot.feed()?);
        }
        let steps = Steps { scans, last, takes, is_scan, memory: memory.clone() };
        Ok(Pass { feeds, needs, steps, regular })
    }

    /// Returns the number of elements that each consumer takes, if known.
    pub fn expected(&self) -> Vec<Option<u64>> {
        let left: Vec<Option<u64>> = self.feeds.iter().map(|feed| feed.left()).collect();
        let expected = |(feeds, limit): &(Vec<usize>, Option<u64>)| {
            feeds.iter().filter_map(|&feed| left[feed]).chain(*limit).min()
        };
        self.needs.iter().map(expected).collect()
    }

    /// Returns whether all sources are ready without waiting.
    pub fn is_ready(&self) -> bool {
        self.feeds.iter().all(|feed| feed.is_ready())
    }
}

impl Steps {
    /// Returns the experience from earlier passes.
    pub fn experience(&self) -> &Experience {
        &self.last.experience
    }

    /// Computes the arrays that consumers take of a chunk. `given` has the elements of the sources, in order. After a failure, no
    /// state has changed.
    pub fn run(&mut self, given: &[Batch]) -> Result<Batch, SeqCause> {
        let mut given = given.iter();
        let mut scans = self.scans.iter();
        let mut batches: Vec<Batch> = Vec::new();
        let mut states = Vec::new();
        for is_scan in &self.is_scan {
            let batch = match is_scan {
                true => match scans.next() {
                    Some(ScanStep { scan, takes }) => {
                        let (batch, state) = scan.run(&joined(takes, &batches), &self.memory)?;
                        states.push(state);
                        batch
                    }
                    None => Batch::default(),
                },
                false => given.next().cloned().unwrap_or_default(),
            };
            batches.push(batch);
        }
        let result = self.last.call(&joined(&self.takes, &batches), &self.memory)?;
        for (scan, state) in self.scans.iter_mut().zip(states) {
            scan.scan.go_on(state);
        }
        Ok(result)
    }
}

/// Adds a slot, after the slots that it is computed from.
fn add(slot: &Slot, slots: &mut Vec<Slot>) {
    if slots.contains(slot) {
        return;
    }
    if let Origin::Scan(scan) = slot.origin() {
        scan.slots.iter().for_each(|slot| add(slot, slots));
    }
    slots.push(slot.clone());
}

/// Returns the positions of some slots among all slots.
fn numbers(some: &[Slot], all: &[Slot]) -> Vec<usize> {
    some.iter().filter_map(|slot| all.iter().position(|other| other == slot)).collect()
}

/// Returns the feeds that a consumer needs, as positions among the slots that are read.
fn feeds_of(want: &Want, slots: &[Slot]) -> Vec<usize> {
    let mut needed = Vec::new();
    want.slots.iter().for_each(|slot| add(slot, &mut needed));
    let read: Vec<Slot> =
        slots.iter().filter(|slot| matches!(slot.origin(), Origin::Feed { .. })).cloned().collect();
    numbers(&needed, &read)
}

/// Concatenates the arrays of the elements of some slots.
fn joined(takes: &[usize], batches: &[Batch]) -> Batch {
    let count = takes.first().map_or(0, |&at| batches[at].count);
    let arrays = takes.iter().flat_map(|&at| batches[at].arrays.clone()).collect();
    Batch { count, arrays }
}
