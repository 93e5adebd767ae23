//! Builds the runtime that is linked into programs: `warpwise-standalone` as one object file, embedded in this crate, so that
//! users who build programs need only a C compiler.
//!
//! Cargo has no stable way to depend on a static library. So this script calls Cargo again, for a package that is written to
//! `OUT_DIR` and contains only `warpwise-standalone` as a static library. The workspace crates that the package needs lie beside
//! this one: in the repository, in Cargo's registry folder and in vendored folders alike. All other crates were fetched by the
//! outer Cargo, in the versions of its lock file if that lies above the target folder, as it usually does. Code that the
//! functions for C do not reach is left out.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The crate whose functions are exported.
const ROOT: &str = "warpwise-standalone";

/// Workspace crates that it depends on.
const BELOW: &[&str] = &["warpwise-prim", "warpwise-diag", "warpwise-ir", "warpwise-runtime"];

/// Prefix of the functions for C.
const PREFIX: &str = "warpwise_";

/// Settings of the outer Cargo and its tools that must not reach the inner Cargo.
const NOT_OURS: &[&str] = &[
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TARGET_DIR",
    "RUSTC",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
];

/// Functions of newer systems that the standard library uses if present; made weak, so that linking succeeds on systems without
/// them.
const OPTIONAL: &[&str] = &[
    "pidfd_getpid",
    "pidfd_spawnp",
    "posix_spawn_file_actions_addchdir",
    "posix_spawn_file_actions_addchdir_np",
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = PathBuf::from(variable("OUT_DIR"));
    let object = out.join("runtime.o");
    if env::var_os("DOCS_RS").is_some() {
        // Documentation needs no runtime.
        return write(&object, "");
    }
    let siblings = Siblings::find();
    siblings.watch();
    let library = static_library(&siblings, &out);
    let functions = functions(&library);
    assert!(functions.len() > 10, "the functions for C were not found");
    partial_link(&library, &functions, &object);
}

/// The runtime's crates that lie beside this one.
struct Siblings(Vec<(&'static str, PathBuf)>);

impl Siblings {
    fn find() -> Siblings {
        let beside = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
        let version = variable("CARGO_PKG_VERSION");
        let found = |name: &'static str| {
            let folders = [name.to_string(), format!("{name}-{version}")].map(|folder| beside.join(folder));
            let folder = folders.into_iter().find(|folder| folder.join("Cargo.toml").is_file())?;
            Some((name, folder.canonicalize().ok()?))
        };
        Siblings([ROOT].iter().chain(BELOW).filter_map(|&name| found(name)).collect())
    }

    fn watch(&self) {
        for (_, folder) in &self.0 {
            for part in ["src", "Cargo.toml"] {
                println!("cargo::rerun-if-changed={}", folder.join(part).display());
            }
        }
    }

    /// Returns the manifest of a package that builds the root crate as a static library.
    fn manifest(&self) -> String {
        let version = variable("CARGO_PKG_VERSION");
        let path = |(_, folder): &(&str, PathBuf)| format!(", path = {:?}", folder.display().to_string());
        let of_root = self.0.iter().find(|(name, _)| *name == ROOT).map(path).unwrap_or_default();
        let mut text = format!(
            "[package]\nname = \"run-time\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             [workspace]\n\
             [lib]\npath = \"lib.rs\"\ncrate-type = [\"staticlib\"]\n\
             [profile.dev]\nopt-level = 1\ndebug = false\n\
             [profile.release]\nlto = \"thin\"\n\
             [dependencies]\n{ROOT} = {{ version = \"={version}\"{of_root} }}\n\
             [patch.crates-io]\n"
        );
        // In the repository, the manifests themselves contain the paths of the other crates.
        let packaged = self.0.iter().filter(|(_, folder)| folder.join("Cargo.toml.orig").is_file());
        for (name, folder) in packaged.filter(|(name, _)| *name != ROOT) {
            let _ = writeln!(text, "{name} = {{ path = {:?} }}", folder.display().to_string());
        }
        text
    }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| panic!("Cargo did not set {name}"))
}

fn write(path: &Path, text: &str) {
    fs::write(path, text).unwrap_or_else(|error| panic!("cannot write {}: {error}", path.display()));
}

/// Returns the lock file of the outer Cargo, if it is found.
fn lock(out: &Path) -> Option<PathBuf> {
    let repository = Path::new(&variable("CARGO_MANIFEST_DIR")).join("../..");
    let above = out.ancestors().chain([repository.as_path()]);
    above.map(|folder| folder.join("Cargo.lock")).find(|file| file.is_file())
}

fn static_library(siblings: &Siblings, out: &Path) -> PathBuf {
    let package = out.join("run-time");
    fs::create_dir_all(&package)
        .unwrap_or_else(|error| panic!("cannot create {}: {error}", package.display()));
    write(&package.join("Cargo.toml"), &siblings.manifest());
    write(&package.join("lib.rs"), "pub use warpwise_standalone;\n");
    if let Some(lock) = lock(out) {
        fs::copy(&lock, package.join("Cargo.lock"))
            .unwrap_or_else(|error| panic!("cannot copy {}: {error}", lock.display()));
    }
    let (profile, folder) =
        if variable("PROFILE") == "release" { ("release", "release") } else { ("dev", "debug") };
    let (target, triple) = (out.join("target"), variable("TARGET"));
    let mut cargo = Command::new(variable("CARGO"));
    // The outer Cargo has fetched everything.
    cargo.args(["build", "--quiet", "--offline", "--profile", profile, "--target", &triple, "--target-dir"]);
    cargo.arg(&target).current_dir(&package);
    NOT_OURS.iter().for_each(|name| {
        cargo.env_remove(name);
    });
    run(&mut cargo);
    target.join(triple).join(folder).join("librun_time.a")
}

/// Returns the names of the functions for C.
fn functions(library: &Path) -> Vec<String> {
    let mut list = Command::new("nm");
    list.args(["--defined-only", "--extern-only", "--format=posix"]).arg(library);
    let output = list.output().unwrap_or_else(|error| panic!("cannot run {list:?}: {error}"));
    assert!(output.status.success(), "{list:?} failed: {}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    let symbols = text.lines().filter_map(|line| line.split_once(" T "));
    let mut found: Vec<String> =
        symbols.map(|(name, _)| name.to_string()).filter(|name| name.starts_with(PREFIX)).collect();
    found.sort();
    found.dedup();
    found
}

/// Links these functions and everything that they need to one object file.
fn partial_link(library: &Path, functions: &[String], object: &Path) {
    let mut link = Command::new("cc");
    link.args(["-r", "-nostdlib", "-Wl,--gc-sections", "-Wl,--strip-debug", "-o"]).arg(object);
    link.args(functions.iter().map(|name| format!("-Wl,--require-defined={name}"))).arg(library);
    run(&mut link);
    // Removes the standard library's bitcode, which is not executable code.
    let mut trim = Command::new("objcopy");
    trim.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd"]);
    trim.args(OPTIONAL.iter().map(|name| format!("--weaken-symbol={name}"))).arg(object);
    run(&mut trim);
}

fn run(command: &mut Command) {
    let status = command.status().unwrap_or_else(|error| panic!("cannot run {command:?}: {error}"));
    assert!(status.success(), "{command:?} failed");
}
