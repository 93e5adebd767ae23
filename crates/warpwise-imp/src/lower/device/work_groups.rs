//! Nests by work-groups: one group for each outer element. Its work-items all run the sequential code, computing the same values,
//! and share the operations inside.
//!
//! ```text
//! ys = segmap (i < n: grid) {                        kernel of groups, i = the group's number:
//!   s = segred (j < m: group) (+) { a[i, j] };         for j = item, item + size, ...: acc += a[i, j]; fold in local memory
//!   row = segmap (j < m: group) { a[i, j] - s };  ==>  barrier; for j = item, ...: local row[j] = a[i, j] - s; barrier
//!   return row[0] }                                    the first work-item: ys[i] = row[0]
//! ```
//!
//! Blocks that the body allocates are arrays in local memory, with the sizes that the launch passes. Where their total exceeds
//! local memory, one work-item computes each outer element instead. A failing check ends the group of its outer element; if
//! several checks fail in one operation, the first is reported.
//!
//! Needs: conditions and sizes that are the same for all work-items, which holds for all scalars of the body. Loops may exchange
//! blocks that were allocated before them. Not done here: memory that choices yield, and bodies of inner operations that allocate
//! memory.

use rustc_hash::FxHashSet;
use warpwise_diag::Span;
use warpwise_ir::{
    Body, Expr, Function, LoopParam, Operand as CoreOperand, SegKind, SegOp, Stm, Type, Var, exprs,
};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::lower::Unfit;
use crate::lower::emitter::{BlockBinding, Emitter, Lowered, Together, Value};
use crate::lower::in_order::some_in_order;
use crate::lower::memory::View;
use crate::lower::stms::allocates;
use crate::op::{AtomicOp, Op};
use crate::program::{Group, KernelId, LocalArray};
use crate::types::{Mem, Operand, Reg};

/// Size of local memory in bytes, for the arrays of a body and those of folds and scans: the amount that every device has for a
/// group.
const LOCAL: i64 = 32 << 10;

/// Maximum number of bytes of padding before an array of launch-time size: drivers align it for every element type.
const ALIGNMENT: i64 = 16;

/// Shift that separates the iterations of two outer elements; `1 << COUNTED` exceeds the number of elements of an operation.
const COUNTED: i64 = 31;

/// A block that becomes an array in local memory.
struct Row {
    block: Var,
    elem: ScalarType,
    /// Size in bytes, as a host operand.
    bytes: Operand,
    /// Number of elements, as a host operand.
    count: Operand,
}

impl<'a> Emitter<'a> {
    /// Launches a map by work-groups. Host code.
    pub fn grouped_map(&mut self, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        let Some(rows) = self.local_rows(&op.body) else { return self.device_map(stm, op) };
        let built = self.build("groups", stm.span, &|kernel, lo, hi| {
            let item = kernel.start_group();
            kernel.scratch = Some(Vec::new());
            for row in &rows {
                let name = kernel.cx.function.vars[row.block].name();
                let count = kernel.param_for(row.count);
                let mem = kernel.local_array(name, row.elem, count);
                kernel.scope.blocks.insert(row.block, BlockBinding::of(mem));
            }
            let failed = op.body.can_fail().then(|| kernel.local_memory("failed", ScalarType::I32, 1));
            kernel.for_units((lo, hi), &mut |kernel, unit| {
                kernel.grouped_unit(stm, op, (item, unit), failed)
            })?;
            kernel.has_room(stm.span)
        });
        let built = match built {
            Err(Unfit::Group(_)) => return self.device_map(stm, op),
            built => built?,
        };
        let fits = self.rows_fit(&rows, built.kernel);
        let range = self.flat_range(stm, op)?;
        let (then_block, ()) = self.block_of(|this| this.launch(built, range));
        let (else_block, alone) = self.block_of(|this| this.device_map(stm, op));
        match fits {
            Operand::Const(Scalar::Bool(true)) => then_block.into_iter().for_each(|op| self.code.emit(op)),
            cond @ (Operand::Reg(_) | Operand::Const(_)) => {
                self.code.emit(Op::If { cond, then_block, else_block })
            }
        }
        alone
    }

