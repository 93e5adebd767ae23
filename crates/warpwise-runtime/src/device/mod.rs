//! Devices with memory of their own: the interface of a device, and its memory.
//!
//! A [`Device`] is a driver with a queue: commands are executed in order, and reads wait for the commands before them.
//! [`DeviceKernels`] is a program built for a device. The implementations are in crates above this one. Here is everything that
//! does not depend on the driver: the budget and reuse of device memory, and the eviction of blocks ([`memory`]), arrays that
//! stay on the device between runs ([`mod@array`]), and the buffer in which kernels record failures ([`failure`]).
//!
//! Absent on purpose: drivers, kernel text, more than one device at a time.

pub mod array;
pub mod failure;
pub mod memory;

use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use warpwise_prim::{Scalar, ScalarType};

/// A device with a queue.
pub trait Device: Send + Sync {
    /// Returns the driver's name for the device.
    fn name(&self) -> String;

    /// Returns the size of the device's memory in bytes.
    fn memory(&self) -> u64;

    /// Returns the approximate number of work-items that keep the device busy.
    fn concurrency(&self) -> u64;

    /// Allocates a buffer of at least one byte, with unspecified contents.
    fn allocate(&self, bytes: u64) -> Result<Buffer, DeviceError>;

    /// Frees a buffer once all earlier commands are done.
    fn free(&self, buffer: Buffer);

    /// Writes bytes to a buffer, starting at offset `at`.
    fn write(&self, buffer: Buffer, at: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Reads bytes of a buffer, starting at offset `at`, when all earlier commands are done.
    fn read(&self, buffer: Buffer, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Repeats a pattern of 1, 2, 4 or 8 bytes over `bytes` bytes from `at` on; `at` and `bytes` are multiples of its length.
    fn fill(&self, buffer: Buffer, at: u64, pattern: &[u8], bytes: u64) -> Result<(), DeviceError>;

    /// Copies `bytes` bytes from the start of a buffer to the start of another.
    fn copy(&self, to: Buffer, from: Buffer, bytes: u64) -> Result<(), DeviceError>;

    /// Waits until all earlier commands are done.
    fn finish(&self) -> Result<(), DeviceError>;

    /// Returns the handles that let other code call the driver as well.
    fn handles(&self) -> Handles;

    /// Makes this the thread's current device, for drivers whose functions work on a current device.
    fn make_current(&self) -> Result<(), DeviceError>;
}

/// The driver's handles of a device, for code that calls the driver itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handles {
    /// `cl_device_id`, or the number that represents a `CUdevice`.
    pub device: usize,
    /// `cl_context` or `CUcontext`.
    pub context: usize,
    /// The queue of all commands: a `cl_command_queue`, or the `CUstream` 0.
    pub queue: usize,
}

/// The kernels of a program, built for a device.
pub trait DeviceKernels: Send + Sync {
    /// Launches a kernel for `iterations` iterations.
    ///
    /// # Safety
    /// The arguments match the kernel's parameter list ([`DeviceKernel`]), and every memory argument is large enough for the
    /// kernel's accesses.
    unsafe fn launch(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<(), DeviceError>;

    /// Launches a kernel as [`DeviceKernels::launch`] does, waits for it, and returns its running time by the device's clock.
    ///
    /// # Safety
    /// As for [`DeviceKernels::launch`].
    unsafe fn launch_timed(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<Duration, DeviceError>;
}

/// A buffer of a device, as the driver names it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Buffer(pub u64);

/// An argument of a kernel on a device.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum DeviceArgument {
    /// A scalar.
    Scalar(Scalar),
    /// The start of a buffer.
    Memory(Buffer),
    /// An array in the local memory of each group, with its size in bytes.
    Local(u64),
}

/// A kernel's launch interface. The arguments are the parameters in order, then `first: i64` and `extent: i64` (the work-items do
/// the iterations from `first` to before `extent`). If the kernel heeds failures, the buffer of [`failure`] and the launch's
/// turn, an `i32`, follow. If it has an arena, its buffer and the `i64` number of bytes for each work-item follow. Arrays in
/// local memory come last.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeviceKernel {
    /// Name of the kernel in the kernel text.
    pub name: String,
    /// Parameters, in order.
    pub params: Vec<DeviceParam>,
    /// Number of work-items that do an iteration together, in kernels of work-groups.
    pub group: Option<u32>,
    /// Arrays in local memory whose sizes depend on the launch.
    pub local: Vec<LocalSize>,
    /// Number of iterations per work-item in large launches. A launch has one work-item for each iteration, or one for every
    /// `per_item` iterations. With 1, a work-item does exactly one iteration.
    pub per_item: u32,
    /// Effect of earlier failures on the kernel, and whether it may fail. A kernel with an arena may fail.
    pub failures: Failures,
    /// Whether the kernel takes memory for each work-item from an arena.
    pub arena: bool,
}

/// The size of an array in local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LocalSize {
    /// Position of the scalar parameter with the number of elements.
    pub count: usize,
    /// Element size in bytes.
    pub element: u64,
}

/// The effect of failures on a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Failures {
    /// Earlier failures are ignored: the kernel does no harm whatever its arrays contain, and does not fail.
    Ignored,
    /// Earlier failures are heeded: the kernel relies on the results of earlier launches and does nothing once one of them has
    /// failed. It does not fail itself.
    Heeded,
    /// Failures are recorded: the kernel may fail, and does nothing once an earlier launch has failed.
    Recorded,
}

/// A parameter of a kernel on a device.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum DeviceParam {
    /// A scalar.
    Scalar(ScalarType),
    /// A buffer.
    Memory {
        /// Whether the kernel reads it.
        read: bool,
        /// Whether the kernel writes it.
        written: bool,
    },
}

/// An error reported by a driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceError {
    /// The device has no room for a buffer.
    OutOfMemory,
    /// Any other error, in the driver's words.
    Driver(String),
}

impl fmt::Display for DeviceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DeviceError::OutOfMemory => f.write_str("the device has no memory left"),
            DeviceError::Driver(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for DeviceError {}
