//! Random programs verify, and survive printing and parsing.

use proptest::prelude::*;
use warpwise_diag::FileId;
use warpwise_ir::generate::{Case, Options, generate};
use warpwise_ir::parse::parse;
use warpwise_ir::traverse::{Copier, Substitution};
use warpwise_ir::verify::{Level, verify};

fn verified(seed: u64, options: &Options) -> Case {
    let case = generate(seed, options);
    if let Err(errors) = verify(&case.program, Level::Soac) {
        panic!("seed {seed}: {}\n{}", errors[0], case.program);
    }
    case
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn programs_verify_and_round_trip(seed: u64, statements in 0usize..60) {
        let options = Options { statements, ..Options::default() };
        let case = verified(seed, &options);
        let text = case.program.to_string();
        let parsed = match parse(&text, FileId(0)) {
            Ok(parsed) => parsed,
            Err(failure) => panic!("{:?}\n{text}", failure.diagnostics()[0]),
        };
        prop_assert_eq!(parsed.to_string(), text);
        prop_assert_eq!(verify(&parsed, Level::Soac), Ok(()));
    }

    #[test]
    fn copies_with_fresh_variables_are_equal(seed: u64) {
        let mut program = verified(seed, &Options::default()).program;
        let text = program.to_string();
        for function in program.functions.values_mut() {
            let body = function.body.clone();
            function.body = Copier::within(function, Substitution::new()).copy_body(&body);
        }
        prop_assert_eq!(program.to_string(), text);
        prop_assert_eq!(verify(&program, Level::Soac), Ok(()));
    }
}

#[test]
fn arguments_fit_parameters() {
    for seed in 0..200 {
        let case = generate(seed, &Options::default());
        let id = case.program.entry("main").unwrap();
        let main = &case.program.functions[id];
        assert_eq!(main.params.len(), case.args.len());
        for (param, arg) in main.params.iter().zip(&case.args) {
            let ty = main.ty(param.var);
            assert_eq!((ty.elem(), ty.rank()), (Some(arg.elem), arg.shape.len()));
            assert_eq!(arg.data.len(), arg.shape.iter().product::<usize>());
            assert!(arg.data.iter().all(|value| value.ty() == arg.elem));
        }
    }
}

#[test]
fn a_seed_means_one_program() {
    let text = |seed| generate(seed, &Options::default()).program.to_string();
    assert_eq!(text(7), text(7));
    assert_ne!(text(7), text(8));
}

/// Every construct turns up, so that a back end fuzzed with these programs has met it.
#[test]
fn all_constructs_occur() {
    let mut all = String::new();
    for seed in 0..400 {
        all += &generate(seed, &Options { statements: 40, ..Options::default() }).program.to_string();
    }
    let constructs = [
        " if ",
        " loop (",
        " while ",
        " call ",
        "screma",
        "scan ",
        "exscan",
        "reduce ",
        "reduce_comm",
        "post ",
        "partition",
        "classes 2",
        "scatter",
        "hist",
        "stream_map",
        "stream_red",
        "stream_seq",
        "with_acc",
        "update_acc",
        "flatmap",
        "index",
        "slice",
        "update ",
        "iota",
        "replicate",
        "concat",
        "rearrange",
        "reshape",
        "copy",
        "manifest",
        "select",
        "assert",
        "sdiv",
        "sitofp",
        "f16",
        "= [",
        ": *[",
        ":-1]",
    ];
    for construct in constructs {
        assert!(all.contains(construct), "no `{construct}` in 400 programs");
    }
}
