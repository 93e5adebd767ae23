//! Segmented operations inside kernels: sequential loops, and lane loops within a task.
//!
//! Inside lanes everything is sequential in each lane; an extent that differs between lanes makes the loop divergent. Results are
//! stored at the placement of the pattern.

use warpwise_diag::Span;
use warpwise_ir::{
    HistOp, Lambda, Mapping, Operand as CoreOperand, Reduce, Scan, ScatterDest, SegDim, SegKind, SegOp, Stm,
    Var,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::lower::cost::Work;
use crate::lower::emitter::{Emitter, Lowered, Mask, Value};
use crate::lower::interior::Interior;
use crate::lower::lanes::LaneLoop;
use crate::lower::memory::View;
use crate::lower::slots::{Carried, Slot};
use crate::lower::variance::Variance;
use crate::op::Op;
use crate::types::{ImpType, Operand, Reg};

/// The body of a sequential dimension. Its argument is the mask of live lanes, where that differs from the outer mask.
type DimBody<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, Option<Reg>) -> Lowered<()>;

impl<'a> Emitter<'a> {
    /// Lowers a segmented operation inside a kernel.
    pub fn inner_seg(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let Some((last, outer)) = op.space.split_last() else {
            return self.limit(stm.span, "a space of rank 0");
        };
        let in_lanes = self.lanes.is_none() && last.mapping == Mapping::Lane;
        self.seq_dims(outer, &mut |this| {
            if in_lanes { this.inner_lanes(stm, op, last) } else { this.inner_seq(stm, op, last) }
        })
    }

    /// Emits sequential loops over some dimensions.
    pub fn seq_dims(
        &mut self,
        dims: &[SegDim],
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let Some((dim, inner)) = dims.split_first() else { return body(self) };
        self.seq_dim(dim, &mut |this, _| this.seq_dims(inner, body))
    }

    /// Emits a sequential loop over one dimension, divergent where its extent varies.
    pub fn seq_dim(&mut self, dim: &SegDim, body: DimBody<'_, 'a>) -> Lowered<()> {
        let extent = self.value(dim.extent);
        if let Value::Uniform(to) = extent {
            let index = self.code.int_reg("k");
            self.bind_uniform(dim.index, index);
            let done = self.count_up(index, (Operand::i64(0), to), 1, |this| body(this, None));
            return done;
        }
        self.divergent_dim(dim.index, extent, body)
    }

    fn divergent_dim(&mut self, index: Var, extent: Value, body: DimBody<'_, 'a>) -> Lowered<()> {
        let counter = self.code.int_reg("k");
        self.code.set(counter, Operand::i64(0));
        self.bind_uniform(index, counter);
        let live = self.code.reg("live", ImpType::vector(ScalarType::Bool, self.width()));
        let any = self.code.reg("any", ImpType::scalar(ScalarType::Bool));
        let is_any_below = |this: &mut Self| {
            let below = this.compare(CompareOp::SLt, Value::Uniform(counter.into()), extent);
            let below = this.vector(below);
            let running = this.mask_operand().unwrap_or(Operand::Const(Scalar::Bool(true)));
            this.code.emit(Op::Binary { dst: live, op: BinaryOp::And, x: below, y: running });
            this.code.emit(Op::Any { dst: any, mask: live.into() });
            any.into()
        };
        self.repeat_while(is_any_below, |this| {
            let done = this.with_mask(Mask::Some(live), |this| body(this, Some(live)));
            let next = this.code.add(counter, Operand::i64(1));
            this.code.set(counter, next);
            done
        })
    }

    /// Lowers the last dimension in lanes.
    fn inner_lanes(&mut self, stm: &'a Stm, op: &'a SegOp, last: &'a SegDim) -> Lowered<()> {
        match &op.kind {
            SegKind::Map => {
                let how = self.plan_lanes(op, Work::Map);
                let width = if self.fills_groups(last, how.width) { how.width } else { how.machine };
                let how = LaneLoop { width, interior: Interior::of(op), ..how };
                let to = self.uniform(last.extent, stm.span)?;
                self.lane_loop(&how, Operand::i64(0), to, &mut |this, index| {
                    this.bind(last.index, index);
                    this.with_arena(&[&op.body], |this| {
                        this.stms(&op.body)?;
                        this.store_points(&stm.pattern, &op.space, &op.body.result, stm.span)
                    })
                })
            }
            SegKind::Reduce { reduces } => self.inner_reduce(stm, op, last, reduces),
            SegKind::Scan { .. } => self.inner_scan(stm, op),
            SegKind::Hist { ops } => self.inner_hist(stm, op, last, ops),
            // One element at a time: the order matters.
            SegKind::Partition { .. } | SegKind::Scatter { .. } => self.inner_seq(stm, op, last),
        }
    }

