//! Hostile programs: each ends in an answer, in time that (except for types that double) does not grow faster than the text.

use std::time::{Duration, Instant};

use warpwise_fuzz::compile::{Ending, Files, Machines, compile, compile_files};

/// Time limit: each program takes less even on a slow machine, while a quadratic step on a megabyte takes hours.
const LONG: Duration = Duration::from_secs(60);

#[track_caller]
fn rejected(text: &str) -> String {
    let start = Instant::now();
    let ending = compile(text);
    assert!(start.elapsed() < LONG, "{:?} for {:.60}", start.elapsed(), text);
    match ending {
        Ok(Ending::Rejected(diagnostics)) => diagnostics[0].code.to_string(),
        other => panic!("{other:?} for {text:.60}"),
    }
}

#[track_caller]
fn answered(text: &str) {
    let start = Instant::now();
    let ending = compile(text);
    assert!(start.elapsed() < LONG, "{:?} for {:.60}", start.elapsed(), text);
    assert!(ending.is_ok(), "{:?} for {text:.60}", ending);
}

#[test]
fn names_of_a_megabyte() {
    let name = "x".repeat(1 << 20);
    rejected(&format!("def f = {name}"));
    rejected(&format!("def f = a.{name}.b"));
    rejected(&format!("def f (a: {name}) = a"));
    rejected(&format!("module m = {name}"));
    rejected(&format!("def f = 1i32\ndef g: {{{name}: i32}} = f"));
    rejected(&format!("import \"{name}\""));
    rejected(&format!("entry {name} (x: i32) : bool = x"));
    rejected(&format!("def f = #{name} + 1"));
    rejected(&format!("def f = 1 {}", "+".repeat(1 << 20)));
    answered(&format!("entry {name} (x: i32) = x"));
    answered(&format!("entry main ({name}: i32) = {name}"));
    answered(&format!("entry main (r: {{{name}: i32}}) = r.{name}"));
    answered(&format!("def f = \"{name}\""));
    answered(&format!("#[{name}] def f = 1i32"));
}

#[test]
fn numbers_of_a_megabyte() {
    let digits = "9".repeat(1 << 20);
    rejected(&format!("def f = {digits}"));
    answered(&format!("def f = {digits}i8"));
    answered(&format!("def f = {digits}.0f64"));
    answered(&format!("def f = 0.{digits}f64"));
    answered(&format!("def f = 1e{digits}f64"));
    rejected(&format!("def f = 0x{}", "f".repeat(1 << 20)));
    rejected(&format!("def f (x: i32, y: i32) = x.{digits}"));
}

#[test]
fn nesting_of_a_hundred_thousand_levels() {
    for (before, open, middle, close) in [
        ("def f = ", "(", "1", ")"),
        ("def f = ", "[", "1", "]"),
        ("def f = ", "if true then ", "1", " else 1"),
        ("def f = ", "\\x -> ", "x", ""),
        ("def f = ", "let x = ", "1", " in x"),
        ("def f = ", "f (", "1", ")"),
        ("def f x = ", "match x case y -> ", "1", ""),
        ("def f = ", "#a (", "1", ")"),
        ("def f: ", "[]", "i32", " = f"),
        ("type t = ", "(", "i32", ")"),
        ("type t = ", "i32 -> ", "i32", ""),
        ("type t = ", "#a (", "i32", ")"),
        ("", "module m = {", "", "}"),
        ("module type t = ", "{ module m: ", "{}", "}"),
        ("def f = 1", " + 1", "", ""),
        ("def f = x", "[0]", "", ""),
        ("def f = x with [0] = 1", " with [0] = 1", "", ""),
        ("def f = ", "1 ** ", "1", ""),
    ] {
        rejected(&format!("{before}{}{middle}{}", open.repeat(100_000), close.repeat(100_000)));
    }
}

