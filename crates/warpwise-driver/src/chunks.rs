//! Entry points taken apart into functions that work chunk by chunk ([`warpwise_opt::chunk`]), compiled.

use std::path::Path;

use warpwise_imp::lower::PIECE;
use warpwise_ir::verify::Level;
use warpwise_opt::chunk::{Chunked, Shape, chunk};
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;

use crate::build::{BuildError, Core, read_core};
use crate::compiler::{Options, compile_core};
use crate::program::Compiled;
use crate::target::Target;

/// An entry point in pieces.
#[derive(Debug)]
pub struct Chunks {
    /// The entry points that [`Shape`] speaks of.
    pub compiled: Compiled,
    /// How they are called.
    pub shape: Shape,
    /// How many rows a chunk must have (but for the last one), where the result depends on it.
    pub rows: Option<u64>,
}

/// Why there are no pieces.
#[derive(Debug)]
pub enum ChunksError {
    /// The file cannot be compiled.
    Build(BuildError),
    /// The entry point has another shape; says where and why.
    Refused(String),
}

/// Compiles the entry point of a file in pieces, so that the rows of this parameter (opaque ones taken apart) come in
/// chunks.
pub fn build_chunks(
    path: &Path,
    options: &Options,
    entry: &str,
    parameter: usize,
) -> Result<Chunks, ChunksError> {
    if options.target != Target::Cpu {
        return Err(ChunksError::Refused("programs run on devices are not taken apart".to_string()));
    }
    let Core { mut program, sources, .. } = read_core(path, options).map_err(ChunksError::Build)?;
    let is_left_out = |name: &str| options.without.iter().any(|other| other == name);
    let passes: Vec<_> = pipelines::WHOLE.iter().filter(|pass| !is_left_out(pass.name)).copied().collect();
    let failed = |failure, sources| ChunksError::Build(BuildError::Failure { failure, sources });
    if let Err(failure) = run_passes(&passes, &mut program, Level::Soac, |_, _, _| {}) {
        return Err(failed(failure, sources));
    }
    let Some(function) = program.entry(entry) else {
        return Err(ChunksError::Refused(format!("there is no entry point `{entry}`")));
    };
    let chunked = chunk(&program, function, parameter);
    let Chunked { program: mut pieces, shape } = chunked.map_err(|refusal| {
        ChunksError::Refused(format!("{}: {}", sources.describe(refusal.span), refusal.why))
    })?;
    let checked = warpwise_opt::pass::check("chunk", &pieces, Level::Soac).map_err(Into::into);
    let rows = shape.rounds.then_some(PIECE as u64);
    match checked.and_then(|()| compile_core(&mut pieces, &sources, options)) {
        Ok(compiled) => Ok(Chunks { compiled, shape, rows }),
        Err(failure) => Err(failed(failure, sources)),
    }
}
