//! Element-wise operations, reductions and scans of every number type.

use warpwise::{Acc, Array, Num, Vector, f16};

use super::{check, devices, devices_for, small};

/// Operations on numbers that the references need.
trait Reference: Num {
    fn from_small(value: i64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn minus(self, other: Self) -> Self;
    fn times(self, other: Self) -> Self;
    fn is_less(self, other: Self) -> bool;
}

macro_rules! references {
    (integers $($ty:ident)*; floats $($float:ident $from:expr;)*) => {
        $(impl Reference for $ty {
            fn from_small(value: i64) -> $ty {
                value as $ty
            }

            fn plus(self, other: $ty) -> $ty {
                self.wrapping_add(other)
            }

            fn minus(self, other: $ty) -> $ty {
                self.wrapping_sub(other)
            }

            fn times(self, other: $ty) -> $ty {
                self.wrapping_mul(other)
            }

            fn is_less(self, other: $ty) -> bool {
                self < other
            }
        })*
        $(impl Reference for $float {
            fn from_small(value: i64) -> $float {
                let from: fn(i64) -> $float = $from;
                from(value)
            }

            fn plus(self, other: $float) -> $float {
                self + other
            }

            fn minus(self, other: $float) -> $float {
                self - other
            }

            fn times(self, other: $float) -> $float {
                self * other
            }

            fn is_less(self, other: $float) -> bool {
                self < other
            }
        })*
        $(#[test]
        fn $ty() {
            agrees::<$ty>();
        })*
        $(#[test]
        fn $float() {
            agrees::<$float>();
        })*
    };
}

references! {
    integers i8 i16 i32 i64 u8 u16 u32 u64;
    floats f16 |x| f16::from_f64(x as f64); f32 |x| x as f32; f64 |x| x as f64;
}

fn agrees<T: Reference>() {
    for context in devices_for::<T>() {
        let function = context.compile(|xs: Acc<Vector<T>>, ys: Acc<Vector<T>>| {
            let elements = xs.zip_with(&ys, |x, y| {
                ((x + y, x - y, x * y), (x.min(y), x.max(y)), (x.lt(y), x.ge(y), x.eq(y), x.ne(y)))
            });
            let five = T::from_small(5);
            let folds = (xs.sum(), xs.fold(five, |x, y| x + y), xs.fold(five, |x, y| x.max(y)));
            let scans =
                (xs.scan(five, |x, y| x + y), xs.prescan(five, |x, y| x + y), xs.scan1(|x, y| x.min(y)));
            (elements, folds, scans, xs.scan_right(five, |x, y| x + y))
        });
        let function = function.unwrap();
        check((small(), small()), |(xs, ys)| {
            let convert = |xs: Vec<i64>| xs.into_iter().map(T::from_small).collect::<Vec<T>>();
            let (xs, ys) = (convert(xs), convert(ys));
            let arrays = [&xs, &ys].map(|xs| Array::from_vec([xs.len()], xs.clone()).unwrap());
            let (elements, folds, scans, right) = function.run(&arrays[0], &arrays[1]).unwrap();
            let expected = xs.iter().zip(&ys).map(|(&x, &y)| {
                let (least, greatest) = if y.is_less(x) { (y, x) } else { (x, y) };
                let comparisons = (x.is_less(y), !x.is_less(y), x == y, x != y);
                ((x.plus(y), x.minus(y), x.times(y)), (least, greatest), comparisons)
            });
            assert_eq!(elements.to_vec(), expected.collect::<Vec<_>>());
            check_folds(&xs, [folds.0, folds.1, folds.2].map(|fold| fold.to_vec()));
            check_scans(&xs, [scans.0, scans.1, scans.2, right].map(|scan| scan.to_vec()));
        });
    }
}

fn greater<T: Reference>(x: T, y: T) -> T {
    if x.is_less(y) { y } else { x }
}

fn check_folds<T: Reference>(xs: &[T], [sum, from_five, maximum]: [Vec<T>; 3]) {
    let fold = |first: i64, f: fn(T, T) -> T| vec![xs.iter().copied().fold(T::from_small(first), f)];
    assert_eq!(sum, fold(0, T::plus));
    assert_eq!(from_five, fold(5, T::plus));
    assert_eq!(maximum, fold(5, greater));
}

fn check_scans<T: Reference>(xs: &[T], [whole, before, minima, right]: [Vec<T>; 4]) {
    let mut expected = vec![T::from_small(5)];
    let mut least: Vec<T> = Vec::new();
    for &x in xs {
        expected.push(expected[expected.len() - 1].plus(x));
        least.push(least.last().map_or(x, |&least| if x.is_less(least) { x } else { least }));
    }
    assert_eq!(whole, expected);
    assert_eq!(before, expected[..xs.len()]);
    assert_eq!(minima, least);
    let mut expected = vec![T::from_small(5)];
    for &x in xs.iter().rev() {
        expected.push(x.plus(expected[expected.len() - 1]));
    }
    expected.reverse();
    assert_eq!(right, expected);
}

/// Tests operations that only integers have.
macro_rules! integer_operations {
    ($($name:ident $ty:ident $bits:literal;)*) => { $(
        #[test]
        fn $name() {
            for context in devices() {
                let function = context.compile(|xs: Acc<Vector<$ty>>, ys: Acc<Vector<$ty>>| {
                    xs.zip_with(&ys, |x, y| {
                        let divisor = warpwise::cond(y.eq(0), 7, y);
                        let places = y & ($bits - 1);
                        let parts = ((x / divisor, x % divisor), (x & y, x | y, x ^ y, !x));
                        let shifts = (x << places, x >> places, x.rotate_left(places), x.rotate_right(places));
                        (parts, shifts, (x.count_ones(), x.leading_zeros(), x.trailing_zeros()))
                    })
                });
                let function = function.unwrap();
                check(proptest::collection::vec(proptest::prelude::any::<($ty, $ty)>(), 0..70), |pairs| {
                    let (xs, ys): (Vec<$ty>, Vec<$ty>) = pairs.iter().copied().unzip();
                    let arrays = [&xs, &ys].map(|xs| Array::from_vec([xs.len()], xs.clone()).unwrap());
                    let found = function.run(&arrays[0], &arrays[1]).unwrap().to_vec();
                    let expected = pairs.iter().map(|&(x, y)| {
                        let divisor = if y == 0 { 7 } else { y };
                        let places = (y & ($bits - 1)) as u32;
                        let quotients = (x.wrapping_div(divisor), x.wrapping_rem(divisor));
                        let shifts = (x << places, x >> places, x.rotate_left(places), x.rotate_right(places));
                        let counts = (x.count_ones(), x.leading_zeros(), x.trailing_zeros());
                        ((quotients, (x & y, x | y, x ^ y, !x)), shifts, counts)
                    });
                    assert_eq!(found, expected.collect::<Vec<_>>());
                });
            }
        }
    )* };
}

integer_operations! {
    bits_of_i8 i8 8;
    bits_of_i16 i16 16;
    bits_of_i32 i32 32;
    bits_of_i64 i64 64;
    bits_of_u8 u8 8;
    bits_of_u16 u16 16;
    bits_of_u32 u32 32;
    bits_of_u64 u64 64;
}

/// Computes the greatest sum of a segment, by a non-commutative function.
#[test]
fn the_greatest_sum_of_a_stretch() {
    for context in devices() {
        let function = context.compile(|xs: Acc<Vector<i64>>| {
            let single = xs.map(|x| (x.max(0), x.max(0), x.max(0), x));
            single.fold((0, 0, 0, 0), |(best, left, right, sum), (other, first, last, total)| {
                let crossing = best.max(other).max(right + first);
                (crossing, left.max(sum + first), last.max(right + total), sum + total)
            })
        });
        let function = function.unwrap();
        check(small(), |xs| {
            let found = function.run(&Array::from_vec([xs.len()], xs.clone()).unwrap()).unwrap().to_vec();
            let (mut best, mut here) = (0, 0);
            for x in xs {
                here = (here + x).max(0);
                best = best.max(here);
            }
            assert_eq!(found[0].0, best);
        });
    }
}

/// Compares mathematical functions with those of the standard library.
macro_rules! functions {
    ($test:ident $ty:ident $tolerance:literal; $($name:ident)*) => {
        #[test]
        fn $test() {
            for context in devices() {
                let function = context.compile(|xs: Acc<Vector<$ty>>| ($(xs.map(|x| x.$name()),)*));
                let function = function.unwrap();
                check(proptest::collection::vec(-30.0..30.0_f64, 0..70), |xs| {
                    let xs: Vec<$ty> = xs.into_iter().map(|x| x as $ty).collect();
                    let found = function.run(&Array::from_vec([xs.len()], xs.clone()).unwrap()).unwrap();
                    let mut results = Vec::new();
                    functions!(@collect results found $($name)*);
                    let references: &[(&str, fn($ty) -> $ty)] = &[$((stringify!($name), $ty::$name)),*];
                    for ((name, reference), found) in references.iter().zip(results) {
                        for (&x, found) in xs.iter().zip(found) {
                            let expected = reference(x);
                            let close = (found - expected).abs() <= $tolerance * expected.abs().max(1e-3);
                            assert!(close || found == expected || (found.is_nan() && expected.is_nan()), "{name} {x}: {found} {expected}");
                        }
                    }
                });
            }
        }
    };
    (@collect $results:ident $found:ident $a:ident $b:ident $c:ident $d:ident $e:ident $f:ident $g:ident $h:ident) => {
        let (a, b, c, d, e, f, g, h) = $found;
        $results.extend([a, b, c, d, e, f, g, h].map(|array| array.to_vec()));
    };
}

functions!(roots_and_powers_of_f64 f64 1e-14; sqrt cbrt exp exp2 exp_m1 ln log2 ln_1p);
functions!(roots_and_powers_of_f32 f32 1e-6; sqrt cbrt exp exp2 exp_m1 ln log10 recip);
functions!(angles_of_f64 f64 1e-13; sin cos asin acos atan sinh tanh asinh);
functions!(angles_of_f32 f32 1e-5; sin cos asin acos atan cosh tanh atanh);
functions!(roundings_of_f64 f64 0.0; floor ceil trunc round round_ties_even fract abs to_degrees);
functions!(roundings_of_f32 f32 0.0; floor ceil trunc round round_ties_even fract abs recip);
