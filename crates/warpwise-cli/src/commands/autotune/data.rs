//! The calls by which versions of a program are measured.

use std::path::Path;

use warpwise_diag::Sources;
use warpwise_driver::{Context, Program, Target};
use warpwise_fut::testspec::{Expected, TestCase};
use warpwise_runtime::array::Value;

use crate::arguments::{assigned, read_arguments};
use crate::calls::Calls;
use crate::cases::{CaseError, Cases, all_cases, case_name, is_disabled, is_left_out, read_spec};
use crate::failure::Failure;
use crate::output::say;

/// An entry point with arguments.
pub struct DataSet<'a> {
    /// Name for output.
    pub label: String,
    /// Calls, with arrays on the device. Copies take equal time for all versions, and may take longer than the versions differ.
    pub calls: Calls<'a>,
}

/// Data sets, with their expected results if known.
pub type DataSets<'a> = (Vec<DataSet<'a>>, Vec<Option<Vec<Value>>>);

/// Returns the data set that the words of the command line give; without words, the cases of the program's test blocks.
pub fn data_sets<'a>(
    (file, entry): (&Path, Option<&str>),
    words: &[String],
    (program, device): (&'a Program, Target),
    context: &'a Context,
) -> Result<DataSets<'a>, Failure> {
    if !words.is_empty() {
        let name = entry.unwrap_or("main");
        let entry = program.entry(name)?;
        let arguments = read_arguments(entry, &assigned(entry, words)?, context.memory())?;
        let label = format!("{name}: {}", words.join(" "));
        let calls = Calls::new(program, context, device, entry, &arguments)?;
        return Ok((vec![DataSet { label, calls }], vec![None]));
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

fn of_test_blocks<'a>(
    (file, wanted): (&Path, Option<&str>),
    (program, device): (&'a Program, Target),
    context: &'a Context,
) -> Result<DataSets<'a>, Failure> {
    let mut sources = Sources::new();
    let spec = read_spec(file, &mut sources)?;
    let cases = Cases { path: file, sources: &sources, memory: context.memory() };
    let mut sets = DataSets::default();
    for (name, number, case) in all_cases(&spec.blocks) {
        let wanted = wanted.is_none_or(|wanted| wanted == name);
        if is_disabled(&spec, device) || !wanted || !is_measured(case, device) {
            continue;
        }
        let entry = program.entry(name)?;
        let label = format!("{name}: {}", case_name(case, number));
        let given = cases.arguments(case, program).and_then(|arguments| {
            let expected = match &case.expected {
                Expected::Values(values) => Some(cases.values(values)?),
                Expected::Success | Expected::Auto | Expected::Error(_) => None,
            };
            Ok((arguments, expected))
        });
        match given {
            Ok((arguments, expected)) => {
                let calls = Calls::new(program, context, device, entry, &arguments)?;
                sets.0.push(DataSet { label, calls });
                sets.1.push(expected);
            }
            Err(CaseError::Unsupported(what)) => say(&format!("{label}: not supported yet: {what}")),
            Err(CaseError::Wrong(message)) => return Err(Failure::Failed(message)),
        }
    }
    Ok(sets)
}

/// Returns whether a case is measured. Cases that expect an error, and those tagged `notune`, are not.
fn is_measured(case: &TestCase, device: Target) -> bool {
    !matches!(case.expected, Expected::Error(_)) && !is_left_out(&case.tags, "notune", device)
}
