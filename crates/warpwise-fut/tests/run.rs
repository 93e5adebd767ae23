//! Tests that the programs in `tests/run` pass their test blocks, run by the interpreter of the core IR.

mod interpreted;

use std::path::Path;

#[test]
fn programs_do_what_they_say() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/run");
    let mut passed = 0;
    let mut failed = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let outcome = interpreted::run_program(&path);
        passed += outcome.passed;
        assert_eq!(outcome.skipped, 0, "{}: not run", path.display());
        for why in outcome.failed {
            failed += &format!("{}: {why}\n", path.display());
        }
    }
    assert!(failed.is_empty(), "{failed}");
    assert!(passed > 0);
}
