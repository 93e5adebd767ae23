//! Scans, filters, scatters and histograms.

mod common;

use common::*;
use warpwise_imp::interp::Data;

#[test]
fn inclusive_and_exclusive_scans() {
    let text = "fun main(n: i64, xs: [n]i64) -> (r: [n]i64, s: [n]i64) {
        ys: [n]i64, zs: [n]i64 = screma n (xs) map (x: i64) { y: i64 = mul x 3; return x, y }
          scan (a: i64, b: i64) { c: i64 = add a b; return c } [0]
          exscan (a: i64, b: i64) { c: i64 = add a b; return c } [0];
        return ys, zs }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| i % 17 - 5).collect();
        let prefix = |length: i64| xs[..length as usize].iter().sum::<i64>();
        let sums: Vec<i64> = (0..=n.min(3000)).map(prefix).collect();
        let n = n.min(3000);
        let ys = ints(sums[1..].iter().copied());
        let zs = ints(sums[..n as usize].iter().map(|s| 3 * s));
        expect(text, &[int(n), ints(xs[..n as usize].to_vec())], &[ys, zs]);
    }
}

#[test]
fn scan_over_several_blocks_with_post_and_reduction() {
    let text = "fun main(n: i64, xs: [n]i64) -> (m: i64, r: [n]i64) {
        m: i64, ys: [n]i64 = screma n (xs) map (x: i64) { return x, x, x }
          scan (a: i64, b: i64) { c: i64 = add a b; return c } [0]
          reduce (a: i64, b: i64) { c: i64 = smax a b; return c } [-100]
          post (s: i64, x: i64) { d: i64 = sub s x; return d };
        return m, ys }";
    for n in [0, 1, 100, 40_000] {
        let xs: Vec<i64> = (0..n).map(|i| i % 17 - 5).collect();
        let mut sum = 0;
        let ys = xs.iter().map(|x| {
            sum += x;
            sum - x
        });
        let most = xs.iter().copied().max().unwrap_or(-100);
        expect(text, &[int(n), ints(xs.clone())], &[int(most), ints(ys)]);
    }
}

#[test]
fn scan_with_an_operator_that_does_not_commute() {
    let text = "fun main(n: i64, xs: [n]i64, ys: [n]i64) -> (r: [n]i64, s: [n]i64) {
        s: [n]i64, t: [n]i64 = screma n (xs, ys) map (x: i64, y: i64) { return x, y }
          scan (a: i64, b: i64, c: i64, d: i64) {
            e: i64 = mul a c; f: i64 = mul b c; g: i64 = add f d; return e, g } [1, 0];
        return s, t }";
    for n in [0, 1, 2, 5, 16, 33, 1000, 40_000] {
        let xs: Vec<i64> = (0..n).map(|i| i % 5 * 2 + 1).collect();
        let ys: Vec<i64> = (0..n).map(|i| i % 7 - 3).collect();
        let mut at = (1i64, 0i64);
        let both = xs.iter().zip(&ys).map(|(&c, &d)| {
            at = (at.0.wrapping_mul(c), at.1.wrapping_mul(c).wrapping_add(d));
            at
        });
        let (s, t): (Vec<i64>, Vec<i64>) = both.unzip();
        expect(text, &[int(n), ints(xs.clone()), ints(ys.clone())], &[ints(s), ints(t)]);
    }
}

#[test]
fn scans_of_rows() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64) -> (r: [n][m]i64) {
        b: [n][m]i64 = screma n (a) map (row: [m]i64) {
          s: [m]i64 = screma m (row) map (x: i64) { return x }
            scan (a: i64, b: i64) { c: i64 = add a b; return c } [0];
          return s };
        return b }";
    for (n, m) in [(0, 3), (3, 0), (1, 1), (5, 17), (100, 3), (2, 1000)] {
        let a: Vec<i64> = (0..n * m).map(|i| i % 13 - 4).collect();
        let mut b = a.clone();
        for row in b.chunks_mut(m.max(1) as usize) {
            for j in 1..row.len() {
                row[j] += row[j - 1];
            }
        }
        expect(text, &[int(n), int(m), ints(a)], &[ints(b)]);
    }
}

