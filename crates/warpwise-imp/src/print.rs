//! The text form of imperative code, for people: `warpwise dev` and failing tests show it.
//!
//! ```text
//! kernel main_map_0(n: i64, xs: mem read, ys: mem) lo..hi {
//!   for j in lo..whole.4 step 64 {
//!     x.7 = load <64 x f32> xs[j.6];
//!     v.8 = fmul x.7 2f32;
//!     store ys[j.6] = v.8;
//!   }
//! }
//! ```
//!
//! Registers and memories carry their number behind the name hint. There is no parser: programs of the
//! imperative IR are made by the lowering only.

use std::fmt;

use warpwise_ir::entity::{Entity, PrimaryMap};
use warpwise_prim::Scalar;

use crate::op::{AtomicOp, Op, Order};
use crate::ops;
use crate::program::{
    HostFunction, HostParam, HostResult, ImpProgram, Kernel, KernelParam, Launch, LocalArray,
};
use crate::types::{ImpType, Mem, MemData, Operand, Reg, RegData, StridedView};

impl fmt::Display for ImpProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for function in &self.functions {
            let text = Text { program: self, regs: &function.regs, mems: &function.mems };
            text.function(f, function)?;
        }
        for kernel in self.kernels.values() {
            let text = Text { program: self, regs: &kernel.regs, mems: &kernel.mems };
            text.kernel(f, kernel)?;
        }
        Ok(())
    }
}

impl fmt::Display for ImpType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_vector() { write!(f, "<{} x {}>", self.lanes, self.scalar) } else { self.scalar.fmt(f) }
    }
}

/// The names of one function or kernel.
struct Text<'p> {
    program: &'p ImpProgram,
    regs: &'p PrimaryMap<Reg, RegData>,
    mems: &'p PrimaryMap<Mem, MemData>,
}

