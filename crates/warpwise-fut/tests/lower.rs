//! Tests that the programs in `tests/lower` become the core IR in the adjacent files, and that the verifier accepts it. `BLESS=1`
//! rewrites the files.

use std::path::{Path, PathBuf};

use warpwise_diag::{ReadError, SourceFile, SourceProvider, Sources, render_failure};
use warpwise_fut::compile::{Options, compile};
use warpwise_ir::verify::{Level, verify};

struct NoImports;

impl SourceProvider for NoImports {
    fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        Err(ReadError::NotFound(path.to_string()))
    }
}

/// Returns the core IR of a program as text, or an error message.
fn lowered(path: &Path) -> Result<String, String> {
    let name = path.file_name().unwrap().to_string_lossy().to_string();
    let text = std::fs::read_to_string(path).unwrap();
    let mut sources = Sources::new();
    let main = SourceFile { key: name.clone(), name: name.clone(), text };
    match compile(main, &NoImports, &mut sources, Options::default()) {
        Ok(compiled) => match verify(&compiled.program, Level::Soac) {
            Ok(()) => Ok(compiled.program.to_string()),
            Err(errors) => {
                let errors: Vec<String> = errors.iter().map(|error| error.to_string()).collect();
                Err(format!("{name}: {}\n{}", errors.join("\n"), compiled.program))
            }
        },
        Err(failure) => Err(render_failure(&sources, &failure, false)),
    }
}

fn programs(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        files.filter(|path| path.extension().is_some_and(|ext| ext == "fut")).collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

#[test]
fn programs_become_the_ir_beside_them() {
    let mut wrong = Vec::new();
    for path in programs("tests/lower") {
        let ir = lowered(&path).unwrap();
        let expected = path.with_extension("ir");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&expected, &ir).unwrap();
        } else if std::fs::read_to_string(&expected).ok().as_deref() != Some(&ir) {
            wrong.push(format!("{}:\n{ir}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn shown_and_measured_programs_are_accepted_by_the_verifier() {
    let folders = ["../../examples", "../../benchmarks", "../../benchmarks/micro"];
    let programs = folders.iter().flat_map(|folder| programs(folder));
    let wrong: Vec<String> = programs.filter_map(|path| lowered(&path).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
