//! Makes the run time that is linked into programs: `warpwise-standalone` as one object file, embedded in this crate, so that
//! whoever builds programs needs a C compiler and nothing else.
//!
//! Cargo has no stable way to depend on a static library of the workspace, so it is called once more here, with a target folder of its
//! own. What the library's functions for C do not reach is left out.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crates that the run time is made of.
const CRATES: &[&str] =
    &["warpwise-prim", "warpwise-diag", "warpwise-ir", "warpwise-runtime", "warpwise-standalone"];

/// Settings of the outer Cargo and of tools around it that must not reach the inner one.
const NOT_OURS: &[&str] = &[
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "CARGO_BUILD_TARGET_DIR",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTC",
    "RUSTDOC",
    "RUSTFLAGS",
];

/// Functions of newer systems, which the standard library uses where they are there: a system without them must not complain.
const OPTIONAL: &[&str] = &[
    "pidfd_getpid",
    "pidfd_spawnp",
    "posix_spawn_file_actions_addchdir",
    "posix_spawn_file_actions_addchdir_np",
];

fn main() {
    let crates = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
    for name in CRATES {
        for part in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", crates.join(name).join(part).display());
        }
    }
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let library = static_library(&crates, &out);
    let mut roots = functions(&crates.join("warpwise-standalone/src"));
    roots.extend(functions(&crates.join("warpwise-runtime/src")));
    assert!(roots.len() > 10, "the functions for C were not found");
    partial_link(&library, &roots, &out.join("runtime.o"));
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo did not set {name}"))
}

fn static_library(crates: &Path, out: &Path) -> PathBuf {
    let (profile, folder) =
        if variable("PROFILE") == "release" { ("release", "release") } else { ("dev", "debug") };
    let target = out.join("target");
    let mut cargo = Command::new(variable("CARGO"));
    cargo.args([
        "rustc",
        "--quiet",
        "--lib",
        "--crate-type",
        "staticlib",
        "--profile",
        profile,
        "--manifest-path",
    ]);
    cargo.arg(crates.join("warpwise-standalone/Cargo.toml")).arg("--target-dir").arg(&target);
    cargo.env("CARGO_PROFILE_DEV_DEBUG", "false").env("CARGO_PROFILE_RELEASE_DEBUG", "false");
    for name in NOT_OURS {
        cargo.env_remove(name);
    }
    run(&mut cargo);
    target.join(folder).join("libwarpwise_standalone.a")
}

/// The names of the functions for C.
fn functions(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap_or_else(|error| panic!("{}: {error}", folder.display())).path();
        if path.is_dir() {
            found.extend(functions(&path));
            continue;
        }
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for part in text.split("extern \"C\" fn ").skip(1) {
            let name = part.split('(').next().unwrap_or_default();
            if name.starts_with("warpwise_") {
                found.push(name.to_string());
            }
        }
    }
    found.sort();
    found
}

/// One object file with these functions and what they need.
fn partial_link(library: &Path, functions: &[String], object: &Path) {
    let mut link = Command::new("cc");
    link.args(["-r", "-nostdlib", "-Wl,--gc-sections", "-Wl,--strip-debug", "-o"]).arg(object);
    link.args(functions.iter().map(|name| format!("-Wl,--require-defined={name}"))).arg(library);
    run(&mut link);
    // The standard library's bitcode is not code.
    let mut trim = Command::new("objcopy");
    trim.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    trim.args(OPTIONAL.iter().map(|name| format!("--weaken-symbol={name}"))).arg(object);
    run(&mut trim);
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(status.success(), "{command:?} failed");
}
