//! Maps: one and more dimensions, views, divergent control flow.

mod common;

use common::*;

#[test]
fn map_over_one_dimension() {
    let text = "fun main(n: i64, xs: [n]f32) -> (r0: [n]f32) {
        ys: [n]f32 = screma n (xs) map (x: f32) { y: f32 = fmul x 2f32; z: f32 = fadd y 1f32; return z };
        return ys }";
    for n in SIZES {
        let xs: Vec<f32> = (0..n).map(|i| i as f32 * 0.5).collect();
        expect(text, &[int(n), floats(xs.clone())], &[floats(xs.iter().map(|x| x * 2.0 + 1.0))]);
    }
}

#[test]
fn map_of_index_and_uniform() {
    let text = "fun main(n: i64, c: i64) -> (r0: [n]i64) {
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) { j: i64 = mul i 3; k: i64 = add j c; return k };
        return ys }";
    for n in SIZES {
        expect(text, &[int(n), int(7)], &[ints((0..n).map(|i| 3 * i + 7))]);
    }
}

#[test]
fn map_over_two_dimensions() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64, b: [m]i64) -> (r0: [n][m]i64) {
        c: [n][m]i64 = screma n (a) map (row: [m]i64) {
          r: [m]i64 = screma m (row, b) map (x: i64, y: i64) { z: i64 = mul x y; return z };
          return r };
        return c }";
    for (n, m) in [(0, 5), (5, 0), (1, 1), (3, 1), (1, 100), (7, 33), (40, 3), (20, 200)] {
        let a: Vec<i64> = (0..n * m).collect();
        let b: Vec<i64> = (0..m).map(|j| j - 3).collect();
        let c = a.iter().enumerate().map(|(i, x)| x * b[i % m as usize]);
        expect(text, &[int(n), int(m), ints(a.clone()), ints(b.clone())], &[ints(c)]);
    }
}

#[test]
fn map_over_a_transposed_matrix() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r0: [m][n]i64) {
        t: [m][n]i64 = rearrange (1, 0) a;
        c: [m][n]i64 = screma m (t) map (row: [n]i64) {
          r: [n]i64 = screma n (row) map (x: i64) { z: i64 = add x 1; return z };
          return r };
        return c }";
    for (n, m) in [(1, 1), (3, 1), (1, 100), (7, 33), (40, 3)] {
        let a: Vec<i64> = (0..n * m).collect();
        let c: Vec<i64> = (0..m).flat_map(|j| (0..n).map(move |i| i * m + j + 1)).collect();
        expect(text, &[int(n), int(m), ints(a)], &[ints(c)]);
    }
}

#[test]
fn divergent_choice_with_loads() {
    // The neighbour on the left, or 100 at the border, or the square of an odd element.
    let text = "fun main(n: i64, xs: [n]i64) -> (r0: [n]i64) {
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) {
          x: i64 = index xs[i];
          first: bool = eq i 0;
          y: i64 = if first { return 100 } else { j: i64 = sub i 1; l: i64 = index xs[j]; return l };
          b: i64 = and x 1;
          odd: bool = eq b 1;
          z: i64 = if odd { q: i64 = sdiv y x; r: i64 = mul x x; s: i64 = add q r; return s } else { return y };
          return z };
        return ys }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| (i * 7) % 11).collect();
        let ys = (0..n as usize).map(|i| {
            let (x, y) = (xs[i], if i == 0 { 100 } else { xs[i - 1] });
            if x % 2 == 1 { y / x + x * x } else { y }
        });
        expect(text, &[int(n), ints(xs.clone())], &[ints(ys)]);
    }
}

#[test]
fn divergent_while_loop() {
    // Number of Collatz steps until 1, at most 200.
    let text = "fun main(n: i64, xs: [n]i64) -> (r0: [n]i64, r1: [n]i64) {
        ys: [n]i64, zs: [n]i64 = screma n (xs) map (x: i64) {
          go: bool = slt 1 x;
          c: bool, v: i64, k: i64 = loop (c: bool = go, v: i64 = x, k: i64 = 0) while c {
            b: i64 = and v 1;
            odd: bool = eq b 1;
            w: i64 = if odd { t: i64 = mul v 3; u: i64 = add t 1; return u } else { h: i64 = ashr v 1; return h };
            k2: i64 = add k 1;
            more: bool = slt 1 w;
            below: bool = slt k2 200;
            on: bool = and more below;
            return on, w, k2 };
          return v, k };
        return ys, zs }";
    for n in SIZES {
        let n = n.min(300);
        let xs: Vec<i64> = (0..n).map(|i| (i * 37) % 97).collect();
        let collatz = |&x: &i64| {
            let (mut v, mut k) = (x, 0);
            while v > 1 && k < 200 {
                v = if v % 2 == 1 { 3 * v + 1 } else { v / 2 };
                k += 1;
            }
            (v, k)
        };
        let (ys, zs): (Vec<i64>, Vec<i64>) = xs.iter().map(collatz).unzip();
        expect(text, &[int(n), ints(xs.clone())], &[ints(ys), ints(zs)]);
    }
}

