//! Folds, scans, segments, movements and stencils of every scalar type, in the groups of Accelerate's own tests.

use proptest::prelude::*;
use warpwise::{Acc, Array, Boundary, Dim1, Dim2, Exp, Matrix, Num, Vector, cond, f16};

use super::{check, devices_for};

/// Operations on numbers that the references need.
pub trait Reference: Num {
    /// Converts a small number, which every type represents exactly.
    fn from_small(value: i64) -> Self;
    fn plus(self, other: Self) -> Self;
    fn is_less(self, other: Self) -> bool;
}

macro_rules! references {
    ($($module:ident $ty:ty, $from:expr, $plus:expr;)*) => { $(
        impl Reference for $ty {
            fn from_small(value: i64) -> $ty {
                let from: fn(i64) -> $ty = $from;
                from(value)
            }

            fn plus(self, other: $ty) -> $ty {
                let plus: fn($ty, $ty) -> $ty = $plus;
                plus(self, other)
            }

            fn is_less(self, other: $ty) -> bool {
                self < other
            }
        }

        mod $module {
            #[test]
            fn folds() {
                super::folds::<$ty>();
            }

            #[test]
            fn scans() {
                super::scans::<$ty>();
            }

            #[test]
            fn segments() {
                super::segments::<$ty>();
            }

            #[test]
            fn movements() {
                super::movements::<$ty>();
            }

            #[test]
            fn stencils() {
                super::stencils::<$ty>();
            }
        }
    )* };
}

references! {
    of_i8 i8, |x| x as i8, i8::wrapping_add;
    of_i16 i16, |x| x as i16, i16::wrapping_add;
    of_i32 i32, |x| x as i32, i32::wrapping_add;
    of_i64 i64, |x| x, i64::wrapping_add;
    of_u8 u8, |x| x as u8, u8::wrapping_add;
    of_u16 u16, |x| x as u16, u16::wrapping_add;
    of_u32 u32, |x| x as u32, u32::wrapping_add;
    of_u64 u64, |x| x as u64, u64::wrapping_add;
    of_f16 warpwise::f16, |x| f16::from_f64(x as f64), |x, y| x + y;
    of_f32 f32, |x| x as f32, |x, y| x + y;
    of_f64 f64, |x| x as f64, |x, y| x + y;
}

/// Generates rows of small numbers whose sums every type represents exactly.
fn rows() -> impl Strategy<Value = (usize, usize, Vec<i64>)> {
    let sizes = prop_oneof![
        (0..3_usize, 0..3_usize),
        (0..12_usize, 0..20_usize),
        (Just(1_usize), 100..200_usize),
        (60..90_usize, 0..3_usize)
    ];
    sizes.prop_flat_map(|(n, m)| (Just(n), Just(m), prop::collection::vec(-4..5_i64, n * m)))
}

fn of_small<T: Reference>(xs: &[i64]) -> Vec<T> {
    xs.iter().map(|&x| T::from_small(x)).collect()
}

fn greater<T: Reference>(x: T, y: T) -> T {
    if x.is_less(y) { y } else { x }
}

fn lesser<T: Reference>(x: T, y: T) -> T {
    if y.is_less(x) { y } else { x }
}

fn sum_from<T: Reference>(first: T, xs: &[T]) -> T {
    xs.iter().copied().fold(first, T::plus)
}

