//! Comparison of results with expected values, for tests and benchmarks.
//!
//! The number of values, element types and shapes must be the same. Integers and `bool`s must be equal; NaN equals NaN. A
//! [`Tolerance`] bounds the difference of floats.

use std::borrow::Cow;
use std::fmt;

use bytemuck::Pod;
use half::f16;
use warpwise_prim::ValueType;

use crate::array::{Element, Value};

/// Maximum difference of floats.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tolerance {
    /// The rule of test blocks: one absolute distance per array, the larger of 0.002 and 0.002
    /// times the largest finite expected value.
    TestBlock,
    /// At most this many representable numbers apart; zeros of both signs are the same number.
    Ulps(u64),
}

/// The first difference between two lists of values.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The numbers of values differ.
    Count {
        /// Number of values.
        actual: usize,
        /// Expected number of values.
        expected: usize,
    },
    /// Types, including sizes, differ.
    Type {
        /// Number of the value, from 0.
        value: usize,
        /// Actual type.
        actual: String,
        /// Expected type.
        expected: String,
    },
    /// Elements differ.
    Element {
        /// Number of the value, from 0.
        value: usize,
        /// Index of the first element that differs; empty for a scalar.
        index: Vec<i64>,
        /// Actual element.
        actual: String,
        /// Expected element.
        expected: String,
        /// Number of differing elements of this value.
        count: usize,
    },
}

/// Compares results with expected values and returns the first difference.
pub fn compare(actual: &[Value], expected: &[Value], tolerance: Tolerance) -> Result<(), Difference> {
    if actual.len() != expected.len() {
        return Err(Difference::Count { actual: actual.len(), expected: expected.len() });
    }
    for (number, (actual, expected)) in actual.iter().zip(expected).enumerate() {
        compare_values(number, actual, expected, tolerance)?;
    }
    Ok(())
}

fn compare_values(
    number: usize,
    actual: &Value,
    expected: &Value,
    tolerance: Tolerance,
) -> Result<(), Difference> {
    if (actual.element_type(), actual.shape()) != (expected.element_type(), expected.shape()) {
        let (actual, expected) = (actual.type_text(), expected.type_text());
        return Err(Difference::Type { value: number, actual, expected });
    }
    let difference = match actual.element_type() {
        ValueType::Bool => find::<u8>(actual, expected, |left, right| left == right, show_bool),
        ValueType::I8 => exact::<i8>(actual, expected),
        ValueType::I16 => exact::<i16>(actual, expected),
        ValueType::I32 => exact::<i32>(actual, expected),
        ValueType::I64 => exact::<i64>(actual, expected),
        ValueType::U8 => exact::<u8>(actual, expected),
        ValueType::U16 => exact::<u16>(actual, expected),
        ValueType::U32 => exact::<u32>(actual, expected),
        ValueType::U64 => exact::<u64>(actual, expected),
        ValueType::F16 => close::<f16>(actual, expected, tolerance),
        ValueType::F32 => close::<f32>(actual, expected, tolerance),
        ValueType::F64 => close::<f64>(actual, expected, tolerance),
    };
    match difference {
        None => Ok(()),
        Some(Found { first, actual: left, expected: right, count }) => {
            let index = unflatten(first, actual.shape());
            Err(Difference::Element { value: number, index, actual: left, expected: right, count })
        }
    }
}

/// The first differing elements, and the number of all of them.
struct Found {
    first: usize,
    actual: String,
    expected: String,
    count: usize,
}

/// A float that can be compared.
trait Float: Element + Pod + fmt::Display {
    /// Converts to `f64`, which holds every number of the type.
    fn wide(self) -> f64;
    /// Returns the signed number of representable values between zero and this one.
    fn rank(self) -> i64;
}

macro_rules! floats {
    ($($float:ty, $signed:ty;)*) => {
        $(impl Float for $float {
            fn wide(self) -> f64 {
                self.into()
            }

            fn rank(self) -> i64 {
                let magnitude = i64::from(self.to_bits() as $signed & <$signed>::MAX);
                if self.is_sign_negative() { -magnitude } else { magnitude }
            }
        })*
    };
}

