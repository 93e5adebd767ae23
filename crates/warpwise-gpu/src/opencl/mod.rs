//! OpenCL devices: finding them, their memory, and kernels built for them.
//!
//! The driver is loaded when the first device is asked for; without one everything here says what is missing. One
//! device has one queue, whose commands run in order.
//!
//! Absent on purpose: several queues, sub-devices, images.

mod find;

mod device;
mod kernels;

pub use device::OpenClDevice;
pub use find::devices;
pub use kernels::OpenClKernels;

use opencl3::error_codes::{
    CL_DEVICE_NOT_AVAILABLE, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, CL_INVALID_BUFFER_SIZE,
    CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_HOST_MEMORY, CL_OUT_OF_RESOURCES, ClError,
};
use warpwise_runtime::device::DeviceError;

use crate::build::KERNEL_FAILED;

/// What to install where nothing is found.
const HELP: &str =
    "install the driver of a GPU, or `pocl-opencl-icd` for the processor, and `ocl-icd-libopencl1`";

/// What an error means.
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

/// What an error means of a command that asks for no memory, but waits for all before it.
fn after_others(error: ClError) -> DeviceError {
    match error.0 {
        CL_OUT_OF_RESOURCES | CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST => {
            DeviceError::Driver(format!("{KERNEL_FAILED} ({error})"))
        }
        _ => driver(error),
    }
}
