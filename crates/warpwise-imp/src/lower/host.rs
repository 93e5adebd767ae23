//! Host code: one host function per core function.
//!
//! Scalars and control flow run on the host's register machine. Segmented operations are launched, views cost nothing, and whole
//! arrays are copied by operations of the machine. A sequential loop without parallel operations is compiled as a kernel of one
//! iteration, whose scalar results come back through memory.

use std::cell::RefCell;

use rustc_hash::FxHashMap;
use warpwise_diag::Span;
use warpwise_ir::traverse::{Visitor, free_in_stm};
use warpwise_ir::{Body, Expr, Function, FunctionId, Operand as CoreOperand, Program, Stm, Type, Var, exprs};
use warpwise_prim::{Scalar, ScalarType};
use warpwise_runtime::machine::{CheckPart, Schedule};

use crate::lower::emitter::{BlockBinding, Context, Emitter, Failing, Lowered, Value};
use crate::lower::kernels::Range;
use crate::lower::memory::View;
use crate::lower::{Machine, Scanning};
use crate::lower::{invariants, liveness};
use crate::op::Op;
use crate::program::{Check, CheckId, HostFunction, HostParam, HostResult, ImpProgram};
use crate::types::{ImpType, Mem, Operand, Space, StridedView};

/// Lowers a function into `lowered`.
pub(super) fn lower_function(
    program: &Program,
    id: FunctionId,
    machine: Machine,
    lowered: &mut ImpProgram,
) -> Lowered<()> {
    let function = &program.functions[id];
    let (target, device, scanning) = match machine {
        Machine::Cpu(target) => (target, false, Scanning::Blocks),
        Machine::Device { scalar, scanning } => (scalar, true, scanning),
    };
    let mut definitions = Definitions(FxHashMap::default());
    definitions.body(&function.body);
    let cx = Context {
        function,
        target,
        device,
        scanning,
        definitions: definitions.0,
        used: liveness::used(function),
        unique_blocks: liveness::unique_blocks(function),
        kernels: RefCell::new(std::mem::take(&mut lowered.kernels)),
        checks: RefCell::new(std::mem::take(&mut lowered.checks)),
    };
    let host = host_function(&cx)?;
    lowered.functions.push(host);
    lowered.kernels = cx.kernels.into_inner();
    lowered.checks = cx.checks.into_inner();
    Ok(())
}

/// Collects the expression that binds each variable.
struct Definitions<'f>(FxHashMap<Var, &'f Expr>);

impl<'f> Visitor<'f> for Definitions<'f> {
    fn stm(&mut self, stm: &'f Stm) {
        if let [var] = stm.pattern[..] {
            self.0.insert(var, &stm.expr);
        }
        self.walk_stm(stm);
    }
}

fn host_function(cx: &Context) -> Lowered<HostFunction> {
    let function = cx.function;
    let mut host = Emitter::host(cx);
    host.bind_params(function);
    let mut params = Vec::new();
    for param in &function.params {
        match function.ty(param.var) {
            Type::Scalar(_) => {
                let Value::Uniform(Operand::Reg(reg)) = host.value(param.var) else {
                    return host.limit(function.span, "a parameter that is a constant");
                };
                params.push(HostParam::Scalar(reg));
            }
            Type::Array(_) => {
                let (mem, elem, shape) = host.whole_array(param.var, function.span)?;
                params.push(HostParam::Array { mem, elem, shape });
            }
            Type::Mem | Type::Cert | Type::Acc(_) => {}
        }
    }
    host.host_stms(&function.body)?;
    let mut results = Vec::new();
    for &result in &function.body.result {
        if matches!(function.operand_type(result), Type::Mem | Type::Cert | Type::Acc(_)) {
            continue;
        }
        results.push(if host.is_array_operand(result) {
            let var = result.as_var().expect("an array is a variable");
            let (mem, elem, shape) = host.whole_array(var, function.span)?;
            HostResult::Array { mem, elem, shape }
        } else {
            HostResult::Scalar(host.uniform(result, function.span)?)
        });
    }
    let mut body = host.code.finish();
    let scalars = params.iter().filter_map(|param| match param {
        HostParam::Scalar(reg) => Some(*reg),
        HostParam::Array { .. } => None,
    });
    invariants::hoist(&mut body, scalars);
    Ok(HostFunction {
        name: function.name.clone(),
        entry: function.entry.clone(),
        regs: host.code.regs,
        mems: host.code.mems,
        params,
        body,
        results,
    })
}

