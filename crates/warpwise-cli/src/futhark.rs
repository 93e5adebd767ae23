//! The command under the name `futhark`: translates the command lines of build scripts and tools for Futhark's compiler.
//!
//! ```text
//! futhark multicore --lib -o out/p p.fut      warpwise build --device cpu --library --api 0.25 -o out/p p.fut
//! futhark test --backend=opencl p.fut         warpwise test --device opencl p.fut
//! ```
//!
//! Options with another name here are translated. All others are left to our own command line, which refuses unknown ones. Libraries
//! have the interface of 0.25, for which such tools are written.

use std::ffi::{OsStr, OsString};
use std::path::Path;

/// Returns whether the command was called by that name.
pub fn is_meant(name: &OsStr) -> bool {
    Path::new(name).file_stem() == Some(OsStr::new("futhark"))
}

/// Translates to words of our command line. The first word is the name of the command.
pub fn ours(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut words = words.into_iter();
    let mut ours: Vec<OsString> = words.next().into_iter().collect();
    match words.next() {
        Some(first) => match first.to_str().and_then(device) {
            Some(device) => ours.extend(["build", "--device", device].map(OsString::from)),
            None => ours.push(first),
        },
        None => return ours,
    }
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--lib" | "--library") => ours.extend(["--library", "--api", "0.25"].map(OsString::from)),
            Some("--exe" | "--executable") => {}
            Some("--backend") => {
                let backend = words.next();
                let device = on(backend.as_deref().and_then(OsStr::to_str));
                ours.extend(device.unwrap_or_else(|| [word].into_iter().chain(backend).collect()));
            }
            text => {
                let backend = text.and_then(|text| text.strip_prefix("--backend="));
                ours.extend(on(backend).unwrap_or_else(|| vec![word]));
            }
        }
    }
    ours
}

/// Returns the option that chooses the device of a back end.
fn on(backend: Option<&str>) -> Option<Vec<OsString>> {
    backend.and_then(device).map(|device| vec!["--device".into(), device.into()])
}

/// Returns the device of one of Futhark's back ends.
fn device(backend: &str) -> Option<&'static str> {
    match backend {
        "c" | "multicore" | "ispc" => Some("cpu"),
        "opencl" => Some("opencl"),
        "cuda" => Some("cuda"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> String {
        let words = ours(line.split(' ').map(OsString::from));
        words.iter().map(|word| word.to_str().unwrap()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn back_ends_are_devices() {
        assert_eq!(translated("futhark c p.fut"), "futhark build --device cpu p.fut");
        assert_eq!(
            translated("/opt/futhark multicore --lib -o out/p p.fut"),
            "/opt/futhark build --device cpu --library --api 0.25 -o out/p p.fut"
        );
        assert_eq!(translated("futhark cuda --server p.fut"), "futhark build --device cuda --server p.fut");
        assert_eq!(translated("futhark test --backend=ispc p.fut"), "futhark test --device cpu p.fut");
        assert_eq!(translated("futhark bench --backend opencl p.fut"), "futhark bench --device opencl p.fut");
    }

    #[test]
    fn what_is_unknown_is_left() {
        for line in [
            "futhark",
            "futhark wasm p.fut",
            "futhark check -w p.fut",
            "futhark test --backend=hip p.fut",
            "futhark test --backend",
        ] {
            assert_eq!(translated(line), line);
        }
    }

    #[test]
    fn the_name_decides() {
        assert!(is_meant(OsStr::new("/usr/bin/futhark")) && is_meant(OsStr::new("futhark.exe")));
        assert!(!is_meant(OsStr::new("/usr/bin/warpwise")));
    }
}
