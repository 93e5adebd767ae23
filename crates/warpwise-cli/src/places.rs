//! Check that no file has two roles among those that a command reads and writes, under whatever names.

use std::path::Path;

use warpwise_runtime::formats::whole::Place;

use crate::failure::Failure;

/// Checks that all outputs are different files, and that none is an input.
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
