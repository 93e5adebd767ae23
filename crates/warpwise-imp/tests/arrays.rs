//! Arrays created and overwritten in host code, in tasks and in lanes.

mod common;

use common::*;

#[test]
fn host_code_makes_copies_and_overwrites() {
    let text = "fun main(n: i64, xs: [n]i64, c: bool) -> (r: [m]i64) {
        is: [n]i64 = iota n 5 2;
        zs: [n]i64 = replicate [n] 9;
        m0: i64 = add n n; m: i64 = add m0 n;
        k: [m]i64 = concat m (is, zs, xs);
        some: bool = slt 0 n;
        d: [m]i64 = if some { e: [m]i64 = copy k; v: i64 = index xs[0]; f: [m]i64 = update e[0] = v; return f } else { return k };
        g: [m]i64 = loop (g: *[m]i64 = d) for i: i64 < n {
          x: i64 = index g[i]; y: i64 = mul x 3; h: [m]i64 = update g[i] = y; return h };
        return g }"
        .replace("-> (r: [m]i64)", "-> (m: i64, r: [m]i64)")
        .replace("return g }", "return m, g }")
        .replace(", c: bool", "");
    for n in [0, 1, 2, 17, 100] {
        let xs: Vec<i64> = (0..n).map(|i| 100 + i).collect();
        let mut k: Vec<i64> =
            (0..n).map(|i| 5 + 2 * i).chain((0..n).map(|_| 9)).chain(xs.iter().copied()).collect();
        if n > 0 {
            k[0] = xs[0];
        }
        k[..n as usize].iter_mut().for_each(|x| *x *= 3);
        expect(&text, &[int(n), ints(xs)], &[int(3 * n), ints(k)]);
    }
}

#[test]
fn loops_that_change_blocks() {
    let text = "fun main(n: i64, t: i64, xs: [n]i64) -> (r: [n]i64) {
        ys: [n]i64 = loop (a: [n]i64 = xs) for i: i64 < t {
          b: [n]i64 = screma n (a) map (x: i64) { y: i64 = mul x 3; z: i64 = add y i; w: i64 = and z 1023; return w };
          return b };
        return ys }";
    for (n, t) in [(0, 3), (1, 0), (5, 1), (100, 7)] {
        let xs: Vec<i64> = (0..n).collect();
        let ys = xs.iter().map(|&x| (0..t).fold(x, |x, i| (3 * x + i) & 1023));
        expect(text, &[int(n), int(t), ints(xs.clone())], &[ints(ys)]);
    }
}

#[test]
fn arrays_inside_lanes_are_interleaved() {
    // Each element creates a small array, overwrites it in a loop and sums it up.
    let text = "fun main(n: i64, m: i64, xs: [n]i64) -> (r: [n]i64, s: [n][m]i64) {
        ys: [n]i64, zs: [n][m]i64 = screma n (xs) map (x: i64) {
          a0: [m]i64 = iota m x 1;
          a: [m]i64 = copy a0;
          b: [m]i64 = loop (b: *[m]i64 = a) for k: i64 < m {
            j0: i64 = add x k; j: i64 = umod j0 m;
            v: i64 = index b[j]; w: i64 = add v k; c: [m]i64 = update b[j] = w; return c };
          s: i64 = loop (s: i64 = 0) for k: i64 < m { v: i64 = index b[k]; u: i64 = mul v k; t: i64 = add s u; return t };
          return s, b };
        return ys, zs }";
    for (n, m) in [(0, 3), (1, 1), (3, 4), (70, 5), (200, 17)] {
        let xs: Vec<i64> = (0..n).map(|i| i * 7 % 31).collect();
        let row = |&x: &i64| {
            let mut b: Vec<i64> = (x..x + m).collect();
            for k in 0..m {
                b[((x + k) % m) as usize] += k;
            }
            b
        };
        let zs: Vec<Vec<i64>> = xs.iter().map(row).collect();
        let ys = zs.iter().map(|b| b.iter().zip(0..).map(|(v, k)| v * k).sum());
        expect(text, &[int(n), int(m), ints(xs.clone())], &[ints(ys), ints(zs.concat())]);
    }
}

