//! The tensors that imperative accelerated expressions take and return.
//!
//! The [`Signature`] of an expression says which arrays it takes, and in which array each captured tensor lies. Only the parts of host
//! buffers that the tensors show are passed. Overlapping views are merged into *segments*, which lie one after the other in an array;
//! each is copied in once, and back once if the array was written. Captured values are passed with places instead of tensors
//! ([`places`](crate::host::places)), which [`marshal`](crate::host::marshal) takes apart. Views that overlap must lie in one array;
//! [`overlapping`] finds those that the signature puts into several. Tensors in a result are places as well, and become views of the
//! host's buffers ([`Arrays::views`]).
//!
//! A buffer that is an array by itself stays where a call left it until the host reads it ([`storage`](crate::host::storage)). A
//! buffer that nobody has written is not copied at all.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use warpwise_mexpr::accelerate::lower::imperative::{Signature, Tensor as Place};
use warpwise_mexpr::host::code::Form;
use warpwise_mexpr::host::items::Items;
use warpwise_mexpr::host::tensor::{Blank, Buffer, Tensor};
use warpwise_mexpr::host::value::Value as HostValue;
use warpwise_prim::ScalarType;
use warpwise_runtime::array::{Array, Value};
use warpwise_runtime::device::array::Placed;
use warpwise_runtime::device::memory::NoBlock;
use warpwise_runtime::memory::{MemoryPool, OutOfMemory};

use crate::host::recorded::Moved;
use crate::host::storage::{Storage, value};

/// The reason why tensors cannot be passed to an expression.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum TensorError {
    /// A tensor has another rank than the expression assumes. The host can tell whether that is wrong.
    OtherRank,
    /// A tensor has more dimensions than are accepted.
    TooManyDimensions {
        /// Rank of the tensor.
        rank: usize,
        /// Highest accepted rank.
        most: usize,
    },
    /// There is no room for the arrays.
    OutOfMemory(OutOfMemory),
    /// The device failed to give or take an array.
    Device(String),
}

impl From<OutOfMemory> for TensorError {
    fn from(error: OutOfMemory) -> TensorError {
        TensorError::OutOfMemory(error)
    }
}

impl From<NoBlock> for TensorError {
    fn from(error: NoBlock) -> TensorError {
        match error {
            NoBlock::OutOfMemory(error) => TensorError::OutOfMemory(error),
            other => TensorError::Device(other.to_string()),
        }
    }
}

/// Returns the tensors that an expression captures, by their positions in [`Signature::tensors`].
pub(crate) fn captured(forms: &[&Form], values: &[HostValue]) -> Vec<Vec<Rc<Tensor>>> {
    let mut found = vec![Vec::new(); forms.iter().map(|form| n_tensors(form)).sum()];
    let mut first = 0;
    for (form, value) in forms.iter().zip(values) {
        collect(form, value, &mut found[first..]);
        first += n_tensors(form);
    }
    found
}