impl Text<'_> {
    fn function(&self, f: &mut fmt::Formatter<'_>, function: &HostFunction) -> fmt::Result {
        let param = |param: &HostParam| match param {
            HostParam::Scalar(reg) => format!("{}: {}", self.reg(*reg), self.regs[*reg].ty),
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
        writeln!(f, "host {}({}) {{", function.name, list(&function.params, param))?;
        self.block(f, &function.body, 1)?;
        writeln!(f, "  return {};\n}}\n", list(&function.results, result))
    }

    fn kernel(&self, f: &mut fmt::Formatter<'_>, kernel: &Kernel) -> fmt::Result {
        let param = |param: &KernelParam| match param {
            KernelParam::Scalar(reg) => format!("{}: {}", self.reg(*reg), self.regs[*reg].ty),
            KernelParam::Memory { mem, noalias, read_only } => {
                let apart = if *noalias { " apart" } else { "" };
                let read = if *read_only { " read" } else { "" };
                format!("{}: mem{apart}{read}", self.mem(*mem))
            }
        };
        let params = list(&kernel.params, param);
        write!(f, "kernel {}({params}) {}..{} ", kernel.name, self.reg(kernel.lo), self.reg(kernel.hi))?;
        if let Some(group) = &kernel.group {
            write!(f, "group {} of {} ", self.reg(group.item), group.size)?;
            for LocalArray { mem, elem, count } in &group.local {
                write!(f, "local {}: [{count}]{elem} ", self.mem(*mem))?;
            }
        }
        writeln!(f, "{{")?;
        self.block(f, &kernel.body, 1)?;
        writeln!(f, "}}\n")
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
                writeln!(f, "{pad}for {} in {from}..{to} step {step} {{", self.reg(*index))?;
                self.block(f, body, depth + 1)?;
            }
            Op::While { test, cond, body } => {
                writeln!(f, "{pad}while {{")?;
                self.block(f, test, depth + 1)?;
                writeln!(f, "{pad}  {}", self.operand(*cond))?;
                writeln!(f, "{pad}}} do {{")?;
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

    /// An operation without blocks.
    fn simple(&self, op: &Op) -> String {
        let x = |x: &Operand| self.operand(*x);
        match op {
            Op::Move { dst, x: value } => format!("{} = {}", self.typed(*dst), x(value)),
            Op::Unary { dst, op, x: a } => format!("{} = {} {}", self.reg(*dst), op.mnemonic(), x(a)),
            Op::Binary { dst, op, x: a, y } => {
                format!("{} = {} {} {}", self.reg(*dst), op.mnemonic(), x(a), x(y))
            }
            Op::Ternary { dst, op, x: a, y, z } => {
                format!("{} = {} {} {} {}", self.reg(*dst), op.mnemonic(), x(a), x(y), x(z))
            }
            Op::Compare { dst, op, x: a, y } => {
                format!("{} = {} {} {}", self.reg(*dst), op.mnemonic(), x(a), x(y))
            }
            Op::Convert { dst, op, x: a, .. } => format!("{} = {} {}", self.typed(*dst), op.mnemonic(), x(a)),
            Op::Select { dst, cond, x: a, y } => {
                format!("{} = select {} {} {}", self.reg(*dst), x(cond), x(a), x(y))
            }
            Op::LaneIds { dst } => format!("{} = lanes", self.typed(*dst)),
            Op::Extract { dst, x: a, lane } => format!("{} = {}[{}]", self.reg(*dst), x(a), x(lane)),
            Op::Insert { dst, x: a, lane } => format!("{}[{}] = {}", self.reg(*dst), x(lane), x(a)),
            Op::Shuffle { dst, x: a, y, lanes } => {
                format!("{} = shuffle {} {} {}", self.typed(*dst), x(a), x(y), runs(lanes))
            }
            Op::Any { dst, mask } => format!("{} = any {}", self.reg(*dst), x(mask)),
            Op::All { dst, mask } => format!("{} = all {}", self.reg(*dst), x(mask)),
            Op::Count { dst, mask } => format!("{} = count {}", self.reg(*dst), x(mask)),
            Op::First { dst, mask } => format!("{} = first {}", self.reg(*dst), x(mask)),
            Op::Load { dst, mem, index, mask, ahead } => {
                let ahead = ahead.map_or(String::new(), |distance| format!(" ahead {}", x(&distance)));
                let (dst, mem) = (self.typed(*dst), self.mem(*mem));
                format!("{dst} = load {mem}[{}]{ahead}{}", x(index), self.mask(mask))
            }
            Op::Store { mem, index, value, mask, stream, .. } => {
                let past = if *stream { " past" } else { "" };
                format!("store{past} {}[{}] = {}{}", self.mem(*mem), x(index), x(value), self.mask(mask))
            }
            Op::Claim { mem, index, .. } => format!("claim {}[{}]", self.mem(*mem), x(index)),
            Op::CompressStore { mem, index, value, mask, spare, .. } => {
                let room = if *spare { " spare" } else { "" };
                format!("compress{room} {}[{}] = {} where {}", self.mem(*mem), x(index), x(value), x(mask))
            }
            Op::Atomic { op, mem, index, value, mask, .. } => {
                let op = match op {
                    AtomicOp::Binary(op) => op.mnemonic(),
                    AtomicOp::Exchange => "exchange",
                };
                format!("atomic {op} {}[{}] {}{}", self.mem(*mem), x(index), x(value), self.mask(mask))
            }
            Op::SetMem { dst, src } => format!("{} = {}", self.mem(*dst), self.mem(*src)),
            Op::ArenaAlloc { dst, bytes } => format!("{} = arena {}", self.mem(*dst), x(bytes)),
            Op::ArenaMark { dst } => format!("{} = mark", self.reg(*dst)),
            Op::ArenaReset { mark } => format!("reset {}", x(mark)),
            Op::Leave { label } => format!("leave {}", label.0),
            Op::Fail { check, iteration, values } => {
                format!("fail {} at {} ({})", check.index(), x(iteration), list(values, x))
            }
            Op::WaitFlag { mem, index } => format!("wait {}[{}]", self.mem(*mem), x(index)),
            Op::SetFlag { mem, index } => format!("signal {}[{}]", self.mem(*mem), x(index)),
            Op::Barrier => "barrier".to_string(),
            Op::Ticket { dst, mem, index } => {
                format!("{} = ticket {}[{}]", self.typed(*dst), self.mem(*mem), x(index))
            }
            Op::Publish { mem, index, value, order } => {
                format!("publish{} {}[{}] = {}", after(*order), self.mem(*mem), x(index), x(value))
            }
            Op::Await { dst, mem, index, order } => {
                format!("{} = await{} {}[{}]", self.typed(*dst), after(*order), self.mem(*mem), x(index))
            }
            Op::Alloc { dst, bytes } => format!("{} = alloc {}", self.mem(*dst), x(bytes)),
            Op::Release { mem } => format!("release {}", self.mem(*mem)),
            Op::Launch(launch) => self.launch(launch),
            Op::Copy { elem, shape, dst, src } => {
                format!("copy {}{elem} {} = {}", self.shape(shape), self.view(dst), self.view(src))
            }
            Op::Fill { mem, index, count, value, .. } => {
                format!("fill {}[{}; {}] = {}", self.mem(*mem), x(index), x(count), x(value))
            }
            Op::Threads { dst } => format!("{} = threads", self.typed(*dst)),
            Op::Tuned { dst, name, default } => {
                format!("{} = tuned {name:?} default {default}", self.reg(*dst))
            }
            Op::Call { function, args, mem_args, results, mem_results, too_deep: _ } => {
                let name = self.program.functions.get(*function).map_or("?", |callee| &callee.name);
                let results = [list(results, |reg| self.reg(*reg)), list(mem_results, |mem| self.mem(*mem))];
                let args = [list(args, x), list(mem_args, |mem| self.mem(*mem))];
                format!("{} = call {name}({})", joined(results), joined(args))
            }
            Op::If { .. } | Op::For { .. } | Op::While { .. } | Op::Scope { .. } | Op::Locked { .. } => {
                "...".to_string()
            }
        }
    }

    fn launch(&self, launch: &Launch) -> String {
        let name = self.program.kernels.get(launch.kernel).map_or("?", |kernel| &kernel.name);
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

    /// A register with its type.
    fn typed(&self, reg: Reg) -> String {
        format!("{}: {}", self.reg(reg), self.regs[reg].ty)
    }

    fn reg(&self, reg: Reg) -> String {
        format!("{}.{}", self.regs[reg].name, reg.index())
    }

    fn mem(&self, mem: Mem) -> String {
        format!("{}@{}", self.mems[mem].name, mem.index())
    }
}

/// What is written behind the name of an operation on a published word.
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

/// Lane numbers, those that go up by one as ranges.
fn runs(lanes: &[u16]) -> String {
    let mut runs: Vec<(u16, u16)> = Vec::new();
    for &lane in lanes {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == lane => *last = lane,
            Some(_) | None => runs.push((lane, lane)),
        }
    }
    let run = |&(first, last): &(u16, u16)| {
        if first == last { first.to_string() } else { format!("{first}..={last}") }
    };
    format!("[{}]", list(&runs, run))
}
