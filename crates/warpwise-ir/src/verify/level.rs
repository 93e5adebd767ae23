//! The expressions that each level allows.

use super::check::Checker;
use super::{Checked, Level};
use crate::expr::Expr;

impl Checker<'_, '_> {
    pub(super) fn level_allows(&self, expr: &Expr) -> Checked {
        let (levels, what): (&[Level], &str) = match expr {
            Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::FlatMap(_) => (&[Level::Soac], "SOACs exist at level soac only"),
            Expr::Seg(_) => (&[Level::Seg, Level::Mem], "segmented operations do not exist at level soac"),
            Expr::Alloc { .. } => (&[Level::Mem], "blocks of memory exist at level mem only"),
            Expr::Operand(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::Index { .. }
            | Expr::Slice { .. }
            | Expr::Update { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Rearrange { .. }
            | Expr::Reshape { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Scratch { .. }
            | Expr::If { .. }
            | Expr::Loop { .. }
            | Expr::Call { .. }
            | Expr::WithAcc(_)
            | Expr::UpdateAcc { .. }
            | Expr::Tuned { .. } => return Ok(()),
        };
        if levels.contains(&self.level) { Ok(()) } else { Err(what.to_string()) }
    }
}