fn folds<T: Reference>() {
    for context in devices_for::<T>() {
        let function = context.compile(|xs: Acc<Matrix<T>>| {
            let five = T::from_small(5);
            let some = xs.concat(&warpwise::fill((xs.extents().0, 1), five));
            let sums = (xs.sum(), xs.fold(five, |x, y| x + y), xs.fold_all(five, |x, y| x + y));
            let bounds = (some.minimum(), some.maximum(), xs.fold(five, |x, y| x.max(y)));
            // The last of the even ones: associative, but not commutative.
            let one = T::from_small(1);
            (sums, bounds, xs.fold(five, move |x, y| cond(y.eq(one), x, y)))
        });
        let function = function.unwrap();
        check(rows(), |(n, m, xs)| {
            let xs: Vec<T> = of_small(&xs);
            let five = T::from_small(5);
            let (sums, bounds, last) = function.run(&Array::from_vec([n, m], xs.clone()).unwrap()).unwrap();
            let rows: Vec<&[T]> = (0..n).map(|i| &xs[i * m..(i + 1) * m]).collect();
            let each = |f: &dyn Fn(&[T]) -> T| rows.iter().map(|row| f(row)).collect::<Vec<T>>();
            assert_eq!(sums.0.to_vec(), each(&|row| sum_from(T::from_small(0), row)));
            assert_eq!(sums.1.to_vec(), each(&|row| sum_from(five, row)));
            assert_eq!(sums.2.to_vec(), [sum_from(five, &xs)]);
            assert_eq!(bounds.0.to_vec(), each(&|row| row.iter().copied().fold(five, lesser)));
            assert_eq!(bounds.1.to_vec(), each(&|row| row.iter().copied().fold(five, greater)));
            assert_eq!(bounds.2.to_vec(), bounds.1.to_vec());
            let one = T::from_small(1);
            assert_eq!(last.to_vec(), each(&|row| row.iter().copied().rfind(|x| *x != one).unwrap_or(five)));
        });
    }
}

/// Computes partial sums from an initial value on: one more than there are elements.
fn sums_of<T: Reference>(first: T, xs: &[T]) -> Vec<T> {
    (0..=xs.len()).map(|to| sum_from(first, &xs[..to])).collect()
}

fn reversed<T: Copy>(xs: &[T]) -> Vec<T> {
    xs.iter().rev().copied().collect()
}

fn scans<T: Reference>() {
    for context in devices_for::<T>() {
        let function = context.compile(|xs: Acc<Vector<T>>| {
            let five = T::from_small(5);
            let left = (
                xs.scan(five, |x, y| x + y),
                xs.prescan(five, |x, y| x + y),
                xs.postscan(five, |x, y| x + y),
                xs.scan1(|x, y| x + y),
                xs.scan_split(five, |x, y| x + y),
            );
            let right = (
                xs.scan_right(five, |x, y| x + y),
                xs.prescan_right(five, |x, y| x + y),
                xs.postscan_right(five, |x, y| x + y),
                xs.scan1_right(|x, y| x + y),
                xs.scan_right_split(five, |x, y| x + y),
            );
            // The first and the last element seen: associative, but not commutative.
            let pairs = xs.map(|x| (x, x));
            let ends = pairs.scan1(|(first, _), (_, last)| (first, last));
            (left, right, (ends, pairs.scan1_right(|(first, _), (_, last)| (first, last))))
        });
        let function = function.unwrap();
        check(rows(), |(_, _, xs)| {
            let xs: Vec<T> = of_small(&xs);
            let five = T::from_small(5);
            let (left, right, ends) =
                function.run(&Array::from_vec([xs.len()], xs.clone()).unwrap()).unwrap();
            let whole = sums_of(five, &xs);
            let n = xs.len();
            assert_eq!(left.0.to_vec(), whole);
            assert_eq!(left.1.to_vec(), whole[..n]);
            assert_eq!(left.2.to_vec(), whole[1..]);
            assert_eq!(left.3.to_vec(), sums_of(T::from_small(0), &xs)[1..]);
            assert_eq!((left.4.0.to_vec(), left.4.1.to_vec()), (whole[..n].to_vec(), vec![whole[n]]));
            let whole = reversed(&sums_of(five, &reversed(&xs)));
            assert_eq!(right.0.to_vec(), whole);
            assert_eq!(right.1.to_vec(), whole[1..]);
            assert_eq!(right.2.to_vec(), whole[..n]);
            let without = reversed(&sums_of(T::from_small(0), &reversed(&xs)));
            assert_eq!(right.3.to_vec(), without[..n]);
            assert_eq!((right.4.0.to_vec(), right.4.1.to_vec()), (whole[1..].to_vec(), vec![whole[0]]));
            assert_eq!(ends.0.to_vec(), xs.iter().map(|&x| (xs[0], x)).collect::<Vec<_>>());
            assert_eq!(ends.1.to_vec(), xs.iter().map(|&x| (x, xs[n - 1])).collect::<Vec<_>>());
        });
    }
}

