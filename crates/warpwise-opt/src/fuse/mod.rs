//! Fuses SOACs (papers/001 section 4): producers into consumers, and neighbours over the same arrays.
//!
//! ```text
//! ys: [n]f32 = screma n (xs) map (x: f32) { ...; return y };
//! s: f32 = screma n (ys) map (y: f32) { return y } reduce (...) {...} [0f32];
//! ==>
//! s: f32 = screma n (xs) map (x: f32) { ...; return y } reduce (...) {...} [0f32];
//! ```
//!
//! - *Vertical*: the producer moves to its consumer. Both have one width, the consumer reads the producer's
//!   arrays as inputs only, nothing in between uses them, and nothing the producer reads is consumed on
//!   the way or by the consumer. No work is duplicated: arrays that others read too stay results.
//! - *Horizontal*: two SOACs of one width that share an input and do not depend on each other become one.
//! - A map after a scan goes into the scan's second map.
//! - *Streams* compose with each other and with SOACs over elements beside them ([`streams`]).
//!
//! Outer levels first, then inside the fused lambdas. Not done here: through transpositions and
//! reshapes, into branches.

mod horizontal;
mod streams;
mod vertical;

use rustc_hash::FxHashSet;
use warpwise_diag::Limit;
use warpwise_ir::traverse::{FreeVars, free_in_expr};
use warpwise_ir::{Body, Expr, Function, Program, Stm, StreamKind, Var};

use crate::aliases::Aliases;
use crate::pass::rewrite_bodies;

/// Fuses in every function.
pub fn fuse(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| fuse_body(function, body, false));
    Ok(())
}

/// Fuses in a body; `in_chunk` says whether it belongs to the chunk function of a parallel stream.
fn fuse_body(function: &mut Function, body: &mut Body, in_chunk: bool) {
    let mut block = Block::of(function, body);
    // Statements before this one have no partner among those before them.
    let mut from = 0;
    loop {
        let lowest = fuse_vertically(function, body, &mut block, from, in_chunk);
        match fuse_horizontally(function, body, &mut block, lowest) {
            Some(first) => from = first,
            None => break,
        }
    }
    for stm in &mut body.stms {
        let in_chunk = match &stm.expr {
            Expr::If { .. } | Expr::Loop { .. } => in_chunk,
            Expr::Stream(stream) => stream.kind != StreamKind::Seq,
            _ => false,
        };
        stm.expr.for_each_body_mut(|body| fuse_body(function, body, in_chunk));
    }
}

/// Fuses consumers from a statement on with their producers until none is left; gives the first statement
/// that may have changed. What a producer stood in the way of is tried again once it has moved.
fn fuse_vertically(
    function: &mut Function,
    body: &mut Body,
    block: &mut Block,
    from: usize,
    in_chunk: bool,
) -> usize {
    let (mut consumer, mut lowest) = (from, from);
    while consumer < body.stms.len() {
        let producer = block.producers(body, consumer).into_iter().find(|&producer| {
            block.can_fuse_vertically(body, producer, consumer)
                && (vertical::fuse(function, body, producer, consumer)
                    || streams::fuse(function, body, producer, consumer, in_chunk))
        });
        match producer {
            Some(producer) => {
                block.merged(function, body, producer, consumer);
                lowest = lowest.min(producer);
                consumer = producer;
            }
            None => consumer += 1,
        }
    }
    lowest
}

/// Fuses the first two neighbours of which the second stands at `from` or after it; gives where the first stood.
fn fuse_horizontally(
    function: &mut Function,
    body: &mut Body,
    block: &mut Block,
    from: usize,
) -> Option<usize> {
    for second in from..body.stms.len() {
        let partner = |&first: &usize| block.can_fuse_horizontally(body, first, second);
        if let Some(first) = (0..second).rev().find(partner) {
            if matches!(body.stms[first].expr, Expr::Stream(_)) {
                streams::fuse(function, body, first, second, false);
            } else {
                horizontal::fuse(body, first, second);
            }
            block.merged(function, body, first, second);
            return Some(first);
        }
    }
    None
}

/// What the statements of a body read and overwrite.
struct Block {
    /// By statement.
    free: Vec<FreeVars>,
    /// What is bound by statements of the body itself.
    bound: FxHashSet<Var>,
    aliases: Aliases,
}

impl Block {
    fn of(function: &Function, body: &Body) -> Block {
        let free = body.stms.iter().map(|stm| free_in_expr(function, &stm.expr)).collect();
        let bound = body.stms.iter().flat_map(|stm| stm.pattern.iter().copied()).collect();
        Block { free, bound, aliases: Aliases::of(body) }
    }

