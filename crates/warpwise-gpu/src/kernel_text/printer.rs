//! Kernels, control flow and moves.
//!
//! All registers are declared at the top, so that leaving a scope (a `goto`) jumps over no declaration. A register's name is its
//! hint plus its number, so that it is unique.

use std::collections::BTreeSet;

use warpwise_diag::{Bug, Failure, Limit};
use warpwise_imp::traverse::any_op;
use warpwise_imp::{Block, CheckId, Kernel, KernelParam, Label, Mem, Op, Operand, Reg, Space};
use warpwise_ir::entity::Entity;
use warpwise_prim::ScalarType;
use warpwise_runtime::device::failure::FAILED;
use warpwise_runtime::device::{DeviceKernel, DeviceParam, Failures};

use super::arena::Slots;
use super::dialect::Dialect;
use super::helpers::Helper;
use super::hints;
use super::literals::{identifier, literal};
use super::reliance::relies_on_loads;
use super::strides;
use super::survey::{Elements, Survey, survey};
use super::together::{Together, together};

/// The result of printing something.
pub(super) type Printed<T> = Result<T, Failure>;

/// Maximum length of a line of declarations.
const LINE: usize = 100;

/// The printer of one kernel.
pub(super) struct Printer<'k> {
    pub kernel: &'k Kernel,
    pub dialect: Dialect,
    pub survey: Survey,
    /// Layout of the work-items' memory in the arena.
    pub slots: Slots,
    /// Number of iterations per work-item in large launches.
    pub per_item: u32,
    /// Arrays that neighbouring iterations load and store together.
    together: Option<Together>,
    /// The same arrays, while the printed code uses their elements in variables.
    pub at_hand: Option<Together>,
    /// Effect of failures on the kernel.
    failures: Failures,
    /// Functions that the kernels of the text call.
    pub helpers: &'k mut BTreeSet<Helper>,
    /// Whether the kernel uses atomic operations on 64-bit words.
    pub wide_atomics: bool,
    /// Text printed so far.
    pub out: String,
    indent: usize,
    /// The lock that protects the code being printed.
    pub lock: Option<String>,
    /// The enclosing scopes, with their numbers in the text.
    scopes: Vec<(Label, usize)>,
    n_scopes: usize,
}

