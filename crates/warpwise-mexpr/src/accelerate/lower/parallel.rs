//! `loop n f`: iterations in any order.
//!
//! The body is lowered once only for its accesses, which determine the form of the loop:
//! ```text
//! loop n (lam i. tensorSetExn t [i, k] (f i))       every access of `t` has the loop's index in one dimension:
//!                                                   each iteration owns its part, and a map yields the parts
//! loop n (lam i. tensorSetExn t [get s i] x)        `t` is only written, a bounded number of times by each iteration, in one place
//!                                                   of the code, or where values say: a map yields indices and values, a scatter writes them
//! loop n (lam i. tensorSetExn t [i] (tensorGetExn t [addi i 1]))        in order, and a note says so
//! ```
//! An index counts as the loop's own if it is the loop's index, or that index plus a summand that is the same for all iterations.
//! Of an owned part the iterations yield only what they write: the parts of inner loops form a window of the buffer, which is
//! overwritten at once. Buffers that the loop only reads are free variables of the map. Of scattered values with equal indices
//! the last one counts, as it does in order.

use std::collections::BTreeSet;

use warpwise_diag::{Failure, Span};
use warpwise_ir::entity::Entity;
use warpwise_ir::sizes::SizeOp;
use warpwise_ir::{
    Body, Expr as Ir, Lambda, Operand, Scatter, ScatterDest, Screma, SliceDim, Stm, Type, Var,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::memory::{Access, Around, Contents, Part, Probe, Slot, is_whole};
use super::value::{Data, Shape, Value};
use super::{Lowerer, Note};

/// The way in which the iterations of a loop share a buffer that they write.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Mode {
    /// Each iteration owns one index of dimension `dim`: its number plus `start`. `is_inside` means that all these indices are
    /// inside the buffer, as when every iteration makes an access, which is checked. `depth` is the smallest number of inner
    /// loops around a write that no choice and no sequential loop guards.
    Owned { dim: usize, start: Operand, is_inside: bool, depth: Option<usize> },
    /// The iterations only write.
    Scattered,
}

/// The form that a loop takes.
enum Plan {
    Parallel(Vec<(usize, Mode)>),
    /// A sequential loop, with the reason and its position.
    InOrder(String, Span),
}

/// The part of a buffer that one iteration yields, as results of the map.
enum Left {
    Nothing,
    /// The parts of the dimensions that the iteration does not fix.
    Window(Vec<Part>),
    Slots(Vec<Slot>),
}

impl Lowerer<'_, '_> {
    /// Lowers `loop n f`.
    pub(super) fn parallel_loop(&mut self, n: Operand, f: &Value, span: Span) -> Result<Data, Failure> {
        let width = self.width(n);
        if self.memory.is_probing() {
            self.iteration(width, f, span)?;
            return Ok(unit());
        }
        match self.plan(width, f, span)? {
            Plan::Parallel(modes) => self.in_parallel(width, f, &modes, span)?,
            Plan::InOrder(reason, at) => {
                if !self.counting_loop(width, f, span)? {
                    self.notes.push(Note { span, reason, at });
                    self.loop_in_order(n, f, span)?;
                }
            }
        }
        Ok(unit())
    }

    /// Returns the number of iterations, which is 0 if `n` is negative.
    pub(super) fn width(&mut self, n: Operand) -> Operand {
        let is_extent = |buffer: &super::memory::Buffer| buffer.extents.contains(&n);
        let is_known = match n {
            Operand::Const(Scalar::I64(n)) => n >= 0,
            Operand::Const(_) => true,
            Operand::Var(_) => self.memory.buffers.iter().any(is_extent),
        };
        if is_known {
            return n;
        }
        let width = self.b.binary("n", BinaryOp::SMax, n, Operand::i64(0));
        if let Some(var) = width.as_var() {
            self.clamped.insert(var, n);
        }
        width
    }

    /// Lowers the body for an arbitrary index; returns the index.
    fn iteration(&mut self, width: Operand, f: &Value, span: Span) -> Result<Var, Failure> {
        let index = self.b.function.fresh("i", Type::I64);
        self.loop_indices.insert(index);
        self.memory.around.push(Around::Parallel(width));
        let result = self.call(f.clone(), vec![Value::Data(Data::int(index))], &no_value(), span);
        self.memory.around.pop();
        result.map(|_| index)
    }

