//! `warpwise completions`: scripts for shells.
//!
//! ```text
//! warpwise completions bash > ~/.local/share/bash-completion/completions/warpwise
//! warpwise completions zsh > ~/.zfunc/_warpwise
//! warpwise completions fish > ~/.config/fish/completions/warpwise.fish
//! ```

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Cli;
use crate::failure::Failure;
use crate::output::print;

/// Shell to print a script for.
#[derive(Args, Debug)]
pub struct CompletionsArguments {
    /// The shell
    shell: Shell,
}

/// Prints the script.
pub fn completions(arguments: &CompletionsArguments) -> Result<u8, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Cli::command(), "warpwise", &mut script);
    print(|output| output.write_all(&script))?;
    Ok(0)
}
