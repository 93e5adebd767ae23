//! What is known of the calls of accelerated expressions: what was handed over, and a call that can be made again.

use std::rc::Rc;
use std::time::Duration;

use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::MemoryPool;

use crate::program::{CallError, Program};

/// What went to the device and came back.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marshaled {
    /// How often an accelerated expression was called.
    pub calls: u64,
    /// Scalars that were handed over.
    pub values_in: u64,
    /// Their bytes.
    pub bytes_in: u64,
    /// Scalars that came back.
    pub values_out: u64,
    /// Their bytes.
    pub bytes_out: u64,
    /// How long accelerated code ran.
    pub computing: Duration,
    /// How long it took to hand values over and to take them back.
    pub moving: Duration,
}

/// A call of an accelerated expression that can be made again, to measure it.
#[derive(Clone)]
pub struct Recorded {
    pub(crate) program: Rc<Program>,
    pub(crate) entry: String,
    pub(crate) arguments: Vec<Value>,
    /// How long it took.
    pub time: Duration,
}

impl Recorded {
    /// What was handed over: the leaves of all that is captured.
    pub fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// Makes the call with these arguments.
    pub fn call(&self, arguments: Vec<Value>) -> Result<Vec<Value>, CallError> {
        self.program.call(&self.entry, arguments)
    }
}

/// Values in memory of their own, which a call may overwrite without changing what is copied; none if memory runs out.
pub fn copies(values: &[Value], memory: &MemoryPool) -> Option<Vec<Value>> {
    let copy = |value: &Value| match value {
        Value::Scalar { .. } => Some(value.clone()),
        Value::Array { ty, array } => {
            let mut copy = Array::allocate(memory, array.elem(), array.shape()).ok()?;
            copy.bytes_mut(memory).ok()?.copy_from_slice(array.bytes());
            Some(Value::Array { ty: *ty, array: copy })
        }
    };
    values.iter().map(copy).collect()
}

/// How many scalars there are, and their bytes.
pub(crate) fn size(leaves: &[Value]) -> (u64, u64) {
    let count = |leaf: &Value| match leaf {
        Value::Scalar { .. } => 1,
        Value::Array { array, .. } => array.len() as u64,
    };
    (leaves.iter().map(count).sum(), leaves.iter().map(Value::bytes).sum())
}
