//! Tensors that go to imperative accelerated expressions, and what comes back of them.
//!
//! The [`Signature`] of an expression says which arrays it takes and in which of them each captured tensor lies. A host
//! buffer is cut down to what the tensors show of it, views that overlap once: these are the *segments* of an array, one
//! after the other, and each is copied in once, and back once if the array was written. What is captured goes on with
//! places instead of tensors, as records of integers that [`host_marshal`](crate::host_marshal) takes apart.
//! Views that overlap must lie in one array; [`overlapping`] finds those that the signature has in several. Tensors in a result are
//! places, too, and become views of the host's buffers ([`Arrays::views`]).

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use warpwise_mexpr::accelerate::lower::imperative::{Signature, Tensor as Place};
use warpwise_mexpr::host::code::{Form, ShapeId};
use warpwise_mexpr::host::tensor::{Buffer, Tensor};
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_prim::ScalarType;
use warpwise_prim::ValueType::{F64, I64};
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

/// Tensors have at most so many dimensions in accelerated code.
const MOST_DIMENSIONS: usize = 3;

/// Why tensors cannot go to an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TensorError {
    /// A tensor of so many dimensions, where the expression supposes others: the host can tell whether that is wrong.
    OtherRank,
    /// A tensor of so many dimensions, which are too many.
    TooManyDimensions(usize),
    /// There is no room for the arrays.
    OutOfMemory(OutOfMemory),
}

/// The tensors that an expression captures, by their positions in [`Signature::tensors`].
pub(crate) fn captured(forms: &[&Form], values: &[HostValue]) -> Vec<Vec<Rc<Tensor>>> {
    let mut found = vec![Vec::new(); forms.iter().map(|form| n_tensors(form)).sum()];
    let mut first = 0;
    for (form, value) in forms.iter().zip(values) {
        collect(form, value, &mut found[first..]);
        first += n_tensors(form);
    }
    found
}

fn n_tensors(form: &Form) -> usize {
    match form {
        Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool => 0,
        Form::Record(_, fields) => fields.iter().map(n_tensors).sum(),
        Form::Seq(element) => n_tensors(element),
        Form::Tensor(_) => 1,
    }
}

fn collect(form: &Form, value: &HostValue, mut found: &mut [Vec<Rc<Tensor>>]) {
    match (form, value) {
        (Form::Tensor(_), HostValue::Tensor(tensor)) => found[0].push(tensor.clone()),
        (Form::Record(_, fields), HostValue::Record(record)) => {
            for (form, value) in fields.iter().zip(record.fields()) {
                collect(form, value, found);
                found = &mut found[n_tensors(form)..];
            }
        }
        (Form::Seq(element), HostValue::Seq(seq)) if n_tensors(element) > 0 => {
            seq.iter().for_each(|value| collect(element, &value, found));
        }
        _ => {}
    }
}

/// Part of a host's buffer, and where it starts in an array.
struct Segment {
    buffer: Rc<RefCell<Buffer>>,
    start: usize,
    end: usize,
    at: usize,
}

/// What views of one buffer show, if they overlap or touch: the range, and the positions of the tensors.
struct Shown {
    buffer: Rc<RefCell<Buffer>>,
    start: usize,
    end: usize,
    positions: BTreeSet<usize>,
}

/// The ranges that tensors show, those that overlap together.
fn shown<'t>(tensors: impl Iterator<Item = (usize, &'t Rc<Tensor>)>) -> Vec<Shown> {
    let address = |buffer: &Rc<RefCell<Buffer>>| Rc::as_ptr(buffer) as usize;
    let mut ranges: Vec<(usize, &Rc<Tensor>)> = tensors.filter(|(_, tensor)| tensor.size() > 0).collect();
    ranges.sort_by_key(|(position, tensor)| (address(&tensor.buffer), tensor.offset, *position));
    let mut found: Vec<Shown> = Vec::new();
    for (position, tensor) in ranges {
        let (start, end) = (tensor.offset, tensor.offset + tensor.size());
        match found.last_mut() {
            Some(last) if Rc::ptr_eq(&last.buffer, &tensor.buffer) && start < last.end => {
                last.end = last.end.max(end);
                last.positions.insert(position);
            }
            _ => {
                let (buffer, positions) = (tensor.buffer.clone(), BTreeSet::from([position]));
                found.push(Shown { buffer, start, end, positions });
            }
        }
    }
    found
}

