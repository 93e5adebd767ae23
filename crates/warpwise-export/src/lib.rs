//! Compiled programs as files that need no compiler: executables, servers, and libraries for C.
//!
//! ```text
//! object files of the kernels  ---------------------.
//! glue: images, functions for C  ---> LLVM --> LLD -+--> executable, or NAME.so and NAME.a with NAME.h, NAME.json, NAME.c
//! run time (embedded here)     ---------------------'
//! ```
//!
//! LLVM compiles what stands around a program ([`glue`](mod@glue)), and LLD links it: both are part of this process, and nothing of the system is needed
//! but the shared libraries that the result loads as well. The header and the names in it follow Futhark's conventions, so does the manifest.
//!
//! Absent on purpose: what the functions do (`warpwise-standalone`), other systems than Linux.

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
