//! Programs as commands: one entry point, with arguments from standard input and results to standard output.
//!
//! ```text
//! $ echo '[1, 2, 3]' | ./sum                     6i32
//! $ ./sum -e product -t times -r 10 -n < xs.bin
//! $ ./sum --server                               commands from standard input, see `server`
//! ```
//!
//! Exit codes: 0 for success; 130, 143 and 129 if ended by SIGINT, SIGTERM and SIGHUP; 1 for anything else. Codes and messages are
//! those of `warpwise run`.

mod options;

use std::ffi::{CStr, c_char, c_int};
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::time::{Duration, Instant};

use warpwise_runtime::array::Value;
use warpwise_runtime::execute::Spent;
use warpwise_runtime::formats::files::write_values;
use warpwise_runtime::formats::{ExpectedType, Source, read_values};

use crate::abi::{Linked, guarded, part};
use crate::program::{Program, tuning_parameters};
use crate::value::Problem;
use options::{Asked, Options};

/// Runs the command of a program that is linked into this process, and returns the exit code. With `server`, the default is to serve.
///
/// # Safety
/// The program is as its description says, and `words` holds `count` words.
#[unsafe(no_mangle)]
unsafe extern "C" fn warpwise_main(
    program: *const Linked,
    server: c_int,
    count: c_int,
    words: *const *const c_char,
) -> c_int {
    // SAFETY: guaranteed by the caller.
    let words = unsafe { part(words, usize::try_from(count).unwrap_or(0)) };
    // SAFETY: guaranteed by the caller.
    let words = words.iter().map(|&word| unsafe { CStr::from_ptr(word) }.to_string_lossy().into_owned());
    let words: Vec<String> = words.collect();
    // SAFETY: guaranteed by the caller.
    let done = guarded(|| unsafe { command(&*program, server != 0, &words) });
    match done {
        Ok(()) => 0,
        Err(problem) => {
            // If standard error is closed, there is nobody to tell.
            let _ = writeln!(io::stderr(), "error: {}", problem.message().trim_end());
            1
        }
    }
}

unsafe fn command(program: &Linked, server: bool, words: &[String]) -> Result<(), Problem> {
    let name = words.first().map_or("program", String::as_str);
    let options = Options::parse(words.get(1..).unwrap_or_default(), server).map_err(Problem::Other)?;
    if options.asked == Asked::Help {
        return print(|output| output.write_all(options::help(name).as_bytes()));
    }
    // SAFETY: guaranteed by the caller.
    let (image, kernels) = unsafe { program.best() }?;
    let parameters = tuning_parameters(&image.module);
    if options.asked == Asked::Parameters {
        return print(|output| parameters.iter().try_for_each(|name| writeln!(output, "{name} (threshold)")));
    }
    if let Some(unknown) = options.settings.tuning.keys().find(|name| !parameters.contains(name)) {
        return Err(Problem::Other(format!("there is no parameter `{unknown}`")));
    }
    crate::signals::install();
    let program = Program::new(image, kernels, &options.settings)?;
    let profiling = options.profile || options.debugging;
    if profiling {
        program.start_profile();
    }
    match options.asked {
        Asked::Server => crate::server::serve(&program, &parameters, &options.settings.tuning, profiling),
        Asked::Run | Asked::Help | Asked::Parameters => run(&program, &options),
    }
}

fn run(program: &Program, options: &Options) -> Result<(), Problem> {
    let log = |message: String| {
        if options.log {
            let _ = writeln!(io::stderr(), "{message}");
        }
    };
    let number = entry(program, &options.entry)?;
    let mut times = options.times.as_deref().map(create).transpose()?;
    let arguments = read_arguments(program, number)?;
    log(format!("{} arguments read", arguments.len()));
    let mut results = Vec::new();
    for round in 0..=options.runs.unwrap_or(0) {
        // A consumed argument must still exist for the next run.
        let prepared = program.prepare(number, arguments.clone())?;
        let start = Instant::now();
        results = program.run(number, prepared)?;
        let time = start.elapsed();
        log(format!("run {round}: {} us", time.as_micros()));
        let is_warm_up = round == 0 && options.runs.is_some();
        if let (Some(file), false) = (&mut times, is_warm_up) {
            writeln!(file, "{}", time.as_micros()).map_err(|error| unwritable(options, &error))?;
        }
    }
    if let Some(file) = &mut times {
        file.flush().map_err(|error| unwritable(options, &error))?;
    }
    if options.debugging || options.profile {
        program.profile().iter().for_each(log_spent);
        log(format!("memory at most: {} bytes", program.memory().statistics().peak_live));
    }
    if options.silent { Ok(()) } else { print(|output| write_values(output, &results, options.binary)) }
}

/// Returns the number of an entry point.
fn entry(program: &Program, name: &str) -> Result<usize, Problem> {
    let entries = program.entries();
    entries.iter().position(|entry| entry.point.name == name).ok_or_else(|| {
        let names: Vec<&str> = entries.iter().map(|entry| entry.point.name.as_str()).collect();
        Problem::Program(match names.is_empty() {
            true => format!("there is no entry point `{name}`: the program has none"),
            false => format!("there is no entry point `{name}`; there are: {}", names.join(", ")),
        })
    })
}

fn read_arguments(program: &Program, entry: usize) -> Result<Vec<Value>, Problem> {
    let parameters = program.entries()[entry].parameters();
    if parameters.is_empty() {
        return Ok(Vec::new());
    }
    let expected =
        parameters.iter().map(|parameter| ExpectedType { elem: parameter.element, rank: parameter.rank });
    let source = Source::stream("standard input", io::stdin().lock());
    read_values(source, Some(&expected.collect::<Vec<_>>()), program.memory())
        .map_err(|error| Problem::Program(error.to_string()))
}

fn log_spent(spent: &Spent) {
    let Spent { what, place, lines: _, times, time, bytes } = spent;
    let time: Duration = *time;
    let _ = writeln!(
        io::stderr(),
        "{what:<18} {:>10.3} ms {times:>7} times {:>10.3} MB each  {place}",
        1e3 * time.as_secs_f64(),
        *bytes as f64 / (*times).max(1) as f64 / 1e6
    );
}

fn create(path: &str) -> Result<BufWriter<File>, Problem> {
    let file =
        File::create(path).map_err(|error| Problem::Other(format!("{path}: cannot write: {error}")))?;
    Ok(BufWriter::new(file))
}

fn unwritable(options: &Options, error: &io::Error) -> Problem {
    Problem::Other(format!("{}: cannot write: {error}", options.times.as_deref().unwrap_or_default()))
}

fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Problem> {
    // SAFETY: the call reads the flags of a descriptor, open or not. Rust treats output to a closed descriptor as written.
    if unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) } == -1 {
        return Err(Problem::Other("cannot write to standard output: it is closed".to_string()));
    }
    let mut output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
    let written = write(&mut output).and_then(|()| output.flush());
    written.map_err(|error| Problem::Other(format!("cannot write to standard output: {error}")))
}
