//! Tensors in the values of imperative expressions: views of captured ones, as no others are made there.
//!
//! ```text
//! accelerate (loop n (fill t); {low = tensorSubExn t 0 2, all = t})
//! ```
//! yields for each tensor where it lies in its buffer: the leaves of a flat view ([`ViewKind::Flat`]), that is its first element, its
//! rank and three extents. Which buffer that is, is known while lowering; whoever calls makes a view of the memory that the buffer
//! was filled from, so what is written through either is seen through both.

use warpwise_diag::{Failure, Span};
use warpwise_ir::Operand;

use super::value::{Data, Layout, View, ViewKind};
use super::{Lowerer, Retry};

impl Lowerer<'_, '_> {
    /// A result with flat views in the stead of all others. It is to hold so many tensors.
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
                // Views in sequences become flat where their buffer has no dimensions.
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
            // The index in each fixed dimension, then the start in the next.
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

/// A view with dimensions in a layout.
fn shaped_in(layout: &Layout) -> Option<View> {
    match layout {
        Layout::Tensor(view) => matches!(view.kind, ViewKind::Shaped(_)).then_some(*view),
        Layout::Record(fields) => fields.iter().find_map(|(_, layout)| shaped_in(layout)),
        Layout::Seq(_, element) | Layout::Rows(_, element) => shaped_in(element),
        Layout::Scalar(_) => None,
    }
}

/// The buffers of the tensors in a layout, from left to right.
pub(super) fn buffers_of(layout: &Layout) -> Vec<usize> {
    match layout {
        Layout::Tensor(view) => vec![view.buffer],
        Layout::Record(fields) => fields.iter().flat_map(|(_, layout)| buffers_of(layout)).collect(),
        Layout::Seq(_, element) | Layout::Rows(_, element) => buffers_of(element),
        Layout::Scalar(_) => Vec::new(),
    }
}
