//! An oracle for the tests of float operators: exact rational arithmetic, rounded by searching among the floats. It shares only
//! the encoding of f16 with the code it checks.

use half::f16;

/// Number of parts in one; every finite f16 is a whole number of parts.
pub(super) const F16_PARTS: i128 = 1 << 24;

/// Returns a finite f16 times [`F16_PARTS`].
pub(super) fn f16_parts(x: f16) -> i128 {
    let bits = x.to_bits();
    let (exponent, fraction) = (bits >> 10 & 31, i128::from(bits & 1023));
    assert!(exponent < 31, "{x} is not finite");
    let magnitude = if exponent == 0 { fraction } else { (1024 + fraction) << (exponent - 1) };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

/// Returns the f16 nearest to `numerator / denominator`, ties to even; a zero has the sign of `zero_negative`.
pub(super) fn nearest_f16(numerator: i128, denominator: i128, zero_negative: bool) -> f16 {
    let negative = if numerator == 0 { zero_negative } else { (numerator < 0) != (denominator < 0) };
    let (numerator, denominator) = (numerator.abs() * F16_PARTS, denominator.abs());
    // The greatest finite f16 that is not above the quotient.
    let (mut low, mut high) = (0u16, 0x7bffu16);
    while low < high {
        let middle = (low + high).div_ceil(2);
        if f16_parts(f16::from_bits(middle)) * denominator <= numerator {
            low = middle
        } else {
            high = middle - 1
        }
    }
    let below = f16_parts(f16::from_bits(low));
    // For rounding, the number after the greatest is the one that a larger exponent would give.
    let above = if low == 0x7bff { 65536 * F16_PARTS } else { f16_parts(f16::from_bits(low + 1)) };
    let doubled = 2 * numerator - (below + above) * denominator;
    let magnitude = if doubled > 0 || doubled == 0 && low & 1 == 1 { low + 1 } else { low };
    f16::from_bits(magnitude | u16::from(negative) << 15)
}

/// Returns the floor of the square root of a number that is not negative.
pub(super) fn integer_root(x: i128) -> i128 {
    let (mut low, mut high) = (0i128, 1i128 << 62);
    while low < high {
        let middle = (low + high + 1) / 2;
        if middle * middle <= x { low = middle } else { high = middle - 1 }
    }
    low
}
