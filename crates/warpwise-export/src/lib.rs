//! Export of compiled programs as files that run without a compiler: executables, servers, and libraries for C.
//!
//! ```text
//! object files of the kernels  ---------------------.
//! glue: images, functions for C  ---> LLVM --> LLD -+--> executable, or NAME.so and NAME.a with NAME.h, NAME.json, NAME.c
//! run time (embedded here)     ---------------------'
//! ```
//!
//! LLVM compiles the code around a program ([`glue`](mod@glue)), and LLD links it. Both run in this process. The only system
//! files needed are the shared libraries that the result loads as well. The header, its names and the manifest follow Futhark's
//! conventions.
//!
//! Absent on purpose: the meaning of the functions (`warpwise-standalone`), systems other than Linux.

mod api;
mod c_types;
mod function;
mod glue;
mod header;
mod link;
mod manifest;
mod source;
mod system;

pub use api::Api;
pub use link::{ExportError, Form, export};
