//! Random programs verify, and survive printing and parsing.

use proptest::prelude::*;
use warpwise_diag::FileId;
use warpwise_ir::entity::Entity;
use warpwise_ir::generate::{Case, Options, generate};
use warpwise_ir::parse::parse;
use warpwise_ir::traverse::{Copier, Substitution, VisitorMut};
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{Operand, Var};

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

/// Every construct occurs, so that a back end fuzzed with these programs is tested on it.
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    /// Wrong programs cause errors, not panics; variables and their types are exchanged.
    #[test]
    fn wrong_programs_are_errors(seed in 0u64..200, file in 0usize..8, changes in prop::collection::vec(any::<(u16, u16, bool)>(), 1..4)) {
        let text = match file {
            0 => include_str!("verify/mapping.ir").to_string(),
            1 => include_str!("verify/memory.ir").to_string(),
            2 => include_str!("verify/valid.ir").to_string(),
            3 => include_str!("text/mem.ir").to_string(),
            _ => generate(seed, &Options { statements: 12, ..Options::default() }).program.to_string(),
        };
        let mut program = parse(&text, FileId(0)).unwrap();
        for function in program.functions.values_mut() {
            let count = function.vars.len();
            if count == 0 {
                continue;
            }
            for (at, by, types) in &changes {
                let by = Var::new(*by as usize % count);
                if *types {
                    function.vars[Var::new(*at as usize % count)] = function.vars[by].clone();
                } else {
                    Exchange { at: *at as usize % (3 * count), by }.body(&mut function.body);
                }
            }
        }
        let text = program.to_string();
        for level in [Level::Soac, Level::Seg, Level::Mem] {
            for error in verify(&program, level).err().unwrap_or_default() {
                prop_assert!(!error.to_string().is_empty());
            }
        }
        let _ = parse(&text, FileId(0));
    }
}

/// A visitor that replaces one use of a variable, or one operand, by a variable.
struct Exchange {
    at: usize,
    by: Var,
}

impl VisitorMut for Exchange {
    fn var(&mut self, var: &mut Var) {
        if self.at == 0 {
            *var = self.by;
        }
        self.at = self.at.wrapping_sub(1);
    }

    fn operand(&mut self, operand: &mut Operand) {
        match operand {
            Operand::Var(var) => self.var(var),
            Operand::Const(_) => {
                let mut var = self.by;
                if self.at == 0 {
                    *operand = Operand::Var(var);
                }
                self.var(&mut var);
            }
        }
    }
}
