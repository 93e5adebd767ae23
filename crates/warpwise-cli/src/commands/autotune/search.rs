//! The search for values of tuning parameters. It decides which versions of the code are measured, and draws the conclusions.
//!
//! The effect of a threshold depends only on which of the compared sizes it exceeds. So between two neighbouring *cuts* (values at
//! which an answer changes) one value stands for all, and a run that would give the same answers as an earlier one is not measured
//! again: a threshold that one data set compares with one size costs one further run.
//!
//! ```text
//! cuts of data set a: 101        cuts of data set b: 5001          t < 101 | 101 <= t < 5001 | 5001 <= t
//! seconds of a:                                                        2   |              1 |         1
//! seconds of b:                                                        3   |              3 |        60      ==> t in 101..5001
//! ```
//!
//! If a program compares a parameter with many sizes, not all ranges between cuts are tried: first a few that are evenly spread, then
//! those around the best, and again until the best is found. A parameter that is used only on some sides of another is tuned there
//! before the sides are compared. A parameter that is compared with nothing is a number: it is doubled and halved as long as that
//! helps.
//!
//! Absent on purpose: clocks and programs (the caller measures).

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Values of parameters by name. Parameters that are not named have their defaults.
pub type Assignment = BTreeMap<String, i64>;

/// A parameter that a run used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// Name of the parameter.
    pub name: String,
    /// Default value.
    pub default: i64,
    /// Values at which answers of comparisons change, in increasing order; each belongs to the upper range. Empty for a number.
    pub cuts: Vec<i64>,
}

/// The result of a measured run.
#[derive(Clone, PartialEq, Debug)]
pub struct Sample {
    /// Time of the run; infinite if it failed.
    pub seconds: f64,
    /// Parameters that it used, in the order of first uses.
    pub used: Vec<Used>,
}

/// A function that runs a data set under an assignment.
pub type Measure<'f, E> = &'f mut dyn FnMut(usize, &Assignment) -> Result<Sample, E>;

/// Maximum number of ranges that are tried in one round.
const TRIED_AT_ONCE: usize = 5;

/// Factor of the mean time by which another value must be better than the default.
const WORTH_CHANGING: f64 = 1.02;

/// Maximum number of times that a number is doubled or halved.
const MOST_STEPS: u32 = 5;

/// Finds values for all parameters that runs of the data sets use.
pub fn search<E>(data_sets: usize, measure: Measure<'_, E>) -> Result<Assignment, E> {
    let mut search = Search { data_sets, measure, known: Vec::new(), settled: Vec::new() };
    let mut best = Assignment::new();
    search.cost(&best)?;
    while let Some(parameter) = search.unsettled(&best, &[]) {
        best = search.tune(&parameter, best)?.1;
    }
    Ok(best)
}

struct Search<'f, E> {
    data_sets: usize,
    measure: Measure<'f, E>,
    known: Vec<(usize, Assignment, Sample)>,
    /// Parameters that are tuned or being tuned.
    settled: Vec<String>,
}

