//! Name lookup, and the messages for unknown names.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Span};

use crate::check::Checker;
use crate::check::env::{Members, Module, ModuleType, Poly, Term, TypeDef, Value};
use crate::check::infer::scope::Entry;
use crate::check::operators::{Operator, scalar_intrinsic, scalar_signature};
use crate::check::words::hint_for_type;
use crate::syntax::ast::{Ident, PrimType, QualName};
use crate::syntax::session::Symbol;
use crate::typed::intrinsic::Intrinsic;
use crate::typed::ty::{ArrowType, ResultType, Type, Uniqueness};

/// Functions for differentiation, which are not supported yet.
const DIFFERENTIATION: [&str; 10] =
    ["jvp", "vjp", "jmp", "mjp", "jvp2", "vjp2", "jmp2", "mjp2", "with_vjp", "with_vjp_tape"];

/// Intrinsics that are not supported yet.
const UNSUPPORTED: [&str; 5] = ["jvp2", "vjp2", "jmp2", "mjp2", "with_vjp"];

/// Number of messages after which no more names are suggested.
const MOST_SUGGESTIONS: usize = 50;

/// The meaning of a value name.
pub enum Found {
    /// An entry in the scope of the expression.
    Entry(Entry),
    /// A member of a module.
    Value(Value),
}

impl<'a> Checker<'a> {
    /// Returns the value that a path means, and the number of names that lead to it; the remaining names are fields. `None` if
    /// there is no such value, which is reported.
    pub fn lookup_value(&mut self, name: &QualName) -> Option<(Found, usize)> {
        let first = name.qualifiers.first().unwrap_or(&name.name);
        if let Some(entry) = self.infer.scope.value(first.symbol).cloned() {
            self.mention(&entry, first.span);
            if let Entry::Local { local, .. } = entry {
                self.infer.used.insert(local);
            }
            let text = self.text(first.symbol);
            if text.len() > 1 && text.starts_with('_') {
                let message = format!("`{text}` is used, but its underscore says that it is not");
                self.report(Diagnostic::error("E0222", first.span, message).hint("take the underscore away"));
            }
            return Some((Found::Entry(entry), 1));
        }
        let path: Vec<Ident> = name.qualifiers.iter().copied().chain([name.name]).collect();
        let env = self.env.clone();
        match env.find(|members| members.term(first.symbol)) {
            Some(Term::Value(value)) => Some((Found::Value(value.clone()), 1)),
            Some(Term::Module(module)) if path.len() > 1 => self.lookup_in_module(module.clone(), &path),
            Some(Term::Module(_)) => {
                let text = self.text(first.symbol).to_string();
                let error =
                    Diagnostic::error("E0202", first.span, format!("`{text}` is a module, not a value"));
                self.report(match PrimType::from_name(&text) {
                    Some(_) => error.hint(format!(
                        "a conversion names both types, such as `{text}.i32 x`; `x: {text}` says what type `x` has"
                    )),
                    None => error.hint(format!("name a value of it: `{text}.name`")),
                });
                None
            }
            None => {
                self.unknown_value(first, path.len() > 1);
                None
            }
        }
    }

    fn lookup_in_module(&mut self, mut module: Module<'a>, path: &[Ident]) -> Option<(Found, usize)> {
        for (depth, name) in path.iter().enumerate().skip(1) {
            match &module {
                Module::Structure(members) => {
                    let members = members.clone();
                    let is_last = depth + 1 == path.len();
                    if let (Some(inner), false) = (members.modules.get(&name.symbol), is_last) {
                        module = inner.clone();
                        continue;
                    }
                    return match members.values.get(&name.symbol) {
                        Some(value) => Some((Found::Value(value.clone()), depth + 1)),
                        None => {
                            self.unknown_member(name, &path[depth - 1], &members);
                            None
                        }
                    };
                }
                Module::Intrinsics => {
                    self.warn_of_intrinsic(path[0].span.to(name.span));
                    return Some((Found::Value(self.lookup_intrinsic(name)?), depth + 1));
                }
                Module::Parametric(_) => {
                    let text = self.text(path[depth - 1].symbol).to_string();
                    let error = Diagnostic::error(
                        "E0221",
                        path[depth - 1].span,
                        format!("`{text}` is a parametric module"),
                    );
                    self.report(error.hint("apply it to a module first: `module m = f argument`"));
                    return None;
                }
                Module::Failed => return Some((Found::Value(Value::Failed), path.len())),
            }
        }
        None
    }

