//! Exhaustiveness: every value is matched by some case, and patterns outside of `match` are irrefutable.
//!
//! ```text
//! match (x, y)
//! case (#none, _) -> 0
//! case (_, #some 1) -> 1          -- error: `(#some _, #none)` is matched by no case
//! ```
//!
//! The rows of patterns are split column by column by the heads that a value can have there, as in L. Maranget, "Warnings for
//! pattern matching" (2007). If no row is left, the heads chosen so far are an example of an unmatched value. Adversarial
//! patterns take exponentially many steps, so the number of steps is bounded.
//!
//! Cases never exhaust the numbers: some case has to bind or ignore them. Unreachable cases are no errors.

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::show::show_literal;
use crate::syntax::ast::{Literal, PrimType};
use crate::syntax::session::Symbol;
use crate::typed::tree::{BindingKind, Case, Expr, ExprKind, Function, LoopForm, Pat, PatKind};
use crate::typed::ty::Type;

/// Maximum number of patterns that are examined for one `match`.
const STEPS: usize = 20_000_000;

/// Maximum depth of splitting columns: nested constructors, and columns beside each other.
const DEPTH: usize = 4_000;

/// A value that no case matches.
#[derive(Clone, Debug)]
enum Example {
    /// Any value.
    Any,
    /// A scalar.
    Literal(String),
    /// A record, field by field.
    Record(Vec<Symbol>, Vec<Example>),
    /// A constructor with its payload.
    Construct(Symbol, Vec<Example>),
}

/// The head of a pattern.
#[derive(Clone, Copy, PartialEq)]
enum Head {
    /// A record.
    Record,
    /// A constructor of a sum, by position.
    Constructor(usize),
    /// A scalar.
    Literal(Literal),
    /// A scalar that occurs in no row.
    OtherLiteral,
}

/// A column entry: a pattern, or `None` for a wildcard.
type Cell<'p> = Option<&'p Pat>;

/// The search for an unmatched value.
struct Search {
    /// Number of patterns that may still be examined.
    steps: usize,
}

/// The search exceeded its bounds.
struct TooComplex;

impl Checker<'_> {
    /// Checks the patterns of a finished function.
    pub fn check_matches(&mut self, function: &Function) {
        function.params.iter().for_each(|param| self.check_always_matches(&param.pattern));
        self.check_matches_in(&function.body);
    }

    fn check_matches_in(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Match { cases, .. } => self.check_cases(cases, expr.span),
            ExprKind::Lambda(lambda) => {
                lambda.params.iter().for_each(|param| self.check_always_matches(&param.pattern));
            }
            ExprKind::Let { bindings, .. } => {
                for binding in bindings {
                    match &binding.kind {
                        BindingKind::Pattern { pattern, .. } => self.check_always_matches(pattern),
                        BindingKind::Function { function, .. } => {
                            let params = function.params.iter();
                            params.for_each(|param| self.check_always_matches(&param.pattern));
                        }
                    }
                }
            }
            ExprKind::Loop(this) => {
                self.check_always_matches(&this.pattern);
                if let LoopForm::ForIn { pattern, .. } = &this.form {
                    self.check_always_matches(pattern);
                }
            }
            ExprKind::Literal(..)
            | ExprKind::Bytes(_)
            | ExprKind::Hole
            | ExprKind::Local { .. }
            | ExprKind::Def { .. }
            | ExprKind::Intrinsic { .. }
            | ExprKind::Record(_)
            | ExprKind::Array(_)
            | ExprKind::Construct { .. }
            | ExprKind::Project { .. }
            | ExprKind::Index { .. }
            | ExprKind::Update { .. }
            | ExprKind::Assert { .. }
            | ExprKind::Apply { .. }
            | ExprKind::Range { .. }
            | ExprKind::If { .. }
            | ExprKind::Coerce(_)
            | ExprKind::Open { .. }
            | ExprKind::Attr { .. }
            | ExprKind::Tuned { .. } => {}
        }
        expr.for_each_child(&mut |child| self.check_matches_in(child));
    }

    fn check_cases(&mut self, cases: &[Case], span: Span) {
        let patterns: Vec<&Pat> = cases.iter().map(|case| &case.pattern).collect();
        match example(&patterns) {
            Ok(None) => {}
            Ok(Some(example)) => {
                let text = self.show_example(&example, false);
                let error = Diagnostic::error(
                    "E0220",
                    span,
                    format!("Unmatched cases in match expression: `{text}` is matched by no case"),
                );
                self.report(
                    error.hint(format!("add `case {text} -> ...`, or `case _ -> ...` for all others")),
                );
            }
            Err(TooComplex) => self.limit(span, "a `match` with patterns as many and as deep as these"),
        }
    }

    fn check_always_matches(&mut self, pattern: &Pat) {
        if always_matches(pattern) {
            return;
        }
        let text = match example(&[pattern]) {
            Ok(Some(example)) => self.show_example(&example, false),
            Ok(None) => return,
            Err(TooComplex) => "some value".to_string(),
        };
        let message = format!("refutable pattern: it does not match `{text}`");
        let error = Diagnostic::error("E0219", pattern.span, message);
        self.report(error.hint(
            "patterns of `let`, `loop` and parameters must always match; use `match` to tell values apart",
        ));
    }

    fn show_example(&self, example: &Example, in_constructor: bool) -> String {
        match example {
            Example::Any => "_".to_string(),
            Example::Literal(text) => text.clone(),
            Example::Record(names, parts) => {
                let parts: Vec<String> = parts.iter().map(|part| self.show_example(part, false)).collect();
                self.show_record_pattern(names, &parts)
            }
            Example::Construct(name, parts) => {
                let name = format!("#{}", self.text(*name));
                let text =
                    parts.iter().fold(name, |text, part| format!("{text} {}", self.show_example(part, true)));
                if in_constructor && !parts.is_empty() { format!("({text})") } else { text }
            }
        }
    }
}

