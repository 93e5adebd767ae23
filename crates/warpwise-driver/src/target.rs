//! The machine that a program is compiled for and runs on: the processor, or a device.

use std::fmt;
use std::str::FromStr;

use warpwise_diag::Failure;
#[cfg(any(feature = "opencl", feature = "cuda"))]
use warpwise_gpu::build::Description;
use warpwise_gpu::kernel_text::{Dialect, KernelText, kernel_text};
use warpwise_imp::ImpProgram;

/// The machine that kernels run on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Target {
    /// The processor.
    #[default]
    Cpu,
    /// A device: its driver's language and its number in `warpwise devices`.
    Device(Dialect, usize),
}

/// Prints the kernels of a program for devices of a kind.
pub fn device_text(program: &ImpProgram, dialect: Dialect) -> Result<KernelText, Failure> {
    kernel_text(program.kernels.values(), dialect)
}

#[cfg(any(feature = "opencl", feature = "cuda"))]
fn is_among(devices: Result<Vec<Description>, String>, number: usize) -> bool {
    devices.is_ok_and(|devices| number < devices.len())
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let (name, number) = text.split_once(':').unwrap_or((text, "0"));
        let number = number.parse().map_err(|_| format!("`{number}` is no number of a device"))?;
        match name {
            "cpu" if !text.contains(':') => Ok(Target::Cpu),
            "opencl" => Ok(Target::Device(Dialect::OpenCl, number)),
            "cuda" => Ok(Target::Device(Dialect::Cuda, number)),
            _ => {
                let expected = "expected cpu, opencl, opencl:N, cuda or cuda:N";
                Err(format!("{expected} (`warpwise devices` shows the numbers)"))
            }
        }
    }
}

impl Target {
    /// Returns whether this is the processor, through whatever driver.
    pub fn is_processor(self) -> bool {
        match self {
            Target::Cpu => true,
            #[cfg(feature = "opencl")]
            Target::Device(Dialect::OpenCl, number) => {
                let devices = warpwise_gpu::opencl::devices().unwrap_or_default();
                devices.get(number).is_some_and(|device| device.is_cpu)
            }
            Target::Device(..) => false,
        }
    }

    /// Returns whether this build has the driver for the device and this machine has the device.
    pub fn is_present(self) -> bool {
        match self {
            Target::Cpu => cfg!(feature = "cpu"),
            #[cfg(feature = "opencl")]
            Target::Device(Dialect::OpenCl, number) => is_among(warpwise_gpu::opencl::devices(), number),
            #[cfg(feature = "cuda")]
            Target::Device(Dialect::Cuda, number) => is_among(warpwise_gpu::cuda::devices(), number),
            #[cfg(not(all(feature = "opencl", feature = "cuda")))]
            Target::Device(..) => false,
        }
    }

    /// Returns the kind of the device, as `--device` names it without a number.
    pub fn kind(self) -> &'static str {
        match self {
            Target::Cpu => "cpu",
            Target::Device(dialect, _) => dialect.device(),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Cpu => f.write_str(self.kind()),
            Target::Device(_, number) => write!(f, "{}:{number}", self.kind()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_written_as_they_are_read() {
        for text in ["cpu", "opencl:0", "opencl:3", "cuda:0", "cuda:12"] {
            assert_eq!(text.parse::<Target>().map(|target| target.to_string()), Ok(text.to_string()));
        }
        assert_eq!("opencl".parse(), Ok(Target::Device(Dialect::OpenCl, 0)));
        assert_eq!("cuda".parse(), Ok(Target::Device(Dialect::Cuda, 0)));
        for wrong in ["", "gpu", "opencl:", "opencl:x", "cpu:1", "opencl:-1", "cuda:", "CUDA"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
