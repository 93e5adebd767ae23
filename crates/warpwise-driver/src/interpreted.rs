//! Runs of the reference interpreters on values of the run time. Blocks and size arguments are derived from the values.

use std::rc::Rc;

use warpwise_diag::Sources;
use warpwise_interp::{ArrayValue, InterpError, Value as Interpreted};
use warpwise_ir::{Function, FunctionId, Operand, Param, Program as CoreProgram, Type};
use warpwise_prim::Scalar;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};
use warpwise_runtime::pool::CancelFlag;

use warpwise_standalone::entry::Entry;

/// Computes the results of an entry point of a core program (level `soac`) by the reference interpreter. `None` if it was asked to
/// stop, or if calls nest too deep for it. An error is a message with its place.
pub fn interpret(
    program: &CoreProgram,
    sources: &Sources,
    entry: &str,
    arguments: &[Value],
    memory: &MemoryPool,
    cancel: &CancelFlag,
) -> Option<Result<Vec<Value>, String>> {
    interpreted_results(program, sources, entry, arguments, memory, |id, arguments| {
        warpwise_interp::interpret_until(program, id, arguments, cancel.as_atomic())
    })
}

/// Interprets an entry point of a core program. `None` if that takes too many steps. An error is a message with its place.
pub(crate) fn interpreted_results(
    program: &CoreProgram,
    sources: &Sources,
    entry: &str,
    arguments: &[Value],
    memory: &MemoryPool,
    interpret: impl FnOnce(FunctionId, Vec<Interpreted>) -> Result<Vec<Interpreted>, InterpError>,
) -> Option<Result<Vec<Value>, String>> {
    let Some(id) = program.entry(entry) else {
        return Some(Err(format!("there is no entry point `{entry}`")));
    };
    let function = &program.functions[id];
    let Some(point) = function.entry.clone() else {
        return Some(Err(format!("`{entry}` is no entry point")));
    };
    let blocks = function.params.iter().take_while(|param| is_block(function, param)).count();
    let mut all = vec![Interpreted::Token; blocks];
    all.extend(sizes(function, &function.params[blocks..], point.size_params, arguments));
    all.extend(arguments.iter().map(to_interpreted));
    if all.len() != function.params.len() {
        return Some(Err(format!("`{entry}` takes other arguments")));
    }
    let results = match interpret(id, all) {
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

fn is_block(function: &Function, param: &Param) -> bool {
    *function.ty(param.var) == Type::Mem
}

/// Returns the size parameters' values, which come before the arguments. A size that no argument has is 0.
fn sizes(function: &Function, params: &[Param], count: usize, arguments: &[Value]) -> Vec<Interpreted> {
    let (sizes, values) = params.split_at(count);
    let size = |size: &Param| {
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
