//! Segmented operations: their spaces, and the results of their bodies.

use super::Checked;
use super::check::Checker;
use crate::segop::{SegKind, SegOp};
use crate::types::{Operand, Type};

impl<'a> Checker<'a, '_> {
    pub(super) fn seg_op(&mut self, op: &'a SegOp) -> Checked {
        if op.space.is_empty() {
            return Err("a space without dimensions".to_string());
        }
        op.space.iter().try_for_each(|dim| self.sizes(&[dim.extent]))?;
        let mark = self.mark();
        for dim in &op.space {
            self.bind(dim.index)?;
            if *self.ty(dim.index) != Type::I64 {
                return Err(format!("the index `{}` is no i64", self.name(dim.index)));
            }
        }
        let mut yields = Vec::new();
        let body = self.body(&op.body, |this, values| this.seg_result(op, values, &mut yields));
        self.leave(mark);
        body.and_then(|()| self.seg_operators(op, yields))
    }

    /// Checks the results of the body while its variables are in scope.
    fn seg_result(&self, op: &'a SegOp, values: &[Operand], yields: &mut Vec<Type>) -> Checked {
        *yields = self.types(values);
        match &op.kind {
            SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Hist { .. } => Ok(()),
            SegKind::Partition { classes } => {
                if op.space.len() != 1 {
                    return Err("a partition has one dimension".to_string());
                }
                self.partition_result(*classes, values)
            }
            SegKind::Scatter { dests } => {
                self.types_of_body_match(&self.scatter_values(dests, values)?, values)
            }
        }
    }

    /// Checks that the operators fit the results of the body.
    fn seg_operators(&mut self, op: &'a SegOp, yields: Vec<Type>) -> Checked {
        match &op.kind {
            SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => Ok(()),
            SegKind::Reduce { reduces } => self.folds(&[], reduces, None, yields),
            SegKind::Scan { scans, reduces, post } => self.folds(scans, reduces, post.as_ref(), yields),
            SegKind::Hist { ops } => {
                let expected = self.hist_ops(ops)?;
                if self.equal.same_types(&expected, &yields) {
                    return Ok(());
                }
                let (expected, actual) = (self.show_all(&expected), self.show_all(&yields));
                Err(format!("the body yields ({actual}), it must yield ({expected})"))
            }
        }
    }
}
