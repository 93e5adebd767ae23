//! Debugging: watches the host while it computes an accelerated expression.
//!
//! Reports sequences whose elements have different lengths, if these are errors ([`check_regular`]). Also reports two things that
//! are harmless in order and wrong in parallel: a `reduce` whose operator is not associative, or whose start is not neutral, on
//! some of its values ([`Samples`]); and a `loop` in which one iteration writes an element of a tensor that another iteration
//! reads or writes ([`Races`]). Values are sampled, so some violations may be missed.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::builtins::Builtin;

use super::builtins::Arguments;
use super::seq::Seq;
use super::tensor::Tensor;
use super::value::Value;

/// Number of triples of values that are tried.
const TRIPLES: usize = 4;

/// Maximum relative difference of floats that count as equal: rounding depends on the order.
const CLOSE: f64 = 1e-6;

/// Calls of an operator on sampled values, to test whether it is associative and its start neutral.
#[derive(Debug)]
pub(super) struct Samples {
    start: Value,
    triples: Vec<[Value; 3]>,
    /// The values computed for the current triple.
    found: Vec<Value>,
}

impl Samples {
    /// Samples the values of a reduction; returns `None` if there are none.
    pub(super) fn of(start: &Value, values: &Seq) -> Option<Samples> {
        let n = values.len();
        let value = |index: usize| values.get(index.min(n.saturating_sub(1)));
        let triple = |number: usize| {
            let first = number * n / TRIPLES;
            Some([value(first)?, value((first + n) / 2)?, value(n.saturating_sub(1 + number))?])
        };
        let triples: Vec<_> = (0..TRIPLES.min(n)).filter_map(triple).rev().collect();
        if triples.is_empty() {
            None
        } else {
            Some(Samples { start: start.clone(), triples, found: Vec::new() })
        }
    }

    /// Returns the arguments of the next call; `None` if all tests have passed.
    pub(super) fn next(&self) -> Option<Arguments> {
        let [a, b, c] = self.triples.last()?;
        let (start, found) = (&self.start, &self.found);
        let (left, right) = match found.as_slice() {
            [] => (start, a),
            [_] => (a, start),
            [_, _] => (a, b),
            [_, _, ab] => (ab, c),
            [_, _, _, _] => (b, c),
            [_, _, _, _, bc, ..] => (a, bc),
        };
        Some(smallvec![left.clone(), right.clone()])
    }

