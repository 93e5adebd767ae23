//! Runs the test blocks of a program with the front end and the interpreter of the core IR.

use std::path::Path;

use warpwise_diag::{Failure, FileId, ReadError, SourceFile, SourceProvider, Sources, Span, render_failure};
use warpwise_fut::compile::{Options, compile};
use warpwise_fut::testspec::{Expected, Input, TestCase, Values, parse_test_spec};
use warpwise_interp::{ArrayValue, InterpError, Value, interpret};
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{EntryType, Function, Operand, Program, Type};
use warpwise_prim::Scalar;
use warpwise_runtime::array::Value as Given;
use warpwise_runtime::formats::{ExpectedType, Source, read_values};
use warpwise_runtime::memory::MemoryPool;

/// The outcome of a program's cases.
#[derive(Default, Debug)]
pub struct Outcome {
    /// Number of cases with the expected outcome.
    pub passed: usize,
    /// Number of cases not run: their values are in files or random, or the program is not supported.
    pub skipped: usize,
    /// Messages about failed cases.
    pub failed: Vec<String>,
}

struct Disk;

impl SourceProvider for Disk {
    fn read(&self, importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        let folder = Path::new(importing).parent().unwrap_or(Path::new(""));
        source(&folder.join(format!("{path}.fut")))
    }
}

fn source(path: &Path) -> Result<SourceFile, ReadError> {
    let name = path.display().to_string();
    let text = std::fs::read_to_string(path).map_err(|_| ReadError::NotFound(name.clone()))?;
    let key = path.canonicalize().map_or(name.clone(), |path| path.display().to_string());
    Ok(SourceFile { key, name, text })
}

/// Runs all cases of a program.
pub fn run_program(path: &Path) -> Outcome {
    let mut outcome = Outcome::default();
    let main = match source(path) {
        Ok(main) => main,
        Err(error) => {
            outcome.failed.push(format!("{error:?}"));
            return outcome;
        }
    };
    let spec = match parse_test_spec(FileId(0), &main.text) {
        Ok(spec) => spec,
        Err(errors) => {
            outcome.failed.push(format!("{errors:?}"));
            return outcome;
        }
    };
    let mut sources = Sources::new();
    let compiled = match compile(main, &Disk, &mut sources, Options::default()) {
        Ok(compiled) => compiled,
        Err(Failure::Limit(_)) => {
            outcome.skipped += 1;
            return outcome;
        }
        Err(failure) => {
            let said = render_failure(&sources, &failure, false);
            if matches!(failure, Failure::User(_)) && spec.compile_error.is_some() {
                outcome.passed += 1;
            } else {
                outcome.failed.push(said);
            }
            return outcome;
        }
    };
    if let Some(pattern) = spec.compile_error {
        outcome.failed.push(format!("accepted, but must be rejected: {}", pattern.regex));
        return outcome;
    }
    if let Err(errors) = verify(&compiled.program, Level::Soac) {
        outcome.failed.push(errors.iter().map(|error| format!("{error}\n")).collect());
        return outcome;
    }
    outcome.passed += usize::from(spec.blocks.is_empty());
    for block in &spec.blocks {
        for entry in &block.entries {
            for case in &block.cases {
                match run_case(&compiled.program, &sources, entry, case) {
                    Some(Ok(())) => outcome.passed += 1,
                    Some(Err(why)) => outcome.failed.push(format!("entry {entry}: {why}")),
                    None => outcome.skipped += 1,
                }
            }
        }
    }
    outcome
}

/// Runs one case. `None` if this runner does not support it.
fn run_case(
    program: &Program,
    sources: &Sources,
    entry: &str,
    case: &TestCase,
) -> Option<Result<(), String>> {
    let Input::Values(Values::Inline { text, .. }) = &case.input else { return None };
    let Some(id) = program.entry(entry) else { return Some(Err("there is no such entry point".to_string())) };
    let function = &program.functions[id];
    let point = function.entry.as_ref()?;
    let params: Vec<ExpectedType> = point.params.iter().flat_map(|param| flat(&param.ty)).collect();
    let given = match values(text, &params) {
        Ok(given) => given,
        Err(why) => return Some(Err(why)),
    };
    let result = match arguments(function, point.size_params, &given) {
        Ok(args) => interpret(program, id, args),
        Err(message) => Err(InterpError::Check { message, span: Span::NONE }),
    };
    let result = result.map(|values| values[point.size_results..].to_vec());
    let said = |error: &InterpError| match error {
        InterpError::Check { message, span } => format!("{}: {message}", sources.describe(*span)),
        InterpError::OutOfSteps { .. } => error.to_string(),
        InterpError::Invalid { message, span } => format!("INVALID {}: {message}", sources.describe(*span)),
    };
    Some(match (&case.expected, result) {
        (Expected::Success | Expected::Auto, Ok(_)) => Ok(()),
        (Expected::Error(pattern), Err(error @ InterpError::Check { .. })) => {
            let message = said(&error);
            match matches_roughly(&pattern.regex, &message) {
                true => Ok(()),
                false => Err(format!("`{message}` does not match `{}`", pattern.regex)),
            }
        }
        (Expected::Error(pattern), Ok(_)) => Err(format!("succeeds, but must fail: {}", pattern.regex)),
        (_, Err(error)) => Err(said(&error)),
        (Expected::Values(Values::Inline { text, .. }), Ok(result)) => {
            let types: Vec<ExpectedType> = point.result_types().flat_map(flat).collect();
            values(text, &types).and_then(|expected| compare(&result, &expected))
        }
        (Expected::Values(Values::File { .. }), Ok(_)) => return None,
    })
}

