//! Makes an array right where it is copied to later (papers/002 section 6, short-circuiting).
//!
//! ```text
//! b_mem: mem = alloc 40;                                          r_mem: mem = alloc 80;
//! b: [10]f32 @ b_mem -> 0 + {(10 : 1)} = segmap ...;              b: [10]f32 @ r_mem -> 10 + {(10 : 1)} = segmap ...;
//! r_mem: mem = alloc 80;                                     ==>  r: [20]f32 @ r_mem -> 0 + {(20 : 1)} = concat 20 (a, b);
//! r: [20]f32 @ r_mem -> 0 + {(20 : 1)} = concat 20 (a, b);
//! ```
//!
//! What copies is left as it is: lowering copies nothing that is there already. So a value never changes, and erasing memory
//! gives the same program as before.
//!
//! The source's block moves into the destination if
//! - the block is allocated in the body that copies, has no other name, and nothing in it is used after the copy;
//! - all that lies in it is a part of the source, and its index functions can follow ([`mod@follow`]): by another
//!   offset where the destination has the source's strides, or because they all are the source's own;
//! - the destination's block and the numbers in its index function are there before the block is first used, or
//!   can be moved there; so are the checks that the copy relies on: nothing is written where one that fails forbids it;
//! - between that and the copy nothing touches the destination, but for arrays that `disjoint` proves to lie elsewhere, and
//!   for inputs that the operation which makes the source reads at its own point only (so that dead inputs
//!   are overwritten: what a loop in a kernel carries needs no second place);
//! - neither of both is interleaved in lanes where the other is not, which would cost more than the copy.
//!
//! Not done: sources that come out of choices and loops in blocks of their own, views that would need other strides.

mod destinations;
mod follow;

use rustc_hash::FxHashMap;
use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Function, Operand, Placement, Program, Stm, Var, exprs};

use crate::blocks::{Blocks, arrays_of, reads_own_point_only};
use crate::pass::rewrite_bodies;
use crate::place::Emitter;
use destinations::{destination, sources};
use follow::{Follow, Way, follow};

/// Rewrites every function.
pub fn short_circuit(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| {
        let blocks = Blocks::of(function, body);
        Circuits { function, blocks }.body(body);
    });
    Ok(())
}

struct Circuits<'f> {
    function: &'f mut Function,
    blocks: Blocks,
}

/// How a source is brought to where it is copied.
struct Plan {
    source: Var,
    /// Where the source's block is allocated.
    alloc: usize,
    /// The first statement that uses the block.
    first: usize,
    /// The statement that copies.
    copy: usize,
    /// Statements that move before the first use.
    needed: Vec<usize>,
    /// Statements that compute where the destination lies.
    computed: Vec<Stm>,
    destination: Placement,
    way: Way,
}

