//! Accelerated expressions of programs: against the array language on the same values, and against the sequential host.

use std::path::Path;
use std::time::{Duration, Instant};

use warpwise_driver::build::build;
use warpwise_driver::host::program::Mode;
use warpwise_driver::host::recorded::{Recorded, copies};
use warpwise_driver::{Context, Options, Program};
use warpwise_runtime::array::Value as RuntimeValue;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::compare::{CLOSE, disagreement};
use crate::measure::{Ratio, contest};
use crate::ours::hand_back;
use crate::peer::Peer;
use crate::value::Value;

use super::program::HostProgram;

/// A program, the sizes at which it is measured, and those at which it is also run on the sequential host.
struct Case {
    name: &'static str,
    sizes: &'static [usize],
    in_order: Option<&'static [usize]>,
}

const CASES: [Case; 7] = [
    Case { name: "histo", sizes: &[4_000_000, 4096], in_order: None },
    Case { name: "mriq", sizes: &[16_384, 1024], in_order: None },
    Case { name: "sgemm", sizes: &[768, 768, 768], in_order: None },
    Case { name: "stencil", sizes: &[64, 256, 256, 20], in_order: None },
    Case { name: "tpacf", sizes: &[2000, 20], in_order: None },
    Case { name: "ode", sizes: &[100_000, 200], in_order: Some(&[1000, 1000]) },
    Case { name: "network", sizes: &[784, 784, 128, 16, 3], in_order: Some(&[196, 196, 32, 16, 1]) },
];

/// The figures of a program.
#[derive(serde::Serialize)]
pub struct Figures {
    /// Name of the program.
    pub name: String,
    /// Seconds from the text to the executable program.
    pub compile: f64,
    /// Seconds in accelerated code, in the call that takes longest.
    pub time: f64,
    /// Ratio of the time of the program in the array language on the same values to Warpwise's; none if there is no such program.
    pub array_language: Option<Ratio>,
    /// Ratio of the time of all accelerated expressions on the sequential host to their accelerated time.
    pub sequential: Option<f64>,
}

/// Measures all programs.
pub fn figures(root: &Path, threads: usize, rounds: usize, share: f64) -> Result<Vec<Figures>, String> {
    CASES.iter().map(|case| figures_of(root, case, threads, rounds, share)).collect()
}

fn figures_of(
    root: &Path,
    case: &Case,
    threads: usize,
    rounds: usize,
    share: f64,
) -> Result<Figures, String> {
    let context = Context::with(ThreadPool::new(threads), MemoryPool::with_default_limit());
    let path = root.join("examples/mexpr").join(case.name).with_extension("mc");
    let scaled = |sizes: &[usize]| -> Vec<String> {
        // The network reads weights with indices up to 7.
        let scaled = |size: usize| ((size as f64 * share) as usize).max(size.min(8));
        sizes.iter().map(|size| scaled(*size).to_string()).collect()
    };
    let failed = |message: String| format!("{}: {message}", case.name);
    let mut program = HostProgram::new(&path, &context, Mode::Accelerated).map_err(failed)?;
    program.accelerator().map_err(failed)?.record();
    program.run(&scaled(case.sizes)).map_err(failed)?;
    let recorded = program.accelerator().map_err(failed)?.recorded().cloned();
    let recorded = recorded.ok_or_else(|| failed("nothing accelerated was called".to_string()))?;
    let array_program = root.join("benchmarks/mexpr").join(case.name).with_extension("fut");
    let (time, array_language) = match array_program.exists() {
        true => against(&recorded, &array_program, &context, rounds).map_err(failed)?,
        false => (recorded.time.as_secs_f64(), None),
    };
    let sequential =
        case.in_order.map(|sizes| sequential(&path, &context, &scaled(sizes))).transpose().map_err(failed)?;
    let compile = program.compile.as_secs_f64();
    Ok(Figures { name: case.name.to_string(), compile, time, array_language, sequential })
}

/// Returns the ratio of the time of accelerated expressions on the sequential host to their accelerated time. All other work is
/// assumed to take the same time in both runs of a program.
fn sequential(path: &Path, context: &Context, arguments: &[String]) -> Result<f64, String> {
    let mut program = HostProgram::new(path, context, Mode::Accelerated)?;
    program.run(arguments)?;
    let before = program.accelerator()?.marshaled().computing;
    let (parallel, _) = program.run(arguments)?;
    let computing = program.accelerator()?.marshaled().computing - before;
    let (in_order, _) = HostProgram::new(path, context, Mode::Sequential)?.run(arguments)?;
    Ok((in_order.saturating_sub(parallel.saturating_sub(computing))).as_secs_f64() / computing.as_secs_f64())
}

/// Returns the time of a recorded call, and the ratio of the time of a program in the array language to it.
fn against(
    recorded: &Recorded,
    path: &Path,
    context: &Context,
    rounds: usize,
) -> Result<(f64, Option<Ratio>), String> {
    let built = build(path, &Options::default(), None).map_err(|error| error.to_string())?;
    let program = built.compiled.load(context).map_err(|error| error.to_string())?;
    let accelerated = Repeated::new("accelerated", Call::Accelerated(recorded.clone()), recorded, context);
    let array = Repeated::new("array language", Call::ArrayLanguage(Box::new(program)), recorded, context);
    let mut peers: Vec<Box<dyn Peer>> = vec![Box::new(accelerated), Box::new(array)];
    let times = contest(&mut peers, rounds, 3)?;
    let (ours, theirs) = (peers[0].results()?, peers[1].results()?);
    if let Some(what) = disagreement(&ours, &theirs, CLOSE) {
        return Err(format!("results differ: {what}"));
    }
    Ok((times[0].median(), Some(times[1].over(&times[0]))))
}

/// The callee of a repeated call.
enum Call {
    Accelerated(Recorded),
    ArrayLanguage(Box<Program>),
}

/// A call that is repeated, each time with fresh arguments.
struct Repeated {
    name: &'static str,
    call: Call,
    arguments: Vec<RuntimeValue>,
    memory: MemoryPool,
    results: Vec<RuntimeValue>,
}

impl Repeated {
    fn new(name: &'static str, call: Call, recorded: &Recorded, context: &Context) -> Repeated {
        let (arguments, memory) = (recorded.arguments().to_vec(), context.memory().clone());
        Repeated { name, call, arguments, memory, results: Vec::new() }
    }
}

impl Peer for Repeated {
    fn name(&self) -> &str {
        self.name
    }

    fn run(&mut self) -> Result<Duration, String> {
        self.results.clear();
        let arguments = copies(&self.arguments, &self.memory).ok_or("out of memory")?;
        let start = Instant::now();
        let results = match &self.call {
            Call::Accelerated(recorded) => recorded.call(arguments),
            Call::ArrayLanguage(program) => program.call("main", arguments),
        };
        let time = start.elapsed();
        self.results = results.map_err(|error| error.to_string())?;
        Ok(time)
    }

    fn results(&mut self) -> Result<Vec<Value>, String> {
        self.results.iter().map(hand_back).collect()
    }
}
