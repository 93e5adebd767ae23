//! The machine that a program is compiled for and runs on: the processor, or a device.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use warpwise_diag::Failure;
use warpwise_gpu::kernel_text::{Dialect, KernelText, kernel_text};
use warpwise_gpu::opencl::{OpenClDevice, OpenClKernels};
use warpwise_imp::ImpProgram;
use warpwise_runtime::device::DeviceKernels;
use warpwise_runtime::device::memory::DeviceMemory;
use warpwise_runtime::execute::OnDevice;

use crate::cache::DiskCache;
use crate::fingerprint::Fingerprint;

/// The machine that kernels run on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
pub enum Target {
    /// The processor.
    #[default]
    Cpu,
    /// An OpenCL device, by its number in `warpwise devices`.
    OpenCl(usize),
}

/// The share of a device's memory that programs may use unless told otherwise, in percent.
const DEFAULT_SHARE: u64 = 80;

/// Prints the kernels of a program for a device.
pub fn device_text(program: &ImpProgram) -> Result<KernelText, Failure> {
    kernel_text(program.kernels.values(), Dialect::OpenCl)
}

/// Builds kernels on an OpenCL device, with at most so many bytes of its memory. What the driver makes of the text is
/// kept in the cache, so that it need not make it again.
pub fn load_opencl(
    number: usize,
    text: &KernelText,
    limit: Option<u64>,
    cache: Option<&DiskCache>,
) -> Result<OnDevice, String> {
    let device = OpenClDevice::open(number)?;
    let slot = cache.map(|cache| (cache, binary_key(&device, text)));
    let known = slot.and_then(|(cache, key)| cache.get(key));
    let kernels = OpenClKernels::build(&device, text, known.as_deref()).map_err(|error| error.to_string())?;
    if let (None, Some((cache, key)), Some(binary)) = (known, slot, kernels.binary()) {
        // Only time is lost where it cannot be kept.
        let _ = cache.put(key, &binary);
    }
    let limit = limit.unwrap_or(device.description().memory / 100 * DEFAULT_SHARE);
    let memory = DeviceMemory::new(device, limit);
    let kernels: Arc<dyn DeviceKernels> = Arc::new(kernels);
    Ok(OnDevice::new(memory, kernels, text.kernels.clone()))
}

fn binary_key(device: &OpenClDevice, text: &KernelText) -> u128 {
    let mut fingerprint = Fingerprint::new();
    let description = device.description();
    fingerprint.add(&[&description.name, &description.platform, &description.driver]);
    fingerprint.add(Dialect::OpenCl.build_options());
    fingerprint.add(&text.text);
    fingerprint.finish()
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Target, String> {
        let (name, number) = text.split_once(':').unwrap_or((text, "0"));
        let number = number.parse().map_err(|_| format!("`{number}` is no number of a device"))?;
        match name {
            "cpu" if !text.contains(':') => Ok(Target::Cpu),
            "opencl" => Ok(Target::OpenCl(number)),
            _ => Err("expected cpu, opencl or opencl:N (`warpwise devices` shows the numbers)".to_string()),
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Cpu => f.write_str("cpu"),
            Target::OpenCl(number) => write!(f, "opencl:{number}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_written_as_they_are_read() {
        for text in ["cpu", "opencl:0", "opencl:3"] {
            assert_eq!(text.parse::<Target>().map(|target| target.to_string()), Ok(text.to_string()));
        }
        assert_eq!("opencl".parse(), Ok(Target::OpenCl(0)));
        for wrong in ["", "gpu", "opencl:", "opencl:x", "cpu:1", "opencl:-1"] {
            assert!(wrong.parse::<Target>().is_err(), "{wrong}");
        }
    }
}
