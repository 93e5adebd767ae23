//! Runs one program on every machine and compares. The interpreter determines the expected results from the program as written. Then
//! come the interpreter after every pass, the interpreter of the imperative IR, and compiled code for every vector width and several
//! numbers of threads. Code for devices is run by the interpreters in the same way.

use std::panic::{AssertUnwindSafe, catch_unwind};

use warpwise_diag::{Failure, Sources, render_failure};
use warpwise_driver::compiler;
use warpwise_driver::{CallError, Context, Program as Compiled};
use warpwise_imp::interp::{Data, Report, Stop, run, run_on_device};
use warpwise_imp::lower::{Scanning, lower_for_device};
use warpwise_imp::parse::parse;
use warpwise_imp::{ImpProgram, verify};
use warpwise_interp::{InterpError, Value, interpret, interpret_on_heap};
use warpwise_ir::verify::Level;
use warpwise_ir::{Program, Type};
use warpwise_opt::pass::{Pass, run_passes};
use warpwise_opt::pipelines;
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::MemoryPool;
use warpwise_runtime::pool::ThreadPool;

use crate::values::{self, Bound};

/// Vector widths to try, as far as this CPU has them.
const WIDTHS: [u32; 3] = [512, 256, 128];

/// Numbers of threads to try.
const THREADS: [usize; 3] = [1, 2, 3];

/// A disagreement.
#[derive(Debug)]
pub struct Trouble {
    /// Stage that disagrees.
    pub stage: String,
    /// Description of the disagreement.
    pub what: String,
}

/// The results of a call, or the message and place of a failing check.
pub type Outcome = Result<Vec<Value>, (String, String)>;

/// The verdict on a program without disagreement.
pub enum Verdict {
    /// All machines agree.
    Agreed,
    /// A known limit stopped the program, with this message.
    Limit(String),
}

/// Thread pools, created once, and the available vector widths.
pub struct Machines {
    contexts: Vec<(usize, Context)>,
    widths: Vec<u32>,
}

/// A program to compare on all machines.
pub struct Question<'q> {
    /// Program of level `soac` with an entry point `main`.
    pub program: &'q Program,
    /// Passes that lower the program to level `mem`.
    pub passes: &'q [Pass],
    /// Source texts of the program.
    pub sources: &'q Sources,
    /// Arguments of every call.
    pub calls: &'q [Vec<Value>],
    /// Allowed deviation of floats.
    pub bound: Bound,
    /// Outcomes acceptable besides the interpreter's, for every call.
    pub besides: &'q [Vec<Outcome>],
}

impl Machines {
    /// Creates machines for every vector width of this CPU, with 1 to 3 threads.
    pub fn new() -> Machines {
        let context = |n| (n, Context::with(ThreadPool::new(n), MemoryPool::with_default_limit()));
        let widths = WIDTHS.into_iter().filter(|&bits| warpwise_cpu::target_with_width(bits).is_ok());
        Machines { contexts: THREADS.map(context).into(), widths: widths.collect() }
    }

    /// Compares a program on all machines.
    pub fn ask(&self, question: &Question) -> Result<Verdict, Trouble> {
        let mut expected = expectations(question)?;
        let optimised = match guarded("passes", || optimise(question, &mut expected))? {
            Ok(optimised) => optimised,
            Err(limit) => return Ok(Verdict::Limit(limit)),
        };
        for &bits in &self.widths {
            if let Err(limit) = self.width(question, &optimised, &expected, bits)? {
                return Ok(Verdict::Limit(limit));
            }
        }
        Ok(Verdict::Agreed)
    }

    fn width(
        &self,
        question: &Question,
        optimised: &Program,
        expected: &[Vec<Outcome>],
        bits: u32,
    ) -> Result<Result<(), String>, Trouble> {
        let stage = format!("lowering for {bits} bits");
        let target = warpwise_cpu::target_with_width(bits).expect("listed widths are there");
        let lowered = guarded(&stage, || Ok(warpwise_imp::lower::lower(optimised, &target)))?;
        let imp = match lowered {
            Ok(imp) => imp,
            Err(limit) => return Ok(Err(limit.message)),
        };
        imperative(question, &imp, expected, (run, &format!("{bits} bits")))?;
        let stage = format!("code generator for {bits} bits");
        let code = guarded(&stage, || match compiler::generate(optimised, question.sources, &target) {
            Ok(code) => Ok(Ok(code)),
            Err(Failure::Limit(limit)) => Ok(Err(limit.message)),
            Err(failure) => Err(format!("{failure:?}")),
        })?;
        let code = match code {
            Ok(code) => code,
            Err(limit) => return Ok(Err(limit)),
        };
        let mut first: Option<Vec<Outcome>> = None;
        for (threads, context) in &self.contexts {
            let stage = format!("code for {bits} bits on {threads} threads");
            let loaded =
                guarded(&stage, || code.clone().load(context).map_err(|error| format!("{error:?}")))?;
            let mut outcomes = Vec::new();
            for (call, expected) in question.calls.iter().zip(expected) {
                let outcome = guarded(&stage, || execute(&loaded, call, context.memory()))?;
                outcome_difference(&outcome, expected, question.bound)
                    .map_or(Ok(()), |what| Err(trouble(&stage, what)))?;
                outcomes.push(outcome);
            }
            // The same code must give bitwise equal results on any number of threads.
            if *first.get_or_insert_with(|| outcomes.clone()) != outcomes {
                return Err(trouble(&stage, "other bits than on one thread".to_string()));
            }
        }
        Ok(Ok(()))
    }
}

