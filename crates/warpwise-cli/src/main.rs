//! The `warpwise` command as an executable; all code is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    let itself = std::env::current_exe().map_or_else(|_| "warpwise".into(), |path| path.into_os_string());
    ExitCode::from(warpwise_cli::main(std::env::args_os(), vec![itself], &[]))
}
