//! Nests computed by work-groups of a device: correct, and free of races between work-items.

mod common;

use common::{expect, floats, for_device, int, ints, run_all, words};
use warpwise_imp::interp::{Data, Stop};
use warpwise_imp::lower::Scanning;
use warpwise_prim::Scalar;

/// Lengths of rows around the size of a group and its multiples, and beyond local memory.
const ROWS: [i64; 9] = [0, 1, 2, 31, 127, 128, 129, 300, 4097];

fn numbers(count: i64) -> impl Iterator<Item = i32> {
    (0..count as i32).map(|i| (i * 37) % 101 - 50)
}

/// Returns whether a program has a kernel of work-groups, so that tests check the intended code.
fn has_groups(text: &str) -> bool {
    for_device(text, Scanning::Tiles).kernels.values().any(|kernel| kernel.name.contains("groups"))
}

#[test]
fn rows_are_folded_and_then_mapped() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i32) -> (ys: [n][m]i32, ts: [n]i32) {
      ys: [n][m]i32, ts: [n]i32 = screma n (a) map (row: [m]i32) {
        s: i32 = screma m (row) map (x: i32) { return x }
          reduce (p: i32, q: i32) { t: i32 = add p q; return t } [0i32];
        u: i32 = add s 1i32;
        zs: [m]i32 = screma m (row) map (x: i32) { z: i32 = mul u x; return z };
        return zs, u
      };
      return ys, ts
    }";
    assert!(has_groups(text));
    for m in ROWS {
        for n in [0, 1, 3] {
            let all: Vec<i32> = numbers(n * m).collect();
            let sum = |i: i64| {
                let row = &all[(i * m) as usize..((i + 1) * m) as usize];
                row.iter().fold(1_i32, |sum, &x| sum.wrapping_add(x))
            };
            let scaled = (0..n * m).map(|at| sum(at / m).wrapping_mul(all[at as usize]));
            let args = [int(n), int(m), words(all.iter().copied())];
            expect(text, &args, &[words(scaled), words((0..n).map(sum))]);
        }
    }
}

#[test]
fn rows_are_scanned_kept_and_read_at_other_places() {
    // The scanned row is in local memory, where elements of other work-items are read; the operator is not commutative.
    let text = "fun main(n: i64, m: i64, a: [n][m]i32) -> (ys: [n][m]i32) {
      last: i64 = sub m 1;
      ys: [n][m]i32 = screma n (a) map (row: [m]i32) {
        ps: [m]i32, qs: [m]i32 = screma m (row) map (x: i32) { k: i32 = and x 3i32; return k, x }
          scan (a1: i32, b1: i32, a2: i32, b2: i32) {
            a3: i32 = mul a1 a2; c: i32 = mul b1 a2; b3: i32 = add c b2; return a3, b3 } [1i32, 0i32];
        is: [m]i64 = iota m 0 1;
        zs: [m]i32 = screma m (is) map (i: i64) {
          j: i64 = sub last i; p: i32 = index ps[j]; q: i32 = index qs[j]; z: i32 = sub q p; return z };
        return zs
      };
      return ys
    }";
    assert!(has_groups(text));
    for m in ROWS {
        let n = 2;
        let all: Vec<i32> = numbers(n * m).collect();
        let mut expected = Vec::new();
        for row in all.chunks(m.max(1) as usize) {
            let (mut p, mut q) = (1_i32, 0_i32);
            let mut row: Vec<i32> = row
                .iter()
                .map(|&x| {
                    (p, q) = (p.wrapping_mul(x & 3), q.wrapping_mul(x & 3).wrapping_add(x));
                    q.wrapping_sub(p)
                })
                .collect();
            row.reverse();
            expected.extend(row);
        }
        expect(text, &[int(n), int(m), words(all.iter().copied())], &[words(expected)]);
    }
}

#[test]
fn operations_in_loops_are_shared() {
    // In every iteration the largest element below the one found before, together with exclusive scans.
    let text = "fun main(n: i64, m: i64, k: i64, a: [n][m]i32) -> (ys: [n]i32) {
      ys: [n]i32 = screma n (a) map (row: [m]i32) {
        r: i32 = loop (s: i32 = 1000i32) for i: i64 < k {
          t: i32 = screma m (row) map (x: i32) { below: bool = slt x s; y: i32 = select below x -1000i32; return y }
            reduce (p: i32, q: i32) { u: i32 = smax p q; return u } [-1000i32];
          return t
        };
        return r
      };
      return ys
    }";
    assert!(has_groups(text));
    for m in ROWS {
        let (n, k) = (3, 4);
        let all: Vec<i32> = numbers(n * m).collect();
        let fourth = |i: i64| {
            let mut row: Vec<i32> = all[(i * m) as usize..((i + 1) * m) as usize].to_vec();
            row.sort_unstable();
            row.dedup();
            row.iter().rev().nth(k as usize - 1).copied().unwrap_or(-1000)
        };
        let args = [int(n), int(m), int(k), words(all.iter().copied())];
        expect(text, &args, &[words((0..n).map(fourth))]);
    }
}

