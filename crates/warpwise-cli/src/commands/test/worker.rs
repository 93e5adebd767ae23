//! The test of one program, in the process that was started for it.

use std::cell::OnceCell;
use std::io::Read;
use std::path::Path;

use regex::RegexBuilder;
use warpwise_diag::{Diagnostic, Failure as CompileFailure, Severity, Sources, render_failure};
use warpwise_driver::build::{BuildError, Built, Core, build, read_core};
use warpwise_driver::on_heap::OnHeap;
use warpwise_driver::oracle::{INTERPRETED_STEPS, NoAnswer, Oracle};
use warpwise_driver::{CallError, Context, LoadProgramError, Options, Program};
use warpwise_fut::testspec::{Expected, Pattern, TestCase, TestSpec, parse_test_spec};
use warpwise_runtime::array::Value;
use warpwise_runtime::compare::{Tolerance, compare};
use warpwise_runtime::execute::RunError;

use super::summary::Kind;
use super::{CaseOutcome, Errors, Outcome, Status, TestArguments, host, properties};
use crate::cases::{CaseError, Cases, all_cases, case_name, is_disabled, is_left_out};
use crate::commands::host::is_host_program;
use crate::failure::Failure;
use crate::interrupt;
use crate::output::print_line;

/// A failure found by a test.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Trouble {
    /// Severity of the failure.
    pub status: Status,
    /// Description of the failure.
    pub message: String,
}

/// The outcome of testing a program.
#[derive(Default)]
pub struct Tested {
    /// Failures that were found.
    pub troubles: Vec<Trouble>,
    /// Whether the program was rejected with the message that it expects.
    pub said: bool,
    /// Cases that were run.
    pub cases: Vec<CaseOutcome>,
    /// Expected behaviour, if the program is a host program. The parent process knows that of others.
    pub kind: Kind,
}

impl Tested {
    pub fn only(trouble: Trouble) -> Tested {
        Tested { troubles: vec![trouble], ..Tested::default() }
    }
}

/// Tests a program and prints the outcome as data.
pub fn work(path: &Path, arguments: &TestArguments) -> Result<u8, Failure> {
    end_with_parent();
    let context = arguments.run.clone().tuned_beside(path).context()?;
    interrupt::watch(&context);
    let Tested { troubles, said, cases, kind } = match is_host_program(path) {
        true => host::test(path, arguments, &context),
        false => test(path, arguments, &context),
    };
    let worst = [Status::Internal, Status::Failed, Status::Unsupported]
        .into_iter()
        .find(|&status| troubles.iter().any(|trouble| trouble.status == status));
    let status = worst.unwrap_or(Status::Passed);
    let messages = troubles.iter().filter(|trouble| trouble.status == status);
    let message = messages.map(|trouble| trouble.message.as_str()).collect::<Vec<_>>().join("\n");
    let program = path.display().to_string();
    let outcome = Outcome { program, status, message, kind, said, cases };
    let text = serde_json::to_string(&outcome).map_err(|error| Failure::Failed(error.to_string()))?;
    print_line(&text)?;
    Ok(0)
}

/// Ends this process when its parent ends: standard input is a pipe that the parent holds open as long as it lives.
fn end_with_parent() {
    std::thread::spawn(|| {
        let mut nothing = [0];
        while std::io::stdin().read(&mut nothing).is_ok_and(|count| count > 0) {}
        interrupt::end_at_once(1);
    });
}

/// Returns the expected behaviour of a program, as far as its test blocks can be read.
pub fn kind(path: &Path) -> Kind {
    match read_spec(path, &mut Sources::new()) {
        Ok(spec) if spec.compile_error.is_some() => Kind::Reject,
        Ok(spec) if !spec.blocks.is_empty() || !spec.properties.is_empty() => Kind::Run,
        Ok(_) | Err(_) => Kind::Compile,
    }
}

fn test(path: &Path, arguments: &TestArguments, context: &Context) -> Tested {
    let mut sources = Sources::new();
    let spec = match read_spec(path, &mut sources) {
        Ok(spec) => spec,
        Err(trouble) => return Tested::only(trouble),
    };
    if is_disabled(&spec, arguments.compile.device) || spec.tags.iter().any(|tag| tag == "notest") {
        return Tested::only(unsupported("its tags say that it is not to be tested"));
    }
    let built = build(path, &arguments.compile.options(), arguments.cache.named_cache().as_ref());
    if let Some(pattern) = &spec.compile_error {
        let built = built.map(|_| ());
        let said = must_be_rejected(pattern, Errors::Message, &built).is_none();
        let troubles = must_be_rejected(pattern, arguments.errors, &built).into_iter().collect();
        return Tested { troubles, said, ..Tested::default() };
    }
    must_run(path, arguments, context, (&spec, &sources), built)
}

