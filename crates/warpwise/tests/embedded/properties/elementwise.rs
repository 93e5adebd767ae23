//! Unary and binary functions on every number type, compared with Rust's own.

use proptest::prelude::*;
use warpwise::{Acc, Array, Vector, f16};

use super::{check, devices_for};

/// Generates vectors of pairs of arbitrary values.
fn pairs<T: Arbitrary + Clone>() -> impl Strategy<Value = Vec<(T, T)>> {
    prop_oneof![prop::collection::vec(any::<(T, T)>(), 0..4), prop::collection::vec(any::<(T, T)>(), 60..200)]
}

macro_rules! signed {
    ($($name:ident $ty:ident;)*) => { $(
        #[test]
        fn $name() {
            for context in devices_for::<$ty>() {
                let function = context.compile(|xs: Acc<Vector<$ty>>, ys: Acc<Vector<$ty>>| {
                    xs.zip_with(&ys, |x, y| {
                        let by = warpwise::cond(y.eq(0), 3, y);
                        ((-x, x.abs(), x.sign()), (x.div_floor(by), x.mod_floor(by)), x.clamp(-3, 9), x.gcd(y))
                    })
                });
                let function = function.unwrap();
                check(pairs::<$ty>(), |pairs| {
                    let (xs, ys): (Vec<$ty>, Vec<$ty>) = pairs.iter().copied().unzip();
                    let [xs, ys] = [xs, ys].map(|xs| Array::from(xs));
                    let found = function.run(&xs, &ys).unwrap().to_vec();
                    let expected = pairs.iter().map(|&(x, y)| {
                        let by = if y == 0 { 3 } else { y };
                        let rest = x.wrapping_rem(by);
                        // `div_floor` rounds down, while division rounds towards zero.
                        let down = rest != 0 && (rest < 0) != (by < 0);
                        let floor = if down { x.wrapping_div(by) - 1 } else { x.wrapping_div(by) };
                        let modulo = if down { rest + by } else { rest };
                        let (mut a, mut b) = (i128::from(x), i128::from(y));
                        while b != 0 {
                            (a, b) = (b, a % b);
                        }
                        let signs = (x.wrapping_neg(), x.wrapping_abs(), x.signum());
                        (signs, (floor, modulo), x.clamp(-3, 9), a.abs() as $ty)
                    });
                    assert_eq!(found, expected.collect::<Vec<_>>());
                });
            }
        }
    )* };
}

signed! {
    signs_of_i8 i8;
    signs_of_i16 i16;
    signs_of_i32 i32;
    signs_of_i64 i64;
}

/// Tests that conversions behave like `as`: they saturate, and NaN becomes 0.
macro_rules! conversions {
    ($($name:ident $from:ident;)*) => { $(
        #[test]
        fn $name() {
            for context in devices_for::<$from>() {
                let function = context.compile(|xs: Acc<Vector<$from>>| {
                    xs.map(|x| {
                        let signed = (x.cast::<i8>(), x.cast::<i16>(), x.cast::<i32>(), x.cast::<i64>());
                        let unsigned = (x.cast::<u8>(), x.cast::<u16>(), x.cast::<u32>(), x.cast::<u64>());
                        (signed, unsigned, (x.cast::<f32>(), x.cast::<f64>()))
                    })
                });
                let function = function.unwrap();
                check(prop::collection::vec(any::<$from>(), 0..100), |xs| {
                    let found = function.run(&Array::from(xs.clone())).unwrap().to_vec();
                    for (x, (signed, unsigned, floats)) in xs.into_iter().zip(found) {
                        assert_eq!(signed, (x as i8, x as i16, x as i32, x as i64), "{x}");
                        assert_eq!(unsigned, (x as u8, x as u16, x as u32, x as u64), "{x}");
                        let bits = ((x as f32).to_bits(), (x as f64).to_bits());
                        assert_eq!((floats.0.to_bits(), floats.1.to_bits()), bits, "{x}");
                    }
                });
            }
        }
    )* };
}

conversions! {
    conversions_of_i8 i8;
    conversions_of_i32 i32;
    conversions_of_i64 i64;
    conversions_of_u16 u16;
    conversions_of_u64 u64;
    conversions_of_f32 f32;
    conversions_of_f64 f64;
}