    /// Warns about a program that uses an intrinsic, which only the prelude should do.
    fn warn_of_intrinsic(&mut self, span: Span) {
        if !self.in_prelude {
            let message = "using intrinsic functions directly: nothing is promised of them";
            let hint = "use the functions of the prelude, which call them";
            self.warn_once(Diagnostic::warning("W0009", span, message).hint(hint));
        }
    }

    fn lookup_intrinsic(&mut self, name: &Ident) -> Option<Value> {
        if let Some(value) = self.intrinsics.get(&name.symbol) {
            return Some(value.clone());
        }
        let text = self.text(name.symbol);
        let operator = Operator::ALL.into_iter().find(|operator| operator.0 == text);
        match (scalar_intrinsic(text), operator) {
            (Some(intrinsic), _) => Some(scalar_value(intrinsic)),
            (None, Some((_, operator))) => Some(Value::Operator(operator)),
            (None, None) if UNSUPPORTED.contains(&text) => {
                let message = format!("the intrinsic `{text}`");
                self.limit(name.span, message);
                None
            }
            (None, None) => {
                let message = format!("there is no intrinsic `{}`", self.text(name.symbol));
                self.report(Diagnostic::error("E0202", name.span, message));
                None
            }
        }
    }

    fn unknown_value(&mut self, name: &Ident, qualified: bool) {
        if self.checking.contains(&name.symbol) {
            let message =
                format!("unknown value `{}`: it is not known in its own definition", self.text(name.symbol));
            let error = Diagnostic::error("E0202", name.span, message);
            return self.report(
                error.hint("only a definition at the top with parameters may call itself; write a `loop`"),
            );
        }
        if DIFFERENTIATION.contains(&self.text(name.symbol)) {
            let message = format!("differentiation (`{}`)", self.text(name.symbol));
            return self.limit(name.span, message);
        }
        let kind = if qualified { "module or name" } else { "name" };
        let error =
            Diagnostic::error("E0202", name.span, format!("unknown {kind} `{}`", self.text(name.symbol)));
        let error = self.defined_later(name, error);
        if !error.labels.is_empty() {
            return self.report(error);
        }
        if let (Some(hint), false) = (self.hint_for_value(name.symbol), qualified) {
            return self.report(error.hint(hint));
        }
        if self.diagnostics.len() > MOST_SUGGESTIONS {
            // Many errors have one cause, and searching similar names for each would take long.
            return self.unknown("E0202", kind, name, Vec::new());
        }
        let mut candidates: Vec<Symbol> = self.infer.scope.names().collect();
        let mut frame = Some(self.env.clone());
        while let Some(current) = frame {
            candidates.extend(current.members.values.keys());
            if qualified {
                candidates.extend(current.members.modules.keys());
            }
            frame = current.parent.clone();
        }
        self.unknown("E0202", kind, name, candidates);
    }

    fn unknown_member(&mut self, name: &Ident, module: &Ident, members: &Members<'a>) {
        let kind = format!("value in the module `{}`", self.text(module.symbol));
        let candidates = members.values.keys().copied().collect();
        self.unknown("E0202", &kind, name, candidates);
    }

    /// Reports a name that does not exist, and suggests a similar one that does.
    fn unknown(&mut self, code: &'static str, kind: &str, name: &Ident, candidates: Vec<Symbol>) {
        let text = self.text(name.symbol);
        let mut error = Diagnostic::error(code, name.span, format!("unknown {kind} `{text}`"));
        let near = candidates.iter().map(|&candidate| self.text(candidate));
        if let Some(near) = nearest(text, near) {
            error = error.hint(format!("there is `{near}`"));
        }
        self.report(error);
    }

