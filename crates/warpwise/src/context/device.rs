//! The devices of contexts.

use warpwise_driver::{Dialect, Target};
use warpwise_runtime::device::memory::DeviceMemory;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::{CancelFlag, ThreadPool};

use super::Context;
use crate::array::host_memory;
use crate::error::Error;
use crate::foreign::DeviceKind;

/// A device with its memory.
#[derive(Clone)]
pub(super) enum Device {
    /// Compiled code, for the processor or another device.
    Compiled(warpwise_driver::Context, Target),
    /// The reference interpreter, the memory of its results, and the flag that ends its runs.
    Interpreter(MemoryPool, CancelFlag),
}

impl Device {
    pub(super) fn kind(&self) -> DeviceKind {
        match self {
            Device::Compiled(_, Target::Cpu) => DeviceKind::Cpu,
            Device::Compiled(_, Target::Device(Dialect::OpenCl, _)) => DeviceKind::OpenCl,
            Device::Compiled(_, Target::Device(Dialect::Cuda, _)) => DeviceKind::Cuda,
            Device::Interpreter(..) => DeviceKind::Interpreter,
        }
    }

    pub(super) fn memory(&self) -> &MemoryPool {
        match self {
            Device::Compiled(context, _) => context.memory(),
            Device::Interpreter(memory, _) => memory,
        }
    }

    /// Returns the flag that asks its runs to stop.
    pub(super) fn cancel_flag(&self) -> &CancelFlag {
        match self {
            Device::Compiled(context, _) => context.threads().cancel_flag(),
            Device::Interpreter(_, cancel) => cancel,
        }
    }

    /// Returns the same device with at most `bytes` of host memory of its own; a device other than the processor gets the same
    /// limit on its own memory.
    pub(super) fn limited(&self, bytes: u64) -> Device {
        match self.within(&MemoryPool::new(bytes)) {
            Device::Compiled(mut context, target) => {
                context.limit_device(bytes);
                Device::Compiled(context, target)
            }
            interpreter @ Device::Interpreter(..) => interpreter,
        }
    }

    /// Returns the memory of the device, unless it is the processor or the interpreter.
    pub(super) fn device_memory(&self) -> Result<Option<DeviceMemory>, Error> {
        match self {
            Device::Compiled(context, Target::Device(dialect, number)) => {
                let memory = context.device_memory(*dialect, *number);
                memory.map(Some).map_err(|error| Error::Device(error.to_string()))
            }
            Device::Compiled(_, Target::Cpu) | Device::Interpreter(..) => Ok(None),
        }
    }

    /// Returns the same device with other host memory.
    pub(super) fn within(&self, memory: &MemoryPool) -> Device {
        match self {
            Device::Compiled(context, target) => {
                Device::Compiled(context.with_memory(memory.clone()), *target)
            }
            Device::Interpreter(_, cancel) => Device::Interpreter(memory.clone(), cancel.clone()),
        }
    }
}

/// Returns whether this build can compile for a target.
fn has_feature(target: Target) -> bool {
    match target {
        Target::Cpu => cfg!(feature = "cpu"),
        Target::Device(Dialect::OpenCl, _) => cfg!(feature = "opencl"),
        Target::Device(Dialect::Cuda, _) => cfg!(feature = "cuda"),
    }
}

