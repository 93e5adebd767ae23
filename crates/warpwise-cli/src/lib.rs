//! The `warpwise` command: checks, runs, times and tests programs, and shows the results of compiler stages.
//!
//! Each subcommand is a module of [`commands`]; [`options`] holds the options that several subcommands share. Exit codes: 0 success, 1
//! the program or the tool failed (wrong usage included), 2 the program is wrong; 130, 143 and 129 after SIGINT, SIGTERM and SIGHUP.
//! Everything runs on a thread with a large stack, since trees may be deep. A panic becomes a message that names a file with the
//! details ([`crashes`]).
//!
//! [`main`] is called by the executable of this crate, and by the Python package, which then runs the command in its interpreter. It
//! takes over the signals of its process, so the process must have no other task.

mod commands;

mod failure;
mod futhark;
mod options;

mod start;
mod tables;

mod arguments;
mod calls;
mod cases;
mod profile;
mod random;
mod results;
mod script;
mod shortened;

mod crashes;
mod interrupt;
mod output;
mod places;

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser};
use warpwise_ir::deep::deep;

use commands::Command;

/// Compiles functional data-parallel array programs to SIMD multicore code, and runs them.
#[derive(Parser)]
#[command(name = "warpwise", version, subcommand_required = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// A subcommand that the caller runs itself: its name and its description.
pub type Foreign = (&'static str, &'static str);

/// Runs the command and returns the exit code. The first of the words is the name by which the command was called; under the name
/// `futhark` it takes Futhark's options. `itself` is the command line that starts it in another process. Help lists the `foreign`
/// subcommands as well.
pub fn main(words: impl IntoIterator<Item = OsString>, itself: Vec<OsString>, foreign: &[Foreign]) -> u8 {
    crashes::keep_quiet();
    interrupt::install();
    let known = foreign.iter().map(|&(name, about)| clap::Command::new(name).about(about));
    let words = own(words).into_iter().map(negative_value);
    let parsed = Cli::command().subcommands(known).try_get_matches_from(words);
    let cli = match parsed.and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(error) => return usage(&error),
    };
    let work = move || deep(|| commands::execute(cli.command, &itself));
    let worker = std::thread::Builder::new().name("main".to_string()).spawn(work);
    match worker.map(|worker| worker.join()) {
        Ok(Ok(Ok(code))) => code,
        Ok(Ok(Err(failure))) => failure.report(),
        Ok(Err(_)) => crashes::report_panic(),
        Err(error) => output::complain(&format!("cannot start a thread: {error}"), 1),
    }
}

/// Translates the words to our own command line.
fn own(words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let words: Vec<OsString> = words.into_iter().collect();
    if words.first().is_some_and(|name| futhark::is_meant(name)) { futhark::ours(words) } else { words }
}

/// Marks a negative number with a leading blank, so that it is not taken for an option. Values may have leading blanks.
fn negative_value(word: OsString) -> OsString {
    let negative = word.to_str().and_then(|word| word.strip_prefix('-')).is_some_and(|number| {
        let special = ["f16.", "f32.", "f64.", "."].iter().any(|start| number.starts_with(start));
        special || number.starts_with(|c: char| c.is_ascii_digit())
    });
    if !negative {
        return word;
    }
    let mut marked = OsString::from(" ");
    marked.push(word);
    marked
}

/// Prints help, or the error in the given words.
fn usage(error: &clap::Error) -> u8 {
    let is_asked_for = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    // A failure to print is not reported: the reader of the pipe is gone.
    let printed = error.print().is_ok() && (!is_asked_for || output::must_be_open().is_ok());
    if is_asked_for && printed { 0 } else { failure::FAILED }
}
