//! Calls of entry points with a clock beside them.

use std::time::{Duration, Instant};

use warpwise_driver::{CallError, Context, Dialect, Entry, Program, Target};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::device::memory::NoBlock;
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::failure::Failure;
use crate::interrupt;

/// Calls an entry point and returns its time and results. If `arrays_at` is the program's device, arguments and results lie there, and
/// copies to and from the host are not timed.
pub fn timed_call(
    program: &Program,
    context: &Context,
    arrays_at: Target,
    entry: &Entry,
    arguments: &[Value],
) -> Result<(Duration, Vec<Value>), Failure> {
    match arrays_at {
        Target::Cpu => timed_host_call(program, context.memory(), entry, arguments),
        Target::Device(dialect, number) => {
            timed_resident_call(program, (context, (dialect, number)), entry, arguments)
        }
    }
}

/// Calls an entry point with arguments in the host's memory. Those that it overwrites are copied before.
fn timed_host_call(
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

/// Calls an entry point of a program on a device, where the arguments lie before the clock starts and the results when it stops.
fn timed_resident_call(
    program: &Program,
    (context, device): (&Context, (Dialect, usize)),
    entry: &Entry,
    arguments: &[Value],
) -> Result<(Duration, Vec<Value>), Failure> {
    let failed = |error: NoBlock| Failure::Failed(error.to_string());
    let memory =
        context.device_memory(device.0, device.1).map_err(|error| Failure::Failed(error.to_string()))?;
    let placed = arguments.iter().map(|value| Placed::Host(value.clone()).to_device(&memory));
    let placed: Vec<Placed> = placed.collect::<Result<_, _>>().map_err(failed)?;
    let finish = || memory.device().finish().map_err(|error| Failure::Failed(error.to_string()));
    finish()?;
    let start = Instant::now();
    let results = interrupt::stoppable(|| program.call_resident(&entry.point.name, placed.into_iter()));
    let results = results.map_err(Failure::Call)?;
    finish()?;
    let time = start.elapsed();
    let results = results.iter().map(|value| value.to_host(context.memory()));
    Ok((time, results.collect::<Result<_, _>>().map_err(failed)?))
}

/// A value that shares nothing with another.
fn deep_copy(value: &Value, memory: &MemoryPool) -> Result<Value, OutOfMemory> {
    let Value::Array { ty, array } = value else { return Ok(value.clone()) };
    let mut copy = Array::allocate(memory, array.elem(), array.shape())?;
    copy.bytes_mut(memory)?.copy_from_slice(array.bytes());
    Ok(Value::array(*ty, copy))
}