    /// Records the accesses of an iteration; its code is dropped.
    pub(super) fn probe(&mut self, width: Operand, f: &Value, span: Span) -> Result<(Probe, Var), Failure> {
        let before = (self.memory.buffers.clone(), self.memory.log.clone());
        let (calls, written_out) = (self.calls, self.written_out.clone());
        // The recording loop itself surrounds every access that it records.
        let depth = self.memory.around.len() + 1;
        self.memory.probes.push(Probe { depth, accesses: Vec::new(), prints: false });
        let result = self.nested(|this| this.iteration(width, f, span));
        let probe = self.memory.probes.pop();
        (self.memory.buffers, self.memory.log) = before;
        (self.calls, self.written_out) = (calls, written_out);
        let (_, index) = result?;
        match probe {
            Some(probe) => Ok((probe, index)),
            None => self.limit("this loop", span),
        }
    }

    fn plan(&mut self, width: Operand, f: &Value, span: Span) -> Result<Plan, Failure> {
        let (probe, index) = self.probe(width, f, span)?;
        if probe.prints {
            return Ok(Plan::InOrder("it prints".to_string(), span));
        }
        let written: BTreeSet<usize> =
            probe.accesses.iter().filter(|access| access.is_write).map(|access| access.buffer).collect();
        let mut modes = Vec::new();
        for buffer in written {
            let accesses: Vec<&Access> =
                probe.accesses.iter().filter(|access| access.buffer == buffer).collect();
            match self.mode(buffer, &accesses, index, width) {
                Ok(mode) => modes.push((buffer, mode)),
                Err((reason, at)) => return Ok(Plan::InOrder(reason.to_string(), at)),
            }
        }
        Ok(Plan::Parallel(modes))
    }

    /// Returns how the iterations share a buffer; or the reason why they must run in order, and its position.
    fn mode(
        &self,
        buffer: usize,
        accesses: &[&Access],
        index: Var,
        width: Operand,
    ) -> Result<Mode, (&'static str, Span)> {
        let it = &self.memory.buffers[buffer];
        for dim in it.free() {
            let mut starts = accesses.iter().map(|access| self.distance(access.index[dim], index));
            let first = starts.next().flatten();
            if let Some(start) = first
                && starts.all(|other| other == Some(start))
            {
                let is_all = is_whole(&Part { dim, start, len: width }, it);
                let is_inside = is_all || accesses.iter().any(|access| is_certain(access));
                let depths =
                    accesses.iter().filter(|access| access.is_write).filter_map(|access| depth(access));
                return Ok(Mode::Owned { dim, start, is_inside, depth: depths.min() });
            }
        }
        if let Some(read) = accesses.iter().find(|access| !access.is_write) {
            return Err(("what is read here may be what another iteration writes", read.span));
        }
        if it.free().is_empty() {
            return Err(("all iterations write this place", accesses[0].span));
        }
        let is_bounded = |access: &Access| {
            let mut is_choice = false;
            access.within.iter().all(|around| match around {
                // A value made on one side of a choice inside a loop has no counterpart on the other side.
                Around::Parallel(width) => !is_choice && self.is_before(*width, index),
                Around::Sequential => false,
                Around::Choice => {
                    is_choice = true;
                    true
                }
            })
        };
        // Writes at several places of the code do not happen in the order of the iterations.
        let moves = |access: &Access| access.index.iter().any(|at| self.moves_with(*at, index));
        if let [_, .., last] = accesses
            && accesses.iter().any(|access| moves(access))
        {
            return Err(("what is written here may be what another iteration writes elsewhere", last.span));
        }
        match accesses.iter().find(|access| !is_bounded(access)) {
            Some(write) => Err(("how often this is written, an inner loop decides", write.span)),
            None => Ok(Mode::Scattered),
        }
    }

    /// Returns whether an index is computed from the iteration number of this loop or of an inner one, rather than looked up.
    fn moves_with(&self, operand: Operand, index: Var) -> bool {
        let Some(var) = operand.as_var() else { return false };
        if let Some((last, other)) = self.sums.get(&var) {
            return self.moves_with((*last).into(), index) || self.moves_with(*other, index);
        }
        if let Some((x, y)) = self.products.get(&var) {
            return self.moves_with(*x, index) || self.moves_with(*y, index);
        }
        self.loop_indices.contains(&var) && var.index() >= index.index()
    }

    /// Returns the distance of an operand from the loop's index, if it is the same for all iterations.
    fn distance(&self, operand: Operand, index: Var) -> Option<Operand> {
        let var = operand.as_var()?;
        if var == index {
            return Some(Operand::i64(0));
        }
        let (base, distance) = self.sums.get(&var)?;
        (*base == index && self.is_before(*distance, index)).then_some(*distance)
    }

