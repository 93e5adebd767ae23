//! The verifier, which checks that imperative code is well-formed, as the interpreter and the back ends assume.
//!
//! Checked are the types of every operation (scalar types agree, lanes agree, constants fill all lanes), that registers and
//! memories exist, that labels enclose the operations that leave them, that launches and calls fit, and that host code and kernels
//! keep to their own operations. The first mistake is reported with its position.
//!
//! Not checked: that registers are set before they are read, and that accesses are in bounds (see [`crate::interp`]).

mod host;
#[cfg(test)]
mod tests;

use warpwise_ir::entity::PrimaryMap;
use warpwise_prim::{Scalar, ScalarType};

use crate::op::{AtomicOp, Label, Op};
use crate::ops;
use crate::program::{CheckId, HostParam, HostResult, ImpProgram, KernelParam};
use crate::traverse::{any_op, for_each_op};
use crate::types::{ImpType, Mem, MemData, Operand, Reg, RegData, Space, StridedView};

/// A description of a mistake.
pub type Mistake = String;

type Checked<T = ()> = Result<T, Mistake>;

/// Checks a whole program.
pub fn verify(program: &ImpProgram) -> Checked {
    for function in &program.functions {
        let own = Code { program, regs: &function.regs, mems: &function.mems, host: true, group: false };
        own.function(function).map_err(|mistake| format!("function {}: {mistake}", function.name))?;
    }
    for kernel in program.kernels.values() {
        let group = kernel.group.is_some();
        let own = Code { program, regs: &kernel.regs, mems: &kernel.mems, host: false, group };
        let checked = own.kernel(kernel);
        checked.map_err(|mistake| format!("kernel {}: {mistake}", kernel.name))?;
    }
    Ok(())
}

/// The verified function or kernel.
struct Code<'p> {
    program: &'p ImpProgram,
    regs: &'p PrimaryMap<Reg, RegData>,
    mems: &'p PrimaryMap<Mem, MemData>,
    host: bool,
    /// Whether it is a kernel of work-groups.
    group: bool,
}

