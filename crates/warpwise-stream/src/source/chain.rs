//! Several inputs as one, one after the other.
//!
//! Each input is opened when the one before has ended, for all arrays at once, since arrays may share the lines of a table.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::{End, InPlace, Leaf, Read, Source, SourceOptions, View, open_columns};
use crate::element::ElementType;

/// The elements of several inputs for one array.
pub struct Chain {
    /// Number of the array among those that share the inputs.
    leaf: usize,
    /// Number of the input that is read.
    at: usize,
    element: ElementType,
    current: Box<dyn Source>,
    rest: Arc<Mutex<Rest>>,
    count: usize,
}

/// The inputs that have not been read to their ends by all arrays.
struct Rest {
    files: Vec<PathBuf>,
    leaves: Vec<Leaf>,
    options: SourceOptions,
    /// Sources of the opened inputs from number `first` on; a source that an array has taken is gone.
    opened: VecDeque<Vec<Option<Box<dyn Source>>>>,
    first: usize,
}

impl Chain {
    /// Opens inputs for several arrays, which take columns as [`open_columns`] describes.
    pub fn open(
        files: &[PathBuf],
        leaves: &[Leaf],
        options: &SourceOptions,
    ) -> Result<Vec<Box<dyn Source>>, String> {
        let Some((first, rest)) = files.split_first() else { return Err("there is no input".to_string()) };
        let sources = open_columns(first, leaves, options)?;
        if rest.is_empty() {
            return Ok(sources);
        }
        if let Some(missing) = rest.iter().find(|path| !path.is_file()) {
            let message = "there is no such file, and only files can follow one another";
            return Err(format!("{}: {message}", missing.display()));
        }
        let rest = Rest {
            files: files.to_vec(),
            leaves: leaves.to_vec(),
            options: options.clone(),
            opened: VecDeque::new(),
            first: 1,
        };
        let (rest, count) = (Arc::new(Mutex::new(rest)), files.len());
        let chain = |(leaf, current): (usize, Box<dyn Source>)| {
            let (element, rest) = (current.element().clone(), Arc::clone(&rest));
            Box::new(Chain { leaf, at: 0, element, current, rest, count }) as Box<dyn Source>
        };
        Ok(sources.into_iter().enumerate().map(chain).collect())
    }

    fn is_last(&self) -> bool {
        self.at + 1 == self.count
    }

    /// Returns the end after what has been read: that of the current input, unless it has ended and another one follows.
    fn end_after(&mut self, end: Option<End>) -> Option<End> {
        match end {
            Some(End::Finished) if !self.is_last() => self.advance().err().map(End::Failed),
            end => end,
        }
    }

    /// Opens the next input.
    fn advance(&mut self) -> Result<(), String> {
        let next = self.rest.lock().unwrap_or_else(PoisonError::into_inner).take(self.at + 1, self.leaf)?;
        if *next.element() != self.element {
            let (found, name, expected) = (next.element(), next.name(), &self.element);
            return Err(format!(
                "the elements of {name} are of type {found}, those of the inputs before it of type {expected}"
            ));
        }
        self.at += 1;
        self.current = next;
        Ok(())
    }
}

impl Rest {
    /// Returns the source of one array from an input.
    fn take(&mut self, input: usize, leaf: usize) -> Result<Box<dyn Source>, String> {
        while self.first + self.opened.len() <= input {
            let path = &self.files[self.first + self.opened.len()];
            let sources = open_columns(path, &self.leaves, &self.options)?;
            self.opened.push_back(sources.into_iter().map(Some).collect());
        }
        let taken = self.opened.get_mut(input - self.first).and_then(|sources| sources[leaf].take());
        while self.opened.front().is_some_and(|sources| sources.iter().all(Option::is_none)) {
            self.opened.pop_front();
            self.first += 1;
        }
        taken.ok_or_else(|| "the input was read already".to_string())
    }
}

impl Source for Chain {
    fn name(&self) -> &str {
        self.current.name()
    }

    fn element(&self) -> &ElementType {
        &self.element
    }

    fn left(&self) -> Option<u64> {
        if self.is_last() { self.current.left() } else { None }
    }

    fn read(&mut self, count: u64, target: &mut [u8]) -> Read {
        let size = target.len().checked_div(count as usize).unwrap_or(0);
        let mut done = 0;
        loop {
            let (asked, place) = (count - done, done as usize * size);
            let read = self.current.read(asked, &mut target[place..]);
            done += read.count;
            let has_ended = read.end.is_some();
            let end = self.end_after(read.end);
            if end.is_some() || done == count || !has_ended {
                return Read { count: done, end };
            }
        }
    }

    fn is_ready(&self) -> bool {
        self.current.is_ready()
    }

    fn arrived(&mut self, within: Duration) -> Option<u64> {
        self.current.arrived(within)
    }

    fn in_place(&mut self) -> Option<&mut dyn InPlace> {
        if self.current.in_place().is_some() { Some(self) } else { None }
    }
}

impl InPlace for Chain {
    fn grain(&mut self) -> u64 {
        self.current.in_place().map_or(1, InPlace::grain)
    }

    fn holds(&mut self, count: u64) -> bool {
        let suffices = self.is_last() || self.current.left().is_some_and(|left| left >= count);
        suffices && self.current.in_place().is_some_and(|source| source.holds(count))
    }

    fn view(&mut self, count: u64) -> Option<View> {
        let mut view = self.current.in_place()?.view(count)?;
        view.read.end = self.end_after(view.read.end.take());
        Some(view)
    }
}