/// Returns the number of tensors in a form, at any depth.
pub(crate) fn n_tensors(form: &Form) -> usize {
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

/// A range of a host's buffer, with its offset `at` in an array.
struct Segment {
    buffer: Rc<RefCell<Buffer>>,
    start: usize,
    end: usize,
    at: usize,
}

/// A range of a buffer that overlapping views show, with the positions of their tensors.
struct Shown {
    buffer: Rc<RefCell<Buffer>>,
    start: usize,
    end: usize,
    positions: BTreeSet<usize>,
}

/// Returns the ranges that tensors show. Overlapping ranges are merged.
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

/// Returns groups of tensors, by position, that overlap and lie in several arrays, at least one of which is written.
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

/// The shapes of a call's arrays, and the segments that they are made of.
pub(crate) struct Arrays {
    segments: Vec<Vec<Segment>>,
    shapes: Vec<Vec<i64>>,
}

/// Arrays passed to a call.
pub(crate) struct Given {
    /// The arrays, in order.
    pub(crate) arrays: Vec<Placed>,
    /// Number of values copied into them.
    pub(crate) moved: Moved,
}

impl Arrays {
    /// Assigns ranges of buffers to arrays. Copies nothing.
    pub(crate) fn of(signature: &Signature, tensors: &[Vec<Rc<Tensor>>]) -> Result<Arrays, TensorError> {
        let mut arrays = Arrays { segments: Vec::new(), shapes: Vec::new() };
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
            arrays.shapes.push(shape);
            arrays.segments.push(segments);
        }
        Ok(arrays)
    }

    /// Returns the arrays of the call. Buffers that the call writes are taken from the host, so that the call may overwrite them,
    /// unless the call may have to be `repeated`.
    pub(crate) fn give(
        &self,
        signature: &Signature,
        storage: &Storage,
        repeated: bool,
    ) -> Result<Given, TensorError> {
        let mut given = Given { arrays: Vec::new(), moved: Moved::default() };
        for ((buffer, segments), shape) in signature.buffers.iter().zip(&self.segments).zip(&self.shapes) {
            let there = whole(segments).map(|whole| {
                let there = storage.there(&whole.borrow(), shape);
                if buffer.is_written && !repeated && matches!(there, Ok(Some(_))) {
                    // Nobody reads the buffer until the call gives it back.
                    let n = whole.borrow().len();
                    let is_float = buffer.element == ScalarType::F64;
                    let blank = if is_float { Blank::Floats(n) } else { Blank::Ints(n) };
                    *whole.borrow_mut() = Buffer::Away(Box::new(blank));
                }
                there
            });
            given.arrays.push(match there.transpose()?.flatten() {
                Some(array) => array,
                None => {
                    let array = copied(buffer.element, shape, segments, &storage.memory)?;
                    given.moved += Moved::of_array(&array);
                    Placed::Host(value(array))
                }
            });
        }
        Ok(given)
    }

    /// Puts written arrays back into the host's buffers.
    pub(crate) fn take_back(
        &self,
        signature: &Signature,
        written: Vec<Placed>,
        storage: &Storage,
    ) -> Result<Moved, TensorError> {
        let numbers = signature.buffers.iter().enumerate().filter(|(_, buffer)| buffer.is_written);
        let mut moved = Moved::default();
        for ((number, _), placed) in numbers.zip(written) {
            let segments = &self.segments[number];
            if let Some(whole) = whole(segments) {
                if let Some(written) = storage.written(placed) {
                    *whole.borrow_mut() = written;
                }
            } else if let Value::Array { array, .. } = placed.to_host(&storage.memory)? {
                moved += Moved::of_array(&array);
                write_segments(segments, &array)?;
            }
        }
        Ok(moved)
    }

    /// Returns a result with views instead of places. `in_arrays` holds the array of each place, from left to right. `None` if the
    /// result has another form.
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

    /// Returns the view of this shape whose first element is at offset `at` of an array.
    fn view(&self, number: usize, at: usize, shape: Vec<usize>, element: &Form) -> Option<Tensor> {
        let n: usize = shape.iter().product();
        if n == 0 {
            // Any buffer will do for an empty view.
            let is_int = *element == Form::Int;
            let buffer = if is_int { Buffer::ints(Vec::new()) } else { Buffer::floats(Vec::new()) };
            return Some(Tensor::new(buffer, shape));
        }
        let holds = |it: &&Segment| it.at <= at && at + n <= it.at + it.end - it.start;
        let segment = self.segments.get(number)?.iter().find(holds)?;
        Some(Tensor { buffer: segment.buffer.clone(), offset: segment.start + at - segment.at, shape })
    }

    /// Returns the offset of a tensor in its array.
    pub(crate) fn offset(&self, number: usize, tensor: &Tensor) -> usize {
        let holds = |segment: &&Segment| {
            Rc::ptr_eq(&segment.buffer, &tensor.buffer)
                && (segment.start..segment.end).contains(&tensor.offset)
        };
        let segment = self.segments[number].iter().find(holds);
        segment.map_or(0, |segment| segment.at + tensor.offset - segment.start)
    }
}

/// Returns the buffer whose elements are exactly those of an array.
fn whole(segments: &[Segment]) -> Option<&Rc<RefCell<Buffer>>> {
    let [only] = segments else { return None };
    (only.start == 0 && only.end == only.buffer.borrow().len()).then_some(&only.buffer)
}

/// Copies segments into a new array.
fn copied(
    element: ScalarType,
    shape: &[i64],
    segments: &[Segment],
    memory: &MemoryPool,
) -> Result<Array, TensorError> {
    let mut array = Array::allocate(memory, element, shape)?;
    let bytes = array.bytes_mut(memory)?;
    for segment in segments {
        let to = segment.at * size_of::<u64>()..(segment.at + segment.end - segment.start) * size_of::<u64>();
        let mut buffer = segment.buffer.borrow_mut();
        let from: &[u8] = match buffer.here().map_err(TensorError::Device)? {
            Items::Ints(numbers) => bytemuck::cast_slice(&numbers[segment.start..segment.end]),
            Items::Floats(numbers) => bytemuck::cast_slice(&numbers[segment.start..segment.end]),
            Items::Values(_) => continue,
        };
        bytes[to].copy_from_slice(from);
    }
    Ok(array)
}

