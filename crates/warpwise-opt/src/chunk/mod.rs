//! Takes an entry point apart into functions that work on its arrays chunk by chunk.
//!
//! Where the body is made of operations over the outer dimension of some parameters (maps, reductions, scans, histograms,
//! scatters, filters), it need not see all of them at once:
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
//! `before` computes what needs no elements, once; `chunk` is called with consecutive rows; `after` finishes what is
//! known when all chunks are done. Reductions are merged, in order; scans, histograms and scatters carry a state from chunk
//! to chunk. [`Chunked`] says which values each of them takes.
//!
//! What comes out has the same bits as without chunks. Integers, comparisons and the like give that for any chunks. For
//! reductions that round ([`Shape::rounds`]) chunks must be those pieces that the lowering combines in order; what else
//! would have to know how floats are combined (scans, histograms) is refused.
//!
//! Needs: no calls, fused operations, level `soac`. Not done here: operations that need a result over all elements for each
//! of them (a second pass), neighbours, sorting, loops over arrays.

mod build;
mod exact;
mod sort;

use serde::{Deserialize, Serialize};
use warpwise_diag::Span;
use warpwise_ir::{FunctionId, Program};

/// The functions that an entry point becomes, and what they take and give.
#[derive(Clone, Debug)]
pub struct Chunked {
    /// With the entry points `before`, `chunk`, `after` and `merge_0`, `merge_1`, ...
    pub program: Program,
    /// What is passed how.
    pub shape: Shape,
}

/// How the functions of a [`Chunked`] are called. Parameters and results are those of the entry point with opaque values taken
/// apart, without sizes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Shape {
    /// The parameters whose rows come in chunks.
    pub streamed: Vec<usize>,
    /// What `before` takes; `None` if there is nothing to compute.
    pub before: Option<Vec<Item>>,
    /// What `chunk` takes. It gives the carried values, then the partial results of the merged ones, then the rows of outputs.
    pub chunk: Vec<Item>,
    /// The first values of what is carried from chunk to chunk.
    pub carried: Vec<Item>,
    /// Groups of values that are merged: how many each has, and their neutral elements.
    pub merged: Vec<Merged>,
    /// What `after` takes; `None` if all results are outputs.
    pub after: Option<Vec<Item>>,
    /// Where each result comes from.
    pub results: Vec<ResultOf>,
    /// Whether chunks must have the size of the pieces that reductions combine in order.
    pub rounds: bool,
    /// Whether what is done to a row combines floats, in an order that may depend on whether there are few rows.
    pub rounds_inside: bool,
}

/// Values that a reduction merges.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Merged {
    /// What stands for no elements.
    pub neutral: Vec<Item>,
    /// What its `merge` takes before the two groups.
    pub takes: Vec<Item>,
}

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Item {
    /// A parameter.
    Parameter(usize),
    /// A size: of this parameter, this dimension.
    Size(usize, usize),
    /// What `before` gave.
    Before(usize),
    /// The number of the first row of the chunk.
    Offset,
    /// What is carried.
    Carried(usize),
    /// The rows of a parameter.
    Rows(usize),
    /// A merged value, of this group.
    Total(usize, usize),
    /// A constant.
    Constant(warpwise_prim::Scalar),
}

/// Where a result comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum ResultOf {
    /// The rows that `chunk` gives.
    Output(usize),
    /// What `after` gives.
    After(usize),
}

/// Why an entry point cannot be taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    /// Where.
    pub span: Span,
    /// What is in the way.
    pub why: String,
}

/// Takes an entry point apart so that this parameter (and others with as many rows, where possible) comes in chunks.
pub fn chunk(program: &Program, function: FunctionId, parameter: usize) -> Result<Chunked, Refusal> {
    let mut whole: Vec<usize> = Vec::new();
    loop {
        match sort::sort(&program.functions[function], parameter, &whole).and_then(build::build) {
            Ok(chunked) => return Ok(chunked),
            // Another array of as many rows may be needed as a whole.
            Err(sort::Stop { needed_whole: Some(other), .. }) if other != parameter => whole.push(other),
            Err(sort::Stop { refusal, .. }) => return Err(refusal),
        }
    }
}
