//! One name per variable: the hint, with a suffix if it is taken.
//!
//! Names are assigned in the order of binding. The names of results are in a space of their own (with the parameters), since
//! results are not in scope in the body.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::entity::{Entity, SecondaryMap};
use crate::expr::Stm;
use crate::program::{Function, Var};
use crate::traverse::Visitor;

/// Words that variables may not have as names, since an expression or a statement can begin with them. Operators (every mnemonic)
/// are reserved as well.
const RESERVED: &[&str] = &[
    "alloc",
    "assert",
    "bool",
    "call",
    "cert",
    "concat",
    "copy",
    "entry",
    "f16",
    "f32",
    "f64",
    "false",
    "flatmap",
    "fun",
    "hist",
    "i16",
    "i32",
    "i64",
    "i8",
    "if",
    "index",
    "iota",
    "loop",
    "manifest",
    "mem",
    "partition",
    "rearrange",
    "replicate",
    "reshape",
    "return",
    "scatter",
    "scratch",
    "screma",
    "seghist",
    "segmap",
    "segpart",
    "segred",
    "segscan",
    "segscatter",
    "select",
    "slice",
    "specialised",
    "stream_map",
    "stream_red",
    "stream_seq",
    "true",
    "tuned",
    "update",
    "update_acc",
    "with_acc",
];

/// Returns whether the text can be a name without quotes.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut chars = text.chars();
    chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '\'' | '.'))
}

/// The names of a function's variables.
pub(super) struct Names {
    names: SecondaryMap<Var, String>,
}

impl Names {
    /// Names every variable of the function.
    pub(super) fn of(function: &Function) -> Names {
        let names = SecondaryMap::new(String::new());
        let mut namer = Namer { function, names, taken: FxHashSet::default(), next: FxHashMap::default() };
        for param in &function.params {
            namer.name(param.var);
        }
        let (taken, next) = (namer.taken.clone(), namer.next.clone());
        for result in &function.results {
            namer.name(result.var);
        }
        (namer.taken, namer.next) = (taken, next);
        namer.body(&function.body);
        namer.name_unbound();
        Names { names: namer.names }
    }

    /// Returns the name of a variable.
    pub(super) fn get(&self, var: Var) -> &str {
        match self.names[var].as_str() {
            "" => "unknown?",
            name => name,
        }
    }
}

struct Namer<'f> {
    function: &'f Function,
    names: SecondaryMap<Var, String>,
    taken: FxHashSet<String>,
    next: FxHashMap<String, usize>,
}

impl<'a> Visitor<'a> for Namer<'a> {
    fn bind(&mut self, var: &'a Var) {
        self.name(*var);
    }

    fn stm(&mut self, stm: &'a Stm) {
        self.binds(&stm.pattern);
        self.expr(&stm.expr);
    }
}

impl Namer<'_> {
    fn name(&mut self, var: Var) {
        let Some(data) = self.function.vars.get(var) else { return };
        if !self.names[var].is_empty() {
            return;
        }
        let name = self.choose(&cleaned(data.name()));
        self.taken.insert(name.clone());
        self.names[var] = name;
    }

    fn choose(&mut self, hint: &str) -> String {
        if !self.taken.contains(hint) && !is_reserved(hint) {
            return hint.to_string();
        }
        let base = without_suffix(hint);
        let next = self.next.entry(base.to_string()).or_insert(0);
        loop {
            *next += 1;
            let name = format!("{base}_{next}");
            if !self.taken.contains(&name) {
                return name;
            }
        }
    }

    /// Gives variables that nothing binds names that do not parse.
    fn name_unbound(&mut self) {
        for (var, data) in self.function.vars.iter() {
            if self.names[var].is_empty() {
                self.names[var] = format!("{}?{}", cleaned(data.name()), var.index());
            }
        }
    }
}

/// Returns whether a name is forbidden for variables.
pub(crate) fn is_reserved(name: &str) -> bool {
    use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, TernaryOp, UnaryOp};
    RESERVED.binary_search(&name).is_ok()
        || UnaryOp::from_mnemonic(name).is_some()
        || BinaryOp::from_mnemonic(name).is_some()
        || TernaryOp::from_mnemonic(name).is_some()
        || CompareOp::from_mnemonic(name).is_some()
        || ConvertOp::from_mnemonic(name).is_some()
}

/// Returns the hint with all characters that a variable's name cannot contain replaced.
pub fn cleaned(hint: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '\'' { c } else { '_' };
    let name: String = hint.chars().map(keep).collect();
    match name.chars().next() {
        None => "v".to_string(),
        Some(first) if first.is_ascii_alphabetic() || first == '_' => name,
        Some(_) => format!("v{name}"),
    }
}

/// Removes a numeric suffix: `x_12` becomes `x`.
fn without_suffix(name: &str) -> &str {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    match digits.strip_suffix('_') {
        Some(base) if digits.len() < name.len() && !base.is_empty() => base,
        Some(_) | None => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_words_are_sorted_for_the_search() {
        assert!(RESERVED.is_sorted());
    }

    #[test]
    fn hints_become_identifiers_and_lose_their_suffix() {
        assert_eq!((cleaned("+^"), cleaned(""), cleaned("1x")), ("__".into(), "v".into(), "v1x".into()));
        assert_eq!((without_suffix("x_12"), without_suffix("_1"), without_suffix("x_")), ("x", "_1", "x_"));
    }
}
