//! Batches of consecutive elements of a sequence.
//!
//! An element is one or several arrays. For each of these arrays, a [`Batch`] holds the arrays of all elements one after the
//! other, stored as one array per component. If all have the same extents by construction, the component array has one additional
//! dimension; otherwise it is flat, and the extents are stored separately. This choice is not visible outside this folder.
//!
//! Absent: the choice of an array's form ([`super::slot`] and [`super::program`] make it, before anything runs).

use std::ops::Deref;
use std::sync::Arc;

use warpwise_prim::{ScalarType, ValueType};
use warpwise_runtime::array::{Array as Column, Value, element_count};
use warpwise_runtime::memory::{Block, BlockBuilder, MemoryPool, OutOfMemory};

use crate::graph::ArrayTy;

/// Consecutive elements.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// Number of elements.
    pub count: usize,
    /// Arrays of the elements: one entry for each array of an element.
    pub arrays: Vec<Elements>,
}

/// One array of each of several elements.
#[derive(Clone, Debug)]
pub struct Elements {
    /// Extents of the elements' arrays.
    pub extents: Extents,
    /// Types of the components.
    pub types: Vec<ValueType>,
    /// One array per component.
    pub columns: Vec<Column>,
}

/// Extents of one array of each of several elements.
#[derive(Clone, Debug)]
pub enum Extents {
    /// The elements are consecutive numbers; there are no columns. Only programs take this form.
    Numbers {
        /// First number.
        first: i64,
    },
    /// Extents that all elements have; columns have an additional outermost dimension.
    Same(Vec<i64>),
    /// Extents that may differ; columns are flat.
    Each {
        /// For each dimension, the extent of each element.
        sizes: Vec<Numbers>,
        /// Start of each element in the columns.
        starts: Numbers,
    },
}

/// One number for each of several elements, in the form that programs take; shared, not copied.
#[derive(Clone, Debug)]
pub struct Numbers(Column);

impl Numbers {
    /// Stores these numbers, up to a maximum of `most`.
    pub fn new(
        most: usize,
        memory: &MemoryPool,
        numbers: impl IntoIterator<Item = i64>,
    ) -> Result<Numbers, OutOfMemory> {
        let mut column = Column::allocate(memory, ScalarType::I64, &[most as i64])?;
        let mut count = 0;
        let places: &mut [i64] = bytemuck::cast_slice_mut(column.bytes_mut(memory)?);
        for (place, number) in places.iter_mut().zip(numbers) {
            *place = number;
            count += 1;
        }
        Ok(Numbers(column).part(0, count))
    }

    /// Computes the starts of consecutive segments of these lengths, and the end of the last one. Includes as many segments as
    /// have at most `most` elements in total, or a single longer one, and stops before a negative length.
    pub fn starts(lengths: &[i64], most: u64, memory: &MemoryPool) -> Result<(Numbers, i64), OutOfMemory> {
        let mut column = Column::allocate(memory, ScalarType::I64, &[lengths.len() as i64])?;
        let first = lengths.first().map_or(0, |&length| length.max(0));
        let most = most.clamp(first as u64, i64::MAX as u64);
        let (count, end) = fitting(lengths, most, bytemuck::cast_slice_mut(column.bytes_mut(memory)?));
        Ok((Numbers(column).part(0, count), end as i64))
    }

    /// Stores numbers on the host's heap, regardless of memory limits: splitting a batch that memory did not suffice for must not
    /// fail.
    pub fn on_heap(numbers: Vec<i64>) -> Numbers {
        Numbers(Column::from_vec(&[numbers.len() as i64], numbers))
    }

    /// Wraps a vector of `i64`.
    pub fn from_column(column: Column) -> Option<Numbers> {
        column.as_slice::<i64>()?;
        Some(Numbers(column))
    }

    /// Returns the numbers as a program value.
    pub fn value(&self) -> Value {
        Value::array(ValueType::I64, self.0.clone())
    }

    /// Subtracts `offset` from every number.
    fn less(&self, offset: i64) -> Numbers {
        match offset {
            0 => self.clone(),
            _ => Numbers::on_heap(self.iter().map(|number| number - offset).collect()),
        }
    }

    /// Returns the numbers from index `from` to before `to`, without a copy.
    pub fn part(&self, from: usize, to: usize) -> Numbers {
        Numbers(part_of(&self.0, from, &[(to - from) as i64]))
    }
}

impl Deref for Numbers {
    type Target = [i64];

    fn deref(&self) -> &[i64] {
        self.0.as_slice().unwrap_or_default()
    }
}

