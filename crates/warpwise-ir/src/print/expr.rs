//! Expressions other than SOACs and segmented operations.

use std::fmt::Write;

use warpwise_prim::ScalarType;

use super::Printer;
use crate::expr::{Branch, Expr, LoopForm, LoopParam, Message, MessagePart, SliceDim};
use crate::types::Operand;

impl Printer<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Operand(x) => self.operand(*x),
            Expr::Unary(op, x) => self.call_like(op.mnemonic(), &[*x]),
            Expr::Binary(op, x, y) => self.call_like(op.mnemonic(), &[*x, *y]),
            Expr::Ternary(op, x, y, z) => self.call_like(op.mnemonic(), &[*x, *y, *z]),
            Expr::Compare(op, x, y) => self.call_like(op.mnemonic(), &[*x, *y]),
            Expr::Convert(op, x, ty) => {
                self.call_like(op.mnemonic(), &[*x]);
                let _ = write!(self.out, " : {ty}");
            }
            Expr::Select(c, x, y) => self.call_like("select", &[*c, *x, *y]),
            Expr::Assert { cond, message } => self.assert(*cond, message),
            Expr::If { cond, then_body, else_body, branch } => {
                self.put("if ");
                match branch {
                    Branch::Plain => {}
                    Branch::Specialised => self.put("specialised "),
                }
                self.operand(*cond);
                self.put(" ");
                self.body(then_body);
                self.put(" else ");
                self.body(else_body);
            }
            Expr::Loop { params, form, body } => {
                self.loop_head(params, form);
                self.body(body);
            }
            Expr::Call { function, args } => {
                self.put("call ");
                self.callee(*function);
                self.put("(");
                self.operand_list(args);
                self.put(")");
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
            | Expr::Scratch { .. } => self.array_expr(expr),
            Expr::Screma(screma) => self.screma(screma),
            Expr::Partition(partition) => self.partition(partition),
            Expr::Scatter(scatter) => self.scatter(scatter),
            Expr::Hist(hist) => self.hist(hist),
            Expr::Stream(stream) => self.stream(stream),
            Expr::WithAcc(with_acc) => self.with_acc(with_acc),
            Expr::UpdateAcc { acc, indices, values } => {
                self.put("update_acc ");
                self.var(*acc);
                self.put("[");
                self.operand_list(indices);
                self.put("] (");
                self.operand_list(values);
                self.put(")");
            }
            Expr::FlatMap(flat_map) => self.flat_map(flat_map),
            Expr::Seg(op) => self.seg_op(op),
            Expr::Tuned { name, default } => {
                let _ = write!(self.out, "tuned {name:?} default {default}");
            }
            Expr::Alloc { bytes } => self.call_like("alloc", &[*bytes]),
        }
    }

    /// Writes `op x y`.
    fn call_like(&mut self, name: &str, operands: &[Operand]) {
        self.put(name);
        for operand in operands {
            self.put(" ");
            self.operand(*operand);
        }
    }

    fn array_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Index { array, indices } => {
                self.put("index ");
                self.var(*array);
                self.put("[");
                self.operand_list(indices);
                self.put("]");
            }
            Expr::Slice { array, dims } => {
                self.put("slice ");
                self.var(*array);
                self.slice_dims(dims);
            }
            Expr::Update { array, dims, value } => {
                self.put("update ");
                self.var(*array);
                self.slice_dims(dims);
                self.put(" = ");
                self.operand(*value);
            }
            Expr::Iota { len, start, step } => self.call_like("iota", &[*len, *start, *step]),
            Expr::Replicate { shape, value } => {
                self.put("replicate ");
                self.shape_or_empty(shape);
                self.put(" ");
                self.operand(*value);
            }
            Expr::ArrayLit(elems) => {
                self.put("[");
                self.operand_list(elems);
                self.put("]");
            }
            Expr::Concat { arrays, len } => {
                self.call_like("concat", &[*len]);
                self.put(" ");
                self.var_list(arrays);
            }
            Expr::Rearrange { array, perm } => {
                self.permutation("rearrange", perm);
                self.var(*array);
            }
            Expr::Reshape { array, shape } => {
                self.put("reshape ");
                self.shape_or_empty(shape);
                self.put(" ");
                self.var(*array);
            }
            Expr::Copy(array) => self.call_like("copy", &[Operand::Var(*array)]),
            Expr::Manifest { array, perm } => {
                self.permutation("manifest", perm);
                self.var(*array);
            }
            Expr::Scratch { elem, shape } => self.scratch(*elem, shape),
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
            | Expr::Alloc { .. } => {}
        }
    }

    fn scratch(&mut self, elem: ScalarType, shape: &[Operand]) {
        self.put("scratch ");
        self.shape_or_empty(shape);
        self.put(elem.name());
    }

    fn permutation(&mut self, name: &str, perm: &[usize]) {
        self.put(name);
        self.put(" (");
        self.list(perm, |p, dim| {
            let _ = write!(p.out, "{dim}");
        });
        self.put(") ");
    }

    fn slice_dims(&mut self, dims: &[SliceDim]) {
        self.put("[");
        self.list(dims, |p, dim| match dim {
            SliceDim::Fix(index) => p.operand(*index),
            SliceDim::Range { start, len, stride } => {
                p.operand(*start);
                p.put(":");
                p.operand(*len);
                p.put(":");
                p.operand(*stride);
            }
        });
        self.put("]");
    }

    fn assert(&mut self, cond: Operand, message: &Message) {
        self.call_like("assert", &[cond]);
        self.put(" (");
        self.list(&message.parts, |p, part| match part {
            MessagePart::Text(text) => {
                let _ = write!(p.out, "{text:?}");
            }
            MessagePart::Value(value, ty) => {
                p.operand(*value);
                let _ = write!(p.out, ": {ty}");
            }
        });
        self.put(")");
    }

    fn loop_head(&mut self, params: &[LoopParam], form: &LoopForm) {
        self.put("loop (");
        self.list(params, |p, param| {
            p.binding(param.var, param.consumed);
            p.put(" = ");
            p.operand(param.init);
        });
        self.put(") ");
        match form {
            LoopForm::For { index, bound } => {
                self.put("for ");
                self.binding(*index, false);
                self.put(" < ");
                self.operand(*bound);
            }
            LoopForm::While { cond } => {
                self.put("while ");
                self.var(*cond);
            }
        }
        self.put(" ");
    }
}
