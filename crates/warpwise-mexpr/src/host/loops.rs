//! Built-ins that call functions: the machine makes one call at a time, so the calls take no native stack.

use std::rc::Rc;

use smallvec::smallvec;

use crate::builtins::Builtin;

use super::builtins::{Arguments, Stop, ill_typed};
use super::items::Items;
use super::seq::Seq;
use super::tensor::{Buffer, Tensor, advance};
use super::value::Value;
use super::watch::{Samples, check_regular};

/// The values that a loop iterates over, and its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Over {
    Map,
    Mapi,
    Iter,
    Iteri,
    Foldl,
    Foldr,
    Map2,
    Create {
        list: bool,
    },
    /// Numbers of iterations.
    Times,
    /// Numbers of iterations, with a state.
    TimesWith,
    /// The elements of a new tensor.
    Tensor,
    /// The slices of a tensor.
    Slices,
    /// The elements of two tensors, until they differ.
    Equal,
    /// The elements of a tensor as text.
    Text,
}

/// A loop between two calls.
#[derive(Debug)]
pub(super) struct Loop {
    pub over: Over,
    pub builtin: Builtin,
    pub function: Value,
    pub source: Seq,
    pub second: Seq,
    pub tensors: Vec<Rc<Tensor>>,
    pub shape: Vec<usize>,
    /// Index of the next element of a new tensor.
    pub place: Vec<i64>,
    /// The folded value.
    pub state: Value,
    /// The results of the calls.
    pub results: Items,
    /// Calls to be made before those of the loop, for debugging.
    pub samples: Option<Samples>,
    /// Whether the elements that the loop makes must have equal length.
    pub must_be_regular: bool,
    /// Whether races between its calls are detected.
    pub is_raced: bool,
    /// Number of the next call.
    pub index: usize,
    /// Number of calls.
    pub n: usize,
}

/// The next step.
pub(super) enum Step {
    Call(Value, Arguments),
    Done(Value),
}

impl Loop {
    pub(super) fn new(over: Over, builtin: Builtin) -> Loop {
        Loop {
            over,
            builtin,
            function: Value::Unit,
            source: Seq::EMPTY,
            second: Seq::EMPTY,
            tensors: Vec::new(),
            shape: Vec::new(),
            place: Vec::new(),
            state: Value::Unit,
            results: Items::default(),
            samples: None,
            must_be_regular: false,
            is_raced: false,
            index: 0,
            n: 0,
        }
    }

    /// Takes the result of the last call, and returns the next step.
    pub(super) fn next(&mut self, mut given: Option<Value>) -> Result<Step, Stop> {
        if let Some(samples) = &mut self.samples {
            given.take().map_or(Ok(()), |value| samples.take(value))?;
            match samples.next() {
                Some(arguments) => return Ok(Step::Call(self.function.clone(), arguments)),
                None => self.samples = None,
            }
        }
        if let Some(value) = given
            && let Some(result) = self.take(value)?
        {
            return Ok(Step::Done(result));
        }
        if self.index == self.n {
            let made = self.finish()?;
            if let Value::Seq(seq) = &made
                && self.must_be_regular
            {
                check_regular(seq)?;
            }
            return Ok(Step::Done(made));
        }
        let arguments = self.arguments()?;
        self.index += 1;
        Ok(Step::Call(self.function.clone(), arguments))
    }

    /// Stores the result of a call; returns a value if the result ends the loop.
    fn take(&mut self, value: Value) -> Result<Option<Value>, Stop> {
        match self.over {
            Over::Map | Over::Mapi | Over::Map2 | Over::Create { .. } | Over::Tensor | Over::Text => {
                self.results.push(value);
            }
            Over::Foldl | Over::Foldr | Over::TimesWith => self.state = value,
            Over::Equal => match value {
                Value::Bool(true) => {}
                Value::Bool(false) => return Ok(Some(Value::Bool(false))),
                _ => return Err(ill_typed(self.builtin)),
            },
            Over::Iter | Over::Iteri | Over::Times | Over::Slices => {}
        }
        Ok(None)
    }

