//! How often the variables of a function are used, wherever that is.

use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::traverse::Visitor;
use warpwise_ir::{Body, Var};

/// The numbers of uses in a body, and in all inside it.
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
