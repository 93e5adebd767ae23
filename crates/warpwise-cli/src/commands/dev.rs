//! `warpwise dev`: a program at any stage of the compiler.
//!
//! ```text
//! warpwise dev p.fut                              the core IR the front end makes
//! warpwise dev p.fut --after fuse                 the core IR after the last `fuse` of the usual order
//! warpwise dev p.fut --after simplify:2           after the second `simplify`
//! warpwise dev p.ir --passes inline,simplify      after these passes and no others
//! warpwise dev p.fut --emit asm                   after all of them, the machine's instructions
//! warpwise dev p.fut --device opencl --emit kernels   the text of a device's kernels
//! warpwise dev p.imp --emit asm                   of imperative IR, as `--emit imp` prints it
//! warpwise dev p.fut --time-passes                how long each step of compiling it takes
//! ```
//!
//! The verifier runs after every pass. Printed core IR and imperative IR can be read again.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
use warpwise_diag::{Diagnostic, Sources, Span};
use warpwise_driver::build::{BuildError, Core, read_core};
use warpwise_driver::compiler;
use warpwise_driver::stages::{Stage, show, show_text};
use warpwise_ir::Program;
use warpwise_ir::verify::{Level, verify};
use warpwise_opt::flatten::{Note, flatten_noting};
use warpwise_opt::pass::{Pass, Timing, check, run_passes};
use warpwise_opt::pipelines;

use crate::failure::Failure;
use crate::options::CompileOptions;
use crate::output::{print, say};

/// What to show.
#[derive(Args, Debug)]
#[command(after_help = passes_help())]
pub struct DevArguments {
    /// A program (.fut), a host program (.mc; what it accelerates), core IR as text (.ir), or imperative IR (.imp)
    file: PathBuf,
    /// Run the usual passes up to the last one of this name; `NAME:N` means the Nth one
    #[arg(long, value_name = "PASS", conflicts_with = "passes")]
    after: Option<String>,
    /// Print the core IR after each of the usual passes
    #[arg(long, conflicts_with_all = ["after", "passes", "emit"])]
    after_each: bool,
    /// Run these passes, separated by commas, instead of the usual ones
    #[arg(long, value_name = "PASS,...", value_delimiter = ',')]
    passes: Option<Vec<String>>,
    /// What to print; beyond core IR, all passes run first unless they are named
    #[arg(long, value_enum, default_value_t = Emit::Core)]
    emit: Emit,
    /// Say how long each pass took, and the verifier after it; by itself, compile the program and say it of every step
    #[arg(long)]
    time_passes: bool,
    #[command(flatten)]
    compile: CompileOptions,
}

/// A stage of the compiler.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Emit {
    /// The core IR
    Core,
    /// The imperative IR
    Imp,
    /// The host's code
    Bytecode,
    /// LLVM's IR of the kernels, optimised
    Llvm,
    /// The kernels' machine code
    Asm,
    /// The kernels' text, with `--device`
    Kernels,
    /// What devices keep the values of irregular nests as
    Representations,
}

impl Emit {
    /// Returns the stage below the core IR at which this is shown.
    fn stage(self) -> Stage {
        match self {
            Emit::Core | Emit::Representations | Emit::Imp => Stage::Imperative,
            Emit::Bytecode => Stage::Bytecode,
            Emit::Llvm => Stage::Llvm,
            Emit::Asm => Stage::Assembly,
            Emit::Kernels => Stage::Kernels,
        }
    }
}

