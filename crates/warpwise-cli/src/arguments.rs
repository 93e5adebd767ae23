//! Arguments of an entry point, from the words of a command line or from standard input.
//!
//! A word is the name of a file if there is such a file, otherwise a value. The entry point determines the types, so numbers need no
//! suffix.

use std::io::{self, IsTerminal};
use std::path::Path;

use warpwise_driver::{Entry, FlatType};
use warpwise_runtime::array::Value;
use warpwise_runtime::formats::files::read_file;
use warpwise_runtime::formats::{ExpectedType, Source, read_values};
use warpwise_runtime::memory::MemoryPool;

use crate::failure::Failure;
use crate::output::say;

/// Reads all arguments of an entry point; from standard input if there are no words.
pub fn read_arguments(entry: &Entry, words: &[String], memory: &MemoryPool) -> Result<Vec<Value>, Failure> {
    let parameters = entry.parameters();
    let expected: Vec<ExpectedType> = parameters.iter().map(expected_type).collect();
    match words {
        [] if parameters.is_empty() => Ok(Vec::new()),
        [] => from_standard_input(&parameters, &expected, memory),
        [word] if parameters.len() > 1 && Path::new(word).is_file() => {
            Ok(read_file(Path::new(word), Some(&expected), memory)?)
        }
        _ if words.len() != parameters.len() => Err(wrong_count(entry, &parameters, words.len())),
        _ => {
            let all = words.iter().zip(&parameters).enumerate();
            all.map(|(index, (word, parameter))| read_argument(index, word, parameter, memory)).collect()
        }
    }
}

/// Returns the type that a parameter expects, without its name.
fn expected_type(parameter: &FlatType) -> ExpectedType {
    ExpectedType { elem: parameter.element, rank: parameter.rank }
}

fn from_standard_input(
    parameters: &[FlatType],
    expected: &[ExpectedType],
    memory: &MemoryPool,
) -> Result<Vec<Value>, Failure> {
    let input = io::stdin().lock();
    if input.is_terminal() {
        say(&format!("reading from the terminal: {} (end with Ctrl-D)", describe(parameters)));
    }
    Ok(read_values(Source::stream("standard input", input), Some(expected), memory)?)
}

/// Reads argument number `index` from a word.
pub fn read_argument(
    index: usize,
    word: &str,
    parameter: &FlatType,
    memory: &MemoryPool,
) -> Result<Value, Failure> {
    let (path, expected) = (Path::new(word), expected_type(parameter));
    if let (true, Some(remedy)) = (path.is_file(), unread_format(path)) {
        return Err(Failure::Failed(format!("{word}: {remedy}")));
    }
    let mut values = if path.exists() {
        read_file(path, Some(&[expected]), memory)?
    } else if looks_like_path(word) {
        return Err(Failure::Failed(format!("{word}: there is no such file")));
    } else {
        let name = format!("argument {}{}", index + 1, name_of(parameter));
        read_values(Source::bytes(&name, word.as_bytes()), Some(&[expected]), memory)?
    };
    values.pop().ok_or_else(|| Failure::Failed(format!("{word}: there is no value")))
}

/// Returns the remedy for a file whose ending names a format that is not read as an argument.
fn unread_format(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_str()?.to_ascii_lowercase();
    let ending = name.strip_suffix(".gz").unwrap_or(&name).rsplit_once('.')?.1;
    match ending {
        "csv" | "tsv" | "parquet" | "arrow" | "arrows" | "feather" | "mtx" | "wav" => Some(
            "such files are read by `warpwise stream`, column by column; an argument is text, .bin, .npy or .png",
        ),
        "npz" => Some("such an archive holds several arrays; save each one as a .npy file"),
        "jpg" | "jpeg" => Some("such pictures are only written; convert it to a .png file"),
        _ => None,
    }
}