impl Code<'_> {
    fn function(&self, function: &crate::program::HostFunction) -> Checked {
        for data in self.regs.values() {
            ensure(!data.ty.is_vector(), || format!("host register {} is a vector", data.name))?;
        }
        for param in &function.params {
            match param {
                HostParam::Scalar(reg) => drop(self.reg(*reg)?),
                HostParam::Array { mem, elem: _, shape } => {
                    self.mem(*mem)?;
                    self.all_int(shape)?;
                }
            }
        }
        self.block(&function.body, &mut Vec::new())?;
        for result in &function.results {
            match result {
                HostResult::Scalar(x) => drop(self.scalar(*x)?),
                HostResult::Array { mem, elem: _, shape } => {
                    self.mem(*mem)?;
                    self.all_int(shape)?;
                }
            }
        }
        Ok(())
    }

    fn kernel(&self, kernel: &crate::program::Kernel) -> Checked {
        self.int(kernel.lo.into())?;
        self.int(kernel.hi.into())?;
        for param in &kernel.params {
            match param {
                KernelParam::Scalar(reg) => drop(self.scalar((*reg).into())?),
                KernelParam::Memory { mem, .. } => self.mem(*mem)?,
            }
        }
        self.local_memories(kernel)?;
        self.block(&kernel.body, &mut Vec::new())
    }

    /// Checks that every local memory is an array of the work-group, or is set to one.
    fn local_memories(&self, kernel: &crate::program::Kernel) -> Checked {
        let mut arrays = Vec::new();
        if let Some(group) = &kernel.group {
            ensure(group.size.is_power_of_two(), || format!("a group of {} work-items", group.size))?;
            self.int(group.item.into())?;
            for array in &group.local {
                self.mem(array.mem)?;
                let has_count = match array.count {
                    Operand::Const(count) => matches!(count, Scalar::I64(0..)),
                    Operand::Reg(reg) => {
                        self.int(array.count)?;
                        kernel.params.contains(&KernelParam::Scalar(reg))
                    }
                };
                let fits = self.mems[array.mem].space == Space::Local && has_count;
                ensure(fits, || format!("{:?} as an array of the group", array.mem))?;
                arrays.push(array.mem);
            }
        }
        for_each_op(&kernel.body, &mut |op| {
            if let Op::SetMem { dst, src } = op
                && self.mems.get(*src).is_some_and(|src| src.space == Space::Local)
            {
                arrays.push(*dst);
            }
        });
        let stray = self.mems.iter().find(|(mem, data)| data.space == Space::Local && !arrays.contains(mem));
        ensure(stray.is_none(), || "local memory that is no array of the group".to_string())
    }

    fn block(&self, block: &[Op], labels: &mut Vec<Label>) -> Checked {
        for op in block {
            self.op(op, labels).map_err(|mistake| format!("{mistake}, in {}", head(op)))?;
        }
        Ok(())
    }

    fn op(&self, op: &Op, labels: &mut Vec<Label>) -> Checked {
        match op {
            Op::Move { .. }
            | Op::Unary { .. }
            | Op::Binary { .. }
            | Op::Ternary { .. }
            | Op::Compare { .. }
            | Op::Convert { .. }
            | Op::Select { .. } => self.value_op(op),
            Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. } => {
                self.only(!self.host, "in a kernel")?;
                self.lane_op(op)
            }
            Op::Load { .. }
            | Op::Store { .. }
            | Op::Claim { .. }
            | Op::CompressStore { .. }
            | Op::Atomic { .. }
            | Op::SetMem { .. }
            | Op::ArenaAlloc { .. }
            | Op::ArenaMark { .. }
            | Op::ArenaReset { .. }
            | Op::WaitFlag { .. }
            | Op::SetFlag { .. }
            | Op::Ticket { .. }
            | Op::Publish { .. }
            | Op::Await { .. } => self.memory_op(op),
            Op::If { cond, then_block, else_block } => {
                self.is(*cond, ImpType::scalar(ScalarType::Bool))?;
                self.block(then_block, labels)?;
                self.block(else_block, labels)
            }
            Op::For { index, from, to, step, body } => {
                let ty = self.reg(*index)?;
                ensure(!ty.is_vector() && ty.scalar.is_int() && *step > 0, || {
                    "a loop that cannot count".to_string()
                })?;
                self.is(*from, ty)?;
                self.is(*to, ty)?;
                self.block(body, labels)
            }
            Op::While { test, cond, body } => {
                self.block(test, labels)?;
                self.is(*cond, ImpType::scalar(ScalarType::Bool))?;
                self.block(body, labels)
            }
            Op::Scope { label, body } => {
                ensure(!labels.contains(label), || "a label within itself".to_string())?;
                labels.push(*label);
                let checked = self.block(body, labels);
                labels.pop();
                checked
            }
            Op::Locked { mem, index, body } => {
                self.only(!self.host, "in a kernel")?;
                self.mem(*mem)?;
                self.int(*index)?;
                ensure(!waits(body), || "waiting under a lock".to_string())?;
                self.block(body, &mut Vec::new())
            }
            Op::Leave { label } => {
                ensure(labels.contains(label), || "a label that does not enclose it".to_string())
            }
            Op::Fail { check, iteration, values } => self.fail(*check, *iteration, values),
            Op::Barrier => self.only(self.group, "in a kernel of work-groups"),
            Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Tuned { .. }
            | Op::Threads { .. }
            | Op::Call { .. } => {
                self.only(self.host, "in host code")?;
                self.host_op(op)
            }
        }
    }

    fn value_op(&self, op: &Op) -> Checked {
        match op {
            Op::Move { dst, x } => {
                let (to, from) = (self.reg(*dst)?, self.ty(*x)?);
                ensure(from.scalar == to.scalar && (from.lanes == 1 || from.lanes == to.lanes), || {
                    format!("{} where {} is wanted", shown(from), shown(to))
                })
            }
            Op::Unary { dst, op, x } => {
                let ty = self.reg(*dst)?;
                ensure(op.accepts(ty.scalar), || format!("{} on {}", op.mnemonic(), ty.scalar))?;
                self.is(*x, ty)
            }
            Op::Binary { dst, op, x, y } => {
                let ty = self.reg(*dst)?;
                ensure(op.accepts(ty.scalar), || format!("{} on {}", op.mnemonic(), ty.scalar))?;
                self.is(*x, ty)?;
                self.is(*y, ty)
            }
            Op::Ternary { dst, op, x, y, z } => {
                let ty = self.reg(*dst)?;
                ensure(op.accepts(ty.scalar), || format!("{} on {}", op.mnemonic(), ty.scalar))?;
                [x, y, z].into_iter().try_for_each(|&x| self.is(x, ty))
            }
            Op::Compare { dst, op, x, y } => {
                let ty = self.reg(*dst)?;
                let compared = ImpType { scalar: self.ty(*x)?.scalar, ..ty };
                ensure(op.accepts(compared.scalar), || format!("{} on {}", op.mnemonic(), compared.scalar))?;
                ensure(ty.scalar == ScalarType::Bool, || "a comparison that is no bool".to_string())?;
                self.is(*x, compared)?;
                self.is(*y, compared)
            }
            Op::Convert { dst, op, from, x } => {
                let ty = self.reg(*dst)?;
                ensure(op.accepts(*from, ty.scalar), || {
                    format!("{} from {from} to {}", op.mnemonic(), ty.scalar)
                })?;
                self.is(*x, ImpType { scalar: *from, ..ty })
            }
            Op::Select { dst, cond, x, y } => {
                let ty = self.reg(*dst)?;
                if self.ty(*cond)?.is_vector() {
                    self.is(*cond, ImpType { scalar: ScalarType::Bool, ..ty })?;
                } else {
                    self.is(*cond, ImpType::scalar(ScalarType::Bool))?;
                }
                self.is(*x, ty)?;
                self.is(*y, ty)
            }
            other @ ops!(lane, access, SetMem, arena, control, Fail, flag, group, host) => {
                Err(format!("{} is no operation on values", head(other)))
            }
        }
    }

    fn lane_op(&self, op: &Op) -> Checked {
        match op {
            Op::LaneIds { dst } => {
                let ty = self.reg(*dst)?;
                ensure(ty.scalar.is_int(), || format!("lane numbers as {}", shown(ty)))
            }
            Op::Extract { dst, x, lane } => {
                let ty = self.ty(*x)?;
                self.is_lane_of(*lane, ty)?;
                self.is((*dst).into(), ImpType::scalar(ty.scalar))
            }
            Op::Insert { dst, x, lane } => {
                let ty = self.reg(*dst)?;
                self.is_lane_of(*lane, ty)?;
                self.is(*x, ImpType::scalar(ty.scalar))
            }
            Op::Shuffle { dst, x, y, lanes } => {
                let (to, from) = (self.reg(*dst)?, self.ty(*x)?);
                self.is(*y, from)?;
                let inside = lanes.iter().all(|&lane| lane < 2 * from.lanes);
                let fits = lanes.len() == usize::from(to.lanes) && from.scalar == to.scalar;
                ensure(inside && fits, || format!("a shuffle of {} to {}", shown(from), shown(to)))
            }
            Op::Any { dst, mask } | Op::All { dst, mask } => {
                self.mask(*mask)?;
                self.is((*dst).into(), ImpType::scalar(ScalarType::Bool))
            }
            Op::Count { dst, mask } | Op::First { dst, mask } => {
                self.mask(*mask)?;
                self.int((*dst).into())
            }
            other @ ops!(value, access, SetMem, arena, control, Fail, flag, group, host) => {
                Err(format!("{} is no operation on lanes", head(other)))
            }
        }
    }

    fn memory_op(&self, op: &Op) -> Checked {
        match op {
            Op::Load { dst, mem, index, mask, ahead } => {
                self.mem(*mem)?;
                let contiguous = !self.ty(*index)?.is_vector();
                if let Some(distance) = ahead {
                    ensure(contiguous, || "a gather that looks ahead".to_string())?;
                    self.is(*distance, ImpType::scalar(ScalarType::I64))?;
                }
                self.access(*index, self.reg(*dst)?, *mask)
            }
            Op::Store { mem, index, value, elem, mask, stream } => {
                self.mem(*mem)?;
                let ty = self.ty(*value)?;
                ensure(ty.scalar == *elem, || format!("{} stored as {elem}", shown(ty)))?;
                let contiguous = !self.ty(*index)?.is_vector();
                ensure(contiguous || !*stream, || "a scatter past the caches".to_string())?;
                self.access(*index, ty, *mask)
            }
            Op::Claim { mem, index, elem: _ } => {
                self.only(!self.host, "in a kernel")?;
                self.mem(*mem)?;
                self.is(*index, ImpType::scalar(ScalarType::I64))
            }
            Op::CompressStore { mem, index, value, elem, mask, spare: _ } => {
                self.mem(*mem)?;
                self.int(*index)?;
                let ty = self.ty(*value)?;
                ensure(ty.scalar == *elem, || format!("{} stored as {elem}", shown(ty)))?;
                self.is(*mask, ImpType { scalar: ScalarType::Bool, ..ty })
            }
            Op::Atomic { op, mem, index, value, elem, mask } => {
                self.mem(*mem)?;
                let ty = self.ty(*value)?;
                let accepted = match op {
                    AtomicOp::Binary(op) => op.accepts(*elem),
                    AtomicOp::Exchange => true,
                };
                ensure(ty.scalar == *elem && accepted, || format!("an atomic operation on {}", shown(ty)))?;
                self.access(*index, ty, *mask)
            }
            Op::SetMem { dst, src } => {
                self.mem(*dst)?;
                self.mem(*src)
            }
            Op::ArenaAlloc { dst, bytes } => {
                self.only(!self.host, "in a kernel")?;
                self.mem(*dst)?;
                self.int(*bytes)
            }
            Op::ArenaMark { dst } => {
                self.only(!self.host, "in a kernel")?;
                self.int((*dst).into())
            }
            Op::ArenaReset { mark } => {
                self.only(!self.host, "in a kernel")?;
                self.int(*mark)
            }
            Op::WaitFlag { mem, index } | Op::SetFlag { mem, index } => {
                self.only(!self.host, "in a kernel")?;
                self.mem(*mem)?;
                self.int(*index)
            }
            Op::Publish { mem, index, value, order: _ } => {
                self.only(self.group, "in a kernel of work-groups")?;
                self.mem(*mem)?;
                self.int(*index)?;
                self.is_word(*value)
            }
            Op::Ticket { dst, mem, index } => {
                self.only(self.group, "in a kernel of work-groups")?;
                self.mem(*mem)?;
                self.int(*index)?;
                self.is((*dst).into(), ImpType::scalar(ScalarType::I64))
            }
            Op::Await { dst, mem, index, order: _ } => {
                self.only(self.group, "in a kernel of work-groups")?;
                self.mem(*mem)?;
                self.int(*index)?;
                self.is_word((*dst).into())
            }
            other @ ops!(value, lane, control, Fail, Barrier, Locked, host) => {
                Err(format!("{} is no operation on memory", head(other)))
            }
        }
    }

    fn fail(&self, check: CheckId, iteration: Operand, values: &[Operand]) -> Checked {
        use warpwise_runtime::machine::CheckPart;
        let check = self.program.checks.get(check).ok_or_else(|| "no such check".to_string())?;
        self.int(iteration)?;
        let wanted: Vec<ScalarType> = check
            .parts
            .iter()
            .filter_map(|part| match part {
                CheckPart::Text(_) => None,
                CheckPart::Value(ty) => Some(ty.scalar()),
            })
            .collect();
        ensure(wanted.len() == values.len(), || "values that do not fit the message".to_string())?;
        values.iter().zip(wanted).try_for_each(|(&x, ty)| self.is(x, ImpType::scalar(ty)))
    }

    fn view(&self, view: &StridedView, rank: usize) -> Checked {
        self.mem(view.mem)?;
        self.int(view.offset)?;
        ensure(view.strides.len() == rank, || "a view of another rank".to_string())?;
        self.all_int(&view.strides)
    }

    /// Checks an access to elements of type `ty`: the lanes of index and mask fit.
    fn access(&self, index: Operand, ty: ImpType, mask: Option<Operand>) -> Checked {
        let at = self.ty(index)?;
        ensure(at.scalar.is_int() && (at.lanes == 1 || at.lanes == ty.lanes), || {
            format!("an index {} for {}", shown(at), shown(ty))
        })?;
        ensure(!self.host || !ty.is_vector(), || "a vector in host code".to_string())?;
        mask.map_or(Ok(()), |mask| self.is(mask, ImpType { scalar: ScalarType::Bool, ..ty }))
    }

    fn mask(&self, mask: Operand) -> Checked {
        let ty = self.ty(mask)?;
        ensure(ty.scalar == ScalarType::Bool && ty.is_vector(), || format!("{} as a mask", shown(ty)))
    }

    fn only(&self, right: bool, place: &str) -> Checked {
        ensure(right, || format!("an operation that is only allowed {place}"))
    }

    fn reg(&self, reg: Reg) -> Checked<ImpType> {
        self.regs.get(reg).map(|data| data.ty).ok_or_else(|| format!("no register {reg:?}"))
    }

    fn mem(&self, mem: Mem) -> Checked {
        self.mems.get(mem).map(drop).ok_or_else(|| format!("no memory {mem:?}"))
    }

    fn ty(&self, x: Operand) -> Checked<ImpType> {
        match x {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(value) => Ok(ImpType::scalar(value.ty())),
        }
    }

    /// Checks that an operand is a word that can be published.
    fn is_word(&self, x: Operand) -> Checked {
        let ty = self.ty(x)?;
        let fits = [ScalarType::I32, ScalarType::I64].map(ImpType::scalar).contains(&ty);
        ensure(fits, || format!("{} where a word of 32 or 64 bits is wanted", shown(ty)))
    }

    /// Checks that an operand has this type; a constant fits any number of lanes.
    fn is(&self, x: Operand, wanted: ImpType) -> Checked {
        let ty = self.ty(x)?;
        let fits = match x {
            Operand::Reg(_) => ty == wanted,
            Operand::Const(_) => ty.scalar == wanted.scalar,
        };
        ensure(fits, || format!("{} where {} is wanted", shown(ty), shown(wanted)))
    }

    fn scalar(&self, x: Operand) -> Checked<ImpType> {
        let ty = self.ty(x)?;
        ensure(!ty.is_vector(), || format!("{} where a scalar is wanted", shown(ty)))?;
        Ok(ty)
    }

    /// Checks that an operand numbers a lane; a constant must be within the vector.
    fn is_lane_of(&self, lane: Operand, vector: ImpType) -> Checked {
        self.int(lane)?;
        let inside = |lane: i64| (0..i64::from(vector.lanes)).contains(&lane);
        let constant = match lane {
            Operand::Const(value) => value.as_int(),
            Operand::Reg(_) => None,
        };
        ensure(constant.is_none_or(inside), || format!("no such lane of {}", shown(vector)))
    }

    fn int(&self, x: Operand) -> Checked {
        self.is(x, ImpType::scalar(ScalarType::I64))
    }

    fn all_int(&self, xs: &[Operand]) -> Checked {
        xs.iter().try_for_each(|&x| self.int(x))
    }
}

/// Returns whether a block waits for other work-items.
fn waits(block: &[Op]) -> bool {
    any_op(block, &|op| {
        matches!(op, Op::Barrier | Op::Await { .. } | Op::WaitFlag { .. } | Op::Locked { .. })
    })
}

fn ensure(holds: bool, mistake: impl FnOnce() -> Mistake) -> Checked {
    if holds { Ok(()) } else { Err(mistake()) }
}

fn shown(ty: ImpType) -> String {
    if ty.is_vector() { format!("<{} x {}>", ty.lanes, ty.scalar) } else { ty.scalar.to_string() }
}

/// Returns an operation's text without the blocks inside it.
fn head(op: &Op) -> String {
    match op {
        Op::If { cond, .. } => format!("if {cond:?}"),
        Op::For { index, from, to, .. } => format!("for {index:?} in {from:?}..{to:?}"),
        Op::While { cond, .. } => format!("while {cond:?}"),
        Op::Scope { label, .. } => format!("{label:?}"),
        other @ ops!(value, lane, access, SetMem, arena, Leave, Fail, flag, group, host) => {
            format!("{other:?}")
        }
    }
}
