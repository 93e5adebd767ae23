//! Check that no file has two roles among those that a command reads and writes, under whatever names.

use std::path::Path;

use warpwise_runtime::formats::whole::Place;

use crate::failure::Failure;

/// Checks that all outputs can be created, that they are different files, and that none is an input.
pub fn check<'p>(
    inputs: impl IntoIterator<Item = &'p Path>,
    outputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    let failed = |path: &Path, why: &str| Err(Failure::Failed(format!("{}: {why}", path.display())));
    let mut written = Vec::new();
    for path in outputs {
        check_folder(path).or_else(|why| failed(path, &format!("cannot write: {why}")))?;
        let Some(place) = Place::of(path) else { continue };
        if written.contains(&place) {
            return failed(path, "is named for two results");
        }
        written.push(place);
    }
    for path in inputs {
        if Place::of(path).is_some_and(|place| written.contains(&place)) {
            return failed(path, "is both read and written");
        }
    }
    Ok(())
}

/// Returns the reason why no file of this name can be created, as far as that is known before a long run.
fn check_folder(path: &Path) -> Result<(), String> {
    if path.is_dir() {
        return Err("it is a folder; name a file in it".to_string());
    }
    match path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.is_dir()) {
        Some(folder) => Err(format!("there is no folder {}; create it first", folder.display())),
        None => Ok(()),
    }
}
