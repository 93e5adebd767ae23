//! Folds and scans of segments, including empty ones.

use proptest::prelude::*;
use warpwise::{Acc, Array, Vector, generate};

use super::{check, devices};

/// Generates segments of small integers.
fn segments() -> impl Strategy<Value = Vec<Vec<i64>>> {
    let segment = prop_oneof![Just(Vec::new()), prop::collection::vec(-9..10_i64, 0..40)];
    prop::collection::vec(segment, 0..20)
}

/// Maps every segment to another.
fn each(segments: &[Vec<i64>], f: impl Fn(&[i64]) -> Vec<i64>) -> Vec<i64> {
    segments.iter().flat_map(|segment| f(segment)).collect()
}

/// Computes `[3, 3 + x0, ...]`.
fn prefixes(xs: &[i64]) -> Vec<i64> {
    (0..=xs.len()).map(|to| 3 + xs[..to].iter().sum::<i64>()).collect()
}

/// Computes `[..., x_last + 3, 3]`.
fn suffixes(xs: &[i64]) -> Vec<i64> {
    (0..=xs.len()).map(|from| 3 + xs[from..].iter().sum::<i64>()).collect()
}

#[test]
fn folds_and_scans_of_segments() {
    for context in devices() {
        let function = context.compile(|xs: Acc<Vector<i64>>, lengths: Acc<Vector<i64>>| {
            let fold = xs.fold_segments(3, &lengths, |x, y| x + y);
            let left = (
                xs.scan1_segments(&lengths, |x, y| x + y),
                xs.scan_segments(3, &lengths, |x, y| x + y),
                xs.prescan_segments(3, &lengths, |x, y| x + y),
                xs.postscan_segments(3, &lengths, |x, y| x + y),
            );
            let right = (
                xs.scan_right_segments(3, &lengths, |x, y| x + y),
                xs.prescan_right_segments(3, &lengths, |x, y| x + y),
                xs.scan_right_split_segments(3, &lengths, |x, y| x + y),
            );
            (fold, left, right, xs.scan1_right_segments(&lengths, |x, _| x))
        });
        let function = function.unwrap();
        check(segments(), |segments| {
            let flat = segments.concat();
            let lengths: Vec<i64> = segments.iter().map(|segment| segment.len() as i64).collect();
            let xs = Array::from_vec([flat.len()], flat.clone()).unwrap();
            let lengths = Array::from_vec([lengths.len()], lengths).unwrap();
            let (fold, left, right, firsts) = function.run(&xs, &lengths).unwrap();
            let sums: Vec<i64> = segments.iter().map(|xs| 3 + xs.iter().sum::<i64>()).collect();
            assert_eq!(fold.to_vec(), sums);
            let minus_initial = |xs: &[i64]| prefixes(xs)[1..].iter().map(|x| x - 3).collect();
            assert_eq!(left.0.to_vec(), each(&segments, minus_initial));
            assert_eq!(left.1.to_vec(), each(&segments, prefixes));
            assert_eq!(left.2.to_vec(), each(&segments, |xs| prefixes(xs)[..xs.len()].to_vec()));
            assert_eq!(left.3.to_vec(), each(&segments, |xs| prefixes(xs)[1..].to_vec()));
            assert_eq!(right.0.to_vec(), each(&segments, suffixes));
            assert_eq!(right.1.to_vec(), each(&segments, |xs| suffixes(xs)[1..].to_vec()));
            assert_eq!(right.2.0.to_vec(), each(&segments, |xs| suffixes(xs)[1..].to_vec()));
            assert_eq!(right.2.1.to_vec(), sums);
            assert_eq!(firsts.to_vec(), flat);
        });
    }
}

/// The folded elements are computed inside the fold: elements of other arrays at other indices, with their index, in rows.
#[test]
fn folds_of_segments_of_what_is_computed() {
    for context in devices() {
        let function = context.compile(|xs: Acc<Vector<i64>>, lengths: Acc<Vector<i64>>| {
            let reader = xs.reader();
            let doubled = xs.map(move |x| x + reader.at(0));
            let reversed = xs.reverse().imap(|i, x| x * i);
            let count = xs.size();
            let reader = xs.reader();
            let rows = generate((2_i64, count), move |(row, i)| reader.at(i) * (row + 2));
            (
                doubled.fold_segments(0, &lengths, |x, y| x + y),
                reversed.fold_segments(3, &lengths, |x, y| x + y),
                rows.fold_segments(0, &lengths, |x, y| x + y),
            )
        });
        let function = function.unwrap();
        check(segments(), |segments| {
            let flat = segments.concat();
            let lengths: Vec<usize> = segments.iter().map(Vec::len).collect();
            let sums = |first: i64, f: &dyn Fn(usize) -> i64| -> Vec<i64> {
                let ends = lengths.iter().scan(0, |end, length| {
                    *end += length;
                    Some(*end)
                });
                ends.zip(&lengths)
                    .map(|(end, length)| first + (end - length..end).map(f).sum::<i64>())
                    .collect()
            };
            let xs = Array::from_vec([flat.len()], flat.clone()).unwrap();
            let counts = lengths.iter().map(|&length| length as i64).collect();
            let counts = Array::from_vec([lengths.len()], counts).unwrap();
            let (doubled, reversed, rows) = function.run(&xs, &counts).unwrap();
            assert_eq!(doubled.to_vec(), sums(0, &|i| flat[i] + flat[0]));
            assert_eq!(reversed.to_vec(), sums(3, &|i| flat[flat.len() - 1 - i] * i as i64));
            let both = [sums(0, &|i| flat[i] * 2), sums(0, &|i| flat[i] * 3)].concat();
            assert_eq!(rows.to_vec(), both);
        });
    }
}
