//! Devices with memory of their own: what the run time asks of one, and its memory.
//!
//! A [`Device`] is a driver with a queue: what is asked of it happens in order, and reads wait for what was asked
//! before. [`DeviceKernels`] is a program built for it. The implementations stand above this crate; here is what does
//! not depend on the driver: the budget and reuse of device memory, and what leaves it to make room ([`memory`]), arrays that
//! stay there between runs ([`mod@array`]), and the buffer in which kernels record failures ([`failure`]).
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
    /// Returns the driver's name for it.
    fn name(&self) -> String;

    /// Bytes of its memory.
    fn memory(&self) -> u64;

    /// Work-items that it keeps busy at one time, about.
    fn concurrency(&self) -> u64;

    /// A fresh buffer of at least one byte, of unspecified contents.
    fn allocate(&self, bytes: u64) -> Result<Buffer, DeviceError>;

    /// Gives a buffer back, once what was asked before is done.
    fn free(&self, buffer: Buffer);

    /// Writes bytes from `at` on.
    fn write(&self, buffer: Buffer, at: u64, bytes: &[u8]) -> Result<(), DeviceError>;

    /// Reads bytes from `at` on, when everything asked before is done.
    fn read(&self, buffer: Buffer, at: u64, bytes: &mut [u8]) -> Result<(), DeviceError>;

    /// Repeats a pattern of 1, 2, 4 or 8 bytes over `bytes` bytes from `at` on; both are multiples of its length.
    fn fill(&self, buffer: Buffer, at: u64, pattern: &[u8], bytes: u64) -> Result<(), DeviceError>;

    /// Copies so many bytes from the start of a buffer to that of another.
    fn copy(&self, to: Buffer, from: Buffer, bytes: u64) -> Result<(), DeviceError>;

    /// Waits until everything asked before is done.
    fn finish(&self) -> Result<(), DeviceError>;

    /// Returns the handles with which other code calls the driver, too.
    fn handles(&self) -> Handles;

    /// Makes the device the one that the driver's functions mean on this thread, where they mean one.
    fn make_current(&self) -> Result<(), DeviceError>;
}

/// A device as its driver names it, for code that calls the driver itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Handles {
    /// `cl_device_id`, or the number that `CUdevice` is.
    pub device: usize,
    /// `cl_context` or `CUcontext`.
    pub context: usize,
    /// The queue that everything here is asked of: `cl_command_queue`, or the `CUstream` 0.
    pub queue: usize,
}

/// The kernels of a program, built for a device.
pub trait DeviceKernels: Send + Sync {
    /// Runs a kernel for so many iterations.
    ///
    /// # Safety
    /// The arguments are those of the kernel's parameter list ([`DeviceKernel`]), and its memories as large as its
    /// accesses.
    unsafe fn launch(
        &self,
        kernel: usize,
        arguments: &[DeviceArgument],
        iterations: u64,
    ) -> Result<(), DeviceError>;

    /// As [`DeviceKernels::launch`], and waits for it: how long it ran, by the device's clock.
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

/// A buffer of a device, as its driver names it.
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

/// A kernel as it is launched: its parameters in order, then `first: i64` and `extent: i64` (the work-items do the
/// iterations from `first` to before `extent`), then, where it heeds failures, the buffer of [`failure`] and its turn, an `i32`,
/// then, where it has one, the arena: its buffer, and `i64` bytes of it for each work-item, then arrays in local memory.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeviceKernel {
    /// Its name in the text.
    pub name: String,
    /// Its parameters.
    pub params: Vec<DeviceParam>,
    /// Work-items that do an iteration together, in kernels of work-groups.
    pub group: Option<u32>,
    /// Its arrays in local memory whose sizes depend on the launch.
    pub local: Vec<LocalSize>,
    /// Iterations that a work-item does where there are many: launches have a work-item for each iteration, or one for so
    /// many. A kernel for one does exactly one.
    pub per_item: u32,
    /// The effect of earlier failures on it, and whether it may fail. A kernel with an arena may.
    pub failures: Failures,
    /// Whether it takes memory for each work-item from an arena.
    pub arena: bool,
}

/// The size of an array in local memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LocalSize {
    /// The position of the scalar parameter with the number of elements.
    pub count: usize,
    /// Bytes of an element.
    pub element: u64,
}

/// The effect of failures on a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Failures {
    /// It does no harm whatever the arrays hold that it is given, and does not fail.
    Ignored,
    /// It does not fail, but relies on what earlier launches made: it does nothing once one of them has failed.
    Heeded,
    /// It may fail, and does nothing once an earlier launch has failed.
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

/// An error of a driver.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum DeviceError {
    /// There is no room for a buffer.
    OutOfMemory,
    /// Anything else, in the driver's words.
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
