//! Arrays that come out of choices and loops.

use std::{iter, slice};

use warpwise_diag::{Limit, Span};
use warpwise_ir::{
    Body, Branch, Expr, FunctionId, Lmad, LmadDim, LoopForm, LoopParam, Operand, Placement, ResultDecl, Stm,
    Type, Var,
};

use super::Placer;

/// An array that comes out of a body in a block of its own, row-major, bound together with that block and with
/// the strides that are only known with it.
struct Moving {
    /// Which result of the body it is.
    position: usize,
    block: Var,
    /// Dimensions, with the variables that stand for their strides.
    strides: Vec<(usize, Var)>,
}

/// The variables that are bound before the arrays.
fn bound_with(moving: &[Moving]) -> impl Iterator<Item = Var> {
    moving.iter().flat_map(|array| iter::once(array.block).chain(array.strides.iter().map(|&(_, var)| var)))
}

/// A statement whose certificates and span the caller fills in.
fn stm(pattern: Vec<Var>, expr: Expr) -> Stm {
    Stm { pattern, expr, certs: vec![], span: Span::NONE }
}

/// Whether arrays of the same shape lie in one place.
fn is_same_place(x: &Placement, y: &Placement) -> bool {
    let strides = |place: &Placement| place.index_fn.dims.iter().map(|dim| dim.stride).collect::<Vec<_>>();
    x.block == y.block && x.index_fn.offset == y.index_fn.offset && strides(x) == strides(y)
}

