//! Runs of test blocks: every status, and the summary.

use crate::common::Folder;

/// Programs, with the expected status and a part of the message.
const PROGRAMS: &[(&str, &str, &str, &str)] = &[
    ("value", "passed", "", "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x + 1"),
    (
        "several",
        "passed",
        "",
        "-- ==\n-- entry: f g\n-- input { 2i64 } output { 4i64 2.0 }\n-- random input { i64 }
entry f (x: i64) = (x * x, f64.i64 x)\nentry g (x: i64) = (x + x, f64.i64 x)",
    ),
    ("no-block", "passed", "", "entry main (x: i32) = x"),
    ("rejected", "passed", "", "-- ==\n-- error: unknown.*name|not.*known|nknown\nentry main = nowhere"),
    (
        "hole",
        "passed",
        "",
        "-- ==\n-- input { 1 } error: hole of type.*i32\n-- input { 0 } output { 0 }\n-- warning: hole of type `i32`
entry main (x: i32) : i32 = if x > 0 then ??? else x",
    ),
    ("rejected-quotes", "passed", "", "-- ==\n-- error: Name \"nowhere\"\nentry main = nowhere"),
    (
        "rejected-otherwise",
        "failed",
        "is not in the compiler's",
        "-- ==\n-- error: quux\nentry main = nowhere",
    ),
    (
        "fails",
        "passed",
        "",
        "-- ==\n-- input { 5i64 } error: Index .5. out of bounds.*shape
entry main (i: i64) = (iota 3)[i]",
    ),
    (
        "file",
        "passed",
        "",
        "-- ==\n-- input @ data/in.gz output @ data/out.txt\nentry main (xs: []i32) = map (+ 1) xs",
    ),
    (
        "nan",
        "passed",
        "",
        "-- ==\n-- input { [f32.nan, 1f32] } output { [f32.nan, 1.0005f32] }\nentry main (x: []f32) = x",
    ),
    ("import", "passed", "", "-- ==\n-- input { 1 } output { 2 }\nimport \"lib/next\"\nentry main = next"),
    (
        "warned",
        "passed",
        "",
        "-- ==\n-- tags { nobench }\n-- input { 1 } output { 1 }\nentry main (x: i32) = x",
    ),
    (
        "auto",
        "passed",
        "",
        "-- ==\n-- random input { [100]f32 } auto output\n-- input { empty([0]f32) } auto output
entry main [n] (xs: *[n]f32) = (map (* 2) xs, f32.sum xs)",
    ),
    (
        "differs",
        "failed",
        "3i32 expected, got 2i32",
        "-- ==\n-- input { 1 } output { 3 }\nentry main (x: i32) = x + 1",
    ),
    ("type", "failed", "i32", "-- ==\n-- input { 1 }\nentry main (x: i64) = x + 1"),
    ("shape", "failed", "[2]i32", "-- ==\n-- input { 1 } output { [1, 2] }\nentry main (x: i32) = [x]"),
    ("wrong", "failed", "p/wrong.fut:1:", "entry main = nowhere"),
    ("compiles", "failed", "must not compile", "-- ==\n-- error: type\nentry main = 1i32"),
    ("succeeds", "failed", "must fail", "-- ==\n-- input { 1 } error: bounds\nentry main (x: i32) = x"),
    ("other-error", "failed", "bounds", "-- ==\n-- input { 0 } error: bounds\nentry main (x: i32) = 1 / x"),
    ("no-entry", "failed", "`f`", "-- ==\n-- entry: f\n-- input { 0 }\nentry main (x: i32) = 1 / x"),
    ("no-warning", "failed", "odd", "-- ==\n-- input { 0 }\n-- warning: odd\nentry main (x: i32) = x"),
    ("bad-block", "failed", "bad-block.fut:2:", "-- ==\n-- input { 0\nentry main (x: i32) = x"),
    ("bad-value", "failed", "bad-value.fut:2:12", "-- ==\n-- input { x }\nentry main (x: i32) = x"),
    (
        "bad-regex",
        "failed",
        "regular expression",
        "-- ==\n-- input { 0 } error: (\nentry main (x: i32) = 1 / x",
    ),
    (
        "absurd",
        "failed",
        "memory",
        "-- ==\n-- random input { [9223372036854775807]f64 }\nentry main (x: []f64) = x",
    ),
    ("bad-script", "failed", "entry point", "-- ==\n-- script input { f 1 }\nentry main (x: i32) = x"),
    ("cut-script", "failed", "`in` is expected", "-- ==\n-- script input { let x = 1 }\nentry main (x: i32) = x"),
    (
        "index-in-script",
        "failed",
        "Index [1, 2] out of bounds for [2][2]i32",
        "-- ==\n-- script input { let rows = [[1, 2], [3, 4]] in rows[1, 2] }\nentry main (x: i32) = x",
    ),
    (
        "field-in-script",
        "failed",
        "no field `y` among [\"0\", \"1\"]",
        "-- ==\n-- script input { let p = (1, 2) in p.y }\nentry main (x: i32) = x",
    ),
    ("unknown-script", "unsupported", "$loadimg", "-- ==\n-- script input { $loadimg \"x\" }\nentry main (x: i32) = x"),
    (
        "script",
        "passed",
        "",
        "-- ==\n-- entry: total
-- script input { make 3 } output { 6i64 }
-- script input { let n = 2i64 in (n, [1i64, 2i64]) } output { 5i64 }
-- script input { let (a, b) = make 4 in (a, b) } output { 10i64 }
-- script input { {xs = [5i64], n = 1i64} } output { 6i64 }
-- script input { (1i64, $loaddata \"data/longs\") } output { 8i64 }
-- script input @ data/script output { 6i64 }
-- script input { let n = 2i64 let (m, xs,) = make 4 in (n, xs,) } output { 8i64 }
-- script input { {n = 1i64, xs = empty([0]i64),} } output { 1i64 }
-- script input { let (n, xs) = make 4 let rows = [[4i64, 7i64], [3, 5i64,],] in (xs[2], rows[1,]) } output { 10i64 }
-- script input { let rows = [[1i64, 2]] in (rows[0, 1], rows[0]) } output { 5i64 }
-- script input { let p = {b = (7i64, [1i64]), a = 3} in (p.b.0, p.b.1) } output { 8i64 }
-- script input { let r = nest 3 in (r.inner.n, r.inner.xs) } output { 6i64 }
-- script input { ((make 4).0, (nest 2).inner.xs) } output { 5i64 }
-- script input { let (n, r) = (1i64, nest 5) in (n, r.inner.xs) } output { 11i64 }

-- ==
-- entry: bytes
-- script input { \"ab\" } output { 195u8 }
-- script input { \"]\\\"\\1\" } output { 128u8 }
-- script input { let texts = [\"a]\", \"bc\"] in texts[1] } output { 197u8 }
-- script input { $loadbytes \"data/longs\" } output { 17u8 }
-- script input { (some ()) } output { 7u8 }
entry make (n: i64) = (n, iota n)
entry nest (n: i64) = {inner = {n, xs = iota n}, tag = true}
entry total ((n, xs): (i64, []i64)) = n + i64.sum xs
entry some = [3u8, 4u8]
entry bytes (xs: []u8) = u8.sum xs",
    ),
    (
        "property",
        "passed",
        "",
        "-- ==\n-- property: twice pairs halves
#[prop] entry twice (xs: []i32) = and (map2 (==) (reverse (reverse xs)) xs)
#[prop(size(3))] entry pairs (p: {a: []i8, b: [][]f32}) = length p.a == length p.b && length p.a <= 3
entry some (size: i64) (seed: u64) : *[]u64 = replicate (size * 2) seed
#[prop(gen(some), size(4))] entry halves (xs: *[]u64) = length xs == 8",
    ),
    (
        "property-smaller",
        "failed",
        "counterexample: [1i64, 1i64, 1i64, 1i64]",
        "-- ==\n-- property: short
entry some (size: i64) (_: u64) = replicate size 1i64
#[prop(gen(some))] entry short (xs: []i64) = length xs < 4",
    ),
    (
        "property-shrunk",
        "failed",
        "counterexample: {x = 7i64, y = true}",
        "-- ==\n-- property: small
entry some (size: i64) (seed: u64) = {x = size + i64.u64 (seed % 9), y = true}
entry less (v: {x: i64, y: bool}) (_: u64) = {x = v.x - 1, y = v.y}
#[prop(gen(some), shrink(less))] entry small (v: {x: i64, y: bool}) = v.x < 7",
    ),
    (
        "property-fails",
        "failed",
        "division by zero\nfor the value: 0i32",
        "-- ==\n-- property: p\nentry zero (_: i64) (_: u64) = 0i32\n#[prop(gen(zero))] entry p (x: i32) = 1 / x == 1",
    ),
    ("property-none", "failed", "no attribute `prop`", "-- ==\n-- property: p\nentry p (x: i32) = x == x"),
    ("property-odd", "failed", "not this `gne`", "-- ==\n-- property: p\n#[prop(gne(f))] entry p (x: i32) = x == x"),
    (
        "property-type",
        "failed",
        "must be of type i64 -> u64 -> value",
        "-- ==\n-- property: p\nentry f (n: i64) (_: u64) = n\n#[prop(gen(f))] entry p (x: i32) = x == x",
    ),
    ("property-sum", "failed", "need a generator", "-- ==\n-- property: p\n#[prop] entry p (x: #a | #b i32) = x == x"),
    ("disabled", "unsupported", "tags", "-- ==\n-- tags { disable }\nentry main = nowhere"),
    (
        "hangs",
        "timeout",
        "",
        "-- ==\n-- input { 1 }
entry main (x: i32) = loop x while x != 0 do i32.sum (map (\\i -> i32.i64 i %% 2 + x) (iota 1001)) | 1",
    ),
];

fn folder() -> Folder {
    use std::io::Write;
    let folder = Folder::new();
    for (name, _, _, program) in PROGRAMS {
        folder.write(&format!("p/{name}.fut"), program);
    }
    folder.write("p/lib/next.fut", "def next (x: i32) = x + 1");
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(b"[1, 2]").unwrap();
    folder.write("p/data/in.gz", encoder.finish().unwrap());
    folder.write("p/data/out.txt", "[2i32, 3i32]");
    folder.write("p/data/longs", "[3i64, 4i64]");
    folder.write("p/data/script", "make 3");
    folder
}

#[test]
fn every_program_gets_its_status() {
    let folder = folder();
    let ran = folder.run(&["test", "p", "--json", "out.json", "--timeout", "10"]);
    let text = String::from_utf8(ran.output).unwrap();
    let count = |wanted: &str| PROGRAMS.iter().filter(|(_, status, ..)| *status == wanted).count();
    let (passed, skipped) = (count("passed") + 1, count("unsupported"));
    let failed = PROGRAMS.len() + 1 - passed - skipped;
    let json = std::fs::read_to_string(folder.path("out.json")).unwrap();
    let outcomes: Vec<serde_json::Map<_, _>> = serde_json::from_str(&json).unwrap();
    for (name, status, said, _) in PROGRAMS {
        let path = format!("p/{name}.fut");
        let outcome = outcomes.iter().find(|outcome| outcome["program"] == path.as_str()).unwrap();
        assert_eq!(outcome["status"], *status, "{name}: {}", outcome["message"]);
        assert!(outcome["message"].as_str().unwrap().contains(said), "{name}: {}", outcome["message"]);
        assert_eq!(outcome.len(), 6);
    }
    assert_eq!(outcomes.len(), PROGRAMS.len() + 1);
    let summary = format!("{passed} passed, {failed} failed, {skipped} skipped (cases: ");
    assert!(text.lines().last().unwrap().starts_with(&summary), "{text}");
    assert_eq!(ran.code, Some(1));
}

#[test]
fn errors_may_be_compared_by_kind() {
    let folder = folder();
    let by_kind = |name: &str| folder.run(&["test", "--errors", "kind", &format!("p/{name}.fut")]).code;
    assert_eq!(by_kind("rejected-otherwise"), Some(0));
    assert_eq!(by_kind("compiles"), Some(1));
    folder.write("p/limit.fut", "-- ==\n-- error: x\nentry main (x: f64) = jvp f64.sin x 1");
    let ran = folder.run(&["test", "--errors", "kind", "p/limit.fut"]);
    assert!(String::from_utf8(ran.output).unwrap().contains("1 skipped"));
}

#[test]
fn when_all_is_well_only_the_summary_is_printed() {
    let folder = folder();
    let text = folder.run(&["test", "p/value.fut", "p/several.fut", "p/lib"]).succeeds();
    let lib = "; 1 program has no tests, and was only compiled";
    assert_eq!(text, format!("3 passed, 0 failed, 0 skipped (cases: 5 passed, 0 failed, 0 skipped){lib}\n"));
    assert_eq!(
        folder.run(&["test", "p/disabled.fut"]).succeeds().lines().last(),
        Some("0 passed, 0 failed, 1 skipped")
    );
    assert_eq!(folder.run(&["test", "p/data"]).succeeds(), "0 passed, 0 failed, 0 skipped\n");
    let json = folder.run(&["test", "p/value.fut", "--json", "-"]).succeeds();
    let outcomes: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(outcomes[0]["status"], "passed");
    let case = serde_json::json!({"entry": "main", "case": "1", "line": outcomes[0]["cases"][0]["line"], "status": "passed", "message": ""});
    assert_eq!(outcomes[0]["cases"], serde_json::json!([case]));
}

#[test]
fn every_failing_case_is_reported_and_what_has_no_tests_is_said() {
    let folder = Folder::with(
        "-- ==\n-- input { 1 } output { 3 }\n-- input { 2 } output { 3 }\n-- \"far\" input { 3 } output { 5 }
entry main (x: i32) = x + 1",
    );
    let text = String::from_utf8(folder.run(&["test", "p.fut"]).output).unwrap();
    assert!(text.contains("line 2: main: 1: ") && text.contains("line 4: main: far: "), "{text}");
    assert!(
        text.ends_with("0 passed, 1 failed, 0 skipped (cases: 1 passed, 2 failed, 0 skipped)\n"),
        "{text}"
    );
    let text = String::from_utf8(folder.run(&["test", "-v", "p.fut"]).output).unwrap();
    assert!(text.contains("\n  FAILED: main: 1\n  passed: main: 2\n  FAILED: main: far\n"), "{text}");
    let folder = Folder::with("entry main (x: i32) = x");
    let text = folder.run(&["test", "p.fut"]).succeeds();
    assert_eq!(text, "1 passed, 0 failed, 0 skipped; it has no tests, and was only compiled\n");
}

#[test]
fn figures_are_by_folder() {
    let folder = Folder::new();
    folder.write("a/right.fut", "-- ==\n-- input { 1 } output { 1 }\nentry main (x: i32) = x");
    folder.write("a/wrong.fut", "-- ==\n-- input { 1 } output { 2 }\nentry main (x: i32) = x");
    folder.write("b/said.fut", "-- ==\n-- error: nowhere\nentry main = nowhere");
    folder.write("b/located.fut", "-- ==\n-- error: somewhere\nentry main = nowhere");
    let ran = folder.run(&["test", "--errors", "kind", "a", "b"]);
    let text = String::from_utf8(ran.output).unwrap();
    let table = "folder  run  compile  reject  said\n\
                 a       1/2        -       -     -\n\
                 b         -        -     2/2     1\n\
                 all     1/2        -     2/2     1\n\
                 3 passed, 1 failed, 0 skipped (cases: 1 passed, 1 failed, 0 skipped)\n";
    assert!(text.ends_with(table), "{text}");
    let text = folder.run(&["test", "--by-folder", "b/said.fut"]).succeeds();
    assert!(text.starts_with("folder"), "{text}");
}

#[test]
fn tests_keep_nothing_unless_told() {
    let folder = folder();
    folder.run(&["test", "p/value.fut"]).succeeds();
    assert!(!folder.path("cache").exists());
    folder.run(&["test", "p/value.fut", "--cache", "kept"]).succeeds();
    assert!(folder.path("kept").is_dir());
    folder.run(&["test", "p/value.fut", "--cache", "kept"]).succeeds();
}

#[test]
fn the_tests_of_host_programs_are_cases() {
    let folder = Folder::new();
    let right = "let f = lam s. accelerate (map (addi 1) s)\nutest f [1] with [2]\nmexpr
print (readLine ()); command \"echo noise\";
recursive let check = lam n. utest muli n 2 with addi n n in if eqi n 0 then () else check (subi n 1) in
check 5";
    folder.write("h/right.mc", right);
    folder.write("h/deep/wrong.mc", "utest 1 with 1\nutest 2 with 3\nutest head [4] with 5\nmexpr exit 7");
    folder.write("h/fails.mc", "utest 1 with 1\nutest head [] with 1");
    folder.write("h/rejected.mc", "utest one with 1");
    folder.write("h/untested.mc", "recursive let f = lam x. f x end\nmexpr f (readLine ())");
    folder.write("h/array.fut", "-- ==\n-- input { 1 } output { 1 }\nentry main (x: i32) = x");
    let text = folder.run(&["test", "h/right.mc"]).succeeds();
    assert_eq!(text, "1 passed, 0 failed, 0 skipped (cases: 2 passed, 0 failed, 0 skipped)\n");
    let ran = folder.run(&["test", "-v", "h"]);
    let text = String::from_utf8(ran.output).unwrap();
    let wrong = "FAILED: h/deep/wrong.mc: line 2: utest: h/deep/wrong.mc:2:1: found    2\n  expected 3\n  \
                 line 3: utest: h/deep/wrong.mc:3:1: found    4\n  expected 5\n  the program ended with exit code 7\n  \
                 passed: utest: h/deep/wrong.mc:1:1\n  FAILED: utest: h/deep/wrong.mc:2:1\n";
    assert!(text.contains(wrong), "{text}");
    assert!(text.contains("FAILED: h/fails.mc: h/fails.mc:2:7: the empty sequence has no head"), "{text}");
    assert!(text.contains("FAILED: h/rejected.mc: error[M0201]"), "{text}");
    let summary = "3 passed, 3 failed, 0 skipped (cases: 5 passed, 2 failed, 0 skipped); \
                   1 program has no tests, and was only compiled\n";
    assert!(text.ends_with(summary), "{text}");
    assert_eq!(ran.code, Some(1));
    let table = String::from_utf8(folder.run(&["test", "--by-folder", "h"]).output).unwrap();
    assert!(
        table.contains("\nh       2/3      1/2       -     -\nh/deep  0/1        -       -     -\n"),
        "{table}"
    );
}
