//! CUDA devices: finding them, their memory, and kernels built for them.
//!
//! NVIDIA's driver (`libcuda`) is loaded when the first device is asked for, its compiler for kernels (NVRTC) when the
//! first text is to be built that no cache holds; where one is missing, everything here says which, and what to do. The commands of a device
//! go to the default stream of its primary context and run in order.
//!
//! Absent on purpose: several streams, several devices for one program, graphs, libraries of NVIDIA.

mod find;

mod compiler;

mod device;
mod kernels;
mod parts;

mod errors;

pub use compiler::{Compiler, NVRTC};
pub use device::CudaDevice;
pub use find::devices;
pub use kernels::CudaKernels;
