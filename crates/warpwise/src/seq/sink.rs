//! Operations of consumers on elements, chunk by chunk.

use warpwise_prim::ValueType;
use warpwise_runtime::array::{Array as Column, Value};
use warpwise_runtime::memory::BlockBuilder;

use super::Element;
use super::batch::{Batch, Elements, Extents, finished};
use super::error::{SeqCause, SeqError};
use super::fold::Tree;
use super::program::ElementProgram;
use crate::array::{RawArray, host_memory};
use crate::error::Error;

/// A receiver of the elements of one sequence.
pub trait Sink<R> {
    /// Takes the next elements, of which `first` is the number of the first one.
    fn take(&mut self, first: u64, batch: &Batch) -> Result<(), SeqError>;

    /// Ends the sequence. Returns the result.
    fn finish(self: Box<Self>) -> Result<R, SeqError>;

    /// Announces the number of elements, unless the pass fails.
    fn expect(&mut self, _elements: u64) {}

    /// Returns whether functions of the host take elements; their running time is unknown.
    fn calls_host(&self) -> bool {
        false
    }
}

/// Function that copies an element of a batch to the host.
pub type Hosted<H> = fn(&Batch, usize) -> Result<H, SeqCause>;

/// Copies the element at this position of a batch to the host.
pub fn hosted<A: Element>(batch: &Batch, at: usize) -> Result<A::Host, SeqCause> {
    let values = batch.element(at, host_memory())?;
    Ok(A::host(&mut values.into_iter())?)
}

/// A sink that calls a function with each element.
pub struct Each<G, F, H> {
    /// Result of the preceding elements.
    pub gathered: G,
    /// The function.
    pub each: F,
    /// Function that copies an element to the host.
    pub of: Hosted<H>,
}

impl<G, H, F: FnMut(&mut G, H)> Sink<G> for Each<G, F, H> {
    fn take(&mut self, first: u64, batch: &Batch) -> Result<(), SeqError> {
        for at in 0..batch.count {
            let host = (self.of)(batch, at).map_err(|cause| SeqError::at(first + at as u64, cause))?;
            (self.each)(&mut self.gathered, host);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<G, SeqError> {
        Ok(self.gathered)
    }

    fn calls_host(&self) -> bool {
        true
    }
}

/// A sink that folds all elements.
pub struct Folded<F> {
    /// Fold of the elements so far.
    pub tree: Tree,
    /// Components of the initial element.
    pub initial: Vec<Value>,
    /// Function that converts the result to the host's type.
    pub made: F,
    /// Number of elements so far.
    pub seen: u64,
}

impl<H, F: Fn(Vec<Value>) -> Result<H, Error>> Sink<H> for Folded<F> {
    fn take(&mut self, first: u64, batch: &Batch) -> Result<(), SeqError> {
        self.seen = first + batch.count as u64;
        self.tree.add(batch).map_err(|error| SeqError::at(first, error.into()))
    }

    fn finish(self: Box<Self>) -> Result<H, SeqError> {
        let Folded { tree, initial, made, seen } = *self;
        let folded = tree.finish(initial).and_then(made);
        folded.map_err(|error| SeqError::at(seen.saturating_sub(1), error.into()))
    }
}

/// A sink that computes a sequence of states.
pub struct Accumulated<F> {
    /// Program from a state and an element to the next state.
    pub program: ElementProgram,
    /// Components of the current state.
    pub state: Vec<Value>,
    /// Function that converts the result to the host's type.
    pub made: F,
    /// Number of elements so far.
    pub seen: u64,
}

impl<H, F: Fn(Vec<Value>) -> Result<H, Error>> Sink<H> for Accumulated<F> {
    fn take(&mut self, first: u64, batch: &Batch) -> Result<(), SeqError> {
        for at in 0..batch.count {
            let mut arguments = std::mem::take(&mut self.state);
            arguments.extend(batch.lent(at));
            let next = self.program.call(arguments, host_memory());
            self.state = next.map_err(|error| SeqError::at(first + at as u64, error.into()))?;
            self.seen += 1;
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<H, SeqError> {
        let Accumulated { state, made, seen, .. } = *self;
        made(state).map_err(|error| SeqError::at(seen.saturating_sub(1), error.into()))
    }
}

/// A sink that gathers the components of all elements in arrays.
pub struct Gathered<R> {
    types: Vec<ValueType>,
    builders: Vec<BlockBuilder<'static>>,
    /// For arrays of equal extents: their rank, and after the first element their extents.
    rank: Option<usize>,
    shape: Option<Vec<i64>>,
    count: i64,
    elements: i64,
    /// Number of elements to come, if known.
    expected: Option<u64>,
    made: fn(RawArray) -> R,
}

impl<R> Gathered<R> {
    /// Gathers elements of these types; with a rank, arrays of equal extents.
    pub fn new(types: Vec<ValueType>, rank: Option<usize>, made: fn(RawArray) -> R) -> Gathered<R> {
        let builders = types.iter().map(|_| BlockBuilder::new(host_memory())).collect();
        Gathered { types, builders, rank, shape: None, count: 0, elements: 0, expected: None, made }
    }

    fn add(&mut self, elements: &Elements, at: usize) -> Result<(), SeqCause> {
        let shape = elements.shape(at);
        let expected = self.shape.get_or_insert_with(|| shape.clone());
        if self.rank.is_some() && *expected != shape {
            return Err(SeqCause::Shape(format!("extents {shape:?} where those before have {expected:?}")));
        }
        for (builder, column) in self.builders.iter_mut().zip(&elements.columns) {
            builder.push(&column.bytes()[elements.bytes_of(at, column)])?;
        }
        self.count += 1;
        self.elements += shape.iter().product::<i64>();
        Ok(())
    }
}

impl<R> Sink<R> for Gathered<R> {
    fn take(&mut self, first: u64, batch: &Batch) -> Result<(), SeqError> {
        for elements in &batch.arrays {
            if self.rank.is_none()
                && let Some((total, columns)) = elements.in_a_row(batch.count)
            {
                let expected = self.expected.take().filter(|_| matches!(elements.extents, Extents::Same(_)));
                for (builder, bytes) in self.builders.iter_mut().zip(columns) {
                    if let Some(expected) = expected {
                        builder.expect((bytes.len() / batch.count.max(1)).saturating_mul(expected as usize));
                    }
                    builder.push(bytes).map_err(|error| SeqError::at(first, error.into()))?;
                }
                self.count += batch.count as i64;
                self.elements += total as i64;
                continue;
            }
            for at in 0..batch.count {
                self.add(elements, at).map_err(|cause| SeqError::at(first + at as u64, cause))?;
            }
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<R, SeqError> {
        let Gathered { types, builders, rank, shape, count, elements, made, .. } = *self;
        let shape = match rank {
            Some(rank) => [&[count], shape.unwrap_or_else(|| vec![0; rank]).as_slice()].concat(),
            None => vec![elements],
        };
        let finished = |(builder, ty): (BlockBuilder<'static>, &ValueType)| {
            finished(builder, *ty, &shape, host_memory())
        };
        let columns: Result<Vec<Column>, _> = builders.into_iter().zip(&types).map(finished).collect();
        let columns = columns.map_err(|error| SeqError::at(count as u64, error.into()))?;
        Ok(made(RawArray { shape, types, columns }))
    }

    fn expect(&mut self, elements: u64) {
        self.expected = Some(elements);
    }
}