fn added<T: Reference>(x: Exp<T>, y: Exp<T>) -> Exp<T> {
    x + y
}

fn segments<T: Reference>() {
    let segment = prop_oneof![Just(Vec::new()), prop::collection::vec(-4..5_i64, 0..20)];
    let segments = prop::collection::vec(segment, 0..10);
    for context in devices_for::<T>() {
        let function = context.compile(|xs: Acc<Vector<T>>, lengths: Acc<Vector<i64>>| {
            let (five, plus) = (T::from_small(5), added::<T>);
            let folds = (
                xs.fold_segments(five, &lengths, plus),
                xs.fold_segments(five, &lengths, |x, y| x.min(y)),
                xs.fold_segments(five, &lengths, |x, y| x.max(y)),
            );
            let left = (
                xs.scan_segments(five, &lengths, plus),
                xs.prescan_segments(five, &lengths, plus),
                xs.postscan_segments(five, &lengths, plus),
                xs.scan1_segments(&lengths, plus),
            );
            let right = (
                xs.scan_right_segments(five, &lengths, plus),
                xs.prescan_right_segments(five, &lengths, plus),
                xs.postscan_right_segments(five, &lengths, plus),
                xs.scan1_right_segments(&lengths, plus),
            );
            (folds, left, right)
        });
        let function = function.unwrap();
        check(segments.clone(), |segments| {
            let (five, zero) = (T::from_small(5), T::from_small(0));
            let segments: Vec<Vec<T>> = segments.iter().map(|xs| of_small(xs)).collect();
            let flat = segments.concat();
            let lengths: Vec<i64> = segments.iter().map(|segment| segment.len() as i64).collect();
            let (xs, lengths): (Array<Dim1, T>, Array<Dim1, i64>) = (flat.into(), lengths.into());
            let (folds, left, right) = function.run(&xs, &lengths).unwrap();
            let each = |f: &dyn Fn(&[T]) -> Vec<T>| segments.iter().flat_map(|xs| f(xs)).collect::<Vec<T>>();
            assert_eq!(folds.0.to_vec(), each(&|xs| vec![sum_from(five, xs)]));
            assert_eq!(folds.1.to_vec(), each(&|xs| vec![xs.iter().copied().fold(five, lesser)]));
            assert_eq!(folds.2.to_vec(), each(&|xs| vec![xs.iter().copied().fold(five, greater)]));
            assert_eq!(left.0.to_vec(), each(&|xs| sums_of(five, xs)));
            assert_eq!(left.1.to_vec(), each(&|xs| sums_of(five, xs)[..xs.len()].to_vec()));
            assert_eq!(left.2.to_vec(), each(&|xs| sums_of(five, xs)[1..].to_vec()));
            assert_eq!(left.3.to_vec(), each(&|xs| sums_of(zero, xs)[1..].to_vec()));
            let after = |first: T, xs: &[T]| reversed(&sums_of(first, &reversed(xs)));
            assert_eq!(right.0.to_vec(), each(&|xs| after(five, xs)));
            assert_eq!(right.1.to_vec(), each(&|xs| after(five, xs)[1..].to_vec()));
            assert_eq!(right.2.to_vec(), each(&|xs| after(five, xs)[..xs.len()].to_vec()));
            assert_eq!(right.3.to_vec(), each(&|xs| after(zero, xs)[..xs.len()].to_vec()));
        });
    }
}