impl Placer<'_> {
    /// Places a choice. An array that both bodies leave at one place stays there; any other comes out in
    /// a block of its own, bound with it, row-major from the start on.
    pub(super) fn choice(
        &mut self,
        pattern: Vec<Var>,
        cond: Operand,
        bodies: [Body; 2],
        branch: Branch,
    ) -> Result<Stm, Limit> {
        let wanted: Vec<Option<Placement>> = pattern.iter().map(|&var| self.wishes[var].clone()).collect();
        let mut open = Vec::with_capacity(2);
        for body in bodies {
            self.emit.open();
            self.wish_results(&body, &wanted);
            let result = self.stms_of(body)?;
            open.push((self.emit.suspend(), result));
        }
        let mut moving = Vec::new();
        for (position, &var) in pattern.iter().enumerate() {
            if self.emit.function.ty(var).rank() == 0 {
                continue;
            }
            let places: Vec<Placement> = open
                .iter()
                .map(|(_, result)| self.placement(result[position].as_var().expect("an array")))
                .collect();
            if is_same_place(&places[0], &places[1]) {
                let place = self.with_own_extents(var, places[0].clone());
                self.set(var, place);
            } else {
                moving.push(self.moving(position, var, &pattern));
            }
        }
        let mut bodies = open.into_iter().map(|(body, result)| {
            self.emit.resume(body);
            let result = self.yield_blocks(result, &moving);
            Body { stms: self.emit.close(), result }
        });
        let then_body = bodies.next().expect("two bodies");
        let else_body = bodies.next().expect("two bodies");
        drop(bodies);
        let pattern = bound_with(&moving).chain(pattern).collect();
        Ok(stm(pattern, Expr::If { cond, then_body, else_body, branch }))
    }

    /// Places an array in a block of its own. `bound` are the variables bound together with it, sizes among
    /// them: a stride that is a product of these cannot be computed outside.
    fn moving(&mut self, position: usize, var: Var, bound: &[Var]) -> Moving {
        let block = self.emit.function.fresh("mem", Type::Mem);
        let shape = self.shape(var);
        let mut dims: Vec<LmadDim> =
            shape.iter().map(|&extent| LmadDim { extent, stride: Operand::i64(1) }).collect();
        let mut strides: Vec<(usize, Var)> = Vec::new();
        for dim in (1..shape.len()).rev() {
            let (size, inner) = (shape[dim], dims[dim].stride);
            let varies = size.as_var().is_some_and(|size| bound.contains(&size));
            dims[dim - 1].stride = if varies && inner == Operand::i64(1) {
                size
            } else if varies || !strides.is_empty() || inner.as_var().is_some_and(|var| bound.contains(&var))
            {
                let stride = self.emit.function.fresh("stride", Type::I64);
                self.emit.know_product(size, inner, stride);
                strides.push((dim - 1, stride));
                stride.into()
            } else {
                self.emit.mul(size, inner)
            };
        }
        self.set(var, Placement { block, index_fn: Lmad { offset: Operand::i64(0), dims } });
        Moving { position, block, strides }
    }

    /// The block of a row-major array and those of its strides that are bound with it.
    fn block_and_strides(&self, array: Operand, moving: &Moving) -> Vec<Operand> {
        let Placement { block, index_fn } = self.placement(array.as_var().expect("an array"));
        let strides = moving.strides.iter().map(|&(dim, _)| index_fn.dims[dim].stride);
        iter::once(block.into()).chain(strides).collect()
    }

    /// Normalises these results in the open body and yields their blocks and strides before all results.
    fn yield_blocks(&mut self, mut result: Vec<Operand>, moving: &[Moving]) -> Vec<Operand> {
        let mut first = Vec::new();
        for array in moving {
            let value = self.normalised(result[array.position]);
            result[array.position] = value;
            first.extend(self.block_and_strides(value, array));
        }
        first.append(&mut result);
        first
    }

    /// Places a call: arrays are handed over row-major from the start of a block on, and so come back, in blocks that
    /// the call yields with their strides before its own results.
    pub(super) fn call(&mut self, pattern: Vec<Var>, function: FunctionId, args: Vec<Operand>) -> Stm {
        let args: Vec<Operand> = args.into_iter().map(|arg| self.normalised(arg)).collect();
        let arrays = args.iter().filter_map(|arg| arg.as_var());
        let arrays = arrays.filter(|&var| self.emit.function.ty(var).rank() > 0);
        let blocks: Vec<Operand> = arrays.map(|array| self.placement(array).block.into()).collect();
        let mut bound = Vec::new();
        for &var in &pattern {
            let shape = self.shape(var);
            if shape.is_empty() {
                continue;
            }
            let block = self.emit.function.fresh("mem", Type::Mem);
            bound.push(block);
            let mut dims: Vec<LmadDim> =
                shape.iter().map(|&extent| LmadDim { extent, stride: Operand::i64(1) }).collect();
            for dim in (1..shape.len()).rev() {
                let stride = self.emit.function.fresh("stride", Type::I64);
                self.emit.know_product(shape[dim], dims[dim].stride, stride);
                dims[dim - 1].stride = stride.into();
                bound.push(stride);
            }
            self.set(var, Placement { block, index_fn: Lmad { offset: Operand::i64(0), dims } });
        }
        let args = blocks.into_iter().chain(args).collect();
        stm(bound.into_iter().chain(pattern).collect(), Expr::Call { function, args })
    }

    /// The results of a function that is called, with the blocks and strides of its arrays before them as [`Placer::call`]
    /// binds these; declares them.
    pub(super) fn with_blocks(&mut self, result: Vec<Operand>) -> Vec<Operand> {
        let mut first = Vec::new();
        let mut declared = Vec::new();
        for &value in &result {
            let Some(array) = value.as_var().filter(|&var| self.emit.function.ty(var).rank() > 0) else {
                continue;
            };
            let Placement { block, index_fn } = self.placement(array);
            first.push(Operand::Var(block));
            declared.push(self.emit.function.fresh("mem", Type::Mem));
            for dim in (1..index_fn.dims.len()).rev() {
                first.push(index_fn.dims[dim - 1].stride);
                declared.push(self.emit.function.fresh("stride", Type::I64));
            }
        }
        let declared = declared.into_iter().map(|var| ResultDecl { var, unique: false });
        self.emit.function.results.splice(0..0, declared);
        first.extend(result);
        first
    }

    /// Places a loop: arrays it overwrites stay where they are, others change blocks (host) or are
    /// copied back (kernels).
    pub(super) fn repetition(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
    ) -> Result<Stm, Limit> {
        let mut changing = Vec::new();
        for (position, (&var, param)) in pattern.iter().zip(&mut params).enumerate() {
            if self.emit.function.ty(var).rank() == 0 {
                continue;
            }
            let init = param.init.as_var().expect("an array");
            if self.roots.loop_in_place(param, body.result[position]) {
                let placement = self.placement(init);
                self.set(param.var, placement.clone());
                self.set(var, placement);
            } else {
                changing.push(position);
            }
        }
        let sizes_vary = changing.iter().any(|&position| self.size_varies(params[position].var, &params));
        if self.depth > 0 && !sizes_vary {
            return self.copied_back(pattern, params, form, body, &changing);
        }
        self.changing_blocks(pattern, params, form, body, &changing)
    }

    fn size_varies(&self, array: Var, params: &[LoopParam]) -> bool {
        let shape = self.emit.function.ty(array).shape();
        shape.iter().any(|size| params.iter().any(|param| *size == Operand::Var(param.var)))
    }

    /// Loop-carried arrays whose block changes from iteration to iteration.
    fn changing_blocks(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
        changing: &[usize],
    ) -> Result<Stm, Limit> {
        let bound: Vec<Var> = params.iter().map(|param| param.var).collect();
        let mut first_params = Vec::new();
        for &position in changing {
            let init = self.normalised(params[position].init);
            params[position].init = init;
            let inside = self.moving(position, params[position].var, &bound);
            let inits = self.block_and_strides(init, &inside);
            let with_inits = bound_with(slice::from_ref(&inside)).zip(inits);
            first_params.extend(with_inits.map(|(var, init)| LoopParam { var, init, consumed: false }));
        }
        let moving: Vec<Moving> =
            changing.iter().map(|&position| self.moving(position, pattern[position], &pattern)).collect();
        self.emit.open();
        let result = self.stms_of(body)?;
        let result = self.yield_blocks(result, &moving);
        let body = Body { stms: self.emit.close(), result };
        let pattern = bound_with(&moving).chain(pattern).collect();
        first_params.append(&mut params);
        Ok(stm(pattern, Expr::Loop { params: first_params, form, body }))
    }

    /// Loop-carried arrays that are copied back to one place at the end of every iteration.
    fn copied_back(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
        changing: &[usize],
    ) -> Result<Stm, Limit> {
        let span = self.emit.span;
        for &position in changing {
            let (var, param) = (pattern[position], &mut params[position]);
            self.wishes[param.var] = self.wishes[var].take();
            self.allocate(param.var);
            let placement = self.placement(param.var);
            let init = self.emit.function.fresh_like(param.var);
            let from = param.init.as_var().expect("an array");
            self.emit.push(Stm { span, ..stm(vec![init], Expr::Copy(from)) });
            self.set(init, placement.clone());
            self.set(var, placement);
            *param = LoopParam { init: init.into(), consumed: true, ..*param };
        }
        self.emit.open();
        let mut result = self.stms_of(body)?;
        // Two passes: no result may be overwritten before it has been saved.
        for &position in changing {
            let place = self.placement(params[position].var);
            let value = self.placement(result[position].as_var().expect("an array"));
            let in_some_param = |&param: &usize| self.placement(params[param].var).block == value.block;
            if value != place && changing.iter().any(in_some_param) {
                result[position] = self.copy(result[position].as_var().expect("an array")).into();
            }
        }
        for &position in changing {
            let place = self.placement(params[position].var);
            let array = result[position].as_var().expect("an array");
            if self.placement(array) != place {
                let back = self.emit.function.fresh_like(params[position].var);
                self.emit.push(Stm { span, ..stm(vec![back], Expr::Copy(array)) });
                self.set(back, place);
                result[position] = back.into();
            }
        }
        let body = Body { stms: self.emit.close(), result };
        Ok(stm(pattern, Expr::Loop { params, form, body }))
    }
}
