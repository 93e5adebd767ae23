//! What a program gives by the reference interpreter, for tests to compare with.
//!
//! The interpreter takes about a thousand times as long as compiled code. A run that needs more than
//! [`INTERPRETED_STEPS`] is done by compiled code after all, but without fusion, specialisation and vectors: an
//! answer that is right unless both have the same mistake, where there would be none.

use std::cell::OnceCell;
use std::rc::Rc;

use warpwise_diag::{Failure, Sources, render_failure};
use warpwise_interp::{ArrayValue, InterpError, Value as Interpreted, interpret_within};
use warpwise_ir::verify::Level;
use warpwise_ir::{Function, Operand, Program as CoreProgram, Type};
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;
use warpwise_prim::Scalar;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::execute::RunError;
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::build::Core;
use crate::compiler::{Options, compile_unfused};
use crate::program::{CallError, Context, Program};
use crate::signature::Entry;

/// Steps that the interpreter may take: a few seconds.
pub const INTERPRETED_STEPS: u64 = 1 << 24;

/// A program whose results others are compared with.
pub struct Oracle {
    core: Core,
    /// Made when the interpreter first takes too long.
    compiled: OnceCell<Result<Program, String>>,
}

/// Why there are no results to compare with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NoAnswer {
    /// The run fails, for a reason given with its place, or cannot be done.
    Fails(String),
    /// It needs more memory than there is: what is not fused can be many times as large.
    TooLarge(String),
}

impl Oracle {
    /// An oracle for a program that a front end made.
    pub fn new(mut core: Core, options: &Options) -> Result<Oracle, String> {
        prepare(&mut core.program, options)
            .map_err(|failure| render_failure(&core.sources, &failure, false))?;
        Ok(Oracle { core, compiled: OnceCell::new() })
    }

    /// What an entry point yields. The arguments may be overwritten.
    pub fn results(
        &self,
        entry: &str,
        arguments: Vec<Value>,
        context: &Context,
        steps: u64,
    ) -> Result<Vec<Value>, NoAnswer> {
        let Core { program, sources, .. } = &self.core;
        match interpreted_results(program, sources, entry, &arguments, context.memory(), steps) {
            Some(results) => results.map_err(NoAnswer::Fails),
            None => self.run(entry, arguments, context),
        }
    }

    fn run(&self, entry: &str, arguments: Vec<Value>, context: &Context) -> Result<Vec<Value>, NoAnswer> {
        let program = self.compiled.get_or_init(|| {
            let mut program = self.core.program.clone();
            let compiled = compile_unfused(&mut program, &self.core.sources)
                .map_err(|failure| render_failure(&self.core.sources, &failure, false))?;
            compiled.load(context).map_err(|error| error.to_string())
        });
        let program = program.as_ref().map_err(|message| NoAnswer::Fails(message.clone()))?;
        program.call(entry, arguments).map_err(|error| match error {
            CallError::Run(RunError::OutOfMemory(error)) => NoAnswer::TooLarge(error.to_string()),
            CallError::Run(_) | CallError::NoEntry(..) | CallError::Argument(_) => {
                NoAnswer::Fails(error.to_string())
            }
        })
    }
}

/// Brings a core program into the form that is interpreted: with fused multiply-adds where compiled code has
/// them (SEMANTICS, "Numbers"), unless every operation is to be rounded by itself.
fn prepare(program: &mut CoreProgram, options: &Options) -> Result<(), Failure> {
    if options.strict_fp {
        return Ok(());
    }
    run_passes(pipelines::REFERENCE, program, Level::Soac, |_, _, _| {}).map(|_| ())
}

/// Interprets an entry point of a core program; none if that takes too many steps. An error is a message with its place.
fn interpreted_results(
    program: &CoreProgram,
    sources: &Sources,
    entry: &str,
    arguments: &[Value],
    memory: &MemoryPool,
    steps: u64,
) -> Option<Result<Vec<Value>, String>> {
    let Some(id) = program.entry(entry) else {
        return Some(Err(format!("there is no entry point `{entry}`")));
    };
    let function = &program.functions[id];
    let Some(point) = function.entry.clone() else {
        return Some(Err(format!("`{entry}` is no entry point")));
    };
    let mut all: Vec<Interpreted> = sizes(function, point.size_params, arguments);
    all.extend(arguments.iter().map(to_interpreted));
    if all.len() != function.params.len() {
        return Some(Err(format!("`{entry}` takes other arguments")));
    }
    let results = match interpret_within(program, id, all, steps) {
        Ok(results) => results,
        Err(InterpError::OutOfSteps { .. }) => return None,
        Err(InterpError::Check { message, span } | InterpError::Invalid { message, span }) => {
            return Some(Err(format!("{}: {message}", sources.describe(span))));
        }
    };
    let types = Entry { function: 0, point };
    let results = results.iter().skip(types.point.size_results).zip(types.results());
    let values = results.map(|(result, ty)| match result {
        Interpreted::Scalar(value) => Ok(Value::scalar(ty.element, *value)),
        Interpreted::Array(array) => {
            let array = from_interpreted(array, memory).map_err(|error| error.to_string())?;
            Ok(Value::array(ty.element, array))
        }
        Interpreted::Acc(_) | Interpreted::Token => Err("a result has no value".to_string()),
    });
    Some(values.collect())
}

/// The sizes that come before the arguments; one that no argument has is 0.
fn sizes(function: &Function, count: usize, arguments: &[Value]) -> Vec<Interpreted> {
    let (sizes, values) = function.params.split_at(count);
    let size = |size: &warpwise_ir::Param| {
        let found = values.iter().zip(arguments).find_map(|(param, argument)| {
            let Type::Array(array) = function.ty(param.var) else { return None };
            let place = array.shape.iter().position(|&extent| extent == Operand::Var(size.var))?;
            argument.shape().get(place).copied()
        });
        Interpreted::Scalar(Scalar::I64(found.unwrap_or(0)))
    };
    sizes.iter().map(size).collect()
}

fn to_interpreted(value: &Value) -> Interpreted {
    match value {
        Value::Scalar { value, .. } => Interpreted::Scalar(*value),
        Value::Array { array, .. } => {
            let width = array.elem().bytes();
            let element = |bytes: &[u8]| {
                let mut bits = [0; 8];
                bits[..width].copy_from_slice(bytes);
                Scalar::from_bits(array.elem(), u64::from_le_bytes(bits))
            };
            let data = array.bytes().chunks_exact(width).map(element).collect();
            let shape = array.shape().iter().map(|&size| size as usize).collect();
            Interpreted::Array(ArrayValue { elem: array.elem(), shape, data: Rc::new(data) })
        }
    }
}

fn from_interpreted(array: &ArrayValue, memory: &MemoryPool) -> Result<Array, OutOfMemory> {
    let shape: Vec<i64> = array.shape.iter().map(|&size| size as i64).collect();
    let mut result = Array::allocate(memory, array.elem, &shape)?;
    let width = array.elem.bytes();
    for (place, value) in result.bytes_mut(memory)?.chunks_exact_mut(width).zip(array.data.iter()) {
        place.copy_from_slice(&value.to_bits().to_le_bytes()[..width]);
    }
    Ok(result)
}
