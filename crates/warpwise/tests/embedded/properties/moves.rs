//! Elements written to computed indices.

use proptest::prelude::*;
use warpwise::{Acc, Array, DeviceKind, Vector};

use super::{check, devices, small};

#[test]
fn gathers_scatters_and_permutations() {
    let places = (1..50_usize).prop_flat_map(|n| (Just(n), prop::collection::vec(-3..n as i64 + 3, 0..200)));
    for context in devices() {
        let function = context.compile(|places: Acc<Vector<i64>>, defaults: Acc<Vector<i64>>| {
            let (at, n) = (places.reader(), defaults.size());
            let numbers = places.imap(|i, _| i * 10);
            let sums = defaults.permute(&numbers, |x, y| x + y, move |i| (i.ne(2), at.at(i)));
            let odd = defaults.permute(&numbers, |x, y| (x * y + x + y) % 1009, move |i| (true, at.at(i)));
            let inside = places.map(move |place| place.clamp(0, n - 1));
            (defaults.scatter(&places, &numbers), sums, odd, defaults.gather(&inside))
        });
        let function = function.unwrap();
        check(places.clone(), |(n, places)| {
            let defaults: Vec<i64> = (0..n as i64).map(|i| i * i % 1009).collect();
            let arrays = [&places, &defaults].map(|xs| Array::from_vec([xs.len()], xs.clone()).unwrap());
            let (scattered, sums, odd, gathered) = function.run(&arrays[0], &arrays[1]).unwrap();
            let combined = |takes_part: &dyn Fn(usize) -> bool, f: &dyn Fn(i64, i64) -> i64| {
                let mut result = defaults.clone();
                for (i, &place) in places.iter().enumerate() {
                    if takes_part(i) && (0..n as i64).contains(&place) {
                        result[place as usize] = f(result[place as usize], i as i64 * 10);
                    }
                }
                result
            };
            match context.kind() {
                // If several elements have the same destination, any of them may stay.
                DeviceKind::OpenCl => {
                    for (place, &x) in (0..).zip(&scattered.to_vec()) {
                        let mut written = (0..)
                            .zip(&places)
                            .filter(|&(_, &at)| at == place)
                            .map(|(i, _)| i * 10)
                            .peekable();
                        match written.peek() {
                            Some(_) => assert!(written.any(|y: i64| y == x), "{x} at {place}"),
                            None => assert_eq!(x, defaults[place as usize]),
                        }
                    }
                }
                _ => assert_eq!(scattered.to_vec(), combined(&|_| true, &|_, y| y)),
            }
            assert_eq!(sums.to_vec(), combined(&|i| i != 2, &|x, y| x + y));
            assert_eq!(odd.to_vec(), combined(&|_| true, &|x, y| (x * y + x + y) % 1009));
            let expected = places.iter().map(|&place| defaults[place.clamp(0, n as i64 - 1) as usize]);
            assert_eq!(gathered.to_vec(), expected.collect::<Vec<_>>());
        });
    }
}

#[test]
fn filters_and_expansions() {
    for context in devices() {
        let function = context.compile(|xs: Acc<Vector<i64>>| {
            let even = xs.map(|x| (x, x * 2)).filter(|(x, _)| x.is_even());
            (even, xs.filter(|x| x.gt(100)), xs.expand(|x| x, |x, i| x * 100 + i))
        });
        let function = function.unwrap();
        check(small(), |xs| {
            let (even, none, expanded) =
                function.run(&Array::from_vec([xs.len()], xs.clone()).unwrap()).unwrap();
            let expected = xs.iter().filter(|x| *x % 2 == 0).map(|&x| (x, x * 2));
            assert_eq!(even.to_vec(), expected.collect::<Vec<_>>());
            assert!(none.is_empty());
            let expected = xs.iter().flat_map(|&x| (0..x).map(move |i| x * 100 + i));
            assert_eq!(expanded.to_vec(), expected.collect::<Vec<_>>());
        });
    }
}
