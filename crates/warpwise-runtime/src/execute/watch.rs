//! The failures of a run's launches on a device, which are recorded there and read when something depends on them.
//!
//! Reading the record waits for the device, so launches that may fail follow each other without reading it. The results of a
//! failed launch are never relied on: launches that depend on them do nothing (see [`crate::device::failure`]), and the host
//! reads the record before it takes a value from the device, and before the run ends in any way.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::offload::OnDevice;
use super::profile::Other;
use super::{Machine, RunError};
use crate::device::failure::{self, Recorded};
use crate::device::memory::{Access, DeviceBlock, NoBlock, Pin};
use crate::machine::Check;

/// The known failures of a run.
#[derive(Default)]
pub(super) struct Watch {
    /// Buffer in which launches record failures; set by the first launch that heeds them.
    buffer: RefCell<Option<Arc<DeviceBlock>>>,
    /// Turn of the last launch. Launches alternate, so a launch does not write the word that the launch before it wrote.
    turn: Cell<bool>,
    /// Whether launches since the last look may have failed.
    unknown: Cell<bool>,
}

impl Watch {
    /// Returns the buffer and the turn of the next launch that heeds failures. `may_fail` tells whether the launch may record
    /// one.
    pub fn next(&self, device: &OnDevice, checks: &[Check], may_fail: bool) -> Result<(Pin, bool), NoBlock> {
        let mut buffer = self.buffer.borrow_mut();
        let block = match buffer.take() {
            Some(block) => block,
            None => device.failure_buffer(checks)?,
        };
        let pin = buffer.insert(block).pin(Access::Write)?;
        self.turn.set(!self.turn.get());
        self.unknown.set(self.unknown.get() || may_fail);
        Ok((pin, self.turn.get()))
    }

    /// Returns the records of launches since the last look; waits for launches if there were any.
    pub fn look(&self, checks: &[Check]) -> Result<Recorded, NoBlock> {
        let buffer = self.buffer.borrow();
        let Some(block) = buffer.as_ref().filter(|_| self.unknown.replace(false)) else {
            return Ok(Recorded::default());
        };
        let recorded = failure::read(block, checks)?;
        if recorded != Recorded::default() {
            failure::clear(block, checks)?;
        }
        Ok(recorded)
    }
}

impl Machine {
    /// Raises the failure that the launches of a run have recorded.
    pub(super) fn settle(&self, watch: &Watch) -> Result<(), RunError> {
        if !watch.unknown.get() {
            return Ok(());
        }
        let look = || watch.look(&self.module.checks);
        self.raise(self.profile.other(Other::Look, || 0, look).map_err(RunError::device)?)
    }

    /// Raises a recorded failure.
    pub(super) fn raise(&self, recorded: Recorded) -> Result<(), RunError> {
        match recorded.failed {
            None => Ok(()),
            Some(failed) => Err(RunError::check(&self.module.checks[failed.check as usize], &failed.values)),
        }
    }

    /// Ends a run: its first failure on the device takes precedence over the host's error, unless the run was interrupted.
    pub(super) fn end(&self, watch: &Watch, done: Result<(), RunError>) -> Result<(), RunError> {
        if matches!(done, Err(RunError::Interrupted)) {
            return done;
        }
        self.settle(watch)?;
        if let (Some(device), Some(buffer)) = (self.on_device(), watch.buffer.take()) {
            device.keep_failure_buffer(buffer);
        }
        done
    }
}
