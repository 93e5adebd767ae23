//! Tests of functions of one element as functions of a chunk: the forms of values, and the results.

use warpwise_diag::FileId;
use warpwise_interp::text::parse_call;
use warpwise_interp::{Value, interpret};
use warpwise_ir::entity::Entity;
use warpwise_ir::parse::parse;
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{FunctionId, Program};
use warpwise_opt::flatten::Varies::{ByOne, Freely, Never};
use warpwise_opt::flatten::{Chunk, Folds, GivenAs, TakenAs, Varies, chunk};

/// The sum of a row, its length, and the row plus a constant that all elements share.
const ROWS: &str = "
fun f(n: i64, m: i64, xs: [n]f32, ys: [m]f32) -> (s: f32, n1: i64, zs: [n]f32) {
  y: f32 = screma m (ys) map (a: f32) { return a } reduce (a1: f32, b: f32) { c: f32 = fadd a1 b; return c } [0.0f32];
  s: f32 = screma n (xs) map (d: f32) { return d } reduce (e: f32, g: f32) { h: f32 = fadd e g; return h } [0.0f32];
  zs: [n]f32 = screma n (xs) map (x: f32) { z: f32 = fadd x y; return z };
  return s, n, zs
}";

fn lifted(text: &str, varies: &[Varies], folds: Folds) -> (Chunk, String) {
    let program = parse(text, FileId(0)).expect("the program is right");
    let chunk =
        chunk(&program, FunctionId::new(0), varies, folds, true).expect("it has a form for many elements");
    let mut whole = Program::default();
    whole.functions.push(chunk.function.clone());
    verify(&whole, Level::Soac).unwrap_or_else(|errors| panic!("{}\n{whole}", errors[0]));
    let text = whole.to_string();
    (chunk, text)
}

fn run(text: &str, arguments: &str) -> Vec<Value> {
    let program = parse(text, FileId(0)).expect("what is printed can be read");
    let arguments = parse_call(arguments).expect("arguments").args;
    interpret(&program, FunctionId::new(0), arguments).expect("it runs")
}

#[test]
fn what_is_regular_stays_regular_and_what_is_shared_is_computed_once() {
    let (chunk, text) = lifted(ROWS, &[Never, Never, Freely, Never], Folds::Apart);
    use TakenAs::{Avoided, Regular};
    assert_eq!(chunk.params, [Avoided, Avoided, Regular, Avoided]);
    assert_eq!(chunk.results, [GivenAs::Regular, GivenAs::Avoided, GivenAs::Regular]);
    assert!(!text.contains("starts") && !text.contains("heads"), "{text}");
    // The sum of the shared data is computed outside of the work for each element.
    let shared = text.find("screma m").expect("the shared sum");
    assert!(shared < text.find("screma width").expect("the elements"), "{text}");
    let found = run(&text, "f(2, 3, 1, [[1f32, 2f32, 3f32], [4f32, 5f32, 6f32]], [10f32])");
    let expected = run(
        "fun f() -> (s: [2]f32, n: i64, z: [2][3]f32) {
           s: [2]f32 = [6.0f32, 15.0f32];
           a: [3]f32 = [11.0f32, 12.0f32, 13.0f32];
           b: [3]f32 = [14.0f32, 15.0f32, 16.0f32];
           z: [2][3]f32 = [a, b];
           return s, 3, z }",
        "f()",
    );
    assert_eq!(found, expected);
}

#[test]
fn what_differs_is_kept_as_segments() {
    for folds in [Folds::Apart, Folds::Segmented] {
        let (chunk, text) = lifted(ROWS, &[Freely, Never, Freely, Never], folds);
        use TakenAs::{Avoided, Regular, Segments};
        assert_eq!(chunk.params, [Regular, Avoided, Segments, Avoided]);
        assert_eq!(chunk.results, [GivenAs::Regular, GivenAs::Regular, GivenAs::Segments]);
        assert_eq!(text.contains("sums"), folds == Folds::Segmented, "{text}");
        let arguments = "f(3, 1, 3, [2, 0, 1], [0, 2, 2], [1f32, 2f32, 3f32], [10f32])";
        let sizes_in_order = text.starts_with("fun f_chunk(width: i64, m: i64, total: i64");
        assert!(sizes_in_order, "{text}");
        let found = run(&text, arguments);
        let expected = run(
            "fun f() -> (s: [3]f32, n: [3]i64, starts: [3]i64, z: [3]f32) {
               s: [3]f32 = [3.0f32, 0.0f32, 3.0f32];
               n: [3]i64 = [2, 0, 1];
               starts: [3]i64 = [0, 2, 2];
               z: [3]f32 = [11.0f32, 12.0f32, 13.0f32];
               return s, n, starts, z }",
            "f()",
        );
        let results = found.len() - chunk.sizes.1;
        assert_eq!(found[found.len() - results..], expected, "{text}");
    }
}

