//! A program below the core IR, as text for people.

use std::fmt::Write;

use warpwise_diag::{Failure, Sources};
use warpwise_imp::CpuTarget;
use warpwise_ir::Program as CoreProgram;
use warpwise_runtime::machine::{KernelName, Module};

/// What comes after the core IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The imperative IR.
    Imperative,
    /// Code of the host's register machine.
    Bytecode,
    /// LLVM's IR of the kernels, optimised.
    Llvm,
    /// Machine code of the kernels.
    Assembly,
}

/// Lowers core IR of level `mem` to a stage.
pub fn show(
    program: &CoreProgram,
    sources: &Sources,
    target: &CpuTarget,
    stage: Stage,
) -> Result<String, Failure> {
    let imp = warpwise_imp::lower::lower(program, target)?;
    match stage {
        Stage::Imperative => Ok(imp.to_string()),
        Stage::Bytecode => Ok(bytecode(&warpwise_imp::bytecode::bytecode(&imp, sources)?)),
        Stage::Llvm => Ok(warpwise_cpu::emit_llvm_ir(&imp, target, true)?),
        Stage::Assembly => Ok(warpwise_cpu::emit_asm(&imp, target)?),
    }
}

fn bytecode(module: &Module) -> String {
    let mut text = String::new();
    for function in &module.functions {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "function {} {:?} -> {:?}", function.name, function.params, function.results);
        for (number, instr) in function.code.iter().enumerate() {
            let _ = writeln!(text, "{number:5}  {instr:?}");
        }
    }
    for (number, KernelName { name, place }) in module.kernels.iter().enumerate() {
        let _ = writeln!(text, "kernel {number} {name} {place}");
    }
    for (number, check) in module.checks.iter().enumerate() {
        let _ = writeln!(text, "check {number} {}: {:?}", check.place, check.parts);
    }
    text
}
