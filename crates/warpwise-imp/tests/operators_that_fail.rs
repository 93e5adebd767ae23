//! Operators that fail on their neutral elements. No element fails, so the run must not fail, even where lanes and work-items hold
//! no element. Every segmented operation is tested, with every length from 0 to three groups of lanes and some lengths of several
//! blocks.

mod common;

use common::*;
use warpwise_imp::interp::{Data, Stop};

/// Lengths up to three groups with the maximum number of lanes for an operation with such an operator.
const LENGTHS: std::ops::RangeInclusive<i64> = 0..=48;

/// Lengths around a block: bodies of this cost have blocks of up to 256 elements.
const BLOCKS: [i64; 4] = [255, 256, 257, 1000];

/// An operator for the tested programs, and a model of it.
struct Operator {
    /// Parameters, body and neutral elements in the program's text.
    text: &'static str,
    /// Result on numbers; `None` where the operator fails.
    apply: fn(i64, i64) -> Option<i64>,
    neutral: i64,
}

/// The sum of numbers above 0.
const SUM: Operator = Operator {
    text: "(a: i64, b: i64) {
        ok: bool = slt 0 b; c: cert = assert ok (\"not above 0: \", b: i64); d: i64 = {c} add a b; return d } [0]",
    apply: |a, b| (b > 0).then(|| a + b),
    neutral: 0,
};

/// The greater of two indices into a table, which the operator reads.
const LOOKUP: Operator = Operator {
    text: "(a: i64, b: i64) {
        low: bool = sle 0 b; high: bool = slt b k; ok: bool = and low high;
        c: cert = assert ok (\"Index \", b: i64); x: i64 = {c} index table[b];
        g: i64 = smax a x; return g } [-1]",
    apply: |a, b| (0..1000).contains(&b).then(|| a.max(b)),
    neutral: -1,
};

/// The left operand unless it is the neutral element: associative, but not commutative.
const LEFT: Operator = Operator {
    text: "(a: i64, b: i64) {
        ok: bool = ne b -5; c: cert = assert ok (\"none\", b: i64);
        none: bool = eq a -5; l: i64 = select none b a; return l } [-5]",
    apply: |a, b| (b != -5).then_some(if a == -5 { b } else { a }),
    neutral: -5,
};

const OPERATORS: [Operator; 3] = [SUM, LOOKUP, LEFT];

/// A loop whose estimated cost is high, but which runs once and changes nothing.
const SLOW: &str = "y: i64 = loop (y: i64 = x) for j: i64 < one { z: i64 = xor y j; return z };";

/// Returns elements on which no operator here fails.
fn elements(n: i64) -> Vec<i64> {
    (0..n).map(|i| i * 7 % 13 + 1).collect()
}

fn args(n: i64, xs: &[i64]) -> Vec<Data> {
    vec![int(n), int(1000), int(1), ints(0..1000), ints(xs.to_vec())]
}

/// Returns the prefixes, from the neutral element on; `None` where the operator fails.
fn prefixes(operator: &Operator, xs: &[i64]) -> Option<Vec<i64>> {
    let mut all = vec![operator.neutral];
    for &x in xs {
        all.push((operator.apply)(*all.last()?, x)?);
    }
    Some(all)
}

/// Checks that runs yield the `expected` results on elements without failures, and fail once one element is the neutral element.
fn check(
    (text, operator): (&str, &Operator),
    lengths: impl Iterator<Item = i64>,
    expected: impl Fn(&[i64], &[i64]) -> Vec<Data>,
) {
    let machines = Machines::of(text);
    for n in lengths {
        let mut xs = elements(n);
        let results = expected(&xs, &prefixes(operator, &xs).expect("no element fails"));
        for (i, outcome) in machines.run(&args(n, &xs)).into_iter().enumerate() {
            let report = outcome.unwrap_or_else(|stop| panic!("{n} elements, machine {i}: {stop:?}\n{text}"));
            assert!(report.results == results, "{n} elements, machine {i}: other results\n{text}");
        }
        for bad in [n / 2, n - 1].into_iter().filter(|&bad| bad > 0) {
            xs[bad as usize] = operator.neutral;
            for (i, outcome) in machines.run(&args(n, &xs)).into_iter().enumerate() {
                match outcome {
                    Err(Stop::Check { .. }) => {}
                    Err(Stop::Wrong(what)) => panic!("{n} elements, machine {i}, {bad}: {what}\n{text}"),
                    Ok(_) => panic!("{n} elements, machine {i}: {bad} does not fail\n{text}"),
                }
            }
        }
    }
}

fn program(results: &str, body: &str, yields: &str) -> String {
    format!(
        "fun main(n: i64, k: i64, one: i64, table: [k]i64, xs: [n]i64) -> ({results}) {{ {body} return {yields} }}"
    )
}

#[test]
fn scans() {
    for operator in &OPERATORS {
        for slow in ["y: i64 = x;", SLOW] {
            let op = operator.text;
            let body = format!(
                "ys: [n]i64, zs: [n]i64 = screma n (xs) map (x: i64) {{ {slow} return y, y }} scan {op} exscan {op};"
            );
            let text = program("r: [n]i64, s: [n]i64", &body, "ys, zs");
            let lengths = LENGTHS.chain(BLOCKS.into_iter().filter(|_| slow == SLOW));
            check((&text, operator), lengths, |xs, sums| {
                vec![ints(sums[1..].to_vec()), ints(sums[..xs.len()].to_vec())]
            });
        }
    }
}

#[test]
fn scans_with_reductions_and_what_comes_after() {
    for operator in &OPERATORS {
        let op = operator.text;
        let body = format!(
            "t: i64, ys: [n]i64 = screma n (xs) map (x: i64) {{ {SLOW} return y, y, x }} scan {op} reduce {op}
               post (s: i64, x: i64) {{ d: i64 = sub s x; return d }};"
        );
        let text = program("t: i64, r: [n]i64", &body, "t, ys");
        check((&text, operator), LENGTHS.chain(BLOCKS), |xs, sums| {
            let after = xs.iter().zip(&sums[1..]).map(|(x, s)| s - x);
            vec![int(sums[xs.len()]), ints(after)]
        });
    }
}

#[test]
fn reductions() {
    for operator in &OPERATORS {
        for slow in ["y: i64 = x;", SLOW] {
            let op = operator.text;
            // Together with a reduction that is folded lane by lane.
            let body = format!(
                "t: i64, s: i64 = screma n (xs) map (x: i64) {{ {slow} return y, y }} reduce {op}
                   reduce (a: i64, b: i64) {{ c: i64 = add a b; return c }} [0];"
            );
            let text = program("t: i64, s: i64", &body, "t, s");
            let lengths = LENGTHS.chain(BLOCKS.into_iter().filter(|_| slow == SLOW));
            check((&text, operator), lengths, |xs, sums| vec![int(sums[xs.len()]), int(xs.iter().sum())]);
        }
    }
}

#[test]
fn reductions_that_are_said_to_commute() {
    for operator in [&SUM, &LOOKUP] {
        let op = operator.text;
        let body = format!("t: i64 = screma n (xs) map (x: i64) {{ {SLOW} return y }} reduce_comm {op};");
        let text = program("t: i64", &body, "t");
        check((&text, operator), LENGTHS.chain(BLOCKS), |xs, sums| vec![int(sums[xs.len()])]);
    }
}

#[test]
fn scans_and_reductions_of_rows() {
    for operator in &OPERATORS {
        let op = operator.text;
        let body = format!(
            "is: [3]i64 = iota 3 0 1;
             ts: [3]i64, rs: [3][n]i64 = screma 3 (is) map (i: i64) {{
               t: i64, ys: [n]i64 = screma n (xs) map (x: i64) {{ z: i64 = add x i; w: i64 = sub z i; return w, w }}
                 scan {op} reduce {op};
               return t, ys }};"
        );
        let text = program("t: [3]i64, r: [3][n]i64", &body, "ts, rs");
        check((&text, operator), LENGTHS.chain([257, 5000]), |xs, sums| {
            vec![ints([sums[xs.len()]; 3]), ints([&sums[1..]; 3].concat())]
        });
    }
}

#[test]
fn histograms() {
    for operator in [&SUM, &LOOKUP] {
        let op = operator.text;
        let neutral = operator.neutral;
        let body = format!(
            "dest: [5]i64 = replicate [5] {neutral};
             h: [5]i64 = hist n (xs) map (x: i64) {{ {SLOW} b: i64 = smod x 5; return b, y }}
               into (dest) rank 1 with {op};"
        );
        let text = program("h: [5]i64", &body, "h");
        check((&text, operator), LENGTHS.chain(BLOCKS), |xs, _| {
            let mut bins = [neutral; 5];
            for &x in xs {
                let bin = &mut bins[(x % 5) as usize];
                *bin = (operator.apply)(*bin, x).expect("no element fails");
            }
            vec![ints(bins)]
        });
    }
}

#[test]
fn filters_whose_condition_fails_on_zero() {
    // Lanes without an element hold zeros.
    let odd = Operator { apply: |a, b| (b != 0).then_some(a), text: "", neutral: 0 };
    let body = "q: i64, ys: [q]i64 = partition n (xs) classes 1 (x: i64) {
        ok: bool = ne x 0; c: cert = assert ok (\"zero \", x: i64); d: i64 = {c} srem 100 x;
        low: i64 = and d 1; odd: bool = eq low 1; return odd, d };";
    let text = program("q: i64, r: [q]i64", body, "q, ys");
    check((&text, &odd), LENGTHS.chain([5000]), |xs, _| {
        let kept: Vec<i64> = xs.iter().map(|x| 100 % x).filter(|d| d & 1 == 1).collect();
        vec![int(kept.len() as i64), ints(kept)]
    });
}

#[test]
fn scans_of_elements_that_fail() {
    // The results of the body are kept between the passes over a block, up to the failing element.
    let body = format!(
        "ys: [n]i64 = screma n (xs) map (x: i64) {{ {SLOW} ok: bool = slt 0 y; c: cert = assert ok (\"low \", y: i64); return y }}
           scan (a: i64, b: i64) {{ c: i64 = add a b; return c }} [0];"
    );
    let plain = Operator { text: "", apply: |a, b| (b > 0).then(|| a + b), neutral: 0 };
    let text = program("r: [n]i64", &body, "ys");
    check((&text, &plain), LENGTHS.chain(BLOCKS), |_, sums| vec![ints(sums[1..].to_vec())]);
}

#[test]
fn a_failing_element_is_the_one_reported() {
    let op = SUM.text;
    let scan = format!("ys: [n]i64 = screma n (xs) map (x: i64) {{ {SLOW} return y }} scan {op};");
    let reduce = format!("t: i64 = screma n (xs) map (x: i64) {{ {SLOW} return y }} reduce {op};");
    for text in [program("r: [n]i64", &scan, "ys"), program("r: i64", &reduce, "t")] {
        let machines = Machines::of(&text);
        for (n, bad) in [(1, 0), (5, 3), (17, 16), (40, 7), (600, 300), (1000, 999)] {
            let mut xs = elements(n);
            // A later element fails too.
            (xs[bad as usize], xs[n as usize - 1]) = (-(bad + 1), -n);
            for (i, outcome) in machines.run(&args(n, &xs)).into_iter().enumerate() {
                match outcome {
                    Err(Stop::Check { iteration, values, .. }) => {
                        assert_eq!(
                            (iteration, values[0].as_int()),
                            (bad, Some(-(bad + 1))),
                            "machine {i}\n{text}"
                        );
                    }
                    other => panic!("machine {i}: {other:?}\n{text}"),
                }
            }
        }
    }
}