#[test]
fn loops_with_uniform_and_varying_bounds() {
    let text = "fun main(n: i64, m: i64) -> (r0: [n]i64, r1: [n]i64) {
        is: [n]i64 = iota n 0 1;
        ys: [n]i64, zs: [n]i64 = screma n (is) map (i: i64) {
          a: i64, b: i64 = loop (a: i64 = 0, b: i64 = 1) for k: i64 < m { s: i64 = add a b; t: i64 = add s i; return b, t };
          c: i64 = loop (c: i64 = 0) for k: i64 < i { d: i64 = mul k k; e: i64 = add c d; return e };
          return a, c };
        return ys, zs }";
    for n in SIZES {
        let n = n.min(200);
        let ys = (0..n).map(|i| (0..7).fold((0i64, 1i64), |(a, b), _| (b, a + b + i)).0);
        let zs = (0..n).map(|i| (0..i).map(|k| k * k).sum());
        expect(text, &[int(n), int(7)], &[ints(ys), ints(zs)]);
    }
}

#[test]
fn results_larger_than_the_caches() {
    let text = "fun main(n: i64, c: i64) -> (r: [n]i64) {
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) { k: i64 = xor i c; return k };
        return ys }";
    let n = (4 << 20) + 3;
    expect_on_last(text, &[int(n), int(7)], &[ints((0..n).map(|i| i ^ 7))]);
}

#[test]
fn loads_of_fields_side_by_side() {
    for fields in [2, 3, 4, 5] {
        let text = format!(
            "fun main(n: i64, a: [n][{fields}]i64) -> (r: [n]i64) {{
               is: [n]i64 = iota n 0 1;
               ys: [n]i64 = screma n (is) map (i: i64) {{
                 x: i64 = index a[i, 0]; y: i64 = index a[i, 1]; z: i64 = index a[i, {}];
                 p: i64 = mul x 3; q: i64 = mul y 5; s: i64 = add p q; t: i64 = sub s z;
                 return t }};
               return ys }}",
            fields - 1
        );
        for n in SIZES {
            let n = n.min(1000);
            let a: Vec<i64> = (0..n * fields).map(|i| i * 7 % 101).collect();
            let ys = a.chunks(fields as usize).map(|row| 3 * row[0] + 5 * row[1] - row[fields as usize - 1]);
            let ys = ints(ys.collect::<Vec<i64>>());
            expect(&text, &[int(n), ints(a)], &[ys]);
        }
    }
}

#[test]
fn rows_of_which_run_time_knows_the_length() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r: [n]i64) {
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) {
          s: i64 = loop (s: i64 = 1) for j: i64 < m {
            x: i64 = index a[i, j]; t: i64 = mul s 3; u: i64 = add t x; return u };
          return s };
        return ys }";
    assert!(shown_optimised(text).contains("eq m.1 4"), "no version for narrow rows");
    for m in 0..6 {
        for n in SIZES {
            let n = n.min(1000);
            let a: Vec<i64> = (0..n * m).map(|i| i * 7 % 101).collect();
            let row = |i: i64| &a[(i * m) as usize..((i + 1) * m) as usize];
            let ys: Vec<i64> = (0..n).map(|i| row(i).iter().fold(1, |s, x| 3 * s + x)).collect();
            expect(text, &[int(n), int(m), ints(a.clone())], &[ints(ys)]);
        }
    }
}

#[test]
fn elements_read_and_written_backwards() {
    let text = "fun main(n: i64, xs: [n]i64, bs: [n]bool) -> (r0: [n]i64, r1: [n]bool) {
        is: [n]i64 = iota n 0 1;
        last: i64 = sub n 1;
        ys: [n]i64, cs: [n]bool = screma n (is) map (i: i64) {
          j: i64 = sub last i;
          x: i64 = index xs[j];
          b: bool = index bs[j];
          y: i64 = add x i;
          c: bool = if b { z: i64 = index xs[j]; odd: i64 = and z 1; d: bool = eq odd 1; return d } else { return b };
          return y, c };
        return ys, cs }";
    let shown = shown_optimised(text);
    assert!(shown.contains("shuffle"), "vectors turned round, no gathers:\n{shown}");
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| i * 5 % 17).collect();
        let bs: Vec<bool> = (0..n).map(|i| i % 3 == 0).collect();
        let at = |i: i64| (n - 1 - i) as usize;
        let ys: Vec<i64> = (0..n).map(|i| xs[at(i)] + i).collect();
        let cs: Vec<bool> = (0..n).map(|i| bs[at(i)] && xs[at(i)] % 2 == 1).collect();
        expect(text, &[int(n), ints(xs.clone()), bools(bs.clone())], &[ints(ys), bools(cs)]);
    }
}
