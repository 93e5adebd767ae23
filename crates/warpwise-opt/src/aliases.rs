//! Analysis of which arrays of a body may share storage, for passes that move statements past consumptions.
//!
//! Every array has a set of *roots*: the arrays whose elements it may hold under another name. A fresh array is its own root. A
//! view, an update, a choice, a loop result or a call result has the roots of every array that it may be. A lambda parameter that
//! stands for an element has the roots of the array that the element comes from. Two arrays may share elements only if they have
//! a root in common. The sets are conservative, not minimal: a loop merges the roots of all arrays that it carries.
//!
//! Scalars share nothing, even if a loop carries them together with arrays.
//!
//! Limit: two disjoint slices of one array count as sharing.

use rustc_hash::FxHashSet;
use smallvec::SmallVec;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Expr, Function, Operand, Stm, Type, Var, exprs};

/// The roots of one array, sorted.
pub type RootSet = SmallVec<[Var; 2]>;

/// The roots of all arrays bound in a body.
pub struct Aliases {
    /// Empty if the variable is its own and only root.
    roots: SecondaryMap<Var, RootSet>,
}

impl Aliases {
    /// Analyses every statement of a body, inside lambdas too.
    pub fn of(function: &Function, body: &Body) -> Aliases {
        let mut finder = Finder { function, aliases: Aliases { roots: SecondaryMap::default() } };
        finder.body(body);
        finder.aliases
    }

    /// Returns the roots of an array.
    pub fn roots(&self, array: Var) -> RootSet {
        let roots = &self.roots[array];
        if roots.is_empty() { RootSet::from_slice(&[array]) } else { roots.clone() }
    }

    /// Returns the roots of the arrays that a statement consumes.
    pub fn consumed(&self, stm: &Stm) -> RootSet {
        let mut roots = RootSet::new();
        consume(&stm.expr, &mut |array| roots.extend(self.roots(array)));
        sorted(roots)
    }

    /// Returns the roots of all arrays that are consumed in a body, in this iteration or the next.
    pub fn consumed_in(&self, body: &Body) -> FxHashSet<Var> {
        let mut consumed = Consumed { aliases: self, roots: FxHashSet::default() };
        consumed.body(body);
        consumed.roots
    }
}

/// Collects the roots of consumed arrays.
struct Consumed<'a> {
    aliases: &'a Aliases,
    roots: FxHashSet<Var>,
}

impl Visitor<'_> for Consumed<'_> {
    fn stm(&mut self, stm: &Stm) {
        self.roots.extend(self.aliases.consumed(stm));
        if let Expr::Loop { params, body, .. } = &stm.expr {
            let next = params.iter().zip(&body.result).filter(|(param, _)| param.consumed);
            let next = next.filter_map(|(_, next)| next.as_var());
            self.roots.extend(next.flat_map(|var| self.aliases.roots(var)));
        }
        self.walk_stm(stm);
    }
}

/// A walk over a body that computes roots.
struct Finder<'f> {
    function: &'f Function,
    aliases: Aliases,
}

impl Finder<'_> {
    fn body(&mut self, body: &Body) {
        body.stms.iter().for_each(|stm| self.stm(stm));
    }

    fn stm(&mut self, stm: &Stm) {
        if let Expr::Loop { params, .. } = &stm.expr {
            // The loop may permute what it carries, so every parameter may have every root.
            let inits = self.roots_of(params.iter().map(|param| param.init));
            for param in params {
                self.set(param.var, sorted(inits.iter().copied().chain([param.var]).collect()));
            }
        }
        self.parts(&stm.expr);
        stm.expr.for_each_body(|body| self.body(body));
        match &stm.expr {
            Expr::Update { array, .. } => self.set(stm.pattern[0], self.aliases.roots(*array)),
            Expr::If { then_body, else_body, .. } => {
                for ((&var, &x), &y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    self.set(var, self.roots_of([x, y].into_iter()));
                }
            }
            Expr::Loop { params, body, .. } => {
                let inits = params.iter().map(|param| param.init);
                let carried = self.roots_of(inits.chain(body.result.iter().copied()));
                stm.pattern.iter().for_each(|&var| self.set(var, carried.clone()));
            }
            Expr::Call { args, .. } => {
                // Results may alias each other as well.
                let given = args.iter().copied().chain(stm.pattern.first().map(|&var| var.into()));
                let given = self.roots_of(given);
                stm.pattern.iter().for_each(|&var| self.set(var, given.clone()));
            }
            expr @ exprs!(Operand, scalar, Assert, view, fresh, soac, UpdateAcc, Seg, Tuned, Alloc) => {
                if let Some(array) = expr.viewed() {
                    self.set(stm.pattern[0], self.aliases.roots(array));
                }
            }
        }
    }

    /// Sets the roots of lambda parameters that stand for parts of arrays outside.
    fn parts(&mut self, expr: &Expr) {
        let Some((lambda, arrays)) = expr.parts() else { return };
        for (&param, array) in lambda.params.iter().zip(arrays) {
            if let Some(&array) = array {
                let roots = self.aliases.roots(array).into_iter().chain([param]);
                self.set(param, sorted(roots.collect()));
            }
        }
    }

    fn set(&mut self, var: Var, roots: RootSet) {
        if self.has_elements(var) {
            self.aliases.roots[var] = roots;
        }
    }

    fn roots_of(&self, operands: impl Iterator<Item = Operand>) -> RootSet {
        let vars = operands.filter_map(|operand| operand.as_var()).filter(|&var| self.has_elements(var));
        sorted(vars.flat_map(|var| self.aliases.roots(var)).collect())
    }

    fn has_elements(&self, var: Var) -> bool {
        match self.function.ty(var) {
            Type::Array(_) | Type::Acc(_) => true,
            Type::Scalar(_) | Type::Cert | Type::Mem => false,
        }
    }
}

