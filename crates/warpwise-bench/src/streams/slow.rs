//! A source as slow as a disk.

use std::time::{Duration, Instant};

use warpwise_stream::ElementType;
use warpwise_stream::source::{Read, Source};

/// Gives the elements of another source no faster than at a certain speed.
pub struct Slow {
    source: Box<dyn Source>,
    /// Seconds for a byte.
    pace: f64,
    /// When the first byte was asked for, and how many were given.
    start: Option<Instant>,
    given: u64,
}

impl Slow {
    /// All bytes of the source take so long.
    pub fn new(source: Box<dyn Source>, bytes: u64, all: Duration) -> Slow {
        Slow { source, pace: all.as_secs_f64() / bytes.max(1) as f64, start: None, given: 0 }
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
        let start = *self.start.get_or_insert_with(Instant::now);
        let read = self.source.read(count, target);
        self.given += target.len() as u64;
        let due = start + Duration::from_secs_f64(self.pace * self.given as f64);
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        read
    }
}
