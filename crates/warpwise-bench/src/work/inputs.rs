//! Input data: pseudorandom numbers that depend only on their position and a seed.

use crate::value::Value;

/// Hashes a position (the finaliser of splitmix64).
fn mixed(seed: u64, i: usize) -> u64 {
    let a = (i as u64).wrapping_add(seed << 48).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let b = (a ^ (a >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let c = (b ^ (b >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    c ^ (c >> 31)
}

/// Returns a number that is at least 0 and less than 1.
fn unit(seed: u64, i: usize) -> f32 {
    (mixed(seed, i) >> 40) as f32 / (1 << 24) as f32
}

/// Creates floats from `low` to `high`.
pub fn f32s(seed: u64, shape: &[usize], low: f32, high: f32) -> Value {
    Value::tabulate_f32(shape, |i| low + unit(seed, i) * (high - low))
}

/// Like [`f32s`], for `f64`.
pub fn f64s(seed: u64, shape: &[usize], low: f64, high: f64) -> Value {
    Value::tabulate_f64(shape, |i| low + f64::from(unit(seed, i)) * (high - low))
}

/// Creates integers from 0 to `limit`, exclusive.
pub fn i32s(seed: u64, shape: &[usize], limit: i32) -> Value {
    Value::tabulate_i32(shape, |i| below(seed, i, limit))
}

/// Returns an integer from 0 to `limit`, exclusive.
pub fn below(seed: u64, i: usize, limit: i32) -> i32 {
    (mixed(seed, i) >> 33) as i32 % limit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_spread_over_their_range() {
        let floats = f32s(1, &[10_000], -2.0, 2.0);
        let mean = floats.f32s().iter().sum::<f32>() / 10_000.0;
        assert!(mean.abs() < 0.1 && floats.f32s().iter().all(|x| (-2.0..2.0).contains(x)));
        let integers = i32s(2, &[10_000], 10);
        assert!(
            (0..10)
                .all(|digit| (800..1200).contains(&integers.i32s().iter().filter(|x| **x == digit).count()))
        );
    }
}
