//! Lambda lifting: every function moves to the top, with its captured variables as additional parameters.
//!
//! ```text
//! let g = lam x. addi x 1
//! let c = randIntU 10 20
//! let accelerated = lam _. let f = lam x. muli c (g x) in map f s
//! ```
//! becomes
//! ```text
//! let g = lam x. addi x 1
//! let c = randIntU 10 20
//! let f = lam c. lam x. muli c (g x)
//! let accelerated = lam s. lam c. map (f c) s
//! ```
//! A function is a definition whose type is a function type and whose body computes nothing. Functions are known by name
//! everywhere and are never captured. Every other variable is captured, at the top or not, through all calls, in the order of
//! definition (after Johnsson 1985, as modified by papers/000 section 4.1). Computed values of function type, and parameters that
//! are functions, are captured like any other variable; [`super::interface`] checks whether an accelerated expression may capture
//! them. The meaning of the program does not change. Needs: [`super::name`].

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty, Types};
use crate::compile::Checked;
use crate::reachable::is_value;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Parameter, VarId};

use super::name::Entry;
use super::order::in_order;
use super::variables::bound;

/// Lifts all functions of a program.
pub fn lift(checked: &mut Checked, entries: &[Entry]) {
    let captured = Functions::of(checked).captured();
    let decls = std::mem::take(&mut checked.program.decls);
    let mut main = checked.program.main.take();
    let mut lifter = Lifter {
        checked,
        captured,
        entries,
        externals: Vec::new(),
        lifted: Vec::new(),
        renamed: FxHashMap::default(),
    };
    let mut new = Vec::new();
    for decl in decls {
        let stays = lifter.decl(decl);
        lifter.flush(&mut new);
        new.extend(stays);
    }
    if let Some(main) = &mut main {
        lifter.expr(main);
        lifter.flush(&mut new);
    }
    (checked.program.decls, checked.program.main) = (new, main);
}

/// Returns whether a value of this type contains a function.
pub fn has_function(types: &Types, ty: Ty) -> bool {
    let is_function = matches!(types.node(ty), Node::Arrow(..));
    is_function || types.parts(ty).into_iter().any(|part| has_function(types, part))
}

/// Returns whether a definition binds a function that is known by its name.
fn is_function(body: &Expr, types: &Types, mut ty: Ty) -> bool {
    while let Node::All(_, inner) = types.node(ty) {
        ty = *inner;
    }
    matches!(types.node(ty), Node::Arrow(..)) && (is_value(body) || is_text(body))
}

/// Returns whether an expression is inlined text of the array language.
fn is_text(expr: &Expr) -> bool {
    let is_inline = |function: &Expr| matches!(function.kind, ExprKind::Builtin(Builtin::InlineFuthark));
    matches!(&expr.kind, ExprKind::Apply(function, arguments) if is_inline(function) && arguments.len() == 1)
}

/// All functions of a program.
#[derive(Default)]
struct Functions {
    /// For each function the variables that it uses, and the variables bound in it.
    uses: BTreeMap<VarId, (BTreeSet<VarId>, BTreeSet<VarId>)>,
    externals: BTreeSet<VarId>,
}

impl Functions {
    fn of(checked: &Checked) -> Functions {
        let mut functions = Functions::default();
        let mut inside = |expr: &Expr| {
            expr.each(&mut |part| {
                if let ExprKind::Block(decls, _) = &part.kind {
                    decls.iter().for_each(|decl| functions.add(decl, checked));
                }
            });
        };
        checked.program.decls.iter().flat_map(Decl::children).for_each(&mut inside);
        checked.program.main.iter().for_each(inside);
        checked.program.decls.iter().for_each(|decl| functions.add(decl, checked));
        functions
    }

