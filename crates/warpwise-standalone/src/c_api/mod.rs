//! The functions that a library's C calls. The names and types that users see (`futhark_...`) are in the code that
//! `warpwise-export` writes; each is one call of a function here.
//!
//! Values are handles on `Held`; a scalar is passed where it lies, so that one signature does for all types. Functions give
//! 0 or an error code (1, 2, 3), or null; what went wrong is then kept in the context.
//!
//! Who calls vouches for what every function here needs: handles are those that functions here gave, of this context, not freed
//! yet, and used by one thread at a time; pointers to data are to as much of it as the types and sizes say.

mod config;
mod context;
mod opaque;
mod values;

use std::ffi::{CStr, c_char};

pub use config::Config;
pub use context::Context;

/// The text at a pointer; empty if that is null.
///
/// # Safety
/// Unless null, the pointer is to a text that ends with a zero byte.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller vouches.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A copy that C can free; null where there is no memory.
fn c_text(text: &str) -> *mut c_char {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    // SAFETY: one byte more than the text is asked for, and written to only if it is there.
    unsafe {
        let copy = libc::malloc(bytes.len() + 1).cast::<u8>();
        if !copy.is_null() {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len());
            *copy.add(bytes.len()) = 0;
        }
        copy.cast()
    }
}
