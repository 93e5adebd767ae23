//! Sample values for the tests of all operators: boundaries and a few ordinary values.

use crate::types::{ScalarClass, ScalarType};
use crate::value::Scalar;

/// Returns interesting values of a type, without repetition.
pub(crate) fn values(ty: ScalarType) -> Vec<Scalar> {
    match ty.class() {
        ScalarClass::Bool => vec![Scalar::Bool(false), Scalar::Bool(true)],
        ScalarClass::Int => integers(ty),
        ScalarClass::Float => floats(ty),
    }
}

fn integers(ty: ScalarType) -> Vec<Scalar> {
    let bits = ty.bits();
    let mut values: Vec<i64> = vec![0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 10, 63, 64, 65, 100, -100];
    let powers = [bits / 4, bits / 2 - 1, bits / 2, bits - 2, bits - 1];
    values.extend(powers.iter().flat_map(|&p| [-1, 0, 1].map(|d| (1i64 << p).wrapping_add(d))));
    values.extend([bits as i64 - 1, bits as i64, bits as i64 + 1, 0x1234_5678_9abc_def0]);
    distinct(values.into_iter().map(|x| Scalar::int(ty, x)).collect())
}

fn floats(ty: ScalarType) -> Vec<Scalar> {
    let ordinary = [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 0.1, 1e-3, 100.0, 2047.5, 65504.0, 1e30, 1e300];
    let extreme = [f64::INFINITY, f64::NAN, f64::MIN_POSITIVE, 5e-324];
    let both_signs = |x: f64| [Scalar::float(ty, x), Scalar::float(ty, -x)];
    let mut values: Vec<Scalar> = ordinary.into_iter().chain(extreme).flat_map(both_signs).collect();
    let infinity = Scalar::float(ty, f64::INFINITY).to_bits();
    let least_normal = infinity & infinity.wrapping_neg();
    // Least subnormal, the border to the normal numbers, the greatest number, NaN with a payload.
    let patterns =
        [1, least_normal - 1, least_normal, least_normal + 1, infinity - 1, infinity | infinity >> 1 | 5];
    values.extend(patterns.map(|bits| Scalar::from_bits(ty, bits)));
    distinct(values)
}

fn distinct(values: Vec<Scalar>) -> Vec<Scalar> {
    let mut seen = std::collections::HashSet::new();
    values.into_iter().filter(|&v| seen.insert(v)).collect()
}
