//! Number of waits of the host for a device. Loops whose values can stay on the device, and checks that can fail there, must not wait.

use crate::common::Folder;
use crate::devices::devices;

/// Loops over reductions, one of which is loop-carried; a loop over a gather with bounds checks; and a loop whose condition reads a sum
/// in every iteration.
const PROGRAM: &str = "entry main [n] (steps: i32) (xs: [n]f32) : [n]f32 =
  loop xs for _i < steps do
    let mean = f32.sum xs / f32.i64 n
    in map (\\x -> (x - mean) * 0.5 + 1) xs
entry carried [n] (steps: i32) (xs: [n]i32) : ([n]i32, i32) =
  loop (xs, s) = (xs, 1) for i < steps do
    let ys = map (\\x -> x * 3 + s) xs
    let t = if i % 2 == 0 then i32.sum ys else s + 1
    in (ys with [0] = s, t)
entry gather [n] (steps: i32) (is: [n]i64) (xs: [n]i32) : [n]i32 =
  loop ys = copy xs for _i < steps do map (\\i -> ys[i] + 1) is
entry until [n] (most: i32) (xs: [n]i32) : [n]i32 =
  loop xs while i32.sum xs < most do map (* 2) xs";

/// Returns the count in the line of a profile that begins with `what`.
fn times(profile: &str, what: &str) -> u32 {
    let line = profile.lines().find_map(|line| line.trim_start().strip_prefix(what));
    let Some(line) = line else { return 0 };
    let words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|&word| word == "times").expect("how often");
    words[at - 1].parse().expect("a number")
}

#[test]
fn loops_on_devices_wait_once() {
    let folder = Folder::with(PROGRAM);
    // Entry point and arguments, number of reads by the host, number of checks for failures.
    let cases: [(&[&str], u32, u32); 6] = [
        (&["main", "20", "[1, 2, 6]"], 1, 0),
        (&["main", "0", "empty([0]f32)"], 1, 0),
        (&["carried", "20", "[1, 2, 6]"], 2, 0),
        (&["carried", "1", "[4]"], 2, 0),
        (&["gather", "20", "[0, 2, 1]", "[1, 2, 3]"], 1, 1),
        (&["until", "50", "[1, 2, 3]"], 6, 0),
    ];
    for (words, reads, looks) in cases {
        let words = [&["run", "p.fut", "-e"], words].concat();
        let here = folder.run(&words).succeeds();
        for device in devices() {
            let there = folder.run(&[&words[..], &["--device", device, "--profile"]].concat());
            let found = (times(&there.errors, "to the host"), times(&there.errors, "look for failures"));
            assert_eq!(found, (reads, looks), "{words:?} on {device}\n{}", there.errors);
            assert_eq!(there.succeeds(), here, "{words:?} on {device}");
        }
    }
}

#[test]
fn failures_that_are_found_late_are_the_first_ones() {
    let folder = Folder::with(
        "entry kernels [n] (is: [n]i64) (xs: [n]i64) : i64 =
  let ys = map (\\i -> xs[i]) is
  let zs = map (\\i -> xs[i * 2]) ys
  in i64.sum zs
entry host [n] (is: [n]i64) (xs: [n]i64) (j: i64) : i64 =
  let ys = map (\\i -> xs[i]) is
  in i64.sum ys / j
entry size [n] (is: [n]i64) (xs: [n]i64) : i64 =
  let ys = map (\\i -> xs[i]) is
  let m = i64.sum ys
  in i64.sum (map (\\i -> xs[i % n]) (iota m))
entry forever [n] (is: [n]i64) (xs: [n]i64) : i64 =
  let (_, steps) = loop (ys, steps) = (xs, 0) while i64.sum ys >= 0 do
    (map (\\i -> ys[i] - 1) is, steps + 1)
  in steps",
    );
    let place = "[0, 5, -1]";
    let values = "[1, 2, 3]";
    let cases: [(&[&str], &str); 5] = [
        (&["kernels", place, values], "p.fut:2:"),
        (&["kernels", "[0, 1, 2]", values], "p.fut:3:"),
        (&["host", place, values, "0"], "p.fut:6:"),
        (&["size", place, values], "p.fut:9:"),
        (&["forever", place, values], "p.fut:14:"),
    ];
    for (words, at) in cases {
        let words = [&["run", "p.fut", "-e"], words].concat();
        let here = folder.run(&words).fails(1, &[at, "out of bounds"]);
        for device in devices() {
            let there = folder.run(&[&words[..], &["--device", device]].concat());
            assert_eq!(there.fails(1, &[at]), here, "{words:?} on {device}");
        }
    }
}
