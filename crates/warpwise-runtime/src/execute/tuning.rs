//! The tuning parameters of a loaded program: their values, and the sizes that runs compare them with.
//!
//! A parameter by which code chooses between versions is compared with sizes. Only the side of each size on which its value lies
//! matters, so a search for good values needs to know the sizes: while a run is watched, every comparison of a parameter is
//! recorded.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, RwLock};

use warpwise_prim::CompareOp;

/// The tuning parameters of a machine.
#[derive(Default)]
pub(super) struct Tuning {
    values: RwLock<HashMap<String, i64>>,
    watching: AtomicBool,
    used: Mutex<Vec<UsedParameter>>,
}

/// A tuning parameter that runs have used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UsedParameter {
    /// Name of the parameter.
    pub name: String,
    /// Default value.
    pub default: i64,
    /// Sizes that the parameter was compared with, in increasing order; empty if it was only used as a number.
    pub sizes: Vec<i64>,
    /// Values at which the result of a comparison changes, in increasing order. All values of the parameter between two
    /// neighbouring cuts are equivalent.
    pub cuts: Vec<i64>,
}

impl Tuning {
    pub(super) fn new(values: HashMap<String, i64>) -> Tuning {
        Tuning { values: RwLock::new(values), ..Tuning::default() }
    }

    /// Returns a copy of the parameters that is not watched.
    pub(super) fn copied(&self) -> Tuning {
        Tuning::new(self.values.read().unwrap_or_else(PoisonError::into_inner).clone())
    }

    /// Returns the value of a parameter.
    pub(super) fn value(&self, name: &str, default: i64) -> i64 {
        let values = self.values.read().unwrap_or_else(PoisonError::into_inner);
        values.get(name).copied().unwrap_or(default)
    }

    /// Sets all parameters; parameters without a value get their defaults.
    pub(super) fn set(&self, values: HashMap<String, i64>) {
        *self.values.write().unwrap_or_else(PoisonError::into_inner) = values;
    }

    /// Clears the record and starts recording the use of parameters.
    pub(super) fn watch(&self) {
        self.used.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.watching.store(true, Ordering::Relaxed);
    }

    /// Stops recording and returns the parameters in the order of their first use.
    pub(super) fn watched(&self) -> Vec<UsedParameter> {
        self.watching.store(false, Ordering::Relaxed);
        std::mem::take(&mut *self.used.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether uses are recorded.
    pub(super) fn is_watched(&self) -> bool {
        self.watching.load(Ordering::Relaxed)
    }

    /// Records the use of a parameter.
    pub(super) fn note_use(&self, name: &str, default: i64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if used.iter().all(|parameter| parameter.name != name) {
            let (name, sizes, cuts) = (name.to_string(), Vec::new(), Vec::new());
            used.push(UsedParameter { name, default, sizes, cuts });
        }
    }

    /// Records the comparison of a parameter, which stands left of `op` if `left` is set, else right of it.
    pub(super) fn note_comparison(&self, name: &str, op: CompareOp, left: bool, size: i64) {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(parameter) = used.iter_mut().find(|parameter| parameter.name == name) {
            insert(&mut parameter.sizes, size);
            for cut in cuts(op, left, size) {
                insert(&mut parameter.cuts, cut);
            }
        }
    }
}

/// Returns the values of a parameter from which on its comparison with `size` has a different result.
fn cuts(op: CompareOp, left: bool, size: i64) -> Vec<i64> {
    let next = size.saturating_add(1);
    match (op, left) {
        (CompareOp::SLt, true) | (CompareOp::SLe, false) => vec![size],
        (CompareOp::SLe, true) | (CompareOp::SLt, false) => vec![next],
        (CompareOp::Eq | CompareOp::Ne, _) => vec![size, next],
        // Sizes are not negative, so the unsigned order differs from the signed one only for negative parameters.
        (CompareOp::ULt, true) | (CompareOp::ULe, false) => vec![0, size],
        (CompareOp::ULe, true) | (CompareOp::ULt, false) => vec![0, next],
        (CompareOp::FLt | CompareOp::FLe, _) => Vec::new(),
    }
}

fn insert(sorted: &mut Vec<i64>, value: i64) {
    if let Err(place) = sorted.binary_search(&value) {
        sorted.insert(place, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_are_where_answers_change() {
        let tuning = Tuning::new(HashMap::from([("a".to_string(), 7)]));
        assert_eq!((tuning.value("a", 1), tuning.value("b", 1)), (7, 1));
        tuning.watch();
        tuning.note_use("a", 1);
        tuning.note_use("b", 2);
        tuning.note_use("a", 1);
        for (op, left, size) in [
            (CompareOp::SLe, true, 20),  // parameter <= 20
            (CompareOp::SLt, true, 10),  // parameter < 10
            (CompareOp::SLe, false, 30), // 30 <= parameter
            (CompareOp::SLt, true, 10),
        ] {
            tuning.note_comparison("a", op, left, size);
        }
        let used = tuning.watched();
        let names: Vec<&str> = used.iter().map(|parameter| parameter.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(
            (used[0].default, &used[0].sizes, &used[0].cuts),
            (1, &vec![10, 20, 30], &vec![10, 21, 30])
        );
        assert_eq!(used[1].cuts, []);
        assert!(!tuning.is_watched() && tuning.watched().is_empty());
    }

    #[test]
    fn every_answer_changes_at_its_cuts_only() {
        for size in [0, 5, i64::MAX] {
            for (op, left) in [
                (CompareOp::SLt, true),
                (CompareOp::SLt, false),
                (CompareOp::SLe, true),
                (CompareOp::SLe, false),
                (CompareOp::ULt, true),
                (CompareOp::ULe, false),
                (CompareOp::Eq, true),
                (CompareOp::Ne, false),
            ] {
                let answer = |parameter: i64| {
                    let (x, y) = if left { (parameter, size) } else { (size, parameter) };
                    op.eval(x.into(), y.into())
                };
                let cuts = cuts(op, left, size);
                for parameter in [-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, i64::MAX - 1, i64::MAX] {
                    let (before, after) = (parameter - 1, parameter);
                    let changes = answer(before) != answer(after);
                    assert!(!changes || cuts.contains(&parameter), "{op:?} {left} {size} at {parameter}");
                }
            }
        }
    }
}
