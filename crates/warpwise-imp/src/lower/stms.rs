//! Statements of kernels: scalar code is emitted directly, views cost nothing, arrays are filled by loops.
//!
//! The same code serves lanes and scalar parts; the differences of host code are in `host`.

use warpwise_ir::{Body, Expr, Operand as CoreOperand, Stm, Type, Var, exprs};
use warpwise_prim::{BinaryOp, ScalarType};

use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::op::Op;
use crate::types::{Mem, Operand, Space};

impl<'a> Emitter<'a> {
    /// Lowers the statements of a body. In host code, returns the memories that the body's result still needs and that are to be
    /// released once the result has been handed on.
    pub fn stms(&mut self, body: &'a Body) -> Lowered<Vec<Mem>> {
        if self.is_host() {
            return self.host_stms(body);
        }
        for stm in &body.stms {
            self.stm(stm)?;
        }
        Ok(Vec::new())
    }

    /// Lowers a body that yields scalars.
    pub fn scalar_body(&mut self, body: &'a Body) -> Lowered<Vec<Value>> {
        self.stms(body)?;
        Ok(self.values(&body.result))
    }

    /// Runs `inner`, and emits code that frees its arena allocations if its bodies allocate anything.
    pub fn with_arena<T>(
        &mut self,
        bodies: &[&Body],
        inner: impl FnOnce(&mut Self) -> Lowered<T>,
    ) -> Lowered<T> {
        if !bodies.iter().any(|body| allocates(body)) {
            return inner(self);
        }
        let mark = self.code.int_reg("mark");
        self.code.emit(Op::ArenaMark { dst: mark });
        let result = inner(self)?;
        self.code.emit(Op::ArenaReset { mark: mark.into() });
        Ok(result)
    }

    /// Lowers a statement that is the same in host code and kernels; returns whether it was one.
    pub fn common_stm(&mut self, stm: &'a Stm) -> Lowered<bool> {
        match &stm.expr {
            Expr::Operand(x) => self.alias(stm, *x)?,
            Expr::Unary(..)
            | Expr::Binary(..)
            | Expr::Ternary(..)
            | Expr::Compare(..)
            | Expr::Convert(..)
            | Expr::Select(..) => {
                let value = self.scalar_expr(&stm.expr).expect("a scalar operator");
                self.bind(stm.pattern[0], value);
            }
            Expr::Assert { cond, message } => self.assert(*cond, message, stm.span),
            Expr::Index { array, indices } => {
                if !self.is_array(stm.pattern[0]) {
                    let view = self.view(*array, stm.span)?;
                    let value = match self.flat_address(*array, indices, stm.span)? {
                        Some(address) => self.load_at(view.block, view.elem, address),
                        None => {
                            let indices = self.values(indices);
                            self.load(&view, &indices)
                        }
                    };
                    self.bind(stm.pattern[0], value);
                }
            }
            Expr::Slice { .. } | Expr::Rearrange { .. } | Expr::Reshape { .. } | Expr::Scratch { .. } => {}
            Expr::If { cond, then_body, else_body, branch } => {
                self.if_stm(stm, *cond, (then_body, else_body), *branch)?;
            }
            Expr::Loop { params, form, body } => self.loop_stm(stm, params, form, body)?,
            Expr::Screma(_)
            | Expr::Partition(_)
            | Expr::Scatter(_)
            | Expr::Hist(_)
            | Expr::Stream(_)
            | Expr::FlatMap(_) => {
                return self.limit(stm.span, "an array combinator that has not been scheduled");
            }
            Expr::WithAcc(_) | Expr::UpdateAcc { .. } => {
                return self.limit(stm.span, "accumulators");
            }
            Expr::Update { .. }
            | Expr::Iota { .. }
            | Expr::Replicate { .. }
            | Expr::ArrayLit(_)
            | Expr::Concat { .. }
            | Expr::Copy(_)
            | Expr::Manifest { .. }
            | Expr::Call { .. }
            | Expr::Seg(_)
            | Expr::Tuned { .. }
            | Expr::Alloc { .. } => return Ok(false),
        }
        Ok(true)
    }

