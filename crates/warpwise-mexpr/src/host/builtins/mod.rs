//! The built-ins, as the machine computes them.
//!
//! [`numbers`] needs only its arguments, [`sequences`] and [`tensors`] know values, [`distributions`] uses the machine's
//! generator of random numbers, [`effects`] the world. Built-ins that call functions start a [`Loop`], which the machine drives.

mod distributions;
mod effects;
mod numbers;
mod sequences;
mod tensors;

use smallvec::SmallVec;
use warpwise_diag::Span;

use crate::builtins::Builtin;

use super::budget;
use super::device::DeviceError;
use super::loops::Loop;
use super::machine::Machine;
use super::seq::Seq;
use super::value::Value;
use super::watch::check_regular;

pub(super) use numbers::{binary, mathematics};

/// Arguments of a call.
pub(super) type Arguments = SmallVec<[Value; 4]>;

/// The result of a built-in.
pub(super) enum Given {
    /// A value.
    Value(Value),
    /// A loop of calls, which yields the value.
    Loop(Box<Loop>),
}

/// The reason why a built-in yields no value.
#[derive(Debug)]
pub(super) enum Stop {
    /// The run fails.
    Fault(String),
    /// The run fails, at a position other than that of the current instruction.
    FaultAt(String, Span),
    /// A device has failed.
    Device(DeviceError),
    /// The program exits with this code.
    Exit(i64),
}

impl Stop {
    /// Adds a position, unless there already is one.
    pub(super) fn at(self, span: Span) -> Stop {
        match self {
            Stop::Fault(message) => Stop::FaultAt(message, span),
            Stop::FaultAt(..) | Stop::Device(_) | Stop::Exit(_) => self,
        }
    }
}

impl From<DeviceError> for Stop {
    fn from(error: DeviceError) -> Stop {
        Stop::Device(error)
    }
}

impl From<String> for Stop {
    fn from(message: String) -> Stop {
        Stop::Fault(message)
    }
}

/// Returns the message for a value that the checker should have rejected.
pub(super) fn ill_typed(builtin: Builtin) -> Stop {
    Stop::Fault(format!("`{}` got a value of another type than it takes", builtin.name()))
}

/// Runs a built-in with all its arguments.
pub(super) fn run(machine: &mut Machine<'_>, builtin: Builtin, arguments: Arguments) -> Result<Given, Stop> {
    machine.races.look(builtin, &arguments)?;
    if let [left, right] = arguments.as_slice()
        && let Some(result) = binary(builtin, left, right)
    {
        return result.map(Given::Value).map_err(Stop::Fault);
    }
    if let Some(value) = numbers::mathematics(machine.world, builtin, &arguments) {
        return Ok(Given::Value(value));
    }
    afford(builtin, &arguments)?;
    let mut arguments = Taken { builtin, arguments: arguments.into_iter() };
    if let Some(value) = numbers::unary(builtin, &mut arguments)? {
        return Ok(Given::Value(value));
    }
    if let Some(mut given) = sequences::run(builtin, &mut arguments)? {
        match &mut given {
            Given::Loop(it) => machine.watch(it),
            Given::Value(Value::Seq(seq)) if machine.is_strict && puts_together(builtin) => {
                check_regular(seq)?
            }
            Given::Value(_) => {}
        }
        return Ok(given);
    }
    if let Some(given) = tensors::run(builtin, &mut arguments)? {
        return Ok(given);
    }
    if let Some(value) = distributions::run(machine, builtin, &mut arguments)? {
        return Ok(Given::Value(value));
    }
    effects::run(machine, builtin, &mut arguments).map(Given::Value)
}

/// Returns whether a built-in makes a sequence of elements that were not in one sequence before.
fn puts_together(builtin: Builtin) -> bool {
    matches!(builtin, Builtin::Concat | Builtin::Set | Builtin::Cons | Builtin::Snoc | Builtin::Flatten)
}

/// Returns the result of a built-in that neither calls functions nor has effects; `None` if it fails.
pub(super) fn without_effects(builtin: Builtin, arguments: Arguments) -> Option<Value> {
    afford(builtin, &arguments).ok()?;
    let mut arguments = Taken { builtin, arguments: arguments.into_iter() };
    let given = match sequences::run(builtin, &mut arguments).ok()? {
        Some(given) => given,
        None => match numbers::unary(builtin, &mut arguments).ok()? {
            Some(value) => Given::Value(value),
            None => tensors::run(builtin, &mut arguments).ok()??,
        },
    };
    match given {
        Given::Value(value) => Some(value),
        Given::Loop(_) => None,
    }
}

/// Charges the memory that a built-in is about to take for its result.
fn afford(builtin: Builtin, arguments: &Arguments) -> Result<(), String> {
    let lengths = arguments.iter().map(|argument| match argument {
        Value::Seq(seq) => seq.len(),
        Value::Tensor(tensor) => tensor.size(),
        _ => 0,
    });
    let n = match builtin {
        Builtin::Create | Builtin::CreateRope | Builtin::CreateList => match arguments[0] {
            Value::Int(n) => usize::try_from(n).unwrap_or(0),
            _ => 0,
        },
        Builtin::Map2 => lengths.filter(|length| *length > 0).min().unwrap_or(0),
        Builtin::Map
        | Builtin::ParallelMap
        | Builtin::Mapi
        | Builtin::Reverse
        | Builtin::TensorCopy
        | Builtin::TensorTranspose
        | Builtin::TensorToString => lengths.sum(),
        Builtin::Concat if arguments.iter().any(|it| matches!(it, Value::Seq(seq) if seq.is_list())) => {
            lengths.sum()
        }
        _ => 0,
    };
    let bytes = budget::CALL.saturating_add(n.saturating_mul(size_of::<i64>()));
    budget::take(bytes, || if n > 0 { format!("no room for {n} elements; ") } else { String::new() })
}

/// The arguments of a built-in, taken one by one.
pub(super) struct Taken {
    builtin: Builtin,
    arguments: smallvec::IntoIter<[Value; 4]>,
}

impl Taken {
    fn wrong(&self) -> Stop {
        ill_typed(self.builtin)
    }

    fn value(&mut self) -> Result<Value, Stop> {
        self.arguments.next().ok_or_else(|| self.wrong())
    }

    fn int(&mut self) -> Result<i64, Stop> {
        match self.value()? {
            Value::Int(value) => Ok(value),
            _ => Err(self.wrong()),
        }
    }

    fn float(&mut self) -> Result<f64, Stop> {
        match self.value()? {
            Value::Float(value) => Ok(value),
            _ => Err(self.wrong()),
        }
    }

    fn seq(&mut self) -> Result<Seq, Stop> {
        match self.value()? {
            Value::Seq(value) => Ok(value),
            _ => Err(self.wrong()),
        }
    }

    fn text(&mut self) -> Result<String, Stop> {
        let seq = self.seq()?;
        budget::take(seq.len(), || format!("no room for a text of {} characters; ", seq.len()))?;
        Ok(seq.text())
    }

    fn tensor(&mut self) -> Result<std::rc::Rc<super::tensor::Tensor>, Stop> {
        match self.value()? {
            Value::Tensor(value) => Ok(value),
            _ => Err(self.wrong()),
        }
    }

    /// Takes a sequence of integers.
    fn ints(&mut self) -> Result<Vec<i64>, Stop> {
        let seq = self.seq()?;
        let int = |value: Value| match value {
            Value::Int(value) => Ok(value),
            _ => Err(self.wrong()),
        };
        seq.iter().map(int).collect()
    }
}
