//! The arguments and expected results of cases in test blocks.

use std::path::Path;

use warpwise_diag::{Sources, Span};
use warpwise_driver::{Program, Target};
use warpwise_fut::testspec::{Input, RandomValue, TestBlock, TestCase, TestSpec, Values, parse_test_spec};
use warpwise_prim::ValueType;
use warpwise_runtime::array::Value;
use warpwise_runtime::formats::files::read_file;
use warpwise_runtime::formats::{FormatError, Position, Source, read_values};
use warpwise_runtime::memory::MemoryPool;

use crate::failure::Failure;
use crate::random::random_value;
use crate::script::{Surroundings, run_script};

/// The reason why a case has no values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CaseError {
    /// The case or a file it names is wrong.
    Wrong(String),
    /// The case needs an unsupported feature.
    Unsupported(String),
}

/// The place of a program's test blocks.
pub struct Cases<'a> {
    /// File of the program.
    pub path: &'a Path,
    /// Text of the file.
    pub sources: &'a Sources,
    /// Memory for values.
    pub memory: &'a MemoryPool,
}

impl Cases<'_> {
    /// Returns the arguments of a case.
    pub fn arguments(&self, case: &TestCase, program: &Program) -> Result<Vec<Value>, CaseError> {
        match &case.input {
            Input::Values(values) => self.values(values),
            Input::Script(script) => self.script(script, program),
            Input::Random(values) => {
                let mut arguments = Vec::new();
                for (position, value) in values.iter().enumerate() {
                    arguments.append(&mut self.random(position, value, case.span)?);
                }
                Ok(arguments)
            }
        }
    }

    /// Runs a script, which may call the entry points of the program.
    fn script(&self, script: &Values, program: &Program) -> Result<Vec<Value>, CaseError> {
        let folder = self.path.parent().unwrap_or(Path::new(""));
        let surroundings = Surroundings { program, folder, memory: self.memory };
        match script {
            Values::Inline { text, .. } => run_script(text, surroundings),
            Values::File { path, .. } => {
                let path = folder.join(path);
                let text = std::fs::read_to_string(&path)
                    .map_err(|error| CaseError::Wrong(format!("{}: cannot read: {error}", path.display())))?;
                run_script(&text, surroundings)
            }
        }
    }

    /// Returns values written in place or in a file beside the program.
    pub fn values(&self, values: &Values) -> Result<Vec<Value>, CaseError> {
        match values {
            Values::File { path, .. } => {
                let path = self.path.parent().unwrap_or(Path::new("")).join(path);
                read_file(&path, None, self.memory).map_err(|error| CaseError::Wrong(error.to_string()))
            }
            Values::Inline { text, span } => self.inline(text, *span),
        }
    }

    fn inline(&self, text: &str, span: Span) -> Result<Vec<Value>, CaseError> {
        let name = self.sources.name(span.file);
        read_values(Source::bytes(name, text.as_bytes()), None, self.memory)
            .map_err(|error| CaseError::Wrong(self.in_program(error, span).to_string()))
    }

    /// Moves an error in values that start at `span` to its place in the program's file.
    fn in_program(&self, error: FormatError, span: Span) -> FormatError {
        let start = self.sources.position(span.file, span.start);
        let position = match error.position {
            Position::Line { line: 1, column } => {
                Position::Line { line: start.line.into(), column: u64::from(start.column) + column - 1 }
            }
            Position::Line { line, column } => {
                Position::Line { line: u64::from(start.line) + line - 1, column }
            }
            Position::File | Position::Byte(_) => Position::File,
        };
        FormatError { position, ..error }
    }

    fn random(&self, position: usize, value: &RandomValue, case: Span) -> Result<Vec<Value>, CaseError> {
        let (shape, element) = match value {
            RandomValue::Constant { text, span } => return self.inline(text, *span),
            RandomValue::Generated { shape, element } => (shape, element),
        };
        let wrong = |message: String| CaseError::Wrong(format!("{}: {message}", self.sources.describe(case)));
        let shape: Result<Vec<i64>, _> = shape.iter().map(|&size| i64::try_from(size)).collect();
        let shape = shape.map_err(|_| wrong("a random value is larger than 2^63".to_string()))?;
        let element = ValueType::from_name(element.name())
            .ok_or_else(|| wrong(format!("there are no random values of type {}", element.name())))?;
        let value = random_value(position, element, &shape, self.memory);
        value.map(|value| vec![value]).map_err(|error| wrong(error.to_string()))
    }
}