/// Assigns words of the form `NAME=VALUE` to the parameters of these names, and the others to the remaining parameters in order. A
/// note says what fields of records get by their order, which is not that of the source.
pub fn assigned(entry: &Entry, words: &[String]) -> Result<Vec<String>, Failure> {
    let parameters = entry.parameters();
    let mut given: Vec<Option<String>> = vec![None; parameters.len()];
    let mut rest = Vec::new();
    for word in words {
        let is_name = |name: &str| name.trim().chars().all(|c| c.is_alphanumeric() || "_.'".contains(c));
        let named = word.split_once('=').filter(|(name, _)| is_name(name) && !Path::new(word).exists());
        let Some((name, value)) = named else {
            rest.push(word);
            continue;
        };
        let place = place_of(name.trim(), &parameters).ok_or_else(|| {
            let known = describe(&parameters);
            Failure::Failed(format!("{word}: no parameter is called `{}`; there are {known}", name.trim()))
        })?;
        if given[place].replace(value.to_string()).is_some() {
            return Err(Failure::Failed(format!("{word}: `{}` has a value already", name.trim())));
        }
    }
    let free: Vec<usize> = (0..given.len()).filter(|&place| given[place].is_none()).collect();
    if rest.len() != free.len() {
        // The caller says how many are expected; a file or standard input may hold several.
        let all_are_plain = free.len() == given.len();
        return if all_are_plain {
            Ok(words.to_vec())
        } else {
            Err(wrong_count(entry, &parameters, words.len()))
        };
    }
    let fields = free.iter().filter(|&&place| is_field(&parameters[place])).collect::<Vec<_>>();
    if fields.len() > 1 {
        let names = fields.iter().map(|&&place| parameters[place].name.as_str()).collect::<Vec<_>>();
        say(&format!(
            "note: the values for fields of records were taken in the order {}; NAME=VALUE names them",
            names.join(", ")
        ));
    }
    free.iter().zip(rest).for_each(|(&place, word)| given[place] = Some(word.clone()));
    Ok(given.into_iter().flatten().collect())
}

/// Returns whether a parameter is a field of a record; the components of tuples are numbers, in order.
fn is_field(parameter: &FlatType) -> bool {
    let field = parameter.name.rsplit_once('.').map(|(_, field)| field);
    field.is_some_and(|field| !field.starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the parameter of this name, or the only one with a field of this name.
fn place_of(name: &str, parameters: &[FlatType]) -> Option<usize> {
    let is_called = |parameter: &FlatType| {
        parameter.name.split_once('.').is_some_and(|(_, field)| field == name) || parameter.name == name
    };
    let exact = parameters.iter().position(|parameter| parameter.name == name);
    exact.or_else(|| {
        let place = parameters.iter().position(is_called)?;
        (parameters.iter().filter(|parameter| is_called(parameter)).count() == 1).then_some(place)
    })
}

/// Returns whether a word that names no file was probably meant to. No value contains a slash outside quotes, or has such an ending.
fn looks_like_path(word: &str) -> bool {
    let endings = [".npy", ".png", ".bin", ".in", ".txt", ".gz", ".dat", ".out"];
    !word.contains('"') && (word.contains('/') || endings.iter().any(|ending| word.ends_with(ending)))
}

fn wrong_count(entry: &Entry, parameters: &[FlatType], found: usize) -> Failure {
    let expected = match parameters.len() {
        0 => "no arguments".to_string(),
        1 => format!("one argument, {}", describe(parameters)),
        count => format!("{count} arguments, {}", describe(parameters)),
    };
    Failure::Failed(format!(
        "the entry point `{}` takes {expected}, but {found} {} given",
        entry.point.name,
        if found == 1 { "is" } else { "are" }
    ))
}

/// Lists parameters with their types.
pub fn describe(parameters: &[FlatType]) -> String {
    let one = |parameter: &FlatType| match parameter.name.as_str() {
        "" => parameter.to_string(),
        name => format!("{name}: {parameter}"),
    };
    parameters.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn name_of(parameter: &FlatType) -> String {
    match parameter.name.as_str() {
        "" => String::new(),
        name => format!(" (`{name}`)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_do_not_look_like_paths() {
        for value in ["1", "-0.7f32", "[1.0, 2.0]", "empty([0][2]i32)", "f32.nan", "\"a/b.txt\"", "true"] {
            assert!(!looks_like_path(value), "{value}");
        }
        for path in ["a.npy", "data/xs", "x.png", "./a"] {
            assert!(looks_like_path(path), "{path}");
        }
    }
}