fn flat(ty: &EntryType) -> Vec<ExpectedType> {
    match ty {
        EntryType::Scalar(elem) => vec![ExpectedType { elem: *elem, rank: 0 }],
        EntryType::Array(elem, rank) => vec![ExpectedType { elem: *elem, rank: *rank }],
        EntryType::Opaque { fields, .. } => fields.iter().flat_map(|(_, ty)| flat(ty)).collect(),
    }
}

fn values(text: &str, types: &[ExpectedType]) -> Result<Vec<Value>, String> {
    let pool = MemoryPool::with_default_limit();
    let source = Source::bytes("values", text.as_bytes());
    let values = read_values(source, Some(types), &pool).map_err(|error| error.to_string())?;
    Ok(values.iter().map(value).collect())
}

fn value(given: &Given) -> Value {
    match given {
        Given::Scalar { value, .. } => Value::Scalar(*value),
        Given::Array { array, .. } => {
            let data = (0..array.len()).filter_map(|at| array.element(at)).collect();
            let shape = array.shape().iter().map(|size| *size as usize).collect();
            Value::Array(ArrayValue::new(array.elem(), shape, data))
        }
    }
}

/// Returns the arguments of the function. Sizes are determined by the arrays, and must agree.
fn arguments(function: &Function, n_sizes: usize, given: &[Value]) -> Result<Vec<Value>, String> {
    let (sizes, params) = function.params.split_at(n_sizes);
    let mut known: Vec<(Operand, i64)> = Vec::new();
    for (param, value) in params.iter().zip(given) {
        if let Some(Scalar::I64(value)) = value.as_scalar() {
            known.push((param.var.into(), value));
        }
    }
    for (param, value) in params.iter().zip(given) {
        let (Type::Array(ty), Value::Array(array)) = (function.ty(param.var), value) else { continue };
        for (size, extent) in ty.shape.iter().zip(&array.shape) {
            let extent = *extent as i64;
            let before = match size {
                Operand::Const(value) => value.as_int(),
                Operand::Var(_) => known.iter().find(|(other, _)| other == size).map(|(_, extent)| *extent),
            };
            match before {
                Some(before) if before != extent => {
                    return Err(format!("cannot match shape: {before} and {extent}"));
                }
                Some(_) => {}
                None => known.push((*size, extent)),
            }
        }
    }
    let size = |var| known.iter().find(|(other, _)| *other == Operand::Var(var)).map_or(0, |(_, size)| *size);
    let sizes = sizes.iter().map(|param| Value::Scalar(Scalar::I64(size(param.var))));
    Ok(sizes.chain(given.iter().cloned()).collect())
}

fn compare(actual: &[Value], expected: &[Value]) -> Result<(), String> {
    if actual.len() != expected.len() {
        return Err(format!("{} values instead of {}", actual.len(), expected.len()));
    }
    for (actual, expected) in actual.iter().zip(expected) {
        let shape = |value: &Value| value.as_array().map(|array| array.shape.clone());
        let (left, right) = (actual.elements(), expected.elements());
        let same = shape(actual) == shape(expected) && left.len() == right.len();
        let scale = right
            .iter()
            .filter_map(|x| float(*x))
            .filter(|x| x.is_finite())
            .fold(0.0, |a: f64, x| a.max(x.abs()));
        let tolerance = 0.002 * scale.max(1.0);
        let close = |(x, y): (&Scalar, &Scalar)| match (float(*x), float(*y)) {
            (Some(x), Some(y)) => x == y || (x.is_nan() && y.is_nan()) || (x - y).abs() <= tolerance,
            _ => x == y,
        };
        if !same || !left.iter().zip(right).all(close) {
            return Err(format!(
                "{left:?} of shape {:?} instead of {right:?} of shape {:?}",
                shape(actual),
                shape(expected)
            ));
        }
    }
    Ok(())
}

fn float(value: Scalar) -> Option<f64> {
    match value {
        Scalar::F16(x) => Some(x.to_f64()),
        Scalar::F32(x) => Some(x.into()),
        Scalar::F64(x) => Some(x),
        Scalar::Bool(_) | Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) => None,
    }
}

/// Whether the words of a simple regular expression occur in order. `.*` matches anything; backslashes are ignored.
fn matches_roughly(regex: &str, message: &str) -> bool {
    let plain = regex.replace('\\', "");
    let mut rest = message;
    plain.split(".*").all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}