/// Runs the selected passes and prints the result.
pub fn dev(arguments: &DevArguments) -> Result<u8, Failure> {
    if arguments.file.extension().is_some_and(|ending| ending == "imp") {
        return imperative(arguments);
    }
    let options = arguments.compile.options();
    let start = Instant::now();
    let Core { mut program, sources, .. } = read_core(&arguments.file, &options)?;
    let front_end = start.elapsed();
    let shown = Passes { arguments };
    let passes = shown.selected()?;
    let failed = |failure, sources: &Sources| {
        Failure::Build(BuildError::Failure { failure, sources: sources.clone() })
    };
    let mut steps = Vec::new();
    let result = shown.run(&passes, &mut program, |pass, program, timing| {
        steps.push((timing, arguments.after_each.then(|| (pass.name, program.to_string()))));
    });
    let mut times = Times::of(front_end, &steps.iter().map(|(timing, _)| *timing).collect::<Vec<_>>());
    if shown.is_about_times() && result.is_ok() {
        let target = compiler::target(&options).map_err(BuildError::Target)?;
        let generated =
            compiler::generate_timed(&program, &sources, &target, |step, time| times.add(step, time, None));
        times.say();
        return generated.map(|_| 0).map_err(|failure| failed(failure, &sources));
    }
    if arguments.time_passes {
        times.say();
    }
    result.map_err(|failure| failed(failure, &sources))?;
    if arguments.after_each {
        let texts = steps.iter().filter_map(|(_, step)| step.as_ref());
        let texts: String = texts.map(|(name, text)| format!("// after {name}\n{text}\n")).collect();
        return print(|output| output.write_all(texts.as_bytes())).map(|()| 0);
    }
    let text = emit(arguments, &program, &sources)?;
    print(|output| writeln!(output, "{}", text.trim_end()))?;
    Ok(0)
}

/// Shows a program given as imperative IR.
fn imperative(arguments: &DevArguments) -> Result<u8, Failure> {
    let DevArguments { file, after, after_each, passes, emit, time_passes, compile } = arguments;
    if after.is_some() || *after_each || passes.is_some() || *time_passes || *emit == Emit::Representations {
        let message = "passes work on the core IR; of imperative IR there is `--emit`";
        return Err(Failure::Failed(message.to_string()));
    }
    let name = file.display().to_string();
    let text = std::fs::read_to_string(file);
    let text = text.map_err(|error| Failure::Failed(format!("{name}: cannot read: {error}")))?;
    let options = compile.options();
    let target = compiler::target(&options).map_err(BuildError::Target)?;
    let text = show_text(&name, &text, (&options, &target), emit.stage())?;
    print(|output| writeln!(output, "{}", text.trim_end()))?;
    Ok(0)
}

/// The selection of passes.
struct Passes<'a> {
    arguments: &'a DevArguments,
}

impl Passes<'_> {
    /// Returns whether only times are asked for.
    fn is_about_times(&self) -> bool {
        let DevArguments { after, after_each, passes, emit, time_passes, .. } = self.arguments;
        *time_passes && after.is_none() && !after_each && passes.is_none() && *emit == Emit::Core
    }

    fn selected(&self) -> Result<Vec<Pass>, Failure> {
        let usual = compiler::passes(&self.arguments.compile.options());
        if let Some(names) = &self.arguments.passes {
            return names.iter().map(|name| pass(name)).collect();
        }
        match &self.arguments.after {
            Some(after) => Ok(usual[..end(&usual, after)?].to_vec()),
            // The representations are those that `flatten` would choose, so only the passes before it run.
            None if self.arguments.emit == Emit::Representations => {
                let before = pipelines::DEVICE.iter().take_while(|pass| pass.name != "flatten");
                Ok(before.copied().collect())
            }
            None if self.arguments.emit != Emit::Core
                || self.arguments.after_each
                || self.is_about_times() =>
            {
                Ok(usual.to_vec())
            }
            None => Ok(Vec::new()),
        }
    }

    /// Verifies the program at the first level at which it is valid, then runs the passes.
    fn run(
        &self,
        passes: &[Pass],
        program: &mut Program,
        observe: impl FnMut(&Pass, &Program, Timing),
    ) -> Result<(), warpwise_diag::Failure> {
        let levels = [Level::Soac, Level::Seg, Level::Mem];
        let Some(level) = levels.into_iter().find(|&level| verify(program, level).is_ok()) else {
            let wanted = passes.first().map_or(Level::Soac, |pass| pass.needs);
            let Err(bug) = check("input", program, wanted) else { return Ok(()) };
            return Err(Diagnostic::error("E0900", Span::NONE, bug.message).into());
        };
        levels_fit(passes, level)?;
        run_passes(passes, program, level, observe).map(|_| ())
    }
}

/// Times of the steps of a compilation.
struct Times {
    /// Name, time of the step itself, and time of the verifier after it if that runs.
    steps: Vec<(&'static str, Duration, Option<Duration>)>,
}

impl Times {
    fn of(front_end: Duration, passes: &[Timing]) -> Times {
        let mut times = Times { steps: Vec::new() };
        times.add("front end", front_end, None);
        passes.iter().for_each(|timing| times.add(timing.pass, timing.run, Some(timing.verify)));
        times
    }