/// Compares the interpreters on the program compiled for devices: after every pass, and lowered, with scans in one launch and in three.
/// The interpreter of the imperative IR looks for races.
pub fn ask_device(question: &Question) -> Result<Verdict, Trouble> {
    let mut expected = expectations(question)?;
    let question = &Question { passes: pipelines::DEVICE, ..*question };
    let optimised = match guarded("passes for devices", || optimise(question, &mut expected))? {
        Ok(optimised) => optimised,
        Err(limit) => return Ok(Verdict::Limit(limit)),
    };
    for scanning in [Scanning::LookBack { whole_words: true }, Scanning::Tiles] {
        let machine = format!("devices, {scanning:?}");
        let imp =
            match guarded(&format!("lowering for {machine}"), || Ok(lower_for_device(&optimised, scanning)))?
            {
                Ok(imp) => imp,
                Err(limit) => return Ok(Verdict::Limit(limit.message)),
            };
        imperative(question, &imp, &expected, (run_on_device, &machine))?;
    }
    Ok(Verdict::Agreed)
}

/// Returns the acceptable outcomes of every call.
pub fn expectations(question: &Question) -> Result<Vec<Vec<Outcome>>, Trouble> {
    let ask = |(number, call): (usize, &Vec<Value>)| {
        let outcome =
            guarded("interpreter", || evaluate(question.program, Level::Soac, question.sources, call))?;
        let besides = question.besides.get(number).into_iter().flatten().cloned();
        Ok(std::iter::once(outcome).chain(besides).collect())
    };
    question.calls.iter().enumerate().map(ask).collect()
}

/// Converts a result of the interpreter to an outcome.
pub fn outcome(result: Result<Vec<Value>, InterpError>, sources: &Sources) -> Result<Outcome, String> {
    match result {
        Ok(values) => Ok(Ok(values.into_iter().filter(|value| *value != Value::Token).collect())),
        Err(InterpError::Check { message, span }) => Ok(Err((message, sources.describe(span)))),
        Err(error @ (InterpError::Invalid { .. } | InterpError::OutOfSteps { .. })) => Err(error.to_string()),
    }
}

/// An interpreter of the imperative IR, for one function of a program.
type Interpreter = fn(&ImpProgram, &str, &[Data]) -> Result<Report, Stop>;

/// Runs lowered code in an interpreter, and compares its outcomes.
fn imperative(
    question: &Question,
    imp: &ImpProgram,
    expected: &[Vec<Outcome>],
    (interpreter, machine): (Interpreter, &str),
) -> Result<(), Trouble> {
    guarded(&format!("text of the imperative IR for {machine}"), || reads_back(imp))?;
    let stage = format!("imperative interpreter for {machine}");
    for (call, expected) in question.calls.iter().zip(expected) {
        let args: Vec<Data> = call.iter().map(values::data).collect();
        let report = guarded(&stage, || Ok(interpreter(imp, "main", &args)))?;
        imperative_difference(imp, question.sources, report, expected, question.bound)
            .map_or(Ok(()), |what| Err(trouble(&stage, what)))?;
    }
    Ok(())
}

/// Checks that the text form, parsed again, passes the verifier and prints as the same text.
fn reads_back(imp: &ImpProgram) -> Result<(), String> {
    let text = imp.to_string();
    let mut sources = Sources::new();
    let file = sources.add("imperative IR".to_string(), text.clone());
    let read = parse(&text, file).map_err(|failure| render_failure(&sources, &failure, false))?;
    verify::verify(&read)?;
    if read.to_string() == text { Ok(()) } else { Err(format!("it is read back as\n{read}")) }
}

fn trouble(stage: &str, what: String) -> Trouble {
    Trouble { stage: stage.to_string(), what }
}

/// Runs a stage, and converts errors and panics to [`Trouble`].
fn guarded<T>(stage: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, Trouble> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(result) => result.map_err(|what| trouble(stage, what)),
        Err(panic) => {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| text.to_string()));
            Err(trouble(stage, format!("panic: {}", text.unwrap_or_default())))
        }
    }
}

