//! Failing checks: the first failing iteration is always the one reported.

mod common;

use common::*;

/// A program that indexes with each element of `is`.
const GATHER: &str = "fun main(n: i64, m: i64, is: [n]i64, xs: [m]i64) -> (r: [n]i64) {
    ys: [n]i64 = screma n (is) map (i: i64) {
      low: bool = sle 0 i; high: bool = slt i m; ok: bool = and low high;
      c: cert = assert ok (\"Index [\", i: i64, \"] out of bounds for array of shape [\", m: i64, \"].\");
      x: i64 = {c} index xs[i];
      return x };
    return ys }";

#[test]
fn gather_in_bounds_and_out_of_bounds() {
    let m = 10;
    let xs = ints(0..m);
    for n in SIZES {
        let mut is: Vec<i64> = (0..n).map(|i| i % m).collect();
        expect(GATHER, &[int(n), int(m), ints(is.clone()), xs.clone()], &[ints(is.clone())]);
        for bad in [n / 7, n / 2, n - 1].into_iter().filter(|&bad| bad >= 0 && bad < n) {
            is[bad as usize] = -3;
            // A later iteration fails too.
            is[n as usize - 1] = m;
            let shown = if bad == n - 1 { m } else { -3 };
            expect_failure(GATHER, &[int(n), int(m), ints(is.clone()), xs.clone()], bad, &[shown, m]);
            is[bad as usize] = 0;
            is[n as usize - 1] = 0;
        }
    }
}

#[test]
fn linear_index_that_leaves_the_array() {
    let text = "fun main(n: i64, m: i64, xs: [m]i64) -> (r: [n]i64) {
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) {
          j: i64 = add i 2;
          high: bool = slt j m;
          c: cert = assert high (\"at \", j: i64);
          x: i64 = {c} index xs[j];
          return x };
        return ys }";
    for m in [2, 3, 5, 18, 66, 1000] {
        let xs = ints(0..m);
        expect(text, &[int(m - 2), int(m), xs.clone()], &[ints(2..m)]);
        for more in [1, 3, 200] {
            expect_failure(text, &[int(m - 2 + more), int(m), xs.clone()], m - 2, &[m]);
        }
    }
}

#[test]
fn an_earlier_iteration_that_fails_at_a_later_check_is_the_first() {
    let text = "fun main(n: i64, xs: [n]i64) -> (r: [n]i64) {
        ys: [n]i64 = screma n (xs) map (x: i64) {
          first: bool = ne x 7;
          c: cert = assert first (\"seven \", x: i64);
          second: bool = ne x 0;
          d: cert = {c} assert second (\"zero \", x: i64);
          y: i64 = {d} sdiv 100 x;
          return y };
        return ys }";
    for (zero, seven) in [(3, 5), (5, 3), (0, 63), (70, 71), (71, 70), (1, 900)] {
        let mut xs = vec![1; 1000];
        xs[zero as usize] = 0;
        xs[seven as usize] = 7;
        let (at, shown) = if zero < seven { (zero, 0) } else { (seven, 7) };
        expect_failure(text, &[int(1000), ints(xs)], at, &[shown]);
    }
}

#[test]
fn checks_under_divergent_control() {
    // Divides if the element is not negative, as often as the element says.
    let text = "fun main(n: i64, xs: [n]i64, d: [n]i64) -> (r: [n]i64) {
        ys: [n]i64 = screma n (xs, d) map (x: i64, b: i64) {
          some: bool = sle 0 x;
          y: i64 = if some {
            z: i64 = loop (z: i64 = 1000) for k: i64 < x {
              ok: bool = ne b 0;
              c: cert = assert ok (\"by zero \", x: i64);
              w: i64 = {c} sdiv z b;
              return w };
            return z } else { return -1 };
          return y };
        return ys }";
    let n = 300;
    let xs: Vec<i64> = (0..n).map(|i| i % 5 - 1).collect();
    let mut d: Vec<i64> = (0..n).map(|i| i % 3 + 1).collect();
    let quotient = |(&x, &b): (&i64, &i64)| if x < 0 { -1 } else { (0..x).fold(1000, |z, _| z / b) };
    let ys: Vec<i64> = xs.iter().zip(&d).map(quotient).collect();
    expect(text, &[int(n), ints(xs.clone()), ints(d.clone())], &[ints(ys)]);
    // Where the loop does not run, the zero is not reached.
    d[10] = 0;
    d[11] = 0;
    d[13] = 0;
    expect_failure(text, &[int(n), ints(xs), ints(d)], 13, &[2]);
}

#[test]
fn checks_in_inner_loops_and_host_code() {
    let rows = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r: [n]i64) {
        ys: [n]i64 = screma n (a) map (row: [m]i64) {
          s: i64 = screma m (row) map (x: i64) {
              ok: bool = ne x 13;
              c: cert = assert ok (\"unlucky \", x: i64);
              y: i64 = {c} mul x x;
              return y }
            reduce (acc: i64, p: i64) { t: i64 = add acc p; return t } [0];
          return s };
        return ys }";
    let (n, m) = (20, 50);
    let mut a: Vec<i64> = (0..n * m).map(|i| i % 11).collect();
    let ys = a.chunks(m as usize).map(|row| row.iter().map(|x| x * x).sum());
    expect(rows, &[int(n), int(m), ints(a.clone())], &[ints(ys)]);
    a[7 * 50 + 33] = 13;
    a[9 * 50 + 3] = 13;
    let failed = run_all(rows, &[int(n), int(m), ints(a)]);
    assert!(failed.into_iter().all(|outcome| outcome.is_err()));
    let host = "fun main(n: i64) -> (r: i64) {
        ok: bool = slt n 10; c: cert = assert ok (\"too many: \", n: i64); m: i64 = {c} add n 1; return m }";
    expect(host, &[int(3)], &[int(4)]);
    expect_failure(host, &[int(30)], 0, &[30]);
}

#[test]
fn specialised_choices_take_the_fast_side_for_whole_groups_only() {
    let text = "fun main(n: i64, xs: [n]i64) -> (r: [n]i64) {
        m: i64 = sub n 1;
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) {
          low: bool = slt 0 i; high: bool = slt i m; inner: bool = and low high;
          y: i64 = if specialised inner {
            p: i64 = sub i 1; q: i64 = add i 1;
            a: i64 = index xs[p]; b: i64 = index xs[q]; c: i64 = add a b;
            return c } else {
            p: i64 = sub i 1; q: i64 = add i 1;
            u: i64 = smax 0 p; v: i64 = smin m q;
            a: i64 = index xs[u]; b: i64 = index xs[v]; c: i64 = add a b;
            return c };
          return y };
        return ys }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| i * i % 37).collect();
        let at = |i: i64| xs[i.clamp(0, n - 1) as usize];
        let ys: Vec<i64> = (0..n).map(|i| at(i - 1) + at(i + 1)).collect();
        expect(text, &[int(n), ints(xs.clone())], &[ints(ys)]);
    }
}

