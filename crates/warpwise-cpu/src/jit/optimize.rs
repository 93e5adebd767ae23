//! Compilation of LLVM's text to optimised machine code.
//!
//! CPU time on a Xeon of 2023, in milliseconds: the first target machine 1.1, others 0.2; a kernel of 60 lines of IR: parsing
//! 0.3, passes 3.1, code 3.2, linking 0.9; of 800 lines: 1.6, 5.8, 6.1, 1.2; of 7,000 lines, at the second level, 117 in all; of
//! 22,000 lines, at the lowest, 416 (measured when values had slots and the passes were those of LLVM's levels: parsing and passes
//! take less time since).

use std::sync::Once;

use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use inkwell::module::Module;
use inkwell::passes::PassBuilderOptions;
use inkwell::targets::{CodeModel, FileType, InitializationConfig, RelocMode, Target, TargetMachine};
use warpwise_diag::Bug;
use warpwise_imp::CpuTarget;
use warpwise_ir::deep::deep;

use super::effort::Effort;
use crate::codegen::ModuleText;

/// Compiles a module to an object file.
pub(super) fn object(module: &ModuleText, target: &CpuTarget) -> Result<Vec<u8>, Bug> {
    deep(|| emit(module, target, FileType::Object))
}

/// Compiles a module to assembly.
pub(super) fn assembly(module: &ModuleText, target: &CpuTarget) -> Result<String, Bug> {
    deep(|| emit(module, target, FileType::Assembly))
        .map(|bytes| String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_string())
}

/// Returns a module after optimisation, as text.
pub(super) fn optimized_ir(module: &ModuleText, target: &CpuTarget) -> Result<String, Bug> {
    deep(|| {
        let machine = machine(module, target)?;
        let context = Context::create();
        let optimized = optimized(&context, module, &machine, target)?;
        Ok(optimized.print_to_string().to_string())
    })
}

fn emit(module: &ModuleText, target: &CpuTarget, form: FileType) -> Result<Vec<u8>, Bug> {
    let machine = machine(module, target)?;
    let context = Context::create();
    let optimized = optimized(&context, module, &machine, target)?;
    let buffer =
        machine.write_to_memory_buffer(&optimized, form).map_err(|e| bug(&module.text, e.to_string()))?;
    Ok(buffer.as_slice().to_vec())
}

fn optimized<'c>(
    context: &'c Context,
    source: &ModuleText,
    machine: &TargetMachine,
    target: &CpuTarget,
) -> Result<Module<'c>, Bug> {
    let text = source.text.as_str();
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
    if let Some(passes) = Effort::of(source).passes(target.is_scalar()) {
        let options = PassBuilderOptions::create();
        module.run_passes(&passes, machine, options).map_err(|e| bug(text, e.to_string()))?;
    }
    Ok(module)
}

fn machine(module: &ModuleText, target: &CpuTarget) -> Result<TargetMachine, Bug> {
    initialize();
    let text = module.text.as_str();
    let triple = TargetMachine::get_default_triple();
    let llvm_target = Target::from_triple(&triple).map_err(|e| bug(text, e.to_string()))?;
    llvm_target
        .create_target_machine(
            &triple,
            &target.name,
            &target.features,
            Effort::of(module).code_generation(),
            RelocMode::PIC,
            CodeModel::Default,
        )
        .ok_or_else(|| bug(text, format!("LLVM knows no machine {target:?}")))
}

/// Registers LLVM's x86 back end, once.
pub(super) fn initialize() {
    static INITIALIZED: Once = Once::new();
    INITIALIZED.call_once(|| Target::initialize_x86(&InitializationConfig::default()));
}

fn bug(text: &str, message: String) -> Bug {
    Bug { pass: "codegen".into(), message: message.trim_end().to_string(), ir: text.to_string() }
}
