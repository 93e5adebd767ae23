//! A CUDA device in software: what a program needs of `libcuda` and of NVRTC, in one shared library.
//!
//! It is there so that the CUDA back end runs where no GPU is, from the search for devices to the last copy: kernels are
//! compiled as C++ for the processor ([`compiler`]), and launches run them ([`launch`]). It is strict where devices are
//! merely undefined, so that a mistake is seen:
//!
//! - every block of memory ends at a page that nobody may touch, starts with garbage, and goes when it is freed;
//! - blocks run in an order of no meaning, few at a time, so that one that waits for a later one waits for ever;
//! - work-items of a block run up to the next barrier one after the other, in rising and falling order by turns;
//! - a barrier that not all of them reach, or at different places of the text, fails the launch, and with it the device;
//! - an access to a place that is no multiple of the element's size ends the process;
//! - calls without a current context, and copies that leave their block, are errors.
//!
//! A program finds it as its driver where the folder of a link `libcuda.so` to it is on the path of libraries, and as its
//! compiler under that same name (`WARPWISE_NVRTC`); or where a process has loaded it before it asks for the driver.
//!
//! Absent: streams, warps and their operations, textures, everything that no kernel of this project uses; speed.

mod compiler;
mod driver;

mod launch;
mod memory;
mod module;