    /// Returns whether an operand is bound before a variable, or is a clamped number of iterations that comes from such an
    /// operand.
    fn is_before(&self, operand: Operand, var: Var) -> bool {
        match operand.as_var() {
            None => true,
            Some(own) if own.index() < var.index() => true,
            Some(own) => self.clamped.get(&own).is_some_and(|n| self.is_before(*n, var)),
        }
    }

    fn in_parallel(
        &mut self,
        width: Operand,
        f: &Value,
        modes: &[(usize, Mode)],
        span: Span,
    ) -> Result<(), Failure> {
        for buffer in 0..self.memory.buffers.len() {
            if matches!(self.memory.buffers[buffer].contents, Contents::Window(..)) {
                self.settle(buffer);
            }
        }
        let before = self.memory.buffers.clone();
        let index = self.b.function.fresh("i", Type::I64);
        self.memory.around.push(Around::Parallel(width));
        let made = self.nested(|this| {
            modes.iter().for_each(|(buffer, mode)| this.enter_part(*buffer, *mode, index));
            this.call(f.clone(), vec![Value::Data(Data::int(index))], &no_value(), span)?;
            let mut results = Vec::new();
            let left = modes.iter().map(|(buffer, _)| this.leave(*buffer, index, &mut results));
            Ok((left.collect::<Vec<_>>(), results))
        });
        self.memory.around.pop();
        self.memory.buffers = before;
        let (mut stms, (left, mut results)) = made?;
        if stms.is_empty() && results.is_empty() {
            return Ok(());
        }
        for operand in left.iter().flat_map(Left::sizes) {
            let is_outside = operand.as_var().is_none_or(|var| self.hoist(&mut stms, &[index], var));
            if !is_outside {
                return self.limit(
                    "an inner loop whose length each iteration decides, around scattered writes",
                    span,
                );
            }
        }
        if results.is_empty() {
            // An expression that may fail is computed even if its value is not used.
            results.push(Operand::bool(true));
        }
        let map = Lambda { params: vec![index], body: Body { stms, result: results } };
        let indices = self.indices(width);
        let inputs = indices.leaves.iter().filter_map(|leaf| leaf.as_var()).collect();
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        let mut arrays = self.b.bind("rows", Ir::Screma(Box::new(screma))).into_iter();
        for ((buffer, mode), left) in modes.iter().zip(left) {
            self.put_back(*buffer, *mode, width, left, &mut arrays);
        }
        Ok(())
    }

    /// Sets a buffer to the view that one iteration has of it.
    fn enter_part(&mut self, buffer: usize, mode: Mode, index: Var) {
        let mut it = self.memory.buffers[buffer].clone();
        match mode {
            Mode::Owned { dim, start, is_inside, depth: _ } => {
                let own = match start {
                    Operand::Const(Scalar::I64(0)) => index.into(),
                    start => self.b.binary("at", BinaryOp::Add, index, start),
                };
                if let Contents::Array(array) = it.contents {
                    (it.base, it.base_dims) = (array, it.free());
                    it.contents = Contents::Base;
                    it.guard = None;
                }
                if !is_inside {
                    let low = self.b.compare("low", CompareOp::SLe, Operand::i64(0), own);
                    let high = self.b.compare("high", CompareOp::SLt, own, it.extents[dim]);
                    let inside = self.b.binary("inside", BinaryOp::And, low, high);
                    it.guard = Some(match it.guard {
                        Some(outer) => self.b.binary("inside", BinaryOp::And, outer, inside),
                        None => inside,
                    });
                }
                it.fixed[dim] = Some(own);
            }
            Mode::Scattered => it.contents = Contents::Pending(Vec::new()),
        }
        self.memory.buffers[buffer] = it;
    }

    /// Returns the part of a buffer that an iteration yields; its values are results of the map.
    fn leave(&mut self, buffer: usize, index: Var, results: &mut Vec<Operand>) -> Left {
        let it = self.memory.buffers[buffer].clone();
        match it.contents {
            Contents::Base => Left::Nothing,
            Contents::Scalar(value) => {
                results.push(value);
                Left::Window(Vec::new())
            }
            Contents::Window(parts, values) if self.are_outside(&parts, index) => {
                results.push(values.into());
                Left::Window(parts)
            }
            Contents::Array(_) | Contents::Window(..) => {
                results.push(self.settle(buffer).into());
                Left::Window(Vec::new())
            }
            Contents::Pending(slots) => {
                results.extend(slots.iter().flat_map(|slot| slot.leaves.clone()));
                Left::Slots(slots)
            }
        }
    }

