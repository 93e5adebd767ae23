//! Readable descriptions of the copies of arrays that stay in a program, with the reasons.

use warpwise_diag::Span;
use warpwise_ir::deep::deep;
use warpwise_opt::short_circuit::{Remaining, remaining};

use crate::build::{BuildError, Core};
use crate::compiler::{Options, optimise};

/// A copy that stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StayingCopy {
    /// Place of the copying statement: `file:line:column`.
    pub place: String,
    /// Name of the array in the core IR.
    pub array: String,
    /// Whether a kernel copies it.
    pub in_kernel: bool,
    /// Reason of the copy.
    pub why: String,
}

/// Optimises a program with these options, and lists the copies that remain when all arrays have their places.
pub fn staying_copies(core: Core, options: &Options) -> Result<Vec<StayingCopy>, BuildError> {
    deep(|| {
        let Core { mut program, sources, .. } = core;
        let mut left: Vec<Remaining> = Vec::new();
        let optimised = optimise(&mut program, options, |pass, placed, _| {
            if matches!(pass.name, "place" | "short_circuit") {
                left = remaining(placed);
            }
        });
        if let Err(failure) = optimised {
            return Err(BuildError::Failure { failure, sources });
        }
        let place = |span: Span| format!("at {}", sources.describe(span));
        let staying = left.into_iter().map(|Remaining { array, span, in_kernel, why, .. }| StayingCopy {
            place: sources.describe(span),
            array,
            in_kernel,
            why: why.text(place),
        });
        Ok(staying.collect())
    })
}
