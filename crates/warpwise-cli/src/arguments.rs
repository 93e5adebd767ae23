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
pub fn expected_type(parameter: &FlatType) -> ExpectedType {
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
