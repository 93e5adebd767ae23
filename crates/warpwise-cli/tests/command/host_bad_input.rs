//! Bad input of host programs: each is an error at its place, in every mode that meets it, and nothing crashes.

use crate::common::Folder;

fn folder(program: &str) -> Folder {
    let folder = Folder::new();
    folder.write("p.mc", program);
    folder
}

/// Runs a program with little memory, natively and by the machine alone. Both must run out of memory, with these fragments in their
/// messages.
#[track_caller]
fn runs_out_of_memory(program: &str, fragments: &[&str]) {
    let folder = folder(program);
    let all = [&["out of memory"], fragments].concat();
    for mode in ["--sequential", "--debug"] {
        folder.run(&["run", "p.mc", "--memory-limit=150M", mode]).fails(1, &all);
    }
}

#[test]
fn one_value_too_large_for_memory() {
    let create = "let f = lam n. create n (lam i. i)\nmexpr dprint (length (f 100000000000))";
    runs_out_of_memory(
        create,
        &["p.mc:1:16: ", "no room for 100000000000 elements", "of 150 MiB that may be"],
    );
    let tensor = "mexpr let t = tensorCreateCArrayFloat [100000, 100000] (lam. 0.) in dprint (tensorRank t)";
    runs_out_of_memory(tensor, &["p.mc:1:15: ", "no room for a tensor of shape [100000, 100000]"]);
    let blank = tensor.replace("CArrayFloat", "UninitInt").replace(" (lam. 0.)", "");
    runs_out_of_memory(&blank, &["p.mc:1:15: ", "no room for a tensor of shape [100000, 100000]"]);
    let joined = "recursive let f = lam s. lam n. if eqi n 0 then s else f (concat s s) (subi n 1) end
mexpr let s = f [1, 2] 40 in
dprint (length (map (addi 1) s))";
    runs_out_of_memory(joined, &["p.mc:3:17: ", "no room for 2199023255552 elements"]);
    let text = joined.replace("[1, 2]", "\"ab\"").replace("dprint (length (map (addi 1) s))", "print s");
    runs_out_of_memory(&text, &["p.mc:3:1: ", "no room for a text of 2199023255552 characters"]);
}

#[test]
fn many_values_too_many_for_memory() {
    let constructors = "type L con N : () -> L con C : (Int, L) -> L
recursive let f = lam acc : L. lam n : Int. if lti n 0 then acc else f (C (n, acc)) (addi n 1) end
mexpr match f (N ()) 1 with N _ then print \"none\" else print \"some\"";
    runs_out_of_memory(constructors, &["p.mc:3:13"]);
    let sequences = "recursive let f = lam acc : [[Int]]. lam n : Int.
  if lti n 0 then acc else f (snoc acc (create 10000 (addi n))) (addi n 1) end
mexpr dprint (length (f [] 1))";
    runs_out_of_memory(sequences, &["p.mc:3:23"]);
    let closures = "recursive let f = lam acc : Int -> Int. lam n : Int.
  if lti n 0 then acc else f (lam x. addi (acc x) n) (addi n 1) end
mexpr dprint (f (lam x. x) 1 2)";
    runs_out_of_memory(closures, &["p.mc:3:15"]);
    let rounds = "type L con N : () -> L con C : (Int, L) -> L
mexpr match seqLoopAcc (N ()) 1000000000 (lam acc. lam i. C (i, acc)) with N _ then print \"none\" else ()";
    runs_out_of_memory(rounds, &["p.mc:2:13"]);
    let tensors =
        "mexpr seqLoopAcc [] 1000000 (lam acc. lam i. cons (tensorCreateCArrayInt [100000] (lam. i)) acc)";
    runs_out_of_memory(&format!("{tensors}; ()"), &["p.mc:1:"]);
}

