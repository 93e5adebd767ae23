//! Visitors over bodies, statements and expressions, immutable and mutable.
//!
//! One macro defines both traits, so that they cannot differ. The order is: the operands of an expression, then the variables
//! that it binds, then its bodies; a pattern after its expression. Hence a walk of a body meets every binding before its uses,
//! and the certificates of a statement before its expression.
//!
//! Types and placements are stored with the variables, not in the tree: a visitor that needs them looks them up in
//! [`Visitor::bind`].

use crate::expr::{Body, Expr, Lambda, LoopForm, LoopParam, MessagePart, SliceDim, Stm};
use crate::program::Var;
use crate::segop::{SegDim, SegKind, SegOp};
use crate::soac::{
    FlatMap, Hist, HistOp, Partition, Reduce, Scan, Scatter, ScatterDest, Screma, Stream, StreamKind,
    WithAcc, WithAccInput,
};
use crate::types::{Operand, Type};

/// Defines one visitor trait. The arguments are its lifetime (if any), the references that it takes, and the borrow of parts.
macro_rules! visitor {
    ($(#[$meta:meta])* $name:ident [$($lifetime:tt)*] [$($reference:tt)*] [$($borrow:tt)*]) => {
        $(#[$meta])*
        pub trait $name $($lifetime)* {
            /// Visits a used variable, as an operand or where only a variable is allowed.
            fn var(&mut self, _var: $($reference)* Var) {}

            /// Visits a bound variable: in a pattern, as a parameter or as an index.
            fn bind(&mut self, _var: $($reference)* Var) {}

            /// Visits a type written in an expression rather than with a variable (row types of `flatmap`).
            fn written_type(&mut self, ty: $($reference)* Type) {
                self.walk_type(ty);
            }

            /// Visits an operand.
            fn operand(&mut self, operand: $($reference)* Operand) {
                match operand {
                    Operand::Const(_) => {}
                    Operand::Var(var) => self.var(var),
                }
            }

            /// Visits a nested or outermost body.
            fn body(&mut self, body: $($reference)* Body) {
                self.walk_body(body);
            }

            /// Visits a lambda.
            fn lambda(&mut self, lambda: $($reference)* Lambda) {
                self.walk_lambda(lambda);
            }

            /// Visits a statement.
            fn stm(&mut self, stm: $($reference)* Stm) {
                self.walk_stm(stm);
            }

            /// Visits an expression.
            fn expr(&mut self, expr: $($reference)* Expr) {
                self.walk_expr(expr);
            }

            /// Visits the statements and the result of a body.
            fn walk_body(&mut self, body: $($reference)* Body) {
                for stm in $($borrow)* body.stms {
                    self.stm(stm);
                }
                self.operands($($borrow)* body.result);
            }

            /// Visits the parameters and the body of a lambda.
            fn walk_lambda(&mut self, lambda: $($reference)* Lambda) {
                self.binds($($borrow)* lambda.params);
                self.body($($borrow)* lambda.body);
            }

            /// Visits the parts of a statement.
            fn walk_stm(&mut self, stm: $($reference)* Stm) {
                self.vars($($borrow)* stm.certs);
                self.expr($($borrow)* stm.expr);
                self.binds($($borrow)* stm.pattern);
            }

            /// Visits the parts of an expression.
            fn walk_expr(&mut self, expr: $($reference)* Expr) {
                match expr {
                    Expr::Operand(x) | Expr::Unary(_, x) | Expr::Convert(_, x, _) => self.operand(x),
                    Expr::Binary(_, x, y) | Expr::Compare(_, x, y) => {
                        self.operand(x);
                        self.operand(y);
                    }
                    Expr::Ternary(_, x, y, z) | Expr::Select(x, y, z) => {
                        self.operand(x);
                        self.operand(y);
                        self.operand(z);
                    }
                    Expr::Assert { cond, message } => {
                        self.operand(cond);
                        for part in $($borrow)* message.parts {
                            match part {
                                MessagePart::Text(_) => {}
                                MessagePart::Value(value, _) => self.operand(value),
                            }
                        }
                    }
                    Expr::Index { array, indices } => {
                        self.var(array);
                        self.operands(indices);
                    }
                    Expr::Slice { array, dims } => {
                        self.var(array);
                        self.slice_dims(dims);
                    }
                    Expr::Update { array, dims, value } => {
                        self.var(array);
                        self.slice_dims(dims);
                        self.operand(value);
                    }
                    Expr::Iota { len, start, step } => {
                        self.operand(len);
                        self.operand(start);
                        self.operand(step);
                    }
                    Expr::Replicate { shape, value } => {
                        self.operands(shape);
                        self.operand(value);
                    }
                    Expr::ArrayLit(elems) => self.operands(elems),
                    Expr::Concat { arrays, len } => {
                        self.operand(len);
                        self.vars(arrays);
                    }
                    Expr::Rearrange { array, perm: _ } | Expr::Manifest { array, perm: _ } => self.var(array),
                    Expr::Reshape { array, shape } => {
                        self.operands(shape);
                        self.var(array);
                    }
                    Expr::Copy(array) => self.var(array),
                    Expr::Scratch { elem: _, shape } => self.operands(shape),
                    Expr::If { cond, then_body, else_body, branch: _ } => {
                        self.operand(cond);
                        self.body(then_body);
                        self.body(else_body);
                    }
                    Expr::Loop { params, form, body } => {
                        self.loop_head(params, form);
                        self.body(body);
                    }
                    Expr::Call { function: _, args } => self.operands(args),
                    Expr::Screma(_) | Expr::Partition(_) | Expr::Scatter(_) | Expr::Hist(_)
                    | Expr::Stream(_) | Expr::WithAcc(_) | Expr::FlatMap(_) => self.walk_soac(expr),
                    Expr::UpdateAcc { acc, indices, values } => {
                        self.var(acc);
                        self.operands(indices);
                        self.operands(values);
                    }
                    Expr::Seg(op) => self.walk_seg_op(op),
                    Expr::Tuned { name: _, default: _ } => {}
                    Expr::Alloc { bytes } => self.operand(bytes),
                }
            }

            /// Visits the parts of a SOAC; does nothing for any other expression.
            fn walk_soac(&mut self, expr: $($reference)* Expr) {
                match expr {
                    Expr::Screma(soac) => {
                        let Screma { width, inputs, map, scans, reduces, post } = $($borrow)* **soac;
                        self.operand(width);
                        self.vars(inputs);
                        self.lambda(map);
                        self.scans(scans);
                        self.reduces(reduces);
                        if let Some(post) = post {
                            self.lambda(post);
                        }
                    }
                    Expr::Partition(soac) => {
                        let Partition { width, inputs, classes: _, lambda } = $($borrow)* **soac;
                        self.operand(width);
                        self.vars(inputs);
                        self.lambda(lambda);
                    }
                    Expr::Scatter(soac) => {
                        let Scatter { width, inputs, lambda, dests } = $($borrow)* **soac;
                        self.operand(width);
                        self.vars(inputs);
                        self.dests(dests);
                        self.lambda(lambda);
                    }
                    Expr::Hist(soac) => {
                        let Hist { width, inputs, lambda, ops } = $($borrow)* **soac;
                        self.operand(width);
                        self.vars(inputs);
                        self.lambda(lambda);
                        self.hist_ops(ops);
                    }
                    Expr::Stream(soac) => {
                        let Stream { kind, width, inputs, accs, lambda } = $($borrow)* **soac;
                        self.operand(width);
                        self.vars(inputs);
                        self.operands(accs);
                        match kind {
                            StreamKind::Map | StreamKind::Seq => {}
                            StreamKind::Red(op) => self.lambda(op),
                        }
                        self.lambda(lambda);
                    }
                    Expr::WithAcc(soac) => {
                        let WithAcc { inputs, lambda } = $($borrow)* **soac;
                        for WithAccInput { shape, arrays, op } in inputs {
                            self.operands(shape);
                            self.vars(arrays);
                            if let Some((op, neutral)) = op {
                                self.operands(neutral);
                                self.lambda(op);
                            }
                        }
                        self.lambda(lambda);
                    }
                    Expr::FlatMap(soac) => {
                        let FlatMap { width, inputs, results, lambda } = $($borrow)* **soac;
                        self.operand(width);
                        self.vars(inputs);
                        for ty in results {
                            self.written_type(ty);
                        }
                        self.lambda(lambda);
                    }
                    Expr::Operand(_) | Expr::Unary(..) | Expr::Binary(..) | Expr::Ternary(..)
                    | Expr::Compare(..) | Expr::Convert(..) | Expr::Select(..) | Expr::Assert { .. }
                    | Expr::Index { .. } | Expr::Slice { .. } | Expr::Update { .. } | Expr::Iota { .. }
                    | Expr::Replicate { .. } | Expr::ArrayLit(_) | Expr::Concat { .. } | Expr::Rearrange { .. }
                    | Expr::Reshape { .. } | Expr::Copy(_) | Expr::Manifest { .. } | Expr::Scratch { .. }
                    | Expr::If { .. } | Expr::Loop { .. } | Expr::Call { .. } | Expr::UpdateAcc { .. }
                    | Expr::Seg(_) | Expr::Tuned { .. } | Expr::Alloc { .. } => {}
                }
            }

            /// Visits the parts of a segmented operation.
            fn walk_seg_op(&mut self, op: $($reference)* SegOp) {
                for SegDim { index: _, extent, mapping: _ } in $($borrow)* op.space {
                    self.operand(extent);
                }
                match $($borrow)* op.kind {
                    SegKind::Map | SegKind::Partition { classes: _ } => {}
                    SegKind::Reduce { reduces } => self.reduces(reduces),
                    SegKind::Scan { scans, reduces, post } => {
                        self.scans(scans);
                        self.reduces(reduces);
                        if let Some(post) = post {
                            self.lambda(post);
                        }
                    }
                    SegKind::Scatter { dests } => self.dests(dests),
                    SegKind::Hist { ops } => self.hist_ops(ops),
                }
                for dim in $($borrow)* op.space {
                    self.bind($($borrow)* dim.index);
                }
                self.body($($borrow)* op.body);
            }

            /// Visits the operands in a type.
            fn walk_type(&mut self, ty: $($reference)* Type) {
                match ty {
                    Type::Array(array) => self.operands($($borrow)* array.shape),
                    Type::Acc(acc) => {
                        self.var($($borrow)* acc.token);
                        self.operands($($borrow)* acc.shape);
                        for elem in $($borrow)* acc.elems {
                            self.walk_type(elem);
                        }
                    }
                    Type::Scalar(_) | Type::Cert | Type::Mem => {}
                }
            }

            /// Visits the initial values, parameters and form of a loop.
            fn loop_head(&mut self, params: $($reference)* [LoopParam], form: $($reference)* LoopForm) {
                for LoopParam { var: _, init, consumed: _ } in $($borrow)* *params {
                    self.operand(init);
                }
                for param in $($borrow)* *params {
                    self.bind($($borrow)* param.var);
                }
                match form {
                    LoopForm::For { index, bound } => {
                        self.operand(bound);
                        self.bind(index);
                    }
                    LoopForm::While { cond } => self.var(cond),
                }
            }

            /// Visits operands in order.
            fn operands(&mut self, operands: $($reference)* [Operand]) {
                for operand in operands {
                    self.operand(operand);
                }
            }

            /// Visits used variables in order.
            fn vars(&mut self, vars: $($reference)* [Var]) {
                for var in vars {
                    self.var(var);
                }
            }

            /// Visits bound variables in order.
            fn binds(&mut self, vars: $($reference)* [Var]) {
                for var in vars {
                    self.bind(var);
                }
            }

            /// Visits the parts of a slice.
            fn slice_dims(&mut self, dims: $($reference)* [SliceDim]) {
                for dim in dims {
                    match dim {
                        SliceDim::Fix(index) => self.operand(index),
                        SliceDim::Range { start, len, stride } => {
                            self.operand(start);
                            self.operand(len);
                            self.operand(stride);
                        }
                    }
                }
            }

            /// Visits scans.
            fn scans(&mut self, scans: $($reference)* [Scan]) {
                for Scan { op, neutral, exclusive: _ } in scans {
                    self.operands(neutral);
                    self.lambda(op);
                }
            }

            /// Visits reductions.
            fn reduces(&mut self, reduces: $($reference)* [Reduce]) {
                for Reduce { op, neutral, commutative: _ } in reduces {
                    self.operands(neutral);
                    self.lambda(op);
                }
            }

            /// Visits destinations of a scatter.
            fn dests(&mut self, dests: $($reference)* [ScatterDest]) {
                for ScatterDest { array, rank: _, segments: _ } in dests {
                    self.var(array);
                }
            }

            /// Visits operations of a histogram.
            fn hist_ops(&mut self, ops: $($reference)* [HistOp]) {
                for HistOp { dests, rank: _, op, neutral } in ops {
                    self.vars(dests);
                    self.operands(neutral);
                    self.lambda(op);
                }
            }
        }
    };
}

visitor!(
    /// A visitor that reads a tree; every method only walks unless overridden.
    Visitor [<'a>] [&'a] [&]
);
visitor!(
    /// A visitor that changes a tree in place; every method only walks unless overridden.
    VisitorMut [] [&mut] [&mut]
);
