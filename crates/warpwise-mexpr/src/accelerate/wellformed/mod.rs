//! Well-formedness: whether extracted code can run on a device (papers/000, Figures 9 to 11).
//!
//! [`check`] inspects every definition of both parts and reports all errors together, in the order of their positions; each error
//! states the rule, the position and a remedy, and errors in included files also where the program uses them. [`functional`] and [`imperative`] hold the rules of one part, this file those of
//! both. Needs: extracted programs. Absent: properties that only a run shows (regularity, ranks, bounds).

pub mod functional;

pub mod imperative;

mod used;

use std::collections::{BTreeMap, BTreeSet};

use warpwise_diag::{Diagnostic, Failure, Span};

use crate::builtins::Builtin;
use crate::check::show::show;
use crate::check::types::{Node, Ty, Types};
use crate::compile::Checked;
use crate::tree::{Binding, Decl, DeclKind, Expr, ExprKind, Pat, PatKind, VarId};

use super::lift::has_function;
use super::merge::is_loop;
use super::variables::bound;

/// Checks the functional and the imperative part of a program.
pub fn check(checked: &Checked, functional: &[Decl], imperative: &[Decl]) -> Result<(), Failure> {
    let mut errors = Errors { checked, found: BTreeMap::new() };
    functional::check(&mut errors, functional);
    imperative::check(&mut errors, imperative);
    if errors.found.is_empty() {
        return Ok(());
    }
    let parts = [functional, imperative];
    let found = errors.found.into_values().map(|error| used::label_use(checked, &parts, error));
    Err(Failure::User(found.collect()))
}

/// The rules of one part of a program that differ from those of the other.
pub(super) struct Part {
    /// Whether the part has a built-in that is not shared by both parts.
    has_builtin: fn(Builtin) -> bool,
    /// Whether the part has values of a type.
    has_type: fn(&Types, Ty) -> bool,
    /// Whether a recursive function may be more than a loop.
    may_recurse: fn(&Types, &[Ty], &[Decl], &Binding) -> bool,
    /// The rule on recursive functions, and a remedy.
    recursion: (&'static str, &'static str),
    /// Checks an expression.
    expression: fn(&mut Errors<'_>, &Expr),
}

/// The errors found so far, by position and code: of several errors with the same position and code, one is kept.
pub(super) struct Errors<'a> {
    pub(super) checked: &'a Checked,
    found: BTreeMap<(u32, u32, &'static str), Diagnostic>,
}

impl Errors<'_> {
    /// Adds an error: the violated rule, and a remedy.
    pub(super) fn add(&mut self, code: &'static str, span: Span, rule: &str, remedy: &str) {
        let error = Diagnostic::error(code, span, rule).hint(remedy);
        self.found.entry((span.file.0, span.start, code)).or_insert(error);
    }

    fn types(&self) -> &Types {
        &self.checked.typing.types
    }

    fn show(&self, ty: Ty) -> String {
        show(&self.checked.typing.types, &self.checked.program, &self.checked.names, ty)
    }

    pub(super) fn is_function(&self, ty: Ty) -> bool {
        matches!(self.types().node(ty), Node::Arrow(..))
    }

    /// Checks the type of a variable at its binding.
    fn var(&mut self, var: VarId, check_type: fn(&Types, Ty) -> bool) {
        let span = self.checked.program.vars[var.0 as usize].span;
        self.ty(self.checked.typing.vars[var.0 as usize], span, check_type);
    }

    /// Checks a type at a source position.
    fn ty(&mut self, ty: Ty, span: Span, is_supported: fn(&Types, Ty) -> bool) {
        if !is_supported(self.types(), ty) {
            let rule = format!("accelerated code has no values of type `{}`", self.show(ty));
            let remedy = "compute what needs it outside, and use numbers, truth values, characters, records and sequences (or tensors of numbers with `loop`)";
            self.add("M0410", span, &rule, remedy);
        } else if holds_functions(self.types(), ty) {
            let rule = "sequences and records in accelerated code hold no functions";
            self.add(
                "M0411",
                span,
                rule,
                "hold what the functions differ in, and choose between them by `if`",
            );
        }
    }