floats! {
    f16, i16;
    f32, i32;
    f64, i64;
}

fn exact<T: Element + Pod + fmt::Display>(actual: &Value, expected: &Value) -> Option<Found> {
    find::<T>(actual, expected, |left, right| left == right, show)
}

fn close<T: Float>(actual: &Value, expected: &Value, tolerance: Tolerance) -> Option<Found> {
    let both_nan = |left: T, right: T| left.wide().is_nan() && right.wide().is_nan();
    match tolerance {
        Tolerance::TestBlock => {
            let distance = 0.002 * largest_finite::<T>(expected).max(1.0);
            let same = |left: T, right: T| {
                let equal = left == right || both_nan(left, right);
                equal || (left.wide() - right.wide()).abs() <= distance
            };
            find(actual, expected, same, show)
        }
        Tolerance::Ulps(most) => {
            let same = |left: T, right: T| {
                let nan = left.wide().is_nan() || right.wide().is_nan();
                both_nan(left, right) || (!nan && left.rank().abs_diff(right.rank()) <= most)
            };
            find(actual, expected, same, show)
        }
    }
}

fn largest_finite<T: Float>(value: &Value) -> f64 {
    let elements = elements::<T>(value);
    let finite = elements.iter().map(|element| element.wide()).filter(|x| x.is_finite());
    finite.fold(0.0, f64::max)
}

fn find<T: Pod>(
    actual: &Value,
    expected: &Value,
    same: impl Fn(T, T) -> bool,
    show: impl Fn(T) -> String,
) -> Option<Found> {
    let (actual, expected) = (elements::<T>(actual), elements::<T>(expected));
    let pairs = actual.iter().zip(&*expected).enumerate();
    let mut differing = pairs.filter(|(_, (left, right))| !same(**left, **right));
    let (first, (left, right)) = differing.next()?;
    Some(Found { first, actual: show(*left), expected: show(*right), count: 1 + differing.count() })
}

/// Returns the elements of an array, or a scalar as one element. They are of type `T`; `bool`s are bytes.
fn elements<T: Pod>(value: &Value) -> Cow<'_, [T]> {
    match value {
        Value::Scalar { value, .. } => {
            let bits = value.to_bits().to_le_bytes();
            Cow::Owned(vec![bytemuck::pod_read_unaligned(&bits[..size_of::<T>()])])
        }
        Value::Array { array, .. } => Cow::Borrowed(bytemuck::cast_slice(array.bytes())),
    }
}

fn show<T: Element + fmt::Display>(element: T) -> String {
    format!("{element}{}", T::TYPE)
}

fn show_bool(byte: u8) -> String {
    match byte {
        0 => "false".into(),
        1 => "true".into(),
        other => format!("the byte {other}, no truth value"),
    }
}