#[test]
fn accelerated_expressions_out_of_memory() {
    let program =
        "let f : Int -> [[Int]] = lam n. accelerate (map (lam i. create n (addi i)) (create n (lam i. i)))
mexpr dprint (length (f 100000))";
    folder(program)
        .run(&["run", "p.mc", "--memory-limit=150M"])
        .fails(1, &["memory", "in f, at p.mc:1:33", "in mexpr, at p.mc:2:23"]);
}

#[test]
fn recursion_without_end_names_the_calls() {
    let recursion = "recursive let f = lam x : Int. addi 1 (g x) let g = lam x. addi 2 (f x) end
let start = lam x. addi 1 (f x)
mexpr dprint (start 3)";
    // With more memory the stack would end the run.
    for mode in [&["--sequential"][..], &[]] {
        folder(recursion).run(&[&["run", "p.mc", "--memory-limit=150M"], mode].concat()).fails(
            1,
            &[
                "out of memory: ",
                "in g, at p.mc:1:68",
                "more calls ...",
                "in start, at p.mc:2:28",
                "in mexpr, at p.mc:3:15",
            ],
        );
    }
}

#[test]
fn includes_that_are_missing_or_in_a_circle() {
    folder("include \"nowhere.mc\"\nmexpr ()").run(&["run", "p.mc"]).fails(2, &["error[M0130]", "p.mc:1:9"]);
    let circle = folder("include \"./a.mc\"\nmexpr ()");
    circle.write("a.mc", "include \"./b.mc\"\nlet a = 1");
    circle.write("b.mc", "include \"./a.mc\"\nlet b = 1");
    circle.run(&["run", "p.mc"]).fails(2, &["error[M0131]", "b.mc:1:9"]);
    let itself = folder("include \"./p.mc\"\nmexpr ()");
    itself.run(&["check", "p.mc"]).fails(2, &["error[M0131]", "p.mc:1:9"]);
}

#[test]
fn what_accelerated_code_does_not_take_is_refused_before_anything_runs() {
    let refused = |program: &str, fragments: &[&str]| {
        for command in [&["check"][..], &["run"], &["run", "--debug"]] {
            let ran =
                folder(&format!("let a = print \"ran\"\n{program}")).run(&[command, &["p.mc"]].concat());
            assert!(ran.output.is_empty(), "it ran");
            ran.fails(2, fragments);
        }
    };
    refused(
        "let f = lam p : Int -> Int. accelerate (map p [1])\nmexpr f (addi 1)",
        &["error[M0401]", "p.mc:2:29"],
    );
    refused(
        "mexpr accelerate (map (lam x. accelerate (reduce addi 0 [x])) [1])",
        &["error[M0402]", "p.mc:2:31"],
    );
    refused("mexpr accelerate (addi 1 2)", &["error[M0403]", "p.mc:2:7"]);
    refused("mexpr accelerate (loop 1 (lam. ()); map (addi 1) [1])", &["error[M0404]", "p.mc:2:7"]);
    refused("mexpr accelerate (map (lam x. x) [])", &["error[M0405]", "p.mc:2:7"]);
    refused(
        "type T con A : Int -> T\nlet s = [A 1]\nmexpr accelerate (map (lam a : T. a) s)",
        &["error[M0410]", "p.mc:3:5"],
    );
    refused("let r = ref 1\nmexpr accelerate (map (lam x. addi x (deref r)) [1])", &["error[M04", "p.mc:"]);
}

#[test]
fn tensors_of_too_many_dimensions_end_the_run() {
    let program = "let t = tensorCreateCArrayInt [1, 1, 1, 2] (lam. 0)
let f = lam t. lam i. tensorLinearSetExn t i 1
mexpr accelerate (loop 2 (f t))";
    for mode in ["--debug", "--threads=2"] {
        folder(program).run(&["run", mode, "p.mc"]).fails(1, &["p.mc:3:7", "4"]);
    }
    assert_eq!(folder(program).run(&["run", "--sequential", "p.mc"]).code, Some(0));
}
