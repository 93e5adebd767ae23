//! The inputs of a stream: which file and which column each streamed array takes.
//!
//! ```text
//! -i t.csv                          every array takes its column of one input
//! -i a.npy -i b.npy                 each streamed parameter has its input
//! -i 1.csv -i 2.csv, -i '*.csv'     inputs that follow one another, for a single parameter
//! -i xs=a.npy -i ys=b.npy           the names say which array takes which input
//! --column x --column ys=y          the same for columns
//! ```
//!
//! The order of options counts for parameters, which have an order in the source, and never for the fields of records.

use std::path::{Path, PathBuf};

use warpwise_driver::{Context, FlatType};
use warpwise_stream::source::{Chain, Format, Leaf, Notes, Source, SourceOptions, Take, Wanted};

use super::StreamArguments;
use super::patterns::expanded;
use crate::failure::Failure;

/// Arrays that take columns of the same inputs, which follow one another.
struct Group {
    /// Numbers of the arrays.
    leaves: Vec<usize>,
    files: Vec<PathBuf>,
}

/// Opens a source for each streamed array.
pub fn sources(
    arguments: &StreamArguments,
    streamed: &[FlatType],
    context: &Context,
    notes: &Notes,
) -> Result<Vec<Box<dyn Source>>, Failure> {
    let options = SourceOptions {
        format: arguments.input_format,
        column: None,
        no_header: arguments.table.no_header,
        table: arguments.table.style(),
        notes: notes.clone(),
        shape: arguments.shape.clone(),
        unmapped: arguments.no_mmap,
        memory: Some(context.memory().clone()),
    };
    opened(arguments, streamed, &options).map_err(Failure::Failed)
}

fn opened(
    arguments: &StreamArguments,
    streamed: &[FlatType],
    options: &SourceOptions,
) -> Result<Vec<Box<dyn Source>>, String> {
    let mut leaves: Vec<Leaf> = streamed.iter().map(leaf).collect();
    let groups = groups(&arguments.inputs, &leaves)?;
    check_standard_input(&groups)?;
    check_options(arguments, &groups, options)?;
    assign_columns(&arguments.columns, &mut leaves, groups.len() > 1)?;
    let mut sources: Vec<Option<Box<dyn Source>>> = leaves.iter().map(|_| None).collect();
    for Group { leaves: group, files } in groups {
        let own: Vec<Leaf> = group.iter().map(|&leaf| leaves[leaf].clone()).collect();
        for (leaf, source) in group.into_iter().zip(Chain::open(&files, &own, options)?) {
            sources[leaf] = Some(source);
        }
    }
    let taken = |source: Box<dyn Source>| match arguments.take {
        Some(count) => Box::new(Take::new(source, count)) as Box<dyn Source>,
        None => source,
    };
    Ok(sources.into_iter().flatten().map(taken).collect())
}

fn leaf(streamed: &FlatType) -> Leaf {
    let wanted = Wanted { scalar: streamed.element, rank: streamed.rank.saturating_sub(1) };
    Leaf { name: streamed.name.clone(), wanted, column: None }
}

/// Returns all input files, to check that none is an output.
pub fn files(inputs: &[PathBuf]) -> Vec<PathBuf> {
    let path = |input: &PathBuf| match named(input) {
        Some((_, path)) => path,
        None => input.clone(),
    };
    inputs.iter().flat_map(|input| expanded(&path(input)).unwrap_or_default()).collect()
}

/// Takes `NAME=FILE` apart, unless there is a file with the whole as its name.
fn named(input: &Path) -> Option<(String, PathBuf)> {
    let (name, path) = input.to_str()?.split_once('=')?;
    (!input.exists()).then(|| (name.to_string(), PathBuf::from(path)))
}

/// Assigns the inputs to the arrays.
fn groups(inputs: &[PathBuf], leaves: &[Leaf]) -> Result<Vec<Group>, String> {
    let mut groups = Vec::new();
    let (mut plain, mut left) = (Vec::new(), (0..leaves.len()).collect::<Vec<_>>());
    for input in inputs {
        let Some((name, path)) = named(input) else {
            plain.push(expanded(input)?);
            continue;
        };
        let own: Vec<usize> =
            left.iter().copied().filter(|&leaf| is_meant(&name, &leaves[leaf], leaves)).collect();
        if own.is_empty() {
            return Err(format!(
                "{}: there is no such file, and no streamed array without an input is called `{name}`; there are {}",
                input.display(),
                list(leaves)
            ));
        }
        left.retain(|leaf| !own.contains(leaf));
        groups.push(Group { leaves: own, files: expanded(&path)? });
    }
    match (plain.len(), parameters(leaves, &left).as_slice()) {
        (0, []) => {}
        (0, _) => {
            let missing = left.iter().map(|&leaf| leaves[leaf].clone()).collect::<Vec<_>>();
            return Err(format!("there is no input for {}: {REMEDY}", list(&missing)));
        }
        (_, []) => return Err(format!("{} inputs are named for no array: {}", plain.len(), list(leaves))),
        (1, _) | (_, [_]) => {
            groups.push(Group { leaves: left, files: plain.into_iter().flatten().collect() })
        }
        (count, parameters) if count == parameters.len() => {
            let own = parameters.iter().zip(plain);
            groups.extend(own.map(|(leaves, files)| Group { leaves: leaves.clone(), files }));
        }
        (count, parameters) => {
            return Err(format!(
                "{} parameters are streamed ({}), but {count} inputs are named: {REMEDY}",
                parameters.len(),
                list(leaves)
            ));
        }
    }
    Ok(groups)
}

