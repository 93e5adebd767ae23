//! Linking of object files to executables and libraries, by LLD, which is part of this program: no tool of the system is run.
//!
//! ```text
//! a.o  b.o          link             an executable, a shared object, or one object file
//! library.o         keep_global      the same file, in which everything but some names is local
//! library.o         archive          library.a
//! ```
//!
//! The `unsafe` code here calls `shim.cpp`, which calls LLD and LLVM. LLD keeps its state in global variables, so only one link
//! runs at a time. After a crash of LLD, which is reported, no further link runs.

use std::ffi::{CStr, CString, OsStr, c_char};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The reason why linking failed, in the linker's words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkError(pub String);

/// Whether LLD can be called.
static USABLE: Mutex<bool> = Mutex::new(true);

/// Links with the arguments of LLD's command line, including paths. Signal handlers are left unchanged.
pub fn link<W: AsRef<OsStr>>(words: &[W]) -> Result<(), LinkError> {
    // With one thread, and a file that is written rather than mapped, the linker starts no threads and handles no signals.
    let fixed = ["ld.lld", "--threads=1", "--no-mmap-output-file"].map(OsStr::new);
    let words = fixed.into_iter().chain(words.iter().map(AsRef::as_ref));
    let words = words.map(c_string).collect::<Result<Vec<_>, _>>()?;
    let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
    let mut usable = USABLE.lock().unwrap_or_else(PoisonError::into_inner);
    if !*usable {
        return Err(LinkError("the linker has crashed before in this process".to_string()));
    }
    // SAFETY: the words end with zero bytes, their number is correct, and no other thread links.
    checked(unsafe { warpwise_link(pointers.as_ptr(), pointers.len(), &mut *usable) })
}

/// Makes the definitions of an object file local, except names with this prefix.
pub fn keep_global(object: &Path, beginning: &str) -> Result<(), LinkError> {
    let (object, beginning) = (c_string(object.as_os_str())?, c_string(OsStr::new(beginning))?);
    // SAFETY: both end with zero bytes.
    checked(unsafe { warpwise_keep_global(object.as_ptr(), beginning.as_ptr()) })
}

/// Writes a static library of one object file.
pub fn archive(library: &Path, object: &Path) -> Result<(), LinkError> {
    let (library, object) = (c_string(library.as_os_str())?, c_string(object.as_os_str())?);
    // SAFETY: both end with zero bytes.
    checked(unsafe { warpwise_archive(library.as_ptr(), object.as_ptr()) })
}

unsafe extern "C" {
    fn warpwise_link(words: *const *const c_char, count: usize, again: *mut bool) -> *mut c_char;
    fn warpwise_keep_global(path: *const c_char, prefix: *const c_char) -> *mut c_char;
    fn warpwise_archive(path: *const c_char, object: *const c_char) -> *mut c_char;
}

fn c_string(word: &OsStr) -> Result<CString, LinkError> {
    CString::new(word.as_bytes()).map_err(|_| LinkError(format!("a zero byte in {}", word.display())))
}

/// Converts the result of a function of the shim: nothing, or a message, which is freed here.
fn checked(message: *mut c_char) -> Result<(), LinkError> {
    if message.is_null() {
        return Ok(());
    }
    // SAFETY: the message is not null, ends with a zero byte, was allocated by `malloc`, and is not used again.
    let words = unsafe {
        let words = CStr::from_ptr(message).to_string_lossy().into_owned();
        libc::free(message.cast());
        words
    };
    Err(LinkError(words.trim_end().replace("ld.lld: error: ", "")))
}

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot link: {}", self.0)
    }
}

impl std::error::Error for LinkError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_told_and_the_linker_goes_on_unless_it_gave_up() {
        for _ in 0..3 {
            let error = link(&["-o", "/dev/null", "no/such/file.o"]).expect_err("there is no such file");
            assert_eq!(error.0, "cannot open no/such/file.o: No such file or directory");
        }
        assert!(keep_global(Path::new("no/such/file.o"), "").is_err());
        assert!(archive(Path::new("no/such.a"), Path::new("no/such/file.o")).is_err());
        let damaged = std::env::temp_dir().join(format!("warpwise-damaged-{}.o", std::process::id()));
        std::fs::write(&damaged, damaged_object()).expect("the file can be written");
        let error =
            link(&["-o".as_ref(), "/dev/null".as_ref(), damaged.as_os_str()]).expect_err("it is damaged");
        assert!(error.0.contains("warpwise-damaged"), "{error}");
        let error = link(&["-o", "/dev/null", "no/such/file.o"]).expect_err("it gave up");
        assert_eq!(error.0, "the linker has crashed before in this process");
        std::fs::remove_file(&damaged).expect("the file can be removed");
    }

    /// Returns the header of an object file whose sections lie beyond its end.
    fn damaged_object() -> [u8; 64] {
        let mut header = [0; 64];
        header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
        for (at, value) in [(16, 1), (18, 62), (20, 1), (42, 16), (52, 64), (58, 64), (60, 3), (62, 1)] {
            header[at] = value;
        }
        header
    }
}
