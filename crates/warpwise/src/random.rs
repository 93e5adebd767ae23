//! Random numbers that depend only on a seed and an index: they are the same on every device and with any number of threads.
//!
//! The numbers come from the counter-based generator Philox4x32-10 (Salmon, Moraes, Dror, Shaw, Parallel random numbers: as easy
//! as 1, 2, 3, 2011). The element at a row-major position is computed from the block with that number, so that programs may
//! compute any part of the numbers separately, and may use several seeds for independent numbers.
//!
//! ```
//! use warpwise::{Context, random};
//!
//! // The area of a quarter of the unit circle.
//! let [xs, ys] = [1, 2].map(|seed| random::uniform::<_, f64>(100_000, seed));
//! let hits = xs.zip_with(&ys, |x, y| (x * x + y * y).lt(1.0).to_int()).sum();
//! let pi = 4.0 * Context::cpu()?.run(&hits.the())? as f64 / 100_000.0;
//! assert!((pi - std::f64::consts::PI).abs() < 0.02);
//! # Ok::<(), warpwise::Error>(())
//! ```

use crate::acc::{Acc, generate};
use crate::array::{Array, Vector};
use crate::elt::{Elt, Float, Operand, Scalar};
use crate::exp::{Coordinate, Exp, to_index};
use crate::shape::{IntoShape, Shape};

/// Multipliers of a round.
const MULTIPLIERS: [u32; 2] = [0xd251_1f53, 0xcd9e_8d57];
/// Increments of the key from round to round.
const WEYL: [u32; 2] = [0x9e37_79b9, 0xbb67_ae85];
const ROUNDS: usize = 10;

/// Returns the block of four 32-bit random numbers for a seed and a block number.
///
/// ```
/// use warpwise::{Context, random};
///
/// let [first, ..] = random::block(0, 0_u64);
/// assert_eq!(Context::new()?.run(&first)?, 0x6627_e8d5);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn block(seed: impl Operand<u64>, number: impl Operand<u64>) -> [Exp<u32>; 4] {
    let ([k0, k1], [c0, c1]) = (halves(seed.operand()), halves(number.operand()));
    philox([c0, c1, Exp::constant(0), Exp::constant(0)], [k0, k1])
}

/// Generates uniformly distributed numbers from 0 on and below 1, with as many random bits as the type has digits.
///
/// ```
/// use warpwise::{Context, random};
///
/// let numbers = Context::cpu()?.run(&random::uniform::<_, f32>((2, 3), 42))?;
/// assert!(numbers.into_iter().all(|x| (0.0..1.0).contains(&x)));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn uniform<S: IntoShape, T: Float>(extents: S, seed: impl Operand<u64>) -> Acc<Array<S::Shape, T>> {
    blocks(extents, seed.operand(), |[a, b, ..]| unit_interval::<T>(a, b))
}

/// Generates numbers of the standard normal distribution, with mean 0 and variance 1.
///
/// ```
/// use warpwise::{Context, random};
///
/// let mean = random::normal::<_, f64>(100_000, 42).mean();
/// assert!(Context::cpu()?.run(&mean.the())?.abs() < 0.02);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn normal<S: IntoShape, T: Float>(extents: S, seed: impl Operand<u64>) -> Acc<Array<S::Shape, T>> {
    blocks(extents, seed.operand(), |[a, b, c, d]| {
        // Box and Muller. 1 - x is never 0, whose logarithm is undefined.
        let radius = ((Exp::of(1.0) - unit_interval::<T>(a, b)).ln() * Exp::of(-2.0)).sqrt();
        radius * (unit_interval::<T>(c, d) * Exp::of(std::f64::consts::TAU)).cos()
    })
}

/// Generates integers from 0 on and below `bound`, equally likely up to differences of one in 2^64 / `bound`; a bound of 0 gives
/// only 0.
///
/// ```
/// use warpwise::{Context, random};
///
/// let dice = Context::cpu()?.run(&random::below(1000, 6, 42))?;
/// assert!(dice.into_iter().all(|x| x < 6));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn below<S: IntoShape>(
    extents: S,
    bound: impl Operand<u64>,
    seed: impl Operand<u64>,
) -> Acc<Array<S::Shape, u64>> {
    let bound = bound.operand();
    blocks(extents, seed.operand(), move |[a, b, ..]| wide(a, b).mul_high(bound))
}

/// Returns the numbers from 0 to `count` - 1 in random order.
///
/// ```
/// use warpwise::{Context, random};
///
/// let mut order = Context::cpu()?.run(&random::permutation(100, 42))?.into_vec();
/// assert_ne!(order[..3], [0, 1, 2]);
/// order.sort_unstable();
/// assert!(order.into_iter().eq(0..100));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn permutation(count: impl Coordinate, seed: impl Operand<u64>) -> Acc<Vector<i64>> {
    blocks(count.coordinate(), seed.operand(), |[a, b, ..]| wide(a, b)).argsort()
}

