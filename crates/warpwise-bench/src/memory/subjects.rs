//! The programs whose memory traffic is measured, and the memory of handwritten programs.
//!
//! Every entry point takes a size and a number of steps, creates its arrays itself, and yields one value, so that only the step
//! is counted: its allocations and copies occur once per step.

/// An entry point with its sizes.
#[derive(Clone, Copy, Debug)]
pub struct Subject {
    /// Path of the file below `benchmarks`.
    pub file: &'static str,
    /// The entry point.
    pub entry: &'static str,
    /// The measured size.
    pub size: i64,
    /// Size in bytes of the arrays of a C program, which copies none.
    pub by_hand: u64,
}

/// Number of steps.
pub const STEPS: i64 = 20;

/// Number of elements of an array of some megabytes.
const LONG: i64 = 1 << 20;

/// Side of a square with the same number of elements.
const SIDE: i64 = 1 << 10;

/// Entry points of one file: the size, the bytes of an array, and for each entry point the number of such arrays in a handwritten
/// program.
type Group = (&'static str, i64, i64, &'static [(&'static str, u64)]);

const GROUPS: [Group; 14] = [
    ("memory/rows.fut", LONG, 4 * LONG, &[("other_row", 4), ("same_row", 4), ("next_rows", 4)]),
    ("memory/rows.fut", LONG, 4 * LONG, &[("chosen_maker", 5), ("chosen_rows", 4), ("first_and_last", 4)]),
    ("memory/halves.fut", LONG, 8 * LONG, &[("search", 1), ("exchanged", 2), ("joined", 1)]),
    ("memory/halves.fut", LONG, 8 * LONG, &[("interleaved", 1), ("shifted", 1), ("longer", 1)]),
    ("memory/choices.fut", SIDE, 4 * SIDE, &[("row_of_two", 4), ("part_or_whole", 4)]),
    ("memory/choices.fut", SIDE, 4 * SIDE * SIDE, &[("turned_or_not", 2), ("grids_in_turn", 2)]),
    ("memory/borders.fut", SIDE, 4 * SIDE * SIDE, &[("bordered", 2), ("inner_part", 2), ("heated", 2)]),
    ("memory/borders.fut", SIDE, 4 * SIDE * SIDE, &[("next_columns", 1), ("left_columns", 1)]),
    (
        "memory/views.fut",
        SIDE,
        4 * SIDE * SIDE,
        &[("turned_flat", 1), ("reversed_product", 1), ("few_of_many", 1)],
    ),
    (
        "memory/views.fut",
        SIDE,
        4 * SIDE * SIDE,
        &[("all_tails", 1), ("windows", 1), ("rotated", 1), ("every_other", 1), ("blocks_of_rows", 2)],
    ),
    ("memory/views.fut", 64 * SIDE, 60 * 64 * SIDE, &[("turned_planes", 2)]),
    (
        "memory/own.fut",
        LONG,
        8 * LONG,
        &[("mapped", 1), ("scanned", 1), ("scattered", 1), ("counted", 1), ("filled", 1)],
    ),
    ("memory/own.fut", LONG / 8, 8 * LONG, &[("scanned_rows", 1), ("scanned_columns", 1)]),
    ("memory/blocks.fut", SIDE / 2, SIDE * SIDE, &[("trailing", 1), ("decomposed", 1), ("wavefront", 1)]),
];

/// Returns all subjects, by file.
pub fn subjects() -> Vec<Subject> {
    let of = |&(file, size, bytes, entries): &Group| {
        let subject = move |&(entry, arrays): &(&'static str, u64)| {
            let by_hand = arrays * bytes.unsigned_abs();
            Subject { file, entry, size, by_hand }
        };
        entries.iter().map(subject).collect::<Vec<_>>()
    };
    GROUPS.iter().flat_map(of).collect()
}