#[test]
fn scans_that_round_are_done_segment_by_segment() {
    let scan = "
fun f(n: i64, xs: [n]f32) -> (ys: [n]f32) {
  ys: [n]f32 = screma n (xs) map (x: f32) { return x } scan (a: f32, b: f32) { c: f32 = fadd a b; return c } [0.0f32];
  return ys
}";
    let (_, apart) = lifted(scan, &[Freely, Freely], Folds::Apart);
    assert!(apart.contains("flatmap") && !apart.contains("sums"), "{apart}");
    let exact = scan.replace("f32", "i32").replace("fadd", "add").replace("0.0i32", "0i32");
    let (_, whole) = lifted(&exact, &[Freely, Freely], Folds::Apart);
    assert!(!whole.contains("flatmap"), "{whole}");
    let arguments = "f(3, 3, [2, 0, 1], [0, 2, 2], [1i32, 2i32, 3i32])";
    let found = run(&whole, arguments);
    let expected = run("fun f() -> (y: [3]i32) { y: [3]i32 = [1i32, 3i32, 3i32]; return y }", "f()");
    assert_eq!(found.last(), expected.first());
}

#[test]
fn rows_are_filtered_together_without_dividing_indices() {
    const FILTER: &str = "
fun f(n: i64, xs: [n]i64) -> (k: i64, ys: [k]i64) {
  is: [n]i64 = iota n 0 1;
  bs: [n]i64 = screma n (is) map (i: i64) { y: i64 = index xs[i]; z: i64 = sub y i; return z };
  k: i64, ys: [k]i64 = partition n (bs, xs) classes 1 (z1: i64, x: i64) { c: bool = slt 0 z1; return c, x };
  return k, ys
}";
    let expected = run(
        "fun f() -> (total: i64, k: [2]i64, starts: [2]i64, ys: [3]i64) {
           k: [2]i64 = [2, 1];
           starts: [2]i64 = [0, 2];
           ys: [3]i64 = [1, 5, 8];
           return 3, k, starts, ys }",
        "f()",
    );
    for folds in [Folds::Apart, Folds::Segmented] {
        let (_, text) = lifted(FILTER, &[Never, Freely], folds);
        assert!(folds == Folds::Segmented || !text.contains("srem"), "{text}");
        assert_eq!(run(&text, "f(2, 3, [[1, 0, 5], [0, 1, 8]])"), expected, "{text}");
        let (_, text) = lifted(FILTER, &[Freely, Freely], folds);
        assert_eq!(run(&text, "f(2, 6, [3, 3], [0, 3], [1, 0, 5, 0, 1, 8])"), expected, "{text}");
    }
}

#[test]
fn numbers_are_computed_where_they_are_used() {
    let sum = "fun f(i: i64, x: i64) -> (y: i64) { y: i64 = add i x; return y }";
    let (chunk, text) = lifted(sum, &[ByOne, Freely], Folds::Apart);
    assert_eq!(
        (chunk.params.as_slice(), chunk.is_counted()),
        (&[TakenAs::Avoided, TakenAs::Regular][..], false)
    );
    let sums = run("fun f() -> (ys: [3]i64) { ys: [3]i64 = [15, 26, 37]; return ys }", "f()");
    assert_eq!(run(&text, "f(3, 5, [10, 20, 30])"), sums);
    // If the first number is the only argument, the number of elements is an additional argument.
    let double = "fun f(i: i64) -> (y: i64) { y: i64 = mul i 2; return y }";
    let (chunk, text) = lifted(double, &[ByOne], Folds::Apart);
    assert_eq!((chunk.sizes.0, chunk.is_counted()), (0, true));
    let doubles = run("fun f() -> (ys: [3]i64) { ys: [3]i64 = [10, 12, 14]; return ys }", "f()");
    assert_eq!(run(&text, "f(3, 5)"), doubles);
}
