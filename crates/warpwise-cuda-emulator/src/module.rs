//! Kernels as loaded machine code of the processor.

use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::launch;

/// A kernel, called with the addresses of its arguments.
pub type Kernel = unsafe extern "C" fn(*mut *mut c_void);

/// Prefix of the name of the function that calls a kernel with the addresses of its arguments.
pub const CALLS: &str = "emulated_call_of_";

/// Loaded code.
pub struct Module {
    library: Library,
}

/// The emulator's functions for compiled code, as declared in `emulated.h`.
#[repr(C)]
struct Emulator {
    item: extern "C" fn() -> *const launch::Item,
    barrier: extern "C" fn(c_int),
    shared: extern "C" fn() -> *mut c_void,
}

static EMULATOR: Emulator = Emulator { item: launch::item, barrier: launch::barrier, shared: launch::shared };

impl Module {
    /// Loads code that the compiler made.
    pub fn load(code: &[u8]) -> Option<Module> {
        let file = tempfile::Builder::new().suffix(".so").tempfile().ok()?;
        std::fs::write(file.path(), code).ok()?;
        Module::open(file.path())
    }

    fn open(path: &Path) -> Option<Module> {
        // SAFETY: the code is compiled from a text of kernels and `emulated.h`, which have no initialisers.
        let library = unsafe { Library::open(Some(path.as_os_str()), RTLD_NOW | RTLD_LOCAL) }.ok()?;
        // SAFETY: `emulated.h` defines it with this signature.
        unsafe {
            let start = library.get::<unsafe extern "C" fn(*const Emulator)>(b"emulator_start").ok()?;
            start(&EMULATOR);
        }
        Some(Module { library })
    }

    /// Returns the kernel of this name.
    pub fn kernel(&self, name: &CStr) -> Option<Kernel> {
        let symbol = [CALLS.as_bytes(), name.to_bytes()].concat();
        // SAFETY: the compiler defines it with this signature for each kernel.
        unsafe { self.library.get::<Kernel>(&symbol) }.ok().map(|kernel| *kernel)
    }
}

/// Returns the code at an address: up to the end of its section table, which is last in the file.
///
/// # Safety
///
/// The memory is readable as far as the ELF header says.
pub unsafe fn code_at<'a>(image: *const c_char) -> Option<&'a [u8]> {
    const HEADER: usize = 64;
    // SAFETY: by contract.
    let header = unsafe { std::slice::from_raw_parts(image.cast::<u8>(), HEADER) };
    if !header.starts_with(b"\x7fELF") {
        return None;
    }
    let word = |at: usize, bytes: usize| {
        header[at..at + bytes].iter().rev().fold(0, |word, &byte| word << 8 | usize::from(byte))
    };
    let (sections, size, count) = (word(0x28, 8), word(0x3a, 2), word(0x3c, 2));
    // SAFETY: by contract.
    Some(unsafe { std::slice::from_raw_parts(image.cast::<u8>(), sections + size * count) })
}
