//! Recognition of parallel patterns in sequential code: recursion over sequences that is a map, a map over two sequences, or a
//! fold.
//!
//! ```text
//! recursive let squares = lam acc. lam s.
//!   match s with [h] ++ t then squares (snoc acc (muli h h)) t else acc
//! recursive let sum = lam s. if null s then 0 else addi (head s) (sum (tail s))
//! ```
//! becomes
//! ```text
//! let squares_element = lam h. muli h h
//! let squares = lam acc. lam s. concat acc (map squares_element s)
//! let sum_element = lam h. h
//! let sum = lam s. addi (foldl addi 0 (map sum_element s)) 0
//! ```
//! The result so far is kept: a map is appended to the accumulator's initial value. Of two sequences the shorter one determines
//! the length. A fold stays a `foldl`; lowering makes a reduction of it if its operator is associative, which sums of floats are
//! not. The computation for one element becomes a function of its own; its first parameters are the values that all elements
//! share. Recursion of any other shape stays as it is. Needs: an extracted functional part.

use warpwise_diag::Span;

use crate::builtins::Builtin;
use crate::check::types::{Node, Ty};
use crate::compile::Checked;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Parameter, Pat, PatKind, Test, VarId};

use super::variables::{free, rename};

/// Replaces recursive functions that have the shape of a pattern.
pub fn recognise(checked: &mut Checked, decls: Vec<Decl>) -> Vec<Decl> {
    let mut found = Vec::new();
    for decl in decls {
        match &decl.kind {
            DeclKind::Recursive(bindings) if bindings.len() == 1 => match pattern(checked, &bindings[0]) {
                Some(new) => {
                    let lets = new.into_iter().map(DeclKind::Let);
                    found.extend(lets.map(|kind| Decl { kind, span: decl.span }));
                }
                None => found.push(decl),
            },
            DeclKind::Recursive(_)
            | DeclKind::Let(_)
            | DeclKind::External(..)
            | DeclKind::Utest(_)
            | DeclKind::Do(_)
            | DeclKind::Match(..) => found.push(decl),
        }
    }
    found
}

/// A sequence that a function traverses.
#[derive(Clone, Copy)]
struct Walk {
    seq: VarId,
    /// The names of the first element and of the rest, if the function gives them names.
    head: Option<VarId>,
    tail: Option<VarId>,
}

/// The parts of a function: its result at the end of a sequence, and its step before the end.
struct Shape<'e> {
    walks: Vec<Walk>,
    base: &'e Expr,
    step: &'e Expr,
}

/// Returns equivalent functions, if a function is a pattern.
fn pattern(checked: &mut Checked, binding: &Binding) -> Option<Vec<Binding>> {
    let ExprKind::Lambda(parameters, body) = &binding.body.kind else { return None };
    let body = one_by_one(body);
    let Shape { walks, base, step } = take_apart(&body)?;
    let step = with_tails(step);
    let shape = Shape { walks, base, step: &step };
    let is_parameter = |walk: &Walk| parameters.iter().any(|parameter| parameter.var == walk.seq);
    if !shape.walks.iter().all(is_parameter) || mentions(shape.base, binding.var) {
        return None;
    }
    let mut it = Recognised { checked, binding, parameters, shape: &shape, new: Vec::new() };
    let body = it.with_accumulator().or_else(|| it.with_rest())?;
    let mut new = it.new;
    let lambda = ExprKind::Lambda(parameters.clone(), Box::new(body));
    let body = Expr { kind: lambda, span: binding.body.span, ty: binding.body.ty };
    new.push(Binding { var: binding.var, ty: binding.ty.clone(), body });
    Some(new)
}

/// Turns a choice into a chain of choices with one test each.
fn one_by_one(expr: &Expr) -> Expr {
    let ExprKind::Choice(tests, otherwise) = &expr.kind else { return expr.clone() };
    tests.iter().rev().fold(one_by_one(otherwise), |rest, test| {
        let test = Test { then: one_by_one(&test.then), ..test.clone() };
        Expr { kind: ExprKind::Choice(vec![test], Box::new(rest)), span: expr.span, ty: expr.ty }
    })
}