    /// Returns whether rows within a task can run in groups of several vectors: their length is known to be a multiple of the
    /// group, and there are registers for the intermediate values of a tile. Other rows may be short, and run in groups of one
    /// vector.
    fn fills_groups(&self, row: &SegDim, width: u16) -> bool {
        let width = i64::from(width);
        let whole = |extent: CoreOperand| matches!(extent, CoreOperand::Const(n) if n.as_int().is_some_and(|n| n % width == 0));
        self.cx.target.mask_registers && width > 1 && whole(row.extent)
    }

    /// Lowers the last dimension as a sequential loop.
    pub fn inner_seq(&mut self, stm: &'a Stm, op: &'a SegOp, last: &'a SegDim) -> Lowered<()> {
        match &op.kind {
            SegKind::Map => self.seq_dim(last, &mut |this, _| {
                this.with_arena(&[&op.body], |this| {
                    this.stms(&op.body)?;
                    this.store_points(&stm.pattern, &op.space, &op.body.result, stm.span)
                })
            }),
            SegKind::Reduce { reduces } => self.seq_scan(stm, op, last, &[], reduces, None),
            SegKind::Scan { scans, reduces, post } => {
                self.seq_scan(stm, op, last, scans, reduces, post.as_ref())
            }
            SegKind::Partition { classes } => self.seq_partition(stm, op, last, *classes),
            SegKind::Scatter { dests } => self.seq_dim(last, &mut |this, _| {
                this.with_arena(&[&op.body], |this| {
                    this.stms(&op.body)?;
                    this.scatter_point(dests, &op.body.result, stm.span)
                })
            }),
            SegKind::Hist { ops } => self.seq_dim(last, &mut |this, _| {
                this.with_arena(&[&op.body], |this| {
                    this.stms(&op.body)?;
                    this.hist_point(ops, &op.body.result, stm.span)
                })
            }),
        }
    }

    /// Stores body results as elements of arrays over the whole space.
    pub fn store_points(
        &mut self,
        arrays: &[Var],
        space: &[SegDim],
        results: &[CoreOperand],
        span: Span,
    ) -> Lowered<()> {
        for (&array, &result) in arrays.iter().zip(results) {
            self.store_point(array, space, result, span)?;
        }
        Ok(())
    }

    /// Stores one body result as an element of an array over the whole space.
    pub fn store_point(
        &mut self,
        array: Var,
        space: &[SegDim],
        result: CoreOperand,
        span: Span,
    ) -> Lowered<()> {
        if self.is_array_operand(result) && self.lies_at_row(result, array, space) {
            return Ok(());
        }
        let view = self.view(array, span)?;
        let indices: Vec<CoreOperand> = space.iter().map(|dim| dim.index.into()).collect();
        let row = match self.flat_address(array, &indices, span)? {
            Some(offset) => {
                let (extents, strides) =
                    (view.extents[indices.len()..].to_vec(), view.strides[indices.len()..].to_vec());
                View { offset, extents, strides, ..view }
            }
            None => {
                let indices = self.values(&indices);
                self.row(&view, &indices)
            }
        };
        self.put(&row, result, span)
    }

