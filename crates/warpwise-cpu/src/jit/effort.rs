//! LLVM's passes for a module.
//!
//! They depend on the longest function and on its deepest nesting of choices: vectors are explicit already, and in very large
//! straight-line code (thousands of operations) the time of the strongest passes grows out of proportion to their gain.

use inkwell::OptimizationLevel;

use crate::codegen::ModuleText;

/// Effort for a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effort {
    /// All passes, and the best code generation.
    Full,
    /// All passes, and faster code generation: its time grows faster than theirs.
    Long,
    /// Passes of linear time.
    VeryLong,
    /// No instruction combination: its time is quadratic in the depth, since it looks through the chain of masks from every link on.
    Deep,
    /// No passes, since promoting slots to values and register allocation take quadratic time in the depth, too.
    VeryDeep,
}

impl Effort {
    /// Returns the effort by the lines of the longest function and the nesting depth of blocks.
    pub(super) fn of(module: &ModuleText) -> Effort {
        let lines = module.text.split("\n}\n").map(|function| function.lines().count());
        match (module.nesting, lines.max().unwrap_or(0)) {
            (256.., _) => Effort::VeryDeep,
            (64.., _) => Effort::Deep,
            (_, 0..3_000) => Effort::Full,
            (_, 3_000..9_000) => Effort::Long,
            _ => Effort::VeryLong,
        }
    }

    /// Returns the pass pipeline as LLVM's text, if there is one. Scalar code gets no vectors.
    pub(super) fn passes(self, scalar: bool) -> Option<String> {
        let vectors = if scalar { "" } else { VECTORIZE };
        match self {
            Effort::Full | Effort::Long => Some(format!("function({SIMPLIFY},{vectors}{FINISH})")),
            Effort::VeryLong => Some("default<O1>".into()),
            Effort::Deep => Some(FOR_DEEP.into()),
            Effort::VeryDeep => None,
        }
    }

    /// Returns the level of code generation.
    pub(super) fn code_generation(self) -> OptimizationLevel {
        match self {
            Effort::Full => OptimizationLevel::Aggressive,
            Effort::Long => OptimizationLevel::Default,
            Effort::VeryLong | Effort::Deep => OptimizationLevel::Less,
            Effort::VeryDeep => OptimizationLevel::None,
        }
    }
}

// SIMPLIFY, VECTORIZE and FINISH are `default<O3>` of LLVM 19 with these differences:
// - Nothing works across functions, since kernels call none of the module, and passes without work here are left out.
// - The vectorisation of straight-line code is left out. It packs scalars that loops carry, such as the carry of a scan and the
//   index, into vectors that the next addresses wait for: scans of 64-bit rows take 5 times as long, FFT twice.
// - Scalar code can go without loop vectorisation. The options of the pass builder do not tell: `default<O3>` overrides them.

/// Simplifies scalars and loops.
const SIMPLIFY: &str = "\
    sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,\
    jump-threading,correlated-propagation,simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,\
    aggressive-instcombine,simplifycfg<switch-range-to-icmp>,reassociate,constraint-elimination,\
    loop-mssa(loop-instsimplify,loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm,\
    simple-loop-unswitch<nontrivial;trivial>),\
    simplifycfg<switch-range-to-icmp>,instcombine<no-verify-fixpoint>,\
    loop(loop-idiom,indvars,simple-loop-unswitch<nontrivial;trivial>,loop-deletion,loop-unroll-full),\
    sroa,vector-combine,gvn,sccp,bdce,instcombine<no-verify-fixpoint>,\
    jump-threading,correlated-propagation,adce,memcpyopt,dse,loop-mssa(licm),\
    simplifycfg<switch-range-to-icmp;hoist-common-insts;sink-common-insts>,instcombine<no-verify-fixpoint>,\
    float2int,loop(loop-rotate,loop-deletion)";

/// Vectorises the loops that are not in lanes.
const VECTORIZE: &str = "loop-distribute,loop-vectorize,";

/// Unrolls loops, and cleans up.
const FINISH: &str = "\
    infer-alignment,loop-load-elim,instcombine<no-verify-fixpoint>,\
    simplifycfg<forward-switch-cond;switch-range-to-icmp;switch-to-lookup;no-keep-loops;hoist-common-insts;sink-common-insts>,\
    vector-combine,instcombine<no-verify-fixpoint>,loop-unroll<O3>,sroa<preserve-cfg>,infer-alignment,\
    instcombine<no-verify-fixpoint>,loop-mssa(licm),loop-sink,instsimplify,div-rem-pairs,\
    simplifycfg<speculate-unpredictables>";

/// Passes without instruction combination, which take linear time up to a depth of 256.
const FOR_DEEP: &str = "function(sroa,early-cse<memssa>,simplifycfg,instsimplify,loop-mssa(loop-rotate,licm),gvn,bdce,dse,adce,simplifycfg)";
