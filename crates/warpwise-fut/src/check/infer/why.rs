//! Reasons for expected types, and the messages for mismatches.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::differences::{are_large, shorten};
use crate::check::infer::ty::{Clash, Constraint, Node, Ty};
use crate::typed::ids::ACCUMULATOR;
use crate::typed::tree::Abstract;

/// The reason why a type is expected.
#[derive(Clone, Copy, Debug)]
pub enum Why {
    /// Argument of the function called here, numbered from 1.
    Argument(Span, usize),
    /// Operand whose type must equal that of the other one, here.
    Operand(Span),
    /// Expression with a type annotation, here.
    Annotation(Span),
    /// Function body with an annotated result, here.
    Result(Span),
    /// A condition.
    Condition,
    /// Branch whose type must equal that of the other one, here.
    Branch(Span),
    /// Element of an array whose first element is here.
    Element(Span),
    /// Body of a loop with its parameters here.
    LoopResult(Span),
    /// Value put into the array here by an update.
    Updated(Span),
    /// An index.
    Index,
    /// Bound of a slice, or a size.
    Size,
    /// Bound of a loop.
    LoopBound,
    /// Second element or end of a range that starts here.
    RangeEnd(Span),
    /// Array that is indexed or looped over.
    IsArray,
    /// Value matched with the pattern here.
    Pattern(Span),
    /// Pattern of a case that matches the value here.
    Scrutinee(Span),
    /// Payload of the constructor here.
    Payload(Span),
    /// Function that is applied to an argument.
    IsFunction,
    /// Operand of an operator, start of a range, or record of a field access.
    Operator,
    /// Use of a function's name in its own body.
    OwnBody,
}

impl Why {
    /// Returns the reason in words, and the source position to point at.
    pub fn explain(self) -> (String, Option<Span>) {
        match self {
            Why::Argument(span, index) => {
                (format!("this function takes it as its {} argument", ordinal(index)), Some(span))
            }
            Why::Operand(span) => {
                ("both operands must have one type; the other is this".to_string(), Some(span))
            }
            Why::Result(span) => {
                ("function body does not have expected type, which is this".to_string(), Some(span))
            }
            Why::Annotation(span) => {
                ("expression does not have expected type, which is this".to_string(), Some(span))
            }
            Why::Condition => ("a condition must be a `bool`".to_string(), None),
            Why::Branch(span) => {
                ("both branches must have one type; the other is this".to_string(), Some(span))
            }
            Why::Element(span) => {
                ("all elements must have one type; the first is this".to_string(), Some(span))
            }
            Why::LoopResult(span) => (
                "loop body does not have expected type, which is that of the loop parameters".to_string(),
                Some(span),
            ),
            Why::Updated(span) => ("it is put into this".to_string(), Some(span)),
            Why::Index => ("an index must be a signed integer".to_string(), None),
            Why::Size => ("sizes and bounds of slices are `i64`".to_string(), None),
            Why::LoopBound => ("the bound of a loop must be a signed integer".to_string(), None),
            Why::RangeEnd(span) => {
                ("a range is made of integers of one type; it starts here".to_string(), Some(span))
            }
            Why::IsArray => ("it must be an array of enough dimensions".to_string(), None),
            Why::Pattern(span) => ("it is matched with this pattern".to_string(), Some(span)),
            Why::Scrutinee(span) => ("it is a pattern for this value".to_string(), Some(span)),
            Why::Payload(span) => ("this constructor carries it".to_string(), Some(span)),
            Why::IsFunction => ("it is applied to an argument".to_string(), None),
            Why::Operator => ("the operator asks for it".to_string(), None),
            Why::OwnBody => ("in its own body the name of a function means that function".to_string(), None),
        }
    }
}

fn ordinal(index: usize) -> String {
    match (index, index % 100, index % 10) {
        (1, ..) => "first".to_string(),
        (2, ..) => "second".to_string(),
        (3, ..) => "third".to_string(),
        (_, 11..=13, _) => format!("{index}th"),
        (_, _, 1) => format!("{index}st"),
        (_, _, 2) => format!("{index}nd"),
        (_, _, 3) => format!("{index}rd"),
        _ => format!("{index}th"),
    }
}

