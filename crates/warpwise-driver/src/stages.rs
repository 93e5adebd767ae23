//! The imperative IR, machine code and kernel text of a program as readable text.

use std::fmt::Write;

use warpwise_diag::{Diagnostic, Failure, Sources, Span};
use warpwise_imp::{CpuTarget, ImpProgram};
use warpwise_ir::Program as CoreProgram;
use warpwise_runtime::machine::{KernelName, Module};

use crate::build::BuildError;
use crate::compiler::Options;
use crate::target::{Target, device_text};

/// A stage below the core IR.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stage {
    /// The imperative IR.
    Imperative,
    /// Code of the host's register machine.
    Bytecode,
    /// Optimised LLVM IR of the kernels.
    Llvm,
    /// Machine code of the kernels.
    Assembly,
    /// Text of the kernels for a device.
    Kernels,
}

/// Lowers core IR of level `mem` to a stage; `cpu` is the processor to show code for.
pub fn show(
    program: &CoreProgram,
    sources: &Sources,
    (options, cpu): (&Options, &CpuTarget),
    stage: Stage,
) -> Result<String, Failure> {
    let imp = match options.target {
        Target::Cpu => warpwise_imp::lower::lower(program, cpu)?,
        Target::Device(..) => warpwise_imp::lower::lower_for_device(program, options.scanning())?,
    };
    show_imperative(&imp, sources, (options.target, cpu), stage)
}

/// Parses imperative IR as printed by [`show`], verifies it, and shows it at a stage.
pub fn show_text(
    name: &str,
    text: &str,
    (options, cpu): (&Options, &CpuTarget),
    stage: Stage,
) -> Result<String, BuildError> {
    let mut sources = Sources::new();
    let file = sources.add(name.to_string(), text.to_string());
    let shown = warpwise_imp::parse::parse(text, file).and_then(|imp| {
        warpwise_imp::verify::verify(&imp)
            .map_err(|mistake| Diagnostic::error("E0900", Span::NONE, mistake))?;
        show_imperative(&imp, &sources, (options.target, cpu), stage)
    });
    shown.map_err(|failure| BuildError::Failure { failure, sources })
}

fn show_imperative(
    imp: &ImpProgram,
    sources: &Sources,
    (target, cpu): (Target, &CpuTarget),
    stage: Stage,
) -> Result<String, Failure> {
    match (stage, target) {
        (Stage::Imperative, _) => Ok(imp.to_string()),
        (Stage::Bytecode, _) => Ok(bytecode(&warpwise_imp::bytecode::bytecode(imp, sources)?)),
        (Stage::Llvm, Target::Cpu) => Ok(warpwise_cpu::emit_llvm_ir(imp, cpu, true)?),
        (Stage::Assembly, Target::Cpu) => Ok(warpwise_cpu::emit_asm(imp, cpu)?),
        (Stage::Kernels, Target::Device(dialect, _)) => Ok(device_text(imp, dialect)?.text),
        (Stage::Llvm | Stage::Assembly, Target::Device(..)) => {
            Ok("a device's kernels are text (--emit kernels)".to_string())
        }
        (Stage::Kernels, Target::Cpu) => Ok("the processor's kernels have no text (--emit llvm)".to_string()),
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
    for (number, KernelName { name, place, .. }) in module.kernels.iter().enumerate() {
        let _ = writeln!(text, "kernel {number} {name} {place}");
    }
    for (number, check) in module.checks.iter().enumerate() {
        let _ = writeln!(text, "check {number} {}: {:?}", check.place, check.parts);
    }
    text
}
