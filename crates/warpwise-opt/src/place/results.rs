//! Places arrays that come out of choices and loops, in the forms that [`forms`](super::forms) decides on.

use warpwise_diag::{Limit, Span};
use warpwise_ir::{
    Body, Branch, Expr, FunctionId, Lmad, LmadDim, LoopForm, LoopParam, Operand, Placement, ResultDecl, Stm,
    Type, Var,
};

use super::Placer;
use super::emit::OpenBody;
use super::forms::{Handing, Strides};
use super::names::Names;

/// The known components of the placement of a body's result.
struct Known {
    block: Option<Var>,
    offset: Option<Operand>,
    strides: KnownStrides,
}

enum KnownStrides {
    RowMajor,
    /// One stride per dimension; `None` for strides that are bound with the array.
    Each(Vec<Option<Operand>>),
}

/// A result of a body, with variables for the unknown components of its placement.
struct Moving {
    /// Position among the results of the body.
    position: usize,
    block: Option<Var>,
    offset: Option<Var>,
    /// Dimensions, with the variables for their strides.
    strides: Vec<(usize, Var)>,
}

impl Moving {
    /// Returns the variables that are bound before the array.
    fn vars(&self) -> impl Iterator<Item = Var> {
        self.block.into_iter().chain(self.offset).chain(self.strides.iter().map(|&(_, var)| var))
    }

    /// Returns the values of these variables for an array at this place.
    fn values(&self, place: &Placement) -> impl Iterator<Item = Operand> {
        let block = self.block.map(|_| place.block.into());
        let offset = self.offset.map(|_| place.index_fn.offset);
        let strides = self.strides.iter().map(|&(dim, _)| place.index_fn.dims[dim].stride);
        block.into_iter().chain(offset).chain(strides)
    }
}

/// Returns a statement whose certificates and span the caller sets.
fn stm(pattern: Vec<Var>, expr: Expr) -> Stm {
    Stm { pattern, expr, certs: vec![], span: Span::NONE }
}

/// Returns the strides of an index function.
fn strides(place: &Placement) -> impl Iterator<Item = Operand> {
    place.index_fn.dims.iter().map(|dim| dim.stride)
}

/// Whether arrays of the same shape have the same placement.
fn is_same_place(x: &Placement, y: &Placement) -> bool {
    x.block == y.block && x.index_fn.offset == y.index_fn.offset && strides(x).eq(strides(y))
}

/// An open branch of a choice, with its results.
type Side = (OpenBody, Vec<Operand>);

