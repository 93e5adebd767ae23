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
//! For every file: parse and print is a fixpoint, verify, run, verify, compare the text exactly (`BLESS=1` rewrites
//! it), interpret every call before and after and compare the results bit for bit (floats too: no pass but
//! `contract` may change a rounding, whose files use numbers that are exact either way).

use std::path::{Path, PathBuf};
use std::{env, fs};

use libtest_mimic::{Arguments, Failed, Trial};
use warpwise_diag::{Sources, render_failure};
use warpwise_interp::{ArrayValue, Value, interpret};
use warpwise_ir::verify::Level;
use warpwise_ir::{Program, Type};
use warpwise_opt::pass::{Pass, check, run_passes};
use warpwise_opt::pipelines;
use warpwise_prim::Scalar;

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

/// What the head of a file says.
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
    run_passes(&header.passes, &mut after, level, |_, _, _| {})
        .map_err(|failure| render_failure(&Sources::new(), &failure, false))?;
    compare_text(file, input, expected, &after.to_string())?;
    for (function, args) in &header.calls {
        let (old, new) = (call(&before, function, args)?, call(&after, function, args)?);
        if old != new {
            return Err(format!("`{function}` yields another result:\nbefore: {old:?}\nafter:  {new:?}"));
        }
    }
    Ok(())
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
            let (function, args) = call.split_once('(').ok_or("a call looks like `f(1, [2f32])`")?;
            let mut reader = Reader { rest: args };
            header.calls.push((function.to_string(), reader.list(')')?));
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

/// Calls a function; blocks of memory are added to its arguments and dropped from its results.
fn call(program: &Program, name: &str, args: &[Value]) -> Result<Vec<Value>, String> {
    let found = program.functions.iter().find(|(_, function)| function.name == name);
    let (id, function) = found.ok_or_else(|| format!("there is no function `{name}`"))?;
    let is_block = |param: &&warpwise_ir::Param| *function.ty(param.var) == Type::Mem;
    let blocks = function.params.iter().filter(is_block).map(|_| Value::Token);
    let all = blocks.chain(args.iter().cloned()).collect();
    interpret(program, id, all).map_err(|error| format!("`{name}`: {error}"))
}

/// Reads values: constants of the IR and nested lists of them.
struct Reader<'t> {
    rest: &'t str,
}

impl Reader<'_> {
    /// Values up to a closing delimiter.
    fn list(&mut self, close: char) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        loop {
            self.rest = self.rest.trim_start_matches([' ', ',']);
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest;
                return Ok(values);
            }
            values.push(self.value()?);
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        if let Some(rest) = self.rest.strip_prefix('[') {
            self.rest = rest;
            return array(self.list(']')?);
        }
        let end = self.rest.find([',', ']', ')', '(']).ok_or("a value or a list has no end")?;
        let (text, rest) = self.rest.split_at(end);
        if let Some(sizes) = rest.strip_prefix('(').filter(|_| text == "empty") {
            self.rest = sizes;
            return self.empty();
        }
        self.rest = rest;
        let constant = text.parse().map(Scalar::I64).ok().or_else(|| Scalar::parse(text));
        constant.map(Value::Scalar).ok_or_else(|| format!("`{text}` is no constant"))
    }

    /// `empty(0, 2, f32)`: an array without elements.
    fn empty(&mut self) -> Result<Value, String> {
        let (inside, rest) = self.rest.split_once(')').ok_or("`empty` has no end")?;
        self.rest = rest;
        let mut parts: Vec<&str> = inside.split(", ").collect();
        let elem =
            parts.pop().and_then(warpwise_prim::ScalarType::from_name).ok_or("`empty` needs a type")?;
        let sizes: Result<Vec<usize>, _> = parts.iter().map(|size| size.parse()).collect();
        let shape = sizes.map_err(|error| format!("{error}"))?;
        Ok(Value::Array(ArrayValue::new(elem, shape, vec![])))
    }
}

fn array(rows: Vec<Value>) -> Result<Value, String> {
    let first = rows.first().ok_or("write an empty list as `empty(0, i64)`")?;
    let (elem, inner) = match first {
        Value::Scalar(value) => (value.ty(), vec![]),
        Value::Array(row) => (row.elem, row.shape.clone()),
        Value::Acc(_) | Value::Token => return Err("lists hold values".to_string()),
    };
    let shape = std::iter::once(rows.len()).chain(inner).collect();
    let data = rows.iter().flat_map(|row| row.elements().to_vec()).collect();
    Ok(Value::Array(ArrayValue::new(elem, shape, data)))
}
