//! Emits statements, with sharing and constant folding of index arithmetic.

use rustc_hash::FxHashMap;
use warpwise_diag::Span;
use warpwise_ir::sizes::{ScalarCode, saturating_product};
use warpwise_ir::{Expr, Function, Lmad, LmadDim, Operand, Placement, Stm, Type, Var};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

/// Appends statements to the innermost open body. Equal products and sums in scope are computed once,
/// so that equal strides are the same operand and can be compared as such.
pub struct Emitter<'f> {
    /// The function that owns the variables.
    pub function: &'f mut Function,
    /// Source position of new statements, for messages.
    pub span: Span,
    bodies: Vec<OpenBody>,
}

/// A body under construction.
#[derive(Default)]
pub struct OpenBody {
    stms: Vec<Stm>,
    known: FxHashMap<(BinaryOp, Operand, Operand), Operand>,
    /// The known saturating products.
    saturated: FxHashMap<(Operand, Operand), Operand>,
}

impl<'f> Emitter<'f> {
    /// Returns an emitter without open bodies.
    pub fn new(function: &'f mut Function) -> Emitter<'f> {
        Emitter { function, span: Span::NONE, bodies: Vec::new() }
    }

    /// Opens a body inside the innermost one.
    pub fn open(&mut self) {
        self.bodies.push(OpenBody::default());
    }

    /// Closes the innermost body and returns its statements.
    pub fn close(&mut self) -> Vec<Stm> {
        self.bodies.pop().expect("a body is open").stms
    }

    /// Takes the innermost body off the stack, without closing it.
    pub fn suspend(&mut self) -> OpenBody {
        self.bodies.pop().expect("a body is open")
    }

    /// Continues a body that was suspended.
    pub fn resume(&mut self, body: OpenBody) {
        self.bodies.push(body);
    }

    /// Appends a statement.
    pub fn push(&mut self, stm: Stm) {
        self.bodies.last_mut().expect("a body is open").stms.push(stm);
    }

    /// Binds a fresh variable.
    pub fn bind(&mut self, name: &str, ty: Type, expr: Expr) -> Var {
        let var = self.function.fresh(name, ty);
        self.push(Stm { pattern: vec![var], expr, certs: vec![], span: self.span });
        var
    }

    /// Returns `x * y`.
    pub fn mul(&mut self, x: Operand, y: Operand) -> Operand {
        folded_product(x, y).unwrap_or_else(|| self.shared(BinaryOp::Mul, x, y))
    }

    /// Returns `x + y`.
    pub fn add(&mut self, x: Operand, y: Operand) -> Operand {
        match (constant(x), constant(y)) {
            (Some(0), _) => y,
            (_, Some(0)) => x,
            (Some(x), Some(y)) => Operand::i64(x.wrapping_add(y)),
            _ => self.shared(BinaryOp::Add, x, y),
        }
    }

    fn shared(&mut self, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        if let Some(known) = self.known(op, x, y) {
            return known;
        }
        let result = Operand::Var(self.bind("at", Type::I64, Expr::Binary(op, x, y)));
        self.bodies.last_mut().expect("a body is open").known.insert((op, x, y), result);
        result
    }

    fn known(&self, op: BinaryOp, x: Operand, y: Operand) -> Option<Operand> {
        self.bodies.iter().rev().find_map(|body| body.known.get(&(op, x, y)).copied())
    }

    /// Records that a variable is the product `x * y`.
    pub fn know_product(&mut self, x: Operand, y: Operand, product: Var) {
        let body = self.bodies.last_mut().expect("a body is open");
        body.known.insert((BinaryOp::Mul, x, y), product.into());
    }

    /// Returns the size of an array in bytes. If the product overflows, the size is the maximum `i64`, which no allocator grants.
    pub fn bytes(&mut self, elem: ScalarType, shape: &[Operand]) -> Operand {
        let unit = Operand::i64(elem.bytes() as i64);
        shape.iter().fold(unit, |product, &size| self.saturating_mul(product, size))
    }

    fn saturating_mul(&mut self, x: Operand, y: Operand) -> Operand {
        if let Some(&known) = self.bodies.iter().rev().find_map(|body| body.saturated.get(&(x, y))) {
            return known;
        }
        let bytes = saturating_product(self, x, y);
        self.bodies.last_mut().expect("a body is open").saturated.insert((x, y), bytes);
        bytes
    }

    /// Returns the row-major strides of a shape.
    pub fn strides(&mut self, shape: &[Operand]) -> Vec<Operand> {
        let mut strides = vec![Operand::i64(1); shape.len()];
        for dim in (1..shape.len()).rev() {
            strides[dim - 1] = self.mul(shape[dim], strides[dim]);
        }
        strides
    }

    /// Returns the row-major index function of a shape with offset 0.
    pub fn row_major(&mut self, shape: &[Operand]) -> Lmad {
        let strides = self.strides(shape);
        let dim = |(&extent, stride)| LmadDim { extent, stride };
        Lmad { offset: Operand::i64(0), dims: shape.iter().zip(strides).map(dim).collect() }
    }

    /// Allocates a fresh block for a row-major array of this shape.
    pub fn allocate(&mut self, name: &str, elem: ScalarType, shape: &[Operand]) -> Placement {
        let bytes = self.bytes(elem, shape);
        let block = self.bind(&format!("{name}_mem"), Type::Mem, Expr::Alloc { bytes });
        Placement { block, index_fn: self.row_major(shape) }
    }

    /// Returns the index function of the part of an array at these leading indices.
    pub fn row(&mut self, index_fn: &Lmad, indices: &[Operand]) -> Lmad {
        let mut offset = index_fn.offset;
        for (&index, dim) in indices.iter().zip(&index_fn.dims) {
            let moved = self.mul(index, dim.stride);
            offset = self.add(offset, moved);
        }
        Lmad { offset, dims: index_fn.dims[indices.len()..].to_vec() }
    }

    /// Whether an index function is row-major without gaps, from any offset. A stride that is a product of extents in scope was
    /// computed as such.
    pub fn is_dense(&self, index_fn: &Lmad) -> bool {
        let mut expected = Some(Operand::i64(1));
        index_fn.dims.iter().rev().all(|dim| {
            let is = expected == Some(dim.stride);
            expected = self.known_product(dim.extent, dim.stride);
            is
        })
    }

    /// Returns a product, if it is known without computing it.
    fn known_product(&self, x: Operand, y: Operand) -> Option<Operand> {
        folded_product(x, y).or_else(|| self.known(BinaryOp::Mul, x, y))
    }
}

impl ScalarCode for Emitter<'_> {
    fn binary(&mut self, name: &str, op: BinaryOp, x: Operand, y: Operand) -> Operand {
        if op == BinaryOp::Mul {
            return self.mul(x, y);
        }
        self.bind(name, Type::I64, Expr::Binary(op, x, y)).into()
    }

    fn compare(&mut self, name: &str, op: CompareOp, x: Operand, y: Operand) -> Operand {
        self.bind(name, Type::BOOL, Expr::Compare(op, x, y)).into()
    }

    fn select(&mut self, name: &str, cond: Operand, x: Operand, y: Operand) -> Operand {
        self.bind(name, Type::I64, Expr::Select(cond, x, y)).into()
    }
}

/// Returns a product that is a constant or one of its factors.
fn folded_product(x: Operand, y: Operand) -> Option<Operand> {
    match (constant(x), constant(y)) {
        (Some(1), _) => Some(y),
        (_, Some(1)) => Some(x),
        (Some(0), _) | (_, Some(0)) => Some(Operand::i64(0)),
        (Some(x), Some(y)) => Some(Operand::i64(x.wrapping_mul(y))),
        _ => None,
    }
}

fn constant(operand: Operand) -> Option<i64> {
    operand.as_const().and_then(Scalar::as_int)
}
