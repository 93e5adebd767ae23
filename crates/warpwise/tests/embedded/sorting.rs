//! Sorts compared with the standard library's: of all types, of few and many elements, and where no host function can be called.

use std::collections::BTreeMap;

use warpwise::{Acc, Array, Context, SortKey, Vector, acond, awhile, f16, unit, use_};

use crate::{contexts, run};

/// Makes numbers that repeat three times each, and differ also in their leading bits.
fn numbers(count: usize) -> Vec<u64> {
    let scrambled = |i: u64| (i / 3).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    (0..count as u64).map(scrambled).collect()
}

/// Sorts arrays of many lengths, and compares with a stable sort by `order`.
fn check<E: SortKey + Copy + PartialEq + std::fmt::Debug>(
    of: impl Fn(u64) -> E,
    order: impl Fn(&E, &E) -> std::cmp::Ordering,
) {
    for context in contexts() {
        let function = context.compile(|xs: Acc<Vector<E>>| (xs.sort(), xs.argsort())).unwrap();
        for count in [0, 1, 2, 3, 100, 1000] {
            let xs: Vec<E> = numbers(count).into_iter().map(&of).collect();
            let mut places: Vec<i64> = (0..count as i64).collect();
            places.sort_by(|&i, &j| order(&xs[i as usize], &xs[j as usize]));
            let (sorted, found) = function.run(&xs.clone().into()).unwrap();
            assert_eq!(found.to_vec(), places, "{count}");
            let expected: Vec<E> = places.iter().map(|&i| xs[i as usize]).collect();
            assert_eq!(format!("{:?}", sorted.to_vec()), format!("{expected:?}"), "{count}");
        }
    }
}

#[test]
fn integers_and_characters_are_sorted() {
    check(|x| x as u8, u8::cmp);
    check(|x| x as i8, i8::cmp);
    check(|x| x as i16, i16::cmp);
    check(|x| x as u32, u32::cmp);
    check(|x| x as i32, i32::cmp);
    check(|x| x, u64::cmp);
    check(|x| x as i64, i64::cmp);
    check(|x| x as usize, usize::cmp);
    check(|x| x as isize, isize::cmp);
    check(|x| x % 3 == 0, bool::cmp);
    check(|x| char::from_u32(x as u32 % 0xd800).unwrap(), char::cmp);
}

#[test]
fn floats_are_sorted_as_total_cmp_orders_them() {
    let special = |x: u64| match x % 7 {
        0 => -0.0,
        1 => 0.0,
        2 => f64::INFINITY,
        3 => f64::NEG_INFINITY,
        4 => f64::NAN,
        5 => -f64::NAN,
        _ => x as i64 as f64 / 1e15,
    };
    check(special, f64::total_cmp);
    check(|x| special(x) as f32, f32::total_cmp);
    check(|x| f16::from_f64(special(x) / 1e3), f16::total_cmp);
}

#[test]
fn tuples_are_sorted_part_by_part() {
    check(|x| (x as u8 % 3, x as i32 % 5), Ord::cmp);
    check(|x| (x % 2 == 0, x as i64 % 7, (x >> 9) as u16), Ord::cmp);
}

#[test]
fn elements_are_sorted_by_keys_and_equal_ones_stay_in_order() {
    let mut pairs: Vec<(u32, f32)> = (0..1000).map(|i| (i * 7919 % 37, i as f32)).collect();
    let xs = use_(&Array::from(pairs.clone()));
    let (ascending, descending) = run(&(xs.sort_by_key(|(key, _)| key), xs.sort_by_key(|(_, x)| -x)));
    pairs.sort_by_key(|(key, _)| *key);
    assert_eq!(ascending.to_vec(), pairs);
    pairs.sort_by(|x, y| y.1.total_cmp(&x.1));
    assert_eq!(descending.to_vec(), pairs);
}

#[test]
fn elements_that_repeat_are_there_once() {
    for (xs, expected) in [(vec![], vec![]), (vec![5], vec![5]), (vec![2, 9, 2, -1, 9, 9], vec![-1, 2, 9])] {
        assert_eq!(run(&use_(&Vector::<i32>::from(xs)).unique()).to_vec(), expected);
    }
    let pairs = use_(&Array::from([(1_u8, 2.0), (1, 1.0), (1, 2.0), (0, 2.0)]));
    assert_eq!(run(&pairs.unique()).to_vec(), [(0, 2.0), (1, 1.0), (1, 2.0)]);
}

#[test]
fn elements_are_grouped_by_keys() {
    for count in [0, 1, 2, 500] {
        let xs: Vec<(u8, i64)> = (0..count).map(|i| ((i * 31 % 7) as u8, i)).collect();
        let mut expected: BTreeMap<u8, Vec<(u8, i64)>> = BTreeMap::new();
        for &x in &xs {
            expected.entry(x.0).or_default().push(x);
        }
        let (keys, lengths, elements) = use_(&Vector::from(xs)).group_by_key(|(key, _)| key);
        let (keys, lengths, elements) = run(&(keys, lengths, elements));
        assert_eq!(keys.to_vec(), expected.keys().copied().collect::<Vec<_>>(), "{count}");
        let counts: Vec<i64> = expected.values().map(|group| group.len() as i64).collect();
        assert_eq!(lengths.to_vec(), counts, "{count}");
        assert_eq!(elements.to_vec(), expected.into_values().flatten().collect::<Vec<_>>(), "{count}");
    }
}

#[test]
fn segments_are_sorted_by_themselves() {
    for lengths in [vec![], vec![0], vec![1], vec![3, 0, 4, 0, 0], vec![100, 1, 250]] {
        let total: i64 = lengths.iter().sum();
        let xs: Vec<u64> = numbers(total as usize).into_iter().map(|x| x % 50).collect();
        let (mut ascending, mut descending, mut from) = (xs.clone(), xs.clone(), 0);
        for &length in &lengths {
            let to = from + length as usize;
            ascending[from..to].sort();
            descending[from..to].sort_by(|x, y| y.cmp(x));
            from = to;
        }
        let (xs, lengths) = (use_(&Vector::from(xs)), use_(&Vector::from(lengths)));
        let by_key = xs.sort_segments_by_key(&lengths, |x| -x.cast::<i32>());
        let (plain, by_key) = run(&(xs.sort_segments(&lengths), by_key));
        assert_eq!((plain.to_vec(), by_key.to_vec()), (ascending, descending));
    }
}

/// Inside loops and choices the program itself sorts.
#[test]
fn loops_and_choices_sort_too() {
    for count in [0, 1, 2, 700] {
        let mut xs: Vec<i32> = numbers(count).into_iter().map(|x| x as i32).collect();
        let array = use_(&Vector::from(xs.clone()));
        let (sorted, _) = awhile(
            &(array.clone(), unit(0_i64)),
            |(_, n)| n.the().lt(2),
            |(xs, n)| (xs.map(|x| -x).sort(), n.map(|n| n + 1)),
        );
        let chosen = acond(array.len().gt(1), &array.sort(), &array);
        let (sorted, chosen) = run(&(sorted, chosen));
        xs.sort_unstable();
        assert_eq!((sorted.to_vec(), chosen.to_vec()), (xs.clone(), xs), "{count}");
    }
}

#[test]
fn many_elements_are_sorted_by_several_threads() {
    let mut xs: Vec<u64> = numbers(600_000);
    let context = Context::cpu().unwrap().with_cache(None);
    let sorted = context.run(&use_(&Vector::from(xs.clone())).sort()).unwrap();
    xs.sort_unstable();
    assert_eq!(sorted.to_vec(), xs);
}
