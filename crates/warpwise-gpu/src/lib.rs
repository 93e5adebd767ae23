//! Kernels of the imperative IR for GPUs, and the devices that run them.
//!
//! A GPU runs a kernel once for each work-item, and each work-item does one iteration of the launch's range. [`kernel_text`] prints
//! kernels as the text that a device's driver compiles. [`opencl`] and [`cuda`] implement [`warpwise_runtime::device`] for the two
//! drivers: they find devices, build texts and launch kernels. [`build`] is what they share.
//!
//! Absent on purpose: the choice of what runs in parallel (mappings are chosen on the core IR); host code, which is the same for
//! every device and run by `warpwise_runtime`.

// A new construct must be met wherever constructs are told apart.
#![warn(clippy::wildcard_enum_match_arm)]

pub mod kernel_text;

pub mod build;
#[cfg(feature = "cuda")]
pub mod cuda;
#[cfg(feature = "opencl")]
pub mod opencl;