/// Returns the step before the end of a sequence, with names bound to `tail s` replaced by `tail s`.
fn with_tails(step: &Expr) -> Expr {
    let ExprKind::Block(decls, result) = &step.kind else { return step.clone() };
    let (mut decls, mut result) = (decls.clone(), result.clone());
    while let Some(position) = decls.iter().position(|decl| tail_of(decl).is_some()) {
        let decl = decls.remove(position);
        let Some((name, tail)) = tail_of(&decl) else { continue };
        let users = decls.iter_mut().flat_map(Decl::children_mut).chain(std::iter::once(&mut *result));
        users.for_each(|user| replace(user, name, tail));
    }
    if decls.is_empty() {
        return *result;
    }
    Expr { kind: ExprKind::Block(decls, result), span: step.span, ty: step.ty }
}

/// Returns the name and the value of `let t = tail s`.
fn tail_of(decl: &Decl) -> Option<(VarId, &Expr)> {
    let DeclKind::Let(binding) = &decl.kind else { return None };
    let ExprKind::Apply(function, arguments) = &binding.body.kind else { return None };
    let is_tail = is_builtin(function, Builtin::Tail) && arguments.len() == 1 && var(&arguments[0]).is_some();
    is_tail.then_some((binding.var, &binding.body))
}

fn replace(expr: &mut Expr, name: VarId, with: &Expr) {
    if var(expr) == Some(name) {
        *expr = with.clone();
        return;
    }
    expr.children_mut().into_iter().for_each(|child| replace(child, name, with));
}

fn take_apart(body: &Expr) -> Option<Shape<'_>> {
    let (walk, base, step) = ends(body)?;
    // The step may test a second sequence, with the same result at its end.
    if let Some((second, other, inner)) = ends(step)
        && second.seq != walk.seq
        && is_same(base, other)
    {
        return Some(Shape { walks: vec![walk, second], base, step: inner });
    }
    Some(Shape { walks: vec![walk], base, step })
}

/// Returns the sequence whose end is tested, the expression at its end, and the expression before its end.
fn ends(expr: &Expr) -> Option<(Walk, &Expr, &Expr)> {
    let ExprKind::Choice(tests, otherwise) = &expr.kind else { return None };
    let [Test { scrutinee, pattern, then }] = &tests[..] else { return None };
    if let (ExprKind::Apply(function, arguments), PatKind::Bool(wanted)) = (&scrutinee.kind, &pattern.kind) {
        let [argument] = &arguments[..] else { return None };
        let walk = Walk { seq: var(argument)?, head: None, tail: None };
        let (base, step) = if *wanted { (then, &**otherwise) } else { (&**otherwise, then) };
        return is_builtin(function, Builtin::Null).then_some((walk, base, step));
    }
    let seq = var(scrutinee)?;
    match &pattern.kind {
        PatKind::Seq(items) if items.is_empty() => {
            // The other branch may match again, to name the first element.
            if let ExprKind::Choice(inner, never) = &otherwise.kind
                && let [Test { scrutinee, pattern, then: step }] = &inner[..]
                && var(scrutinee) == Some(seq)
                && matches!(never.kind, ExprKind::Never)
                && let Some(walk) = first_and_rest(seq, pattern)
            {
                return Some((walk, then, step));
            }
            Some((Walk { seq, head: None, tail: None }, then, otherwise))
        }
        _ => Some((first_and_rest(seq, pattern)?, otherwise, then)),
    }
}

/// Returns the walk of the pattern `[h] ++ t`.
fn first_and_rest(seq: VarId, pattern: &Pat) -> Option<Walk> {
    let PatKind::Edge(first, tail, last) = &pattern.kind else { return None };
    let [first] = &first[..] else { return None };
    let head = match &first.kind {
        PatKind::Var(var) => Some(*var),
        PatKind::Wildcard => None,
        _ => return None,
    };
    last.is_empty().then_some(Walk { seq, head, tail: *tail })
}

