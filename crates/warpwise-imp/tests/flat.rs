//! Maps whose rows may be shorter than a vector: flat lanes, rows and columns of lanes, and the choice between versions.

mod common;

use common::*;

/// Numbers of rows and columns on both sides of every threshold, with zeros, ones and primes.
const SHAPES: [(i64, i64); 16] = [
    (0, 0),
    (0, 3),
    (5, 0),
    (1, 1),
    (1, 7),
    (300, 1),
    (301, 2),
    (101, 3),
    (67, 4),
    (57, 7),
    (30, 13),
    (19, 15),
    (19, 16),
    (19, 17),
    (11, 64),
    (7, 131),
];

#[test]
fn a_body_of_places_alone_has_one_kernel_for_rows_of_any_length() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r0: [n][m]i64) {
        c: [n][m]i64 = screma n (a) map (row: [m]i64) {
          r: [m]i64 = screma m (row) map (x: i64) {
            odd: i64 = and x 1;
            is: bool = eq odd 1;
            y: i64 = if is { z: i64 = mul x 3; return z } else { return x };
            return y };
          return r };
        return c }";
    let shown = shown_optimised(text);
    let of_maps = shown.lines().filter(|line| line.contains("launch main_") && line.contains("_map("));
    assert_eq!(of_maps.count(), 1, "{shown}");
    assert!(!shown.contains("squot"), "no row and no column is computed:\n{shown}");
    for (n, m) in SHAPES {
        let c = (0..n * m).map(|x| if x % 2 == 1 { 3 * x } else { x });
        expect(text, &[int(n), int(m), ints(0..n * m)], &[ints(c)]);
    }
}

#[test]
fn rows_and_columns_of_flat_lanes() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64, b: [n]i64, d: [m]i64) -> (r0: [n][m]i64) {
        is: [n]i64 = iota n 0 1;
        js: [m]i64 = iota m 0 1;
        c: [n][m]i64 = screma n (a, b, is) map (row: [m]i64, y: i64, i: i64) {
          r: [m]i64 = screma m (row, d, js) map (x: i64, z: i64, j: i64) {
            k: i64 = mul i 1000;
            l: i64 = add k j;
            s: i64 = mul x y;
            t: i64 = add s z;
            u: i64 = add t l;
            return u };
          return r };
        return c }";
    for (n, m) in SHAPES {
        let (b, d): (Vec<i64>, Vec<i64>) = ((0..n).map(|i| i % 5).collect(), (0..m).map(|j| 7 * j).collect());
        let c = (0..n * m).map(|at| {
            let (i, j) = (at / m, at % m);
            at * b[i as usize] + d[j as usize] + 1000 * i + j
        });
        let args = [int(n), int(m), ints(0..n * m), ints(b.clone()), ints(d.clone())];
        expect(text, &args, &[ints(c)]);
    }
}

#[test]
fn neighbours_in_short_rows() {
    // The left neighbour or the first element, twice the element, the mirrored element, and one of the next row.
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r0: [n][m]i64) {
        is: [n]i64 = iota n 0 1;
        js: [m]i64 = iota m 0 1;
        last: i64 = sub n 1;
        end: i64 = sub m 1;
        c: [n][m]i64 = screma n (is) map (i: i64) {
          below: i64 = add i 1;
          next: i64 = smin below last;
          r: [m]i64 = screma m (js) map (j: i64) {
            before: i64 = sub j 1;
            left: i64 = smax before 0;
            mirrored: i64 = sub end j;
            w: i64 = index a[i, left];
            x: i64 = index a[i, j];
            y: i64 = index a[i, mirrored];
            z: i64 = index a[next, j];
            s: i64 = add w x;
            t: i64 = mul y 1000;
            u: i64 = sub t z;
            v: i64 = add s u;
            return v };
          return r };
        return c }";
    for (n, m) in SHAPES {
        let a = |i: i64, j: i64| (i * m + j) * 17 % 101;
        let c = (0..n * m).map(|at| {
            let (i, j) = (at / m, at % m);
            a(i, (j - 1).max(0)) + a(i, j) + 1000 * a(i, m - 1 - j) - a((i + 1).min(n - 1), j)
        });
        let elements = (0..n * m).map(|at| at * 17 % 101);
        expect(text, &[int(n), int(m), ints(elements)], &[ints(c)]);
    }
}

#[test]
fn digits_of_three_dimensions() {
    let text = "fun main(n: i64, m: i64, k: i64) -> (r0: [n][m][k]i64) {
        is: [n]i64 = iota n 0 1;
        js: [m]i64 = iota m 0 1;
        ls: [k]i64 = iota k 0 1;
        c: [n][m][k]i64 = screma n (is) map (i: i64) {
          p: [m][k]i64 = screma m (js) map (j: i64) {
            r: [k]i64 = screma k (ls) map (l: i64) {
              x: i64 = mul i 1000000;
              y: i64 = mul j 1000;
              z: i64 = add x y;
              w: i64 = add z l;
              return w };
            return r };
          return p };
        return c }";
    let shapes =
        [(1, 1, 1), (3, 0, 2), (5, 700, 1), (2, 513, 3), (2, 511, 2), (40, 1, 1), (7, 3, 5), (3, 5, 40)];
    for (n, m, k) in shapes {
        let c = (0..n * m * k).map(|at| at / k / m * 1_000_000 + at / k % m * 1000 + at % k);
        expect(text, &[int(n), int(m), int(k)], &[ints(c)]);
    }
}

#[test]
fn the_first_failing_point_of_flat_lanes_is_reported() {
    let text = "fun main(n: i64, m: i64, k: i64, is: [n][m]i64, xs: [k]i64) -> (r: [n][m]i64) {
        ys: [n][m]i64 = screma n (is) map (row: [m]i64) {
          zs: [m]i64 = screma m (row) map (i: i64) {
            low: bool = sle 0 i; high: bool = slt i k; ok: bool = and low high;
            c: cert = assert ok (\"at \", i: i64);
            x: i64 = {c} index xs[i];
            return x };
          return zs };
        return ys }";
    for (n, m) in SHAPES.into_iter().filter(|(n, m)| n * m > 0) {
        let mut is: Vec<i64> = (0..n * m).map(|at| at % 10).collect();
        expect(text, &[int(n), int(m), int(10), ints(is.clone()), ints(0..10)], &[ints(is.clone())]);
        for bad in [n * m / 7, n * m / 2, n * m - 1] {
            is[bad as usize] = -3;
            expect_failure(text, &[int(n), int(m), int(10), ints(is.clone()), ints(0..10)], bad, &[-3]);
            is[bad as usize] = 0;
        }
    }
}
