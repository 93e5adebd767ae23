//! Choices and loops.
//!
//! If the two values of a choice have sequences of different lengths, the lengths become results of the choice, too. The
//! parameters of a loop begin with the lengths that change from one iteration to the next; they are found by lowering the body
//! repeatedly until no more are found. The same holds for the buffers that a loop writes: they become parameters, and the buffers
//! that a choice writes become results.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Body, Branch, Expr as Ir, LoopForm, LoopParam, Operand, Stm, Type};
use warpwise_prim::Scalar;

use crate::syntax::names::Symbol;
use crate::tree::{Expr, ExprKind, Parameter, Test, VarId};

use super::Lowerer;
use super::memory::{Around, Buffer, Contents, Slot, nowhere};
use super::parallel::unit;
use super::value::{Data, Layout, Shape, Value};

/// Number of iterations of a loop.
#[derive(Clone, Copy)]
pub(super) enum Iterations {
    /// A given number of iterations.
    Times(Operand),
    /// Iterations while the first leaf of the loop's value holds.
    While,
}

/// A lowered side of a choice.
pub(super) struct Side {
    pub(super) stms: Vec<Stm>,
    pub(super) data: Data,
    /// Additional results: the contents of buffers.
    pub(super) more: Vec<Operand>,
}

/// Lowers one side of a choice.
type Arm<'r, 'a, 'f> = dyn FnMut(&mut Lowerer<'a, 'f>) -> Result<Data, Failure> + 'r;

/// Lowers the body of a loop: from the iteration's number and the current value to the next value.
type Iteration<'r, 'a, 'f> = dyn FnMut(&mut Lowerer<'a, 'f>, Operand, &Data) -> Result<Data, Failure> + 'r;

/// Lowers an expression in result position.
type Last<'l, 'a, 'f> = dyn FnMut(&mut Lowerer<'a, 'f>, &Expr) -> Result<Value, Failure> + 'l;

impl<'a, 'f> Lowerer<'a, 'f> {
    /// Lowers a choice: the first test that holds decides. `last` lowers the alternatives.
    pub(super) fn choice(
        &mut self,
        tests: &[Test],
        otherwise: &Expr,
        last: &mut Last<'_, 'a, 'f>,
    ) -> Result<Value, Failure> {
        let Some((first, rest)) = tests.split_first() else { return last(self, otherwise) };
        let value = self.expr(&first.scrutinee)?;
        let condition = match self.test(&first.pattern, &value)? {
            None => {
                self.bind(&first.pattern, &value)?;
                return last(self, &first.then);
            }
            Some(Operand::Const(Scalar::Bool(true))) => {
                self.bind(&first.pattern, &value)?;
                return last(self, &first.then);
            }
            Some(Operand::Const(Scalar::Bool(false))) => return self.choice(rest, otherwise, last),
            Some(condition) => condition,
        };
        let last = std::cell::RefCell::new(last);
        let then = &mut |this: &mut Self| {
            this.bind(&first.pattern, &value)?;
            let then = (last.borrow_mut())(this, &first.then)?;
            this.data(then, first.then.span)
        };
        let other = &mut |this: &mut Self| {
            let other = this.choice(rest, otherwise, &mut **last.borrow_mut())?;
            this.data(other, otherwise.span)
        };
        Ok(Value::Data(self.branches(condition, then, other, first.scrutinee.span)?))
    }

