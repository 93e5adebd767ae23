//! The run time of compiled programs without the compiler: executables, servers, and libraries for C.
//!
//! `warpwise build` links three things: the kernels' machine code, a little C that names them and the entry points (both made by
//! `warpwise-export`), and this crate as a static library. The C refers to a [`Linked`](abi::Linked) program: one
//! [image](image::Image) for each processor it was compiled for, with the host code, the entry points, and the addresses of the
//! kernels.
//!
//! ```text
//! program.c    futhark_entry_mvm(ctx, &out, a, x)  ->  warpwise_call(ctx, 0, &out, {a, x})     [c_api]
//!              main(argc, argv)                    ->  warpwise_main(&program, argc, argv)     [executable]
//! ```
//!
//! Functions that C calls report panics as errors and never let them cross into C.
//!
//! Absent on purpose: compilation, LLVM, devices other than the processor, reading source.

pub mod entry;
pub mod interface;
pub mod value;

pub mod cpu;
pub mod image;

#[cfg(feature = "programs")]
mod lending;
#[cfg(feature = "programs")]
mod program;
#[cfg(feature = "programs")]
mod report;
#[cfg(feature = "programs")]
mod transfer;

#[cfg(feature = "programs")]
pub mod abi;
#[cfg(feature = "programs")]
mod c_api;
#[cfg(feature = "programs")]
mod executable;
#[cfg(feature = "programs")]
mod server;
#[cfg(feature = "programs")]
mod signals;
