//! Spaces of several dimensions run as one flat space of lanes: short rows fill vectors together.
//!
//! Lanes along the last dimension start again at every row. Where rows are shorter than a vector, most lanes are then idle. A flat
//! group of lanes continues into the next row instead:
//!
//! ```text
//! ys: [n][m]f32 = segmap (i < n: task, j < m: task lane) { x = index a[i, j]; c = index b[i]; ... }
//!
//! for flat in lo..whole step W {
//!   row, column = of flat + 0, flat + 1, ...          // only where the body asks for them
//!   x = load a[flat ..]                               // since i * m + j is the flat number
//!   c = gather b[row]; ...
//! }
//! ```
//!
//! An access is contiguous in flat lanes if its address is the flat number plus a value that is the same in all lanes, compared as
//! sums of products of variables. A body with only such accesses needs no row and column numbers, and runs flat whatever the extents are. Any other
//! body gets two kernels, and the length of the rows decides between them, by the estimate `flat_below`. Few programs have such
//! rows, so the kernel for short ones is kept small: it contains the body once, under a mask, and only the general side of
//! specialised choices.
//!
//! Not done here: operations other than maps, and dimensions that are not flattened into tasks.

use std::rc::Rc;

use rustc_hash::FxHashSet;
use warpwise_diag::Span;
use warpwise_ir::sums::Sum;
use warpwise_ir::{Body, Expr, Mapping, Operand as CoreOperand, SegDim, SegOp, Stm, Var};
use warpwise_prim::{BinaryOp, ConvertOp, Scalar, ScalarType};

use crate::lower::cost::{self, Work};
use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::lanes::LaneLoop;
use crate::lower::stms::allocates;
use crate::lower::variance::{Variance, Variances};
use crate::op::{Block, Op};
use crate::traverse::for_each_op;
use crate::types::{ImpType, Operand, Reg};

/// Maximum cost of a body that gets a version of its own for short rows.
const MOST_COST: i64 = 256;

/// Number of iterations that the estimate assumes for loops of unknown length.
const TRIPS: i64 = 16;

/// Cost of the start of a row of lanes: its bounds, its mask, and a branch that is hard to predict.
const ROW_START: i64 = 20;

/// Cost of the row and column numbers of every lane.
const DIGITS: i64 = 10;

/// Cost of loading a vector element by element.
const GATHER: i64 = 40;

/// Maximum extent in the division of lane numbers, more than the widest group has lanes; larger extents are reduced to this
/// distance from their end.
const NEAR: i64 = 512;

/// Number of fraction bits of the reciprocals that replace divisions; quotients below [`NEAR`] are exact.
const RECIPROCAL_BITS: i64 = 20;

/// A flat space, and the current group of lanes in it.
#[derive(Clone)]
pub(super) struct FlatSpace {
    /// Flat number of a point as a sum of products of indices and extents; `None` where a number is too large.
    number: Option<Sum>,
    /// Indices of the dimensions, the innermost last.
    indices: Vec<Var>,
    /// Variances of values across flat lanes.
    facts: Rc<Variances>,
    /// Flat number of the first lane's point.
    first: Operand,
    /// Whether all groups run under masks.
    masked_only: bool,
}

/// The condition under which a space runs flat.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Flat {
    Never,
    /// Only if a row has fewer elements than this.
    Below(i64),
    Always,
}

impl<'a> Emitter<'a> {
    /// Returns when a map runs as a flat space.
    pub fn flat(&self, op: &SegOp) -> Flat {
        let Some((last, outer)) = op.space.split_last() else { return Flat::Never };
        let tasks = outer.iter().all(|dim| dim.mapping == Mapping::Task);
        let small = cost::static_cost(&op.body, 1) <= MOST_COST && !allocates(&op.body);
        if outer.is_empty()
            || !tasks
            || last.mapping != Mapping::TaskLane
            || self.cx.target.is_scalar()
            || !small
        {
            return Flat::Never;
        }
        let space = self.flat_space(op);
        let mut needs = Needs { emitter: self, space: &space, needed: FxHashSet::default() };
        needs.body(&op.body);
        if space.indices.iter().all(|index| !needs.needed.contains(index)) {
            return Flat::Always;
        }
        let below = self.flat_below(op, &space);
        match last.extent.as_const().and_then(Scalar::as_int) {
            Some(length) if length < below => Flat::Always,
            Some(_) => Flat::Never,
            None if below < 2 => Flat::Never,
            None => Flat::Below(below),
        }
    }

