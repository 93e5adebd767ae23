//! Programs that must not compile, with the words that their errors must contain.
//!
//! Every file of `programs` is compiled separately against the library that these tests were built with. The words of all its
//! lines `//~ words` must occur in the compiler's output; a file without such lines must compile.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use warpwise as _;

#[test]
fn ill_typed_programs_are_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/refused/programs");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 10);
    let library = library();
    let wrong: Vec<String> = files.iter().filter_map(|file| check(file, &library).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Compiles a file, and compares the compiler's output with the expected words.
fn check(file: &Path, library: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).unwrap();
    let expected: Vec<&str> = text.lines().filter_map(|line| line.trim().strip_prefix("//~ ")).collect();
    let output = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(["--edition", "2024", "--crate-type", "lib", "--emit", "metadata", "-A", "warnings"])
        .args([
            "-o".as_ref(),
            std::env::temp_dir().join(format!("refused-{}", std::process::id())).as_os_str(),
        ])
        .arg("-L")
        .arg(format!("dependency={}", library.parent().unwrap().display()))
        .arg("--extern")
        .arg(format!("warpwise={}", library.display()))
        .arg(file)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let missing: Vec<&str> = expected.iter().copied().filter(|words| !said.contains(words)).collect();
    match output.status.success() == expected.is_empty() && missing.is_empty() {
        true => Ok(()),
        false => Err(format!("{}: not said: {missing:?}\n{said}", file.display())),
    }
}

/// Returns the library that cargo built last, beside this test.
fn library() -> PathBuf {
    let folder = std::env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        name.starts_with("libwarpwise-") && name.ends_with(".rlib")
    };
    let libraries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).filter(is_library);
    let age =
        |path: &PathBuf| path.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
    libraries.max_by_key(age).unwrap()
}
