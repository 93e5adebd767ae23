//! Programs of any length, with the kinds of code that long programs have: types, functions that call each other, loops, nests of
//! parallel operations, modules, entry points.

use std::fmt::Write;

/// Number of chapters between two entry points.
const BETWEEN_ENTRIES: usize = 5;

/// Returns a valid program of at least `lines` lines.
pub fn program(lines: usize) -> String {
    let mut text = String::new();
    let (mut written, mut index) = (0, 0);
    while written < lines {
        let start = text.len();
        chapter(&mut text, index);
        if index % BETWEEN_ENTRIES == BETWEEN_ENTRIES - 1 {
            entry(&mut text, index);
        }
        written += text[start..].lines().count();
        index += 1;
    }
    entry(&mut text, index - 1);
    text
}

fn chapter(text: &mut String, i: usize) {
    let calls_the_one_before = !i.is_multiple_of(BETWEEN_ENTRIES);
    let before =
        if calls_the_one_before { format!(" + pick{} (map (+ 1) xs)", i - 1) } else { String::new() };
    let (a, b, c, d) = (i % 7, i % 9 + 1, i % 13 + 3, i % 100);
    let _ = write!(
        text,
        "
-- | Number {i} of many.
type point{i} = {{x: f32, y: f32, tag: i32}}

module m{i} = {{
  def shift (x: f32) = x + {a}
  def far = shift {d}.5
}}

def scale{i} (k: f32) (p: point{i}) : point{i} =
  let x = p.x * k + m{i}.far
  let y = m{i}.shift p.y * k - x
  in p with x = x with y = y

def rows{i} [n][m] (a: [n][m]f32) (v: [m]f32) : [n]f32 =
  let weights = map (\\x -> x * {b}) v
  let dot (xs: [m]f32) (ys: [m]f32) = reduce (+) 0 (map2 (*) xs ys)
  in map (\\row -> if dot row v > 0 then dot row weights else f32.sqrt (dot row v)) a

def walk{i} [n] (steps: i64) (a: *[n]i64) : *[n]i64 =
  let (_, a) =
    loop (total, a) = (0i64, a) for k < steps do
      let j = (k * {c} + total) % n
      let total = total + a[j]
      in (total, a with [j] = total)
  in a

def pick{i} [n] (xs: [n]i64) : i64 =
  let small = filter (< {d}) xs
  let (big, _) = partition (> {d}) xs
  in length small + length big{before}
"
    );
}

fn entry(text: &mut String, i: usize) {
    let _ = write!(
        text,
        "
entry run{i}_{} [n][m] (a: [n][m]f32) (v: [m]f32) (xs: [n]i64) =
  let q = scale{i} 2 {{x = 1, y = v[0], tag = 3}}
  in (rows{i} a v, walk{i} 10 (copy xs), pick{i} xs, q.x)
",
        text.len()
    );
}