/// A chain in which every value is computed from the one before twice has twice as many ways to its start at every step. Compiling takes
/// no more steps than there are values, also where the values are sizes, indices and bounds of slices.
#[test]
fn chains_of_values_that_are_used_twice() {
    let chain = |start: &str, step: &dyn Fn(usize) -> String, end: &str| {
        let lets: String = (0..60).map(|i| format!("let a{} = {}\n", i + 1, step(i))).collect();
        answered(&format!("entry main (xs: *[]f32) (n: i64) (m: i64) =\nlet a0 = {start}\n{lets}in {end}"));
    };
    let steps: [&dyn Fn(usize) -> String; 4] = [
        &|i| format!("a{i} + a{i}"),
        &|i| format!("a{i} * a{i}"),
        &|i| format!("(a{i} + m) * (a{i} - m)"),
        &|i| format!("a{} - a{i} * 3", i / 2),
    ];
    for step in steps {
        for end in [
            "map (+ a60) (iota a59)",
            "xs[a59:a60]",
            "loop xs for i < 3 do xs with [a59:a59 + 10] = map (* 2) xs[a60:a60 + 10]",
            "map f32.sum (unflatten (xs :> [a59 * a60]f32))",
            "flatten (tabulate_2d a59 a60 (\\i j -> xs[i] * xs[j]))",
            "reduce_by_index (replicate a59 0) (+) 0 (map (\\x -> i64.f32 x + a60) xs) xs",
            "f32.sum (map (\\i -> xs[i + a60] * xs[a59 - i]) (iota 10))",
        ] {
            chain("n", step, end);
        }
    }
    chain("xs", &|i| format!("a{i} ++ a{i}"), "length a60");
    chain("iota n", &|i| format!("replicate (length a{i} + length a{i}) a{i}[0]"), "a60");
}

/// A name is spelled out in all sizes of a large type, since none of them grows.
#[test]
fn one_size_in_hundreds_of_arrays() {
    let (types, values) = (vec!["[n - 1]i64"; 300].join(", "), vec!["iota m"; 300].join(", "));
    answered(&format!(
        "def f (n: i64) : ({types}) =\nlet m = n - 1 in ({values})\nentry main (n: i64) = (f n).7"
    ));
}

/// The whole compiler copes with the greatest depth that the parser allows.
#[test]
fn nesting_as_deep_as_allowed() {
    for depth in [50, 100, 200, 250] {
        for (before, open, middle, close) in [
            ("entry main (x: i32) = ", "(", "x", ")"),
            ("entry main (x: i32) = ", "if x > 0 then ", "x", " else 1"),
            ("entry main (x: i32) = ", "let y = ", "x", " in y"),
            ("entry main (x: i32) = ", "loop x = ", "x", " for i < x do x + i"),
            ("entry main (x: i32) = ", "loop x for i < x do ", "x", ""),
            ("entry main (x: i32) = ", "(x, ", "x", ")"),
            ("entry main (x: i32) = ", "[", "x", "]"),
            ("entry main (n: i64) = ", "map (\\i -> i32.i64 i + i32.sum (", "[1i32]", ")) (iota n)"),
            ("entry main (n: i64) = ", "map (\\i -> ", "i", ") (iota n)"),
            ("entry main (x: i32) = ", "(\\x -> ", "x", ") x"),
            ("entry main (x: ", "(i32, ", "i32", ")) = x"),
            ("entry main (x: ", "[]", "i32", ") = x"),
            ("entry main (x: i32) = ", "- ", "x", ""),
            ("entry main (x: i32) = ", "assert (x > 0) (", "x", ")"),
            ("", "module m = { ", "def x = 1i32", " }"),
        ] {
            answered(&format!("{before}{}{middle}{}", open.repeat(depth), close.repeat(depth)));
        }
    }
    for terms in [100, 900] {
        answered(&format!("entry main (x: i32) = x{}", " + x".repeat(terms)));
        answered(&format!("entry main (x: bool) = x{}", " && x".repeat(terms)));
        answered(&format!("entry main (xs: *[]i32) = xs{}", " with [0] = 1".repeat(terms)));
    }
}

/// Functions and modules that double with every step are no larger than their text.
#[test]
fn definitions_that_double() {
    let functions: String = (0..60).map(|i| format!("def f{} x = f{i} (f{i} x)\n", i + 1)).collect();
    answered(&format!("def f0 (x: i32) = x + 1\n{functions}"));
    answered(&format!("def f0 (x: i32) = x + 1\n{functions}entry main = f60"));
    let modules: String =
        (0..60).map(|i| format!("module m{} = {{ module a = m{i} module b = m{i} }}\n", i + 1)).collect();
    answered(&format!("module m0 = {{ def x = 1i32 }}\n{modules}"));
}

/// Module types and parametric modules that double are expanded up to a bound.
#[test]
fn module_types_and_parametric_modules_that_double() {
    let types: String =
        (0..60).map(|i| format!("module type t{} = {{ module a: t{i} module b: t{i} }}\n", i + 1)).collect();
    answered(&format!("module type t0 = {{ val x : i32 }}\n{types}"));
    let applied: String = (0..60)
        .map(|i| format!("module f{} (p: {{}}) = {{ module a = f{i} p module b = f{i} p }}\n", i + 1))
        .collect();
    answered(&format!("module f0 (p: {{}}) = {{ def x = 1i32 }}\n{applied}"));
}