impl<E> Search<'_, E> {
    /// Returns a parameter that runs under this assignment use, and that is neither tuned nor in `later`.
    fn unsettled(&self, assignment: &Assignment, later: &[String]) -> Option<Used> {
        let samples = (0..self.data_sets).filter_map(|set| self.sample(set, assignment));
        let mut used = samples.flat_map(|sample| &sample.used);
        used.find(|used| !self.settled.contains(&used.name) && !later.contains(&used.name)).cloned()
    }

    /// Returns the sample of an earlier run with the same answers as this one would have.
    fn sample(&self, set: usize, assignment: &Assignment) -> Option<&Sample> {
        let same = |(known_set, known, sample): &&(usize, Assignment, Sample)| {
            *known_set == set && sample.used.iter().all(|used| used.answers_alike(known, assignment))
        };
        self.known.iter().find(same).map(|(_, _, sample)| sample)
    }

    /// Returns the cost of an assignment: the mean of the logarithms of its times.
    fn cost(&mut self, assignment: &Assignment) -> Result<f64, E> {
        let mut sum = 0.0;
        for set in 0..self.data_sets {
            let seconds = match self.sample(set, assignment) {
                Some(sample) => sample.seconds,
                None => {
                    let sample = (self.measure)(set, assignment)?;
                    let seconds = sample.seconds;
                    self.known.push((set, assignment.clone(), sample));
                    seconds
                }
            };
            sum += seconds.max(1e-9).ln();
        }
        Ok(sum / self.data_sets.max(1) as f64)
    }

    /// Finds the best value of a parameter, with the others as in `base`. Returns its cost, and the assignment with this value and with
    /// values of the parameters that matter only then.
    fn tune(&mut self, parameter: &Used, base: Assignment) -> Result<(f64, Assignment), E> {
        self.settled.push(parameter.name.clone());
        let cuts = self.cuts(&parameter.name);
        match cuts.as_slice() {
            [] => self.tune_number(parameter, &base),
            cuts => self.tune_threshold(parameter, cuts, &base),
        }
    }

    /// Returns all known cuts of a parameter.
    fn cuts(&self, name: &str) -> Vec<i64> {
        let used = self.known.iter().flat_map(|(_, _, sample)| &sample.used);
        let mut cuts: Vec<i64> =
            used.filter(|used| used.name == name).flat_map(|used| used.cuts.clone()).collect();
        cuts.sort_unstable();
        cuts.dedup();
        cuts
    }

    fn tune_threshold(
        &mut self,
        parameter: &Used,
        cuts: &[i64],
        base: &Assignment,
    ) -> Result<(f64, Assignment), E> {
        let values = representatives(cuts, parameter.default);
        let own = cuts.partition_point(|&cut| cut <= parameter.default);
        let mut tried: BTreeMap<usize, (f64, Assignment)> = BTreeMap::new();
        let (mut first, mut last) = (0, values.len() - 1);
        loop {
            let spread = spread(first, last);
            let asked: Vec<i64> = spread.iter().chain([&own]).map(|&at| values[at]).collect();
            let later = self.used_by_all(parameter, &asked, base)?;
            for &at in spread.iter().chain([&own]) {
                if let Entry::Vacant(place) = tried.entry(at) {
                    place.insert(self.under(parameter, values[at], base, &later)?);
                }
            }
            let best = best_of(&tried, own);
            if spread.len() == last - first + 1 {
                return Ok(tried.remove(&best).unwrap_or_else(|| (f64::INFINITY, base.clone())));
            }
            // Continue with the ranges between the best one and its tried neighbours.
            first = tried.range(..best).next_back().map_or(best, |(&at, _)| at + 1).min(best);
            last = tried.range(best + 1..).next().map_or(best, |(&at, _)| at - 1).max(best);
        }
    }

    fn tune_number(&mut self, parameter: &Used, base: &Assignment) -> Result<(f64, Assignment), E> {
        let later = self.used(base);
        let mut best = self.under(parameter, parameter.default, base, &later)?;
        let ways: [fn(i64) -> Option<i64>; 2] = [|x| x.checked_mul(2), |x| Some(x / 2)];
        for by in ways {
            let (mut value, mut improved) = (parameter.default, false);
            for _ in 0..MOST_STEPS {
                let Some(next) = by(value).filter(|&next| next != value && next > 0) else { break };
                let found = self.under(parameter, next, base, &later)?;
                if !is_better(found.0, best.0) {
                    break;
                }
                (value, best, improved) = (next, found, true);
            }
            if improved {
                break;
            }
        }
        Ok(best)
    }

    /// Returns the parameters that runs use with each of these values. They are tuned after this one.
    fn used_by_all(&mut self, parameter: &Used, values: &[i64], base: &Assignment) -> Result<Vec<String>, E> {
        let mut common: Option<Vec<String>> = None;
        for &value in values {
            let assignment = with(base, parameter, value);
            self.cost(&assignment)?;
            let used = self.used(&assignment);
            common = Some(match common {
                Some(common) => common.into_iter().filter(|name| used.contains(name)).collect(),
                None => used,
            });
        }
        Ok(common.unwrap_or_default())
    }

    /// Returns the cost of a value, after tuning all parameters that runs use with it, except those in `later`.
    fn under(
        &mut self,
        parameter: &Used,
        value: i64,
        base: &Assignment,
        later: &[String],
    ) -> Result<(f64, Assignment), E> {
        let mut assignment = with(base, parameter, value);
        let mut cost = self.cost(&assignment)?;
        let settled = self.settled.clone();
        while let Some(inner) = self.unsettled(&assignment, later) {
            (cost, assignment) = self.tune(&inner, assignment)?;
        }
        self.settled = settled;
        Ok((cost, assignment))
    }

    /// Returns the parameters that runs under an assignment use.
    fn used(&self, assignment: &Assignment) -> Vec<String> {
        let samples = (0..self.data_sets).filter_map(|set| self.sample(set, assignment));
        samples.flat_map(|sample| &sample.used).map(|used| used.name.clone()).collect()
    }
}

