//! Reports of internal errors: the details go to a file, its name to the user.

use std::backtrace::Backtrace;
use std::fmt::Write;
use std::panic;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use warpwise_diag::Bug;

use crate::failure::FAILED;
use crate::output::{complain, say};

/// Message, place and backtrace of the first panic.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Installs a hook that stores panics instead of printing them.
pub fn keep_quiet() {
    panic::set_hook(Box::new(|info| {
        let mut first = PANIC.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| format!("{info}\n\n{}", Backtrace::force_capture()));
    }));
}

/// Reports a panic and returns the exit code.
pub fn report_panic() -> u8 {
    let panic = first_panic().unwrap_or_default();
    let what = panic.lines().take(2).collect::<Vec<_>>().join(" ");
    complain(&format!("internal error: {what}"), FAILED);
    leave_report(&panic);
    FAILED
}

/// Reports a mistake of the compiler, with the name of the report's file, and returns the exit code.
pub fn report_bug(bug: &Bug) -> u8 {
    let mut text = format!("after pass: {}\n{}\n", bug.pass, bug.message);
    if let Some(panic) = first_panic() {
        let _ = write!(text, "\n{panic}\n");
    }
    let _ = write!(text, "\n{}\n", bug.ir);
    leave_report(&text);
    FAILED
}

fn first_panic() -> Option<String> {
    PANIC.lock().unwrap_or_else(PoisonError::into_inner).take()
}

fn leave_report(text: &str) {
    let words: Vec<_> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let text = format!("warpwise {}\n{}\n\n{text}", env!("CARGO_PKG_VERSION"), words.join(" "));
    match write_report(&text) {
        Ok(path) => say(&format!("a report for whoever mends this is in {}", path.display())),
        Err(error) => say(&format!("a report could not be written: {error}")),
    }
}

/// Writes a report to the folder for temporary files.
fn write_report(text: &str) -> std::io::Result<PathBuf> {
    let folder = std::env::temp_dir();
    let path = folder.join(format!("warpwise-report-{}.txt", std::process::id()));
    std::fs::write(&path, text)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use warpwise_diag::Sources;
    use warpwise_driver::build::BuildError;
    use warpwise_ir::verify::Level;
    use warpwise_ir::{Operand, Program};
    use warpwise_opt::pass::{Pass, rewrite_bodies, run_passes};

    use super::*;
    use crate::failure::Failure;

    /// A broken pass: every function gets an extra truth value as result.
    const BROKEN: Pass = Pass { name: "babble", about: "", needs: Level::Soac, gives: None, run: babble };

    fn babble(program: &mut Program) -> Result<(), warpwise_diag::Limit> {
        rewrite_bodies(program, |_, body| body.result.push(Operand::bool(true)));
        Ok(())
    }

    #[test]
    fn a_broken_pass_leaves_a_report_with_the_ir() {
        let text = "fun double(x: i32) -> (y: i32) { y: i32 = add x x; return y }";
        let mut sources = Sources::new();
        let file = sources.add("test".to_string(), text.to_string());
        let mut program = warpwise_ir::parse::parse(text, file).expect("the program parses");
        let failure =
            run_passes(&[BROKEN], &mut program, Level::Soac, |_, _, _| {}).expect_err("it is broken");
        let failure = Failure::Build(BuildError::Failure { failure, sources });
        assert_eq!(failure.report(), FAILED);
        let path = std::env::temp_dir().join(format!("warpwise-report-{}.txt", std::process::id()));
        let report = std::fs::read_to_string(&path).expect("the report is there");
        std::fs::remove_file(&path).expect("the report can go");
        assert!(report.contains("after pass: babble"), "{report}");
        assert!(report.contains("fun double(x: i32)") && report.contains("return y, true"), "{report}");
    }
}