impl<'a> Emitter<'a> {
    fn bind_params(&mut self, function: &Function) {
        for param in &function.params {
            let data = &function.vars[param.var];
            let name = data.name().to_string();
            match data.ty {
                Type::Scalar(ty) => {
                    let reg = self.code.reg(&name, ImpType::scalar(ty));
                    self.bind_uniform(param.var, reg);
                }
                Type::Mem => {
                    let mem = self.code.mem(&name, Space::Global);
                    self.scope.blocks.insert(param.var, BlockBinding::of(mem));
                }
                Type::Array(_) | Type::Cert | Type::Acc(_) => {}
            }
        }
    }

    /// Returns the block, element type and extents of an array that is a parameter or result of a function.
    fn whole_array(&mut self, array: Var, span: Span) -> Lowered<(Mem, ScalarType, Vec<Operand>)> {
        let view = self.view(array, span)?;
        let shape = self.extents(&view, span)?;
        Ok((view.block.mem, view.elem, shape))
    }

    /// Returns the extents of a view as host operands.
    pub fn extents(&self, view: &View, span: Span) -> Lowered<Vec<Operand>> {
        self.all_uniform(&view.extents, span)
    }

    pub fn all_uniform(&self, values: &[Value], span: Span) -> Lowered<Vec<Operand>> {
        let uniform = values.iter().map(|value| match value {
            Value::Uniform(x) => Ok(*x),
            Value::Linear { .. } | Value::Varying(_) => {
                self.not_in_lanes(span, "a size that differs between vector lanes")
            }
        });
        uniform.collect()
    }

    /// Lowers the statements of a host body, and releases blocks after their last use. Returns the blocks that the body's result
    /// mentions.
    pub fn host_stms(&mut self, body: &'a Body) -> Lowered<Vec<Mem>> {
        let mut deaths = liveness::deaths(self.cx.function, body);
        for (position, stm) in body.stms.iter().enumerate() {
            self.code.span = stm.span;
            for block in deaths.at_begin.remove(&position).unwrap_or_default() {
                let mem = self.block(block, stm.span)?.mem;
                self.begun_with.push(mem);
            }
            self.host_stm(stm)?;
            let mut dead = std::mem::take(&mut self.begun_with);
            for block in deaths.after.remove(&position).unwrap_or_default() {
                dead.push(self.block(block, stm.span)?.mem);
            }
            self.release_locals(dead);
        }
        deaths.in_result.iter().map(|&block| Ok(self.block(block, Span::NONE)?.mem)).collect()
    }

    /// Releases blocks that a body has handed on. Host code.
    pub fn release_locals(&mut self, locals: Vec<Mem>) {
        for mem in locals {
            self.code.emit(Op::Release { mem });
        }
    }

    fn host_stm(&mut self, stm: &'a Stm) -> Lowered<()> {
        if self.is_compiled_loop(stm) {
            return self.sequential_kernel(stm);
        }
        if self.common_stm(stm)? {
            return Ok(());
        }
        match &stm.expr {
            Expr::Seg(op) => self.launch_seg(stm, op),
            Expr::Tuned { name, default } => {
                let dst = self.code.reg("tuned", ImpType::scalar(ScalarType::I64));
                self.code.emit(Op::Tuned { dst, name: name.clone(), default: *default });
                self.bind_uniform(stm.pattern[0], dst);
                Ok(())
            }
            Expr::Alloc { bytes } => {
                let bytes = self.uniform(*bytes, stm.span)?;
                let mem = self.alloc(self.cx.function.vars[stm.pattern[0]].name(), bytes);
                self.scope.blocks.insert(stm.pattern[0], BlockBinding::of(mem));
                Ok(())
            }
            Expr::Call { function, args } => self.call(stm, *function, args),
            exprs!(Operand, scalar, Assert, array, If, Loop, soac, UpdateAcc) => self.host_array_stm(stm),
        }
    }

    /// Allocates a block. Host code.
    pub fn alloc(&mut self, name: &str, bytes: Operand) -> Mem {
        let mem = self.code.mem(name, Space::Global);
        self.code.emit(Op::Alloc { dst: mem, bytes });
        mem
    }