impl Batch {
    /// Returns the size of all elements in bytes.
    pub fn bytes(&self) -> u64 {
        let of = |elements: &Elements| {
            elements.columns.iter().map(|column| column.bytes().len() as u64).sum::<u64>()
        };
        self.arrays.iter().map(of).sum()
    }

    /// Returns the components of an element, without copies.
    pub fn lent(&self, at: usize) -> Vec<Value> {
        self.arrays.iter().flat_map(|elements| elements.lent(at)).collect()
    }

    /// Copies the components of an element into this memory.
    pub fn element(&self, at: usize, memory: &MemoryPool) -> Result<Vec<Value>, OutOfMemory> {
        let mut values = Vec::new();
        for elements in &self.arrays {
            elements.element(at, memory, &mut values)?;
        }
        Ok(values)
    }

    /// Returns the elements from index `from` to before `to`, without copies.
    pub fn part(&self, from: usize, to: usize) -> Batch {
        let arrays = self.arrays.iter().map(|elements| elements.part(from, to)).collect();
        Batch { count: to - from, arrays }
    }

    /// Copies the elements into memory of their own.
    pub fn copied(&self, memory: &MemoryPool) -> Result<Batch, OutOfMemory> {
        let mut batch = self.clone();
        for elements in &mut batch.arrays {
            for column in &mut elements.columns {
                *column = copied(column, column.shape(), 0..column.bytes().len(), memory)?;
            }
        }
        Ok(batch)
    }

    /// Concatenates two batches; regular arrays must have the same extents.
    pub fn followed_by(&self, other: &Batch, memory: &MemoryPool) -> Result<Batch, OutOfMemory> {
        if self.count == 0 {
            return Ok(other.clone());
        }
        let joined: Result<Vec<Elements>, OutOfMemory> = self
            .arrays
            .iter()
            .zip(&other.arrays)
            .map(|(left, right)| left.followed_by(right, memory))
            .collect();
        Ok(Batch { count: self.count + other.count, arrays: joined? })
    }

    /// Packs elements, given by their components, of arrays of these types.
    pub fn pack(items: &[Vec<Value>], types: &[ArrayTy], memory: &MemoryPool) -> Result<Batch, OutOfMemory> {
        let mut arrays = Vec::new();
        let mut at = 0;
        for ty in types {
            let width = ty.components.len();
            let parts: Vec<&[Value]> = items.iter().map(|item| &item[at..at + width]).collect();
            arrays.push(Elements::pack(&parts, ty, memory)?);
            at += width;
        }
        Ok(Batch { count: items.len(), arrays })
    }
}

impl Elements {
    /// Returns the extents of an element.
    pub fn shape(&self, at: usize) -> Vec<i64> {
        match &self.extents {
            Extents::Numbers { .. } => Vec::new(),
            Extents::Same(shape) => shape.clone(),
            Extents::Each { sizes, .. } => sizes.iter().map(|sizes| sizes[at]).collect(),
        }
    }

    /// Returns the range of an element in the columns.
    pub fn span(&self, at: usize) -> (usize, usize) {
        let len = element_count(&self.shape(at)).unwrap_or(0) as usize;
        match &self.extents {
            Extents::Numbers { .. } | Extents::Same(_) => (at * len, (at + 1) * len),
            Extents::Each { starts, .. } => (starts[at] as usize, starts[at] as usize + len),
        }
    }

    /// Returns the range of an element's bytes in a column.
    pub fn bytes_of(&self, at: usize, column: &Column) -> std::ops::Range<usize> {
        let width = column.elem().bytes();
        let (from, to) = self.span(at);
        from * width..to * width
    }

    fn lent(&self, at: usize) -> Vec<Value> {
        let (shape, (from, _)) = (self.shape(at), self.span(at));
        let component = |(column, &ty): (&Column, &ValueType)| match shape.as_slice() {
            [] => column.element(from).map(|value| Value::scalar(ty, value)),
            shape => Some(Value::array(ty, part_of(column, from, shape))),
        };
        self.columns.iter().zip(&self.types).filter_map(component).collect()
    }

    /// Returns the number of scalars and the bytes of each column, if the elements are stored without gaps.
    pub fn in_a_row(&self, count: usize) -> Option<(usize, Vec<&[u8]>)> {
        let total = match &self.extents {
            Extents::Numbers { .. } => count,
            Extents::Same(shape) => count * element_count(shape)? as usize,
            Extents::Each { starts, .. } => {
                let mut end = 0;
                for (at, &start) in starts.iter().enumerate().take(count) {
                    if start as usize != end {
                        return None;
                    }
                    end = self.span(at).1;
                }
                end
            }
        };
        let bytes = |column: &'_ Column| total * column.elem().bytes();
        Some((total, self.columns.iter().map(|column| &column.bytes()[..bytes(column)]).collect()))
    }