impl<'k> Printer<'k> {
    /// Makes a printer of this kernel that adds the functions it uses to `helpers`. `may_fail` tells whether any kernel of the
    /// text may fail.
    pub fn new(
        kernel: &'k Kernel,
        dialect: Dialect,
        may_fail: bool,
        helpers: &'k mut BTreeSet<Helper>,
    ) -> Printer<'k> {
        let survey = survey(kernel);
        let failures = match survey.fails {
            true => Failures::Recorded,
            false if may_fail && relies_on_loads(kernel) => Failures::Heeded,
            false => Failures::Ignored,
        };
        let together = (dialect == Dialect::Cuda).then(|| together(kernel, &survey)).flatten();
        Printer {
            kernel,
            dialect,
            slots: Slots::of(&survey, dialect),
            survey,
            per_item: together.as_ref().map_or(strides::per_item(kernel, dialect), |together| together.count),
            together,
            at_hand: None,
            failures,
            helpers,
            wide_atomics: false,
            out: String::new(),
            indent: 1,
            lock: None,
            scopes: Vec::new(),
            n_scopes: 0,
        }
    }

    /// Prints the kernel under this name.
    pub fn kernel(&mut self, name: &str) -> Printed<DeviceKernel> {
        let params = self.params()?;
        let size = self.kernel.group.as_ref().map_or(self.dialect.usual_group(), |group| group.size);
        let mark = self.dialect.kernel(size);
        self.out = format!("{mark} void {name}(\n    {}) {{\n", params.join(",\n    "));
        let (lo, hi) = (self.reg(self.kernel.lo), self.reg(self.kernel.hi));
        match &self.kernel.group {
            Some(group) => self.group(group),
            None if self.per_item > 1 => self.first_of_several(),
            None => {
                let item = self.dialect.work_item();
                self.line(&format!("long {lo} = first + {item}, {hi} = {lo} + 1;"));
                self.line(&format!("if ({lo} >= extent) {{"));
                self.line("    return;");
                self.line("}");
            }
        }
        if self.failures != Failures::Ignored {
            self.heed_failures();
        }
        if self.survey.arena {
            self.slot()?;
        }
        self.declarations()?;
        match self.together.take() {
            Some(together) => self.neighbours(together)?,
            None if self.per_item > 1 => self.strided()?,
            None => self.block(&self.kernel.body)?,
        }
        self.out += "}\n";
        let params = self.kernel.params.iter().map(|param| self.device_param(param)).collect();
        let group = self.kernel.group.as_ref().map(|group| group.size);
        let (per_item, failures, arena) = (self.per_item, self.failures, self.survey.arena);
        let local = self.local_sizes()?;
        Ok(DeviceKernel { name: name.to_string(), params, group, local, per_item, failures, arena })
    }

    /// Prints the check for failures: if an earlier launch has failed, the kernel does nothing but pass the failure on to the
    /// next launch.
    fn heed_failures(&mut self) {
        let word = self.dialect.unsigned(ScalarType::I32);
        let global = self.dialect.space(Space::Global);
        let lo = self.reg(self.kernel.lo);
        let (first, end) = match &self.kernel.group {
            // The group's loop over its iterations then has none. PoCL miscompiles groups that return before barriers.
            Some(group) => (
                format!("{lo} == first && {} == 0", self.reg(group.item)),
                format!("{} = {lo};", self.reg(self.kernel.hi)),
            ),
            None => (format!("{lo} == first"), "return;".to_string()),
        };
        // No work-item of this launch writes the word, so caches may keep it.
        self.line(&format!("if (((const {global} {word} *)failure)[{FAILED} + 1 - turn]) {{"));
        self.line(&format!("    if ({first}) {{"));
        self.line(&format!("        failure[{FAILED} + turn] = 1;"));
        self.line("    }");
        self.line(&format!("    {end}"));
        self.line("}");
    }

    fn device_param(&self, param: &KernelParam) -> DeviceParam {
        match param {
            KernelParam::Scalar(reg) => DeviceParam::Scalar(self.scalar_type(*reg)),
            KernelParam::Memory { mem, .. } => DeviceParam::Memory {
                read: self.survey.read.contains(mem),
                written: self.survey.written.contains(mem),
            },
        }
    }

    /// Returns whether compilers may be told that an array without aliases is accessed by its own name only.
    fn may_promise(&self, mem: Mem, read_only: bool) -> bool {
        // An array that others write meanwhile is not exclusive: compilers would keep such elements in registers across barriers.
        let meets = self.survey.meets;
        // PoCL 3.1, which vectorises across work-items, loses updates of elements that the same work-item loads again.
        let is_updated = self.survey.read.contains(&mem) && self.survey.written.contains(&mem);
        read_only || !(meets || is_updated && self.dialect == Dialect::OpenCl)
    }

    fn params(&self) -> Printed<Vec<String>> {
        let mut params = Vec::new();
        for param in &self.kernel.params {
            params.push(match param {
                KernelParam::Scalar(reg) => format!("{} {}", self.reg_type(*reg)?, self.reg(*reg)),
                KernelParam::Memory { mem, noalias, read_only } => {
                    let pointer = self.pointer(*mem, *read_only);
                    let own = *noalias && self.may_promise(*mem, *read_only);
                    let restrict = if own { format!("{} ", self.dialect.restrict()) } else { String::new() };
                    format!("{pointer}{restrict}{}", self.mem(*mem))
                }
            });
        }
        params.push("long first".to_string());
        params.push("long extent".to_string());
        let global = self.dialect.space(Space::Global);
        if self.failures != Failures::Ignored {
            let word = self.dialect.unsigned(ScalarType::I32);
            params.push(format!("volatile {global} {word} *failure"));
            params.push("int turn".to_string());
        }
        if self.survey.arena {
            params.push(format!("{global} {} *arena", self.dialect.ty(ScalarType::Bool)));
            params.push("long slot".to_string());
        }
        if self.dialect == Dialect::OpenCl {
            params.extend(self.local_params());
        }
        Ok(params)
    }

    /// Returns the type of a pointer to a memory.
    pub fn pointer(&self, mem: Mem, read_only: bool) -> String {
        let space = self.dialect.space(self.kernel.mems[mem].space);
        let elem = match self.survey.elements.get(&mem) {
            Some(_) if self.slots.bytes_together(mem).is_some() => ScalarType::Bool,
            Some(Elements::One(ty)) => *ty,
            Some(Elements::Several) | None => ScalarType::Bool,
        };
        let constant = if read_only { " const" } else { "" };
        format!("{space}{constant} {} *", self.dialect.ty(elem)).trim_start().to_string()
    }

    /// Declares registers and memories that are not parameters, with those of one type on a line.
    fn declarations(&mut self) -> Printed<()> {
        let is_param = |reg: Reg| {
            reg == self.kernel.lo
                || reg == self.kernel.hi
                || self.kernel.group.as_ref().is_some_and(|group| group.item == reg)
                || self.kernel.params.contains(&KernelParam::Scalar(reg))
        };
        let used: Vec<Reg> = (0..self.kernel.regs.len()).map(Reg::new).collect();
        let used: Vec<Reg> = used
            .into_iter()
            .filter(|&reg| self.survey.assigned.contains_key(&reg) && !is_param(reg))
            .collect();
        for ty in ScalarType::ALL {
            let mut line = String::new();
            for &reg in used.iter().filter(|&&reg| self.kernel.regs[reg].ty.scalar == ty) {
                self.reg_type(reg)?;
                let name = self.reg(reg);
                if line.len() + name.len() > LINE {
                    self.line(&format!("{line};"));
                    line.clear();
                }
                let before = if line.is_empty() { self.dialect.ty(ty) } else { "," };
                line = format!("{line}{before} {name}");
            }
            if !line.is_empty() {
                self.line(&format!("{line};"));
            }
        }
        for mem in (0..self.kernel.mems.len()).map(Mem::new) {
            let of_mem =
                |param: &KernelParam| matches!(param, KernelParam::Memory { mem: own, .. } if *own == mem);
            let is_param = self.kernel.params.iter().any(of_mem);
            let is_array = self.declared(mem).is_some();
            if !is_param && !is_array && self.survey.elements.contains_key(&mem) {
                let declaration = match self.survey.private.get(&mem) {
                    Some(&bytes) => self.private_array(mem, bytes),
                    None => format!("{}{};", self.pointer(mem, false), self.mem(mem)),
                };
                self.line(&declaration);
            }
        }
        Ok(())
    }

    /// Prints a block. After a barrier that code can jump over, PoCL 3.1 takes every branch, up to the next barrier, as a single
    /// work-item does; on OpenCL such a barrier is printed twice.
    fn block(&mut self, block: &Block) -> Printed<()> {
        let mut jumped = false;
        for op in block {
            self.op(op)?;
            if let Op::If { then_block, else_block, .. } = op {
                jumped |= [then_block, else_block]
                    .iter()
                    .any(|branch| any_op(branch, &|op| matches!(op, Op::Leave { .. })));
            } else if matches!(op, Op::Barrier) && self.dialect == Dialect::OpenCl && jumped {
                self.line(self.dialect.barrier());
                jumped = false;
            }
        }
        Ok(())
    }

    /// Returns the value that a register is set to. PoCL 3.1, which vectorises across work-items, returns the initial value of a
    /// group's accumulator if every step combines it with the same value by an idempotent operator. The initial value is
    /// therefore hidden from it.
    fn moved(&self, dst: Reg, x: Operand) -> String {
        let value = self.operand(x);
        let is_accumulator = self.survey.chosen.contains(&dst)
            && self.survey.assigned.get(&dst).is_some_and(|&times| times > 1);
        match x {
            Operand::Const(start)
                if self.dialect == Dialect::OpenCl
                    && self.kernel.group.is_some()
                    && !start.ty().is_float()
                    && is_accumulator =>
            {
                let other = i32::from(start.to_bits() == 0);
                format!("extent < 0 ? {other} : {value}")
            }
            Operand::Const(_) | Operand::Reg(_) => value,
        }
    }

    /// Prints a block, indented by one level.
    fn inner(&mut self, block: &Block) -> Printed<()> {
        self.indent += 1;
        let done = self.block(block);
        self.indent -= 1;
        done
    }

    /// Prints a block, indented by two levels.
    pub fn further_in(&mut self, block: &Block) -> Printed<()> {
        self.indent += 1;
        let done = self.inner(block);
        self.indent -= 1;
        done
    }

    /// Prints a line.
    pub fn line(&mut self, line: &str) {
        for _ in 0..self.indent {
            self.out += "    ";
        }
        self.out += line;
        self.out += "\n";
    }

    fn op(&mut self, op: &Op) -> Printed<()> {
        match op {
            Op::Move { dst, x } => self.assign(*dst, Some(self.moved(*dst, *x))),
            Op::Unary { dst, op, x } => {
                let value = self.unary(*op, self.scalar_type(*dst), &self.operand(*x));
                self.assign(*dst, value)
            }
            Op::Binary { dst, op, x, y } => {
                let value = self.binary(*op, self.scalar_type(*dst), &self.operand(*x), &self.operand(*y));
                self.assign(*dst, value)
            }
            Op::Ternary { dst, op, x, y, z } => {
                let (x, y, z) = (self.operand(*x), self.operand(*y), self.operand(*z));
                let value = self.ternary(*op, self.scalar_type(*dst), &x, &y, &z);
                self.assign(*dst, value)
            }
            Op::Compare { dst, op, x, y } => {
                let ty = self.operand_type(*x);
                let value = self.compare(*op, ty, &self.operand(*x), &self.operand(*y));
                self.assign(*dst, value)
            }
            Op::Convert { dst, op, from, x } => {
                let value = self.convert(*op, *from, self.scalar_type(*dst), &self.operand(*x));
                self.assign(*dst, value)
            }
            Op::Select { dst, cond, x, y } => {
                let (cond, x, y) = (self.operand(*cond), self.operand(*x), self.operand(*y));
                self.assign(*dst, Some(format!("{cond} ? {x} : {y}")))
            }
            Op::Load { dst, mem, index, mask, ahead: _ } => self.load(*dst, *mem, *index, *mask),
            Op::Store { mem, index, value, elem, mask, stream: _ } => {
                self.store(*mem, *index, *value, *elem, *mask)
            }
            // Devices have no cache hints.
            Op::Claim { .. } => Ok(()),
            Op::Atomic { op, mem, index, value, elem, mask } => {
                self.atomic(*op, *mem, (*index, *value), *elem, *mask)
            }
            Op::SetMem { dst, src } => self.set_mem(*dst, *src),
            Op::If { cond, then_block, else_block } => self.choice(*cond, then_block, else_block),
            Op::For { index, from, to, step, body } => self.counting_loop(*index, (*from, *to, *step), body),
            Op::While { test, cond, body } => self.while_loop(test, *cond, body),
            Op::Scope { label, body } => self.scope(*label, body),
            Op::Leave { label } => self.leave(*label),
            Op::Fail { check, iteration, values } => self.fail(*check, *iteration, values),
            Op::Barrier => {
                self.line(self.dialect.barrier());
                Ok(())
            }
            Op::Locked { mem, index, body } => self.locked(*mem, *index, body),
            Op::Ticket { dst, mem, index } => self.ticket(*dst, *mem, *index),
            Op::Publish { mem, index, value, order } => self.publish((*mem, *index), *value, *order),
            Op::Await { dst, mem, index, order } => self.wait_for(*dst, (*mem, *index), *order),
            Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. }
            | Op::CompressStore { .. } => self.limit("vectors"),
            Op::ArenaAlloc { dst, bytes } => self.arena_alloc(*dst, *bytes),
            Op::ArenaMark { dst } => self.arena_mark(*dst),
            Op::ArenaReset { mark } => {
                self.arena_reset(*mark);
                Ok(())
            }
            Op::WaitFlag { .. } | Op::SetFlag { .. } => self.limit("flags between tasks"),
            Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Tuned { .. }
            | Op::Threads { .. }
            | Op::Call { .. } => self.bug("host code in a kernel"),
        }
    }

    /// Prints `dst = value`; `None` is a value of the wrong type.
    pub fn assign(&mut self, dst: Reg, value: Option<String>) -> Printed<()> {
        let Some(value) = value else { return self.bug("an operator on a type it does not take") };
        let line = format!("{} = {value};", self.reg(dst));
        self.line(&line);
        Ok(())
    }

    fn choice(&mut self, cond: Operand, then_block: &Block, else_block: &Block) -> Printed<()> {
        let cond = self.operand(cond);
        if then_block.is_empty() {
            self.line(&format!("if (!{cond}) {{"));
            self.inner(else_block)?;
        } else {
            self.line(&format!("if ({cond}) {{"));
            self.inner(then_block)?;
            if !else_block.is_empty() {
                self.line("} else {");
                self.inner(else_block)?;
            }
        }
        self.line("}");
        Ok(())
    }

    /// Prints a counting loop. A bound that may change in the loop is kept in a variable.
    fn counting_loop(
        &mut self,
        index: Reg,
        (from, to, step): (Operand, Operand, i64),
        body: &Block,
    ) -> Printed<()> {
        let changes = matches!(to, Operand::Reg(reg) if self.assignments(reg) > 1);
        let bound = self.operand(to);
        let (first, i) = (self.operand(from), self.reg(index));
        if changes {
            self.line("{");
            self.indent += 1;
            let ty = self.reg_type(index)?;
            self.line(&format!("const {ty} end = {bound};"));
        }
        let bound = if changes { "end" } else { &bound };
        if let Some(pragma) = hints::pragma(self.dialect, self.kernel, (from, to, step), body) {
            self.line(&pragma);
        }
        self.line(&format!("for ({i} = {first}; {i} < {bound}; {i} += {step}) {{"));
        self.inner(body)?;
        self.line("}");
        if changes {
            self.indent -= 1;
            self.line("}");
        }
        Ok(())
    }

    /// Returns how often a register is assigned; parameters have a value from the start.
    fn assignments(&self, reg: Reg) -> usize {
        let is_param = self.kernel.params.contains(&KernelParam::Scalar(reg));
        let is_item = self.kernel.group.as_ref().is_some_and(|group| group.item == reg);
        let from_start = is_param || is_item || reg == self.kernel.lo || reg == self.kernel.hi;
        self.survey.assigned.get(&reg).copied().unwrap_or(0) + usize::from(from_start)
    }

    fn while_loop(&mut self, test: &Block, cond: Operand, body: &Block) -> Printed<()> {
        let cond = self.operand(cond);
        if test.is_empty() {
            self.line(&format!("while ({cond}) {{"));
        } else {
            self.line("for (;;) {");
            self.inner(test)?;
            self.line(&format!("    if (!{cond}) {{"));
            self.line("        break;");
            self.line("    }");
        }
        self.inner(body)?;
        self.line("}");
        Ok(())
    }

    /// Prints a critical section. The lock is released in the same iteration of the loop that acquires it, so that work-items in
    /// lockstep do not wait forever for one of them.
    fn locked(&mut self, mem: Mem, index: Operand, body: &Block) -> Printed<()> {
        let place = self.place_of_lock(mem, index)?;
        self.line("for (int waits = 1; waits;) {");
        self.line(&format!("    if (atomic_cmpxchg({place}, 0, 1) == 0) {{"));
        self.indent += 2;
        self.line(self.dialect.fence());
        self.lock = Some(place);
        let done = self.block(body);
        self.unlock("");
        self.lock = None;
        self.line("waits = 0;");
        self.indent -= 2;
        self.line("    }");
        self.line("}");
        done
    }

    /// Prints the release of the lock that protects the code being printed, if there is one.
    pub fn unlock(&mut self, indent: &str) {
        if let Some(place) = &self.lock {
            let lines = [self.dialect.fence().to_string(), format!("atomic_xchg({place}, 0);")];
            lines.iter().for_each(|line| self.line(&format!("{indent}{line}")));
        }
    }

    fn scope(&mut self, label: Label, body: &Block) -> Printed<()> {
        let number = self.n_scopes;
        self.n_scopes += 1;
        self.scopes.push((label, number));
        let done = self.block(body);
        self.scopes.pop();
        self.line(&format!("leave_{number}:;"));
        done
    }

    fn leave(&mut self, label: Label) -> Printed<()> {
        let scope = self.scopes.iter().rev().find(|(own, _)| *own == label);
        let Some(&(_, number)) = scope else { return self.bug("a scope is left that is not around") };
        self.line(&format!("goto leave_{number};"));
        Ok(())
    }

    fn fail(&mut self, check: CheckId, iteration: Operand, values: &[Operand]) -> Printed<()> {
        Helper::RecordFailure.add_to(self.helpers);
        let iteration = self.operand(iteration);
        let (check, count) = (check.index(), values.len());
        if values.is_empty() {
            self.line(&format!("record_failure(failure, turn, {iteration}, {check}, 0, 0);"));
            return Ok(());
        }
        let bits: Vec<String> = values.iter().map(|&value| self.bits(value)).collect();
        self.line("{");
        self.line(&format!("    const ulong values[{count}] = {{{}}};", bits.join(", ")));
        self.line(&format!("    record_failure(failure, turn, {iteration}, {check}, values, {count});"));
        self.line("}");
        Ok(())
    }

    /// Returns the bits of an operand, zero-extended.
    fn bits(&self, x: Operand) -> String {
        let ty = self.operand_type(x);
        let text = self.operand(x);
        match ty {
            ScalarType::Bool | ScalarType::F16 => text,
            ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => {
                format!("({}){text}", self.dialect.unsigned(ty))
            }
            ScalarType::F32 => {
                format!("({}){}", self.dialect.unsigned(ty), self.dialect.bits_as(ScalarType::I32, &text))
            }
            ScalarType::F64 => {
                format!("({}){}", self.dialect.unsigned(ty), self.dialect.bits_as(ScalarType::I64, &text))
            }
        }
    }

    /// Returns the name of a register.
    pub fn reg(&self, reg: Reg) -> String {
        format!("{}_{}", identifier(&self.kernel.regs[reg].name), reg.index())
    }

    /// Returns the name of a memory.
    pub fn mem(&self, mem: Mem) -> String {
        format!("{}_m{}", identifier(&self.kernel.mems[mem].name), mem.index())
    }

    /// Returns an operand as an expression that binds tighter than any operator.
    pub fn operand(&self, x: Operand) -> String {
        match x {
            Operand::Reg(reg) => self.reg(reg),
            Operand::Const(value) => literal(value),
        }
    }

    /// Returns the type of a register.
    pub fn scalar_type(&self, reg: Reg) -> ScalarType {
        self.kernel.regs[reg].ty.scalar
    }

    /// Returns the type of an operand.
    pub fn operand_type(&self, x: Operand) -> ScalarType {
        match x {
            Operand::Reg(reg) => self.scalar_type(reg),
            Operand::Const(value) => value.ty(),
        }
    }

    /// Returns the name of a register's type.
    fn reg_type(&self, reg: Reg) -> Printed<&'static str> {
        let ty = self.kernel.regs[reg].ty;
        if ty.is_vector() {
            return self.limit("vectors");
        }
        Ok(self.dialect.ty(ty.scalar))
    }

    /// Fails because the kernel contains something unsupported.
    pub fn limit<T>(&self, what: &str) -> Printed<T> {
        let message = format!("{what} in a kernel for {}", self.dialect.name());
        Err(Limit { message, span: self.kernel.span }.into())
    }

    /// Fails because the kernel is malformed.
    pub fn bug<T>(&self, message: &str) -> Printed<T> {
        let message = format!("{message} ({})", self.kernel.name);
        Err(Bug { pass: "kernel-text".to_string(), message, ir: format!("{:#?}", self.kernel) }.into())
    }
}