    fn call(&mut self, stm: &Stm, callee: FunctionId, args: &[CoreOperand]) -> Lowered<()> {
        let (mut scalars, mut mem_args) = (Vec::new(), Vec::new());
        for &arg in args {
            match self.cx.function.operand_type(arg) {
                Type::Scalar(_) => scalars.push(self.uniform(arg, stm.span)?),
                Type::Array(_) => mem_args.push(self.view_of(arg, stm.span)?.block.mem),
                Type::Mem | Type::Cert | Type::Acc(_) => {}
            }
        }
        let (mut results, mut mem_results) = (Vec::new(), Vec::new());
        for &var in &stm.pattern {
            match self.cx.function.ty(var) {
                Type::Scalar(elem) => {
                    let dst = self.code.reg("result", ImpType::scalar(*elem));
                    self.bind_uniform(var, dst);
                    results.push(dst);
                }
                Type::Mem => {
                    let mem = self.code.mem(self.cx.function.vars[var].name(), Space::Global);
                    self.scope.blocks.insert(var, BlockBinding::of(mem));
                }
                Type::Array(_) => {
                    let block = self.placement(var, stm.span)?.block;
                    mem_results.push(self.block(block, stm.span)?.mem);
                }
                Type::Cert | Type::Acc(_) => {}
            }
        }
        let function = warpwise_ir::entity::Entity::index(callee);
        let too_deep = self.too_deep(stm.span);
        self.code.emit(Op::Call { function, args: scalars, mem_args, results, mem_results, too_deep });
        Ok(())
    }

    /// Creates the check that fails where calls nest too deeply.
    fn too_deep(&mut self, span: Span) -> CheckId {
        let parts = vec![CheckPart::Text("Recursion is too deep".to_string())];
        self.cx.checks.borrow_mut().push(Check { parts, span, calls: Vec::new() })
    }

    /// Returns whether a statement is a loop to be compiled, in which nothing needs the host. On a device, a loop of scalars is
    /// interpreted: that costs less than a launch and reading the results back.
    fn is_compiled_loop(&self, stm: &Stm) -> bool {
        let hands_blocks_on = stm.pattern.iter().any(|&var| *self.cx.function.ty(var) == Type::Mem);
        let is_interpreted = self.cx.device && self.is_of_scalars(stm);
        matches!(stm.expr, Expr::Loop { .. }) && !hands_blocks_on && !needs_host(&stm.expr) && !is_interpreted
    }

    /// Returns whether a statement neither uses nor creates arrays.
    fn is_of_scalars(&self, stm: &Stm) -> bool {
        let takes = free_in_stm(self.cx.function, stm).iter().any(|var| self.is_array(var));
        !takes && !self.binds_arrays(stm)
    }

    fn binds_arrays(&self, stm: &Stm) -> bool {
        let mut found = stm.pattern.iter().any(|&var| self.is_array(var));
        stm.expr.for_each_body(|body| found = found || body.stms.iter().any(|stm| self.binds_arrays(stm)));
        found
    }

    /// Compiles a statement as a kernel of one iteration.
    pub fn sequential_kernel(&mut self, stm: &'a Stm) -> Lowered<()> {
        let scalars: Vec<Var> = stm.pattern.iter().copied().filter(|&var| self.is_scalar(var)).collect();
        let results = self.alloc("results", Operand::i64(8 * scalars.len() as i64));
        let built = self.build("loop", stm.span, &|kernel, _, _| {
            let out = kernel.mem_param("results", results, None);
            let exit = kernel.code.label();
            kernel.failing = Some(Failing::of(Operand::i64(0), exit));
            let (block, done) = kernel.block_of(|kernel| {
                let done = kernel.stm(stm);
                for (i, &var) in scalars.iter().enumerate() {
                    if let Value::Uniform(x) = kernel.value(var) {
                        let elem = kernel.elem(var);
                        kernel.code.store(elem, out, result_index(i, elem), x);
                    }
                }
                done
            });
            kernel.scope_if_left(exit, block);
            done
        })?;
        let cost = self.expr_cost(&stm.expr);
        let extent = Operand::i64(1);
        self.launch(built, Range { extent, schedule: Schedule::Sequential, cost });
        for (i, &var) in scalars.iter().enumerate() {
            let elem = self.elem(var);
            let reg = self.code.load("result", elem, results, result_index(i, elem));
            self.bind_uniform(var, reg);
        }
        self.code.emit(Op::Release { mem: results });
        Ok(())
    }

    fn is_scalar(&self, var: Var) -> bool {
        matches!(self.cx.function.ty(var), Type::Scalar(_))
    }

