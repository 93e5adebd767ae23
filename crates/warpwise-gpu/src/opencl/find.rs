//! Search for devices.

use std::sync::{Mutex, PoisonError};

use opencl3::device::{CL_DEVICE_TYPE_ALL, CL_DEVICE_TYPE_CPU, CL_DEVICE_TYPE_GPU, Device};
use opencl3::error_codes::ClError;
use opencl3::platform::get_platforms;

use super::HELP;
use crate::build::Description;

/// Returns all devices of all platforms, GPUs before processors, otherwise in the driver's order.
pub fn devices() -> Result<Vec<Description>, String> {
    Ok(found()?.into_iter().map(|(description, _)| description).collect())
}

/// Returns all devices with the driver's handles.
pub(super) fn found() -> Result<Vec<(Description, Device)>, String> {
    // Drivers set up their devices at the first request, and not all of them expect two threads to make it (PoCL 3.1 crashes).
    static ASKING: Mutex<()> = Mutex::new(());
    let _asking = ASKING.lock().unwrap_or_else(PoisonError::into_inner);
    let platforms = get_platforms().map_err(|error| format!("no OpenCL platform ({error}): {HELP}"))?;
    let mut found = Vec::new();
    for platform in platforms {
        // A platform without devices reports an error.
        for id in platform.get_devices(CL_DEVICE_TYPE_ALL).unwrap_or_default() {
            let device = Device::new(id);
            let name = platform.name().unwrap_or_default();
            if let Ok(description) = describe(&device, name) {
                found.push((description, device));
            }
        }
    }
    if found.is_empty() {
        return Err(format!("no OpenCL device: {HELP}"));
    }
    found.sort_by_key(|(description, _)| description.is_cpu);
    Ok(found)
}

fn describe(device: &Device, platform: String) -> Result<Description, ClError> {
    Ok(Description {
        name: device.name()?.trim().to_string(),
        platform,
        driver: device.driver_version()?,
        memory: device.global_mem_size()?,
        units: device.max_compute_units()?,
        // A simulated device claims to be of all types.
        is_cpu: device.dev_type()? & (CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU) == CL_DEVICE_TYPE_CPU,
        f64: device.double_fp_config().is_ok_and(|config| config != 0),
        wide_atomics: device.extensions()?.contains("cl_khr_int64_base_atomics"),
    })
}
