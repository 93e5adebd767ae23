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
    /// How often an accelerated expression was called.
    pub calls: u64,
    /// The values passed, without tensors that lay there already.
    pub given: Moved,
    /// The values returned, without tensors that the host has not read.
    pub returned: Moved,
    /// How long accelerated code ran.
    pub computing: Duration,
    /// How long it took to hand values over and to take them back.
    pub moving: Duration,
}

/// A number of scalars.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Moved {
    /// Their number.
    pub values: u64,
    /// Their bytes.
    pub bytes: u64,
}

impl Moved {
    /// The elements of an array.
    pub(crate) fn of_array(array: &Array) -> Moved {
        Moved { values: array.len() as u64, bytes: array.bytes().len() as u64 }
    }

    /// Scalars, and the elements of arrays.
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
    /// The arguments: the leaves of all captured values.
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
