//! Kernels of the imperative IR for GPUs, and the devices that run them.
//!
//! A GPU runs a kernel once for each work-item, and each work-item does one iteration of the launch's range. [`kernel_text`]
//! prints kernels as text for the compiler of a device's driver. [`opencl`] and [`cuda`] implement [`warpwise_runtime::device`]
//! for the two drivers: they find devices, build texts and launch kernels. [`build`] is the part that they share.
//!
//! Absent on purpose: the choice of what runs in parallel (mappings are chosen on the core IR); host code, which is the same for
//! every device and run by `warpwise_runtime`.

// Matches must be exhaustive, so that a new construct is considered wherever constructs are distinguished.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod kernel_text;

pub mod build;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "opencl")]
pub mod opencl;
