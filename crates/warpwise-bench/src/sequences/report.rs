//! The tables, with the required value beside every figure.

use std::fmt::Write;

use super::{Report, Row, peers};
use crate::measure::{Ratio, geometric_mean};

impl Report {
    /// Returns all tables as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = String::from(
            "# Sequences\n\nThe example `streams` of the crate `warpwise`: programs of sequences against the whole-array programs on the same data, \
             in memory, and from files in the page cache with a quarter of their size as the budget.\n\n\
             | program | MB | in memory: whole / sequence, asked 0.9 | files over the budget: throughput / in memory, asked 0.75 | \
             slow files: time / longer part, at most 1.15 | anonymous memory / budget, at most 1.1 | GB/s from files |\n\
             |---|---|---|---|---|---|---|\n",
        );
        self.rows.iter().for_each(|row| text.push_str(&line(row)));
        text.push_str("\n| program | ours | the other | other's time / sequence | asked | other's time / whole array |\n|---|---|---|---|---|---|\n");
        for peers::Row { program, ours, other, sequence, whole, asked } in &self.peers {
            let _ = writeln!(
                text,
                "| {program} | {:.2} ms | {other} | {} | {asked} | {} |",
                1e3 * ours,
                judged(sequence, sequence.median >= *asked),
                whole.map_or("-".to_string(), |whole| format!("{:.2}", whole.median)),
            );
        }
        for other in peers::OTHERS {
            let of = |row: &&peers::Row| row.other == other && row.program != peers::PAGE_RANK;
            let ratios: Vec<f64> = self.peers.iter().filter(of).map(|row| row.sequence.median).collect();
            if let Some(mean) = geometric_mean(&ratios) {
                let _ = writeln!(text, "\nGeometric mean over the matrices against {other}: {mean:.2}");
            }
        }
        text
    }
}

/// Returns a line of the first table.
pub fn line(row: &Row) -> String {
    let Row { program, bytes, in_memory, over_budget, overlap, memory, gigabytes_per_second } = row;
    format!(
        "| {program} | {} | {} | {} | {} | {:.2}{} | {gigabytes_per_second:.2} |\n",
        bytes >> 20,
        judged(in_memory, in_memory.median >= 0.9),
        judged(over_budget, over_budget.median >= 0.75),
        judged(overlap, overlap.median <= 1.15),
        memory,
        if *memory <= 1.1 { "" } else { ", missed" },
    )
}

fn judged(ratio: &Ratio, reached: bool) -> String {
    format!(
        "{:.2} ({:.2} to {:.2}){}",
        ratio.median,
        ratio.low,
        ratio.high,
        if reached { "" } else { ", missed" }
    )
}