/// Tests a program that must compile, with its cases and properties.
fn must_run(
    path: &Path,
    arguments: &TestArguments,
    context: &Context,
    (spec, sources): (&TestSpec, &Sources),
    built: Result<Built, BuildError>,
) -> Tested {
    let built = match built {
        Ok(built) => built,
        Err(error) => return Tested::only(not_built(&error)),
    };
    let mut tested = Tested::default();
    for pattern in &spec.warnings {
        tested.troubles.extend(must_match(pattern, &built.warnings, "the compiler's warnings"));
    }
    match built.compiled.load(context) {
        Err(error) => tested.troubles.push(not_loaded(&error)),
        Ok(program) => {
            let cases = Cases { path, sources, memory: context.memory() };
            let options = arguments.compile.options();
            let on_heap = arguments.heap.map(|steps| (steps, OnceCell::new()));
            let oracle = OnceCell::new();
            tested.cases = Runs { program: &program, cases, options, context, oracle, on_heap }.all(spec);
            tested.troubles.extend(tested.cases.iter().filter_map(CaseOutcome::trouble));
            let properties = properties::test(&program, spec, sources, context.memory(), arguments.seed);
            tested.troubles.extend(properties);
        }
    }
    tested
}

impl CaseOutcome {
    pub fn trouble(&self) -> Option<Trouble> {
        let CaseOutcome { entry, case, line, status, message } = self;
        let message = format!("line {line}: {entry}: {case}: {message}");
        (*status != Status::Passed).then_some(Trouble { status: *status, message })
    }
}

fn read_spec(path: &Path, sources: &mut Sources) -> Result<TestSpec, Trouble> {
    let name = path.display().to_string();
    let bytes = std::fs::read(path).map_err(|error| failed(format!("cannot read: {error}")))?;
    // If the file is not text, the compiler reports that.
    let file = sources.add(name, String::from_utf8_lossy(&bytes));
    parse_test_spec(file, sources.text(file)).map_err(|errors| {
        let failure = CompileFailure::User(errors);
        failed(render_failure(sources, &failure, false))
    })
}

fn must_be_rejected(pattern: &Pattern, errors: Errors, built: &Result<(), BuildError>) -> Option<Trouble> {
    match built {
        Ok(()) => Some(failed("it must not compile, but does")),
        Err(error) => match error {
            BuildError::Failure { failure: CompileFailure::User(diagnostics), .. } => match errors {
                Errors::Message => must_match(pattern, &error.to_string(), "the compiler's messages"),
                Errors::Kind => must_have_a_place(diagnostics),
            },
            BuildError::Failure { .. } | BuildError::Source(_) | BuildError::Target(_) => {
                Some(not_built(error))
            }
        },
    }
}

pub fn not_built(error: &BuildError) -> Trouble {
    let status = match error {
        BuildError::Failure { failure: CompileFailure::User(_), .. } => Status::Failed,
        BuildError::Failure { failure: CompileFailure::Limit(_), .. } => Status::Unsupported,
        BuildError::Failure { failure: CompileFailure::Bug(_), .. } => Status::Internal,
        BuildError::Source(_) | BuildError::Target(_) => Status::Failed,
    };
    Trouble { status, message: error.to_string() }
}

/// Returns the trouble with code that cannot be loaded. A missing device is no bug of the compiler.
pub fn not_loaded(error: &LoadProgramError) -> Trouble {
    let status = match error {
        LoadProgramError::Device(_) => Status::Failed,
        LoadProgramError::Cpu(_) => Status::Internal,
    };
    Trouble { status, message: error.to_string() }
}

fn must_have_a_place(diagnostics: &[Diagnostic]) -> Option<Trouble> {
    let is_located = |error: &Diagnostic| error.severity == Severity::Error && !error.span.is_none();
    match diagnostics.iter().any(is_located) {
        true => None,
        false => Some(failed("no error has a place in the program")),
    }
}

/// Searches for a regular expression, ignoring case. Its dots match line breaks, and its quotation marks also match the backticks of
/// our messages.
fn must_match(pattern: &Pattern, text: &str, what: &str) -> Option<Trouble> {
    match RegexBuilder::new(&pattern.regex).dot_matches_new_line(true).case_insensitive(true).build() {
        Ok(regex) if regex.is_match(text) || regex.is_match(&text.replace('`', "\"")) => None,
        Ok(_) => Some(failed(format!("`{}` is not in {what}:\n{text}", pattern.regex))),
        Err(error) => Some(failed(format!("`{}` is no regular expression: {error}", pattern.regex))),
    }
}

