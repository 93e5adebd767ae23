//! `loop n f`: iterations in any order.
//!
//! The body is lowered once only for its accesses, which determine the form of the loop:
//! ```text
//! loop n (lam i. tensorSetExn t [i, k] (f i))       every access of `t` has the loop's index in one dimension:
//!                                                   each iteration owns its part, and a map yields the parts
//! loop n (lam i. tensorSetExn t [get s i] x)        `t` is only written, a bounded number of times by each iteration: a map yields
//!                                                   indices and values, a scatter writes them
//! loop n (lam i. tensorSetExn t [i] (tensorGetExn t [addi i 1]))        in order, and a note says so
//! ```
//! An index counts as the loop's own if it is the loop's index, or that index plus a summand that is the same for all iterations.
//! Of an owned part the iterations yield only what they write: the parts of inner loops form a window of the buffer, which is
//! overwritten at once. Buffers that the loop only reads are free variables of the map. [`super::windows`] writes the windows,
//! [`super::scatter`] scattered values, and [`super::outside`] checks the iterations that own nothing, because their indices are
//! outside of the buffer. If lowering a body shows that an inner loop needs order where this loop scatters, the loop is lowered
//! again, to run in order.

use std::collections::BTreeSet;

use warpwise_diag::{Failure, Span};
use warpwise_ir::entity::Entity;
use warpwise_ir::{Body, Expr as Ir, Lambda, Operand, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use super::memory::{Access, Around, Contents, Part, Probe, Slot, is_whole};
use super::value::{Data, Shape, Value};
use super::{Lowerer, Note};

/// The way in which the iterations of a loop share a buffer that they write.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Mode {
    /// Each iteration owns one index of dimension `dim`: its number plus `start`. `is_inside` means that all these indices are
    /// inside the buffer, as when every iteration makes an access, which is checked. `depth` is the smallest number of inner
    /// loops around a write that no choice and no sequential loop guards. `witness` is the first access.
    Owned { dim: usize, start: Operand, is_inside: bool, depth: Option<usize>, witness: Witness },
    /// The iterations only write.
    Scattered,
}

/// The first access of a loop to a buffer that each iteration makes.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Witness {
    pub(super) span: Span,
    /// The components of its index that are the same for all iterations.
    pub(super) index: Vec<Option<Operand>>,
    /// Whether all accesses are by indices of the whole tensor, rather than through views or by position.
    pub(super) is_plain: bool,
}

/// The form that a loop takes.
enum Plan {
    Parallel(Vec<(usize, Mode)>),
    /// A sequential loop, with the reason and its position.
    InOrder(&'static str, Span),
}

/// The reason why a loop that reads what it writes runs in order.
pub(super) const READS_WRITTEN: &str = "what is read here may be what another iteration writes";

/// The part of a buffer that one iteration yields, as results of the map.
pub(super) enum Left {
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
        let (reason, at) = match self.plan(width, f, span)? {
            Plan::Parallel(modes) => match self.try_in_parallel(width, f, &modes, span)? {
                None => return Ok(unit()),
                Some(cause) => cause,
            },
            Plan::InOrder(reason, at) => (reason, at),
        };
        if !self.counting_loop(width, f, span)? {
            let note = Note { span, reason: reason.to_string(), at };
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
            self.loop_in_order(n, f, span)?;
        }
        Ok(unit())
    }

