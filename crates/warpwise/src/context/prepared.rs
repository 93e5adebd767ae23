//! Computations ready to run: programs and the foreign functions between them.
//!
//! On a device other than the processor, arrays stay there from program to program, and arguments from the host are copied once.

use std::ops::Range;
use std::sync::Arc;

use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::memory::MemoryPool;

use super::{Context, Loaded};
use crate::error::Error;
use crate::foreign::{DeviceAccess, Implementation, Native};
use crate::lower::ENTRY;

/// A computation ready to run.
pub(crate) struct Prepared {
    /// Foreign calls, in order; each takes the parameters and the results of the calls before it.
    pub(super) calls: Vec<ForeignCall>,
    /// The program that runs last.
    pub(super) last: Part,
}

/// A foreign function and the program that computes its arguments.
pub(super) struct ForeignCall {
    pub(super) program: Part,
    pub(super) native: Native,
    /// Ranges of the arguments that later programs take, too.
    pub(super) kept: Vec<Range<usize>>,
}

/// A program with the host arrays that it uses.
pub(crate) struct Part {
    pub(super) loaded: Arc<Loaded>,
    pub(super) used: Vec<Value>,
}

impl Context {
    /// Runs the programs of a computation, and the foreign functions between them.
    pub(crate) fn call(&self, program: &Prepared, arguments: Vec<Value>) -> Result<Vec<Value>, Error> {
        let memory = self.memory();
        if program.calls.is_empty() {
            return program.last.call(arguments, memory);
        }
        let device = self.inner.device.device_memory()?;
        let placed = |value| match &device {
            Some(device) => Ok(Placed::Host(value).to_device(device)?),
            None => Ok(Placed::Host(value)),
        };
        let access = device.as_ref().map(DeviceAccess::new);
        let mut given: Vec<Placed> = arguments.into_iter().map(placed).collect::<Result<_, Error>>()?;
        for ForeignCall { program, native, kept } in &program.calls {
            let arguments = program.call_resident(given.clone(), memory)?;
            let kept: Vec<Placed> = kept.iter().flat_map(|range| arguments[range.clone()].to_vec()).collect();
            given.extend(native.call(arguments, access.as_ref(), memory)?);
            given.extend(kept);
        }
        let results = program.last.call_resident(given, memory)?;
        results.iter().map(|value| Ok(value.to_host(memory)?)).collect()
    }
}

impl Native {
    /// Calls the function on host arrays, or on arrays of the device that `access` belongs to.
    fn call(
        &self,
        arguments: Vec<Placed>,
        access: Option<&DeviceAccess>,
        memory: &MemoryPool,
    ) -> Result<Vec<Placed>, Error> {
        match (&self.implementation, access) {
            (Implementation::Device(call), Some(access)) => {
                access.enter()?;
                call(access, arguments)
            }
            (Implementation::Device(_), None) => {
                Err(Error::Internal(format!("{} is called without its device", self.name)))
            }
            (Implementation::Host(call), _) => {
                let arguments: Result<_, Error> =
                    arguments.iter().map(|value| Ok(value.to_host(memory)?)).collect();
                Ok(call(arguments?)?.into_iter().map(Placed::Host).collect())
            }
        }
    }
}

impl Part {
    /// Runs the program and returns its results; compiled programs allocate in the memory of their context.
    pub(crate) fn call(&self, mut arguments: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Value>, Error> {
        arguments.extend(self.used.iter().cloned());
        self.loaded.call(ENTRY, arguments, memory)
    }

    /// Runs the program where its arguments lie: on a device other than the processor, nothing is copied to the host.
    fn call_resident(&self, mut arguments: Vec<Placed>, memory: &MemoryPool) -> Result<Vec<Placed>, Error> {
        arguments.extend(self.used.iter().cloned().map(Placed::Host));
        self.loaded.call_resident(ENTRY, arguments, memory)
    }
}
