//! The calls that versions of a program are measured with.

use std::path::Path;

use warpwise_diag::Sources;
use warpwise_driver::{Context, Program, Target};
use warpwise_fut::testspec::{Expected, TestCase};
use warpwise_runtime::array::Value;

use crate::arguments::read_arguments;
use crate::cases::{CaseError, Cases, all_cases, case_name, is_disabled, is_left_out, read_spec};
use crate::failure::Failure;
use crate::output::say;

/// A call.
pub struct DataSet {
    /// What it is called.
    pub label: String,
    /// The entry point.
    pub entry: String,
    /// Its arguments.
    pub arguments: Vec<Value>,
}

/// The data sets, and their results where those are known.
pub type DataSets = (Vec<DataSet>, Vec<Option<Vec<Value>>>);

/// What the words of the command line say; without any, the cases of the program's test blocks.
pub fn data_sets(
    (file, entry): (&Path, Option<&str>),
    words: &[String],
    (program, device): (&Program, Target),
    context: &Context,
) -> Result<DataSets, Failure> {
    if !words.is_empty() {
        let entry = entry.unwrap_or("main");
        let arguments = read_arguments(program.entry(entry)?, words, context.memory())?;
        let (label, entry) = (format!("{entry}: {}", words.join(" ")), entry.to_string());
        return Ok((vec![DataSet { label, entry, arguments }], vec![None]));
    }
    let sets = of_test_blocks((file, entry), (program, device), context)?;
    if sets.0.is_empty() {
        let whose = entry.map(|entry| format!(" for entry point `{entry}`")).unwrap_or_default();
        return Err(Failure::Failed(format!(
            "{}: its test blocks have no case to measure{whose}; name values to call it with",
            file.display()
        )));
    }
    Ok(sets)
}

fn of_test_blocks(
    (file, wanted): (&Path, Option<&str>),
    (program, device): (&Program, Target),
    context: &Context,
) -> Result<DataSets, Failure> {
    let mut sources = Sources::new();
    let spec = read_spec(file, &mut sources)?;
    let cases = Cases { path: file, sources: &sources, memory: context.memory() };
    let mut sets = DataSets::default();
    for (entry, number, case) in all_cases(&spec.blocks) {
        let wanted = wanted.is_none_or(|wanted| wanted == entry);
        if is_disabled(&spec, device) || !wanted || !is_measured(case, device) {
            continue;
        }
        program.entry(entry)?;
        let label = format!("{entry}: {}", case_name(case, number));
        let given = cases.arguments(case, program).and_then(|arguments| {
            let expected = match &case.expected {
                Expected::Values(values) => Some(cases.values(values)?),
                Expected::Success | Expected::Auto | Expected::Error(_) => None,
            };
            Ok((arguments, expected))
        });
        match given {
            Ok((arguments, expected)) => {
                sets.0.push(DataSet { label, entry: entry.to_string(), arguments });
                sets.1.push(expected);
            }
            Err(CaseError::Unsupported(what)) => say(&format!("{label}: not supported yet: {what}")),
            Err(CaseError::Wrong(message)) => return Err(Failure::Failed(message)),
        }
    }
    Ok(sets)
}

/// Whether a case is to be measured: those that fail, and those marked `notune`, are not.
fn is_measured(case: &TestCase, device: Target) -> bool {
    !matches!(case.expected, Expected::Error(_)) && !is_left_out(&case.tags, "notune", device)
}