    /// Lowers a choice between two sides, with their effects.
    pub(super) fn branches(
        &mut self,
        condition: Operand,
        then: &mut Arm<'_, 'a, 'f>,
        other: &mut Arm<'_, 'a, 'f>,
        span: Span,
    ) -> Result<Data, Failure> {
        let before = (self.memory.buffers.clone(), self.memory.log.clone());
        self.memory.around.push(Around::Choice);
        let then = self.arm(then);
        let then_memory = std::mem::replace(&mut self.memory.buffers, before.0.clone());
        let then_log = std::mem::replace(&mut self.memory.log, before.1.clone());
        let other = self.arm(other);
        self.memory.around.pop();
        let (mut then, mut other) = (then?, other?);
        let other_memory = std::mem::replace(&mut self.memory.buffers, before.0.clone());
        let other_log = std::mem::replace(&mut self.memory.log, before.1.clone());
        let changed: Vec<usize> = (0..before.0.len())
            .filter(|buffer| {
                let was = &before.0[*buffer].contents;
                then_memory[*buffer].contents != *was || other_memory[*buffer].contents != *was
            })
            .collect();
        let slots = |memory: &[Buffer]| -> Vec<Vec<Slot>> {
            changed.iter().map(|buffer| new_slots(&before.0[*buffer], &memory[*buffer])).collect()
        };
        let (then_slots, other_slots) = (slots(&then_memory), slots(&other_memory));
        self.finish_arm(&mut then, then_memory, &changed, (&then_slots, &other_slots), true);
        self.finish_arm(&mut other, other_memory, &changed, (&then_slots, &other_slots), false);
        self.memory.buffers = before.0;
        let has_log = then_log != before.1 || other_log != before.1;
        if has_log {
            then.data = pair(then.data, then_log);
            other.data = pair(other.data, other_log);
        }
        let (mut data, more) = self.merge(condition, then, other, span)?;
        if has_log {
            let (value, log) = unpair(data);
            (data, self.memory.log) = (value, log);
        }
        let mut more = more.into_iter();
        for ((buffer, then), other) in changed.into_iter().zip(then_slots).zip(other_slots) {
            if let Contents::Pending(slots) = &mut self.memory.buffers[buffer].contents {
                for slot in then.into_iter().chain(other) {
                    let leaves = more.by_ref().take(slot.leaves.len()).collect();
                    slots.push(Slot { extents: slot.extents, leaves });
                }
            } else if let Some(value) = more.next() {
                self.set_contents(buffer, value);
            }
        }
        Ok(data)
    }

    fn arm(&mut self, build: &mut Arm<'_, 'a, 'f>) -> Result<Side, Failure> {
        let (stms, data) = self.nested(|this| build(this))?;
        Ok(Side { stms, data, more: Vec::new() })
    }

    /// Adds the final contents of the buffers that either side changes. For values that only the other side scatters, this side
    /// gets indices out of bounds.
    fn finish_arm(
        &mut self,
        side: &mut Side,
        memory: Vec<Buffer>,
        changed: &[usize],
        slots: (&[Vec<Slot>], &[Vec<Slot>]),
        is_then: bool,
    ) {
        self.memory.buffers = memory;
        let outer = self.b.take_stms();
        self.b.extend(std::mem::take(&mut side.stms));
        for (position, &buffer) in changed.iter().enumerate() {
            let it = &self.memory.buffers[buffer];
            if !matches!(it.contents, Contents::Pending(_)) {
                side.more.push(self.settled(buffer));
                continue;
            }
            let element = it.element;
            for (slots, is_own) in [(&slots.0[position], is_then), (&slots.1[position], !is_then)] {
                for slot in slots {
                    side.more.extend(if is_own { slot.leaves.clone() } else { nowhere(slot, element) });
                }
            }
        }
        side.stms = self.b.take_stms();
        self.b.extend(outer);
    }

