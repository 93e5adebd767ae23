//! Explanations of the codes of the array language's messages. `tests/explain.rs` compiles the examples.

use warpwise_diag::Explanations;

/// The sections of `errors.md`.
pub const EXPLANATIONS: Explanations = Explanations::new(include_str!("../errors.md"));
