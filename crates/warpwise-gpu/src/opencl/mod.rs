//! OpenCL devices: finding them, their memory, and kernels built for them.
//!
//! The driver is loaded when the first device is requested; without one, errors tell what is missing. Each device has one queue,
//! whose commands run in order. Devices wait for their commands when they are dropped; [`finish_all`] waits for
//! those that are never dropped.
//!
//! Absent on purpose: several queues, sub-devices, images.

mod find;

mod device;
mod kernels;

pub use device::{OpenClDevice, finish_all};
pub use find::devices;
pub use kernels::OpenClKernels;

use opencl3::error_codes::{
    CL_DEVICE_NOT_AVAILABLE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_BUFFER_SIZE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, ClError,
};
use warpwise_runtime::device::DeviceError;

use crate::build::KERNEL_FAILED;

/// Advice if no device is found.
const HELP: &str =
    "install the driver of a GPU, or `pocl-opencl-icd` for the processor, and `ocl-icd-libopencl1`";

/// Classifies an error.
fn driver(error: ClError) -> DeviceError {
    match error.0 {
        CL_MEM_OBJECT_ALLOCATION_FAILURE
        | CL_OUT_OF_HOST_MEMORY
        | CL_OUT_OF_RESOURCES
        | CL_INVALID_BUFFER_SIZE => DeviceError::OutOfMemory,
        CL_DEVICE_NOT_AVAILABLE => DeviceError::Driver(format!(
            "the device is lost: start the program again, and look at the system's log if it comes back ({error})"
        )),
        _ => DeviceError::Driver(error.to_string()),
    }
}

/// Classifies an error of a command that requests no memory but waits for all earlier commands.
fn after_others(error: ClError) -> DeviceError {
    match error.0 {
        CL_OUT_OF_RESOURCES | CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => {
            DeviceError::Driver(format!("{KERNEL_FAILED} ({error})"))
        }
        _ => driver(error),
    }
}
