//! File tests of passes: `tests/<pass>/*.ir`.
//!
//! ```text
//! // passes: fuse, simplify          the passes to run, in order
//! // args: f(3, [1f32, 2f32, 3f32])  calls to compare before and after (any number)
//! IR
//! ----
//! expected IR
//! ```
//!
//! For every file: parse and print is a fixpoint, verify, run, verify, compare the text exactly (`BLESS=1` rewrites it),
//! interpret every call before and after, and compare the failing checks, or the results bit for bit. This includes floats: no
//! pass except `contract` may change a rounding, and the files of `contract` use numbers that are exact either way. Placed
//! programs also run with their memory, which must hold every array and be free of races. Erasing the memory must yield the
//! program from before.

#[path = "passes/erase.rs"]
mod erase;

use std::path::{Path, PathBuf};
use std::{env, fs};

use erase::erase_memory;
use libtest_mimic::{Arguments, Failed, Trial};
use warpwise_diag::{Sources, render_failure};
use warpwise_interp::text::parse_call;
use warpwise_interp::{InterpError, Value, interpret, interpret_on_heap};
use warpwise_ir::verify::Level;
use warpwise_ir::{FunctionId, Program, Type};
use warpwise_opt::pass::{Pass, check, run_passes};
use warpwise_opt::pipelines;

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut files = Vec::new();
    collect(&root, &mut files);
    files.sort();
    let trial = |file: PathBuf| {
        let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
        Trial::test(name, move || run(&file).map_err(Failed::from))
    };
    libtest_mimic::run(&Arguments::from_args(), files.into_iter().map(trial).collect()).exit();
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the tests folder is readable").flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "ir") {
            files.push(path);
        }
    }
}

/// The header of a file.
struct Header {
    passes: Vec<Pass>,
    calls: Vec<(String, Vec<Value>)>,
}

fn run(file: &Path) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (input, expected) = text.split_once("\n----\n").unwrap_or((&text, ""));
    let header = header(input)?;
    let before = parse(file, input)?;
    let printed = before.to_string();
    if parse(file, &printed)?.to_string() != printed {
        return Err(format!("printing and parsing again gives something else:\n{printed}"));
    }
    let level = header.passes.first().map_or(Level::Soac, |pass| pass.needs);
    check("input", &before, level).map_err(|bug| bug.to_string())?;
    let mut after = before.clone();
    let reached = run_passes(&header.passes, &mut after, level, |_, _, _| {})
        .map_err(|failure| render_failure(&Sources::new(), &failure, false))?;
    compare_text(file, input, expected, &after.to_string())?;
    compare_results(&header, (&before, interpret), (&after, interpret))?;
    if reached == Level::Mem {
        compare_results(&header, (&before, interpret), (&after, interpret_on_heap))?;
        erasable(&header, (&before, level), after)?;
    }
    Ok(())
}

type Run = fn(&Program, FunctionId, Vec<Value>) -> Result<Vec<Value>, InterpError>;

fn compare_results(header: &Header, before: (&Program, Run), after: (&Program, Run)) -> Result<(), String> {
    for (function, args) in &header.calls {
        let (old, new) = (call(before, function, args)?, call(after, function, args)?);
        if old != new {
            return Err(format!("`{function}` yields another result:\nbefore: {old:?}\nafter:  {new:?}"));
        }
    }
    Ok(())
}

/// Checks that a placed program without its memory is a program of level `seg` with the same values, and that it equals the
/// program from before, except for copies, after removal of code that only served memory.
fn erasable(header: &Header, (before, level): (&Program, Level), mut placed: Program) -> Result<(), String> {
    let on_memory = |pass: &Pass| pass.needs == Level::Mem || pass.gives == Some(Level::Mem);
    erase_memory(&mut placed);
    check("erasure", &placed, Level::Seg).map_err(|bug| bug.to_string())?;
    compare_results(header, (before, interpret), (&placed, interpret))?;
    let mut unplaced = before.clone();
    if level == Level::Mem {
        erase_memory(&mut unplaced);
    }
    let level = level.min(Level::Seg);
    let mut passes: Vec<Pass> = header.passes.iter().filter(|pass| !on_memory(pass)).copied().collect();
    let simplify = *pipelines::pass("simplify").ok_or("there is no `simplify`")?;
    passes.push(simplify);
    let failed = |failure| render_failure(&Sources::new(), &failure, false);
    run_passes(&passes, &mut unplaced, level, |_, _, _| {}).map_err(failed)?;
    run_passes(&[simplify], &mut placed, Level::Seg, |_, _, _| {}).map_err(failed)?;
    let same = |wanted: fn(&(bool, String)) -> bool, ordered: bool| {
        let [mut unplaced, mut placed] = [&unplaced, &placed].map(|program| -> Vec<String> {
            statements(program).into_iter().filter(wanted).map(|(_, what)| what).collect()
        });
        if !ordered {
            unplaced.sort();
            placed.sort();
        }
        match placed.len() >= unplaced.len() && is_subsequence(&unplaced, &placed) {
            true => Ok(()),
            false => Err(format!("erased, it is another program:\n{unplaced:#?}\n{placed:#?}")),
        }
    };
    // Checks and fresh arrays may have moved, with the scalars that they need. Computed arrays are made in the same order.
    if statements(&unplaced).iter().any(|(_, what)| what == "assert" || is_fresh(what)) {
        same(|(makes_array, _)| *makes_array, true)?;
        return same(|(makes_array, _)| !makes_array, false);
    }
    same(|_| true, true)
}

