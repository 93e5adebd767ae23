//! C programs that use a built library: compiled as users would, and run under valgrind.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use warpwise_driver::Options;
use warpwise_driver::build::build_standalone;
use warpwise_export::{Api, Form, export};

/// Builds the library for a generic processor, because valgrind does not know the newest instructions.
fn library() -> TempDir {
    library_of(Api::default())
}

fn library_of(api: Api) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let built = build_standalone(&here("library.fut"), &Options::default(), true);
    let built = built.unwrap_or_else(|error| panic!("{error}"));
    let made = export(&built.program, Form::Library(api), &folder.path().join("library")).unwrap();
    let names: Vec<&OsStr> = made.iter().filter_map(|path| path.file_name()).collect();
    assert_eq!(names, ["liblibrary.so", "liblibrary.a", "library.h", "library.json", "library.c"]);
    folder
}

fn here(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

#[track_caller]
fn succeeds(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Compiles a C program against the library.
fn compiled(folder: &Path, name: &str, library: &[&str]) -> PathBuf {
    let program = folder.join(name);
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-g", "-o"]).arg(&program);
    cc.arg("-I").arg(folder).arg(here("c").join(name).with_extension("c"));
    cc.current_dir(folder).args(library);
    succeeds(&mut cc);
    program
}

const SHARED: &[&str] = &["-L.", "-llibrary", "-Wl,-rpath,$ORIGIN"];
const STATIC: &[&str] = &["liblibrary.a", "-lmvec", "-lm"];
const SOURCE: &[&str] = &["library.c", "-ldl"];
const PROGRAMS: &[&str] = &["arrays", "opaque", "contexts", "misuse", "fork"];

#[test]
fn c_programs_use_the_library() {
    let library = library();
    for library_words in [SHARED, STATIC, SOURCE] {
        for name in PROGRAMS {
            succeeds(&mut Command::new(compiled(library.path(), name, library_words)));
        }
    }
}

#[test]
fn c_programs_are_clean_under_valgrind() {
    let library = library();
    // The child of a fork leaves its parent's contexts as they are.
    for name in PROGRAMS.iter().filter(|name| **name != "fork") {
        let program = compiled(library.path(), name, SHARED);
        let mut valgrind = Command::new("valgrind");
        valgrind.args([
            "--quiet",
            "--error-exitcode=99",
            "--leak-check=full",
            "--errors-for-leak-kinds=definite",
        ]);
        succeeds(valgrind.arg(program));
    }
}

#[test]
fn the_header_is_cpp_too() {
    let library = library();
    let source = library.path().join("program.cpp");
    std::fs::write(
        &source,
        "#include \"library.h\"\nint main() { return futhark_get_tuning_param_count(); }",
    )
    .unwrap();
    let program = library.path().join("program");
    let mut cc = Command::new("g++");
    cc.arg("-Wall").arg("-Wextra").arg("-Werror").arg("-o").arg(&program).arg(&source).args(SHARED);
    succeeds(cc.current_dir(library.path()));
    succeeds(&mut Command::new(program));
}

/// The 0.25 interface also serves tools that compile the C file by an older standard.
#[test]
fn tuples_are_several_results_in_the_interface_of_0_25() {
    let library = library_of(Api::V0_25);
    let source = library.path().join("program.c");
    let text = "#include \"library.h\"
int main(void) {
  struct futhark_context_config *cfg = futhark_context_config_new();
  struct futhark_context *ctx = futhark_context_new(cfg);
  int32_t number = 0;
  bool truth = false;
  int failed = futhark_entry_split(ctx, &number, &truth, 41);
  printf(\"%d %d %d\\n\", failed, number, truth);
  futhark_context_free(ctx);
  futhark_context_config_free(cfg);
  return 0;
}
";
    std::fs::write(&source, text).unwrap();
    let program = library.path().join("program");
    for words in [SHARED, SOURCE] {
        let mut cc = Command::new("cc");
        cc.args(["-std=c99", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&program).arg(&source).args(words);
        succeeds(cc.current_dir(library.path()));
        assert_eq!(succeeds(&mut Command::new(&program)), "0 20 0\n");
    }
    let manifest = std::fs::read_to_string(library.path().join("library.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let parts = ["i32", "bool"].map(|ty| serde_json::json!({"type": ty, "unique": false}));
    assert_eq!(manifest["entry_points"]["split"]["outputs"], serde_json::json!(parts));
    assert_eq!(manifest["types"].get("(i32, bool)"), None, "nobody meets such a tuple");
}

/// Two plug-ins, each with a library of its own inside, in a process that closes its descriptors in between: each calls its own
/// library, and the second file does not get the first one's name.
#[test]
fn plug_ins_have_their_own_libraries() {
    let folder = tempfile::tempdir().unwrap();
    for (name, answer) in [("one", 1), ("two", 2)] {
        let source = folder.path().join(name).with_extension("fut");
        std::fs::write(&source, format!("entry answer (x: i32) : i32 = x + {answer}\n")).unwrap();
        let built = build_standalone(&source, &Options::default(), true);
        let built = built.unwrap_or_else(|error| panic!("{error}"));
        export(&built.program, Form::Library(Api::default()), &folder.path().join(name)).unwrap();
        let mut cc = Command::new("cc");
        cc.args(["-std=c11", "-shared", "-fPIC", "-Wall", "-Wextra", "-Werror", "-I."]);
        cc.arg(format!("-DHEADER=\"{name}.h\"")).args(["-o", &format!("{name}.plugin")]);
        cc.arg(here("c/plugin.c")).arg(format!("{name}.c")).args(["-ldl"]);
        succeeds(cc.current_dir(folder.path()));
    }
    let host = folder.path().join("host");
    let mut cc = Command::new("cc");
    cc.args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-o"]).arg(&host).arg(here("c/host.c")).arg("-ldl");
    succeeds(&mut cc);
    for close in ["open", "close"] {
        let mut command = Command::new(&host);
        command.args([close, "./one.plugin", "./two.plugin"]).current_dir(folder.path());
        assert_eq!(succeeds(&mut command), "41 42\n", "{close}");
    }
    // Without standard streams, the library gets no descriptor of one.
    let mut shell = Command::new("sh");
    shell.args(["-c", "exec ./host open ./one.plugin ./two.plugin <&- 2>&-"]).current_dir(folder.path());
    assert_eq!(succeeds(&mut shell), "41 42\n");
    let mut readelf = Command::new("readelf");
    let listed = succeeds(readelf.args(["-d", "libone.so"]).current_dir(folder.path()));
    assert!(listed.contains("soname: [libone.so]"), "{listed}");
}

#[test]
fn nothing_but_the_library_is_seen() {
    let library = library();
    for (file, which) in [("liblibrary.so", "--dynamic"), ("liblibrary.a", "--extern-only")] {
        let mut nm = Command::new("nm");
        let listed = succeeds(nm.args(["--defined-only", which]).arg(library.path().join(file)));
        let names: Vec<&str> = listed.lines().filter_map(|line| line.split_whitespace().nth(2)).collect();
        assert!(names.contains(&"futhark_entry_scale"), "{file}");
        assert!(names.iter().all(|name| name.starts_with("futhark_")), "{file}: {names:?}");
    }
}

#[test]
fn the_manifest_says_what_the_header_declares() {
    let library = library();
    let read = |name: &str| std::fs::read_to_string(library.path().join(name)).unwrap();
    let (manifest, header) = (read("library.json"), read("library.h"));
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    let mut named = Vec::new();
    functions(&manifest, &mut named);
    assert!(named.len() > 50, "{named:?}");
    for name in named {
        assert!(header.contains(&format!("{name}(")), "{name} is not declared");
    }
    let types = manifest["types"].as_object().unwrap();
    assert_eq!(types["[]point"]["record_array"]["elemtype"], "point");
    assert_eq!(types["[][]f64"]["elemtype"], "f64");
    assert_eq!(types["shape"]["sum"]["variants"][2]["payload"], serde_json::json!(["[]point", "i32"]));
    assert_eq!(manifest["entry_points"]["step'"]["cfun"], "futhark_entry_stepzq");
    let hash = "9321f772ca3f28f4bf774005a8d59f56";
    assert_eq!(types["{a': i32, b: bool}"]["ctype"], format!("struct futhark_opaque_{hash} *"));
    assert!(header.contains(&format!("futhark_project_opaque_{hash}_azq(")), "{header}");
    let append = &manifest["entry_points"]["append"];
    assert_eq!(append["inputs"][0], serde_json::json!({"name": "xs", "type": "[]i64", "unique": true}));
    assert_eq!(append["output"], serde_json::json!({"type": "[]i64", "unique": true}));
    assert_eq!(manifest["entry_points"]["split"]["output"]["type"], "(i32, bool)");
}

/// Collects the names of functions in a manifest.
fn functions(value: &serde_json::Value, names: &mut Vec<String>) {
    match value {
        serde_json::Value::String(text) if text.starts_with("futhark_") => names.push(text.clone()),
        serde_json::Value::Array(parts) => parts.iter().for_each(|part| functions(part, names)),
        serde_json::Value::Object(fields) => fields.values().for_each(|part| functions(part, names)),
        _ => {}
    }
}
