//! Kernels of the imperative IR for GPUs.
//!
//! A GPU runs a kernel once a work-item, each for one iteration of the launch's range. [`kernel_text`]
//! prints kernels as the text that a device's driver compiles; [`failure`] is how a running kernel tells
//! which check failed first.
//!
//! Absent on purpose: devices, memory on them and launches; choosing what runs in parallel (mappings are
//! chosen on the core IR); host code, which is the same for every device.

pub mod kernel_text;

pub mod failure;
