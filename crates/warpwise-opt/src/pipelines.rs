//! The order of the passes. No other place knows it.

use warpwise_ir::verify::Level;

use crate::pass::Pass;

/// All passes.
#[rustfmt::skip]
pub const PASSES: &[Pass] = &[
    INLINE_SMALL, INLINE, ACCUMULATE, REGULARISE, REGULARISE_IN_ORDER, SIMPLIFY, SINK, FUSE, COUNT, UNMAP, HOIST, NEST, UNROLL, CHECK_SIZES, FLATTEN, GATHER, STRAIGHTEN, SEGMENT,
    SEGMENT_DEVICE,
    TIGHTEN, ENCLOSE, DELINEARISE, DISTRIBUTE, DIVIDE, SCHEDULE, SCHEDULE_DEVICE, MIGRATE, COALESCE, CARRY, JAM, SPECIALISE, TILE, NARROW, RELAX, CONTRACT, PLACE,
    SHORT_CIRCUIT, MERGE,
];

/// Pipeline from a front end's output to the input of the CPU lowering.
#[rustfmt::skip]
pub const CPU: &[Pass] = &[
    // Functions are simplified before they are copied in programs where inlining would make many copies.
    INLINE_SMALL,
    SIMPLIFY,
    INLINE,
    // Before a simplification, which removes the unneeded code that these two emit.
    ACCUMULATE,
    REGULARISE,
    SIMPLIFY,
    SINK,
    FUSE,
    // Fused lambdas hold copies, dead arrays and common work, and slices that one part takes of an array that another makes.
    SIMPLIFY,
    SINK,
    // By now the consumer of a filter's kept elements is a single statement.
    COUNT,
    // By now materialised views have fused into their readers where possible.
    UNMAP,
    // After fusion: an invariant operation that has fused with a varying one stays in its loop.
    HOIST,
    // Most flat maps have fused with each other by now. The nests that they become fuse with those that make their elements.
    NEST,
    // Removing dead results and inputs lets more fuse.
    FUSE,
    SIMPLIFY,
    // By now intermediate small arrays have fused away. What is left over literals becomes straight code, whose parts fuse like the
    // inner operations of nests that have fused.
    UNROLL,
    FUSE,
    SIMPLIFY,
    SEGMENT,
    // Elements of iotas become indices, so that scheduling sees which accesses are contiguous.
    SIMPLIFY,
    // By now conditions are on indices, no longer on elements of iotas.
    TIGHTEN,
    // Before the passes that give small operations versions for many threads.
    ENCLOSE,
    // After `enclose`, whose operations are small, and before the passes that know nests.
    DELINEARISE,
    DISTRIBUTE,
    DIVIDE,
    SCHEDULE,
    // Folds have become loops, and nests flat spaces. Now copies go and invariant work leaves inner loops.
    SIMPLIFY,
    TILE,
    CARRY,
    SPECIALISE,
    // In the interior, clamps and border cases fold away.
    SIMPLIFY,
    NARROW,
    CONTRACT,
    // Products that only fed contracted sums are dead, and so are wide values with narrow companions.
    SIMPLIFY,
    PLACE,
    SHORT_CIRCUIT,
    // After short-circuiting: an array that is made in place needs no block that others could share.
    MERGE,
];

/// Pipeline from a front end's output to the input of the device lowering.
#[rustfmt::skip]
pub const DEVICE: &[Pass] = &[
    INLINE_SMALL, SIMPLIFY, INLINE, ACCUMULATE, SIMPLIFY, SINK,
    // Up to FLATTEN the order and its reasons are those for CPUs, except for regularisation, which comes after FLATTEN.
    FUSE, SIMPLIFY, SINK, COUNT, UNMAP, HOIST, FUSE, SIMPLIFY, UNROLL_DEVICE, SIMPLIFY,
    // The next passes make flat spaces of nests, and a space of negative size has no point that could fail.
    CHECK_SIZES,
    // Fused nests are lifted. The operations that replace them fuse again, and so do operations on gathered rows.
    FLATTEN, GATHER, REGULARISE_IN_ORDER, SIMPLIFY, FUSE, SIMPLIFY, FUSE, SIMPLIFY,
    NEST_DEVICE, SEGMENT_DEVICE, SIMPLIFY, SCHEDULE_DEVICE, SIMPLIFY,
    // Needs to know what the host runs and decides.
    MIGRATE,
    // After simplification, which turns elements of rows into elements of arrays.
    SIMPLIFY, COALESCE, CARRY, JAM, SPECIALISE, SIMPLIFY, CONTRACT, SIMPLIFY,
    PLACE, SHORT_CIRCUIT, MERGE,
];

