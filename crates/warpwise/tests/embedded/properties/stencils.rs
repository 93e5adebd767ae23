//! Stencils with every boundary.

use warpwise::{Acc, Array, Boundary, Matrix, Vector};

use super::{check, devices, matrix, small};

/// Function to the position that replaces one beyond the borders; `None` if a constant replaces its element.
type Outside = fn(i64, i64) -> Option<i64>;

fn boundaries() -> [(Boundary<i64>, Outside); 4] {
    [
        (Boundary::Clamp, |at, n| Some(at.clamp(0, n - 1))),
        (Boundary::Wrap, |at, n| Some(at.rem_euclid(n))),
        (Boundary::Mirror, |at, n| {
            let within = at.rem_euclid(2 * n);
            Some(if within < n { within } else { 2 * n - 1 - within })
        }),
        (Boundary::Constant(7), |at, n| (0..n).contains(&at).then_some(at)),
    ]
}

#[test]
fn vectors() {
    for context in devices() {
        for (boundary, outside) in boundaries() {
            let function = context.compile(|xs: Acc<Vector<i64>>| {
                let three = xs.stencil(boundary.clone(), |[a, b, c]| a * 100 + b * 10 + c);
                (three, xs.stencil(boundary, |xs: [_; 7]| xs[0] * 3 + xs[6]))
            });
            let function = function.unwrap();
            check(small(), |xs| {
                let n = xs.len() as i64;
                let at = |i: i64| outside(i, n).map_or(7, |i| xs[i as usize]);
                let (three, seven) = function.run(&Array::from_vec([xs.len()], xs.clone()).unwrap()).unwrap();
                let expected = (0..n).map(|i| at(i - 1) * 100 + at(i) * 10 + at(i + 1));
                assert_eq!(three.to_vec(), expected.collect::<Vec<_>>());
                let expected = (0..n).map(|i| at(i - 3) * 3 + at(i + 3));
                assert_eq!(seven.to_vec(), expected.collect::<Vec<_>>());
            });
        }
    }
}

#[test]
fn matrices() {
    for context in devices() {
        for (boundary, outside) in boundaries() {
            let function = context.compile(|xs: Acc<Matrix<i64>>| {
                xs.stencil(boundary, |[[a, _, _], [_, b, _], [_, _, c]]| a * 100 + b * 10 + c)
            });
            let function = function.unwrap();
            check(matrix(), |((n, m), xs)| {
                let at = |i: i64, j: i64| match (outside(i, n as i64), outside(j, m as i64)) {
                    (Some(i), Some(j)) => xs[i as usize * m + j as usize],
                    _ => 7,
                };
                let found = function.run(&Array::from_vec([n, m], xs.clone()).unwrap()).unwrap();
                let places = (0..n as i64).flat_map(|i| (0..m as i64).map(move |j| (i, j)));
                let expected = places.map(|(i, j)| at(i - 1, j - 1) * 100 + at(i, j) * 10 + at(i + 1, j + 1));
                assert_eq!(found.to_vec(), expected.collect::<Vec<_>>());
            });
        }
    }
}
