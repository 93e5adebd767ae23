//! The touches of bytes by work-items during a launch on a device. Two work-items must not touch one byte if at least one of them
//! writes it, unless a barrier of their group lies between the touches, both are atomic, both write the same value, or the one
//! work-item has published its touch and the other has waited for that.

use std::collections::HashMap;
use std::rc::Rc;

use super::memory::Block;

/// A work-item at some point of its run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Who {
    /// Iteration that the work-item or its group runs.
    pub iteration: i64,
    /// Index of the work-item in its group.
    pub item: usize,
    /// Number of barriers it has passed.
    pub barriers: u64,
    /// Whether its group has waited for something that another group has published.
    pub acquired: bool,
}

/// The kind of an access to a byte.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Touch {
    /// A read.
    Read,
    /// A write.
    Write,
    /// A write that does not change the byte: scatters may write equal values to equal places.
    Rewrite,
    /// An indivisible read and write.
    Atomic,
}

impl Touch {
    /// Returns whether the order of this touch and an earlier one does not matter.
    fn commutes_with(self, before: Touch) -> bool {
        matches!(
            (self, before),
            (Touch::Read | Touch::Rewrite, Touch::Read | Touch::Rewrite)
                | (Touch::Rewrite, Touch::Write)
                | (Touch::Atomic, Touch::Atomic)
        )
    }
}

/// The touches of a launch.
#[derive(Default)]
pub(super) struct Touches {
    /// Touches of each byte: since the last barrier if one group touches it, or since the start of the launch.
    seen: HashMap<(usize, i64), Vec<(Who, Touch)>>,
    /// Blocks by address, kept alive so that addresses stay unique.
    blocks: HashMap<usize, Block>,
    /// The last publisher of each iteration.
    published: HashMap<i64, Who>,
}

impl Who {
    /// Returns whether nothing orders the touches of two work-items.
    fn races_with(self, other: Who) -> bool {
        (self.iteration, self.item) != (other.iteration, other.item)
            && (self.iteration != other.iteration || self.barriers == other.barriers)
    }
}

impl Touches {
    /// Records that a work-item publishes what it and, before the last barrier, its group have written.
    pub fn publish(&mut self, who: Who) {
        self.published.insert(who.iteration, who);
    }

    /// Records a touch of `bytes` bytes from `first` on.
    pub fn touch(
        &mut self,
        who: Who,
        touch: Touch,
        block: &Block,
        (first, bytes): (i64, i64),
    ) -> Result<(), String> {
        let address = Rc::as_ptr(block) as usize;
        self.blocks.entry(address).or_insert_with(|| Rc::clone(block));
        for byte in first..first + bytes {
            let seen = self.seen.entry((address, byte)).or_default();
            let clash = seen.iter().find(|(other, before)| {
                let ordered = who.acquired && is_released(&self.published, *other);
                !ordered && !touch.commutes_with(*before) && who.races_with(*other)
            });
            if let Some((other, other_touch)) = clash {
                return Err(format!(
                    "a race for byte {byte}: {other_touch:?} by {other:?}, {touch:?} by {who:?}"
                ));
            }
            keep(seen, who, touch);
        }
        Ok(())
    }
}

/// Returns whether a touch by `other` was published afterwards.
fn is_released(published: &HashMap<i64, Who>, other: Who) -> bool {
    published.get(&other.iteration).is_some_and(|by| {
        other.barriers < by.barriers || other.item == by.item && other.barriers <= by.barriers
    })
}