    /// Lowers scans and reductions over a sequential dimension.
    fn seq_scan(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        last: &'a SegDim,
        scans: &'a [Scan],
        reduces: &'a [Reduce],
        post: Option<&'a Lambda>,
    ) -> Lowered<()> {
        let divergent = !matches!(self.value(last.extent), Value::Uniform(_));
        let scan_ops = scans.iter().map(|scan| (&scan.op, &scan.neutral));
        let mut carries = Vec::new();
        for (lambda, neutral) in scan_ops.chain(reduces.iter().map(|reduce| (&reduce.op, &reduce.neutral))) {
            carries.push(self.start_carry(lambda, neutral, divergent, stm.span)?);
        }
        let n_reduced: usize = reduces.iter().map(|reduce| reduce.neutral.len()).sum();
        let (reduced, arrays) = stm.pattern.split_at(n_reduced);
        self.seq_dim(last, &mut |this, live| {
            this.with_arena(&[&op.body], |this| {
                this.stms(&op.body)?;
                let mut taken = 0;
                let mut scanned = Vec::new();
                let mut next = Vec::new();
                for (i, carry) in carries.iter().enumerate() {
                    let inputs = this.values(&op.body.result[taken..taken + carry.slots.len()]);
                    let (before, after) = this.step(carry, &inputs)?;
                    if let Some(scan) = scans.get(i) {
                        scanned.extend(if scan.exclusive { before } else { after.clone() });
                    }
                    taken += carry.slots.len();
                    next.push(after);
                }
                this.store_scanned(arrays, &op.space, scanned, &op.body.result[taken..], post, stm.span)?;
                for (carry, values) in carries.iter().zip(next) {
                    this.carry_on(carry, values, live, stm.span)?;
                }
                Ok(())
            })
        })?;
        let slots = carries[scans.len()..].iter().flat_map(|carry| carry.slots.clone());
        let (_, outer) = op.space.split_last().expect("a space has dimensions");
        for (&var, slot) in reduced.iter().zip(slots) {
            self.store_reduced(var, outer, slot, stm.span)?;
        }
        Ok(())
    }

    /// Binds the result of a reduction, or stores it where outer dimensions make it an array.
    pub fn store_reduced(&mut self, var: Var, outer: &[SegDim], slot: Slot, span: Span) -> Lowered<()> {
        if !self.is_array(var) {
            self.bind_slot(var, slot);
            return Ok(());
        }
        let Slot::Scalar(reg, kind) = slot else { return Ok(()) };
        let value = match kind {
            Variance::Varying if self.width() > 1 => Value::Varying(reg),
            Variance::Varying | Variance::Uniform | Variance::Linear(_) => {
                crate::lower::scalars::as_kind(kind, reg.into())
            }
        };
        let view = self.view(var, span)?;
        let indices: Vec<Value> = outer.iter().map(|dim| self.value(dim.index)).collect();
        self.store(&view, &indices, value);
        Ok(())
    }

