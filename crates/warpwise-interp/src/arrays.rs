//! Expressions that make or inspect arrays.

use warpwise_ir::{Expr, SliceDim, Type, Var, exprs};
use warpwise_prim::{Scalar, ScalarType};

use crate::machine::{Machine, Run};
use crate::value::{ArrayValue, Value, element_count};

impl<'p> Machine<'p> {
    pub(crate) fn array_expr(&mut self, expr: &'p Expr, pattern: &[Var]) -> Run<Value> {
        match expr {
            Expr::Index { array, indices } => {
                let (array, indices) = (self.array(*array)?, self.ints(indices)?);
                array.at(&indices).ok_or_else(|| self.out_of_bounds(&indices, &array.shape))
            }
            Expr::Slice { array, dims } => {
                let array = self.array(*array)?;
                let (places, shape) = self.slice(&array, dims)?;
                let data = places.into_iter().map(|at| array.data[at]).collect();
                Ok(Value::Array(ArrayValue::new(array.elem, shape, data)))
            }
            Expr::Update { array, dims, value } => {
                let value = self.operand(*value)?;
                let mut array = self.take_array(*array)?;
                let (places, _) = self.slice(&array, dims)?;
                if places.len() != value.elements().len() {
                    return Err(self.invalid("an update with a value of another size"));
                }
                let data = std::rc::Rc::make_mut(&mut array.data);
                for (at, &element) in places.into_iter().zip(value.elements()) {
                    data[at] = element;
                }
                Ok(Value::Array(array))
            }
            Expr::Iota { len, start, step } => {
                let (start, step) = (self.scalar(*start)?, self.int(*step)?);
                let first = start.as_int().ok_or_else(|| self.invalid("an iota counts in integers"))?;
                let element =
                    |i: usize| Scalar::int(start.ty(), first.wrapping_add(step.wrapping_mul(i as i64)));
                let len = self.size(*len)?;
                self.spend_elements(&[len])?;
                Ok(Value::Array(ArrayValue::new(start.ty(), vec![len], (0..len).map(element).collect())))
            }
            Expr::Replicate { shape, value } => {
                let (outer, value) = (self.sizes(shape)?, self.operand(*value)?);
                let (elem, inner) = self.row_type(pattern[0], &value)?;
                let shape: Vec<usize> = outer.into_iter().chain(inner).collect();
                let count = self.spend_elements(&shape)?;
                let data = value.elements().iter().copied().cycle().take(count).collect();
                Ok(Value::Array(ArrayValue::new(elem, shape, data)))
            }
            Expr::ArrayLit(elements) => {
                let rows = self.operands(elements)?;
                self.collect_rows(pattern[0], vec![rows.len()], &rows)
            }
            Expr::Concat { arrays, len } => {
                let mut parts = Vec::with_capacity(arrays.len());
                for &array in arrays {
                    parts.push(self.array(array)?);
                }
                let mut shape = parts[0].shape.clone();
                shape[0] = parts.iter().map(|part| part.shape[0]).sum();
                if shape[0] != self.size(*len)? {
                    return Err(self.invalid("a concatenation of another size than its parts"));
                }
                self.spend_elements(&shape)?;
                let data = parts.iter().flat_map(|part| part.data.iter().copied()).collect();
                Ok(Value::Array(ArrayValue::new(parts[0].elem, shape, data)))
            }
            Expr::Rearrange { array, perm } => {
                let array = self.array(*array)?;
                self.spend_elements(&array.shape)?;
                Ok(Value::Array(rearrange(&array, perm)))
            }
            Expr::Reshape { array, shape } => {
                let (array, shape) = (self.array(*array)?, self.sizes(shape)?);
                if element_count(&shape) != array.data.len() {
                    return Err(self.invalid("a reshape to another number of elements"));
                }
                Ok(Value::Array(ArrayValue { shape, ..array }))
            }
            Expr::Copy(array) | Expr::Manifest { array, .. } => self.array(*array).map(Value::Array),
            Expr::Scratch { elem, shape } => {
                let shape = self.sizes(shape)?;
                let data = vec![Scalar::zero(*elem); self.spend_elements(&shape)?];
                Ok(Value::Array(ArrayValue::new(*elem, shape, data)))
            }
            other @ exprs!(Operand, scalar, Assert, nested, Call, UpdateAcc, Tuned, Alloc) => {
                Err(self.invalid(format!("{other:?} makes no array")))
            }
        }
    }

