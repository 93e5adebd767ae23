//! Programs of the core IR, lowered for a device.

use warpwise_diag::{FileId, Sources};
use warpwise_imp::lower::{self, Scanning};
use warpwise_imp::{ImpProgram, verify};
use warpwise_ir::Program;
use warpwise_ir::verify::Level;
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;

/// Parses a program.
pub fn parse(text: &str) -> Program {
    warpwise_ir::parse::parse(text, FileId(0)).expect("the program parses")
}

/// Returns a text that contains every source position of a program.
pub fn sources() -> Sources {
    let mut sources = Sources::new();
    sources.add("program".to_string(), " ".repeat(1 << 16));
    sources
}

/// Lowers a program for a device.
pub fn lowered(text: &str) -> ImpProgram {
    lowered_for(text, false)
}

/// Lowers a program for a device on which scans take one launch (`look_back`) or three.
pub fn lowered_for(text: &str, look_back: bool) -> ImpProgram {
    let mut program = parse(text);
    let passes = pipelines::strict(pipelines::DEVICE);
    run_passes(&passes, &mut program, Level::Soac, |_, _, _| {}).expect("the passes succeed");
    let scanning = if look_back { Scanning::LookBack { whole_words: true } } else { Scanning::Tiles };
    let lowered = lower::lower_for_device(&program, scanning).expect("the program can be lowered");
    assert_eq!(verify::verify(&lowered), Ok(()));
    lowered
}
