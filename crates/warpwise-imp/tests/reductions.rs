//! Reductions: whole arrays, rows, operators that are not commutative, several reductions at once.

mod common;

use common::*;

#[test]
fn sum_of_integers_and_floats() {
    let text = "fun main(n: i64, xs: [n]i64, ys: [n]f32) -> (r0: i64, r1: f32) {
        s: i64 = screma n (xs) map (x: i64) { return x }
          reduce (a: i64, b: i64) { c: i64 = add a b; return c } [0];
        t: f32 = screma n (ys) map (x: f32) { y: f32 = fmul x x; return y }
          reduce (a: f32, b: f32) { c: f32 = fadd a b; return c } [0f32];
        return s, t }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| i * i % 1001).collect();
        let ys: Vec<f32> = (0..n).map(|i| (i % 8) as f32).collect();
        // Small whole numbers, so that sums are exact in any order.
        let t = ys.iter().fold(0.0, |t, y| t + y * y);
        expect(text, &[int(n), ints(xs.clone()), floats(ys.clone())], &[int(xs.iter().sum()), float(t)]);
    }
}

#[test]
fn operator_that_does_not_commute() {
    // Affine functions under composition: (a, b) then (c, d) is (a*c, b*c + d).
    let text = "fun main(n: i64, xs: [n]i64, ys: [n]i64) -> (r0: i64, r1: i64) {
        s: i64, t: i64 = screma n (xs, ys) map (x: i64, y: i64) { return x, y }
          reduce (a: i64, b: i64, c: i64, d: i64) {
            e: i64 = mul a c; f: i64 = mul b c; g: i64 = add f d; return e, g } [1, 0];
        return s, t }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| i % 5 * 2 + 1).collect();
        let ys: Vec<i64> = (0..n).map(|i| i % 7 - 3).collect();
        let compose = |(a, b): (i64, i64), (&c, &d): (&i64, &i64)| {
            (a.wrapping_mul(c), b.wrapping_mul(c).wrapping_add(d))
        };
        let (s, t) = xs.iter().zip(&ys).fold((1, 0), compose);
        expect(text, &[int(n), ints(xs.clone()), ints(ys.clone())], &[int(s), int(t)]);
    }
}

#[test]
fn map_and_two_reductions_in_one_pass() {
    let text = "fun main(n: i64, xs: [n]i64) -> (r0: i64, r1: i64, r2: [n]i64) {
        s: i64, m: i64, ys: [n]i64 = screma n (xs) map (x: i64) { y: i64 = mul x 2; return x, y, y }
          reduce (a: i64, b: i64) { c: i64 = add a b; return c } [0]
          reduce (a: i64, b: i64) { c: i64 = smax a b; return c } [-9223372036854775808];
        return s, m, ys }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| (i * 31) % 101 - 50).collect();
        let ys: Vec<i64> = xs.iter().map(|x| 2 * x).collect();
        let most = ys.iter().copied().max().unwrap_or(i64::MIN);
        expect(text, &[int(n), ints(xs.clone())], &[int(xs.iter().sum()), int(most), ints(ys)]);
    }
}

#[test]
fn matrix_times_vector() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64, x: [m]i64) -> (r0: [n]i64) {
        ys: [n]i64 = screma n (a) map (row: [m]i64) {
          s: i64 = screma m (row, x) map (r: i64, v: i64) { p: i64 = mul r v; return p }
            reduce (acc: i64, p: i64) { t: i64 = add acc p; return t } [0];
          return s };
        return ys }";
    for (n, m) in [(0, 3), (3, 0), (1, 1), (4, 1), (1, 17), (9, 65), (100, 4), (3, 1000)] {
        let a: Vec<i64> = (0..n * m).map(|i| i % 13).collect();
        let x: Vec<i64> = (0..m).map(|j| j + 1).collect();
        let ys = (0..n).map(|i| (0..m).map(|j| a[(i * m + j) as usize] * x[j as usize]).sum());
        expect(text, &[int(n), int(m), ints(a.clone()), ints(x.clone())], &[ints(ys)]);
    }
}

#[test]
fn sums_of_columns() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r0: [m]i64) {
        t: [m][n]i64 = rearrange (1, 0) a;
        ys: [m]i64 = screma m (t) map (column: [n]i64) {
          s: i64 = screma n (column) map (x: i64) { return x }
            reduce (acc: i64, p: i64) { t: i64 = add acc p; return t } [0];
          return s };
        return ys }";
    for (n, m) in [(0, 3), (3, 0), (1, 1), (4, 1), (1, 17), (9, 65), (100, 4)] {
        let a: Vec<i64> = (0..n * m).map(|i| i % 13).collect();
        let ys = (0..m).map(|j| (0..n).map(|i| a[(i * m + j) as usize]).sum());
        expect(text, &[int(n), int(m), ints(a.clone())], &[ints(ys)]);
    }
}

/// Tests operators that choose one of two elements and keep its position, which change their accumulators under a test.
#[test]
fn places_of_the_least_and_of_the_greatest() {
    let program = |op: &str| {
        format!(
            "fun main(n: i64, xs: [n]i64) -> (r0: i64, r1: i64) {{
               is: [n]i64 = iota n 0 1;
               x: i64, i: i64 = screma n (xs, is) map (x: i64, i: i64) {{ return x, i }}
                 reduce_comm (a: i64, i: i64, b: i64, j: i64) {{ {op} return c, k }} [0, -1];
               return x, i }}"
        )
    };
    let least = program(
        "before: bool = slt a b; same: bool = eq a b; first: bool = slt i j; tie: bool = and same first;
         left: bool = or before tie; c: i64 = select left a b; k: i64 = select left i j;",
    );
    let greatest = program(
        "after: bool = slt a b; same: bool = eq a b; first: bool = slt j i; tie: bool = and same first;
         right: bool = or after tie; c: i64 = select right b a; k: i64 = select right j i;",
    );
    assert!(shown(&least).contains(" = all "), "{}", shown(&least));
    assert!(shown(&greatest).contains(" = any "), "{}", shown(&greatest));
    for n in SIZES {
        for xs in [|i: i64| i * 7919 % 997 - 400, |i: i64| -i, |i: i64| i, |_| 0] {
            let xs: Vec<i64> = (0..n).map(xs).collect();
            let all = || [(0, -1)].into_iter().chain(xs.iter().copied().zip(0..));
            let (x, i) = all().min().expect("there is a neutral element");
            expect(&least, &[int(n), ints(xs.clone())], &[int(x), int(i)]);
            let (x, i) = all().min_by_key(|&(x, i)| (-x, i)).expect("there is a neutral element");
            expect(&greatest, &[int(n), ints(xs.clone())], &[int(x), int(i)]);
        }
    }
}
