//! Consumption (papers/001, section 3): a consumed array is never used again, under any name.
//!
//! Every array has a set of *roots*, the bindings whose storage it may share: a fresh array has itself, a view has the roots of
//! the viewed array, a choice has those of both sides. Two arrays may share elements only if they have a root in common. Hence
//! consuming an array consumes its roots, and using an array requires that none of its roots is consumed.
//!
//! A loop body, lambda or space is a *boundary*: the code inside may run several times, or in parallel. It may consume only
//! arrays made inside, or arrays that the boundary passes in for this purpose: consumed loop parameters, and the elements that a
//! map gets, in which case the map consumes the input. In segmented operations, which index elements, `index a[i, j]` with
//! exactly the indices of the space is such an element. An accumulator may be consumed inside spaces, since its updates commute.
//!
//! Not recognised: that two slices of an array are disjoint, and that an array created in one iteration of a loop differs from
//! that of the next.

mod soac;

use rustc_hash::FxHashSet;
use smallvec::SmallVec;

use super::Report;
use crate::entity::SecondaryMap;
use crate::expr::{Body, Expr, LoopForm, LoopParam, Stm};
use crate::print::Printer;
use crate::program::{Function, FunctionId, Program, Var};
use crate::types::{Operand, Type};

/// Checks a function whose scope and types are correct.
pub(super) fn check<'a>(program: &'a Program, function: &'a Function, report: &mut Report<'a>) {
    let mut checker = Consumption {
        program,
        function,
        roots: SecondaryMap::default(),
        owner: SecondaryMap::new(NEVER),
        consumed: SecondaryMap::new(false),
        log: Vec::new(),
        boundaries: vec![Boundary::default()],
        wrong: Vec::new(),
    };
    for param in &function.params {
        checker.fresh(param.var, if param.consumed { 0 } else { NEVER });
    }
    checker.stms(&function.body);
    if checker.wrong.is_empty()
        && let Err(reason) = checker.function_results()
    {
        report.add(None, reason);
    }
    for (stm, reason) in checker.wrong {
        report.add(Some(stm), reason);
    }
}

/// The roots of an array, sorted.
type Roots = SmallVec<[Var; 2]>;

/// The owner of roots that may not be consumed anywhere.
const NEVER: usize = usize::MAX;

/// A loop body, lambda or space.
#[derive(Default)]
struct Boundary {
    /// Whether it is a space, inside which outer accumulators may be consumed.
    space: bool,
    /// The indices of the space.
    indices: Vec<Var>,
    /// Views of exactly one point each: the view's root, and the array.
    elements: Vec<(Var, Var)>,
    /// Outer roots that were used inside.
    observed: FxHashSet<Var>,
}

struct Consumption<'a> {
    program: &'a Program,
    function: &'a Function,
    roots: SecondaryMap<Var, Roots>,
    /// Number of boundaries around the place where a root was made.
    owner: SecondaryMap<Var, usize>,
    consumed: SecondaryMap<Var, bool>,
    /// Roots in the order of their consumption.
    log: Vec<Var>,
    boundaries: Vec<Boundary>,
    wrong: Vec<(&'a Stm, String)>,
}

type Checked = Result<(), String>;

impl<'a> Consumption<'a> {
    fn stms(&mut self, body: &'a Body) {
        for stm in &body.stms {
            if let Err(reason) = self.stm(stm) {
                self.wrong.push((stm, reason));
            }
        }
    }

