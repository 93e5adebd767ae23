//! Comparison of the results of two programs: integers exactly, floats within the effect of a different order of operations.

use crate::value::{Kind, Value};

/// The permitted difference of results.
#[derive(Clone, Copy, Debug)]
pub struct Tolerance {
    /// The largest permitted difference of two floats, as a fraction of the largest absolute value of the array.
    pub relative: f64,
    /// The fraction of the elements that may differ by more: points where a rounding decides a branch.
    pub outliers: f64,
}

/// Floats within a thousandth of the largest, without outliers.
pub const CLOSE: Tolerance = Tolerance { relative: 1e-3, outliers: 0.0 };

/// Like [`CLOSE`], except for one element in fifty.
pub const MOSTLY: Tolerance = Tolerance { relative: 1e-3, outliers: 0.02 };

/// Returns a description of the first difference of two lists of results, if there is one.
pub fn disagreement(a: &[Value], b: &[Value], tolerance: Tolerance) -> Option<String> {
    if a.len() != b.len() {
        return Some(format!("{} results against {}", a.len(), b.len()));
    }
    let mut pairs = a.iter().zip(b).enumerate();
    pairs.find_map(|(i, (x, y))| differ(x, y, tolerance).map(|what| format!("result {i}: {what}")))
}

fn differ(a: &Value, b: &Value, tolerance: Tolerance) -> Option<String> {
    if a.kind != b.kind || a.shape != b.shape {
        return Some(format!("{:?}{} against {:?}{}", a.shape, a.kind.name(), b.shape, b.kind.name()));
    }
    let allowed = (tolerance.outliers * a.count() as f64) as usize;
    match a.kind {
        Kind::F32 => {
            let (x, y) = (a.f32s(), b.f32s());
            differing(a.count(), allowed, bound(x.iter().map(|v| f64::from(*v)), tolerance), |i| {
                (f64::from(x[i]), f64::from(y[i]))
            })
        }
        Kind::F64 => {
            let (x, y) = (a.f64s(), b.f64s());
            differing(a.count(), allowed, bound(x.iter().copied(), tolerance), |i| (x[i], y[i]))
        }
        Kind::I32 => {
            let (x, y) = (a.i32s(), b.i32s());
            differing(a.count(), allowed, 0.0, |i| (f64::from(x[i]), f64::from(y[i])))
        }
        Kind::I64 => {
            let (x, y) = (a.i64s(), b.i64s());
            differing(a.count(), allowed, 0.0, |i| (x[i] as f64, y[i] as f64))
        }
    }
}

fn bound(values: impl Iterator<Item = f64>, tolerance: Tolerance) -> f64 {
    let largest = values.filter(|v| v.is_finite()).fold(0.0, |largest: f64, v| largest.max(v.abs()));
    tolerance.relative * largest
}

fn differing(count: usize, allowed: usize, bound: f64, pair: impl Fn(usize) -> (f64, f64)) -> Option<String> {
    let differs = |&i: &usize| {
        let (x, y) = pair(i);
        // The comparison is written so that a NaN on only one side counts as a difference.
        !(x == y || (x - y).abs() <= bound || (x.is_nan() && y.is_nan()))
    };
    let mut places = (0..count).filter(differs);
    let first = places.next()?;
    let number = 1 + places.count();
    let (x, y) = pair(first);
    (number > allowed)
        .then(|| format!("{number} of {count} elements differ, the first at {first}: {x} against {y}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_and_close_results_agree() {
        let a = [Value::tabulate_f32(&[3], |i| i as f32), Value::i32(4)];
        let b = [Value::tabulate_f32(&[3], |i| i as f32 * 1.0004), Value::i32(4)];
        assert_eq!(disagreement(&a, &b, CLOSE), None);
    }

    #[test]
    fn differences_are_seen() {
        let close = [Value::tabulate_f32(&[3], |i| i as f32)];
        let far = [Value::tabulate_f32(&[3], |i| i as f32 * 1.1)];
        let nan = [Value::tabulate_f32(&[3], |_| f32::NAN)];
        assert!(disagreement(&close, &far, CLOSE).is_some());
        assert!(disagreement(&close, &nan, CLOSE).is_some());
        assert!(disagreement(&[Value::i32(1)], &[Value::i32(2)], CLOSE).is_some());
        assert!(disagreement(&[Value::i32(1)], &[Value::i64(1)], CLOSE).is_some());
        assert!(disagreement(&[], &[Value::i32(2)], CLOSE).is_some());
    }

    #[test]
    fn a_few_outliers_may_be_allowed() {
        let a = [Value::tabulate_i32(&[1000], |i| i as i32)];
        let one = [Value::tabulate_i32(&[1000], |i| if i == 7 { 0 } else { i as i32 })];
        let many = [Value::tabulate_i32(&[1000], |i| if i < 29 { -1 } else { i as i32 })];
        assert!(disagreement(&a, &one, CLOSE).is_some());
        assert_eq!(disagreement(&a, &one, MOSTLY), None);
        assert!(disagreement(&a, &many, MOSTLY).is_some());
    }
}