/// Reads the test blocks of a program.
pub fn read_spec(path: &Path, sources: &mut Sources) -> Result<TestSpec, Failure> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Failed(format!("{name}: cannot read: {error}")))?;
    let file = sources.add(name, text);
    parse_test_spec(file, sources.text(file)).map_err(|errors| {
        let (failure, sources) = (warpwise_diag::Failure::User(errors), sources.clone());
        Failure::Build(warpwise_driver::build::BuildError::Failure { failure, sources })
    })
}

/// Returns the name of a case, or a name made from its input.
pub fn case_name(case: &TestCase, number: usize) -> String {
    if let Some(name) = &case.name {
        return name.clone();
    }
    match &case.input {
        Input::Values(Values::File { path, .. }) | Input::Script(Values::File { path, .. }) => path.clone(),
        Input::Values(Values::Inline { text, .. }) | Input::Script(Values::Inline { text, .. }) => {
            let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
            if text.len() <= LONGEST_NAME { text } else { format!("case {}", number + 1) }
        }
        Input::Random(values) => values.iter().map(random_name).collect::<Vec<_>>().join(" "),
    }
}

const LONGEST_NAME: usize = 40;

fn random_name(value: &RandomValue) -> String {
    match value {
        RandomValue::Constant { text, .. } => text.clone(),
        RandomValue::Generated { shape, element } => {
            shape.iter().map(|size| format!("[{size}]")).collect::<String>() + element.name()
        }
    }
}

/// Returns whether a program's tags say that it does not work, or does not work on this device.
pub fn is_disabled(spec: &TestSpec, device: Target) -> bool {
    spec.tags.iter().any(|tag| tag == "no_warpwise") || is_left_out(&spec.tags, "disable", device)
}

/// Returns whether one of the tags is `word`, or `no_cpu`, `no_opencl` or `no_cuda` on such a device.
pub fn is_left_out(tags: &[String], word: &str, device: Target) -> bool {
    tags.iter().any(|tag| tag == word || tag.strip_prefix("no_") == Some(device.kind()))
}

/// Returns every case with its entry point and its number within its block.
pub fn all_cases(blocks: &[TestBlock]) -> impl Iterator<Item = (&str, usize, &TestCase)> {
    blocks.iter().flat_map(|block| {
        let of_entry =
            |entry| block.cases.iter().enumerate().map(move |(number, case)| (entry, number, case));
        block.entries.iter().map(String::as_str).flat_map(of_entry)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_leave_out_on_their_device_only() {
        let on = |tags: &[&str], device: &str| {
            let tags: Vec<String> = tags.iter().map(|tag| tag.to_string()).collect();
            is_left_out(&tags, "notest", device.parse().unwrap())
        };
        assert!(on(&["no_opencl"], "opencl:1"));
        assert!(!on(&["no_opencl"], "cpu"));
        assert!(!on(&["no_opencl", "nobench"], "cuda"));
        assert!(on(&["no_cpu", "notest"], "cuda"));
        let spec = |tag: &str| TestSpec { tags: vec![tag.to_string()], ..TestSpec::default() };
        assert!(is_disabled(&spec("no_cuda"), "cuda".parse().unwrap()));
        assert!(is_disabled(&spec("no_warpwise"), Target::Cpu));
        assert!(!is_disabled(&spec("no_cuda"), Target::Cpu));
    }
}
