//! `warpwise check`: the front end only.

use std::path::{Path, PathBuf};

use clap::Args;
use warpwise_diag::{Diagnostic, Report, Severity, Sources, render};
use warpwise_driver::build::{BuildError, Core, read_core};
use warpwise_driver::host::program::HostProgram;

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
    /// Write errors and warnings as JSON to a file (`-`: standard output)
    #[arg(long, value_name = "OUT")]
    json: Option<PathBuf>,
    /// Suppress warnings
    #[arg(short = 'w', long, conflicts_with = "werror")]
    no_warnings: bool,
    /// Treat warnings as errors
    #[arg(long = "Werror")]
    werror: bool,
    /// Use the library of host programs (.mc) in this folder, instead of the bundled one
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
    #[command(flatten)]
    compile: CompileOptions,
}

/// Checks all files. The exit code is the worst of the files' codes: 1 if the tool failed on one, else 2 if one is wrong.
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

/// Runs the front end of the language that the file's name tells.
fn read(file: &Path, arguments: &CheckArguments) -> Result<(Sources, Vec<Diagnostic>), BuildError> {
    let options = arguments.compile.options();
    let Core { sources, warnings, .. } = match is_host_program(file) {
        true => {
            let mut program = HostProgram::check(file, arguments.library.as_deref())?;
            let unused = program.take_unused();
            if !unused.is_empty() {
                let (failure, sources) = (warpwise_diag::Failure::User(unused), program.sources().clone());
                return Err(BuildError::Failure { failure, sources });
            }
            program.core(&options)?
        }
        false => read_core(file, &options)?,
    };
    Ok((sources, warnings))
}

fn say_all(text: &str) {
    if !text.is_empty() {
        say(text.trim_end());
    }
}
