//! Runs of programs: arguments and results in every form, and runs that fail.

use crate::common::{Folder, binary};

const SUM: &str = "entry main [n] (xs: [n]i32) (y: i32) : i32 = i32.sum xs + y
entry both (x: i32) (y: f64) : (f64, i32) = (y, x)
entry none : i32 = 42";

#[test]
fn arguments_are_words() {
    let folder = Folder::with(SUM);
    assert_eq!(folder.run(&["run", "p.fut", "[1, 2, 3]", "10"]).succeeds(), "16i32\n");
    assert_eq!(folder.run(&["run", "p.fut", "empty([0]i32)", "-5"]).succeeds(), "-5i32\n");
    assert_eq!(folder.run(&["run", "p.fut", "-e", "both", "-3", "-0.5f64"]).succeeds(), "-0.5f64\n-3i32\n");
    assert_eq!(folder.run(&["run", "p.fut", "-3", "-f64.inf", "-e", "both"]).succeeds(), "-f64.inf\n-3i32\n");
    assert_eq!(folder.run(&["run", "p.fut", "--entry", "none"]).succeeds(), "42i32\n");
}

#[test]
fn without_words_standard_input_is_read() {
    let folder = Folder::with(SUM);
    assert_eq!(folder.run_with(&["run", "p.fut"], b"[1, 2] -- one\n 3").succeeds(), "6i32\n");
    let bytes = [binary("i32", &[2], &[1, 0, 0, 0, 2, 0, 0, 0]), binary("i32", &[], &[3, 0, 0, 0])].concat();
    assert_eq!(folder.run_with(&["run", "p.fut"], &bytes).succeeds(), "6i32\n");
}

#[test]
fn results_pipe_into_programs_in_binary() {
    let folder = Folder::with(SUM);
    let first = folder.run_with(&["run", "p.fut", "-e", "both", "--binary"], b"7 0.5");
    assert_eq!(first.code, Some(0), "{}", first.errors);
    let expected =
        [binary("f64", &[], &0.5_f64.to_le_bytes()), binary("i32", &[], &7_i32.to_le_bytes())].concat();
    assert_eq!(first.output, expected);
    folder.write("swap.fut", "entry main (x: f64) (y: i32) = (y, x)");
    assert_eq!(folder.run_with(&["run", "swap.fut"], &first.output).succeeds(), "7i32\n0.5f64\n");
}

#[test]
fn files_carry_values_in_every_format() {
    let folder =
        Folder::with("entry main [h][w] (image: [h][w][3]u8) = map (map (map (\\x -> 255 - x))) image");
    let text = "[[[1u8, 2u8, 3u8], [4u8, 5u8, 6u8]]]";
    let twice = "[[[1u8, 2u8, 3u8], [4u8, 5u8, 6u8]]]\n";
    folder.write("a.txt", text);
    for (from, to) in [("a.txt", "b.npy"), ("b.npy", "c.png"), ("c.png", "d.bin"), ("d.bin", "e.txt")] {
        assert_eq!(folder.run(&["run", "p.fut", from, "-o", to]).succeeds(), "");
    }
    assert_eq!(std::fs::read_to_string(folder.path("e.txt")).unwrap(), twice);
}

#[test]
fn results_go_to_files_of_their_own_or_to_one() {
    let folder = Folder::with(SUM);
    folder.run(&["run", "p.fut", "-e", "both", "1", "2", "-o", "a.txt", "-o", "b.txt"]).succeeds();
    let read = |name: &str| std::fs::read_to_string(folder.path(name)).unwrap();
    assert_eq!((read("a.txt"), read("b.txt")), ("2.0f64\n".to_string(), "1i32\n".to_string()));
    folder.run(&["run", "p.fut", "-e", "both", "1", "2", "-o", "all.txt"]).succeeds();
    assert_eq!(read("all.txt"), "2.0f64\n1i32\n");
    folder.run(&["run", "p.fut", "all.txt", "-e", "both"]).fails(1, &["all.txt:1:", "i32"]);
    folder.run(&["run", "p.fut", "-e", "both", "1", "2", "-o", "a.npy"]).fails(1, &["a.npy", "one value"]);
    let three = ["run", "p.fut", "-e", "both", "1", "2", "-o", "a", "-o", "b", "-o", "c"];
    folder.run(&three).fails(1, &["3 output files", "2 values"]);
    folder.run(&["run", "p.fut", "-e", "none", "-o", "nowhere/x.txt"]).fails(1, &["nowhere/x.txt"]);
    folder.run(&["run", "p.fut", "-e", "none", "-o", "x.png"]).fails(1, &["x.png", "image"]);
}

#[test]
fn entry_points_and_counts_are_checked() {
    let folder = Folder::with(SUM);
    folder.run(&["run", "p.fut", "-e", "nothing"]).fails(1, &["`nothing`", "main, both, none"]);
    folder.run(&["run", "p.fut", "1"]).fails(1, &["2 arguments, xs: []i32, y: i32", "1 is given"]);
    folder.run(&["run", "p.fut", "[1]", "2", "3"]).fails(1, &["3 are given"]);
    folder.run(&["run", "p.fut", "-e", "none", "3"]).fails(1, &["no arguments"]);
    Folder::with("def f = 1").run(&["run", "p.fut"]).fails(1, &["`main`", "has none"]);
    let folder = Folder::with("entry main [n] (a: [n]i32) (b: [n]i32) = map2 (+) a b");
    folder.run(&["run", "p.fut", "[1, 2]", "[1, 2, 3]"]).fails(1, &["argument 2", "size 3"]);
}

