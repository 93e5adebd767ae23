//! The machine that a program is compiled for and runs on: the processor, or a device.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use warpwise_diag::Failure;
use warpwise_gpu::build::DriverOf;
use warpwise_gpu::cuda::CudaDevice;
use warpwise_gpu::kernel_text::{Dialect, KernelText, kernel_text};
use warpwise_gpu::opencl::OpenClDevice;
use warpwise_imp::ImpProgram;
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
    /// A device whose driver takes this language, by its number in `warpwise devices`.
    Device(Dialect, usize),
}

/// The share of a device's memory that programs may use unless told otherwise, in percent.
const DEFAULT_SHARE: u64 = 80;

/// Prints the kernels of a program for devices of a kind.
pub fn device_text(program: &ImpProgram, dialect: Dialect) -> Result<KernelText, Failure> {
    kernel_text(program.kernels.values(), dialect)
}

/// Builds kernels on the device of this number, with at most so many bytes of its memory. What the driver makes of the
/// text is kept in the cache, so that it need not make it again.
pub fn load_on_device(
    (dialect, number): (Dialect, usize),
    text: &KernelText,
    limit: Option<u64>,
    cache: Option<&DiskCache>,
) -> Result<OnDevice, String> {
    match dialect {
        Dialect::OpenCl => load(OpenClDevice::open(number)?, dialect, text, limit, cache),
        Dialect::Cuda => load(CudaDevice::open(number)?, dialect, text, limit, cache),
    }
}

fn load<D: DriverOf + 'static>(
    device: Arc<D>,
    dialect: Dialect,
    text: &KernelText,
    limit: Option<u64>,
    cache: Option<&DiskCache>,
) -> Result<OnDevice, String> {
    let slot = cache.map(|cache| (cache, binary_key(&*device, dialect, text)));
    let known = slot.and_then(|(cache, key)| cache.get(key));
    let built = device.build(text, known.as_deref()).map_err(|error| error.to_string())?;
    if let (Some((cache, key)), Some(binary)) = (slot, built.binary)
        && known.as_ref() != Some(&binary)
    {
        // Only time is lost where it cannot be kept.
        let _ = cache.put(key, &binary);
    }
    let limit = limit.unwrap_or(device.memory() / 100 * DEFAULT_SHARE);
    Ok(OnDevice::new(DeviceMemory::new(device, limit), built.kernels, text.kernels.clone()))
}

fn binary_key(device: &impl DriverOf, dialect: Dialect, text: &KernelText) -> u128 {
    let mut fingerprint = Fingerprint::new();
    let description = device.description();
    fingerprint.add(&[&description.name, &description.platform, &description.driver]);
    fingerprint.add(dialect.build_options());
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
            "opencl" => Ok(Target::Device(Dialect::OpenCl, number)),
            "cuda" => Ok(Target::Device(Dialect::Cuda, number)),
            _ => {
                let expected = "expected cpu, opencl, opencl:N, cuda or cuda:N";
                Err(format!("{expected} (`warpwise devices` shows the numbers)"))
            }
        }
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::Cpu => f.write_str("cpu"),
            Target::Device(dialect, number) => write!(f, "{}:{number}", dialect.device()),
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
