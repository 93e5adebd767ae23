//! Whole-array programs over streams: an entry point that was divided into chunk functions, as a step.
//!
//! [`warpwise_driver::chunks`] divides the entry point. Chunks must come in order, from the first row on, with the number of rows
//! that the division requires. Then the results are those of the whole entry point, bit for bit.

use warpwise_driver::{CallError, ChunksShape, Item, Program};
use warpwise_prim::{Scalar, ScalarType, ValueType};
use warpwise_runtime::array::Value;

use crate::step::Step;

/// An argument of the entry point.
#[derive(Clone, Debug)]
pub enum Given {
    /// A value.
    Whole(Value),
    /// The shape of an array whose rows come in chunks.
    Rows(Vec<i64>),
}

/// A divided entry point, and its state between chunks.
pub struct Chunks<'p> {
    program: &'p Program,
    shape: &'p ChunksShape,
    given: Vec<Given>,
    before: Vec<Value>,
    carried: Vec<Value>,
    /// Totals of each group of merged values.
    totals: Vec<Vec<Value>>,
    /// Number of rows so far.
    offset: i64,
}

impl<'p> Chunks<'p> {
    /// Computes everything that needs no rows.
    pub fn new(
        program: &'p Program,
        shape: &'p ChunksShape,
        given: Vec<Given>,
    ) -> Result<Chunks<'p>, CallError> {
        let (before, carried, totals) = (Vec::new(), Vec::new(), Vec::new());
        let mut chunks = Chunks { program, shape, given, before, carried, totals, offset: 0 };
        if let Some(items) = &shape.before {
            chunks.before = program.call("before", chunks.values(items, &[]))?;
        }
        chunks.carried = chunks.values(&shape.carried, &[]);
        chunks.totals = shape.merged.iter().map(|merged| chunks.values(&merged.neutral, &[])).collect();
        Ok(chunks)
    }

    /// Returns the results that are not rows.
    pub fn finish(self) -> Result<Vec<Value>, CallError> {
        match &self.shape.after {
            Some(items) => self.program.call("after", self.values(items, &[])),
            None => Ok(Vec::new()),
        }
    }

    fn values(&self, items: &[Item], rows: &[Value]) -> Vec<Value> {
        items.iter().filter_map(|item| self.value(item, rows)).collect()
    }

    fn value(&self, item: &Item, rows: &[Value]) -> Option<Value> {
        let size = |size: i64| Value::scalar(ValueType::I64, Scalar::I64(size));
        match *item {
            Item::Parameter(number) => match self.given.get(number)? {
                Given::Whole(value) => Some(value.clone()),
                Given::Rows(_) => None,
            },
            Item::Size(number, dimension) => match self.given.get(number)? {
                Given::Whole(value) => value.shape().get(dimension).copied().map(size),
                Given::Rows(shape) => shape.get(dimension).copied().map(size),
            },
            Item::Before(place) => self.before.get(place).cloned(),
            Item::Offset => Some(size(self.offset)),
            Item::Carried(place) => self.carried.get(place).cloned(),
            Item::Rows(place) => rows.get(place).cloned(),
            Item::Total(group, place) => self.totals.get(group)?.get(place).cloned(),
            Item::Constant(value) => Some(Value::scalar(surface(value.ty()), value)),
        }
    }
}

impl Step for Chunks<'_> {
    fn call(&mut self, columns: Vec<Value>) -> Result<Vec<Value>, CallError> {
        let rows = columns.first().and_then(|column| column.shape().first().copied()).unwrap_or(0);
        let arguments = self.values(&self.shape.chunk, &columns);
        drop(columns);
        let mut results = self.program.call("chunk", arguments)?.into_iter();
        let carried: Vec<Value> = results.by_ref().take(self.shape.carried.len()).collect();
        let mut totals = Vec::new();
        for (group, merged) in self.shape.merged.iter().enumerate() {
            let partial: Vec<Value> = results.by_ref().take(merged.neutral.len()).collect();
            let mut arguments = self.values(&merged.takes, &[]);
            arguments.extend(self.totals[group].iter().cloned().chain(partial));
            totals.push(self.program.call(&format!("merge_{group}"), arguments)?);
        }
        // The state is updated only after all calls have succeeded: a chunk may be tried again when memory was short.
        (self.carried, self.totals) = (carried, totals);
        self.offset += rows;
        Ok(results.collect())
    }

    fn attempt(&mut self, _: Vec<Value>) -> Option<Result<Vec<Value>, CallError>> {
        None
    }
}

/// Returns the surface type of scalars that are passed between the chunk functions.
fn surface(ty: ScalarType) -> ValueType {
    match ty {
        ScalarType::Bool => ValueType::Bool,
        ScalarType::I8 => ValueType::I8,
        ScalarType::I16 => ValueType::I16,
        ScalarType::I32 => ValueType::I32,
        ScalarType::I64 => ValueType::I64,
        ScalarType::F16 => ValueType::F16,
        ScalarType::F32 => ValueType::F32,
        ScalarType::F64 => ValueType::F64,
    }
}
