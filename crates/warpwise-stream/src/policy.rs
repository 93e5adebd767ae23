//! The size of the next chunk, in units: a pure function of the cost of the last steps.
//!
//! A *unit* is the component of chunks: one element, or one block of elements. A stream starts with one unit, or with the number
//! that the last stream of the same work ended with. As long as the processors are not saturated, the chunk grows. Then it grows
//! only while the time per unit falls, and shrinks when the time rises. Times are moving averages. Growing is twice as fast as
//! shrinking (a factor of 2 against its root). After a brief step the chunk grows by larger factors, limited so that the next
//! step cannot be long. Only a complete step of the current size counts: chunks that were read before the last change are
//! ignored. No chunk is larger than the byte budget allows, by the observed bytes per unit. The rule is that of papers/004,
//! section 5.4.
//!
//! Absent: clocks, measuring, threads ([`crate::pipeline`] does that). No result of a program may depend on the size chosen here;
//! [`crate::pipeline::Grouping`] says how that is ensured.

use std::time::Duration;

/// Minimum share of a step spent computing for which the processors count as saturated.
const SATURATED: f64 = 0.8;
/// Steps shorter than this consist mostly of the fixed costs of a chunk: waking threads, calling programs.
const BRIEF: Duration = Duration::from_millis(2);
/// Minimum and maximum factor by which a chunk with brief steps grows.
const HASTE: (f64, f64) = (8.0, 64.0);
/// Minimum relative change of the time per unit that counts as a change.
const NOTICEABLE: f64 = 0.05;
/// Reciprocal of the fraction of units that a chunk may lack (to end at a convenient place) and still count as one of the current
/// size.
const SHORT: u64 = 8;
/// Weight of the last step in moving averages.
const WEIGHT: f64 = 0.5;

/// Upper bounds of chunks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Maximum number of units.
    pub units: u64,
    /// Maximum number of bytes of everything in flight together.
    pub bytes: u64,
}

/// The measurements so far.
#[derive(Clone, PartialEq, Debug)]
pub struct State {
    /// Number of units of the next chunk, at least 1.
    pub units: u64,
    /// Moving average of the seconds per unit.
    time: Option<f64>,
    /// Moving average of the share of time spent computing.
    saturation: Option<f64>,
}

/// The cost of a complete step.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sample {
    /// Number of units of the chunk.
    pub units: u64,
    /// Time spent computing.
    pub busy: Duration,
    /// Time from the end of the previous step to the end of this one.
    pub elapsed: Duration,
    /// Part of `elapsed` spent waiting for sources and sinks, which is no sign of idle processors: another chunk size would not
    /// reduce it.
    pub waiting: Duration,
    /// Maximum number of bytes in flight per unit.
    pub unit_bytes: u64,
}

impl State {
    /// Returns the state before the first step.
    pub fn start() -> State {
        State::experienced(1)
    }

    /// Returns the state before the first step of a stream if the last stream of the same work ended with chunks of `units`
    /// units.
    pub fn experienced(units: u64) -> State {
        State { units: units.max(1), time: None, saturation: None }
    }
}

/// Returns the state after a step.
pub fn next(state: &State, sample: &Sample, limits: &Limits) -> State {
    let most = limits.units.min(limits.bytes / sample.unit_bytes.max(1)).max(1);
    if sample.units > state.units || sample.units < state.units - state.units / SHORT {
        return State { units: state.units.min(most), ..state.clone() };
    }
    let time = sample.elapsed.as_secs_f64() / sample.units as f64;
    let share = saturation(sample);
    let saturation = averaged(state.saturation, share);
    let units = match state.time {
        _ if sample.elapsed < BRIEF => hastened(state.units, sample.elapsed),
        _ if saturation < SATURATED => grown(state.units),
        None => grown(state.units),
        Some(before) if time < before * (1.0 - NOTICEABLE) => grown(state.units),
        Some(before) if time > before * (1.0 + NOTICEABLE) => shrunk(state.units),
        Some(_) => state.units,
    };
    State { units: units.min(most), time: Some(averaged(state.time, time)), saturation: Some(saturation) }
}

fn saturation(sample: &Sample) -> f64 {
    let available = sample.elapsed.saturating_sub(sample.waiting).as_secs_f64();
    if available > 0.0 { (sample.busy.as_secs_f64() / available).min(1.0) } else { 1.0 }
}

fn averaged(before: Option<f64>, now: f64) -> f64 {
    before.map_or(now, |before| WEIGHT * now + (1.0 - WEIGHT) * before)
}

/// Returns the number of units with which a step is no longer brief, if its time grows in proportion.
fn hastened(units: u64, elapsed: Duration) -> u64 {
    let factor = BRIEF.as_secs_f64() / elapsed.as_secs_f64();
    units.saturating_mul(factor.clamp(HASTE.0, HASTE.1) as u64)
}

fn grown(units: u64) -> u64 {
    units.saturating_mul(2)
}

