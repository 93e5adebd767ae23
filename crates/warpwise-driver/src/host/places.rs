//! Places that stand for tensors: the position of each tensor in the arrays of a call.
//!
//! A tensor that is an array by itself needs no place. The place of any other is a record of integers: the offset in its array,
//! its rank, and one extent for each dimension that a tensor may have. Reading order: arguments ([`Places`]), then results
//! ([`result_form`]).

use warpwise_mexpr::accelerate::lower::imperative::{Signature, Tensor as Place};
use warpwise_mexpr::host::code::{Form, ShapeId};
use warpwise_mexpr::host::value::Value as HostValue;

use crate::host::tensors::{Arrays, TensorError, n_tensors};

/// The data from which the places of a call are computed.
pub(crate) struct Places<'a> {
    /// Array of each tensor.
    pub(crate) signature: &'a Signature,
    /// Arrays of the call.
    pub(crate) arrays: &'a Arrays,
    /// Maximum rank of a tensor.
    pub(crate) dimensions: usize,
}

impl Places<'_> {
    /// Returns the form and value of a captured value with places instead of tensors. `first` is the number of its first tensor.
    pub(crate) fn of(
        &self,
        form: &Form,
        value: &HostValue,
        first: usize,
    ) -> Result<(Form, HostValue), TensorError> {
        Ok((self.form(form, first), self.value(form, value, first)?))
    }

    fn form(&self, form: &Form, first: usize) -> Form {
        match form {
            Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool => form.clone(),
            Form::Record(shape, fields) => {
                let mut first = first;
                let fields = fields.iter().map(|field| {
                    let new = self.form(field, first);
                    first += n_tensors(field);
                    new
                });
                Form::Record(*shape, fields.collect())
            }
            Form::Seq(element) => Form::Seq(Box::new(self.form(element, first))),
            Form::Tensor(_) => match self.signature.tensors[first] {
                Place::Whole(_) => Form::Unit,
                Place::Part(_) => place_of_part(self.dimensions),
            },
        }
    }

    fn value(&self, form: &Form, value: &HostValue, first: usize) -> Result<HostValue, TensorError> {
        if n_tensors(form) == 0 {
            return Ok(value.clone());
        }
        match (form, value) {
            (Form::Tensor(_), HostValue::Tensor(tensor)) => {
                let (rank, most) = (tensor.shape.len(), self.dimensions);
                match self.signature.tensors[first] {
                    _ if rank > most => Err(TensorError::TooManyDimensions { rank, most }),
                    Place::Whole(_) => Ok(HostValue::Unit),
                    Place::Part(number) => {
                        let extents = tensor.shape.iter().copied().chain(std::iter::repeat(1));
                        let offset = self.arrays.offset(number, tensor);
                        let numbers = [offset, rank].into_iter().chain(extents.take(most));
                        let fields: Vec<_> = numbers.map(|number| HostValue::Int(number as i64)).collect();
                        Ok(HostValue::record(ShapeId(0), fields))
                    }
                }
            }
            (Form::Record(_, fields), HostValue::Record(record)) => {
                let mut first = first;
                let mut new = Vec::with_capacity(fields.len());
                for (form, value) in fields.iter().zip(record.fields()) {
                    new.push(self.value(form, value, first)?);
                    first += n_tensors(form);
                }
                Ok(HostValue::record(record.shape(), new))
            }
            (Form::Seq(element), HostValue::Seq(seq)) if n_tensors(element) > 0 => {
                let new = seq.iter().map(|value| self.value(element, &value, first));
                Ok(HostValue::Seq(new.collect::<Result<Vec<_>, _>>()?.into()))
            }
            _ => Ok(value.clone()),
        }
    }
}

/// Returns the form of a place: the tensor's offset in its array, its rank, and its extents.
fn place_of_part(dimensions: usize) -> Form {
    Form::Record(ShapeId(0), vec![Form::Int; 2 + dimensions])
}

/// Returns the form of an expression's result with places instead of tensors.
pub(crate) fn result_form(form: &Form, dimensions: usize) -> Form {
    let inner = |form: &Form| result_form(form, dimensions);
    match form {
        Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool => form.clone(),
        Form::Record(shape, fields) => Form::Record(*shape, fields.iter().map(inner).collect()),
        Form::Seq(element) => Form::Seq(Box::new(inner(element))),
        Form::Tensor(_) => place_of_part(dimensions),
    }
}
