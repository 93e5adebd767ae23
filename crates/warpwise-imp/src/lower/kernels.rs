//! Kernels: their construction, the guarantees about their memories, and their launches.

use rustc_hash::FxHashSet;
use warpwise_diag::Span;
use warpwise_ir::{Mapping, SegDim, Var};
use warpwise_prim::{BinaryOp, CompareOp};
use warpwise_runtime::machine::Schedule;

use crate::lower::Unfit;
use crate::lower::emitter::{Ahead, Emitter, Lowered, Value};
use crate::lower::lanes::LaneLoop;
use crate::lower::memory::View;
use crate::op::{Block, Op};
use crate::ops;
use crate::program::{Kernel, KernelId, KernelParam, Launch, LaunchedArray};
use crate::traverse::for_each_op;
use crate::types::{Mem, Operand, Reg, StridedView};

/// Minimum size of results that bypass the caches, in bytes.
const STREAM_FROM: i64 = 32 << 20;

/// A finished kernel and the arguments of its launch.
#[derive(Clone)]
pub(super) struct Built {
    pub kernel: KernelId,
    /// Scalar arguments, in the order of the kernel's parameters.
    pub args: Vec<Operand>,
    mem_args: Vec<Mem>,
    arrays: Vec<Var>,
    align: i64,
}

/// The iterations of a launch.
#[derive(Clone, Copy)]
pub(super) struct Range {
    /// Number of iterations.
    pub extent: Operand,
    /// Distribution of the tasks over workers.
    pub schedule: Schedule,
    /// Cost of one iteration.
    pub cost: Operand,
}

/// A function that emits the code of a kernel for the task `lo..hi`.
pub(super) type Make<'f, 's> = &'f dyn Fn(&mut Emitter<'s>, Reg, Reg) -> Lowered<()>;