#[test]
fn failing_runs_say_where() {
    let cases = [
        ("entry main (i: i64) = ([1, 2, 3] :> [3]i32)[i]", "3", "p.fut:1:", "Index [3] out of bounds"),
        ("entry main (x: i32) = 1 / x", "0", "p.fut:1:", "division by zero"),
        ("entry main (x: i32) = assert (x > 0) x", "0", "p.fut:1:", ""),
        ("entry main [n] (xs: [n]i32) = map (\\x -> 10 / x) xs", "[5, 0, 1]", "p.fut:1:", "division by zero"),
        ("entry main [n] (xs: [n]i32) = xs :> [3]i32", "[5, 0]", "p.fut:1:", ""),
        ("entry main (n: i64) = iota n", "-1", "p.fut:1:", ""),
        ("entry main (n: i32) = 2 ** n", "-1", "p.fut:1:", ""),
    ];
    for (program, argument, place, said) in cases {
        let folder = Folder::with(program);
        folder.run(&["run", "p.fut", argument]).fails(1, &["error: ", place, said]);
    }
}

#[test]
fn what_does_not_fit_in_memory_is_said_with_sizes() {
    let folder = Folder::with("entry main (n: i64) : f64 = f64.sum (scan (+) 0 (map f64.i64 (iota n)))");
    assert_eq!(folder.run(&["run", "p.fut", "--memory-limit", "64M", "1000"]).succeeds(), "166666500.0f64\n");
    let said =
        ["error: p.fut:1:", "no room for an array", "out of memory: 7.63 MiB asked", "a limit of 1 MiB"];
    folder.run(&["run", "p.fut", "--memory-limit", "1M", "1000000"]).fails(1, &said);
    let folder = Folder::with("entry main (n: i64) = replicate n 1f64");
    for size in ["9223372036854775807", "1152921504606846976", "4611686018427387904"] {
        folder.run(&["run", "p.fut", size]).fails(1, &["p.fut:1:", "out of memory"]);
    }
    let folder = Folder::with("entry main (n: i64) = replicate n (replicate n 1u8)");
    folder.run(&["run", "p.fut", "9223372036854775807"]).fails(1, &["p.fut:1:", "out of memory"]);
    let folder = Folder::with("entry main (n: i64) = map (\\i -> map (\\j -> i ^ j) (iota n)) (iota n)");
    for size in ["9223372036854775807", "4294967296", "3037000500"] {
        folder.run(&["run", "p.fut", size]).fails(1, &["p.fut:1:", "out of memory"]);
    }
}

#[test]
fn what_does_not_fit_is_named_with_what_is_held() {
    // Two arrays of 400,000 bytes are live at a time, and there is no room for the second.
    let program = "def back [n] (xs: [n]i64) = map (\\i -> xs[n - 1 - i] * 3) (iota n)
entry main (n: i64) =
  let first = map (\\i -> i * i) (iota n)
  let second = back first
  in i64.sum (map2 (*) second (back (back second))) + i64.sum first";
    let folder = Folder::with(program);
    let limit = ["run", "p.fut", "50000", "--memory-limit"];
    folder.run(&[&limit[..], &["64M"]].concat()).succeeds();
    let said = ["p.fut:", "391 KiB asked", "a limit of 586 KiB", "the largest in use: 391 KiB of p.fut:"];
    folder.run(&[&limit[..], &["600000"]].concat()).fails(1, &said);
    // Now the memory runs out in a kernel, in every task.
    let program = "entry main (n: i64) (m: i64) =
  map (\\i -> let xs = scan (+) 0 (map (^ i) (iota m)) in i64.sum (map (\\j -> xs[m - 1 - j]) xs)) (iota n)";
    let folder = Folder::with(program);
    let said = ["p.fut:2:", "out of memory", "a limit of 1 MiB"];
    folder.run(&["run", "p.fut", "100", "10000000", "--memory-limit", "1M"]).fails(1, &said);
}

#[test]
fn empty_arrays_are_values_like_others() {
    let program =
        "entry main (xs: []i32) = (i32.sum xs, i32.maximum xs, map (+ 1) xs, scan (+) 0 xs, filter (> 1) xs)
entry order (xs: [][]i32) = (transpose xs, flatten xs, map i32.sum xs, reverse xs)
entry into (xs: *[]i32) (is: []i64) = scatter xs is (map i32.i64 is)
entry count (xs: []i64) = hist (+) 0i32 4 xs (map (const 1i32) xs)";
    let folder = Folder::with(program);
    let lines = "0i32\n-2147483648i32\nempty([0]i32)\nempty([0]i32)\nempty([0]i32)\n";
    assert_eq!(folder.run(&["run", "p.fut", "empty([0]i32)"]).succeeds(), lines);
    let lines = "empty([3][0]i32)\nempty([0]i32)\nempty([0]i32)\nempty([0][3]i32)\n";
    assert_eq!(folder.run(&["run", "p.fut", "-e", "order", "empty([0][3]i32)"]).succeeds(), lines);
    let lines = "empty([0][3]i32)\nempty([0]i32)\n[0i32, 0i32, 0i32]\nempty([3][0]i32)\n";
    assert_eq!(folder.run(&["run", "p.fut", "-e", "order", "empty([3][0]i32)"]).succeeds(), lines);
    let run = |entry: &str, arguments: &[&str]| {
        folder.run(&[&["run", "p.fut", "-e", entry], arguments].concat()).succeeds()
    };
    assert_eq!(run("into", &["empty([0]i32)", "[0i64, 5i64]"]), "empty([0]i32)\n");
    assert_eq!(run("into", &["[7]", "empty([0]i64)"]), "[7i32]\n");
    assert_eq!(run("count", &["empty([0]i64)"]), "[0i32, 0i32, 0i32, 0i32]\n");
}
