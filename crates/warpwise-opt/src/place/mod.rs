//! Places every array in memory (papers/002 section 3.5): level `seg` to level `mem`.
//!
//! ```text
//! b: [m][n]f32 = rearrange (1, 0) a;                  b: [m][n]f32 @ a_mem -> 0 + {(m : 1)(n : m)} = rearrange (1, 0) a;
//! ys: [n]f32 = segmap (i < n: task lane) {...};  ==>  ys_mem: mem = alloc bytes;
//!                                                     ys: [n]f32 @ ys_mem -> 0 + {(n : 1)} = segmap ...;
//! ```
//!
//! - Parameters are row-major from the start of their blocks. The blocks become additional parameters, before all others. Results
//!   of functions are brought to the same form.
//! - Views (index, slice, rearrange, reshape) cost nothing. A reshape that no index function expresses becomes an explicit copy.
//! - Updated arrays stay in place ([`Roots`]), and so do loop-carried arrays that a loop overwrites. Other results of choices and
//!   loops keep the placement that the body gives them; the unknown components of it are bound with them ([`forms`], which says
//!   what is copied instead, and why). Inside kernels, loops copy the arrays that they carry back into one block at the end of
//!   each iteration, because arenas only grow. Exceptions are views of one array, and blocks that a loop only exchanges.
//! - The result of a body is made directly at its preferred destination, if its statement makes a fresh array. Preferred
//!   destinations are passed backwards from results to the statements that make them.
//!
//! Differences from the translation of papers/002 (`TransformProgram`, `TransformStm`, `Support`), line by line:
//!
//! | there | here |
//! |---|---|
//! | a program's results are always copied to fresh row-major blocks | only results that are not such blocks already |
//! | scalars, indexing of elements, slices, transposes | the same |
//! | a reshape | a view if one index function expresses it, else a view of an explicit copy |
//! | a kernel's result gets a fresh row-major block | the same, unless a preferred destination or [`orders`] puts it elsewhere |
//! | arrays out of `if` come with block, offset, sizes and strides | with those of them that differ |
//! | unnecessary results are left to a simplifier | not returned |
//! | no loops | overwritten arrays stay; others as out of `if`, in one form for all iterations, or copied back in kernels |
//! | no functions | arguments and results row-major from the start of their blocks |
//!
//! A side of an `if` whose innermost dimension is not contiguous is copied, so that the innermost stride stays known for vectors.
//!
//! Erasing the annotations and the blocks yields the original program, except for explicit copies. Not done here: merging blocks
//! (`merge`), building a value in the slice that it is later copied to (`short_circuit`).

mod emit;
mod forms;
mod names;
mod needs;
mod orders;
mod results;
mod segments;
mod views;

use warpwise_diag::Limit;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::overwrites::Roots;
use warpwise_ir::{
    Body, Expr, Function, FunctionId, Lambda, Lmad, Message, Operand, Param, Placement, Program, SegKind,
    SegOp, Stm, Type, Var, exprs, sizes,
};
use warpwise_prim::Scalar;

pub(crate) use emit::Emitter;
use forms::Forms;
use names::BlockNames;
use orders::Orders;
pub(crate) use views::slice;

/// Places the arrays of every function.
pub fn place(program: &mut Program) -> Result<(), Limit> {
    let mut called = Vec::new();
    program.functions.values().for_each(|function| callees(&function.body, &mut called));
    let ids: Vec<FunctionId> = program.functions.keys().collect();
    for id in ids {
        place_function(&mut program.functions[id], called.contains(&id))?;
    }
    Ok(())
}

/// Appends the functions that a body calls.
fn callees(body: &Body, called: &mut Vec<FunctionId>) {
    for stm in &body.stms {
        if let Expr::Call { function, .. } = &stm.expr
            && !called.contains(function)
        {
            called.push(*function);
        }
        stm.expr.for_each_body(|body| callees(body, called));
    }
}

