//! The copies of arrays that stay in a program, and why, for people.

use warpwise_diag::Span;
use warpwise_ir::deep::deep;
use warpwise_opt::short_circuit::{Remaining, remaining};

use crate::build::{BuildError, Core};
use crate::compiler::{Options, optimise};

/// A copy that stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StayingCopy {
    /// `file:line:column` of what copies.
    pub place: String,
    /// The array, as the core IR calls it.
    pub array: String,
    /// Whether a kernel copies it.
    pub in_kernel: bool,
    /// Why it is copied.
    pub why: String,
}

/// Optimises a program with these options, and lists the copies that are left when all arrays have their places.
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
