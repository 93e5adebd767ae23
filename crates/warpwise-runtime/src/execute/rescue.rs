//! Arguments that a failed run gives back.
//!
//! A run may overwrite its consumed arguments, and releases each after its last use. If the run fails before either, the argument is
//! still what it was, and the caller gets it back. Nothing is copied for that: the run notes which blocks it gives to writers.

use std::cell::Cell;
use std::sync::{Arc, Weak};

use super::Argument;
use super::held::Held;
use crate::memory::Block;

/// The arguments of a run that nobody else holds, on the host.
#[derive(Default)]
pub(super) struct Rescue {
    blocks: Vec<Own>,
}

/// A block that only the run holds.
struct Own {
    block: Weak<Block>,
    is_written: Cell<bool>,
}

impl Rescue {
    /// Watches the arguments that nobody else holds.
    pub fn of(arguments: &[Argument]) -> Rescue {
        let own = |argument: &Argument| match argument {
            Argument::Block(block) if Arc::strong_count(block) == 1 => {
                Some(Own { block: Arc::downgrade(block), is_written: Cell::new(false) })
            }
            Argument::Block(_) | Argument::Scalar(_) | Argument::Resident(_) => None,
        };
        Rescue { blocks: arguments.iter().filter_map(own).collect() }
    }

    /// Notes that a block is given to a writer.
    pub fn note_write(&self, held: &Held) {
        let Held::Host(block) = held else { return };
        let same = |own: &&Own| std::ptr::eq(own.block.as_ptr(), Arc::as_ptr(block));
        self.blocks.iter().filter(same).for_each(|own| own.is_written.set(true));
    }

    /// Returns the blocks that still exist and were not given to a writer.
    pub fn intact(&self) -> Vec<Arc<Block>> {
        self.blocks.iter().filter(|own| !own.is_written.get()).filter_map(|own| own.block.upgrade()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_or_released_is_not_intact() {
        let block = || Arc::new(Block::of_vec(vec![7_u8; 8]));
        let (kept, written, released, shared) = (block(), block(), block(), block());
        let other = Arc::clone(&shared);
        let arguments = [kept, written, released, shared].map(Argument::Block);
        let rescue = Rescue::of(&arguments);
        let [Argument::Block(kept), Argument::Block(written), released, _] = arguments else { panic!() };
        rescue.note_write(&Held::Host(Arc::clone(&written)));
        rescue.note_write(&Held::Host(other));
        drop(released);
        let intact = rescue.intact();
        assert_eq!(intact.len(), 1);
        assert!(Arc::ptr_eq(&intact[0], &kept));
    }
}
