//! The dependencies of the crate, by feature.

use std::process::Command;

/// Returns the packages that this crate depends on, except for tests.
fn packages(features: &[&str]) -> String {
    let mut tree = Command::new(env!("CARGO"));
    tree.args(["tree", "--offline", "--package", "warpwise", "--edges", "normal,build", "--prefix", "none"]);
    let output = tree.args(features).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Returns whether a package has this name.
fn has(packages: &str, name: &str) -> bool {
    packages.lines().any(|line| line.split(' ').next() == Some(name))
}

/// Returns the dependencies of the crate with exactly these features.
fn with(features: &str) -> String {
    packages(&["--no-default-features", "--features", features])
}

#[test]
fn llvm_belongs_to_the_feature_cpu() {
    assert!(has(&packages(&[]), "llvm-sys"));
    for features in
        ["", "cuda", "opencl", "ndarray", "seq", "files", "include", "cuda,files,include,ndarray,opencl"]
    {
        assert!(!has(&with(features), "llvm-sys"), "with the features `{features}`");
    }
    for features in ["cpu", "static-llvm", "export"] {
        assert!(has(&with(features), "llvm-sys"), "with the features `{features}`");
    }
}

#[test]
fn each_part_belongs_to_its_feature() {
    let parts = [
        ("seq", "warpwise-stream"),
        ("csv", "csv"),
        ("arrow", "arrow-array"),
        ("parquet", "parquet"),
        ("wav", "hound"),
        ("gzip", "flate2"),
        ("include", "warpwise-fut"),
        ("ndarray", "ndarray"),
        ("cuda", "cudarc"),
        ("opencl", "opencl3"),
        ("export", "warpwise-export"),
    ];
    let least = with("cpu");
    for (feature, package) in parts {
        assert!(!has(&least, package), "{package} without `{feature}`");
        assert!(has(&with(feature), package), "no {package} with `{feature}`");
    }
    let formats = ["csv", "arrow-array", "parquet", "hound", "flate2"];
    assert!(formats.iter().all(|package| has(&with("files"), package)));
    assert!(formats.iter().all(|package| !has(&packages(&[]), package)), "a format is on by default");
    assert!(!has(&with("cpu,cuda,export,files,include,ndarray,opencl"), "warpwise-mexpr"));
}
