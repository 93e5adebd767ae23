//! Debugging: a device that checks the arguments of an accelerated expression before the host computes it.
//!
//! A device must be able to take the arguments: tensors must not have too many dimensions, and the elements of a sequence must
//! have equal length, at every depth. Irregular sequences only cost time, and are an error if asked for ([`Accepted`]). While the
//! host computes the expression, [`watch`](super::watch) inspects what would run in parallel on a device.

use std::collections::BTreeMap;

use crate::accelerate::Accepted;

use super::code::{Code, Form};
use super::device::{Device, DeviceError};
use super::value::Value;
use super::world::World;

/// The accelerated expressions that received irregular sequences, by number.
pub type Irregular = BTreeMap<usize, Met>;

/// A record of the irregular sequences that an expression received.
#[derive(Clone, Debug)]
pub struct Met {
    /// The message about the first irregular sequence.
    pub message: String,
    /// Number of calls with irregular sequences.
    pub times: u64,
    /// Whether only the host could compute the expression.
    pub on_host: bool,
}

/// A device that leaves everything to the host, after inspecting it.
#[derive(Clone, Default, Debug)]
pub struct Debugger {
    accepted: Accepted,
    irregular: Irregular,
}

impl Debugger {
    /// Returns a debugger that reports all other values as errors.
    pub fn new(accepted: Accepted) -> Debugger {
        Debugger { accepted, irregular: Irregular::new() }
    }

    /// Returns the expressions that received irregular sequences.
    pub fn irregular(&self) -> &Irregular {
        &self.irregular
    }
}

impl Device for Debugger {
    fn call(
        &mut self,
        code: &Code,
        _: &mut dyn World,
        number: usize,
        arguments: &[Value],
    ) -> Result<Option<Value>, DeviceError> {
        for ((name, form), argument) in code.accelerated[number].parameters.iter().zip(arguments) {
            let most = self.accepted.dimensions;
            if let Some(rank) = highest_rank(form, argument).filter(|rank| *rank > most) {
                let message = format!(
                    "`{name}` holds a tensor of {rank} dimensions, but accelerated code takes at most {most}; \
                     `--tensor-max-rank` lets it take more"
                );
                return Err(DeviceError { message, place: None });
            }
            let mut lengths = vec![None; n_sequences(form)];
            if let Err((first, other)) = regular(form, argument, &mut lengths) {
                let message =
                    format!("Irregular sequence: `{name}` has elements of lengths {first} and {other}");
                if !self.accepted.irregular {
                    return Err(DeviceError { message, place: None });
                }
                let met = Met { message, times: 0, on_host: false };
                self.irregular.entry(number).or_insert(met).times += 1;
            }
        }
        Ok(None)
    }

    fn watches(&self) -> bool {
        true
    }

    fn demands_regular(&self) -> bool {
        !self.accepted.irregular
    }
}

fn n_sequences(form: &Form) -> usize {
    match form {
        Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool | Form::Tensor(_) => 0,
        Form::Record(_, fields) => fields.iter().map(n_sequences).sum(),
        Form::Seq(element) => 1 + n_sequences(element),
    }
}

/// Checks that sequences at the same place of the type have equal length; the error is two different lengths.
fn regular(form: &Form, value: &Value, lengths: &mut [Option<usize>]) -> Result<(), (usize, usize)> {
    match (form, value) {
        (Form::Record(_, fields), Value::Record(record)) => {
            let mut rest = lengths;
            for (form, value) in fields.iter().zip(record.fields()) {
                let (own, later) = rest.split_at_mut(n_sequences(form));
                regular(form, value, own)?;
                rest = later;
            }
            Ok(())
        }
        (Form::Seq(element), Value::Seq(seq)) => {
            let Some((own, inner)) = lengths.split_first_mut() else { return Ok(()) };
            let expected = *own.get_or_insert(seq.len());
            if expected != seq.len() {
                return Err((expected, seq.len()));
            }
            if inner.is_empty() {
                return Ok(());
            }
            seq.iter().try_for_each(|value| regular(element, &value, inner))
        }
        _ => Ok(()),
    }
}

/// Returns the largest rank of a tensor in a value.
fn highest_rank(form: &Form, value: &Value) -> Option<usize> {
    match (form, value) {
        (Form::Tensor(_), Value::Tensor(tensor)) => Some(tensor.shape.len()),
        (Form::Record(_, fields), Value::Record(record)) => {
            let fields = fields.iter().zip(record.fields());
            fields.filter_map(|(form, value)| highest_rank(form, value)).max()
        }
        (Form::Seq(element), Value::Seq(seq)) if has_tensors(element) => {
            seq.iter().filter_map(|value| highest_rank(element, &value)).max()
        }
        _ => None,
    }
}

fn has_tensors(form: &Form) -> bool {
    match form {
        Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool => false,
        Form::Tensor(_) => true,
        Form::Record(_, fields) => fields.iter().any(has_tensors),
        Form::Seq(element) => has_tensors(element),
    }
}