    /// Makes an `if` of two lowered sides.
    pub(super) fn merge(
        &mut self,
        condition: Operand,
        then: Side,
        other: Side,
        span: Span,
    ) -> Result<(Data, Vec<Operand>), Failure> {
        self.same_buffers(&then.data.layout, &other.data.layout, span)?;
        let (lengths, other_lengths) = (then.data.layout.lengths(), other.data.layout.lengths());
        if lengths.len() != other_lengths.len() || then.data.leaves.len() != other.data.leaves.len() {
            return self.refuse("alternatives one of which has no type", span);
        }
        // Lengths that are equal on both sides need no result.
        let mut sizes: Vec<(Operand, Operand)> = Vec::new();
        for pair in lengths.iter().copied().zip(other_lengths.iter().copied()) {
            if pair.0 != pair.1 && !sizes.contains(&pair) {
                sizes.push(pair);
            }
        }
        let result = |sizes: Vec<Operand>, side: (Vec<Operand>, Vec<Operand>)| {
            sizes.into_iter().chain(side.0).chain(side.1).collect::<Vec<_>>()
        };
        let (n_leaves, n_more) = (then.data.layout.n_leaves(), then.more.len());
        let layout = then.data.layout;
        let (then_sizes, other_sizes) = sizes.iter().copied().unzip();
        let then_body = Body { stms: then.stms, result: result(then_sizes, (then.data.leaves, then.more)) };
        let else_body =
            Body { stms: other.stms, result: result(other_sizes, (other.data.leaves, other.more)) };
        let vars = self.b.bind("x", Ir::If { cond: condition, then_body, else_body, branch: Branch::Plain });
        let new = lengths.into_iter().zip(other_lengths).map(|pair| {
            let position = sizes.iter().position(|size| *size == pair);
            position.map_or(pair.0, |position| vars[position].into())
        });
        let layout = layout.with_lengths(&mut new.collect::<Vec<_>>().into_iter());
        let (leaves, more) = vars[vars.len() - n_leaves - n_more..].split_at(n_leaves);
        let operands = |vars: &[warpwise_ir::Var]| vars.iter().map(|var| Operand::from(*var)).collect();
        Ok((Data { layout, leaves: operands(leaves) }, operands(more)))
    }

    /// Lowers a loop.
    pub(super) fn iterations(
        &mut self,
        init: &Data,
        iterations: Iterations,
        span: Span,
        iteration: &mut Iteration<'_, 'a, 'f>,
    ) -> Result<Data, Failure> {
        let before = self.memory.log.clone();
        self.memory.around.push(Around::Sequential);
        let mut result = self.iterations_with(init, iterations, span, iteration, false);
        let has_log = matches!(result, Ok(None));
        if has_log {
            // The body prints, so the output becomes part of the loop's value.
            self.memory.log = before.clone();
            let start = pair(init.clone(), before);
            let iteration = &mut |this: &mut Self, index: Operand, now: &Data| {
                let (value, log) = unpair(now.clone());
                this.memory.log = log;
                let next = iteration(this, index, &value)?;
                Ok(pair(next, this.memory.log.clone()))
            };
            result = self.iterations_with(&start, iterations, span, iteration, true);
        }
        self.memory.around.pop();
        match result? {
            Some(data) if has_log => {
                let (value, log) = unpair(data);
                self.memory.log = log;
                Ok(value)
            }
            Some(data) => Ok(data),
            None => self.limit("this loop that prints", span),
        }
    }