fn buffer_of(place: &Place) -> usize {
    match place {
        Place::Whole(buffer) | Place::Part(buffer) => *buffer,
    }
}

/// Groups of tensors, by position, that overlap while one of them is written, and lie in several arrays.
pub(crate) fn overlapping(signature: &Signature, tensors: &[Vec<Rc<Tensor>>]) -> Vec<Vec<usize>> {
    let all = tensors.iter().enumerate().flat_map(|(position, own)| own.iter().map(move |t| (position, t)));
    let mut groups: Vec<BTreeSet<usize>> = Vec::new();
    for Shown { mut positions, .. } in shown(all) {
        let buffers: BTreeSet<usize> =
            positions.iter().map(|position| buffer_of(&signature.tensors[*position])).collect();
        if buffers.len() < 2 || !buffers.iter().any(|buffer| signature.buffers[*buffer].is_written) {
            continue;
        }
        groups.retain(|group| {
            let apart = group.is_disjoint(&positions);
            if !apart {
                positions.extend(group);
            }
            apart
        });
        groups.push(positions);
    }
    groups.into_iter().map(|group| group.into_iter().collect()).collect()
}

/// The arrays of a call, and where they came from.
pub(crate) struct Arrays {
    segments: Vec<Vec<Segment>>,
    /// The arrays, in order.
    pub(crate) values: Vec<Value>,
}

impl Arrays {
    /// Copies the elements of tensors.
    pub(crate) fn of(
        signature: &Signature,
        tensors: &[Vec<Rc<Tensor>>],
        memory: &MemoryPool,
    ) -> Result<Arrays, TensorError> {
        let mut arrays = Arrays { segments: Vec::new(), values: Vec::new() };
        for (number, buffer) in signature.buffers.iter().enumerate() {
            let positions = (0..tensors.len()).filter(|p| buffer_of(&signature.tensors[*p]) == number);
            let own: Vec<(usize, &Rc<Tensor>)> =
                positions.flat_map(|position| tensors[position].iter().map(move |t| (position, t))).collect();
            let mut at = 0;
            let segments: Vec<Segment> = shown(own.iter().copied())
                .into_iter()
                .map(|Shown { buffer, start, end, .. }| {
                    let segment = Segment { buffer, start, end, at };
                    at += end - start;
                    segment
                })
                .collect();
            let whole = own.iter().find(|(p, _)| matches!(signature.tensors[*p], Place::Whole(_)));
            let shape: Vec<i64> = match whole {
                Some((_, tensor)) => tensor.shape.iter().map(|extent| *extent as i64).collect(),
                None => vec![at as i64],
            };
            if shape.len() != buffer.rank {
                return Err(TensorError::OtherRank);
            }
            arrays.values.push(array(buffer.element, &shape, &segments, memory)?);
            arrays.segments.push(segments);
        }
        Ok(arrays)
    }

    /// Lets go of the arrays, so that a call may overwrite them.
    pub(crate) fn without_values(self) -> Arrays {
        Arrays { values: Vec::new(), ..self }
    }