    fn add(&mut self, decl: &Decl, checked: &Checked) {
        let bindings = match &decl.kind {
            DeclKind::Let(binding) => std::slice::from_ref(binding),
            DeclKind::Recursive(bindings) => bindings,
            DeclKind::External(var, ..) => {
                self.externals.insert(*var);
                return;
            }
            DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => return,
        };
        for binding in bindings {
            let ty = checked.typing.vars[binding.var.0 as usize];
            if is_function(&binding.body, &checked.typing.types, ty) {
                self.uses.insert(binding.var, (used(&binding.body), bound(&binding.body)));
            }
        }
    }

    /// Returns the captures of each function: the variables it uses, through calls, that are neither functions nor bound in it.
    fn captured(&self) -> FxHashMap<VarId, Vec<VarId>> {
        let known = |var: &VarId| self.uses.contains_key(var) || self.externals.contains(var);
        let mut captured: BTreeMap<VarId, BTreeSet<VarId>> = BTreeMap::new();
        for (var, (used, inside)) in &self.uses {
            let own = used.iter().filter(|var| !known(var) && !inside.contains(var)).copied().collect();
            captured.insert(*var, own);
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (var, (used, inside)) in &self.uses {
                let callees = used.iter().filter_map(|callee| captured.get(callee)).flatten();
                let more: Vec<VarId> = callees.filter(|var| !inside.contains(var)).copied().collect();
                let own = captured.entry(*var).or_default();
                let before = own.len();
                own.extend(more);
                changed |= own.len() > before;
            }
        }
        captured.into_iter().map(|(var, vars)| (var, vars.into_iter().collect())).collect()
    }
}

/// Returns all variables that occur in an expression.
fn used(expr: &Expr) -> BTreeSet<VarId> {
    let mut found = BTreeSet::new();
    expr.each(&mut |part| {
        if let ExprKind::Var(var) | ExprKind::Frozen(var) = part.kind {
            found.insert(var);
        }
    });
    found
}

struct Lifter<'a> {
    checked: &'a mut Checked,
    captured: FxHashMap<VarId, Vec<VarId>>,
    entries: &'a [Entry],
    /// Declarations of external functions that stood inside other definitions.
    externals: Vec<Decl>,
    /// Functions lifted out of the current definition.
    lifted: Vec<Binding>,
    /// The current function's parameters for captured variables, by captured variable.
    renamed: FxHashMap<VarId, VarId>,
}