    /// Lowers a loop; `None` if it prints although `may_print` is false.
    fn iterations_with(
        &mut self,
        init: &Data,
        iterations: Iterations,
        span: Span,
        iteration: &mut Iteration<'_, 'a, 'f>,
        may_print: bool,
    ) -> Result<Option<Data>, Failure> {
        let lengths = init.layout.lengths();
        let mut changes = vec![false; lengths.len()];
        let mut written: Vec<usize> = Vec::new();
        loop {
            let log = self.memory.log.clone();
            let (mut params, data) = self.parameters(init, &changes);
            written.iter().for_each(|buffer| {
                self.settled(*buffer);
            });
            let outside = self.memory.buffers.clone();
            let carried = self.carry(&written);
            let inside = self.memory.buffers.clone();
            let index = self.b.function.fresh("i", Type::I64);
            let made = self.nested(|this| {
                let next = iteration(this, index.into(), &data)?;
                let more = this.memory.changed(&inside);
                let more: Vec<usize> = more.into_iter().filter(|buffer| !written.contains(buffer)).collect();
                let stored: Vec<Operand> = match more.is_empty() {
                    true => written.iter().map(|buffer| this.settled(*buffer)).collect(),
                    false => Vec::new(),
                };
                Ok((next, more, stored))
            });
            self.memory.buffers = outside;
            let (stms, (next, more, stored)) = made?;
            let is_pending = |buffer: &usize| matches!(inside[*buffer].contents, Contents::Pending(_));
            if more.iter().any(is_pending) {
                return self.needs_order("an inner loop writes in order what this loop scatters", span);
            }
            if !may_print && self.memory.log != log {
                return Ok(None);
            }
            self.same_buffers(&data.layout, &next.layout, span)?;
            let (own, next_lengths) = (data.layout.lengths(), next.layout.lengths());
            if next_lengths.len() != own.len() || next.leaves.len() != data.leaves.len() {
                return self.refuse("a fold that starts from a value without a type", span);
            }
            let mut found_more = !more.is_empty();
            written.extend(more);
            for ((changes, own), next) in changes.iter_mut().zip(&own).zip(&next_lengths) {
                if !*changes && own != next {
                    *changes = true;
                    found_more = true;
                }
            }
            if found_more {
                continue;
            }
            let sizes = next_lengths.iter().zip(&changes).filter(|(_, changes)| **changes).map(|(n, _)| *n);
            let n_sizes = changes.iter().filter(|changes| **changes).count();
            let n_leaves = next.leaves.len();
            let body = Body { stms, result: sizes.chain(next.leaves).chain(stored).collect() };
            let form = match iterations {
                Iterations::Times(bound) => LoopForm::For { index, bound },
                Iterations::While => LoopForm::While { cond: params[n_sizes].var },
            };
            params.extend(carried.into_iter().map(|(init, var)| {
                let consumed = self.b.function.ty(var).rank() > 0;
                LoopParam { var, init, consumed }
            }));
            let vars = self.b.bind("x", Ir::Loop { params, form, body });
            let mut sizes = vars.iter().map(|var| Operand::from(*var));
            let new: Vec<Operand> = lengths
                .iter()
                .zip(&changes)
                .map(|(known, changes)| if *changes { sizes.next().unwrap_or(*known) } else { *known })
                .collect();
            let layout = init.layout.with_lengths(&mut new.into_iter());
            let (leaves, stored) = vars[n_sizes..].split_at(n_leaves);
            for (buffer, var) in written.into_iter().zip(stored) {
                self.set_contents(buffer, (*var).into());
            }
            return Ok(Some(Data { layout, leaves: leaves.iter().map(|var| (*var).into()).collect() }));
        }
    }

    /// Makes loop parameters for a value some of whose lengths change; returns them, and the value of these parameters.
    fn parameters(&mut self, init: &Data, changes: &[bool]) -> (Vec<LoopParam>, Data) {
        let mut params = Vec::new();
        let mut lengths = Vec::new();
        for (length, changes) in init.layout.lengths().into_iter().zip(changes) {
            if *changes {
                let var = self.b.function.fresh("n", Type::I64);
                params.push(LoopParam { var, init: length, consumed: false });
                lengths.push(var.into());
            } else {
                lengths.push(length);
            }
        }
        let layout = init.layout.with_lengths(&mut lengths.into_iter());
        let mut leaves = Vec::new();
        for (ty, init) in layout.types().into_iter().zip(&init.leaves) {
            let var = self.b.function.fresh("acc", ty);
            params.push(LoopParam { var, init: *init, consumed: false });
            leaves.push(var.into());
        }
        (params, Data { layout, leaves })
    }

    /// Lowers a function that tail-calls itself to a loop. The loop's value is whether it continues, and the arguments. After the
    /// loop the body is evaluated once more for its result; in code with effects the result is part of the loop's value instead.
    pub(super) fn recursive(
        &mut self,
        var: VarId,
        parameters: &[Parameter],
        body: &Expr,
        shape: &Shape,
    ) -> Result<Value, Failure> {
        let arguments: Vec<(VarId, Data)> = parameters
            .iter()
            .filter_map(|parameter| match self.values.get(&parameter.var) {
                Some(Value::Data(data)) => Some((parameter.var, data.clone())),
                Some(Value::Function(_)) | None => None,
            })
            .collect();
        let vars: Vec<VarId> = arguments.iter().map(|(var, _)| *var).collect();
        let mut start = state(true, arguments.into_iter().map(|(_, data)| data).collect());
        if self.has_effects {
            let result = self.blank(shape);
            start = pair(start, result);
        }
        let has_effects = self.has_effects;
        let end = self.iterations(&start, Iterations::While, body.span, &mut |this, _, now| {
            let now = if has_effects { unpair(now.clone()) } else { (now.clone(), unit()) };
            this.enter(&vars, &now.0);
            let next = this.next(var, parameters, &vars, body, has_effects.then_some(&now.1))?;
            this.data(next, body.span)
        })?;
        if has_effects {
            return Ok(Value::Data(unpair(end).1));
        }
        self.enter(&vars, &end);
        self.leaving = Some(var);
        let result = self.expr(body);
        self.leaving = None;
        result
    }

