//! Programs compiled for linking: machine code and images as bytes, for one processor or several.
//!
//! ```text
//! for this processor     one variant
//! portable               x86-64-v4, x86-64-v3, x86-64-v2: the first one that the processor supports runs
//! ```

use warpwise_cpu::CompileOptions;
use warpwise_diag::{Bug, Failure, Limit, Sources, Span};
use warpwise_imp::CpuTarget;
use warpwise_ir::Program as CoreProgram;
use warpwise_standalone::cpu::KNOWN;
use warpwise_standalone::entry::Entry;
use warpwise_standalone::image::{Image, ImageProgram};

use crate::compiler::{self, Options};
use crate::target::Target;

/// A program for linking.
#[derive(Clone, Debug)]
pub struct Standalone {
    /// Variants, the best first.
    pub variants: Vec<Variant>,
    /// Entry points, in the order of the source.
    pub entries: Vec<Entry>,
}

/// A program compiled for one processor.
#[derive(Clone, Debug)]
pub struct Variant {
    /// Image of everything except the kernels.
    pub image: Vec<u8>,
    /// Object files with the kernels.
    pub objects: Vec<Vec<u8>>,
    /// Symbols of the kernels, by number.
    pub symbols: Vec<String>,
}

/// Compiles core IR (level `soac`) for this processor or, if `portable`, for several.
pub fn compile_standalone(
    program: &mut CoreProgram,
    sources: &Sources,
    options: &Options,
    portable: bool,
) -> Result<Standalone, Failure> {
    if options.target != Target::Cpu {
        let message =
            format!("programs built to stand alone run on the processor, not on {}", options.target);
        return Err(Limit { message, span: entry_of(program) }.into());
    }
    let targets = match portable {
        true => warpwise_cpu::portable_targets(),
        false => vec![compiler::target_of(options)?],
    };
    compiler::optimise(program, options, |_, _, _| {})?;
    let mut all = Standalone { variants: Vec::new(), entries: Vec::new() };
    for target in &targets {
        let (variant, entries) = variant(program, sources, target)?;
        all.variants.push(variant);
        all.entries = entries;
    }
    Ok(all)
}

/// Returns the place of the first entry point.
fn entry_of(program: &CoreProgram) -> Span {
    let mut entries = program.functions.values().filter(|function| function.entry.is_some());
    entries.next().map_or(Span::NONE, |entry| entry.span)
}

fn variant(
    program: &CoreProgram,
    sources: &Sources,
    target: &CpuTarget,
) -> Result<(Variant, Vec<Entry>), Failure> {
    let mut imp = warpwise_imp::lower::lower(program, target)?;
    let module = warpwise_imp::bytecode::bytecode(&imp, sources)?;
    let entries = compiler::entries(&imp);
    // Kernels of all variants are linked into one program, so their names must differ.
    imp.kernels.values_mut().for_each(|kernel| kernel.name += &format!(" {}", target.name));
    let object = warpwise_cpu::compile(&imp, target, &CompileOptions::default())?;
    let image =
        Image { features: needed(target), program: ImageProgram { module, entries: entries.clone() } };
    let image = image.to_bytes().map_err(|message| {
        let (pass, ir) = ("image".to_string(), String::new());
        Bug { pass, message, ir }
    })?;
    let (objects, symbols) = object.into_parts();
    Ok((Variant { image, objects, symbols }, entries))
}

/// Returns the processor features that are checked before code for this processor runs.
fn needed(target: &CpuTarget) -> Vec<String> {
    let features = target.features.split(',').filter_map(|feature| feature.strip_prefix('+'));
    features.filter(|feature| KNOWN.contains(feature)).map(str::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use warpwise_standalone::cpu::missing;

    #[test]
    fn this_processor_has_what_its_code_needs() {
        let needed = needed(&warpwise_cpu::detect_target());
        assert!(!needed.is_empty());
        assert_eq!(missing(&needed), Vec::<&str>::new());
    }

    #[test]
    fn programs_for_devices_do_not_stand_alone_yet() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.fut");
        std::fs::write(&path, "-- one\nentry one = 1i32\n").unwrap();
        let target = "opencl:1".parse().unwrap();
        let options = Options { target, ..Options::default() };
        let error = crate::build::build_standalone(&path, &options, false).unwrap_err();
        let crate::build::BuildError::Failure { failure: Failure::Limit(limit), sources } = error else {
            panic!("{error}");
        };
        assert!(limit.message.contains("not on opencl:1"), "{}", limit.message);
        assert!(sources.describe(limit.span).ends_with("p.fut:2:7"), "{}", sources.describe(limit.span));
    }

    #[test]
    fn portable_code_needs_more_the_better_it_is() {
        let needs: Vec<Vec<String>> = warpwise_cpu::portable_targets().iter().map(needed).collect();
        for pair in needs.windows(2) {
            assert!(pair[1].iter().all(|feature| pair[0].contains(feature)), "{pair:?}");
            assert!(pair[0].len() > pair[1].len());
        }
    }
}
