//! Pseudo-random numbers that are the same on every run.

/// Returns the number at a position of a sequence, with all bits mixed.
pub fn bits(seed: u64, place: u64) -> u64 {
    let mut x = ((seed << 40) ^ place).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for (shift, factor) in [(32, 0xd6e8_feb8_6659_fd93), (29, 0xa076_1d64_78bd_642f)] {
        x = (x ^ (x >> shift)).wrapping_mul(factor);
    }
    x ^ (x >> 32)
}

/// Returns a number from 0 on and below 1.
pub fn unit(seed: u64, place: u64) -> f64 {
    (bits(seed, place) >> 11) as f64 / (1_u64 << 53) as f64
}

/// Returns an approximately normally distributed number, mostly between -2 and 2.
pub fn normal(seed: u64, place: u64) -> f64 {
    (0..12).map(|i| unit(seed, 12 * place + i)).sum::<f64>() - 6.0
}