/// Pipeline before an entry point is split into chunks: as for CPUs, as long as the operations are still those of the program.
#[rustfmt::skip]
pub const WHOLE: &[Pass] = &[INLINE_SMALL, SIMPLIFY, INLINE, ACCUMULATE, REGULARISE_IN_ORDER, SIMPLIFY, SINK, FUSE, SIMPLIFY, SINK, FUSE, SIMPLIFY];

/// Pipeline of the reference interpreter, which does not run the program as written: contraction is part of a program's meaning,
/// and it needs products and sums in one body.
pub const REFERENCE: &[Pass] = &[INLINE_SMALL, SIMPLIFY, INLINE, SIMPLIFY, CONTRACT];

/// Pipeline from the reference interpreter's program to machine code, for runs that would take the interpreter too long. Nothing
/// is fused, so that the code shares as little as possible with the code it is compared with.
pub const UNFUSED: &[Pass] = &[
    INLINE_SMALL,
    SIMPLIFY,
    INLINE,
    // The passes after these two know neither accumulators nor results that have sizes of their own.
    ACCUMULATE,
    REGULARISE_IN_ORDER,
    SIMPLIFY,
    STRAIGHTEN,
    SEGMENT, // Elements of iotas become indices: computed, not stored.
    SIMPLIFY,
    SCHEDULE,
    SIMPLIFY,
    PLACE,
];

/// Passes that can be left out: they make code faster, and change results by rounding at most.
#[rustfmt::skip]
pub const OPTIONAL: &[Pass] = &[SINK, FUSE, UNMAP, HOIST, NEST, UNROLL, TIGHTEN, ENCLOSE, DELINEARISE, DISTRIBUTE, DIVIDE, CARRY, SPECIALISE, TILE, NARROW, CONTRACT, SHORT_CIRCUIT, MERGE];

/// Returns the given passes without contraction, so that every float operation is rounded separately.
pub fn strict(passes: &[Pass]) -> Vec<Pass> {
    passes.iter().filter(|pass| pass.name != CONTRACT.name).copied().collect()
}

/// Returns the given passes with the licence to approximate.
pub fn fast(passes: &[Pass]) -> Vec<Pass> {
    // Divisions become products, which contract.
    let with_relax = |pass: &Pass| if pass.name == CONTRACT.name { vec![RELAX, *pass] } else { vec![*pass] };
    passes.iter().flat_map(with_relax).collect()
}

/// Returns the pass of this name.
pub fn pass(name: &str) -> Option<&'static Pass> {
    PASSES.iter().find(|pass| pass.name == name)
}

/// Replaces calls by bodies.
pub const INLINE: Pass = Pass {
    name: "inline",
    about: "replace calls by the bodies of their callees",
    needs: Level::Soac,
    gives: None,
    run: crate::inline::inline,
};

/// Replaces calls of small functions by bodies, in programs where inlining all calls at once would make too much code.
pub const INLINE_SMALL: Pass = Pass {
    name: "inline_small",
    about: "replace calls of small functions in programs that calls would make large",
    needs: Level::Soac,
    gives: None,
    run: crate::inline::inline_small,
};

const SIMPLIFY: Pass = Pass {
    name: "simplify",
    about: "fold, share, hoist and remove to a fixpoint",
    needs: Level::Soac,
    gives: None,
    run: crate::simplify::simplify,
};

