//! Compilation and loading of kernels for the devices whose drivers are part of this build.

use std::sync::Arc;

use warpwise_gpu::build::DriverOf;
use warpwise_gpu::kernel_text::{Dialect, KernelText};
use warpwise_runtime::device::memory::DeviceMemory;
use warpwise_runtime::execute::OnDevice;
use warpwise_runtime::machine::KernelName;
use warpwise_source::fingerprint::Fingerprint;

use crate::cache::DiskCache;

/// Default share of a device's memory that programs may use, in percent.
const DEFAULT_SHARE: u64 = 80;

/// Returns the memory of a device. Programs use `limit` bytes of it, or the default share.
pub(crate) fn memory_of<D: DriverOf + 'static>(device: Arc<D>, limit: Option<u64>) -> DeviceMemory {
    let limit = limit.unwrap_or(device.memory() / 100 * DEFAULT_SHARE);
    DeviceMemory::new(device, limit)
}

/// Builds kernels on a device with this memory.
pub(crate) fn load<D: DriverOf + 'static>(
    (device, memory): (&Arc<D>, &DeviceMemory),
    dialect: Dialect,
    (text, names): (&KernelText, &[KernelName]),
    cache: Option<&DiskCache>,
) -> Result<OnDevice, String> {
    if text.features.f64 && !device.description().f64 {
        return Err(no_doubles(&device.description().name, names));
    }
    let slot = cache.map(|cache| (cache, binary_key(&**device, dialect, text)));
    let known = slot.and_then(|(cache, key)| cache.get(key).ok().flatten());
    let built = device.build(text, known.as_deref()).map_err(|error| error.to_string())?;
    if let (Some((cache, key)), Some(binary)) = (slot, built.binary)
        && known.as_ref() != Some(&binary)
    {
        // If the binary cannot be kept, only time is lost.
        let _ = cache.put(key, &binary);
    }
    Ok(OnDevice::new(memory.clone(), built.kernels, text.kernels.clone()))
}

/// Returns the message for a program that computes with `f64` on a device without it.
fn no_doubles(device: &str, names: &[KernelName]) -> String {
    let message = format!("{device} does not compute with f64");
    match names.iter().find(|name| !name.doubles.is_empty()) {
        Some(KernelName { doubles, .. }) => {
            format!("{message}, and {doubles} is one: use f32, or another device")
        }
        // Some operators on narrower floats are computed in `f64`.
        None => format!("{message}, which the program needs: use another device"),
    }
}

fn binary_key(device: &impl DriverOf, dialect: Dialect, text: &KernelText) -> u128 {
    let mut fingerprint = Fingerprint::new();
    let description = device.description();
    fingerprint.add(&[&description.name, &description.platform, &description.driver]);
    fingerprint.add(dialect.build_options());
    fingerprint.add(&text.text);
    fingerprint.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_without_doubles_are_told_which_expression_has_them() {
        let name = |doubles: &str| KernelName { doubles: doubles.to_string(), ..KernelName::default() };
        let names = [name(""), name("`x + 1f64` at p.fut:3:7"), name("`y` at p.fut:9:1")];
        let message = no_doubles("a device", &names);
        let wanted = "a device does not compute with f64, and `x + 1f64` at p.fut:3:7 is one: use f32, or another device";
        assert_eq!(message, wanted);
        assert!(no_doubles("a device", &names[..1]).contains("which the program needs"));
    }
}
