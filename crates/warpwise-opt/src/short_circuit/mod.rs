//! Makes an array directly in the place that it is copied to later (papers/002 section 6, short-circuiting).
//!
//! ```text
//! b_mem: mem = alloc 40;                                          r_mem: mem = alloc 80;
//! b: [10]f32 @ b_mem -> 0 + {(10 : 1)} = segmap ...;              b: [10]f32 @ r_mem -> 10 + {(10 : 1)} = segmap ...;
//! r_mem: mem = alloc 80;                                     ==>  r: [20]f32 @ r_mem -> 0 + {(20 : 1)} = concat 20 (a, b);
//! r: [20]f32 @ r_mem -> 0 + {(20 : 1)} = concat 20 (a, b);
//! ```
//!
//! The copying statements stay: lowering copies nothing that is already in place. So no value changes, and erasing memory yields
//! the same program as before.
//!
//! The source's block moves into the destination if
//! - the block is allocated in the body that copies, has no other name, and no array in it is used after the copy;
//! - all arrays in it are parts of the source, and their index functions can follow ([`mod@follow`]): by another offset if the
//!   destination has the source's strides, because all are equal to the source's, or because they are rows and views of it. A
//!   source that is a transposed view of another array is replaced by that array, with a destination transposed back, unless
//!   loops return to elements of its rows, which would then be far apart ([`turned`]);
//! - the destination's block and the numbers in its index function exist before the block is first used, or can be moved there.
//!   The same holds for a fresh array that the source is put into, such as a copy, and for the checks that the copy relies on:
//!   nothing is written that a failing check forbids, and the code that makes the source has no checks of its own, which would
//!   fail first;
//! - no array then overwrites another that is still needed before the copy ([`warpwise_ir::overwrites`], which the verifier
//!   checks again). The code that makes the source must read other regions of the destination's block, or at each point only the
//!   elements that the point overwrites. So dead inputs can be overwritten, and arrays that a loop in a kernel carries need no
//!   second place;
//! - either both blocks are interleaved in lanes or neither is, since otherwise access would cost more than the copy.
//!
//! If the source comes out of a choice in a block of its own and one of the branches makes it, it is copied at the end of both
//! branches instead. That copy is then treated like any other ([`branches`]).
//!
//! Not done: sources that come out of loops in blocks of their own.

mod branches;
mod destinations;
mod follow;
mod remaining;
mod turned;

use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Function, Operand, Placement, Program, Stm, Var, exprs};

use crate::blocks::{Blocks, arrays_of};
use crate::pass::rewrite_bodies;
use crate::place::Emitter;
use branches::{copy_in_branches, is_made_in_a_branch};
use destinations::{destination, sources};
use follow::{Follow, Way, follow};
pub use remaining::{Remaining, Why, remaining};
use turned::{is_swept_across, turned_back};

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

/// The plan for moving a source to the place that it is copied to.
struct Plan {
    source: Var,
    /// The statement that allocates the source's block; `None` if a choice yields the block.
    alloc: Option<usize>,
    /// The first statement that uses the block.
    first: usize,
    /// The copying statement.
    copy: usize,
    /// Statements that move before the first use.
    needed: Vec<usize>,
    /// Statements that compute the destination's placement.
    computed: Vec<Stm>,
    destination: Placement,
    way: Way,
}