    /// Lowers a parallel loop. If its body turns out to need order, nothing is lowered, and the reason is returned with its
    /// position.
    fn try_in_parallel(
        &mut self,
        width: Operand,
        f: &Value,
        modes: &[(usize, Mode)],
        span: Span,
    ) -> Result<Option<(&'static str, Span)>, Failure> {
        let buffers = self.memory.buffers.clone();
        let (log, clamped) = (self.memory.log.clone(), self.memory.clamped.clone());
        let (calls, written_out, n_notes) = (self.calls, self.written_out.clone(), self.notes.len());
        let Err(failure) = self.in_parallel(width, f, modes, span) else { return Ok(None) };
        let Some(cause) = self.in_order.take() else { return Err(failure) };
        (self.memory.buffers, self.memory.log, self.memory.clamped) = (buffers, log, clamped);
        (self.calls, self.written_out) = (calls, written_out);
        self.notes.truncate(n_notes);
        Ok(Some(cause))
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
            return Ok(Plan::InOrder("it prints", span));
        }
        let written: BTreeSet<usize> =
            probe.accesses.iter().filter(|access| access.is_write).map(|access| access.buffer).collect();
        let mut modes = Vec::new();
        for buffer in written {
            let accesses: Vec<&Access> =
                probe.accesses.iter().filter(|access| access.buffer == buffer).collect();
            match self.mode(buffer, &accesses, index, width) {
                Ok(mode) => modes.push((buffer, mode)),
                Err((reason, at)) => return Ok(Plan::InOrder(reason, at)),
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
        // What is scattered is passed to the outer loop with all its indices, so no iteration can own a part of it.
        let is_pending = matches!(it.contents, Contents::Pending(_));
        for dim in it.free().into_iter().filter(|_| !is_pending) {
            let mut starts = accesses.iter().map(|access| self.distance(access.index[dim], index));
            let first = starts.next().flatten();
            if let Some(start) = first
                && starts.all(|other| other == Some(start))
            {
                let is_all = is_whole(&Part { dim, start, len: width, is_clamped: false }, it);
                let is_inside = is_all || accesses.iter().any(|access| is_certain(access));
                let depths =
                    accesses.iter().filter(|access| access.is_write).filter_map(|access| depth(access));
                let is_made = |access: &&&Access| is_certain(access) || depth(access).is_some();
                let access = accesses.iter().find(is_made).unwrap_or(&accesses[0]);
                let is_plain = accesses.iter().all(|access| access.is_plain);
                let is_same = |at: &Operand| at.as_var().is_none_or(|var| var.index() < index.index());
                let index = access.index.iter().map(|at| Some(*at).filter(is_same)).collect();
                let witness = Witness { span: access.span, index, is_plain };
                return Ok(Mode::Owned { dim, start, is_inside, depth: depths.min(), witness });
            }
        }
        if let Some(read) = accesses.iter().find(|access| !access.is_write) {
            return Err((READS_WRITTEN, read.span));
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
        match accesses.iter().find(|access| !is_bounded(access)) {
            Some(write) => Err(("how often this is written, an inner loop decides", write.span)),
            None => Ok(Mode::Scattered),
        }
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
        let outer_clamped = std::mem::take(&mut self.memory.clamped);
        let index = self.b.function.fresh("i", Type::I64);
        self.memory.around.push(Around::Parallel(width));
        let made = self.nested(|this| {
            this.begin_checks();
            modes.iter().for_each(|(buffer, mode)| this.enter_part(*buffer, mode, index));
            this.call(f.clone(), vec![Value::Data(Data::int(index))], &no_value(), span)?;
            let mut results = Vec::from_iter(this.checks_passed());
            let left = modes.iter().map(|(buffer, _)| this.leave(*buffer, index, &mut results));
            Ok((left.collect::<Vec<_>>(), results))
        });
        self.memory.around.pop();
        self.memory.buffers = before;
        let (mut stms, (left, mut results)) = made?;
        if stms.is_empty() && results.is_empty() {
            self.memory.clamped = outer_clamped;
            return Ok(());
        }
        for operand in left.iter().flat_map(Left::sizes) {
            let is_outside = operand.as_var().is_none_or(|var| self.hoist(&mut stms, &[index], var));
            if !is_outside {
                return self.needs_order("each iteration decides how often an inner loop writes", span);
            }
        }
        let inner = self.hoist_clamped(&mut stms, index);
        let own = modes.iter().zip(&left).filter_map(|(mode, left)| self.clamps(mode, left, width)).collect();
        if results.is_empty() {
            // An expression that may fail is computed even if its value is not used.
            results.push(Operand::bool(true));
        }
        let map = Lambda { params: vec![index], body: Body { stms, result: results } };
        self.memory.clamped = outer_clamped;
        self.put_all_back(width, f, modes, (map, left), (inner, own), span)
    }

    /// Sets a buffer to the view that one iteration has of it.
    pub(super) fn enter_part(&mut self, buffer: usize, mode: &Mode, index: Var) {
        let mut it = self.memory.buffers[buffer].clone();
        match mode {
            &Mode::Owned { dim, start, is_inside, .. } => {
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
                let slots = self.in_turn(slots);
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

    /// Returns a product, without factors that are 1.
    pub(super) fn product(&mut self, x: Operand, y: Operand) -> Operand {
        let one = Operand::i64(1);
        if x == one {
            return y;
        }
        if y == one {
            return x;
        }
        self.b.binary("n", BinaryOp::Mul, x, y)
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

impl Mode {
    /// Returns whether a window of these many parts must be restricted to the inside of the buffer when it is written back.
    ///
    /// Each part so far belongs to a loop around all writes. If all these loops have iterations, every iteration writes and so is
    /// inside, or has failed. If one has none, the window is empty and may lie anywhere.
    pub(super) fn needs_clamping(&self, n_parts: usize) -> bool {
        match self {
            Mode::Owned { is_inside, depth, .. } => !is_inside && *depth != Some(n_parts),
            Mode::Scattered => false,
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
pub(super) fn can_hoist(stms: &[Stm], index: Var, var: Var) -> bool {
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
