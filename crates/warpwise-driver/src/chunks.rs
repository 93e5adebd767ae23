//! Entry points split into functions that work chunk by chunk ([`warpwise_opt::chunk`]), compiled and cached.

use std::path::Path;

use serde::{Deserialize, Serialize};
use warpwise_imp::lower::PIECE;
use warpwise_ir::verify::Level;
use warpwise_opt::chunk::{Chunked, Shape, chunk};
use warpwise_opt::pass::run_passes;
use warpwise_opt::pipelines;

use warpwise_source::files::SourceFiles;

use crate::build::{BuildError, Core, Made, front_end, slot, through_cache};
use crate::cache::DiskCache;
use crate::compiler::{Options, compile_core};
use crate::program::Compiled;
use crate::target::Target;

/// An entry point split into pieces.
#[derive(Debug, Serialize, Deserialize)]
pub struct Chunks {
    /// Program with the entry points that [`Shape`] refers to.
    pub compiled: Compiled,
    /// Description of how the pieces are called.
    pub shape: Shape,
    /// Number of rows that every chunk except the last must have, if the result depends on it.
    pub rows: Option<u64>,
}

/// The reason why there are no pieces.
#[derive(Debug)]
pub enum ChunksError {
    /// The file cannot be compiled.
    Build(BuildError),
    /// The entry point cannot be split; the text says where and why.
    Refused(String),
}

impl From<BuildError> for ChunksError {
    fn from(error: BuildError) -> ChunksError {
        ChunksError::Build(error)
    }
}

/// Splits the entry point of a file into pieces, so that the rows of `parameter` (opaque ones count as their leaves) come in chunks.
/// Compiles the pieces, or takes them from the cache.
pub fn build_chunks(
    path: &Path,
    options: &Options,
    entry: &str,
    parameter: usize,
    cache: Option<&DiskCache>,
) -> Result<Made<Chunks>, ChunksError> {
    if options.target != Target::Cpu {
        return Err(ChunksError::Refused("programs run on devices are not taken apart".to_string()));
    }
    let files = SourceFiles::new();
    let main = files.root(path).map_err(BuildError::Source)?;
    let texts = [main.key.clone(), main.name.clone(), main.text.clone()];
    let slot = slot(cache, options, &("chunks", entry, parameter, texts))?;
    through_cache(slot, || {
        let core = front_end(main, &files, options)?;
        Ok((pieces(core, options, entry, parameter)?, files.imported()))
    })
}

fn pieces(core: Core, options: &Options, entry: &str, parameter: usize) -> Result<Chunks, ChunksError> {
    let Core { mut program, sources, .. } = core;
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
