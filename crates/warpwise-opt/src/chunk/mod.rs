//! Splits an entry point into functions that process its arrays chunk by chunk.
//!
//! If the body consists of operations over the outer dimension of some parameters (maps, reductions, scans, histograms, scatters,
//! filters), it need not have all rows at once:
//!
//! ```text
//! entry f(n: i64, k: f32, xs: [n]f32) -> (ys: [n]f32, mean: f32) {
//!   s: f32, ys: [n]f32 = screma n (xs) map (x: f32) { y = fmul x k; return y, y } reduce op [0f32];
//!   m: f32 = sitofp n : f32;
//!   mean: f32 = fdiv s m;
//!   return ys, mean }
//! ==>
//! entry before(n: i64) -> (m: f32) { m: f32 = sitofp n : f32; return m }
//! entry chunk(c: i64, k: f32, offset: i64, xs: [c]f32) -> (s: f32, ys: [c]f32) {
//!   s: f32, ys: [c]f32 = screma c (xs) map ... reduce op [0f32]; return s, ys }
//! entry merge_0(x: f32, y: f32) -> (z: f32) { z: f32 = op x y; return z }
//! entry after(m: f32, s: f32) -> (mean: f32) { mean: f32 = fdiv s m; return mean }
//! ```
//!
//! `before` computes the values that need no elements, once. `chunk` is called with consecutive rows. `after` computes the values
//! that need all chunks. Reductions are merged, in order; scans, histograms and scatters carry a state from chunk to chunk.
//! [`Chunked`] says which values each function takes.
//!
//! The results have the same bits as without chunks. Integer operations and comparisons guarantee that for any chunks. For
//! reductions that round ([`Shape::rounds`]) the chunks must be exactly the blocks that the lowering combines in order. Other
//! operations whose result depends on the order in which floats are combined (scans, histograms) are refused.
//!
//! Needs: no calls, fused operations, level `soac`. Not done here: operations that need a result over all elements for each of
//! them (a second pass), neighbours, sorting, loops over arrays.

mod build;
mod exact;
mod sort;

use serde::{Deserialize, Serialize};
use warpwise_diag::Span;
use warpwise_ir::{FunctionId, Program};

/// The functions that an entry point is split into, with their parameters and results.
#[derive(Clone, Debug)]
pub struct Chunked {
    /// The program with the entry points `before`, `chunk`, `after` and `merge_0`, `merge_1`, ...
    pub program: Program,
    /// The calling convention of the functions.
    pub shape: Shape,
}

/// The calling convention of the functions of a [`Chunked`]. Parameters and results are numbered as those of the entry point,
/// with opaque values split into their components, without sizes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// The parameters whose rows are passed in chunks.
    pub streamed: Vec<usize>,
    /// The parameters of `before`; `None` if there is nothing to compute.
    pub before: Option<Vec<Item>>,
    /// The parameters of `chunk`. Its results are the carried values, the partial results of the merged values, and the rows of
    /// outputs.
    pub chunk: Vec<Item>,
    /// The initial values of the state that is carried from chunk to chunk.
    pub carried: Vec<Item>,
    /// The groups of values that are merged.
    pub merged: Vec<Merged>,
    /// The parameters of `after`; `None` if all results are outputs.
    pub after: Option<Vec<Item>>,
    /// The source of each result.
    pub results: Vec<ResultOf>,
    /// Whether the chunk size must be the size of the blocks that reductions combine in order.
    pub rounds: bool,
    /// Whether the code for a row combines floats, in an order that may depend on whether there are few rows.
    pub rounds_inside: bool,
}

/// A group of values that a reduction merges.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Merged {
    /// The neutral elements.
    pub neutral: Vec<Item>,
    /// The parameters of its `merge` before the two groups.
    pub takes: Vec<Item>,
}

/// A value that is passed to one of the functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Item {
    /// A parameter.
    Parameter(usize),
    /// The extent of this parameter in this dimension.
    Size(usize, usize),
    /// A result of `before`.
    Before(usize),
    /// Index of the first row of the chunk.
    Offset,
    /// A carried value.
    Carried(usize),
    /// The rows of a parameter.
    Rows(usize),
    /// A merged value: the group, and the position in it.
    Total(usize, usize),
    /// A constant.
    Constant(warpwise_prim::Scalar),
}

/// The source of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ResultOf {
    /// The rows that `chunk` returns.
    Output(usize),
    /// A result of `after`.
    After(usize),
}

/// The reason why an entry point cannot be split.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Source position of the obstacle.
    pub span: Span,
    /// Description of the obstacle.
    pub why: String,
}

/// Splits an entry point such that this parameter is passed in chunks, and other parameters with the same number of rows if
/// possible.
pub fn chunk(program: &Program, function: FunctionId, parameter: usize) -> Result<Chunked, Refusal> {
    let mut whole: Vec<usize> = Vec::new();
    loop {
        match sort::sort(&program.functions[function], parameter, &whole).and_then(build::build) {
            Ok(chunked) => return Ok(chunked),
            // Another array with the same number of rows may be needed whole.
            Err(sort::Stop { needed_whole: Some(other), .. }) if other != parameter => whole.push(other),
            Err(sort::Stop { refusal, .. }) => return Err(refusal),
        }
    }
}