impl<'a> Checker<'a> {
    /// Returns the reason why a type is expected at `span` in words, and another source position to point at.
    pub fn explain(&self, why: Why, span: Span) -> (String, Option<Span>) {
        let (reason, place) = why.explain();
        let reason = match why {
            Why::Argument(function, _) => match (self.written(function), self.written(span)) {
                (Some(function), Some(argument)) => {
                    format!("cannot apply `{function}` to `{argument}`: {reason}")
                }
                (Some(function), None) => format!("cannot apply `{function}` to this: {reason}"),
                (None, _) => format!("cannot apply function: {reason}"),
            },
            _ => reason,
        };
        (reason, place)
    }

    /// Unifies `found`, the type at `span`, with `expected`. Returns whether it succeeds; otherwise reports the mismatch.
    pub fn same(&mut self, expected: Ty, found: Ty, span: Span, why: Why) -> bool {
        let Err(clash) = self.infer.types.unify(expected, found) else { return true };
        let (expected_text, found_text) = (self.show_ty(expected), self.show_ty(found));
        let (reason, place) = self.explain(why, span);
        let message = format!("expected `{expected_text}`, found `{found_text}`");
        let mut error = Diagnostic::error("E0201", span, message).at(format!("this is `{found_text}`"));
        error = match place {
            Some(place) if place != span => error.label(place, reason),
            _ => error.hint(reason),
        };
        error = match clash {
            Clash::Differ(a, b) => self.explain_difference(error, expected, found, a, b),
            Clash::Infinite => error.hint("occurs check: the type would have to contain itself"),
            Clash::NotOneOf(ty, set) => {
                let is_sum = self.is_sum(ty);
                let (ty, set) = (self.show_ty(ty), self.show_set(set));
                match is_sum {
                    true => error.hint(format!("`{ty}` is a sum type, not {set}")),
                    false => error.hint(format!("`{ty}` is not {set}")),
                }
            }
            Clash::NotComparable(ty) => {
                let ty = self.show_ty(ty);
                error.hint(format!("`{ty}` does not support equality (`==`)"))
            }
            Clash::Escapes(param) => {
                let name = self.text(self.program.type_params[param.index()].name);
                error.hint(format!(
                    "the type parameter \"{name}\" is not known outside of its function (scope-violation)"
                ))
            }
            Clash::Unshared(names) => {
                let mut names: Vec<String> =
                    names.iter().map(|&name| format!("#{}", self.text(name))).collect();
                names.sort_unstable();
                error.hint(format!("unshared constructors: {}.", names.join(", ")))
            }
            Clash::Arity(name, a, b) => {
                let values = |n: usize| crate::check::type_exprs::count(n, "value");
                let name = self.text(name).to_string();
                error.hint(format!(
                    "`#{name}` carries {} in one and {} in the other: they differ in arity",
                    values(a),
                    values(b)
                ))
            }
            Clash::NoField(ty, field) => {
                let ty = self.show_ty(ty);
                let field = self.text(field).to_string();
                error.hint(format!("cannot unify record type with `{ty}`, which has no field `{field}`"))
            }
        };
        let error = self.explain_call(error, why, expected, found, span);
        self.report(error);
        false
    }

    /// Adds a hint on how arguments are written, if the program follows the syntax of another language.
    fn explain_call(
        &mut self,
        error: Diagnostic,
        why: Why,
        expected: Ty,
        found: Ty,
        span: Span,
    ) -> Diagnostic {
        let Why::Argument(function, index) = why else { return error };
        let Some(written) = self.written(function) else { return error };
        let (wants_tuple, gives_tuple) = (self.is_tuple(expected), self.is_tuple(found));
        let is_first = index == 1;
        match self.written(span) {
            Some(argument) if gives_tuple && !wants_tuple && argument.starts_with('(') => {
                let parts = argument.trim_matches(['(', ')']).replace(',', "");
                error.hint(format!(
                    "arguments stand side by side, without parentheses and commas: `{written} {parts}`"
                ))
            }
            _ if wants_tuple && !gives_tuple && is_first => error
                .hint(format!("`{written}` takes one argument, which is a tuple: `{written} (..., ...)`")),
            _ if ["reduce", "reduce_comm", "scan"].contains(&written)
                && index == 2
                && matches!(self.infer.types.node(found), Node::Array(_)) =>
            {
                error.hint(format!("a neutral element stands before the array, as in `{written} (+) 0 xs`"))
            }
            _ => error,
        }
    }

    /// Whether a type is a tuple with at least two parts.
    fn is_tuple(&mut self, ty: Ty) -> bool {
        match self.infer.types.node(ty) {
            Node::Record(names, _) => names.len() > 1 && self.text(names[0]) == "0",
            _ => false,
        }
    }