    /// Takes the result of the last call.
    pub(super) fn take(&mut self, given: Value) -> Result<(), String> {
        let Some([a, _, _]) = self.triples.last() else { return Ok(()) };
        self.found.push(given);
        match self.found.as_slice() {
            [one] | [_, one] if !close(one, a) => Err(
                "this start of `reduce` is not neutral: combining it with an element does not give the element, \
                 so the result depends on how the work is divided"
                    .to_string(),
            ),
            [_, _, _, left, _, right] => {
                if !close(left, right) {
                    return Err("this operator of `reduce` is not associative: for three of the elements, \
                                f (f a b) c and f a (f b c) differ, so the result depends on how the work is divided"
                        .to_string());
                }
                self.triples.pop();
                self.found.clear();
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

/// Returns whether two values are equal up to rounding. Values that cannot be compared count as equal.
fn close(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Char(a), Value::Char(b)) => a == b,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => {
            a == b || (a.is_nan() && b.is_nan()) || (a - b).abs() <= CLOSE * a.abs().max(b.abs())
        }
        (Value::Seq(a), Value::Seq(b)) => {
            a.len() == b.len() && a.iter().zip(b.iter()).all(|(a, b)| close(&a, &b))
        }
        (Value::Record(a), Value::Record(b)) => a.fields().iter().zip(b.fields()).all(|(a, b)| close(a, b)),
        _ => true,
    }
}

/// Checks that the elements of a sequence have equal length, at every depth.
pub(super) fn check_regular(seq: &Seq) -> Result<(), String> {
    let Some(first) = seq.get(0).filter(|first| matches!(first, Value::Seq(_) | Value::Record(_))) else {
        return Ok(());
    };
    seq.iter()
        .try_for_each(|value| alike(&first, &value))
        .map_err(|(first, other)| format!("Irregular sequence: elements of lengths {first} and {other}"))
}

/// Checks that sequences at the same place of two values have equal length; the error is two different lengths.
fn alike(left: &Value, right: &Value) -> Result<(), (usize, usize)> {
    match (left, right) {
        (Value::Seq(a), Value::Seq(b)) if a.len() != b.len() => Err((a.len(), b.len())),
        (Value::Seq(a), Value::Seq(b)) => {
            let is_flat = a.get(0).is_none_or(|first| !matches!(first, Value::Seq(_) | Value::Record(_)));
            if is_flat { Ok(()) } else { a.iter().zip(b.iter()).try_for_each(|(a, b)| alike(&a, &b)) }
        }
        (Value::Record(a), Value::Record(b)) => {
            a.fields().iter().zip(b.fields()).try_for_each(|(a, b)| alike(a, b))
        }
        _ => Ok(()),
    }
}

/// The iterations of nested loops, each with those that used each element.
#[derive(Default, Debug)]
pub(super) struct Races(Vec<Iterations>);

/// The iterations of a loop that used each element.
#[derive(Default, Debug)]
struct Iterations {
    /// The running iteration.
    now: usize,
    /// Uses of the elements of each buffer.
    used: FxHashMap<usize, Vec<Used>>,
    /// The same in an inner loop, which uses few elements in each of its many runs, by buffer and position.
    few_used: FxHashMap<(usize, usize), Used>,
}

/// The uses of an element: the iteration that wrote it, one that read it, and another one that read it. Iterations are counted
/// from 1, and 0 means none; all iterations beyond 32 bits count as one.
type Used = [u32; 3];

impl Races {
    /// Begins a loop inside the loops that are running.
    pub(super) fn begin_loop(&mut self) {
        self.0.push(Iterations::default());
    }

    /// Begins an iteration of the innermost loop.
    pub(super) fn begin(&mut self, iteration: usize) {
        if let Some(innermost) = self.0.last_mut() {
            innermost.now = iteration;
        }
    }

    /// Ends the innermost loop.
    pub(super) fn end_loop(&mut self) {
        self.0.pop();
    }

    /// Inspects a built-in that is about to run.
    pub(super) fn look(&mut self, builtin: Builtin, arguments: &[Value]) -> Result<(), String> {
        if self.0.is_empty() {
            return Ok(());
        }
        let (tensor, position) = match (builtin, arguments) {
            (Builtin::TensorGet | Builtin::TensorSet, [Value::Tensor(tensor), Value::Seq(index), ..]) => {
                let index: Vec<i64> = index.iter().filter_map(|component| as_int(&component)).collect();
                (tensor, tensor.position(&index))
            }
            (
                Builtin::TensorLinearGet | Builtin::TensorLinearSet,
                [Value::Tensor(tensor), Value::Int(index), ..],
            ) => (tensor, usize::try_from(*index).ok()),
            _ => return Ok(()),
        };
        match position {
            Some(position) if position < tensor.size() => {
                let writes = matches!(builtin, Builtin::TensorSet | Builtin::TensorLinearSet);
                let mut loops = self.0.iter_mut().enumerate();
                loops.try_for_each(|(depth, it)| it.access(tensor, position, writes, depth > 0))
            }
            // The built-in itself reports the error.
            _ => Ok(()),
        }
    }
}

impl Iterations {
    fn access(
        &mut self,
        tensor: &Rc<Tensor>,
        position: usize,
        writes: bool,
        is_inner: bool,
    ) -> Result<(), String> {
        let iteration = u32::try_from(self.now + 1).unwrap_or(u32::MAX);
        let buffer = Rc::as_ptr(&tensor.buffer) as usize;
        let position = tensor.offset + position;
        let used = if is_inner {
            Some(self.few_used.entry((buffer, position)).or_default())
        } else {
            let n = tensor.buffer.borrow().len();
            self.used.entry(buffer).or_insert_with(|| vec![[0; 3]; n]).get_mut(position)
        };
        let Some([writer, reader, second_reader]) = used else { return Ok(()) };
        let other = |user: u32| (user != 0 && user != iteration).then(|| user - 1);
        let race = |other: u32, they: &str, we: &str| {
            Err(format!(
                "iterations {other} and {} of the surrounding `loop` race: the former has {they} the element \
                 that the latter {we}",
                iteration - 1
            ))
        };
        if let Some(writer) = other(*writer) {
            return race(writer, "written", if writes { "writes" } else { "reads" });
        }
        if writes && let Some(reader) = other(*reader).or(other(*second_reader)) {
            return race(reader, "read", "writes");
        }
        match (writes, *reader) {
            (true, _) => *writer = iteration,
            (false, 0) => *reader = iteration,
            (false, first) if first != iteration => *second_reader = iteration,
            (false, _) => {}
        }
        Ok(())
    }
}

fn as_int(value: &Value) -> Option<i64> {
    match value {
        Value::Int(value) => Some(*value),
        _ => None,
    }
}
