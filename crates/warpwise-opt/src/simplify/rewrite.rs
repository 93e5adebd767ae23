//! Walks over a function once, outside in: shares copies and equal expressions, folds known expressions, composes views, and
//! moves invariant work out.
//!
//! Every open body collects its new statements. A statement that may move goes to the outermost open body in which its operands
//! are in scope, but not out of a branch: a branch may hold expensive work that is rarely run.

use rustc_hash::FxHashMap;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Substitution;
use warpwise_ir::{Body, Expr, Function, Lambda, LoopForm, LoopParam, Operand, SliceDim, Stm, Var, exprs};
use warpwise_prim::{BinaryOp, CompareOp, ConvertOp, Scalar, ScalarType, TernaryOp, UnaryOp};

use super::facts::Facts;
use super::fold::fold;
use super::overwritten::overwritten;
use super::sums::Sums;
use crate::uses::uses;

mod choices;
mod powers;
mod soacs;
mod views;

/// Rewrites a function. Returns whether anything changed.
pub fn rewrite(function: &mut Function) -> bool {
    let body = std::mem::take(&mut function.body);
    let (overwritten, uses) = (overwritten(&body), uses(&body));
    let params: Vec<Var> = function.params.iter().map(|param| param.var).collect();
    let mut rewriter = Rewriter {
        function,
        substitution: Substitution::new(),
        open: Vec::new(),
        known: FxHashMap::default(),
        level: SecondaryMap::default(),
        views: SecondaryMap::default(),
        overwritten,
        uses,
        fresh: SecondaryMap::default(),
        holds: SecondaryMap::default(),
        facts: Facts::default(),
        sums: Sums::default(),
        changed: false,
    };
    for &param in &params {
        rewriter.learn_sizes(param);
        // Arguments of entry points are in memory. Inner arrays may be views that repeat an element.
        if rewriter.function.entry.is_some()
            && let [Operand::Var(size)] = *rewriter.function.ty(param).shape()
        {
            rewriter.facts.set_in_memory(size);
        }
    }
    let body = rewriter.body(body, Outside::Never);
    let changed = rewriter.changed;
    function.body = body;
    changed
}

/// Whether invariant work may leave a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Outside {
    /// The body of a loop, or of a lambda applied many times.
    Invariant,
    /// A branch, or the whole function.
    Never,
}

struct Rewriter<'f> {
    function: &'f mut Function,
    substitution: Substitution,
    open: Vec<OpenBody>,
    /// The known expressions of the open bodies, each with the variable that it is bound to.
    known: FxHashMap<Key, Var>,
    /// Index of the open body that binds a variable; 0 also for parameters of the function.
    level: SecondaryMap<Var, usize>,
    /// Views, fills and comparisons by the variable they are bound to, with the certificates they rely on.
    views: SecondaryMap<Var, Option<(Expr, Vec<Var>)>>,
    /// Variables that are overwritten somewhere.
    overwritten: SecondaryMap<Var, bool>,
    /// Number of uses of variables before this walk, plus the uses of the variables that they replace.
    uses: SecondaryMap<Var, u32>,
    /// Arrays that share their elements with no other array.
    fresh: SecondaryMap<Var, bool>,
    /// Certificates of assertions that always hold.
    holds: SecondaryMap<Var, bool>,
    facts: Facts,
    sums: Sums,
    changed: bool,
}

struct OpenBody {
    stms: Vec<Stm>,
    /// The keys of the expressions that the body binds.
    keys: Vec<Key>,
    outside: Outside,
}

/// A pure expression as a key: equal keys have equal values.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Key {
    Unary(UnaryOp, Operand),
    Binary(BinaryOp, Operand, Operand),
    Ternary(TernaryOp, Operand, Operand, Operand),
    Compare(CompareOp, Operand, Operand),
    Convert(ConvertOp, Operand, ScalarType),
    Select(Operand, Operand, Operand),
    Assert(Operand),
    Index(Var, Vec<Operand>),
    Slice(Var, Vec<SliceDim>),
    Rearrange(Var, Vec<usize>),
    Reshape(Var, Vec<Operand>),
}

