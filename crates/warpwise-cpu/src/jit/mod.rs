//! Kernels to objects, objects into the process.
//!
//! [`compile`] and [`load`] are separate so that a cache can stand between them: an [`Object`] depends on the
//! program, the [`CpuTarget`] and this compiler's version, on nothing else.

mod link;
mod optimize;

use std::fmt;

use serde::{Deserialize, Serialize};
use warpwise_diag::Bug;
use warpwise_imp::{CpuTarget, ImpProgram, KernelId};
use warpwise_ir::entity::Entity;
use warpwise_runtime::kernel::KernelFn;

use crate::codegen;

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompileOptions {
    /// How many threads may compile at once; at least 1. The default is one for each core.
    pub threads: usize,
}

impl Default for CompileOptions {
    fn default() -> CompileOptions {
        CompileOptions { threads: std::thread::available_parallelism().map_or(1, usize::from) }
    }
}

/// Compiled kernels, as a cache stores them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Object {
    /// Object files in the machine's format.
    files: Vec<Vec<u8>>,
    /// The symbol of every kernel, by number.
    symbols: Vec<String>,
}

impl Object {
    /// The object files, and the symbol of every kernel by number: what a linker needs.
    pub fn into_parts(self) -> (Vec<Vec<u8>>, Vec<String>) {
        (self.files, self.symbols)
    }
}

/// Kernels ready to run. Their code goes away with this value.
pub struct LoadedKernels {
    functions: Vec<KernelFn>,
    /// Keeps the code mapped.
    _linked: link::Linked,
}

/// Why an object could not be loaded: it is damaged, or the machine lacks a library.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LoadError(pub String);

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot load compiled code: {}", self.0)
    }
}

impl std::error::Error for LoadError {}

/// Compiles all kernels of a program.
pub fn compile(program: &ImpProgram, target: &CpuTarget, options: &CompileOptions) -> Result<Object, Bug> {
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

/// Links compiled kernels into this process.
pub fn load(object: &Object) -> Result<LoadedKernels, LoadError> {
    let linked = link::Linked::new(&object.files, &codegen::scalar_functions()).map_err(LoadError)?;
    let functions = object.symbols.iter().map(|symbol| linked.kernel(symbol)).collect::<Result<_, _>>();
    Ok(LoadedKernels { functions: functions.map_err(LoadError)?, _linked: linked })
}

/// The LLVM IR of all kernels, as generated or after optimisation.
pub fn emit_llvm_ir(program: &ImpProgram, target: &CpuTarget, optimized: bool) -> Result<String, Bug> {
    let module = codegen::module(program, &all_kernels(program), target)?;
    if optimized { optimize::optimized_ir(&module, target) } else { Ok(module) }
}

/// The assembly text of all kernels.
pub fn emit_asm(program: &ImpProgram, target: &CpuTarget) -> Result<String, Bug> {
    optimize::assembly(&codegen::module(program, &all_kernels(program), target)?, target)
}

impl LoadedKernels {
    /// The code of a kernel of the program that was compiled.
    pub fn kernel(&self, id: KernelId) -> Option<KernelFn> {
        self.functions.get(id.index()).copied()
    }

    /// The code of all kernels, by number. It must not be called once this value is gone.
    pub fn functions(&self) -> &[KernelFn] {
        &self.functions
    }
}

fn all_kernels(program: &ImpProgram) -> Vec<KernelId> {
    program.kernels.keys().collect()
}

/// Below this many lines of IR in all, a second thread does not pay.
const WORTH_SPLITTING: usize = 300;

/// The program as up to `count` modules of about equal size.
fn modules(program: &ImpProgram, target: &CpuTarget, count: usize) -> Result<Vec<String>, Bug> {
    let kernels = all_kernels(program);
    let whole = codegen::module(program, &kernels, target)?;
    if count == 1 || kernels.len() < 2 || whole.lines().count() < WORTH_SPLITTING {
        return Ok(vec![whole]);
    }
    let mut sized = Vec::new();
    for id in kernels {
        sized.push((codegen::module(program, &[id], target)?.len(), id));
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
