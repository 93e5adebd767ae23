//! File tests of the interpreter: `tests/programs/*.ir`, each with calls and their expected results.
//!
//! ```text
//! // level: soac                          what the verifier checks; soac if nothing is said. At level mem memory is looked at
//! // f(3, [1, 2, 3]) = 6, [1, 2]          what a call yields (certificates left out)
//! // f(0, empty(0, i64)) fails: message   an assertion that does not hold
//! // f(1, [2]) takes too long             it has to be stopped
//! // f(1, [2]) is invalid: message        part of what is said of a program that breaks a contract
//! // refused: f, g                         what the verifier does not take, all others it does
//! ```

use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
use warpwise_diag::{Sources, render_failure};
use warpwise_interp::text::{parse_call, parse_values};
use warpwise_interp::{InterpError, Value, interpret, interpret_on_heap};
use warpwise_ir::verify::{Level, verify_function};
use warpwise_ir::{Program, Type};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let files = fs::read_dir(folder).expect("the folder is readable").flatten();
    let mut files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    files.sort();
    let trial = |file: PathBuf| {
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Trial::test(name, move || run(&file).map_err(Failed::from))
    };
    libtest_mimic::run(&Arguments::from_args(), files.into_iter().map(trial).collect()).exit();
}

fn run(file: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let mut sources = Sources::new();
    let id = sources.add(file.display().to_string(), text.clone());
    let program =
        warpwise_ir::parse::parse(&text, id).map_err(|failure| render_failure(&sources, &failure, false))?;
    let mut level = Level::Soac;
    let mut calls = 0;
    let mut refused = Vec::new();
    for line in text.lines().filter_map(|line| line.strip_prefix("// ")) {
        if let Some(names) = line.strip_prefix("refused: ") {
            refused.extend(names.split(", "));
            continue;
        }
        match line.strip_prefix("level: ") {
            Some("seg") => level = Level::Seg,
            Some("mem") => level = Level::Mem,
            Some(other) => return Err(format!("there is no level `{other}`")),
            None if line.contains('(') => {
                call(&program, level, line).map_err(|message| format!("{line}: {message}"))?;
                calls += 1;
            }
            None => {}
        }
    }
    if calls == 0 {
        return Err("the file calls nothing".to_string());
    }
    for function in program.functions.values() {
        let errors = verify_function(&program, function, level);
        let is_refused = refused.contains(&function.name.as_str());
        match (errors.is_empty(), is_refused) {
            (true, false) | (false, true) => {}
            (true, true) => return Err(format!("the verifier takes `{}`", function.name)),
            (false, false) => {
                return Err(errors.iter().map(|error| error.to_string()).collect::<Vec<_>>().join("\n"));
            }
        }
    }
    Ok(())
}

fn call(program: &Program, level: Level, line: &str) -> Result<(), String> {
    let call = parse_call(line)?;
    let found = program.functions.iter().find(|(_, function)| function.name == call.function);
    let (id, function) = found.ok_or("there is no such function")?;
    let blocks = function.params.iter().filter(|param| *function.ty(param.var) == Type::Mem);
    let args = blocks.map(|_| Value::Token).chain(call.args).collect();
    let run = if level == Level::Mem { interpret_on_heap } else { interpret };
    let result = run(program, id, args);
    match (call.rest.trim().split_once(' '), result) {
        (Some(("=", expected)), Ok(values)) => {
            let values: Vec<Value> = values.into_iter().filter(|value| *value != Value::Token).collect();
            let expected = parse_values(expected)?;
            if values == expected { Ok(()) } else { Err(format!("yields {values:?}")) }
        }
        (Some(("fails:", expected)), Err(InterpError::Check { message, .. })) if message == expected => {
            Ok(())
        }
        (Some(("is", expected)), Err(InterpError::Invalid { message, .. }))
            if expected.strip_prefix("invalid: ").is_some_and(|part| message.contains(part)) =>
        {
            Ok(())
        }
        (Some(("takes", "too long")), Err(InterpError::OutOfSteps { .. })) => Ok(()),
        (_, result) => Err(format!("comes to {result:?}")),
    }
}
