//! Minimises a pattern that is slow or wrong: steps are dropped as long as the rest is still slow or wrong.

use super::Point;
use super::pattern::Pattern;
use super::row;
use super::trial::Contexts;

/// The symptom that a smaller pattern must still show.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Symptom {
    /// The two results differ, or one is missing.
    Fault,
    /// A speed-up of at most this.
    Slow(f64),
}

impl Symptom {
    /// Returns the symptom of a point.
    pub fn of(point: &Point) -> Symptom {
        match &point.ran {
            Err(_) => Symptom::Fault,
            // A somewhat faster pattern still shows the same cliff.
            Ok(seconds) => Symptom::Slow(1.3 * seconds.speedup()),
        }
    }

    fn shows_in(self, point: &Point) -> bool {
        match (self, &point.ran) {
            (Symptom::Fault, ran) => ran.is_err(),
            (Symptom::Slow(most), Ok(seconds)) => seconds.speedup() <= most,
            (Symptom::Slow(_), Err(_)) => false,
        }
    }
}

/// Returns the smallest pattern found that shows the same symptom on the same shape, with its point.
pub fn minimise(pattern: &Pattern, point: &Point, seed: u64, contexts: &Contexts) -> (Pattern, Point) {
    let symptom = Symptom::of(point);
    let retry = |less: Pattern| {
        let mut points = row(&less, std::slice::from_ref(&point.shape), seed, contexts).points;
        let point = points.pop()?;
        symptom.shows_in(&point).then_some((less, point))
    };
    smallest((pattern.clone(), point.clone()), &retry)
}

/// Drops steps while `retry` accepts the rest.
fn smallest<T>(
    (pattern, last): (Pattern, T),
    retry: &dyn Fn(Pattern) -> Option<(Pattern, T)>,
) -> (Pattern, T) {
    let less =
        (0..pattern.steps.len()).filter(|_| pattern.steps.len() > 1).filter_map(|i| pattern.without(i));
    match less.filter_map(retry).next() {
        Some(smaller) => smallest(smaller, retry),
        None => (pattern, last),
    }
}

#[cfg(test)]
mod tests {
    use super::super::operation::{Element, operation};
    use super::super::pattern::Step;
    use super::*;

    #[test]
    fn what_does_not_matter_goes() {
        let step = |(level, name)| Step { level, operation: operation(name, Element::F32).unwrap() };
        let steps = [(1, "reverse"), (1, "scan"), (2, "affine"), (0, "rotate")].map(step).to_vec();
        let pattern = Pattern { element: Element::F32, rank: 2, grouped: false, steps };
        let needs_scan = |less: Pattern| {
            let shows = less.steps.iter().any(|step| step.operation.name == "scan");
            shows.then_some((less, ()))
        };
        let (smaller, ()) = smallest((pattern, ()), &needs_scan);
        assert_eq!(smaller.to_string(), "[][]f32: map scan");
    }
}
