//! A check at level `mem` that arrays lie inside their blocks. An error is an array with elements that lies outside for all
//! values of its numbers, at a statement that is certainly reached.
//!
//! ```text
//! b: mem = alloc (mul 8 n);                                  b has 8*n bytes
//! x: [n]i64 @ b -> 1 + {(n : 1)} = iota n 0 1;               refused: the last element lies at n
//! y: [n]i64 @ b -> k + {(n : 1)} = iota n 0 1;               fine, since nothing is known of k: the heap interpreter looks
//! ```
//!
//! An array is known to have elements in some run only if its extents consist of parameters and indices: the size of a filter's
//! result may always be 0. A statement is not certainly reached if something before it, around it or in it may fail, unless that
//! is an assertion that [`Context`] understands: a slice outside its array is placed outside its block, behind the check that
//! refuses it. Branches have the same effect. Not checked: blocks of unknown size, which choices, loops and calls yield, and
//! arrays of parameters.

use super::Report;
use crate::expr::{Body, Expr, Lambda, LoopForm, Stm};
use crate::facts::{Context, Facts};
use crate::program::{Function, Var};
use crate::regions::{Region, ends, positive};
use crate::sums::Sum;
use crate::traverse::Visitor;
use crate::types::Operand;

/// Maximum number of assertions before a statement, beyond which it is not certainly reached. All of them are examined for every
/// array, and few programs with more would show new errors.
const MOST_CONDITIONS: usize = 16;

/// Maximum rank of a checked array: the facts of each dimension are compared with those of all others.
const MOST_DIMENSIONS: usize = 16;

/// Reports the arrays of a function that lie outside their blocks.
pub(super) fn check<'a>(function: &'a Function, facts: &Facts, report: &mut Report<'a>) {
    let reached = Reached { is_certain: true, conditions: Vec::new(), indices: Vec::new() };
    Walk { function, facts, report, reached }.body(&function.body);
}

/// The conditions under which a statement is reached.
#[derive(Clone)]
struct Reached {
    /// Whether only the conditions can prevent a run from reaching the statement.
    is_certain: bool,
    /// Asserted conditions.
    conditions: Vec<Operand>,
    /// Indices of the enclosing loops and spaces.
    indices: Vec<Var>,
}

impl Reached {
    /// Adds a condition for reaching the following statements.
    fn assert(&mut self, cond: Operand) {
        self.conditions.push(cond);
        if self.conditions.len() > MOST_CONDITIONS {
            *self = Reached { is_certain: false, conditions: Vec::new(), indices: Vec::new() };
        }
    }
}

struct Walk<'a, 'r> {
    function: &'a Function,
    facts: &'r Facts,
    report: &'r mut Report<'a>,
    reached: Reached,
}

impl<'a> Visitor<'a> for Walk<'a, '_> {
    fn bind(&mut self, var: &'a Var) {
        if self.facts.range(*var).is_some() {
            self.reached.indices.push(*var);
        }
    }

    fn body(&mut self, body: &'a Body) {
        let outer = self.reached.clone();
        self.walk_body(body);
        self.reached = outer;
    }

    /// Visits an operator, which is applied only if there are values to combine.
    fn lambda(&mut self, lambda: &'a Lambda) {
        let was_certain = std::mem::take(&mut self.reached.is_certain);
        self.walk_lambda(lambda);
        self.reached.is_certain = was_certain;
    }

    fn stm(&mut self, stm: &'a Stm) {
        let before = self.reached.clone();
        let may_skip = matches!(stm.expr, Expr::If { .. } | Expr::Loop { form: LoopForm::While { .. }, .. });
        self.reached.is_certain &= !may_skip;
        self.walk_stm(stm);
        self.reached = before;
        if let Expr::Assert { cond, .. } = &stm.expr {
            self.reached.assert(*cond);
        } else {
            self.reached.is_certain &= !stm.expr.can_fail();
        }
        if let Some(&array) = stm.pattern.iter().find(|&&array| self.is_outside(array).unwrap_or(false)) {
            let name = self.report.printer().name(array).to_string();
            self.report.add(Some(stm), format!("`{name}` lies outside its block"));
        }
    }
}

impl Walk<'_, '_> {
    /// Returns whether an array is known to lie outside its block. None if too little is known.
    fn is_outside(&self, array: Var) -> Option<bool> {
        let placement = self.function.vars[array].placement.as_ref().filter(|_| self.reached.is_certain)?;
        if placement.index_fn.dims.len() > MOST_DIMENSIONS {
            return None;
        }
        let bytes = self.facts.bytes(placement.block)?;
        let region = self.facts.region(&placement.index_fn)?;
        let unit = Sum::constant(self.function.ty(array).elem()?.bytes() as i64);
        let ranges = self.context(&region, bytes)?.bounds().solve();
        let has_elements = |(extent, _): &(Sum, Sum)| positive(&ranges, extent) == Some(true);
        if !region.dims.iter().all(has_elements) {
            return None;
        }
        let (first, last) = ends(&ranges, &region)?;
        let past = last.plus(&Sum::constant(1))?.times(&unit)?.minus(bytes)?;
        let before = Sum::default().minus(&first)?;
        // If everything can be proved, the statement is unreachable.
        let is_reached = !ranges.prove_not_negative(&Sum::constant(-1));
        Some(is_reached && (positive(&ranges, &before)? || positive(&ranges, &past)?))
    }

    /// Returns whether different runs have different values of a variable, because nothing computes it.
    fn is_free(&self, var: Var) -> bool {
        self.facts.range(var).is_some() || self.function.params.iter().any(|param| param.var == var)
    }

    /// Returns the facts that hold where an array with elements lies in a block of `bytes` bytes. None unless its statement is
    /// certainly reached.
    fn context(&self, region: &Region, bytes: &Sum) -> Option<Context<'_>> {
        let as_is = |var: Var| var;
        let extents: Vec<Sum> = region.dims.iter().map(|(extent, _)| extent.clone()).collect();
        let mut context = Context::new(self.facts, extents.clone(), extents.clone());
        for extent in extents.iter().filter(|extent| extent.variables().all(|var| self.is_free(var))) {
            context.know(extent.minus(&Sum::constant(1))?);
        }
        let indices: Vec<Sum> = self.reached.indices.iter().map(|&index| Sum::var(index)).collect();
        let sums = region.sums().chain(&indices).chain([bytes]);
        sums.for_each(|sum| context.learn_ranges(sum, &as_is, &as_is));
        let mut conditions = self.reached.conditions.iter();
        conditions.all(|&condition| context.learn_condition(condition, &as_is)).then_some(context)
    }
}
