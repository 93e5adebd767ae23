//! Compilation of one program by the whole compiler except LLVM, for a CPU and for a CUDA device.

use std::panic::{AssertUnwindSafe, catch_unwind};

use warpwise_diag::{
    Bug, Diagnostic, Failure, ReadError, Report, Severity, SourceFile, SourceProvider, Sources, render,
};
use warpwise_fut::compile::{Options, compile as front_end};
use warpwise_gpu::kernel_text::{Dialect, kernel_text};
use warpwise_imp::lower::Scanning;
use warpwise_imp::{CpuTarget, ImpProgram};
use warpwise_ir::verify::Level;
use warpwise_opt::pass::{check, run_passes};
use warpwise_opt::pipelines::{CPU, DEVICE};

/// Stack size in bytes, as of the command.
const STACK: usize = 256 << 20;

/// The outcome of a compilation, bugs of the compiler excluded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The program is wrong.
    Rejected(Vec<Diagnostic>),
    /// The program needs an unsupported feature.
    Limited(String),
    /// The program is compiled.
    Compiled,
}

/// Files by name, without the ending.
#[derive(Clone, Default, Debug)]
pub struct Files(pub Vec<(String, String)>);

impl SourceProvider for Files {
    fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        match self.0.iter().find(|(name, _)| name == path) {
            Some((name, text)) => Ok(source(name, text)),
            None => Err(ReadError::NotFound(format!("{path}.fut"))),
        }
    }
}

/// The machines that a program is compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Machines {
    /// A CPU.
    Cpu,
    /// A CPU, and a CUDA device.
    All,
}

/// Compiles a text that imports nothing for all machines.
pub fn compile(text: &str) -> Result<Ending, String> {
    compile_files(text, &Files::default(), Machines::All)
}

/// Compiles a text, on a thread with a stack of the usual size. An error is a bug of the compiler.
pub fn compile_files(text: &str, files: &Files, machines: Machines) -> Result<Ending, String> {
    std::thread::scope(|scope| {
        let work = || catch_unwind(AssertUnwindSafe(|| everything(text, files, machines)));
        let worker = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, work);
        match worker.map(|worker| worker.join()) {
            Ok(Ok(Ok(ending))) => ending,
            Ok(Ok(Err(_)) | Err(_)) => Err("a panic".to_string()),
            Err(error) => Err(format!("no thread: {error}")),
        }
    })
}

fn everything(text: &str, files: &Files, machines: Machines) -> Result<Ending, String> {
    let mut sources = Sources::new();
    match phases(text, files, machines, &mut sources) {
        Ok(()) => Ok(Ending::Compiled),
        Err(Failure::Limit(limit)) if limit.message.is_empty() => Err("a limit without words".to_string()),
        Err(Failure::Limit(limit)) => Ok(Ending::Limited(limit.message)),
        Err(Failure::Bug(bug)) => Err(bug.to_string()),
        Err(Failure::User(diagnostics)) => {
            said_well(&sources, &diagnostics).map(|()| Ending::Rejected(diagnostics))
        }
    }
}

/// Checks that a rejection has an error, that every diagnostic has a message, and that all can be shown.
fn said_well(sources: &Sources, diagnostics: &[Diagnostic]) -> Result<(), String> {
    if !diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err("rejected without an error".to_string());
    }
    let shown = render(sources, diagnostics, false);
    for diagnostic in diagnostics {
        let _ = Report::new(sources, diagnostic);
        if diagnostic.message.is_empty() || !shown.contains(diagnostic.code) {
            return Err(format!("a diagnostic without words: {diagnostic:?}"));
        }
    }
    Ok(())
}

fn phases(text: &str, files: &Files, machines: Machines, sources: &mut Sources) -> Result<(), Failure> {
    let mut program = front_end(source("main", text), files, sources, Options::default())?.program;
    check("internalise", &program, Level::Soac)?;
    let mut for_device = program.clone();
    run_passes(CPU, &mut program, Level::Soac, |_, _, _| {})?;
    let imp = warpwise_imp::lower::lower(&program, &target())?;
    finish(&imp, sources)?;
    if machines == Machines::Cpu {
        return Ok(());
    }
    run_passes(DEVICE, &mut for_device, Level::Soac, |_, _, _| {})?;
    let imp = warpwise_imp::lower::lower_for_device(&for_device, Scanning::LookBack { whole_words: true })?;
    finish(&imp, sources)?;
    kernel_text(imp.kernels.values(), Dialect::Cuda)?;
    Ok(())
}

/// Verifies imperative code, and compiles its host part to bytecode.
fn finish(imp: &ImpProgram, sources: &Sources) -> Result<(), Failure> {
    warpwise_imp::verify::verify(imp).map_err(|message| Bug {
        pass: "lower to imperative code".to_string(),
        message,
        ir: String::new(),
    })?;
    warpwise_imp::bytecode::bytecode(imp, sources)?;
    Ok(())
}

fn source(name: &str, text: &str) -> SourceFile {
    SourceFile { key: name.to_string(), name: format!("{name}.fut"), text: text.to_string() }
}

/// Returns a CPU with vectors of eight floats and without mask registers.
fn target() -> CpuTarget {
    CpuTarget {
        name: "x86-64-v3".to_string(),
        features: String::new(),
        vector_bits: 256,
        mask_registers: false,
        compress_narrow: false,
    }
}
