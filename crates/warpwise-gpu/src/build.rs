//! The part that is the same for all drivers: descriptions of devices, results of building a text, and the division of a launch
//! into groups.
//!
//! Absent on purpose: everything that calls a driver.

use std::fmt;
use std::sync::Arc;

use warpwise_runtime::device::{Device, DeviceKernels};

use crate::kernel_text::{Features, KernelText};

/// Message for a kernel failure that no check of the kernel found.
#[cfg(any(feature = "cuda", feature = "opencl"))]
pub(crate) const KERNEL_FAILED: &str = "a kernel failed, and the device is lost for this program: start it again, and report the error if it comes back";

/// Description of a device, for messages and lists.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Description {
    /// Name of the device.
    pub name: String,
    /// Platform that the device belongs to.
    pub platform: String,
    /// Version of the driver.
    pub driver: String,
    /// Size of the device's memory in bytes.
    pub memory: u64,
    /// Number of units that run work-groups.
    pub units: u32,
    /// Whether the device is the processor itself.
    pub is_cpu: bool,
    /// Whether the device computes with `f64`.
    pub f64: bool,
    /// Whether the device has atomic operations on 64-bit words.
    pub wide_atomics: bool,
}

/// A device that texts can be built for.
pub trait DriverOf: Device {
    /// Returns the device's description.
    fn description(&self) -> &Description;

    /// Builds a text; uses the binary of an earlier build if there is one that the driver still accepts.
    fn build(self: &Arc<Self>, text: &KernelText, binary: Option<&[u8]>) -> Result<Built, BuildError>;
}

/// Result of building a text.
pub struct Built {
    /// The kernels, in the order of the text's list.
    pub kernels: Arc<dyn DeviceKernels>,
    /// The driver's binary, for later builds by the same driver for the same device.
    pub binary: Option<Vec<u8>>,
}

/// Reason why a text cannot be built for a device.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// Something is missing in the device, its driver or its compiler.
    Missing(String),
    /// The driver's compiler refuses the text; its log.
    Refused(String),
}

/// Division of a launch's work-items into groups.
#[cfg(any(feature = "cuda", feature = "opencl"))]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Groups {
    /// Number of groups.
    pub number: u64,
    /// Number of work-items of each group.
    pub size: u64,
}

#[cfg(any(feature = "cuda", feature = "opencl"))]
impl Groups {
    /// Returns the groups of a launch. A kernel with a group size of its own gets one group for each iteration. In other kernels
    /// every work-item does an iteration, and there are as many groups of the usual size as needed.
    pub fn of(group: Option<u32>, iterations: u64, usual: u32) -> Groups {
        match group {
            Some(size) => Groups { number: iterations, size: u64::from(size) },
            None => Groups { number: iterations.div_ceil(u64::from(usual)), size: u64::from(usual) },
        }
    }

    /// Returns the number of all work-items.
    pub fn work_items(self) -> u64 {
        self.number * self.size
    }
}

impl Description {
    /// Fails with a message if the device lacks something that a text needs.
    pub fn suffices(&self, needed: Features) -> Result<(), String> {
        let Description { name, .. } = self;
        if needed.f64 && !self.f64 {
            return Err(format!("{name} does not compute with f64"));
        }
        if needed.wide_atomics && !self.wide_atomics {
            return Err(format!("{name} has no atomic operations on 64-bit words"));
        }
        Ok(())
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description { name, platform, driver, memory, units, .. } = self;
        write!(f, "{name} ({platform}, driver {driver}), {} MiB, {units} units", memory >> 20)?;
        f.write_str(if self.f64 { "" } else { ", no f64" })
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Missing(what) => f.write_str(what),
            BuildError::Refused(log) => {
                write!(f, "the driver's compiler refuses the kernels: {}", log.trim())
            }
        }
    }
}

impl std::error::Error for BuildError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_cut_into_whole_groups() {
        assert_eq!(Groups::of(Some(256), 3, 64), Groups { number: 3, size: 256 });
        for (iterations, number) in [(1, 1), (64, 1), (65, 2), ((1 << 31) + 1, (1 << 25) + 1)] {
            assert_eq!(Groups::of(None, iterations, 64), Groups { number, size: 64 });
        }
        assert_eq!(Groups::of(None, 65, 64).work_items(), 128);
    }

    #[test]
    fn what_a_device_lacks_is_named() {
        let names = ["a device", "a platform", "1.0"].map(String::from);
        let [name, platform, driver] = names;
        let small = Description {
            name,
            platform,
            driver,
            memory: 5 << 20,
            units: 2,
            is_cpu: false,
            f64: false,
            wide_atomics: false,
        };
        let none = Features::default();
        assert_eq!(small.suffices(none), Ok(()));
        let missing = small.suffices(Features { f64: true, ..none }).expect_err("no f64");
        assert_eq!(missing, "a device does not compute with f64");
        assert!(small.suffices(Features { wide_atomics: true, ..none }).is_err());
        assert_eq!(small.to_string(), "a device (a platform, driver 1.0), 5 MiB, 2 units, no f64");
    }
}
