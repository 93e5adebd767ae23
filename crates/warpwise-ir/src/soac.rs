//! Second-order array combinators (papers/001 sections 2 and 4).

use crate::expr::Lambda;
use crate::program::Var;
use crate::types::{Operand, Shape, Type};

/// The general SOAC: one closed form under fusion.
///
/// For each of the `width` elements of every input, `map` yields the inputs of the scans, then the inputs of the reductions, then
/// any further values. `post`, if present, takes the scanned values, then the further values, and yields the elements of the
/// array results; without it, the scanned values and the further values are the elements. The SOAC yields the results of the
/// reductions, then the arrays.
#[derive(Clone, PartialEq, Debug)]
pub struct Screma {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Function applied to one element of each input.
    pub map: Lambda,
    /// Scans.
    pub scans: Vec<Scan>,
    /// Reductions.
    pub reduces: Vec<Reduce>,
    /// Function applied after the scans.
    pub post: Option<Lambda>,
}

impl Screma {
    /// Returns the number of scanned values.
    pub fn n_scanned(&self) -> usize {
        self.scans.iter().map(|scan| scan.neutral.len()).sum()
    }

    /// Returns the number of reduced values.
    pub fn n_reduced(&self) -> usize {
        self.reduces.iter().map(|reduce| reduce.neutral.len()).sum()
    }

    /// Returns whether this is a pure map.
    pub fn is_map(&self) -> bool {
        self.scans.is_empty() && self.reduces.is_empty() && self.post.is_none()
    }
}

/// A scan over one or more values at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Scan {
    /// Associative operator; takes two groups of values, yields one.
    pub op: Lambda,
    /// Neutral element of `op`.
    pub neutral: Vec<Operand>,
    /// Whether element `i` of the result excludes input `i`.
    pub exclusive: bool,
}

/// A reduction over one or more values at a time.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduce {
    /// Associative operator; takes two groups of values, yields one.
    pub op: Lambda,
    /// Neutral element of `op`.
    pub neutral: Vec<Operand>,
    /// Whether the program declares `op` commutative.
    pub commutative: bool,
}

/// A partition: distributes elements over classes, in order. `lambda` yields `classes` truth values, then the values to keep. An
/// element joins the first class whose truth value holds, or none if all are false. Yields the class sizes (`i64`), then for each
/// class one array per value.
#[derive(Clone, PartialEq, Debug)]
pub struct Partition {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Number of classes: 1 filters, 2 partitions.
    pub classes: usize,
    /// Function applied to one element of each input.
    pub lambda: Lambda,
}

/// Parallel writes at computed indices. `lambda` yields, for each destination in order, its indices and then the value. Writes
/// out of bounds have no effect; of several writes to one index the last one counts. By contract, segments lie within their
/// destination and no two of them overlap.
#[derive(Clone, PartialEq, Debug)]
pub struct Scatter {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Function applied to one element of each input.
    pub lambda: Lambda,
    /// Destinations of the writes.
    pub dests: Vec<ScatterDest>,
}

/// A destination of a scatter: consumed, and yielded again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScatterDest {
    /// The array.
    pub array: Var,
    /// Number of leading dimensions that the indices address; a value is a row of the remaining dimensions.
    pub rank: usize,
    /// Whether a value is a segment: any number of rows, stored from the index on. Then `rank` is 1.
    pub segments: bool,
}

impl ScatterDest {
    /// Creates a destination of single elements or rows.
    pub fn at(array: Var, rank: usize) -> ScatterDest {
        ScatterDest { array, rank, segments: false }
    }

    /// Creates a destination of segments.
    pub fn segments(array: Var) -> ScatterDest {
        ScatterDest { array, rank: 1, segments: true }
    }
}

/// A generalised histogram. `lambda` yields, for each operation in order, `rank` indices and then its values, which are combined
/// into the destinations. Indices out of bounds have no effect.
#[derive(Clone, PartialEq, Debug)]
pub struct Hist {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Function applied to one element of each input.
    pub lambda: Lambda,
    /// The operations.
    pub ops: Vec<HistOp>,
}

/// One histogram operation, over one or more destinations at the same indices.
#[derive(Clone, PartialEq, Debug)]
pub struct HistOp {
    /// Arrays that are consumed and yielded again; equal in their `rank` leading dimensions.
    pub dests: Vec<Var>,
    /// Number of leading dimensions that the indices address.
    pub rank: usize,
    /// Associative and commutative operator.
    pub op: Lambda,
    /// Neutral element of `op`.
    pub neutral: Vec<Operand>,
}

/// A function applied to chunks whose sizes the compiler chooses (papers/001 Figure 8). `lambda` takes the chunk size, the
/// chunk's offset, the accumulators, then one chunk of each input; it yields accumulators, then chunk-sized arrays. The SOAC
/// yields accumulators, then arrays of outer size `width`.
#[derive(Clone, PartialEq, Debug)]
pub struct Stream {
    /// The kind of streaming SOAC.
    pub kind: StreamKind,
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Initial values of the accumulators.
    pub accs: Vec<Operand>,
    /// Function applied to chunks.
    pub lambda: Lambda,
}

/// A kind of streaming SOAC.
#[derive(Clone, PartialEq, Debug)]
pub enum StreamKind {
    /// No accumulators; chunks are independent.
    Map,
    /// Every chunk starts from the given accumulators; the results of the chunks are combined by the operator.
    Red(Lambda),
    /// Chunks run in order, and each passes its accumulators to the next.
    Seq,
}

/// Arrays that are accumulators within `lambda`. The lambda takes a token per input, then an accumulator per input; it yields the
/// accumulators, then any other values. The SOAC yields the arrays, then those values.
#[derive(Clone, PartialEq, Debug)]
pub struct WithAcc {
    /// The arrays.
    pub inputs: Vec<WithAccInput>,
    /// Function applied to the tokens and accumulators.
    pub lambda: Lambda,
}

/// The arrays behind one accumulator.
#[derive(Clone, PartialEq, Debug)]
pub struct WithAccInput {
    /// Extents of the index space: the arrays' leading dimensions.
    pub shape: Shape,
    /// Arrays that are consumed and yielded again.
    pub arrays: Vec<Var>,
    /// Combining operator and its neutral element. The lambda takes as many `i64` indices as the shape has dimensions, then the
    /// old and the new values. Without an operator, the last write counts.
    pub op: Option<(Lambda, Vec<Operand>)>,
}

/// A map of elements to arrays of varying sizes, which are concatenated. `lambda` yields a size, then `results.len()` arrays of
/// that outer size, then further values. The SOAC yields the total, the offsets (`[width]i64`), the concatenated arrays, then
/// arrays of the further values.
#[derive(Clone, PartialEq, Debug)]
pub struct FlatMap {
    /// Number of elements.
    pub width: Operand,
    /// Arrays of outer size `width`.
    pub inputs: Vec<Var>,
    /// Row types of the concatenated arrays.
    pub results: Vec<Type>,
    /// Function applied to one element of each input.
    pub lambda: Lambda,
}
