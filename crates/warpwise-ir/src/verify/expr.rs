//! Expressions without bodies: operators accept their operands, arrays have the required shapes.

use super::Checked;
use super::check::Checker;
use crate::expr::{Expr, Message, MessagePart, SliceDim, Stm};
use crate::program::Var;
use crate::types::{ArrayType, Operand, Type};
use warpwise_prim::ScalarType;

impl<'a> Checker<'a, '_> {
    /// Checks the expression of a statement, except for its results.
    pub(super) fn expr(&mut self, stm: &'a Stm) -> Checked {
        self.operands_in_scope(&stm.expr)?;
        match &stm.expr {
            Expr::Operand(_) => Ok(()),
            Expr::Unary(op, x) => self.accepted(op.accepts(self.scalar(*x)?), op.mnemonic(), *x),
            Expr::Binary(op, x, y) => {
                self.alike(&[*x, *y])?;
                self.accepted(op.accepts(self.scalar(*x)?), op.mnemonic(), *x)
            }
            Expr::Ternary(op, x, y, z) => {
                self.alike(&[*x, *y, *z])?;
                self.accepted(op.accepts(self.scalar(*x)?), op.mnemonic(), *x)
            }
            Expr::Compare(op, x, y) => {
                self.alike(&[*x, *y])?;
                self.accepted(op.accepts(self.scalar(*x)?), op.mnemonic(), *x)
            }
            Expr::Convert(op, x, ty) => self.accepted(op.accepts(self.scalar(*x)?, *ty), op.mnemonic(), *x),
            Expr::Select(cond, x, y) => {
                self.expect("the condition", *cond, &Type::BOOL)?;
                self.scalar(*x)?;
                self.alike(&[*x, *y])
            }
            Expr::Assert { cond, message } => {
                self.expect("the condition", *cond, &Type::BOOL)?;
                self.message(message)
            }
            Expr::Index { .. }
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
            | Expr::Scratch { .. } => self.array_expr(&stm.expr),
            Expr::If { cond, then_body, else_body, branch: _ } => {
                self.branch(stm, *cond, then_body, else_body)
            }
            Expr::Loop { params, form, body } => self.loop_expr(stm, params, form, body),
            Expr::Call { function, args } => self.call(*function, args),
            Expr::Screma(screma) => self.screma(screma),
            Expr::Partition(partition) => self.partition(partition),
            Expr::Scatter(scatter) => self.scatter(scatter),
            Expr::Hist(hist) => self.hist(hist),
            Expr::Stream(stream) => self.stream(stream),
            Expr::WithAcc(with_acc) => self.with_acc(with_acc),
            Expr::UpdateAcc { acc, indices, values } => self.update_acc(*acc, indices, values),
            Expr::FlatMap(flat_map) => self.flat_map(flat_map),
            Expr::Seg(op) => self.seg_op(op),
            Expr::Tuned { name: _, default: _ } => Ok(()),
            Expr::Alloc { bytes } => self.i64("the size of a block", *bytes),
        }
    }

    /// Returns the scalar type of an operand.
    fn scalar(&self, operand: Operand) -> Result<ScalarType, String> {
        let ty = self.function.operand_type(operand);
        ty.as_scalar().ok_or_else(|| format!("an operand is a {}, not a scalar", self.show(&ty)))
    }

    fn accepted(&self, accepted: bool, mnemonic: &str, operand: Operand) -> Checked {
        if accepted {
            return Ok(());
        }
        let ty = self.show(&self.function.operand_type(operand));
        Err(format!("`{mnemonic}` does not take a {ty}"))
    }

    /// Checks that all operands have one type.
    fn alike(&self, operands: &[Operand]) -> Checked {
        let types = self.types(operands);
        match types.iter().find(|ty| !self.equal.same_type(ty, &types[0])) {
            None => Ok(()),
            Some(ty) => Err(format!("operands of types {} and {}", self.show(&types[0]), self.show(ty))),
        }
    }

    fn message(&self, message: &Message) -> Checked {
        for part in &message.parts {
            match part {
                MessagePart::Text(_) => {}
                MessagePart::Value(value, ty) => {
                    self.expect("a value in the message", *value, &Type::Scalar(ty.scalar()))?;
                }
            }
        }
        Ok(())
    }

    fn array_expr(&mut self, expr: &Expr) -> Checked {
        match expr {
            Expr::Index { array, indices } => {
                let rank = self.array(*array)?.shape.len();
                if indices.is_empty() || indices.len() > rank {
                    return Err(format!("{} indices into {rank} dimensions", indices.len()));
                }
                indices.iter().try_for_each(|index| self.i64("an index", *index))
            }
            Expr::Slice { array, dims } => {
                self.slice(*array, dims)?;
                if dims.iter().all(|dim| matches!(dim, SliceDim::Fix(_))) {
                    return Err("a slice that is an element; `index` does that".to_string());
                }
                Ok(())
            }
            Expr::Update { array, dims, value } => {
                let part = self.slice(*array, dims)?;
                self.expect("the new value", *value, &part)
            }
            Expr::Iota { len, start, step } => {
                self.sizes(&[*len])?;
                self.alike(&[*start, *step])?;
                let ty = self.scalar(*start)?;
                if ty.is_int() { Ok(()) } else { Err(format!("`iota` makes integers, not {ty}")) }
            }
            Expr::Replicate { shape, value } => {
                self.shape(shape)?;
                match self.function.operand_type(*value) {
                    Type::Scalar(_) | Type::Array(_) => Ok(()),
                    Type::Acc(_) | Type::Cert | Type::Mem => Err("only values can be replicated".to_string()),
                }
            }
            Expr::ArrayLit(elems) => self.alike(elems),
            Expr::Concat { arrays, len } => {
                self.sizes(&[*len])?;
                self.concat(arrays)
            }
            Expr::Rearrange { array, perm } | Expr::Manifest { array, perm } => {
                let rank = self.array(*array)?.shape.len();
                let mut sorted = perm.clone();
                sorted.sort_unstable();
                if sorted.into_iter().eq(0..rank) {
                    return Ok(());
                }
                Err(format!("this is no permutation of {rank} dimensions"))
            }
            Expr::Reshape { array, shape } => {
                self.array(*array)?;
                self.shape(shape)
            }
            Expr::Copy(array) => self.array(*array).map(|_| ()),
            Expr::Scratch { elem: _, shape } => self.shape(shape),
            Expr::Operand(_)
            | Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..)
            | Expr::Assert { .. }
            | Expr::If { .. }
            | Expr::Loop { .. }
            | Expr::Call { .. }
            | Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::WithAcc(_)
            | Expr::UpdateAcc { .. }
            | Expr::FlatMap(_)
            | Expr::Seg(_)
            | Expr::Tuned { .. }
            | Expr::Alloc { .. } => Ok(()),
        }
    }

    /// Checks a slice and returns its type.
    fn slice(&self, array: Var, dims: &[SliceDim]) -> Result<Type, String> {
        let ty = self.array(array)?;
        if dims.len() != ty.shape.len() {
            return Err(format!("a slice of {} dimensions out of {}", dims.len(), ty.shape.len()));
        }
        let mut lens = Vec::new();
        for dim in dims {
            match dim {
                SliceDim::Fix(index) => self.i64("an index", *index)?,
                SliceDim::Range { start, len, stride } => {
                    self.i64("a start", *start)?;
                    self.sizes(&[*len])?;
                    self.i64("a stride", *stride)?;
                    lens.push(*len);
                }
            }
        }
        Ok(Type::array(ty.elem, lens))
    }

    fn shape(&self, shape: &[Operand]) -> Checked {
        if shape.is_empty() {
            return Err("an array without dimensions".to_string());
        }
        self.sizes(shape)
    }

    fn concat(&self, arrays: &[Var]) -> Checked {
        let Some(first) = arrays.first() else { return Err("a concatenation of nothing".to_string()) };
        let first = self.array(*first)?;
        for array in arrays {
            let ty = self.array(*array)?;
            if ty.elem != first.elem || !self.equal.same_shape(&ty.shape[1..], &first.shape[1..]) {
                return Err(format!("`{}` has rows of another type", self.name(*array)));
            }
        }
        Ok(())
    }

    /// Returns the array type of a variable.
    pub(super) fn array(&self, var: Var) -> Result<&'a ArrayType, String> {
        let ty = self.ty(var);
        ty.as_array().ok_or_else(|| format!("`{}` is a {}, not an array", self.name(var), self.show(ty)))
    }
}
