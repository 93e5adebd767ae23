//! Failures of commands: their messages and exit codes.

use std::io;

use warpwise_diag::render_failure;
use warpwise_driver::CallError;
use warpwise_driver::build::BuildError;
use warpwise_driver::host::accelerator::AccelerateError;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::formats::FormatError;

use crate::output::{colored, complain, say};
use crate::{crashes, interrupt};

/// Exit code if the program or the tool failed.
pub const FAILED: u8 = 1;
/// Exit code if the program is wrong.
pub const WRONG: u8 = 2;

/// The reason why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// There is no compiled program.
    Build(BuildError),
    /// A run failed.
    Call(CallError),
    /// Something else failed, as the message says.
    Failed(String),
    /// The reader of standard output is gone.
    Closed,
}

impl Failure {
    /// Converts an error of writing to standard output.
    pub fn from_output(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::Closed,
            _ => Failure::Failed(format!("cannot write to standard output: {error}")),
        }
    }

    /// Prints the failure and returns the exit code.
    pub fn report(&self) -> u8 {
        match self {
            Failure::Build(BuildError::Failure { failure, sources }) => {
                say(render_failure(sources, failure, colored()).trim_end());
                match failure {
                    warpwise_diag::Failure::User(_) => WRONG,
                    warpwise_diag::Failure::Limit(_) => FAILED,
                    warpwise_diag::Failure::Bug(bug) => crashes::report_bug(bug),
                }
            }
            Failure::Build(BuildError::Source(error)) => match error {
                warpwise_driver::source::SourceError::Unreadable { .. } => {
                    complain(&error.to_string(), FAILED)
                }
                warpwise_driver::source::SourceError::NotText { .. } => complain(&error.to_string(), WRONG),
            },
            Failure::Build(BuildError::Target(message)) => complain(message, FAILED),
            Failure::Call(CallError::Run(RunError::Interrupted)) => {
                complain("interrupted", interrupt::exit_code())
            }
            Failure::Call(error) => complain(&error.to_string(), FAILED),
            Failure::Failed(message) => complain(message, FAILED),
            Failure::Closed => FAILED,
        }
    }
}

impl From<BuildError> for Failure {
    fn from(error: BuildError) -> Failure {
        Failure::Build(error)
    }
}

impl From<AccelerateError> for Failure {
    fn from(error: AccelerateError) -> Failure {
        match error {
            AccelerateError::Build(error) => Failure::Build(error),
            AccelerateError::Load(error) => Failure::Failed(error.to_string()),
        }
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Failure {
        Failure::Call(error)
    }
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Failure {
        Failure::Failed(error.to_string())
    }
}