    fn start_carry(
        &mut self,
        lambda: &'a Lambda,
        neutral: &[CoreOperand],
        divergent: bool,
        span: Span,
    ) -> Lowered<Carry<'a>> {
        let mut slots = Vec::new();
        for (&param, &neutral) in lambda.params.iter().zip(neutral) {
            let kind = if divergent { Variance::Varying } else { self.variance(param) };
            slots.push(self.slot(param, kind, neutral, span)?);
        }
        let start = self.values(neutral).into_iter().map(Carried::Scalar).collect();
        self.assign(&slots, start, span)?;
        Ok(Carry { lambda, slots })
    }

    /// Applies the operator to the carried values and to new ones; returns the carried values before and after.
    fn step(&mut self, carry: &Carry<'a>, inputs: &[Value]) -> Lowered<(Vec<Value>, Vec<Value>)> {
        let (accs, elems) = carry.lambda.params.split_at(carry.slots.len());
        for (&var, &slot) in accs.iter().zip(&carry.slots) {
            self.bind_slot(var, slot);
        }
        for (&var, &value) in elems.iter().zip(inputs) {
            self.bind(var, value);
        }
        let before = accs.iter().map(|&var| self.value(var)).collect();
        let after = self.scalar_body(&carry.lambda.body)?;
        Ok((before, after))
    }

    fn carry_on(
        &mut self,
        carry: &Carry<'a>,
        values: Vec<Value>,
        live: Option<Reg>,
        span: Span,
    ) -> Lowered<()> {
        let values: Vec<Carried> = values.into_iter().map(Carried::Scalar).collect();
        match live {
            Some(live) => {
                self.merge(live, &carry.slots, &values);
                Ok(())
            }
            None => self.assign(&carry.slots, values, span),
        }
    }

    /// Stores the elements of a scan's array results: scanned values and further values, passed through `post`.
    pub fn store_scanned(
        &mut self,
        arrays: &[Var],
        space: &[SegDim],
        scanned: Vec<Value>,
        further: &[CoreOperand],
        post: Option<&'a Lambda>,
        span: Span,
    ) -> Lowered<()> {
        let Some(post) = post else {
            let (scans, others) = arrays.split_at(scanned.len());
            let indices: Vec<Value> = space.iter().map(|dim| self.value(dim.index)).collect();
            for (&array, value) in scans.iter().zip(scanned) {
                let view = self.view(array, span)?;
                self.store(&view, &indices, value);
            }
            return self.store_points(others, space, further, span);
        };
        let (scan_params, others) = post.params.split_at(scanned.len());
        for (&param, value) in scan_params.iter().zip(scanned) {
            self.bind(param, value);
        }
        for (&param, &value) in others.iter().zip(further) {
            if !self.is_array(param) {
                let value = self.value(value);
                self.bind(param, value);
            }
        }
        self.stms(&post.body)?;
        self.store_points(arrays, space, &post.body.result, span)
    }

    fn seq_partition(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        last: &'a SegDim,
        classes: usize,
    ) -> Lowered<()> {
        let (sizes, arrays) = stm.pattern.split_at(classes);
        let mut counts = Vec::new();
        for &size in sizes {
            let kind = if self.width() > 1 { Variance::Varying } else { Variance::Uniform };
            let slot = self.slot(size, kind, CoreOperand::i64(0), stm.span)?;
            self.assign(&[slot], vec![Carried::Scalar(Value::constant(Scalar::I64(0)))], stm.span)?;
            self.bind_slot(size, slot);
            counts.push(slot);
        }
        let values = op.body.result.len() - classes;
        self.seq_dim(last, &mut |this, _| {
            this.stms(&op.body)?;
            let conds = this.values(&op.body.result[..classes]);
            let mut free = Value::constant(true.into());
            for class in 0..classes {
                let joins = this.and(conds[class], free);
                let dests = &arrays[class * values..(class + 1) * values];
                this.guarded(joins, &mut |this| {
                    let count = this.value(sizes[class]);
                    for (&dest, &value) in dests.iter().zip(&op.body.result[classes..]) {
                        let view = this.view(dest, stm.span)?;
                        let row = this.row(&view, &[count]);
                        this.put(&row, value, stm.span)?;
                    }
                    let next = this.binary(BinaryOp::Add, count, Value::constant(Scalar::I64(1)));
                    this.carry_masked(counts[class], next, stm.span)
                })?;
                let not = this.unary(warpwise_prim::UnaryOp::Not, conds[class]);
                free = this.and(free, not);
            }
            Ok(())
        })
    }

    /// Returns `x && y`, without code where one operand is known to be true.
    pub fn and(&mut self, x: Value, y: Value) -> Value {
        let always = Value::constant(true.into());
        if x == always {
            return y;
        }
        if y == always {
            return x;
        }
        self.binary(BinaryOp::And, x, y)
    }

    /// Sets a slot in the lanes that run.
    fn carry_masked(&mut self, slot: Slot, value: Value, span: Span) -> Lowered<()> {
        match (self.mask(), slot) {
            (Mask::Some(mask) | Mask::Prefix { mask, .. }, Slot::Scalar(_, Variance::Varying)) => {
                self.merge(mask, &[slot], &[Carried::Scalar(value)]);
                Ok(())
            }
            _ => self.assign(&[slot], vec![Carried::Scalar(value)], span),
        }
    }

    /// Runs `body` in the lanes in which the condition holds.
    pub fn guarded(&mut self, cond: Value, body: &mut dyn FnMut(&mut Self) -> Lowered<()>) -> Lowered<()> {
        if cond == Value::constant(true.into()) {
            return body(self);
        }
        let (cond, mask) = match cond {
            Value::Uniform(x) => (x, None),
            Value::Linear { .. } | Value::Varying(_) => {
                let (mask, _) = self.split_mask(cond);
                let any = self.code.reg("any", ImpType::scalar(ScalarType::Bool));
                self.code.emit(Op::Any { dst: any, mask: mask.into() });
                (any.into(), Some(mask))
            }
        };
        self.when(cond, |this| match mask {
            None => body(this),
            Some(mask) => this.with_mask(Mask::Some(mask), |this| body(this)),
        })
    }

    /// Stores the results of one point of a scatter.
    pub fn scatter_point(
        &mut self,
        dests: &[ScatterDest],
        results: &[CoreOperand],
        span: Span,
    ) -> Lowered<()> {
        let mut taken = 0;
        for dest in dests {
            let indices = self.values(&results[taken..taken + dest.rank]);
            let value = results[taken + dest.rank];
            taken += dest.rank + 1;
            if dest.segments {
                self.store_segment(dest.array, results[taken - 2], value, span)?;
                continue;
            }
            let view = self.view(dest.array, span)?;
            let inside = self.in_bounds(&view, &indices);
            self.guarded(inside, &mut |this| {
                let row = this.row(&view, &indices);
                this.put(&row, value, span)
            })?;
        }
        Ok(())
    }

    /// Stores rows of an array from `first` on, unless they are already there.
    fn store_segment(
        &mut self,
        array: Var,
        first: CoreOperand,
        value: CoreOperand,
        span: Span,
    ) -> Lowered<()> {
        let CoreOperand::Var(segment) = value else { return Ok(()) };
        if self.lies_at_segment(segment, array, first) {
            return Ok(());
        }
        let view = self.view(array, span)?;
        let first = self.value(first);
        let mut part = self.row(&view, &[first]);
        let rows = self.view(segment, span)?.extents[0];
        part.extents.insert(0, rows);
        part.strides.insert(0, view.strides[0]);
        self.put(&part, value, span)
    }

    /// Emits whether leading indices are within an array's extents.
    pub fn in_bounds(&mut self, view: &View, indices: &[Value]) -> Value {
        let mut inside = Value::constant(true.into());
        for (&index, &extent) in indices.iter().zip(&view.extents) {
            // A negative index is a large unsigned number.
            let below = self.compare(CompareOp::ULt, index, extent);
            inside = self.and(inside, below);
        }
        inside
    }

    /// Combines the results of one point into histograms.
    pub fn hist_point(&mut self, ops: &'a [HistOp], results: &[CoreOperand], span: Span) -> Lowered<()> {
        let mut taken = 0;
        for op in ops {
            let indices = self.values(&results[taken..taken + op.rank]);
            let values = self.values(&results[taken + op.rank..taken + op.rank + op.dests.len()]);
            taken += op.rank + op.dests.len();
            let mut views = Vec::new();
            for &dest in &op.dests {
                views.push(self.view(dest, span)?);
            }
            let Some(first) = views.first() else { continue };
            let inside = self.in_bounds(first, &indices);
            self.guarded(inside, &mut |this| this.combine_into(&op.op, &views, &indices, &values, span))?;
        }
        Ok(())
    }

    /// Combines values with one element of each view by an operator.
    pub fn combine_into(
        &mut self,
        op: &'a Lambda,
        views: &[View],
        indices: &[Value],
        values: &[Value],
        span: Span,
    ) -> Lowered<()> {
        if views.iter().any(|view| view.extents.len() > indices.len()) {
            return self.limit(span, "histograms of arrays; combine scalars, or use a loop");
        }
        let old: Vec<Value> = views.iter().map(|view| self.load(view, indices)).collect();
        let args: Vec<Value> = old.into_iter().chain(values.iter().copied()).collect();
        let new = self.apply(op, &args)?;
        for (view, value) in views.iter().zip(new) {
            self.store(view, indices, value);
        }
        Ok(())
    }

    /// Returns the results of a lambda on scalars.
    pub fn apply(&mut self, lambda: &'a Lambda, args: &[Value]) -> Lowered<Vec<Value>> {
        for (&param, &arg) in lambda.params.iter().zip(args) {
            self.bind(param, arg);
        }
        self.scalar_body(&lambda.body)
    }
}

/// The values that an operator carries along a sequential dimension.
struct Carry<'a> {
    lambda: &'a Lambda,
    slots: Vec<Slot>,
}