    fn out_of_bounds(&self, indices: &[i64], shape: &[usize]) -> crate::InterpError {
        self.invalid(format!("index {indices:?} out of bounds for {shape:?} without a check"))
    }

    /// Returns the places of a slice's elements in row-major order, and the slice's shape. An empty slice may lie anywhere.
    pub(crate) fn slice(&self, array: &ArrayValue, dims: &[SliceDim]) -> Run<(Vec<usize>, Vec<usize>)> {
        let lengths = dims.iter().filter_map(|dim| match *dim {
            SliceDim::Fix(_) => None,
            SliceDim::Range { len, .. } => Some(self.size(len)),
        });
        let lengths = lengths.collect::<Run<Vec<usize>>>()?;
        if lengths.contains(&0) {
            return Ok((Vec::new(), lengths));
        }
        let mut places = vec![0];
        let mut shape = Vec::new();
        for (dim, taken) in dims.iter().enumerate() {
            let indices: Vec<i64> = match *taken {
                SliceDim::Fix(index) => vec![self.int(index)?],
                SliceDim::Range { start, len, stride } => {
                    let (start, len, stride) = (self.int(start)?, self.size(len)?, self.int(stride)?);
                    self.spend(len)?;
                    shape.push(len);
                    (0..len as i64).map(|i| start.wrapping_add(stride.wrapping_mul(i))).collect()
                }
            };
            let size = array.shape[dim];
            if let Some(bad) = indices.iter().find(|&&index| index < 0 || index as usize >= size) {
                return Err(self.out_of_bounds(&[*bad], &[size]));
            }
            let step = |&place: &usize| indices.iter().map(move |&index| place * size + index as usize);
            self.spend(places.len().saturating_mul(indices.len()))?;
            places = places.iter().flat_map(step).collect();
        }
        Ok((places, shape))
    }

    /// Makes an array of `rows` with outer dimensions `outer`; its element type is that of `var`. If `var` is an accumulator, the
    /// result is that accumulator.
    pub(crate) fn collect_rows(&self, var: Var, outer: Vec<usize>, rows: &[Value]) -> Run<Value> {
        if let Type::Acc(acc) = self.function.ty(var) {
            let number = self.tokens[acc.token].ok_or_else(|| self.invalid("a token has no accumulator"))?;
            return Ok(Value::Acc(number));
        }
        let elem = self.function.ty(var).elem().ok_or_else(|| self.invalid("an array of non-values"))?;
        let inner = match rows.first() {
            Some(Value::Array(row)) => row.shape.clone(),
            Some(_) => vec![],
            None => self.sizes(&self.function.ty(var).shape()[outer.len()..])?,
        };
        let regular = rows.iter().all(|row| row.as_array().map_or(&[][..], |row| &row.shape) == inner);
        if !regular {
            return Err(self.invalid("rows of different shapes"));
        }
        let data = rows.iter().flat_map(|row| row.elements().iter().copied()).collect();
        let shape = outer.into_iter().chain(inner).collect();
        Ok(Value::Array(ArrayValue::new(elem, shape, data)))
    }

    fn row_type(&self, var: Var, value: &Value) -> Run<(ScalarType, Vec<usize>)> {
        match value {
            Value::Scalar(value) => Ok((value.ty(), vec![])),
            Value::Array(array) => Ok((array.elem, array.shape.clone())),
            Value::Acc(_) | Value::Token => {
                Err(self.invalid(format!("`{}` repeats a non-value", self.function.vars[var].name())))
            }
        }
    }
}

fn rearrange(array: &ArrayValue, perm: &[usize]) -> ArrayValue {
    let shape: Vec<usize> = perm.iter().map(|&dim| array.shape[dim]).collect();
    if array.data.is_empty() {
        return ArrayValue::new(array.elem, shape, Vec::new());
    }
    let strides: Vec<usize> = perm.iter().map(|&dim| array.row_len(dim + 1)).collect();
    let mut places = vec![0];
    for (&size, &stride) in shape.iter().zip(&strides) {
        places = places.iter().flat_map(|&place| (0..size).map(move |i| place + i * stride)).collect();
    }
    let data = places.into_iter().map(|at| array.data[at]).collect();
    ArrayValue::new(array.elem, shape, data)
}
