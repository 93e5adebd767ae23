//! Checks of arguments against the signature of an entry point.
//!
//! Sizes in an entry point's array types are inferred from the arguments; the occurrences of a size must agree. The checked arguments
//! come in the order of the host function's parameters.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use warpwise_ir::{EntryPoint, EntryType};
use warpwise_prim::{Scalar, ValueType};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::device::array::{DeviceArray, Placed};
use warpwise_runtime::device::memory::NoBlock;
use warpwise_runtime::execute::{Argument, Output};
use warpwise_runtime::machine::{Function, Instr, Reg, Slot};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// An entry point of a compiled program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Entry {
    /// Name, parameters and results, in surface types.
    pub point: EntryPoint,
    /// Index of its host function.
    pub function: usize,
}

/// A leaf that an entry point takes or yields. Opaque types are split into their leaves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FlatType {
    /// The parameter's name, followed by field names; empty for results without one.
    pub name: String,
    /// Element type.
    pub element: ValueType,
    /// Number of dimensions; 0 for a scalar.
    pub rank: usize,
    /// Whether the entry point may overwrite it.
    pub consumed: bool,
}

/// The reason why arguments do not fit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArgumentError {
    /// Too few or too many values.
    Count {
        /// Number of values that the entry point takes.
        expected: usize,
        /// Number of given values.
        found: usize,
    },
    /// A value of another type.
    Type {
        /// Index of the argument, from 0.
        position: usize,
        /// Name of the argument.
        name: String,
        /// Expected type.
        expected: String,
        /// Given type.
        found: String,
    },
    /// A size that contradicts another.
    Size {
        /// Index of the argument, from 0.
        position: usize,
        /// Name of the argument.
        name: String,
        /// Index of the dimension, from 0.
        dimension: usize,
        /// Size according to earlier arguments or the type.
        expected: i64,
        /// Given size.
        found: i64,
        /// Dimension of an earlier argument that must have the same size; `None` if the size is a constant.
        same: Option<Dimension>,
    },
    /// A copy of a consumed argument did not fit in memory.
    OutOfMemory(OutOfMemory),
    /// A copy of a consumed argument could not be made on the device; the text is its driver's.
    Device(String),
}

/// A dimension of an argument.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// Index of the argument, from 0.
    pub position: usize,
    /// Name of the argument.
    pub name: String,
    /// Index of the dimension, from 0.
    pub dimension: usize,
}

impl Entry {
    /// Returns the values that the entry point takes, in order.
    pub fn parameters(&self) -> Vec<FlatType> {
        let mut flat = Vec::new();
        for param in &self.point.params {
            flatten(&param.ty, &param.name, param.consumed, &mut flat);
        }
        flat
    }

    /// Returns the values that the entry point yields, in order.
    pub fn results(&self) -> Vec<FlatType> {
        let mut flat = Vec::new();
        for ty in self.point.result_types() {
            flatten(ty, "", false, &mut flat);
        }
        flat
    }
}

impl Entry {
    /// Returns a name for each value that the entry point yields, without the first `skipped` values: the path of a record's field,
    /// or the number of a component of a tuple. A single value that is no component has an empty name.
    pub fn result_names(&self, skipped: usize) -> Vec<String> {
        let mut all = Vec::new();
        for (number, ty) in self.point.result_types().enumerate() {
            let mut flat = Vec::new();
            flatten(ty, "", false, &mut flat);
            all.extend(flat.into_iter().map(|leaf| (number, leaf.name.trim_start_matches('.').to_string())));
        }
        let all = all.get(skipped..).unwrap_or_default();
        let first = all.first().map_or(0, |(number, _)| *number);
        let is_alone = |path: &str| all.iter().filter(|(_, other)| other == path).count() == 1;
        let name = |(number, path): &(usize, String)| match path.as_str() {
            "" if all.len() == 1 => String::new(),
            "" => (number - first).to_string(),
            path if is_alone(path) => path.to_string(),
            path => format!("{}.{path}", number - first),
        };
        all.iter().map(name).collect()
    }
}

/// Data that calls of an entry point need, computed once.
#[derive(Clone, Debug)]
pub struct Signature {
    parameters: Vec<FlatType>,
    results: Vec<FlatType>,
    /// Number of results that are sizes.
    size_results: usize,
    /// Number of the host function's parameters that are sizes; they come first.
    sizes: usize,
    /// Sizes of each value's dimensions.
    shapes: Vec<Vec<Size>>,
}

/// Knowledge about a dimension's size before a call.
#[derive(Clone, Copy, Debug)]
enum Size {
    /// A parameter of the host function, by index.
    Parameter(usize),
    /// A constant.
    Constant(i64),
    /// Unknown; any size will do.
    Any,
}

