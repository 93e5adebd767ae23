//! One pass: what all consumers want of which sources, as programs.
//!
//! Everything is compiled here, on the thread of the caller, before anything is read. What results ([`Pass`]) can be sent to the
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

/// What a consumer takes.
pub struct Want {
    /// The arrays of an element.
    pub results: Vec<Ref>,
    /// What they are computed from.
    pub slots: Vec<Slot>,
    /// At most so many elements.
    pub limit: Option<u64>,
}

/// A pass ready to run.
pub struct Pass {
    /// The sources that are read, in order.
    pub feeds: Vec<Box<dyn Feed>>,
    /// Which of them each consumer needs, and how many elements it takes.
    pub needs: Vec<(Vec<usize>, Option<u64>)>,
    /// What is done with a chunk.
    pub steps: Steps,
    /// For every array that consumers take, whether all elements have the same extents.
    pub regular: Vec<bool>,
}

/// What is done with a chunk of what the sources gave.
pub struct Steps {
    scans: Vec<ScanStep>,
    last: ChunkProgram,
    /// By number of slot, those that the last program takes.
    takes: Vec<usize>,
    /// For each slot, whether it is the result of the next scan, or else is read.
    is_scan: Vec<bool>,
    memory: MemoryPool,
}

/// A scan, and by number of slot what it takes.
struct ScanStep {
    scan: Scanning,
    takes: Vec<usize>,
}

impl Pass {
    /// Compiles what is wanted. Sources that give their elements once are taken.
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

    /// How many elements each consumer takes, as far as that is known.
    pub fn expected(&self) -> Vec<Option<u64>> {
        let left: Vec<Option<u64>> = self.feeds.iter().map(|feed| feed.left()).collect();
        let expected = |(feeds, limit): &(Vec<usize>, Option<u64>)| {
            feeds.iter().filter_map(|&feed| left[feed]).chain(*limit).min()
        };
        self.needs.iter().map(expected).collect()
    }

    /// Whether nobody has to wait for any source.
    pub fn is_ready(&self) -> bool {
        self.feeds.iter().all(|feed| feed.is_ready())
    }
}

impl Steps {
    /// What is known of the chunks of earlier passes.
    pub fn experience(&self) -> &Experience {
        &self.last.experience
    }

    /// What the consumers take of a chunk; what the sources gave of it stands in their order. Where that fails nothing was done.
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

/// Adds a slot, after those that it is computed from.
fn add(slot: &Slot, slots: &mut Vec<Slot>) {
    if slots.contains(slot) {
        return;
    }
    if let Origin::Scan(scan) = slot.origin() {
        scan.slots.iter().for_each(|slot| add(slot, slots));
    }
    slots.push(slot.clone());
}

/// The numbers of slots among all.
fn numbers(some: &[Slot], all: &[Slot]) -> Vec<usize> {
    some.iter().filter_map(|slot| all.iter().position(|other| other == slot)).collect()
}

/// The sources that a consumer needs, by their numbers among those that are read.
fn feeds_of(want: &Want, slots: &[Slot]) -> Vec<usize> {
    let mut needed = Vec::new();
    want.slots.iter().for_each(|slot| add(slot, &mut needed));
    let read: Vec<Slot> =
        slots.iter().filter(|slot| matches!(slot.origin(), Origin::Feed { .. })).cloned().collect();
    numbers(&needed, &read)
}

/// The arrays of the elements of some slots in a row.
fn joined(takes: &[usize], batches: &[Batch]) -> Batch {
    let count = takes.first().map_or(0, |&at| batches[at].count);
    let arrays = takes.iter().flat_map(|&at| batches[at].arrays.clone()).collect();
    Batch { count, arrays }
}
