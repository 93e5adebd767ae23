//! Statements of kernels that fill arrays element by element.
//!
//! In scalar code the innermost dimension of the loop runs in lanes. Inside lanes, every lane fills its own array, one element
//! after the other.

use warpwise_diag::Span;
use warpwise_ir::{Expr, Operand as CoreOperand, Stm, exprs};
use warpwise_prim::BinaryOp;

use crate::lower::emitter::{Emitter, Lowered, Value};
use crate::lower::lanes::LaneLoop;
use crate::lower::memory::View;
use crate::types::Operand;

/// A function that computes an element from its indices.
type Element<'f, 'e> = &'f mut dyn FnMut(&mut Emitter<'e>, &[Value]) -> Lowered<Value>;

impl<'a> Emitter<'a> {
    /// Lowers a statement that creates or overwrites an array.
    pub fn array_stm(&mut self, stm: &'a Stm) -> Lowered<()> {
        let (var, span) = (stm.pattern[0], stm.span);
        match &stm.expr {
            Expr::Update { value: CoreOperand::Var(value), .. } if self.is_in_place(stm, 0, *value) => Ok(()),
            Expr::Update { array, dims, value } => {
                let whole = self.view(*array, span)?;
                let part = self.slice(&whole, dims);
                self.put(&part, *value, span)
            }
            Expr::Iota { start, step, .. } => {
                let dest = self.view(var, span)?;
                let (start, step) = (self.value(*start), self.value(*step));
                let ty = dest.elem;
                self.fill(&dest, span, &mut |this, indices| {
                    let index = this.resized(indices[0], ty);
                    let distance = this.binary(BinaryOp::Mul, index, step);
                    Ok(this.binary(BinaryOp::Add, start, distance))
                })
            }
            Expr::Replicate { shape, value } => {
                let dest = self.view(var, span)?;
                let outer = shape.len();
                if self.is_array_operand(*value) {
                    let source = self.view_of(*value, span)?;
                    return self
                        .fill(&dest, span, &mut |this, indices| Ok(this.load(&source, &indices[outer..])));
                }
                let value = self.value(*value);
                self.fill(&dest, span, &mut |_, _| Ok(value))
            }
            Expr::ArrayLit(elems) => {
                let dest = self.view(var, span)?;
                if !elems.iter().any(|&elem| self.is_array_operand(elem))
                    && self.interleaves(&dest, elems.len())
                {
                    let values = self.values(elems);
                    self.store_interleaved(&dest, &values);
                    return Ok(());
                }
                for (i, &elem) in elems.iter().enumerate() {
                    if elem.as_var().is_some_and(|elem| self.is_in_place(stm, i, elem)) {
                        continue;
                    }
                    let place = self.row(&dest, &[Value::Uniform(Operand::i64(i as i64))]);
                    self.put(&place, elem, span)?;
                }
                Ok(())
            }
            Expr::Concat { arrays, .. } => {
                let dest = self.view(var, span)?;
                let mut start = Value::Uniform(Operand::i64(0));
                for (number, &array) in arrays.iter().enumerate() {
                    let source = self.view(array, span)?;
                    if !self.is_in_place(stm, number, array) {
                        let mut part = self.row(&dest, &[start]);
                        part.extents.insert(0, source.extents[0]);
                        part.strides.insert(0, dest.strides[0]);
                        self.copy_array(&part, &source, span)?;
                    }
                    start = self.binary(BinaryOp::Add, start, source.extents[0]);
                }
                Ok(())
            }
            Expr::Copy(array) | Expr::Manifest { array, .. } => {
                if self.is_in_place(stm, 0, *array) {
                    return Ok(());
                }
                let (dest, source) = (self.view(var, span)?, self.view(*array, span)?);
                self.copy_array(&dest, &source, span)
            }
            expr @ exprs!(Operand, scalar, Assert, view, Scratch, nested, Call, UpdateAcc, Tuned, Alloc) => {
                unreachable!("not a statement that fills an array: {expr:?}")
            }
        }
    }

