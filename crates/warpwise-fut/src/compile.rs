//! The whole front end: compiles a main file with its imports and the prelude to core IR.

use std::panic::{AssertUnwindSafe, catch_unwind};

use rustc_hash::FxHashSet;
use warpwise_diag::{Bug, Diagnostic, Failure, ReadError, SourceFile, SourceProvider, Sources};
use warpwise_ir::Program;
use warpwise_ir::deep::deep;

use crate::check;
use crate::lower;
use crate::syntax::ast::DeclKind;
use crate::syntax::imports::{Loaded, load};
use crate::syntax::session::Session;

/// Options of the front end.
#[derive(Clone, Copy, Default, Debug)]
pub struct Options {
    /// Whether to leave out all run-time checks.
    pub unchecked: bool,
}

/// The output of the front end.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The core program, at level `soac`. It has every entry point of the main file.
    pub program: Program,
    /// Warnings.
    pub warnings: Vec<Diagnostic>,
}

/// Compiles a main file to core IR. All files read are added to `sources`, which spans refer to.
pub fn compile(
    main: SourceFile,
    provider: &dyn SourceProvider,
    sources: &mut Sources,
    options: Options,
) -> Result<Compiled, Failure> {
    let compiled = deep(|| catch_unwind(AssertUnwindSafe(|| compile_here(main, provider, sources, options))));
    compiled.unwrap_or_else(|_| {
        let (pass, message) = ("front end".to_string(), "the front end panicked".to_string());
        Err(Bug { pass, message, ir: String::new() }.into())
    })
}

fn compile_here(
    main: SourceFile,
    provider: &dyn SourceProvider,
    sources: &mut Sources,
    options: Options,
) -> Result<Compiled, Failure> {
    let mut session = Session::new();
    let prelude = load(prelude_file("prelude"), &Prelude, sources, &mut session).map_err(Failure::User)?;
    let mut program = load(main, provider, sources, &mut session).map_err(Failure::User)?;
    enter_main(&mut program, &mut session);
    let input = check::Input { program: &program, prelude: Some(&prelude) };
    let (typed, mut warnings) = check::check(&mut session, sources, input)?;
    let files = prelude_files(&prelude);
    let input = lower::Input {
        program: &typed,
        names: &session.names,
        sources,
        prelude: &files,
        unchecked: options.unchecked,
    };
    let (program, more) = lower::lower(input)?;
    warnings.extend(more);
    Ok(Compiled { program, warnings })
}

/// Marks a definition named `main` in the main file as an entry point, however it was declared.
fn enter_main(program: &mut Loaded, session: &mut Session) {
    let main = session.names.intern("main");
    let decls = program.units.last_mut().into_iter().flat_map(|unit| &mut unit.program.decls);
    for decl in decls {
        if let DeclKind::Value(value) = &mut decl.kind {
            value.entry |= value.name.name.symbol == main;
        }
    }
}

fn prelude_files(prelude: &Loaded) -> FxHashSet<warpwise_diag::FileId> {
    prelude.units.iter().map(|unit| unit.file).collect()
}

/// Provider of the prelude's files, which are part of the compiler.
struct Prelude;

const PRELUDE: &[(&str, &str)] = &[
    ("prelude", include_str!("../prelude/prelude.fut")),
    ("math", include_str!("../prelude/math.fut")),
    ("functional", include_str!("../prelude/functional.fut")),
    ("zip", include_str!("../prelude/zip.fut")),
    ("soacs", include_str!("../prelude/soacs.fut")),
    ("array", include_str!("../prelude/array.fut")),
];

impl SourceProvider for Prelude {
    fn read(&self, _importing: &str, path: &str) -> Result<SourceFile, ReadError> {
        match PRELUDE.iter().any(|(name, _)| *name == path) {
            true => Ok(prelude_file(path)),
            false => Err(ReadError::NotFound(format!("/prelude/{path}.fut"))),
        }
    }
}

fn prelude_file(name: &str) -> SourceFile {
    let text = PRELUDE.iter().find(|(other, _)| *other == name).map_or("", |(_, text)| text);
    let key = format!("/prelude/{name}.fut");
    SourceFile { name: key.clone(), key, text: text.to_string() }
}
