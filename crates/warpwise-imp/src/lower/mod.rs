//! Lowering of the core IR at level `mem` to the imperative IR: host code and kernels, for a CPU with vector lanes, or for a
//! [`device`] with work-items.
//!
//! ```text
//! ys: [n]f32 @ ys_mem -> 0 + {(n : 1)} = segmap (i < n: task lane) {      host:   launch map over n
//!   x: f32 = index xs[i];                                           ==>   kernel: for j in lo..whole step 64 {
//!   y: f32 = fmul x 2f32;                                                           x = load xs_mem[j ..]; ...
//!   return y };                                                                     store ys_mem[j ..] = y }
//!                                                                                 and one masked group for the rest
//! ```
//!
//! The vectorisation covers whole bodies: the body of a lane dimension is lowered once for a whole group of lanes. Uniform values
//! stay scalar, linear ones are represented by their first lane, the rest become vectors. Divergent control flow runs under masks.
//! Vectors may be wider than those of the machine, which keeps several of them in flight.
//!
//! Needs: level `mem` as `place` leaves it, scheduled for a CPU or a device. Code that cannot be lowered is a [`Limit`]. Not done
//! here: the choice of mappings and layouts (`schedule`), the allocation of blocks (`place`), machine code.
//!
//! Reading order: `variance`, `emitter`, `structured`, `scalars`, `memory`, `lanes`, `control`, `inner`; then `kernels`, `segs`
//! and the modules they use; `host` ties everything together.

mod code;

mod variance;

mod emitter;

mod scalars;

mod memory;

mod checks;
mod interior;
mod lanes;

mod slots;

mod control;
mod divergent;

mod stms;
mod structured;
mod trimmed;

mod arrays;
mod in_order;
mod in_place;
mod inner;
mod reduce;
mod sums;

mod cost;

mod flat;
mod kernels;
mod narrow_rows;
mod segs;

mod blocks;
mod choices;
mod hist;
mod hist_columns;
mod hist_few;
mod hist_ranges;
mod hist_sorted;
mod inner_hist;
mod packed;
mod partition;
mod reductions;
mod scan;
mod scatter;

mod device;

mod host;
mod invariants;
mod liveness;

use warpwise_diag::Limit;
use warpwise_ir::Program;

use crate::program::ImpProgram;
use crate::target::CpuTarget;

/// The machine that kernels are lowered for.
#[derive(Clone, Copy)]
enum Machine<'t> {
    Cpu(&'t CpuTarget),
    Device {
        /// A CPU without vectors, which describes a work-item.
        scalar: &'t CpuTarget,
        scanning: Scanning,
    },
}

/// The method for scans and partitions on a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scanning {
    /// Each work-item processes a block, in three launches: for processors, which gain nothing from work-groups.
    Blocks,
    /// Each work-group processes a tile, in three launches.
    Tiles,
    /// Each work-group processes a tile and looks back at the tiles before it, in one launch: for devices on which running
    /// work-groups make progress while others wait for them.
    LookBack {
        /// Whether words of 64 bits are read and written in one piece.
        whole_words: bool,
    },
}

/// Number of elements of a piece. A reduction over host data combines each piece, counted from the first element, by itself, and
/// then the pieces in order. A multiple of the sizes of all blocks. Reductions can therefore be done piece by piece, with the same
/// bits.
pub const PIECE: i64 = 1 << 17;

/// The reason, with its place, why code cannot be lowered in the attempted way.
enum Unfit {
    /// It cannot be lowered in any other way either.
    Limit(Limit),
    /// It does not run in vector lanes, but may run without them.
    Lanes(Limit),
    /// The work-items of a group cannot share it, but each may run it alone.
    Group(Limit),
}

impl From<Unfit> for Limit {
    fn from(unfit: Unfit) -> Limit {
        match unfit {
            Unfit::Limit(limit) | Unfit::Lanes(limit) | Unfit::Group(limit) => limit,
        }
    }
}

/// Lowers a whole program.
pub fn lower(program: &Program, target: &CpuTarget) -> Result<ImpProgram, Limit> {
    lower_functions(program, Machine::Cpu(target))
}

/// Lowers a whole program that is scheduled for a device.
pub fn lower_for_device(program: &Program, scanning: Scanning) -> Result<ImpProgram, Limit> {
    lower_functions(program, Machine::Device { scalar: &CpuTarget::without_vectors(), scanning })
}

fn lower_functions(program: &Program, machine: Machine<'_>) -> Result<ImpProgram, Limit> {
    let mut lowered = ImpProgram::default();
    for (id, _) in program.functions.iter() {
        host::lower_function(program, id, machine, &mut lowered)?;
    }
    Ok(lowered)
}