fn place_function(function: &mut Function, called: bool) -> Result<(), Limit> {
    let body = std::mem::take(&mut function.body);
    let arrays: Vec<Var> =
        function.params.iter().map(|param| param.var).filter(|&var| function.ty(var).rank() > 0).collect();
    let (roots, orders) = (Roots::of(function, &body), Orders::of(&body));
    let forms = Forms::of(function, &body, &roots, &orders);
    let emit = Emitter::new(function);
    let (wishes, names) = (SecondaryMap::default(), BlockNames::default());
    let mut placer = Placer { emit, roots, orders, forms, names, wishes, depth: 0 };
    placer.emit.open();
    let mut blocks = Vec::with_capacity(arrays.len());
    for array in arrays {
        let block = placer.emit.function.fresh("param_mem", Type::Mem);
        let shape = placer.shape(array);
        let index_fn = placer.emit.row_major(&shape);
        placer.set(array, Placement { block, index_fn });
        blocks.push(Param { var: block, consumed: false });
    }
    let mut result = placer.stms_of(body)?;
    for operand in &mut result {
        *operand = placer.normalised(*operand);
    }
    if called {
        result = placer.with_blocks(result);
    }
    let stms = placer.emit.close();
    function.body = Body { stms, result };
    blocks.append(&mut function.params);
    function.params = blocks;
    Ok(())
}

/// The state of placing one function.
struct Placer<'f> {
    emit: Emitter<'f>,
    roots: Roots,
    orders: Orders,
    forms: Forms,
    names: BlockNames,
    /// The preferred destination of each array, for statements that can choose.
    wishes: SecondaryMap<Var, Option<Placement>>,
    /// Number of segmented operations that enclose the current statement; 0 in host code.
    depth: usize,
}