#[test]
fn arrays_inside_tasks() {
    // Rows are sorted by exchanging neighbours, then scanned and filtered inside the task.
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r: [n][m]i64, c: [n]i64) {
        ys: [n][m]i64, cs: [n]i64 = screma n (a) map (row: [m]i64) {
          copied: [m]i64 = copy row;
          m1: i64 = sub m 1;
          sorted: [m]i64 = loop (s: *[m]i64 = copied) for i: i64 < m {
            t: [m]i64 = loop (t: *[m]i64 = s) for j: i64 < m1 {
              k: i64 = add j 1;
              x: i64 = index t[j]; y: i64 = index t[k];
              lo: i64 = smin x y; hi: i64 = smax x y;
              u: [m]i64 = update t[j] = lo; w: [m]i64 = update u[k] = hi; return w };
            return t };
          k: i64, kept: [k]i64 = partition m (sorted) classes 1 (x: i64) { b: i64 = and x 1; odd: bool = eq b 1; return odd, x };
          total: i64 = screma k (kept) map (x: i64) { return x } reduce (a: i64, b: i64) { c: i64 = add a b; return c } [0];
          return sorted, total };
        return ys, cs }";
    for (n, m) in [(0, 3), (1, 1), (3, 4), (9, 33)] {
        let a: Vec<i64> = (0..n * m).map(|i| i * 37 % 101).collect();
        let mut rows: Vec<Vec<i64>> = a.chunks(m as usize).map(<[i64]>::to_vec).collect();
        rows.iter_mut().for_each(|row| row.sort());
        let cs = rows.iter().map(|row| row.iter().filter(|x| *x % 2 == 1).sum());
        let cs = ints(cs.collect::<Vec<i64>>());
        expect(text, &[int(n), int(m), ints(a)], &[ints(rows.concat()), cs]);
    }
}

#[test]
fn matrix_product() {
    let text = "fun main(n: i64, m: i64, k: i64, a: [n][m]i64, b: [m][k]i64) -> (r: [n][k]i64) {
        t: [k][m]i64 = rearrange (1, 0) b;
        c: [n][k]i64 = screma n (a) map (row: [m]i64) {
          r: [k]i64 = screma k (t) map (col: [m]i64) {
            s: i64 = screma m (row, col) map (x: i64, y: i64) { z: i64 = mul x y; return z }
              reduce (p: i64, q: i64) { o: i64 = add p q; return o } [0];
            return s };
          return r };
        return c }";
    for (n, m, k) in [(1, 1, 1), (2, 0, 3), (3, 5, 7), (17, 4, 33), (5, 40, 70)] {
        let a: Vec<i64> = (0..n * m).map(|i| i % 11 - 5).collect();
        let b: Vec<i64> = (0..m * k).map(|i| i % 7 - 3).collect();
        let cell = |i: i64, l: i64| (0..m).map(|j| a[(i * m + j) as usize] * b[(j * k + l) as usize]).sum();
        let c: Vec<i64> = (0..n).flat_map(|i| (0..k).map(move |l| (i, l))).map(|(i, l)| cell(i, l)).collect();
        expect(text, &[int(n), int(m), int(k), ints(a.clone()), ints(b.clone())], &[ints(c)]);
    }
}

#[test]
fn histogram_and_scatter_inside_tasks() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r: [n][8]i64, s: [n][m]i64) {
        hs: [n][8]i64, ss: [n][m]i64 = screma n (a) map (row: [m]i64) {
          z: [8]i64 = replicate [8] 0;
          h: [8]i64 = hist m (row) map (x: i64) { b: i64 = and x 7; return b, x }
            into (z) rank 1 with (p: i64, q: i64) { o: i64 = add p q; return o } [0];
          d: [m]i64 = replicate [m] -1;
          s: [m]i64 = scatter m (row) into (d rank 1) (x: i64) { return x, x };
          return h, s };
        return hs, ss }";
    for (n, m) in [(0, 3), (2, 1), (3, 40), (20, 100)] {
        let a: Vec<i64> = (0..n * m).map(|i| i * 37 % 97).collect();
        let (mut hs, mut ss) = (vec![0; 8 * n as usize], vec![-1; a.len()]);
        for (i, &x) in a.iter().enumerate() {
            let row = i / m as usize;
            hs[8 * row + x as usize % 8] += x;
            if x < m {
                ss[row * m as usize + x as usize] = x;
            }
        }
        expect(text, &[int(n), int(m), ints(a)], &[ints(hs), ints(ss)]);
    }
}