    /// Copies what was written back.
    pub(crate) fn write_back(&self, signature: &Signature, written: &[Value]) -> Option<()> {
        let numbers = signature.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_written);
        for ((number, _), value) in numbers.zip(written) {
            for segment in &self.segments[number] {
                let from = segment.at..segment.at + segment.end - segment.start;
                match &mut *segment.buffer.borrow_mut() {
                    Buffer::Ints(to) => {
                        to[segment.start..segment.end].copy_from_slice(&value.as_slice::<i64>()?[from]);
                    }
                    Buffer::Floats(to) => {
                        to[segment.start..segment.end].copy_from_slice(&value.as_slice::<f64>()?[from]);
                    }
                    Buffer::Values(_) => return None,
                }
            }
        }
        Some(())
    }

    /// A result with views in the stead of places, which lie in these arrays from left to right; none if it is of another form.
    pub(crate) fn views(&self, form: &Form, value: HostValue, in_arrays: &[usize]) -> Option<HostValue> {
        if in_arrays.is_empty() {
            return Some(value);
        }
        match (form, value) {
            (Form::Tensor(element), HostValue::Record(place)) => {
                let number = |value: &HostValue| match value {
                    HostValue::Int(number) => usize::try_from(*number).ok(),
                    _ => None,
                };
                let place: Vec<usize> = place.fields().iter().map(number).collect::<Option<_>>()?;
                let [at, rank, extents @ ..] = &*place else { return None };
                let view = self.view(in_arrays[0], *at, extents.get(..*rank)?.to_vec(), element)?;
                Some(HostValue::Tensor(Rc::new(view)))
            }
            (Form::Record(shape, fields), HostValue::Record(record)) => {
                let mut rest = in_arrays;
                let mut new = Vec::with_capacity(fields.len());
                for (form, value) in fields.iter().zip(record.fields()) {
                    let (own, others) = rest.split_at(n_tensors(form));
                    new.push(self.views(form, value.clone(), own)?);
                    rest = others;
                }
                Some(HostValue::record(*shape, new))
            }
            (Form::Seq(element), HostValue::Seq(seq)) => {
                let views = seq.iter().map(|value| self.views(element, value, in_arrays));
                Some(HostValue::Seq(views.collect::<Option<Vec<_>>>()?.into()))
            }
            _ => None,
        }
    }

    /// The view of this shape whose first element lies there in an array.
    fn view(&self, number: usize, at: usize, shape: Vec<usize>, element: &Form) -> Option<Tensor> {
        let n: usize = shape.iter().product();
        if n == 0 {
            // Nobody can tell whose nothing it is.
            let buffer =
                if *element == Form::Int { Buffer::Ints(Vec::new()) } else { Buffer::Floats(Vec::new()) };
            return Some(Tensor::new(buffer, shape));
        }
        let holds = |it: &&Segment| it.at <= at && at + n <= it.at + it.end - it.start;
        let segment = self.segments.get(number)?.iter().find(holds)?;
        Some(Tensor { buffer: segment.buffer.clone(), offset: segment.start + at - segment.at, shape })
    }

    /// Where a tensor starts in its array.
    fn offset(&self, number: usize, tensor: &Tensor) -> usize {
        let holds = |segment: &&Segment| {
            Rc::ptr_eq(&segment.buffer, &tensor.buffer)
                && (segment.start..segment.end).contains(&tensor.offset)
        };
        let segment = self.segments[number].iter().find(holds);
        segment.map_or(0, |segment| segment.at + tensor.offset - segment.start)
    }
}

/// An array of what lies in segments.
fn array(
    element: ScalarType,
    shape: &[i64],
    segments: &[Segment],
    memory: &MemoryPool,
) -> Result<Value, TensorError> {
    let (mut ints, mut floats): (Vec<i64>, Vec<f64>) = (Vec::new(), Vec::new());
    if let [only] = segments {
        // The usual case needs no copy in between.
        let made = match &*only.buffer.borrow() {
            Buffer::Ints(values) => Value::from_slice(memory, shape, &values[only.start..only.end]),
            Buffer::Floats(values) => Value::from_slice(memory, shape, &values[only.start..only.end]),
            Buffer::Values(_) => Value::from_slice::<i64>(memory, &[0], &[]),
        };
        return made.map_err(TensorError::OutOfMemory);
    }
    for segment in segments {
        match &*segment.buffer.borrow() {
            Buffer::Ints(values) => ints.extend_from_slice(&values[segment.start..segment.end]),
            Buffer::Floats(values) => floats.extend_from_slice(&values[segment.start..segment.end]),
            Buffer::Values(_) => {}
        }
    }
    let made = match element {
        ScalarType::F64 => Array::from_slice(memory, shape, &floats).map(|array| Value::array(F64, array)),
        _ => Array::from_slice(memory, shape, &ints).map(|array| Value::array(I64, array)),
    };
    made.map_err(TensorError::OutOfMemory)
}