/// Shrinks a chunk; two such steps undo one [`grown`].
fn shrunk(units: u64) -> u64 {
    ((units as f64 * std::f64::consts::FRAC_1_SQRT_2).ceil() as u64).clamp(1, units)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits = Limits { units: u64::MAX, bytes: u64::MAX };

    /// Makes a step of the current size with `milliseconds` per unit, a `share` of them computing.
    fn step(state: &State, milliseconds: u64, share: f64, limits: &Limits, unit_bytes: u64) -> State {
        let elapsed = Duration::from_millis(milliseconds * state.units);
        let busy = elapsed.mul_f64(share);
        let waiting = Duration::ZERO;
        next(state, &Sample { units: state.units, busy, elapsed, waiting, unit_bytes }, limits)
    }

    /// Returns the chunk sizes after steps with these times per unit and shares of computing.
    fn sizes(steps: &[(u64, f64)]) -> Vec<u64> {
        let mut state = State::start();
        let one = |&(milliseconds, share): &(u64, f64)| {
            state = step(&state, milliseconds, share, &LIMITS, 8);
            state.units
        };
        steps.iter().map(one).collect()
    }

    /// A name, times per unit and shares of computing, and the expected chunk sizes.
    type Row<'t> = (&'t str, &'t [(u64, f64)], &'t [u64]);

    #[test]
    fn the_table() {
        let table: &[Row] = &[
            ("grows while idle, even at constant time", &[(100, 0.1); 5], &[2, 4, 8, 16, 32]),
            ("a plateau stays", &[(100, 1.0); 6], &[2, 2, 2, 2, 2, 2]),
            ("grows while time falls", &[(800, 1.0), (400, 1.0), (200, 1.0), (100, 1.0)], &[2, 4, 8, 16]),
            ("then keeps", &[(800, 1.0), (400, 1.0), (200, 1.0), (390, 1.0), (390, 1.0)], &[2, 4, 8, 8, 8]),
            (
                "growing elements shrink it",
                &[(100, 0.1), (100, 0.2), (100, 0.9), (1000, 1.0), (2000, 1.0), (4000, 1.0), (8000, 1.0)],
                &[2, 4, 8, 16, 12, 9, 7],
            ),
            ("at least one", &[(3, 1.0), (10, 1.0), (100, 1.0), (1000, 1.0), (9000, 1.0)], &[2, 2, 2, 2, 2]),
            ("noise below the threshold changes nothing", &[(100, 1.0), (103, 1.0), (98, 1.0)], &[2, 2, 2]),
            ("brief steps hasten, busy as they are", &[(0, 1.0), (0, 1.0)], &[64, 4096]),
            ("those that are nearly long less", &[(1, 1.0), (1, 1.0)], &[8, 8]),
            ("saturation is averaged", &[(100, 0.0), (100, 1.0), (100, 1.0), (100, 1.0)], &[2, 4, 8, 8]),
        ];
        for (name, steps, expected) in table {
            assert_eq!(sizes(steps), *expected, "{name}");
        }
    }

    #[test]
    fn two_shrinkings_take_back_one_growth() {
        for units in [2, 4, 64, 1024, 1 << 20] {
            let twice = shrunk(shrunk(grown(units)));
            assert!(twice >= units && twice <= units + 2, "{units}: {twice}");
        }
        assert_eq!(shrunk(1), 1);
    }

    #[test]
    fn the_budget_is_never_exceeded() {
        let limits = Limits { units: u64::MAX, bytes: 1000 };
        let mut state = State::start();
        for unit_bytes in [10, 10, 10, 10, 10, 10, 10, 10, 40, 40, 400, 2000, 3] {
            state = step(&state, 100, 0.1, &limits, unit_bytes);
            assert!(state.units == 1 || state.units * unit_bytes <= 1000, "{} of {unit_bytes}", state.units);
        }
        let limits = Limits { units: 5, bytes: u64::MAX };
        let mut state = State::start();
        for _ in 0..10 {
            state = step(&state, 100, 0.1, &limits, 0);
        }
        assert_eq!(state.units, 5);
    }

    #[test]
    fn chunks_of_other_sizes_are_not_asked() {
        let state = step(&State::start(), 100, 0.1, &LIMITS, 8);
        let old = Sample {
            units: 1,
            busy: Duration::ZERO,
            elapsed: Duration::from_secs(1),
            waiting: Duration::ZERO,
            unit_bytes: 8,
        };
        assert_eq!(next(&state, &old, &LIMITS), state);
        let hundred = State { units: 100, ..state.clone() };
        let asked = |units| next(&hundred, &Sample { units, ..old }, &LIMITS) != hundred;
        assert_eq!([87, 88, 95, 100, 101].map(asked), [false, true, true, true, false]);
        assert_eq!(next(&state, &old, &Limits { units: 1, bytes: 1000 }).units, 1, "but the budget holds");
    }

    #[test]
    fn waiting_for_a_slow_source_is_no_reason_to_grow() {
        let mut state = State::start();
        for _ in 0..20 {
            let elapsed = Duration::from_millis(10 * state.units);
            let waiting = elapsed.mul_f64(0.9);
            let busy = elapsed - waiting;
            let sample = Sample { units: state.units, busy, elapsed, waiting, unit_bytes: 8 };
            state = next(&state, &sample, &LIMITS);
        }
        assert_eq!(state.units, 2);
    }

    #[test]
    fn absurd_samples_do_no_harm() {
        let mut state = State::start();
        for elapsed in [Duration::ZERO, Duration::MAX, Duration::ZERO, Duration::from_nanos(1)] {
            let sample = Sample {
                units: state.units,
                busy: Duration::ZERO,
                elapsed,
                waiting: Duration::MAX,
                unit_bytes: 0,
            };
            state = next(&state, &sample, &LIMITS);
            assert!(state.units >= 1);
        }
    }
}
