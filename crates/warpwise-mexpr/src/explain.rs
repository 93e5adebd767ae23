//! Explanations of the codes of MExpr's messages. `tests/explain.rs` compiles the examples.

use warpwise_diag::Explanations;

/// The sections of `errors.md`.
pub const EXPLANATIONS: Explanations = Explanations::new(include_str!("../errors.md"));
