//! Choices and loops.
//!
//! Where two values come together whose sequences have different lengths, the lengths are results, too. The parameters
//! of a loop begin with the lengths that change from round to round; which ones do is found by lowering the body until
//! no more are met.

use warpwise_diag::{Failure, Span};
use warpwise_ir::{Body, Branch, Expr as Ir, LoopForm, LoopParam, Operand, Stm, Type};
use warpwise_prim::Scalar;

use crate::syntax::names::Symbol;
use crate::tree::{Expr, ExprKind, Parameter, Test, VarId};

use super::Lowerer;
use super::value::{Data, Layout, Value};

/// How often a loop runs.
#[derive(Clone, Copy)]
pub(super) enum Rounds {
    /// So many times.
    Times(Operand),
    /// While the first leaf of its value holds.
    While,
}

/// What the body of a loop makes of the round's number and the value so far.
type Round<'r, 'a, 'f> = dyn FnMut(&mut Lowerer<'a, 'f>, Operand, &Data) -> Result<Data, Failure> + 'r;

/// Lowers an expression.
type Last<'l, 'a, 'f> = dyn FnMut(&mut Lowerer<'a, 'f>, &Expr) -> Result<Value, Failure> + 'l;

impl<'a, 'f> Lowerer<'a, 'f> {
    /// The first test that holds decides; alternatives are lowered by `last`.
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
        let then = self.nested(|this| {
            this.bind(&first.pattern, &value)?;
            let then = last(this, &first.then)?;
            this.data(then, first.then.span)
        })?;
        let other = self.nested(|this| {
            let other = this.choice(rest, otherwise, last)?;
            this.data(other, otherwise.span)
        })?;
        Ok(Value::Data(self.merge(condition, then, other, first.scrutinee.span)?))
    }

    /// One of two values, with the statements for each.
    pub(super) fn merge(
        &mut self,
        condition: Operand,
        then: (Vec<Stm>, Data),
        other: (Vec<Stm>, Data),
        span: Span,
    ) -> Result<Data, Failure> {
        let ((then_stms, then), (other_stms, other)) = (then, other);
        let (lengths, other_lengths) = (then.layout.lengths(), other.layout.lengths());
        if lengths.len() != other_lengths.len() || then.leaves.len() != other.leaves.len() {
            return self.limit("alternatives of which one has no type", span);
        }
        let differs: Vec<bool> = lengths.iter().zip(&other_lengths).map(|(a, b)| a != b).collect();
        let result = |lengths: &[Operand], leaves: Vec<Operand>| {
            let sizes = lengths.iter().zip(&differs).filter(|(_, differs)| **differs).map(|(n, _)| *n);
            sizes.chain(leaves).collect::<Vec<_>>()
        };
        let then_body = Body { stms: then_stms, result: result(&lengths, then.leaves) };
        let else_body = Body { stms: other_stms, result: result(&other_lengths, other.leaves) };
        let n_leaves = then.layout.n_leaves();
        let vars = self.b.bind("x", Ir::If { cond: condition, then_body, else_body, branch: Branch::Plain });
        let mut sizes = vars.iter().map(|var| Operand::from(*var));
        let new: Vec<Operand> = lengths
            .iter()
            .zip(&differs)
            .map(|(known, differs)| if *differs { sizes.next().unwrap_or(*known) } else { *known })
            .collect();
        let layout = then.layout.with_lengths(&mut new.into_iter());
        let leaves = vars[vars.len() - n_leaves..].iter().map(|var| (*var).into()).collect();
        Ok(Data { layout, leaves })
    }

    /// A loop.
    pub(super) fn rounds(
        &mut self,
        init: &Data,
        rounds: Rounds,
        span: Span,
        round: &mut Round<'_, 'a, 'f>,
    ) -> Result<Data, Failure> {
        let lengths = init.layout.lengths();
        let mut changes = vec![false; lengths.len()];
        loop {
            let (params, data) = self.parameters(init, &changes);
            let index = self.b.function.fresh("i", Type::I64);
            let (stms, next) = self.nested(|this| round(this, index.into(), &data))?;
            let (own, next_lengths) = (data.layout.lengths(), next.layout.lengths());
            if next_lengths.len() != own.len() || next.leaves.len() != data.leaves.len() {
                return self.limit("a fold that starts from a value without a type", span);
            }
            let mut found_more = false;
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
            let body = Body { stms, result: sizes.chain(next.leaves).collect() };
            let form = match rounds {
                Rounds::Times(bound) => LoopForm::For { index, bound },
                Rounds::While => LoopForm::While { cond: params[n_sizes].var },
            };
            let vars = self.b.bind("x", Ir::Loop { params, form, body });
            let mut sizes = vars.iter().map(|var| Operand::from(*var));
            let new: Vec<Operand> = lengths
                .iter()
                .zip(&changes)
                .map(|(known, changes)| if *changes { sizes.next().unwrap_or(*known) } else { *known })
                .collect();
            let layout = init.layout.with_lengths(&mut new.into_iter());
            let leaves = vars[n_sizes..].iter().map(|var| (*var).into()).collect();
            return Ok(Data { layout, leaves });
        }
    }

    /// Loop parameters for a value some of whose lengths change, and the value they stand for.
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

    /// A function that calls itself last: a loop whose value is whether it goes on, and the arguments. Where it ends,
    /// the body is evaluated once more, for its result.
    pub(super) fn recursive(
        &mut self,
        var: VarId,
        parameters: &[Parameter],
        body: &Expr,
    ) -> Result<Value, Failure> {
        let arguments: Vec<(VarId, Data)> = parameters
            .iter()
            .filter_map(|parameter| match self.values.get(&parameter.var) {
                Some(Value::Data(data)) => Some((parameter.var, data.clone())),
                Some(Value::Function(_)) | None => None,
            })
            .collect();
        let vars: Vec<VarId> = arguments.iter().map(|(var, _)| *var).collect();
        let start = state(true, arguments.into_iter().map(|(_, data)| data).collect());
        let end = self.rounds(&start, Rounds::While, body.span, &mut |this, _, now| {
            this.enter(&vars, now);
            let next = this.next(var, parameters, &vars, body)?;
            this.data(next, body.span)
        })?;
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

    /// Whether the function calls itself, and the arguments.
    fn next(
        &mut self,
        var: VarId,
        parameters: &[Parameter],
        vars: &[VarId],
        expr: &Expr,
    ) -> Result<Value, Failure> {
        match &expr.kind {
            ExprKind::Block(..) => self.block(expr, &mut |this, last| this.next(var, parameters, vars, last)),
            ExprKind::Choice(tests, otherwise) => {
                let last = &mut |this: &mut Self, last: &Expr| this.next(var, parameters, vars, last);
                self.choice(tests, otherwise, last)
            }
            ExprKind::Apply(function, arguments) if matches!(function.kind, ExprKind::Var(called) if called == var) =>
            {
                let mut next = Vec::new();
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    if vars.contains(&parameter.var) {
                        next.push(self.expr_data(argument)?);
                    } else if !matches!(argument.kind, ExprKind::Var(same) if same == parameter.var) {
                        return self.limit("a recursive call with another function", argument.span);
                    }
                }
                Ok(Value::Data(state(true, next)))
            }
            _ => {
                let now = vars.iter().filter_map(|var| match self.values.get(var) {
                    Some(Value::Data(data)) => Some(data.clone()),
                    Some(Value::Function(_)) | None => None,
                });
                Ok(Value::Data(state(false, now.collect())))
            }
        }
    }
}

/// Whether to go on, and arguments; fields in order.
fn state(goes_on: bool, arguments: Vec<Data>) -> Data {
    let all: Vec<Data> = std::iter::once(Data::bool(Operand::bool(goes_on))).chain(arguments).collect();
    let layout = all.iter().enumerate().map(|(index, data)| (Symbol(index as u32), data.layout.clone()));
    Data {
        layout: Layout::Record(layout.collect()),
        leaves: all.into_iter().flat_map(|data| data.leaves).collect(),
    }
}
