//! Translation of host code to the code of the runtime's register machine.
//!
//! ```text
//! for i in 0..n step 1 { launch k(i) ... }        0  const r2 0
//!                                                 1  const r3 1
//!                                           ==>   2  move r1 r2
//!                                                 3  compare r4 = slt r1 r0
//!                                                 4  jump_unless r4 8
//!                                                 5  launch ...
//!                                                 6  binary r1 = add r1 r3
//!                                                 7  jump 3
//! ```
//!
//! Registers keep their numbers; constants and temporaries get the numbers after them. A constant is loaded once, at the start of
//! its function. An operation that is only allowed in kernels is a `Bug` of the lowering.

mod control;

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use warpwise_diag::{Bug, FileId, Sources, Span};
use warpwise_ir::entity::Entity;
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};
use warpwise_runtime::machine::{self, Arg, Instr, Slot, View};

use crate::op::{Label, Op};
use crate::program::{Check, HostFunction, HostParam, HostResult, ImpProgram, Kernel, Launch, LaunchedArray};
use crate::types::{Mem, MemData, Operand, Reg, StridedView};

/// Translates the host part of a program.
pub fn bytecode(program: &ImpProgram, sources: &Sources) -> Result<machine::Module, Bug> {
    let functions: Result<Vec<_>, Bug> =
        program.functions.iter().map(|f| translate(program, f, sources)).collect();
    let check = |check: &Check| machine::Check {
        parts: check.parts.clone(),
        place: sources.describe(check.span),
        calls: check.calls.iter().map(|call| sources.describe(*call)).collect(),
    };
    let name = |kernel: &Kernel| machine::KernelName {
        name: kernel.name.clone(),
        place: sources.describe(kernel.span),
        lines: lines(kernel.span, &kernel.places, sources),
        doubles: kernel.doubles.map_or(String::new(), |span| expression(span, sources)),
    };
    Ok(machine::Module {
        functions: functions?,
        kernels: program.kernels.values().map(name).collect(),
        checks: program.checks.values().map(check).collect(),
    })
}

fn translate(
    program: &ImpProgram,
    function: &HostFunction,
    sources: &Sources,
) -> Result<machine::Function, Bug> {
    let mut translator = Translator {
        program,
        function,
        code: Vec::new(),
        constants: FxHashMap::default(),
        constant_code: Vec::new(),
        n_regs: function.regs.len() as u32,
        leaves: Vec::new(),
    };
    translator.block(&function.body)?;
    let results = function.results.iter().map(|result| translator.result(result)).collect();
    let params = function.params.iter().map(|param| translator.param(param)).collect();
    let Translator { code, constant_code, n_regs, .. } = translator;
    Ok(machine::Function {
        name: function.name.clone(),
        regs: n_regs,
        mems: function.mems.values().map(|mem| block_name(mem, sources)).collect(),
        params,
        code: control::prepend(constant_code, code),
        results,
    })
}

/// Returns the source position and the first line of the text of a span, for messages; empty where they are not known.
fn expression(span: Span, sources: &Sources) -> String {
    if !sources.contains(span.file) {
        return String::new();
    }
    let text = sources.text(span.file).get(span.start as usize..span.end as usize).unwrap_or_default();
    match text.lines().next() {
        None => sources.describe(span),
        Some(line) => format!("`{}` at {}", line.trim(), sources.describe(span)),
    }
}

/// Returns the source lines of statements, for messages: `p.fut:3, 7-9`. Empty where the span of the whole kernel says as much.
fn lines(whole: Span, places: &[Span], sources: &Sources) -> String {
    let line = |span: &Span| (span.file, sources.position(span.file, span.start).line);
    let known = |span: &&Span| !span.is_none() && sources.contains(span.file);
    let all: BTreeSet<(FileId, u32)> = places.iter().chain([&whole]).filter(known).map(line).collect();
    if all.len() < 2 {
        return String::new();
    }
    let mut runs: Vec<(FileId, u32, u32)> = Vec::new();
    for (file, line) in all {
        match runs.last_mut() {
            Some((same, _, last)) if *same == file && *last + 1 == line => *last = line,
            _ => runs.push((file, line, line)),
        }
    }
    let mut text = String::new();
    let mut before = None;
    for (file, first, last) in runs {
        text += match before {
            None => "",
            Some(same) if same == file => ", ",
            Some(_) => "; ",
        };
        if before != Some(file) {
            text += &format!("{}:", sources.name(file));
        }
        text += &first.to_string();
        if last > first {
            text += &format!("-{last}");
        }
        before = Some(file);
    }
    text
}

/// Returns the name of a memory in messages: that of the array that it is allocated for.
fn block_name(mem: &MemData, sources: &Sources) -> machine::BlockName {
    let place = if mem.span.is_none() { String::new() } else { sources.describe(mem.span) };
    let array = mem.name.strip_suffix("_mem").unwrap_or(&mem.name);
    machine::BlockName { array: array.to_string(), place }
}

