//! Placements at level `mem`: every array has a well-formed placement, and a view keeps the block of the viewed array (and, in
//! evident cases, the expected index function). At other levels no variable has a placement.

use super::check::Checker;
use super::{Checked, Level};
use crate::expr::{Expr, Stm};
use crate::memory::{Lmad, Placement};
use crate::program::Var;
use crate::segop::SegKind;
use crate::traverse::Substitution;
use crate::types::{Operand, Type};

impl<'a> Checker<'a, '_> {
    /// Checks that a variable has a placement if and only if it must, in a block in scope, with the extents of its type. Arrays
    /// in signatures are row-major from the start of their blocks: results need no placement, and the strides of parameters may
    /// be bound by the body.
    pub(super) fn placement_is_well_formed(&self, var: Var) -> Checked {
        let data = &self.function.vars[var];
        let (placement, array) = match (&data.placement, &data.ty) {
            (None, Type::Array(_)) if self.level == Level::Mem && !self.in_signature => {
                return Err(format!("the array `{}` has no place", self.name(var)));
            }
            (None, _) => return Ok(()),
            (Some(_), _) if self.level != Level::Mem => {
                return Err(format!("`{}` has a place, which exist at level mem only", self.name(var)));
            }
            (Some(_), Type::Scalar(_) | Type::Acc(_) | Type::Cert | Type::Mem) => {
                return Err(format!("`{}` has a place but is no array", self.name(var)));
            }
            (Some(placement), Type::Array(array)) => (placement, array),
        };
        self.expect("the block", Operand::Var(placement.block), &Type::Mem)?;
        self.i64("the offset", placement.index_fn.offset)?;
        for dim in &placement.index_fn.dims {
            self.i64("an extent", dim.extent)?;
            if !self.in_signature {
                self.i64("a stride", dim.stride)?;
            }
        }
        let extents: Vec<Operand> = placement.index_fn.dims.iter().map(|dim| dim.extent).collect();
        if self.equal.same_shape(&extents, &array.shape) {
            return Ok(());
        }
        Err(format!("the index function of `{}` has other extents than its type", self.name(var)))
    }

    /// Checks that the arrays that a body yields for variables lie where the placements of the variables say.
    pub(super) fn placements_match(
        &self,
        what: &str,
        substitution: &Substitution,
        vars: &[Var],
        values: &[Operand],
    ) -> Checked {
        for (var, value) in vars.iter().zip(values) {
            let Some(expected) = &self.function.vars[*var].placement else { continue };
            let expected = substitution.apply_placement(expected);
            if !self.lies(*value, &expected) {
                return Err(format!("{what} yields an array in another place for `{}`", self.name(*var)));
            }
        }
        Ok(())
    }

    fn lies(&self, operand: Operand, expected: &Placement) -> bool {
        let placement = operand.as_var().and_then(|var| self.function.vars[var].placement.as_ref());
        placement.is_some_and(|actual| self.same_placement(actual, expected))
    }

    fn same_placement(&self, x: &Placement, y: &Placement) -> bool {
        self.same_block(x, y)
            && self.equal.same(x.index_fn.offset, y.index_fn.offset)
            && self.same_strides(&x.index_fn, &y.index_fn)
    }

    fn same_block(&self, x: &Placement, y: &Placement) -> bool {
        self.equal.same(Operand::Var(x.block), Operand::Var(y.block))
    }

    fn same_strides(&self, x: &Lmad, y: &Lmad) -> bool {
        x.dims.len() == y.dims.len()
            && x.dims.iter().zip(&y.dims).all(|(x, y)| self.equal.same(x.stride, y.stride))
    }

    /// Checks that a statement's pattern lies where its expression leaves its results.
    pub(super) fn placements(&self, stm: &Stm) -> Checked {
        if self.level != Level::Mem {
            return Ok(());
        }
        let same = |var: Var, source: Var| self.same_place(var, source);
        match (&stm.expr, &stm.pattern[..]) {
            (Expr::Operand(Operand::Var(source)), [var]) => same(*var, *source),
            (Expr::Update { array, .. }, [var]) => same(*var, *array),
            (Expr::Rearrange { array, perm }, [var]) => self.rearranged(*var, *array, perm),
            (Expr::Index { array, .. } | Expr::Slice { array, .. } | Expr::Reshape { array, .. }, [var]) => {
                self.same_block_as(*var, *array)
            }
            (Expr::Call { function, args }, pattern) => {
                let callee = &self.program.functions[*function];
                let params: Vec<Var> = callee.params.iter().map(|param| param.var).collect();
                let mut substitution = Substitution::of(&params, args);
                for (result, var) in callee.results.iter().zip(pattern) {
                    substitution.insert(result.var, *var);
                }
                let results = callee.results.iter().map(|result| result.var);
                let expected = params.iter().copied().chain(results);
                let actual = args.iter().copied().chain(pattern.iter().map(|var| Operand::Var(*var)));
                for (param, actual) in expected.zip(actual) {
                    let Some(placement) = &callee.vars[param].placement else { continue };
                    let mut expected = substitution.apply_placement(placement);
                    self.trust_strides(actual, placement, &mut expected);
                    if !self.lies(actual, &expected) {
                        return Err(
                            "an array lies in another place than the function's signature says".to_string()
                        );
                    }
                }
                Ok(())
            }
            (Expr::WithAcc(with_acc), pattern) => {
                let arrays = with_acc.inputs.iter().flat_map(|input| &input.arrays);
                pattern.iter().zip(arrays).try_for_each(|(var, array)| same(*var, *array))
            }
            (Expr::Seg(op), pattern) => match &op.kind {
                SegKind::Scatter { dests } => {
                    pattern.iter().zip(dests).try_for_each(|(var, dest)| same(*var, dest.array))
                }
                SegKind::Hist { ops } => {
                    let dests = ops.iter().flat_map(|op| &op.dests);
                    pattern.iter().zip(dests).try_for_each(|(var, dest)| same(*var, *dest))
                }
                SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {
                    Ok(())
                }
            },
            _ => Ok(()),
        }
    }

    /// Replaces strides that the callee computes itself by those of the argument.
    fn trust_strides(&self, actual: Operand, declared: &Placement, expected: &mut Placement) {
        let actual = actual.as_var().and_then(|var| self.function.vars[var].placement.as_ref());
        let Some(actual) = actual else { return };
        let dims = expected.index_fn.dims.iter_mut().zip(&declared.index_fn.dims).zip(&actual.index_fn.dims);
        for ((expected, declared), actual) in dims {
            if expected.stride == declared.stride && declared.stride.as_var().is_some() {
                expected.stride = actual.stride;
            }
        }
    }

    fn both(&self, var: Var, source: Var) -> Option<(&'a Placement, &'a Placement)> {
        let function = self.function;
        Some((function.vars[var].placement.as_ref()?, function.vars[source].placement.as_ref()?))
    }

    fn same_place(&self, var: Var, source: Var) -> Checked {
        match self.both(var, source) {
            Some((x, y)) if !self.same_placement(x, y) => {
                Err(format!("`{}` lies in another place than `{}`", self.name(var), self.name(source)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn same_block_as(&self, var: Var, source: Var) -> Checked {
        match self.both(var, source) {
            Some((x, y)) if !self.same_block(x, y) => {
                Err(format!("`{}` lies in another block than `{}`", self.name(var), self.name(source)))
            }
            Some(_) | None => Ok(()),
        }
    }

    fn rearranged(&self, var: Var, source: Var, perm: &[usize]) -> Checked {
        let Some((x, y)) = self.both(var, source) else { return Ok(()) };
        let dims = perm.iter().map(|dim| y.index_fn.dims[*dim]).collect();
        let index_fn = Lmad { offset: y.index_fn.offset, dims };
        if self.same_placement(x, &Placement { block: y.block, index_fn }) {
            return Ok(());
        }
        Err(format!("`{}` does not lie where `{}` rearranged lies", self.name(var), self.name(source)))
    }
}
