//! The outputs of a stream: which file each result goes to.
//!
//! ```text
//! (none), -o -, -o t.csv       all results, as the columns of one table
//! -o a.npy -o b.npy            one each, in order: for the components of a tuple
//! -o x=a.npy -o y=b.npy        one each, by name: for the fields of a record
//! ```

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use warpwise_stream::sink::{Partial, Sink, create_columns, partial_of};

use super::{StreamArguments, check_places};
use crate::failure::Failure;
use crate::output;
use crate::results::{Output, planned};

/// The sinks of all results.
pub struct Outputs {
    pub sinks: Vec<Box<dyn Sink>>,
    /// The files that are not complete yet.
    pub partial: Vec<Partial>,
    /// Whether all outputs are files.
    pub are_files: bool,
}

/// Creates a sink for each result. `names` are those of the results, empty for one without a name.
pub fn outputs(arguments: &StreamArguments, names: &[String]) -> Result<Outputs, Failure> {
    let outputs = planned(&arguments.outputs, names).map_err(Failure::Failed)?;
    if outputs.iter().any(|output| is_standard(&output.path)) {
        output::must_be_open()?;
    }
    let paths: Vec<PathBuf> = outputs.iter().map(|output| output.path.clone()).collect();
    let partial: Vec<PathBuf> = paths.iter().filter_map(|path| Some(partial_of(path)?.0)).collect();
    check_places(arguments, paths.iter().chain(&partial))?;
    check_pipes(&paths).map_err(Failure::Failed)?;
    let mut sinks: Vec<Option<Box<dyn Sink>>> = names.iter().map(|_| None).collect();
    let (mut partial, mut are_files) = (Vec::new(), true);
    for Output { path, results } in outputs {
        let columns: Vec<String> = results.iter().map(|&result| names[result].clone()).collect();
        let created = create_columns(&path, arguments.output_format, &columns).map_err(Failure::Failed)?;
        results.into_iter().zip(created.0).for_each(|(result, sink)| sinks[result] = Some(sink));
        are_files &= created.1.is_some();
        partial.extend(created.1);
    }
    Ok(Outputs { sinks: sinks.into_iter().flatten().collect(), partial, are_files })
}

fn is_standard(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// Fails if two outputs are the same pipe, terminal or standard output, where their results would mix.
fn check_pipes(paths: &[PathBuf]) -> Result<(), String> {
    let mut before = Vec::new();
    for path in paths {
        let Some(place) = place(path) else { continue };
        if before.contains(&place) {
            let name =
                if is_standard(path) { "standard output".to_string() } else { path.display().to_string() };
            return Err(format!(
                "{name}: is named for two results, which would mix; one output for all becomes a table"
            ));
        }
        before.push(place);
    }
    Ok(())
}

/// Returns the device and the number of an existing file, pipe or terminal; `None` for the null device, where nothing can mix.
fn place(path: &Path) -> Option<(u64, u64)> {
    let path = if is_standard(path) { Path::new("/dev/stdout") } else { path };
    let metadata = fs::metadata(path).ok()?;
    let is_null = fs::metadata("/dev/null")
        .is_ok_and(|null| null.ino() == metadata.ino() && null.dev() == metadata.dev());
    (!is_null).then(|| (metadata.dev(), metadata.ino()))
}
