//! The meaning of a definition's own name in its body.
//!
//! The name means the definition itself if that reading has a type. It means an earlier definition of the same name if only that
//! reading has a type. If both have one, it means the definition itself, and a warning says so.
//!
//! ```text
//! def iota (n: i32) = iota (i64.i32 n)                              -- the earlier `iota`: this one takes no `i64`
//! def reverse xs = if null xs then xs else reverse (tail xs) ++ [head xs]              -- itself, with a warning
//! ```
//!
//! A definition is checked a second time only if its body mentions its name and an earlier definition is in scope. The decision
//! made where a parametric module is written holds for all its applications.

use warpwise_diag::{Diagnostic, Limit, Severity, Span};

use crate::check::Checker;
use crate::check::env::{Env, Term, Value};
use crate::syntax::ast::{Attr, ValueDecl};

/// The meaning of a definition's own name in its body.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The definition itself.
    Itself,
    /// The earlier definition with this name.
    Earlier,
}

/// The check of a definition in one reading, with its messages.
struct Attempt {
    value: Value,
    diagnostics: Vec<Diagnostic>,
    limits: Vec<Limit>,
}

impl Attempt {
    fn has_type(&self) -> bool {
        matches!(self.value, Value::Def(..))
    }

    fn errors(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error)
    }

    fn n_errors(&self) -> usize {
        self.errors().count() + self.limits.len()
    }

    /// Whether the only errors are those of a recursive function of a kind that cannot be compiled.
    fn recurs_too_freely(&self) -> bool {
        self.limits.is_empty() && self.errors().all(|error| error.code == "E0224")
    }
}

impl<'a> Checker<'a> {
    /// Checks a value declaration and returns the value that its name means.
    pub fn check_value(&mut self, decl: &'a ValueDecl, attrs: &[Attr]) -> Value {
        if let Some(&reading) = self.readings.get(&decl.name.name.span) {
            return self.check_reading(decl, attrs, reading);
        }
        let before = self.program.lengths();
        let itself = self.attempt(decl, attrs, Reading::Itself);
        let chosen = match self.recursion.as_ref().and_then(|this| this.mentioned) {
            Some(mention) if !self.in_prelude && self.has_earlier(decl) => {
                if itself.has_type() {
                    self.confirm(decl, attrs, itself, mention)
                } else {
                    self.program.truncate(before);
                    self.try_earlier(decl, attrs, itself, mention)
                }
            }
            _ => itself,
        };
        chosen.diagnostics.into_iter().for_each(|diagnostic| self.report(diagnostic));
        self.limits.extend(chosen.limits);
        chosen.value
    }

    /// Whether the name of a definition had a meaning before.
    fn has_earlier(&self, decl: &ValueDecl) -> bool {
        self.env.find(|members| members.term(decl.name.name.symbol)).is_some()
    }

    /// Confirms the reading in which a definition means itself, with a warning if the other reading has a type, too.
    fn confirm(
        &mut self,
        decl: &'a ValueDecl,
        attrs: &[Attr],
        mut itself: Attempt,
        mention: Span,
    ) -> Attempt {
        let earlier = self.trial(|checker| checker.attempt(decl, attrs, Reading::Earlier));
        self.forget(&earlier);
        self.readings.insert(decl.name.name.span, Reading::Itself);
        if earlier.has_type() {
            itself.diagnostics.extend(self.warning_of_reading(decl, mention, Reading::Itself));
        }
        itself
    }

    /// Returns the reading with the earlier definition if that has a type, and otherwise the reading whose errors are more
    /// helpful.
    fn try_earlier(
        &mut self,
        decl: &'a ValueDecl,
        attrs: &[Attr],
        mut itself: Attempt,
        mention: Span,
    ) -> Attempt {
        self.forget(&itself);
        let mut earlier = self.attempt(decl, attrs, Reading::Earlier);
        if earlier.has_type() {
            self.readings.insert(decl.name.name.span, Reading::Earlier);
            if itself.recurs_too_freely() {
                earlier.diagnostics.extend(self.warning_of_reading(decl, mention, Reading::Earlier));
            }
            return earlier;
        }
        if earlier.n_errors() < itself.n_errors() {
            return earlier;
        }
        if !itself.errors().eq(earlier.errors()) {
            let name = self.text(decl.name.name.symbol);
            let hint =
                format!("`{name}` means this definition here; with the earlier `{name}` it is wrong as well");
            let first = itself.diagnostics.iter_mut().find(|found| found.severity == Severity::Error);
            first.into_iter().for_each(|error| error.hints.push(hint.clone()));
        }
        itself
    }

    /// Checks a definition in one reading, and separates its messages from the others.
    fn attempt(&mut self, decl: &'a ValueDecl, attrs: &[Attr], reading: Reading) -> Attempt {
        let before = (self.diagnostics.len(), self.limits.len());
        let value = self.check_reading(decl, attrs, reading);
        let (diagnostics, limits) = self.take_messages(before.0, before.1);
        Attempt { value, diagnostics, limits }
    }

    /// Permits the warnings of an abandoned attempt to be reported again.
    fn forget(&mut self, attempt: &Attempt) {
        for diagnostic in &attempt.diagnostics {
            self.warned.remove(&(diagnostic.code, diagnostic.span));
        }
    }

    /// Returns a warning that says which of two possible definitions a name means; `None` if it was reported before.
    fn warning_of_reading(
        &mut self,
        decl: &ValueDecl,
        mention: Span,
        reading: Reading,
    ) -> Option<Diagnostic> {
        if !self.warned.insert(("W0011", mention)) {
            return None;
        }
        let name = self.text(decl.name.name.symbol);
        let place = self.place_of_earlier(decl);
        let earlier = match place {
            Some(_) => format!("the earlier `{name}`"),
            None => format!("the `{name}` of the prelude"),
        };
        let warning = match reading {
            Reading::Itself => Diagnostic::warning(
                "W0011",
                mention,
                format!("`{name}` means this definition itself here, not {earlier}"),
            )
            .hint(format!("to mean the other one, name it before this definition: `def other = {name}`")),
            Reading::Earlier => Diagnostic::warning(
                "W0011",
                mention,
                format!("`{name}` means {earlier} here, because this definition cannot call itself so"),
            )
            .hint("a recursive function hands on the functions it takes unchanged, and gives data"),
        };
        let warning = warning.label(decl.name.name.span, "this definition");
        Some(match place {
            Some(place) => warning.label(place, "the earlier definition"),
            None => warning,
        })
    }

    /// Returns the source position of the earlier definition with this name, unless it comes from the prelude.
    fn place_of_earlier(&self, decl: &ValueDecl) -> Option<Span> {
        let def_in = |env: &Env<'a>| match env.find(|members| members.term(decl.name.name.symbol))? {
            Term::Value(Value::Def(def, _)) => Some(*def),
            Term::Value(Value::Intrinsic(..) | Value::Operator(_) | Value::Failed) | Term::Module(_) => None,
        };
        let def = def_in(&self.env).filter(|def| def_in(&self.root) != Some(*def))?;
        Some(self.program.defs[def.index()].span)
    }
}
