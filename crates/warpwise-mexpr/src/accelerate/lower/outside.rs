//! Checks of parallel loops for indices outside of buffers.
//!
//! An iteration that owns an index outside of the buffer has nothing to write, so its part is cut off and never computed. Such an
//! iteration may still make an access that must fail:
//! ```text
//! loop 5 (lam i. if lti i 4 then tensorSetExn t [i] i else ())                 where t has 3 elements
//! ==>
//! rows: [5]i64 = screma 5 (is) map (i: i64) { ... };
//! some: bool = ...                                                             the range 0, ..., 4 is not inside of `t`
//! passed: bool = if some {                                                     the iterations outside, only for their checks
//!   ok: bool = screma 2 (ks) map (k: i64) {
//!     i: i64 = add k 3;
//!     x: bool = if (slt i 4) { c: cert = assert ...; y: bool = {c} true; return y } else { return true };
//!     return x
//!   } reduce (x: bool, y: bool) { z: bool = and x y; return z } [true];
//!   return ok
//! } else { return true };
//! c: cert = assert passed ("an index is out of bounds")
//! ```
//! This happens once for a nest of parallel loops, outside of the outermost, so that the nest stays a nest; if inner loops cut off
//! parts, too, all iterations run again. Where all iterations write, nothing is cut off, and the range of a loop is checked once,
//! before the loop; if it writes through views, whose extents the message shows, the loop runs for its checks then, too.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Body, Branch, Expr as Ir, Lambda, Message, Operand, Reduce, Screma, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType, UnaryOp};

use super::Lowerer;
use super::exprs::text;
use super::memory::{Around, Buffer, Clamped, Contents, Part, is_whole};
use super::parallel::{Mode, can_hoist, no_value};
use super::tensors::listed;
use super::value::{Data, Value};

/// The iterations of a loop that run for their checks: their number, and where some are left out, the first of these and their
/// number.
#[derive(Clone, Copy)]
struct Checked {
    n: Operand,
    gap: Option<[Operand; 2]>,
}

impl Lowerer<'_, '_> {
    /// Makes the truth value of a loop that runs only for its checks depend on the checks of an access.
    pub(super) fn rely_on(&mut self, buffer: usize, certs: &[Var]) {
        let is_checked = self.memory.checking.as_ref().is_some_and(|checking| checking.contains(&buffer));
        if !is_checked || certs.is_empty() || self.memory.is_probing() {
            return;
        }
        if let Some(passed) = self.checks_passed() {
            let passed = self.b.with_certs(certs, |b| b.bind_one("ok", Ir::Operand(passed)));
            self.set_passed(passed.into());
        }
    }

    /// Begins an iteration of a loop that runs only for its checks.
    pub(super) fn begin_checks(&mut self) {
        if self.memory.checking.is_some() {
            self.set_passed(Operand::bool(true));
        }
    }

    /// Returns the truth value that depends on the checks so far, in a loop that runs only for them.
    pub(super) fn checks_passed(&self) -> Option<Operand> {
        self.memory.checking.as_ref()?;
        match self.memory.buffers.last()?.contents {
            Contents::Scalar(passed) => Some(passed),
            _ => None,
        }
    }

    fn set_passed(&mut self, passed: Operand) {
        if let Some(buffer) = self.memory.buffers.last_mut() {
            buffer.contents = Contents::Scalar(passed);
        }
    }