/// The state of translating one function.
struct Translator<'p> {
    program: &'p ImpProgram,
    function: &'p HostFunction,
    code: Vec<Instr>,
    constants: FxHashMap<Scalar, machine::Reg>,
    constant_code: Vec<Instr>,
    n_regs: u32,
    /// Jumps out of open scopes, to be aimed when the scope ends.
    leaves: Vec<(Label, usize)>,
}

impl Translator<'_> {
    fn block(&mut self, ops: &[Op]) -> Result<(), Bug> {
        ops.iter().try_for_each(|op| self.op(op))
    }

    fn op(&mut self, op: &Op) -> Result<(), Bug> {
        let instr = match op {
            Op::Move { dst, x } => Instr::Move { dst: reg(*dst), x: self.operand(*x) },
            Op::Unary { dst, op, x } => {
                Instr::Unary { dst: reg(*dst), op: *op, ty: self.ty(*x), x: self.operand(*x) }
            }
            Op::Binary { dst, op, x, y } => self.binary(reg(*dst), *op, *x, *y),
            Op::Ternary { dst, op, x, y, z } => Instr::Ternary {
                dst: reg(*dst),
                op: *op,
                ty: self.ty(*x),
                x: self.operand(*x),
                y: self.operand(*y),
                z: self.operand(*z),
            },
            Op::Compare { dst, op, x, y } => self.compare(reg(*dst), *op, *x, *y),
            Op::Convert { dst, op, from, x } => {
                let to = self.function.regs[*dst].ty.scalar;
                Instr::Convert { dst: reg(*dst), op: *op, from: *from, to, x: self.operand(*x) }
            }
            Op::Select { dst, cond, x, y } => {
                let (cond, x, y) = (self.operand(*cond), self.operand(*x), self.operand(*y));
                Instr::Select { dst: reg(*dst), cond, x, y }
            }
            Op::Load { dst, mem, index, mask: None, ahead: _ } => {
                let ty = self.function.regs[*dst].ty.scalar;
                Instr::Load { dst: reg(*dst), mem: mem_reg(*mem), index: self.operand(*index), ty }
            }
            Op::Store { mem, index, value, elem, mask: None, .. } => {
                let (index, value) = (self.operand(*index), self.operand(*value));
                Instr::Store { mem: mem_reg(*mem), index, value, ty: *elem }
            }
            Op::SetMem { dst, src } => Instr::SetMem { dst: mem_reg(*dst), src: mem_reg(*src) },
            Op::Alloc { dst, bytes } => Instr::Alloc { dst: mem_reg(*dst), bytes: self.operand(*bytes) },
            Op::Release { mem } => Instr::Release { mem: mem_reg(*mem) },
            Op::Launch(launch) => self.launch(launch),
            Op::Copy { elem, shape, dst, src } => {
                let shape = self.operands(shape);
                let copy = machine::Copy { elem: *elem, shape, dst: self.view(dst), src: self.view(src) };
                Instr::Copy(Box::new(copy))
            }
            Op::Fill { mem, index, count, value, elem } => {
                let (index, count) = (self.operand(*index), self.operand(*count));
                Instr::Fill { mem: mem_reg(*mem), index, count, value: self.operand(*value), ty: *elem }
            }
            Op::Fail { check, values, .. } => {
                Instr::Fail { check: check.index() as u32, values: self.operands(values) }
            }
            Op::Tuned { dst, name, default } => {
                Instr::Tuned { dst: reg(*dst), name: name.clone(), default: *default }
            }
            Op::Threads { dst } => Instr::Threads { dst: reg(*dst) },
            Op::Call { function, args, mem_args, results, mem_results, too_deep } => {
                let (args, results) = self.call(*function, args, mem_args, results, mem_results);
                let (function, too_deep) = (*function as u32, too_deep.index() as u32);
                Instr::Call { function, args, results, too_deep }
            }
            Op::If { .. } | Op::For { .. } | Op::While { .. } | Op::Scope { .. } | Op::Leave { .. } => {
                return self.control(op);
            }
            Op::Load { mask: Some(_), .. }
            | Op::Store { mask: Some(_), .. }
            | Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. }
            | Op::Claim { .. }
            | Op::CompressStore { .. }
            | Op::Atomic { .. }
            | Op::ArenaAlloc { .. }
            | Op::ArenaMark { .. }
            | Op::ArenaReset { .. }
            | Op::WaitFlag { .. }
            | Op::SetFlag { .. }
            | Op::Barrier
            | Op::Ticket { .. }
            | Op::Locked { .. }
            | Op::Publish { .. }
            | Op::Await { .. } => return Err(self.kernel_only(op)),
        };
        self.code.push(instr);
        Ok(())
    }

    fn kernel_only(&self, op: &Op) -> Bug {
        Bug {
            pass: "lower".to_string(),
            message: format!("host function `{}` holds an operation of kernels", self.function.name),
            ir: format!("{op:?}"),
        }
    }

    fn binary(&mut self, dst: machine::Reg, op: BinaryOp, x: Operand, y: Operand) -> Instr {
        Instr::Binary { dst, op, ty: self.ty(x), x: self.operand(x), y: self.operand(y) }
    }

    fn compare(&mut self, dst: machine::Reg, op: CompareOp, x: Operand, y: Operand) -> Instr {
        Instr::Compare { dst, op, ty: self.ty(x), x: self.operand(x), y: self.operand(y) }
    }

    fn launch(&mut self, launch: &Launch) -> Instr {
        let kernel = &self.program.kernels[launch.kernel];
        let mut scalars = launch.args.iter();
        let mut mems = launch.mem_args.iter();
        let mut args = Vec::with_capacity(kernel.params.len());
        let mut written = Vec::new();
        for param in &kernel.params {
            args.push(match param {
                crate::KernelParam::Scalar(_) => {
                    Arg::Reg(self.operand(*scalars.next().expect("an argument per scalar parameter")))
                }
                crate::KernelParam::Memory { read_only, .. } => {
                    let mem = mem_reg(*mems.next().expect("an argument per memory parameter"));
                    if !read_only {
                        written.push(mem);
                    }
                    Arg::Mem(mem)
                }
            });
        }
        let extent = self.operand(launch.extent);
        let cost = self.operand(launch.cost);
        let kernel = launch.kernel.index() as u32;
        let (schedule, align) = (launch.schedule, launch.align);
        let array = |array: &LaunchedArray| machine::LaunchedArray {
            elem: array.elem,
            shape: self.operands(&array.shape),
            view: self.view(&array.view),
        };
        let arrays = launch.arrays.iter().map(array).collect();
        Instr::Launch(Box::new(machine::Launch {
            kernel,
            args,
            written,
            extent,
            schedule,
            align,
            cost,
            arrays,
        }))
    }

    /// Returns the arguments and results of a call, in the order of the callee's slots.
    fn call(
        &mut self,
        function: usize,
        args: &[Operand],
        mem_args: &[Mem],
        results: &[Reg],
        mem_results: &[Mem],
    ) -> (Vec<Arg>, Vec<Arg>) {
        let callee = &self.program.functions[function];
        let (mut args, mut mem_args) = (args.iter(), mem_args.iter());
        let arg = |param: &HostParam| match param {
            HostParam::Scalar(_) => Arg::Reg(self.operand(*args.next().expect("an argument per parameter"))),
            HostParam::Array { .. } => {
                Arg::Mem(mem_reg(*mem_args.next().expect("an argument per parameter")))
            }
        };
        let args = callee.params.iter().map(arg).collect();
        let (mut results, mut mem_results) = (results.iter(), mem_results.iter());
        let result = |result: &HostResult| match result {
            HostResult::Scalar(_) => Arg::Reg(reg(*results.next().expect("a register per result"))),
            HostResult::Array { .. } => Arg::Mem(mem_reg(*mem_results.next().expect("a memory per result"))),
        };
        let results = callee.results.iter().map(result).collect();
        (args, results)
    }

    fn view(&mut self, view: &StridedView) -> View {
        let strides = self.operands(&view.strides);
        View { mem: mem_reg(view.mem), offset: self.operand(view.offset), strides }
    }

    fn param(&mut self, param: &HostParam) -> Slot {
        match param {
            HostParam::Scalar(var) => Slot::Scalar(self.function.regs[*var].ty.scalar, reg(*var)),
            HostParam::Array { mem, elem, shape } => self.array_slot(*mem, *elem, shape),
        }
    }

    fn result(&mut self, result: &HostResult) -> Slot {
        match result {
            HostResult::Scalar(operand) => Slot::Scalar(self.ty(*operand), self.operand(*operand)),
            HostResult::Array { mem, elem, shape } => self.array_slot(*mem, *elem, shape),
        }
    }

    fn array_slot(&mut self, mem: Mem, elem: ScalarType, shape: &[Operand]) -> Slot {
        Slot::Array { elem, mem: mem_reg(mem), shape: self.operands(shape) }
    }

    fn operands(&mut self, operands: &[Operand]) -> Vec<machine::Reg> {
        operands.iter().map(|&operand| self.operand(operand)).collect()
    }

    /// Returns the register that holds an operand.
    fn operand(&mut self, operand: Operand) -> machine::Reg {
        let value = match operand {
            Operand::Reg(var) => return reg(var),
            Operand::Const(value) => value,
        };
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let dst = self.temporary();
        self.constants.insert(value, dst);
        self.constant_code.push(Instr::Const { dst, bits: value.to_bits() });
        dst
    }

    fn temporary(&mut self) -> machine::Reg {
        self.n_regs += 1;
        self.n_regs - 1
    }

    fn ty(&self, operand: Operand) -> ScalarType {
        match operand {
            Operand::Reg(var) => self.function.regs[var].ty.scalar,
            Operand::Const(value) => value.ty(),
        }
    }
}

fn reg(var: Reg) -> machine::Reg {
    var.index() as u32
}

fn mem_reg(mem: Mem) -> machine::MemReg {
    mem.index() as u32
}