    /// Checks the definitions of a part against the rules of both parts and of this part.
    pub(super) fn part(&mut self, decls: &[Decl], part: Part) {
        self.recursion(decls, &part);
        for decl in decls {
            if let DeclKind::External(var, _, builtin) = &decl.kind {
                self.builtin(*builtin, self.checked.program.vars[var.0 as usize].span, &part);
            }
        }
        for binding in functions(decls) {
            let vars: BTreeSet<VarId> = bound(&binding.body);
            vars.into_iter().for_each(|var| self.var(var, part.has_type));
        }
        each_expr(decls, &mut |expr| {
            self.shared(expr, &part);
            (part.expression)(self, expr);
        });
    }

    /// Checks that recursive functions can become loops because all their calls are tail calls, or that the part allows their
    /// recursion.
    fn recursion(&mut self, decls: &[Decl], part: &Part) {
        for decl in decls {
            let DeclKind::Recursive(bindings) = &decl.kind else { continue };
            for binding in bindings {
                // Groups of functions that tail-call each other have been merged.
                let is_loop = bindings.len() == 1 && is_loop(binding);
                if !is_loop && !(part.may_recurse)(self.types(), &self.checked.typing.vars, decls, binding) {
                    self.add(
                        "M0414",
                        self.checked.program.vars[binding.var.0 as usize].span,
                        part.recursion.0,
                        part.recursion.1,
                    );
                }
            }
        }
    }

    /// Checks an expression against the rules of both parts.
    fn shared(&mut self, expr: &Expr, part: &Part) {
        match &expr.kind {
            ExprKind::Builtin(builtin) => self.builtin(*builtin, expr.span, part),
            ExprKind::Seq(_) | ExprKind::Record(_) => self.ty(expr.ty, expr.span, part.has_type),
            ExprKind::Choice(tests, _) => {
                if self.is_function(expr.ty) {
                    let rule = "conditionals in accelerated code do not yield functions";
                    self.add("M0412", expr.span, rule, "apply the functions inside of the alternatives");
                }
                tests.iter().for_each(|test| self.pattern(&test.pattern));
            }
            ExprKind::Construct(..) => self.add(
                "M0415",
                expr.span,
                "accelerated code has no constructors",
                "use a record with a number that says which case it is",
            ),
            ExprKind::Block(decls, _) => {
                for decl in decls {
                    if let DeclKind::Match(_, pattern) = &decl.kind {
                        self.pattern(pattern);
                    }
                }
            }
            ExprKind::Var(_)
            | ExprKind::Frozen(_)
            | ExprKind::Int(_)
            | ExprKind::Float(_)
            | ExprKind::Char(_)
            | ExprKind::Bool(_)
            | ExprKind::String(_)
            | ExprKind::Never
            | ExprKind::Apply(..)
            | ExprKind::Lambda(..)
            | ExprKind::Update(..)
            | ExprKind::Project(..)
            | ExprKind::Accelerate(_) => {}
        }
    }

    fn pattern(&mut self, pattern: &Pat) {
        let inner: Vec<&Pat> = match &pattern.kind {
            PatKind::Wildcard | PatKind::Var(_) | PatKind::Int(_) | PatKind::Char(_) | PatKind::Bool(_) => {
                Vec::new()
            }
            PatKind::Record(fields) => fields.iter().map(|(_, pattern)| pattern).collect(),
            PatKind::Construct(..) => {
                let remedy = "use a record with a number that says which case it is";
                self.add("M0416", pattern.span, "patterns in accelerated code have no constructors", remedy);
                Vec::new()
            }
            PatKind::Seq(items) => items.iter().collect(),
            PatKind::Edge(first, _, last) => first.iter().chain(last).collect(),
            PatKind::And(left, right) | PatKind::Or(left, right) => vec![left, right],
            PatKind::Not(inner) => vec![inner],
        };
        inner.into_iter().for_each(|pattern| self.pattern(pattern));
    }

    /// Checks that the part has a built-in.
    fn builtin(&mut self, builtin: Builtin, span: Span, part: &Part) {
        if !is_shared(builtin) && !(part.has_builtin)(builtin) {
            let rule = format!("accelerated code cannot use `{}`", builtin.name());
            self.add("M0417", span, &rule, remedy(builtin));
        }
    }
}