impl Rewriter<'_> {
    fn body(&mut self, body: Body, outside: Outside) -> Body {
        self.open.push(OpenBody { stms: Vec::new(), keys: Vec::new(), outside });
        let result = self.stms(body);
        let OpenBody { stms, keys, .. } = self.open.pop().expect("the body just opened");
        for key in keys {
            self.known.remove(&key);
        }
        Body { stms, result }
    }

    /// Rewrites the statements of a body into the innermost open one. Returns the results.
    fn stms(&mut self, body: Body) -> Vec<Operand> {
        for stm in body.stms {
            self.stm(stm);
        }
        body.result.into_iter().map(|x| self.substitution.apply(x)).collect()
    }

    fn lambda(&mut self, lambda: &mut Lambda) {
        let mark = self.facts.enter();
        self.binds(&lambda.params, self.open.len());
        lambda.body = self.body(std::mem::take(&mut lambda.body), Outside::Invariant);
        self.facts.leave(mark);
    }

    /// Records the level of variables and updates their types.
    fn binds(&mut self, vars: &[Var], level: usize) {
        for &var in vars {
            self.substitution.apply_var_data(&mut self.function.vars[var]);
            self.level[var] = level;
            self.learn_sizes(var);
        }
    }

    fn learn_sizes(&mut self, var: Var) {
        for size in self.function.ty(var).shape() {
            if let Operand::Var(size) = size {
                self.facts.set_nonnegative(*size);
            }
        }
    }

    fn stm(&mut self, mut stm: Stm) {
        let substitution = &self.substitution;
        stm.expr.map_operands(|x| substitution.apply(x));
        let certs = std::mem::take(&mut stm.certs);
        for cert in certs {
            let cert = self.substitution.apply(cert.into()).as_var().unwrap_or(cert);
            if !self.holds[cert] && !stm.certs.contains(&cert) {
                stm.certs.push(cert);
            }
        }
        match stm.expr {
            Expr::If { .. } => self.choice(stm),
            Expr::Loop { .. } => self.repetition(stm),
            Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::WithAcc(_)
            | Expr::FlatMap(_)
            | Expr::Seg(_) => self.soac(stm),
            exprs!(simple) => self.simple(stm),
        }
    }

    /// Rewrites a statement without bodies.
    fn simple(&mut self, mut stm: Stm) {
        let simpler = self.compose(&mut stm).or_else(|| self.power(&stm)).or_else(|| self.sum(&stm));
        if let Some(simpler) = simpler {
            stm.expr = simpler;
            self.changed = true;
        }
        self.decide_by_facts(&mut stm);
        select_to_logic(&mut stm.expr);
        if is_tuned(&stm.expr) {
            // A tuned value relies on no check, and the checks may be inside the loop that the statement leaves.
            stm.certs.clear();
        }
        let Some(&var) = stm.pattern.first() else {
            // A call of a function that yields the empty tuple.
            return self.push(stm);
        };
        let ty = match &stm.expr {
            Expr::Convert(_, x, _) | Expr::Compare(_, x, _) => self.function.operand_type(*x).as_scalar(),
            exprs!(
                Operand, Unary, Binary, Ternary, Select, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc
            ) => None,
        };
        if let Some(known) = fold(&stm.expr, ty) {
            return self.replace(var, known);
        }
        if let Expr::Assert { cond, .. } = &stm.expr
            && *cond == Operand::bool(true)
        {
            self.holds[var] = true;
            self.changed = true;
            return;
        }
        if let Expr::Copy(array) = stm.expr
            && stm.certs.is_empty()
            && self.fresh[array]
            && self.uses[array] == 1
            && self.level[array] + 1 == self.open.len()
        {
            // The array has no other use.
            return self.replace(var, array.into());
        }
        let key = key_of(&stm.expr);
        if let Some(key) = &key
            && let Some(&same) = self.known.get(key)
        {
            return self.replace(var, same.into());
        }
        let level = self.level_for(&stm);
        if level + 1 < self.open.len() {
            self.changed = true;
        }
        if let Some(key) = key {
            self.open[level].keys.push(key.clone());
            self.known.insert(key, var);
        }
        self.facts.bind(var, &stm.expr);
        if self.is_index(var) {
            self.sums.bind(var, &stm.expr);
        }
        if is_view(&stm.expr) && !self.overwritten[var] {
            self.views[var] = Some((stm.expr.clone(), stm.certs.clone()));
        }
        self.push_at(level, stm);
    }

    /// Returns a sum that cancels as a simpler expression.
    fn sum(&self, stm: &Stm) -> Option<Expr> {
        let &var = stm.pattern.first()?;
        if self.is_index(var) { self.sums.simpler(&stm.expr) } else { None }
    }

    fn is_index(&self, var: Var) -> bool {
        self.function.ty(var).as_scalar() == Some(ScalarType::I64)
    }

    /// Replaces a comparison, a minimum or a maximum by the outcome that the facts prove.
    fn decide_by_facts(&mut self, stm: &mut Stm) {
        let outcome = match stm.expr {
            Expr::Compare(op, x, y) => self.facts.decide(op, x, y).map(Operand::bool),
            Expr::Binary(BinaryOp::SMin, x, y) => self.facts.order(x, y).map(|(least, _)| least),
            Expr::Binary(BinaryOp::SMax, x, y) => self.facts.order(x, y).map(|(_, most)| most),
            exprs!(simple, nested) => None,
        };
        if let Some(outcome) = outcome {
            stm.expr = Expr::Operand(outcome);
        }
    }

    /// Replaces `var` by `by` from here on.
    fn replace(&mut self, var: Var, by: Operand) {
        self.changed = true;
        if let Operand::Var(by) = by {
            self.facts.copy(by, var);
            self.uses[by] += self.uses[var];
        }
        self.substitution.insert(var, by);
    }

    /// Records that `var` equals an operand but stands for checks that the operand does not stand for, so that `var` stays.
    fn equals(&mut self, var: Var, operand: Operand) {
        if let Operand::Var(operand) = operand {
            self.facts.equals(var, operand);
        }
    }

    fn push(&mut self, stm: Stm) {
        self.push_at(self.open.len() - 1, stm);
    }

    fn push_at(&mut self, level: usize, stm: Stm) {
        self.binds(&stm.pattern, level);
        if makes_arrays(&stm.expr) {
            stm.pattern.iter().for_each(|&var| self.fresh[var] = true);
        }
        self.open[level].stms.push(stm);
    }

    /// Returns the level of the outermost open body that a statement may move to.
    fn level_for(&self, stm: &Stm) -> usize {
        let level = self.open.len() - 1;
        // Out of all loops, to host code, which knows tuned values. Not out of branches around the loops: other versions need not
        // ask.
        if is_tuned(&stm.expr) {
            let repeated = self.open.iter().position(|body| body.outside == Outside::Invariant);
            return repeated.map_or(level, |first| first - 1);
        }
        if !stm.certs.is_empty() || !may_move(&stm.expr) {
            return level;
        }
        let mut needed = 0;
        stm.expr.for_each_operand(|x| {
            if let Operand::Var(var) = x {
                needed = needed.max(self.level[var]);
            }
        });
        self.outermost(level, needed)
    }

    /// Returns the outermost level that work moves to from `level`, if its operands need level `needed`.
    fn outermost(&self, mut level: usize, needed: usize) -> usize {
        while level > needed && self.open[level].outside == Outside::Invariant {
            level -= 1;
        }
        level
    }

    fn repetition(&mut self, stm: Stm) {
        let Stm { mut pattern, expr, certs, span } = stm;
        let Expr::Loop { mut params, form, mut body } = expr else { unreachable!("a loop") };
        let invariant = |(param, next): (&LoopParam, &Operand)| {
            let is_cond = matches!(form, LoopForm::While { cond } if cond == param.var);
            *next == Operand::Var(param.var) && !is_cond
        };
        let invariant: Vec<bool> = params.iter().zip(&body.result).map(invariant).collect();
        let fails = invariant.contains(&true) && body.can_fail();
        for position in (0..params.len()).rev().filter(|&position| invariant[position]) {
            let param = params[position];
            // The sizes of arrays are known without the loop, so that its checks need not have run.
            let is_size =
                params.iter().any(|other| self.function.ty(other.var).shape().contains(&param.var.into()));
            if !fails || is_size || self.uses[pattern[position]] == 0 {
                params.remove(position);
                body.result.remove(position);
                self.replace(param.var, param.init);
                let var = pattern.remove(position);
                self.replace(var, param.init);
            } else if self.function.ty(param.var).as_scalar().is_some() {
                // The loop still yields the value, because the checks in its body would disappear with it.
                self.replace(param.var, param.init);
                self.equals(pattern[position], param.init);
            }
        }
        let mark = self.facts.enter();
        if let LoopForm::For { index, bound } = form {
            self.level[index] = self.open.len();
            self.facts.set_index(index, bound);
        }
        let vars: Vec<Var> = params.iter().map(|param| param.var).collect();
        self.binds(&vars, self.open.len());
        let body = self.body(body, Outside::Invariant);
        self.facts.leave(mark);
        let expr = Expr::Loop { params, form, body };
        self.push(Stm { pattern, expr, certs, span });
    }
}

