//! Calls of entry points with a clock beside them.

use std::time::{Duration, Instant};

use warpwise_driver::{CallError, Entry, Program};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::failure::Failure;
use crate::interrupt;

/// Calls an entry point: how long that took, and its results. Arguments that it overwrites are copied before.
pub fn timed_call(
    program: &Program,
    memory: &MemoryPool,
    entry: &Entry,
    arguments: &[Value],
) -> Result<(Duration, Vec<Value>), Failure> {
    let pairs = entry.parameters().into_iter().zip(arguments);
    let owned = pairs.map(
        |(parameter, value)| {
            if parameter.consumed { deep_copy(value, memory) } else { Ok(value.clone()) }
        },
    );
    let owned = owned
        .collect::<Result<Vec<Value>, OutOfMemory>>()
        .map_err(|error| Failure::Failed(error.to_string()))?;
    let owned = if owned.len() == arguments.len() { owned } else { arguments.to_vec() };
    let start = Instant::now();
    let results = interrupt::stoppable(|| program.call(&entry.point.name, owned));
    let time = start.elapsed();
    Ok((time, results.map_err(|error: CallError| Failure::Call(error))?))
}

/// A value that shares nothing with another.
fn deep_copy(value: &Value, memory: &MemoryPool) -> Result<Value, OutOfMemory> {
    let Value::Array { ty, array } = value else { return Ok(value.clone()) };
    let mut copy = Array::allocate(memory, array.elem(), array.shape())?;
    copy.bytes_mut(memory)?.copy_from_slice(array.bytes());
    Ok(Value::array(*ty, copy))
}
