//! With the feature `static-llvm`: links LLVM and the C++ libraries that it needs into the program. With the feature `linker`:
//! compiles the shim that calls LLD, and links LLD.
//!
//! LLVM's own bindings link nothing in the static case, because `llvm-config` names more than is needed if a distribution built
//! LLVM: every component, and shared libraries that only tools use (`libxml2`, `libz3`, `libffi`). This script lists the
//! components that are called, which `llvm-config` completes, and the static `libzstd`, `libz` and `libstdc++`.
//!
//! The order of archives does not matter to LLD, which Rust links with from 1.90 on. Other linkers may require another order.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The components of LLVM that are called.
const COMPONENTS: &[&str] = &["x86", "passes", "irreader", "orcjit", "linker", "bitwriter"];

/// The components that LLD and the shim call.
const OF_LINKER: &[&str] = &["lto", "objcopy", "option"];

/// The libraries of LLD, which are always static.
#[cfg(feature = "linker")]
const LLD: &[&str] = &["lldELF", "lldCommon"];

/// The libraries that all of these call: compression of object files, and C++'s standard library.
const BELOW: &[&str] = &["zstd", "z", "stdc++"];

/// Names of `llvm-config` for this version, in the order in which LLVM's bindings try them.
const NAMES: &[&str] = &[
    "llvm-config",
    "llvm-config-19",
    "llvm-config19",
    "llvm19-config",
    "llvm-config-19.1",
    "llvm-config191",
    "llvm-config-19-64",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LLVM_SYS_191_PREFIX");
    if env::var_os("DOCS_RS").is_some() {
        // Documentation links nothing, and is built on machines without LLVM.
        return;
    }
    #[cfg(feature = "linker")]
    link_lld(&LlvmConfig::find());
    if cfg!(feature = "static-llvm") {
        link_statically(&LlvmConfig::find());
    } else if cfg!(feature = "linker") {
        BELOW.iter().for_each(|name| println!("cargo::rustc-link-lib=dylib={name}"));
    }
}

#[cfg(feature = "linker")]
fn link_lld(llvm: &LlvmConfig) {
    let shim = "src/linker/shim.cpp";
    println!("cargo::rerun-if-changed={shim}");
    let mut build = cc::Build::new();
    build.cpp(true).std("c++17").opt_level(1).flag("-fno-exceptions").cpp_link_stdlib(None);
    if cfg!(feature = "static-llvm") {
        let built = llvm.ask(&["--targets-built"]);
        let absent = built.split_whitespace().filter(|&target| target != "X86");
        let absent: Vec<String> = absent.map(|target| format!("ABSENT({target})")).collect();
        build.define("ABSENT_TARGETS", absent.join(" ").as_str());
    }
    // Warnings about LLVM's headers are not relevant here.
    build.flag("-isystem").flag(llvm.ask(&["--includedir"])).file(shim).compile("warpwise_linker");
    println!("cargo::rustc-link-search=native={}", llvm.ask(&["--libdir"]));
    LLD.iter().for_each(|name| link(name));
}

fn link_statically(llvm: &LlvmConfig) {
    println!("cargo::rustc-link-search=native={}", llvm.ask(&["--libdir"]));
    let of_linker = if cfg!(feature = "linker") { OF_LINKER } else { &[] };
    let libraries = llvm.ask(&[&["--link-static", "--libnames"], COMPONENTS, of_linker].concat());
    for file in libraries.split_whitespace() {
        let name = file.strip_prefix("lib").and_then(|name| name.strip_suffix(".a"));
        link(name.unwrap_or_else(|| panic!("llvm-config names {file}, which is no static library")));
    }
    for name in BELOW {
        println!("cargo::rustc-link-search=native={}", folder_of(&format!("lib{name}.a")).display());
        link(name);
    }
}

/// Requests a library that is found when a program is linked, instead of being copied into this crate's library.
fn link(name: &str) {
    println!("cargo::rustc-link-lib=static:-bundle={name}");
}

/// Returns the folder in which the C compiler finds a library.
fn folder_of(file: &str) -> PathBuf {
    let found = output(Command::new("cc").arg(format!("-print-file-name={file}")));
    let path = Path::new(&found);
    match path.parent() {
        Some(folder) if path.is_absolute() => folder.to_path_buf(),
        _ => panic!("{file} is missing; scripts/setup.sh wheel installs what is needed"),
    }
}

struct LlvmConfig(PathBuf);

impl LlvmConfig {
    fn find() -> LlvmConfig {
        let folder = env::var_os("LLVM_SYS_191_PREFIX").map(|prefix| Path::new(&prefix).join("bin"));
        let folder = folder.unwrap_or_default();
        let is_ours = |path: &PathBuf| {
            let answer = Command::new(path).arg("--version").output();
            answer.is_ok_and(|answer| answer.stdout.starts_with(b"19.1."))
        };
        let found = NAMES.iter().map(|name| folder.join(name)).find(is_ours);
        LlvmConfig(found.expect("LLVM 19.1 is missing; scripts/setup.sh wheel installs what is needed"))
    }

    fn ask(&self, words: &[&str]) -> String {
        output(Command::new(&self.0).args(words))
    }
}

fn output(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(output.status.success(), "{command:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).trim().to_string()
}
