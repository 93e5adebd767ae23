//! Tests of float arithmetic and conversions; the tests of the elementary functions are beside them.

use half::f16;
use proptest::prelude::*;

use super::exact::{F16_PARTS, f16_parts, integer_root, nearest_f16};
use crate::ops::{BinaryOp, CompareOp, ConvertOp, TernaryOp, UnaryOp};
use crate::samples::values;
use crate::types::ScalarType;
use crate::value::Scalar;

const FLOATS: [ScalarType; 3] = [ScalarType::F16, ScalarType::F32, ScalarType::F64];
const INTS: [ScalarType; 4] = [ScalarType::I8, ScalarType::I16, ScalarType::I32, ScalarType::I64];

fn half(bits: u16) -> Scalar {
    Scalar::F16(f16::from_bits(bits))
}

fn binary(op: BinaryOp, ty: ScalarType, x: f64, y: f64) -> Scalar {
    op.eval(Scalar::float(ty, x), Scalar::float(ty, y)).unwrap()
}

fn finite_f16() -> impl Strategy<Value = f16> {
    (0u16..0x7c00, any::<bool>()).prop_map(|(bits, sign)| f16::from_bits(bits | u16::from(sign) << 15))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn f16_arithmetic_is_rounded_once(x in finite_f16(), y in finite_f16(), z in finite_f16()) {
        let (a, b, c) = (f16_parts(x), f16_parts(y), f16_parts(z));
        let (sx, sy, sz) = (x.is_sign_negative(), y.is_sign_negative(), z.is_sign_negative());
        let eval = |op: BinaryOp| op.eval(Scalar::F16(x), Scalar::F16(y)).unwrap();
        prop_assert_eq!(eval(BinaryOp::FAdd), Scalar::F16(nearest_f16(a + b, F16_PARTS, sx && sy)));
        prop_assert_eq!(eval(BinaryOp::FSub), Scalar::F16(nearest_f16(a - b, F16_PARTS, sx && !sy)));
        prop_assert_eq!(
            eval(BinaryOp::FMul),
            Scalar::F16(nearest_f16(a * b, F16_PARTS * F16_PARTS, sx != sy))
        );
        let fused = TernaryOp::Fma.eval(Scalar::F16(x), Scalar::F16(y), Scalar::F16(z));
        let exact = a * b + c * F16_PARTS;
        // An exact zero is negative where both terms are negative zeros; terms that cancel give a positive zero.
        let zero_negative = (sx != sy) && sz;
        prop_assert_eq!(fused, Scalar::F16(nearest_f16(exact, F16_PARTS * F16_PARTS, zero_negative)));
        if b != 0 {
            prop_assert_eq!(eval(BinaryOp::FDiv), Scalar::F16(nearest_f16(a, b, sx != sy)));
            prop_assert_eq!(eval(BinaryOp::FRem), Scalar::F16(nearest_f16(a % b, F16_PARTS, sx)));
            let floored = a - b * (if b < 0 { -a } else { a }).div_euclid(b.abs());
            // Adding the divisor to a tiny remainder rounds once more.
            prop_assert_eq!(eval(BinaryOp::FMod), Scalar::F16(nearest_f16(floored, F16_PARTS, sy)));
        }
    }

    #[test]
    fn f64_to_f16_is_rounded_once(x in finite_f16(), steps in -3i64..=3) {
        // Numbers around the midpoint of two neighbours, closer to it than f32 can resolve.
        let bits = x.to_bits() & 0x7fff;
        let next = if bits == 0x7bff { 65536.0 } else { half(bits + 1).as_float().unwrap() };
        let middle = (half(bits).as_float().unwrap() + next) / 2.0;
        let number = f64::from_bits((middle.to_bits() as i64 + steps) as u64);
        let up = steps > 0 || steps == 0 && bits & 1 == 1;
        prop_assert_eq!(Scalar::float(ScalarType::F16, number), half(bits + u16::from(up)));
        prop_assert_eq!(Scalar::float(ScalarType::F16, -number), half((bits + u16::from(up)) | 0x8000));
    }

    #[test]
    fn integers_to_floats_round_to_nearest(x: i64, shift in 0u32..64) {
        let x = x >> shift;
        let unsigned = x as u64;
        // Reading decimal digits is correctly rounded.
        let (signed_text, unsigned_text) = (x.to_string(), unsigned.to_string());
        let signed = |to| ConvertOp::SIToFP.eval(Scalar::I64(x), to);
        let unsigned_to = |to| ConvertOp::UIToFP.eval(Scalar::I64(x), to);
        prop_assert_eq!(signed(ScalarType::F64), Scalar::F64(signed_text.parse().unwrap()));
        prop_assert_eq!(signed(ScalarType::F32), Scalar::F32(signed_text.parse().unwrap()));
        prop_assert_eq!(signed(ScalarType::F16), Scalar::F16(nearest_f16(x.into(), 1, false)));
        prop_assert_eq!(unsigned_to(ScalarType::F64), Scalar::F64(unsigned_text.parse().unwrap()));
        prop_assert_eq!(unsigned_to(ScalarType::F32), Scalar::F32(unsigned_text.parse().unwrap()));
        prop_assert_eq!(unsigned_to(ScalarType::F16), Scalar::F16(nearest_f16(unsigned.into(), 1, false)));
    }

    #[test]
    fn floats_to_integers_saturate(bits: u64, exponent in 0u64..100) {
        let of_any_size = f64::from_bits(bits);
        // Magnitudes from a quarter to beyond every integer type.
        let ordinary = f64::from_bits(bits & !(0x7ff << 52) | (1021 + exponent) << 52);
        for x in [of_any_size, ordinary] {
            for ty in FLOATS {
                check_float_to_integers(Scalar::float(ty, x));
            }
        }
    }
}

