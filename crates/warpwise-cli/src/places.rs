//! Files that one command reads and writes: no file is two of them, by whatever names.

use std::path::Path;

use warpwise_runtime::formats::whole::Place;

use crate::failure::Failure;

/// Looks whether all outputs are different files, and none is an input.
pub fn check<'p>(
    inputs: impl IntoIterator<Item = &'p Path>,
    outputs: impl IntoIterator<Item = &'p Path>,
) -> Result<(), Failure> {
    let failed = |path: &Path, why: &str| Err(Failure::Failed(format!("{}: {why}", path.display())));
    let mut written = Vec::new();
    for path in outputs {
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
