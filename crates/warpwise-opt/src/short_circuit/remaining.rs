//! Lists the copies that `short_circuit` leaves, with reasons, for users who want to avoid copies.
//!
//! Not listed: rows that bodies of segmented operations yield in another place than their result, and copies that a later pass
//! makes.

use warpwise_diag::Span;
use warpwise_ir::{Body, Expr, Program, Var};

use super::Circuits;
use super::destinations::{destination, sources};
use crate::blocks::Blocks;
use crate::place::Emitter;

/// A copy of an array that remains.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remaining {
    /// Name of the function.
    pub function: String,
    /// Name of the copied array.
    pub array: String,
    /// Source position of the copy.
    pub span: Span,
    /// Whether the copy is in a kernel, that is, inside a segmented operation.
    pub in_kernel: bool,
    /// Reason why the copy remains.
    pub why: Why,
}

/// The reason why an array is not made in the place that it is copied to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// The array exists before, or comes out of a loop or a call: no statement of this body makes it.
    Elsewhere,
    /// Its block is a result or has several names.
    Shared,
    /// The array is used after the copy.
    UsedAfter(Span),
    /// The destination's block has several names, or is the array's own.
    Unknown,
    /// One block is interleaved in lanes, the other is not.
    Interleaved,
    /// The destination, or the permission to write there, is known only after the array is made.
    Later,
    /// Its elements cannot have the destination's layout.
    Layout,
    /// Loops return to elements of its rows, which would be far apart in the destination. The copy is faster.
    Across,
    /// An array of this name is read at this position, when it would have been overwritten.
    Spoils(String, Span),
    /// The array could be made in its destination, but the pass was left out.
    Possible,
}

impl Why {
    /// Returns the reason in words. `line` returns the description of a source line.
    pub fn text(&self, line: impl Fn(Span) -> String) -> String {
        match self {
            Why::Elsewhere => "it is not made here, but exists before".to_string(),
            Why::Shared => "it is known by another name, too".to_string(),
            Why::UsedAfter(span) => format!("it is used after that, {}", line(*span)),
            Why::Unknown => "other names may lead to where it goes".to_string(),
            Why::Interleaved => "only one of both lies in the lanes of vectors".to_string(),
            Why::Later => "where it goes is known only after it is made".to_string(),
            Why::Layout => "its elements do not lie as they do where it goes".to_string(),
            Why::Across => {
                "loops come back to elements of its rows, which lie apart where it goes".to_string()
            }
            Why::Spoils(array, span) => {
                format!("`{array}` is read {} and would have been overwritten", line(*span))
            }
            Why::Possible => "`short_circuit` was left out".to_string(),
        }
    }
}

/// Returns the remaining copies of a program of level `mem`.
pub fn remaining(program: &Program) -> Vec<Remaining> {
    let mut found = Vec::new();
    for function in program.functions.values() {
        let mut scratch = function.clone();
        let mut body = std::mem::take(&mut scratch.body);
        let blocks = Blocks::of(&scratch, &body);
        let name = function.name.to_string();
        Search { circuits: Circuits { function: &mut scratch, blocks }, name, found: &mut found }
            .body(&mut body, false);
    }
    found
}

struct Search<'f, 'r> {
    circuits: Circuits<'f>,
    name: String,
    found: &'r mut Vec<Remaining>,
}

impl Search<'_, '_> {
    fn body(&mut self, body: &mut Body, in_kernel: bool) {
        for copy in 0..body.stms.len() {
            for (number, source) in sources(&body.stms[copy], self.circuits.function) {
                if !self.is_in_place(body, copy, number, source) {
                    self.add(body, copy, number, source, in_kernel);
                }
            }
        }
        for stm in &mut body.stms {
            let in_kernel = in_kernel || matches!(stm.expr, Expr::Seg(_));
            stm.expr.for_each_body_mut(|inner| self.body(inner, in_kernel));
        }
    }

    fn add(&mut self, body: &Body, copy: usize, number: usize, source: Var, in_kernel: bool) {
        let array = self.circuits.function.vars[source].name().to_string();
        let why = match self.circuits.plan(body, copy, number, source) {
            Err(why) => why,
            Ok(plan) => {
                let (mut function, blocks) = (self.circuits.function.clone(), self.circuits.blocks.clone());
                let mut trial = Circuits { function: &mut function, blocks };
                trial.apply(&mut body.clone(), plan).err().unwrap_or(Why::Possible)
            }
        };
        let (function, span) = (self.name.clone(), body.stms[copy].span);
        self.found.push(Remaining { function, array, span, in_kernel, why });
    }

    /// Whether the source of a copying statement already is in its destination.
    fn is_in_place(&mut self, body: &Body, copy: usize, number: usize, source: Var) -> bool {
        let mut emit = Emitter::new(self.circuits.function);
        emit.open();
        let goes = destination(&mut emit, &body.stms[copy], number);
        let computed = emit.close();
        let Circuits { function, blocks } = &mut self.circuits;
        blocks.define(function, &computed);
        let lies = function.vars[source].placement.as_ref();
        lies.is_some_and(|lies| {
            lies.block == goes.block && blocks.same_places(&lies.index_fn, &goes.index_fn)
        })
    }
}