impl Context {
    /// Creates a context on the device named by the environment variable `WARPWISE_DEVICE` (`cpu`, `opencl`, `opencl:N`, `cuda`,
    /// `cuda:N` or `interpreter`). Without the variable, the best device that this build supports and this machine has is taken:
    /// a CUDA device, the CPU, an OpenCL device, the interpreter. Returns [`Error::Device`] if the variable has another value, or
    /// names a device that this build does not support.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::new()?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn new() -> Result<Context, Error> {
        match std::env::var("WARPWISE_DEVICE") {
            Ok(name) => Context::named(&name),
            Err(_) => Ok(Context::best()),
        }
    }

    /// Creates a context on the device that this value of `WARPWISE_DEVICE` names.
    fn named(name: &str) -> Result<Context, Error> {
        let refused = |why: &str| Err(Error::Device(format!("WARPWISE_DEVICE={name}: {why}")));
        if name == "interpreter" {
            return Ok(Context::interpreter());
        }
        match name.parse() {
            Ok(target) if has_feature(target) => Ok(Context::compiling(ThreadPool::with_all_cores(), target)),
            Ok(target) => refused(&format!("this build was made without the feature `{}`", target.kind())),
            Err(_) => refused("expected cpu, opencl, opencl:N, cuda, cuda:N or interpreter"),
        }
    }

    fn best() -> Context {
        let cuda = Target::Device(Dialect::Cuda, 0);
        let opencl = Target::Device(Dialect::OpenCl, 0);
        let usable = |target: &Target| has_feature(*target) && target.is_present();
        match [cuda, Target::Cpu, opencl].into_iter().find(usable) {
            Some(target) => Context::compiling(ThreadPool::with_all_cores(), target),
            None => Context::interpreter(),
        }
    }

    /// Creates a context on all cores of the CPU.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cpu()?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu() -> Result<Context, Error> {
        Ok(Context::compiling(ThreadPool::with_all_cores(), Target::Cpu))
    }

    /// Creates a context on this many threads of the CPU, the calling thread included.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let context = Context::cpu_with_threads(1)?;
    /// assert_eq!(context.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cpu")]
    pub fn cpu_with_threads(threads: usize) -> Result<Context, Error> {
        Ok(Context::compiling(ThreadPool::new(threads.max(1)), Target::Cpu))
    }

    /// Creates a context on an OpenCL device, by its number among the devices of the machine, from 0 on. If the device is
    /// missing, the first computation returns [`Error::Device`]. Operations that devices do not support yet return
    /// [`Error::Limit`].
    ///
    /// ```no_run
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::opencl(0)?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "opencl")]
    pub fn opencl(number: usize) -> Result<Context, Error> {
        Ok(Context::compiling(ThreadPool::with_all_cores(), Target::Device(Dialect::OpenCl, number)))
    }

    /// Creates a context on a CUDA device, by its number among the devices of the machine, from 0 on. NVIDIA's driver and its
    /// compiler for kernels (NVRTC) are looked up at the first computation; if one is missing, [`Error::Device`] names it and the
    /// remedy.
    ///
    /// ```no_run
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::cuda(0)?.run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[cfg(feature = "cuda")]
    pub fn cuda(number: usize) -> Result<Context, Error> {
        Ok(Context::compiling(ThreadPool::with_all_cores(), Target::Device(Dialect::Cuda, number)))
    }

    /// Creates a context on the reference interpreter: slow, one element after the other, and the reference that every device is
    /// tested against.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// assert_eq!(Context::interpreter().run(&enum_from(4, 1).sum())?.to_vec(), [10]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn interpreter() -> Context {
        Context::on(Device::Interpreter(host_memory().clone(), CancelFlag::default()))
    }

    /// Creates a context on a target that this build can compile for.
    fn compiling(threads: ThreadPool, target: Target) -> Context {
        let host = warpwise_driver::Context::with(threads, host_memory().clone());
        Context::on(Device::Compiled(host, target))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_named_as_on_the_command_line() {
        assert_eq!(Context::named("interpreter").unwrap().kind(), DeviceKind::Interpreter);
        assert_eq!(Context::named("cpu").unwrap().kind(), DeviceKind::Cpu);
        assert_eq!(Context::named("opencl:1").unwrap().kind(), DeviceKind::OpenCl);
        assert_eq!(Context::named("cuda").unwrap().kind(), DeviceKind::Cuda);
        for wrong in ["", "gpu", "cpu:1", "cuda:x"] {
            let error = Context::named(wrong).expect_err("no such device").to_string();
            assert!(error.starts_with(&format!("WARPWISE_DEVICE={wrong}: expected cpu")), "{error}");
        }
    }
}
