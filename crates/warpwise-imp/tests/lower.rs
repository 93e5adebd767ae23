//! File tests of the lowering: `tests/lower/<machine>/*.ir`. The folder names the machine: `cpu`, with vectors of 128 bits;
//! `tiles` and `look_back`, devices with these methods for scans.
//!
//! ```text
//! // args: f(3, [1f32, 2f32, 3f32])  calls to compare before and after (any number)
//! // show: f_0_map, f                the functions and kernels below the line; all if nothing is said
//! core IR of level `soac`
//! ----
//! imperative IR
//! ```
//!
//! For every file: run the minimal passes that make the program lowerable, lower, verify, compare the text exactly (`BLESS=1`
//! rewrites it), parse the text and print it again, verify the parsed program, and run every call by both interpreters: that of
//! the core IR on the program as written, that of the imperative IR on the parsed program. Results agree bit for bit, and no block
//! leaks.

#[path = "common/mod.rs"]
mod common;

use std::path::{Path, PathBuf};
use std::{env, fs};

use common::target;
use libtest_mimic::{Arguments, Failed, Trial};
use warpwise_diag::{Sources, render_failure};
use warpwise_imp::interp::{Data, Stop, run, run_on_device};
use warpwise_imp::lower::{Scanning, lower, lower_for_device};
use warpwise_imp::{ImpProgram, parse, verify};
use warpwise_interp::text::{parse_call, parse_values};
use warpwise_interp::{InterpError, Value, interpret};
use warpwise_ir::Program;
use warpwise_ir::verify::Level;
use warpwise_opt::pass::{Pass, run_passes};
use warpwise_opt::pipelines;
use warpwise_prim::Scalar;

/// The machine for which a file is lowered.
#[derive(Clone, Copy)]
enum Machine {
    Cpu,
    Device(Scanning),
}

fn main() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/lower");
    let machines = [
        ("cpu", Machine::Cpu),
        ("tiles", Machine::Device(Scanning::Tiles)),
        ("look_back", Machine::Device(Scanning::LookBack { whole_words: true })),
    ];
    let mut trials = Vec::new();
    for (folder, machine) in machines {
        for file in files(&root.join(folder)) {
            let name = file.strip_prefix(&root).unwrap_or(&file).display().to_string();
            trials.push(Trial::test(name, move || check(&file, machine).map_err(Failed::from)));
        }
    }
    trials.push(Trial::test("docs/imp.md", || documented().map_err(Failed::from)));
    trials.push(Trial::test("wrong texts", || wrong_texts().map_err(Failed::from)));
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// Checks that the program in the documentation doubles the elements that it looks up.
fn documented() -> Result<(), String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/imp.md");
    let document = fs::read_to_string(path).map_err(|error| error.to_string())?;
    let program = document.split("```imp\n").nth(1).and_then(|rest| rest.split("```").next());
    let program = read_back(program.ok_or("the document shows a program")?)?;
    let array = |text: &str| data(&parse_values(text).expect("a value")[0]);
    let int = |x: i64| Data::Scalar(Scalar::I64(x));
    let outcome = |at: &str| run(&program, "main", &[int(2), array(at), int(3), array("[1f32, 2f32, 3f32]")]);
    match (outcome("[2, 0]"), outcome("[2, 3]")) {
        (Ok(report), Err(Stop::Check { iteration: 1, .. })) if report.results == [array("[6f32, 2f32]")] => {
            Ok(())
        }
        other => Err(format!("{other:?}")),
    }
}

/// Checks the message for every mistake in a text.
fn wrong_texts() -> Result<(), String> {
    let kernel = |body: &str| format!("kernel k(n.0: i64, xs@0: mem) lo.1 to hi.2 {{ {body} }}");
    let cases = [
        ("host f() { return; } host f() { return; }".to_string(), "there are two hosts"),
        ("check 1 \"late\";".to_string(), "checks are numbered in order: this is check 0"),
        ("kern k".to_string(), "expected `check`, `host` or `kernel`, found `kern`"),
        (kernel("x.3 = n.0;"), "does not tell its type"),
        (kernel("x.3: i64 = n.0; y.3 = n.0;"), "number 3 is called `x` elsewhere"),
        (kernel("x.3: i64 = n.0; x.3: i32 = 1i32;"), "another type elsewhere"),
        (kernel("x.99999999: i64 = n.0;"), "numbers are below"),
        (kernel("x.3: i64 = frob n.0;"), "expected an operand, found `frob`"),
        (kernel("frob xs@0;"), "expected an operation, found `frob`"),
        (kernel("launch j() over n.0 static align 1 cost 1;"), "expected a kernel's name, found `j`"),
        (kernel("store xs@0[0] = 300i8;"), "does not fit its type"),
        (kernel("store xs@0[0] = 1"), "expected `;`, found `}`"),
        (kernel(&"if true { ".repeat(2000)), "levels of nesting"),
    ];
    for (text, wanted) in cases {
        let mut sources = Sources::new();
        let id = sources.add("text".to_string(), text.as_str());
        let Err(failure) = parse::parse(&text, id) else { return Err(format!("{text} is read")) };
        let said = render_failure(&sources, &failure, false);
        if !said.contains(wanted) {
            return Err(format!("`{wanted}` is not said of {text}, but\n{said}"));
        }
    }
    Ok(())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder of tests is readable").flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort();
    files
}