    /// The statements that make inputs of a consumer, the last one first.
    fn producers(&self, body: &Body, consumer: usize) -> Vec<usize> {
        let inputs = inputs(&body.stms[consumer].expr);
        let mut missing = inputs.iter().filter(|&input| self.bound.contains(input)).count();
        let mut found = Vec::new();
        for producer in (0..consumer).rev() {
            if missing == 0 {
                break;
            }
            let made = &body.stms[producer].pattern;
            let count = inputs.iter().filter(|&input| made.contains(input)).count();
            if count > 0 {
                found.push(producer);
                missing -= count;
            }
        }
        found
    }

    /// Keeps up with a statement that went into a later one. New arrays are bound in its lambda only.
    fn merged(&mut self, function: &Function, body: &Body, first: usize, second: usize) {
        self.free.remove(first);
        self.free[second - 1] = free_in_expr(function, &body.stms[second - 1].expr);
    }

    fn uses_any(&self, stm: usize, vars: &[Var]) -> bool {
        vars.iter().any(|&var| self.free[stm].contains(var))
    }

    /// Whether a statement overwrites something that `reader` reads.
    fn overwrites_what(&self, body: &Body, stm: usize, reader: usize) -> bool {
        let consumed = self.aliases.consumed(&body.stms[stm]);
        let is_consumed = |read: Var| self.aliases.roots(read).iter().any(|root| consumed.contains(root));
        !consumed.is_empty() && self.free[reader].iter().any(is_consumed)
    }

    fn can_fuse_vertically(&self, body: &Body, producer: usize, consumer: usize) -> bool {
        let (Some(from), Some(to)) = (width(&body.stms[producer]), width(&body.stms[consumer])) else {
            return false;
        };
        let made = &body.stms[producer].pattern;
        let inputs = inputs(&body.stms[consumer].expr);
        let reads_as_input = inputs.iter().any(|input| made.contains(input));
        // What a reduction yields is there only when all elements have been seen.
        let reads_total = inputs.iter().any(|input| totals(&body.stms[producer]).contains(input));
        from == to
            && reads_as_input
            && !reads_total
            && !certs_use(&body.stms[consumer], made)
            && !vertical::uses_otherwise(&body.stms[consumer].expr, made)
            && (producer + 1..consumer).all(|between| {
                !self.uses_any(between, made)
                    && !certs_use(&body.stms[between], made)
                    && !self.overwrites_what(body, between, producer)
            })
            && !self.overwrites_what(body, consumer, producer)
    }

    fn can_fuse_horizontally(&self, body: &Body, first: usize, second: usize) -> bool {
        let (a, b) = (&body.stms[first], &body.stms[second]);
        let alike = match (&a.expr, &b.expr) {
            (Expr::Screma(x), Expr::Screma(y)) => x.post.is_none() && y.post.is_none(),
            (Expr::Stream(x), Expr::Stream(y)) => (x.kind == StreamKind::Seq) == (y.kind == StreamKind::Seq),
            _ => false,
        };
        alike
            && width(a) == width(b)
            && inputs(&a.expr).iter().any(|input| inputs(&b.expr).contains(input))
            && !self.uses_any(second, &a.pattern)
            && (first + 1..second).all(|between| {
                !self.uses_any(between, &a.pattern)
                    && !certs_use(&body.stms[between], &a.pattern)
                    && !self.overwrites_what(body, between, first)
            })
            && !self.overwrites_what(body, second, first)
    }
}

/// The results of a statement's reductions.
fn totals(stm: &Stm) -> &[Var] {
    match &stm.expr {
        Expr::Screma(soac) => &stm.pattern[..soac.n_reduced()],
        Expr::Stream(soac) => &stm.pattern[..soac.accs.len()],
        _ => &[],
    }
}

fn certs_use(stm: &Stm, vars: &[Var]) -> bool {
    stm.certs.iter().any(|cert| vars.contains(cert))
}

/// The width of a SOAC that takes part in fusion.
fn width(stm: &Stm) -> Option<warpwise_ir::Operand> {
    match &stm.expr {
        Expr::Screma(soac) => Some(soac.width),
        Expr::Partition(soac) => Some(soac.width),
        Expr::Scatter(soac) => Some(soac.width),
        Expr::Hist(soac) => Some(soac.width),
        Expr::Stream(soac) => Some(soac.width),
        _ => None,
    }
}

fn inputs(expr: &Expr) -> &[Var] {
    match expr {
        Expr::Screma(soac) => &soac.inputs,
        Expr::Partition(soac) => &soac.inputs,
        Expr::Scatter(soac) => &soac.inputs,
        Expr::Hist(soac) => &soac.inputs,
        Expr::Stream(soac) => &soac.inputs,
        _ => &[],
    }
}