/// Whether a pattern is irrefutable, by its syntax and its type alone.
fn always_matches(pattern: &Pat) -> bool {
    match &pattern.kind {
        PatKind::Bind(_) | PatKind::Wildcard => true,
        PatKind::Literal(..) => false,
        PatKind::Record(parts) => parts.iter().all(always_matches),
        PatKind::Construct { parts, .. } => {
            pattern.ty.constructors().len() == 1 && parts.iter().all(always_matches)
        }
    }
}

/// Returns a value that no pattern matches. All patterns have one type.
fn example(patterns: &[&Pat]) -> Result<Option<Example>, TooComplex> {
    let Some(first) = patterns.first() else { return Ok(Some(Example::Any)) };
    let rows = patterns.iter().map(|pattern| vec![Some(*pattern)]).collect();
    let found = Search { steps: STEPS }.unmatched(rows, vec![first.ty.clone()], 0)?;
    Ok(found.and_then(|mut values| values.pop()))
}

impl Search {
    /// Returns a value for each column such that no row matches them. The first column is the last element of each row.
    fn unmatched(
        &mut self,
        rows: Vec<Vec<Cell>>,
        mut types: Vec<Type>,
        depth: usize,
    ) -> Result<Option<Vec<Example>>, TooComplex> {
        let looked_at = (rows.len() + 1) * (types.len() + 1);
        self.steps = self.steps.checked_sub(looked_at).ok_or(TooComplex)?;
        if rows.is_empty() {
            return Ok(Some(vec![Example::Any; types.len()]));
        }
        if rows[0].iter().all(|cell| cell.is_none_or(always_matches)) {
            return Ok(None);
        }
        if depth > DEPTH {
            return Err(TooComplex);
        }
        let Some(ty) = types.pop() else { return Ok(None) };
        let column: Vec<Head> = rows.iter().filter_map(|row| head(row.last().copied().flatten())).collect();
        if column.is_empty() {
            let rest = rows.into_iter().map(|mut row| {
                row.pop();
                row
            });
            let found = self.unmatched(rest.collect(), types, depth + 1)?;
            return Ok(found.map(|values| with(values, Example::Any)));
        }
        for head in heads(&ty) {
            let parts = parts_of(&ty, head);
            let mut inner = types.clone();
            inner.extend(parts.iter().rev().cloned());
            let rows = rows.iter().filter_map(|row| specialise(row, head, parts.len())).collect();
            if let Some(mut values) = self.unmatched(rows, inner, depth + 1)? {
                let taken = values.split_off(values.len() - parts.len());
                let taken = taken.into_iter().rev().collect();
                return Ok(Some(with(values, named(&ty, head, taken, &column))));
            }
        }
        Ok(None)
    }
}

