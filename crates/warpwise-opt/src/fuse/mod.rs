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
//!
//! Outer levels first, then inside the fused lambdas. Not done here: through transpositions and
//! reshapes, into branches, streams.

mod horizontal;
mod vertical;

use warpwise_diag::Limit;
use warpwise_ir::traverse::{FreeVars, free_in_expr};
use warpwise_ir::{Body, Expr, Function, Program, Stm, Var};

use crate::aliases::Aliases;

/// Fuses in every function.
pub fn fuse(program: &mut Program) -> Result<(), Limit> {
    for function in program.functions.values_mut() {
        let mut body = std::mem::take(&mut function.body);
        fuse_body(function, &mut body);
        function.body = body;
    }
    Ok(())
}

fn fuse_body(function: &mut Function, body: &mut Body) {
    while fuse_once(function, body) {}
    for stm in &mut body.stms {
        stm.expr.for_each_body_mut(|body| fuse_body(function, body));
    }
}

/// Fuses one pair, if there is one.
fn fuse_once(function: &mut Function, body: &mut Body) -> bool {
    let block = Block::of(function, body);
    for consumer in 0..body.stms.len() {
        for producer in (0..consumer).rev() {
            if block.can_fuse_vertically(body, producer, consumer)
                && vertical::fuse(function, body, producer, consumer)
            {
                return true;
            }
        }
    }
    for second in 0..body.stms.len() {
        for first in (0..second).rev() {
            if block.can_fuse_horizontally(body, first, second) {
                horizontal::fuse(body, first, second);
                return true;
            }
        }
    }
    false
}

/// What the statements of a body read and overwrite.
struct Block {
    free: Vec<FreeVars>,
    aliases: Aliases,
}

impl Block {
    fn of(function: &Function, body: &Body) -> Block {
        let free = body.stms.iter().map(|stm| free_in_expr(function, &stm.expr)).collect();
        Block { free, aliases: Aliases::of(body) }
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
        let (Expr::Screma(x), Expr::Screma(y)) = (&a.expr, &b.expr) else { return false };
        let shared = x.inputs.iter().any(|input| y.inputs.contains(input));
        let simple = x.post.is_none() && y.post.is_none();
        x.width == y.width
            && shared
            && simple
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
        _ => None,
    }
}

fn inputs(expr: &Expr) -> &[Var] {
    match expr {
        Expr::Screma(soac) => &soac.inputs,
        Expr::Partition(soac) => &soac.inputs,
        Expr::Scatter(soac) => &soac.inputs,
        Expr::Hist(soac) => &soac.inputs,
        _ => &[],
    }
}