fn unflatten(mut index: usize, shape: &[i64]) -> Vec<i64> {
    let mut indices: Vec<i64> = shape
        .iter()
        .rev()
        .map(|&size| {
            let inner = index as i64 % size;
            index /= size as usize;
            inner
        })
        .collect();
    indices.reverse();
    indices
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Difference::Count { actual, expected } => {
                write!(f, "{expected} values expected, got {actual}")
            }
            Difference::Type { value, actual, expected } => {
                write!(f, "value {value}: type {expected} expected, got {actual}")
            }
            Difference::Element { value, index, actual, expected, count } => {
                let index = if index.is_empty() { String::new() } else { format!(" at {index:?}") };
                write!(f, "value {value}{index}: {expected} expected, got {actual}")?;
                if *count > 1 { write!(f, " (and {} more differ)", count - 1) } else { Ok(()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryPool;

    fn array<T: Element>(shape: &[i64], elements: &[T]) -> Value {
        Value::from_slice(&MemoryPool::new(1 << 20), shape, elements).unwrap()
    }

    #[track_caller]
    fn check(actual: Value, expected: Value, tolerance: Tolerance, difference: Option<&str>) {
        let found = compare(&[actual], &[expected], tolerance).err().map(|found| found.to_string());
        assert_eq!(found.as_deref(), difference);
    }

    #[test]
    fn counts_types_and_shapes_are_exact() {
        let one = Value::from_element(1);
        let difference = compare(&[], std::slice::from_ref(&one), Tolerance::TestBlock).unwrap_err();
        assert_eq!(difference.to_string(), "1 values expected, got 0");
        let types = Some("value 0: type u32 expected, got i32");
        check(one.clone(), Value::from_element(1_u32), Tolerance::TestBlock, types);
        let shapes = Some("value 0: type [2][1]i32 expected, got [1][2]i32");
        check(array(&[1, 2], &[1, 2]), array(&[2, 1], &[1, 2]), Tolerance::TestBlock, shapes);
        check(array::<i32>(&[0, 2], &[]), array::<i32>(&[0, 2], &[]), Tolerance::Ulps(0), None);
        let empty = Some("value 0: type [2][0]i32 expected, got [0][2]i32");
        check(array::<i32>(&[0, 2], &[]), array::<i32>(&[2, 0], &[]), Tolerance::Ulps(0), empty);
    }

    #[test]
    fn integers_are_exact_and_the_first_difference_is_named() {
        let expected = array(&[2, 3], &[1, 2, 3, 4, 5, 6]);
        check(expected.clone(), expected.clone(), Tolerance::TestBlock, None);
        let actual = array(&[2, 3], &[1, 2, 3, 4, 6, 7]);
        let difference = Some("value 0 at [1, 1]: 5i32 expected, got 6i32 (and 1 more differ)");
        check(actual, expected, Tolerance::TestBlock, difference);
        let difference = Some("value 0: true expected, got false");
        check(Value::from_element(false), Value::from_element(true), Tolerance::Ulps(9), difference);
    }

    #[test]
    fn test_blocks_tolerate_an_absolute_distance_per_array() {
        let near = Tolerance::TestBlock;
        check(Value::from_element(1.001), Value::from_element(1.0), near, None);
        let far = Some("value 0: 1f64 expected, got 1.0021f64");
        check(Value::from_element(1.0021), Value::from_element(1.0), near, far);
        check(array(&[2], &[1000.0, 2.9]), array(&[2], &[1000.0, 1.0]), near, None);
        let far = Some("value 0 at [1]: 1f64 expected, got 3.1f64");
        check(array(&[2], &[1000.0, 3.1]), array(&[2], &[1000.0, 1.0]), near, far);
        let infinite = [f32::INFINITY, f32::NAN, f32::NEG_INFINITY];
        check(array(&[3], &infinite), array(&[3], &infinite), near, None);
        let difference = Some("value 0 at [0]: inff32 expected, got 1f32");
        check(array(&[2], &[1.0_f32, 0.0]), array(&[2], &[f32::INFINITY, 0.0]), near, difference);
        let difference = Some("value 0: NaNf32 expected, got 0f32");
        check(Value::from_element(0.0_f32), Value::from_element(f32::NAN), near, difference);
    }

    #[test]
    fn ulps_count_representable_numbers() {
        let next = |x: f64, count: u64| f64::from_bits(x.to_bits() + count);
        let (one, tiny) = (Value::from_element(1.0), f64::from_bits(1));
        check(Value::from_element(next(1.0, 4)), one.clone(), Tolerance::Ulps(4), None);
        assert!(compare(&[Value::from_element(next(1.0, 5))], &[one], Tolerance::Ulps(4)).is_err());
        check(Value::from_element(-0.0), Value::from_element(0.0), Tolerance::Ulps(0), None);
        check(Value::from_element(-tiny), Value::from_element(tiny), Tolerance::Ulps(2), None);
        check(Value::from_element(f16::NAN), Value::from_element(-f16::NAN), Tolerance::Ulps(0), None);
        let apart = [Value::from_element(f64::NEG_INFINITY)];
        assert!(compare(&apart, &[Value::from_element(f64::INFINITY)], Tolerance::Ulps(99)).is_err());
        let nan = [Value::from_element(f64::NAN)];
        assert!(compare(&nan, &[Value::from_element(1.0)], Tolerance::Ulps(u64::MAX)).is_err());
    }
}
