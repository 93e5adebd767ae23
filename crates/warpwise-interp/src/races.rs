//! Data races: which iteration of which parallel operation reads, writes or combines into which byte.
//!
//! An operation with parallel dimensions is free of races if no iteration reads or writes what another iteration writes
//! (papers/002, `racefree`). Atomic writes (of accumulators, histograms and scatters) are a third kind: they may coincide with
//! each other, but not with an ordinary read or write of another iteration.
//!
//! Operations nest, and so do their records: an access counts for the current iteration of every enclosing operation.

use std::collections::HashMap;
use std::ops::Range;

/// The way in which memory is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Read,
    Write,
    /// A write that commutes with other atomic writes.
    Atomic,
}

/// The operations that are running, outermost first.
#[derive(Default)]
pub(crate) struct Races {
    running: Vec<Operation>,
}

/// One run of an operation with parallel dimensions.
#[derive(Default)]
struct Operation {
    iteration: u64,
    /// Users of every byte, by block and byte, for each [`Kind`].
    used: HashMap<(usize, usize), [Users; 3]>,
}

/// The iterations that accessed a byte in one way.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
enum Users {
    #[default]
    Nobody,
    One(u64),
    Many,
}

impl Races {
    /// Begins an operation; its first iteration is 0.
    pub(crate) fn enter(&mut self) {
        self.running.push(Operation::default());
    }

    /// Continues with another iteration of the innermost operation.
    pub(crate) fn iteration(&mut self, iteration: u64) {
        if let Some(operation) = self.running.last_mut() {
            operation.iteration = iteration;
        }
    }

    /// Ends the innermost operation.
    pub(crate) fn leave(&mut self) {
        self.running.pop();
    }

    /// Notes an access to bytes of a block.
    pub(crate) fn access(&mut self, block: usize, bytes: Range<usize>, kind: Kind) -> Result<(), String> {
        for operation in &mut self.running {
            let own = operation.iteration;
            for byte in bytes.clone() {
                let users = operation.used.entry((block, byte)).or_default();
                if let Some(other) =
                    ALL.into_iter().find(|&other| conflict(kind, other) && users[other as usize].others(own))
                {
                    return Err(format!(
                        "a race: iteration {own} does a {kind:?} where another does a {other:?}"
                    ));
                }
                users[kind as usize].add(own);
            }
        }
        Ok(())
    }
}

const ALL: [Kind; 3] = [Kind::Read, Kind::Write, Kind::Atomic];

/// Returns whether accesses of these kinds by two iterations to the same byte are a race.
fn conflict(x: Kind, y: Kind) -> bool {
    match (x, y) {
        (Kind::Read, Kind::Read) | (Kind::Atomic, Kind::Atomic) => false,
        (Kind::Read, Kind::Write | Kind::Atomic)
        | (Kind::Write, Kind::Read | Kind::Write | Kind::Atomic)
        | (Kind::Atomic, Kind::Read | Kind::Write) => true,
    }
}

impl Users {
    fn others(self, own: u64) -> bool {
        match self {
            Users::Nobody => false,
            Users::One(user) => user != own,
            Users::Many => true,
        }
    }

    fn add(&mut self, own: u64) {
        *self = if self.others(own) { Users::Many } else { Users::One(own) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns whether these accesses, given as (iteration, kind), to one byte are free of races.
    fn run(accesses: &[(u64, Kind)]) -> bool {
        let mut races = Races::default();
        races.enter();
        accesses.iter().all(|&(iteration, kind)| {
            races.iteration(iteration);
            races.access(0, 0..1, kind).is_ok()
        })
    }

    #[test]
    fn pairs_of_iterations() {
        for x in ALL {
            for y in ALL {
                assert!(run(&[(1, x), (1, y)]), "one iteration: {x:?} {y:?}");
                assert_eq!(run(&[(1, x), (2, y)]), !conflict(x, y), "two iterations: {x:?} {y:?}");
            }
        }
        // Two readers count as `Many`.
        assert!(!run(&[(1, Kind::Read), (2, Kind::Read), (2, Kind::Write)]));
    }

    #[test]
    fn operations_end_and_nest() {
        let mut races = Races::default();
        races.enter();
        races.access(0, 0..4, Kind::Write).expect("alone");
        races.enter();
        races.iteration(7);
        races.access(0, 4..8, Kind::Write).expect("alone");
        races.leave();
        races.iteration(1);
        assert!(races.access(0, 7..9, Kind::Read).is_err(), "iteration 0 wrote it, in an operation inside");
        races.access(1, 0..4, Kind::Write).expect("another block");
        races.leave();
        races.access(0, 0..8, Kind::Write).expect("nothing runs");
    }
}
