//! Indices, views, fresh arrays, updates.

use warpwise_prim::{BinaryOp, CompareOp};

use super::Generator;
use crate::expr::{Expr, Message, MessagePart, SliceDim};
use crate::program::Var;
use crate::types::{Operand, Shape, Type};

impl Generator<'_> {
    /// Returns an array in scope, or a fresh one if there is none.
    pub(super) fn array(&mut self) -> (Var, Type) {
        let found = self.scope.find(|ty| ty.rank() > 0);
        if !found.is_empty() {
            return self.random.pick(&found);
        }
        let (len, start, step) = (self.size(), Operand::i64(2), Operand::i64(3));
        let var = self.bind("a", Expr::Iota { len, start, step })[0];
        (var, self.b.function.ty(var).clone())
    }

    /// Reads an element, or a constant if the array is empty.
    pub(super) fn index(&mut self) {
        let (array, ty) = self.array();
        let Some(elem) = ty.elem() else { return };
        let other = self.scalar(elem);
        let indices: Vec<Operand> =
            ty.shape().iter().map(|_| self.scalar(warpwise_prim::ScalarType::I64)).collect();
        let some = self.all_positive(ty.shape());
        let checked = self.random.chance(1, 2);
        let then_build = |b: &mut crate::builder::Builder| {
            let mut at = Vec::new();
            for (index, size) in indices.iter().zip(ty.shape()) {
                at.push(b.binary("i", BinaryOp::SMod, *index, *size));
            }
            if !checked {
                return vec![b.index("x", array, &at).into()];
            }
            let holds = b.compare("ok", CompareOp::SLt, at[0], ty.shape()[0]);
            let parts = vec![
                MessagePart::Text("Index [".to_string()),
                MessagePart::Value(at[0], warpwise_prim::ValueType::I64),
                MessagePart::Text("] out of bounds".to_string()),
            ];
            let cert = b.assert(holds, Message { parts, calls: Vec::new() });
            b.with_certs(&[cert], |b| vec![b.index("x", array, &at).into()])
        };
        let vars = self.b.branch("x", some, then_build, |_| vec![other]);
        self.add(vars[0]);
    }

    /// Computes whether all sizes are positive.
    fn all_positive(&mut self, shape: &[Operand]) -> Operand {
        let mut some = Operand::bool(true);
        for size in shape {
            let positive = self.b.compare("pos", CompareOp::SLt, 0i64, *size);
            some = self.b.binary("some", BinaryOp::And, some, positive);
        }
        some
    }

    /// Adds a view of an array.
    pub(super) fn view(&mut self) {
        let (array, ty) = self.array();
        let rank = ty.rank();
        let expr = match self.random.below(4) {
            0 if rank > 1 => {
                let mut perm: Vec<usize> = (0..rank).collect();
                let (i, j) = (self.random.below(rank), self.random.below(rank));
                perm.swap(i, j);
                perm.rotate_left(self.random.below(rank));
                Expr::Rearrange { array, perm }
            }
            1 if rank > 1 && self.is_plain(&ty) => {
                let mut shape: Shape = ty.shape()[2..].into();
                let len = self.b.binary("nm", BinaryOp::Mul, ty.shape()[0], ty.shape()[1]);
                shape.insert(0, len);
                Expr::Reshape { array, shape }
            }
            2 => {
                let mut shape: Shape = ty.shape().into();
                shape.insert(self.random.below(rank + 1), Operand::i64(1));
                if rank > 2 { Expr::Operand(array.into()) } else { Expr::Reshape { array, shape } }
            }
            _ => {
                let dims = ty.shape().iter().map(|size| self.range(*size)).collect();
                Expr::Slice { array, dims }
            }
        };
        let var = self.b.bind_one("v", expr);
        let ty = self.b.function.ty(var).clone();
        self.scope.add_view(var, ty, array);
    }

    /// Returns whether new arrays may have all these sizes, so that derived sizes stay small.
    pub(super) fn is_plain(&self, ty: &Type) -> bool {
        ty.shape().iter().all(|size| self.scope.sizes.contains(size))
    }

    /// Returns a part of a dimension of this size: all of it, reversed, a half, or every other element.
    fn range(&mut self, size: Operand) -> SliceDim {
        let (zero, one) = (Operand::i64(0), Operand::i64(1));
        match self.random.below(5) {
            0 => {
                let start = self.b.binary("last", BinaryOp::Sub, size, one);
                SliceDim::Range { start, len: size, stride: Operand::i64(-1) }
            }
            1 => {
                let half = self.b.binary("half", BinaryOp::SDiv, size, 2i64);
                let start = self.b.binary("from", BinaryOp::Sub, size, half);
                SliceDim::Range { start, len: half, stride: one }
            }
            2 => {
                let more = self.b.binary("more", BinaryOp::Add, size, one);
                let len = self.b.binary("len", BinaryOp::SDiv, more, 2i64);
                SliceDim::Range { start: zero, len, stride: Operand::i64(2) }
            }
            _ => SliceDim::Range { start: zero, len: size, stride: one },
        }
    }

    /// Adds an array with storage of its own.
    pub(super) fn fresh_array(&mut self) {
        let elem = self.scalar_type();
        let expr = match self.random.below(7) {
            0 => {
                let elem = if elem.is_int() { elem } else { warpwise_prim::ScalarType::I64 };
                Expr::Iota { len: self.size(), start: self.scalar(elem), step: self.scalar(elem) }
            }
            1 => {
                let rank = 1 + self.random.below(2);
                let shape: Shape = (0..rank).map(|_| self.size()).collect();
                Expr::Replicate { shape, value: self.scalar(elem) }
            }
            2 => {
                let count = 1 + self.random.below(5);
                Expr::ArrayLit((0..count).map(|_| self.scalar(elem)).collect())
            }
            3 => self.concat(),
            4 => {
                let (array, ty) = self.array();
                let mut perm: Vec<usize> = (0..ty.rank()).collect();
                perm.rotate_left(self.random.below(ty.rank()));
                Expr::Manifest { array, perm }
            }
            5 => {
                let found = self.scope.find(|ty| ty.rank() == 1);
                if found.is_empty() {
                    return;
                }
                let (array, _) = self.random.pick(&found);
                let len = self.size();
                Expr::Replicate { shape: Shape::from_slice(&[len]), value: array.into() }
            }
            _ => Expr::Copy(self.array().0),
        };
        self.bind("a", expr);
    }

    fn concat(&mut self) -> Expr {
        let (first, ty) = self.array();
        if !self.is_plain(&ty) {
            return Expr::Copy(first);
        }
        let alike = |other: &Type| other.elem() == ty.elem() && other.shape().get(1..) == ty.shape().get(1..);
        let plain: Vec<Var> = self
            .scope
            .find(alike)
            .into_iter()
            .filter(|(_, ty)| self.is_plain(ty))
            .map(|(var, _)| var)
            .collect();
        let second = self.random.pick(&plain);
        let outer = self.b.function.ty(second).shape()[0];
        let len = self.b.binary("len", BinaryOp::Add, ty.shape()[0], outer);
        Expr::Concat { arrays: vec![first, second], len }
    }

    /// Returns an array to be consumed: one that may be consumed, or a copy.
    pub(super) fn owned_array(&mut self, fits: impl Fn(&Type) -> bool) -> Option<(Var, Type)> {
        let owned: Vec<(Var, Type)> =
            self.scope.consumable().into_iter().filter(|(_, ty)| fits(ty)).collect();
        if !owned.is_empty() && self.random.chance(2, 3) {
            return Some(self.random.pick(&owned));
        }
        let found = self.scope.find(|ty| ty.rank() > 0 && fits(ty));
        if found.is_empty() {
            return None;
        }
        let source = self.random.pick(&found).0;
        let copy = self.bind("c", Expr::Copy(source))[0];
        Some((copy, self.b.function.ty(copy).clone()))
    }

    /// Overwrites part of an array.
    pub(super) fn update(&mut self) {
        let Some((array, ty)) = self.owned_array(|_| true) else { return };
        let Some(elem) = ty.elem() else { return };
        let dims: Vec<SliceDim> = ty.shape().iter().map(|size| self.range(*size)).collect();
        let lens = dims.iter().filter_map(|dim| match dim {
            SliceDim::Range { len, .. } => Some(*len),
            SliceDim::Fix(_) => None,
        });
        let shape: Shape = lens.collect();
        let value = self.scalar(elem);
        // A fresh value cannot share storage with the overwritten array.
        let value = self.bind("w", Expr::Replicate { shape, value })[0];
        self.scope.consume(array);
        self.bind("u", Expr::Update { array, dims, value: value.into() });
    }
}