/// Applies `f` to the block of every element, numbered in row-major order.
#[track_caller]
fn blocks<S: IntoShape, R: Scalar>(
    extents: S,
    seed: Exp<u64>,
    f: impl FnOnce([Exp<u32>; 4]) -> Exp<R> + Send,
) -> Acc<Array<S::Shape, R>> {
    let extents = extents.into_extents();
    generate(<S::Shape as Shape>::Index::view(extents), move |index| {
        let number = to_index(<S::Shape as Shape>::Index::view(extents), index);
        f(block(seed, number.cast::<u64>()))
    })
}

/// Joins two halves to one number.
#[track_caller]
fn wide(low: Exp<u32>, high: Exp<u32>) -> Exp<u64> {
    (high.cast::<u64>() << 32) | low.cast::<u64>()
}

#[track_caller]
fn halves(number: Exp<u64>) -> [Exp<u32>; 2] {
    [number.cast(), (number >> 32).cast()]
}

/// Returns a fraction of as many of the 64 random bits as the type has digits.
#[track_caller]
fn unit_interval<T: Float>(low: Exp<u32>, high: Exp<u32>) -> Exp<T> {
    let digits = match T::VALUE_TYPE.scalar().bytes() {
        2 => 11,
        4 => 24,
        _ => 53,
    };
    (wide(low, high) >> (64 - digits)).cast::<T>() * Exp::of(0.5_f64.powi(digits as i32))
}

/// Applies ten rounds to a counter with a key.
#[track_caller]
fn philox(mut counter: [Exp<u32>; 4], mut key: [Exp<u32>; 2]) -> [Exp<u32>; 4] {
    for round in 0..ROUNDS {
        if round > 0 {
            key = [key[0] + WEYL[0], key[1] + WEYL[1]];
        }
        let product = |x: Exp<u32>, factor: u32| x.cast::<u64>() * u64::from(factor);
        let [p0, p1] = [product(counter[0], MULTIPLIERS[0]), product(counter[2], MULTIPLIERS[1])];
        let ([low0, high0], [low1, high1]) = (halves(p0), halves(p1));
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Context;

    /// Compares blocks with the known answers of the authors' test vectors.
    #[test]
    fn blocks_are_those_of_philox() {
        let answers: [([u32; 4], [u32; 2], [u32; 4]); 3] = [
            ([0; 4], [0; 2], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([u32::MAX; 4], [u32::MAX; 2], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xa409_3822, 0x299f_31d0],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for context in [Context::cpu().unwrap().with_cache(None), Context::interpreter()] {
            let function = context.compile(|counter: Exp<[u32; 4]>, key: Exp<[u32; 2]>| {
                let [a, b, c, d] = philox(counter.view(), key.view());
                (a, b, c, d)
            });
            let function = function.unwrap();
            for (counter, key, expected) in answers {
                let (a, b, c, d) = function.run(counter, key).unwrap();
                assert_eq!([a, b, c, d], expected);
            }
        }
    }

    #[test]
    fn numbers_are_the_same_on_every_device_and_spread() {
        let [cpu, interpreter] = [Context::cpu().unwrap().with_cache(None), Context::interpreter()];
        for count in [0, 1, 1000] {
            let numbers = (uniform::<_, f32>(count, 7), below(count, 10, 7), permutation(count, 7));
            let found = cpu.run(&numbers).unwrap();
            assert_eq!(found, interpreter.run(&numbers).unwrap());
            assert!(found.1.to_vec().iter().all(|&x| x < 10));
            let mut order = found.2.to_vec();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
        let numbers = cpu.run(&normal::<_, f64>((100, 200), 3)).unwrap().into_vec();
        let mean = numbers.iter().sum::<f64>() / 2e4;
        let variance = numbers.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / 2e4;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        let counts = cpu.run(&below(20_000, 4, 3).histogram(4)).unwrap().into_vec();
        assert!(counts.iter().all(|&count| (count - 5000).abs() < 300), "{counts:?}");
        // Rows are numbered consecutively.
        let (table, row) = cpu.run(&(uniform::<_, f64>((3, 4), 9), uniform::<_, f64>(12, 9))).unwrap();
        assert_eq!(table.to_vec(), row.to_vec());
        assert!(cpu.run(&uniform::<_, crate::f16>(1000, 1)).unwrap().into_iter().all(|x| x.to_f32() < 1.0));
    }
}
