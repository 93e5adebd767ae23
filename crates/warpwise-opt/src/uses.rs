//! Number of uses of each variable of a function, at any depth.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Var};

/// Counts the uses of variables in a body and in all bodies inside it.
pub fn uses(body: &Body) -> SecondaryMap<Var, u32> {
    let mut counter = Counter { counts: SecondaryMap::default() };
    counter.body(body);
    counter.counts
}

struct Counter {
    counts: SecondaryMap<Var, u32>,
}

impl<'a> Visitor<'a> for Counter {
    fn var(&mut self, var: &'a Var) {
        self.counts[*var] += 1;
    }
}
