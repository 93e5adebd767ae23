//! One activation of a host function: registers and the instruction loop. Activations that wait for a call are kept on an
//! explicit stack, so deep recursion is an error of the program and does not overflow the machine's stack.

use std::rc::Rc;
use std::sync::Arc;

use warpwise_prim::{CompareOp, Scalar, ScalarType};

use super::held::{Held, Refused, Spares};
use super::pending::Pending;
use super::rescue::Rescue;
use super::watch::Watch;
use super::{Argument, Machine, Output, RunError};
use crate::array::{Shape, element_count};
use crate::machine::{Arg, BlockName, Function, Instr, MemReg, Reg, Slot};
use crate::memory::{Block, OutOfMemory};

/// Maximum number of blocks listed when memory does not suffice.
const MOST_SHOWN: usize = 4;

/// Maximum nesting of calls.
const MAX_DEPTH: usize = 100_000;

/// Makes an array of the start of a result's block.
type Give<A> = fn(&Machine, ScalarType, &[i64], &Held) -> Result<A, Refused>;

/// The registers of one activation.
pub(super) struct Frame<'m> {
    pub(super) machine: &'m Machine,
    function: &'m Function,
    regs: Vec<u64>,
    mems: Vec<Option<Held>>,
    spares: Spares,
    pending: Pending,
    /// Registers that hold tuning parameters, while parameters are watched.
    tuned: Vec<(Reg, &'m str)>,
    /// Failures of the run's launches on a device.
    pub(super) watch: Rc<Watch>,
    /// Arguments that the run gives back if it fails.
    rescue: Rc<Rescue>,
}

/// An activation that waits for the function it called.
struct Caller<'m> {
    frame: Frame<'m>,
    /// The instruction after the call.
    at: usize,
    /// Registers of the results.
    results: &'m [Arg],
}