/// Returns an assignment with another value of one parameter.
fn with(base: &Assignment, parameter: &Used, value: i64) -> Assignment {
    let mut assignment = base.clone();
    assignment.insert(parameter.name.clone(), value);
    assignment
}

impl Used {
    /// Returns whether comparisons have the same answers under two assignments.
    fn answers_alike(&self, one: &Assignment, other: &Assignment) -> bool {
        let value = |assignment: &Assignment| assignment.get(&self.name).copied().unwrap_or(self.default);
        let (one, other) = (value(one), value(other));
        let range = |value: i64| self.cuts.partition_point(|&cut| cut <= value);
        if self.cuts.is_empty() { one == other } else { range(one) == range(other) }
    }
}

/// Returns a value for every range between cuts: the default in its own range, the value nearest to the default in an open range,
/// otherwise the geometric middle.
fn representatives(cuts: &[i64], default: i64) -> Vec<i64> {
    let own = cuts.partition_point(|&cut| cut <= default);
    let value = |range: usize| match (range.checked_sub(1).map(|below| cuts[below]), cuts.get(range)) {
        _ if range == own => default,
        (None, Some(&end)) => end.saturating_sub(1),
        (Some(from), None) => from,
        (Some(from), Some(&end)) if from > 0 => {
            let middle = (from as f64 * end as f64).sqrt() as i64;
            middle.clamp(from, end - 1)
        }
        (Some(from), Some(&end)) => (from / 2 + end / 2).clamp(from, end - 1),
        (None, None) => default,
    };
    (0..=cuts.len()).map(value).collect()
}

/// Returns a few evenly spread numbers of `first..=last`, including both ends.
fn spread(first: usize, last: usize) -> Vec<usize> {
    let count = (last - first + 1).min(TRIED_AT_ONCE);
    if count == 1 {
        return vec![first];
    }
    (0..count).map(|i| first + i * (last - first) / (count - 1)).collect()
}

/// Returns the range with the least cost, unless the default's own range is hardly worse.
fn best_of(tried: &BTreeMap<usize, (f64, Assignment)>, own: usize) -> usize {
    let cost = |at: usize| tried.get(&at).map_or(f64::INFINITY, |(cost, _)| *cost);
    let least = tried.keys().copied().min_by(|&a, &b| cost(a).total_cmp(&cost(b))).unwrap_or(own);
    if is_better(cost(least), cost(own)) { least } else { own }
}

