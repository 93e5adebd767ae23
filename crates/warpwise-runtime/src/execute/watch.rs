//! The failures of a run's launches on a device: recorded there, and looked at when something depends on them.
//!
//! Looking is a read, which waits for the device, so launches that may fail follow each other without it. What a failed
//! launch should have made is never relied on: launches that would do so do nothing (see [`crate::device::failure`]), and the
//! host looks before it takes a value from the device, and before the run ends, in whatever way.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::offload::OnDevice;
use super::profile::Other;
use super::{Machine, RunError};
use crate::device::failure::{self, Recorded};
use crate::device::memory::{Access, DeviceBlock, NoBlock, Pin};
use crate::machine::Check;

/// The failures of a run, as far as known.
#[derive(Default)]
pub(super) struct Watch {
    /// The buffer that launches record in, once there is one.
    buffer: RefCell<Option<Arc<DeviceBlock>>>,
    /// Whose turn it is: a launch's word is the one that the launch before it does not write.
    turn: Cell<bool>,
    /// Whether there were launches that may have failed since somebody looked.
    unknown: Cell<bool>,
}

impl Watch {
    /// The buffer and the turn of the next launch that heeds failures; `may_fail`: and that may add one.
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
    /// Raises what the launches of a run have recorded.
    pub(super) fn settle(&self, watch: &Watch) -> Result<(), RunError> {
        if !watch.unknown.get() {
            return Ok(());
        }
        let look = || watch.look(&self.module.checks);
        self.raise(self.profile.other(Other::Look, || 0, look).map_err(RunError::device)?)
    }

    /// Raises what was recorded.
    pub(super) fn raise(&self, recorded: Recorded) -> Result<(), RunError> {
        match recorded.failed {
            None => Ok(()),
            Some(failed) => Err(RunError::check(&self.module.checks[failed.check as usize], &failed.values)),
        }
    }

    /// The end of a run: its first failure on the device comes before whatever the host has met with since.
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
