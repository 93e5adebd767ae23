//! The example programs of the repository, `examples/mexpr/*.mc`, within the limits of this crate: their accelerated expressions
//! are lowered to a program that the verifier accepts, and every parallel loop can run in parallel. Their results are tested with
//! the back ends.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use warpwise_diag::{Sources, render_failure};
use warpwise_ir::Program;
use warpwise_ir::verify::{Level, verify};
use warpwise_mexpr::accelerate::lower::imperative::lower_imperative;
use warpwise_mexpr::accelerate::lower::{Checks, NoArrayLanguage, lower};
use warpwise_mexpr::accelerate::{Split, split};
use warpwise_mexpr::compile::front_end;
use warpwise_mexpr::library;
use warpwise_mexpr::load::{ReadError, SourceFile, SourceProvider};

/// The library that comes with the compiler.
struct Library;

impl SourceProvider for Library {
    fn read(&self, _including: &str, path: &str) -> Result<SourceFile, ReadError> {
        let text = library::file(path).ok_or_else(|| ReadError::NotFound(vec![path.to_string()]))?;
        Ok(SourceFile { key: path.to_string(), name: path.to_string(), text: text.to_string() })
    }
}

#[test]
fn what_examples_accelerate_is_lowered() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/mexpr");
    let mut paths: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() >= 7, "the examples are missing");
    paths.iter().for_each(|path| check(path));
}

fn check(path: &Path) {
    let name = path.file_name().unwrap().to_string_lossy().to_string();
    let text = fs::read_to_string(path).unwrap();
    let mut sources = Sources::new();
    let root = SourceFile { key: "root".to_string(), name: name.clone(), text };
    let lowered = front_end(root, &Library, &mut sources).and_then(split).and_then(|split| {
        let Split { host, entries, functional, imperative, .. } = &split;
        let (rows, checks) = (BTreeSet::new(), Checks::default());
        let functional = lower(host, entries, functional, &NoArrayLanguage, &rows, checks)?;
        let imperative = lower_imperative(host, entries, imperative, &|_| Vec::new(), &rows, checks)?;
        assert!(functional.rows.is_empty(), "{name}: the sequences of examples are regular");
        Ok((entries.len(), functional.program, imperative))
    });
    let (entries, functional, imperative) = match lowered {
        Ok(lowered) => lowered,
        Err(failure) => panic!("{}", render_failure(&sources, &failure, false)),
    };
    let in_order: Vec<&str> = imperative.notes.iter().map(|note| note.reason.as_str()).collect();
    assert!(in_order.is_empty(), "{name}: {in_order:?}");
    let programs: [&Program; 2] = [&functional, &imperative.program];
    assert!(programs.iter().map(|program| program.functions.len()).sum::<usize>() == entries && entries > 0);
    for program in programs {
        if let Err(errors) = verify(program, Level::Soac) {
            let functions: Vec<String> = program.functions.values().map(|f| f.to_string()).collect();
            panic!("{name}: {errors:?}\n{}", functions.join("\n"));
        }
        if let Some(dir) = std::env::var_os("DUMP_IR") {
            let functions: Vec<String> = program.functions.values().map(|f| f.to_string()).collect();
            fs::write(Path::new(&dir).join(format!("{name}.{}.ir", functions.len())), functions.join("\n"))
                .unwrap();
        }
    }
}