    fn add(&mut self, step: &'static str, run: Duration, verify: Option<Duration>) {
        self.steps.push((step, run, verify));
    }

    fn say(&self) {
        let millis = |time: Duration| format!("{:>9.3} ms", 1e3 * time.as_secs_f64());
        say(&format!("{:<14} {:>12} {:>12}", "step", "run", "verify"));
        for (step, run, verify) in &self.steps {
            let verify = verify.map(millis).unwrap_or_default();
            say(format!("{step:<14} {} {verify}", millis(*run)).trim_end());
        }
        let run: Duration = self.steps.iter().map(|(_, run, _)| *run).sum();
        let verify: Duration = self.steps.iter().filter_map(|(_, _, verify)| *verify).sum();
        say(&format!("{:<14} {} {}", "all", millis(run), millis(verify)));
    }
}

/// Checks that each pass gets the level that it needs.
fn levels_fit(passes: &[Pass], mut level: Level) -> Result<(), warpwise_diag::Failure> {
    for pass in passes {
        if pass.needs > level {
            let (name, needs, level) = (pass.name, level_name(pass.needs), level_name(level));
            let message =
                format!("the pass `{name}` needs a program of level {needs}, this one has level {level}");
            return Err(Diagnostic::error("E0901", Span::NONE, message).into());
        }
        level = pass.gives.unwrap_or(level);
    }
    Ok(())
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Soac => "soac",
        Level::Seg => "seg",
        Level::Mem => "mem",
    }
}

fn pass(name: &str) -> Result<Pass, Failure> {
    pipelines::pass(name).copied().ok_or_else(|| no_pass(name))
}

fn no_pass(name: &str) -> Failure {
    let names: Vec<_> = pipelines::PASSES.iter().map(|pass| pass.name).collect();
    Failure::Failed(format!("there is no pass `{name}`; there are: {}", names.join(", ")))
}

/// Returns the number of passes up to and including the one named.
fn end(passes: &[Pass], after: &str) -> Result<usize, Failure> {
    let (name, nth) = after.split_once(':').map_or((after, None), |(name, nth)| (name, Some(nth)));
    pass(name)?;
    let places: Vec<usize> =
        passes.iter().enumerate().filter(|(_, pass)| pass.name == name).map(|(place, _)| place).collect();
    let place = match nth {
        None => places.last(),
        Some(nth) => nth.parse::<usize>().ok().and_then(|nth| places.get(nth.checked_sub(1)?)),
    };
    let missing = || format!("`{name}` runs {} times, `{after}` is none of them", places.len());
    place.map(|place| place + 1).ok_or_else(|| Failure::Failed(missing()))
}

fn emit(arguments: &DevArguments, program: &Program, sources: &Sources) -> Result<String, Failure> {
    let failed = |failure: warpwise_diag::Failure| {
        Failure::Build(BuildError::Failure { failure, sources: sources.clone() })
    };
    match arguments.emit {
        Emit::Core => return Ok(program.to_string()),
        Emit::Representations => return Ok(representations(program, sources)),
        Emit::Imp | Emit::Bytecode | Emit::Llvm | Emit::Asm | Emit::Kernels => {}
    }
    let options = arguments.compile.options();
    let target = compiler::target(&options).map_err(BuildError::Target)?;
    show(program, sources, (&options, &target), arguments.emit.stage()).map_err(failed)
}

/// Describes the representation that `flatten` chooses for each value of an irregular nest, line by line.
fn representations(program: &Program, sources: &Sources) -> String {
    let mut lines: Vec<String> = Vec::new();
    for Note { span, text } in flatten_noting(&mut program.clone()) {
        let line = format!("{}: {text}", sources.describe(span));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    if lines.is_empty() { "no irregular nests".to_string() } else { lines.join("\n") }
}

fn passes_help() -> String {
    let lines = pipelines::PASSES.iter().map(|pass| format!("  {:<12} {}", pass.name, pass.about));
    format!("Passes:\n{}", lines.collect::<Vec<_>>().join("\n"))
}
