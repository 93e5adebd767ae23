//! What the crate depends on with which features.

use std::process::Command;

/// The packages that this crate is made of, tests apart.
fn packages(features: &[&str]) -> String {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--package", "warpwise", "--edges", "normal,build", "--prefix", "none"]);
    let output = tree.args(features).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn llvm_belongs_to_the_feature_cpu() {
    let has_llvm = |packages: &str| packages.lines().any(|line| line.starts_with("llvm-sys "));
    assert!(has_llvm(&packages(&[])));
    for features in ["", "cuda", "opencl", "ndarray", "cuda,opencl,ndarray"] {
        let packages = packages(&["--no-default-features", "--features", features]);
        assert!(!has_llvm(&packages), "with the features `{features}`");
        assert!(packages.contains("warpwise-stream "));
    }
}