    /// Stores a scalar or a whole array into a view.
    pub fn put(&mut self, dest: &View, value: CoreOperand, span: Span) -> Lowered<()> {
        if !self.is_array_operand(value) {
            let value = self.value(value);
            if let Some(together) = self.together {
                return self.store_together(together, dest, value);
            }
            self.store(dest, &[], value);
            return Ok(());
        }
        let source = self.view_of(value, span)?;
        if *dest == source {
            return Ok(());
        }
        self.copy_array(dest, &source, span)
    }

    /// Copies an array to a place of equal size.
    pub fn copy_array(&mut self, dest: &View, source: &View, span: Span) -> Lowered<()> {
        self.fill(dest, span, &mut |this, indices| Ok(this.load(source, indices)))
    }

    /// Returns whether an operand is an array.
    pub fn is_array_operand(&self, operand: CoreOperand) -> bool {
        operand.as_var().is_some_and(|var| self.is_array(var))
    }

    /// Returns the view of an array operand.
    pub fn view_of(&mut self, operand: CoreOperand, span: Span) -> Lowered<View> {
        match operand {
            CoreOperand::Var(var) => self.view(var, span),
            CoreOperand::Const(_) => self.limit(span, "a scalar where an array is wanted"),
        }
    }

    /// Converts an `i64` index to another integer type.
    fn resized(&mut self, index: Value, ty: warpwise_prim::ScalarType) -> Value {
        if ty == warpwise_prim::ScalarType::I64 {
            return index;
        }
        self.convert(warpwise_prim::ConvertOp::Truncate, index, ty)
    }

    /// Sets every element of an array.
    pub fn fill(&mut self, dest: &View, span: Span, element: Element<'_, 'a>) -> Lowered<()> {
        let mut extents = Vec::new();
        for &extent in &dest.extents {
            match extent {
                Value::Uniform(x) => extents.push(x),
                Value::Linear { .. } | Value::Varying(_) => {
                    return self.not_in_lanes(span, "an array whose size differs between vector lanes");
                }
            }
        }
        if let Some(together) = self.together {
            return self.fill_together(together, dest, element);
        }
        if let Some(length) = self.short_row(dest) {
            let places = (0..length).map(|place| Value::Uniform(Operand::i64(place)));
            let values: Lowered<Vec<Value>> = places.map(|place| element(self, &[place])).collect();
            self.store_interleaved(dest, &values?);
            return Ok(());
        }
        self.fill_dims(dest, &extents, &mut Vec::new(), element)
    }

    /// Returns the length of rows that are stored together, one of each lane.
    fn short_row(&mut self, dest: &View) -> Option<i64> {
        let [extent] = dest.extents[..] else { return None };
        let length = extent.known().constant?;
        (self.lanes.is_some() && self.interleaves(dest, usize::try_from(length).ok()?)).then_some(length)
    }

    fn fill_dims(
        &mut self,
        dest: &View,
        extents: &[Operand],
        indices: &mut Vec<Value>,
        element: Element<'_, 'a>,
    ) -> Lowered<()> {
        let Some((&extent, inner)) = extents.split_first() else {
            let value = element(self, indices)?;
            self.store(dest, indices, value);
            return Ok(());
        };
        if inner.is_empty() && self.lanes.is_none() {
            let width = self.cx.target.lanes(dest.elem);
            let how = LaneLoop::simple(width);
            return self.lane_loop(&how, Operand::i64(0), extent, &mut |this, index| {
                indices.push(index);
                let value = element(this, indices)?;
                this.store(dest, indices, value);
                indices.pop();
                Ok(())
            });
        }
        let index = self.code.int_reg("i");
        self.count_up(index, (Operand::i64(0), extent), 1, |this| {
            indices.push(Value::Uniform(index.into()));
            let done = this.fill_dims(dest, inner, indices, element);
            indices.pop();
            done
        })
    }
}
