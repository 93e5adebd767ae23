//! Output for users: results to standard output, messages to standard error.

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use warpwise_runtime::formats::files::unwritable;
use warpwise_runtime::formats::whole::WholeFile;

use crate::failure::Failure;

/// Whether this process started without standard output. It is checked before `main`, since Rust's startup code opens a substitute.
static CLOSED: AtomicBool = AtomicBool::new(false);

#[cfg(target_os = "linux")]
#[used]
#[unsafe(link_section = ".init_array")]
static LOOK: extern "C" fn() = {
    extern "C" fn look() {
        // SAFETY: the call reads the flags of a descriptor, open or not.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        CLOSED.store(flags == -1, Ordering::Relaxed);
    }
    look
};

/// Returns an error if there is no standard output.
pub fn must_be_open() -> Result<(), Failure> {
    match CLOSED.load(Ordering::Relaxed) {
        true => Err(Failure::Failed("cannot write to standard output: it is closed".to_string())),
        false => Ok(()),
    }
}

/// Writes to standard output.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Failure> {
    must_be_open()?;
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    write(&mut output).and_then(|()| output.flush()).map_err(Failure::from_output)
}

/// Writes a line to standard output.
pub fn print_line(line: &str) -> Result<(), Failure> {
    print(|output| writeln!(output, "{line}"))
}

/// Writes data as JSON to a file, or to standard output for `-`.
pub fn write_json(path: &Path, data: &impl Serialize) -> Result<(), Failure> {
    let failed = |error: String| Failure::Failed(format!("{}: cannot write: {error}", path.display()));
    let mut text = serde_json::to_string_pretty(data).map_err(|error| failed(error.to_string()))?;
    text.push('\n');
    if path == Path::new("-") {
        return print(|output| output.write_all(text.as_bytes()));
    }
    write_whole(path, &text)
}

/// Writes text to a file, which afterwards is complete or unchanged.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let write = || {
        let mut file = WholeFile::create(path)?;
        file.write_all(text.as_bytes())?;
        file.complete()
    };
    write().map_err(|error| unwritable(path, error).into())
}

/// Prints an error message and returns the exit code.
pub fn complain(message: &str, code: u8) -> u8 {
    say(&format!("error: {}", message.trim_end()));
    code
}

/// Writes a line to standard error.
pub fn say(line: &str) {
    // If standard error is closed, there is nobody to tell.
    let _ = writeln!(io::stderr(), "{line}");
}

/// Returns whether messages may be coloured.
pub fn colored() -> bool {
    io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// A progress display on a terminal, shown until it is dropped.
pub struct Progress(Option<ProgressBar>);

impl Progress {
    /// Shows work of unknown length.
    pub fn of(message: String) -> Progress {
        Progress::shown("{spinner} {msg} ({elapsed})", ProgressBar::no_length).with_message(message)
    }

    /// Shows work of `count` steps.
    pub fn steps(count: usize) -> Progress {
        let template = "{bar:30} {pos}/{len} ({elapsed}) {msg}";
        Progress::shown(template, || ProgressBar::new(count as u64))
    }

    fn shown(template: &str, bar: impl FnOnce() -> ProgressBar) -> Progress {
        let style = ProgressStyle::with_template(template);
        let (true, Ok(style)) = (io::stderr().is_terminal(), style) else { return Progress(None) };
        let bar = bar().with_style(style);
        bar.enable_steady_tick(Duration::from_millis(100));
        Progress(Some(bar))
    }

    /// Sets the message.
    pub fn with_message(self, message: String) -> Progress {
        if let Some(bar) = &self.0 {
            bar.set_message(message);
        }
        self
    }

    /// Advances by one step.
    pub fn step(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }

    /// Writes a line to standard output without disturbing the display.
    pub fn print_line(&self, line: &str) -> Result<(), Failure> {
        match &self.0 {
            Some(bar) => bar.suspend(|| print_line(line)),
            None => print_line(line),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}
