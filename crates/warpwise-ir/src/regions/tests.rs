//! Checks of every answer "disjoint" on small models against the elements themselves, and the proofs that passes need.

use std::collections::HashMap;

use crate::entity::Entity;
use crate::program::Var;

use super::{Bounds, Region, Sum, are_disjoint};

fn region(offset: Sum, dims: &[(Sum, Sum)]) -> Region {
    Region { offset, dims: dims.to_vec() }
}

fn number(value: i64) -> Sum {
    Sum::constant(value)
}

fn elements(offset: i64, dims: &[(i64, i64)]) -> Vec<i64> {
    let mut all = vec![offset];
    for &(extent, stride) in dims {
        all = all.iter().flat_map(|&at| (0..extent).map(move |i| at + i * stride)).collect();
    }
    all
}

fn share(x: &[i64], y: &[i64]) -> bool {
    x.iter().any(|at| y.contains(at))
}

#[test]
fn numbers_exhaustively() {
    let mut shapes: Vec<Vec<(i64, i64)>> = vec![vec![]];
    for outer in dims(0..=4, -4..=4) {
        shapes.push(vec![outer]);
    }
    for outer in dims(1..=3, -1..=4) {
        shapes.extend(dims(2..=3, 1..=3).map(|inner| vec![outer, inner]));
    }
    let (mut disjoint, mut proved) = (0, 0);
    for x in &shapes {
        for y in &shapes {
            for distance in -5..=5 {
                let apart = !share(&elements(distance, x), &elements(0, y));
                let symbolic = |offset, dims: &[(i64, i64)]| {
                    let dims: Vec<_> = dims.iter().map(|&(n, s)| (number(n), number(s))).collect();
                    region(number(offset), &dims)
                };
                let answer = are_disjoint(&Bounds::default(), &symbolic(distance, x), &symbolic(0, y));
                assert!(apart || !answer, "{distance} + {x:?} and {y:?} share an element");
                disjoint += u32::from(apart);
                proved += u32::from(answer);
            }
        }
    }
    assert!(proved * 10 > disjoint * 9, "only {proved} of {disjoint} disjoint pairs are proved to be");
}

fn dims(
    extents: std::ops::RangeInclusive<i64>,
    strides: std::ops::RangeInclusive<i64>,
) -> impl Iterator<Item = (i64, i64)> {
    extents.flat_map(move |extent| strides.clone().map(move |stride| (extent, stride)))
}

/// `n`, `m`, `i`, `j` with `0 <= i < j < m`, `1 <= n`.
struct Names {
    n: Var,
    m: Var,
    i: Var,
    j: Var,
    bounds: Bounds,
}

fn names() -> Names {
    let [n, m, i, j] = [0, 1, 2, 3].map(Var::new);
    let mut bounds = Bounds::default();
    let after = |var| Sum::var(var).plus(&number(1)).expect("small");
    bounds.at_least(n, &number(1));
    bounds.at_least(m, &after(j));
    bounds.at_least(j, &after(i));
    bounds.at_least(i, &number(0));
    Names { n, m, i, j, bounds }
}

fn product(x: &Sum, y: &Sum) -> Sum {
    x.times(y).expect("small")
}

#[test]
fn variables_exhaustively() {
    let Names { n, m, i, j, bounds } = names();
    let [n, m, i, j] = [n, m, i, j].map(Sum::var);
    let offsets = [number(0), number(1), i.clone(), j.clone(), product(&i, &m), product(&j, &m)];
    let one_dim = [
        (n.clone(), number(1)),
        (m.clone(), number(1)),
        (n.clone(), m.clone()),
        (m.clone(), n.clone()),
        (n.clone(), number(2)),
        (i.clone(), number(-1)),
    ];
    let mut shapes: Vec<Vec<(Sum, Sum)>> = one_dim.iter().map(|dim| vec![dim.clone()]).collect();
    shapes.push(vec![(n.clone(), m.clone()), (m.clone(), number(1))]);
    shapes.push(vec![(n.clone(), m.clone()), (number(2), number(1))]);
    let regions: Vec<Region> =
        offsets.iter().flat_map(|offset| shapes.iter().map(|dims| region(offset.clone(), dims))).collect();
    let mut proved = 0;
    for x in &regions {
        for y in &regions {
            if are_disjoint(&bounds, x, y) {
                proved += 1;
                for model in models() {
                    let (x_elements, y_elements) = (elements_in(x, &model), elements_in(y, &model));
                    assert!(!share(&x_elements, &y_elements), "{x:?}\n{y:?}\nin {model:?}");
                }
            }
        }
    }
    assert!(proved > 100, "only {proved} proofs");
}

