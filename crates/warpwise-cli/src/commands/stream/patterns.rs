//! Names of files with `*` and `?`, in order. They are expanded here because a shell would make separate words of them.

use std::path::{Path, PathBuf};

/// Returns the files that a path means: itself, or those that match if there is no such file and its last component is a pattern.
pub fn expanded(path: &Path) -> Result<Vec<PathBuf>, String> {
    let pattern = path.file_name().and_then(|name| name.to_str()).filter(|name| name.contains(['*', '?']));
    let (Some(pattern), false) = (pattern, path.exists()) else { return Ok(vec![path.to_path_buf()]) };
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let failed = |error: std::io::Error| format!("{}: cannot read the folder: {error}", path.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder.unwrap_or(Path::new("."))).map_err(failed)? {
        let name = entry.map_err(failed)?.file_name();
        let is_match = name.to_str().is_some_and(|name| {
            // Hidden files are not meant unless the pattern says so.
            name.starts_with('.') == pattern.starts_with('.') && matches(pattern.as_bytes(), name.as_bytes())
        });
        let path = folder.map_or_else(|| PathBuf::from(&name), |folder| folder.join(&name));
        if is_match && path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        return Err(format!("{}: no file matches", path.display()));
    }
    found.sort();
    Ok(found)
}

/// Returns whether a name matches a pattern: `*` stands for any bytes and `?` for one.
fn matches(pattern: &[u8], name: &[u8]) -> bool {
    match (pattern.split_first(), name.split_first()) {
        (None, _) => name.is_empty(),
        (Some((b'*', pattern)), _) => (0..=name.len()).any(|at| matches(pattern, &name[at..])),
        (Some((b'?', pattern)), Some((_, name))) => matches(pattern, name),
        (Some((byte, pattern)), Some((other, name))) => byte == other && matches(pattern, name),
        (Some(_), None) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_bytes() {
        for (pattern, name, expected) in [
            ("*.csv", "a.csv", true),
            ("*.csv", ".csv", true),
            ("*.csv", "a.csv.gz", false),
            ("a?c*", "abc", true),
            ("a?c", "ac", false),
            ("*a*b", "xaxbxb", true),
            ("", "", true),
        ] {
            assert_eq!(matches(pattern.as_bytes(), name.as_bytes()), expected, "{pattern} {name}");
        }
    }
}
