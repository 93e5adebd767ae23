//! The steps from a command to a program ready to run: a context, compiled code, and the code loaded into the context.

use std::path::Path;

use warpwise_driver::build::{Built, build};
use warpwise_driver::{Context, Options, Program};

use crate::failure::Failure;
use crate::interrupt;
use crate::options::{CacheOptions, CompileOptions, RunOptions, Tuned};
use crate::output::{Progress, say};

/// Creates the context that programs run in, which signals interrupt. Compiled device kernels are kept in the cache.
pub fn context(run: &RunOptions, cache: &CacheOptions) -> Result<Context, Failure> {
    let mut context = run.context()?;
    if let Some(cache) = cache.cache() {
        context.keep_kernels(cache);
    }
    interrupt::watch(&context);
    Ok(context)
}

/// Compiles a file or takes it from the cache. Shows progress while that takes long, and prints the compiler's warnings. Only the
/// listed entry points are compiled, or all if the list is empty.
pub fn compile(
    file: &Path,
    compile: &CompileOptions,
    cache: &CacheOptions,
    entries: &[&str],
) -> Result<Built, Failure> {
    let progress = Progress::of(format!("compiling {}", file.display()));
    let entries = entries.iter().map(|entry| entry.to_string()).collect();
    let options = Options { entries, ..compile.options() };
    let built = build(file, &options, cache.cache().as_ref())?;
    drop(progress);
    if !built.warnings.is_empty() {
        say(built.warnings.trim_end());
    }
    Ok(built)
}

/// Loads a compiled program. Warns about unknown parameters.
pub fn load(built: Built, context: &Context, run: &RunOptions) -> Result<Program, Failure> {
    let program = built.compiled.load(context).map_err(|error| Failure::Failed(error.to_string()))?;
    let known = program.parameters();
    let is_unknown = |name: &str| !known.contains(&name);
    let list = if known.is_empty() { "none".to_string() } else { known.join(", ") };
    let warn = |what: &str| {
        say(&format!("warning: {what} has no effect; parameters of this program: {list}"));
    };
    for (name, _) in run.param.iter().filter(|(name, _)| is_unknown(name)) {
        warn(&format!("`--param {name}`"));
    }
    for Tuned { place, name, .. } in run.tuned()? {
        if is_unknown(&name) && !is_threshold(&name) {
            warn(&format!("{place}: `{name}`"));
        }
    }
    Ok(program)
}

/// Returns whether a parameter is a threshold between versions of code, `PASS.FUNCTION.NUMBER`. A tuning file may have those of other
/// devices as well.
fn is_threshold(name: &str) -> bool {
    let mut parts = name.rsplit('.');
    let has_number = parts.next().is_some_and(|number| number.parse::<u32>().is_ok());
    has_number && parts.count() >= 2
}

/// Runs all three steps.
pub fn start(
    file: &Path,
    compile_options: &CompileOptions,
    run: &RunOptions,
    cache: &CacheOptions,
    entries: &[&str],
) -> Result<(Context, Program), Failure> {
    let context = context(run, cache)?;
    let program = load(compile(file, compile_options, cache, entries)?, &context, run)?;
    Ok((context, program))
}
