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

/// An output, and the numbers of the results that it holds.
struct Output {
    path: PathBuf,
    results: Vec<usize>,
}

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

/// Takes `NAME=FILE` apart, if this is the name of a result and no file is called like the whole.
fn named<'n>(output: &Path, names: &'n [String]) -> Option<(usize, &'n str, PathBuf)> {
    let (name, path) = output.to_str()?.split_once('=')?;
    let result = names.iter().position(|own| own == name)?;
    (!output.exists()).then(|| (result, names[result].as_str(), PathBuf::from(path)))
}

/// Fails if an output begins with what looks like the name of a result but is none.
fn check_unnamed(output: &Path, names: &[String]) -> Result<(), String> {
    let Some((name, _)) = output.to_str().and_then(|output| output.split_once('=')) else { return Ok(()) };
    let is_word = name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.');
    if !is_word || output.exists() {
        return Ok(());
    }
    let known: Vec<String> =
        names.iter().filter(|name| !name.is_empty()).map(|name| format!("`{name}`")).collect();
    let known = if known.is_empty() {
        "the result has no name".to_string()
    } else {
        format!("there are {}", known.join(", "))
    };
    let output = output.display();
    Err(format!("{output}: no result is called `{name}`: {known}. A file of the whole name is ./{output}"))
}

/// Assigns the outputs to the results.
fn planned(outputs: &[PathBuf], names: &[String]) -> Result<Vec<Output>, String> {
    let (mut planned, mut plain) = (Vec::new(), Vec::new());
    for output in outputs {
        match named(output, names) {
            Some((result, name, _)) if planned.iter().any(|output: &Output| output.results == [result]) => {
                return Err(format!("{}: the result `{name}` has an output already", output.display()));
            }
            Some((result, _, path)) => planned.push(Output { path, results: vec![result] }),
            None => {
                check_unnamed(output, names)?;
                plain.push(output.clone());
            }
        }
    }
    let is_left = |result: &usize| planned.iter().all(|output| output.results != [*result]);
    let left: Vec<usize> = (0..names.len()).filter(is_left).collect();
    let called: Vec<String> = left.iter().map(|&result| format!("`{}`", names[result])).collect();
    let is_field = |&result: &usize| names[result].starts_with(|c: char| !c.is_ascii_digit());
    match (plain.len(), left.len()) {
        (0, 0) => {}
        (0, _) if planned.is_empty() => planned.push(Output { path: PathBuf::from("-"), results: left }),
        (0, _) => return Err(format!("there is no output for the results {}", called.join(", "))),
        (1, 1..) => planned.extend(plain.into_iter().map(|path| Output { path, results: left.clone() })),
        (count, results) if count != results => {
            let how = "name one for all, which becomes a table, or one for each";
            let results =
                if results == 1 { "is one result".to_string() } else { format!("are {results} results") };
            return Err(format!("{count} outputs are named, but there {results}: {how}"));
        }
        (_, _) if left.iter().any(is_field) => {
            return Err(format!(
                "which output is for which field? -o NAME=FILE says it, for the results {}",
                called.join(", ")
            ));
        }
        (_, _) => planned
            .extend(plain.into_iter().zip(left).map(|(path, result)| Output { path, results: vec![result] })),
    }
    Ok(planned)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the path and the results of each output.
    fn plan(outputs: &[&str], names: &[&str]) -> Result<Vec<(String, Vec<usize>)>, String> {
        let outputs: Vec<PathBuf> = outputs.iter().map(PathBuf::from).collect();
        let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
        let planned = planned(&outputs, &names)?;
        Ok(planned.into_iter().map(|output| (output.path.display().to_string(), output.results)).collect())
    }

    #[test]
    fn outputs_belong_to_components_in_order_and_to_fields_by_name() {
        let one = |path: &str, results: &[usize]| (path.to_string(), results.to_vec());
        assert_eq!(plan(&[], &[""]), Ok(vec![one("-", &[0])]));
        assert_eq!(plan(&[], &["0", "1"]), Ok(vec![one("-", &[0, 1])]));
        assert_eq!(plan(&["a.csv"], &["x", "y"]), Ok(vec![one("a.csv", &[0, 1])]));
        assert_eq!(plan(&["a", "b"], &["0", "1"]), Ok(vec![one("a", &[0]), one("b", &[1])]));
        assert_eq!(plan(&["y=a", "x=b"], &["x", "y"]), Ok(vec![one("a", &[1]), one("b", &[0])]));
        assert_eq!(plan(&["./z=a"], &[""]), Ok(vec![one("./z=a", &[0])]));
        assert_eq!(plan(&["y=a", "b"], &["x", "y"]), Ok(vec![one("a", &[1]), one("b", &[0])]));
        for (outputs, names, said) in [
            (&["a", "b"][..], &["x", "y"][..], "which output is for which field?"),
            (&["x=a"], &["x", "y"], "no output for the results `y`"),
            (&["a", "b", "c"], &["0", "1"], "3 outputs are named, but there are 2 results: name"),
            (&["x=a", "x=b"], &["x", "y"], "has an output already"),
            (&["z=a", "x=b"], &["x", "y"], "no result is called `z`: there are `x`, `y`"),
            (&["z=a"], &[""], "the result has no name. A file of the whole name is ./z=a"),
        ] {
            let error = plan(outputs, names).unwrap_err();
            assert!(error.contains(said), "{error}");
        }
    }
}
