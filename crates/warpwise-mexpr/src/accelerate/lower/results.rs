//! Tensors in the values of imperative expressions: views of captured tensors, since imperative code makes no others.
//!
//! ```text
//! accelerate (loop n (fill t); {low = tensorSubExn t 0 2, all = t})
//! ```
//! yields for each tensor its place in its buffer: the leaves of a flat view ([`ViewKind::Flat`]), namely its first element, its
//! rank and three extents. The buffer is known while lowering. The caller makes a view of the memory that filled the buffer, so a
//! write through either is seen through both.

use warpwise_diag::{Failure, Span};
use warpwise_ir::Operand;

use super::value::{Data, Layout, View, ViewKind};
use super::{Lowerer, Retry};

impl Lowerer<'_, '_> {
    /// Returns a result whose views are all flat. It must hold `n` tensors.
    pub(super) fn flat_views(&mut self, result: &Data, n: usize, span: Span) -> Result<Data, Failure> {
        let flat = self.flat_views_in(result, span)?;
        if buffers_of(&flat.layout).len() != n {
            return self.refuse("a sequence of tensors without any as its value", span);
        }
        Ok(flat)
    }

    fn flat_views_in(&mut self, data: &Data, span: Span) -> Result<Data, Failure> {
        match &data.layout {
            Layout::Tensor(view) => Ok(self.flat_view(data, *view)),
            Layout::Record(_) => {
                let (mut fields, mut leaves) = (Vec::new(), Vec::new());
                for (label, field) in data.fields() {
                    let field = self.flat_views_in(&field, span)?;
                    fields.push((label, field.layout));
                    leaves.extend(field.leaves);
                }
                Ok(Data { layout: Layout::Record(fields), leaves })
            }
            Layout::Scalar(_) => Ok(data.clone()),
            Layout::Seq(_, element) | Layout::Rows(_, element) => {
                // Views in sequences become flat if their buffer has no dimensions.
                match shaped_in(element) {
                    Some(view) => {
                        self.retry = Some(Retry::Together(view.buffer, view.buffer));
                        self.refuse("a sequence of parts of a tensor", span)
                    }
                    None => Ok(data.clone()),
                }
            }
        }
    }

    fn flat_view(&mut self, tensor: &Data, view: View) -> Data {
        let ViewKind::Shaped(rank) = view.kind else { return tensor.clone() };
        let extents = self.memory.buffers[view.buffer].extents.clone();
        let mut at = Operand::i64(0);
        for (dim, extent) in extents.iter().enumerate().take(rank) {
            at = if at == Operand::i64(0) { at } else { self.product(at, *extent) };
            // The leaves are the index in each fixed dimension, then the start in the next one.
            if dim <= view.fixed {
                at = self.sum(at, tensor.leaves[dim]);
            }
        }
        let mut leaves = vec![at, self.rank_of(tensor, view)];
        leaves.extend(self.extents_of(tensor, view));
        let kind = ViewKind::Flat(self.functions.checks.accepted.dimensions);
        leaves.resize(kind.n_leaves(0), Operand::i64(1));
        let layout = Layout::Tensor(View { buffer: view.buffer, fixed: 0, kind });
        Data { layout, leaves }
    }
}

/// Returns a view with dimensions in a layout, if there is one.
fn shaped_in(layout: &Layout) -> Option<View> {
    match layout {
        Layout::Tensor(view) => matches!(view.kind, ViewKind::Shaped(_)).then_some(*view),
        Layout::Record(fields) => fields.iter().find_map(|(_, layout)| shaped_in(layout)),
        Layout::Seq(_, element) | Layout::Rows(_, element) => shaped_in(element),
        Layout::Scalar(_) => None,
    }
}

/// Returns the buffers of the tensors in a layout, from left to right.
pub(super) fn buffers_of(layout: &Layout) -> Vec<usize> {
    match layout {
        Layout::Tensor(view) => vec![view.buffer],
        Layout::Record(fields) => fields.iter().flat_map(|(_, layout)| buffers_of(layout)).collect(),
        Layout::Seq(_, element) | Layout::Rows(_, element) => buffers_of(element),
        Layout::Scalar(_) => Vec::new(),
    }
}