fn movements<T: Reference>() {
    for context in devices_for::<T>() {
        let function = context.compile(|xs: Acc<Matrix<T>>| {
            let (n, m) = xs.extents();
            let reader = xs.reader();
            let turned = xs.backpermute((m, n), |(j, i)| (i, j));
            // The sum of every diagonal, and every row from its index modulo 7 on.
            let (zero, two) = (T::from_small(0), T::from_small(2));
            let diagonals = warpwise::fill(7, two).permute(
                &xs.flatten(),
                |x, y| x + y,
                move |place| ((place % m.max(1)).ne(2), (place / m.max(1) + place % m.max(1)) % 7),
            );
            let shifted = xs.imap(move |(i, j), _| reader.at((i, (i + j) % m)));
            (turned, diagonals, shifted, xs.flatten().filter(move |x| x.gt(zero)))
        });
        let function = function.unwrap();
        check(rows(), |(n, m, xs)| {
            let xs: Vec<T> = of_small(&xs);
            let (turned, diagonals, shifted, kept) =
                function.run(&Array::from_vec([n, m], xs.clone()).unwrap()).unwrap();
            let at = |i: usize, j: usize| xs[i * m + j];
            let all = |n: usize, m: usize| (0..n).flat_map(move |i| (0..m).map(move |j| (i, j)));
            assert_eq!(turned.extents(), [m, n]);
            assert_eq!(turned.to_vec(), all(m, n).map(|(j, i)| at(i, j)).collect::<Vec<_>>());
            let mut expected = [T::from_small(2); 7];
            for (i, j) in all(n, m).filter(|(_, j)| *j != 2) {
                expected[(i + j) % 7] = expected[(i + j) % 7].plus(at(i, j));
            }
            assert_eq!(diagonals.to_vec(), expected);
            assert_eq!(shifted.to_vec(), all(n, m).map(|(i, j)| at(i, (i + j) % m)).collect::<Vec<_>>());
            let is_kept = |x: &T| T::from_small(0).is_less(*x);
            assert_eq!(kept.to_vec(), xs.iter().copied().filter(is_kept).collect::<Vec<_>>());
        });
    }
}

fn stencils<T: Reference>() {
    for context in devices_for::<T>() {
        let function = context.compile(|xs: Acc<Matrix<T>>| {
            let cross = xs.stencil(Boundary::Clamp, |[[_, a, _], [b, c, d], [_, e, _]]| a + b + c + d + e);
            let row = xs.stencil(Boundary::Constant(T::from_small(3)), |[row]: [[_; 5]; 1]| {
                row[0] + row[1] + row[2] + row[3] + row[4]
            });
            (cross, row, xs.flatten().stencil(Boundary::Wrap, |xs: [_; 3]| xs[0] + xs[2]))
        });
        let function = function.unwrap();
        check(rows(), |(n, m, xs)| {
            let xs: Vec<T> = of_small(&xs);
            let array: Array<Dim2, T> = Array::from_vec([n, m], xs.clone()).unwrap();
            let (cross, row, ring) = function.run(&array).unwrap();
            let clamped = |i: i64, j: i64| {
                xs[i.clamp(0, n as i64 - 1) as usize * m + j.clamp(0, m as i64 - 1) as usize]
            };
            let zero = T::from_small(0);
            let places = || (0..n as i64).flat_map(move |i| (0..m as i64).map(move |j| (i, j)));
            let around = places().map(|(i, j)| {
                let near = [(0, 0), (-1, 0), (0, -1), (0, 1), (1, 0)];
                sum_from(zero, &near.map(|(di, dj)| clamped(i + di, j + dj)))
            });
            assert_eq!(cross.to_vec(), around.collect::<Vec<_>>());
            let beside = places().map(|(i, j)| {
                let at = |k: i64| if (0..m as i64).contains(&k) { clamped(i, k) } else { T::from_small(3) };
                sum_from(zero, &[-2, -1, 0, 1, 2].map(|k| at(j + k)))
            });
            assert_eq!(row.to_vec(), beside.collect::<Vec<_>>());
            let count = xs.len();
            let both = (0..count).map(|i| xs[(i + count - 1) % count].plus(xs[(i + 1) % count]));
            assert_eq!(ring.to_vec(), both.collect::<Vec<_>>());
        });
    }
}
