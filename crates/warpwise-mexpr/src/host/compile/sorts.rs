//! The sorts of values, by their types.

use crate::check::types::{Node, Ty};
use crate::tree::VarId;

use super::super::code::Sort;
use super::Compiler;

/// Maximum depth of records in records whose fields have sorts.
const DEEPEST: usize = 4;

impl Compiler<'_> {
    /// Returns the sort of the values of a type.
    pub(super) fn sort(&mut self, ty: Ty) -> Sort {
        self.sort_within(ty, DEEPEST)
    }

    /// Returns the sort of a variable's values.
    pub(super) fn sort_of_var(&mut self, var: VarId) -> Sort {
        self.sort(self.checked.typing.vars[var.0 as usize])
    }

    fn sort_within(&mut self, ty: Ty, depth: usize) -> Sort {
        match self.checked.typing.types.node(ty).clone() {
            Node::Int => Sort::Int,
            Node::Float => Sort::Float,
            Node::Char => Sort::Char,
            Node::Bool => Sort::Bool,
            Node::Record(fields) if fields.is_empty() => Sort::Unit,
            Node::Record(fields) if depth > 0 => {
                let sorts = fields.iter().map(|(_, ty)| self.sort_within(*ty, depth - 1)).collect();
                Sort::Record(self.shape(fields.iter().map(|(label, _)| *label).collect()), sorts)
            }
            Node::Named(..) => Sort::Con,
            Node::Seq(_) => Sort::Seq,
            Node::Tensor(_) => Sort::Tensor,
            Node::All(_, inner) => self.sort_within(inner, depth),
            Node::Record(_) | Node::Arrow(..) | Node::Apply(..) | Node::Var(_) | Node::Meta(_) => Sort::Any,
        }
    }
}