/// Rewrites a choice between a truth value and a constant as a conjunction or disjunction.
fn select_to_logic(expr: &mut Expr) {
    if let Expr::Select(cond, x, y) = *expr {
        if y == Operand::bool(false) {
            *expr = Expr::Binary(BinaryOp::And, cond, x);
        } else if x == Operand::bool(true) {
            *expr = Expr::Binary(BinaryOp::Or, cond, y);
        }
    }
}

/// Whether an expression can be evaluated wherever its operands are in scope: scalar work that cannot fail.
fn may_move(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(op, _, y) => {
            !op.can_fail()
                || op.is_division() && y.as_const().and_then(Scalar::as_int).is_some_and(|y| y != 0)
        }
        Expr::Unary(..) | Expr::Ternary(..) | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) => {
            true
        }
        exprs!(Operand, Assert, array, nested, Call, UpdateAcc, Tuned, Alloc) => false,
    }
}

/// Whether all arrays that an expression yields are fresh.
fn makes_arrays(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Seg(_)
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Concat { .. }
            | Expr::ArrayLit(_)
    )
}

fn is_tuned(expr: &Expr) -> bool {
    matches!(expr, Expr::Tuned { .. })
}

/// Whether later expressions can look through this one.
fn is_view(expr: &Expr) -> bool {
    matches!(
        expr,
        Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Rearrange { .. }
            | Expr::Reshape { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Compare(..)
            | Expr::Binary(BinaryOp::And, ..)
    )
}

fn key_of(expr: &Expr) -> Option<Key> {
    Some(match expr {
        Expr::Unary(op, x) => Key::Unary(*op, *x),
        Expr::Binary(op, x, y) if op.is_commutative() && order(*y) < order(*x) => Key::Binary(*op, *y, *x),
        Expr::Binary(op, x, y) => Key::Binary(*op, *x, *y),
        Expr::Ternary(op, x, y, z) => Key::Ternary(*op, *x, *y, *z),
        Expr::Compare(op, x, y) => Key::Compare(*op, *x, *y),
        Expr::Convert(op, x, ty) => Key::Convert(*op, *x, *ty),
        Expr::Select(cond, x, y) => Key::Select(*cond, *x, *y),
        Expr::Assert { cond, .. } => Key::Assert(*cond),
        Expr::Index { array, indices } => Key::Index(*array, indices.clone()),
        Expr::Slice { array, dims } => Key::Slice(*array, dims.clone()),
        Expr::Rearrange { array, perm } => Key::Rearrange(*array, perm.clone()),
        Expr::Reshape { array, shape } => Key::Reshape(*array, shape.to_vec()),
        exprs!(Operand, Update, fresh, nested, Call, UpdateAcc, Tuned, Alloc) => return None,
    })
}

/// Returns a sort key for operands of commutative operators. Any total order will do.
fn order(operand: Operand) -> (bool, u64) {
    use warpwise_ir::entity::Entity;
    match operand {
        Operand::Const(value) => (false, value.to_bits()),
        Operand::Var(var) => (true, var.index() as u64),
    }
}
