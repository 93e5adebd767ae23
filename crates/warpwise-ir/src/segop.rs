//! Segmented operations: parallel loops over a named index space in which each dimension says what
//! it is mapped to. CPU and GPU share them.

use crate::expr::{Body, Lambda};
use crate::program::Var;
use crate::soac::{HistOp, Reduce, Scan, ScatterDest};
use crate::types::Operand;

/// A parallel loop: `body` runs once for every point of the space.
#[derive(Clone, PartialEq, Debug)]
pub struct SegOp {
    /// Dimensions, outermost first; at least one.
    pub space: Vec<SegDim>,
    /// What becomes of the body's results.
    pub kind: SegKind,
    /// Computes one point.
    pub body: Body,
}

/// One dimension of an index space.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SegDim {
    /// Counts from 0, `i64`.
    pub index: Var,
    /// How many points, `i64`.
    pub extent: Operand,
    /// What the dimension is mapped to.
    pub mapping: Mapping,
}

/// What a dimension of an index space is mapped to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Mapping {
    /// CPU: split among tasks.
    Task,
    /// CPU: SIMD lanes within a task.
    Lane,
    /// CPU: split among tasks, each part run by lanes.
    TaskLane,
    /// A sequential loop, on every machine.
    Seq,
    /// GPU: split among work-groups.
    Grid,
    /// GPU: split among the work-items of a group.
    Group,
    /// GPU: one work-item a point, over the whole grid.
    Thread,
}

/// What becomes of the results of a segmented operation's body.
#[derive(Clone, PartialEq, Debug)]
pub enum SegKind {
    /// Every body result becomes an array over the whole space.
    Map,
    /// The last dimension is reduced. The body yields the reductions' inputs, then further values;
    /// the whole yields one array over the outer dimensions (a scalar or row where there are none)
    /// per reduced value, then arrays over the whole space of the further values.
    Reduce {
        /// The reductions.
        reduces: Vec<Reduce>,
    },
    /// The last dimension is scanned. The body yields the scans' inputs, then further values; the
    /// array results are those of `post` (see [`crate::Screma`]), over the whole space. Reductions may ride along;
    /// their inputs stand between the scans' and the further values, their results come first.
    Scan {
        /// The prefix sums.
        scans: Vec<Scan>,
        /// Reductions over the same dimension.
        reduces: Vec<Reduce>,
        /// Applied after the scans.
        post: Option<Lambda>,
    },
    /// A partition over a space of one dimension; see [`crate::Partition`].
    Partition {
        /// Number of classes.
        classes: usize,
    },
    /// Writes at computed places; see [`crate::Scatter`].
    Scatter {
        /// What is written to.
        dests: Vec<ScatterDest>,
    },
    /// Generalised histograms over the whole space; see [`crate::Hist`].
    Hist {
        /// The operations.
        ops: Vec<HistOp>,
    },
}

impl SegKind {
    /// The arrays that the operation overwrites and yields, in the order of its results.
    pub fn overwritten(&self) -> Vec<Var> {
        match self {
            SegKind::Scatter { dests } => dests.iter().map(|dest| dest.array).collect(),
            SegKind::Hist { ops } => ops.iter().flat_map(|op| op.dests.iter().copied()).collect(),
            SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {
                vec![]
            }
        }
    }

    /// How many of the results are reductions.
    pub fn n_reduced(&self) -> usize {
        match self {
            SegKind::Reduce { reduces } | SegKind::Scan { reduces, .. } => {
                reduces.iter().map(|reduce| reduce.neutral.len()).sum()
            }
            SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } | SegKind::Hist { .. } => 0,
        }
    }

    /// The operators of the operation, and what it does after them.
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