/// Runs the interpreter; certificates and blocks are left out of the outcome. At level `mem` the interpreter also checks memory accesses.
fn evaluate(program: &Program, level: Level, sources: &Sources, args: &[Value]) -> Result<Outcome, String> {
    let id = program.entry("main").ok_or("there is no entry point `main`")?;
    let function = &program.functions[id];
    let blocks = function.params.iter().filter(|param| *function.ty(param.var) == Type::Mem);
    let args = blocks.map(|_| Value::Token).chain(args.iter().cloned()).collect();
    let run = if level == Level::Mem { interpret_on_heap } else { interpret };
    outcome(run(program, id, args), sources)
}

/// Returns the program after all passes, each of which must preserve the outcomes of calls; or a limit.
///
/// A pass that may change roundings (`contract`) sets new expectations for the later stages if floats must be equal.
fn optimise(question: &Question, expected: &mut [Vec<Outcome>]) -> Result<Result<Program, String>, String> {
    let mut program = question.program.clone();
    let mut level = Level::Soac;
    for (number, pass) in question.passes.iter().enumerate() {
        let who = format!("pass {number}, {}", pass.name);
        let before = format!("{program:?}");
        match run_passes(std::slice::from_ref(pass), &mut program, level, |_, _, _| {}) {
            Ok(reached) => level = reached,
            Err(Failure::Limit(limit)) => return Ok(Err(limit.message)),
            Err(Failure::Bug(bug)) => return Err(format!("{who}: {}", bug.message)),
            Err(Failure::User(_)) => return Err(format!("{who} blames the user")),
        }
        if format!("{program:?}") == before {
            continue;
        }
        for (call, expected) in question.calls.iter().zip(expected.iter_mut()) {
            let found = catch_unwind(AssertUnwindSafe(|| evaluate(&program, level, question.sources, call)))
                .map_err(|_| format!("{who}: the interpreter panics\n{program}"))?
                .map_err(|what| format!("{who}: {what}\n{program}"))?;
            if pass.name == "contract" && question.bound == Bound::Equal {
                *expected = vec![found];
            } else if let Some(what) = outcome_difference(&found, expected, question.bound) {
                return Err(format!("{who}: {what}\n{program}"));
            }
        }
    }
    Ok(Ok(program))
}

fn execute(program: &Compiled, call: &[Value], memory: &MemoryPool) -> Result<Outcome, String> {
    let args = call.iter().map(|value| values::argument(value, memory)).collect();
    match program.call("main", args) {
        Ok(results) => Ok(Ok(results.iter().map(values::from_output).collect())),
        Err(CallError::Run(RunError::Check { message, place, .. })) => Ok(Err((message, place))),
        Err(error) => Err(error.to_string()),
    }
}

/// Describes how an outcome differs from the outcome of the program as written, if it differs from every acceptable one.
fn outcome_difference(found: &Outcome, expected: &[Outcome], bound: Bound) -> Option<String> {
    none_of(expected, |expected| match (found, expected) {
        (Ok(found), Ok(expected)) => values::difference(found, expected, bound),
        (Err(found), Err(expected)) if found == expected => None,
        (found, expected) => Some(format!("{} instead of {}", brief(found), brief(expected))),
    })
}

fn none_of(expected: &[Outcome], difference: impl Fn(&Outcome) -> Option<String>) -> Option<String> {
    let mut differences = expected.iter().map(difference);
    let first = differences.next()??;
    differences.all(|difference| difference.is_some()).then_some(first)
}

fn brief(outcome: &Outcome) -> String {
    match outcome {
        Ok(_) => "success".to_string(),
        Err((message, place)) => format!("failure `{message}` at {place}"),
    }
}

fn imperative_difference(
    imp: &ImpProgram,
    sources: &Sources,
    found: Result<Report, Stop>,
    expected: &[Outcome],
    bound: Bound,
) -> Option<String> {
    none_of(expected, |expected| imperative_difference_to(imp, sources, &found, expected, bound))
}

fn imperative_difference_to(
    imp: &ImpProgram,
    sources: &Sources,
    found: &Result<Report, Stop>,
    expected: &Outcome,
    bound: Bound,
) -> Option<String> {
    let report = match found {
        Ok(report) => report,
        Err(Stop::Wrong(what)) => return Some(what.clone()),
        Err(Stop::Check { check, .. }) => {
            let place = sources.describe(imp.checks[*check].span);
            return match expected {
                Err((_, expected)) if *expected == place => None,
                _ => Some(format!("the check at {place} fails instead of {}", brief(expected))),
            };
        }
    };
    let Ok(expected) = expected else { return Some(format!("success instead of {}", brief(expected))) };
    if report.results.len() != expected.len() {
        return Some("another number of results".to_string());
    }
    let pairs = report.results.iter().zip(expected);
    match pairs.map(|(found, expected)| values::from_data(found, expected)).collect::<Option<Vec<_>>>() {
        Some(found) => values::difference(&found, expected, bound)
            .or_else(|| (!report.leaked.is_empty()).then(|| format!("leaked blocks {:?}", report.leaked))),
        None => Some("a result of another size".to_string()),
    }
}
