//! Outputs for the results of an entry point: in order for the components of a tuple, and by name for the fields of a record, which
//! have no order in the source.

use std::path::{Path, PathBuf};

/// An output, and the numbers of the results that it holds.
pub struct Output {
    /// The file, or `-`.
    pub path: PathBuf,
    /// The results, in order.
    pub results: Vec<usize>,
}

/// Returns the outputs of whole results: one for all, or one for each in the order of the results.
pub fn in_order(outputs: &[PathBuf], names: &[String]) -> Result<Vec<PathBuf>, String> {
    if outputs.is_empty() || names.is_empty() {
        return Ok(outputs.to_vec());
    }
    let mut planned = planned(outputs, names)?;
    if planned.len() > 1 && planned.iter().any(|output| output.results.len() > 1) {
        return Err("name one output for all results, or one for each".to_string());
    }
    planned.sort_by_key(|output| output.results.first().copied());
    Ok(planned.into_iter().map(|output| output.path).collect())
}

/// Assigns the outputs to the results.
pub fn planned(outputs: &[PathBuf], names: &[String]) -> Result<Vec<Output>, String> {
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
            let how = "name one for all, or one for each";
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
