//! A library as one C file, for build scripts that compile C files together with the header.
//!
//! The file contains the shared object as data. At startup, before other constructors run, the data is written to a memory file, which
//! the loader opens, and every function of the header jumps to its counterpart there. The shared object has no name of its own
//! (`soname`): nothing else that asks the loader for a library can get it.
//!
//! ```text
//! futhark_entry_main:  jmp *warpwise_targets+8*17(%rip)
//! ```

use std::fmt::Write;

use warpwise_standalone::interface::Interface;

use crate::api::Api;
use crate::header::{all, header};

/// Generates the C file of a library from the bytes of its shared object.
pub fn source(interface: &Interface, api: Api, shared_object: &[u8]) -> String {
    let functions = all(interface, api);
    let names: Vec<&str> = functions.iter().map(|function| function.name.as_str()).collect();
    let mut text = header(interface, api).replace("#pragma once\n", "");
    text += "\nstatic const unsigned long long warpwise_library[] = {\n";
    for line in shared_object.chunks(8 * WORDS) {
        for word in line.chunks(8) {
            let mut bytes = [0; 8];
            bytes[..word.len()].copy_from_slice(word);
            let _ = write!(text, "{:#x},", u64::from_le_bytes(bytes));
        }
        text.push('\n');
    }
    let _ = writeln!(text, "}};\n#define WARPWISE_BYTES {}ul", shared_object.len());
    let listed: String = names.iter().map(|name| format!("  \"{name}\",\n")).collect();
    let _ = writeln!(text, "static const char *const warpwise_names[] = {{\n{listed}}};");
    let _ = writeln!(text, "static void *warpwise_targets[{}] __attribute__((used));", names.len());
    text += "__asm__(\n  \".pushsection .text\\n\"\n";
    for (number, name) in names.iter().enumerate() {
        let _ = writeln!(
            text,
            "  \".globl {name}\\n.type {name}, @function\\n{name}: jmp *warpwise_targets+{}(%rip)\\n\"",
            8 * number
        );
    }
    text += "  \".popsection\\n\");\n";
    text += LOADER;
    text
}

/// Number of eight-byte words per line.
const WORDS: usize = 8;

/// C code that loads the library at startup. It uses only functions of the C library, and none that needs a macro of a header.
///
/// The loader knows a library by its name, and gives out a loaded one instead of opening a file of the same name. A program that closes
/// its descriptors makes their numbers free again, so the name of a descriptor may be the name of a library that was loaded before:
/// such numbers are passed over. The descriptor stays open, because its name is the library's name for debuggers, and its contents
/// are sealed. Numbers below 3 are left to the standard streams, which the program may have been started without.
const LOADER: &str = r#"
extern int memfd_create(const char *, unsigned int);
extern long write(int, const void *, size_t);
extern int close(int);
extern int fcntl(int, int, ...);
extern void *dlopen(const char *, int);
extern void *dlsym(void *, const char *);
extern int dlclose(void *);
extern char *dlerror(void);
extern void abort(void);

/* Writes the library to a memory file, which nobody can change. Returns its descriptor, or -1. */
static int warpwise_file(void) {
  enum { cloexec = 1, allow_sealing = 2, add_seals = 1033, all_seals = 15 };
  const char *bytes = (const char *)warpwise_library;
  size_t left = WARPWISE_BYTES;
  int file = memfd_create("warpwise", cloexec | allow_sealing);
  while (file >= 0 && left > 0) {
    long count = write(file, bytes, left);
    if (count <= 0) {
      close(file);
      return -1;
    }
    bytes += count;
    left -= (size_t)count;
  }
  if (file >= 0) fcntl(file, add_seals, all_seals);
  return file;
}

/* Opens the library under a name that no loaded library has. */
static void *warpwise_open(int file) {
  enum { now = 2, loaded_only = 4, duplicate = 1030 };
  char path[40];
  int least = 3;
  while (file >= 0) {
    int other;
    void *loaded;
    if (file >= least) {
      snprintf(path, sizeof path, "/proc/self/fd/%d", file);
      loaded = dlopen(path, now | loaded_only);
      if (!loaded) return dlopen(path, now);
      dlclose(loaded);
      least = file + 1;
    }
    other = fcntl(file, duplicate, least);
    close(file);
    file = other;
  }
  return 0;
}

__attribute__((constructor(101))) static void warpwise_load(void) {
  int file = warpwise_file();
  void *library = warpwise_open(file);
  size_t i;
  if (!library) {
    const char *reason = file >= 0 ? dlerror() : 0;
    fprintf(stderr, "the library inside of this program cannot be loaded: %s\n", reason ? reason : "no memory or descriptor for it");
    abort();
  }
  for (i = 0; i < sizeof warpwise_names / sizeof *warpwise_names; i++)
    warpwise_targets[i] = dlsym(library, warpwise_names[i]);
}
"#;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_jump() {
        let interface = Interface::of(std::iter::empty(), Api::default().naming());
        let text = source(&interface, Api::default(), &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert!(text.contains("{\n0x807060504030201,0x9,\n};\n#define WARPWISE_BYTES 9ul"), "{text}");
        let jumps = text.matches(": jmp *warpwise_targets+").count();
        assert_eq!(jumps, all(&interface, Api::default()).len());
        assert!(text.contains("futhark_context_new: jmp *warpwise_targets+"));
    }
}
