//! Identity of the build of this module that the process has loaded: the build id that the linker assigns.
//!
//! Compiled code belongs to one build. Another build, even of the same version, must not use it.

use std::ffi::{c_int, c_void};
use std::sync::OnceLock;

/// Type and owner of the ELF note that holds the build id: `man 5 elf`.
const NT_GNU_BUILD_ID: u32 = 3;
const OWNER: &[u8] = b"GNU\0";

/// Returns the id of this build; `None` if the linker assigned none.
pub fn build_id() -> Option<&'static [u8]> {
    static FOUND: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    FOUND.get_or_init(find).as_deref()
}

fn find() -> Option<Vec<u8>> {
    let mut found: Option<Vec<u8>> = None;
    // SAFETY: `visit` uses `found` as what it is, and `found` outlives the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut found).cast()) };
    found
}

/// Inspects a loaded object. Ends the search at the object that holds this code.
unsafe extern "C" fn visit(object: *mut libc::dl_phdr_info, _size: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader passes a description that is valid during this call, and `found` is the pointer that `find` passed.
    let (object, found) = unsafe { (&*object, &mut *found.cast::<Option<Vec<u8>>>()) };
    // SAFETY: the loader states the number of headers.
    let headers = unsafe { std::slice::from_raw_parts(object.dlpi_phdr, usize::from(object.dlpi_phnum)) };
    let start = |header: &libc::Elf64_Phdr| object.dlpi_addr as usize + header.p_vaddr as usize;
    let here = visit as *const () as usize;
    let holds = |header: &libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD
            && (start(header)..start(header) + header.p_memsz as usize).contains(&here)
    };
    if !headers.iter().any(holds) {
        return 0;
    }
    for header in headers.iter().filter(|header| header.p_type == libc::PT_NOTE) {
        // SAFETY: notes are loaded into memory, and stay there as long as this code does.
        let notes =
            unsafe { std::slice::from_raw_parts(start(header) as *const u8, header.p_memsz as usize) };
        if let Some(number) = number_in(notes, header.p_align.max(4) as usize) {
            *found = Some(number.to_vec());
        }
    }
    1
}

/// Finds the build id among notes. A note is three words (the size of its owner's name, the size of its contents, its type), then the
/// name and the contents.
fn number_in(mut notes: &[u8], align: usize) -> Option<&[u8]> {
    loop {
        let word = |at: usize| notes.get(at..at + 4)?.try_into().ok().map(u32::from_ne_bytes);
        let (owner, contents) = (word(0)? as usize, word(4)? as usize);
        let contents_at = (12 + owner).next_multiple_of(align);
        let found = notes.get(contents_at..contents_at + contents)?;
        if word(8)? == NT_GNU_BUILD_ID && notes.get(12..12 + owner)? == OWNER {
            return Some(found);
        }
        notes = notes.get((contents_at + contents).next_multiple_of(align)..)?;
    }
}
