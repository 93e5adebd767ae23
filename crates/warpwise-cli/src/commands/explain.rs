//! `warpwise explain`: the meaning of the codes of messages.

use clap::Args;
use warpwise_diag::Explanations;

use crate::failure::Failure;
use crate::output::print_line;

/// Explanations of all codes. Codes of the array language start with `E` or `W`, those of MExpr with `M`.
const ALL: [Explanations; 2] = [warpwise_fut::explain::EXPLANATIONS, warpwise_mexpr::explain::EXPLANATIONS];

/// What to explain.
#[derive(Args, Debug)]
pub struct ExplainArguments {
    /// A code such as E0201; all codes with their titles if left out
    code: Option<String>,
}

/// Prints the section on a code, or the titles of all.
pub fn explain(arguments: &ExplainArguments) -> Result<u8, Failure> {
    match &arguments.code {
        None => {
            let codes = ALL.iter().flat_map(|explanations| explanations.codes());
            for title in codes.filter_map(section).filter_map(|section| section.lines().next()) {
                print_line(title)?;
            }
        }
        Some(code) => match section(code) {
            Some(section) => {
                print_line(section)?;
                if section.contains("```") {
                    print_line(
                        "\nThe first block gets this message; the second, where there is one, is right.",
                    )?;
                }
            }
            None => {
                let message = format!("there is no code `{code}`; `warpwise explain` lists all");
                return Err(Failure::Failed(message));
            }
        },
    }
    Ok(0)
}

/// Returns the section that explains a code.
fn section(code: &str) -> Option<&'static str> {
    ALL.iter().find_map(|explanations| explanations.explain(code))
}