impl Placer<'_> {
    /// Places everything in a body. `wanted` are the preferred destinations of its results.
    fn body(&mut self, body: Body, wanted: &[Option<Placement>]) -> Result<Body, Limit> {
        self.emit.open();
        self.wish_results(&body, wanted);
        let result = self.stms_of(body);
        let stms = self.emit.close();
        Ok(Body { stms, result: result? })
    }

    fn wish_results(&mut self, body: &Body, wanted: &[Option<Placement>]) {
        for (result, wanted) in body.result.iter().zip(wanted) {
            if let (Operand::Var(var), Some(_)) = (result, wanted)
                && self.wishes[*var].is_none()
            {
                self.wishes[*var] = wanted.clone();
            }
        }
    }

    /// Places the statements of a body into the open one. Returns its results.
    fn stms_of(&mut self, body: Body) -> Result<Vec<Operand>, Limit> {
        for stm in body.stms.iter().rev() {
            self.pass_wishes_on(stm);
        }
        for stm in body.stms {
            self.emit.span = stm.span;
            self.stm(stm)?;
        }
        Ok(body.result)
    }

    /// Passes preferred destinations on: from an updated array to the array before the update, and from a rearranged view to the
    /// array that it views.
    fn pass_wishes_on(&mut self, stm: &Stm) {
        let pass = |this: &mut Self, from: Var, to: Var| {
            if this.wishes[to].is_none() {
                this.wishes[to] = this.wishes[from].clone();
            }
        };
        match &stm.expr {
            Expr::Update { array, .. } | Expr::Operand(Operand::Var(array)) => {
                pass(self, stm.pattern[0], *array)
            }
            Expr::Rearrange { array, perm } if self.wishes[*array].is_none() => {
                self.wishes[*array] = self.wishes[stm.pattern[0]].clone().map(|view| before(view, perm));
            }
            // Only the name of the number of rows differs.
            Expr::Reshape { array, shape } if self.shape(*array)[1..] == shape[1..] => {
                pass(self, stm.pattern[0], *array);
            }
            Expr::If { .. } => {
                for &var in &stm.pattern {
                    let root = self.roots.whole(var);
                    pass(self, var, root);
                }
            }
            Expr::Loop { params, body, .. } => {
                for ((&var, param), &result) in stm.pattern.iter().zip(params).zip(&body.result) {
                    if let Operand::Var(init) = param.init
                        && self.roots.is_in_place(param, result)
                    {
                        pass(self, var, init);
                    }
                }
            }
            Expr::Seg(op) => match &op.kind {
                SegKind::Scatter { dests } => {
                    stm.pattern.iter().zip(dests).for_each(|(&var, dest)| pass(self, var, dest.array));
                }
                SegKind::Hist { ops } => {
                    let dests = ops.iter().flat_map(|op| &op.dests);
                    stm.pattern.iter().zip(dests).for_each(|(&var, &dest)| pass(self, var, dest));
                }
                SegKind::Map | SegKind::Reduce { .. } | SegKind::Scan { .. } | SegKind::Partition { .. } => {}
            },
            exprs!(Operand, scalar, Assert, view, fresh, Call, soac, UpdateAcc, Tuned, Alloc) => {}
        }
    }

    fn stm(&mut self, stm: Stm) -> Result<(), Limit> {
        let is_array = stm.pattern.iter().any(|&var| self.emit.function.ty(var).rank() > 0);
        let Stm { pattern, expr, mut certs, span } = stm;
        let expr = match expr {
            Expr::If { cond, then_body, else_body, branch } => {
                let stm = self.choice(pattern, cond, [then_body, else_body], branch)?;
                self.emit.push(Stm { certs, span, ..stm });
                return Ok(());
            }
            Expr::Loop { params, form, body } => {
                let stm = self.repetition(pattern, params, form, body)?;
                self.emit.push(Stm { certs, span, ..stm });
                return Ok(());
            }
            Expr::Seg(op) => {
                certs.extend(self.check_space(&pattern, &op));
                Expr::Seg(Box::new(self.seg_op(&pattern, *op)?))
            }
            Expr::Call { function, args } => {
                let stm = self.call(pattern, function, args);
                self.emit.push(Stm { certs, span, ..stm });
                return Ok(());
            }
            expr @ exprs!(Operand, scalar, Assert, array, soac, UpdateAcc, Tuned, Alloc) if is_array => {
                self.array_expr(pattern[0], expr)
            }
            expr @ exprs!(Operand, scalar, Assert, array, soac, UpdateAcc, Tuned, Alloc) => expr,
        };
        self.emit.push(Stm { pattern, expr, certs, span });
        Ok(())
    }

    /// Emits a check for the launch that the points of a space can be counted. The check is left out if an array over all points
    /// is made, whose allocation would fail.
    fn check_space(&mut self, pattern: &[Var], op: &SegOp) -> Option<Var> {
        let extents: Vec<Operand> = op.space.iter().map(|dim| dim.extent).collect();
        let is_some = |size: &Operand| size.as_const().and_then(Scalar::as_int) > Some(0);
        let is_made = |&var: &Var| {
            let shape = self.emit.function.ty(var).shape();
            shape.strip_prefix(extents.as_slice()).is_some_and(|row| row.iter().all(is_some))
        };
        if self.depth > 0 || extents.len() < 2 || pattern.iter().any(is_made) {
            return None;
        }
        let fits = sizes::elements(&mut self.emit, &extents).fits;
        let message = Message { parts: sizes::too_many_points(&extents), calls: Vec::new() };
        let assert = Expr::Assert { cond: fits, message };
        (fits != Operand::bool(true)).then(|| self.emit.bind("c", Type::Cert, assert))
    }

    fn seg_op(&mut self, pattern: &[Var], mut op: SegOp) -> Result<SegOp, Limit> {
        let (n_whole, whole) = self.place_seg_results(pattern, &op);
        let SegOp { space, kind, body } = &mut op;
        self.depth += 1;
        self.emit.open();
        let indices: Vec<Operand> = space.iter().map(|dim| dim.index.into()).collect();
        let mut wanted = vec![None; body.result.len().saturating_sub(n_whole)];
        for placement in whole {
            let index_fn = self.emit.row(&placement.index_fn, &indices);
            wanted
                .push((!index_fn.dims.is_empty()).then_some(Placement { block: placement.block, index_fn }));
        }
        let mut inner = std::mem::take(body);
        if let SegKind::Scatter { dests } = kind {
            wanted = self.wanted_segments(dests, &mut inner)?;
        }
        self.wish_results(&inner, &wanted);
        let result = self.stms_of(inner);
        let stms = self.emit.close();
        *body = Body { stms, result: result? };
        for lambda in operators(kind) {
            let inner = std::mem::take(&mut lambda.body);
            lambda.body = self.body(inner, &[])?;
        }
        self.depth -= 1;
        Ok(op)
    }

    /// Places the results of a segmented operation. Returns the number of trailing results of its body that become elements of
    /// arrays over the whole space, and the placements of those arrays.
    fn place_seg_results(&mut self, pattern: &[Var], op: &SegOp) -> (usize, Vec<Placement>) {
        let in_place = |this: &mut Self, dests: Vec<Var>| {
            for (&var, dest) in pattern.iter().zip(dests) {
                let placement = this.placement(dest);
                this.set(var, placement);
            }
            (0, vec![])
        };
        let n_reduced = match &op.kind {
            SegKind::Scatter { dests } => {
                return in_place(self, dests.iter().map(|dest| dest.array).collect());
            }
            SegKind::Hist { ops } => {
                return in_place(self, ops.iter().flat_map(|op| op.dests.iter().copied()).collect());
            }
            SegKind::Partition { classes } => {
                for &var in &pattern[*classes..] {
                    self.allocate_prefix(var, op.space[0].extent);
                }
                return (0, vec![]);
            }
            SegKind::Map => 0,
            SegKind::Reduce { reduces } | SegKind::Scan { reduces, .. } => {
                reduces.iter().map(|reduce| reduce.neutral.len()).sum()
            }
        };
        for &var in pattern {
            if self.emit.function.ty(var).rank() > 0 {
                self.allocate(var);
            }
        }
        let direct = !matches!(op.kind, SegKind::Scan { .. });
        let whole = if direct { &pattern[n_reduced..] } else { &[] };
        (whole.len(), whole.iter().map(|&var| self.placement(var)).collect())
    }

    fn array_expr(&mut self, var: Var, expr: Expr) -> Expr {
        let placement = match &expr {
            Expr::Operand(Operand::Var(array)) | Expr::Update { array, .. } => self.placement(*array),
            Expr::Index { array, indices } => {
                let Placement { block, index_fn } = self.placement(*array);
                let index_fn = self.emit.row(&index_fn, indices);
                Placement { block, index_fn }
            }
            Expr::Slice { array, dims } => {
                let placement = self.placement(*array);
                views::slice(&mut self.emit, &placement, dims)
            }
            Expr::Rearrange { array, perm } => {
                let Placement { block, index_fn: Lmad { offset, dims } } = self.placement(*array);
                let dims = perm.iter().map(|&dim| dims[dim]).collect();
                Placement { block, index_fn: Lmad { offset, dims } }
            }
            Expr::Reshape { array, shape } => {
                let placement = self.placement(*array);
                if let Some(index_fn) = views::reshape(&mut self.emit, &placement.index_fn, shape) {
                    self.set(var, Placement { block: placement.block, index_fn });
                    return expr;
                }
                return self.reshape_copy(var, *array, shape);
            }
            Expr::Manifest { perm, .. } => {
                self.allocate_in_order(var, perm);
                return expr;
            }
            // All other expressions make a fresh array.
            exprs!(
                Operand, scalar, Assert, Iota, Replicate, ArrayLit, Concat, Copy, Scratch, nested, Call,
                UpdateAcc, Tuned, Alloc
            ) => {
                self.allocate(var);
                return expr;
            }
        };
        self.set(var, placement);
        expr
    }

    /// Places a reshape that needs contiguous elements: a view of a fresh copy.
    fn reshape_copy(&mut self, var: Var, array: Var, shape: &[Operand]) -> Expr {
        let copy = self.copy(array);
        let Placement { block, .. } = self.placement(copy);
        let index_fn = self.emit.row_major(shape);
        self.set(var, Placement { block, index_fn });
        Expr::Reshape { array: copy, shape: shape.into() }
    }

    /// Binds a fresh row-major copy of an array.
    fn copy(&mut self, array: Var) -> Var {
        let ty = self.emit.function.ty(array).clone();
        let copy = self.emit.function.fresh("copy", ty);
        self.allocate(copy);
        self.push_copy(copy, array);
        copy
    }

    /// Binds a copy of an array at a place, with the type of `like`.
    fn copy_to(&mut self, array: Var, place: Placement, like: Var) -> Var {
        let copy = self.emit.function.fresh_like(like);
        let place = self.with_own_extents(copy, place);
        self.set(copy, place);
        self.push_copy(copy, array);
        copy
    }

    fn push_copy(&mut self, copy: Var, array: Var) {
        let span = self.emit.span;
        self.emit.push(Stm { pattern: vec![copy], expr: Expr::Copy(array), certs: vec![], span });
    }

    /// Returns an array that is row-major from the start of its block: the array itself, or a copy. Other values are returned
    /// unchanged.
    fn normalised(&mut self, operand: Operand) -> Operand {
        let Operand::Var(var) = operand else { return operand };
        if self.emit.function.ty(var).rank() == 0 {
            return operand;
        }
        let Placement { index_fn, .. } = self.placement(var);
        let at_start = index_fn.offset == Operand::i64(0) && self.emit.is_dense(&index_fn);
        if at_start { operand } else { self.copy(var).into() }
    }

    /// Places a fresh array at its preferred destination, or in a fresh block: row-major unless [`orders`] says otherwise.
    fn allocate(&mut self, var: Var) {
        if self.wishes[var].is_none()
            && let Some(order) = self.orders.order(var).cloned()
        {
            return self.allocate_in_order(var, &order);
        }
        let placement = match self.wishes[var].take() {
            Some(wished) => wished,
            None => {
                let ty = self.emit.function.ty(var).as_array().expect("only arrays are allocated").clone();
                let name = self.emit.function.vars[var].name().to_string();
                self.emit.allocate(&name, ty.elem, &ty.shape)
            }
        };
        let placement = self.with_own_extents(var, placement);
        self.set(var, placement);
    }

    /// Returns a placement with the extents that the array's own type has.
    fn with_own_extents(&self, var: Var, mut placement: Placement) -> Placement {
        for (dim, extent) in placement.index_fn.dims.iter_mut().zip(self.shape(var)) {
            dim.extent = extent;
        }
        placement
    }

    /// Places an array whose outer size is only known later, in a block for `at_most` rows.
    fn allocate_prefix(&mut self, var: Var, at_most: Operand) {
        let ty = self.emit.function.ty(var).as_array().expect("only arrays are allocated").clone();
        let name = self.emit.function.vars[var].name().to_string();
        let mut shape = ty.shape.clone();
        shape[0] = at_most;
        let mut placement = self.emit.allocate(&name, ty.elem, &shape);
        placement.index_fn.dims[0].extent = ty.shape[0];
        self.set(var, placement);
    }

    /// Places an array whose dimensions are stored in the order `perm`, outermost first.
    fn allocate_in_order(&mut self, var: Var, perm: &[usize]) {
        let ty = self.emit.function.ty(var).as_array().expect("only arrays are allocated").clone();
        let name = self.emit.function.vars[var].name().to_string();
        let stored: Vec<Operand> = perm.iter().map(|&dim| ty.shape[dim]).collect();
        let Placement { block, index_fn } = self.emit.allocate(&name, ty.elem, &stored);
        let mut dims = index_fn.dims.clone();
        for (&dim, stored) in perm.iter().zip(&index_fn.dims) {
            dims[dim] = *stored;
        }
        self.set(var, Placement { block, index_fn: Lmad { offset: index_fn.offset, dims } });
    }

    fn placement(&self, var: Var) -> Placement {
        self.emit.function.vars[var].placement.clone().expect("arrays are placed where they are bound")
    }

    fn set(&mut self, var: Var, placement: Placement) {
        self.emit.function.vars[var].placement = Some(placement);
    }

    fn shape(&self, var: Var) -> Vec<Operand> {
        self.emit.function.ty(var).shape().to_vec()
    }
}

/// Returns the placement of an array such that a rearranged view of it has the placement `view`.
pub(crate) fn before(view: Placement, perm: &[usize]) -> Placement {
    let mut dims = view.index_fn.dims.clone();
    for (&dim, of_view) in perm.iter().zip(&view.index_fn.dims) {
        dims[dim] = *of_view;
    }
    Placement { block: view.block, index_fn: Lmad { offset: view.index_fn.offset, dims } }
}

/// Returns the lambdas of a segmented operation.
fn operators(kind: &mut SegKind) -> Vec<&mut Lambda> {
    match kind {
        SegKind::Map | SegKind::Partition { .. } | SegKind::Scatter { .. } => vec![],
        SegKind::Reduce { reduces } => reduces.iter_mut().map(|reduce| &mut reduce.op).collect(),
        SegKind::Scan { scans, reduces, post } => {
            let scans = scans.iter_mut().map(|scan| &mut scan.op);
            scans.chain(reduces.iter_mut().map(|reduce| &mut reduce.op)).chain(post).collect()
        }
        SegKind::Hist { ops } => ops.iter_mut().map(|op| &mut op.op).collect(),
    }
}