/// Marker of a size that no argument has mentioned yet.
const UNKNOWN: i64 = -1;

impl Signature {
    /// Returns the signature of an entry point with this host function.
    pub fn of(entry: &Entry, function: &Function) -> Signature {
        let (size_slots, value_slots) = function.params.split_at(entry.point.size_params);
        let registers: Vec<Reg> = size_slots.iter().filter_map(scalar_register).collect();
        let size = |register: &Reg| match registers.iter().position(|size| size == register) {
            Some(size) => Size::Parameter(size),
            None => constant(function, *register).map_or(Size::Any, Size::Constant),
        };
        let shape = |slot: &Slot| match slot {
            Slot::Scalar(..) => Vec::new(),
            Slot::Array { shape, .. } => shape.iter().map(size).collect(),
        };
        Signature {
            parameters: entry.parameters(),
            results: entry.results(),
            size_results: entry.point.size_results,
            sizes: registers.len(),
            shapes: value_slots.iter().map(shape).collect(),
        }
    }

    /// Checks values against the signature. Returns them, after the inferred sizes, in the order of the host function's parameters.
    /// Consumed arguments that are shared are copied.
    pub fn arguments(&self, values: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Argument>, ArgumentError> {
        self.placed_arguments(values.into_iter().map(Placed::Host), memory)
    }

    /// Does the same as [`Signature::arguments`] for values that may lie on the program's device.
    pub fn placed_arguments(
        &self,
        values: impl ExactSizeIterator<Item = Placed>,
        memory: &MemoryPool,
    ) -> Result<Vec<Argument>, ArgumentError> {
        if self.parameters.len() != values.len() {
            return Err(ArgumentError::Count { expected: self.parameters.len(), found: values.len() });
        }
        let mut arguments = Vec::with_capacity(self.sizes + values.len());
        arguments.resize(self.sizes, Argument::Scalar(Scalar::I64(UNKNOWN)));
        for (position, (parameter, value)) in self.parameters.iter().zip(values).enumerate() {
            self.check(position, &value, &mut arguments)?;
            arguments.push(argument(value, parameter.consumed, memory)?);
        }
        // A size that no argument mentions becomes 0.
        for size in &mut arguments[..self.sizes] {
            if matches!(size, Argument::Scalar(Scalar::I64(UNKNOWN))) {
                *size = Argument::Scalar(Scalar::I64(0));
            }
        }
        Ok(arguments)
    }

    /// Checks values against the signature, and returns them ready to be passed on: consumed arguments that others than the caller
    /// share are copied.
    pub fn checked(&self, values: Vec<Value>, memory: &MemoryPool) -> Result<Vec<Value>, ArgumentError> {
        if self.parameters.len() != values.len() {
            return Err(ArgumentError::Count { expected: self.parameters.len(), found: values.len() });
        }
        let mut sizes = vec![Argument::Scalar(Scalar::I64(UNKNOWN)); self.sizes];
        for (position, value) in values.iter().enumerate() {
            self.check(position, &Placed::Host(value.clone()), &mut sizes)?;
        }
        let own = |(parameter, value): (&FlatType, Value)| match value {
            // The two references are the caller's and this one.
            Value::Array { ty, array } if parameter.consumed && !is_own(&array, 2) => {
                Ok(Value::array(ty, copy(&array, memory)?))
            }
            value @ (Value::Scalar { .. } | Value::Array { .. }) => Ok(value),
        };
        self.parameters.iter().zip(values).map(own).collect()
    }

    /// Returns the values among a host function's results, with their surface types.
    pub fn values(&self, outputs: Vec<Output>) -> Vec<Value> {
        self.each_result(outputs, Value::scalar, Value::array)
    }

    /// Does the same as [`Signature::values`] for results whose arrays stayed on the device.
    pub fn placed_values(&self, outputs: Vec<Output<DeviceArray>>) -> Vec<Placed> {
        let scalar = |ty, value| Placed::Host(Value::scalar(ty, value));
        self.each_result(outputs, scalar, Placed::Device)
    }

    fn each_result<A, V>(
        &self,
        outputs: Vec<Output<A>>,
        scalar: fn(ValueType, Scalar) -> V,
        array: fn(ValueType, A) -> V,
    ) -> Vec<V> {
        let outputs = outputs.into_iter().skip(self.size_results);
        let value = |(ty, output): (&FlatType, Output<A>)| match output {
            Output::Scalar(value) => scalar(ty.element, value),
            Output::Array(elements) => array(ty.element, elements),
        };
        self.results.iter().zip(outputs).map(value).collect()
    }

    /// Checks the type and the sizes of a value.
    fn check(
        &self,
        position: usize,
        value: &Placed,
        arguments: &mut [Argument],
    ) -> Result<(), ArgumentError> {
        let parameter = &self.parameters[position];
        if value.element_type() != parameter.element || value.shape().len() != parameter.rank {
            let (name, expected) = (parameter.name.clone(), parameter.to_string());
            return Err(ArgumentError::Type { position, name, expected, found: value.type_text() });
        }
        self.unify(position, value.shape(), arguments)
    }

    /// Compares the sizes of a value with the known sizes, and records unknown ones.
    fn unify(&self, position: usize, found: &[i64], arguments: &mut [Argument]) -> Result<(), ArgumentError> {
        for (dimension, (size, &found)) in self.shapes[position].iter().zip(found).enumerate() {
            let expected = match *size {
                Size::Any => found,
                Size::Constant(expected) => expected,
                Size::Parameter(number) => match &mut arguments[number] {
                    Argument::Scalar(Scalar::I64(size)) => {
                        if *size == UNKNOWN {
                            *size = found;
                        }
                        *size
                    }
                    Argument::Scalar(_) | Argument::Block(_) | Argument::Resident(_) => found,
                },
            };
            if expected != found {
                let (name, same) = (self.parameters[position].name.clone(), self.first_with(size));
                return Err(ArgumentError::Size { position, name, dimension, expected, found, same });
            }
        }
        Ok(())
    }

    /// Returns the first dimension of an argument that determines a size.
    fn first_with(&self, size: &Size) -> Option<Dimension> {
        let Size::Parameter(number) = size else { return None };
        let tells = |size: &Size| matches!(size, Size::Parameter(other) if other == number);
        self.shapes.iter().enumerate().find_map(|(position, shape)| {
            let dimension = shape.iter().position(tells)?;
            Some(Dimension { position, name: self.parameters[position].name.clone(), dimension })
        })
    }
}

fn scalar_register(slot: &Slot) -> Option<Reg> {
    match slot {
        Slot::Scalar(_, register) => Some(*register),
        Slot::Array { .. } => None,
    }
}

/// Returns the constant that a register holds from the start of the function.
fn constant(function: &Function, register: Reg) -> Option<i64> {
    function.code.iter().find_map(|instr| match instr {
        Instr::Const { dst, bits } if *dst == register => Some(*bits as i64),
        _ => None,
    })
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

fn argument(value: Placed, consumed: bool, memory: &MemoryPool) -> Result<Argument, ArgumentError> {
    let array = match value {
        Placed::Host(Value::Scalar { value, .. }) => return Ok(Argument::Scalar(value)),
        Placed::Host(Value::Array { array, .. }) => array,
        Placed::Device(_, array) => {
            let is_free = !consumed || array.data().is_own();
            let block = if is_free { Arc::clone(array.data()) } else { array.data().copied()? };
            return Ok(Argument::Resident(block));
        }
    };
    let array = if consumed && !is_own(&array, 1) { copy(&array, memory)? } else { array };
    Ok(Argument::Block(Arc::clone(array.data())))
}

/// Returns whether an array with `holders` references may be overwritten, also by elements of another type.
fn is_own(array: &Array, holders: usize) -> bool {
    let block = array.data();
    Arc::strong_count(block) == holders && block.is_aligned() && !block.is_part()
}

fn copy(array: &Array, memory: &MemoryPool) -> Result<Array, ArgumentError> {
    let mut copy =
        Array::allocate(memory, array.elem(), array.shape()).map_err(ArgumentError::OutOfMemory)?;
    let bytes = copy.bytes_mut(memory).map_err(ArgumentError::OutOfMemory)?;
    bytes.copy_from_slice(array.bytes());
    Ok(copy)
}

impl From<NoBlock> for ArgumentError {
    fn from(why: NoBlock) -> ArgumentError {
        match why {
            NoBlock::OutOfMemory(error) => ArgumentError::OutOfMemory(error),
            NoBlock::Driver(message) => ArgumentError::Device(message),
        }
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
            ArgumentError::Size { position, name, dimension, expected, found, same } => {
                let nth_argument = nth(*position);
                write!(
                    f,
                    "argument {nth_argument} (`{name}`): dimension {dimension} has size {found}, but {expected} is expected"
                )?;
                match same {
                    Some(Dimension { position, name, dimension }) => {
                        write!(f, ", as dimension {dimension} of argument {} (`{name}`) has", nth(*position))
                    }
                    None => Ok(()),
                }
            }
            ArgumentError::OutOfMemory(error) => error.fmt(f),
            ArgumentError::Device(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for ArgumentError {}
