//! Tests with random irregular nests that `flatten` preserves results.
//!
//! A nest is a map over a few elements whose body makes arrays of varying sizes, often 0, and applies every construct to them, to
//! a depth of three. Its text is generated here, so that a failing nest can be read.

#[path = "irregular/nests.rs"]
mod nests;

use nests::nest;
use warpwise_diag::{FileId, Sources, render_failure};
use warpwise_interp::text::parse_call;
use warpwise_interp::{Value, interpret_within};
use warpwise_ir::parse::parse;
use warpwise_ir::verify::Level;
use warpwise_ir::{FunctionId, Program};
use warpwise_opt::pass::{Pass, check, run_passes};
use warpwise_opt::pipelines::pass;

/// No elements, one, all empty, and some of everything.
const CALLS: [&str; 5] = [
    "main(0, empty(0, i64))",
    "main(1, [3])",
    "main(1, [0])",
    "main(3, [0, 0, 0])",
    "main(5, [2, 0, 7, -1, 3])",
];

/// Maximum number of steps. Sizes may grow, and longer runs are skipped.
const STEPS: u64 = 20_000;

fn passes(names: &[&str]) -> Vec<Pass> {
    names.iter().map(|name| *pass(name).unwrap_or_else(|| panic!("no pass {name}"))).collect()
}

fn run(program: &Program, args: &[Value], steps: u64) -> Result<Vec<Value>, String> {
    let main = program.functions.iter().find(|(_, function)| function.name == "main").map(|(id, _)| id);
    let main: FunctionId = main.expect("there is a main");
    interpret_within(program, main, args.to_vec(), steps).map_err(|error| error.to_string())
}

/// Runs the passes on a nest and compares the results. Returns whether anything was flattened.
fn compare(seed: u64, before_flattening: &[&str], after: &[&str]) -> bool {
    let text = nest(seed);
    let failed = |what: &str| -> ! { panic!("seed {seed}: {what}\n{text}") };
    let original =
        parse(&text, FileId(0)).unwrap_or_else(|error| failed(&format!("{:?}", error.diagnostics())));
    check("nest", &original, Level::Soac).unwrap_or_else(|bug| failed(&bug.message));
    let mut program = original.clone();
    let run_all = |names: &[&str], program: &mut Program| {
        run_passes(&passes(names), program, Level::Soac, |_, _, _| {})
            .unwrap_or_else(|failure| failed(&render_failure(&Sources::new(), &failure, false)))
    };
    run_all(before_flattening, &mut program);
    let unflattened = program.to_string();
    run_all(&["flatten"], &mut program);
    let changed = program.to_string() != unflattened;
    run_all(after, &mut program);
    for call in CALLS {
        let args = parse_call(call).expect("a call").args;
        let Ok(expected) = run(&original, &args, STEPS) else { continue };
        let found = run(&program, &args, 500 * STEPS);
        if found.as_ref() != Ok(&expected) {
            failed(&format!("{call} yields {found:?} instead of {expected:?}\n{program}"));
        }
    }
    changed
}

#[test]
fn flattened_nests_compute_the_same() {
    let flattened = (0..250).filter(|&seed| compare(seed, &[], &[])).count();
    assert!(flattened > 220, "only {flattened} of 250 were flattened");
}

#[test]
fn flattened_nests_survive_the_passes_around() {
    let before = ["accumulate", "simplify", "fuse", "simplify"];
    let after = ["regularise_in_order", "simplify", "fuse", "simplify", "segment", "simplify"];
    for seed in 1000..1120 {
        compare(seed, &before, &after);
    }
}