    fn arguments(&mut self) -> Result<Arguments, Stop> {
        let index = self.index;
        let number = Value::Int(index as i64);
        let item = |seq: &Seq, index: usize| seq.get(index).unwrap_or(Value::Unit);
        let state = std::mem::replace(&mut self.state, Value::Unit);
        Ok(match self.over {
            Over::Map | Over::Iter => smallvec![item(&self.source, index)],
            Over::Mapi | Over::Iteri => smallvec![number, item(&self.source, index)],
            Over::Foldl => smallvec![state, item(&self.source, index)],
            Over::Foldr => smallvec![item(&self.source, self.n - 1 - index), state],
            Over::Map2 => smallvec![item(&self.source, index), item(&self.second, index)],
            Over::Create { .. } | Over::Times => smallvec![number],
            Over::TimesWith => smallvec![state, number],
            Over::Tensor => {
                let place = self.place.iter().map(|component| Value::Int(*component)).collect();
                advance(&mut self.place, &self.shape);
                smallvec![Value::Seq(place)]
            }
            Over::Slices => {
                let tensor = &self.tensors[0];
                let index = if tensor.shape.is_empty() { Vec::new() } else { vec![index as i64] };
                let slice = tensor.slice(&index).map_or(Value::Unit, |slice| Value::Tensor(Rc::new(slice)));
                smallvec![number, slice]
            }
            Over::Equal => smallvec![self.element(0, index)?, self.element(1, index)?],
            Over::Text => smallvec![self.element(0, index)?],
        })
    }

    /// Returns the indices of the next elements of a new tensor, at most `most`.
    pub(super) fn next_indices(&mut self, most: usize) -> Seq {
        let n = most.min(self.n - self.index);
        let mut index = || {
            let index = self.place.iter().map(|component| Value::Int(*component)).collect();
            advance(&mut self.place, &self.shape);
            Value::Seq(index)
        };
        (0..n).map(|_| index()).collect()
    }

    fn element(&self, tensor: usize, index: usize) -> Result<Value, Stop> {
        self.tensors[tensor].get(index).map_err(Stop::Fault)
    }

    fn finish(&mut self) -> Result<Value, Stop> {
        let results = std::mem::take(&mut self.results);
        Ok(match self.over {
            Over::Create { list: true } => Value::Seq(Seq::list(results)),
            Over::Map | Over::Mapi | Over::Map2 | Over::Create { .. } => Value::Seq(Seq::of(results)),
            Over::Iter | Over::Iteri | Over::Times | Over::Slices => Value::Unit,
            Over::Foldl | Over::Foldr | Over::TimesWith => std::mem::replace(&mut self.state, Value::Unit),
            Over::Equal => Value::Bool(true),
            Over::Tensor => {
                let buffer = match self.builtin {
                    Builtin::TensorCreateCArrayInt if results.is_empty() => Buffer::ints(Vec::new()),
                    Builtin::TensorCreateCArrayFloat if results.is_empty() => Buffer::floats(Vec::new()),
                    _ => Buffer::Here(results),
                };
                Value::Tensor(Rc::new(Tensor::new(buffer, std::mem::take(&mut self.shape))))
            }
            Over::Text => {
                let mut elements = results.slice().iter();
                let mut text = String::new();
                tensor_text(&self.tensors[0].shape, &mut elements, 0, &mut text);
                Value::string(&text)
            }
        })
    }
}

/// Appends the text of a tensor: rows on lines of their own, one tab deeper per dimension.
fn tensor_text(shape: &[usize], elements: &mut dyn Iterator<Item = Value>, depth: usize, text: &mut String) {
    let Some((first, rest)) = shape.split_first() else {
        if let Some(Value::Seq(element)) = elements.next() {
            text.push_str(&element.text());
        }
        return;
    };
    text.push('[');
    for index in 0..*first {
        if index > 0 {
            text.push_str(if rest.is_empty() { ", " } else { "," });
        }
        if !rest.is_empty() {
            text.push('\n');
            text.extend(std::iter::repeat_n('\t', depth + 1));
        }
        tensor_text(rest, elements, depth + 1, text);
    }
    if !rest.is_empty() {
        text.push('\n');
        text.extend(std::iter::repeat_n('\t', depth));
    }
    text.push(']');
}
