//! Runs programs in turn, and ratios of what was measured.
//!
//! A round runs every peer a few times, one peer after another. A ratio is taken inside each round, so that a
//! machine that slows down for a while slows both sides; its spread over the rounds is kept.

use std::time::{Duration, Instant};

use crate::peer::Peer;

/// Threads of the peer that ran before may spin on for a while (200 ms in one OpenMP run time) and would
/// take a core from the next; nobody measures meanwhile.
const SETTLE: Duration = Duration::from_millis(250);

/// A turn begins with runs that do not count, one and as many as fill this: memory and processors that lay idle while the
/// others ran are slow at first.
const WARM: Duration = Duration::from_millis(60);

/// The runs that count take so long at least.
const COUNTED: Duration = Duration::from_millis(60);

/// The times of one peer in seconds: the median of each round.
#[derive(Clone, Debug)]
pub struct Times {
    /// The peer's name.
    pub name: String,
    /// One median a round.
    pub rounds: Vec<f64>,
}

/// A ratio with its spread over the rounds.
#[derive(Clone, Copy, Debug, serde::Serialize, serde::Deserialize)]
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

/// Runs all peers in turn, `rounds` times; a turn counts `repetitions` runs, and more of short ones.
pub fn contest(peers: &mut [Box<dyn Peer>], rounds: usize, repetitions: usize) -> Result<Vec<Times>, String> {
    contest_settling(peers, rounds, repetitions, SETTLE)
}

/// As [`contest`], where so long a pause before every turn is enough.
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

/// The times of the runs of a turn that count, in seconds: at least `repetitions`, and [`COUNTED`] in all.
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

/// Sorts, and takes the middle.
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

    /// Takes as long as a turn takes at least, and says how often it ran.
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