    /// Returns the flat space of an operation, without a current group of lanes.
    pub fn flat_space(&self, op: &SegOp) -> FlatSpace {
        let number = op.space.iter().try_fold(Sum::default(), |number, dim| {
            number.times(&self.cx.sum(dim.extent)?)?.plus(&Sum::var(dim.index))
        });
        let indices: Vec<Var> = op.space.iter().map(|dim| dim.index).collect();
        let varying = indices.iter().map(|&index| (index, Variance::Varying));
        let facts = Variances::of(self.cx.function, varying, &[&op.body], &[]);
        FlatSpace { number, indices, facts: Rc::new(facts), first: Operand::i64(0), masked_only: false }
    }

    /// Returns the flat space of an operation whose code should be small.
    pub fn small_flat_space(&self, op: &SegOp) -> FlatSpace {
        FlatSpace { masked_only: true, ..self.flat_space(op) }
    }

    /// Returns the length of rows below which flat lanes are faster. A row of `m` elements costs the start of a row and one group
    /// of lanes, for `m` elements. A flat group costs row and column numbers, and gathers that rows do not need, for as many
    /// elements as a vector has lanes.
    fn flat_below(&self, op: &SegOp, space: &FlatSpace) -> i64 {
        let rows = self.plan_lanes(op, Work::Map);
        let last = op.space.last().map(|dim| dim.index);
        let group = cost::static_cost(&op.body, TRIPS);
        let (in_rows, in_flat) = self.gathers(&op.body, space, &rows.facts, last);
        let cost = |fixed: i64, gathers: i64| group.saturating_add(gathers.saturating_mul(GATHER)) + fixed;
        let width = i64::from(rows.machine);
        (width.saturating_mul(cost(ROW_START, in_rows)) / cost(DIGITS, in_flat)).min(width)
    }

    /// Returns the number of a body's loads that are gathers in lanes along `last`, and the number that are gathers in flat lanes.
    fn gathers(&self, body: &Body, space: &FlatSpace, rows: &Variances, last: Option<Var>) -> (i64, i64) {
        let (mut in_rows, mut in_flat) = (0i64, 0i64);
        for stm in &body.stms {
            let trips = if matches!(stm.expr, Expr::Loop { .. } | Expr::Seg(_)) { TRIPS } else { 1 };
            stm.expr.for_each_body(|body| {
                let inside = self.gathers(body, space, rows, last);
                in_rows = in_rows.saturating_add(inside.0.saturating_mul(trips));
                in_flat = in_flat.saturating_add(inside.1.saturating_mul(trips));
            });
            let Some(place) = self.place_of(stm) else { continue };
            // Increasing or decreasing by one.
            let is_step = |(factors, step): (&[Var], i64)| {
                last.is_some_and(|last| *factors == [last] && step.abs() == 1)
            };
            let others = place.terms().filter(|&term| !is_step(term)).flat_map(|(factors, _)| factors);
            in_rows += i64::from(!are_uniform(others.copied(), rows));
            let is_uniform = are_uniform(place.variables(), &space.facts);
            in_flat += i64::from(!is_uniform && space.rest(&place).is_none());
        }
        (in_rows, in_flat)
    }

    /// Returns the address of the element that a statement loads, if it loads one.
    fn place_of(&self, stm: &Stm) -> Option<Sum> {
        let Expr::Index { array, indices } = &stm.expr else { return None };
        let placement = self.cx.function.vars[*array].placement.as_ref()?;
        if self.is_array(stm.pattern[0]) { None } else { self.cx.place(placement, indices) }
    }

