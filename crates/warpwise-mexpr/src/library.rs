//! The library that comes with the compiler, written in the language: `library/*.mc`.

/// Texts of the files, by path.
const FILES: &[(&str, &str)] = &[
    ("assoc-seq.mc", include_str!("../library/assoc-seq.mc")),
    ("basic-types.mc", include_str!("../library/basic-types.mc")),
    ("bool.mc", include_str!("../library/bool.mc")),
    ("char.mc", include_str!("../library/char.mc")),
    ("common.mc", include_str!("../library/common.mc")),
    ("ext/array-ext.mc", include_str!("../library/ext/array-ext.mc")),
    ("ext/dist-ext.mc", include_str!("../library/ext/dist-ext.mc")),
    ("ext/file-ext.mc", include_str!("../library/ext/file-ext.mc")),
    ("ext/math-ext.mc", include_str!("../library/ext/math-ext.mc")),
    ("float.mc", include_str!("../library/float.mc")),
    ("int.mc", include_str!("../library/int.mc")),
    ("map.mc", include_str!("../library/map.mc")),
    ("math.mc", include_str!("../library/math.mc")),
    ("option.mc", include_str!("../library/option.mc")),
    ("seq.mc", include_str!("../library/seq.mc")),
    ("set.mc", include_str!("../library/set.mc")),
    ("string.mc", include_str!("../library/string.mc")),
    ("tensor.mc", include_str!("../library/tensor.mc")),
];

/// Returns the text of a file of the library.
pub fn file(path: &str) -> Option<&'static str> {
    FILES.iter().find(|(name, _)| *name == path).map(|(_, text)| *text)
}

/// Returns the paths of all files of the library.
pub fn paths() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(path, _)| *path)
}
