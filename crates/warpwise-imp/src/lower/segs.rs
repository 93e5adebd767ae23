//! Segmented operations of host code: each becomes one or several kernels and their launches.

use warpwise_ir::{Mapping, SegKind, SegOp, Stm};
use warpwise_prim::CompareOp;
use warpwise_runtime::machine::Schedule;

use crate::lower::cost::{self, Work};
use crate::lower::emitter::{Emitter, Lowered};
use crate::lower::flat::Flat;
use crate::lower::interior::Interior;
use crate::lower::kernels::{Built, Make, Range, task_dims};
use crate::lower::lanes::LaneLoop;
use crate::lower::scan::scans_scalars;
use crate::lower::stms::allocates;
use crate::types::{Operand, Reg};

/// Maximum cost of a body whose speed is bound by memory, in operations.
const MOST_STREAMING_COST: i64 = 64;

/// Assumed number of iterations of a loop about which nothing is known.
pub(super) const UNKNOWN_TRIPS: i64 = 1000;

impl<'a> Emitter<'a> {
    /// Lowers a segmented operation of host code.
    pub fn launch_seg(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        if self.cx.device {
            return self.device_seg(stm, op);
        }
        match &op.kind {
            SegKind::Map => self.launch_map(stm, op),
            SegKind::Reduce { reduces } => self.launch_reduce(stm, op, reduces),
            SegKind::Scan { scans, .. } if scans_scalars(self.cx.function, scans) => {
                self.launch_scan(stm, op)
            }
            SegKind::Partition { classes } if self.results_are_scalars(op) => {
                self.launch_partition(stm, op, *classes)
            }
            SegKind::Scatter { dests } => self.launch_scatter(stm, op, dests),
            SegKind::Hist { ops } if self.combines_scalars(ops) => self.launch_hist(stm, op, ops),
            SegKind::Scan { .. } | SegKind::Partition { .. } | SegKind::Hist { .. } => {
                self.sequential_kernel(stm)
            }
        }
    }

    fn launch_map(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let flat = self.flat(op);
        let rows: Make = &|kernel, lo, hi| kernel.map_part(stm, op, (lo, hi));
        let together: Make = &|kernel, lo, hi| {
            kernel.flat = Some(kernel.flat_space(op));
            kernel.map_part(stm, op, (lo, hi))
        };
        let small: Make = &|kernel, lo, hi| {
            kernel.flat = Some(kernel.small_flat_space(op));
            kernel.map_part(stm, op, (lo, hi))
        };
        let built = self.map_kernels(stm, op, if flat == Flat::Always { together } else { rows })?;
        let short = match flat {
            Flat::Below(length) => Some((length, self.build("map", stm.span, small)?)),
            Flat::Never | Flat::Always => None,
        };
        let narrow = self.narrow_rows(stm, op)?;
        let range = self.flat_range(stm, op)?;
        let bytes = self.code.mul(range.extent, Operand::i64(self.result_bytes(op)));
        let row = op.space.last().map_or(Ok(range.extent), |dim| self.uniform(dim.extent, stm.span))?;
        self.launch_narrow(narrow, range, bytes, &mut |this| {
            let launch = |this: &mut Self| {
                this.launch_by_size(built.clone(), bytes, &mut |this, built| this.launch(built, range));
            };
            let Some((length, short)) = &short else { return launch(this) };
            let cond = this.code.compare(CompareOp::SLt, row, Operand::i64(*length));
            this.choose(
                cond,
                |this| this.launch(short.clone(), range),
                |this| {
                    launch(this);
                },
            );
        });
        Ok(())
    }

    /// Builds the kernels of a map: one that stores to the caches, and one that bypasses them if that can matter.
    fn map_kernels<'s>(
        &'s self,
        stm: &Stm,
        op: &SegOp,
        make: Make<'_, 's>,
    ) -> Lowered<(Built, Option<Built>)> {
        let built = self.build("map", stm.span, make)?;
        let past = self.streams(op, UNKNOWN_TRIPS).then(|| self.build_streaming("map_past", stm.span, make));
        Ok((built, past.and_then(Result::ok)))
    }

    /// Maps one task of the flat range.
    pub fn map_part(&mut self, stm: &'a Stm, op: &'a SegOp, part: (Reg, Reg)) -> Lowered<()> {
        let work = if self.streaming { Work::Stream } else { Work::Map };
        let how = LaneLoop {
            steps_down: !op.body.can_fail(),
            interior: Interior::of(op),
            ..self.plan_lanes(op, work)
        };
        self.walk_space(stm, op, part, &how, &mut |this| {
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                this.store_points(&stm.pattern, &op.space, &op.body.result, stm.span)
            })
        })
    }

    /// Returns whether bypassing the caches can matter: the results are scalars, computed by little code in lanes along the whole
    /// range. Loops of unknown length are assumed to run `trips` iterations.
    pub fn streams(&self, op: &SegOp, trips: i64) -> bool {
        let in_lanes = op.space.last().is_some_and(|dim| dim.mapping == Mapping::TaskLane);
        in_lanes && op.body.result.iter().all(|&x| !self.is_array_operand(x)) && is_light(op, trips)
    }

    /// Returns the size of the results of one point, in bytes.
    pub fn result_bytes(&self, op: &SegOp) -> i64 {
        let bytes = |&x: &_| self.cx.function.operand_type(x).elem().map_or(0, |ty| ty.bytes() as i64);
        op.body.result.iter().map(bytes).sum()
    }

    /// Walks the task dimensions of an operation and, within each iteration, its lane dimension if that is a separate one.
    pub fn walk_space(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        part: (Reg, Reg),
        how: &LaneLoop,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let inner: Vec<_> =
            op.space.iter().filter(|dim| !task_dims(&op.space).any(|task| task == *dim)).collect();
        let Some((last, middle)) = inner.split_last() else {
            return self.walk(&op.space, part, how, stm.span, body);
        };
        let middle: Vec<_> = middle.iter().map(|dim| **dim).collect();
        self.walk(&op.space, part, how, stm.span, &mut |this| {
            this.seq_dims(&middle, &mut |this| {
                if last.mapping != Mapping::Lane {
                    return this.seq_dim(last, &mut |this, _| body(this));
                }
                let to = this.uniform(last.extent, stm.span)?;
                this.lane_loop(how, Operand::i64(0), to, &mut |this, index| {
                    this.bind(last.index, index);
                    body(this)
                })
            })
        })
    }

    /// Returns the launch range of an operation whose task dimensions form one flat range.
    pub fn flat_range(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<Range> {
        let mut extents = Vec::new();
        for dim in task_dims(&op.space) {
            extents.push(self.uniform(dim.extent, stm.span)?);
        }
        let extent = self.code.product(extents);
        let mut cost = self.host_cost(&op.body);
        for lambda in cost::lambdas(&op.kind) {
            let more = self.host_cost(&lambda.body);
            cost = self.code.add(cost, more);
        }
        for dim in op.space.iter().filter(|dim| !task_dims(&op.space).any(|task| task == *dim)) {
            let trips = self.uniform(dim.extent, stm.span)?;
            cost = self.code.mul(cost, trips);
        }
        let schedule = if self.is_uneven(&op.body) { Schedule::Dynamic } else { Schedule::Static };
        Ok(Range { extent, schedule, cost })
    }
}

/// Returns whether a point takes so little code that memory bounds its speed.
pub(super) fn is_light(op: &SegOp, trips: i64) -> bool {
    !allocates(&op.body) && cost::static_cost(&op.body, trips) <= MOST_STREAMING_COST
}
