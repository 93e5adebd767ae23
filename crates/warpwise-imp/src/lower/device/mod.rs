//! Segmented operations of host code on devices: each iteration of a kernel is a work-item.
//!
//! ```text
//! ys: [n]f32 = segmap (i < n: thread) { ... }    host:   launch map over n
//!                                           ==>  kernel: for point in lo..hi { body at point; store }
//! ```
//!
//! Kernels are scalar code: a device forms its own lanes from work-items. Work-items wait for others only at the end of a launch,
//! and where tiles look back. Scans and partitions are done tile by tile (`tiles`) by work-groups, whose work-items combine
//! through local memory. The same holds for reductions and small histograms, for nests that are scheduled so (`work_groups`), for
//! maps in the form of a matrix product (`products`), for maps whose work-items walk along the same arrays (`staged`), and for
//! copies of transposed arrays (`transpose`). The range `lo..hi` of a work-item or group is one iteration.
//!
//! Needs: level `mem`, scheduled for a device.

mod arrays;
mod groups;
mod hist;
mod partition;
mod points;
mod prefixes;
mod products;
mod reduce;
mod rows;
mod scan;
mod segment_groups;
mod segments;
mod shared;
mod staged;
mod tiles;
mod transpose;
mod work_groups;

use warpwise_ir::{Expr, Mapping, SegKind, SegOp, Stm, exprs};

use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::scan::scans_scalars;

impl<'a> Emitter<'a> {
    /// Lowers a segmented operation of host code for a device.
    pub fn device_seg(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        match &op.kind {
            SegKind::Map if op.space.iter().any(|dim| dim.mapping == Mapping::Grid) => {
                self.grouped_map(stm, op)
            }
            SegKind::Map => self.device_map(stm, op),
            SegKind::Scatter { dests } => self.device_scatter(stm, op, dests),
            SegKind::Reduce { reduces } if op.space.len() > 1 && self.can_group(op, reduces) => {
                self.segmented_reduce(stm, op, reduces)
            }
            SegKind::Reduce { reduces } => {
                self.by_segments(stm, op, &mut |this| this.launch_reduce(stm, op, reduces))
            }
            SegKind::Scan { scans, .. }
                if scans_scalars(self.cx.function, scans) && !self.overwrites_outside(op) =>
            {
                match self.can_scan_tiles(op) {
                    true if self.looks_back() => self.scan_tiles(stm, op),
                    true => self.by_segments(stm, op, &mut |this| this.scan_tiles(stm, op)),
                    false => self.by_segments(stm, op, &mut |this| this.device_scan(stm, op)),
                }
            }
            SegKind::Partition { classes }
                if self.results_are_scalars(op) && !self.overwrites_outside(op) =>
            {
                if self.can_partition_tiles(op, *classes) {
                    return self.tile_partition(stm, op, *classes);
                }
                self.device_partition(stm, op, *classes)
            }
            SegKind::Hist { ops } if self.combines_atomically(ops) => self.device_hist(stm, op, ops),
            SegKind::Hist { ops } if self.combines_scalars(ops) => self.locked_hist(stm, op, ops),
            SegKind::Scan { .. } | SegKind::Partition { .. } | SegKind::Hist { .. } => {
                self.sequential_kernel(stm)
            }
        }
    }

    /// Returns whether the body of an operation writes to memory that outlives the body, so that it may run only once.
    fn overwrites_outside(&self, op: &SegOp) -> bool {
        let function = self.cx.function;
        let mut own = Vec::new();
        allocated(&op.body, &mut own);
        writes(&op.body, &mut |array| {
            function.vars[array].placement.as_ref().is_some_and(|placement| !own.contains(&placement.block))
        })
    }
}

/// Collects the blocks that a body allocates, at any depth.
fn allocated(body: &warpwise_ir::Body, own: &mut Vec<warpwise_ir::Var>) {
    for stm in &body.stms {
        if matches!(stm.expr, Expr::Alloc { .. }) {
            own.extend(&stm.pattern);
        }
        stm.expr.for_each_body(|body| allocated(body, own));
    }
}

/// Returns whether a body overwrites an array for which `outside` holds.
fn writes(body: &warpwise_ir::Body, outside: &mut dyn FnMut(warpwise_ir::Var) -> bool) -> bool {
    body.stms.iter().any(|stm| {
        let mut inside = match &stm.expr {
            Expr::Update { array, .. } => outside(*array),
            Expr::Seg(op) => match &op.kind {
                SegKind::Scatter { dests } => dests.iter().any(|dest| outside(dest.array)),
                SegKind::Hist { ops } => ops.iter().flat_map(|op| &op.dests).any(|&dest| outside(dest)),
                SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {
                    false
                }
            },
            exprs!(Operand, scalar, Assert, view, fresh, If, Loop, Call, soac, UpdateAcc, Tuned, Alloc) => {
                false
            }
        };
        stm.expr.for_each_body(|body| inside |= writes(body, outside));
        inside
    })
}
