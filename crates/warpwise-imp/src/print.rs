//! The printer of the text form. [`crate::parse`] reads it back.
//!
//! ```text
//! check 0 "index ", i64, " is out of bounds";
//!
//! kernel main_0_map(n.0: i64, xs@0: mem read, ys@1: mem noalias) lo.1 to hi.2 {
//!   for j.5: i64 in lo.1 to whole.4 step 64 {
//!     x.7: <64 x f32> = load xs@0[j.5];
//!     v.8: <64 x f32> = fmul x.7 2f32;
//!     store ys@1[j.5] = v.8;
//!   }
//! }
//! ```
//!
//! Registers and memories carry their number after the name hint: `x.7`, `xs@0`. A register's type is written where the text first
//! assigns the register, or at the head of the body if nothing assigns it (`unset x.3: i64;`). A memory's space is written where
//! the memory is first set. Not written: source positions, entry points, and the arrays that a launch checks against their blocks.

use std::cell::RefCell;
use std::fmt;

use rustc_hash::FxHashSet;
use warpwise_ir::entity::{Entity, PrimaryMap};
use warpwise_ir::print::{cleaned, quoted_unless_identifier};
use warpwise_prim::Scalar;
use warpwise_runtime::machine::CheckPart;

use crate::op::{AtomicOp, Op, Order};
use crate::ops;
use crate::program::{
    HostFunction, HostParam, HostResult, ImpProgram, Kernel, KernelParam, Launch, LocalArray,
};
use crate::traverse::for_each_op;
use crate::types::{ImpType, Mem, MemData, Operand, Reg, RegData, Space, StridedView};

impl fmt::Display for ImpProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (id, check) in self.checks.iter() {
            let part = |part: &CheckPart| match part {
                CheckPart::Text(text) => format!("{text:?}"),
                CheckPart::Value(ty) => ty.name().to_string(),
            };
            writeln!(f, "check {} {};", id.index(), list(&check.parts, part))?;
        }
        if self.checks.keys().next().is_some() {
            writeln!(f)?;
        }
        for function in &self.functions {
            Text::new(self, &function.regs, &function.mems).function(f, function)?;
        }
        for kernel in self.kernels.values() {
            Text::new(self, &kernel.regs, &kernel.mems).kernel(f, kernel)?;
        }
        Ok(())
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Space::Global => "global",
            Space::Arena => "arena",
            Space::Local => "local",
        })
    }
}

impl fmt::Display for ImpType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vector() { write!(f, "<{} x {}>", self.lanes, self.scalar) } else { self.scalar.fmt(f) }
    }
}

/// Names and printing state of one function or kernel.
struct Text<'p> {
    program: &'p ImpProgram,
    regs: &'p PrimaryMap<Reg, RegData>,
    mems: &'p PrimaryMap<Mem, MemData>,
    /// Registers whose type has been written.
    typed: RefCell<FxHashSet<Reg>>,
    /// Memories whose space has been written, or is implied by their declaration.
    placed: RefCell<FxHashSet<Mem>>,
}