impl Placer<'_> {
    /// Places a choice. Common components of an array's placements on both sides stay known; the others are bound with it.
    pub(super) fn choice(
        &mut self,
        pattern: Vec<Var>,
        cond: Operand,
        bodies: [Body; 2],
        branch: Branch,
    ) -> Result<Stm, Limit> {
        let wanted: Vec<Option<Placement>> = pattern.iter().map(|&var| self.wishes[var].clone()).collect();
        let mut sides: Vec<Side> = Vec::with_capacity(2);
        for body in bodies {
            self.emit.open();
            self.wish_results(&body, &wanted);
            let result = self.stms_of(body)?;
            sides.push((self.emit.suspend(), result));
        }
        let mut moving = Vec::new();
        for (position, &var) in pattern.iter().enumerate() {
            if self.emit.function.ty(var).rank() > 0 {
                self.bring_together(&mut sides, position, var, wanted[position].as_ref());
                moving.extend(self.chosen(&mut sides, position, var, &pattern));
            }
        }
        let mut bodies = sides.into_iter().map(|(body, result)| {
            self.emit.resume(body);
            let result = self.with_values(result, &moving);
            Body { stms: self.emit.close(), result }
        });
        let then_body = bodies.next().expect("two bodies");
        let else_body = bodies.next().expect("two bodies");
        drop(bodies);
        let pattern = moving.iter().flat_map(Moving::vars).chain(pattern).collect();
        Ok(stm(pattern, Expr::If { cond, then_body, else_body, branch }))
    }

    /// Returns the placement of a result on one side of a choice.
    fn left_at(&self, side: &Side, position: usize) -> Placement {
        self.placement(side.1[position].as_var().expect("an array"))
    }

    /// Copies a result on each side where its placement is not its preferred destination, or not the decided form.
    fn bring_together(&mut self, sides: &mut [Side], position: usize, var: Var, wanted: Option<&Placement>) {
        let places = [0, 1].map(|side| self.left_at(&sides[side], position));
        if is_same_place(&places[0], &places[1]) {
            return;
        }
        // A result in another place of the destination's block could be overwritten while it is read.
        let can_go = |place: &Placement| {
            wanted.is_some_and(|wanted| {
                is_same_place(place, wanted) || !self.names.may_be_same(place.block, wanted.block)
            })
        };
        let wanted = wanted.filter(|_| places.iter().all(can_go));
        let copying = self.forms.copying_sides(var);
        for (number, side) in sides.iter_mut().enumerate() {
            let array = side.1[position];
            self.emit.resume(std::mem::take(&mut side.0));
            side.1[position] = match wanted {
                Some(wanted) if is_same_place(&places[number], wanted) => array,
                Some(wanted) => {
                    let array = array.as_var().expect("an array");
                    self.copy_to(array, wanted.clone(), array).into()
                }
                None if copying[number] => self.normalised(array),
                None => array,
            };
            side.0 = self.emit.suspend();
        }
    }

    /// Places a result of a choice.
    fn chosen(&mut self, sides: &mut [Side], position: usize, var: Var, bound: &[Var]) -> Option<Moving> {
        let places = [0, 1].map(|side| self.left_at(&sides[side], position));
        let [x, y] = &places;
        if is_same_place(x, y) {
            let place = self.with_own_extents(var, x.clone());
            self.set(var, place);
            return None;
        }
        let is_dense = |(side, place): (&mut Side, &Placement)| {
            self.emit.resume(std::mem::take(&mut side.0));
            let is_dense = self.emit.is_dense(&place.index_fn);
            side.0 = self.emit.suspend();
            is_dense
        };
        let strides = match sides.iter_mut().zip(&places).all(is_dense) {
            true => KnownStrides::RowMajor,
            false => {
                let each = strides(x).zip(strides(y));
                KnownStrides::Each(each.map(|(x, y)| (x == y).then_some(x)).collect())
            }
        };
        let known = Known {
            block: Some(x.block).filter(|&block| block == y.block),
            offset: Some(x.index_fn.offset).filter(|&offset| offset == y.index_fn.offset),
            strides,
        };
        let names = Names::either(self.names.of(x.block), self.names.of(y.block));
        let moving = self.moving(position, var, bound, known);
        if let Some(block) = moving.block {
            self.names.set(block, names);
        }
        Some(moving)
    }

    /// Places a result of a body. `bound` are the variables bound together with it, including sizes: a stride that is a product
    /// of these cannot be computed outside.
    fn moving(&mut self, position: usize, var: Var, bound: &[Var], known: Known) -> Moving {
        let mut moving = Moving { position, block: None, offset: None, strides: Vec::new() };
        let block =
            known.block.unwrap_or_else(|| *moving.block.insert(self.emit.function.fresh("mem", Type::Mem)));
        let offset = known
            .offset
            .unwrap_or_else(|| (*moving.offset.insert(self.emit.function.fresh("offset", Type::I64))).into());
        let shape = self.shape(var);
        let strides = match known.strides {
            KnownStrides::RowMajor => self.row_major_strides(&shape, bound, &mut moving),
            KnownStrides::Each(strides) => {
                let mut bind = |(dim, known): (usize, Option<Operand>)| {
                    known.unwrap_or_else(|| {
                        let stride = self.emit.function.fresh("stride", Type::I64);
                        moving.strides.push((dim, stride));
                        stride.into()
                    })
                };
                strides.into_iter().enumerate().map(&mut bind).collect()
            }
        };
        let dims = shape.iter().zip(strides).map(|(&extent, stride)| LmadDim { extent, stride }).collect();
        self.set(var, Placement { block, index_fn: Lmad { offset, dims } });
        moving
    }

    /// Returns the strides of a row-major array. Strides that depend on variables bound with the array are bound with it, too.
    fn row_major_strides(&mut self, shape: &[Operand], bound: &[Var], moving: &mut Moving) -> Vec<Operand> {
        let mut strides = vec![Operand::i64(1); shape.len()];
        for dim in (1..shape.len()).rev() {
            let (size, inner) = (shape[dim], strides[dim]);
            let varies = size.as_var().is_some_and(|size| bound.contains(&size));
            strides[dim - 1] = if varies && inner == Operand::i64(1) {
                size
            } else if varies
                || !moving.strides.is_empty()
                || inner.as_var().is_some_and(|var| bound.contains(&var))
            {
                let stride = self.emit.function.fresh("stride", Type::I64);
                self.emit.know_product(size, inner, stride);
                moving.strides.push((dim - 1, stride));
                stride.into()
            } else {
                self.emit.mul(size, inner)
            };
        }
        strides
    }

    /// Returns the results of a body, preceded by the values that are bound with its arrays.
    fn with_values(&self, result: Vec<Operand>, moving: &[Moving]) -> Vec<Operand> {
        let values = |array: &Moving| {
            let place = self.placement(result[array.position].as_var().expect("an array"));
            array.values(&place).collect::<Vec<_>>()
        };
        moving.iter().flat_map(values).chain(result.iter().copied()).collect()
    }

    /// Places a call. Array arguments and results are row-major from the start of a block. The call yields the blocks and strides
    /// of array results before its own results.
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

    /// Returns the results of a called function, preceded by the blocks and strides of its arrays, as [`Placer::call`] binds
    /// these. Declares these additional results.
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

    /// Places a loop. Arrays that it overwrites stay in place, others are carried in their own placement or copied back.
    pub(super) fn repetition(
        &mut self,
        pattern: Vec<Var>,
        mut params: Vec<LoopParam>,
        form: LoopForm,
        body: Body,
    ) -> Result<Stm, Limit> {
        let (mut carried, mut copied_back) = (Vec::new(), Vec::new());
        for (position, &var) in pattern.iter().enumerate() {
            let param = params[position];
            if self.emit.function.ty(var).rank() == 0 {
                continue;
            }
            if self.roots.is_in_place(&param, body.result[position]) {
                let placement = self.placement(param.init.as_var().expect("an array"));
                self.set(param.var, placement.clone());
                self.set(var, placement);
            } else if self.forms.handing(param.var) == Handing::Back {
                copied_back.push(position);
            } else {
                carried.push(position);
            }
        }
        self.begin_at_one_place(&pattern, &mut params, &copied_back);
        let (inside, inits) = self.begin_carrying(&mut params, &carried);
        let outside = self.carried_out(&pattern, &params, &carried);
        self.emit.open();
        let mut result = self.stms_of(body)?;
        self.copy_back(&params, &mut result, &copied_back);
        for &position in &carried {
            let param = params[position].var;
            result[position] = self.in_form(param, result[position], self.forms.is_copied(param));
        }
        let result = self.with_values(result, &outside);
        let body = Body { stms: self.emit.close(), result };
        let pattern = outside.iter().flat_map(Moving::vars).chain(pattern).collect();
        let first = inside.iter().flat_map(Moving::vars).zip(inits);
        let first = first.map(|(var, init)| LoopParam { var, init, consumed: false });
        let params = first.chain(params).collect();
        Ok(stm(pattern, Expr::Loop { params, form, body }))
    }

    /// Places the parameters that are carried in their own placement. Returns the variables bound with them, and their initial
    /// values.
    fn begin_carrying(&mut self, params: &mut [LoopParam], carried: &[usize]) -> (Vec<Moving>, Vec<Operand>) {
        let bound: Vec<Var> = params.iter().map(|param| param.var).collect();
        let (mut inside, mut inits) = (Vec::new(), Vec::new());
        for &position in carried {
            let LoopParam { var, init, .. } = params[position];
            let place = self.placement(init.as_var().expect("an array"));
            if self.forms.handing(var) == Handing::SameBlock && place.index_fn.offset != Operand::i64(0) {
                self.forms.begins_inside(var);
            }
            let init = self.in_form(var, init, false);
            params[position].init = init;
            let place = self.placement(init.as_var().expect("an array"));
            let moving = self.carried(position, (var, var), place.block, &bound);
            inits.extend(moving.values(&place));
            inside.push(moving);
        }
        (inside, inits)
    }

    /// Places the results of a loop for arrays that are carried in their own placement.
    fn carried_out(&mut self, pattern: &[Var], params: &[LoopParam], carried: &[usize]) -> Vec<Moving> {
        let mut outside = Vec::new();
        for &position in carried {
            let LoopParam { var: param, init, .. } = params[position];
            let block = self.placement(init.as_var().expect("an array")).block;
            outside.push(self.carried(position, (pattern[position], param), block, pattern));
        }
        outside
    }

    /// Places an array in the form of a parameter: the parameter itself, or the loop's result for it.
    fn carried(&mut self, position: usize, (var, param): (Var, Var), block: Var, bound: &[Var]) -> Moving {
        let form = self.forms.form(param);
        let rank = self.emit.function.ty(var).rank();
        let strides = match form.strides {
            Strides::RowMajor => KnownStrides::RowMajor,
            Strides::Neighbours | Strides::Any => {
                KnownStrides::Each((1..=rank).map(|dim| (dim == rank).then_some(Operand::i64(1))).collect())
            }
        };
        let same_block = self.forms.handing(param) == Handing::SameBlock;
        let known = Known {
            block: same_block.then_some(block),
            offset: form.at_start.then_some(Operand::i64(0)),
            strides,
        };
        let moving = self.moving(position, var, bound, known);
        if let Some(block) = moving.block {
            self.names.set(block, Names::Unknown);
        }
        moving
    }

    /// Returns an array in the form that a loop carries: the array itself, or a copy.
    fn in_form(&mut self, param: Var, array: Operand, copied: bool) -> Operand {
        let form = self.forms.form(param);
        let Placement { index_fn, .. } = self.placement(array.as_var().expect("an array"));
        let is_side_by_side = index_fn.dims.last().is_some_and(|dim| dim.stride == Operand::i64(1));
        let fits = match form.strides {
            Strides::RowMajor => self.emit.is_dense(&index_fn),
            Strides::Neighbours | Strides::Any => is_side_by_side,
        };
        let begins = !form.at_start || index_fn.offset == Operand::i64(0);
        if copied || !fits || !begins { self.normalised(array) } else { array }
    }

    /// Copies the initial values of arrays that a loop copies back to their place.
    fn begin_at_one_place(&mut self, pattern: &[Var], params: &mut [LoopParam], copied_back: &[usize]) {
        let span = self.emit.span;
        for &position in copied_back {
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
    }

    /// Copies arrays back to one place at the end of an iteration, in two passes, so that no array is overwritten before it has
    /// been saved.
    fn copy_back(&mut self, params: &[LoopParam], result: &mut [Operand], copied_back: &[usize]) {
        for &position in copied_back {
            let place = self.placement(params[position].var);
            let value = self.placement(result[position].as_var().expect("an array"));
            let in_some_param =
                |&param: &usize| self.names.may_be_same(self.placement(params[param].var).block, value.block);
            if value != place && copied_back.iter().any(in_some_param) {
                result[position] = self.copy(result[position].as_var().expect("an array")).into();
            }
        }
        for &position in copied_back {
            let place = self.placement(params[position].var);
            let array = result[position].as_var().expect("an array");
            if self.placement(array) != place {
                result[position] = self.copy_to(array, place, params[position].var).into();
            }
        }
    }
}
