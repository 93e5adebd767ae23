//! Timed calls of entry points.

use std::time::{Duration, Instant};

use warpwise_driver::{CallError, Context, Entry, Program, Target};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::device::memory::{DeviceMemory, NoBlock};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::failure::Failure;
use crate::interrupt;

/// Calls of an entry point with the same arguments.
pub struct Calls<'a> {
    program: &'a Program,
    context: &'a Context,
    entry: &'a Entry,
    arguments: Vec<Placed>,
    /// Memory of the device that arguments and results lie on, if they lie on a device.
    device: Option<DeviceMemory>,
}

impl<'a> Calls<'a> {
    /// Prepares calls. If `arrays_at` is the program's device, arguments and results lie there, and copies to and from the host are not
    /// timed.
    pub fn new(
        program: &'a Program,
        context: &'a Context,
        arrays_at: Target,
        entry: &'a Entry,
        arguments: &[Value],
    ) -> Result<Calls<'a>, Failure> {
        let device = match arrays_at {
            Target::Cpu => None,
            Target::Device(dialect, number) => {
                let memory = context.device_memory(dialect, number);
                Some(memory.map_err(|error| Failure::Failed(error.to_string()))?)
            }
        };
        let place = |value: &Value| {
            let value = Placed::Host(value.clone());
            device.as_ref().map_or(Ok(value.clone()), |memory| value.to_device(memory))
        };
        let arguments = arguments.iter().map(place).collect::<Result<_, _>>().map_err(no_block)?;
        Ok(Calls { program, context, entry, arguments, device })
    }

    /// Calls the entry point and returns its time and results. Consumed arguments are copied before the clock starts.
    pub fn timed(&self) -> Result<(Duration, Vec<Placed>), Failure> {
        let consumed = self.entry.parameters().into_iter().map(|parameter| parameter.consumed);
        // If the numbers differ, the call reports it.
        let consumed = consumed.chain(std::iter::repeat(false));
        let own = |(value, consumed): (&Placed, bool)| {
            if consumed { self.copied(value) } else { Ok(value.clone()) }
        };
        let arguments = self.arguments.iter().zip(consumed).map(own).collect::<Result<Vec<_>, _>>()?;
        match &self.device {
            None => self.on_host(arguments),
            Some(memory) => self.on_device(memory, arguments),
        }
    }

    /// Copies results to the host.
    pub fn to_host(&self, results: &[Placed]) -> Result<Vec<Value>, Failure> {
        let results = results.iter().map(|value| value.to_host(self.context.memory()));
        results.collect::<Result<_, _>>().map_err(no_block)
    }

    fn on_host(&self, arguments: Vec<Placed>) -> Result<(Duration, Vec<Placed>), Failure> {
        // The arguments are moved: nobody else may hold an array that the entry point overwrites.
        let on_host = |value| match value {
            Placed::Host(value) => Ok(value),
            Placed::Device(..) => Err(Failure::Failed("an argument lies on a device".to_string())),
        };
        let arguments = arguments.into_iter().map(on_host).collect::<Result<Vec<_>, _>>()?;
        let start = Instant::now();
        let results = interrupt::stoppable(|| self.program.call(&self.entry.point.name, arguments));
        let time = start.elapsed();
        let results = results.map_err(|error: CallError| Failure::Call(error))?;
        Ok((time, results.into_iter().map(Placed::Host).collect()))
    }

    fn on_device(
        &self,
        memory: &DeviceMemory,
        arguments: Vec<Placed>,
    ) -> Result<(Duration, Vec<Placed>), Failure> {
        let finish = || memory.device().finish().map_err(|error| Failure::Failed(error.to_string()));
        finish()?;
        let start = Instant::now();
        let call = || self.program.call_resident(&self.entry.point.name, arguments.into_iter());
        let results = interrupt::stoppable(call).map_err(Failure::Call)?;
        finish()?;
        Ok((start.elapsed(), results))
    }

    /// Copies a value, so that it shares no memory.
    fn copied(&self, value: &Placed) -> Result<Placed, Failure> {
        match value {
            Placed::Device(ty, array) => Ok(Placed::Device(*ty, array.copied().map_err(no_block)?)),
            Placed::Host(value) => {
                let copy = deep_copy(value, self.context.memory());
                Ok(Placed::Host(copy.map_err(|error| Failure::Failed(error.to_string()))?))
            }
        }
    }
}

fn no_block(error: NoBlock) -> Failure {
    Failure::Failed(error.to_string())
}

fn deep_copy(value: &Value, memory: &MemoryPool) -> Result<Value, OutOfMemory> {
    let Value::Array { ty, array } = value else { return Ok(value.clone()) };
    let mut copy = Array::allocate(memory, array.elem(), array.shape())?;
    copy.bytes_mut(memory)?.copy_from_slice(array.bytes());
    Ok(Value::array(*ty, copy))
}
