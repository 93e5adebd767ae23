//! Whole arrays that host code creates or copies, with one work-item for each element.

use warpwise_diag::Span;
use warpwise_ir::{Expr, Stm, exprs};
use warpwise_prim::{BinaryOp, ConvertOp, ScalarType};
use warpwise_runtime::machine::Schedule;

use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Value};
use crate::lower::kernels::Range;
use crate::lower::memory::View;
use crate::types::{Mem, Operand};

impl<'a> Emitter<'a> {
    /// Launches the copy of an array to a place of equal size. Host code.
    pub fn device_copy(&mut self, dest: &View, source: &View, span: Span) -> Lowered<()> {
        if self.device_transposition(dest, source, span)? {
            return Ok(());
        }
        let shape = self.extents(dest, span)?;
        let built = self.build("copy", span, &|kernel, lo, hi| {
            let (dest, source) = (kernel.view_param(dest)?, kernel.view_param(source)?);
            kernel.for_units((lo, hi), &mut |kernel, flat| {
                let indices = kernel.unflattened(&dest.extents, flat.into());
                let value = kernel.load(&source, &indices);
                kernel.store(&dest, &indices, value);
                Ok(())
            })
        })?;
        let extent = self.code.product(shape);
        self.launch(built, Range { extent, schedule: Schedule::Static, cost: Operand::i64(4) });
        Ok(())
    }

    /// Launches the kernel that fills an array with an arithmetic sequence or with a scalar. Host code.
    pub fn device_fill(&mut self, stm: &'a Stm) -> Lowered<()> {
        let (var, span) = (stm.pattern[0], stm.span);
        let built = self.build("fill", span, &|kernel, lo, hi| {
            let dest = kernel.view(var, span)?;
            kernel.for_units((lo, hi), &mut |kernel, flat| {
                let indices = kernel.unflattened(&dest.extents, flat.into());
                let value = match &stm.expr {
                    Expr::Iota { start, step, .. } => {
                        let (start, step) = (kernel.value(*start), kernel.value(*step));
                        let index = if dest.elem == ScalarType::I64 {
                            indices[0]
                        } else {
                            kernel.convert(ConvertOp::Truncate, indices[0], dest.elem)
                        };
                        let distance = kernel.binary(BinaryOp::Mul, index, step);
                        kernel.binary(BinaryOp::Add, start, distance)
                    }
                    Expr::Replicate { value, .. } => kernel.value(*value),
                    expr @ exprs!(
                        Operand, scalar, Assert, view, Update, ArrayLit, Concat, Copy, Manifest, Scratch,
                        nested, Call, UpdateAcc, Tuned, Alloc
                    ) => unreachable!("not a statement that fills an array: {expr:?}"),
                };
                kernel.store(&dest, &indices, value);
                Ok(())
            })
        })?;
        let view = self.view(var, span)?;
        let shape = self.extents(&view, span)?;
        let extent = self.code.product(shape);
        self.launch(built, Range { extent, schedule: Schedule::Static, cost: Operand::i64(4) });
        Ok(())
    }

    /// Passes a view of host code to a kernel.
    pub fn view_param(&mut self, view: &View) -> Lowered<View> {
        let mem = self.memory_param(view.block.mem);
        let param = |this: &mut Self, value: Value| match value {
            Value::Uniform(x) => Value::Uniform(this.param_for(x)),
            Value::Linear { .. } | Value::Varying(_) => unreachable!("host code has no lanes"),
        };
        Ok(View {
            block: BlockBinding::of(mem),
            elem: view.elem,
            offset: param(self, view.offset),
            extents: view.extents.iter().map(|&x| param(self, x)).collect(),
            strides: view.strides.iter().map(|&x| param(self, x)).collect(),
        })
    }

    /// Passes a memory of host code to a kernel, as one parameter for all uses.
    fn memory_param(&mut self, mem: Mem) -> Mem {
        match self.mem_args.iter().position(|(arg, _)| *arg == mem) {
            Some(known) => self.mem_params[known],
            None => self.mem_param("array", mem, None),
        }
    }

    /// Returns the indices of the element with this row-major number.
    pub fn unflattened(&mut self, extents: &[Value], flat: Operand) -> Vec<Value> {
        let mut indices = vec![Value::Uniform(flat); extents.len()];
        for dim in (1..extents.len()).rev() {
            let above = self.binary(BinaryOp::SQuot, indices[dim], extents[dim]);
            let whole = self.binary(BinaryOp::Mul, above, extents[dim]);
            indices[dim] = self.binary(BinaryOp::Sub, indices[dim], whole);
            indices[dim - 1] = above;
        }
        indices
    }
}