const ACCUMULATE: Pass = Pass {
    name: "accumulate",
    about: "replace accumulators by histograms, scatters and loops",
    needs: Level::Soac,
    gives: None,
    run: crate::accumulate::accumulate,
};

const REGULARISE: Pass = Pass {
    name: "regularise",
    about: "replace maps with results of sizes of their own by regular operations",
    needs: Level::Soac,
    gives: None,
    run: crate::regularise::regularise,
};

const REGULARISE_IN_ORDER: Pass = Pass {
    name: "regularise_in_order",
    about: "do the same, without versions that compute many results with parallelism inside at once",
    needs: Level::Soac,
    gives: None,
    run: crate::regularise::regularise_in_order,
};

const SINK: Pass = Pass {
    name: "sink",
    about: "compute of maps only what slices and indices take",
    needs: Level::Soac,
    gives: None,
    run: crate::sink::sink,
};

const FUSE: Pass = Pass {
    name: "fuse",
    about: "fuse SOACs with their producers and neighbours",
    needs: Level::Soac,
    gives: None,
    run: crate::fuse::fuse,
};

const MIGRATE: Pass = Pass {
    name: "migrate",
    about: "leave scalars on the device that only kernels need",
    needs: Level::Seg,
    gives: None,
    run: crate::migrate::migrate,
};

const COALESCE: Pass = Pass {
    name: "coalesce",
    about: "store side by side what neighbouring work-items walk along",
    needs: Level::Seg,
    gives: None,
    run: crate::coalesce::coalesce,
};

const CONTRACT: Pass = Pass {
    name: "contract",
    about: "make fused multiply-adds explicit",
    needs: Level::Soac,
    gives: None,
    run: crate::contract::contract,
};

const COUNT: Pass = Pass {
    name: "count",
    about: "replace partitions that are only counted or reduced by reductions",
    needs: Level::Soac,
    gives: None,
    run: crate::count::count,
};

const UNMAP: Pass = Pass {
    name: "unmap",
    about: "replace maps that only show their rows by views",
    needs: Level::Soac,
    gives: None,
    run: crate::unmap::unmap,
};

const HOIST: Pass = Pass {
    name: "hoist",
    about: "move array operations that are the same in every round out of loops and maps",
    needs: Level::Soac,
    gives: None,
    run: crate::hoist::hoist,
};

const NEST: Pass = Pass {
    name: "nest",
    about: "run maps over flattened views as nests",
    needs: Level::Soac,
    gives: None,
    run: crate::nest::nest,
};

/// The form of [`NEST`] for devices, under the same name for those who leave it out.
const NEST_DEVICE: Pass = Pass {
    name: NEST.name,
    about: NEST.about,
    needs: Level::Soac,
    gives: None,
    run: crate::nest::nest_device,
};

const UNROLL: Pass = Pass {
    name: "unroll",
    about: "unroll operations over array literals inside nests and loops",
    needs: Level::Soac,
    gives: None,
    run: crate::unroll::unroll,
};

/// The form of [`UNROLL`] for devices, under the same name for those who leave it out.
const UNROLL_DEVICE: Pass = Pass {
    name: UNROLL.name,
    about: UNROLL.about,
    needs: Level::Soac,
    gives: None,
    run: crate::unroll::unroll_device,
};

const FLATTEN: Pass = Pass {
    name: "flatten",
    about: "replace irregular nests by operations over segments",
    needs: Level::Soac,
    gives: None,
    run: crate::flatten::flatten,
};

const CHECK_SIZES: Pass = Pass {
    name: "check_sizes",
    about: "move checks of sizes out of nests",
    needs: Level::Soac,
    gives: None,
    run: crate::check_sizes::check_sizes,
};

const GATHER: Pass = Pass {
    name: "gather",
    about: "let partitions keep indices of rows, and gather the rows",
    needs: Level::Soac,
    gives: None,
    run: crate::gather::gather,
};