/// How to assign inputs.
const REMEDY: &str = "name one --input for all, or one for each parameter, or NAME=FILE for each array";

/// Returns whether a name before `=` means an array: its own name, that of its field, or its parameter's.
fn is_meant(name: &str, leaf: &Leaf, leaves: &[Leaf]) -> bool {
    leaf.is_called(name, leaves) || leaf.name.split('.').next() == Some(name)
}

/// Returns the arrays of each parameter.
fn parameters(leaves: &[Leaf], of: &[usize]) -> Vec<Vec<usize>> {
    let parameter = |leaf: usize| leaves[leaf].name.split('.').next();
    let mut all: Vec<Vec<usize>> = Vec::new();
    for &leaf in of {
        match all.last_mut().filter(|own| parameter(own[0]) == parameter(leaf)) {
            Some(own) => own.push(leaf),
            None => all.push(vec![leaf]),
        }
    }
    all
}

/// Sets the columns that are requested.
fn assign_columns(columns: &[String], leaves: &mut [Leaf], has_groups: bool) -> Result<(), String> {
    let mut plain = Vec::new();
    for column in columns {
        let named = column.split_once('=');
        let place = named.and_then(|(name, _)| leaves.iter().position(|leaf| leaf.is_called(name, leaves)));
        match (place, named) {
            (Some(place), Some((name, _))) if leaves[place].column.is_some() => {
                return Err(format!("--column {column}: `{name}` has a column already"));
            }
            (Some(place), Some((_, column))) => leaves[place].column = Some(column.to_string()),
            (None, Some((name, _))) if leaves.len() > 1 => {
                return Err(format!(
                    "--column {column}: no array is called `{name}`; there are {}",
                    list(leaves)
                ));
            }
            (_, _) => plain.push(column),
        }
    }
    let left: Vec<usize> = (0..leaves.len()).filter(|&leaf| leaves[leaf].column.is_none()).collect();
    let by_name = |column: &str| left.iter().copied().find(|&leaf| leaves[leaf].is_called(column, leaves));
    let own: Option<Vec<usize>> = plain.iter().map(|column| by_name(column)).collect();
    let is_each = |own: &[usize]| (1..own.len()).all(|place| !own[..place].contains(&own[place]));
    let places = match (own.filter(|own| is_each(own)), plain.as_slice()) {
        (Some(own), _) => own,
        // Each input has a column of this name.
        (None, &[column]) if has_groups => {
            left.iter().for_each(|&leaf| leaves[leaf].column = Some(column.clone()));
            return Ok(());
        }
        (None, _) if plain.len() != left.len() => {
            return Err(format!(
                "{} streamed ({}), but {} columns are named",
                if leaves.len() == 1 {
                    "one array is".to_string()
                } else {
                    format!("{} arrays are", leaves.len())
                },
                list(leaves),
                columns.len()
            ));
        }
        (None, _) if left.len() > 1 && left.iter().any(|&leaf| leaves[leaf].field().is_some()) => {
            return Err(format!(
                "which column belongs to which field? --column NAME=COLUMN says it, for {}",
                list(leaves)
            ));
        }
        (None, _) => left,
    };
    places.iter().zip(plain).for_each(|(&leaf, column)| leaves[leaf].column = Some(column.clone()));
    Ok(())
}

/// Lists the names of arrays.
fn list(leaves: &[Leaf]) -> String {
    leaves.iter().map(|leaf| format!("`{}`", leaf.name)).collect::<Vec<_>>().join(", ")
}

fn check_standard_input(groups: &[Group]) -> Result<(), String> {
    let is_standard = |path: &&PathBuf| path.as_os_str() == "-";
    if groups.iter().flat_map(|group| &group.files).filter(is_standard).count() > 1 {
        return Err("standard input can be read only once".to_string());
    }
    Ok(())
}