#[test]
fn values_of_several_types_share_a_nest() {
    let text = "fun main(n: i64, m: i64, a: [n][m]f32) -> (ys: [n][m]f32, ks: [n]i64) {
      ys: [n][m]f32, ks: [n]i64 = screma n (a) map (row: [m]f32) {
        s: f32 = screma m (row) map (x: f32) { return x }
          reduce (p: f32, q: f32) { t: f32 = fmax p q; return t } [0f32];
        zs: [m]f32 = screma m (row) map (x: f32) { z: f32 = fsub s x; return z };
        k: i64 = screma m (zs) map (z: f32) { low: bool = flt z 10f32; c: i64 = select low 1 0; return c }
          reduce (p: i64, q: i64) { t: i64 = add p q; return t } [0];
        return zs, k
      };
      return ys, ks
    }";
    assert!(has_groups(text));
    for m in ROWS {
        let n = 2;
        let all: Vec<f32> = numbers(n * m).map(|x| x as f32).collect();
        let most =
            |i: i64| all[(i * m) as usize..((i + 1) * m) as usize].iter().fold(0_f32, |s, &x| s.max(x));
        let down: Vec<f32> = (0..n * m).map(|at| most(at / m) - all[at as usize]).collect();
        let low = (0..n).map(|i| {
            down[(i * m) as usize..((i + 1) * m) as usize].iter().filter(|&&z| z < 10.0).count() as i64
        });
        let args = [int(n), int(m), floats(all.iter().copied())];
        expect(text, &args, &[floats(down.iter().copied()), ints(low)]);
    }
}

#[test]
fn the_first_failing_element_is_reported() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i64, b: [m]i64) -> (ys: [n][m]i64) {
      ys: [n][m]i64 = screma n (a) map (row: [m]i64) {
        s: i64 = screma m (row) map (x: i64) { return x }
          reduce (p: i64, q: i64) { t: i64 = smax p q; return t } [0];
        zs: [m]i64 = screma m (row) map (x: i64) {
          small: bool = slt x 100; c: cert = assert small (\"large: \", x: i64, \" of \", s: i64);
          z: i64 = {c} index b[x]; return z };
        return zs
      };
      return ys
    }";
    assert!(has_groups(text));
    let (n, m) = (3, 200);
    let data: Vec<i64> =
        (0..n * m).map(|at| if at >= 330 && at % 7 == 0 { 100 + at } else { at % 90 }).collect();
    let args: [Data; 4] = [int(n), int(m), ints(data), ints(vec![5; m as usize])];
    for (machine, outcome) in run_all(text, &args).into_iter().enumerate() {
        let Err(Stop::Check { values, .. }) = outcome else { panic!("machine {machine}: {outcome:?}") };
        let values: Vec<i64> = values.into_iter().filter_map(Scalar::as_int).collect();
        assert_eq!(values, [100 + 336, 100 + 399], "machine {machine}");
    }
}

#[test]
fn work_items_do_rows_of_the_interior_of_grids() {
    let text = "fun main(n: i64, m: i64, a: [n][m]i32, by: i64) -> (ys: [n][m]i32) {
      last: i64 = sub m 1;
      is: [n]i64 = iota n 0 1;
      js: [m]i64 = iota m 0 1;
      ys: [n][m]i32 = screma n (is) map (i: i64) {
        zs: [m]i32 = screma m (js) map (j: i64) {
          up: i64 = sub i 1; north: i64 = smax 0 up; x: i32 = index a[north, j];
          next: i64 = add j 1; east: i64 = smin last next; y: i32 = index a[i, east];
          far: i64 = add i by; inside: bool = ult far n;
          c: cert = assert inside (\"far is \", far: i64);
          z: i32 = {c} index a[far, j];
          s: i32 = mul x y; t: i32 = add s z; return t };
        return zs
      };
      return ys
    }";
    assert!(for_device(text, Scanning::Tiles).kernels.values().any(|kernel| kernel.name.contains("rows")));
    for n in [0, 1, 3, 4, 5, 6, 9, 18] {
        for m in [0, 1, 2, 5] {
            let all: Vec<i32> = numbers(n * m).collect();
            let at = |i: i64, j: i64| all[(i * m + j) as usize];
            let point = |i: i64, j: i64| {
                at((i - 1).max(0), j).wrapping_mul(at(i, (j + 1).min(m - 1))).wrapping_add(at(i, j))
            };
            let points = (0..n * m).map(|flat| point(flat / m, flat % m));
            let args = [int(n), int(m), words(all.iter().copied()), int(0)];
            expect(text, &args, &[words(points)]);
        }
    }
    // The first failure is reported, wherever it is among the rows of a work-item.
    for by in [1, 2, 7] {
        for outcome in run_all(text, &[int(9), int(5), words(numbers(45)), int(by)]) {
            let Err(Stop::Check { iteration, values, .. }) = outcome else {
                panic!("no failure: {outcome:?}")
            };
            assert_eq!((iteration, &values[..]), ((9 - by) * 5, &[Scalar::I64(9)][..]));
        }
    }
}