    /// Adds a hint: the fields that only one of two records has, or the fields or constructors that the other type lacks.
    fn explain_shapes(&mut self, error: Diagnostic, a: Ty, b: Ty) -> Diagnostic {
        let (a_text, b_text) = (self.show_ty(a), self.show_ty(b));
        match (self.infer.types.node(a), self.infer.types.node(b)) {
            (Node::Record(names, _), Node::Record(others, _)) => {
                let first = names.iter().filter(|name| !others.contains(name));
                let second = others.iter().filter(|name| !names.contains(name));
                let mut unshared: Vec<&str> = first.chain(second).map(|&name| self.text(name)).collect();
                unshared.sort_unstable();
                error.hint(format!("unshared fields: {}", unshared.join(", ")))
            }
            (Node::Var(_), Node::Record(..)) | (Node::Record(..), Node::Var(_)) => error,
            (Node::Var(var), _) if matches!(var.constraint, Constraint::Fields(_)) => error.hint(format!(
                "cannot match `{b_text}` with type that must be a record with a field: `{a_text}`"
            )),
            (_, Node::Var(var)) if matches!(var.constraint, Constraint::Fields(_)) => error.hint(format!(
                "cannot match `{a_text}` with type that must be a record with a field: `{b_text}`"
            )),
            _ if self.is_sum(a) && self.is_sum(b) => error,
            _ if self.is_sum(a) => {
                error.hint(format!("cannot unify type with constructors `{a_text}` with `{b_text}`"))
            }
            _ if self.is_sum(b) => {
                error.hint(format!("cannot unify type with constructors `{b_text}` with `{a_text}`"))
            }
            _ => error,
        }
    }

    /// Points at the places where types were made abstract, and explains that equal names may mean different types.
    fn explain_abstract(&mut self, mut error: Diagnostic, types: [Ty; 2]) -> Diagnostic {
        let mut seen: Vec<(Span, String)> = Vec::new();
        for ty in types {
            let Node::Abstract(id, _) = self.infer.types.node(ty) else { continue };
            if id == ACCUMULATOR {
                continue;
            }
            let Abstract { name, span, .. } = self.program.abstracts[id.index()];
            let text = self.text(name).to_string();
            if seen.iter().any(|(_, other)| *other == text) {
                error = error.hint(format!("these are two types: each module that is sealed, and each application of a parametric module, has a `{text}` of its own"));
            }
            if seen.iter().all(|(other, _)| *other != span) {
                error = error.label(span, format!("`{text}` is abstract, no more is known of it"));
            }
            seen.push((span, text));
        }
        error
    }

    /// Whether a type has constructors.
    fn is_sum(&mut self, ty: Ty) -> bool {
        match self.infer.types.node(ty) {
            Node::Sum(_) => true,
            Node::Var(var) => matches!(var.constraint, Constraint::Constructors(_)),
            Node::Prim(_)
            | Node::Param(_)
            | Node::Abstract(..)
            | Node::Array(_)
            | Node::Record(..)
            | Node::Arrow(..)
            | Node::Link(_)
            | Node::Error => false,
        }
    }

    fn explain_difference(&mut self, error: Diagnostic, expected: Ty, found: Ty, a: Ty, b: Ty) -> Diagnostic {
        let types = &mut self.infer.types;
        let whole = [types.find(expected), types.find(found)];
        let parts = [types.find(a), types.find(b)];
        let (a_text, b_text) = (self.show_ty(a), self.show_ty(b));
        let error = self.explain_shapes(error, a, b);
        let error = self.explain_abstract(error, [a, b]);
        if whole != parts && whole != [parts[1], parts[0]] {
            let (expected_text, found_text) = (self.show_ty(expected), self.show_ty(found));
            if are_large(&expected_text, &found_text)
                && let Some((path, [here, there])) = self.path_to(whole, parts)
            {
                return shorten(error, &path, &self.show_ty(here), &self.show_ty(there));
            }
            return error.hint(format!("`{a_text}` and `{b_text}` differ"));
        }
        let is_number =
            |text: &str| crate::syntax::ast::PrimType::from_name(text).is_some_and(|ty| ty.name() != "bool");
        if is_number(&a_text) && is_number(&b_text) {
            return error.hint(format!("convert with `{a_text}.{b_text}`"));
        }
        error
    }
}