/// Fails if an option describes no input.
fn check_options(
    arguments: &StreamArguments,
    groups: &[Group],
    options: &SourceOptions,
) -> Result<(), String> {
    let files = groups.iter().flat_map(|group| &group.files);
    let formats: Vec<Format> = files.map(|path| options.format_of(path)).collect::<Result<_, _>>()?;
    let is = |test: fn(&Format) -> bool| formats.iter().any(test);
    let unused = |given: Option<&str>, what: &str| match given {
        Some(option) => Err(format!("{option} describes {what}, but no input is one")),
        None => Ok(()),
    };
    if !is(|format| matches!(format, Format::Csv | Format::Tsv)) {
        let described = arguments.table.given().into_iter().find(|option| *option != "--missing");
        unused(described, "tables (csv, tsv)")?;
    }
    if !is(|format| matches!(format, Format::Csv | Format::Tsv | Format::Arrow | Format::Parquet)) {
        unused(arguments.table.given().first().copied(), "tables (csv, tsv, arrow, parquet)")?;
    }
    if !is(Format::has_columns) {
        unused(
            arguments.columns.first().map(|_| "--column"),
            "inputs with columns (csv, tsv, mtx, arrow, parquet)",
        )?;
    }
    if !is(|format| *format == Format::Raw) {
        unused(arguments.shape.first().map(|_| "--shape"), "raw data")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use warpwise_prim::ValueType;

    use super::*;

    fn leaves(names: &[&str]) -> Vec<Leaf> {
        let wanted = Wanted { scalar: ValueType::I32, rank: 0 };
        names.iter().map(|name| Leaf { name: name.to_string(), wanted, column: None }).collect()
    }

    /// Returns the arrays and the number of files of each group.
    fn grouped(inputs: &[&str], names: &[&str]) -> Result<Vec<(Vec<usize>, usize)>, String> {
        let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
        let groups = groups(&inputs, &leaves(names))?;
        Ok(groups.into_iter().map(|group| (group.leaves, group.files.len())).collect())
    }

    #[test]
    fn inputs_belong_to_parameters_or_to_names() {
        assert_eq!(grouped(&["a"], &["xs", "ys"]), Ok(vec![(vec![0, 1], 1)]));
        assert_eq!(grouped(&["a", "b"], &["xs", "ys"]), Ok(vec![(vec![0], 1), (vec![1], 1)]));
        assert_eq!(grouped(&["a", "b"], &["xs"]), Ok(vec![(vec![0], 2)]));
        assert_eq!(grouped(&["a", "b"], &["ps.x", "ps.y"]), Ok(vec![(vec![0, 1], 2)]));
        assert_eq!(grouped(&["a", "b"], &["ks", "ps.x", "ps.y"]), Ok(vec![(vec![0], 1), (vec![1, 2], 1)]));
        assert_eq!(grouped(&["y=b", "x=a"], &["ps.x", "ps.y"]), Ok(vec![(vec![1], 1), (vec![0], 1)]));
        assert_eq!(grouped(&["ps=b", "a"], &["ks", "ps.x", "ps.y"]), Ok(vec![(vec![1, 2], 1), (vec![0], 1)]));
        for (inputs, names) in
            [(&["z=a"][..], &["xs"][..]), (&["x=a"], &["ps.x", "ps.y"]), (&["a", "b", "c"], &["xs", "ys"])]
        {
            assert!(grouped(inputs, names).is_err(), "{inputs:?}");
        }
    }

    /// Returns the columns of the arrays.
    fn assigned(columns: &[&str], names: &[&str], has_groups: bool) -> Result<Vec<Option<String>>, String> {
        let columns: Vec<String> = columns.iter().map(|column| column.to_string()).collect();
        let mut leaves = leaves(names);
        assign_columns(&columns, &mut leaves, has_groups)?;
        Ok(leaves.into_iter().map(|leaf| leaf.column).collect())
    }

    #[test]
    fn columns_go_to_names_and_to_parameters_in_order() {
        let some = |names: &[&str]| Ok(names.iter().map(|name| Some(name.to_string())).collect::<Vec<_>>());
        assert_eq!(assigned(&["a", "b"], &["xs", "ys"], false), some(&["a", "b"]));
        assert_eq!(assigned(&["ys", "xs"], &["xs", "ys"], false), some(&["xs", "ys"]));
        assert_eq!(assigned(&["y", "x"], &["ps.x", "ps.y"], false), some(&["x", "y"]));
        assert_eq!(assigned(&["y=a", "x=b"], &["ps.x", "ps.y"], false), some(&["b", "a"]));
        assert_eq!(assigned(&["value"], &["xs", "ys"], true), some(&["value", "value"]));
        assert_eq!(assigned(&["p=q"], &["xs"], false), some(&["p=q"]));
        let error = assigned(&["a", "b"], &["ps.x", "ps.y"], false).unwrap_err();
        assert!(error.contains("`ps.x`, `ps.y`"), "{error}");
        assert!(assigned(&["a", "b"], &["xs"], false).is_err());
        assert!(assigned(&["xs=a", "xs=b"], &["xs"], false).is_err());
        let error = assigned(&["z=a"], &["ps.x", "ps.y"], false).unwrap_err();
        assert!(error.contains("no array is called `z`"), "{error}");
    }
}
