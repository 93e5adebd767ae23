//! Arguments against the signature of an entry point.
//!
//! The sizes an entry point's array types mention are inferred from the arguments; sizes that occur more
//! than once must agree. What comes out is in the order of the host function's parameters.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use warpwise_ir::{EntryPoint, EntryType};
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::execute::{Argument, Output};
use warpwise_runtime::machine::{Function, Instr, Reg, Slot};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// An entry point of a compiled program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// How the outside world sees it.
    pub point: EntryPoint,
    /// Its host function.
    pub function: usize,
}

/// A value that an entry point takes or yields, with opaque types taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlatType {
    /// The parameter's name, with field names behind it; empty for results without one.
    pub name: String,
    /// Element type.
    pub element: ValueType,
    /// Number of dimensions; 0 for a scalar.
    pub rank: usize,
    /// Whether the entry point may overwrite it.
    pub consumed: bool,
}

/// Arguments do not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgumentError {
    /// Too few or too many values.
    Count {
        /// How many the entry point takes.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A value of another type.
    Type {
        /// Which argument, from 0.
        position: usize,
        /// Its name.
        name: String,
        /// What is expected.
        expected: String,
        /// What was given.
        found: String,
    },
    /// A size that contradicts another.
    Size {
        /// Which argument, from 0.
        position: usize,
        /// Its name.
        name: String,
        /// Which dimension, from 0.
        dimension: usize,
        /// What the other arguments or the type say.
        expected: i64,
        /// What was given.
        found: i64,
    },
    /// A copy of a consumed argument did not fit in memory.
    OutOfMemory(OutOfMemory),
}

impl Entry {
    /// The values it takes, in order.
    pub fn parameters(&self) -> Vec<FlatType> {
        let mut flat = Vec::new();
        for param in &self.point.params {
            flatten(&param.ty, &param.name, param.consumed, &mut flat);
        }
        flat
    }

    /// The values it yields, in order.
    pub fn results(&self) -> Vec<FlatType> {
        let mut flat = Vec::new();
        for ty in &self.point.results {
            flatten(ty, "", false, &mut flat);
        }
        flat
    }

    /// Checks values against the signature and puts them, with the sizes inferred, in the order of the
    /// host function's parameters. Consumed arguments that somebody else holds too are copied.
    pub fn arguments(
        &self,
        function: &Function,
        values: Vec<Value>,
        memory: &MemoryPool,
    ) -> Result<Vec<Argument>, ArgumentError> {
        let parameters = self.parameters();
        if parameters.len() != values.len() {
            return Err(ArgumentError::Count { expected: parameters.len(), found: values.len() });
        }
        let (size_slots, value_slots) = function.params.split_at(self.point.size_params);
        let mut sizes = Sizes::new(function, size_slots);
        let mut arguments = Vec::with_capacity(values.len());
        for (position, ((parameter, slot), value)) in
            parameters.iter().zip(value_slots).zip(values).enumerate()
        {
            if value.element_type() != parameter.element || value.shape().len() != parameter.rank {
                let (name, expected) = (parameter.name.clone(), parameter.to_string());
                return Err(ArgumentError::Type { position, name, expected, found: value.type_text() });
            }
            if let Slot::Array { shape, .. } = slot {
                sizes.unify(position, parameter, shape, value.shape())?;
            }
            arguments.push(argument(value, parameter.consumed, memory)?);
        }
        let mut all = sizes.arguments();
        all.append(&mut arguments);
        Ok(all)
    }

    /// The values among a host function's results, with their surface types.
    pub fn values(&self, outputs: Vec<Output>) -> Vec<Value> {
        let outputs = outputs.into_iter().skip(self.point.size_results);
        let value = |(ty, output): (FlatType, Output)| match output {
            Output::Scalar(value) => Value::scalar(ty.element, value),
            Output::Array(array) => Value::array(ty.element, array),
        };
        self.results().into_iter().zip(outputs).map(value).collect()
    }
}

