//! Search for devices.

use std::sync::OnceLock;

use cudarc::driver::sys::{self, CUdevice, CUdevice_attribute as Attribute};
use cudarc::driver::{DriverError, result};

use super::errors::{HELP, at_start};
use crate::build::Description;

/// Oldest supported driver, in the driver's encoding: CUDA 11.1, which has all functions used here.
const OLDEST: i32 = 11_010;

/// A device that was found.
pub(super) struct Found {
    pub description: Description,
    pub device: CUdevice,
    /// Architecture of the device: 90 for compute capability 9.0.
    pub architecture: u32,
    /// The driver's version, in the driver's encoding.
    pub version: i32,
}

/// Returns all devices, in the driver's order.
pub fn devices() -> Result<Vec<Description>, String> {
    Ok(found()?.into_iter().map(|found| found.description).collect())
}

/// Returns all devices with the driver's handles.
pub(super) fn found() -> Result<Vec<Found>, String> {
    let version = driver()?;
    let count = result::device::get_count().map_err(at_start)?;
    let devices: Result<Vec<Found>, DriverError> =
        (0..count).map(|number| describe(number, version)).collect();
    let devices = devices.map_err(at_start)?;
    if devices.is_empty() {
        return Err(format!("no CUDA device: {HELP}"));
    }
    Ok(devices)
}

/// Starts the driver and returns its version.
fn driver() -> Result<i32, String> {
    static STARTED: OnceLock<Result<i32, String>> = OnceLock::new();
    STARTED.get_or_init(start).clone()
}

fn start() -> Result<i32, String> {
    // SAFETY: loading NVIDIA's library only runs its initialisers.
    if !unsafe { sys::is_culib_present() } {
        return Err(format!("no CUDA driver (libcuda.so): {HELP}"));
    }
    result::init().map_err(at_start)?;
    let mut version = 0;
    // SAFETY: the pointer is to a number that lives during the call.
    unsafe { sys::cuDriverGetVersion(&mut version) }.result().map_err(at_start)?;
    if version < OLDEST {
        let (here, least) = (dotted(version), dotted(OLDEST));
        return Err(format!(
            "the CUDA driver is for CUDA {here}, and {least} is the least: update the driver"
        ));
    }
    Ok(version)
}

fn describe(number: i32, version: i32) -> Result<Found, DriverError> {
    let device = result::device::get(number)?;
    // SAFETY: the device is the driver's own.
    let attribute = |attribute| unsafe { result::device::get_attribute(device, attribute) };
    let major = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?;
    let minor = attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?;
    let units = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
    let architecture = (10 * major + minor) as u32;
    let description = Description {
        name: result::device::get_name(device)?,
        platform: format!("CUDA, sm_{architecture}"),
        driver: format!("for CUDA {}", dotted(version)),
        // SAFETY: as above.
        memory: unsafe { result::device::total_mem(device) }? as u64,
        units: units as u32,
        is_cpu: false,
        f64: true,
        wide_atomics: true,
    };
    Ok(Found { description, device, architecture, version })
}

/// Formats a version with a dot: 13.0 for 13000.
fn dotted(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_written_with_a_dot() {
        assert_eq!([11_010, 12_040, 13_000].map(dotted), ["11.1", "12.4", "13.0"]);
    }

    #[test]
    fn a_machine_without_a_driver_says_what_to_do() {
        match devices() {
            Ok(devices) => assert!(!devices.is_empty()),
            Err(missing) => assert!(missing.contains("CUDA") && missing.contains(": "), "{missing}"),
        }
    }
}
