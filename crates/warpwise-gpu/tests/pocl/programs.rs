//! Programs of the core IR as kernels with one value at a time.

use warpwise_diag::FileId;
use warpwise_gpu::failure::FailedCheck;
use warpwise_imp::{CpuTarget, ImpProgram, lower};
use warpwise_ir::verify::Level;
use warpwise_ir::{Body, Expr, Mapping, Program};
use warpwise_opt::pass::{Pass, run_passes};
use warpwise_opt::pipelines;
use warpwise_runtime::machine::CheckPart;

/// Parses a program.
pub fn parse(text: &str) -> Program {
    warpwise_ir::parse::parse(text, FileId(0)).expect("the program parses")
}

/// A program lowered so that its segmented operations run one point a work-item and whatever is inside
/// them runs in order.
pub fn lowered(text: &str) -> ImpProgram {
    let mut program = parse(text);
    let before = passes(&["inline", "simplify", "fuse", "simplify", "segment", "simplify"]);
    run_passes(&before, &mut program, Level::Soac, |_, _, _| {}).expect("the passes succeed");
    for function in program.functions.values_mut() {
        over_work_items(&mut function.body);
    }
    run_passes(&passes(&["simplify", "place"]), &mut program, Level::Seg, |_, _, _| {})
        .expect("the passes succeed");
    let target = CpuTarget {
        name: "x86-64".to_string(),
        features: String::new(),
        vector_bits: 128,
        mask_registers: false,
        compress_narrow: false,
    };
    lower::lower(&program, &target).expect("the program can be lowered")
}

fn passes(names: &[&str]) -> Vec<Pass> {
    names.iter().map(|name| *pipelines::pass(name).expect("a pass of this name")).collect()
}

/// Splits the outermost segmented operations of a body among tasks.
fn over_work_items(body: &mut Body) {
    for stm in &mut body.stms {
        match &mut stm.expr {
            Expr::Seg(op) => op.space.iter_mut().for_each(|dim| dim.mapping = Mapping::Task),
            expr => expr.for_each_body_mut(over_work_items),
        }
    }
}

/// What a failed check says.
pub fn message(program: &ImpProgram, failed: &FailedCheck) -> String {
    let mut values = failed.values.iter();
    let parts = program.checks[failed.check].parts.iter().map(|part| match part {
        CheckPart::Text(text) => text.clone(),
        CheckPart::Value(_) => values.next().expect("a value").as_int().expect("an integer").to_string(),
    });
    parts.collect()
}