fn sorted(mut roots: RootSet) -> RootSet {
    roots.sort_unstable();
    roots.dedup();
    roots
}

/// Calls `f` with every variable that an expression consumes, inside its lambdas too.
fn consume(expr: &Expr, f: &mut impl FnMut(Var)) {
    // Without the callee at hand, any argument may be consumed.
    expr.for_each_consumed(|_, _| true, |var| f(*var));
    expr.for_each_body(|body| body.stms.iter().for_each(|stm| consume(&stm.expr, &mut *f)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_ir::Program;
    use warpwise_ir::parse::parse;

    const TEXT: &str = "fun f(c: bool, n: i64, a: *[n]i64, b: *[n]i64, m: *[n][n]i64) -> (r: [n]i64, s: [n]i64, w: [n][n]i64) {
      view: [n]i64 = slice a[0:n:1];
      some: [n]i64 = if c { return view } else { return b };
      fresh: [n]i64 = copy a;
      x: [n]i64, y: [n]i64 = loop (p: [n]i64 = a, q: [n]i64 = b) for i: i64 < n { return q, p };
      k: i64, z: [n]i64 = loop (k: i64 = n, q: [n]i64 = b) for i: i64 < n { return i, q };
      w: [n][n]i64 = screma n (m) map (row: [n]i64) { new: [n]i64 = update row[0] = 1; return new };
      return fresh, some, w
    }";

    fn program() -> Program {
        let mut sources = warpwise_diag::Sources::new();
        let file = sources.add("test".to_string(), TEXT.to_string());
        parse(TEXT, file).expect("the program parses")
    }

    fn var(function: &Function, name: &str) -> Var {
        let found = function.vars.iter().find(|(_, data)| data.name() == name);
        found.map(|(var, _)| var).expect("the variable exists")
    }

    fn shares(x: &str, y: &str) -> bool {
        let program = program();
        let function = program.functions.values().next().expect("one function");
        let aliases = Aliases::of(function, &function.body);
        let others = aliases.roots(var(function, y));
        aliases.roots(var(function, x)).iter().any(|root| others.contains(root))
    }

    #[test]
    fn views_and_choices_share_with_what_they_may_be() {
        assert!(shares("view", "a"));
        assert!(shares("some", "a") && shares("some", "b"));
        assert!(!shares("view", "b"));
        assert!(!shares("fresh", "a"));
    }

    #[test]
    fn loops_mix_what_they_carry() {
        assert!(shares("x", "a") && shares("x", "b") && shares("y", "a"));
        assert!(!shares("x", "fresh"));
        assert!(!shares("k", "b") && !shares("z", "n"));
    }

    #[test]
    fn overwriting_elements_consumes_the_array() {
        let program = program();
        let function = program.functions.values().next().expect("one function");
        let aliases = Aliases::of(function, &function.body);
        let map = function.body.stms.iter().find(|stm| matches!(stm.expr, Expr::Screma(_)));
        let consumed = aliases.consumed(map.expect("a map"));
        assert!(consumed.contains(&var(function, "m")));
        assert!(!consumed.contains(&var(function, "a")));
    }
}