#[test]
fn filter_and_partition() {
    let filter = "fun main(n: i64, xs: [n]i64) -> (k: i64, r: [k]i64) {
        k: i64, ys: [k]i64 = partition n (xs) classes 1 (x: i64) {
          b: i64 = and x 3; keep: bool = eq b 1; y: i64 = mul x 10; return keep, y };
        return k, ys }";
    let partition = "fun main(n: i64, xs: [n]i64) -> (k: i64, l: i64, r: [k]i64, s: [l]i64) {
        k: i64, l: i64, ys: [k]i64, zs: [l]i64 = partition n (xs) classes 2 (x: i64) {
          odd0: i64 = and x 1; odd: bool = eq odd0 1; small: bool = slt x 50; return odd, small, x };
        return k, l, ys, zs }";
    for n in SIZES {
        let xs: Vec<i64> = (0..n).map(|i| (i * 7) % 101).collect();
        let kept: Vec<i64> = xs.iter().filter(|x| *x % 4 == 1).map(|x| 10 * x).collect();
        expect(filter, &[int(n), ints(xs.clone())], &[int(kept.len() as i64), ints(kept)]);
        let odd: Vec<i64> = xs.iter().copied().filter(|x| x % 2 == 1).collect();
        let small: Vec<i64> = xs.iter().copied().filter(|x| x % 2 == 0 && *x < 50).collect();
        let sizes = [int(odd.len() as i64), int(small.len() as i64)];
        let [k, l] = sizes;
        expect(partition, &[int(n), ints(xs.clone())], &[k, l, ints(odd), ints(small)]);
    }
}

#[test]
fn scatter_keeps_the_last_value_and_ignores_what_is_outside() {
    let text = "fun main(n: i64, m: i64, is: [n]i64, xs: [n]i64, d: *[m]i64) -> (r: [m]i64) {
        e: [m]i64 = scatter n (is, xs) into (d rank 1) (i: i64, x: i64) { return i, x };
        return e }";
    for n in SIZES.into_iter().chain([70_000]) {
        let m = 50;
        let is: Vec<i64> = (0..n).map(|i| (i * 31) % 60 - 5).collect();
        let xs: Vec<i64> = (0..n).collect();
        let mut d = vec![-1; m as usize];
        for (&i, &x) in is.iter().zip(&xs) {
            if (0..m).contains(&i) {
                d[i as usize] = x;
            }
        }
        let start = ints(vec![-1; m as usize]);
        let args = [int(n), int(m), ints(is.clone()), ints(xs.clone()), start];
        expect_on_cpus(text, &args, &[ints(d)]);
    }
}

#[test]
fn histograms_of_sums_and_maxima() {
    let text = "fun main(n: i64, m: i64, is: [n]i64, xs: [n]i64, d: *[m]i64, e: *[m]f32) -> (r: [m]i64, s: [m]f32) {
        f: [m]i64, g: [m]f32 = hist n (is, xs) map (i: i64, x: i64) { y: f32 = sitofp x : f32; return i, x, i, y }
          into (d) rank 1 with (a: i64, b: i64) { c: i64 = add a b; return c } [0]
          into (e) rank 1 with (a: f32, b: f32) { c: f32 = fmax a b; return c } [-1f32];
        return f, g }";
    for (n, m) in [(0, 4), (1, 1), (17, 3), (1000, 10), (1000, 5000), (40_000, 256), (150_000, 7)] {
        let is: Vec<i64> = (0..n).map(|i| (i * 31) % (m + 3) - 1).collect();
        let xs: Vec<i64> = (0..n).map(|i| i % 1000).collect();
        let (mut d, mut e) = (vec![1i64; m as usize], vec![-1f32; m as usize]);
        for (&i, &x) in is.iter().zip(&xs) {
            if (0..m).contains(&i) {
                d[i as usize] += x;
                e[i as usize] = e[i as usize].max(x as f32);
            }
        }
        let dests = [ints(vec![1; m as usize]), floats(vec![-1.0; m as usize])];
        let [ones, lows] = dests;
        expect(text, &[int(n), int(m), ints(is), ints(xs), ones, lows], &[ints(d), floats(e)]);
    }
}

#[test]
fn histogram_larger_than_the_caches() {
    // The last value wins, unless it is -1: an operator that is not commutative.
    let text = "fun main(n: i64, m: i64, is: [n]i64, d: *[m]i64, e: *[m]i64, f: *[m]i64, g: *[m]i64)
          -> (r: [m]i64, s: [m]i64, t: [m]i64, u: [m]i64) {
        places: [n]i64 = iota n 0 1;
        h: [m]i64, i: [m]i64, j: [m]i64, k: [m]i64 = hist n (is, places) map (i: i64, p: i64) {
            low: i64 = and p 1023; return i, p, low, p, 1 }
          into (d, e, f, g) rank 1 with (a: i64, b: i64, c: i64, o: i64, v: i64, w: i64, x: i64, y: i64) {
            sum: i64 = add a v;
            none: bool = eq w -1; last: i64 = select none b w;
            most: i64 = smax c x; count: i64 = add o y;
            return sum, last, most, count } [0, -1, -1, 0];
        return h, i, j, k }";
    let (n, m) = (2_100_007i64, 65_600i64);
    let is: Vec<i64> = (0..n).map(|i| if i % 5 == 0 { 7 } else { i * 7919 % (m + 9) - 4 }).collect();
    let [mut sums, mut lasts, mut most, mut counts] = [0, -1, -1, 0].map(|x| vec![x; m as usize]);
    for (place, &i) in (0..n).zip(&is) {
        if (0..m).contains(&i) {
            let i = i as usize;
            (sums[i], lasts[i], most[i]) = (sums[i] + place, place & 1023, most[i].max(place));
            counts[i] += 1;
        }
    }
    let [a, b, c, d] = [0, -1, -1, 0].map(|x| ints(vec![x; m as usize]));
    let results = [ints(sums), ints(lasts), ints(most), ints(counts)];
    expect_on_last(text, &[int(n), int(m), ints(is), a, b, c, d], &results);
}

