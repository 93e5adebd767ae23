//! The output of `--profile`, and the file that `--profile-trace` writes.
//!
//! The file is in the trace format that Chrome and Perfetto read: complete events (`X`) with times in microseconds
//! since the start, the phases of the command in one row, kernels in another, copies in a third.

use std::time::{Duration, Instant};

use serde::Serialize;
use warpwise_driver::copies::StayingCopy;
use warpwise_driver::host::recorded::{Marshaled, Moved};
use warpwise_runtime::device::memory::{Copies, Traffic};
use warpwise_runtime::execute::{Spent, Step};
use warpwise_runtime::memory::PoolStatistics;

use crate::output::say;

/// The phases of a command, with their times.
pub struct Phases {
    shown: bool,
    /// Start of the first phase.
    pub begin: Instant,
    start: Instant,
    keeps: bool,
    /// Finished phases, if they are kept.
    pub kept: Vec<(String, Instant, Duration)>,
}

impl Phases {
    /// Starts the first phase. Finished phases are printed if `shown`.
    pub fn new(shown: bool) -> Phases {
        let begin = Instant::now();
        Phases { shown, begin, start: begin, keeps: false, kept: Vec::new() }
    }

    /// Keeps phases for a trace.
    pub fn keep(&mut self, keeps: bool) {
        self.keeps = keeps;
    }

    /// Ends a phase.
    pub fn done(&mut self, name: &str) {
        if self.keeps {
            self.kept.push((name.to_string(), self.start, self.start.elapsed()));
        }
        if self.shown {
            say(&format!("{name:<20} {:>10.3} ms", 1e3 * self.start.elapsed().as_secs_f64()));
        }
        self.start = Instant::now();
    }

    /// Prints the times of launches, copies and fills, one line each.
    pub fn spent(&self, spent: &[Spent]) {
        for Spent { what, place, lines, times, time, bytes } in spent.iter().filter(|_| self.shown) {
            let lines = if lines.is_empty() { String::new() } else { format!("  lines {lines}") };
            say(&format!(
                "  {what:<18} {:>10.3} ms {times:>7} times {:>10.3} MB each {:>9.3} GB/s  {place}{lines}",
                1e3 * time.as_secs_f64(),
                *bytes as f64 / *times as f64 / 1e6,
                *bytes as f64 / time.as_secs_f64().max(1e-9) / 1e9,
            ));
        }
    }

    /// Prints the peak of used host memory.
    pub fn memory(&self, peak: u64) {
        if self.shown {
            say(&format!("{:<20} {:>10.3} MB", "memory at most", peak as f64 / 1e6));
        }
    }

    /// Prints the copies that stay in the program, one line each, with the reason.
    pub fn copies(&self, staying: &[StayingCopy]) {
        if !self.shown || staying.is_empty() {
            return;
        }
        say("copies in the program");
        for StayingCopy { place, array, in_kernel, why } in staying {
            let of = if *in_kernel { " in a kernel" } else { "" };
            say(&format!("  {place}: `{array}` is copied{of}: {why}"));
        }
    }

    /// Prints statistics of a device's memory, one line for each kind of copy.
    pub fn device_memory(&self, statistics: PoolStatistics, traffic: Traffic) {
        if !self.shown {
            return;
        }
        let peak = statistics.peak_live as f64 / 1e6;
        say(&format!("{:<20} {peak:>10.3} MB", "device memory"));
        let Traffic { to_device: _, to_host: _, evicted, written_back, brought_back } = traffic;
        let kinds = [("evicted", evicted), ("written back", written_back), ("brought back", brought_back)];
        for (what, Copies { times, bytes }) in kinds {
            say(&format!("  {what:<18} {:>10.3} MB {times:>7} times", bytes as f64 / 1e6));
        }
    }

    /// Prints statistics of the values passed to accelerated expressions and returned.
    pub fn marshaled(&self, marshaled: Marshaled) {
        if !self.shown {
            return;
        }
        let Marshaled { calls, given, returned, computing, moving } = marshaled;
        let millis = |time: Duration| 1e3 * time.as_secs_f64();
        say(&format!("{:<20} {calls:>10} calls", "accelerated"));
        say(&format!("  {:<18} {:>10.3} ms", "computing", millis(computing)));
        say(&format!("  {:<18} {:>10.3} ms", "moving values", millis(moving)));
        for (what, Moved { values, bytes }) in [("handed over", given), ("given back", returned)] {
            say(&format!("  {what:<18} {:>10.3} MB {values:>7} values", bytes as f64 / 1e6));
        }
    }
}