struct Recognised<'a> {
    checked: &'a mut Checked,
    binding: &'a Binding,
    parameters: &'a [Parameter],
    shape: &'a Shape<'a>,
    /// The functions for elements that have been made.
    new: Vec<Binding>,
}

impl Recognised<'_> {
    /// Recognises a function that tail-calls itself with the result so far.
    fn with_accumulator(&mut self) -> Option<Expr> {
        let (lets, last) = definitions(self.shape.step);
        let acc = var(self.shape.base)?;
        let position = self.parameters.iter().position(|parameter| parameter.var == acc)?;
        let arguments = self.next_call(last, Some(acc))?;
        let next = &arguments[position];
        let so_far = self.of_var(acc, self.shape.base);
        let added = match &next.kind {
            ExprKind::Apply(function, parts) if is_builtin(function, Builtin::Snoc) => {
                (var(&parts[0]) == Some(acc)).then_some(&parts[1])
            }
            ExprKind::Apply(function, parts) if is_builtin(function, Builtin::Concat) => {
                single(&parts[1]).filter(|_| var(&parts[0]) == Some(acc))
            }
            _ => None,
        };
        match added {
            Some(element) if !lets.iter().any(|decl| decl_mentions(decl, acc)) && !mentions(element, acc) => {
                let mapped = self.mapped(lets, element, self.shape.base.ty)?;
                Some(self.call(Builtin::Concat, vec![so_far, mapped], self.shape.base))
            }
            _ if self.shape.walks.len() == 1 => {
                let function = self.element_function(lets, next, Some(acc))?;
                let seq = self.seq(0);
                Some(self.call(Builtin::Foldl, vec![function, so_far, seq], self.shape.base))
            }
            _ => None,
        }
    }

    /// Recognises a function that combines a value with its result for the rest.
    fn with_rest(&mut self) -> Option<Expr> {
        let (lets, last) = definitions(self.shape.step);
        let ExprKind::Apply(function, arguments) = &last.kind else { return None };
        let ExprKind::Builtin(builtin) = function.kind else { return None };
        let [first, second] = &arguments[..] else { return None };
        let base = self.shape.base.clone();
        match builtin {
            Builtin::Cons | Builtin::Concat => {
                self.next_call(second, None)?;
                let element = if builtin == Builtin::Cons { Some(first) } else { single(first) };
                let mapped = self.mapped(lets, element?, last.ty)?;
                match &base.kind {
                    ExprKind::Seq(items) if items.is_empty() => Some(mapped),
                    _ => Some(self.call(Builtin::Concat, vec![mapped, base], last)),
                }
            }
            Builtin::Addi | Builtin::Muli => {
                let element = if self.next_call(second, None).is_some() { first } else { second };
                let rest = if std::ptr::eq(element, first) { second } else { first };
                self.next_call(rest, None)?;
                let ty = self.checked.typing.types.seq(last.ty);
                let mapped = self.mapped(lets, element, ty)?;
                let neutral = ExprKind::Int(i64::from(builtin == Builtin::Muli));
                let neutral = Expr { kind: neutral, span: last.span, ty: last.ty };
                let op = (**function).clone();
                let all = self.call(Builtin::Foldl, vec![op.clone(), neutral, mapped], last);
                let kind = ExprKind::Apply(Box::new(op), vec![all, base]);
                Some(Expr { kind, span: last.span, ty: last.ty })
            }
            // Other operators are not known to be associative.
            _ => None,
        }
    }

    /// Returns the arguments with which a function calls itself for the rest of its sequences. Other arguments, except that of
    /// `acc`, must be unchanged.
    fn next_call<'e>(&self, expr: &'e Expr, acc: Option<VarId>) -> Option<&'e [Expr]> {
        let ExprKind::Apply(function, arguments) = &expr.kind else { return None };
        if var(function) != Some(self.binding.var) || arguments.len() != self.parameters.len() {
            return None;
        }
        let goes_on = self.parameters.iter().zip(arguments).all(|(parameter, argument)| {
            match self.shape.walks.iter().find(|walk| walk.seq == parameter.var) {
                Some(walk) => is_rest(walk, argument),
                None => acc == Some(parameter.var) || var(argument) == Some(parameter.var),
            }
        });
        goes_on.then_some(arguments)
    }

    /// Maps the computation of one element over the sequences.
    fn mapped(&mut self, lets: &[Decl], element: &Expr, ty: Ty) -> Option<Expr> {
        let function = self.element_function(lets, element, None)?;
        let (builtin, mut arguments) = match self.shape.walks.len() {
            1 => (Builtin::Map, vec![function]),
            _ => (Builtin::Map2, vec![function]),
        };
        arguments.extend((0..self.shape.walks.len()).map(|walk| self.seq(walk)));
        let at = Expr { kind: ExprKind::Never, span: element.span, ty };
        Some(self.call(builtin, arguments, &at))
    }

    /// Makes the function for one element, with the parameter `acc` first if there is one, and applies it to the shared values.
    fn element_function(&mut self, lets: &[Decl], result: &Expr, acc: Option<VarId>) -> Option<Expr> {
        let span = result.span;
        let kind = ExprKind::Block(lets.to_vec(), Box::new(result.clone()));
        let mut body = match lets {
            [] => result.clone(),
            _ => Expr { kind, span, ty: result.ty },
        };
        let mut own: Vec<VarId> = acc.into_iter().collect();
        for walk in &self.shape.walks {
            let Node::Seq(element) = *self.checked.typing.types.node(self.type_of(walk.seq)) else {
                return None;
            };
            let head = walk.head.unwrap_or_else(|| self.checked.fresh("x", span, element));
            name_heads(&mut body, walk.seq, head);
            own.push(head);
        }
        let used = free(&body);
        let walked =
            |walk: &Walk| used.contains(&walk.seq) || walk.tail.is_some_and(|tail| used.contains(&tail));
        if used.contains(&self.binding.var) || self.shape.walks.iter().any(walked) {
            return None;
        }
        let same: Vec<VarId> = self
            .parameters
            .iter()
            .map(|parameter| parameter.var)
            .filter(|var| used.contains(var) && !own.contains(var))
            .collect();
        // Variables are bound once: the new function has its own parameters for the shared values.
        let inner: Vec<VarId> = same.iter().map(|var| self.copy_of(*var)).collect();
        rename(&mut body, &same, &inner);
        let own = match acc {
            Some(acc) => {
                let new = self.copy_of(acc);
                rename(&mut body, &[acc], &[new]);
                std::iter::once(new).chain(own.into_iter().skip(1)).collect()
            }
            None => own,
        };
        Some(self.define(&same, inner, own, body))
    }

    /// Defines a function with parameters `inner` for the shared values and `own` for the others; returns it applied to the
    /// shared values.
    fn define(&mut self, same: &[VarId], inner: Vec<VarId>, own: Vec<VarId>, body: Expr) -> Expr {
        let span = body.span;
        let mut own_type = body.ty;
        for var in own.iter().rev() {
            own_type = self.checked.typing.types.arrow(self.type_of(*var), own_type);
        }
        let mut ty = own_type;
        for var in inner.iter().rev() {
            ty = self.checked.typing.types.arrow(self.type_of(*var), ty);
        }
        let name = self.checked.program.vars[self.binding.var.0 as usize].name;
        let name = format!("{}_element", self.checked.names.text(name));
        let function = self.checked.fresh(&name, span, ty);
        let parameters = inner.into_iter().chain(own).map(|var| Parameter { var, ty: None }).collect();
        let lambda = Expr { kind: ExprKind::Lambda(parameters, Box::new(body)), span, ty };
        self.new.push(Binding { var: function, ty: None, body: lambda });
        let named = Expr { kind: ExprKind::Var(function), span, ty };
        if same.is_empty() {
            return named;
        }
        let arguments =
            same.iter().map(|var| Expr { kind: ExprKind::Var(*var), span, ty: self.type_of(*var) });
        Expr { kind: ExprKind::Apply(Box::new(named), arguments.collect()), span, ty: own_type }
    }

    fn type_of(&self, var: VarId) -> Ty {
        self.checked.typing.vars[var.0 as usize]
    }

    fn copy_of(&mut self, var: VarId) -> VarId {
        let name = self.checked.program.vars[var.0 as usize];
        let text = self.checked.names.text(name.name).to_string();
        let ty = self.type_of(var);
        self.checked.fresh(&text, name.span, ty)
    }

    fn of_var(&self, var: VarId, at: &Expr) -> Expr {
        Expr { kind: ExprKind::Var(var), span: at.span, ty: self.type_of(var) }
    }

    fn seq(&self, walk: usize) -> Expr {
        self.of_var(self.shape.walks[walk].seq, self.shape.step)
    }

    /// Returns an application of a built-in; the result has the type of `at`.
    fn call(&mut self, builtin: Builtin, arguments: Vec<Expr>, at: &Expr) -> Expr {
        let mut ty = at.ty;
        for argument in arguments.iter().rev() {
            ty = self.checked.typing.types.arrow(argument.ty, ty);
        }
        let span: Span = at.span;
        let function = Expr { kind: ExprKind::Builtin(builtin), span, ty };
        Expr { kind: ExprKind::Apply(Box::new(function), arguments), span, ty: at.ty }
    }
}

