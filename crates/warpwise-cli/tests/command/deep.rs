//! Deeply nested programs, through every door.

use crate::common::Folder;

/// Nesting depth that every front end must accept.
const LEVELS: usize = 10_000;

/// Nesting depth of choices. It is smaller because their core IR is traversed more often.
const CHOICES: usize = 1_000;

/// Returns the result of a program with this text on this input.
fn result_of(file: &str, text: &str, input: &str) -> String {
    let folder = Folder::new();
    folder.write(file, text);
    folder.run_with(&["run", "--no-cache", file], input.as_bytes()).succeeds()
}

/// Returns `level(0)`, `level(1)`, ..., the middle, and an end for each level.
fn nested(levels: usize, level: impl Fn(usize) -> String, middle: &str, end: &str) -> String {
    (0..levels).map(level).collect::<String>() + middle + &end.repeat(levels)
}

#[test]
fn source_nests_deeply() {
    let choices = nested(CHOICES, |level| format!("if x == {level} then x * 2 else ("), "x + 1", ")");
    let program = format!("entry main (x: i64) : i64 = {choices}");
    assert_eq!(result_of("p.fut", &program, "999"), "1998i64\n");
    assert_eq!(result_of("p.fut", &program, "1000"), "1001i64\n");
    let sum = format!("entry main (x: i64) : i64 = {}x", "x + ".repeat(LEVELS));
    assert_eq!(result_of("p.fut", &sum, "3"), "30003i64\n");
    let braces = nested(LEVELS, |_| "(1 + ".to_string(), "x", ")");
    assert_eq!(result_of("p.fut", &format!("entry main (x: i64) : i64 = {braces}"), "3"), "10003i64\n");
}

#[test]
fn source_nests_deeply_in_lanes() {
    let choices = nested(CHOICES, |level| format!("if x == {level} then x * 2 else ("), "x + 1", ")");
    let program = format!("entry main (xs: []i64) : []i64 = map (\\x -> {choices}) xs");
    let found = result_of("p.fut", &program, "[0, 1, 500, 999, 1000, -1, 3, 4, 5, 6]");
    assert_eq!(found, "[0i64, 2i64, 1000i64, 1998i64, 1001i64, 0i64, 6i64, 8i64, 10i64, 12i64]\n");
}

#[test]
fn kernels_for_devices_that_are_too_deep_are_a_limit() {
    let choices = nested(1000, |level| format!("if x == {level} then x * 2 else ("), "x + 1", ")");
    let folder = Folder::with(&format!("entry main (xs: []i64) : []i64 = map (\\x -> {choices}) xs"));
    let dev = ["dev", "p.fut", "--device", "cuda", "--emit", "kernels"];
    folder.run(&dev).fails(1, &["blocks that nest 998 levels deep in a kernel for CUDA"]);
}

#[test]
fn core_ir_nests_deeply() {
    let level = |level| {
        format!(
            "c{level}: bool = eq x {level}; y{level}: i64 = if c{level} {{ m{level}: i64 = mul x 2; return m{level} }} else {{ "
        )
    };
    let ends: String = (0..CHOICES).rev().map(|level| format!(" }}; return y{level}")).collect();
    let levels: String = (0..CHOICES).map(level).collect();
    let head = "entry main(x: i64) -> (y: i64) as \"main\" sizes 0 (x: i64) -> sizes 0 (i64) {";
    let program = format!("{head} {levels} return x{ends} }}");
    assert_eq!(result_of("p.ir", &program, "999"), "1998i64\n");
    assert_eq!(result_of("p.ir", &program, "77777"), "77777i64\n");
}

#[test]
fn host_programs_nest_deeply() {
    let choices = nested(LEVELS, |level| format!("if eqi x {level} then muli x 2 else ("), "x", ")");
    let program =
        format!("include \"string.mc\"\nlet f = lam x. {choices}\nmexpr print (int2string (f 9999))");
    assert_eq!(result_of("p.mc", &program, ""), "19998");
    let calls = nested(LEVELS, |_| "addi 1 (".to_string(), "1", ")");
    let program = format!("mexpr\nprint (if eqi ({calls}) 10001 then \"right\" else \"wrong\")");
    assert_eq!(result_of("p.mc", &program, ""), "right");
}

#[test]
fn deeper_programs_are_errors() {
    let folder = Folder::new();
    let deep = 200_000;
    folder.write("p.fut", format!("entry main (x: i64) : i64 = {}", nested(deep, |_| "(".into(), "x", ")")));
    folder.run(&["check", "p.fut"]).fails(2, &["E0111", "this is nested too deeply"]);
    folder.write("p.mc", format!("mexpr {}", nested(deep, |_| "(".into(), "1", ")")));
    folder.run(&["check", "p.mc"]).fails(2, &["M0111", "this is nested too deeply"]);
    folder.write("p.ir", format!("fun f() -> () {{ {}", "() = if true { ".repeat(deep)));
    folder.run(&["run", "p.ir"]).fails(2, &["more than 12000 levels of nesting"]);
}
