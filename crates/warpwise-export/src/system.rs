//! The shared libraries that programs are linked with, at the paths where the linking machine's loader finds them.
//!
//! They are this process's own libraries: they are requested by name, and the loader returns their paths. So no development files
//! are needed, and linked programs run on systems whose C library is at least as new as this one's. The `unsafe` code here calls
//! the loader.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr;

/// Vector mathematics, mathematics, unwinding and the C library: used by the runtime and kernels, directly or indirectly.
const NAMES: &[&CStr] = &[c"libmvec.so.1", c"libm.so.6", c"libgcc_s.so.1", c"libc.so.6"];

/// The loader, which also resolves thread-local variables.
const LOADER: &CStr = c"ld-linux-x86-64.so.2";

/// The shared libraries of this machine.
pub struct System {
    /// Loader of programs.
    pub loader: PathBuf,
    /// Libraries that programs call.
    pub libraries: Vec<PathBuf>,
}

impl System {
    /// Asks the loader for the libraries. The error names the missing one.
    pub fn of_this_machine() -> Result<System, String> {
        let libraries = NAMES.iter().map(|name| path(name)).collect::<Result<_, _>>()?;
        Ok(System { loader: path(LOADER)?, libraries })
    }
}

/// Prefix of the loader's description of a library (`struct link_map`).
#[repr(C)]
struct LinkMap {
    address: usize,
    name: *const c_char,
}

/// Returns the path of a library. It stays loaded, like this process's other libraries.
fn path(name: &CStr) -> Result<PathBuf, String> {
    let missing =
        || format!("this machine has no {}, which programs are linked with", name.to_string_lossy());
    // SAFETY: the name ends with a zero byte; the loader stores a pointer to its description of the library, which lives as long
    // as the library.
    unsafe {
        let library = libc::dlopen(name.as_ptr(), libc::RTLD_LAZY);
        if library.is_null() {
            return Err(missing());
        }
        let mut known: *const LinkMap = ptr::null();
        let asked = libc::dlinfo(library, libc::RTLD_DI_LINKMAP, (&raw mut known).cast::<c_void>());
        if asked != 0 || known.is_null() || (*known).name.is_null() {
            return Err(missing());
        }
        Ok(PathBuf::from(OsStr::from_bytes(CStr::from_ptr((*known).name).to_bytes())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_loader_names_is_there() {
        let System { loader, libraries } = System::of_this_machine().unwrap();
        assert_eq!(libraries.len(), NAMES.len());
        assert!(libraries.iter().chain([&loader]).all(|path| path.is_absolute() && path.is_file()));
        assert!(path(c"libnothing.so.1").is_err_and(|message| message.contains("no libnothing.so.1")));
    }
}