    /// Returns whether the bounds of parts are, or can be, computed outside the iteration.
    fn are_outside(&mut self, parts: &[Part], index: Var) -> bool {
        let stms = self.b.take_stms();
        let is_outside = |operand: Operand| operand.as_var().is_none_or(|var| can_hoist(&stms, index, var));
        let are = parts.iter().all(|part| is_outside(part.start) && is_outside(part.len));
        self.b.extend(stms);
        are
    }

    /// Writes the parts that all iterations yield back into a buffer.
    fn put_back(
        &mut self,
        buffer: usize,
        mode: Mode,
        width: Operand,
        left: Left,
        arrays: &mut impl Iterator<Item = Var>,
    ) {
        match (left, mode) {
            (Left::Nothing, _) => {}
            (Left::Window(mut parts), Mode::Owned { dim, start, is_inside, depth }) => {
                let Some(mut values) = arrays.next() else { return };
                let mut part = Part { dim, start, len: width };
                // Each part so far belongs to a loop around all writes. If all these loops have iterations, every iteration
                // writes and so is inside, or has failed. If one has none, the window is empty and may lie anywhere.
                if !is_inside && depth != Some(parts.len()) {
                    (part, values) = self.part_inside(buffer, part, values);
                }
                parts.push(part);
                let free = self.memory.buffers[buffer].free();
                let values =
                    self.outermost_to(values, free.iter().position(|free| *free == dim).unwrap_or(0));
                self.overwrite(buffer, parts, values);
            }
            (Left::Slots(slots), _) => slots.into_iter().for_each(|slot| {
                let leaves = slot.leaves.iter().filter_map(|_| arrays.next()).map(Operand::from).collect();
                let extents = std::iter::once(width).chain(slot.extents).collect();
                self.put_slot(buffer, Slot { extents, leaves });
            }),
            (Left::Window(_), Mode::Scattered) => {}
        }
    }

    /// Restricts a part to the inside of the buffer; returns it with its values.
    fn part_inside(&mut self, buffer: usize, part: Part, values: Var) -> (Part, Var) {
        let (zero, extent) = (Operand::i64(0), self.memory.buffers[buffer].extents[part.dim]);
        let start = self.b.binary("from", BinaryOp::SMax, part.start, zero);
        let end = self.sum(part.start, part.len);
        let end = self.b.binary("to", BinaryOp::SMin, end, extent);
        let len = self.b.binary("len", BinaryOp::Sub, end, start);
        let len = self.b.binary("len", BinaryOp::SMax, len, zero);
        let skipped = self.b.binary("skipped", BinaryOp::Sub, start, part.start);
        let shape = self.b.function.ty(values).shape()[1..].to_vec();
        let first = SliceDim::Range { start: skipped, len, stride: Operand::i64(1) };
        let dims = std::iter::once(first).chain(shape.into_iter().map(SliceDim::whole)).collect();
        let values = self.b.slice("inside", values, dims);
        (Part { start, len, ..part }, values)
    }

    /// Moves the outermost dimension of an array inwards.
    fn outermost_to(&mut self, array: Var, position: usize) -> Var {
        if position == 0 {
            return array;
        }
        let rank = self.b.function.ty(array).rank();
        let inner = 1..rank;
        let mut perm: Vec<usize> = inner.collect();
        perm.insert(position, 0);
        self.b.bind_one("rows", Ir::Rearrange { array, perm })
    }

    /// Overwrites parts of a buffer whose contents are an array or as before the loop.
    fn overwrite(&mut self, buffer: usize, parts: Vec<Part>, values: Var) {
        let it = self.memory.buffers[buffer].clone();
        let contents = match it.contents {
            Contents::Array(array) => {
                let array = self.overwritten(&it, array, &parts, values);
                Contents::Array(array)
            }
            Contents::Base | Contents::Window(..) | Contents::Scalar(_) | Contents::Pending(_) => {
                Contents::Window(parts, values)
            }
        };
        self.memory.written.insert(buffer);
        self.memory.buffers[buffer].contents = contents;
    }

