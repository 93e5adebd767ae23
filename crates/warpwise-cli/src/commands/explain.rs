//! `warpwise explain`: what the code of a message means.

use clap::Args;
use warpwise_fut::explain as array_language;
use warpwise_mexpr::explain as host_language;

use crate::failure::Failure;
use crate::output::print_line;

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
            let all = array_language::codes().chain(host_language::codes());
            for title in all.filter_map(section).filter_map(|section| section.lines().next()) {
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

/// What a code means: those of the array language start with `E` or `W`, those of MExpr with `M`.
fn section(code: &str) -> Option<&'static str> {
    array_language::explain(code).or_else(|| host_language::explain(code))
}
