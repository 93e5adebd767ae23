//! `warpwise check`: the front end only.

use std::path::{Path, PathBuf};

use clap::Args;
use warpwise_diag::{Diagnostic, Report, Severity, Sources, render};
use warpwise_driver::build::{BuildError, Core, read_core};
use warpwise_driver::host_files::check_host;
use warpwise_driver::host_lower::{lower_host, split_host};
use warpwise_mexpr::accelerate::Accepted;

use crate::commands::host::is_host_program;
use crate::failure::{FAILED, Failure, WRONG};
use crate::options::CompileOptions;
use crate::output::{colored, say, write_json};

/// What to check.
#[derive(Args, Debug)]
pub struct CheckArguments {
    /// Programs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Write errors and warnings as data to a file (`-`: standard output)
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Say nothing of warnings
    #[arg(short = 'w', long, conflicts_with = "werror")]
    no_warnings: bool,
    /// Take warnings for errors
    #[arg(long = "Werror")]
    werror: bool,
    /// Take the library of host programs (.mc) from this folder, instead of the one that comes with the compiler
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    #[command(flatten)]
    compile: CompileOptions,
}

/// Checks all files. The exit code is the worst of theirs: 1 if the tool failed on one, else 2 if one is wrong.
pub fn check(arguments: &CheckArguments) -> Result<u8, Failure> {
    let mut reports = Vec::new();
    let mut codes = Vec::new();
    for file in &arguments.files {
        match read(file, arguments) {
            Ok((sources, mut warnings)) => {
                if arguments.no_warnings {
                    warnings.clear();
                }
                if arguments.werror && !warnings.is_empty() {
                    warnings.iter_mut().for_each(|warning| warning.severity = Severity::Error);
                    codes.push(WRONG);
                }
                say_all(&render(&sources, &warnings, colored()));
                reports.extend(warnings.iter().map(|warning| Report::new(&sources, warning)));
            }
            Err(error) => {
                if let BuildError::Failure { failure, sources } = &error {
                    let diagnostics = failure.diagnostics();
                    reports.extend(diagnostics.iter().map(|diagnostic| Report::new(sources, diagnostic)));
                }
                codes.push(Failure::Build(error).report());
            }
        }
    }
    if let Some(out) = &arguments.json {
        write_json(out, &reports)?;
    }
    Ok(if codes.contains(&FAILED) { FAILED } else { codes.into_iter().max().unwrap_or(0) })
}

/// The front end of the language that the file's name tells.
fn read(file: &Path, arguments: &CheckArguments) -> Result<(Sources, Vec<Diagnostic>), BuildError> {
    if is_host_program(file) {
        let (mut checked, sources) = check_host(file, arguments.library.as_deref())?;
        if !checked.unused.is_empty() {
            let failure = warpwise_diag::Failure::User(std::mem::take(&mut checked.unused));
            return Err(BuildError::Failure { failure, sources });
        }
        let (split, options) = (split_host(checked, &sources)?, arguments.compile.options());
        let lowered = lower_host(split, &sources, &options, Accepted::default())?;
        return Ok((sources, lowered.warnings()));
    }
    let Core { sources, warnings, .. } = read_core(file, &arguments.compile.options())?;
    Ok((sources, warnings))
}

fn say_all(text: &str) {
    if !text.is_empty() {
        say(text.trim_end());
    }
}