fn is_better(cost: f64, than: f64) -> bool {
    cost + WORTH_CHANGING.ln() < than
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// The behaviour of a data set: the threshold that it asks for, with the size, and the consequences.
    enum Plan {
        Takes(f64),
        Ask(&'static str, i64, Box<Plan>, Box<Plan>),
        /// Time grows with the distance from the best value.
        Number(&'static str, f64),
    }

    /// Returns a plan that compares `name <= size` and continues with one of two plans.
    fn ask(name: &'static str, size: i64, then: Plan, otherwise: Plan) -> Plan {
        Plan::Ask(name, size, Box::new(then), Box::new(otherwise))
    }

    const DEFAULT: i64 = 100;

    /// The name of a test, the data sets, the values to find, the number of runs.
    type Row = (&'static str, Vec<Plan>, Vec<(&'static str, i64)>, usize);

    fn run(plan: &Plan, assignment: &Assignment, used: &mut Vec<Used>) -> f64 {
        let value = |name: &str| assignment.get(name).copied().unwrap_or(DEFAULT);
        let mut uses = |name: &str, cuts: &[i64]| {
            let (name, cuts) = (name.to_string(), cuts.to_vec());
            used.push(Used { name, default: DEFAULT, cuts });
        };
        match plan {
            Plan::Takes(seconds) => *seconds,
            Plan::Number(name, best) => {
                uses(name, &[]);
                1.0 + (value(name) as f64 / best).ln().abs()
            }
            Plan::Ask(name, size, then, otherwise) => {
                uses(name, &[size + 1]);
                run(if value(name) <= *size { then } else { otherwise }, assignment, used)
            }
        }
    }

    /// Returns the values found and the number of runs.
    fn found(plans: &[Plan]) -> (Vec<(String, i64)>, usize) {
        let mut runs = 0;
        let best = search(plans.len(), &mut |set, assignment: &Assignment| {
            runs += 1;
            let mut used = Vec::new();
            let seconds = run(&plans[set], assignment, &mut used);
            Ok::<_, Infallible>(Sample { seconds, used })
        });
        let Ok(best) = best;
        (best.into_iter().collect(), runs)
    }

    fn takes(seconds: f64) -> Plan {
        Plan::Takes(seconds)
    }

    #[test]
    fn values_follow_from_few_runs() {
        let table: Vec<Row> = vec![
            ("nothing to tune", vec![takes(1.0), takes(2.0)], vec![], 2),
            ("no data", vec![], vec![], 0),
            (
                "the default's version is best",
                vec![ask("t", 50, takes(9.0), takes(1.0))],
                vec![("t", 100)],
                2,
            ),
            ("the other version is", vec![ask("t", 50, takes(1.0), takes(9.0))], vec![("t", 50)], 2),
            ("from above", vec![ask("t", 5000, takes(9.0), takes(1.0))], vec![("t", 5001)], 2),
            ("a hair is no reason", vec![ask("t", 50, takes(1.0), takes(1.01))], vec![("t", 100)], 2),
            (
                "a version that fails",
                vec![ask("t", 50, takes(1.0), takes(f64::INFINITY))],
                vec![("t", 50)],
                2,
            ),
            (
                "sizes that want different versions",
                vec![ask("t", 200, takes(4.0), takes(1.0)), ask("t", 5000, takes(1.0), takes(8.0))],
                vec![("t", 1002)],
                4,
            ),
            (
                "sizes that contradict each other: the greater loss decides",
                vec![ask("t", 200, takes(1.0), takes(3.0)), ask("t", 5000, takes(9.0), takes(1.0))],
                vec![("t", 5001)],
                4,
            ),
            (
                "one in each of two sets",
                vec![ask("t", 50, takes(1.0), takes(2.0)), ask("u", 50, takes(1.0), takes(2.0))],
                vec![("t", 50), ("u", 50)],
                4,
            ),
            (
                "one inside of what is not the default's version, which is better after that",
                vec![ask("t", 500, takes(4.0), ask("u", 70, takes(1.0), takes(20.0)))],
                vec![("t", 501), ("u", 70)],
                3,
            ),
            (
                "one inside of the default's version, which is better after that",
                vec![ask("t", 50, takes(4.0), ask("u", 70, takes(1.0), takes(20.0)))],
                vec![("t", 100), ("u", 70)],
                3,
            ),
            (
                "one on both sides, settled once",
                vec![ask(
                    "u",
                    50,
                    ask("t", 50, takes(3.0), takes(4.0)),
                    ask("t", 50, takes(1.0), takes(2.0)),
                )],
                vec![("t", 50), ("u", 100)],
                3,
            ),
            ("a number to double", vec![Plan::Number("k", 410.0)], vec![("k", 400)], 4),
            ("a number to halve", vec![Plan::Number("k", 24.0)], vec![("k", 25)], 5),
            ("a number that is right", vec![Plan::Number("k", 100.0)], vec![("k", 100)], 3),
        ];
        for (what, plans, expected, runs) in table {
            let expected: Vec<(String, i64)> =
                expected.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
            assert_eq!(found(&plans), (expected, runs), "{what}");
        }
    }

    #[test]
    fn many_sizes_take_few_runs() {
        // One data set compares with 1, 2, ..., 1000; the best value is 700.
        let used = Used { name: "t".to_string(), default: DEFAULT, cuts: (1..=1000).collect() };
        let mut runs = 0;
        let Ok(best) = search(1, &mut |_, assignment: &Assignment| {
            runs += 1;
            let value = assignment.get("t").copied().unwrap_or(DEFAULT).clamp(0, 1000);
            let seconds = 1.0 + (value - 700).abs() as f64;
            Ok::<_, Infallible>(Sample { seconds, used: vec![used.clone()] })
        });
        assert_eq!(best, Assignment::from([("t".to_string(), 700)]));
        assert!(runs < 40, "{runs} runs");
    }

    #[test]
    fn every_range_has_a_value_of_its_own() {
        assert_eq!(representatives(&[10, 1000, 1001], 100), [9, 100, 1000, 1001]);
        assert_eq!(representatives(&[10, 1000], 5), [5, 100, 1000]);
        assert_eq!(representatives(&[-4, 3], 50), [-5, -1, 50]);
        assert_eq!(representatives(&[i64::MIN, i64::MAX], 0), [i64::MIN, 0, i64::MAX]);
    }

    #[test]
    fn errors_end_the_search() {
        let stopped = search(2, &mut |_, _: &Assignment| Err::<Sample, &str>("stop"));
        assert_eq!(stopped, Err("stop"));
    }
}