/// Types that double with every step are refused when they become too large, whatever the cause of the doubling.
#[test]
fn types_that_double() {
    let pairs =
        |steps: usize| -> String { (0..steps).map(|i| format!("let x{} = (x{i}, x{i})\n", i + 1)).collect() };
    for steps in [12, 60, 2000] {
        answered(&format!("entry main (x0: i32) = {} in x0", pairs(steps)));
        answered(&format!("entry main (x0: []i32) = {} in x0", pairs(steps)));
        answered(&format!("def f x0 = {} in x{steps}", pairs(steps)));
        let types: String = (0..steps).map(|i| format!("type t{} = (t{i}, t{i})\n", i + 1)).collect();
        answered(&format!("type t0 = i32\n{types}def f (x: t{steps}) = x"));
        let functions: String = (0..steps).map(|i| format!("def f{} x = f{i} (x, x)\n", i + 1)).collect();
        answered(&format!("def f0 x = x\n{functions}def g = f{steps} 1i32"));
        let sealed: String = (0..steps)
            .map(|i| format!("module m{}: {{ type t }} = {{ type t = (m{i}.t, m{i}.t) }}\n", i + 1))
            .collect();
        answered(&format!("module m0 = {{ type t = i32 }}\n{sealed}entry main (x: m{steps}.t) = x"));
    }
    for depth in [12, 60, 200] {
        let nested = format!("{}i32{}", "p (".repeat(depth), ")".repeat(depth));
        answered(&format!("type p 'a = (a, a)\ndef f (x: {nested}) = x"));
        let late = format!("{}x{}", "(\\x -> (x, x)) (".repeat(depth), ")".repeat(depth));
        answered(&format!("entry main (x: i32) = let y = {late} in x"));
    }
}

/// Types that are deep instead of wide.
#[test]
fn types_that_deepen() {
    for steps in [100, 900, 20_000] {
        let pairs: String = (0..steps).map(|i| format!("let x{} = (x{i}, 1i32)\n", i + 1)).collect();
        answered(&format!("entry main (x0: i32) = {pairs} in x0"));
        let types: String = (0..steps).map(|i| format!("type t{} = (t{i}, i32)\n", i + 1)).collect();
        answered(&format!("type t0 = i32\n{types}def f (x: t{steps}) = x"));
    }
}

#[test]
fn imports_in_circles_and_to_nowhere() {
    let text = |text: &str| text.to_string();
    let files = Files(vec![
        (text("a"), text("import \"b\"\ndef a = 1i32")),
        (text("b"), text("import \"c\"")),
        (text("c"), text("import \"a\"")),
        (text("self"), text("import \"self\"")),
        (text("lost"), text("import \"nowhere\"")),
    ]);
    for (import, code) in
        [("a", "E0131"), ("self", "E0131"), ("lost", "E0130"), ("nowhere", "E0130"), ("", "E0130")]
    {
        match compile_files(&format!("import \"{import}\""), &files, Machines::All) {
            Ok(Ending::Rejected(diagnostics)) => assert_eq!(diagnostics[0].code, code, "{import}"),
            other => panic!("{import}: {other:?}"),
        }
    }
    let chain: Vec<(String, String)> =
        (0..1000).map(|i| (format!("n{i}"), format!("import \"n{}\"", i + 1))).collect();
    assert!(compile_files("import \"n0\"", &Files(chain), Machines::All).is_ok());
}

#[test]
fn texts_that_are_no_programs() {
    rejected("\u{0}");
    rejected("def f = \"");
    rejected("def f = '");
    rejected(&"\u{1F600}".repeat(1 << 18));
    rejected(&")".repeat(1 << 20));
    rejected(&"def ".repeat(1 << 18));
    rejected(&"def f = ".repeat(1 << 17));
    rejected(&"f = 1\n".repeat(1 << 17));
    rejected(&"#[".repeat(1 << 19));
    answered(&"\n".repeat(1 << 20));
    answered(&"-- x\n".repeat(1 << 18));
    answered(&"-- ==\n".repeat(1 << 18));
}

#[test]
fn a_hundred_megabytes() {
    answered(&"-- nothing but words, line after line of them\n".repeat((100 << 20) / 46));
    rejected(&"x ".repeat(50 << 20));
}
