//! Files of `tests/verify` have exactly the errors that they announce: `// error: text` is on the line where the wrong statement
//! (or function) begins, and the reason contains the text. The first line names the level.

use std::path::Path;

use warpwise_diag::Sources;
use warpwise_ir::entity::Entity;
use warpwise_ir::parse::parse;
use warpwise_ir::verify::{Level, verify};
use warpwise_ir::{Expr, Function, Var};
use warpwise_prim::UnaryOp;

#[test]
fn files_have_the_errors_they_announce() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verify");
    let mut failures = Vec::new();
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(paths.len() > 5);
    for path in paths {
        failures.extend(check(&path));
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// Returns the missing and unexpected errors of a file.
fn check(path: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let name = path.file_name().unwrap().to_string_lossy().to_string();
    let mut sources = Sources::new();
    let file = sources.add(&name, &text);
    let program = match parse(&text, file) {
        Ok(program) => program,
        Err(failure) => {
            let diagnostic = &failure.diagnostics()[0];
            return vec![format!("{}: {}", sources.describe(diagnostic.span), diagnostic.message)];
        }
    };
    let level = match text.lines().next() {
        Some("// level: soac") => Level::Soac,
        Some("// level: seg") => Level::Seg,
        Some("// level: mem") => Level::Mem,
        first => panic!("{name} begins with {first:?}, not with its level"),
    };
    let mut expected: Vec<(usize, &str)> = Vec::new();
    for (line, text) in text.lines().enumerate() {
        expected.extend(text.split_once("// error: ").map(|(_, error)| (line + 1, error)));
    }
    let mut failures = Vec::new();
    for error in verify(&program, level).err().unwrap_or_default() {
        let line = sources.position(error.span.file, error.span.start).line as usize;
        match expected.iter().position(|(at, text)| *at == line && error.reason.contains(text)) {
            Some(found) => drop(expected.remove(found)),
            None => failures.push(format!("{name}:{line}: not announced: {error}")),
        }
    }
    failures.extend(expected.iter().map(|(line, text)| format!("{name}:{line}: not found: {text}")));
    failures
}

#[test]
fn errors_name_function_and_statement() {
    let text = "fun f(a: [2]i32) -> () { x: i64 = {c} index a[0, 1]; return }";
    let text = text.replace("{c} ", "");
    let program = parse(&text, warpwise_diag::FileId(0)).unwrap();
    let errors = verify(&program, Level::Soac).unwrap_err();
    let expected = "in `f`, at `x: i64 = index a[0, 1]`: 2 indices into 1 dimensions";
    assert_eq!(errors.iter().map(|error| error.to_string()).collect::<Vec<_>>(), [expected]);
}

/// Errors that the text form cannot express: variables out of scope, bound twice, or nonexistent.
#[test]
fn broken_names_are_errors() {
    let text = "fun f(c: bool) -> (r: i32) {
        x: i32 = if c { y: i32 = neg 1i32; return y } else { return 0i32 };
        z: i32 = neg x;
        return z
    }";
    let program = parse(text, warpwise_diag::FileId(0)).unwrap();
    let (id, original) = program.functions.iter().next().unwrap();
    let Expr::If { then_body, .. } = &original.body.stms[0].expr else { panic!("an `if`") };
    let inner = then_body.stms[0].pattern[0];
    let outer = original.body.stms[1].pattern[0];
    let reason = |change: &dyn Fn(&mut Function)| {
        let mut program = program.clone();
        change(&mut program.functions[id]);
        verify(&program, Level::Soac).unwrap_err()[0].reason.clone()
    };
    let use_inner = |f: &mut Function| f.body.stms[1].expr = Expr::Unary(UnaryOp::Neg, inner.into());
    assert_eq!(reason(&use_inner), "`y` is used outside its scope");
    let use_itself = |f: &mut Function| f.body.stms[1].expr = Expr::Unary(UnaryOp::Neg, outer.into());
    assert_eq!(reason(&use_itself), "`z` is used before it is bound");
    let bind_twice = |f: &mut Function| f.body.stms[1].pattern = f.body.stms[0].pattern.clone();
    assert_eq!(reason(&bind_twice), "`x` is bound twice");
    let unknown = |f: &mut Function| f.body.result = vec![Var::new(999).into()];
    assert_eq!(reason(&unknown), "there is a variable or function that does not exist");
}