    /// Returns the members of the module at the end of a path of qualifiers; `Some(None)` for an empty path.
    fn lookup_members(&mut self, path: &[Ident]) -> Option<Option<Rc<Members<'a>>>> {
        if path.is_empty() {
            return Some(None);
        }
        match self.lookup_module_path(path)? {
            Module::Structure(members) => Some(Some(members)),
            Module::Intrinsics => Some(Some(self.intrinsic_types.clone())),
            Module::Failed => None,
            Module::Parametric(_) => {
                let message = "this module is parametric; apply it to a module first";
                self.report(Diagnostic::error("E0221", path[path.len() - 1].span, message));
                None
            }
        }
    }

    /// Returns the module at the end of a path. `None` if there is none, which is reported.
    pub fn lookup_module_path(&mut self, path: &[Ident]) -> Option<Module<'a>> {
        let (last, before) = path.split_last()?;
        let (found, candidates): (Option<Module<'a>>, Vec<Symbol>) = match self.lookup_members(before)? {
            Some(members) => {
                (members.modules.get(&last.symbol).cloned(), members.modules.keys().copied().collect())
            }
            None => {
                let found = self.env.find(|members| members.modules.get(&last.symbol)).cloned();
                let mut candidates = Vec::new();
                let mut frame = Some(self.env.clone());
                while let Some(current) = frame {
                    candidates.extend(current.members.modules.keys());
                    frame = current.parent.clone();
                }
                (found, candidates)
            }
        };
        if found.is_none() {
            self.unknown("E0204", "module", last, candidates);
        }
        found
    }

    /// Returns the module with this name.
    pub fn lookup_module(&mut self, name: &QualName) -> Option<Module<'a>> {
        let path: Vec<Ident> = name.qualifiers.iter().copied().chain([name.name]).collect();
        self.lookup_module_path(&path)
    }

    /// Returns the type constructor with this name. `None` if there is none, which is reported.
    pub fn lookup_type(&mut self, name: &QualName) -> Option<Rc<TypeDef>> {
        let symbol = name.name.symbol;
        let (found, candidates) = match self.lookup_members(&name.qualifiers)? {
            Some(members) => (members.types.get(&symbol).cloned(), members.types.keys().copied().collect()),
            None => {
                let found = self.env.find(|members| members.types.get(&symbol)).cloned();
                let mut candidates = Vec::new();
                let mut frame = Some(self.env.clone());
                while let Some(current) = frame {
                    candidates.extend(current.members.types.keys());
                    frame = current.parent.clone();
                }
                (found, candidates)
            }
        };
        if found.is_none() {
            match hint_for_type(self.text(symbol)) {
                Some(hint) => {
                    let message = format!("unknown type `{}`", self.text(symbol));
                    self.report(Diagnostic::error("E0203", name.name.span, message).hint(hint));
                }
                None => self.unknown("E0203", "type", &name.name, candidates),
            }
        }
        found
    }

    /// Returns the module type with this name. `None` if there is none, which is reported.
    pub fn lookup_module_type(&mut self, name: &QualName) -> Option<ModuleType<'a>> {
        let symbol = name.name.symbol;
        let found = match self.lookup_members(&name.qualifiers)? {
            Some(members) => members.module_types.get(&symbol).cloned(),
            None => self.env.find(|members| members.module_types.get(&symbol)).cloned(),
        };
        if found.is_none() {
            self.unknown("E0204", "module type", &name.name, Vec::new());
        }
        found
    }

    /// Reports a name that is bound twice.
    pub fn duplicate(&mut self, kind: &str, name: &str, span: Span, first: Span) {
        let error = Diagnostic::error("E0210", span, format!("duplicate {kind} `{name}`"));
        self.report(error.label(first, "also bound here"));
    }
}

/// Returns a scalar intrinsic with its type.
pub fn scalar_value(intrinsic: Intrinsic) -> Value {
    let Some((operands, operand, result)) = scalar_signature(intrinsic) else { return Value::Failed };
    let mut ty = Type::Prim(result);
    for _ in 0..operands {
        ty = Type::Arrow(std::sync::Arc::new(ArrowType {
            param: None,
            argument: Type::Prim(operand),
            consumes: Uniqueness::No,
            result: ResultType { exists: Vec::new(), ty, unique: Uniqueness::No },
        }));
    }
    Value::Intrinsic(intrinsic, Rc::new(Poly { types: Vec::new(), sizes: Vec::new(), ty }))
}

/// Returns the most similar candidate, if its edit distance is at most a third of the length of `name`.
fn nearest<'n>(name: &str, candidates: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (name.chars().count() / 3).max(1);
    if name.len() > 64 {
        return None;
    }
    let near = candidates.filter(|candidate| candidate.len() <= 64);
    let scored = near.map(|candidate| (distance(name, candidate), candidate));
    scored.filter(|scored| scored.0 <= limit && scored.0 < name.chars().count()).min().map(|scored| scored.1)
}

/// Returns the number of insertions, deletions and replacements between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_only_what_is_close() {
        let names = ["reduce", "map", "filter", "x"];
        assert_eq!(nearest("redcue", names.into_iter()), Some("reduce"));
        assert_eq!(nearest("fliter", names.into_iter()), Some("filter"));
        assert_eq!(nearest("q", names.into_iter()), None);
        assert_eq!(nearest("zip", names.into_iter()), None);
    }
}
