//! The functions that a library's C code calls. Names and types that users see (`futhark_...`) are in the code that `warpwise-export`
//! writes; each function there is one call of a function here.
//!
//! Values are handles to `Held`; a scalar is passed by its address, so that one signature suits all types. Functions return 0 or an
//! error code (1, 2, 3), or null; the context then keeps the error message.
//!
//! The caller guarantees what every function here needs: handles come from functions here, belong to this context, are not freed yet,
//! and are used by one thread at a time; pointers to data refer to as much data as the types and sizes say.

mod config;
mod context;
mod opaque;
mod values;

use std::ffi::{CStr, c_char};

pub use config::Config;
pub use context::Context;

/// Returns the text at a pointer; empty if the pointer is null.
///
/// # Safety
/// Unless null, the pointer refers to a text that ends with a zero byte.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: guaranteed by the caller.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// Returns a copy of a text that C can free; null if memory runs out.
fn c_text(text: &str) -> *mut c_char {
    let bytes: Vec<u8> = text.bytes().filter(|&byte| byte != 0).collect();
    // SAFETY: one byte more than the text is allocated, and written to only if the allocation succeeds.
    unsafe {
        let copy = libc::malloc(bytes.len() + 1).cast::<u8>();
        if !copy.is_null() {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), copy, bytes.len());
            *copy.add(bytes.len()) = 0;
        }
        copy.cast()
    }
}