    /// Returns the address of an element, if it increases by a constant from flat lane to flat lane.
    pub fn flat_address(
        &mut self,
        array: Var,
        indices: &[CoreOperand],
        span: Span,
    ) -> Lowered<Option<Value>> {
        let Some(space) = self.flat.clone() else { return Ok(None) };
        let place = self.cx.place(self.placement(array, span)?, indices);
        let Some((stride, rest)) = place.and_then(|place| space.rest(&place)) else { return Ok(None) };
        let mut base = self.code.mul(space.first, Operand::i64(stride));
        for (factors, coefficient) in rest.terms() {
            let mut term = Operand::i64(coefficient);
            for &var in factors {
                let Value::Uniform(factor) = self.value(var) else { return Ok(None) };
                term = self.code.mul(term, factor);
            }
            base = self.code.add(base, term);
        }
        Ok(Some(Value::Linear { base, stride }))
    }

    /// Emits `body` for the points `lo..hi` of a flat space.
    pub fn walk_flat(
        &mut self,
        dims: &[SegDim],
        (lo, hi): (Reg, Reg),
        how: &LaneLoop,
        space: FlatSpace,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let facts = space.facts.clone();
        let masked_only = space.masked_only;
        let counted = Some(Operand::i64(0));
        let how = LaneLoop { counted, interior: None, facts, masked_only, ..how.clone() };
        let done = self.lane_loop(&how, lo.into(), hi.into(), &mut |this, value| {
            let Value::Linear { base: first, .. } = value else {
                return this
                    .bind_flat(dims, value.base().unwrap_or(lo.into()), Span::NONE)
                    .and_then(|()| body(this));
            };
            let ty = ImpType::vector(ScalarType::I64, this.width());
            let digits: Vec<Reg> = dims.iter().map(|_| this.code.reg("digit", ty)).collect();
            for (dim, &digit) in dims.iter().zip(&digits) {
                this.bind(dim.index, Value::Varying(digit));
            }
            this.flat = Some(FlatSpace { first, ..space.clone() });
            let (group, done) = this.block_of(|this| body(this));
            let group = without_dead(group);
            this.flat = None;
            let read = read_by(&group);
            if digits.iter().any(|digit| read.contains(digit)) {
                this.digits(dims, &digits, first)?;
            }
            group.into_iter().for_each(|op| this.code.emit(op));
            done
        });
        self.flat = None;
        done
    }

    /// Emits the indices of every lane, given the flat number of the first lane's point: digits with carries. Multiplications by
    /// reciprocals replace the divisions of lane numbers, since lanes are close together and the end of an extent matters only if
    /// it is near.
    fn digits(&mut self, dims: &[SegDim], digits: &[Reg], first: Operand) -> Lowered<()> {
        let ids = self.code.reg("lane", ImpType::vector(ScalarType::I32, self.width()));
        self.code.emit(Op::LaneIds { dst: ids });
        let mut carry = Value::Varying(ids);
        let mut number = first;
        for (dim, &digit) in dims.iter().zip(digits).skip(1).rev() {
            let extent = self.uniform(dim.extent, Span::NONE)?;
            let above = self.code.binary(BinaryOp::SQuot, number, extent);
            let whole = self.code.mul(above, extent);
            let start = self.code.sub(number, whole);
            // The position and the extent are reduced as if the extent were at most `NEAR`: if it is larger, no lane passes more
            // than one end.
            let far = self.code.sub(extent, Operand::i64(NEAR));
            let far = self.code.binary(BinaryOp::SMax, far, Operand::i64(0));
            let near = self.code.sub(extent, far);
            let at = self.code.sub(start, far);
            let at = self.code.binary(BinaryOp::SMax, at, Operand::i64(0));
            let rounded_up = self.code.add(near, Operand::i64((1 << RECIPROCAL_BITS) - 1));
            let reciprocal = self.code.binary(BinaryOp::SQuot, rounded_up, near);
            let place = self.narrow(at);
            let place = self.binary(BinaryOp::Add, place, carry);
            let reciprocal = self.narrow(reciprocal);
            let quotient = self.binary(BinaryOp::Mul, place, reciprocal);
            let bits = Value::constant(Scalar::I32(RECIPROCAL_BITS as i32));
            let quotient = self.binary(BinaryOp::LShr, quotient, bits);
            let steps = self.convert(ConvertOp::ZExt, carry, ScalarType::I64);
            let wrapped = self.convert(ConvertOp::ZExt, quotient, ScalarType::I64);
            let wrapped = self.binary(BinaryOp::Mul, wrapped, Value::Uniform(extent));
            let index = self.binary(BinaryOp::Add, Value::Uniform(start), steps);
            let index = self.binary(BinaryOp::Sub, index, wrapped);
            self.set_digit(digit, index);
            (carry, number) = (quotient, above);
        }
        let steps = self.convert(ConvertOp::ZExt, carry, ScalarType::I64);
        let index = self.binary(BinaryOp::Add, Value::Uniform(number), steps);
        self.set_digit(digits[0], index);
        Ok(())
    }