/// Maximum error of a function on any device, as a number of neighbouring floats.
const ULPS: f64 = 16.0;

/// Returns whether `found` is close to what is expected of a type with this epsilon and this least normal value, or both are NaN.
fn is_close(found: f64, expected: f64, (epsilon, least): (f64, f64)) -> bool {
    let off = (found - expected).abs();
    found == expected
        || (found.is_nan() && expected.is_nan())
        || off <= ULPS * epsilon * expected.abs().max(least)
}

macro_rules! floats {
    ($($name:ident $ty:ident $distances:expr, $from:expr, $to:expr;)*) => { $(
        #[test]
        fn $name() {
            let (from, to): (fn(f64) -> $ty, fn($ty) -> f64) = ($from, $to);
            for context in devices_for::<$ty>() {
                let function = context.compile(|xs: Acc<Vector<$ty>>, ys: Acc<Vector<$ty>>| {
                    xs.zip_with(&ys, |x, y| {
                        let rounded = [-x, x.abs(), x.trunc(), x.round(), x.floor(), x.ceil(), x.fract()];
                        let exact = [x + y, x - y, x * y, x / y, x.sqrt(), x.recip(), x.min(y), x.max(y)];
                        let curved = [x.exp(), x.ln(), x.sin(), x.cos(), x.tan(), x.atan(), x.asin(), x.acos()];
                        let steep = [x.sinh(), x.cosh(), x.tanh(), x.asinh(), x.cbrt(), x.exp2(), x.log2(), x.log10()];
                        ((rounded, exact), (curved, steep), [x.abs().powf(y), x.atan2(y)])
                    })
                });
                let function = function.unwrap();
                // Includes halves, which round away from zero.
                let values = || prop_oneof![(-9..9_i32).prop_map(|x| f64::from(x) * 0.5), -8.0..8.0_f64];
                check(prop::collection::vec((values(), values()), 0..80), |pairs| {
                    let (xs, ys): (Vec<$ty>, Vec<$ty>) = pairs.iter().map(|&(x, y)| (from(x), from(y))).unzip();
                    let arrays = [&xs, &ys].map(|xs| Array::from(xs.clone()));
                    let found = function.run(&arrays[0], &arrays[1]).unwrap().to_vec();
                    for (((rounded, exact), (curved, steep), powers), (x, y)) in
                        found.into_iter().zip(xs.into_iter().zip(ys))
                    {
                        let (x, y) = (to(x), to(y));
                        let in_type = |value: f64| to(from(value));
                        let expected = [-x, x.abs(), x.trunc(), x.round(), x.floor(), x.ceil(), x.fract()];
                        assert_eq!(rounded.map(to), expected.map(in_type), "{x}");
                        let expected = [x + y, x - y, x * y, x / y, x.sqrt(), 1.0 / x, x.min(y), x.max(y)];
                        for (found, expected) in exact.map(to).into_iter().zip(expected.map(in_type)) {
                            assert!(found == expected || found.is_nan() && expected.is_nan(), "{x} {y}: {found}");
                        }
                        let near = |found: &[$ty], expected: &[f64]| {
                            for (at, (&found, &expected)) in found.iter().zip(expected).enumerate() {
                                let close = is_close(to(found), in_type(expected), $distances);
                                assert!(close, "{x} {y}, function {at}: {} against {expected}", to(found));
                            }
                        };
                        near(&curved, &[x.exp(), x.ln(), x.sin(), x.cos(), x.tan(), x.atan(), x.asin(), x.acos()]);
                        let (x2, x10) = (x.log2(), x.log10());
                        near(&steep, &[x.sinh(), x.cosh(), x.tanh(), x.asinh(), x.cbrt(), x.exp2(), x2, x10]);
                        near(&powers, &[x.abs().powf(y), x.atan2(y)]);
                    }
                });
            }
        }
    )* };
}

floats! {
    functions_of_f16 f16 (f64::from(f16::EPSILON), f64::from(f16::MIN_POSITIVE)), f16::from_f64, f16::to_f64;
    functions_of_f32 f32 (f64::from(f32::EPSILON), f64::from(f32::MIN_POSITIVE)), |x| x as f32, f64::from;
    functions_of_f64 f64 (f64::EPSILON, f64::MIN_POSITIVE), |x| x, |x| x;
}
