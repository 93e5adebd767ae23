//! `warpwise devices`: the machines that programs can run on.

use warpwise_gpu::opencl;

use crate::failure::Failure;
use crate::output::{print_line, say};

/// Prints a line for every device, as `--device` takes it, and says what is missing.
pub fn devices() -> Result<u8, Failure> {
    print_line("cpu")?;
    match opencl::devices() {
        Ok(devices) => {
            for (number, device) in devices.iter().enumerate() {
                print_line(&format!("opencl:{number}  {device}"))?;
            }
        }
        Err(missing) => say(&missing),
    }
    Ok(0)
}