impl Lifter<'_> {
    fn flush(&mut self, decls: &mut Vec<Decl>) {
        decls.append(&mut self.externals);
        decls.extend(in_order(std::mem::take(&mut self.lifted)));
    }

    /// Lifts a definition; returns the remainder, which stays in place.
    fn decl(&mut self, mut decl: Decl) -> Option<Decl> {
        match decl.kind {
            DeclKind::Let(binding) if self.captured.contains_key(&binding.var) => self.function(binding),
            DeclKind::Recursive(bindings) => {
                bindings.into_iter().for_each(|binding| self.function(binding));
            }
            DeclKind::External(..) => self.externals.push(decl),
            DeclKind::Let(_) | DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => {
                decl.children_mut().into_iter().for_each(|expr| self.expr(expr));
                return Some(decl);
            }
        }
        None
    }

    fn function(&mut self, mut binding: Binding) {
        let captured = self.captured.get(&binding.var).cloned().unwrap_or_default();
        let outer = std::mem::take(&mut self.renamed);
        let mut parameters = Vec::new();
        for var in &captured {
            let name = self.checked.program.vars[var.0 as usize];
            let text = self.checked.names.text(name.name).to_string();
            let ty = self.checked.typing.vars[var.0 as usize];
            let fresh = self.checked.fresh(&text, name.span, ty);
            self.renamed.insert(*var, fresh);
            parameters.push(Parameter { var: fresh, ty: None });
        }
        match &mut binding.body.kind {
            ExprKind::Lambda(_, inner) => self.expr(inner),
            _ => self.expr(&mut binding.body),
        }
        self.renamed = outer;
        if !captured.is_empty() {
            self.add_parameters(&mut binding, parameters);
        }
        self.lifted.push(binding);
    }

    fn add_parameters(&mut self, binding: &mut Binding, mut parameters: Vec<Parameter>) {
        let is_entry = self.is_entry(binding.var);
        let vars: Vec<VarId> = parameters.iter().map(|parameter| parameter.var).collect();
        let body = &mut binding.body;
        body.ty = self.with_parameters(body.ty, &vars, is_entry);
        let ty = self.checked.typing.vars[binding.var.0 as usize];
        self.checked.typing.vars[binding.var.0 as usize] = self.with_parameters(ty, &vars, is_entry);
        body.kind = match std::mem::replace(&mut body.kind, ExprKind::Never) {
            ExprKind::Lambda(own, inner) => {
                parameters.extend(own.into_iter().skip(usize::from(is_entry)));
                ExprKind::Lambda(parameters, inner)
            }
            kind => {
                let ty = self.checked.typing.vars[binding.var.0 as usize];
                let inner = Expr { kind, span: body.span, ty };
                ExprKind::Lambda(parameters, Box::new(inner))
            }
        };
        binding.ty = None;
    }

    fn is_entry(&self, var: VarId) -> bool {
        self.entries.iter().any(|entry| entry.var == var)
    }

    /// Returns the type of a function with captured variables before its own parameters. In an entry they replace its first
    /// parameter.
    fn with_parameters(&mut self, ty: Ty, captured: &[VarId], is_entry: bool) -> Ty {
        let types = &mut self.checked.typing.types;
        let (mut quantified, mut inner) = (Vec::new(), ty);
        while let Node::All(var, body) = *types.node(inner) {
            quantified.push(var);
            inner = body;
        }
        if let Node::Arrow(_, result) = *types.node(inner)
            && is_entry
        {
            inner = result;
        }
        for var in captured.iter().rev() {
            inner = types.arrow(self.checked.typing.vars[var.0 as usize], inner);
        }
        quantified.into_iter().rev().fold(inner, |ty, var| types.add(Node::All(var, ty)))
    }

    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Var(var) | ExprKind::Frozen(var) => {
                let var = *var;
                self.var(expr, var);
            }
            ExprKind::Apply(function, arguments) => {
                let is_entry = matches!(function.kind, ExprKind::Var(var) if self.is_entry(var));
                self.expr(function);
                arguments.iter_mut().for_each(|argument| self.expr(argument));
                if let ExprKind::Apply(inner, captured) = &mut function.kind
                    && matches!(inner.kind, ExprKind::Var(var) if self.captured.contains_key(&var))
                {
                    let mut all = std::mem::take(captured);
                    if !is_entry {
                        all.append(arguments);
                    }
                    let inner = std::mem::replace(&mut **inner, Expr::unit(expr.span));
                    expr.kind = ExprKind::Apply(Box::new(inner), all);
                }
            }
            ExprKind::Block(decls, result) => {
                *decls = std::mem::take(decls).into_iter().filter_map(|decl| self.decl(decl)).collect();
                self.expr(result);
                if decls.is_empty() {
                    let result = std::mem::replace(&mut **result, Expr::unit(expr.span));
                    *expr = result;
                }
            }
            _ => expr.children_mut().into_iter().for_each(|child| self.expr(child)),
        }
    }

    /// Replaces a captured variable by its parameter, and applies a function to its captured variables.
    fn var(&mut self, expr: &mut Expr, var: VarId) {
        if let Some(parameter) = self.renamed.get(&var) {
            expr.kind = ExprKind::Var(*parameter);
            return;
        }
        let Some(captured) = self.captured.get(&var).filter(|captured| !captured.is_empty()).cloned() else {
            return;
        };
        let ty = self.with_parameters(expr.ty, &captured, self.is_entry(var));
        let function = Expr { kind: ExprKind::Var(var), span: expr.span, ty };
        let arguments = captured.iter().map(|var| {
            let var = self.renamed.get(var).unwrap_or(var);
            let ty = self.checked.typing.vars[var.0 as usize];
            Expr { kind: ExprKind::Var(*var), span: expr.span, ty }
        });
        expr.kind = ExprKind::Apply(Box::new(function), arguments.collect());
    }
}
