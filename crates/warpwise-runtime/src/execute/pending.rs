//! Elements that host code stores into blocks of a device, such as those of array literals.
//!
//! A device takes as long for a write of four bytes as for one of a thousand. Adjacent elements are written together, at the
//! latest before something else uses a block.

use std::sync::Arc;

use smallvec::SmallVec;

use super::RunError;
use super::profile::{Other, Profile};
use crate::device::memory::DeviceBlock;

/// Stores that are not yet written to the device.
#[derive(Default)]
pub(super) struct Pending(Option<Stores>);

/// Neighbouring elements of a block.
struct Stores {
    block: Arc<DeviceBlock>,
    /// Offset of the first element, in bytes.
    at: u64,
    bytes: SmallVec<[u8; 64]>,
}

impl Pending {
    /// Stores an element. Pending stores are written first unless this element follows them directly.
    pub fn store(
        &mut self,
        block: &Arc<DeviceBlock>,
        at: u64,
        element: &[u8],
        profile: &Profile,
    ) -> Result<(), RunError> {
        match &mut self.0 {
            Some(stores) if stores.end() == at && Arc::ptr_eq(&stores.block, block) => {
                stores.bytes.extend_from_slice(element);
                Ok(())
            }
            stores => {
                let next = Stores { block: Arc::clone(block), at, bytes: SmallVec::from_slice(element) };
                stores.replace(next).map_or(Ok(()), |before| before.write(profile))
            }
        }
    }

    /// Writes the pending stores.
    pub fn write(&mut self, profile: &Profile) -> Result<(), RunError> {
        self.0.take().map_or(Ok(()), |stores| stores.write(profile))
    }
}

impl Stores {
    fn end(&self) -> u64 {
        self.at + self.bytes.len() as u64
    }

    fn write(&self, profile: &Profile) -> Result<(), RunError> {
        let write = || self.block.write(self.at, &self.bytes).map_err(RunError::device);
        profile.other(Other::ToDevice, || self.bytes.len() as u64, write)
    }
}
