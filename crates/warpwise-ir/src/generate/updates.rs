//! Rows of an array recomputed from other rows or from themselves, forwards or backwards, in loops and choices. Some can be
//! computed in place; others would overwrite rows that are still read.

use warpwise_prim::{BinaryOp, ScalarType};

use super::Generator;
use crate::expr::{Body, Branch, Expr, LoopForm, LoopParam, SliceDim};
use crate::program::Var;
use crate::soac::Screma;
use crate::types::{Operand, Shape, Type};

/// An array of `ROWS` rows or columns.
#[derive(Clone, Copy)]
struct Matrix {
    array: Var,
    len: Operand,
    are_columns: bool,
}

const ROWS: i64 = 3;

impl Generator<'_> {
    /// Adds an array of a few rows, some of which are recomputed.
    pub(super) fn rows_in_place(&mut self) {
        let (len, are_columns) = (self.size(), self.random.chance(1, 3));
        let total = self.b.binary("nm", BinaryOp::Mul, len, ROWS);
        let numbers = Expr::Iota { len: total, start: Operand::i64(5), step: Operand::i64(7) };
        let numbers = self.b.bind_one("a", numbers);
        let mut shape = Shape::from_slice(&[Operand::i64(ROWS), len]);
        if are_columns {
            shape.reverse();
        }
        let matrix = self.b.bind_one("v", Expr::Reshape { array: numbers, shape });
        let mut matrix = Matrix { array: self.b.bind_one("c", Expr::Copy(matrix)), len, are_columns };
        let rows: Vec<Operand> = (0..ROWS).map(Operand::i64).collect();
        for _ in 0..1 + self.random.below(3) {
            matrix.array =
                if self.random.chance(1, 3) { self.rows_in_loop(matrix) } else { self.row(matrix, &rows) };
        }
        let ty = self.b.function.ty(matrix.array).clone();
        self.scope.add_fresh(matrix.array, ty);
    }

    /// Recomputes rows in every iteration of a loop, at positions that depend on the index.
    fn rows_in_loop(&mut self, matrix: Matrix) -> Var {
        let ty = self.b.function.ty(matrix.array).clone();
        let (param, index) = (self.b.function.fresh("l", ty), self.b.function.fresh("i", Type::I64));
        let body = self.b.take_stms();
        let next = self.b.binary("k", BinaryOp::Add, index, 1i64);
        let made =
            self.row(Matrix { array: param, ..matrix }, &[index.into(), next, index.into(), Operand::i64(0)]);
        let stms = self.b.take_stms();
        self.b.extend(body);
        let body = Body { stms, result: vec![made.into()] };
        let params = vec![LoopParam { var: param, init: matrix.array.into(), consumed: true }];
        let form = LoopForm::For { index, bound: Operand::i64(ROWS - 1) };
        self.b.bind_one("t", Expr::Loop { params, form, body })
    }

    /// Recomputes one of these rows from one or two of them.
    fn row(&mut self, matrix: Matrix, rows: &[Operand]) -> Var {
        let to = self.random.pick(rows);
        let value = if self.random.chance(1, 4) {
            let cond = self.scalar(ScalarType::Bool);
            let mut side = || {
                let outer = self.b.take_stms();
                let made = self.made_of(matrix, rows);
                let stms = self.b.take_stms();
                self.b.extend(outer);
                Body { stms, result: vec![made.into()] }
            };
            let (then_body, else_body) = (side(), side());
            self.b.bind_one("f", Expr::If { cond, then_body, else_body, branch: Branch::Plain })
        } else {
            self.made_of(matrix, rows)
        };
        let dims = matrix.dims(to, false, Operand::i64(0));
        self.b.update("u", matrix.array, dims, value)
    }

    fn made_of(&mut self, matrix: Matrix, rows: &[Operand]) -> Var {
        let count = 1 + self.random.below(2);
        let mut inputs = Vec::new();
        for _ in 0..count {
            let row = self.random.pick(rows);
            let backwards = self.random.chance(1, 4);
            let last = self.b.binary("last", BinaryOp::Sub, matrix.len, 1i64);
            inputs.push(self.b.slice("v", matrix.array, matrix.dims(row, backwards, last)));
        }
        let params = vec![("x", Type::I64); count];
        let map = self.b.lambda(&params, |b, x| {
            let more = b.binary("y", BinaryOp::Mul, x[0], 3i64);
            vec![b.binary("y", BinaryOp::Add, more, x[x.len() - 1])]
        });
        let width = matrix.len;
        let screma = Screma { width, inputs, map, scans: Vec::new(), reduces: Vec::new(), post: None };
        self.b.bind_one("w", Expr::Screma(Box::new(screma)))
    }
}

impl Matrix {
    fn dims(self, row: Operand, backwards: bool, last: Operand) -> Vec<SliceDim> {
        let (start, stride) = if backwards { (last, -1) } else { (Operand::i64(0), 1) };
        let along = SliceDim::Range { start, len: self.len, stride: Operand::i64(stride) };
        let mut dims = vec![SliceDim::Fix(row), along];
        if self.are_columns {
            dims.reverse();
        }
        dims
    }
}