impl<'m> Frame<'m> {
    pub(super) fn new(
        machine: &'m Machine,
        function: &'m Function,
        watch: Rc<Watch>,
        rescue: Rc<Rescue>,
    ) -> Frame<'m> {
        let regs = vec![0; function.regs as usize];
        let mems = vec![None; function.mems.len()];
        let (spares, pending) = (Spares::default(), Pending::default());
        Frame { machine, function, regs, mems, spares, pending, tuned: Vec::new(), watch, rescue }
    }

    pub(super) fn set_arguments(&mut self, arguments: Vec<Argument>) -> Result<(), RunError> {
        if arguments.len() != self.function.params.len() {
            return Err(RunError::Internal(format!("`{}` called with wrong arity", self.function.name)));
        }
        for (slot, argument) in self.function.params.iter().zip(arguments) {
            match (slot, argument) {
                (Slot::Scalar(_, reg), Argument::Scalar(value)) => self.regs[*reg as usize] = value.to_bits(),
                (Slot::Array { mem, .. }, Argument::Block(block)) => {
                    let held = self.machine.take_in(block).map_err(|why| self.refused(why, *mem))?;
                    self.mems[*mem as usize] = Some(held);
                }
                (Slot::Array { mem, .. }, Argument::Resident(block)) => {
                    self.mems[*mem as usize] = Some(self.machine.take_resident(block)?);
                }
                _ => {
                    return Err(RunError::Internal(format!(
                        "argument of wrong kind for `{}`",
                        self.function.name
                    )));
                }
            }
        }
        self.function.params.iter().try_for_each(|slot| self.check_argument(slot))
    }

    /// Fails unless an argument's elements lie in its block.
    fn check_argument(&self, slot: &Slot) -> Result<(), RunError> {
        let Slot::Array { elem, mem, shape } = slot else { return Ok(()) };
        let shape: Shape = shape.iter().map(|&reg| self.reg(reg) as i64).collect();
        let bytes = element_count(&shape).and_then(|count| count.checked_mul(elem.bytes() as u64));
        let block = self.mem(*mem)?.bytes();
        if bytes.is_some_and(|bytes| bytes <= block) {
            return Ok(());
        }
        let name = &self.function.name;
        let message = format!("an argument of shape {shape:?} for `{name}` in a block of {block} bytes");
        Err(RunError::Internal(message))
    }

    /// Returns the results; `give` makes arrays of their blocks.
    pub(super) fn outputs<A>(self, give: Give<A>) -> Result<Vec<Output<A>>, RunError> {
        self.function.results.iter().map(|slot| self.output(slot, give)).collect()
    }

    fn output<A>(&self, slot: &Slot, give: Give<A>) -> Result<Output<A>, RunError> {
        match slot {
            Slot::Scalar(ty, reg) => Ok(Output::Scalar(Scalar::from_bits(*ty, self.reg(*reg)))),
            Slot::Array { elem, mem, shape } => {
                let shape: Vec<i64> = shape.iter().map(|&reg| self.reg(reg) as i64).collect();
                let array = give(self.machine, *elem, &shape, self.mem(*mem)?);
                array.map(Output::Array).map_err(|why| self.refused(why, *mem))
            }
        }
    }

    /// Runs the function from its start to its end. If it fails, `intact` gets the arguments that are given back.
    pub(super) fn run(&mut self, intact: &mut Vec<Arc<Block>>) -> Result<(), RunError> {
        let mut callers: Vec<Caller<'m>> = Vec::new();
        let done = self.run_within(&mut callers);
        if done.is_err() {
            // The waiting activations still hold their blocks.
            *intact = self.rescue.intact();
        }
        done
    }

    fn run_within(&mut self, callers: &mut Vec<Caller<'m>>) -> Result<(), RunError> {
        let mut at = 0;
        loop {
            let function = self.function;
            let instr = function.code.get(at).unwrap_or(&Instr::Return);
            at += 1;
            match instr {
                Instr::Jump { target } => {
                    self.check_interrupt()?;
                    at = *target as usize;
                }
                Instr::JumpUnless { cond, target } => {
                    if self.reg(*cond) == 0 {
                        at = *target as usize;
                    }
                }
                Instr::Return => {
                    self.write_pending()?;
                    let Some(caller) = callers.pop() else { return Ok(()) };
                    at = caller.at;
                    let callee = std::mem::replace(self, caller.frame);
                    self.take_results(&callee, caller.results)?;
                }
                Instr::Launch(launch) => {
                    self.write_pending()?;
                    launch.written.iter().try_for_each(|&mem| self.note_write(mem))?;
                    super::launch::launch(self, launch)?;
                }
                Instr::Call { function, args, results, too_deep } => {
                    self.check_interrupt()?;
                    self.write_pending()?;
                    if callers.len() >= MAX_DEPTH {
                        return Err(RunError::check(&self.machine.module.checks[*too_deep as usize], &[]));
                    }
                    // Many activations may wait, so they keep only the blocks in their registers.
                    self.spares.clear();
                    let callee = self.callee(*function, args)?;
                    let frame = std::mem::replace(self, callee);
                    callers.push(Caller { frame, at, results });
                    at = 0;
                }
                instr => self.step(instr)?,
            }
        }
    }

    fn check_interrupt(&self) -> Result<(), RunError> {
        if self.machine.threads.cancel_flag().is_set() { Err(RunError::Interrupted) } else { Ok(()) }
    }

    /// Executes an instruction that continues at the next one.
    fn step(&mut self, instr: &'m Instr) -> Result<(), RunError> {
        match instr {
            Instr::Const { dst, bits } => self.set(*dst, *bits),
            Instr::Move { dst, x } => self.set(*dst, self.reg(*x)),
            Instr::Unary { dst, op, ty, x } => self.set(*dst, op.eval(self.scalar(*ty, *x)).to_bits()),
            // Undefined operations are guarded by checks; after a failed check nothing is observable. `i64` has a fast path
            // because most values in host code are sizes.
            Instr::Binary { dst, op, ty: ScalarType::I64, x, y } => {
                let result = op.eval_i64(self.reg(*x) as i64, self.reg(*y) as i64);
                self.set(*dst, result.map_or(0, |result| result as u64));
            }
            Instr::Binary { dst, op, ty, x, y } => {
                let result = op.eval(self.scalar(*ty, *x), self.scalar(*ty, *y));
                self.set(*dst, result.map_or(0, Scalar::to_bits));
            }
            Instr::Ternary { dst, op, ty, x, y, z } => {
                let (x, y, z) = (self.scalar(*ty, *x), self.scalar(*ty, *y), self.scalar(*ty, *z));
                self.set(*dst, op.eval(x, y, z).to_bits());
            }
            Instr::Compare { dst, op, ty, x, y } => {
                if !self.tuned.is_empty() {
                    self.note_comparison(*op, *x, *y);
                }
                let holds = match ty {
                    ScalarType::I64 => op.eval_i64(self.reg(*x) as i64, self.reg(*y) as i64),
                    _ => op.eval(self.scalar(*ty, *x), self.scalar(*ty, *y)),
                };
                self.set(*dst, holds as u64);
            }
            Instr::Convert { dst, op, from, to, x } => {
                self.set(*dst, op.eval(self.scalar(*from, *x), *to).to_bits());
            }
            Instr::Select { dst, cond, x, y } => {
                let chosen = if self.reg(*cond) != 0 { *x } else { *y };
                self.set(*dst, self.reg(chosen));
            }
            Instr::Fail { check, values } => {
                let values: Vec<u64> = values.iter().map(|&reg| self.reg(reg)).collect();
                return Err(RunError::check(&self.machine.module.checks[*check as usize], &values));
            }
            Instr::Tuned { dst, name, default } => {
                let tuning = &self.machine.tuning;
                self.set(*dst, tuning.value(name, *default) as u64);
                if tuning.is_watched() {
                    tuning.note_use(name, *default);
                    self.tuned.retain(|(reg, _)| reg != dst);
                    self.tuned.push((*dst, name));
                }
            }
            Instr::Threads { dst } => self.set(*dst, self.machine.threads.threads() as u64),
            Instr::Alloc { .. }
            | Instr::Release { .. }
            | Instr::SetMem { .. }
            | Instr::Load { .. }
            | Instr::Store { .. }
            | Instr::Copy(_)
            | Instr::Fill { .. } => return self.memory_step(instr),
            Instr::Jump { .. }
            | Instr::JumpUnless { .. }
            | Instr::Return
            | Instr::Launch(_)
            | Instr::Call { .. } => unreachable!("handled by the instruction loop"),
        }
        Ok(())
    }

    /// Records the comparison of a tuning parameter.
    fn note_comparison(&self, op: CompareOp, x: Reg, y: Reg) {
        let name = |reg| self.tuned.iter().find(|(tuned, _)| *tuned == reg).map(|(_, name)| *name);
        let tuning = &self.machine.tuning;
        match (name(x), name(y)) {
            (Some(name), None) => tuning.note_comparison(name, op, true, self.reg(y) as i64),
            (None, Some(name)) => tuning.note_comparison(name, op, false, self.reg(x) as i64),
            (Some(_), Some(_)) | (None, None) => {}
        }
    }

    /// Notes that a block is written.
    fn note_write(&self, mem: MemReg) -> Result<(), RunError> {
        self.rescue.note_write(self.mem(mem)?);
        Ok(())
    }

    fn memory_step(&mut self, instr: &Instr) -> Result<(), RunError> {
        match instr {
            Instr::Alloc { dst, bytes } => {
                // The old block is released first: it may be the one to reuse.
                self.set_mem(*dst, None);
                // A negative size belongs to an array that a failing check prevents: nothing is stored in it.
                let bytes = (self.reg(*bytes) as i64).max(0) as u64;
                let spare = self.spares.take(bytes).map_or_else(|| self.machine.allocate(bytes), Ok);
                self.mems[*dst as usize] = Some(spare.map_err(|why| self.refused(why, *dst))?);
            }
            Instr::Release { mem } => self.set_mem(*mem, None),
            Instr::SetMem { dst, src } => self.set_mem(*dst, self.mems[*src as usize].clone()),
            Instr::Load { dst, mem, index, ty } => {
                self.write_pending()?;
                let (block, at) = self.element(*mem, *index, *ty)?;
                let bits = self.machine.load(block, at, *ty, &self.watch)?;
                self.set(*dst, bits);
            }
            Instr::Store { mem, index, value, ty } => {
                let bits = self.reg(*value).to_le_bytes();
                let bytes = &bits[..ty.bytes()];
                let (block, at) = self.element(*mem, *index, *ty)?;
                self.rescue.note_write(block);
                match block {
                    // SAFETY: the element lies in the block; runs do not share blocks that they write.
                    Held::Host(block) => unsafe {
                        let place = block.as_mut_ptr().add(at as usize);
                        std::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
                    },
                    Held::Device(block) => {
                        let block = Arc::clone(block);
                        self.pending.store(&block, at, bytes, &self.machine.profile)?;
                    }
                }
            }
            Instr::Copy(copy) => {
                self.write_pending()?;
                self.note_write(copy.dst.mem)?;
                super::launch::copy(self, copy)?;
            }
            Instr::Fill { mem, index, count, value, ty } => {
                self.write_pending()?;
                self.note_write(*mem)?;
                super::launch::fill(self, *mem, *index, *count, self.scalar(*ty, *value))?;
            }
            other => unreachable!("{other:?} does not touch memory"),
        }
        Ok(())
    }

    fn write_pending(&mut self) -> Result<(), RunError> {
        self.pending.write(&self.machine.profile)
    }

    /// Makes the activation of a function that this one calls.
    fn callee(&self, function: u32, args: &[Arg]) -> Result<Frame<'m>, RunError> {
        let callee = &self.machine.module.functions[function as usize];
        let (watch, rescue) = (Rc::clone(&self.watch), Rc::clone(&self.rescue));
        let mut frame = Frame::new(self.machine, callee, watch, rescue);
        for (slot, arg) in callee.params.iter().zip(args) {
            match (slot, arg) {
                (Slot::Scalar(_, dst), Arg::Reg(src)) => frame.regs[*dst as usize] = self.reg(*src),
                (Slot::Array { mem, .. }, Arg::Mem(src)) => {
                    frame.mems[*mem as usize] = self.mems[*src as usize].clone();
                }
                _ => return Err(RunError::Internal(format!("argument of wrong kind for `{}`", callee.name))),
            }
        }
        Ok(frame)
    }

    /// Copies the results of a called function into registers.
    fn take_results(&mut self, callee: &Frame<'m>, results: &[Arg]) -> Result<(), RunError> {
        let name = &callee.function.name;
        for (slot, result) in callee.function.results.iter().zip(results) {
            match (slot, result) {
                (Slot::Scalar(_, src), Arg::Reg(dst)) => self.set(*dst, callee.reg(*src)),
                (Slot::Array { mem, .. }, Arg::Mem(dst)) => {
                    self.mems[*dst as usize] = callee.mems[*mem as usize].clone();
                }
                _ => return Err(RunError::Internal(format!("result of wrong kind from `{name}`"))),
            }
        }
        Ok(())
    }

    /// Makes the error for a memory register that gets no block.
    fn refused(&self, why: Refused, mem: MemReg) -> RunError {
        match why {
            Refused::OutOfMemory(error) => {
                self.out_of_memory(error, self.function.mems[mem as usize].clone())
            }
            Refused::Other(error) => error,
        }
    }

    /// Makes the error for a failed allocation, listing the largest blocks of this activation.
    pub(super) fn out_of_memory(&self, error: OutOfMemory, by: BlockName) -> RunError {
        let mut held: Vec<(BlockName, u64)> = Vec::new();
        let mut seen = Vec::new();
        for (name, block) in self.function.mems.iter().zip(&self.mems) {
            let Some(block) = block else { continue };
            if block.bytes() > 0 && !seen.contains(&block.identity()) {
                seen.push(block.identity());
                held.push((name.clone(), block.bytes()));
            }
        }
        held.sort_by_key(|(_, bytes)| std::cmp::Reverse(*bytes));
        held.truncate(MOST_SHOWN);
        RunError::OutOfMemory { error, by, held }
    }

    pub(super) fn reg(&self, reg: Reg) -> u64 {
        self.regs[reg as usize]
    }

    fn set(&mut self, reg: Reg, bits: u64) {
        self.regs[reg as usize] = bits;
    }

    /// Replaces the block of a memory register; the old one may become a spare.
    fn set_mem(&mut self, mem: MemReg, held: Option<Held>) {
        let former = std::mem::replace(&mut self.mems[mem as usize], held);
        self.spares.keep(former);
    }

    fn scalar(&self, ty: ScalarType, reg: Reg) -> Scalar {
        Scalar::from_bits(ty, self.reg(reg))
    }

    pub(super) fn mem(&self, mem: MemReg) -> Result<&Held, RunError> {
        let block = self.mems[mem as usize].as_ref();
        block
            .ok_or_else(|| RunError::Internal(format!("memory {mem} of `{}` is not set", self.function.name)))
    }

    /// Returns a block and the byte offset of an element, which must lie in the block.
    fn element(&self, mem: MemReg, index: Reg, ty: ScalarType) -> Result<(&Held, u64), RunError> {
        let block = self.mem(mem)?;
        let (index, width) = (self.reg(index) as i64, ty.bytes() as u64);
        let inside = u64::try_from(index)
            .ok()
            .and_then(|index| index.checked_mul(width))
            .filter(|&at| at.checked_add(width).is_some_and(|end| end <= block.bytes()));
        match inside {
            Some(at) => Ok((block, at)),
            None => {
                Err(RunError::Internal(format!("element {index} outside a block of {} bytes", block.bytes())))
            }
        }
    }
}
