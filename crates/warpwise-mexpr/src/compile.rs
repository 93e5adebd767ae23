//! The front end as a whole.

use rustc_hash::FxHashSet;
use warpwise_diag::{Diagnostic, Failure, Sources};
use warpwise_ir::deep::deep;

use crate::check::{Place, Typing, check};
use crate::load::{SourceFile, SourceProvider, load};
use crate::reachable::drop_unused;
use crate::resolve::resolve;
use crate::syntax::names::Names;
use crate::tree::{Decl, DeclKind, ExprKind, Program, VarId};

/// A program without errors.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The program.
    pub program: Program,
    /// Its types.
    pub typing: Typing,
    /// Its names.
    pub names: Names,
    /// Errors in definitions that were dropped because the program does not use them.
    pub unused: Vec<Diagnostic>,
}

impl Checked {
    /// Returns whether the program may accelerate something.
    pub fn accelerates(&self) -> bool {
        self.names.get("accelerate").is_some()
    }

    /// Returns whether the program has tests, at the top or inside expressions.
    pub fn has_tests(&self) -> bool {
        let is_test = |decl: &Decl| matches!(decl.kind, DeclKind::Utest(_));
        let mut found = self.program.decls.iter().any(is_test);
        let exprs = self.program.decls.iter().flat_map(Decl::children).chain(&self.program.main);
        exprs.for_each(|expr| {
            expr.each(&mut |part| {
                if let ExprKind::Block(decls, _) = &part.kind {
                    found |= decls.iter().any(is_test);
                }
            });
        });
        found
    }
}

/// Reads and checks a program.
pub fn front_end(
    root: SourceFile,
    provider: &dyn SourceProvider,
    sources: &mut Sources,
) -> Result<Checked, Failure> {
    deep(|| front_end_here(root, provider, sources))
}

fn front_end_here(
    root: SourceFile,
    provider: &dyn SourceProvider,
    sources: &mut Sources,
) -> Result<Checked, Failure> {
    let mut names = Names::new();
    let loaded = load(root, provider, sources, &mut names)?;
    let mut program = resolve(&loaded, &mut names)?;
    let (typing, complaints) = check(&mut program, &mut names);
    let missing = drop_unused(&mut program, &names);
    let kept: FxHashSet<VarId> = program.decls.iter().flat_map(|decl| decl.defined()).collect();
    let counts = |place: &Place| match place {
        Place::Definition(var) => kept.contains(var),
        Place::Run => true,
    };
    let is_right =
        missing.is_empty() && !complaints.iter().flat_map(|complaint| &complaint.places).any(counts);
    let wrong = complaints.into_iter().map(|complaint| complaint.diagnostic);
    if is_right {
        return Ok(Checked { program, typing, names, unused: wrong.collect() });
    }
    Err(Failure::User(wrong.chain(missing).collect()))
}