/// The header of a file.
#[derive(Default)]
struct Header {
    calls: Vec<(String, Vec<Value>)>,
    shown: Option<Vec<String>>,
}

fn header(input: &str) -> Result<Header, String> {
    let mut header = Header::default();
    for line in input.lines().map_while(|line| line.strip_prefix("// ")) {
        if let Some(names) = line.strip_prefix("show: ") {
            header.shown = Some(names.split(", ").map(str::to_string).collect());
        } else if let Some(call) = line.strip_prefix("args: ") {
            let call = parse_call(call)?;
            header.calls.push((call.function.to_string(), call.args));
        }
    }
    if header.calls.is_empty() { Err("the head names no calls".to_string()) } else { Ok(header) }
}

fn check(file: &Path, machine: Machine) -> Result<(), String> {
    let text = fs::read_to_string(file).map_err(|error| error.to_string())?;
    let (input, expected) = text.split_once("\n----\n").unwrap_or((&text, ""));
    let header = header(input)?;
    let mut sources = Sources::new();
    let id = sources.add(file.display().to_string(), input);
    let program =
        warpwise_ir::parse::parse(input, id).map_err(|failure| render_failure(&sources, &failure, false))?;
    let lowered = lowered(program.clone(), machine)?;
    let printed = lowered.to_string();
    compare_text(file, input, expected, &shown(&printed, header.shown.as_deref())?)?;
    let read = read_back(&printed)?;
    for (function, args) in &header.calls {
        compare_results(&program, (&read, machine), function, args)?;
    }
    Ok(())
}

fn lowered(mut program: Program, machine: Machine) -> Result<ImpProgram, String> {
    let passes: Vec<Pass> = match machine {
        Machine::Cpu => ["segment", "schedule", "place"]
            .map(|name| *pipelines::pass(name).expect("a pass of this name"))
            .to_vec(),
        Machine::Device(_) => pipelines::strict(pipelines::DEVICE),
    };
    run_passes(&passes, &mut program, Level::Soac, |_, _, _| {})
        .map_err(|failure| render_failure(&Sources::new(), &failure, false))?;
    let lowered = match machine {
        Machine::Cpu => lower(&program, &target(128)),
        Machine::Device(scanning) => lower_for_device(&program, scanning),
    };
    let lowered = lowered.map_err(|limit| format!("{limit:?}"))?;
    verify::verify(&lowered)?;
    Ok(lowered)
}

/// Parses a printed program, and checks that it prints as the same text and is well-formed.
fn read_back(printed: &str) -> Result<ImpProgram, String> {
    let mut sources = Sources::new();
    let id = sources.add("printed".to_string(), printed);
    let read = parse::parse(printed, id).map_err(|failure| render_failure(&sources, &failure, false))?;
    let again = read.to_string();
    if again.trim_end() != printed.trim_end() {
        return Err(format!("read and printed again it is another text:\n{again}"));
    }
    verify::verify(&read).map_err(|mistake| format!("read back it is wrong: {mistake}"))?;
    Ok(read)
}

/// Returns the functions and kernels with these names in a program's text.
fn shown(printed: &str, names: Option<&[String]>) -> Result<String, String> {
    let Some(names) = names else { return Ok(printed.to_string()) };
    let parts: Vec<&str> = printed.split_inclusive("\n}\n").map(str::trim_start).collect();
    let part = |name: &String| {
        let begins = |part: &&&str| {
            ["host ", "kernel "]
                .iter()
                .any(|kind| part.lines().any(|line| line.starts_with(&format!("{kind}{name}("))))
        };
        parts.iter().find(begins).copied().ok_or_else(|| format!("there is no `{name}` in\n{printed}"))
    };
    Ok(names.iter().map(part).collect::<Result<Vec<_>, _>>()?.join("\n"))
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

/// Compares the results of the interpreters for one call.
fn compare_results(
    program: &Program,
    (lowered, machine): (&ImpProgram, Machine),
    name: &str,
    args: &[Value],
) -> Result<(), String> {
    let found = program.functions.iter().find(|(_, function)| function.name == name);
    let (id, _) = found.ok_or_else(|| format!("there is no function `{name}`"))?;
    let given: Vec<Data> = args.iter().map(data).collect();
    let outcome = match machine {
        Machine::Cpu => run(lowered, name, &given),
        Machine::Device(_) => run_on_device(lowered, name, &given),
    };
    match (interpret(program, id, args.to_vec()), outcome) {
        (Ok(expected), Ok(report)) => {
            let expected: Vec<Data> = expected.iter().map(data).collect();
            if report.results != expected || !report.leaked.is_empty() {
                return Err(format!("`{name}` yields {report:?} instead of {expected:?}"));
            }
            Ok(())
        }
        (Err(InterpError::Check { .. }), Err(Stop::Check { .. })) => Ok(()),
        (expected, found) => Err(format!("`{name}`: {found:?} instead of {expected:?}")),
    }
}

fn data(value: &Value) -> Data {
    match value {
        Value::Scalar(value) => Data::Scalar(*value),
        Value::Array(array) => {
            let bytes = |x: &Scalar| x.to_bits().to_le_bytes()[..array.elem.bytes()].to_vec();
            Data::Array(array.data.iter().flat_map(bytes).collect())
        }
        Value::Acc(_) | Value::Token => unreachable!("functions take and give scalars and arrays"),
    }
}
