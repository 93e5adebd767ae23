//! Segmented operations: parallel loops over a named index space with a mapping for every dimension. CPU and GPU share them.

use crate::expr::{Body, Lambda};
use crate::program::Var;
use crate::soac::{HistOp, Reduce, Scan, ScatterDest};
use crate::types::Operand;

/// A parallel loop: `body` runs once for every point of the space.
#[derive(Clone, PartialEq, Debug)]
pub struct SegOp {
    /// Dimensions, outermost first; at least one.
    pub space: Vec<SegDim>,
    /// Use of the body's results.
    pub kind: SegKind,
    /// Body, which computes one point.
    pub body: Body,
}

/// One dimension of an index space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegDim {
    /// Index from 0, `i64`.
    pub index: Var,
    /// Number of points, `i64`.
    pub extent: Operand,
    /// Mapping of the dimension to the machine.
    pub mapping: Mapping,
}

/// The part of the machine that runs a dimension of an index space.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mapping {
    /// CPU: split among tasks.
    Task,
    /// CPU: SIMD lanes within a task.
    Lane,
    /// CPU: split among tasks, each of which runs its part in lanes.
    TaskLane,
    /// A sequential loop, on every machine.
    Seq,
    /// GPU: split among work-groups.
    Grid,
    /// GPU: split among the work-items of a group.
    Group,
    /// GPU: one work-item per point, over the whole grid.
    Thread,
}

/// The use of the results of a segmented operation's body.
#[derive(Clone, PartialEq, Debug)]
pub enum SegKind {
    /// Every body result becomes an array over the whole space.
    Map,
    /// The last dimension is reduced. The body yields the reductions' inputs, then further values. The operation yields one array
    /// over the outer dimensions per reduced value (a scalar or row if there are none), then one array over the whole space per
    /// further value.
    Reduce {
        /// The reductions.
        reduces: Vec<Reduce>,
    },
    /// The last dimension is scanned. The body yields the scans' inputs, then further values. The array results over the whole
    /// space are those of `post` (see [`crate::Screma`]). Reductions over the same dimension may be included: their inputs come
    /// between those of the scans and the further values, and their results come first.
    Scan {
        /// The scans.
        scans: Vec<Scan>,
        /// Reductions over the same dimension.
        reduces: Vec<Reduce>,
        /// Function applied after the scans.
        post: Option<Lambda>,
    },
    /// A partition over a space of one dimension; see [`crate::Partition`].
    Partition {
        /// Number of classes.
        classes: usize,
    },
    /// Writes at computed indices; see [`crate::Scatter`].
    Scatter {
        /// Destinations of the writes.
        dests: Vec<ScatterDest>,
    },
    /// Generalised histograms over the whole space; see [`crate::Hist`].
    Hist {
        /// The operations.
        ops: Vec<HistOp>,
    },
}

impl SegKind {
    /// Returns the arrays that the operation overwrites and yields, in the order of its results.
    pub fn overwritten(&self) -> Vec<Var> {
        match self {
            SegKind::Scatter { dests } => dests.iter().map(|dest| dest.array).collect(),
            SegKind::Hist { ops } => ops.iter().flat_map(|op| op.dests.iter().copied()).collect(),
            SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {
                vec![]
            }
        }
    }

    /// Returns the number of results that are reductions.
    pub fn n_reduced(&self) -> usize {
        match self {
            SegKind::Reduce { reduces } | SegKind::Scan { reduces, .. } => {
                reduces.iter().map(|reduce| reduce.neutral.len()).sum()
            }
            SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } | SegKind::Hist { .. } => 0,
        }
    }

    /// Returns the operators of the operation, then the function applied after its scans.
    pub fn lambdas(&self) -> Vec<&Lambda> {
        match self {
            SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => vec![],
            SegKind::Reduce { reduces } => reduces.iter().map(|reduce| &reduce.op).collect(),
            SegKind::Scan { scans, reduces, post } => {
                let scans = scans.iter().map(|scan| &scan.op);
                scans.chain(reduces.iter().map(|reduce| &reduce.op)).chain(post).collect()
            }
            SegKind::Hist { ops } => ops.iter().map(|op| &op.op).collect(),
        }
    }
}
