//! Helpers for building statements.

use warpwise_diag::Span;
use warpwise_ir::{Expr, Function, Operand, SliceDim, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp};

/// Statements under construction.
pub struct Made<'f> {
    /// The function that owns the variables.
    pub function: &'f mut Function,
    /// The statements so far.
    pub stms: Vec<Stm>,
    /// Source position of the statements.
    pub span: Span,
}

impl Made<'_> {
    /// Binds a fresh variable.
    pub fn bind(&mut self, name: &str, ty: Type, expr: Expr) -> Operand {
        let var = self.function.fresh(name, ty);
        self.stms.push(Stm { pattern: vec![var], expr, certs: vec![], span: self.span });
        var.into()
    }

    /// Binds the result of integer arithmetic.
    pub fn binary(
        &mut self,
        name: &str,
        op: BinaryOp,
        x: impl Into<Operand>,
        y: impl Into<Operand>,
    ) -> Operand {
        self.bind(name, Type::I64, Expr::Binary(op, x.into(), y.into()))
    }

    /// Binds the result of a comparison of integers.
    pub fn compare(
        &mut self,
        name: &str,
        op: CompareOp,
        x: impl Into<Operand>,
        y: impl Into<Operand>,
    ) -> Operand {
        self.bind(name, Type::BOOL, Expr::Compare(op, x.into(), y.into()))
    }

    /// Binds a view of an array with its dimensions permuted.
    pub fn turned(&mut self, array: Operand, perm: Vec<usize>) -> Operand {
        let array = variable(array);
        let ty = self.function.ty(array);
        let elem = ty.elem().expect("an array");
        let turned = Type::array(elem, perm.iter().map(|&dim| ty.shape()[dim]));
        self.bind("turned", turned, Expr::Rearrange { array, perm })
    }

    /// Binds a reshaped array.
    pub fn reshaped(&mut self, array: Operand, shape: Vec<Operand>) -> Operand {
        let array = variable(array);
        let elem = self.function.ty(array).elem().expect("an array");
        let ty = Type::array(elem, shape.iter().copied());
        self.bind("whole", ty, Expr::Reshape { array, shape: shape.into() })
    }

    /// Binds a part of an array: the elements from `starts` on, with the extents `shape`.
    pub fn part(&mut self, array: Operand, starts: &[Operand], shape: &[Operand]) -> Operand {
        let array = variable(array);
        let elem = self.function.ty(array).elem().expect("an array");
        let ty = Type::array(elem, shape.iter().copied());
        self.bind("some", ty, Expr::Slice { array, dims: ranges(starts, shape) })
    }

    /// Binds an array with a part overwritten.
    pub fn overwritten(&mut self, array: Operand, starts: &[Operand], value: Operand) -> Operand {
        let array = variable(array);
        let dims = ranges(starts, self.function.ty(variable(value)).shape());
        let ty = self.function.ty(array).clone();
        self.bind("filled", ty, Expr::Update { array, dims, value })
    }
}

/// Returns the variable of an array operand.
pub fn variable(array: Operand) -> Var {
    array.as_var().expect("an array is a variable")
}

fn ranges(starts: &[Operand], shape: &[Operand]) -> Vec<SliceDim> {
    let range = |(&start, &len)| SliceDim::Range { start, len, stride: Operand::i64(1) };
    starts.iter().zip(shape).map(range).collect()
}