#[test]
fn histogram_over_two_dimensions_of_bins_and_inputs() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64, d: *[5][3]i64) -> (r: [5][3]i64) {
        e: [5][3]i64 = loop (e: *[5][3]i64 = d) for i: i64 < n {
          row: [m]i64 = index a[i];
          f: [5][3]i64 = hist m (row) map (x: i64) { p: i64 = umod x 7; q: i64 = umod x 4; return p, q, x }
            into (e) rank 2 with (a: i64, b: i64) { c: i64 = add a b; return c } [0];
          return f };
        return e }";
    for (n, m) in [(0, 3), (3, 0), (2, 50), (2, 70_000)] {
        let a: Vec<i64> = (0..n * m).map(|i| i * 37 % 1009).collect();
        let mut d = vec![0; 15];
        for x in &a {
            let (p, q) = ((x % 7) as usize, (x % 4) as usize);
            if p < 5 && q < 3 {
                d[3 * p + q] += x;
            }
        }
        expect(text, &[int(n), int(m), ints(a), ints(vec![0; 15])], &[ints(d)]);
    }
}

#[test]
fn histogram_of_an_expensive_body_runs_in_lanes() {
    // The bin is a digit sum, computed by a loop.
    let text = "fun main(n: i64, xs: [n]i64, d: *[9]f64) -> (r: [9]f64) {
        e: [9]f64 = hist n (xs) map (x: i64) {
            b: i64, rest: i64 = loop (b: i64 = 0, y: i64 = x) for k: i64 < 5 {
              t: i64 = umod y 4; u: i64 = add b t; z: i64 = ashr y 2; return u, z };
            f: f64 = sitofp x : f64;
            return b, f }
          into (d) rank 1 with (a: f64, b: f64) { c: f64 = fadd a b; return c } [0f64];
        return e }";
    for n in [0, 1, 100, 70_001] {
        let xs: Vec<i64> = (0..n).map(|i| i * 37 % 1021).collect();
        let mut d = [0f64; 9];
        for &x in &xs {
            let b = (0..5).map(|k| (x >> (2 * k)) % 4).sum::<i64>() as usize;
            if b < 9 {
                d[b] += x as f64;
            }
        }
        let doubles = |xs: [f64; 9]| Data::Array(xs.into_iter().flat_map(f64::to_le_bytes).collect());
        expect(text, &[int(n), ints(xs), doubles([0.0; 9])], &[doubles(d)]);
    }
}

#[test]
fn segments_of_all_lengths_are_scanned_across_tiles() {
    // An operator that is not commutative: composition of affine maps.
    let text = "fun main(n: i64, m: i64, xss: [n][m]i32) -> (ys: [n][m]i32, zs: [n][m]i32) {
      ys: [n][m]i32, zs: [n][m]i32 = screma n (xss) map (row: [m]i32) {
        ps: [m]i32, qs: [m]i32 = screma m (row) map (x: i32) { k: i32 = or x 1i32; return k, x }
          scan (a1: i32, b1: i32, a2: i32, b2: i32) {
            a3: i32 = mul a1 a2; c: i32 = mul b1 a2; b3: i32 = add c b2; return a3, b3 } [1i32, 0i32];
        return ps, qs
      };
      return ys, zs
    }";
    let shapes =
        [(0, 3), (3, 0), (1, 1), (1, 5000), (3, 1000), (1, 2048), (40, 127), (300, 3), (300, 1), (2, 2049)];
    for (n, m) in shapes {
        let all: Vec<i32> = (0..(n * m) as i32).map(|i| i * 7919 % 1009 - 500).collect();
        let (mut ps, mut qs) = (Vec::new(), Vec::new());
        for (at, &x) in all.iter().enumerate() {
            let (p, q) = if at as i64 % m == 0 { (1, 0) } else { (ps[at - 1], qs[at - 1]) };
            let (p, q): (i32, i32) = (p, q);
            ps.push(p.wrapping_mul(x | 1));
            qs.push(q.wrapping_mul(x | 1).wrapping_add(x));
        }
        expect(text, &[int(n), int(m), words(all)], &[words(ps), words(qs)]);
    }
}