/// Whether a statement makes an array of existing data.
fn is_fresh(what: &str) -> bool {
    matches!(what, "copy" | "replicate" | "iota" | "scratch")
}

/// Returns the kinds of a program's statements, in order, without names, and for each whether it computes an array.
fn statements(program: &Program) -> Vec<(bool, String)> {
    let text = program.to_string();
    let lines = text.lines().filter_map(|line| line.split_once(" = "));
    let what = |(pattern, expr): (&str, &str)| {
        // An array that is made in another place relies on the checks of that place, too.
        let expr =
            expr.strip_prefix('{').and_then(|expr| expr.split_once("} ")).map_or(expr, |(_, expr)| expr);
        let what = expr.split([' ', '[']).next()?;
        Some((pattern.contains(": [") && !is_fresh(what), what.to_string()))
    };
    lines.filter_map(what).collect()
}

/// Whether `few` is a subsequence of `many`, and the other elements of `many` are copies.
fn is_subsequence(few: &[String], many: &[String]) -> bool {
    let mut few = few.iter().peekable();
    for step in many {
        if few.peek() == Some(&step) {
            few.next();
        } else if step != "copy" {
            return false;
        }
    }
    few.next().is_none()
}

fn header(input: &str) -> Result<Header, String> {
    let mut header = Header { passes: vec![], calls: vec![] };
    for line in input.lines().map_while(|line| line.strip_prefix("// ")) {
        if let Some(names) = line.strip_prefix("passes: ") {
            for name in names.split(", ") {
                let pass = pipelines::pass(name).ok_or_else(|| format!("there is no pass `{name}`"))?;
                header.passes.push(*pass);
            }
        } else if let Some(call) = line.strip_prefix("args: ") {
            let call = parse_call(call)?;
            header.calls.push((call.function.to_string(), call.args));
        }
    }
    if header.passes.is_empty() { Err("the header names no passes".to_string()) } else { Ok(header) }
}

fn parse(file: &Path, text: &str) -> Result<Program, String> {
    let mut sources = Sources::new();
    let id = sources.add(file.display().to_string(), text);
    warpwise_ir::parse::parse(text, id).map_err(|failure| render_failure(&sources, &failure, false))
}

fn compare_text(file: &Path, input: &str, expected: &str, actual: &str) -> Result<(), String> {
    if expected.trim_end() == actual.trim_end() {
        return Ok(());
    }
    if env::var_os("BLESS").is_some() {
        let text = format!("{}\n----\n{}\n", input.trim_end(), actual.trim_end());
        return fs::write(file, text).map_err(|error| error.to_string());
    }
    Err(format!("expected:\n{expected}\nfound:\n{actual}"))
}

/// Calls a function. Blocks of memory are added to its arguments and dropped from its results. Returns the results, or the check
/// that fails.
fn call(
    (program, run): (&Program, Run),
    name: &str,
    args: &[Value],
) -> Result<Result<Vec<Value>, String>, String> {
    let found = program.functions.iter().find(|(_, function)| function.name == name);
    let (id, function) = found.ok_or_else(|| format!("there is no function `{name}`"))?;
    let is_block = |param: &&warpwise_ir::Param| *function.ty(param.var) == Type::Mem;
    let blocks = function.params.iter().filter(is_block).map(|_| Value::Token);
    let all = blocks.chain(args.iter().cloned()).collect();
    match run(program, id, all) {
        Ok(values) => Ok(Ok(values)),
        Err(InterpError::Check { message, .. }) => Ok(Err(message)),
        Err(error @ (InterpError::Invalid { .. } | InterpError::OutOfSteps { .. })) => {
            Err(format!("`{name}`: {error}"))
        }
    }
}
