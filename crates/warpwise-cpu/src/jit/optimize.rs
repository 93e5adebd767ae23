//! LLVM's text to optimised machine code.
//!
//! How hard LLVM tries depends on the longest function: vectors are explicit already, and in very
//! large straight-line code (thousands of operations) the time of the strongest level grows out of
//! proportion to its gain.
//!
//! CPU time on a Xeon of 2023, in milliseconds: the first target machine 1.1, others 0.2; a kernel
//! of 60 lines of IR: parsing 0.3, passes 3.1, code 3.2, linking 0.9; of 800 lines: 1.6, 5.8, 6.1, 1.2;
//! of 7,000 lines, at the second level, 117 in all; of 22,000 lines, at the lowest, 416 (taken when values
//! had slots: parsing and passes take less since).

use std::sync::Once;

use inkwell::OptimizationLevel;
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine};
use warpwise_diag::Bug;
use warpwise_imp::CpuTarget;

/// An object file for a module.
pub(super) fn object(text: &str, target: &CpuTarget) -> Result<Vec<u8>, Bug> {
    emit(text, target, FileType::Object)
}

/// The assembly for a module.
pub(super) fn assembly(text: &str, target: &CpuTarget) -> Result<String, Bug> {
    emit(text, target, FileType::Assembly)
        .map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_string())
}

/// A module after optimisation, as text.
pub(super) fn optimized_ir(text: &str, target: &CpuTarget) -> Result<String, Bug> {
    let machine = machine(text, target)?;
    let context = Context::create();
    let module = optimized(&context, text, &machine, target)?;
    Ok(module.print_to_string().to_string())
}

fn emit(text: &str, target: &CpuTarget, form: FileType) -> Result<Vec<u8>, Bug> {
    let machine = machine(text, target)?;
    let context = Context::create();
    let module = optimized(&context, text, &machine, target)?;
    let buffer = machine.write_to_memory_buffer(&module, form).map_err(|e| bug(text, e.to_string()))?;
    Ok(buffer.as_slice().to_vec())
}

fn optimized<'c>(
    context: &'c Context,
    text: &str,
    machine: &TargetMachine,
    target: &CpuTarget,
) -> Result<Module<'c>, Bug> {
    let layout = machine.get_target_data().get_data_layout();
    let whole = format!(
        "target datalayout = \"{}\"\ntarget triple = \"{}\"\n\n{text}\0",
        layout.as_str().to_string_lossy(),
        machine.get_triple().as_str().to_string_lossy(),
    );
    let buffer = MemoryBuffer::create_from_memory_range_copy(whole.as_bytes(), "kernels");
    let module = context.create_module_from_ir(buffer).map_err(|e| bug(text, e.to_string()))?;
    if cfg!(debug_assertions) {
        module.verify().map_err(|e| bug(text, e.to_string()))?;
    }
    let (pipeline, _) = effort(text);
    let options = PassBuilderOptions::create();
    if target.is_scalar() {
        options.set_loop_vectorization(false);
        options.set_loop_slp_vectorization(false);
    }
    module.run_passes(pipeline, machine, options).map_err(|e| bug(text, e.to_string()))?;
    Ok(module)
}

fn machine(text: &str, target: &CpuTarget) -> Result<TargetMachine, Bug> {
    initialize();
    let triple = TargetMachine::get_default_triple();
    let llvm_target = Target::from_triple(&triple).map_err(|e| bug(text, e.to_string()))?;
    let (_, level) = effort(text);
    llvm_target
        .create_target_machine(
            &triple,
            &target.name,
            &target.features,
            level,
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| bug(text, format!("LLVM knows no machine {target:?}")))
}

/// Makes LLVM's x86 back end known, once.
pub(super) fn initialize() {
    static INITIALIZED: Once = Once::new();
    INITIALIZED.call_once(|| Target::initialize_x86(&InitializationConfig::default()));
}

/// The pass pipeline and the level of code generation, by the lines of the longest function.
fn effort(text: &str) -> (&'static str, OptimizationLevel) {
    let longest = text.split("\n}\n").map(|function| function.lines().count()).max().unwrap_or(0);
    match longest {
        0..3_000 => ("default<O3>", OptimizationLevel::Aggressive),
        3_000..9_000 => ("default<O2>", OptimizationLevel::Default),
        _ => ("default<O1>", OptimizationLevel::Less),
    }
}

fn bug(text: &str, message: String) -> Bug {
    Bug { pass: "codegen".into(), message: message.trim_end().to_string(), ir: text.to_string() }
}
