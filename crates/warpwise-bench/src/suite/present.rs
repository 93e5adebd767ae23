//! The cases of a program whose files are there. Futhark's `bench` writes no figures at all if a file of one case is missing.
//!
//! A case begins with a line of a test block that has the word `input`, and ends before the next one, or where the block ends or
//! names other entry points.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A program with the cases of another one whose files are there.
pub struct Present {
    /// The program.
    pub path: PathBuf,
    /// Whether it is a copy, which is removed in the end, together with what Futhark makes of it.
    is_copy: bool,
}

impl Present {
    /// Returns the program itself, or a copy beside it if a file is missing, so that imports and names of files mean the same.
    pub fn of(program: &Path) -> Result<Present, String> {
        let told = |error: std::io::Error| format!("{}: {error}", program.display());
        let text = String::from_utf8_lossy(&fs::read(program).map_err(told)?).into_owned();
        let folder = program.parent().unwrap_or(Path::new("."));
        let kept = with_present_cases(&text, |file| folder.join(file).exists());
        if kept.lines().eq(text.lines()) {
            return Ok(Present { path: program.to_path_buf(), is_copy: false });
        }
        let stem = program.file_stem().unwrap_or_default().to_string_lossy();
        let path = program.with_file_name(format!("{stem}-present.fut"));
        // A program of the corpus with this name is not overwritten.
        let mut copy = File::create_new(&path).map_err(told)?;
        let present = Present { path, is_copy: true };
        copy.write_all(kept.as_bytes()).map_err(told)?;
        Ok(present)
    }
}

/// Endings, after the program's name, of the copy and of what Futhark's back ends make of it.
const ENDINGS: [&str; 5] = ["", ".fut", ".c", ".kernels.ispc", "_ispc.o"];

impl Drop for Present {
    fn drop(&mut self) {
        if self.is_copy {
            let stem = self.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            for ending in ENDINGS {
                // What is not there needs no removing, and what cannot be removed harms no measurement.
                let _ = fs::remove_file(self.path.with_file_name(format!("{stem}{ending}")));
            }
        }
    }
}

/// Returns a program's text without the cases that name a file which is not there.
fn with_present_cases(text: &str, is_there: impl Fn(&str) -> bool) -> String {
    let (mut kept, mut case) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let words: Vec<&str> = line.strip_prefix("--").unwrap_or("").split_whitespace().collect();
        let begins = words.iter().take(3).any(|word| *word == "input");
        let ends =
            !line.starts_with("--") || words.first().is_some_and(|word| *word == "==" || *word == "entry:");
        if begins || ends {
            finish(&mut kept, &mut case, &is_there);
        }
        if begins || !case.is_empty() { case.push(line) } else { kept.push(line) }
    }
    finish(&mut kept, &mut case, &is_there);
    kept.join("\n") + "\n"
}

/// Keeps a case if all its files are there.
fn finish<'t>(kept: &mut Vec<&'t str>, case: &mut Vec<&'t str>, is_there: &impl Fn(&str) -> bool) {
    let files = case.iter().filter_map(|line| line.split_once('@')?.1.split_whitespace().next());
    if files.into_iter().all(is_there) {
        kept.append(case);
    }
    case.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: &str = "-- A program.\n-- ==\n-- entry: f\n-- input @ a.in\n-- output @ a.out\n-- compiled input @ b.in\n\
        -- output @ b.out\n-- random input { [10]f32 }\n-- auto output\nentry f (xs: []f32) = xs\n";

    #[test]
    fn cases_with_missing_files_are_left_out() {
        assert_eq!(with_present_cases(PROGRAM, |_| true), PROGRAM);
        let without = |missing: &str| with_present_cases(PROGRAM, |file| file != missing);
        let first = "-- input @ a.in\n-- output @ a.out\n";
        assert_eq!(without("a.in"), PROGRAM.replace(first, ""));
        assert_eq!(without("a.out"), PROGRAM.replace(first, ""));
        assert_eq!(without("b.out"), PROGRAM.replace("-- compiled input @ b.in\n-- output @ b.out\n", ""));
    }

    #[test]
    fn the_copy_is_beside_the_program_and_goes() {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("p.fut");
        fs::write(&program, PROGRAM).unwrap();
        let present = Present::of(&program).unwrap();
        let copy = folder.path().join("p-present.fut");
        assert_eq!(present.path, copy);
        assert!(!fs::read_to_string(&copy).unwrap().contains('@'));
        fs::write(folder.path().join("p-present_ispc.o"), "").unwrap();
        drop(present);
        let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
        assert_eq!(left, std::slice::from_ref(&program));
        fs::write(&copy, "a program of the corpus").unwrap();
        assert!(Present::of(&program).is_err());
        assert_eq!(fs::read_to_string(&copy).unwrap(), "a program of the corpus");
        for file in ["a.in", "a.out", "b.in", "b.out"] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        assert_eq!(Present::of(&program).unwrap().path, program);
        assert!(program.exists());
    }
}