const STRAIGHTEN: Pass = Pass {
    name: "straighten",
    about: "lay transposed arrays out as they are read",
    needs: Level::Soac,
    gives: None,
    run: crate::straighten::straighten,
};

const SEGMENT: Pass = Pass {
    name: "segment",
    about: "turn SOACs into segmented operations",
    needs: Level::Soac,
    gives: Some(Level::Seg),
    run: crate::segment::segment,
};

const SEGMENT_DEVICE: Pass = Pass {
    name: "segment_device",
    about: "turn SOACs into segmented operations for devices",
    needs: Level::Soac,
    gives: Some(Level::Seg),
    run: crate::segment::segment_device,
};

const TIGHTEN: Pass = Pass {
    name: "tighten",
    about: "reduce only the iterations whose values are not the neutral element",
    needs: Level::Seg,
    gives: None,
    run: crate::tighten::tighten,
};

const ENCLOSE: Pass = Pass {
    name: "enclose",
    about: "run host loops of small operations as one task",
    needs: Level::Seg,
    gives: None,
    run: crate::enclose::enclose,
};

const DELINEARISE: Pass = Pass {
    name: "delinearise",
    about: "give flat ranges a dimension for each quotient and remainder of their index",
    needs: Level::Seg,
    gives: None,
    run: crate::delinearise::delinearise,
};

const DISTRIBUTE: Pass = Pass {
    name: "distribute",
    about: "give few outer iterations the parallelism of the map at their end",
    needs: Level::Seg,
    gives: None,
    run: crate::distribute::distribute,
};

const DIVIDE: Pass = Pass {
    name: "divide",
    about: "cut the long reductions of few columns into blocks",
    needs: Level::Seg,
    gives: None,
    run: crate::divide::divide,
};

const SCHEDULE: Pass = Pass {
    name: "schedule",
    about: "choose tasks, lanes and sequential loops for a CPU",
    needs: Level::Seg,
    gives: None,
    run: crate::schedule::schedule,
};

const SCHEDULE_DEVICE: Pass = Pass {
    name: "schedule_device",
    about: "choose what the work-items of a device run",
    needs: Level::Seg,
    gives: None,
    run: crate::schedule::device::schedule_device,
};

const CARRY: Pass = Pass {
    name: "carry",
    about: "carry what a loop has written last to the iteration that reads it",
    needs: Level::Soac,
    gives: None,
    run: crate::carry::carry,
};

const JAM: Pass = Pass {
    name: "jam",
    about: "run iterations side by side whose inner loops load the same",
    needs: Level::Seg,
    gives: None,
    run: crate::jam::jam,
};

const SPECIALISE: Pass = Pass {
    name: "specialise",
    about: "give lanes and work-items a faster body for the interior of their range",
    needs: Level::Seg,
    gives: None,
    run: crate::specialise::specialise,
};

const TILE: Pass = Pass {
    name: "tile",
    about: "compute several rows at a time where they share what they load",
    needs: Level::Seg,
    gives: None,
    run: crate::tile::tile,
};

const NARROW: Pass = Pass {
    name: "narrow",
    about: "compute in 32 bits what the low 32 bits of wide integers decide",
    needs: Level::Seg,
    gives: None,
    run: crate::narrow::narrow,
};

const RELAX: Pass = Pass {
    name: "relax",
    about: "approximate divisions by roots and constants (--fast-math)",
    needs: Level::Soac,
    gives: None,
    run: crate::relax::relax,
};

const PLACE: Pass = Pass {
    name: "place",
    about: "place arrays in memory",
    needs: Level::Seg,
    gives: Some(Level::Mem),
    run: crate::place::place,
};

const SHORT_CIRCUIT: Pass = Pass {
    name: "short_circuit",
    about: "make arrays where they are copied to",
    needs: Level::Mem,
    gives: None,
    run: crate::short_circuit::short_circuit,
};

const MERGE: Pass = Pass {
    name: "merge",
    about: "let arrays share memory that do not live at one time",
    needs: Level::Mem,
    gives: None,
    run: crate::merge::merge,
};