fn flatten(ty: &EntryType, name: &str, consumed: bool, flat: &mut Vec<FlatType>) {
    let leaf = |element, rank| FlatType { name: name.to_string(), element, rank, consumed };
    match ty {
        EntryType::Scalar(element) => flat.push(leaf(*element, 0)),
        EntryType::Array(element, rank) => flat.push(leaf(*element, *rank)),
        EntryType::Opaque { fields, .. } => {
            for (field, ty) in fields {
                flatten(ty, &format!("{name}.{field}"), consumed, flat);
            }
        }
    }
}

fn argument(value: Value, consumed: bool, memory: &MemoryPool) -> Result<Argument, ArgumentError> {
    let array = match value {
        Value::Scalar { value, .. } => return Ok(Argument::Scalar(value)),
        Value::Array { array, .. } => array,
    };
    let shared = Arc::strong_count(array.data()) > 1;
    let array = if consumed && shared { copy(&array, memory)? } else { array };
    Ok(Argument::Block(Arc::clone(array.data())))
}

fn copy(array: &Array, memory: &MemoryPool) -> Result<Array, ArgumentError> {
    let mut copy =
        Array::allocate(memory, array.elem(), array.shape()).map_err(ArgumentError::OutOfMemory)?;
    let bytes = copy.bytes_mut(memory).map_err(ArgumentError::OutOfMemory)?;
    bytes.copy_from_slice(array.bytes());
    Ok(copy)
}

/// The sizes of an entry point as far as known.
struct Sizes<'f> {
    function: &'f Function,
    registers: Vec<Reg>,
    known: Vec<Option<i64>>,
}

impl<'f> Sizes<'f> {
    fn new(function: &'f Function, slots: &[Slot]) -> Sizes<'f> {
        let register = |slot: &Slot| match slot {
            Slot::Scalar(_, register) => *register,
            Slot::Array { .. } => unreachable!("sizes are scalars"),
        };
        Sizes { function, registers: slots.iter().map(register).collect(), known: vec![None; slots.len()] }
    }

    fn unify(
        &mut self,
        position: usize,
        parameter: &FlatType,
        expected: &[Reg],
        found: &[i64],
    ) -> Result<(), ArgumentError> {
        for (dimension, (&register, &found)) in expected.iter().zip(found).enumerate() {
            let expected = match self.registers.iter().position(|&size| size == register) {
                Some(size) => *self.known[size].get_or_insert(found),
                None => self.constant(register).unwrap_or(found),
            };
            if expected != found {
                let name = parameter.name.clone();
                return Err(ArgumentError::Size { position, name, dimension, expected, found });
            }
        }
        Ok(())
    }

    /// The constant a register holds from the start of the function on.
    fn constant(&self, register: Reg) -> Option<i64> {
        self.function.code.iter().find_map(|instr| match instr {
            Instr::Const { dst, bits } if *dst == register => Some(*bits as i64),
            _ => None,
        })
    }

    /// A size that no argument mentions is 0.
    fn arguments(&self) -> Vec<Argument> {
        self.known.iter().map(|size| Argument::Scalar(Scalar::I64(size.unwrap_or(0)))).collect()
    }
}

impl fmt::Display for FlatType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", "[]".repeat(self.rank), self.element)
    }
}

impl fmt::Display for ArgumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nth = |position: usize| position + 1;
        match self {
            ArgumentError::Count { expected, found } => {
                write!(f, "the entry point takes {expected} values, but {found} were given")
            }
            ArgumentError::Type { position, name, expected, found } => {
                write!(f, "argument {} (`{name}`): expected {expected}, found {found}", nth(*position))
            }
            ArgumentError::Size { position, name, dimension, expected, found } => write!(
                f,
                "argument {} (`{name}`): dimension {dimension} has size {found}, but {expected} is expected",
                nth(*position)
            ),
            ArgumentError::OutOfMemory(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ArgumentError {}