fn check_float_to_integers(x: Scalar) {
    let value = x.as_float().unwrap();
    for to in INTS {
        let clamp = |least: i128, greatest: i128| {
            let exact = if value.is_nan() {
                0
            } else if value.abs() >= 2f64.powi(100) {
                if value < 0.0 { least } else { greatest }
            } else {
                (value as i128).clamp(least, greatest)
            };
            Scalar::int(to, exact as i64)
        };
        let half_range = 1i128 << (to.bits() - 1);
        assert_eq!(ConvertOp::FPToSI.eval(x, to), clamp(-half_range, half_range - 1), "{x} to {to}");
        assert_eq!(ConvertOp::FPToUI.eval(x, to), clamp(0, 2 * half_range - 1), "{x} to {to}");
    }
}

#[test]
fn every_f16_converts_to_every_type_and_back() {
    for bits in 0..=u16::MAX {
        let x = half(bits);
        check_float_to_integers(x);
        let value = x.as_float().unwrap();
        let is_nan = bits & 0x7fff > 0x7c00;
        assert_eq!(ConvertOp::IsNan.eval(x, ScalarType::Bool), Scalar::Bool(is_nan));
        assert_eq!(ConvertOp::IsInf.eval(x, ScalarType::Bool), Scalar::Bool(bits & 0x7fff == 0x7c00));
        assert_eq!(ConvertOp::ToBool.eval(x, ScalarType::Bool), Scalar::Bool(bits & 0x7fff != 0));
        assert_eq!(ConvertOp::Bitcast.eval(x, ScalarType::I16), Scalar::I16(bits as i16));
        if !is_nan && value.is_finite() {
            assert_eq!(value * F16_PARTS as f64, f16_parts(f16::from_bits(bits)) as f64, "{x}");
        }
        for through in [ScalarType::F32, ScalarType::F64] {
            let back = ConvertOp::FPConvert.eval(ConvertOp::FPConvert.eval(x, through), ScalarType::F16);
            assert_eq!(back, if is_nan { half(0x7e00) } else { x });
        }
    }
}

