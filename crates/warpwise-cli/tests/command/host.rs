//! Host programs: `run` and `check` on `.mc` files.

use crate::common::Folder;

fn folder(program: &str) -> Folder {
    let folder = Folder::new();
    folder.write("p.mc", program);
    folder
}

#[test]
fn runs_from_the_first_definition_to_the_last_expression() {
    let program = "include \"string.mc\"\nlet f = lam x. muli x x\nmexpr print (concat (int2string (f 7)) (get argv 1))";
    let ran = folder(program).run(&["run", "p.mc", "!"]);
    assert_eq!((ran.code, ran.output.as_slice(), ran.errors.as_str()), (Some(0), &b"49!"[..], ""));
}

#[test]
fn wrong_programs_are_located() {
    let folder = folder("mexpr addi 1 x");
    folder.run(&["run", "p.mc"]).fails(2, &["error[M0201]", "p.mc:1:14"]);
    folder.run(&["check", "p.mc"]).fails(2, &["error[M0201]", "p.mc:1:14"]);
}

#[test]
fn failing_runs_name_the_place_and_the_calls() {
    let folder = folder("let f = lam s. addi 1 (get s 3)\nmexpr addi 1 (f [])");
    folder
        .run(&["run", "p.mc"])
        .fails(1, &["p.mc:1:24: Index 3 out of bounds", "in f,", "in mexpr, at p.mc:2:15"]);
}

#[test]
fn programs_end_themselves() {
    let ran = folder("mexpr print \"a\"; exit 7").run(&["run", "p.mc"]);
    assert_eq!((ran.code, ran.output.as_slice()), (Some(7), &b"a"[..]));
}

#[test]
fn tests_run_if_asked_for() {
    let folder = folder("utest 1 with 1\nutest 1 with 2");
    assert_eq!(folder.run(&["run", "p.mc"]).code, Some(0));
    folder.run(&["run", "--test", "p.mc"]).fails(1, &["p.mc:2:1: a test failed", "1 of 2 tests passed"]);
}

#[test]
fn acceleration_is_checked_and_refused_unless_sequential() {
    let right = folder("mexpr print (float2string (int2float (head (accelerate (map (addi 1) [1])))))");
    right.run(&["run", "p.mc"]).fails(1, &["not supported yet", "--sequential", "p.mc:1:45"]);
    for option in ["--sequential", "--debug"] {
        let ran = right.run(&["run", option, "p.mc"]);
        assert_eq!((ran.code, ran.output.as_slice(), ran.errors.as_str()), (Some(0), &b"2."[..], ""));
    }
    let without_words = folder("mexpr accelerate (addi 1 2)");
    without_words.run(&["run", "--debug", "p.mc"]).fails(2, &["error[M0", "p.mc:1:"]);
    assert_eq!(without_words.run(&["run", "--sequential", "p.mc"]).code, Some(0));
}

#[test]
fn another_library_can_be_named() {
    let folder = folder("include \"words.mc\"\nmexpr print word");
    folder.run(&["run", "p.mc"]).fails(2, &["error[M0130]", "library:words.mc"]);
    folder.write("lib/words.mc", "let word = \"found\"");
    let ran = folder.run(&["run", "--library", "lib", "p.mc"]);
    assert_eq!((ran.code, ran.output.as_slice()), (Some(0), &b"found"[..]));
}
