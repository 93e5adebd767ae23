//! Runs programs in turn, and ratios of what was measured.
//!
//! A round runs every peer a few times, one peer after another. A ratio is taken inside each round, so that a
//! machine that slows down for a while slows both sides; its spread over the rounds is kept.

use std::time::Duration;

use crate::peer::Peer;

/// Threads of the peer that ran before may spin on for a while (200 ms in one OpenMP run time) and would
/// take a core from the next; nobody measures meanwhile.
const SETTLE: Duration = Duration::from_millis(250);

/// The times of one peer in seconds: the median of each round.
#[derive(Clone, Debug)]
pub struct Times {
    /// The peer's name.
    pub name: String,
    /// One median a round.
    pub rounds: Vec<f64>,
}

/// A ratio with its spread over the rounds.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub struct Ratio {
    /// The median of the rounds.
    pub median: f64,
    /// The smallest of them.
    pub low: f64,
    /// The largest of them.
    pub high: f64,
}

impl Times {
    /// The median over all rounds.
    pub fn median(&self) -> f64 {
        median(&mut self.rounds.clone())
    }

    /// How many times as long as `other` this peer takes: above 1, `other` is faster.
    pub fn over(&self, other: &Times) -> Ratio {
        self.scaled_over(1.0, other)
    }

    /// As [`Times::over`], with this peer's times multiplied first.
    pub fn scaled_over(&self, scale: f64, other: &Times) -> Ratio {
        let pairs = self.rounds.iter().zip(&other.rounds);
        Ratio::of(pairs.map(|(a, b)| scale * a / b).collect())
    }
}

impl Ratio {
    /// The summary of one ratio a round.
    pub fn of(mut rounds: Vec<f64>) -> Ratio {
        let median = median(&mut rounds);
        Ratio { median, low: rounds[0], high: rounds[rounds.len() - 1] }
    }
}

/// The geometric mean of some ratios; `None` of none.
pub fn geometric_mean(ratios: &[f64]) -> Option<f64> {
    let logarithms: f64 = ratios.iter().map(|ratio| ratio.ln()).sum();
    (!ratios.is_empty()).then(|| (logarithms / ratios.len() as f64).exp())
}

/// Runs all peers in turn, `rounds` times `repetitions` times each.
///
/// A turn begins with a run that does not count: memory that lay idle while the others ran is slow to reach at first.
pub fn contest(peers: &mut [Box<dyn Peer>], rounds: usize, repetitions: usize) -> Result<Vec<Times>, String> {
    let mut times: Vec<Times> =
        peers.iter().map(|peer| Times { name: peer.name().to_string(), rounds: Vec::new() }).collect();
    for _ in 0..rounds {
        for (peer, times) in peers.iter_mut().zip(&mut times) {
            std::thread::sleep(SETTLE);
            let runs: Result<Vec<f64>, String> =
                (0..=repetitions).map(|_| peer.run().map(|time| time.as_secs_f64())).collect();
            let mut runs = runs.map_err(|error| format!("{}: {error}", times.name))?;
            times.rounds.push(median(&mut runs[1..]));
        }
    }
    Ok(times)
}

/// Sorts, and takes the middle.
fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { 0.5 * (values[middle - 1] + values[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_within_rounds() {
        let slow = Times { name: "slow".into(), rounds: vec![2.0, 20.0, 6.0] };
        let fast = Times { name: "fast".into(), rounds: vec![1.0, 10.0, 2.0] };
        let ratio = slow.over(&fast);
        assert_eq!((ratio.median, ratio.low, ratio.high), (2.0, 2.0, 3.0));
    }

    #[test]
    fn means_are_geometric() {
        assert_eq!(geometric_mean(&[]), None);
        assert!((geometric_mean(&[0.5, 2.0]).unwrap() - 1.0).abs() < 1e-12);
    }
}