    /// Lowers a statement of host code that creates or overwrites an array.
    fn host_array_stm(&mut self, stm: &'a Stm) -> Lowered<()> {
        let (var, span) = (stm.pattern[0], stm.span);
        match &stm.expr {
            Expr::Update { value: CoreOperand::Var(value), .. } if self.is_in_place(stm, 0, *value) => Ok(()),
            Expr::Update { array, dims, value } => {
                let whole = self.view(*array, span)?;
                let part = self.slice(&whole, dims);
                self.host_put(&part, *value, span)
            }
            Expr::Replicate { shape, value } if self.is_array_operand(*value) => {
                let dest = self.view(var, span)?;
                let mut source = self.view_of(*value, span)?;
                let repeated = shape.iter().map(|_| Value::constant(Scalar::I64(0)));
                source.strides = repeated.chain(source.strides.iter().copied()).collect();
                self.host_copy(&dest, &source, span)
            }
            Expr::Replicate { value, .. } => self.host_fill(stm, *value),
            Expr::Iota { .. } => self.array_kernel(stm),
            Expr::ArrayLit(elems) => {
                let dest = self.view(var, span)?;
                for (i, &elem) in elems.iter().enumerate() {
                    if elem.as_var().is_some_and(|elem| self.is_in_place(stm, i, elem)) {
                        continue;
                    }
                    let place = self.row(&dest, &[Value::Uniform(Operand::i64(i as i64))]);
                    self.host_put(&place, elem, span)?;
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
                        self.host_copy(&part, &source, span)?;
                    }
                    start = self.binary(warpwise_prim::BinaryOp::Add, start, source.extents[0]);
                }
                Ok(())
            }
            Expr::Copy(array) | Expr::Manifest { array, .. } if self.is_in_place(stm, 0, *array) => Ok(()),
            Expr::Copy(array) | Expr::Manifest { array, .. } => {
                let (dest, source) = (self.view(var, span)?, self.view(*array, span)?);
                self.host_copy(&dest, &source, span)
            }
            expr @ exprs!(Operand, scalar, Assert, view, Scratch, nested, Call, UpdateAcc, Tuned, Alloc) => {
                unreachable!("not a statement that fills an array: {expr:?}")
            }
        }
    }

    fn host_put(&mut self, dest: &View, value: CoreOperand, span: Span) -> Lowered<()> {
        if self.is_array_operand(value) {
            let source = self.view_of(value, span)?;
            return self.host_copy(dest, &source, span);
        }
        let value = self.value(value);
        self.store(dest, &[], value);
        Ok(())
    }

    fn host_copy(&mut self, dest: &View, source: &View, span: Span) -> Lowered<()> {
        if dest == source {
            return Ok(());
        }
        if self.cx.device {
            return self.device_copy(dest, source, span);
        }
        let shape = self.extents(dest, span)?;
        let (dst, src) = (self.strided(dest, span)?, self.strided(source, span)?);
        self.code.emit(Op::Copy { elem: dest.elem, shape, dst, src });
        Ok(())
    }

    fn strided(&mut self, view: &View, span: Span) -> Lowered<StridedView> {
        let strides = self.all_uniform(&view.strides, span)?;
        let offset = self.all_uniform(&[view.offset], span)?[0];
        Ok(StridedView { mem: view.block.mem, offset, strides })
    }

    /// Sets all elements of a fresh array to a scalar.
    fn host_fill(&mut self, stm: &'a Stm, value: CoreOperand) -> Lowered<()> {
        let placement = self.placement(stm.pattern[0], stm.span)?;
        if !self.is_dense(placement) {
            return self.array_kernel(stm);
        }
        let view = self.view(stm.pattern[0], stm.span)?;
        let shape = self.extents(&view, stm.span)?;
        let count = self.code.product(shape);
        let (value, index) = (self.uniform(value, stm.span)?, self.all_uniform(&[view.offset], stm.span)?[0]);
        self.code.emit(Op::Fill { mem: view.block.mem, index, count, value, elem: view.elem });
        Ok(())
    }

    /// Fills an array in one task.
    fn array_kernel(&mut self, stm: &'a Stm) -> Lowered<()> {
        if self.cx.device {
            return self.device_fill(stm);
        }
        let built = self.build("fill", stm.span, &|kernel, _, _| kernel.array_stm(stm))?;
        let view = self.view(stm.pattern[0], stm.span)?;
        let shape = self.extents(&view, stm.span)?;
        let cost = self.code.product(shape);
        self.launch(built, Range { extent: Operand::i64(1), schedule: Schedule::Sequential, cost });
        Ok(())
    }
}

/// Returns the index of the `i`-th scalar result of a sequential kernel, in elements of its type.
fn result_index(i: usize, elem: ScalarType) -> Operand {
    Operand::i64((i * 8 / elem.bytes()) as i64)
}

/// Returns whether an expression contains an operation that only host code can perform.
fn needs_host(expr: &Expr) -> bool {
    let own = matches!(
        expr,
        Expr::Seg(_) | Expr::Alloc { .. } | Expr::Call { .. } | Expr::Tuned { .. } | Expr::WithAcc(_)
    );
    let mut inside = own;
    expr.for_each_body(|body| inside |= body.stms.iter().any(|stm| needs_host(&stm.expr)));
    inside
}