#[test]
fn every_f16_rounds_takes_roots_and_steps_as_integers_say() {
    for bits in (0..0x7c00u16).chain(0x8000..0xfc00) {
        let x = f16::from_bits(bits);
        let parts = f16_parts(x);
        let negative = x.is_sign_negative();
        let eval = |op: UnaryOp| op.eval(Scalar::F16(x));
        let whole = |n: i128| Scalar::F16(nearest_f16(n, 1, negative));
        let floor = parts.div_euclid(F16_PARTS);
        let rest = parts.rem_euclid(F16_PARTS);
        assert_eq!(eval(UnaryOp::Floor), whole(floor), "{x}");
        assert_eq!(eval(UnaryOp::Ceil), whole(floor + i128::from(rest != 0)), "{x}");
        assert_eq!(eval(UnaryOp::Trunc), whole(parts / F16_PARTS), "{x}");
        let up = 2 * rest > F16_PARTS || 2 * rest == F16_PARTS && floor % 2 != 0;
        assert_eq!(eval(UnaryOp::Round), whole(floor + i128::from(up)), "{x}");
        assert_eq!(eval(UnaryOp::FSignum), whole(parts.signum()), "{x}");
        assert_eq!(eval(UnaryOp::FNeg), half(bits ^ 0x8000));
        assert_eq!(eval(UnaryOp::FAbs), half(bits & 0x7fff));
        if negative && parts != 0 {
            assert_eq!(eval(UnaryOp::Sqrt), half(0x7e00), "{x}");
        } else if parts != 0 {
            // sqrt(p / 2^24) in units of 2^-44; an inexact root is moved off any tie.
            let scaled = parts << 64;
            let root = integer_root(scaled);
            let sticky = 2 * root + i128::from(root * root != scaled);
            assert_eq!(eval(UnaryOp::Sqrt), Scalar::F16(nearest_f16(sticky, 1 << 45, false)), "{x}");
            let exponent = (0..42).rev().find(|e| parts.abs() >> e & 1 == 1).unwrap() - 24;
            assert_eq!(ConvertOp::ILogB.eval(Scalar::F16(x), ScalarType::I32), Scalar::I32(exponent));
        }
    }
}

#[test]
fn stepping_visits_every_f16_in_order() {
    let up = half(0x7c00);
    let mut x = half(0xfc00);
    for expected in (0x8000..0xfc00u16).rev().chain(1..=0x7c00) {
        let next = BinaryOp::NextAfter.eval(x, up).unwrap();
        // Minus zero is skipped on the way from below: the least negative number steps to it.
        assert_eq!(next, half(expected), "after {x}");
        x = next;
    }
    assert_eq!(BinaryOp::NextAfter.eval(half(0x8000), half(0)), Some(half(0)));
    assert_eq!(BinaryOp::NextAfter.eval(half(0), half(0x8000)), Some(half(0x8000)));
    assert_eq!(BinaryOp::NextAfter.eval(half(0), half(0xbc00)), Some(half(0x8001)));
    assert_eq!(BinaryOp::NextAfter.eval(half(0), half(0x7e01)), Some(half(0x7e00)));
    for (ty, epsilon) in [(ScalarType::F32, f64::from(f32::EPSILON)), (ScalarType::F64, f64::EPSILON)] {
        assert_eq!(binary(BinaryOp::NextAfter, ty, 1.0, 2.0), Scalar::float(ty, 1.0 + epsilon));
        assert_eq!(binary(BinaryOp::NextAfter, ty, -1.0, 2.0), Scalar::float(ty, -1.0 + epsilon / 2.0));
    }
}

#[test]
fn fused_multiply_add_rounds_once_in_every_width() {
    for (ty, digits) in [(ScalarType::F16, 11), (ScalarType::F32, 24), (ScalarType::F64, 53)] {
        // (1 + e)(1 - e) - 1 = -e^2, which two roundings lose.
        let e = 2f64.powi(1 - digits);
        let [x, y, z] = [1.0 + e, 1.0 - e, -1.0].map(|v| Scalar::float(ty, v));
        assert_eq!(TernaryOp::Fma.eval(x, y, z), Scalar::float(ty, -e * e), "{ty}");
        assert_eq!(TernaryOp::Mad.eval(x, y, z), Scalar::float(ty, 0.0), "{ty}");
    }
    let [a, b, t] = [2.0, 10.0, 0.25].map(Scalar::F64);
    assert_eq!(TernaryOp::Lerp.eval(a, b, t), Scalar::F64(4.0));
}