    fn stm(&mut self, stm: &'a Stm) -> Checked {
        match &stm.expr {
            Expr::Operand(x) => {
                self.observe(*x)?;
                self.alias(stm, &[*x]);
            }
            Expr::Index { array, indices } => {
                if self.is_element(*array, indices) {
                    self.element(stm, *array)?;
                } else {
                    self.observe(Operand::Var(*array))?;
                    self.alias(stm, &[Operand::Var(*array)]);
                }
            }
            Expr::Slice { array, .. } | Expr::Rearrange { array, .. } | Expr::Reshape { array, .. } => {
                self.observe(Operand::Var(*array))?;
                self.alias(stm, &[Operand::Var(*array)]);
            }
            Expr::Update { array, dims: _, value } => {
                self.fresh_pattern(stm);
                self.consume(*array)?;
                self.observe(*value)?;
            }
            Expr::UpdateAcc { acc, indices: _, values } => {
                self.fresh_pattern(stm);
                self.consume(*acc)?;
                self.observe_all(values)?;
            }
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::Tuned { .. }
            | Expr::Alloc { .. }
            | Expr::Iota { .. }
            | Expr::Scratch { .. } => self.fresh_pattern(stm),
            Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. } => {
                self.fresh_pattern(stm);
                self.observe_operands(&stm.expr)?;
            }
            Expr::If { then_body, else_body, .. } => self.branch(stm, then_body, else_body)?,
            Expr::Loop { params, form, body } => self.loop_expr(stm, params, form, body)?,
            Expr::Call { function, args } => self.call(stm, *function, args)?,
            Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::WithAcc(_)
            | Expr::FlatMap(_)
            | Expr::Seg(_) => {
                self.fresh_pattern(stm);
                self.soac(&stm.expr)?;
            }
        }
        Ok(())
    }

    /// Makes the variable its own root.
    fn fresh(&mut self, var: Var, owner: usize) {
        if matches!(self.function.ty(var), Type::Array(_) | Type::Acc(_)) {
            self.roots[var] = SmallVec::from_slice(&[var]);
            self.owner[var] = owner;
        }
    }

    fn fresh_pattern(&mut self, stm: &Stm) {
        for var in &stm.pattern {
            self.fresh(*var, self.depth());
        }
    }

    /// Makes the only bound variable share storage with these operands.
    fn alias(&mut self, stm: &Stm, sources: &[Operand]) {
        if let [var] = stm.pattern[..] {
            self.set_roots(var, self.roots_of(sources));
        }
    }

    fn set_roots(&mut self, var: Var, roots: Roots) {
        if matches!(self.function.ty(var), Type::Array(_) | Type::Acc(_)) {
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

    fn depth(&self) -> usize {
        self.boundaries.len() - 1
    }

    /// Checks the use of an operand: none of its roots may be consumed.
    fn observe(&mut self, operand: Operand) -> Checked {
        let Operand::Var(var) = operand else { return Ok(()) };
        let depth = self.depth();
        for root in &self.roots[var] {
            if self.consumed[*root] {
                return Err(format!("`{}` is used after it was consumed", self.name(var)));
            }
            if self.owner[*root] != depth {
                self.boundaries[depth].observed.insert(*root);
            }
        }
        Ok(())
    }

    fn observe_all(&mut self, operands: &[Operand]) -> Checked {
        operands.iter().try_for_each(|operand| self.observe(*operand))
    }

    /// Checks the use of all operands directly inside an expression.
    fn observe_operands(&mut self, expr: &Expr) -> Checked {
        let mut operands = Vec::new();
        expr.for_each_operand(|operand| operands.push(operand));
        self.observe_all(&operands)
    }

    /// Consumes a variable: its roots may be consumed here, and none has been consumed.
    fn consume(&mut self, var: Var) -> Checked {
        let roots = self.roots[var].clone();
        for root in roots {
            if self.consumed[root] {
                return Err(format!("`{}` is consumed, but it already was", self.name(var)));
            }
            if !self.may_consume(root) {
                let owner =
                    if self.owner[root] == NEVER { "may not be consumed" } else { "was made outside" };
                return Err(format!("`{}` is consumed, but `{}` {owner}", self.name(var), self.name(root)));
            }
            self.consumed[root] = true;
            self.log.push(root);
        }
        Ok(())
    }

    fn may_consume(&self, root: Var) -> bool {
        let owner = self.owner[root];
        if owner == self.depth() {
            return true;
        }
        // All boundaries inside the accumulator's owner must be spaces.
        let is_acc = matches!(self.function.ty(root), Type::Acc(_));
        is_acc && owner < self.depth() && self.boundaries[owner + 1..].iter().all(|boundary| boundary.space)
    }

    fn branch(&mut self, stm: &'a Stm, then_body: &'a Body, else_body: &'a Body) -> Checked {
        let mark = self.log.len();
        self.stms(then_body);
        self.observe_all(&then_body.result)?;
        let consumed = self.log.split_off(mark);
        for root in &consumed {
            self.consumed[*root] = false;
        }
        self.stms(else_body);
        self.observe_all(&else_body.result)?;
        for root in consumed {
            if !self.consumed[root] {
                self.consumed[root] = true;
                self.log.push(root);
            }
        }
        for ((var, x), y) in stm.pattern.iter().zip(&then_body.result).zip(&else_body.result) {
            // A root that one side consumed survives only if the other side yields it, and then only under this name.
            let all = self.roots_of(&[*x, *y]);
            let alive = |root: &Var| !self.consumed[*root];
            let mut roots: Roots = all.iter().copied().filter(alive).collect();
            if roots.len() < all.len() {
                self.fresh(*var, self.depth());
                roots.push(*var);
            }
            roots.sort_unstable();
            self.set_roots(*var, roots);
        }
        Ok(())
    }

    fn loop_expr(
        &mut self,
        stm: &'a Stm,
        params: &'a [LoopParam],
        form: &'a LoopForm,
        body: &'a Body,
    ) -> Checked {
        let depth = self.depth();
        for param in params {
            if !self.hands_over(param) {
                continue;
            }
            if let Operand::Var(init) = param.init {
                self.consume(init)?;
            }
        }
        for param in params {
            if !self.hands_over(param) {
                self.observe(param.init)?;
            }
        }
        self.boundaries.push(Boundary::default());
        for param in params {
            if self.hands_over(param) {
                self.fresh(param.var, depth + 1);
            } else {
                // The parameter itself stands for the arrays that earlier iterations pass on.
                self.fresh(param.var, NEVER);
                let own = self.roots_of(&[Operand::Var(param.var), param.init]);
                self.set_roots(param.var, own);
            }
        }
        if let LoopForm::For { index, .. } = form {
            self.fresh(*index, NEVER);
        }
        self.stms(body);
        let checked = self.observe_all(&body.result).and_then(|()| self.loop_results(params, body));
        self.leave();
        self.loop_pattern(stm, params, body, depth);
        checked
    }

    /// Returns whether a loop may overwrite the value of this parameter. Accumulators are always handed over.
    fn hands_over(&self, param: &LoopParam) -> bool {
        param.consumed || matches!(self.function.ty(param.var), Type::Acc(_))
    }

    /// Checks that an array passed on to a consumed parameter aliases nothing else.
    fn loop_results(&self, params: &[LoopParam], body: &Body) -> Checked {
        let depth = self.depth();
        let mut given: FxHashSet<Var> = FxHashSet::default();
        for (param, value) in params.iter().zip(&body.result).filter(|(param, _)| self.hands_over(param)) {
            for root in self.roots_of(&[*value]) {
                if self.owner[root] != depth {
                    let (param, root) = (self.name(param.var), self.name(root));
                    return Err(format!("the next `{param}` is to be consumed, but it aliases `{root}`"));
                }
                if !given.insert(root) {
                    return Err("two parameters to be consumed get the same array".to_string());
                }
            }
        }
        for (_, value) in params.iter().zip(&body.result).filter(|(param, _)| !self.hands_over(param)) {
            if self.roots_of(&[*value]).iter().any(|root| given.contains(root)) {
                return Err("a parameter aliases one that is to be consumed".to_string());
            }
        }
        Ok(())
    }

    /// Sets the roots of a loop's results.
    fn loop_pattern(&mut self, stm: &Stm, params: &[LoopParam], body: &Body, depth: usize) {
        for ((var, param), value) in stm.pattern.iter().zip(params).zip(&body.result) {
            self.fresh(*var, depth);
            if !self.hands_over(param) {
                let outside = |root: &Var| self.owner[*root] <= depth;
                let mut roots: Roots = self.roots_of(&[*value]).into_iter().filter(outside).collect();
                roots.extend(self.roots_of(&[Operand::Var(*var), param.init]));
                // Roots without an owner are parameters of functions, or of this loop, which has ended.
                roots.extend(
                    self.roots_of(&[*value]).into_iter().filter(|root| self.is_function_param(*root)),
                );
                roots.sort_unstable();
                roots.dedup();
                self.set_roots(*var, roots);
            }
        }
    }

    fn is_function_param(&self, root: Var) -> bool {
        self.owner[root] == NEVER && self.function.params.iter().any(|param| param.var == root)
    }

    fn call(&mut self, stm: &'a Stm, function: FunctionId, args: &'a [Operand]) -> Checked {
        let callee = &self.program.functions[function];
        self.fresh_pattern(stm);
        for (param, arg) in callee.params.iter().zip(args) {
            if let (true, Operand::Var(arg)) = (param.consumed, arg) {
                self.consume(*arg)?;
            }
        }
        let kept: Vec<Operand> = callee
            .params
            .iter()
            .zip(args)
            .filter(|(param, _)| !param.consumed)
            .map(|(_, arg)| *arg)
            .collect();
        self.observe_all(&kept)?;
        let mut roots = self.roots_of(&kept);
        // Results that are not unique may also share storage with one another.
        let shared = stm.pattern.iter().zip(&callee.results).find(|(_, result)| !result.unique);
        roots.extend(shared.map(|(var, _)| *var));
        roots.sort_unstable();
        roots.dedup();
        for (var, _) in stm.pattern.iter().zip(&callee.results).filter(|(_, result)| !result.unique) {
            self.owner[*var] = self.depth();
            self.set_roots(*var, roots.clone());
        }
        Ok(())
    }

    /// Leaves a boundary; its uses of outer roots become uses of the enclosing boundary.
    fn leave(&mut self) -> Boundary {
        let boundary = self.boundaries.pop().unwrap_or_default();
        if let Some(outer) = self.boundaries.last_mut() {
            outer.observed.extend(boundary.observed.iter().copied());
        }
        boundary
    }

    /// Checks that unique results alias no parameter that is not consumed, and no other result.
    fn function_results(&mut self) -> Checked {
        let function = self.function;
        let values = &function.body.result;
        self.observe_all(values)?;
        let mut given: FxHashSet<Var> = FxHashSet::default();
        for (result, value) in function.results.iter().zip(values).filter(|(result, _)| result.unique) {
            for root in self.roots_of(&[*value]) {
                if self.owner[root] == NEVER {
                    let (result, root) = (self.name(result.var), self.name(root));
                    return Err(format!("the result `{result}` is unique, but it aliases `{root}`"));
                }
                if !given.insert(root) {
                    return Err("two unique results alias each other".to_string());
                }
            }
        }
        for (_, value) in function.results.iter().zip(values).filter(|(result, _)| !result.unique) {
            if self.roots_of(&[*value]).iter().any(|root| given.contains(root)) {
                return Err("a unique result aliases another result".to_string());
            }
        }
        Ok(())
    }

    fn name(&self, var: Var) -> String {
        Printer::new(self.function).name(var).to_string()
    }
}
