//! Lowers the core IR at level `mem` to the imperative IR: host code and kernels, for a CPU with its lanes, or for a
//! [`device`] with its work-items.
//!
//! ```text
//! ys: [n]f32 @ ys_mem -> 0 + {(n : 1)} = segmap (i < n: task lane) {      host:   launch map over n
//!   x: f32 = index xs[i];                                           ==>   kernel: for j in lo..whole step 64 {
//!   y: f32 = fmul x 2f32;                                                           x = load xs_mem[j ..]; ...
//!   return y };                                                                     store ys_mem[j ..] = y }
//!                                                                                 and one masked group for the rest
//! ```
//!
//! Whole-function vectorisation: the body of a lane dimension is lowered once for a whole group of
//! lanes. Uniform values stay scalar, linear ones are kept by their first lane, the rest become vectors;
//! control flow that diverges runs under masks. Vectors may be wider than the machine's, which is how several
//! are kept in flight.
//!
//! Needs: level `mem` as `place` leaves it, scheduled for a CPU. What cannot be lowered is a [`Limit`].
//! Not done here: choosing mappings or layouts (`schedule`), allocation of blocks (`place`), machine code.
//!
//! Reading order: `variance`, `emitter`, `structured`, `scalars`, `memory`, `lanes`, `control`, `inner`; then `kernels`, `segs`
//! and what they use; `host` ties it together.

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

mod cost;
mod polynomials;

mod flat;
mod kernels;
mod narrow_rows;
mod segs;

mod blocks;
mod choices;
mod hist;
mod hist_few;
mod hist_ranges;
mod hist_sorted;
mod inner_hist;
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

/// What kernels are for.
#[derive(Clone, Copy)]
enum Machine<'t> {
    Cpu(&'t CpuTarget),
    Device {
        /// A CPU without vectors, as work-items are.
        scalar: &'t CpuTarget,
        scanning: Scanning,
    },
}

/// How scans and partitions go on a device.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scanning {
    /// Work-items do a block each, in three launches: for processors, which have no use for groups.
    Blocks,
    /// Work-groups do a tile each, in three launches.
    Tiles,
    /// Work-groups do a tile each and look back at those before it, in one launch: where groups that run go on while others wait
    /// for them.
    LookBack {
        /// Whether words of 64 bits are read and written as a whole.
        whole_words: bool,
    },
}

/// Elements of a reduction over host data that are combined by themselves before such pieces are combined in order, from
/// the first one on; a multiple of the sizes of all blocks. So reductions can be done piece by piece, with the same bits.
pub const PIECE: i64 = 1 << 17;

/// Why code cannot be lowered as it was tried, and where.
enum Unfit {
    /// Nor in any other way.
    Limit(Limit),
    /// It does not run in vector lanes. Without them it may.
    Lanes(Limit),
    /// The work-items of a group do not share it. Each may run it alone.
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
