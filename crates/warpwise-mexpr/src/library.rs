//! The library that comes with the compiler, written in the language: `library/*.mc`.

/// The files by their paths.
const FILES: &[(&str, &str)] = &[("basic-types.mc", include_str!("../library/basic-types.mc"))];

/// The text of a file of the library.
pub fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// The paths of all files of the library.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(path, _)| *path)
}
