//! Notes about inputs that are no errors.

use std::sync::{Arc, Mutex, PoisonError};

/// Notes, in the order in which they came up; clones share them.
#[derive(Clone, Default, Debug)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Adds one, unless it was said before.
    #[cfg(feature = "csv")]
    pub(super) fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Takes all there are.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