    /// Binds the results of a parallel loop. In a loop that runs only for its checks, the first one tells whether they passed.
    pub(super) fn bind_checked(&mut self, name: &str, width: Operand, map: Lambda) -> Vec<Var> {
        let indices = self.indices(width);
        let inputs = indices.leaves.iter().filter_map(|leaf| leaf.as_var()).collect();
        let mut reduces = Vec::new();
        if self.memory.checking.is_some() {
            let op = self.b.operator(BinaryOp::And, ScalarType::Bool);
            reduces.push(Reduce { op, neutral: vec![Operand::bool(true)], commutative: false });
        }
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces, post: None };
        let mut results = self.b.bind(name, Ir::Screma(Box::new(screma)));
        if let Some(passed) = self.checks_passed() {
            let inner = results.remove(0);
            let passed = self.b.binary("ok", BinaryOp::And, passed, inner);
            self.set_passed(passed);
        }
        results
    }

    /// Moves the ranges that a loop's body restricts out of the body.
    pub(super) fn hoist_clamped(&mut self, stms: &mut Vec<Stm>, index: Var) -> Vec<Clamped> {
        let mut found: Vec<Clamped> = Vec::new();
        for clamped in std::mem::take(&mut self.memory.clamped) {
            let is_outside =
                |operand: &Operand| operand.as_var().is_none_or(|var| can_hoist(stms, index, var));
            let range = clamped.range.filter(|range| range.iter().all(is_outside));
            for var in range.iter().flatten().filter_map(|operand| operand.as_var()) {
                self.hoist(stms, &[index], var);
            }
            let clamped = Clamped { range, ..clamped };
            if !found.contains(&clamped) {
                found.push(clamped);
            }
        }
        found
    }

    /// Runs iterations of the outermost parallel loop again, only for the checks of their accesses to buffers whose ranges were
    /// restricted, if one of these ranges is not inside of its buffer. An inner loop leaves this to the outermost. `inner` are the
    /// ranges of inner loops, `own` those of this one, and `views` says of more buffers whether they are written outside. Returns a
    /// certificate that the checks have passed.
    pub(super) fn check_outside(
        &mut self,
        width: Operand,
        f: &Value,
        modes: &[(usize, Mode)],
        (inner, own): (Vec<Clamped>, Vec<Clamped>),
        views: Vec<(usize, Operand)>,
        span: Span,
    ) -> Result<Option<Var>, Failure> {
        let mut only = own.first().and_then(|first| first.range);
        if !inner.is_empty() || !views.is_empty() || own.iter().any(|other| other.range != only) {
            only = None;
        }
        let clamped = [inner, own].concat();
        if self.memory.around.iter().any(|around| matches!(around, Around::Parallel(_))) {
            self.memory.clamped.extend(clamped);
            return Ok(None);
        }
        let is_none = clamped.is_empty() && views.is_empty();
        if is_none || self.functions.checks.none || self.memory.checking.is_some() {
            return Ok(None);
        }
        let mut outside = Operand::bool(false);
        for range in clamped.iter().map(|clamped| clamped.range) {
            let here = match range {
                Some(range) => self.is_outside(range),
                None => Operand::bool(true),
            };
            outside = self.either(outside, here);
        }
        for (_, here) in &views {
            outside = self.either(outside, *here);
        }
        let buffers =
            clamped.iter().map(|clamped| clamped.buffer).chain(views.iter().map(|(buffer, _)| *buffer));
        let mut buffers: Vec<usize> = buffers.collect();
        buffers.sort_unstable();
        buffers.dedup();
        let (stms, passed) = self.nested(|this| {
            let iterations = match only {
                Some(range) => this.iterations_outside(range),
                None => Checked { n: width, gap: None },
            };
            this.only_checks(iterations, f, modes, buffers, span)
        })?;
        let then_body = Body { stms, result: vec![passed] };
        let else_body = Body { stms: Vec::new(), result: vec![Operand::bool(true)] };
        let passed = Ir::If { cond: outside, then_body, else_body, branch: Branch::Plain };
        let passed = self.b.bind_one("passed", passed);
        Ok(Some(self.b.assert(passed, text("an index is out of bounds"))))
    }

    /// Lowers a loop only for the checks of its accesses to some buffers; returns whether they passed.
    fn only_checks(
        &mut self,
        iterations: Checked,
        f: &Value,
        modes: &[(usize, Mode)],
        buffers: Vec<usize>,
        span: Span,
    ) -> Result<Operand, Failure> {
        let (before, calls, n_notes) = (self.memory.buffers.clone(), self.calls, self.notes.len());
        let base = self.memory.buffers[buffers[0]].base;
        self.memory.add_buffer(ScalarType::Bool, Vec::new(), base);
        self.memory.checking = Some(buffers);
        let Checked { n, gap } = iterations;
        let number = self.b.function.fresh("i", Type::I64);
        self.memory.around.push(Around::Parallel(n));
        let made = self.nested(|this| {
            this.begin_checks();
            let index = gap.and_then(|gap| this.beyond(number, gap)).unwrap_or(number);
            modes.iter().for_each(|(buffer, mode)| this.enter_part(*buffer, mode, index));
            this.call(f.clone(), vec![Value::Data(Data::int(index))], &no_value(), span)?;
            Ok(Vec::from_iter(this.checks_passed()))
        });
        self.memory.around.pop();
        self.set_passed(Operand::bool(true));
        let passed = made.map(|(stms, result)| {
            self.bind_checked("ok", n, Lambda { params: vec![number], body: Body { stms, result } });
            self.checks_passed().unwrap_or(Operand::bool(true))
        });
        (self.memory.checking, self.memory.buffers, self.calls) = (None, before, calls);
        self.memory.clamped.clear();
        self.notes.truncate(n_notes);
        passed
    }

    /// Returns the iterations whose indices are outside of a dimension.
    fn iterations_outside(&mut self, [start, width, extent]: [Operand; 3]) -> Checked {
        let zero = Operand::i64(0);
        let before = self.b.binary("before", BinaryOp::Sub, zero, start);
        let before = self.b.binary("before", BinaryOp::SMax, before, zero);
        let from = self.b.binary("before", BinaryOp::SMin, before, width);
        let end = self.b.binary("end", BinaryOp::Sub, extent, start);
        let end = self.b.binary("end", BinaryOp::SMin, end, width);
        let inside = self.b.binary("inside", BinaryOp::Sub, end, from);
        let inside = self.b.binary("inside", BinaryOp::SMax, inside, zero);
        let n = self.b.binary("n", BinaryOp::Sub, width, inside);
        Checked { n, gap: Some([from, inside]) }
    }

    /// Returns a number that is greater by the length of a gap if it is not before the gap.
    fn beyond(&mut self, number: Var, [from, len]: [Operand; 2]) -> Option<Var> {
        let is_before = self.b.compare("is_before", CompareOp::SLt, number, from);
        let moved = self.b.binary("i", BinaryOp::Add, number, len);
        self.b.select("i", is_before, number.into(), moved).as_var()
    }

    /// Returns whether a range that is not empty leaves its dimension.
    fn is_outside(&mut self, [start, len, extent]: [Operand; 3]) -> Operand {
        let low = self.b.compare("low", CompareOp::SLt, start, Operand::i64(0));
        let last = self.b.binary("last", BinaryOp::Sub, extent, len);
        let high = self.b.compare("high", CompareOp::SLt, last, start);
        let outside = self.b.binary("outside", BinaryOp::Or, low, high);
        let some = self.b.compare("some", CompareOp::SLt, Operand::i64(0), len);
        self.b.binary("outside", BinaryOp::And, some, outside)
    }

    fn either(&mut self, a: Operand, b: Operand) -> Operand {
        if a == Operand::bool(false) { b } else { self.b.binary("outside", BinaryOp::Or, a, b) }
    }

    /// Returns a certificate that a window that loops have written lies inside of the buffer; `None` if this is obvious. `rest` are
    /// indices in the other dimensions, for the message.
    pub(super) fn check_parts(
        &mut self,
        it: &Buffer,
        parts: &[Part],
        rest: &[(usize, Operand)],
    ) -> Option<Var> {
        let (outside, mut index) = self.first_outside(it, parts)?;
        rest.iter().for_each(|(dim, component)| index[*dim] = *component);
        let fine = self.b.unary("fine", UnaryOp::Not, outside);
        let mut message = listed("Index ", &index);
        message.extend(listed(" out of bounds for a tensor of shape ", &it.extents));
        self.check(fine, Message { parts: message, calls: Vec::new() })
    }

    /// Returns whether a window is not inside of the buffer, and the first index outside.
    pub(super) fn first_outside(&mut self, it: &Buffer, parts: &[Part]) -> Option<(Operand, Vec<Operand>)> {
        let open: Vec<&Part> = parts.iter().filter(|part| !part.is_clamped && !is_whole(part, it)).collect();
        if open.is_empty() || self.functions.checks.none {
            return None;
        }
        let mut outside = Operand::bool(false);
        let mut index: Vec<Operand> = it.fixed.iter().map(|fixed| fixed.unwrap_or(Operand::i64(0))).collect();
        parts.iter().for_each(|part| index[part.dim] = part.start);
        // The parts of inner loops come first: if one of them is outside, the outer loops have just begun.
        for part in open {
            let extent = it.extents[part.dim];
            let here = self.is_outside([part.start, part.len, extent]);
            let high = self.b.compare("high", CompareOp::SLe, Operand::i64(0), part.start);
            let is_first = self.b.unary("first", UnaryOp::Not, outside);
            let at_end = self.b.binary("at_end", BinaryOp::And, here, high);
            let at_end = self.b.binary("at_end", BinaryOp::And, at_end, is_first);
            index[part.dim] = self.b.select("at", at_end, extent, part.start);
            outside = self.either(outside, here);
        }
        for part in parts.iter().filter(|part| !matches!(part.len, Operand::Const(Scalar::I64(1..)))) {
            let some = self.b.compare("some", CompareOp::SLt, Operand::i64(0), part.len);
            outside = self.b.binary("outside", BinaryOp::And, outside, some);
        }
        Some((outside, index))
    }
}