/// Splits an expression into its definitions and its result.
fn definitions(expr: &Expr) -> (&[Decl], &Expr) {
    match &expr.kind {
        ExprKind::Block(decls, result) => (decls, result),
        _ => (&[], expr),
    }
}

fn var(expr: &Expr) -> Option<VarId> {
    match expr.kind {
        ExprKind::Var(var) | ExprKind::Frozen(var) => Some(var),
        _ => None,
    }
}

fn is_builtin(expr: &Expr, wanted: Builtin) -> bool {
    matches!(expr.kind, ExprKind::Builtin(builtin) if builtin == wanted)
}

/// Returns the element of `[x]`.
fn single(expr: &Expr) -> Option<&Expr> {
    match &expr.kind {
        ExprKind::Seq(items) if items.len() == 1 => items.first(),
        _ => None,
    }
}

/// Returns whether an expression is the rest of a sequence after its first element.
fn is_rest(walk: &Walk, expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Var(var) => walk.tail == Some(*var),
        ExprKind::Apply(function, arguments) => {
            is_builtin(function, Builtin::Tail)
                && arguments.len() == 1
                && var(&arguments[0]) == Some(walk.seq)
        }
        _ => false,
    }
}

/// Returns whether both expressions are the same variable, or the empty sequence.
fn is_same(a: &Expr, b: &Expr) -> bool {
    match (&a.kind, &b.kind) {
        (ExprKind::Var(a), ExprKind::Var(b)) => a == b,
        (ExprKind::Seq(a), ExprKind::Seq(b)) => a.is_empty() && b.is_empty(),
        _ => false,
    }
}

fn mentions(expr: &Expr, var: VarId) -> bool {
    free(expr).contains(&var)
}

fn decl_mentions(decl: &Decl, var: VarId) -> bool {
    decl.children().into_iter().any(|child| mentions(child, var))
}

/// Replaces `head s` by a name.
fn name_heads(expr: &mut Expr, seq: VarId, head: VarId) {
    let is_head = matches!(&expr.kind, ExprKind::Apply(function, arguments)
        if is_builtin(function, Builtin::Head) && arguments.len() == 1 && var(&arguments[0]) == Some(seq));
    if is_head {
        expr.kind = ExprKind::Var(head);
        return;
    }
    expr.children_mut().into_iter().for_each(|child| name_heads(child, seq, head));
}
