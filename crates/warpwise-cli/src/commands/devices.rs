//! `warpwise devices`: the machines that programs can run on.

use warpwise_gpu::build::Description;
use warpwise_gpu::kernel_text::Dialect;
use warpwise_gpu::{cuda, opencl};

use crate::failure::Failure;
use crate::output::{print_line, say};

/// Prints a line for every device, in the form that `--device` takes, and a message for each missing driver.
pub fn devices() -> Result<u8, Failure> {
    print_line("cpu")?;
    list(Dialect::OpenCl, opencl::devices())?;
    let found = cuda::devices();
    let some = found.as_ref().is_ok_and(|devices| !devices.is_empty());
    list(Dialect::Cuda, found)?;
    // The driver alone lists devices, but cannot compile code for them.
    if let (true, Err(missing)) = (some, cuda::Compiler::find(None)) {
        say(&missing);
    }
    Ok(0)
}

fn list(dialect: Dialect, found: Result<Vec<Description>, String>) -> Result<(), Failure> {
    match found {
        Ok(devices) => {
            for (number, device) in devices.iter().enumerate() {
                print_line(&format!("{}:{number}  {device}", dialect.device()))?;
            }
        }
        Err(missing) => say(&missing),
    }
    Ok(())
}
