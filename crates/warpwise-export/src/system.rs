//! What programs are linked with: shared libraries of the machine that links, where its loader finds them.
//!
//! They are this process's own: they are asked for by name, and the loader tells from where. So no development files are needed, and
//! what is linked runs on systems whose C library is as new as this one's. The `unsafe` here asks the loader.

use std::ffi::{CStr, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::ptr;

/// Vector mathematics, mathematics, unwinding and the C library: what the run time and kernels call, directly or not.
const NAMES: &[&CStr] = &[c"libmvec.so.1", c"libm.so.6", c"libgcc_s.so.1", c"libc.so.6"];

/// The loader, which finds variables of threads as well.
const LOADER: &CStr = c"ld-linux-x86-64.so.2";

/// The shared libraries of this machine.
pub struct System {
    /// The loader of programs.
    pub loader: PathBuf,
    /// What they call.
    pub libraries: Vec<PathBuf>,
}

impl System {
    /// Asks the loader; which library it does not find.
    pub fn of_this_machine() -> Result<System, String> {
        let libraries = NAMES.iter().map(|name| path(name)).collect::<Result<_, _>>()?;
        Ok(System { loader: path(LOADER)?, libraries })
    }
}

/// The beginning of what the loader tells of a library (`struct link_map`).
#[repr(C)]
struct LinkMap {
    address: usize,
    name: *const c_char,
}

/// Where a library lies. It stays loaded, as those of this process are.
fn path(name: &CStr) -> Result<PathBuf, String> {
    let missing =
        || format!("this machine has no {}, which programs are linked with", name.to_string_lossy());
    // SAFETY: the name ends with a zero byte; the loader fills in a pointer to what it knows, which lives as long as the library.
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