    /// Lowers a statement of a kernel.
    pub fn stm(&mut self, stm: &'a Stm) -> Lowered<()> {
        self.places.insert(stm.span);
        let is_double = |&var: &Var| self.cx.function.ty(var).elem() == Some(ScalarType::F64);
        if self.doubles.is_none() && !stm.span.is_none() && stm.pattern.iter().any(is_double) {
            self.doubles = Some(stm.span);
        }
        if self.common_stm(stm)? {
            return Ok(());
        }
        match &stm.expr {
            Expr::Seg(op) => match self.together {
                Some(together) => self.shared_seg(together, stm, op),
                None => self.inner_seg(stm, op),
            },
            // Local memory has been assigned already.
            Expr::Alloc { .. } if self.together.is_some() => Ok(()),
            // Elsewhere such a statement is outside of all kernels.
            Expr::Tuned { name, .. } => self.limit(
                stm.span,
                format!("tuning parameter `{name}` in a recursive function called in parallel"),
            ),
            Expr::Alloc { bytes } => {
                let bytes = self.uniform(*bytes, stm.span)?;
                let all = self.bytes_of_lanes(bytes);
                let name = self.cx.function.vars[stm.pattern[0]].name().to_string();
                let mem = self.code.mem(&name, Space::Arena);
                self.code.emit(Op::ArenaAlloc { dst: mem, bytes: all });
                let interleaved = self.width() > 1;
                self.scope.blocks.insert(stm.pattern[0], BlockBinding { mem, interleaved });
                Ok(())
            }
            Expr::Call { .. } => self.limit(stm.span, "a recursive call inside a parallel operation"),
            exprs!(Operand, scalar, Assert, array, If, Loop, soac, UpdateAcc) => self.array_stm(stm),
        }
    }

    /// Returns the size of one block for each lane, in bytes; where that exceeds 64 bits, a size that no arena grants.
    fn bytes_of_lanes(&mut self, bytes: Operand) -> Operand {
        let lanes = i64::from(self.width());
        let most = i64::MAX / lanes;
        let bytes = match bytes {
            _ if lanes == 1 => return bytes,
            Operand::Const(known) => Operand::i64(known.as_int().map_or(most, |known| known.min(most))),
            Operand::Reg(_) => self.code.binary(BinaryOp::SMin, bytes, Operand::i64(most)),
        };
        self.code.mul(bytes, Operand::i64(lanes))
    }

    /// Binds a variable to the translation of another.
    fn alias(&mut self, stm: &Stm, x: CoreOperand) -> Lowered<()> {
        let var = stm.pattern[0];
        match (self.cx.function.ty(var), x) {
            (Type::Scalar(_), _) => {
                let value = self.value(x);
                self.bind(var, value);
            }
            (Type::Mem, CoreOperand::Var(block)) => {
                let mut block = self.block(block, stm.span)?;
                if self.is_host() {
                    // Both names hold the block, and each is released at its own time.
                    let dst = self.code.mem("alias", Space::Global);
                    self.code.emit(Op::SetMem { dst, src: block.mem });
                    block.mem = dst;
                }
                self.scope.blocks.insert(var, block);
            }
            (Type::Mem | Type::Array(_) | Type::Cert | Type::Acc(_), _) => {}
        }
        Ok(())
    }
}

/// Returns whether a body allocates memory, outside of inner parallel operations or inside them.
pub(super) fn allocates(body: &Body) -> bool {
    body.stms.iter().any(|stm| {
        let mut inside = matches!(stm.expr, Expr::Alloc { .. });
        stm.expr.for_each_body(|body| inside |= allocates(body));
        inside
    })
}