#[test]
fn the_least_addend_breaks_the_tie_of_an_f16_product() {
    // 3 * 683 = 2049 has one digit more than f16, so the product is a tie until something is added.
    for scale in -24..=4 {
        for addend in [0.0, 2f64.powi(-24), -2f64.powi(-24), 65504.0, -65504.0] {
            let factors = [3.0 * 2f64.powi(scale.min(0) / 2), 683.0 * 2f64.powi(scale - scale.min(0) / 2)];
            let [x, y, z] = [factors[0], factors[1], addend].map(|v| Scalar::float(ScalarType::F16, v));
            let [a, b, c] = [x, y, z].map(|v| match v {
                Scalar::F16(v) => f16_parts(v),
                other => unreachable!("{other}"),
            });
            let expected = nearest_f16(a * b + c * F16_PARTS, F16_PARTS * F16_PARTS, false);
            assert_eq!(TernaryOp::Fma.eval(x, y, z), Scalar::F16(expected), "{x} * {y} + {z}");
        }
    }
}

#[test]
fn comparisons_order_all_but_nan() {
    for ty in FLOATS {
        let values = values(ty);
        for &x in &values {
            for &y in &values {
                let order = x.as_float().unwrap().partial_cmp(&y.as_float().unwrap());
                let holds = |op: CompareOp| op.eval(x, y);
                assert_eq!(holds(CompareOp::Eq), order == Some(std::cmp::Ordering::Equal), "{x} {y}");
                assert_eq!(holds(CompareOp::Ne), order != Some(std::cmp::Ordering::Equal), "{x} {y}");
                assert_eq!(holds(CompareOp::FLt), order == Some(std::cmp::Ordering::Less), "{x} {y}");
                let at_most = order.is_some_and(std::cmp::Ordering::is_le);
                assert_eq!(holds(CompareOp::FLe), at_most, "{x} {y}");
            }
        }
    }
}

#[test]
fn minimum_and_maximum_ignore_nan_and_order_zeros() {
    for ty in FLOATS {
        let [nan, one, zero, minus_zero] = [f64::NAN, 1.0, 0.0, -0.0].map(|v| Scalar::float(ty, v));
        for (op, of_zeros) in [(BinaryOp::FMin, minus_zero), (BinaryOp::FMax, zero)] {
            assert_eq!(op.eval(nan, one), Some(one));
            assert_eq!(op.eval(one, nan), Some(one));
            assert_eq!(op.eval(nan, nan), Some(nan));
            assert_eq!(op.eval(zero, minus_zero), Some(of_zeros));
            assert_eq!(op.eval(minus_zero, zero), Some(of_zeros));
        }
        for &x in &values(ty) {
            for &y in &values(ty) {
                let [least, greatest] = [BinaryOp::FMin, BinaryOp::FMax].map(|op| op.eval(x, y).unwrap());
                let ordered = CompareOp::FLt.eval(x, y);
                assert!(!ordered || (least == x && greatest == y), "{x} {y}");
            }
        }
    }
}

#[test]
fn remainders_of_floats_follow_those_of_integers() {
    for ty in FLOATS {
        for x in -20i64..=20 {
            for y in (-6i64..=6).filter(|&y| y != 0) {
                let floored = binary(BinaryOp::FMod, ty, x as f64, y as f64).as_float().unwrap();
                let truncated = binary(BinaryOp::FRem, ty, x as f64, y as f64).as_float().unwrap();
                let of_ints = |op: BinaryOp| op.eval(Scalar::I64(x), Scalar::I64(y)).and_then(Scalar::as_int);
                assert_eq!(Some(floored as i64), of_ints(BinaryOp::SMod), "{x} {y}");
                assert_eq!(Some(truncated as i64), of_ints(BinaryOp::SRem), "{x} {y}");
                assert_eq!(floored.is_sign_negative(), y < 0, "{x} {y}");
                assert_eq!(truncated.is_sign_negative(), x < 0, "{x} {y}");
            }
        }
        let nan = Scalar::float(ty, f64::NAN);
        for op in [BinaryOp::FMod, BinaryOp::FRem] {
            assert_eq!(binary(op, ty, 1.0, 0.0), nan);
            assert_eq!(binary(op, ty, f64::INFINITY, 2.0), nan);
            assert_eq!(binary(op, ty, 1.5, f64::INFINITY), Scalar::float(ty, 1.5));
        }
        assert_eq!(binary(BinaryOp::FMod, ty, -1.5, f64::INFINITY), Scalar::float(ty, f64::INFINITY));
    }
}

