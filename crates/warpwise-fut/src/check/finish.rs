//! Substitutes the inferred sizes into the typed tree.
//!
//! Before, locals from [`META`](crate::check::size::META) on stand for unknown sizes. Afterwards none is left; an unsolved one is
//! an error.

use warpwise_diag::Diagnostic;

use crate::check::Checker;
use crate::check::size::unify::Solved;
use crate::check::type_exprs::Subst;
use crate::typed::map::{map_function, map_type};
use crate::typed::tree::Function;
use crate::typed::ty::{Size, Type};

impl Checker<'_> {
    /// Finishes a definition, whose locals are numbered from `first_local` on. Returns its finished type.
    pub fn finish(&mut self, function: &mut Function, ty: &Type, first_local: usize) -> Type {
        for index in 0..self.sizing.metas.len() {
            if self.sizing.metas[index].solution.is_none() {
                let span = self.sizing.metas[index].span;
                self.sizing.metas[index].solution = Some(Size::Const(0));
                if !span.is_none() {
                    let error = Diagnostic::error("E0303", span, "a size in the type of this is not known");
                    self.report(error.hint("write the type with its sizes: `e : [n]t`"));
                }
            }
        }
        let empty = Subst::default();
        let mut solved = Solved { sizing: &self.sizing, subst: &empty };
        map_function(function, &mut solved);
        for local in &mut self.program.locals[first_local..] {
            local.ty = map_type(&local.ty, &mut solved);
        }
        map_type(ty, &mut solved)
    }
}