/// What is captured, with places in the stead of tensors: its form and value.
pub(crate) fn with_places(
    form: &Form,
    value: &HostValue,
    first: usize,
    signature: &Signature,
    arrays: &Arrays,
) -> Result<(Form, HostValue), TensorError> {
    Ok((place_form(form, first, signature), place_value(form, value, first, signature, arrays)?))
}

fn place_form(form: &Form, first: usize, signature: &Signature) -> Form {
    match form {
        Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool => form.clone(),
        Form::Record(shape, fields) => {
            let mut first = first;
            let fields = fields.iter().map(|field| {
                let new = place_form(field, first, signature);
                first += n_tensors(field);
                new
            });
            Form::Record(*shape, fields.collect())
        }
        Form::Seq(element) => Form::Seq(Box::new(place_form(element, first, signature))),
        Form::Tensor(_) => match signature.tensors[first] {
            Place::Whole(_) => Form::Unit,
            Place::Part(_) => place_of_part(),
        },
    }
}

/// Where a tensor starts in its array, its rank, and its extents.
fn place_of_part() -> Form {
    Form::Record(ShapeId(0), vec![Form::Int; 2 + MOST_DIMENSIONS])
}

/// What an expression gives, with places in the stead of tensors.
pub(crate) fn result_form(form: &Form) -> Form {
    match form {
        Form::Unit | Form::Int | Form::Float | Form::Char | Form::Bool => form.clone(),
        Form::Record(shape, fields) => Form::Record(*shape, fields.iter().map(result_form).collect()),
        Form::Seq(element) => Form::Seq(Box::new(result_form(element))),
        Form::Tensor(_) => place_of_part(),
    }
}

fn place_value(
    form: &Form,
    value: &HostValue,
    first: usize,
    signature: &Signature,
    arrays: &Arrays,
) -> Result<HostValue, TensorError> {
    if n_tensors(form) == 0 {
        return Ok(value.clone());
    }
    match (form, value) {
        (Form::Tensor(_), HostValue::Tensor(tensor)) => {
            let rank = tensor.shape.len();
            match signature.tensors[first] {
                _ if rank > MOST_DIMENSIONS => Err(TensorError::TooManyDimensions(rank)),
                Place::Whole(_) => Ok(HostValue::Unit),
                Place::Part(number) => {
                    let extents = tensor.shape.iter().copied().chain(std::iter::repeat(1));
                    let offset = arrays.offset(number, tensor);
                    let numbers = [offset, rank].into_iter().chain(extents.take(MOST_DIMENSIONS));
                    let fields: Vec<_> = numbers.map(|number| HostValue::Int(number as i64)).collect();
                    Ok(HostValue::record(ShapeId(0), fields))
                }
            }
        }
        (Form::Record(_, fields), HostValue::Record(record)) => {
            let mut first = first;
            let mut new = Vec::with_capacity(fields.len());
            for (form, value) in fields.iter().zip(record.fields()) {
                new.push(place_value(form, value, first, signature, arrays)?);
                first += n_tensors(form);
            }
            Ok(HostValue::record(record.shape(), new))
        }
        (Form::Seq(element), HostValue::Seq(seq)) if n_tensors(element) > 0 => {
            let new = seq.iter().map(|value| place_value(element, &value, first, signature, arrays));
            Ok(HostValue::Seq(new.collect::<Result<Vec<_>, _>>()?.into()))
        }
        _ => Ok(value.clone()),
    }
}