    fn element(&self, at: usize, memory: &MemoryPool, into: &mut Vec<Value>) -> Result<(), OutOfMemory> {
        let shape = self.shape(at);
        for (column, &ty) in self.columns.iter().zip(&self.types) {
            if shape.is_empty() {
                let (from, _) = self.span(at);
                into.extend(column.element(from).map(|value| Value::scalar(ty, value)));
                continue;
            }
            into.push(Value::array(ty, copied(column, &shape, self.bytes_of(at, column), memory)?));
        }
        Ok(())
    }

    fn part(&self, from: usize, to: usize) -> Elements {
        let first = if from == to { 0 } else { self.span(from).0 };
        let end = if from == to { 0 } else { self.span(to - 1).1 };
        let extents = match &self.extents {
            Extents::Numbers { first } => Extents::Numbers { first: first + from as i64 },
            Extents::Same(shape) => Extents::Same(shape.clone()),
            Extents::Each { sizes, starts } => Extents::Each {
                sizes: sizes.iter().map(|sizes| sizes.part(from, to)).collect(),
                starts: starts.part(from, to).less(first as i64),
            },
        };
        let shape = match &self.extents {
            Extents::Numbers { .. } => vec![(to - from) as i64],
            Extents::Same(shape) => [&[(to - from) as i64], shape.as_slice()].concat(),
            Extents::Each { .. } => vec![(end - first) as i64],
        };
        let columns = self.columns.iter().map(|column| part_of(column, first, &shape)).collect();
        Elements { extents, types: self.types.clone(), columns }
    }

    fn followed_by(&self, other: &Elements, memory: &MemoryPool) -> Result<Elements, OutOfMemory> {
        let mut columns = Vec::new();
        for (left, right) in self.columns.iter().zip(&other.columns) {
            let mut shape = left.shape().to_vec();
            shape[0] += right.shape()[0];
            let mut joined = Column::allocate(memory, left.elem(), &shape)?;
            let (before, after) = joined.bytes_mut(memory)?.split_at_mut(left.bytes().len());
            before.copy_from_slice(left.bytes());
            after.copy_from_slice(right.bytes());
            columns.push(joined);
        }
        let extents = match (&self.extents, &other.extents) {
            (Extents::Each { sizes, starts }, Extents::Each { sizes: more, starts: later }) => {
                let offset = self.columns.first().map_or(0, |column| column.len() as i64);
                let joined = |left: &Numbers, right: &Numbers, offset: i64| {
                    let numbers = left.iter().copied().chain(right.iter().map(|number| number + offset));
                    Numbers::new(left.len() + right.len(), memory, numbers)
                };
                let pairs = sizes.iter().zip(more);
                Extents::Each {
                    sizes: pairs.map(|(left, right)| joined(left, right, 0)).collect::<Result<_, _>>()?,
                    starts: joined(starts, later, offset)?,
                }
            }
            (Extents::Numbers { .. } | Extents::Same(_) | Extents::Each { .. }, _) => self.extents.clone(),
        };
        Ok(Elements { extents, types: self.types.clone(), columns })
    }

    /// Packs elements; elements of rank 0 become regular, all others irregular.
    fn pack(items: &[&[Value]], ty: &ArrayTy, memory: &MemoryPool) -> Result<Elements, OutOfMemory> {
        let first = |item: &&[Value]| item.first().map_or(&[][..], |value| value.shape()).to_vec();
        let shapes: Vec<Vec<i64>> = items.iter().map(first).collect();
        let mut starts = Vec::new();
        let mut total = 0;
        for shape in &shapes {
            starts.push(total);
            total += element_count(shape).unwrap_or(0) as i64;
        }
        let mut columns = Vec::new();
        for (component, value_type) in ty.components.iter().enumerate() {
            let mut column = Column::allocate(memory, value_type.scalar(), &[total])?;
            let mut place = column.bytes_mut(memory)?;
            for item in items {
                let (target, rest) = place.split_at_mut(bytes_of(&item[component]));
                write(&item[component], target);
                place = rest;
            }
            columns.push(column);
        }
        let extents = if ty.rank == 0 {
            Extents::Same(Vec::new())
        } else {
            let along = |dimension: usize| {
                Numbers::new(shapes.len(), memory, shapes.iter().map(|shape| shape[dimension]))
            };
            let sizes = (0..ty.rank).map(along).collect::<Result<_, _>>()?;
            Extents::Each { sizes, starts: Numbers::new(starts.len(), memory, starts)? }
        };
        Ok(Elements { extents, types: ty.components.to_vec(), columns })
    }
}