#[test]
fn ldexp_scales_by_powers_of_two_and_rounds_once() {
    for ty in FLOATS {
        for (x, n, expected) in [
            (7.0, -4.0, 0.4375),
            (7.0, 4.9, 112.0),
            (-0.0, 10.0, -0.0),
            (0.0, f64::INFINITY, 0.0),
            (f64::INFINITY, -1.0, f64::INFINITY),
            (1.0, f64::INFINITY, f64::INFINITY),
            (-1.0, f64::NEG_INFINITY, -0.0),
            (3.0, f64::NAN, 3.0),
            (f64::NAN, 1.0, f64::NAN),
        ] {
            assert_eq!(binary(BinaryOp::LdExp, ty, x, n), Scalar::float(ty, expected), "{x} {n}");
        }
    }
    // 3 * 2^-150 is one and a half least f32; a tie goes to the even neighbour.
    let least = f64::from(f32::from_bits(1));
    assert_eq!(
        binary(BinaryOp::LdExp, ScalarType::F32, 3.0, -150.0),
        Scalar::float(ScalarType::F32, 2.0 * least)
    );
    assert_eq!(binary(BinaryOp::LdExp, ScalarType::F64, 3.0, -1075.0), Scalar::F64(f64::from_bits(2)));
    let exponent = |x: f64| ConvertOp::ILogB.eval(Scalar::F64(x), ScalarType::I32);
    let cases = [
        (0.0, i32::MIN),
        (f64::NAN, i32::MIN),
        (f64::NEG_INFINITY, i32::MAX),
        (5e-324, -1074),
        (f64::MIN_POSITIVE / 2.0, -1023),
        (f64::MAX, 1023),
        (-0.75, -1),
    ];
    for (x, expected) in cases {
        assert_eq!(exponent(x), Scalar::I32(expected), "{x}");
    }
}

#[test]
fn nan_results_are_canonical_and_moved_nans_keep_their_bits() {
    for ty in FLOATS {
        let infinity = Scalar::float(ty, f64::INFINITY);
        let payload = Scalar::from_bits(ty, infinity.to_bits() | infinity.to_bits() >> 1 | 5);
        let nan = Scalar::float(ty, f64::NAN);
        let negated = UnaryOp::FNeg.eval(payload);
        assert_eq!(negated.to_bits(), payload.to_bits() | 1 << (ty.bits() - 1));
        assert_eq!(UnaryOp::FAbs.eval(negated), payload);
        assert_eq!(BinaryOp::FMin.eval(payload, nan), Some(nan));
        for &op in BinaryOp::ALL.iter().filter(|op| op.accepts(ty)) {
            let result = op.eval(negated, payload).unwrap();
            let expected = match op {
                BinaryOp::CopySign => payload,
                _ => nan,
            };
            assert!(result == expected || op == BinaryOp::LdExp, "{op:?} {ty}");
        }
        for &op in
            UnaryOp::ALL.iter().filter(|op| op.accepts(ty) && **op != UnaryOp::FAbs && **op != UnaryOp::FNeg)
        {
            assert_eq!(op.eval(negated), nan, "{op:?} {ty}");
        }
        for &op in TernaryOp::ALL {
            assert_eq!(op.eval(negated, payload, payload), nan, "{op:?} {ty}");
        }
        for to in FLOATS {
            assert_eq!(ConvertOp::FPConvert.eval(negated, to), Scalar::float(to, f64::NAN));
        }
    }
}