/// How many tensors a form has, wherever they are in it.
pub(crate) fn count(form: &Form) -> usize {
    n_tensors(form)
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_mexpr::accelerate::lower::imperative::Buffer as Taken;

    fn whole(n: usize) -> Tensor {
        Tensor::new(Buffer::Floats((0..n).map(|i| i as f64).collect()), vec![n])
    }

    fn taken(written: bool) -> Taken {
        Taken { element: ScalarType::F64, rank: 1, is_written: written }
    }

    fn signature(tensors: Vec<Place>, written: &[bool]) -> Signature {
        let buffers = written.iter().map(|w| taken(*w)).collect();
        Signature { buffers, tensors, results: Vec::new(), has_log: false, has_rows: false }
    }

    #[test]
    fn overlaps_matter_where_something_is_written() {
        let all = whole(10);
        let view = |start, n| vec![Rc::new(all.sub(start, n).unwrap())];
        let apart = vec![Place::Whole(0), Place::Whole(1), Place::Whole(2)];
        let tensors = [view(0, 4), view(3, 4), view(7, 3)];
        assert_eq!(overlapping(&signature(apart.clone(), &[true, false, true]), &tensors), [[0, 1]]);
        assert_eq!(overlapping(&signature(apart.clone(), &[false, false, true]), &tensors), [[0; 0]; 0]);
        let chained = [view(0, 4), view(6, 4), view(3, 4)];
        assert_eq!(overlapping(&signature(apart, &[false, true, false]), &chained), [[0, 1, 2]]);
        let together = vec![Place::Part(0), Place::Part(0), Place::Whole(1)];
        assert_eq!(overlapping(&signature(together, &[true, true]), &tensors), [[0; 0]; 0]);
    }

    #[test]
    fn segments_are_copied_once_and_back() {
        let (all, other) = (whole(10), whole(3));
        let tensors = vec![vec![
            Rc::new(all.sub(2, 4).unwrap()),
            Rc::new(all.sub(4, 4).unwrap()),
            Rc::new(other.sub(1, 2).unwrap()),
            Rc::new(other.sub(0, 0).unwrap()),
        ]];
        let signature = signature(vec![Place::Part(0)], &[true]);
        let memory = MemoryPool::new(1 << 20);
        let arrays = Arrays::of(&signature, &tensors, &memory).unwrap();
        assert_eq!(arrays.values[0].shape(), [8], "six of one, two of the other");
        let offsets: Vec<usize> = tensors[0].iter().map(|tensor| arrays.offset(0, tensor)).collect();
        let values = arrays.values[0].as_slice::<f64>().unwrap();
        let firsts: Vec<f64> = offsets[..3].iter().map(|offset| values[*offset]).collect();
        assert_eq!(firsts, [2.0, 4.0, 1.0]);
        let negated: Vec<f64> = values.iter().map(|value| -value).collect();
        let written = Value::from_slice(&memory, &[8], &negated).unwrap();
        arrays.write_back(&signature, &[written]).unwrap();
        let Buffer::Floats(now) = &*all.buffer.borrow() else { panic!("floats") };
        assert_eq!(now[..], [0.0, 1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, 8.0, 9.0]);
        let Buffer::Floats(now) = &*other.buffer.borrow() else { panic!("floats") };
        assert_eq!(now[..], [0.0, -1.0, -2.0]);
    }

    #[test]
    fn another_rank_than_supposed_is_the_hosts() {
        let tensor = Tensor::new(Buffer::Floats(vec![0.0; 4]), vec![2, 2]);
        let tensors = vec![vec![Rc::new(tensor)]];
        let arrays =
            Arrays::of(&signature(vec![Place::Whole(0)], &[true]), &tensors, &MemoryPool::new(1 << 20));
        assert!(matches!(arrays, Err(TensorError::OtherRank)));
    }
}
