//! Debugging: watches an accelerated expression while the host computes it.
//!
//! Sequences whose elements have different lengths, if these are errors ([`check_regular`]), and
//! two things that are the same in order and differ in parallel: a `reduce` whose operator is not associative, or whose start is not
//! neutral, on some of its values ([`Samples`]); and a `loop` in which one iteration writes an element of a tensor that
//! another iteration reads or writes ([`Races`]). Values are sampled, so some violations may be missed.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use crate::builtins::Builtin;

use super::builtins::Arguments;
use super::seq::Seq;
use super::tensor::Tensor;
use super::value::Value;

/// The number of triples of values that are tried.
const TRIPLES: usize = 4;

/// Floats that differ by no more than this share of the larger are taken for equal: rounding depends on the order.
const CLOSE: f64 = 1e-6;

/// Calls of an operator on sampled values, to see whether it is associative and its start neutral.
#[derive(Debug)]
pub(super) struct Samples {
    start: Value,
    triples: Vec<[Value; 3]>,
    /// The values computed for the current triple.
    found: Vec<Value>,
}

impl Samples {
    /// For a reduction of these values; none if there is nothing to try.
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

    /// The arguments of the next call; none if all is well.
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

    /// Takes what the last call gave.
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

/// Whether two values are equal but for rounding. What cannot be compared is taken for equal.
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

/// Whether the elements of a sequence have one length, at every depth.
pub(super) fn check_regular(seq: &Seq) -> Result<(), String> {
    let Some(first) = seq.get(0).filter(|first| matches!(first, Value::Seq(_) | Value::Record(_))) else {
        return Ok(());
    };
    seq.iter()
        .try_for_each(|value| alike(&first, &value))
        .map_err(|(first, other)| format!("Irregular sequence: elements of lengths {first} and {other}"))
}

/// Whether sequences at the same place of two values have the same length; two lengths that differ, if not.
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

/// Which iterations of a loop have used which elements.
#[derive(Default, Debug)]
pub(super) struct Races {
    iteration: usize,
    /// For the elements of each buffer.
    used: FxHashMap<usize, Vec<Used>>,
}

/// How an element has been used: the iteration that has written it, one that has read it, and another one that has. Iterations
/// are counted from 1, and 0 is none; those beyond what 32 bits count are taken for one.
type Used = [u32; 3];

impl Races {
    /// The next iteration begins.
    pub(super) fn begin(&mut self, iteration: usize) {
        self.iteration = iteration;
    }

    /// Looks at a built-in that is about to run.
    pub(super) fn look(&mut self, builtin: Builtin, arguments: &[Value]) -> Result<(), String> {
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
                self.access(tensor, position, writes)
            }
            // The built-in says what is wrong.
            _ => Ok(()),
        }
    }

    fn access(&mut self, tensor: &Rc<Tensor>, position: usize, writes: bool) -> Result<(), String> {
        let iteration = u32::try_from(self.iteration + 1).unwrap_or(u32::MAX);
        let buffer = Rc::as_ptr(&tensor.buffer) as usize;
        let used = self.used.entry(buffer).or_insert_with(|| vec![[0; 3]; tensor.buffer.borrow().len()]);
        let Some([writer, reader, second_reader]) = used.get_mut(tensor.offset + position) else {
            return Ok(());
        };
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
