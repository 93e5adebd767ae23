//! Runs programs in turn, and computes ratios of their times.
//!
//! A round runs every peer a few times, one peer after another. Ratios are taken within each round, so that a temporary slowdown
//! of the machine affects both sides; the spread of a ratio over the rounds is kept.

use std::time::{Duration, Instant};

use crate::peer::Peer;

/// Pause before every turn. Threads of the previous peer may spin for a while (200 ms in one OpenMP run time) and would take a
/// core from the next peer; nothing is measured during the pause.
const SETTLE: Duration = Duration::from_millis(250);

/// Duration of the uncounted runs at the beginning of a turn, of which there is at least one: memory and processors that were
/// idle while the other peers ran are slow at first.
const WARM: Duration = Duration::from_millis(60);

/// Minimum total duration of the counted runs of a turn.
const COUNTED: Duration = Duration::from_millis(60);

/// The times of one peer in seconds: the median of each round.
#[derive(Clone, Debug)]
pub struct Times {
    /// The peer's name.
    pub name: String,
    /// One median per round.
    pub rounds: Vec<f64>,
}

/// A ratio with its spread over the rounds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
pub struct Ratio {
    /// The median of the rounds.
    pub median: f64,
    /// The smallest ratio of a round.
    pub low: f64,
    /// The largest ratio of a round.
    pub high: f64,
}

impl Times {
    /// Returns the median over all rounds.
    pub fn median(&self) -> f64 {
        median(&mut self.rounds.clone())
    }

    /// Returns the ratio of this peer's time to that of `other`: above 1, `other` is faster.
    pub fn over(&self, other: &Times) -> Ratio {
        self.scaled_over(1.0, other)
    }

    /// Like [`Times::over`], with this peer's times multiplied by `scale` first.
    pub fn scaled_over(&self, scale: f64, other: &Times) -> Ratio {
        let pairs = self.rounds.iter().zip(&other.rounds);
        Ratio::of(pairs.map(|(a, b)| scale * a / b).collect())
    }
}

impl Ratio {
    /// Summarises one ratio per round.
    pub fn of(mut rounds: Vec<f64>) -> Ratio {
        let median = median(&mut rounds);
        Ratio { median, low: rounds[0], high: rounds[rounds.len() - 1] }
    }
}

/// Returns the geometric mean of ratios; `None` if there are none.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

/// Runs all peers in turn, `rounds` times; a turn counts at least `repetitions` runs, and more of short ones.
pub fn contest(peers: &mut [Box<dyn Peer>], rounds: usize, repetitions: usize) -> Result<Vec<Times>, String> {
    contest_settling(peers, rounds, repetitions, SETTLE)
}

/// Like [`contest`], with another pause before every turn.
pub fn contest_settling(
    peers: &mut [Box<dyn Peer>],
    rounds: usize,
    repetitions: usize,
    settle: Duration,
) -> Result<Vec<Times>, String> {
    let mut times: Vec<Times> =
        peers.iter().map(|peer| Times { name: peer.name().to_string(), rounds: Vec::new() }).collect();
    for _ in 0..rounds {
        for (peer, times) in peers.iter_mut().zip(&mut times) {
            std::thread::sleep(settle);
            let runs = turn(peer.as_mut(), repetitions);
            times.rounds.push(median(&mut runs.map_err(|error| format!("{}: {error}", times.name))?));
        }
    }
    Ok(times)
}

/// Runs a peer's turn; returns the times of the counted runs in seconds: at least `repetitions` runs, and [`COUNTED`] in all.
fn turn(peer: &mut dyn Peer, repetitions: usize) -> Result<Vec<f64>, String> {
    let start = Instant::now();
    peer.run()?;
    while start.elapsed() < WARM {
        peer.run()?;
    }
    let start = Instant::now();
    let mut runs = Vec::new();
    while runs.len() < repetitions.max(1) || start.elapsed() < COUNTED {
        runs.push(peer.run()?.as_secs_f64());
    }
    Ok(runs)
}

/// Sorts the values and returns the median.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    #[test]
    fn ratios_are_taken_within_rounds() {
        let slow = Times { name: "slow".into(), rounds: vec![2.0, 20.0, 6.0] };
        let fast = Times { name: "fast".into(), rounds: vec![1.0, 10.0, 2.0] };
        let ratio = slow.over(&fast);
        assert_eq!((ratio.median, ratio.low, ratio.high), (2.0, 2.0, 3.0));
    }

    /// A peer that takes the minimum duration of a turn and counts its runs.
    struct Counter(u64);

    impl Peer for Counter {
        fn name(&self) -> &str {
            "counter"
        }

        fn run(&mut self) -> Result<Duration, String> {
            std::thread::sleep(WARM.max(COUNTED));
            self.0 += 1;
            Ok(Duration::from_secs(self.0))
        }

        fn results(&mut self) -> Result<Vec<Value>, String> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn the_first_run_of_a_turn_does_not_count() {
        assert_eq!(turn(&mut Counter(0), 2).unwrap(), [2.0, 3.0]);
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
    }
}
