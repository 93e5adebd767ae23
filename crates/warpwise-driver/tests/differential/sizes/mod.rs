//! Random programs of the array language that compute with sizes near the ends of `i64`, compared with exact arithmetic.

mod writer;

use warpwise_diag::{ReadError, SourceFile, SourceProvider, Sources, render_failure};
use warpwise_fut::compile::{Options, compile};
use warpwise_interp::Value;
use warpwise_ir::Program;
use warpwise_opt::pipelines;
use warpwise_prim::Scalar;

use crate::oracle::{Machines, Outcome, Question, Trouble, Verdict, ask_device, expectations};
use crate::values::Bound;
use writer::{Case, write};

/// Name of the programs' file.
const FILE: &str = "sizes.fut";

/// Compares the programs of these seeds on all machines and with exact arithmetic.
pub fn check(machines: &Machines, seeds: impl Iterator<Item = u64>) -> Result<(), String> {
    let (mut count, mut failing, mut troubles) = (0, 0, Vec::new());
    for seed in seeds {
        let case = write(seed);
        count += 1;
        failing += u32::from(case.exact.is_err());
        if let Err(Trouble { stage, what }) = ask(machines, &case) {
            eprintln!("seed {seed}: {stage}: {}", what.lines().next().unwrap_or_default());
            troubles.push(format!("seed {seed}: {stage}: {what}\n{}\n{:?}", case.text, case.args));
        }
    }
    eprintln!("{count} programs, {failing} of which must fail, {} failures", troubles.len());
    if troubles.is_empty() { Ok(()) } else { Err(troubles.join("\n\n")) }
}

/// Compares the reference interpreter with exact arithmetic, and all machines with the interpreter.
fn ask(machines: &Machines, case: &Case) -> Result<(), Trouble> {
    let mut sources = Sources::new();
    let program = program(case, &mut sources)?;
    let question = Question {
        program: &program,
        passes: pipelines::CPU,
        sources: &sources,
        calls: &[numbers(&case.args)],
        bound: Bound::Equal,
        besides: &[],
    };
    for outcome in expectations(&question)?.iter().flatten() {
        compare(outcome, case)?;
    }
    for verdict in [machines.ask(&question)?, ask_device(&question)?] {
        if let Verdict::Limit(what) = verdict {
            return Err(Trouble { stage: "a limit".to_string(), what });
        }
    }
    Ok(())
}

fn program(case: &Case, sources: &mut Sources) -> Result<Program, Trouble> {
    let main = SourceFile { key: FILE.to_string(), name: FILE.to_string(), text: case.text.clone() };
    let compiled = compile(main, &Nowhere, sources, Options::default());
    compiled.map(|compiled| compiled.program).map_err(|failure| {
        let what = render_failure(sources, &failure, false);
        Trouble { stage: "front end".to_string(), what }
    })
}

fn compare(outcome: &Outcome, case: &Case) -> Result<(), Trouble> {
    let agree = match (outcome, &case.exact) {
        (Ok(values), Ok(exact)) => *values == numbers(exact),
        (Err((_, place)), Err(line)) => place.starts_with(&format!("{FILE}:{line}:")),
        (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
    };
    let what = || format!("{outcome:?} instead of {:?}", case.exact);
    if agree { Ok(()) } else { Err(Trouble { stage: "exact arithmetic".to_string(), what: what() }) }
}

fn numbers(values: &[i64]) -> Vec<Value> {
    values.iter().map(|&value| Value::Scalar(Scalar::I64(value))).collect()
}

/// A source provider without files: the programs import nothing.
struct Nowhere;

impl SourceProvider for Nowhere {
    fn read(&self, _: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(path.to_string()))
    }
}
