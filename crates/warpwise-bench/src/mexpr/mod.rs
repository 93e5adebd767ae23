//! Host programs (`.mc`): their accelerated expressions against the array language, their host against OCaml, and the marshalling
//! of values.
//!
//! - [`work`]: the accelerated expressions of `examples/mexpr`, with their captured values, against the same programs in the
//!   array language (`benchmarks/mexpr`) on the same values, in turn; against the sequential host; and the compilation time of a
//!   program.
//! - [`moving`]: marshalling of values to accelerated expressions and back, against copying memory.
//! - [`host`]: loops and allocation on the sequential host, against OCaml's native compiler.

pub mod host;
pub mod moving;
pub mod program;
pub mod work;

use std::fmt::Write;

use crate::measure::Ratio;

/// All figures.
#[derive(serde::Serialize)]
pub struct Report {
    /// Number of threads of accelerated code.
    pub threads: usize,
    /// Figures of accelerated expressions.
    pub work: Vec<work::Figures>,
    /// Figures of marshalling.
    pub moving: Vec<moving::Figures>,
    /// Figures of the sequential host; none without OCaml.
    pub host: Vec<host::Figures>,
}

/// Measures all figures; `share` reduces sizes.
pub fn report(root: &std::path::Path, threads: usize, rounds: usize, share: f64) -> Result<Report, String> {
    Ok(Report {
        threads,
        work: work::figures(root, threads, rounds, share)?,
        moving: moving::figures(threads, rounds, share)?,
        host: host::figures(rounds, share)?,
    })
}

/// Formats a ratio with its spread.
fn spread(ratio: &Ratio) -> String {
    format!("{:.2} ({:.2}–{:.2})", ratio.median, ratio.low, ratio.high)
}

impl Report {
    /// Returns the figures as tables.
    pub fn markdown(&self) -> String {
        let mut text = format!(
            "# Host programs\n\nAccelerated code has {} threads. Ratios are medians over rounds, with the lowest and the highest.\n\n",
            self.threads
        );
        text.push_str("| program | compile | accelerated | speed of the array language | times the sequential host |\n|---|---|---|---|---|\n");
        for it in &self.work {
            let against = it.array_language.as_ref().map_or("–".to_string(), spread);
            let host = it.sequential.map_or("–".to_string(), |times| format!("{times:.0}"));
            // Writing to a string cannot fail.
            let _ = writeln!(
                text,
                "| {} | {:.2} s | {:.2} ms | {against} | {host} |",
                it.name,
                it.compile,
                1e3 * it.time
            );
        }
        text.push_str("\n| values | there and back | speed of copying memory |\n|---|---|---|\n");
        for it in &self.moving {
            let _ = writeln!(text, "| {} | {:.2} ms | {} |", it.name, 1e3 * it.time, spread(&it.of_copying));
        }
        text.push_str("\n| on the sequential host | time | times OCaml's |\n|---|---|---|\n");
        for it in &self.host {
            let _ = writeln!(text, "| {} | {:.0} ms | {} |", it.name, 1e3 * it.time, spread(&it.over_ocaml));
        }
        if self.host.is_empty() {
            text.push_str("| (no OCaml here) | | |\n");
        }
        text
    }
}