    fn set_digit(&mut self, digit: Reg, index: Value) {
        let index = self.vector(index);
        self.code.set(digit, index);
    }

    /// Returns a small number that is the same in all lanes as an `i32`.
    fn narrow(&mut self, x: Operand) -> Value {
        self.convert(ConvertOp::Truncate, Value::Uniform(x), ScalarType::I32)
    }
}

impl FlatSpace {
    /// Returns a place as a multiple of the flat number plus a term that is the same in all lanes, if it has this form.
    fn rest(&self, place: &Sum) -> Option<(i64, Sum)> {
        let last = *self.indices.last()?;
        let (_, stride) = place.terms().find(|(factors, _)| **factors == [last])?;
        let rest = place.minus(&self.number.as_ref()?.times(&Sum::constant(stride))?)?;
        are_uniform(rest.variables(), &self.facts).then_some((stride, rest))
    }
}

fn are_uniform(mut vars: impl Iterator<Item = Var>, facts: &Variances) -> bool {
    vars.all(|var| facts.variance(var) == Variance::Uniform)
}

/// The collection of variables that a body needs, apart from accesses at flat numbers.
struct Needs<'e, 'a> {
    emitter: &'e Emitter<'a>,
    space: &'e FlatSpace,
    needed: FxHashSet<Var>,
}

impl Needs<'_, '_> {
    fn body(&mut self, body: &Body) {
        body.result.iter().for_each(|&x| self.operand(x));
        for stm in body.stms.iter().rev() {
            stm.expr.for_each_body(|body| self.body(body));
            let is_view = stm.pattern.iter().any(|&var| self.emitter.is_array(var)) && stm.expr.is_straight();
            let is_load = matches!(stm.expr, Expr::Index { .. });
            let is_dead = !is_load
                && stm.expr.is_straight()
                && stm.pattern.iter().all(|var| !self.needed.contains(var));
            let is_flat = |place: Sum| self.space.rest(&place).is_some();
            if is_load && !is_view && !self.emitter.place_of(stm).is_some_and(is_flat) {
                self.place(stm);
            } else if !is_view && !is_load && !is_dead {
                stm.expr.for_each_operand(|x| self.operand(x));
            }
        }
    }

    fn operand(&mut self, x: CoreOperand) {
        match x.as_var() {
            // Copying an array needs all indices.
            Some(var) if self.emitter.is_array(var) => self.needed.extend(&self.space.indices),
            Some(var) => drop(self.needed.insert(var)),
            None => {}
        }
    }

    /// Adds the variables in the address of a load; all indices if the address is no sum.
    fn place(&mut self, load: &Stm) {
        match self.emitter.place_of(load) {
            Some(place) => self.needed.extend(place.variables()),
            None => self.needed.extend(&self.space.indices),
        }
    }
}

/// Removes address computations of views that nothing reads, since flat addresses do not use them.
fn without_dead(mut group: Block) -> Block {
    loop {
        let read = read_by(&group);
        let before = group.len();
        group.retain(|op| {
            if let Op::Binary { dst, op, .. } = op { op.can_fail() || read.contains(dst) } else { true }
        });
        if group.len() == before {
            return group;
        }
    }
}

/// Returns the registers that a block reads.
fn read_by(block: &Block) -> FxHashSet<Reg> {
    let mut read = FxHashSet::default();
    for_each_op(block, &mut |op| {
        op.for_each_operand(|x| {
            if let Operand::Reg(reg) = x {
                read.insert(reg);
            }
        });
    });
    read
}
