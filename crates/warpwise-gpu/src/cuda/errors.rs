//! The meaning of the driver's errors, and advice.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "the errors are NVIDIA's: hundreds, and more with each driver"
)]

use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;
use warpwise_runtime::device::DeviceError;

use crate::build::KERNEL_FAILED;

/// Advice if there is no driver.
pub(super) const HELP: &str =
    "install NVIDIA's driver (`nvidia-smi` shows whether it works); `--device opencl` runs on other devices";

/// Explains an error while devices are opened.
pub(super) fn at_start(error: DriverError) -> String {
    let (what, remedy) = match error.0 {
        CUresult::CUDA_ERROR_NO_DEVICE => {
            ("no CUDA device", "is there an NVIDIA GPU, and does CUDA_VISIBLE_DEVICES let programs see it?")
        }
        CUresult::CUDA_ERROR_STUB_LIBRARY => {
            ("the CUDA library found is the stub that programs are linked with", HELP)
        }
        CUresult::CUDA_ERROR_SYSTEM_DRIVER_MISMATCH => (
            "the CUDA library and the driver in the system's kernel are of different versions",
            "restart the machine after an update of the driver",
        ),
        CUresult::CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE => (
            "the CUDA library does not fit the driver in the system's kernel",
            "remove the compatibility library (`cuda-compat`) or update the driver",
        ),
        CUresult::CUDA_ERROR_SYSTEM_NOT_READY => {
            ("the CUDA device is not ready", "start NVIDIA's services (fabric manager, persistence daemon)")
        }
        CUresult::CUDA_ERROR_DEVICE_UNAVAILABLE => {
            ("the CUDA device is in use by another program alone", "wait for it, or change the compute mode")
        }
        _ => ("the CUDA driver does not start", HELP),
    };
    format!("{what} ({}): {remedy}", name(error.0))
}

/// Classifies an error of a running program.
pub(super) fn while_running(error: DriverError) -> DeviceError {
    let what = match error.0 {
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => return DeviceError::OutOfMemory,
        CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES => {
            "a kernel needs more registers or shared memory than a unit of the device has"
        }
        CUresult::CUDA_ERROR_LAUNCH_TIMEOUT => {
            "a kernel ran longer than the driver permits on a device that also shows a screen; the device is lost for this program: start it again"
        }
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_LAUNCH_FAILED => KERNEL_FAILED,
        CUresult::CUDA_ERROR_ECC_UNCORRECTABLE
        | CUresult::CUDA_ERROR_NVLINK_UNCORRECTABLE
        | CUresult::CUDA_ERROR_CONTEXT_IS_DESTROYED
        | CUresult::CUDA_ERROR_DEINITIALIZED
        | CUresult::CUDA_ERROR_UNKNOWN => {
            "the device is lost: start the program again, and look at the system's log for the driver's message (`Xid`) if it comes back"
        }
        _ => "the CUDA driver reports an error",
    };
    DeviceError::Driver(format!("{what} ({})", name(error.0)))
}

/// Explains why machine code cannot be loaded.
pub(super) fn on_loading(error: DriverError, driver: &str) -> String {
    match error.0 {
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_INVALID_IMAGE
        | CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => format!(
            "the driver ({driver}) does not take what NVRTC makes ({}): update the driver, or name an NVRTC as old as it by {}",
            name(error.0),
            super::NVRTC
        ),
        _ => while_running(error).to_string(),
    }
}

/// Returns the name of the error in NVIDIA's documentation.
fn name(error: CUresult) -> String {
    format!("{error:?}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_name_what_to_do() {
        let none = at_start(DriverError(CUresult::CUDA_ERROR_NO_DEVICE));
        assert!(none.contains("CUDA_VISIBLE_DEVICES") && none.contains("CUDA_ERROR_NO_DEVICE"), "{none}");
        let stub = at_start(DriverError(CUresult::CUDA_ERROR_STUB_LIBRARY));
        assert!(stub.contains("nvidia-smi"), "{stub}");
        let old = on_loading(DriverError(CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION), "CUDA 12.2");
        assert!(old.contains("12.2") && old.contains("WARPWISE_NVRTC"), "{old}");
    }

    #[test]
    fn exhaustion_is_told_from_failure() {
        let running = |code| while_running(DriverError(code));
        assert_eq!(running(CUresult::CUDA_ERROR_OUT_OF_MEMORY), DeviceError::OutOfMemory);
        for (code, word) in [
            (CUresult::CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "registers"),
            (CUresult::CUDA_ERROR_ILLEGAL_ADDRESS, "lost"),
            (CUresult::CUDA_ERROR_ECC_UNCORRECTABLE, "Xid"),
            (CUresult::CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"),
        ] {
            let DeviceError::Driver(message) = running(code) else { panic!("{code:?} is no lack of memory") };
            assert!(message.contains(word), "{message}");
        }
    }
}
