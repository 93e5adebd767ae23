//! Checks that `ARCHITECTURE.md` shows its program as it really is at every stage.
//!
//! The document holds one block marked `futhark`; the blocks marked `text STAGE` hold the program at a stage: `internalise` is the
//! output of the front end, the name of a pass means after its last run, `imperative` is the last kernel of the lowered program.
//! `BLESS=1` rewrites the blocks. The target machine is fixed, so that the text is the same everywhere.

use std::path::PathBuf;
use std::{env, fs};

use warpwise_driver::build::read_core;
use warpwise_driver::compiler::{Options, optimise};
use warpwise_imp::CpuTarget;

/// Stages that the document must show, in order.
const STAGES: [&str; 5] = ["internalise", "fuse", "schedule", "place", "imperative"];

const FENCE: &str = "```";

#[test]
fn the_document_shows_what_the_compiler_does() {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../ARCHITECTURE.md");
    let document = fs::read_to_string(&path).expect("the document is there");
    let source = block(&document, "futhark").expect("the document has a program");
    let mut expected = document.clone();
    for (stage, text) in stages(source) {
        let shown = block(&document, &format!("text {stage}"));
        let shown = shown.unwrap_or_else(|| panic!("the document does not show the stage `{stage}`"));
        let fence = format!("{FENCE}text {stage}\n");
        expected = expected.replace(&format!("{fence}{shown}"), &format!("{fence}{text}"));
    }
    if env::var_os("BLESS").is_some() {
        fs::write(&path, &expected).expect("the document can be written");
    } else {
        assert!(document == expected, "a stage has changed; BLESS=1 rewrites the document:\n{expected}");
    }
}

/// Returns the stages of a program, as text.
fn stages(source: &str) -> Vec<(&'static str, String)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("mvm.fut");
    fs::write(&file, source).expect("the program can be written");
    let options = Options::default();
    let core = read_core(&file, &options).unwrap_or_else(|error| panic!("{error}"));
    let mut program = core.program;
    let mut seen = vec![("internalise", program.to_string())];
    let observed = optimise(&mut program, &options, |pass, program, _| {
        seen.retain(|(name, _)| *name != pass.name);
        seen.push((pass.name, program.to_string()));
    });
    observed.expect("the program can be optimised");
    let imp = warpwise_imp::lower::lower(&program, &target()).expect("the program can be lowered");
    seen.push(("imperative", last_kernel(&imp.to_string()).to_string()));
    let text = |stage| seen.iter().find(|(name, _)| *name == stage).map(|(_, text)| text.trim_end());
    STAGES.map(|stage| (stage, format!("{}\n", text(stage).expect("a stage of this name")))).to_vec()
}

/// Returns the last kernel of a program.
fn last_kernel(imperative: &str) -> &str {
    imperative.rfind("\nkernel ").map_or(imperative, |place| &imperative[place + 1..])
}

/// Returns a machine with vectors of 4 floats, the smallest there is.
fn target() -> CpuTarget {
    CpuTarget {
        name: "x86-64".to_string(),
        features: String::new(),
        vector_bits: 128,
        mask_registers: false,
        compress_narrow: false,
    }
}

/// Returns the contents of the block with this mark.
fn block<'d>(document: &'d str, mark: &str) -> Option<&'d str> {
    let opening = format!("\n{FENCE}{mark}\n");
    let start = document.find(&opening)? + opening.len();
    let length = document[start..].find(&format!("\n{FENCE}\n"))?;
    Some(&document[start..=start + length])
}
