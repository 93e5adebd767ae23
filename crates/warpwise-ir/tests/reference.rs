//! The examples of `docs/ir.md` parse, verify at the level they name, and round trip.

use std::path::Path;

use warpwise_diag::FileId;
use warpwise_ir::parse::parse;
use warpwise_ir::verify::{Level, verify};

#[test]
fn examples_of_the_reference_are_right() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ir.md");
    let text = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for block in text.split("```ir\n").skip(1) {
        let block = block.split("```").next().unwrap();
        let level = match block.lines().next() {
            Some("// level: soac") => Level::Soac,
            Some("// level: seg") => Level::Seg,
            Some("// level: mem") => Level::Mem,
            first => panic!("a block begins with {first:?}, not with its level"),
        };
        let program = match parse(block, FileId(0)) {
            Ok(program) => program,
            Err(failure) => panic!("{:?}\n{block}", failure.diagnostics()[0]),
        };
        if let Err(errors) = verify(&program, level) {
            panic!("{}\n{block}", errors[0]);
        }
        let printed = program.to_string();
        assert_eq!(parse(&printed, FileId(0)).unwrap().to_string(), printed);
        count += 1;
    }
    assert!(count >= 8, "{count} examples");
}