impl<'a> Emitter<'a> {
    /// Builds a kernel, without lanes if its code does not run in lanes. Host code.
    pub fn build<'s>(&'s self, kind: &str, span: Span, make: Make<'_, 's>) -> Lowered<Built> {
        match self.build_in_lanes(kind, span, make)? {
            Some(built) => Ok(built),
            None => self.build_as(kind, span, (true, false), make),
        }
    }

    /// Builds a kernel if the machine has lanes and the code runs in them. Host code.
    pub fn build_in_lanes<'s>(
        &'s self,
        kind: &str,
        span: Span,
        make: Make<'_, 's>,
    ) -> Lowered<Option<Built>> {
        if self.cx.target.is_scalar() {
            return Ok(None);
        }
        match self.build_as(kind, span, (false, false), make) {
            Err(Unfit::Lanes(_)) => Ok(None),
            built => built.map(Some),
        }
    }

    /// Builds a kernel whose stores of results bypass the caches, in lanes. Host code.
    pub fn build_streaming<'s>(&'s self, kind: &str, span: Span, make: Make<'_, 's>) -> Lowered<Built> {
        let scalar = self.cx.target.is_scalar();
        self.build_as(kind, span, (scalar, !scalar), make)
    }

    fn build_as<'s>(
        &'s self,
        kind: &str,
        span: Span,
        (scalar_only, streaming): (bool, bool),
        make: Make<'_, 's>,
    ) -> Lowered<Built> {
        let mut kernel = Emitter::kernel(self.cx, &self.scope);
        (kernel.scalar_only, kernel.streaming) = (scalar_only, streaming);
        kernel.ahead = streaming.then_some(Ahead::Soon);
        let lo = kernel.code.int_reg("lo");
        let hi = kernel.code.int_reg("hi");
        make(&mut kernel, lo, hi)?;
        let body = kernel.code.finish();
        let mut params = std::mem::take(&mut kernel.params);
        kernel.promise(&mut params, &body);
        let mut kernels = self.cx.kernels.borrow_mut();
        // The number precedes the kind, so that no name is a prefix of another: Oclgrind takes the memory of both for that of one.
        let name = format!("{}_{}_{kind}", self.cx.function.name, kernels.len());
        let (regs, mems, group) = (kernel.code.regs, kernel.code.mems, kernel.group);
        let places = kernel.places.into_iter().filter(|place| !place.is_none()).collect();
        let doubles = kernel.doubles;
        let id =
            kernels.push(Kernel { name, params, regs, mems, lo, hi, group, body, span, places, doubles });
        let mem_args = kernel.mem_args.iter().map(|(mem, _)| *mem).collect();
        Ok(Built { kernel: id, args: kernel.args, mem_args, arrays: kernel.arrays, align: kernel.align })
    }

    /// Sets which memories are only read, and which no written memory overlaps.
    fn promise(&self, params: &mut [KernelParam], body: &Block) {
        let mut written = FxHashSet::default();
        writes(body, &mut written);
        let unique = |var: &Option<Var>| var.is_none_or(|var| self.cx.unique_blocks.contains(&var));
        // A written memory may be any other memory that another name can refer to.
        let is_risky = |mem: Mem, var: &Option<Var>| written.contains(&mem) && !unique(var);
        let memories = || self.mem_params.iter().zip(&self.mem_args).map(|(&mem, (_, var))| (mem, var));
        let n_risky = memories().filter(|(mem, var)| is_risky(*mem, var)).count();
        let others_apart =
            |mem: Mem, var: &Option<Var>| unique(var) || n_risky == usize::from(is_risky(mem, var));
        let apart: FxHashSet<Mem> =
            memories().filter(|(mem, var)| others_apart(*mem, var)).map(|(mem, _)| mem).collect();
        for param in params {
            if let KernelParam::Memory { mem, noalias, read_only } = param {
                *noalias = apart.contains(mem);
                *read_only = !written.contains(mem);
            }
        }
    }

    /// Launches one of two kernels: the one that bypasses the caches, if it exists and the results are larger than the caches.
    /// Host code.
    pub fn launch_by_size(
        &mut self,
        (built, past): (Built, Option<Built>),
        bytes: Operand,
        launch: &mut dyn FnMut(&mut Self, Built),
    ) {
        let Some(past) = past else { return launch(self, built) };
        let large = self.code.compare(CompareOp::SLe, Operand::i64(STREAM_FROM), bytes);
        self.either(large, |this, is_large| launch(this, if is_large { &past } else { &built }.clone()));
    }

    /// Launches a kernel. Host code.
    pub fn launch(&mut self, built: Built, range: Range) {
        let Built { kernel, args, mem_args, arrays, align } = built;
        let arrays = arrays.into_iter().filter_map(|array| self.launched_array(array)).collect();
        let Range { extent, schedule, cost } = range;
        self.code.emit(Op::Launch(Box::new(Launch {
            kernel,
            args,
            mem_args,
            extent,
            schedule,
            align,
            cost,
            arrays,
        })));
    }

    /// Returns the placement of a host array, for a launch.
    fn launched_array(&mut self, array: Var) -> Option<LaunchedArray> {
        let View { block, elem, offset, extents, strides } = self.view(array, Span::NONE).ok()?;
        let uniform = |values: Vec<Value>| self.all_uniform(&values, Span::NONE).ok();
        let (shape, strides, offset) = (uniform(extents)?, uniform(strides)?, uniform(vec![offset])?[0]);
        Some(LaunchedArray { elem, shape, view: StridedView { mem: block.mem, offset, strides } })
    }

    /// Emits `body` for the flat iterations `lo..hi` of the task dimensions of a space, in lanes where the last of them is mapped
    /// to lanes. Failing iterations are reported by their flat number.
    pub fn walk(
        &mut self,
        space: &[SegDim],
        (lo, hi): (Reg, Reg),
        how: &LaneLoop,
        span: Span,
        body: &mut dyn FnMut(&mut Self) -> Lowered<()>,
    ) -> Lowered<()> {
        let tasks: Vec<&SegDim> = task_dims(space).collect();
        let Some((last, outer)) = tasks.split_last() else { return body(self) };
        let width = if last.mapping == Mapping::TaskLane { how.width } else { 1 };
        let how = LaneLoop { width, ..how.clone() };
        let index = last.index;
        self.align = i64::from(how.width);
        if let Some(flat) = self.flat.take().filter(|_| how.width > 1) {
            return self.walk_flat(space, (lo, hi), &how, flat, body);
        }
        if outer.is_empty() {
            let how = LaneLoop { counted: Some(Operand::i64(0)), ..how };
            return self.lane_loop(&how, lo.into(), hi.into(), &mut |this, value| {
                this.bind(index, value);
                body(this)
            });
        }
        let extent = self.uniform(last.extent, span)?;
        let row = self.code.binary(BinaryOp::SQuot, lo, extent);
        let row = self.code.copy("row", row);
        let before = self.code.mul(row, extent);
        let first = self.code.sub(lo, before);
        let first = self.code.copy("first", first);
        let at = self.code.copy("at", lo);
        let is_more = |this: &mut Self| this.code.compare(CompareOp::SLt, at, hi);
        self.repeat_while(is_more, |this| {
            let dims: Vec<SegDim> = outer.iter().map(|dim| **dim).collect();
            this.bind_flat(&dims, row.into(), span)?;
            let left = this.code.sub(hi, at);
            let end = this.code.add(first, left);
            let end = this.code.binary(BinaryOp::SMin, end, extent);
            let start = this.code.copy("start", first);
            let base = this.code.sub(at, start);
            let how = LaneLoop { counted: Some(base), ..how };
            let done = this.row_loop(&how, start.into(), end, &mut |this, value| {
                this.bind(index, value);
                body(this)
            });
            let length = this.code.sub(end, start);
            let next = this.code.add(at, length);
            this.code.set(at, next);
            this.code.set(first, Operand::i64(0));
            let next = this.code.add(row, Operand::i64(1));
            this.code.set(row, next);
            done
        })
    }

    /// Binds the indices of dimensions to the digits of a flat number.
    pub fn bind_flat(&mut self, dims: &[SegDim], flat: Operand, span: Span) -> Lowered<()> {
        let mut rest = flat;
        for (i, dim) in dims.iter().enumerate().rev() {
            if i == 0 {
                self.bind_uniform(dim.index, rest);
                break;
            }
            let extent = self.uniform(dim.extent, span)?;
            let above = self.code.binary(BinaryOp::SQuot, rest, extent);
            let whole = self.code.mul(above, extent);
            let own = self.code.sub(rest, whole);
            self.bind(dim.index, Value::Uniform(own));
            rest = above;
        }
        Ok(())
    }
}

/// Returns the dimensions that are distributed over tasks or work-items.
pub(super) fn task_dims(space: &[SegDim]) -> impl Iterator<Item = &SegDim> {
    let is_task =
        |mapping| matches!(mapping, Mapping::Task | Mapping::TaskLane | Mapping::Thread | Mapping::Grid);
    space.iter().filter(move |dim| is_task(dim.mapping))
}

/// Collects the memories that a block writes, or to which it lets other names refer.
fn writes(block: &Block, written: &mut FxHashSet<Mem>) {
    for_each_op(block, &mut |op| match op {
        Op::Store { mem, .. }
        | Op::CompressStore { mem, .. }
        | Op::Atomic { mem, .. }
        | Op::WaitFlag { mem, .. }
        | Op::Ticket { mem, .. }
        | Op::Publish { mem, .. }
        | Op::Await { mem, .. }
        | Op::SetFlag { mem, .. }
        | Op::Locked { mem, .. }
        | Op::SetMem { src: mem, .. } => drop(written.insert(*mem)),
        ops!(value, lane, Load, Claim, arena, control, Fail, Barrier) => {}
        // Kernels contain no host code.
        ops!(host) => {}
    });
}