/// A trace as Chrome and Perfetto read it.
#[derive(Serialize)]
pub struct Trace {
    #[serde(rename = "traceEvents")]
    events: Vec<Event>,
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
}

#[derive(Serialize)]
struct Event {
    name: String,
    /// `X`: an event with a start and a duration; `M`: the name of a row.
    #[serde(rename = "ph")]
    kind: char,
    /// Start, in microseconds.
    #[serde(rename = "ts")]
    start: f64,
    #[serde(rename = "dur")]
    time: f64,
    #[serde(rename = "pid")]
    process: u32,
    #[serde(rename = "tid")]
    row: u32,
    args: Arguments,
}

#[derive(Default, Serialize)]
struct Arguments {
    #[serde(skip_serializing_if = "String::is_empty")]
    name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    #[serde(rename = "GB/s", skip_serializing_if = "Option::is_none")]
    rate: Option<f64>,
}

/// The rows of a trace.
const ROWS: [&str; 3] = ["phases", "kernels", "copies"];

/// Returns a trace of phases and steps, with times since `begin`.
pub fn trace(begin: Instant, phases: &[(String, Instant, Duration)], steps: &[Step]) -> Trace {
    let micros = |time: Duration| 1e6 * time.as_secs_f64();
    let event = |name: &str, row: u32, start: Instant, time: Duration, args: Arguments| Event {
        name: name.to_string(),
        kind: 'X',
        start: micros(start.saturating_duration_since(begin)),
        time: micros(time),
        process: 1,
        row,
        args,
    };
    let rows = ROWS.iter().zip(0..).map(|(name, row)| {
        let args = Arguments { name: name.to_string(), ..Arguments::default() };
        Event { kind: 'M', ..event("thread_name", row, begin, Duration::ZERO, args) }
    });
    let phases = phases.iter().map(|(name, start, time)| event(name, 0, *start, *time, Arguments::default()));
    let steps = steps.iter().map(|Step { what, place, start, time, bytes }| {
        let rate = Some(*bytes as f64 / time.as_secs_f64().max(1e-9) / 1e9);
        let args = Arguments { place: place.clone(), bytes: Some(*bytes), rate, ..Arguments::default() };
        event(what, if place.is_empty() { 2 } else { 1 }, *start, *time, args)
    });
    Trace { events: rows.chain(phases).chain(steps).collect(), unit: "ms" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_have_rows_and_times_since_the_start() {
        let begin = Instant::now();
        let at = |millis: u64| begin + Duration::from_millis(millis);
        let phases = [("run".to_string(), at(1), Duration::from_millis(9))];
        let step = |what: &str, place: &str, start: u64| Step {
            what: what.to_string(),
            place: place.to_string(),
            start: at(start),
            time: Duration::from_millis(2),
            bytes: 4_000_000,
        };
        let steps = [step("k", "p.fut:1:1", 3), step("copy", "", 6)];
        let trace = serde_json::to_value(trace(begin, &phases, &steps)).expect("data");
        let events = trace["traceEvents"].as_array().expect("events");
        let rows: Vec<_> = events.iter().map(|event| (event["ph"].as_str(), event["tid"].as_u64())).collect();
        let (m, x) = (Some("M"), Some("X"));
        let wanted = [(m, 0), (m, 1), (m, 2), (x, 0), (x, 1), (x, 2)];
        assert_eq!(rows, wanted.map(|(kind, row)| (kind, Some(row))));
        assert_eq!(events[0]["args"]["name"], "phases");
        let kernel = &events[4];
        let close = |x: &serde_json::Value, to: f64| (x.as_f64().expect("a number") - to).abs() < 1e-6;
        assert!(close(&kernel["ts"], 3000.0) && close(&kernel["dur"], 2000.0), "{kernel}");
        assert!(close(&kernel["args"]["GB/s"], 2.0) && kernel["args"]["place"] == "p.fut:1:1", "{kernel}");
    }
}
