//! Compilation of core IR: its options and its steps.

use std::time::{Duration, Instant};

use warpwise_cpu::CompileOptions;
use warpwise_diag::{Bug, Failure, Sources};
use warpwise_gpu::kernel_text::Dialect;
use warpwise_imp::lower::Scanning;
use warpwise_imp::{CpuTarget, ImpProgram};
use warpwise_ir::Program as CoreProgram;
use warpwise_ir::verify::Level;
use warpwise_opt::pass::{Pass, Timing, run_passes};
use warpwise_opt::pipelines;

use crate::program::{Code, Compiled};
use crate::target::{Target, device_text};
use warpwise_standalone::entry::Entry;

/// Options of a compilation.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Options {
    /// The machine that kernels run on.
    pub target: Target,
    /// Whether every float operation is rounded separately, without fused multiply-adds.
    pub strict_fp: bool,
    /// Whether divisions by square roots and constants are approximated. `strict_fp` overrides it.
    pub fast_math: bool,
    /// Whether all run-time checks are left out.
    pub unsafe_: bool,
    /// Width of vectors in bits, instead of the machine's.
    pub vector_width: Option<u32>,
    /// Names of passes to leave out, among [`pipelines::OPTIONAL`].
    pub without: Vec<String>,
    /// Whether scans take one launch even on devices that do not guarantee that a work-group makes progress while others wait for it.
    pub single_pass: bool,
    /// Entry points to compile, with all that they need. If none is named, or one does not exist, all entry points are compiled.
    pub entries: Vec<String>,
}

impl Options {
    /// Returns how scans are done on the target. The driver is asked whether an OpenCL device is the processor; a missing device counts
    /// as another device.
    pub fn scanning(&self) -> Scanning {
        match self.target {
            Target::Device(Dialect::Cuda, _) => Scanning::LookBack { whole_words: true },
            Target::Device(Dialect::OpenCl, _) if self.single_pass => {
                Scanning::LookBack { whole_words: false }
            }
            Target::Device(Dialect::OpenCl, _) if !self.target.is_processor() => Scanning::Tiles,
            Target::Device(Dialect::OpenCl, _) | Target::Cpu => Scanning::Blocks,
        }
    }
}

/// Returns the CPU that these options compile for.
pub fn target(options: &Options) -> Result<CpuTarget, String> {
    match options.vector_width {
        None => Ok(warpwise_cpu::detect_target()),
        Some(bits) => warpwise_cpu::target_with_width(bits).map_err(|error| error.to_string()),
    }
}

/// Returns the passes that run with these options.
pub fn passes(options: &Options) -> Vec<Pass> {
    let usual = match options.target {
        Target::Cpu => pipelines::CPU,
        Target::Device(..) => pipelines::DEVICE,
    };
    let mut passes = match options {
        Options { strict_fp: true, .. } => pipelines::strict(usual),
        Options { fast_math: true, .. } => pipelines::fast(usual),
        Options { .. } => usual.to_vec(),
    };
    let is_left_out = |pass: &Pass| {
        let optional = pipelines::OPTIONAL.iter().any(|optional| optional.name == pass.name);
        optional && options.without.iter().any(|name| name == pass.name)
    };
    passes.retain(|pass| !is_left_out(pass));
    passes
}

/// Runs the passes on core IR; `observe` sees every step.
pub fn optimise(
    program: &mut CoreProgram,
    options: &Options,
    observe: impl FnMut(&Pass, &CoreProgram, Timing),
) -> Result<(), Failure> {
    warpwise_opt::pass::check("internalise", program, Level::Soac)?;
    run_passes(&passes(options), program, Level::Soac, observe).map(|_| ())
}

/// Compiles optimised core IR (level `mem`).
pub fn generate(program: &CoreProgram, sources: &Sources, target: &CpuTarget) -> Result<Compiled, Failure> {
    generate_timed(program, sources, target, |_, _| {})
}

/// Does the same as [`generate`], and reports the duration of each step to `observe`.
pub fn generate_timed(
    program: &CoreProgram,
    sources: &Sources,
    target: &CpuTarget,
    mut observe: impl FnMut(&'static str, Duration),
) -> Result<Compiled, Failure> {
    let mut start = Instant::now();
    let mut done = |step| observe(step, std::mem::replace(&mut start, Instant::now()).elapsed());
    let imp = warpwise_imp::lower::lower(program, target)?;
    done("lower");
    if cfg!(debug_assertions) {
        verified(&imp)?;
        done("verify lowered");
    }
    let module = warpwise_imp::bytecode::bytecode(&imp, sources)?;
    done("bytecode");
    let object = warpwise_cpu::compile(&imp, target, &CompileOptions::default())?;
    done("llvm");
    Ok(Compiled { module, code: Code::Cpu(object), entries: entries(&imp) })
}

/// Compiles core IR (level `mem`) that is scheduled for devices, for the device with this kind and number.
pub fn generate_for_device(
    program: &CoreProgram,
    sources: &Sources,
    (dialect, number): (Dialect, usize),
    scanning: Scanning,
) -> Result<Compiled, Failure> {
    let imp = warpwise_imp::lower::lower_for_device(program, scanning)?;
    if cfg!(debug_assertions) {
        verified(&imp)?;
    }
    let module = warpwise_imp::bytecode::bytecode(&imp, sources)?;
    let text = device_text(&imp, dialect)?;
    Ok(Compiled { module, code: Code::Device { dialect, number, text }, entries: entries(&imp) })
}

fn verified(imp: &ImpProgram) -> Result<(), Bug> {
    warpwise_imp::verify::verify(imp).map_err(|message| {
        let (pass, ir) = ("lower".to_string(), imp.to_string());
        Bug { pass, message, ir }
    })
}

pub(crate) fn entries(imp: &ImpProgram) -> Vec<Entry> {
    let entry = |(function, f): (usize, &warpwise_imp::HostFunction)| {
        f.entry.clone().map(|point| Entry { point, function })
    };
    imp.functions.iter().enumerate().filter_map(entry).collect()
}

/// Compiles core IR (level `soac`) with few passes and without vectors, for comparison with other code.
pub fn compile_unfused(program: &mut CoreProgram, sources: &Sources) -> Result<Compiled, Failure> {
    run_passes(pipelines::UNFUSED, program, Level::Soac, |_, _, _| {})?;
    generate(program, sources, &target_of(&Options { vector_width: Some(1), ..Options::default() })?)
}

/// Compiles core IR (level `soac`).
pub fn compile_core(
    program: &mut CoreProgram,
    sources: &Sources,
    options: &Options,
) -> Result<Compiled, Failure> {
    match options.target {
        Target::Cpu => {
            let target = target_of(options)?;
            optimise(program, options, |_, _, _| {})?;
            generate(program, sources, &target)
        }
        Target::Device(dialect, number) => {
            optimise(program, options, |_, _, _| {})?;
            generate_for_device(program, sources, (dialect, number), options.scanning())
        }
    }
}

pub(crate) fn target_of(options: &Options) -> Result<CpuTarget, Failure> {
    target(options).map_err(|message| {
        let (pass, ir) = ("target".to_string(), String::new());
        Bug { pass, message, ir }.into()
    })
}