/// Copies an array back to its segments.
fn write_segments(segments: &[Segment], array: &Array) -> Result<(), TensorError> {
    for segment in segments {
        let from = segment.at..segment.at + segment.end - segment.start;
        let to = segment.start..segment.end;
        match segment.buffer.borrow_mut().here().map_err(TensorError::Device)? {
            Items::Ints(numbers) => {
                numbers.to_mut()[to].copy_from_slice(&array.as_slice().unwrap_or_default()[from]);
            }
            Items::Floats(numbers) => {
                numbers.to_mut()[to].copy_from_slice(&array.as_slice().unwrap_or_default()[from]);
            }
            Items::Values(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_mexpr::accelerate::lower::imperative::Buffer as Taken;

    fn whole(n: usize) -> Tensor {
        Tensor::new(Buffer::floats((0..n).map(|i| i as f64).collect()), vec![n])
    }

    fn taken(written: bool) -> Taken {
        Taken { element: ScalarType::F64, rank: 1, is_written: written }
    }

    fn signature(tensors: Vec<Place>, written: &[bool]) -> Signature {
        let buffers = written.iter().map(|w| taken(*w)).collect();
        Signature {
            buffers,
            tensors,
            results: Vec::new(),
            has_log: false,
            has_rows: false,
            supposes_regular: false,
        }
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

    fn storage() -> Storage {
        Storage { memory: MemoryPool::new(1 << 20), device: None, fetched: Rc::default() }
    }

    fn floats(buffer: &Rc<RefCell<Buffer>>) -> Vec<f64> {
        match buffer.borrow_mut().here() {
            Ok(Items::Floats(numbers)) => numbers.to_vec(),
            other => panic!("{other:?}"),
        }
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
        let (signature, storage) = (signature(vec![Place::Part(0)], &[true]), storage());
        let arrays = Arrays::of(&signature, &tensors).unwrap();
        let given = arrays.give(&signature, &storage, false).unwrap();
        assert_eq!(given.moved, Moved { values: 8, bytes: 64 }, "six of one, two of the other");
        let [Placed::Host(array)] = &*given.arrays else { panic!("{:?}", given.arrays) };
        let offsets: Vec<usize> = tensors[0].iter().map(|tensor| arrays.offset(0, tensor)).collect();
        let values = array.as_slice::<f64>().unwrap();
        let firsts: Vec<f64> = offsets[..3].iter().map(|offset| values[*offset]).collect();
        assert_eq!(firsts, [2.0, 4.0, 1.0]);
        let negated: Vec<f64> = values.iter().map(|value| -value).collect();
        let written = Value::from_slice(&storage.memory, &[8], &negated).unwrap();
        arrays.take_back(&signature, vec![Placed::Host(written)], &storage).unwrap();
        assert_eq!(floats(&all.buffer), [0.0, 1.0, -2.0, -3.0, -4.0, -5.0, -6.0, -7.0, 8.0, 9.0]);
        assert_eq!(floats(&other.buffer), [0.0, -1.0, -2.0]);
    }

    #[test]
    fn whole_buffers_stay_where_a_call_left_them() {
        let tensor = Tensor::new(Buffer::Away(Box::new(Blank::Floats(4))), vec![2, 2]);
        let (signature, storage) = (signature(vec![Place::Part(0)], &[true]), storage());
        let tensors = vec![vec![Rc::new(tensor.clone())]];
        let arrays = Arrays::of(&signature, &tensors).unwrap();
        let given = arrays.give(&signature, &storage, false).unwrap();
        assert_eq!(given.moved, Moved::default(), "nothing was written yet");
        let written = Value::from_slice(&storage.memory, &[4], &[1.0, 2.0, 3.0, 4.0]).unwrap();
        arrays.take_back(&signature, vec![Placed::Host(written)], &storage).unwrap();
        let given = arrays.give(&signature, &storage, true).unwrap();
        assert_eq!(given.moved, Moved::default());
        assert_eq!(floats(&tensor.buffer), [1.0, 2.0, 3.0, 4.0], "a call that may be repeated leaves them");
        tensor.set(0, HostValue::Float(9.0)).unwrap();
        let given = arrays.give(&signature, &storage, false).unwrap();
        assert_eq!(given.moved, Moved { values: 4, bytes: 32 }, "the host has its own");
        let [Placed::Host(array)] = &*given.arrays else { panic!("{:?}", given.arrays) };
        assert_eq!(array.as_slice::<f64>().unwrap(), [9.0, 2.0, 3.0, 4.0]);
    }

    #[test]
    fn another_rank_than_assumed_is_the_hosts() {
        let tensor = Tensor::new(Buffer::floats(vec![0.0; 4]), vec![2, 2]);
        let tensors = vec![vec![Rc::new(tensor)]];
        let arrays = Arrays::of(&signature(vec![Place::Whole(0)], &[true]), &tensors);
        assert!(matches!(arrays, Err(TensorError::OtherRank)));
    }
}