/// Returns a program with a choice whose sides agree only where `cond`, a condition on `i`, `n` and `k`, holds.
fn choice_where(cond: &str) -> String {
    format!(
        "fun main(n: i64, k: i64, xs: [n]i64) -> (r: [n]i64) {{
        is: [n]i64 = iota n 0 1;
        ys: [n]i64 = screma n (is) map (i: i64) {{
          {cond};
          y: i64 = if specialised c {{
            a: i64 = index xs[i]; b: i64 = mul a 2; return b }} else {{
            d: i64 = index xs[i]; e: i64 = mul d 2; f: i64 = add d 1; g: i64 = select c e f;
            return g }};
          return y }};
        return ys }}"
    )
}

#[test]
fn interiors_end_at_their_bounds_even_if_sums_wrap() {
    type Holds = fn(i64, i64, i64) -> bool;
    let conds: [(&str, Holds); 8] = [
        ("c: bool = slt i k", |i, _, k| i < k),
        ("c: bool = sle k i", |i, _, k| k <= i),
        ("c: bool = ne k i", |i, _, k| i != k),
        ("j: i64 = add i k; c: bool = sle j 9", |i, _, k| i.wrapping_add(k) <= 9),
        ("j: i64 = add k i; c: bool = slt 9 j", |i, _, k| i.wrapping_add(k) > 9),
        ("j: i64 = sub i k; c: bool = ult j n", |i, n, k| (i.wrapping_sub(k) as u64) < n as u64),
        ("j: i64 = sub i k; c: bool = ule j k", |i, _, k| i.wrapping_sub(k) as u64 <= k as u64),
        (
            "a: bool = slt 0 k; b: bool = ne i 0; d: bool = and a b; e: bool = slt i k; c: bool = and d e",
            |i, _, k| 0 < k && i != 0 && i < k,
        ),
    ];
    for (cond, holds) in conds {
        let text = choice_where(cond);
        for n in [0, 1, 63, 64, 200] {
            for k in [i64::MIN, i64::MIN + 70, -1, 0, 1, 30, 100, 199, i64::MAX - 70, i64::MAX] {
                let xs: Vec<i64> = (0..n).map(|i| i * i % 37).collect();
                let ys = (0..n).zip(&xs).map(|(i, x)| if holds(i, n, k) { 2 * x } else { x + 1 });
                expect_on_last(&text, &[int(n), int(k), ints(xs.clone())], &[ints(ys)]);
            }
        }
    }
}

#[test]
fn the_first_failure_counts_whether_in_the_interior_or_not() {
    let text = "fun main(n: i64, m: i64, xs: [n][m]i64) -> (r: [n][m]i64) {
        last: i64 = sub m 1;
        is: [n]i64 = iota n 0 1;
        js: [m]i64 = iota m 0 1;
        ys: [n][m]i64 = screma n (is) map (i: i64) {
          zs: [m]i64 = screma m (js) map (j: i64) {
          a: bool = ne j 0; b: bool = ne j last; c: bool = and a b;
          z: i64 = if specialised c {
            x: i64 = index xs[i, j]; ok: bool = ne x 13; s: cert = assert ok (\"unlucky \", j: i64);
            y: i64 = {s} add x 1; return y } else {
            x: i64 = index xs[i, j]; ok: bool = ne x 13; s: cert = assert ok (\"unlucky \", j: i64);
            y: i64 = {s} add x 1; return y };
          return z };
          return zs };
        return ys }";
    let (n, m) = (3, 300);
    let xs: Vec<i64> = (0..n * m).map(|i| i % 11).collect();
    expect(text, &[int(n), int(m), ints(xs.clone())], &[ints(xs.iter().map(|x| x + 1))]);
    for (first, second) in [(0, 100), (3, 250), (150, 299), (299, 300), (420, 899), (100, 101)] {
        let mut xs = xs.clone();
        (xs[first as usize], xs[second as usize]) = (13, 13);
        expect_failure(text, &[int(n), int(m), ints(xs)], first, &[first % m]);
    }
}