/// The environment for running the cases of one program.
struct Runs<'a> {
    program: &'a Program,
    cases: Cases<'a>,
    options: Options,
    context: &'a Context,
    /// Oracle, made when first needed.
    oracle: OnceCell<Result<Oracle, Trouble>>,
    /// Maximum number of steps of runs on a heap, and the stages to run, made when first needed.
    on_heap: Option<(u64, OnceCell<Result<OnHeap, Trouble>>)>,
}

impl Runs<'_> {
    fn all(&self, spec: &TestSpec) -> Vec<CaseOutcome> {
        let left_out = |case: &TestCase| is_left_out(&case.tags, "notest", self.options.target);
        let cases = all_cases(&spec.blocks).filter(|(_, _, case)| !left_out(case));
        let outcome = |(entry, number, case): (&str, usize, &TestCase)| {
            let (status, message) = match self.case(entry, case) {
                Ok(()) => (Status::Passed, String::new()),
                Err(Trouble { status, message }) => (status, message),
            };
            let line = self.cases.sources.position(case.span.file, case.span.start).line;
            CaseOutcome { entry: entry.to_string(), case: case_name(case, number), line, status, message }
        };
        cases.map(outcome).collect()
    }

    fn case(&self, entry: &str, case: &TestCase) -> Result<(), Trouble> {
        let arguments = self.cases.arguments(case, self.program).map_err(of_case)?;
        // The run may overwrite its arguments, so the oracle gets its own.
        let inputs = match &case.expected {
            Expected::Auto => self.cases.arguments(case, self.program).map_err(of_case)?,
            Expected::Success | Expected::Values(_) | Expected::Error(_) => Vec::new(),
        };
        let results = interrupt::stoppable(|| self.program.call(entry, arguments));
        self.check_memory(entry, case, results.as_deref().ok())?;
        match (&case.expected, results) {
            (_, Err(CallError::Run(RunError::Internal(message)))) => {
                Err(Trouble { status: Status::Internal, message })
            }
            (Expected::Error(pattern), Err(error)) => {
                let message = format!("error: {error}\n");
                must_match(pattern, &message, "the message").map_or(Ok(()), Err)
            }
            (Expected::Error(_), Ok(_)) => Err(failed("it must fail, but does not")),
            (_, Err(error)) => Err(failed(error.to_string())),
            (Expected::Success, Ok(_)) => Ok(()),
            (Expected::Auto, Ok(results)) => must_equal(&results, &self.expected(entry, inputs)?),
            (Expected::Values(values), Ok(results)) => {
                must_equal(&results, &self.cases.values(values).map_err(of_case)?)
            }
        }
    }

    /// Runs a case on the interpreter's heap, if the options ask for it.
    fn check_memory(&self, entry: &str, case: &TestCase, results: Option<&[Value]>) -> Result<(), Trouble> {
        let Some((steps, on_heap)) = &self.on_heap else { return Ok(()) };
        let on_heap = on_heap.get_or_init(|| OnHeap::new(self.core()?, &self.options).map_err(failed));
        let on_heap = on_heap.as_ref().map_err(Trouble::clone)?;
        let inputs = self.cases.arguments(case, self.program).map_err(of_case)?;
        on_heap
            .check(entry, &inputs, results, self.context.memory(), *steps)
            .map_err(|message| Trouble { status: Status::Internal, message })
    }

    /// Returns the core IR for the interpreters.
    fn core(&self) -> Result<Core, Trouble> {
        let mut core = read_core(self.cases.path, &self.options).map_err(|error| not_built(&error))?;
        self.context.fix_tuned(&mut core.program);
        Ok(core)
    }

    fn expected(&self, entry: &str, inputs: Vec<Value>) -> Result<Vec<Value>, Trouble> {
        let oracle = self.oracle.get_or_init(|| Oracle::new(self.core()?, &self.options).map_err(failed));
        let oracle = oracle.as_ref().map_err(Trouble::clone)?;
        oracle.results(entry, inputs, self.context, INTERPRETED_STEPS).map_err(|why| match why {
            NoAnswer::Fails(message) => failed(format!("the reference fails: {message}")),
            NoAnswer::TooLarge(message) => unsupported(&format!("a reference run of this size: {message}")),
        })
    }
}

fn must_equal(results: &[Value], expected: &[Value]) -> Result<(), Trouble> {
    let difference = compare(results, expected, Tolerance::TestBlock);
    difference.map_err(|difference| failed(difference.to_string()))
}

fn of_case(error: CaseError) -> Trouble {
    match error {
        CaseError::Wrong(message) => failed(message),
        CaseError::Unsupported(what) => unsupported(&what),
    }
}

pub fn failed(message: impl Into<String>) -> Trouble {
    Trouble { status: Status::Failed, message: message.into() }
}

fn unsupported(what: &str) -> Trouble {
    Trouble { status: Status::Unsupported, message: format!("not supported yet: {what}") }
}
