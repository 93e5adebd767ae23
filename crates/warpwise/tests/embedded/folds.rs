//! Folds and scans with non-commutative functions and non-neutral initial values.

use warpwise::{Acc, Exp, Vector, generate};

use crate::contexts;

const MODULUS: i64 = 1009;

/// Returns a function `x -> a * x + b` by number; the following functions compose two of them.
fn function_of(i: i64) -> (i64, i64) {
    (i % 7 + 1, i % 5)
}

fn compose((a, b): (i64, i64), (c, d): (i64, i64)) -> (i64, i64) {
    ((a * c) % MODULUS, (b * c + d) % MODULUS)
}

fn compose_exp((a, b): (Exp<i64>, Exp<i64>), (c, d): (Exp<i64>, Exp<i64>)) -> (Exp<i64>, Exp<i64>) {
    ((a * c) % MODULUS, (b * c + d) % MODULUS)
}

fn functions(n: Exp<i64>) -> Acc<Vector<(i64, i64)>> {
    generate(n, |i| (i % 7 + 1, i % 5))
}

/// Computes `[z, f(z, x0), ...]`.
fn scanned(initial: (i64, i64), xs: impl Iterator<Item = i64>) -> Vec<(i64, i64)> {
    let mut all = vec![initial];
    for x in xs {
        all.push(compose(all[all.len() - 1], function_of(x)));
    }
    all
}

#[test]
fn functions_that_do_not_commute_fold_in_order() {
    let initial = (3, 4);
    for context in contexts() {
        let function = context.compile(|n: Exp<i64>| {
            let xs = functions(n);
            let folded = xs.fold(initial, compose_exp);
            let (before, total) = xs.scan_split(initial, compose_exp);
            let scans = (xs.scan(initial, compose_exp), xs.prescan(initial, compose_exp));
            (folded, scans, xs.postscan(initial, compose_exp), before, total)
        });
        let function = function.unwrap();
        for n in [0, 1, 2, 33, 3000] {
            let all = scanned(initial, 0..n);
            let (last, but_last) = (all[all.len() - 1], &all[..all.len() - 1]);
            let (folded, (whole, before), after, split, total) = function.run(n).unwrap();
            assert_eq!((folded.to_vec(), total.to_vec()), (vec![last], vec![last]), "{n}");
            assert_eq!((whole.to_vec(), after.to_vec()), (all.clone(), all[1..].to_vec()), "{n}");
            assert_eq!((before.to_vec(), split.to_vec()), (but_last.to_vec(), but_last.to_vec()), "{n}");
        }
    }
}

#[test]
fn scans_from_the_right_are_those_of_the_reversed_array() {
    let initial = (3, 4);
    for context in contexts() {
        let function = context.compile(|n: Exp<i64>| {
            let xs = functions(n);
            let (before, total) = xs.scan_right_split(initial, compose_exp);
            let scans = (xs.scan_right(initial, compose_exp), xs.prescan_right(initial, compose_exp));
            let scans = (scans, xs.postscan_right(initial, compose_exp), xs.scan1_right(compose_exp));
            (scans, before, total)
        });
        let function = function.unwrap();
        for n in [0, 1, 2, 100] {
            let mut all = vec![initial];
            for x in (0..n).rev() {
                all.insert(0, compose(function_of(x), all[0]));
            }
            let mut plain: Vec<(i64, i64)> = Vec::new();
            for x in (0..n).rev() {
                let next = plain.first().map_or(function_of(x), |after| compose(function_of(x), *after));
                plain.insert(0, next);
            }
            let (((whole, before), after, scan1), split, total) = function.run(n).unwrap();
            assert_eq!((whole.to_vec(), total.to_vec()), (all.clone(), vec![all[0]]), "{n}");
            assert_eq!((before.to_vec(), split.to_vec()), (all[1..].to_vec(), all[1..].to_vec()), "{n}");
            assert_eq!((after.to_vec(), scan1.to_vec()), (all[..all.len() - 1].to_vec(), plain), "{n}");
        }
    }
}

#[test]
fn segments_fold_from_their_first_elements_on() {
    let lengths = [3_i64, 1, 70];
    let total: i64 = lengths.iter().sum();
    let function = |lengths: Acc<Vector<i64>>, n: Exp<i64>| {
        let xs = functions(n);
        let offsets = lengths.scan(0, |x, y| x + y);
        (xs.fold1_segments(&lengths, compose_exp), xs.fold1_segments_at(&offsets, compose_exp))
    };
    let mut all = (0..total).map(function_of);
    let expected: Vec<(i64, i64)> =
        lengths.iter().map(|&length| all.by_ref().take(length as usize).reduce(compose).unwrap()).collect();
    for context in contexts() {
        let compiled = context.compile(function).unwrap();
        let (by_lengths, by_offsets) = compiled.run(&lengths.as_slice().into(), total).unwrap();
        assert_eq!((by_lengths.to_vec(), by_offsets.to_vec()), (expected.clone(), expected.clone()));
    }
}