    /// Emits one outer element.
    fn grouped_unit(
        &mut self,
        stm: &'a Stm,
        op: &'a SegOp,
        (item, unit): (Reg, Reg),
        failed: Option<Mem>,
    ) -> Lowered<()> {
        if let Some(failed) = failed {
            let none = Operand::Const(Scalar::I32(0));
            self.first_item(item, &mut |this| {
                this.code.store(ScalarType::I32, failed, Operand::i64(0), none);
                Ok(())
            })?;
            self.code.emit(Op::Barrier);
        }
        self.bind_flat(&op.space, unit.into(), stm.span)?;
        let first = self.code.binary(BinaryOp::Shl, unit, Operand::i64(COUNTED));
        self.counted_as(first, &mut |this| {
            this.together = Some(Together { item, first, failed });
            let done = this
                .stms(&op.body)
                .and_then(|_| this.store_points(&stm.pattern, &op.space, &op.body.result, stm.span));
            this.together = None;
            done
        })
    }

    /// Fails if the arrays of known sizes exceed local memory.
    fn has_room(&self, span: Span) -> Lowered<()> {
        match &self.group {
            Some(group) if known_bytes(group) > LOCAL => {
                self.not_shared(span, "a nest whose work-groups need more local memory than there is")
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Emits the test whether the rows fit into local memory beside the kernel's other arrays. Host code.
    fn rows_fit(&mut self, rows: &[Row], kernel: KernelId) -> Operand {
        let known = self.cx.kernels.borrow()[kernel].group.as_ref().map_or(0, known_bytes);
        let unknown = || rows.iter().map(|row| row.bytes).filter(|bytes| bytes.as_int().is_none());
        let room = Operand::i64(LOCAL - known - ALIGNMENT * unknown().count() as i64);
        let (mut fits, mut all) = (Operand::Const(true.into()), Operand::i64(0));
        for bytes in unknown() {
            all = self.code.add(all, bytes);
            // The sum may overflow, but not before a row is too large.
            for bytes in [bytes, all] {
                let enough = self.code.compare(CompareOp::SLe, bytes, room);
                fits = self.code.binary(BinaryOp::And, fits, enough);
            }
        }
        fits
    }

    /// Returns the blocks of a body as arrays in local memory; none where there can be no such arrays. Host code.
    fn local_rows(&mut self, body: &'a Body) -> Option<Vec<Row>> {
        let mut blocks =
            Blocks { function: self.cx.function, allocated: Vec::new(), names: FxHashSet::default() };
        blocks.body(body)?;
        let mut rows = Vec::new();
        for (block, bytes) in blocks.allocated {
            // An array of negative size never exists, because a check fails before its allocation.
            let bytes = self.known_on_host(bytes)?;
            let bytes = self.code.binary(BinaryOp::SMax, bytes, Operand::i64(0));
            let elem = self.elem_in(block);
            let count = self.code.ceil_div(bytes, elem.bytes() as i64);
            rows.push(Row { block, elem, bytes, count });
        }
        Some(rows)
    }

    /// Returns the element type shared by all arrays in a block, and an arbitrary type if they differ.
    fn elem_in(&self, block: Var) -> ScalarType {
        let function = self.cx.function;
        let mut elems = function.vars.iter().filter_map(|(var, data)| {
            let here = data.placement.as_ref().is_some_and(|placement| placement.block == block);
            here.then(|| self.elem(var))
        });
        let first = elems.next().unwrap_or(ScalarType::I64);
        if elems.all(|elem| elem == first) { first } else { ScalarType::I64 }
    }

    /// Returns a scalar of a nest as a host operand, if it depends on nothing inside the nest.
    pub fn known_on_host(&mut self, x: CoreOperand) -> Option<Operand> {
        let var = match x {
            CoreOperand::Const(value) => return Some(value.into()),
            CoreOperand::Var(var) => var,
        };
        if !self.scope.values.contains_key(&var) {
            let definition = *self.cx.definitions.get(&var)?;
            let arithmetic = matches!(
                definition,
                Expr::Operand(_)
                    | Expr::Unary(..)
                    | Expr::Binary(..)
                    | Expr::Ternary(..)
                    | Expr::Compare(..)
                    | Expr::Convert(..)
                    | Expr::Select(..)
            );
            let mut operands = Vec::new();
            definition.for_each_operand(|x| operands.push(x));
            if !arithmetic || operands.into_iter().any(|x| self.known_on_host(x).is_none()) {
                return None;
            }
            let value = self.scalar_expr(definition)?;
            self.bind(var, value);
        }
        match self.scope.values[&var] {
            Value::Uniform(x) => Some(x),
            Value::Linear { .. } | Value::Varying(_) => None,
        }
    }

    /// Emits a barrier, unless there has been no memory access since the last one.
    pub fn meet(&mut self) {
        if !self.code.has_just_met() {
            self.code.emit(Op::Barrier);
        }
    }

    /// Sets every element of an array, with the work-items taking elements in turn.
    pub fn fill_together(
        &mut self,
        together: Together,
        dest: &View,
        element: &mut dyn FnMut(&mut Self, &[Value]) -> Lowered<Value>,
    ) -> Lowered<()> {
        self.together = None;
        self.meet();
        let mut count = Value::constant(1_i64.into());
        for &extent in &dest.extents {
            count = self.binary(BinaryOp::Mul, count, extent);
        }
        let count = self.vector(count);
        let done = self.each_in_turn(together.item.into(), count, &mut |this, flat| {
            let indices = this.unflattened(&dest.extents, flat.into());
            let value = element(this, &indices)?;
            this.store(dest, &indices, value);
            Ok(())
        });
        self.meet();
        self.together = Some(together);
        done
    }

    /// Stores a scalar that is the same for all work-items.
    pub fn store_together(&mut self, together: Together, dest: &View, value: Value) -> Lowered<()> {
        self.meet();
        self.first_item(together.item, &mut |this| {
            this.store(dest, &[], value);
            Ok(())
        })?;
        self.meet();
        Ok(())
    }

    /// Lowers an operation inside a nest, which the work-items of the group share.
    pub fn shared_seg(&mut self, together: Together, stm: &'a Stm, op: &'a SegOp) -> Lowered<()> {
        if some_in_order(&op.kind) {
            return self
                .not_shared(stm.span, "an operator that may fail, on what work-items without elements have");
        }
        self.together = None;
        self.meet();
        let failed = (op.body.can_fail() || post_asserts(op)).then(|| self.bool_reg("failed"));
        let totals = match &op.kind {
            SegKind::Reduce { reduces } => self.shared_reduce((stm, op), reduces, (together, failed))?,
            SegKind::Map | SegKind::Scatter { .. } => {
                self.shared_points((stm, op), (together, failed))?;
                Vec::new()
            }
            SegKind::Scan { scans, reduces, post } if reduces.is_empty() => {
                self.shared_scan((stm, op), (scans, post.as_ref()), (together, failed))?;
                Vec::new()
            }
            SegKind::Scan { .. } | SegKind::Partition { .. } | SegKind::Hist { .. } => {
                return self.not_shared(stm.span, "an operation that work-items do not share");
            }
        };
        if let (Some(failed), Some(told)) = (failed, together.failed) {
            self.end_if_failed(failed, told)?;
        }
        self.meet();
        for (&var, (mem, elem)) in stm.pattern.iter().zip(totals) {
            let total = self.code.load("total", elem, mem, Operand::i64(0));
            self.bind_uniform(var, total);
        }
        if let Some(scratch) = &mut self.scratch {
            scratch.iter_mut().for_each(|array| array.taken = false);
        }
        self.together = Some(together);
        Ok(())
    }

    fn bool_reg(&mut self, name: &str) -> Reg {
        self.code.copy(name, Operand::Const(false.into()))
    }

    /// Ends the outer element for all work-items if a check has failed for one of them.
    fn end_if_failed(&mut self, failed: Reg, told: Mem) -> Lowered<()> {
        self.branch_if(failed.into(), &mut |this| {
            this.code.emit(Op::Atomic {
                op: AtomicOp::Binary(BinaryOp::Or),
                mem: told,
                index: Operand::i64(0),
                value: Operand::Const(Scalar::I32(1)),
                elem: ScalarType::I32,
                mask: None,
            });
            Ok(())
        })?;
        self.code.emit(Op::Barrier);
        let any = self.code.load("any", ScalarType::I32, told, Operand::i64(0));
        let ends = self.code.compare(CompareOp::Ne, any, Operand::Const(Scalar::I32(0)));
        let Some(failing) = self.failing else { return Ok(()) };
        self.branch_if(ends, &mut |this| {
            this.code.emit(Op::Leave { label: failing.exit });
            Ok(())
        })
    }
}

/// The collection of the blocks that a body allocates outside of inner operations.
struct Blocks<'f> {
    function: &'f Function,
    /// Allocated blocks with their sizes.
    allocated: Vec<(Var, CoreOperand)>,
    /// Names of these blocks, including those in loops that carry them.
    names: FxHashSet<Var>,
}

impl Blocks<'_> {
    /// Collects the blocks of a body; `None` where blocks are passed on in a way that [`Blocks::carried`] does not cover.
    fn body(&mut self, body: &Body) -> Option<()> {
        for stm in &body.stms {
            match &stm.expr {
                Expr::Alloc { bytes } => {
                    self.allocated.push((stm.pattern[0], *bytes));
                    self.names.insert(stm.pattern[0]);
                }
                Expr::Seg(op) => {
                    let mut takes = allocates(&op.body);
                    stm.expr.for_each_lambda(|lambda| takes |= allocates(&lambda.body));
                    if takes {
                        return None;
                    }
                }
                Expr::Loop { params, body, .. } => self.carried(&stm.pattern, params, body)?,
                expr @ exprs!(Operand, scalar, Assert, array, If, Call, soac, UpdateAcc, Tuned) => {
                    if stm.pattern.iter().any(|&var| self.is_block(var)) {
                        return None;
                    }
                    let mut known = Some(());
                    expr.for_each_body(|body| known = known.and_then(|()| self.body(body)));
                    known?;
                }
            }
        }
        Some(())
    }

    /// Collects the blocks of a loop. `None` if an iteration passes on a block that it allocates, since the next iteration
    /// allocates in the same memory.
    fn carried(&mut self, pattern: &[Var], params: &[LoopParam], body: &Body) -> Option<()> {
        let positions: Vec<usize> = (0..params.len()).filter(|&at| self.is_block(pattern[at])).collect();
        let is_known =
            |names: &FxHashSet<Var>, x: CoreOperand| x.as_var().is_some_and(|var| names.contains(&var));
        if !positions.iter().all(|&at| is_known(&self.names, params[at].init)) {
            return None;
        }
        self.names.extend(positions.iter().map(|&at| params[at].var));
        let before = self.names.clone();
        self.body(body)?;
        if !positions.iter().all(|&at| is_known(&before, body.result[at])) {
            return None;
        }
        self.names.extend(positions.iter().map(|&at| pattern[at]));
        Some(())
    }

    fn is_block(&self, var: Var) -> bool {
        *self.function.ty(var) == Type::Mem
    }
}

/// Returns the bytes of a group's arrays whose sizes are known before the kernel is launched.
fn known_bytes(group: &Group) -> i64 {
    group.local.iter().filter_map(LocalArray::known_bytes).sum()
}

/// Returns whether the function applied after a scan has checks.
fn post_asserts(op: &SegOp) -> bool {
    matches!(&op.kind, SegKind::Scan { post: Some(post), .. } if post.body.can_fail())
}