impl<'p> Text<'p> {
    fn new(
        program: &'p ImpProgram,
        regs: &'p PrimaryMap<Reg, RegData>,
        mems: &'p PrimaryMap<Mem, MemData>,
    ) -> Text<'p> {
        Text { program, regs, mems, typed: RefCell::default(), placed: RefCell::default() }
    }

    fn function(&self, f: &mut fmt::Formatter<'_>, function: &HostFunction) -> fmt::Result {
        let param = |param: &HostParam| match param {
            HostParam::Scalar(reg) => self.assigned(*reg),
            HostParam::Array { mem, elem, shape } => {
                format!("{}: {}{elem}", self.mem(*mem), self.shape(shape))
            }
        };
        let result = |result: &HostResult| match result {
            HostResult::Scalar(x) => self.operand(*x),
            HostResult::Array { mem, elem, shape } => {
                format!("{}: {}{elem}", self.mem(*mem), self.shape(shape))
            }
        };
        let name = quoted_unless_identifier(&function.name);
        writeln!(f, "host {name}({}) {{", list(&function.params, param))?;
        self.unset(f, &function.body)?;
        self.block(f, &function.body, 1)?;
        writeln!(f, "  return {};\n}}\n", list(&function.results, result))
    }

    fn kernel(&self, f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
        let param = |param: &KernelParam| match param {
            KernelParam::Scalar(reg) => self.assigned(*reg),
            KernelParam::Memory { mem, noalias, read_only } => {
                let noalias = if *noalias { " noalias" } else { "" };
                let read = if *read_only { " read" } else { "" };
                format!("{}: mem{noalias}{read}", self.mem(*mem))
            }
        };
        let params = list(&kernel.params, param);
        let name = quoted_unless_identifier(&kernel.name);
        let [lo, hi] = [kernel.lo, kernel.hi].map(|reg| self.known(reg));
        write!(f, "kernel {name}({params}) {lo} to {hi} ")?;
        if let Some(group) = &kernel.group {
            write!(f, "group {} of {} ", self.known(group.item), group.size)?;
            for LocalArray { mem, elem, count } in &group.local {
                write!(f, "local {}: [{}]{elem} ", self.mem(*mem), self.operand(*count))?;
            }
        }
        writeln!(f, "{{")?;
        self.unset(f, &kernel.body)?;
        self.block(f, &kernel.body, 1)?;
        writeln!(f, "}}\n")
    }

    /// Writes declarations of the registers that a body reads and nothing assigns.
    fn unset(&self, f: &mut fmt::Formatter<'_>, body: &[Op]) -> fmt::Result {
        let (mut assigned, mut read) = (self.typed.borrow().clone(), Vec::new());
        for_each_op(body, &mut |op| {
            op.for_each_assigned(|reg| assigned.extend([reg]));
            op.for_each_operand(|x| read.extend(if let Operand::Reg(reg) = x { Some(reg) } else { None }));
        });
        for reg in read {
            if assigned.insert(reg) {
                writeln!(f, "  unset {};", self.assigned(reg))?;
            }
        }
        Ok(())
    }

    fn block(&self, f: &mut fmt::Formatter<'_>, block: &[Op], depth: usize) -> fmt::Result {
        block.iter().try_for_each(|op| self.op(f, op, depth))
    }

    fn op(&self, f: &mut fmt::Formatter<'_>, op: &Op, depth: usize) -> fmt::Result {
        let pad = "  ".repeat(depth);
        match op {
            Op::If { cond, then_block, else_block } => {
                writeln!(f, "{pad}if {} {{", self.operand(*cond))?;
                self.block(f, then_block, depth + 1)?;
                if !else_block.is_empty() {
                    writeln!(f, "{pad}}} else {{")?;
                    self.block(f, else_block, depth + 1)?;
                }
            }
            Op::For { index, from, to, step, body } => {
                let (from, to) = (self.operand(*from), self.operand(*to));
                writeln!(f, "{pad}for {} in {from} to {to} step {step} {{", self.assigned(*index))?;
                self.block(f, body, depth + 1)?;
            }
            Op::While { test, cond, body } => {
                writeln!(f, "{pad}while {{")?;
                self.block(f, test, depth + 1)?;
                writeln!(f, "{pad}}} {} do {{", self.operand(*cond))?;
                self.block(f, body, depth + 1)?;
            }
            Op::Scope { label, body } => {
                writeln!(f, "{pad}scope {} {{", label.0)?;
                self.block(f, body, depth + 1)?;
            }
            Op::Locked { mem, index, body } => {
                writeln!(f, "{pad}locked {}[{}] {{", self.mem(*mem), self.operand(*index))?;
                self.block(f, body, depth + 1)?;
            }
            simple @ ops!(
                value, lane, access, SetMem, arena, Leave, Fail, flag, Barrier, Ticket, Publish, Await, host
            ) => return writeln!(f, "{pad}{};", self.simple(simple)),
        }
        writeln!(f, "{pad}}}")
    }

    /// Returns the text of an operation without blocks.
    fn simple(&self, op: &Op) -> String {
        let x = |x: &Operand| self.operand(*x);
        let place = |mem: &Mem, index: &Operand| format!("{}[{}]", self.mem(*mem), x(index));
        match op {
            Op::Move { dst, x: value } => self.set(*dst, x(value)),
            Op::Unary { dst, op, x: a } => self.set(*dst, format!("{} {}", op.mnemonic(), x(a))),
            Op::Binary { dst, op, x: a, y } => self.set(*dst, format!("{} {} {}", op.mnemonic(), x(a), x(y))),
            Op::Ternary { dst, op, x: a, y, z } => {
                self.set(*dst, format!("{} {} {} {}", op.mnemonic(), x(a), x(y), x(z)))
            }
            Op::Compare { dst, op, x: a, y } => {
                self.set(*dst, format!("{} {} {}", op.mnemonic(), x(a), x(y)))
            }
            Op::Convert { dst, op, x: a, .. } => self.set(*dst, format!("{} {}", op.mnemonic(), x(a))),
            Op::Select { dst, cond, x: a, y } => {
                self.set(*dst, format!("select {} {} {}", x(cond), x(a), x(y)))
            }
            Op::LaneIds { dst } => self.set(*dst, "lanes"),
            Op::Extract { dst, x: a, lane } => self.set(*dst, format!("{}[{}]", x(a), x(lane))),
            Op::Insert { dst, x: a, lane } => {
                let value = format!("insert {} at {}", x(a), x(lane));
                self.set(*dst, value)
            }
            Op::Shuffle { dst, x: a, y, lanes } => {
                self.set(*dst, format!("shuffle {} {} {}", x(a), x(y), runs(lanes)))
            }
            Op::Any { dst, mask } => self.set(*dst, format!("any {}", x(mask))),
            Op::All { dst, mask } => self.set(*dst, format!("all {}", x(mask))),
            Op::Count { dst, mask } => self.set(*dst, format!("count {}", x(mask))),
            Op::First { dst, mask } => self.set(*dst, format!("first {}", x(mask))),
            Op::Load { dst, mem, index, mask, ahead } => {
                let ahead = ahead.map_or(String::new(), |distance| format!(" ahead {}", x(&distance)));
                self.set(*dst, format!("load {}{ahead}{}", place(mem, index), self.mask(mask)))
            }
            Op::Store { mem, index, value, mask, stream, .. } => {
                let past = if *stream { " past" } else { "" };
                format!("store{past} {} = {}{}", place(mem, index), x(value), self.mask(mask))
            }
            Op::Claim { mem, index, elem } => format!("claim {}: {elem}", place(mem, index)),
            Op::CompressStore { mem, index, value, mask, spare, .. } => {
                let room = if *spare { " spare" } else { "" };
                format!("compress{room} {} = {} where {}", place(mem, index), x(value), x(mask))
            }
            Op::Atomic { op, mem, index, value, mask, .. } => {
                let op = match op {
                    AtomicOp::Binary(op) => op.mnemonic(),
                    AtomicOp::Exchange => "exchange",
                };
                format!("atomic {op} {} = {}{}", place(mem, index), x(value), self.mask(mask))
            }
            Op::SetMem { dst, src } => format!("{} = {}", self.pointer(*dst), self.mem(*src)),
            Op::ArenaAlloc { dst, bytes } => format!("{} = arena {}", self.pointer(*dst), x(bytes)),
            Op::ArenaMark { dst } => self.set(*dst, "mark"),
            Op::ArenaReset { mark } => format!("reset {}", x(mark)),
            Op::Leave { label } => format!("leave {}", label.0),
            Op::Fail { check, iteration, values } => {
                format!("fail {} at {} ({})", check.index(), x(iteration), list(values, x))
            }
            Op::WaitFlag { mem, index } => format!("wait {}", place(mem, index)),
            Op::SetFlag { mem, index } => format!("signal {}", place(mem, index)),
            Op::Barrier => "barrier".to_string(),
            Op::Ticket { dst, mem, index } => self.set(*dst, format!("ticket {}", place(mem, index))),
            Op::Publish { mem, index, value, order } => {
                format!("publish{} {} = {}", after(*order), place(mem, index), x(value))
            }
            Op::Await { dst, mem, index, order } => {
                self.set(*dst, format!("await{} {}", after(*order), place(mem, index)))
            }
            Op::Alloc { dst, bytes } => format!("{} = alloc {}", self.pointer(*dst), x(bytes)),
            Op::Release { mem } => format!("release {}", self.mem(*mem)),
            Op::Launch(launch) => self.launch(launch),
            Op::Copy { elem, shape, dst, src } => {
                format!("copy {}{elem} {} = {}", self.shape(shape), self.view(dst), self.view(src))
            }
            Op::Fill { mem, index, count, value, .. } => {
                format!("fill {}[{}; {}] = {}", self.mem(*mem), x(index), x(count), x(value))
            }
            Op::Threads { dst } => self.set(*dst, "threads"),
            Op::Tuned { dst, name, default } => self.set(*dst, format!("tuned {name:?} default {default}")),
            Op::Call { function, args, mem_args, results, mem_results, too_deep } => {
                let name = self.program.functions.get(*function).map_or("?", |callee| &callee.name);
                let args = [list(args, x), list(mem_args, |mem| self.mem(*mem))];
                let results =
                    [list(results, |reg| self.assigned(*reg)), list(mem_results, |mem| self.pointer(*mem))];
                let set = if results.iter().all(String::is_empty) { "" } else { " = " };
                let name = quoted_unless_identifier(name);
                let (results, args) = (joined(results), joined(args));
                format!("{results}{set}call {name}({args}) too deep {}", too_deep.index())
            }
            Op::If { .. } | Op::For { .. } | Op::While { .. } | Op::Scope { .. } | Op::Locked { .. } => {
                "...".to_string()
            }
        }
    }

    fn launch(&self, launch: &Launch) -> String {
        let name = self.program.kernels.get(launch.kernel).map_or("?", |kernel| &kernel.name);
        let name = quoted_unless_identifier(name);
        let args = [list(&launch.args, |&x| self.operand(x)), list(&launch.mem_args, |&mem| self.mem(mem))];
        let (extent, cost) = (self.operand(launch.extent), self.operand(launch.cost));
        let schedule = format!("{:?}", launch.schedule).to_lowercase();
        format!("launch {name}({}) over {extent} {schedule} align {} cost {cost}", joined(args), launch.align)
    }

    fn view(&self, view: &StridedView) -> String {
        let strides = list(&view.strides, |&x| self.operand(x));
        format!("{} -> {} + ({strides})", self.mem(view.mem), self.operand(view.offset))
    }

    fn shape(&self, shape: &[Operand]) -> String {
        shape.iter().map(|&size| format!("[{}]", self.operand(size))).collect()
    }

    fn mask(&self, mask: &Option<Operand>) -> String {
        mask.map_or(String::new(), |mask| format!(" where {}", self.operand(mask)))
    }

    fn operand(&self, x: Operand) -> String {
        match x {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(Scalar::I64(value)) => value.to_string(),
            Operand::Const(value) => value.to_string(),
        }
    }

    /// Returns the text of an assignment to a register.
    fn set(&self, dst: Reg, value: impl AsRef<str>) -> String {
        format!("{} = {}", self.assigned(dst), value.as_ref())
    }

    /// Returns the text of a register that is assigned, with its type the first time.
    fn assigned(&self, reg: Reg) -> String {
        let is_first = self.typed.borrow_mut().insert(reg);
        if is_first { format!("{}: {}", self.reg(reg), self.regs[reg].ty) } else { self.reg(reg) }
    }

    /// Returns the text of a register whose type is implied by its position.
    fn known(&self, reg: Reg) -> String {
        self.typed.borrow_mut().insert(reg);
        self.reg(reg)
    }

    /// Returns the text of a memory that is set, with its space the first time.
    fn pointer(&self, mem: Mem) -> String {
        let is_first = self.placed.borrow_mut().insert(mem);
        if is_first { format!("{}: {}", self.mem(mem), self.mems[mem].space) } else { self.mem(mem) }
    }

    fn reg(&self, reg: Reg) -> String {
        format!("{}.{}", cleaned(&self.regs[reg].name), reg.index())
    }

    fn mem(&self, mem: Mem) -> String {
        format!("{}@{}", cleaned(&self.mems[mem].name), mem.index())
    }
}

/// Returns the suffix of the name of an operation on a published word.
fn after(order: Order) -> &'static str {
    match order {
        Order::Relaxed => " relaxed",
        Order::Released => "",
    }
}

fn list<T>(items: &[T], text: impl Fn(&T) -> String) -> String {
    items.iter().map(text).collect::<Vec<_>>().join(", ")
}

fn joined(parts: [String; 2]) -> String {
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ")
}

/// Returns the text of lane numbers; consecutive ones are written as ranges.
fn runs(lanes: &[u16]) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for &lane in lanes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            Some(_) | None => runs.push((lane, lane)),
        }
    }
    let run = |&(first, last): &(u16, u16)| {
        if first == last { first.to_string() } else { format!("{first} to {last}") }
    };
    format!("[{}]", list(&runs, run))
}
