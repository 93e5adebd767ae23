//! What the codes of MExpr's messages mean. The examples are compiled by `tests/explain.rs`.

use warpwise_diag::Explanations;

/// The sections of `errors.md`.
pub const EXPLANATIONS: Explanations = Explanations::new(include_str!("../errors.md"));
