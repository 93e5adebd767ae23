//! Definitions, and the program as a whole.

use warpwise_diag::Span;

use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Parameter, Utest, VarId};

use super::super::code::{FunctionId, Instr, Slot};
use super::{Body, Compiler, Known, To, read, reads};

impl Compiler<'_> {
    /// Makes the function that runs the program: definitions at the top, then the program's expression.
    pub(super) fn program(&mut self) {
        let main = self.reserve(0, 0, "mexpr");
        let program = &self.checked.program;
        for decl in &program.decls {
            match &decl.kind {
                DeclKind::Let(binding) if !matches!(binding.body.kind, ExprKind::Lambda(..)) => {
                    self.global(binding, decl.span);
                }
                _ => self.temporarily(|compiler| compiler.decl(decl)),
            }
        }
        match &program.main {
            Some(main) => self.expr(main, To::Result),
            None => self.give(To::Result, program.start.unwrap_or(Span::NONE), |to| Instr::Unit { to }),
        }
        self.finish(main, Body::new());
    }

    fn global(&mut self, binding: &Binding, span: Span) {
        let global = Slot(self.globals.len() as u32);
        let sort = self.sort_of_var(binding.var);
        self.global_sorts.push(sort);
        self.temporarily(|compiler| {
            let from = compiler.operand(&binding.body);
            compiler.emit(Instr::SetGlobal { global, from: read(from) }, span);
        });
        self.globals.insert(binding.var, global);
    }

    pub(super) fn decl(&mut self, decl: &Decl) {
        match &decl.kind {
            DeclKind::Let(binding) => self.binding(binding),
            DeclKind::Recursive(bindings) => self.recursive(bindings),
            DeclKind::External(var, _, builtin) => {
                self.externals.insert(*var, *builtin);
            }
            DeclKind::Utest(utest) if self.options.tests => {
                self.temporarily(|compiler| compiler.utest(utest, decl.span));
            }
            DeclKind::Utest(_) => {}
            DeclKind::Do(value) => self.temporarily(|compiler| {
                compiler.operand(value);
            }),
            DeclKind::Match(value, pattern) => {
                let slot = self.operand(value);
                let mut fails = Vec::new();
                self.pattern(pattern, slot, &mut fails);
                if !fails.is_empty() {
                    let matched = self.jump(decl.span);
                    self.land(fails);
                    self.emit(Instr::Never, decl.span);
                    self.land(vec![matched]);
                }
            }
        }
    }

    fn binding(&mut self, binding: &Binding) {
        if let ExprKind::Lambda(parameters, body) = &binding.body.kind {
            let captured = self.captured([&binding.body].into_iter());
            let function = self.reserve_named(binding.var, captured.len(), parameters.len());
            self.function(function, &captured, parameters, body);
            let number = self.numbers.get(&binding.var).copied();
            let known = Known { function, n_parameters: parameters.len(), captured, number };
            self.known.insert(binding.var, known);
            return;
        }
        let slot = self.operand(&binding.body);
        self.body.slots.insert(binding.var, slot);
    }

    fn recursive(&mut self, bindings: &[Binding]) {
        let captured = self.captured(bindings.iter().map(|binding| &binding.body));
        let functions: Vec<(&Binding, &[Parameter], &Expr)> =
            bindings.iter().filter_map(as_function).collect();
        for (binding, parameters, _) in &functions {
            let function = self.reserve_named(binding.var, captured.len(), parameters.len());
            let (n_parameters, captured) = (parameters.len(), captured.clone());
            let number = self.numbers.get(&binding.var).copied();
            let known = Known { function, n_parameters, captured, number };
            self.known.insert(binding.var, known);
        }
        for (binding, parameters, body) in functions {
            let function = self.known[&binding.var].function;
            self.function(function, &captured, parameters, body);
        }
    }

    /// Reserves the number of the function that a variable is bound to.
    fn reserve_named(&mut self, var: VarId, n_captured: usize, n_parameters: usize) -> FunctionId {
        let checked = self.checked;
        let name = checked.program.vars[var.0 as usize].name;
        self.reserve(n_captured, n_parameters, checked.names.text(name))
    }

    fn utest(&mut self, utest: &Utest, span: Span) {
        let actual = self.operand(&utest.actual);
        let expected = self.operand(&utest.expected);
        let passed = self.fresh();
        match &utest.using {
            None => self.emit(Instr::Equal { to: passed, left: read(actual), right: read(expected) }, span),
            Some(using) => {
                let function = self.operand(using);
                let arguments = reads(&[actual, expected]);
                self.emit(Instr::Call { to: passed, function: read(function), arguments }, using.span);
            }
        }
        let failed = self.body.code.len();
        self.emit(Instr::UnlessBool { slot: passed, value: true, target: u32::MAX }, span);
        self.emit(Instr::Passed, span);
        let end = self.jump(span);
        self.land(vec![failed]);
        let message = utest.otherwise.as_ref().map(|otherwise| {
            let function = self.operand(otherwise);
            let to = self.fresh();
            let arguments = reads(&[actual, expected]);
            self.emit(Instr::Call { to, function: read(function), arguments }, otherwise.span);
            read(to)
        });
        self.emit(Instr::Failed { message, actual: read(actual), expected: read(expected) }, span);
        self.land(vec![end]);
    }
}

fn as_function(binding: &Binding) -> Option<(&Binding, &[Parameter], &Expr)> {
    match &binding.body.kind {
        ExprKind::Lambda(parameters, body) => Some((binding, parameters, body)),
        _ => None,
    }
}