impl Circuits<'_> {
    fn body(&mut self, body: &mut Body) {
        while let Some(plan) = self.plan(body) {
            self.apply(body, plan);
        }
        for stm in &mut body.stms {
            stm.expr.for_each_body_mut(|inner| self.body(inner));
        }
    }

    /// The last copy of a body that need not be.
    fn plan(&mut self, body: &Body) -> Option<Plan> {
        let allocs: FxHashMap<Var, usize> = body
            .stms
            .iter()
            .enumerate()
            .filter(|(_, stm)| matches!(stm.expr, Expr::Alloc { .. }))
            .map(|(position, stm)| (stm.pattern[0], position))
            .collect();
        if allocs.is_empty() {
            return None;
        }
        (0..body.stms.len()).rev().find_map(|copy| {
            sources(&body.stms[copy], self.function)
                .into_iter()
                .find_map(|(number, source)| self.plan_source(body, &allocs, copy, number, source))
        })
    }

    fn plan_source(
        &mut self,
        body: &Body,
        allocs: &FxHashMap<Var, usize>,
        copy: usize,
        number: usize,
        source: Var,
    ) -> Option<Plan> {
        let block = self.function.vars[source].placement.as_ref()?.block;
        let alloc = *allocs.get(&block)?;
        if !self.blocks.has_one_name(block) || self.blocks.is_result(block) {
            return None;
        }
        let mut emit = Emitter::new(self.function);
        emit.open();
        let destination = destination(&mut emit, &body.stms[copy], number);
        let computed = emit.close();
        let target = destination.block;
        if target == block || !self.blocks.has_one_name(target) || !self.blocks.same_lanes(block, target) {
            return None;
        }
        let first = self.only_use(body, block, alloc, copy)?;
        let needed = needed(body, (first, copy), &computed, &destination)?;
        let follow = Follow { function: self.function, blocks: &self.blocks };
        let way = follow.way(body, source, &destination.index_fn)?;
        let plan = Plan { source, alloc, first, copy, needed, computed, destination, way };
        self.is_untouched(body, &plan).then_some(plan)
    }

    /// The first statement that uses a block, if none does so after the copy.
    fn only_use(&self, body: &Body, block: Var, alloc: usize, copy: usize) -> Option<usize> {
        let lies_there =
            |var: &Var| self.function.vars[*var].placement.as_ref().is_some_and(|p| p.block == block);
        if body.result.iter().filter_map(|result| result.as_var()).any(|var| lies_there(&var)) {
            return None;
        }
        let uses = |position: &usize| arrays_of(self.function, &body.stms[*position]).iter().any(lies_there);
        let first = (alloc + 1..=copy).find(uses)?;
        (first < copy && !(copy + 1..body.stms.len()).any(|position| uses(&position))).then_some(first)
    }

    /// Whether nothing touches the destination while the source is made.
    fn is_untouched(&self, body: &Body, plan: &Plan) -> bool {
        let vars = &self.function.vars;
        (plan.first..plan.copy).all(|position| {
            let stm = &body.stms[position];
            let touched = arrays_of(self.function, stm).into_iter().filter(|&var| {
                let placement = vars[var].placement.as_ref().expect("listed arrays are placed");
                placement.block == plan.destination.block
                    && !self.blocks.are_disjoint(placement, &plan.destination)
            });
            let touched: Vec<Var> = touched.collect();
            touched.is_empty() || self.is_overwritten_by_point(stm, plan, &touched)
        })
    }

    /// Whether a statement makes the source from arrays at the destination, point by point.
    fn is_overwritten_by_point(&self, stm: &Stm, plan: &Plan, touched: &[Var]) -> bool {
        let Expr::Seg(op) = &stm.expr else { return false };
        let vars = &self.function.vars;
        let same = |var: &Var| {
            let placement = vars[*var].placement.as_ref().expect("listed arrays are placed");
            self.blocks.same_places(&placement.index_fn, &plan.destination.index_fn)
                && self.function.ty(*var).elem() == self.function.ty(plan.source).elem()
        };
        let source = vars[plan.source].placement.as_ref().expect("sources are placed");
        let makes_it = |var: &Var| {
            let placement = vars[*var].placement.as_ref();
            placement.is_some_and(|p| {
                p.block == source.block && self.blocks.same_places(&p.index_fn, &source.index_fn)
            })
        };
        stm.pattern.iter().any(makes_it)
            && touched.iter().all(same)
            && reads_own_point_only(op, |var| touched.contains(&var))
    }

    fn apply(&mut self, body: &mut Body, plan: Plan) {
        let Plan { source, alloc, first, copy, needed, computed, destination, way } = plan;
        let block = self.function.vars[source].placement.as_ref().expect("sources are placed").block;
        let mut moved = Vec::with_capacity(needed.len() + computed.len());
        let mut kept = Vec::with_capacity(body.stms.len());
        let mut making = Vec::new();
        for (position, stm) in std::mem::take(&mut body.stms).into_iter().enumerate() {
            match position {
                _ if position == alloc => {}
                _ if needed.contains(&position) => moved.push(stm),
                _ if (first..=copy).contains(&position) => making.push(stm),
                _ => kept.push((position, stm)),
            }
        }
        self.blocks.define(&computed);
        moved.extend(computed);
        let made = follow(self.function, self.blocks.arrays(block), &mut making, way, &destination);
        self.blocks.define(&made);
        let after = kept.iter().position(|&(position, _)| position > copy).unwrap_or(kept.len());
        let rest = kept.split_off(after);
        body.stms = kept.into_iter().map(|(_, stm)| stm).chain(moved).chain(making).collect();
        body.stms.extend(rest.into_iter().map(|(_, stm)| stm));
        self.blocks.move_arrays(block, destination.block);
    }
}

/// The statements between the first use of a block and the copy that the destination's place, and the right to write
/// there, depend on; none if one of them cannot move.
fn needed(
    body: &Body,
    (first, copy): (usize, usize),
    computed: &[Stm],
    destination: &Placement,
) -> Option<Vec<usize>> {
    let mut wanted: Vec<Var> = vec![destination.block];
    wanted.extend(&body.stms[copy].certs);
    let numbers = destination.index_fn.dims.iter().map(|dim| dim.stride);
    wanted.extend(numbers.chain([destination.index_fn.offset]).filter_map(Operand::as_var));
    let operands = |stm: &Stm, wanted: &mut Vec<Var>| {
        stm.expr.for_each_operand(|operand| wanted.extend(operand.as_var()));
    };
    computed.iter().for_each(|stm| operands(stm, &mut wanted));
    let mut needed = Vec::new();
    while let Some(var) = wanted.pop() {
        let found = (first..copy).find(|&position| body.stms[position].pattern.contains(&var));
        let Some(position) = found.filter(|position| !needed.contains(position)) else { continue };
        let stm = &body.stms[position];
        if !stm.certs.is_empty() || !can_move(&stm.expr) {
            return None;
        }
        operands(stm, &mut wanted);
        needed.push(position);
    }
    needed.sort_unstable();
    Some(needed)
}

/// Whether an expression can be evaluated earlier, its operands permitting.
fn can_move(expr: &Expr) -> bool {
    match expr {
        Expr::Binary(op, ..) => !op.can_fail(),
        Expr::Unary(..)
        | Expr::Compare(..)
        | Expr::Select(..)
        | Expr::Convert(..)
        | Expr::Alloc { .. }
        | Expr::Assert { .. } => true,
        Expr::Operand(operand) => operand.as_var().is_none(),
        exprs!(Ternary, array, nested, Call, UpdateAcc, Tuned) => false,
    }
}
