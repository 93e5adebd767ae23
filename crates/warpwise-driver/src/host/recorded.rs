//! Statistics of the calls of accelerated expressions, and a recorded call that can be repeated.

use std::ops::{Add, AddAssign};
use std::rc::Rc;
use std::time::Duration;

use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::MemoryPool;

use crate::program::{CallError, Program};

/// Statistics of the values passed to accelerated code and returned.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Marshaled {
    /// Number of calls of accelerated expressions.
    pub calls: u64,
    /// Values passed, without tensors that lay there already.
    pub given: Moved,
    /// Values returned, without tensors that the host has not read.
    pub returned: Moved,
    /// Time in which accelerated code ran.
    pub computing: Duration,
    /// Time for passing values and taking them back.
    pub moving: Duration,
}

/// An amount of data.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Moved {
    /// Number of scalars.
    pub values: u64,
    /// Size in bytes.
    pub bytes: u64,
}

impl Moved {
    /// Returns the amount of data in an array.
    pub(crate) fn of_array(array: &Array) -> Moved {
        Moved { values: array.len() as u64, bytes: array.bytes().len() as u64 }
    }

    /// Returns the amount of data in scalars and arrays.
    pub(crate) fn of(leaves: &[Value]) -> Moved {
        let count = |leaf: &Value| match leaf {
            Value::Scalar { .. } => Moved { values: 1, bytes: leaf.bytes() },
            Value::Array { array, .. } => Moved::of_array(array),
        };
        leaves.iter().map(count).fold(Moved::default(), Moved::add)
    }
}

impl Add for Moved {
    type Output = Moved;

    fn add(self, other: Moved) -> Moved {
        Moved { values: self.values + other.values, bytes: self.bytes + other.bytes }
    }
}

impl AddAssign for Moved {
    fn add_assign(&mut self, other: Moved) {
        *self = *self + other;
    }
}

/// A call of an accelerated expression that can be repeated, to measure it.
#[derive(Clone)]
pub struct Recorded {
    pub(crate) program: Rc<Program>,
    pub(crate) entry: String,
    pub(crate) arguments: Vec<Value>,
    /// Duration of the call.
    pub time: Duration,
}

impl Recorded {
    /// Returns the arguments: the leaves of all captured values.
    pub fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// Repeats the call with these arguments.
    pub fn call(&self, arguments: Vec<Value>) -> Result<Vec<Value>, CallError> {
        self.program.call(&self.entry, arguments)
    }
}

/// Returns copies of values, so that a call may overwrite the copies without changing the originals. `None` if memory runs out.
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
