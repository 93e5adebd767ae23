//! Built-ins on tensors.

use std::rc::Rc;

use crate::builtins::Builtin;

use super::super::budget;
use super::super::loops::{Loop, Over};
use super::super::tensor::{Blank, Buffer, Tensor, size_of};
use super::super::value::Value;
use super::{Given, Stop, Taken};

/// Runs a built-in on tensors; returns `None` for other built-ins.
pub(super) fn run(builtin: Builtin, arguments: &mut Taken) -> Result<Option<Given>, Stop> {
    let value = match builtin {
        Builtin::TensorCreateUninitInt => uninitialised(arguments, Blank::Ints)?,
        Builtin::TensorCreateUninitFloat => uninitialised(arguments, Blank::Floats)?,
        Builtin::ArrayCreateFloat => {
            let length = arguments.int()?;
            let negative = |_| Stop::Fault(format!("an array cannot have {length} elements"));
            new(vec![usize::try_from(length).map_err(negative)?], Blank::Floats)?
        }
        Builtin::ArrayLength => Value::Int(arguments.tensor()?.size() as i64),
        Builtin::TensorGet => {
            let (tensor, index) = (arguments.tensor()?, arguments.ints()?);
            tensor.get(element(&tensor, &index)?).map_err(Stop::Fault)?
        }
        Builtin::TensorSet => {
            let (tensor, index) = (arguments.tensor()?, arguments.ints()?);
            tensor.set(element(&tensor, &index)?, arguments.value()?).map_err(Stop::Fault)?;
            Value::Unit
        }
        Builtin::TensorLinearGet => {
            let (tensor, index) = (arguments.tensor()?, arguments.int()?);
            tensor.get(linear(&tensor, index)?).map_err(Stop::Fault)?
        }
        Builtin::TensorLinearSet => {
            let (tensor, index) = (arguments.tensor()?, arguments.int()?);
            tensor.set(linear(&tensor, index)?, arguments.value()?).map_err(Stop::Fault)?;
            Value::Unit
        }
        Builtin::TensorRank => Value::Int(arguments.tensor()?.shape.len() as i64),
        Builtin::TensorShape => {
            let tensor = arguments.tensor()?;
            Value::Seq(tensor.shape.iter().map(|extent| Value::Int(*extent as i64)).collect())
        }
        Builtin::TensorReshape => {
            let (tensor, shape) = (arguments.tensor()?, shape(arguments)?);
            let wrong = || format!("a tensor of shape {:?} cannot have shape {shape:?}", tensor.shape);
            wrap(tensor.reshape(shape.clone()).ok_or_else(wrong)?)
        }
        Builtin::TensorCopy => wrap(arguments.tensor()?.copy().map_err(Stop::Fault)?),
        Builtin::TensorTranspose => {
            let (tensor, first, second) = (arguments.tensor()?, arguments.int()?, arguments.int()?);
            let wrong =
                || format!("a tensor of shape {:?} has no dimensions {first} and {second}", tensor.shape);
            wrap(tensor.transpose(first, second).map_err(Stop::Fault)?.ok_or_else(wrong)?)
        }
        Builtin::TensorSlice => {
            let (tensor, index) = (arguments.tensor()?, arguments.ints()?);
            wrap(tensor.slice(&index).ok_or_else(|| outside(&tensor, &index))?)
        }
        Builtin::TensorSub => {
            let (tensor, start, length) = (arguments.tensor()?, arguments.int()?, arguments.int()?);
            let wrong =
                || format!("a tensor of shape {:?} has no part of {length} from {start} on", tensor.shape);
            wrap(tensor.sub(start, length).ok_or_else(wrong)?)
        }
        Builtin::TensorCreateCArrayInt | Builtin::TensorCreateCArrayFloat | Builtin::TensorCreateDense => {
            let mut it = Loop::new(Over::Tensor, builtin);
            it.shape = shape(arguments)?;
            it.n = size(&it.shape)?;
            room(&it.shape, it.n)?;
            it.place = vec![0; it.shape.len()];
            it.function = arguments.value()?;
            return Ok(Some(Given::Loop(Box::new(it))));
        }
        Builtin::TensorIterSlice => {
            let mut it = Loop::new(Over::Slices, builtin);
            it.function = arguments.value()?;
            let tensor = arguments.tensor()?;
            it.n = tensor.shape.first().copied().unwrap_or(1);
            it.tensors = vec![tensor];
            return Ok(Some(Given::Loop(Box::new(it))));
        }
        Builtin::TensorEq => {
            let mut it = Loop::new(Over::Equal, builtin);
            it.function = arguments.value()?;
            it.tensors = vec![arguments.tensor()?, arguments.tensor()?];
            if it.tensors[0].shape != it.tensors[1].shape {
                return Ok(Some(Given::Value(Value::Bool(false))));
            }
            it.n = it.tensors[0].size();
            return Ok(Some(Given::Loop(Box::new(it))));
        }
        Builtin::TensorToString => {
            let mut it = Loop::new(Over::Text, builtin);
            it.function = arguments.value()?;
            it.tensors = vec![arguments.tensor()?];
            it.n = it.tensors[0].size();
            return Ok(Some(Given::Loop(Box::new(it))));
        }
        _ => return Ok(None),
    };
    Ok(Some(Given::Value(value)))
}

fn wrap(tensor: Tensor) -> Value {
    Value::Tensor(Rc::new(tensor))
}

fn uninitialised(arguments: &mut Taken, blank: impl FnOnce(usize) -> Blank) -> Result<Value, Stop> {
    new(shape(arguments)?, blank)
}

fn new(shape: Vec<usize>, blank: impl FnOnce(usize) -> Blank) -> Result<Value, Stop> {
    let size = size(&shape)?;
    room(&shape, size)?;
    Ok(wrap(Tensor::new(Buffer::Away(Box::new(blank(size))), shape)))
}

/// Maximum number of elements of a tensor: more would be a mistake of the program, and fit nowhere.
const MOST: usize = 1 << 40;

fn size(shape: &[usize]) -> Result<usize, Stop> {
    let size = size_of(shape).filter(|size| *size <= MOST);
    size.ok_or_else(|| Stop::Fault(format!("a tensor of shape {shape:?} is too large")))
}

/// Charges the elements of a new tensor.
fn room(shape: &[usize], size: usize) -> Result<(), Stop> {
    let no_room = || format!("no room for a tensor of shape {shape:?}; ");
    budget::take(size * std::mem::size_of::<f64>(), no_room).map_err(Stop::Fault)
}

fn shape(arguments: &mut Taken) -> Result<Vec<usize>, Stop> {
    let extents = arguments.ints()?;
    let shape: Option<Vec<usize>> = extents.iter().map(|extent| usize::try_from(*extent).ok()).collect();
    shape.ok_or_else(|| Stop::Fault(format!("a tensor cannot have shape {extents:?}")))
}

fn element(tensor: &Tensor, index: &[i64]) -> Result<usize, Stop> {
    let rank = tensor.shape.len();
    if index.len() != rank {
        return Err(Stop::Fault(format!("Index {index:?} for a tensor of rank {rank}")));
    }
    tensor.position(index).ok_or_else(|| outside(tensor, index))
}

fn linear(tensor: &Tensor, index: i64) -> Result<usize, Stop> {
    let position = usize::try_from(index).ok().filter(|index| *index < tensor.size());
    position.ok_or_else(|| outside(tensor, &[index]))
}

fn outside(tensor: &Tensor, index: &[i64]) -> Stop {
    Stop::Fault(format!("Index {index:?} out of bounds for a tensor of shape {:?}", tensor.shape))
}