    fn enter(&mut self, vars: &[VarId], now: &Data) {
        for (var, (_, value)) in vars.iter().zip(now.fields().into_iter().skip(1)) {
            self.values.insert(*var, Value::Data(value));
        }
    }

    /// Lowers the function's body to whether it calls itself, and the arguments. With `result`, the result so far, adds the
    /// function's result.
    fn next(
        &mut self,
        var: VarId,
        parameters: &[Parameter],
        vars: &[VarId],
        expr: &Expr,
        result: Option<&Data>,
    ) -> Result<Value, Failure> {
        let with_result = |state: Data, result: Option<Data>| match result {
            Some(result) => Ok(Value::Data(pair(state, result))),
            None => Ok(Value::Data(state)),
        };
        match &expr.kind {
            ExprKind::Block(..) => {
                self.block(expr, &mut |this, last| this.next(var, parameters, vars, last, result))
            }
            ExprKind::Choice(tests, otherwise) => {
                let last = &mut |this: &mut Self, last: &Expr| this.next(var, parameters, vars, last, result);
                self.choice(tests, otherwise, last)
            }
            ExprKind::Apply(function, arguments) if matches!(function.kind, ExprKind::Var(called) if called == var) =>
            {
                let mut next = Vec::new();
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    if vars.contains(&parameter.var) {
                        next.push(self.expr_data(argument)?);
                    } else if !matches!(argument.kind, ExprKind::Var(same) if same == parameter.var) {
                        return self.refuse("a recursive call with another function", argument.span);
                    }
                }
                with_result(state(true, next), result.cloned())
            }
            _ => {
                let value = result.map(|_| self.expr_data(expr)).transpose()?;
                let now = vars.iter().filter_map(|var| match self.values.get(var) {
                    Some(Value::Data(data)) => Some(data.clone()),
                    Some(Value::Function(_)) | None => None,
                });
                with_result(state(false, now.collect()), value)
            }
        }
    }
}

/// Returns the slots that `after` has beyond those of `before`.
fn new_slots(before: &Buffer, after: &Buffer) -> Vec<Slot> {
    match (&before.contents, &after.contents) {
        (Contents::Pending(before), Contents::Pending(after)) => after[before.len()..].to_vec(),
        _ => Vec::new(),
    }
}

/// Combines two values into one.
pub(super) fn pair(first: Data, second: Data) -> Data {
    Data {
        layout: Layout::Record(vec![(Symbol(0), first.layout), (Symbol(1), second.layout)]),
        leaves: first.leaves.into_iter().chain(second.leaves).collect(),
    }
}

/// Splits a value that was made by [`pair`].
pub(super) fn unpair(both: Data) -> (Data, Data) {
    let mut fields = both.fields().into_iter().map(|(_, value)| value);
    match (fields.next(), fields.next()) {
        (Some(first), Some(second)) => (first, second),
        _ => (both, unit()),
    }
}

/// Returns the state of a loop: whether it continues, and the arguments; fields in order.
fn state(goes_on: bool, arguments: Vec<Data>) -> Data {
    let all: Vec<Data> = std::iter::once(Data::bool(Operand::bool(goes_on))).chain(arguments).collect();
    let layout = all.iter().enumerate().map(|(index, data)| (Symbol(index as u32), data.layout.clone()));
    Data {
        layout: Layout::Record(layout.collect()),
        leaves: all.into_iter().flat_map(|data| data.leaves).collect(),
    }
}