#[test]
fn exclusive_scans_of_segments_begin_anew() {
    let text = "fun main(n: i64, m: i64, xss: [n][m]i64) -> (ys: [n][m]i64) {
      ys: [n][m]i64 = screma n (xss) map (row: [m]i64) {
        ps: [m]i64 = screma m (row) map (x: i64) { return x }
          exscan (a: i64, b: i64) { c: i64 = add a b; return c } [0];
        return ps
      };
      return ys
    }";
    for (n, m) in [(1, 3000), (3, 1100), (200, 9), (2, 1024)] {
        let all: Vec<i64> = (0..n * m).map(|i| i % 17).collect();
        let before = (0..n * m).map(|at| all[(at / m * m) as usize..at as usize].iter().sum());
        expect(text, &[int(n), int(m), ints(all.iter().copied())], &[ints(before)]);
    }
}

#[test]
fn histograms_of_several_times_local_memory_take_passes() {
    let text = "fun main(n: i64, m: i64, is: [n]i64, xs: [n]i64, d: *[m]i64) -> (r: [m]i64) {
      e: [m]i64 = hist n (is, xs) map (i: i64, x: i64) { return i, x }
        into (d) rank 1 with (a: i64, b: i64) { c: i64 = smax a b; return c } [-1000];
      return e
    }";
    // Local memory has room for 2048 bins. The cases: two passes; too few elements; too many bins.
    for (n, m) in [(33_000, 2049), (3000, 2500), (2000, 8193)] {
        let is: Vec<i64> = (0..n).map(|i| i * 7919 % (m + 5) - 2).collect();
        let xs: Vec<i64> = (0..n).map(|i| i * 31 % 1009 - 500).collect();
        let mut bins: Vec<i64> = (0..m).map(|bin| bin % 11 - 400).collect();
        let before = ints(bins.iter().copied());
        for (&i, &x) in is.iter().zip(&xs).filter(|&(&i, _)| (0..m).contains(&i)) {
            bins[i as usize] = bins[i as usize].max(x);
        }
        expect(text, &[int(n), int(m), ints(is), ints(xs), before], &[ints(bins)]);
    }
}

#[test]
fn tiles_that_are_not_whole_are_scanned() {
    // Tiles of `i32` have 4096 elements.
    let text = "fun main(n: i64, xs: [n]i32) -> (r: [n]i32) {
        ys: [n]i32 = screma n (xs) map (x: i32) { y: i32 = mul x 3i32; return y }
          scan (a: i32, b: i32) { c: i32 = add a b; return c } [0i32];
        return ys }";
    for n in [4095, 4096, 4097, 8192, 8193] {
        let xs: Vec<i32> = (0..n).map(|i| i % 17 - 5).collect();
        let mut sum = 0;
        let ys = xs.iter().map(|x| {
            sum += 3 * x;
            sum
        });
        expect(text, &[int(n.into()), words(xs.clone())], &[words(ys)]);
    }
}

#[test]
fn the_first_failing_element_of_a_scan_is_reported() {
    let text = "fun main(n: i64, xs: [n]i64, ys: [n]i64) -> (r: [n]i64) {
      zs: [n]i64 = screma n (xs) map (x: i64) {
          inside: bool = slt x n;
          c: cert = assert inside (\"at \", x: i64);
          y: i64 = {c} index ys[x];
          return y }
        scan (a: i64, b: i64) { c: i64 = add a b; return c } [0];
      return zs
    }";
    let n = 5000;
    for first in [1705, 4905] {
        let xs = (0..n).map(|i| if i >= first && i % 5 == 0 { n + i } else { i });
        expect_failure(text, &[int(n), ints(xs), ints(0..n)], first, &[n + first]);
    }
}

#[test]
fn the_first_failing_element_of_a_partition_is_reported() {
    let text = "fun main(n: i64, xs: [n]i64, ys: [n]i64) -> (k: i64, r: [k]i64) {
      k: i64, zs: [k]i64 = partition n (xs) classes 1 (x: i64) {
        inside: bool = slt x n;
        c: cert = assert inside (\"at \", x: i64);
        y: i64 = {c} index ys[x];
        odd: i64 = and y 1;
        keep: bool = eq odd 1;
        return keep, y
      };
      return k, zs
    }";
    let n = 3000;
    let xs = (0..n).map(|i| if i > 1700 && i % 5 == 0 { n + i } else { i });
    expect_failure(text, &[int(n), ints(xs), ints(0..n)], 1705, &[n + 1705]);
}
