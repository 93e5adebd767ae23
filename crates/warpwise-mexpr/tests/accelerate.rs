//! The passes of acceleration on text: `tests/accelerate/PASS/*.mc`.
//!
//! A file holds a program, a line `----`, and the program after the pass, or the messages of the pass. `BLESS=1` writes what is
//! found. The result of every pass must be a program that passes the front end again with the same types.

use std::fs;
use std::path::{Path, PathBuf};

use warpwise_diag::{Failure, Sources, render_failure};
use warpwise_mexpr::accelerate::extract::extract;
use warpwise_mexpr::accelerate::lift::lift;
use warpwise_mexpr::accelerate::name::name;
use warpwise_mexpr::accelerate::partial::write_out;
use warpwise_mexpr::accelerate::prune::prune;
use warpwise_mexpr::accelerate::split;
use warpwise_mexpr::accelerate::text::text;
use warpwise_mexpr::compile::{Checked, front_end};
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

fn compile(text: &str, sources: &mut Sources) -> Result<Checked, Failure> {
    let root = SourceFile { key: "root".to_string(), name: "test.mc".to_string(), text: text.to_string() };
    front_end(root, &Library, sources)
}

/// Returns the text of a program after a pass.
fn after(pass: &str, mut checked: Checked) -> Result<String, Failure> {
    let original = checked.clone();
    if pass == "partial" {
        write_out(&mut checked);
        return Ok(whole(&checked));
    }
    let entries = name(&mut checked);
    if pass == "name" {
        return Ok(whole(&checked));
    }
    lift(&mut checked, &entries);
    if pass == "lift" {
        return Ok(whole(&checked));
    }
    if pass == "prune" || pass == "extract" {
        let mut decls = checked.program.decls.clone();
        prune(&mut decls);
        let wanted = entries.iter().map(|entry| entry.var).collect();
        let decls = if pass == "prune" { decls } else { extract(&wanted, &decls).1 };
        return Ok(text(&checked, &decls, None));
    }
    let split = split(original)?;
    let part = |decls| text(&split.host, decls, None);
    match pass {
        "classify" => Ok(format!(
            "-- functional\n{}-- imperative\n{}",
            part(&split.functional),
            part(&split.imperative)
        )),
        "patterns" | "merge" => Ok(part(&split.functional)),
        "errors" => Ok("mexpr \"no errors\"".to_string()),
        other => panic!("no pass `{other}`"),
    }
}

fn whole(checked: &Checked) -> String {
    text(checked, &checked.program.decls, checked.program.main.as_ref())
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

#[test]
fn the_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/accelerate");
    let complaints: Vec<String> = files(&folder).iter().filter_map(|path| check_file(path).err()).collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

fn check_file(path: &Path) -> Result<(), String> {
    let name = path.display();
    let whole = fs::read_to_string(path).unwrap();
    let (program, expected) = whole.split_once("\n----\n").unwrap_or((whole.trim_end(), ""));
    let pass = path.parent().unwrap().file_name().unwrap().to_str().unwrap();
    let mut sources = Sources::new();
    let found = match compile(program, &mut sources).and_then(|checked| after(pass, checked)) {
        Ok(text) => {
            let again = compile(&text, &mut Sources::new());
            again.map_err(|failure| format!("{name}: what is left is no program: {failure:?}\n{text}"))?;
            text
        }
        Err(failure) => render_failure(&sources, &failure, false),
    };
    if found.trim_end() == expected.trim_end() {
        return Ok(());
    }
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, format!("{program}\n----\n{}\n", found.trim_end())).unwrap();
        return Ok(());
    }
    Err(format!("{name}: expected\n{expected}\nfound\n{found}"))
}
