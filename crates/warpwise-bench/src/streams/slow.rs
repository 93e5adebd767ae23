//! A source as slow as a disk: its elements come late, but in the same way as from the underlying source. Elements of mapped
//! files are used in place, once they are available.

use std::time::{Duration, Instant};

use warpwise_stream::ElementType;
use warpwise_stream::source::{InPlace, Read, Source, View};

/// A source that yields the elements of another at a limited speed.
pub struct Slow {
    source: Box<dyn Source>,
    /// Seconds per byte.
    pace: f64,
    /// Time at which the first byte was requested, and number of bytes yielded.
    start: Option<Instant>,
    given: u64,
}

impl Slow {
    /// Creates a source whose `bytes` bytes take the time `all`.
    pub fn new(source: Box<dyn Source>, bytes: u64, all: Duration) -> Slow {
        Slow { source, pace: all.as_secs_f64() / bytes.max(1) as f64, start: None, given: 0 }
    }

    /// Starts the clock at the first request.
    fn begin(&mut self) {
        self.start.get_or_insert_with(Instant::now);
    }

    /// Waits until `count` more elements are due.
    fn wait(&mut self, count: u64) {
        self.given += count * self.source.element().bytes().unwrap_or(1);
        if let Some(start) = self.start {
            let due = start + Duration::from_secs_f64(self.pace * self.given as f64);
            std::thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }
}

impl Source for Slow {
    fn name(&self) -> &str {
        self.source.name()
    }

    fn element(&self) -> &ElementType {
        self.source.element()
    }

    fn left(&self) -> Option<u64> {
        self.source.left()
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        self.begin();
        let read = self.source.read(count, target);
        self.wait(read.count);
        read
    }

    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        self.source.in_place()?;
        Some(self)
    }
}

impl InPlace for Slow {
    fn grain(&mut self) -> u64 {
        self.source.in_place().map_or(1, InPlace::grain)
    }

    fn holds(&mut self, count: u64) -> bool {
        self.source.in_place().is_some_and(|source| source.holds(count))
    }

    fn view(&mut self, count: u64) -> Option<View> {
        self.begin();
        let view = self.source.in_place()?.view(count)?;
        self.wait(view.read.count);
        Some(view)
    }
}
