//! Random programs (`warpwise_ir::generate`).

use warpwise_diag::Sources;
use warpwise_interp::acceptable::acceptable;
use warpwise_interp::{ArrayValue, Value};
use warpwise_ir::generate::{self, Checks, Options, generate};
use warpwise_opt::pass::Pass;
use warpwise_opt::pipelines;

use crate::oracle::{Machines, Outcome, Question, Trouble, Verdict, ask_device, outcome};
use crate::values::Bound;

/// Compares the programs of these seeds on all machines.
pub fn check(machines: &Machines, seeds: impl Iterator<Item = u64>) -> Result<(), String> {
    let (mut count, mut limits, mut troubles) = (0, Vec::new(), Vec::new());
    for seed in seeds {
        count += 1;
        if std::env::var_os("WARPWISE_VERBOSE").is_some() {
            eprintln!("seed {seed}");
        }
        let options = options(seed);
        let case = generate(seed, &options);
        let args: Vec<Value> = case.args.iter().map(value).collect();
        let sources = Sources::new();
        let besides = [besides(seed, &options, &args, &sources)];
        let question = Question {
            program: &case.program,
            passes: passes(seed),
            sources: &sources,
            calls: std::slice::from_ref(&args),
            bound: Bound::Equal,
            besides: &besides,
        };
        for verdict in [machines.ask(&question), ask_device(&question)] {
            match verdict {
                Ok(Verdict::Agreed) => {}
                Ok(Verdict::Limit(message)) => limits.push(format!("seed {seed}: {message}")),
                Err(Trouble { stage, what }) => {
                    eprintln!("seed {seed}: {stage}: {}", what.lines().next().unwrap_or_default());
                    troubles.push(format!("seed {seed}: {stage}: {what}\n{}\n{}", case.program, text(&args)));
                }
            }
        }
    }
    eprintln!("{count} programs, {} refused, {} failures", limits.len(), troubles.len());
    limits.iter().for_each(|limit| eprintln!("  refused: {limit}"));
    if !troubles.is_empty() {
        return Err(troubles.join("\n\n"));
    }
    if !limits.is_empty() {
        return Err(format!("{} of {count} programs are refused", limits.len()));
    }
    Ok(())
}

/// Every fifth program runs unfused, because other passes hide code from the back end.
fn passes(seed: u64) -> &'static [Pass] {
    if seed.is_multiple_of(5) { pipelines::UNFUSED } else { pipelines::CPU }
}

/// Short and long programs. Every third may fail, every second updates rows of arrays with other rows, every fourth reads
/// neighbours, every seventh has small arrays.
fn options(seed: u64) -> Options {
    let statements = 5 + (seed % 30) as usize;
    let failing = seed.is_multiple_of(3).then(Checks::default);
    let (rows, borders, small) = (seed % 2 == 1, seed % 4 == 2, seed % 7 == 4);
    Options { statements, failing, rows, borders, small, ..Options::default() }
}

/// Returns further acceptable outcomes of a program that may fail: checks may vanish together with unused values.
fn besides(seed: u64, options: &Options, args: &[Value], sources: &Sources) -> Vec<Outcome> {
    if options.failing.is_none() {
        return Vec::new();
    }
    let outcomes = acceptable(seed, options, args).into_iter().skip(1);
    outcomes.filter_map(|result| outcome(result, sources).ok()).collect()
}

fn value(value: &generate::Value) -> Value {
    match value.shape.is_empty() {
        true => Value::Scalar(value.data[0]),
        false => Value::Array(ArrayValue::new(value.elem, value.shape.clone(), value.data.clone())),
    }
}

/// Formats arguments.
fn text(args: &[Value]) -> String {
    let one = |value: &Value| match value {
        Value::Array(array) => {
            let data: Vec<String> = array.data.iter().map(|x| format!("{x:?}")).collect();
            format!("{:?} [{}]", array.shape, data.join(", "))
        }
        Value::Scalar(value) => format!("{value:?}"),
        Value::Acc(_) | Value::Token => String::new(),
    };
    args.iter().map(one).collect::<Vec<_>>().join("\n")
}