impl Circuits<'_> {
    fn body(&mut self, body: &mut Body) {
        while self.sweep(body) {}
        for stm in &mut body.stms {
            stm.expr.for_each_body_mut(|inner| self.body(inner));
        }
    }

    /// Tries every copy of a body, from the last to the first. Returns whether any source moved.
    fn sweep(&mut self, body: &mut Body) -> bool {
        let copies = body.stms.iter().filter(|stm| !sources(stm, self.function).is_empty());
        let made: Vec<Var> = copies.map(|stm| stm.pattern[0]).collect();
        let mut moved = false;
        for array in made.into_iter().rev() {
            let position = |body: &Body| body.stms.iter().position(|stm| stm.pattern[0..] == [array]);
            let Some(copy) = position(body) else { continue };
            for (number, source) in sources(&body.stms[copy], self.function) {
                let Some(copy) = position(body) else { continue };
                let plan = self.plan(body, copy, number, source);
                moved |= plan.and_then(|plan| self.apply(body, plan)).is_ok();
            }
        }
        moved
    }

    fn plan(&mut self, body: &Body, copy: usize, number: usize, source: Var) -> Result<Plan, Why> {
        let block = self.function.vars[source].placement.as_ref().ok_or(Why::Elsewhere)?.block;
        let origin = body.stms[..copy].iter().position(|stm| stm.pattern.contains(&block));
        let origin = origin.ok_or(Why::Elsewhere)?;
        let alloc = match &body.stms[origin].expr {
            Expr::Alloc { .. } => Some(origin),
            Expr::If { .. } if is_made_in_a_branch(self.function, &body.stms[origin], block) => None,
            exprs!(simple, nested) => return Err(Why::Elsewhere),
        };
        if !self.blocks.is_kept(block) || self.blocks.is_result(block) {
            return Err(Why::Shared);
        }
        let mut emit = Emitter::new(self.function);
        emit.open();
        let destination = destination(&mut emit, &body.stms[copy], number);
        let computed = emit.close();
        let target = destination.block;
        if target == block || !self.blocks.has_one_name(target) {
            return Err(Why::Unknown);
        }
        if !self.blocks.same_lanes(block, target) {
            return Err(Why::Interleaved);
        }
        let first = self.only_use(body, block, origin, copy)?;
        let needed = needed(self.function, body, (first, copy), &computed, &destination).ok_or(Why::Later)?;
        let follow = Follow { function: self.function, blocks: &self.blocks };
        if let Some(way) = follow.way(body, source, &destination.index_fn) {
            return Ok(Plan { source, alloc, first, copy, needed, computed, destination, way });
        }
        let turned = turned_back(&body.stms[..copy], source, destination);
        let (source, destination) = turned.ok_or(Why::Layout)?;
        if is_swept_across(&body.stms[first..copy], self.blocks.arrays(block), &destination) {
            return Err(Why::Across);
        }
        let way = follow.way(body, source, &destination.index_fn).ok_or(Why::Layout)?;
        Ok(Plan { source, alloc, first, copy, needed, computed, destination, way })
    }

    /// Returns the first statement that uses a block, if none uses it after the copy.
    fn only_use(&self, body: &Body, block: Var, origin: usize, copy: usize) -> Result<usize, Why> {
        let lies_there =
            |var: &Var| self.function.vars[*var].placement.as_ref().is_some_and(|p| p.block == block);
        if body.result.iter().filter_map(|result| result.as_var()).any(|var| lies_there(&var)) {
            return Err(Why::Shared);
        }
        let uses = |position: &usize| arrays_of(self.function, &body.stms[*position]).iter().any(lies_there);
        if let Some(later) = (copy + 1..body.stms.len()).find(uses) {
            return Err(Why::UsedAfter(body.stms[later].span));
        }
        (origin..copy).find(uses).ok_or(Why::Elsewhere)
    }

    /// Moves a source, unless that would overwrite an array that is still needed.
    fn apply(&mut self, body: &mut Body, plan: Plan) -> Result<(), Why> {
        let Plan { source, alloc, first, copy, needed, mut computed, destination, way } = plan;
        let block = self.function.vars[source].placement.as_ref().expect("sources are placed").block;
        let arrays = self.blocks.arrays(block).to_vec();
        let places: Vec<Option<Placement>> =
            arrays.iter().map(|&array| self.function.vars[array].placement.clone()).collect();
        let mut stms: Vec<Stm> = needed.iter().map(|&position| body.stms[position].clone()).collect();
        stms.append(&mut computed);
        let kept = (first..=copy).filter(|position| !needed.contains(position));
        let mut making: Vec<Stm> = kept.map(|position| body.stms[position].clone()).collect();
        follow(self.function, &self.blocks, (source, &arrays), &mut making, way, &destination);
        let (copies, kept) = match alloc {
            None => copy_in_branches(self.function, &mut making, block, &arrays),
            Some(_) => Default::default(),
        };
        let makes =
            |stm: &Stm| stm.expr.viewed().is_none() && stm.pattern.iter().any(|var| arrays.contains(var));
        // The statements that write to the destination rely on the certificates of the copy.
        let (certs, n_making) = (body.stms[copy].certs.clone(), making.len() - 1);
        for stm in making[..n_making].iter_mut().filter(|stm| makes(stm)) {
            let more = certs.iter().filter(|cert| !stm.certs.contains(cert));
            let more: Vec<Var> = more.copied().collect();
            stm.certs.extend(more);
        }
        stms.append(&mut making);
        self.blocks.define(self.function, &stms);
        if let Some(spoilt) = self.blocks.spoilt(self.function, destination.block, &stms) {
            let why = Why::Spoils(self.function.vars[spoilt.read].name().to_string(), spoilt.stm.span);
            for (array, place) in arrays.into_iter().zip(places) {
                self.function.vars[array].placement = place;
            }
            return Err(why);
        }
        drop(body.stms.splice(first..=copy, stms));
        alloc.into_iter().for_each(|alloc| drop(body.stms.remove(alloc)));
        self.blocks.move_arrays(block, destination.block);
        self.blocks.add_arrays(destination.block, copies);
        kept.into_iter().for_each(|block| self.blocks.keep(block));
        Ok(())
    }
}

