//! Entry point of the checker, and imports between files.

use std::rc::Rc;

use warpwise_diag::{Diagnostic, Failure, Severity, Sources};
use warpwise_ir::deep::deep;

use crate::check::Checker;
use crate::check::env::{Frame, Members, Module};
use crate::syntax::ast::{ImportPath, Program as Ast};
use crate::syntax::imports::{Loaded, UnitId};
use crate::syntax::parser::parse_program;
use crate::syntax::session::Session;
use crate::typed::tree::Program;

/// Declarations that give the structural intrinsics their types.
const INTRINSICS: &str = include_str!("../../prelude/intrinsics.fut");

/// The input of the checker.
#[derive(Clone, Copy, Debug)]
pub struct Input<'a> {
    /// The main file, whose entry points count, and its imports.
    pub program: &'a Loaded,
    /// The prelude, whose names are in scope in all files of the program, and its imports.
    pub prelude: Option<&'a Loaded>,
}

/// The files of one load, with the results of those checked so far.
pub struct Checked<'a> {
    /// The files.
    loaded: &'a Loaded,
    /// Members of the finished files. A file comes after its imports.
    members: Vec<Rc<Members<'a>>>,
}

/// Checks a program. On success returns the typed tree and warnings.
pub fn check(
    session: &mut Session,
    sources: &mut Sources,
    input: Input<'_>,
) -> Result<(Program, Vec<Diagnostic>), Failure> {
    let file = sources.add("<intrinsics>", INTRINSICS);
    let parsed = parse_program(file, INTRINSICS, session);
    if !parsed.errors.is_empty() {
        return Err(Failure::User(parsed.errors));
    }
    let (intrinsics, sources) = (parsed.program, &*sources);
    deep(|| check_here(session, sources, input, &intrinsics))
}

fn check_here(
    session: &mut Session,
    sources: &Sources,
    input: Input<'_>,
    intrinsics: &Ast,
) -> Result<(Program, Vec<Diagnostic>), Failure> {
    let mut checker = Checker::new(session, sources);
    checker.enter_builtins(intrinsics);
    if let Some(prelude) = input.prelude {
        checker.in_prelude = true;
        let members = checker.check_files(prelude);
        checker.in_prelude = false;
        let mut frame = Frame { members: Members::default(), parent: Some(checker.root.clone()) };
        frame.members.include(&members);
        checker.root = Rc::new(frame);
    }
    checker.check_files(input.program);
    let Checker { program, mut diagnostics, limits, .. } = checker;
    diagnostics.sort_by_key(|diagnostic| (diagnostic.span.file, diagnostic.span.start));
    if diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error) {
        return Err(Failure::User(diagnostics));
    }
    match limits.into_iter().next() {
        Some(limit) => Err(Failure::Limit(limit)),
        None => Ok((program, diagnostics)),
    }
}

impl<'a> Checker<'a> {
    /// Checks all files of a load, and returns the members of its root file.
    fn check_files(&mut self, loaded: &'a Loaded) -> Rc<Members<'a>> {
        self.checked = Some(Checked { loaded, members: Vec::new() });
        let mut last = Rc::default();
        for (index, unit) in loaded.units.iter().enumerate() {
            self.env = Frame::inside(&self.root);
            self.in_main = !self.in_prelude && index + 1 == loaded.units.len();
            self.check_decls(&unit.program.decls);
            last = Rc::new(std::mem::take(&mut self.exports));
            if let Some(checked) = &mut self.checked {
                checked.members.push(last.clone());
            }
        }
        last
    }

    /// Returns the imported module.
    pub fn import(&mut self, import: &ImportPath) -> Module<'a> {
        let Some(checked) = &self.checked else { return Module::Failed };
        let UnitId(index) = checked.loaded.target(import);
        match checked.members.get(index as usize) {
            Some(members) => Module::Structure(members.clone()),
            None => Module::Failed,
        }
    }
}
