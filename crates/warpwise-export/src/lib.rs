//! Compiled programs as files that need no compiler: executables, servers, and libraries for C.
//!
//! ```text
//! object files of the kernels  ----------------.
//! image of the host's code     --.              |
//! program.c (made here)        ---'--> cc ------+--> executable, or NAME.so and NAME.a with NAME.h, NAME.json, NAME.c
//! run time (embedded here)     -----------------'
//! ```
//!
//! The C compiler of the system compiles a little C ([`c_code`]), which names kernels and entry points, and links. The header and the
//! names in it follow Futhark's conventions, so does the manifest.
//!
//! Absent on purpose: what the functions do (`warpwise-standalone`), systems without a C compiler, other systems than Linux.

mod api;
mod c_code;
mod c_types;
mod header;
mod link;
mod manifest;
mod source;

pub use api::Api;
pub use link::{ExportError, Form, export};