fn with(mut values: Vec<Example>, last: Example) -> Vec<Example> {
    values.push(last);
    values
}

fn head(cell: Cell) -> Option<Head> {
    match &cell?.kind {
        PatKind::Bind(_) | PatKind::Wildcard => None,
        PatKind::Record(_) => Some(Head::Record),
        PatKind::Literal(_, literal) => Some(Head::Literal(*literal)),
        PatKind::Construct { constructor, .. } => Some(Head::Constructor(*constructor)),
    }
}

/// Returns the heads of a type's values. If no set of rows can name all heads, the only one is `OtherLiteral`, for the values
/// that no row names: rows that match these have a wildcard, which matches the named values, too.
fn heads(ty: &Type) -> Vec<Head> {
    match ty {
        Type::Record(_) => vec![Head::Record],
        Type::Sum(constructors) => (0..constructors.len()).map(Head::Constructor).collect(),
        Type::Prim(PrimType::Bool) => [false, true].map(|value| Head::Literal(Literal::Bool(value))).to_vec(),
        Type::Prim(_) | Type::Param(_) | Type::Abstract(..) | Type::Array(_) | Type::Arrow(_) => {
            vec![Head::OtherLiteral]
        }
    }
}

/// Returns the types of the parts under a head.
fn parts_of(ty: &Type, head: Head) -> Vec<Type> {
    match head {
        Head::Record => ty.parts().unwrap_or_default().into_iter().cloned().collect(),
        Head::Constructor(constructor) => {
            ty.constructors().get(constructor).map_or_else(Vec::new, |c| c.payload.to_vec())
        }
        Head::Literal(_) | Head::OtherLiteral => Vec::new(),
    }
}

/// Specialises a row to values with a head; `None` if it does not match them.
fn specialise<'p>(row: &[Cell<'p>], wanted: Head, n_parts: usize) -> Option<Vec<Cell<'p>>> {
    let (last, rest) = row.split_last()?;
    let mut row = rest.to_vec();
    match (head(*last), last.map(|pattern| &pattern.kind)) {
        (None, _) => row.extend(std::iter::repeat_n(None, n_parts)),
        (Some(found), Some(PatKind::Record(parts) | PatKind::Construct { parts, .. })) if found == wanted => {
            row.extend(parts.iter().rev().map(Some));
        }
        (Some(found), _) if found == wanted => {}
        (Some(_), _) => return None,
    }
    Some(row)
}

/// Returns the example with this head.
fn named(ty: &Type, head: Head, parts: Vec<Example>, column: &[Head]) -> Example {
    match (head, ty) {
        (Head::Record, Type::Record(fields)) => {
            Example::Record(fields.iter().map(|field| field.name).collect(), parts)
        }
        (Head::Constructor(constructor), ty) => match ty.constructors().get(constructor) {
            Some(constructor) => Example::Construct(constructor.name, parts),
            None => Example::Any,
        },
        (Head::Literal(literal), _) => Example::Literal(show_literal(&literal)),
        (Head::OtherLiteral, Type::Prim(prim)) => other_literal(*prim, column),
        (Head::Record | Head::OtherLiteral, _) => Example::Any,
    }
}

/// Returns the smallest natural number that occurs in no row; a wildcard unless the type is an integer.
fn other_literal(prim: PrimType, column: &[Head]) -> Example {
    let is_integer = !matches!(prim, PrimType::F16 | PrimType::F32 | PrimType::F64 | PrimType::Bool);
    let texts: Vec<String> = column
        .iter()
        .filter_map(|head| match head {
            Head::Literal(literal) => Some(show_literal(literal)),
            Head::Record | Head::Constructor(_) | Head::OtherLiteral => None,
        })
        .collect();
    // There are more candidates than texts, and all candidates fit the narrowest type.
    let mut candidates = (0..=texts.len().min(127)).map(|number| number.to_string());
    match candidates.find(|number| is_integer && !texts.contains(number)) {
        Some(number) => Example::Literal(number),
        None => Example::Any,
    }
}
