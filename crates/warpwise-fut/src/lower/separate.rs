//! Insertion of copies for arrays that share storage with an overwritten array, but are still needed.
//!
//! In the language a value is consumed as a whole, and the checker ensures that it is not used again. In the core its parts are
//! consumed one after the other, and may share storage with each other: results of one call, two fields that are the same array,
//! or loop-carried values. An array that is still needed is copied first:
//!
//! ```text
//! t, u = call f(a);            t, u = call f(a);
//! x = update t[0] = 1;         u_1 = copy u;
//! y = update u[0] = 1;         x = update t[0] = 1; y = update u_1[0] = 1;
//! ```
//!
//! Arrays stand for sets of *roots*, as in the verifier (`warpwise_ir::verify`). An array that is overwritten although it must
//! not be is copied, too: it was made outside a loop or lambda, or belongs to the caller. Therefore the result obeys the rules
//! whatever lowering made.
//!
//! Callees are processed before callers. A result that shares no storage is marked unique, so that callers know. Not done here:
//! elimination of copies ([`copies`](crate::lower::copies)); accumulators, which are never copied.

use rustc_hash::FxHashMap;
use smallvec::SmallVec;
use warpwise_diag::Span;
use warpwise_ir::entity::{Entity, SecondaryMap};
use warpwise_ir::traverse::{Visitor, VisitorMut};
use warpwise_ir::{Body, Expr, Function, FunctionId, Lambda, LoopParam, Operand, Program, Stm, Type, Var};

/// Inserts the necessary copies into all functions.
pub fn separate(program: &mut Program) {
    for id in callees_first(program) {
        let mut function = program.functions[id].clone();
        Separation::new(program, &mut function).function();
        program.functions[id] = function;
    }
}

/// Returns all functions, each after its callees, except in cycles of calls.
fn callees_first(program: &Program) -> Vec<FunctionId> {
    let mut order = Vec::new();
    let mut met = vec![false; program.functions.len()];
    for root in program.functions.keys() {
        let mut open = vec![(root, false)];
        while let Some((id, done)) = open.pop() {
            if done {
                order.push(id);
            } else if !std::mem::replace(&mut met[id.index()], true) {
                open.push((id, true));
                let mut calls = Calls(Vec::new());
                calls.body(&program.functions[id].body);
                open.extend(calls.0.into_iter().map(|callee| (callee, false)));
            }
        }
    }
    order
}

/// The functions called.
struct Calls(Vec<FunctionId>);

impl<'a> Visitor<'a> for Calls {
    fn expr(&mut self, expr: &'a Expr) {
        if let Expr::Call { function, .. } = expr {
            self.0.push(*function);
        }
        self.walk_expr(expr);
    }
}

/// The arrays whose storage an array may share, sorted.
type Roots = SmallVec<[Var; 2]>;

/// Owner of roots that may never be overwritten.
const NEVER: u32 = u32::MAX;

/// State of the pass for one function.
struct Separation<'p> {
    program: &'p Program,
    function: &'p mut Function,
    roots: SecondaryMap<Var, Roots>,
    /// Arrays that have a root.
    sharing: SecondaryMap<Var, Vec<Var>>,
    /// Number of loops and lambdas around the place where a root was made.
    owner: SecondaryMap<Var, u32>,
    consumed: SecondaryMap<Var, bool>,
    /// Roots in the order of their consumption.
    log: Vec<Var>,
    /// Whether a variable is in scope.
    visible: SecondaryMap<Var, bool>,
    bound: Vec<Var>,
    depth: u32,
    /// Source position of the current statement.
    span: Span,
}

/// A body being processed.
#[derive(Default)]
struct Rest {
    done: Vec<Stm>,
    /// Renamings that apply to the remaining statements.
    renamed: FxHashMap<Var, Var>,
    /// For each variable, the number of statements left at its last use, counting the statement with the use. Computed on demand.
    last_uses: Option<FxHashMap<Var, usize>>,
}

