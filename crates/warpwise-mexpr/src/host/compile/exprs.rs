//! Expressions.

use warpwise_diag::Span;

use crate::builtins::Builtin;
use crate::check::types::Node;
use crate::syntax::names::Symbol;
use crate::tree::{Expr, ExprKind, Test, VarId};

use super::super::code::{Instr, Slot};
use super::{Compiler, Known, To, read, reads};

impl Compiler<'_> {
    pub(super) fn expr(&mut self, expr: &Expr, to: To) {
        self.temporarily(|compiler| compiler.value(expr, to));
    }

    fn value(&mut self, expr: &Expr, to: To) {
        let span = expr.span;
        match &expr.kind {
            ExprKind::Var(var) | ExprKind::Frozen(var) => self.var(*var, to, span),
            ExprKind::Builtin(builtin) => self.builtin(*builtin, to, span),
            ExprKind::Int(value) => self.give(to, span, |to| Instr::Int { to, value: *value }),
            ExprKind::Float(value) => self.give(to, span, |to| Instr::Float { to, value: *value }),
            ExprKind::Char(value) => self.give(to, span, |to| Instr::Char { to, value: *value }),
            ExprKind::Bool(value) => self.give(to, span, |to| Instr::Bool { to, value: *value }),
            ExprKind::String(text) => self.give(to, span, |to| Instr::String { to, text: text.clone() }),
            ExprKind::Never => self.emit(Instr::Never, span),
            ExprKind::Apply(function, arguments) if self.is_bare_text(function, expr) => {
                let (builtin, now) = (Builtin::InlineFuthark, self.operands(arguments));
                self.give(to, span, |to| Instr::Builtin { to, builtin, arguments: reads(&now) });
            }
            ExprKind::Apply(function, arguments) => self.apply(function, arguments, to, span),
            ExprKind::Lambda(parameters, body) => {
                let captured = self.captured([expr].into_iter());
                let function = self.reserve(captured.len(), parameters.len(), "lam");
                self.function(function, &captured, parameters, body);
                let known = Known { function, n_parameters: parameters.len(), captured, number: None };
                self.closure(&known, to, span);
            }
            ExprKind::Construct(con, held) => {
                let held = self.operand(held);
                self.give(to, span, |to| Instr::Construct { to, con: *con, held: read(held) });
            }
            ExprKind::Choice(tests, otherwise) => self.choice(tests, otherwise, to),
            ExprKind::Record(fields) => self.record(fields, to, span),
            ExprKind::Update(record, fields) => self.update(record, fields, to, span),
            ExprKind::Project(record, label) => {
                let field = self.field(record.ty, *label);
                let from = self.operand(record);
                let sort = self.sort(expr.ty);
                self.give(to, span, |to| Instr::Project { to, from: read(from), field, sort });
            }
            ExprKind::Seq(items) => {
                let items = self.operands(items);
                self.give(to, span, |to| Instr::Seq { to, items: reads(&items) });
            }
            ExprKind::Block(decls, result) => {
                decls.iter().for_each(|decl| self.decl(decl));
                self.expr(result, to);
            }
            ExprKind::Accelerate(inner) => self.expr(inner, to),
        }
    }

    fn var(&mut self, var: VarId, to: To, span: Span) {
        if let Some(slot) = self.body.slots.get(&var).copied() {
            match to {
                To::Slot(to) => self.emit(Instr::Move { to, from: read(slot) }, span),
                To::Result => self.emit(Instr::Return { from: read(slot) }, span),
            }
        } else if let Some(known) = self.known.get(&var).cloned() {
            self.closure(&known, to, span);
        } else if let Some(builtin) = self.externals.get(&var).copied() {
            self.builtin(builtin, to, span);
        } else {
            let global = self.globals[&var];
            self.give(to, span, |to| Instr::Global { to, global });
        }
    }

    fn builtin(&mut self, builtin: Builtin, to: To, span: Span) {
        if builtin.parameters() == 0 {
            self.give(to, span, |to| Instr::Builtin { to, builtin, arguments: Box::new([]) });
        } else {
            self.give(to, span, |to| Instr::BuiltinValue { to, builtin });
        }
    }

    /// Makes the function value of a known function.
    fn closure(&mut self, known: &Known, to: To, span: Span) {
        let captured = self.captures(known);
        let function = known.function;
        self.give(to, span, |to| Instr::Closure { to, function, captured: reads(&captured) });
    }

    /// Returns whether an application is text of the array language that is not a function: it has no value on the host.
    fn is_bare_text(&self, function: &Expr, applied: &Expr) -> bool {
        matches!(function.kind, ExprKind::Builtin(Builtin::InlineFuthark))
            && !matches!(self.checked.typing.types.node(applied.ty), Node::Arrow(..))
    }

    fn captures(&self, known: &Known) -> Vec<Slot> {
        known.captured.iter().map(|var| self.body.slots[var]).collect()
    }

    fn apply(&mut self, function: &Expr, arguments: &[Expr], to: To, span: Span) {
        let builtin = match &function.kind {
            ExprKind::Builtin(builtin) => Some(*builtin),
            ExprKind::Var(var) => self.externals.get(var).copied(),
            _ => None,
        };
        if let Some(builtin) = builtin
            && builtin.parameters() <= arguments.len()
            && builtin.parameters() > 0
        {
            let (now, later) = arguments.split_at(builtin.parameters());
            let now = self.operands(now);
            let instr = |to| Instr::Builtin { to, builtin, arguments: reads(&now) };
            return self.then_apply(instr, later, to, span);
        }
        if let ExprKind::Var(var) = &function.kind
            && let Some(known) = self.known.get(var).cloned()
            && known.n_parameters <= arguments.len()
        {
            let (now, later) = arguments.split_at(known.n_parameters);
            let mut slots = self.captures(&known);
            slots.extend(self.operands(now));
            let function = known.function;
            if let Some(number) = known.number {
                let instr = |to| Instr::Accelerate { to, number, function, arguments: reads(&slots) };
                return self.then_apply(instr, later, to, span);
            }
            if later.is_empty() && to == To::Result {
                return self.emit(Instr::TailDirect { function, arguments: reads(&slots) }, span);
            }
            let instr = |to| Instr::Direct { to, function, arguments: reads(&slots) };
            return self.then_apply(instr, later, to, span);
        }
        let function = self.operand(function);
        self.call(function, arguments, to, span);
    }

    /// Emits an instruction, and applies its result if arguments are left.
    fn then_apply(&mut self, instr: impl FnOnce(Slot) -> Instr, later: &[Expr], to: To, span: Span) {
        if later.is_empty() {
            return self.give(to, span, instr);
        }
        let function = self.fresh();
        self.emit(instr(function), span);
        self.call(function, later, to, span);
    }

    fn call(&mut self, function: Slot, arguments: &[Expr], to: To, span: Span) {
        let arguments = self.operands(arguments);
        let (function, arguments) = (read(function), reads(&arguments));
        match to {
            To::Slot(to) => self.emit(Instr::Call { to, function, arguments }, span),
            To::Result => self.emit(Instr::TailCall { function, arguments }, span),
        }
    }

    fn choice(&mut self, tests: &[Test], otherwise: &Expr, to: To) {
        let mut ends = Vec::new();
        for test in tests {
            let mut fails = Vec::new();
            self.temporarily(|compiler| {
                let scrutinee = compiler.operand(&test.scrutinee);
                compiler.pattern(&test.pattern, scrutinee, &mut fails);
                compiler.expr(&test.then, to);
            });
            if to != To::Result {
                ends.push(self.jump(test.then.span));
            }
            if fails.is_empty() {
                // Code after a test that always holds is not reached.
                return self.land(ends);
            }
            self.land(fails);
        }
        self.expr(otherwise, to);
        self.land(ends);
    }

    fn record(&mut self, fields: &[(Symbol, Expr)], to: To, span: Span) {
        if fields.is_empty() {
            return self.give(to, span, |to| Instr::Unit { to });
        }
        let slots = self.operands(fields.iter().map(|(_, value)| value));
        let mut order: Vec<(Symbol, Slot)> = fields.iter().map(|(label, _)| *label).zip(slots).collect();
        order.sort_by_key(|(label, _)| *label);
        let shape = self.shape(order.iter().map(|(label, _)| *label).collect());
        let slots: Vec<Slot> = order.into_iter().map(|(_, slot)| slot).collect();
        self.give(to, span, |to| Instr::Record { to, shape, fields: reads(&slots) });
    }

    fn update(&mut self, record: &Expr, fields: &[(Symbol, Expr)], to: To, span: Span) {
        let mut from = self.operand(record);
        for (label, value) in fields {
            let field = self.field(record.ty, *label);
            let value = self.operand(value);
            let next = self.fresh();
            self.emit(Instr::Update { to: next, from: read(from), field, value: read(value) }, span);
            from = next;
        }
        self.give(to, span, |to| Instr::Move { to, from: read(from) });
    }
}