    /// Writes scattered values, or passes them to the surrounding loop.
    fn put_slot(&mut self, buffer: usize, slot: Slot) {
        if let Contents::Pending(slots) = &mut self.memory.buffers[buffer].contents {
            return slots.push(slot);
        }
        let array = self.settle(buffer);
        let (mut count, mut certs) = (Operand::i64(1), Vec::new());
        for extent in &slot.extents {
            let (product, cert) = self.size(SizeOp::Mul, count, *extent);
            count = product;
            certs.extend(cert);
        }
        let mut inputs = Vec::new();
        for leaf in slot.leaves.iter().filter_map(|leaf| leaf.as_var()) {
            inputs.push(match slot.extents.len() {
                1 => leaf,
                _ => {
                    let flat = Ir::Reshape { array: leaf, shape: [count].into_iter().collect() };
                    self.b.with_certs(&certs, |b| b.bind_one("flat", flat))
                }
            });
        }
        let types: Vec<Type> =
            inputs.iter().filter_map(|input| self.b.function.ty(*input).elem()).map(Type::Scalar).collect();
        let rank = types.len() - 1;
        let lambda = self.b.identity(&types);
        let dests = vec![ScatterDest::at(array, rank)];
        let scatter = Scatter { width: count, inputs, lambda, dests };
        let array = self.b.bind_one("m", Ir::Scatter(Box::new(scatter)));
        self.memory.written.insert(buffer);
        self.memory.buffers[buffer].contents = Contents::Array(array);
    }

    /// Returns a product, without factors that are 1.
    pub(super) fn product(&mut self, x: Operand, y: Operand) -> Operand {
        let one = Operand::i64(1);
        if x == one {
            return y;
        }
        if y == one {
            return x;
        }
        let product = self.b.binary("n", BinaryOp::Mul, x, y);
        self.products.extend(product.as_var().map(|product| (product, (x, y))));
        product
    }

    /// Returns a sum, without summands that are 0; its summands are remembered.
    pub(super) fn sum(&mut self, x: Operand, y: Operand) -> Operand {
        let zero = Operand::i64(0);
        if x == zero {
            return y;
        }
        if y == zero {
            return x;
        }
        let sum = self.b.binary("at", BinaryOp::Add, x, y);
        self.note_sum(sum, x, y);
        sum
    }

    /// Remembers the summands of a sum.
    pub(super) fn note_sum(&mut self, sum: Operand, x: Operand, y: Operand) {
        let Some(sum) = sum.as_var() else { return };
        let later = |a: Operand, b: Operand| match (a.as_var(), b.as_var()) {
            (Some(a), Some(b)) => a.index() > b.index(),
            (Some(_), None) => true,
            (None, _) => false,
        };
        // If a summand is the loop's index, it is the one bound last.
        let (last, other) = if later(x, y) { (x, y) } else { (y, x) };
        if let Some(last) = last.as_var() {
            self.sums.insert(sum, (last, other));
        }
    }
}

impl Left {
    /// Returns the operands that must be known outside of the iteration.
    fn sizes(&self) -> Vec<Operand> {
        match self {
            Left::Nothing => Vec::new(),
            Left::Window(parts) => parts.iter().flat_map(|part| [part.start, part.len]).collect(),
            Left::Slots(slots) => slots.iter().flat_map(|slot| slot.extents.clone()).collect(),
        }
    }
}

/// Returns whether every iteration makes an access.
fn is_certain(access: &Access) -> bool {
    access.within.iter().all(|around| match around {
        Around::Parallel(width) => matches!(width, Operand::Const(Scalar::I64(width)) if *width > 0),
        Around::Sequential | Around::Choice => false,
    })
}

/// Returns the number of loops around an access, if only loops determine whether it is made.
fn depth(access: &Access) -> Option<usize> {
    let are_loops = access.within.iter().all(|around| matches!(around, Around::Parallel(_)));
    are_loops.then_some(access.within.len())
}

/// Returns whether a variable is bound outside some statements, or could be.
fn can_hoist(stms: &[Stm], index: Var, var: Var) -> bool {
    if var == index {
        return false;
    }
    let Some(stm) = stms.iter().find(|stm| stm.pattern.contains(&var)) else {
        return var.index() < index.index();
    };
    let operands = match &stm.expr {
        Ir::Operand(x) | Ir::Unary(_, x) | Ir::Convert(_, x, _) => vec![*x],
        Ir::Binary(_, x, y) | Ir::Compare(_, x, y) => vec![*x, *y],
        Ir::Select(c, x, y) => vec![*c, *x, *y],
        _ => return false,
    };
    stm.certs.is_empty()
        && operands.into_iter().filter_map(Operand::as_var).all(|var| can_hoist(stms, index, var))
}

/// Returns `()`.
pub(super) fn unit() -> Data {
    Data::record(Vec::new())
}

/// Returns the type `()`.
pub(super) fn no_value() -> Shape {
    Shape::Record(Vec::new())
}
