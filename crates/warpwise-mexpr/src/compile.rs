//! The front end as a whole.

use warpwise_diag::{Failure, Sources};
use warpwise_ir::deep::deep;

use crate::check::{Typing, check};
use crate::load::{SourceFile, SourceProvider, load};
use crate::reachable::drop_unused;
use crate::resolve::resolve;
use crate::syntax::names::Names;
use crate::tree::Program;

/// A program that is right.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The program.
    pub program: Program,
    /// Its types.
    pub typing: Typing,
    /// Its names.
    pub names: Names,
}

impl Checked {
    /// Whether the program may accelerate something.
    pub fn accelerates(&self) -> bool {
        self.names.get("accelerate").is_some()
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
    drop_unused(&mut program, &names)?;
    let typing = check(&mut program, &mut names)?;
    Ok(Checked { program, typing, names })
}
