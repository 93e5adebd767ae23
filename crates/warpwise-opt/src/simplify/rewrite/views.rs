//! Rewrites elements and views of known arrays.

use warpwise_ir::{Expr, Operand, SliceDim, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, ConvertOp, Scalar, ScalarType};

use super::Rewriter;

impl Rewriter<'_> {
    /// Returns the same value with one view fewer, if the viewed array is a view or a fill itself. The certificates of the inner
    /// view are added to the statement.
    pub(super) fn compose(&mut self, stm: &mut Stm) -> Option<Expr> {
        match &stm.expr {
            // A space may overwrite a row only of an array that nothing else uses. Composed, it would be a row of a viewed array.
            Expr::Index { .. } if self.overwritten[stm.pattern[0]] => None,
            Expr::Index { array, indices } => {
                let (inner, certs) = self.views[*array].clone()?;
                let composed = self.index_of(&inner, indices, stm)?;
                add_certs(stm, certs);
                Some(composed)
            }
            Expr::Rearrange { array, perm } => {
                if perm.iter().enumerate().all(|(i, &dim)| i == dim) {
                    return Some(Expr::Operand((*array).into()));
                }
                let (Expr::Rearrange { array, perm: inner }, certs) = self.views[*array].clone()? else {
                    return None;
                };
                let perm = perm.iter().map(|&dim| inner[dim]).collect();
                add_certs(stm, certs);
                Some(Expr::Rearrange { array, perm })
            }
            Expr::Reshape { array, shape } => {
                if self.function.ty(*array).shape() == shape.as_slice() {
                    return Some(Expr::Operand((*array).into()));
                }
                let (Expr::Reshape { array, .. }, certs) = self.views[*array].clone()? else { return None };
                let shape = shape.clone();
                add_certs(stm, certs);
                Some(Expr::Reshape { array, shape })
            }
            Expr::Replicate { shape, value } => {
                let inner = self.views[value.as_var()?].clone()?;
                let (Expr::Replicate { shape: inner, value }, certs) = inner else { return None };
                self.function.operand_type(value).as_scalar()?;
                let shape = shape.iter().chain(&inner).copied().collect();
                add_certs(stm, certs);
                Some(Expr::Replicate { shape, value })
            }
            Expr::Slice { array, dims } if is_whole(self.function.ty(*array).shape(), dims) => {
                Some(Expr::Operand((*array).into()))
            }
            Expr::Slice { array, dims } => {
                let (inner, certs) = self.views[*array].clone()?;
                let composed = self.slice_of(&inner, dims, stm)?;
                add_certs(stm, certs);
                Some(composed)
            }
            exprs!(
                Operand, scalar, Assert, Update, Iota, ArrayLit, Concat, Copy, Manifest, Scratch, nested,
                Call, UpdateAcc, Tuned, Alloc
            ) => None,
        }
    }

    /// Returns a range of an iota or a replicate as an iota or a replicate.
    fn slice_of(&mut self, inner: &Expr, dims: &[SliceDim], stm: &Stm) -> Option<Expr> {
        match (inner, dims) {
            (&Expr::Iota { start, step, .. }, &[SliceDim::Range { start: from, len, stride }]) => {
                let ty = self.function.operand_type(start).as_scalar()?;
                let (from, stride) = (self.narrow(from, ty, stm), self.narrow(stride, ty, stm));
                let start = self.affine(start, step, from, ty, stm);
                let step = self.scalar(Expr::Binary(BinaryOp::Mul, step, stride), ty, stm);
                Some(Expr::Iota { len, start, step })
            }
            (&Expr::Replicate { ref shape, value }, &[SliceDim::Range { len, .. }]) if shape.len() == 1 => {
                Some(Expr::Replicate { shape: [len].into_iter().collect(), value })
            }
            _ => None,
        }
    }

    fn index_of(&mut self, inner: &Expr, indices: &[Operand], stm: &Stm) -> Option<Expr> {
        match inner {
            Expr::Index { array, indices: outer } => {
                let indices = outer.iter().chain(indices).copied().collect();
                Some(Expr::Index { array: *array, indices })
            }
            Expr::Iota { start, step, .. } => Some(self.iota_element(*start, *step, indices[0], stm)),
            Expr::Replicate { shape, value } if indices.len() == shape.len() => {
                self.function.operand_type(*value).as_scalar()?;
                Some(Expr::Operand(*value))
            }
            // Rows are skipped: a literal copies its rows, and the original arrays may have been overwritten since.
            Expr::ArrayLit(elems) => {
                let (at, inner) = indices.split_first()?;
                let at = at.as_const().and_then(Scalar::as_int)?;
                let elem = *elems.get(usize::try_from(at).ok()?)?;
                match inner {
                    [] => self.function.operand_type(elem).as_scalar().map(|_| Expr::Operand(elem)),
                    _ => self.scalar_of_row(elem.as_var()?, inner, stm),
                }
            }
            Expr::Rearrange { array, perm } if indices.len() == perm.len() => {
                let mut moved = vec![Operand::i64(0); perm.len()];
                for (&dim, &index) in perm.iter().zip(indices) {
                    moved[dim] = index;
                }
                Some(Expr::Index { array: *array, indices: moved })
            }
            Expr::Slice { array, dims } => self.index_of_slice(*array, dims, indices, stm),
            // Only the name of the extent differs; the elements are the same.
            Expr::Reshape { array, shape } if shape.len() == 1 && self.function.ty(*array).rank() == 1 => {
                Some(Expr::Index { array: *array, indices: indices.to_vec() })
            }
            exprs!(
                Operand, scalar, Assert, Update, Replicate, Concat, Rearrange, Reshape, Copy, Manifest,
                Scratch, nested, Call, UpdateAcc, Tuned, Alloc
            ) => None,
        }
    }

    /// Returns the scalar at `indices` of a row that is an array literal. The literal's scalars stay valid even if the row has
    /// been overwritten since.
    fn scalar_of_row(&mut self, row: Var, indices: &[Operand], stm: &Stm) -> Option<Expr> {
        let (row @ Expr::ArrayLit(_), certs) = self.views[row].clone()? else { return None };
        if certs.is_empty() { self.index_of(&row, indices, stm) } else { None }
    }

    fn index_of_slice(
        &mut self,
        array: Var,
        dims: &[SliceDim],
        indices: &[Operand],
        stm: &Stm,
    ) -> Option<Expr> {
        let kept = dims.iter().filter(|dim| matches!(dim, SliceDim::Range { .. })).count();
        if kept != indices.len() {
            return None;
        }
        let mut indices = indices.iter();
        let mut moved = Vec::with_capacity(dims.len());
        for dim in dims {
            moved.push(match *dim {
                SliceDim::Fix(index) => index,
                SliceDim::Range { start, stride, .. } => {
                    let index = *indices.next().expect("an index per kept dimension");
                    self.affine(start, stride, index, ScalarType::I64, stm)
                }
            });
        }
        Some(Expr::Index { array, indices: moved })
    }

    fn iota_element(&mut self, start: Operand, step: Operand, index: Operand, stm: &Stm) -> Expr {
        let ty = self.function.operand_type(start).as_scalar().expect("iotas count in integers");
        let index = self.narrow(index, ty, stm);
        Expr::Operand(self.affine(start, step, index, ty, stm))
    }

    /// Converts an index to the element type of an iota.
    fn narrow(&mut self, index: Operand, ty: ScalarType, stm: &Stm) -> Operand {
        if ty == ScalarType::I64 {
            return index;
        }
        self.scalar(Expr::Convert(ConvertOp::Truncate, index, ty), ty, stm)
    }

    /// Emits `start + step * index`.
    fn affine(
        &mut self,
        start: Operand,
        step: Operand,
        index: Operand,
        ty: ScalarType,
        stm: &Stm,
    ) -> Operand {
        let scaled = self.scalar(Expr::Binary(BinaryOp::Mul, step, index), ty, stm);
        self.scalar(Expr::Binary(BinaryOp::Add, start, scaled), ty, stm)
    }

    /// Binds a scalar expression, folded if possible.
    pub(super) fn scalar(&mut self, expr: Expr, ty: ScalarType, stm: &Stm) -> Operand {
        let var = self.function.fresh("at", Type::Scalar(ty));
        self.simple(Stm { pattern: vec![var], expr, certs: vec![], span: stm.span });
        self.substitution.apply(var.into())
    }
}

fn add_certs(stm: &mut Stm, certs: Vec<Var>) {
    for cert in certs {
        if !stm.certs.contains(&cert) {
            stm.certs.push(cert);
        }
    }
}

fn is_whole(shape: &[Operand], dims: &[SliceDim]) -> bool {
    let whole = |(size, dim): (&Operand, &SliceDim)| *dim == SliceDim::whole(*size);
    shape.iter().zip(dims).all(whole)
}
