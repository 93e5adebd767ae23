//! Intermediate stages as text.

use crate::common::Folder;

const MVM: &str = "entry main [n][m] (a: [n][m]f32) (x: [m]f32) : [n]f32 =
  map (\\row -> f32.sum (map2 (*) row x)) a";

#[test]
fn core_ir_prints_and_reads_back_at_every_stage() {
    let folder = Folder::with(MVM);
    for pass in ["inline", "simplify:1", "fuse", "segment", "schedule", "place"] {
        let text = folder.run(&["dev", "p.fut", "--after", pass]).succeeds();
        folder.write("p.ir", &text);
        assert_eq!(folder.run(&["dev", "p.ir"]).succeeds(), text, "after {pass}");
    }
    let fused = folder.run(&["dev", "p.fut", "--after", "fuse"]).succeeds();
    assert_eq!(fused.matches("screma").count(), 2, "{fused}");
    assert!(!fused.contains("segmap"), "{fused}");
    folder.write("p.ir", folder.run(&["dev", "p.fut"]).succeeds());
    let words = ["run", "p.ir", "[[1, 2], [3, 4]]", "[5, 6]"];
    assert_eq!(folder.run(&words).succeeds(), "[17.0f32, 39.0f32]\n");
}

/// Removes the numbers of names, which depend on the number of earlier variables.
fn without_numbers(text: &str) -> String {
    text.chars().filter(|c| !c.is_ascii_digit() && *c != '_').collect()
}

#[test]
fn any_list_of_passes_runs_on_text() {
    let folder = Folder::with(MVM);
    folder.write("p.ir", folder.run(&["dev", "p.fut"]).succeeds());
    let passes = "inline,simplify,fuse,simplify,fuse,simplify";
    let listed = folder.run(&["dev", "p.ir", "--passes", passes]).succeeds();
    let usual = folder.run(&["dev", "p.fut", "--after", "simplify:3"]).succeeds();
    assert_eq!(without_numbers(&listed), without_numbers(&usual));
    folder.run(&["dev", "p.ir", "--passes", "simplify,nonsense"]).fails(1, &["`nonsense`", "sink, fuse"]);
    folder.run(&["dev", "p.ir", "--passes", "place"]).fails(2, &["`place`", "level seg", "level soac"]);
    folder.run(&["dev", "p.fut", "--after", "fuse:99"]).fails(1, &["fuse:99"]);
}

#[test]
fn wrong_core_ir_is_the_users() {
    let folder = Folder::new();
    folder.write("p.ir", "fun f(x: i32) -> (y: i32) {\n  y: i32 = add x z;\n  return y\n}\n");
    folder.run(&["dev", "p.ir"]).fails(2, &["p.ir:2:"]);
    folder.write("p.ir", "fun f(x: i32) -> (y: i64) {\n  y: i32 = add x x;\n  return y\n}\n");
    folder.run(&["dev", "p.ir"]).fails(2, &["error["]);
    folder.run(&["run", "p.ir"]).fails(2, &["error["]);
}

#[test]
fn every_stage_below_has_a_text() {
    let folder = Folder::with(MVM);
    let emit = |stage: &str| folder.run(&["dev", "p.fut", "--emit", stage]).succeeds();
    assert!(emit("imp").contains("kernel"));
    assert!(emit("bytecode").contains("Launch"));
    assert!(emit("llvm").contains("define"));
    assert!(emit("asm").contains("ret"));
    let each = folder.run(&["dev", "p.fut", "--after-each"]).succeeds();
    assert!(each.contains("// after inline\n") && each.contains("// after place\n"), "{each}");
}

#[test]
fn imperative_ir_reads_back_and_means_the_same() {
    let folder = Folder::with(MVM);
    let emit = |file: &str, stage: &str| folder.run(&["dev", file, "--emit", stage]).succeeds();
    let text = emit("p.fut", "imp");
    folder.write("p.imp", &text);
    assert_eq!(emit("p.imp", "imp"), text);
    assert_eq!(emit("p.imp", "asm"), emit("p.fut", "asm"));
    folder.run(&["dev", "p.imp", "--after", "fuse"]).fails(1, &["passes work on the core IR"]);
    folder.write("p.imp", text.replacen(": i64", ": i63", 1));
    folder.run(&["dev", "p.imp", "--emit", "asm"]).fails(2, &["p.imp:", "expected a type, found `i63`"]);
    folder.write("p.imp", "kernel k(x.0: f32) lo.1 to hi.2 { y.3: f32 = add x.0 x.0; }");
    folder.run(&["dev", "p.imp"]).fails(2, &["kernel k"]);
}

#[test]
fn passes_are_timed() {
    let folder = Folder::with(MVM);
    let ran = folder.run(&["dev", "p.fut", "--after", "place", "--time-passes"]);
    for pass in ["inline", "simplify", "place", "all"] {
        assert!(ran.errors.lines().any(|line| line.starts_with(pass)), "{}", ran.errors);
    }
    ran.succeeds();
    let whole = folder.run(&["dev", "p.fut", "--time-passes"]);
    for step in ["front end", "schedule", "place", "lower", "bytecode", "llvm", "all"] {
        assert!(whole.errors.lines().any(|line| line.starts_with(step)), "{}", whole.errors);
    }
    assert_eq!(whole.succeeds(), "");
}

#[test]
fn passes_can_be_left_out() {
    let folder = Folder::with(MVM);
    let fused = folder.run(&["dev", "p.fut", "--after", "place"]).succeeds();
    let apart = folder.run(&["dev", "p.fut", "--after", "place", "--without", "fuse,contract"]).succeeds();
    assert!(fused.contains("fma") && !apart.contains("fma"), "{apart}");
    let refused = folder.run(&["dev", "p.fut", "--without", "place"]);
    assert!(refused.errors.contains("the passes that can be left out are sink, fuse"), "{}", refused.errors);
}

#[test]
fn the_values_of_irregular_nests_are_listed() {
    let folder = Folder::with("entry main (ns: []i64) = map (\\n -> i64.sum (iota n)) ns");
    let listed = folder.run(&["dev", "p.fut", "--emit", "representations"]).succeeds();
    assert!(listed.contains(": n: regular\n") && listed.contains(": a view, copied"), "{listed}");
    let folder = Folder::with(MVM);
    assert_eq!(folder.run(&["dev", "p.fut", "--emit", "representations"]).succeeds(), "no irregular nests\n");
}
