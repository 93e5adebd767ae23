//! Fuses SOACs (papers/001 section 4): producers into consumers, and neighbours over the same arrays.
//!
//! ```text
//! ys: [n]f32 = screma n (xs) map (x: f32) { ...; return y };
//! s: f32 = screma n (ys) map (y: f32) { return y } reduce (...) {...} [0f32];
//! ==>
//! s: f32 = screma n (xs) map (x: f32) { ...; return y } reduce (...) {...} [0f32];
//! ```
//!
//! - *Vertical*: the producer moves to its consumer. Both have the same width, the consumer reads the producer's arrays only as
//!   inputs, no statement in between uses them, and no array that the producer reads is consumed on the way or by the consumer.
//!   No work is duplicated: arrays with other readers stay results.
//! - *Horizontal*: two scremas or two scatters of the same width that share an input and do not depend on each other become one.
//! - A map after a scan moves into the scan's second map, unless it holds SOACs over rows, which have lanes of their own.
//! - *Streams* compose with each other and with SOACs over elements beside them ([`streams`]).
//!
//! Outer levels are fused first, then the fused lambdas inside. Not done here: fusion through transpositions and reshapes, and
//! into branches.

mod block;
mod horizontal;
mod streams;
mod vertical;

use warpwise_diag::Limit;
use warpwise_ir::{Body, Expr, Function, Program, StreamKind, exprs};

use crate::fuse::block::{Block, width};
use crate::pass::rewrite_bodies;

/// Fuses in every function.
pub fn fuse(program: &mut Program) -> Result<(), Limit> {
    rewrite_bodies(program, |function, body| fuse_body(function, body, false));
    Ok(())
}

/// Fuses in a body; `in_chunk` says whether it belongs to the chunk function of a parallel stream.
fn fuse_body(function: &mut Function, body: &mut Body, in_chunk: bool) {
    // Building the facts takes time linear in the size of the statements, including everything inside them. It is skipped where
    // nothing can fuse, so that deeply nested programs are not traversed once per level.
    if body.stms.iter().filter(|stm| width(stm).is_some()).nth(1).is_some() {
        fuse_statements(function, body, in_chunk);
    }
    for stm in &mut body.stms {
        let in_chunk = match &stm.expr {
            Expr::If { .. } | Expr::Loop { .. } => in_chunk,
            Expr::Stream(stream) => stream.kind != StreamKind::Seq,
            exprs!(simple, Screma, Partition, Scatter, Hist, WithAcc, FlatMap, Seg) => false,
        };
        stm.expr.for_each_body_mut(|body| fuse_body(function, body, in_chunk));
    }
}

/// Fuses the statements of a body with each other.
fn fuse_statements(function: &mut Function, body: &mut Body, in_chunk: bool) {
    let mut block = Block::of(function, body);
    // Statements before `from` have no partner among the statements before them.
    let mut from = 0;
    loop {
        let lowest =
            fuse_vertically(function, body, &mut block, in_chunk).map_or(from, |first| from.min(first));
        match fuse_horizontally(function, body, &mut block, lowest) {
            Some(first) => from = first,
            None => break,
        }
    }
    block.sweep(body);
}

/// Fuses consumers with their producers until none is left. Returns the first producer that was fused. Statements that a producer
/// was in the way of are tried again once it has moved.
fn fuse_vertically(
    function: &mut Function,
    body: &mut Body,
    block: &mut Block,
    in_chunk: bool,
) -> Option<usize> {
    let mut lowest: Option<usize> = None;
    while let Some(consumer) = block.next_waiting() {
        let producer = block.producers(body, consumer).into_iter().find(|&producer| {
            block.can_fuse_vertically(body, producer, consumer)
                && (vertical::fuse(function, body, block, producer, consumer)
                    || streams::fuse(function, body, block, (producer, consumer), in_chunk))
        });
        if let Some(producer) = producer {
            block.merged(producer, consumer);
            lowest = Some(lowest.map_or(producer, |lowest| lowest.min(producer)));
        }
    }
    lowest
}

/// Fuses the first pair of neighbours whose second statement is at `from` or later. Returns the position of the first.
fn fuse_horizontally(
    function: &mut Function,
    body: &mut Body,
    block: &mut Block,
    from: usize,
) -> Option<usize> {
    let (first, second) = block.next_neighbours(body, from)?;
    if matches!(body.stms[first].expr, Expr::Stream(_)) {
        streams::fuse(function, body, block, (first, second), false);
    } else {
        horizontal::fuse(body, first, second);
    }
    block.merged(first, second);
    Some(first)
}
