//! Copies between the host and a device.

use warpwise_runtime::device::memory::{Copies as Counted, Traffic};

use super::Context;

/// Copies between the host and a context's device so far, by all computations of the context.
///
/// ```no_run
/// use warpwise::{Acc, Context, Vector};
///
/// let context = Context::opencl(0)?;
/// let double = context.compile(|xs: Acc<Vector<f32>>| xs.map(|x| x * 2.0))?;
/// double.run(&vec![1.0, 2.0, 3.0].try_into()?)?;
/// let traffic = context.device_traffic().expect("a device");
/// assert_eq!((traffic.to_device.bytes, traffic.to_host.bytes), (12, 12));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct DeviceTraffic {
    /// Copies to the device: host arrays, and elements that a program stores one by one.
    pub to_device: Copies,
    /// Copies to the host: results, elements that a program needs to continue, and the outcomes of checks.
    pub to_host: Copies,
    /// Arrays moved out of the device's memory to make room.
    pub evicted: Copies,
    /// Evicted arrays that were copied to the host, because they had changed.
    pub written_back: Copies,
    /// Evicted arrays that were copied back when they were needed.
    pub brought_back: Copies,
}

/// Number and total size of copies.
///
/// ```
/// use warpwise::DeviceTraffic;
///
/// assert_eq!(DeviceTraffic::default().to_host.times, 0);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
#[non_exhaustive]
pub struct Copies {
    /// Number of copies.
    pub times: u64,
    /// Total size in bytes.
    pub bytes: u64,
}

impl Context {
    /// Returns the copies between the host and the device so far; `None` on the processor and the interpreter, and where the
    /// device cannot be opened.
    ///
    /// ```
    /// use warpwise::Context;
    ///
    /// assert!(Context::interpreter().device_traffic().is_none());
    /// ```
    pub fn device_traffic(&self) -> Option<DeviceTraffic> {
        let memory = self.inner.device.device_memory().ok().flatten()?;
        let Traffic { to_device, to_host, evicted, written_back, brought_back } = memory.traffic();
        let copies = |Counted { times, bytes }| Copies { times, bytes };
        Some(DeviceTraffic {
            to_device: copies(to_device),
            to_host: copies(to_host),
            evicted: copies(evicted),
            written_back: copies(written_back),
            brought_back: copies(brought_back),
        })
    }
}