/// Returns what to use instead of a built-in that accelerated code does not have.
fn remedy(builtin: Builtin) -> &'static str {
    use Builtin::*;
    match builtin {
        Print | DPrint | PrintFloat | PrintError => {
            "print outside: let the accelerated expression give what is printed; expressions with `loop` may print"
        }
        Iter | Iteri => "use `map` on sequences without effects, or `loop` on tensors",
        CreateList | CreateRope => "use `create`",
        TensorGet | TensorSet | TensorLinearGet | TensorLinearSet | TensorRank | TensorShape
        | TensorSlice | TensorSub | Loop | SeqLoop | SeqLoopAcc => {
            "tensors belong to expressions with `loop`; sequences have `get`, `length`, `map` and `reduce`"
        }
        TensorIterSlice => "use `loop` with `tensorSliceExn t [i]`",
        TensorCreateDense
        | TensorCreateCArrayInt
        | TensorCreateCArrayFloat
        | TensorCreateUninitInt
        | TensorCreateUninitFloat
        | TensorCopy => {
            "make the tensor outside, with `tensorCreateUninitFloat` or `tensorCreateUninitInt` if it is only a result, and write it in a `loop`"
        }
        Map | Mapi | Map2 | ParallelMap | Reduce | Flatten | Create | Concat | Set | Cons | Snoc
        | SplitAt | Reverse | Head | Tail | Null | Subsequence => {
            "expressions with `loop` use tensors, and take sequences only to read: `length`, `get` and `foldl`"
        }
        _ => "compute it outside, before the accelerated expression, which can use the result",
    }
}

/// Returns whether a sequence or a record in this type holds functions.
fn holds_functions(types: &Types, ty: Ty) -> bool {
    match types.node(ty) {
        Node::Seq(_) | Node::Tensor(_) | Node::Record(_) | Node::Named(..) | Node::Apply(..) => {
            has_function(types, ty)
        }
        Node::Arrow(from, to) => holds_functions(types, *from) || holds_functions(types, *to),
        Node::Bool | Node::Int | Node::Float | Node::Char | Node::Var(_) | Node::Meta(_) => false,
        Node::All(_, inner) => holds_functions(types, *inner),
    }
}

/// Returns the definitions of functions among extracted definitions.
pub(super) fn functions(decls: &[Decl]) -> impl Iterator<Item = &Binding> {
    decls.iter().flat_map(|decl| match &decl.kind {
        DeclKind::Let(binding) => std::slice::from_ref(binding),
        DeclKind::Recursive(bindings) => bindings,
        DeclKind::External(..) | DeclKind::Utest(_) | DeclKind::Do(_) | DeclKind::Match(..) => &[],
    })
}

/// Calls `visit` with every expression of some definitions, except `error` and its message, which are allowed everywhere.
fn each_expr<'e>(decls: &'e [Decl], visit: &mut dyn FnMut(&'e Expr)) {
    decls.iter().flat_map(Decl::children).for_each(|expr| each_in(expr, visit));
}

fn each_in<'e>(expr: &'e Expr, visit: &mut dyn FnMut(&'e Expr)) {
    if let ExprKind::Apply(function, _) = &expr.kind
        && matches!(function.kind, ExprKind::Builtin(Builtin::Error))
    {
        return;
    }
    visit(expr);
    expr.children().into_iter().for_each(|child| each_in(child, visit));
}

/// Returns whether both parts have a built-in.
fn is_shared(builtin: Builtin) -> bool {
    use Builtin::*;
    matches!(
        builtin,
        Addi | Subi
            | Muli
            | Divi
            | Modi
            | Slli
            | Srli
            | Srai
            | Negi
            | Lti
            | Leqi
            | Gti
            | Geqi
            | Eqi
            | Neqi
            | Addf
            | Subf
            | Mulf
            | Divf
            | Negf
            | Ltf
            | Leqf
            | Gtf
            | Geqf
            | Eqf
            | Neqf
            | Floorfi
            | Ceilfi
            | Roundfi
            | IntToFloat
            | Eqc
            | CharToInt
            | IntToChar
            | Length
            | Get
            | Foldl
            | Foldr
            | Error
            | ExternalExp
            | ExternalLog
            | ExternalAtan
            | ExternalSin
            | ExternalCos
            | ExternalAtan2
            | ExternalPow
            | ExternalSqrt
    )
}
