//! Compiling, loading and showing code in a build with LLVM.

use warpwise_diag::{Bug, Failure};
use warpwise_imp::{CpuTarget, ImpProgram, KernelId};

use super::{CompileOptions, LoadError, LoadedKernels, Object, link, optimize};
use crate::codegen::{self, ModuleText};

/// Compiles all kernels of a program.
pub fn compile(
    program: &ImpProgram,
    target: &CpuTarget,
    options: &CompileOptions,
) -> Result<Object, Failure> {
    let modules = modules(program, target, options.threads.max(1))?;
    let files = match modules.as_slice() {
        [only] => vec![optimize::object(only, target)?],
        _ => std::thread::scope(|scope| {
            let workers: Vec<_> =
                modules.iter().map(|module| scope.spawn(|| optimize::object(module, target))).collect();
            workers.into_iter().map(joined).collect::<Result<_, Bug>>()
        })?,
    };
    let symbols = program.kernels.values().map(|kernel| codegen::kernel_symbol(&kernel.name)).collect();
    Ok(Object { files, symbols })
}

/// Compiles LLVM IR that does not come from a program, such as the code around a linked program, for any processor.
pub fn compile_ir(text: String) -> Result<Vec<u8>, Bug> {
    optimize::object(&ModuleText { text, nesting: 0 }, &CpuTarget::without_vectors())
}

/// Links compiled kernels into this process.
pub fn load(object: &Object) -> Result<LoadedKernels, LoadError> {
    let linked = link::Linked::new(&object.files, &codegen::scalar_functions()).map_err(LoadError)?;
    let functions = object.symbols.iter().map(|symbol| linked.kernel(symbol)).collect::<Result<_, _>>();
    Ok(LoadedKernels { functions: functions.map_err(LoadError)?, _linked: Box::new(linked) })
}

/// Returns the LLVM IR of all kernels, as generated or after optimisation.
pub fn emit_llvm_ir(program: &ImpProgram, target: &CpuTarget, optimized: bool) -> Result<String, Failure> {
    let module = codegen::module(program, &all_kernels(program), target)?;
    if optimized { Ok(optimize::optimized_ir(&module, target)?) } else { Ok(module.text) }
}

/// Returns the assembly text of all kernels.
pub fn emit_asm(program: &ImpProgram, target: &CpuTarget) -> Result<String, Failure> {
    Ok(optimize::assembly(&codegen::module(program, &all_kernels(program), target)?, target)?)
}

fn all_kernels(program: &ImpProgram) -> Vec<KernelId> {
    program.kernels.keys().collect()
}

/// Minimum number of lines of IR for which a second thread pays off.
const WORTH_SPLITTING: usize = 300;

/// Splits the program into up to `count` modules of about equal size.
fn modules(program: &ImpProgram, target: &CpuTarget, count: usize) -> Result<Vec<ModuleText>, Bug> {
    let kernels = all_kernels(program);
    let whole = codegen::module(program, &kernels, target)?;
    if count == 1 || kernels.len() < 2 || whole.text.lines().count() < WORTH_SPLITTING {
        return Ok(vec![whole]);
    }
    let mut sized = Vec::new();
    for id in kernels {
        sized.push((codegen::module(program, &[id], target)?.text.len(), id));
    }
    sized.sort_by_key(|&(size, id)| (std::cmp::Reverse(size), id));
    let mut parts = vec![(0, Vec::new()); count.min(sized.len())];
    for (size, id) in sized {
        if let Some(least) = parts.iter_mut().min_by_key(|(total, _)| *total) {
            least.0 += size;
            least.1.push(id);
        }
    }
    parts.into_iter().map(|(_, ids)| codegen::module(program, &ids, target)).collect()
}

fn joined(worker: std::thread::ScopedJoinHandle<'_, Result<Vec<u8>, Bug>>) -> Result<Vec<u8>, Bug> {
    worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}