/// Returns the statements between the first use of a block and the copy that must move: those that compute the destination's
/// placement, the checks that permit writing there, and the code before these checks that may fail. Returns `None` if one cannot
/// move.
fn needed(
    function: &Function,
    body: &Body,
    (first, copy): (usize, usize),
    computed: &[Stm],
    destination: &Placement,
) -> Option<Vec<usize>> {
    let mut wanted: Vec<Var> = of_placement(destination).collect();
    wanted.extend(&body.stms[copy].certs);
    // A fresh array must exist before the source is made in it.
    let is_fresh = |array: &Var| {
        let mut between = body.stms[first..copy].iter();
        between.any(|stm| stm.pattern == [*array] && is_fresh(&stm.expr))
    };
    wanted.extend(updated(&body.stms[copy]).filter(is_fresh));
    let operands = |stm: &Stm, wanted: &mut Vec<Var>| {
        stm.expr.for_each_operand(|operand| wanted.extend(operand.as_var()));
    };
    computed.iter().for_each(|stm| operands(stm, &mut wanted));
    let mut needed = Vec::new();
    loop {
        while let Some(var) = wanted.pop() {
            let found = (first..copy).find(|&position| body.stms[position].pattern.contains(&var));
            let Some(position) = found.filter(|position| !needed.contains(position)) else { continue };
            let stm = &body.stms[position];
            if !stm.certs.is_empty() || !can_move(&stm.expr) {
                return None;
            }
            operands(stm, &mut wanted);
            let places = stm.pattern.iter().filter_map(|&array| function.vars[array].placement.as_ref());
            wanted.extend(places.flat_map(of_placement));
            needed.push(position);
        }
        // Of several failures, the first in program order is reported.
        let is_check = |&&position: &&usize| matches!(body.stms[position].expr, Expr::Assert { .. });
        let last_check = needed.iter().filter(is_check).max().copied().unwrap_or(first);
        let mut passed = (first..last_check).filter(|position| !needed.contains(position));
        let Some(failing) = passed.find(|&position| body.stms[position].expr.can_fail()) else { break };
        if body.stms[failing].pattern.is_empty() {
            return None;
        }
        wanted.extend(&body.stms[failing].pattern);
    }
    needed.sort_unstable();
    Some(needed)
}

/// Returns the block of a placement and the variables of its index function.
fn of_placement(placement: &Placement) -> impl Iterator<Item = Var> {
    let index_fn = &placement.index_fn;
    let numbers = index_fn.dims.iter().map(|dim| dim.stride).chain([index_fn.offset]);
    [placement.block].into_iter().chain(numbers.filter_map(Operand::as_var))
}

/// Whether an expression can be evaluated earlier if its operands are available.
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
        exprs!(array) => is_fresh(expr),
        exprs!(Ternary, nested, Call, UpdateAcc, Tuned) => false,
    }
}

/// Whether an expression makes an array of existing data, without computation.
fn is_fresh(expr: &Expr) -> bool {
    matches!(expr, Expr::Copy(_) | Expr::Replicate { .. } | Expr::Iota { .. } | Expr::Scratch { .. })
}

/// Returns the array that a statement updates.
fn updated(stm: &Stm) -> Option<Var> {
    if let Expr::Update { array, .. } = &stm.expr { Some(*array) } else { None }
}