/// Records a touch of a byte, unless the recorded ones clash with everything that it could clash with: touches of two iterations
/// clash with every third iteration, and those of two work-items of one iteration with its other work-items until the next
/// barrier.
fn keep(seen: &mut Vec<(Who, Touch)>, who: Who, touch: Touch) {
    let alike = |(_, other): &&(Who, Touch)| *other == touch;
    if seen.iter().filter(alike).any(|(other, _)| other.iteration != who.iteration) {
        let own = seen.iter().filter(alike).any(|(other, _)| other.iteration == who.iteration);
        let others = seen.iter().filter(alike).count();
        if own || others > 1 {
            return;
        }
    } else {
        seen.retain(|(other, other_touch)| *other_touch != touch || other.barriers == who.barriers);
        let same = seen.iter().filter(alike).count();
        if same > 1 || seen.contains(&(who, touch)) {
            return;
        }
    }
    seen.push((who, touch));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::memory::Bytes;

    /// Returns whether the last of some touches of one byte, given as (iteration, item, barriers), is a race.
    fn races(touches: &[(i64, usize, u64, Touch)]) -> bool {
        let (block, mut all) = (Bytes::with(vec![0; 8]), Touches::default());
        let mut outcome = Ok(());
        for &(iteration, item, barriers, touch) in touches {
            assert_eq!(outcome, Ok(()), "only the last may race");
            outcome = all.touch(who(iteration, item, barriers), touch, &block, (3, 1));
        }
        outcome.is_err()
    }

    fn who(iteration: i64, item: usize, barriers: u64) -> Who {
        Who { iteration, item, barriers, acquired: false }
    }

    #[test]
    fn what_is_published_and_waited_for_does_not_race() {
        let outcome = |publisher: Option<Who>, acquired: bool| {
            let (block, mut all) = (Bytes::with(vec![0; 8]), Touches::default());
            all.touch(who(0, 1, 2), Touch::Write, &block, (3, 1)).expect("the first touch");
            publisher.into_iter().for_each(|publisher| all.publish(publisher));
            all.touch(Who { acquired, ..who(1, 0, 0) }, Touch::Read, &block, (3, 1)).is_ok()
        };
        // Published by the same work-item, or by another one after a barrier.
        assert!(outcome(Some(who(0, 1, 2)), true) && outcome(Some(who(0, 0, 3)), true));
        assert!(!outcome(Some(who(0, 0, 2)), true), "no barrier lies between");
        assert!(!outcome(Some(who(2, 1, 2)), true), "somebody else published");
        assert!(!outcome(Some(who(0, 1, 2)), false) && !outcome(None, true));
    }

    #[test]
    fn writes_race_unless_a_barrier_of_the_group_orders_them() {
        use Touch::{Atomic, Read, Rewrite, Write};
        assert!(!races(&[(0, 0, 0, Write), (0, 0, 0, Read), (0, 0, 0, Write)]));
        assert!(races(&[(0, 0, 0, Write), (1, 0, 0, Write)]));
        assert!(races(&[(0, 0, 0, Read), (1, 0, 9, Write)]));
        assert!(races(&[(0, 0, 0, Write), (0, 1, 0, Read)]));
        assert!(!races(&[(0, 0, 0, Write), (0, 1, 1, Read)]));
        assert!(!races(&[(0, 0, 0, Write), (1, 0, 0, Rewrite), (2, 0, 0, Rewrite)]));
        assert!(races(&[(0, 0, 0, Rewrite), (1, 0, 0, Write)]));
        assert!(races(&[(0, 0, 0, Write), (1, 0, 0, Rewrite), (2, 0, 0, Read)]));
        assert!(races(&[(0, 0, 0, Rewrite), (1, 0, 0, Atomic)]));
        assert!(!races(&[(0, 0, 0, Atomic), (1, 0, 0, Atomic)]));
        assert!(races(&[(0, 0, 0, Atomic), (1, 0, 0, Read)]));
        // Many readers, and then a writer that was one of them.
        assert!(races(&[(0, 0, 0, Read), (1, 0, 0, Read), (2, 0, 0, Read), (0, 0, 0, Write)]));
        assert!(races(&[(0, 0, 0, Read), (0, 1, 0, Read), (0, 2, 0, Read), (0, 0, 0, Write)]));
        assert!(!races(&[(0, 0, 0, Read), (0, 1, 0, Read), (0, 2, 1, Read), (0, 2, 1, Write)]));
        assert!(races(&[(0, 0, 0, Read), (0, 1, 1, Read), (1, 5, 7, Write)]));
    }
}
