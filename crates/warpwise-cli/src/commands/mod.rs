//! The subcommands.

mod autotune;
mod bench;
mod build;
mod check;
mod chunks;
mod completions;
mod dev;
mod devices;
mod explain;
mod host;
mod run;
mod stream;
mod test;

use std::ffi::OsString;

use clap::Subcommand;

use crate::failure::Failure;

/// What can be done.
#[derive(Subcommand)]
pub enum Command {
    /// Check programs for errors and warnings
    Check(check::CheckArguments),
    /// Build an executable or a C library
    Build(build::BuildArguments),
    /// Compile a program and run one of its entry points
    Run(run::RunArguments),
    /// Run an entry point over data that is larger than memory, chunk by chunk
    Stream(stream::StreamArguments),
    /// Time the cases of a program's test blocks
    Bench(bench::BenchArguments),
    /// Tune the thresholds between versions of a program's code by measurement
    Autotune(autotune::AutotuneArguments),
    /// Run the test blocks of programs
    Test(test::TestArguments),
    /// List the processors and devices that programs can run on
    Devices,
    /// Explain the code of a message
    Explain(explain::ExplainArguments),
    /// Show the stages of a program's compilation
    Dev(dev::DevArguments),
    /// Print a script by which a shell completes the words of this command
    Completions(completions::CompletionsArguments),
}

/// Executes a subcommand and returns the exit code. `itself` is the command line that starts this command in another process.
pub fn execute(command: Command, itself: &[OsString]) -> Result<u8, Failure> {
    match command {
        Command::Check(arguments) => check::check(&arguments),
        Command::Build(arguments) => build::build(&arguments),
        Command::Run(arguments) => run::run(&arguments),
        Command::Stream(arguments) => stream::stream(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::Autotune(arguments) => autotune::autotune(&arguments),
        Command::Test(arguments) => test::test(&arguments, itself),
        Command::Devices => devices::devices(),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Dev(arguments) => dev::dev(&arguments),
        Command::Completions(arguments) => completions::completions(&arguments),
    }
}
