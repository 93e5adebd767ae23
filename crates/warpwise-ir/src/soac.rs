//! Second-order array combinators (papers/001 sections 2 and 4).

use crate::expr::Lambda;
use crate::program::Var;
use crate::types::{Operand, Shape, Type};

/// The general SOAC: one closed form under fusion.
///
/// Over `width` elements of every input: `map` yields the inputs of the scans, then the inputs of
/// the reductions, then any further values. `post`, where there is one, takes the scanned values,
/// then the further values, and yields the elements of the array results; without it these are the
/// scanned values and the further values themselves. The whole yields the reductions' results, then the arrays.
#[derive(Clone, PartialEq, Debug)]
pub struct Screma {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Applied to one element of each input.
    pub map: Lambda,
    /// Prefix sums.
    pub scans: Vec<Scan>,
    /// Reductions.
    pub reduces: Vec<Reduce>,
    /// Applied after the scans.
    pub post: Option<Lambda>,
}

impl Screma {
    /// How many values are scanned.
    pub fn n_scanned(&self) -> usize {
        self.scans.iter().map(|scan| scan.neutral.len()).sum()
    }

    /// How many values are reduced.
    pub fn n_reduced(&self) -> usize {
        self.reduces.iter().map(|reduce| reduce.neutral.len()).sum()
    }

    /// Whether this only maps.
    pub fn is_map(&self) -> bool {
        self.scans.is_empty() && self.reduces.is_empty() && self.post.is_none()
    }
}

/// A prefix sum over one or more values at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Scan {
    /// Associative; takes two groups of values, yields one.
    pub op: Lambda,
    /// Neutral element of `op`.
    pub neutral: Vec<Operand>,
    /// Whether element `i` leaves input `i` itself out.
    pub exclusive: bool,
}

/// A reduction over one or more values at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduce {
    /// Associative; takes two groups of values, yields one.
    pub op: Lambda,
    /// Neutral element of `op`.
    pub neutral: Vec<Operand>,
    /// Whether the program declares `op` commutative.
    pub commutative: bool,
}

/// Distributes elements into classes, in order. `lambda` yields `classes` truth values, then the
/// values to keep; an element joins the first class whose truth value holds, none if none does.
/// Yields the class sizes (`i64`), then for each class one array per value.
#[derive(Clone, PartialEq, Debug)]
pub struct Partition {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Number of classes: 1 filters, 2 partitions.
    pub classes: usize,
    /// Applied to one element of each input.
    pub lambda: Lambda,
}

/// Writes at computed indices. `lambda` yields, for each destination in order, its indices and
/// then the value. Writes out of bounds do nothing; of several to one place the last counts. Segments lie within
/// their destination and no two of them have an element in common, by contract.
#[derive(Clone, PartialEq, Debug)]
pub struct Scatter {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Applied to one element of each input.
    pub lambda: Lambda,
    /// What is written to.
    pub dests: Vec<ScatterDest>,
}

/// A destination of a scatter: consumed, and yielded again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScatterDest {
    /// The array.
    pub array: Var,
    /// How many leading dimensions the indices address; a value is a row of what remains.
    pub rank: usize,
    /// Whether a value is any number of rows, from the place of its index on; then `rank` is 1.
    pub segments: bool,
}

impl ScatterDest {
    /// A destination of single elements or rows.
    pub fn at(array: Var, rank: usize) -> ScatterDest {
        ScatterDest { array, rank, segments: false }
    }

    /// A destination of segments.
    pub fn segments(array: Var) -> ScatterDest {
        ScatterDest { array, rank: 1, segments: true }
    }
}

/// A generalised histogram. `lambda` yields, for each operation in order, `rank` indices and then
/// its values, which are combined into the destinations. Out of bounds does nothing.
#[derive(Clone, PartialEq, Debug)]
pub struct Hist {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Applied to one element of each input.
    pub lambda: Lambda,
    /// The operations.
    pub ops: Vec<HistOp>,
}

/// One histogram operation, over one or more destinations at the same places.
#[derive(Clone, PartialEq, Debug)]
pub struct HistOp {
    /// Consumed, and yielded again; alike in their `rank` leading dimensions.
    pub dests: Vec<Var>,
    /// How many leading dimensions the indices address.
    pub rank: usize,
    /// Associative and commutative.
    pub op: Lambda,
    /// Neutral element of `op`.
    pub neutral: Vec<Operand>,
}

/// Runs a function on chunks whose sizes the compiler chooses (papers/001 Figure 8). `lambda`
/// takes the chunk size, the chunk's offset, the accumulators, then one chunk of each input; it yields
/// accumulators, then chunk-sized arrays. The whole yields accumulators, then arrays of outer size `width`.
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// Which streaming SOAC.
    pub kind: StreamKind,
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// First values of the accumulators.
    pub accs: Vec<Operand>,
    /// Applied to chunks.
    pub lambda: Lambda,
}

/// The streaming SOACs.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamKind {
    /// No accumulators; chunks are independent.
    Map,
    /// Chunks start from the given accumulators and are combined by the operator.
    Red(Lambda),
    /// Chunks in order, the accumulators handed on.
    Seq,
}

/// Turns arrays into accumulators for the extent of `lambda`. The lambda takes a token per input,
/// then an accumulator per input; it yields the accumulators, then any other values. The whole
/// yields the arrays, then those values.
#[derive(Clone, PartialEq, Debug)]
pub struct WithAcc {
    /// The arrays.
    pub inputs: Vec<WithAccInput>,
    /// What is done with them.
    pub lambda: Lambda,
}

/// Arrays that become one accumulator.
#[derive(Clone, PartialEq, Debug)]
pub struct WithAccInput {
    /// Extents of the index space: the arrays' leading dimensions.
    pub shape: Shape,
    /// Consumed, and yielded again.
    pub arrays: Vec<Var>,
    /// How values combine, with its neutral element: the lambda takes as many `i64` indices as the
    /// shape has dimensions, then old and new values. Without it, the last write counts.
    pub op: Option<(Lambda, Vec<Operand>)>,
}

/// Maps elements to arrays of varying sizes and concatenates them. `lambda` yields a size, then
/// `results.len()` arrays of that outer size, then further values. Yields the total, the offsets
/// (`[width]i64`), the concatenated arrays, then arrays of the further values.
#[derive(Clone, PartialEq, Debug)]
pub struct FlatMap {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Row types of the concatenated arrays.
    pub results: Vec<Type>,
    /// Applied to one element of each input.
    pub lambda: Lambda,
}