impl<'p> Separation<'p> {
    fn new(program: &'p Program, function: &'p mut Function) -> Separation<'p> {
        let span = function.span;
        Separation {
            program,
            function,
            roots: SecondaryMap::default(),
            sharing: SecondaryMap::default(),
            owner: SecondaryMap::new(NEVER),
            consumed: SecondaryMap::default(),
            log: Vec::new(),
            visible: SecondaryMap::default(),
            bound: Vec::new(),
            depth: 0,
            span,
        }
    }

    fn function(&mut self) {
        for param in self.function.params.clone() {
            self.fresh(param.var, if param.consumed { 0 } else { NEVER });
        }
        let unique: Vec<bool> = self.function.results.iter().map(|result| result.unique).collect();
        let mut body = std::mem::take(&mut self.function.body);
        self.body(&mut body, &unique);
        self.mark_unique(&body);
        self.function.body = body;
    }

    /// Marks results as unique that share storage with no other result and with no parameter that is not consumed.
    fn mark_unique(&mut self, body: &Body) {
        if self.function.entry.is_some() {
            return;
        }
        let roots: Vec<Roots> = body.result.iter().map(|operand| self.roots_of(&[*operand])).collect();
        for (at, own) in roots.iter().enumerate() {
            let others = roots.iter().enumerate().filter(|(other, _)| *other != at);
            let apart = others.into_iter().all(|(_, other)| !meet(own, other));
            let ours = own.iter().all(|root| self.owner[*root] == 0);
            self.function.results[at].unique |= !own.is_empty() && apart && ours;
        }
    }

    // --- Bodies -------------------------------------------------------------------------------

    /// Processes a body. The results at the positions in `handed` give up their storage.
    fn body(&mut self, body: &mut Body, handed: &[bool]) {
        let mark = self.bound.len();
        let mut rest = Rest::default();
        let mut stms = std::mem::take(&mut body.stms).into_iter();
        while let Some(mut stm) = stms.next() {
            rest.rename(&mut stm);
            self.span = stm.span;
            self.stm(stm, &mut rest, stms.as_slice(), &body.result);
        }
        Rename(&rest.renamed).operands(&mut body.result);
        self.results(&mut body.result, handed, &mut rest);
        body.stms = rest.done;
        for var in self.bound.drain(mark..) {
            self.visible[var] = false;
        }
    }

    /// Makes every result in `handed` the sole owner of its storage.
    fn results(&mut self, results: &mut [Operand], handed: &[bool], rest: &mut Rest) {
        let mut given = Roots::new();
        for first in [true, false] {
            for (at, result) in results.iter_mut().enumerate() {
                let is_handed = handed.get(at) == Some(&true);
                let Operand::Var(var) = *result else { continue };
                if is_handed != first || !self.is_array(var) {
                    continue;
                }
                let roots = self.roots[var].clone();
                if meet(&roots, &given) || is_handed && !self.is_ours(&roots) {
                    *result = self.copy(var, rest).into();
                }
                if is_handed {
                    given.extend(self.roots_of(&[*result]));
                    given.sort_unstable();
                }
            }
        }
    }

    fn stm(&mut self, mut stm: Stm, rest: &mut Rest, later: &[Stm], result: &[Operand]) {
        let mark = self.log.len();
        if stm.expr.parts().is_some() {
            // The lambda shows which inputs are consumed.
            self.inside(&mut stm.expr);
            self.consume(&mut stm, rest, later, result);
        } else {
            self.consume(&mut stm, rest, later, result);
            self.inside(&mut stm.expr);
        }
        if matches!(stm.expr, Expr::If { .. }) {
            self.keep_what_sides_consume(mark, rest, later, result);
        }
        self.pattern(&stm, mark);
        rest.done.push(stm);
    }

    /// Copies arrays that the statement overwrites twice, may not overwrite, or overwrites although they are used elsewhere in it
    /// or later.
    fn consume(&mut self, stm: &mut Stm, rest: &mut Rest, later: &[Stm], result: &[Operand]) {
        let mut written = Vec::new();
        self.for_each_place(&mut stm.expr, &mut |place| written.push(*place));
        if written.is_empty() {
            return;
        }
        let mut places = written.clone();
        let mut taken = Roots::new();
        for place in &mut places {
            let roots = &self.roots[*place];
            if meet(roots, &taken) || !self.is_ours(roots) {
                *place = self.copy(*place, rest);
            }
            taken.extend(self.roots[*place].iter().copied());
        }
        let mut uses = Count(FxHashMap::default());
        uses.stm(stm);
        for var in self.sharing_with(&taken) {
            let overwritten = written.iter().filter(|place| **place == var).count();
            let besides = uses.0.get(&var).is_some_and(|count| *count > overwritten);
            if besides || rest.is_used_later(var, later, result) {
                let copy = self.copy(var, rest);
                rest.replace(var, copy);
            }
        }
        rest.rename(stm);
        let mut places = places.into_iter();
        self.for_each_place(&mut stm.expr, &mut |place| *place = places.next().unwrap_or(*place));
        for root in taken {
            self.consumed[root] = true;
            self.log.push(root);
        }
    }

    /// Copies arrays that one branch destroys and that are used after the branch statement.
    fn keep_what_sides_consume(&mut self, mark: usize, rest: &mut Rest, later: &[Stm], result: &[Operand]) {
        let consumed: Roots = self.log[mark..].iter().copied().collect();
        for var in self.sharing_with(&consumed) {
            if rest.is_used_later(var, later, result) {
                let copy = self.copy(var, rest);
                rest.replace(var, copy);
            }
        }
    }

    /// Binds a copy of an array, with storage of its own.
    fn copy(&mut self, array: Var, rest: &mut Rest) -> Var {
        let copy = self.function.fresh_like(array);
        let stm = Stm { pattern: vec![copy], expr: Expr::Copy(array), certs: Vec::new(), span: self.span };
        rest.done.push(stm);
        self.fresh(copy, self.depth);
        copy
    }

    // --- Consumption ----------------------------------------------------------------------------

    /// Calls `f` with every array that an expression overwrites, in place.
    fn for_each_place(&self, expr: &mut Expr, f: &mut dyn FnMut(&mut Var)) {
        let mut place = |array: &mut Var| {
            if self.is_array(*array) {
                f(array);
            }
        };
        let takes = |function: FunctionId, at: usize| self.program.functions[function].params[at].consumed;
        expr.for_each_consumed_mut(takes, &mut place);
        if let Some((lambda, arrays)) = expr.parts_mut() {
            for (param, array) in lambda.params.iter().zip(arrays) {
                if let (true, Some(array)) = (self.consumed[*param], array) {
                    place(array);
                }
            }
        }
    }

    // --- Bodies inside an expression ------------------------------------------------------------

    fn inside(&mut self, expr: &mut Expr) {
        match expr {
            Expr::If { then_body, else_body, .. } => {
                let mark = self.log.len();
                self.body(then_body, &[]);
                // An array that one branch overwrites is intact in the other.
                let consumed: Vec<Var> = self.log[mark..].to_vec();
                consumed.iter().for_each(|root| self.consumed[*root] = false);
                self.body(else_body, &[]);
                consumed.iter().for_each(|root| self.consumed[*root] = true);
            }
            Expr::Loop { params, body, .. } => {
                self.depth += 1;
                let mark = self.bound.len();
                for param in params.iter() {
                    self.loop_param(param);
                }
                let handed: Vec<bool> = params.iter().map(|param| param.consumed).collect();
                self.body(body, &handed);
                self.leave(mark);
            }
            soac => {
                let parts = soac.parts().map_or(Vec::new(), |(lambda, arrays)| {
                    let parts = lambda.params.iter().zip(arrays).filter(|(_, array)| array.is_some());
                    parts.map(|(param, _)| *param).collect()
                });
                soac.for_each_lambda_mut(|lambda| self.lambda(lambda, &parts));
            }
        }
    }

    fn loop_param(&mut self, param: &LoopParam) {
        if param.consumed {
            return self.fresh(param.var, self.depth);
        }
        // The parameter itself represents the values of earlier iterations.
        self.fresh(param.var, NEVER);
        let roots = self.roots_of(&[Operand::Var(param.var), param.init]);
        self.set_roots(param.var, roots);
    }

    /// Processes a lambda that may overwrite its parameters in `parts`, which are parts of arrays.
    fn lambda(&mut self, lambda: &mut Lambda, parts: &[Var]) {
        self.depth += 1;
        let mark = self.bound.len();
        for param in &lambda.params {
            self.fresh(*param, if parts.contains(param) { self.depth } else { NEVER });
        }
        self.body(&mut lambda.body, &[]);
        self.leave(mark);
    }

    fn leave(&mut self, mark: usize) {
        self.depth -= 1;
        for var in self.bound.drain(mark..) {
            self.visible[var] = false;
        }
    }

    // --- Variables bound by a statement ---------------------------------------------------------

    fn pattern(&mut self, stm: &Stm, mark: usize) {
        stm.pattern.iter().for_each(|var| self.fresh(*var, self.depth));
        match &stm.expr {
            Expr::If { then_body, else_body, .. } => {
                for ((var, x), y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
                    let mut roots = self.roots_of(&[*x, *y]);
                    let gone = self.log[mark..].iter().any(|root| roots.contains(root));
                    roots.retain(|root| !self.log[mark..].contains(root));
                    if gone {
                        roots.push(*var);
                        roots.sort_unstable();
                    }
                    self.set_roots(*var, roots);
                }
            }
            Expr::Loop { params, body, .. } => self.loop_pattern(&stm.pattern, params, body),
            Expr::Call { function, args } => self.call_pattern(&stm.pattern, *function, args),
            expr => {
                if let Some(array) = expr.viewed() {
                    self.alias(&stm.pattern, array);
                }
            }
        }
    }

    fn alias(&mut self, pattern: &[Var], array: Var) {
        for var in pattern {
            let roots = self.roots[array].clone();
            self.set_roots(*var, roots);
        }
    }

    /// Sets the roots of a loop's results. A result may be its initial value, an earlier value of another parameter, or made
    /// inside.
    fn loop_pattern(&mut self, pattern: &[Var], params: &[LoopParam], body: &Body) {
        let kept = |at: &usize| !params[*at].consumed && self.is_array(params[*at].var);
        let kept: Vec<usize> = (0..params.len()).filter(kept).collect();
        let values: Vec<Roots> = kept.iter().map(|at| self.roots_of(&[body.result[*at]])).collect();
        let mut names: FxHashMap<Var, Var> = FxHashMap::default();
        for (&at, value) in kept.iter().zip(&values) {
            value.iter().for_each(|root| _ = names.entry(*root).or_insert(pattern[at]));
        }
        for (own, &at) in kept.iter().enumerate() {
            let mut reached = vec![own];
            let mut next = 0;
            let mut roots = self.roots_of(&[Operand::Var(pattern[at])]);
            while let Some(&now) = reached.get(next) {
                next += 1;
                roots.extend(self.roots_of(&[params[kept[now]].init]));
                for root in &values[now] {
                    match kept.iter().position(|other| params[*other].var == *root) {
                        Some(before) if reached.contains(&before) => {}
                        Some(before) => reached.push(before),
                        None if self.owner[*root] != NEVER && self.owner[*root] > self.depth => {
                            roots.push(names[root]);
                        }
                        None => roots.push(*root),
                    }
                }
            }
            roots.sort_unstable();
            roots.dedup();
            self.set_roots(pattern[at], roots);
        }
    }

    /// Sets the roots of a call's results. Results that are not unique share storage with the unconsumed arguments and with each
    /// other.
    fn call_pattern(&mut self, pattern: &[Var], function: FunctionId, args: &[Operand]) {
        let callee = &self.program.functions[function];
        let kept = callee.params.iter().zip(args).filter(|(param, _)| !param.consumed);
        let mut shared: Vec<Operand> = kept.map(|(_, arg)| *arg).collect();
        let others = pattern.iter().zip(&callee.results).filter(|(_, result)| !result.unique);
        let others: Vec<Var> = others.map(|(var, _)| *var).filter(|var| self.is_array(*var)).collect();
        shared.extend(others.first().map(|var| Operand::Var(*var)));
        let roots = self.roots_of(&shared);
        others.into_iter().for_each(|var| self.set_roots(var, roots.clone()));
    }

    // --- Roots --------------------------------------------------------------------------------

    fn is_array(&self, var: Var) -> bool {
        matches!(self.function.ty(var), Type::Array(_))
    }

    /// Gives an array storage of its own.
    fn fresh(&mut self, var: Var, owner: u32) {
        if !self.is_array(var) {
            return;
        }
        self.owner[var] = owner;
        self.visible[var] = true;
        self.bound.push(var);
        self.set_roots(var, SmallVec::from_slice(&[var]));
    }

    fn set_roots(&mut self, var: Var, roots: Roots) {
        if self.is_array(var) {
            roots.iter().for_each(|root| self.sharing[*root].push(var));
            self.roots[var] = roots;
        }
    }

    fn roots_of(&self, operands: &[Operand]) -> Roots {
        let vars = operands.iter().filter_map(|operand| operand.as_var());
        let mut roots: Roots = vars.flat_map(|var| self.roots[var].iter().copied()).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// Returns the arrays in scope that share storage with these roots.
    fn sharing_with(&self, roots: &Roots) -> Vec<Var> {
        let all = roots.iter().flat_map(|root| self.sharing[*root].iter().copied());
        let mut all: Vec<Var> =
            all.filter(|var| self.visible[*var] && meet(&self.roots[*var], roots)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Whether storage with these roots may be overwritten here.
    fn is_ours(&self, roots: &Roots) -> bool {
        roots.iter().all(|root| self.owner[*root] == self.depth && !self.consumed[*root])
    }
}

impl Rest {
    /// Whether an array is used after the current statement.
    fn is_used_later(&mut self, var: Var, later: &[Stm], result: &[Operand]) -> bool {
        self.last_uses(later, result).get(&var).is_some_and(|left| *left <= later.len())
    }

    fn rename(&self, stm: &mut Stm) {
        if !self.renamed.is_empty() {
            Rename(&self.renamed).stm(stm);
        }
    }

    /// Replaces `array` by `copy` from the current statement on.
    fn replace(&mut self, array: Var, copy: Var) {
        self.renamed.values_mut().filter(|var| **var == array).for_each(|var| *var = copy);
        self.renamed.insert(array, copy);
        if let Some(uses) = &mut self.last_uses
            && let Some(left) = uses.remove(&array)
        {
            uses.insert(copy, left);
        }
    }

    /// Returns, for each variable, the smallest number of statements left at a use, counting the statement with the use.
    fn last_uses(&mut self, later: &[Stm], result: &[Operand]) -> &FxHashMap<Var, usize> {
        let renamed = &self.renamed;
        self.last_uses.get_or_insert_with(|| {
            let mut uses = LastUses { renamed, left: later.len(), uses: FxHashMap::default() };
            for stm in later {
                uses.stm(stm);
                uses.left -= 1;
            }
            result.iter().for_each(|operand| uses.operand(operand));
            uses.uses
        })
    }
}

/// Records the last uses of variables.
struct LastUses<'r> {
    renamed: &'r FxHashMap<Var, Var>,
    left: usize,
    uses: FxHashMap<Var, usize>,
}

impl<'a> Visitor<'a> for LastUses<'_> {
    fn var(&mut self, var: &'a Var) {
        self.uses.insert(*self.renamed.get(var).unwrap_or(var), self.left);
    }
}

/// Counts the uses of variables.
struct Count(FxHashMap<Var, usize>);

impl<'a> Visitor<'a> for Count {
    fn var(&mut self, var: &'a Var) {
        *self.0.entry(*var).or_insert(0) += 1;
    }
}

/// Renames variables.
struct Rename<'r>(&'r FxHashMap<Var, Var>);

impl VisitorMut for Rename<'_> {
    fn var(&mut self, var: &mut Var) {
        *var = *self.0.get(var).unwrap_or(var);
    }
}

fn meet(x: &Roots, y: &Roots) -> bool {
    x.iter().any(|root| y.contains(root))
}
