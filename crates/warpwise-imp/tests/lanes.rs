//! Tests that lane dimensions run by vectors and do not fall back to one iteration at a time.

mod common;

use common::*;

#[test]
fn maps_reductions_scans_and_filters_run_in_lanes() {
    for operation in [
        "ys: [n]f32 = screma n (xs) map (x: f32) { y: f32 = fmul x 2f32; return y }; return ys",
        "s: f32 = screma n (xs) map (x: f32) { return x } reduce (a: f32, b: f32) { c: f32 = fadd a b; return c } [0f32];
         ys: [n]f32 = screma n (xs) map (x: f32) { y: f32 = fmul x s; return y }; return ys",
        "ys: [n]f32 = screma n (xs) map (x: f32) { return x } scan (a: f32, b: f32) { c: f32 = fadd a b; return c } [0f32];
         return ys",
        "k: i64, zs: [k]f32 = partition n (xs) classes 1 (x: f32) { c: bool = flt 0f32 x; return c, x };
         ys: [n]f32 = screma n (xs) map (x: f32) { i: i64 = sub k 1; y: f32 = index zs[i]; return y }; return ys",
        "ys: [n]f32 = screma n (xs) map (x: f32) {
           c: bool = flt x 0f32;
           y: f32 = if c { z: f32 = sqrt x; return z } else { z: f32 = loop (z: f32 = x) for i: i64 < 9 { w: f32 = fmul z z; return w };
             return z };
           return y }; return ys",
    ] {
        let text = format!("fun main(n: i64, xs: [n]f32) -> (r: [n]f32) {{ {operation} }}");
        assert!(all_in_lanes(&text), "{operation}");
    }
}

#[test]
fn a_map_is_a_loop_over_whole_groups_and_a_masked_rest() {
    let text = shown(
        "fun main(n: i64, xs: [n]f32) -> (r: [n]f32) {
           ys: [n]f32 = screma n (xs) map (x: f32) { y: f32 = fmul x 2f32; return y }; return ys }",
    );
    for line in ["step 64 {", "<64 x f32> = load param_mem@0[j", "where mask", "launch main_0_map", "alloc "]
    {
        assert!(text.contains(line), "no `{line}` in\n{text}");
    }
}

#[test]
fn the_interior_of_a_row_is_a_loop_without_questions() {
    let text = shown_optimised(
        "entry main(n: i64, xs: [n]f32) -> (r: [n]f32) as \"main\" sizes 0 (n: i64, xs: []f32) -> sizes 0 ([]f32) {
           is: [n]i64 = iota n 0 1;
           ys: [n]f32 = screma n (is) map (i: i64) {
             j: i64 = sub i 1; k: i64 = smax j 0;
             x: f32 = index xs[k]; y: f32 = fmul x 2f32; return y };
           return ys }",
    );
    let (_, interior) = text.split_once("end.").expect("an interior");
    let (_, interior) = interior.split_once("step").expect("a loop");
    let (interior, _) = interior.split_once('}').expect("an end of the loop");
    assert!(interior.contains("load") && !interior.contains("if "), "{interior}\nin\n{text}");
}

/// A program that counts the iterations until `x * x + c` leaves a circle.
const ESCAPE: &str = "fun main(n: i64, xs: [n]f32) -> (r: [n]i32) {
  rs: [n]i32 = screma n (xs) map (c: f32) {
    first: bool = flt c 4f32;
    going: bool, rounds: i32, last: f32 = loop (on: bool = first, turn: i32 = 0i32, x: f32 = c) while on {
      square: f32 = fmul x x; next: f32 = fadd square c; more: i32 = add turn 1i32;
      near: bool = flt next 4f32; few: bool = slt more 50i32; still: bool = and near few;
      return still, more, next };
    return rounds };
  return rs }";

#[test]
fn lanes_that_left_a_loop_keep_only_what_is_used_after_it() {
    let text = shown(ESCAPE);
    let (_, round) = text.split_once("while ").expect("a loop");
    let (round, _) = round.split_once("store").expect("the result");
    assert_eq!(round.matches("= select live").count(), 1, "{text}");
    let escape = |c: f32| {
        let (mut x, mut rounds) = (c, 0);
        while x < 4.0 && rounds < 50 {
            (x, rounds) = (x * x + c, rounds + 1);
        }
        rounds
    };
    for n in SIZES {
        let xs: Vec<f32> = (0..n).map(|i| (i % 23) as f32 * 0.25 - 1.5).collect();
        let rounds = words(xs.iter().map(|&c| escape(c)));
        expect(ESCAPE, &[int(n), floats(xs)], &[rounds]);
    }
}
