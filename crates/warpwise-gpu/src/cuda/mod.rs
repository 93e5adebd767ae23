//! CUDA devices: finding them, their memory, and kernels built for them.
//!
//! NVIDIA's driver (`libcuda`) is loaded when the first device is requested. Its compiler for kernels (NVRTC) is loaded when the
//! first text is built that is not in a cache. If one is missing, errors name it and tell what to do. The commands of a device go
//! to the default stream of its primary context and run in order.
//!
//! Absent on purpose: several streams, several devices for one program, graphs, NVIDIA's libraries.

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