/// Computes the starts of segments of these lengths. Returns how many segments end at or before `most` (at most [`i64::MAX`]),
/// and the end of the last one.
fn fitting(lengths: &[i64], most: u64, starts: &mut [i64]) -> (usize, u64) {
    /// Number of lengths that are added together, unless their sum turns out not to fit.
    const SOME: usize = 512;
    /// Bound on lengths: a block of shorter lengths cannot overflow, whatever came before.
    const SHORT: u64 = 1 << 50;
    let (mut count, mut end) = (0, 0_u64);
    for (lengths, starts) in lengths.chunks(SOME).zip(starts.chunks_mut(SOME)) {
        // Negative lengths are large numbers here.
        let (mut next, mut bits) = (end, 0);
        for (start, &length) in starts.iter_mut().zip(lengths) {
            *start = next as i64;
            next = next.wrapping_add(length as u64);
            bits |= length as u64;
        }
        if bits < SHORT && next <= most {
            (count, end) = (count + lengths.len(), next);
            continue;
        }
        for &length in lengths {
            if length as u64 > most - end {
                return (count, end);
            }
            (count, end) = (count + 1, end + length as u64);
        }
    }
    (count, end)
}

/// Returns the size of all components of an element in bytes.
pub fn item_bytes(item: &[Value]) -> u64 {
    item.iter().map(|value| bytes_of(value) as u64).sum()
}

/// Finishes a block builder as an array of this shape.
pub fn finished(
    builder: BlockBuilder<'_>,
    ty: ValueType,
    shape: &[i64],
    memory: &MemoryPool,
) -> Result<Column, OutOfMemory> {
    let block = Arc::new(builder.into_block()?);
    match Column::from_block(ty.scalar(), shape, block) {
        Some(column) => Ok(column),
        None => Column::allocate(memory, ty.scalar(), shape),
    }
}

fn bytes_of(value: &Value) -> usize {
    match value {
        Value::Scalar { value, .. } => value.ty().bytes(),
        Value::Array { array, .. } => array.bytes().len(),
    }
}

fn write(value: &Value, target: &mut [u8]) {
    match value {
        Value::Scalar { value, .. } => {
            let width = target.len();
            target.copy_from_slice(&value.to_bits().to_le_bytes()[..width]);
        }
        Value::Array { array, .. } => target.copy_from_slice(array.bytes()),
    }
}

/// Returns an array of this shape that starts at an element of a column, without a copy.
pub fn part_of(column: &Column, first: usize, shape: &[i64]) -> Column {
    let width = column.elem().bytes();
    let bytes = element_count(shape).unwrap_or(0) as usize * width;
    if first == 0 {
        return Column::from_block(column.elem(), shape, Arc::clone(column.data())).expect("it lies within");
    }
    let part = Block::part(column.data(), first * width..first * width + bytes).expect("it lies within");
    Column::from_block(column.elem(), shape, Arc::new(part)).expect("so many bytes")
}

fn copied(
    column: &Column,
    shape: &[i64],
    bytes: std::ops::Range<usize>,
    memory: &MemoryPool,
) -> Result<Column, OutOfMemory> {
    let mut copy = Column::allocate(memory, column.elem(), shape)?;
    copy.bytes_mut(memory)?.copy_from_slice(&column.bytes()[bytes]);
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use warpwise_runtime::memory::MemoryPool;

    use super::Numbers;

    #[test]
    fn segments_fit_up_to_the_first_that_does_not() {
        let memory = MemoryPool::new(1 << 20);
        let plain = |lengths: &[i64], most: u64| {
            let (mut starts, mut end) = (Vec::new(), 0_i64);
            for &length in lengths {
                let next = u64::try_from(length).ok().and_then(|length| length.checked_add(end as u64));
                let Some(next) = next.filter(|&next| next <= most || starts.is_empty()) else { break };
                starts.push(end);
                end = next as i64;
            }
            (starts, end)
        };
        let many: Vec<i64> = (0..2000).map(|x| x * x % 7).collect();
        let all = many.iter().sum::<i64>() as u64;
        // Each length is possible alone, but their sum overflows.
        let long = [(1 << 50) - 1; 1 << 15];
        let few = [&[][..], &[3, -1, 2], &[-1], &[i64::MAX, i64::MAX], &[1, i64::MIN], &[0, 0, 7]];
        for lengths in few.into_iter().chain([&many[..], &long]) {
            for most in [0, 1, 5, 6, 7, 1000, 1537, all - 1, all, all + 1, u64::MAX] {
                // Sums that overflow do not fit.
                let (starts, end) = plain(lengths, most.min(i64::MAX as u64));
                let (found, found_end) = Numbers::starts(lengths, most, &memory).unwrap();
                assert_eq!((&found[..], found_end), (&starts[..], end), "{lengths:?} {most}");
            }
        }
    }
}
