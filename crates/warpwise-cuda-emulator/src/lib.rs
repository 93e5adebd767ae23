//! A CUDA device in software: the parts of `libcuda` and NVRTC that this project uses, in one shared library.
//!
//! The CUDA back end can run with it on machines without a GPU, from the search for devices to the last copy. Kernels are
//! compiled as C++ for the processor ([`compiler`]), and launches run them ([`launch`]). The emulator is strict where real
//! devices are merely undefined, so that mistakes show:
//!
//! - every block of memory ends at an inaccessible page, starts with garbage, and is unmapped when it is freed;
//! - blocks run in an arbitrary order, few at a time, so that a block that waits for a later one waits forever;
//! - the work-items of a block run up to the next barrier one after the other, alternately in rising and falling order;
//! - a barrier that only some work-items reach, or that they reach at different places, fails the launch, and with it the device;
//! - a misaligned access ends the process;
//! - calls without a current context, and copies beyond their block, are errors.
//!
//! A program finds the emulator as its driver through a link `libcuda.so` on the library path, or because its process has already
//! loaded the emulator. It finds it as its compiler under the same name (`WARPWISE_NVRTC`).
//!
//! Absent: streams, warps and their operations, textures, everything that no kernel of this project uses; speed.

mod compiler;
mod driver;

mod launch;
mod memory;
mod module;