/// Returns all small values of the variables within their bounds.
fn models() -> Vec<HashMap<Var, i64>> {
    let mut models = Vec::new();
    for (n, m) in dims(1..=3, 2..=4) {
        for (i, j) in dims(0..=m - 2, 1..=m - 1).filter(|(i, j)| i < j) {
            models.push((0..).map(Var::new).zip([n, m, i, j]).collect());
        }
    }
    models
}

fn elements_in(region: &Region, model: &HashMap<Var, i64>) -> Vec<i64> {
    let dims: Vec<(i64, i64)> = region.dims.iter().map(|(n, s)| (n.value(model), s.value(model))).collect();
    elements(region.offset.value(model), &dims)
}

/// Rows of a square matrix whose width is itself a sum, and blocks below and to the right of one of them.
#[test]
fn strides_that_are_sums() {
    let [n, i, j, k, l] = [0, 1, 2, 3, 4].map(Var::new);
    let mut bounds = Bounds::default();
    let [n, i, j, k, l] = [n, i, j, k, l].map(Sum::var);
    let plus = |x: &Sum, y: &Sum| x.plus(y).expect("small");
    let minus = |x: &Sum, y: &Sum| x.minus(y).expect("small");
    [&n, &i, &k, &l].into_iter().for_each(|var| bounds.know(var.clone()));
    let width = plus(&n, &number(2));
    // 0 <= i < j < n + 2
    bounds.know(minus(&minus(&j, &i), &number(1)));
    bounds.know(minus(&minus(&width, &j), &number(1)));
    let row = |at: &Sum| region(product(at, &width), &[(width.clone(), number(1))]);
    assert!(are_disjoint(&bounds, &row(&i), &row(&j)));
    assert!(are_disjoint(&bounds, &row(&j), &row(&i)));
    assert!(!are_disjoint(&bounds, &row(&j), &row(&j)));
    // k, l < n - i - 1: element (i + 1 + k, i) is in no block right of column i.
    let rest = minus(&minus(&n, &i), &number(1));
    let mut bounds = Bounds::default();
    [&n, &i, &k, &l].into_iter().for_each(|var| bounds.know(var.clone()));
    bounds.know(minus(&minus(&rest, &k), &number(1)));
    bounds.know(minus(&minus(&rest, &l), &number(1)));
    let next = plus(&i, &number(1));
    let below = region(plus(&product(&plus(&next, &k), &n), &i), &[]);
    let corner = plus(&product(&next, &n), &next);
    let inner = region(corner, &[(rest.clone(), n.clone()), (rest.clone(), number(1))]);
    assert!(are_disjoint(&bounds, &below, &inner));
    let inside = region(plus(&product(&plus(&next, &k), &n), &plus(&next, &l)), &[]);
    assert!(!are_disjoint(&bounds, &inside, &inner));
}

#[test]
fn rows_columns_and_blocks() {
    let Names { n, m, i, j, bounds } = names();
    let [n, m, i, j] = [n, m, i, j].map(Sum::var);
    let one = number(1);
    let row = |i: &Sum| region(product(i, &m), &[(m.clone(), one.clone())]);
    assert!(are_disjoint(&bounds, &row(&i), &row(&j)));
    assert!(are_disjoint(&bounds, &row(&j), &row(&i)));
    assert!(!are_disjoint(&bounds, &row(&i), &row(&i)));
    let column = |i: &Sum| region(i.clone(), &[(n.clone(), m.clone())]);
    assert!(are_disjoint(&bounds, &column(&i), &column(&j)));
    assert!(!are_disjoint(&bounds, &column(&j), &column(&j)));
    // Row j and the elements before it; a matrix and the elements after it.
    let before = region(number(0), &[(product(&j, &m), one.clone())]);
    assert!(are_disjoint(&bounds, &before, &row(&j)));
    let matrix = region(number(0), &[(n.clone(), m.clone()), (m.clone(), one.clone())]);
    let behind = region(product(&n, &m), &[(n.clone(), one.clone())]);
    assert!(are_disjoint(&bounds, &matrix, &behind));
    // Left and right part of a matrix, split at column j.
    let left = region(number(0), &[(n.clone(), m.clone()), (j.clone(), one.clone())]);
    let width = m.minus(&j).expect("small");
    let right = region(j.clone(), &[(n.clone(), m.clone()), (width, one.clone())]);
    assert!(are_disjoint(&bounds, &left, &right));
    // Odd and even elements.
    let even = region(number(0), &[(n.clone(), number(2))]);
    let odd = region(number(1), &[(n.clone(), number(2))]);
    assert!(are_disjoint(&bounds, &even, &odd));
    assert!(!are_disjoint(&bounds, &even, &even));
}
