//! Notes about inputs that are not errors.

use std::sync::{Arc, Mutex, PoisonError};

/// Notes in order of occurrence; clones share them.
#[derive(Clone, Default, Debug)]
pub struct Notes(Arc<Mutex<Vec<String>>>);

impl Notes {
    /// Adds a note unless it is already there.
    #[cfg(feature = "csv")]
    pub(super) fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !notes.contains(&note) {
            notes.push(note);
        }
    }

    /// Takes all notes out.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
