//! Kernels as OpenCL and CUDA text, run on a device and on an emulator, and compared with the interpreters.
//!
//! A machine without an OpenCL device fails these tests with a message that names the missing packages,
//! unless `WARPWISE_SKIP_OPENCL` is set.

mod device;
mod host;
mod programs;

mod ending;
mod golden;
mod kernels;
mod maps;
mod nvrtc;
mod operators;
mod random;
