//! Kernels on a device: work-items one after the other, and the work-items of a group in step.
//!
//! The work-items of a group run one operation after the other, each operation for all that take part in it, so that all of them
//! arrive at a barrier together. Branches run for the work-items that take them, loops until the last work-item leaves. A barrier
//! that not all work-items reach is an error, and so are accesses that race.

use std::cell::RefCell;
use std::rc::Rc;

use super::machine::{Frame, Stop, earlier, in_kernel};
use super::memory::{Block, Bytes};
use super::races::{Touches, Who};
use crate::op::{Label, Op};
use crate::ops;
use crate::program::{Group, Kernel, Launch, LocalArray};
use crate::types::{Operand, Reg};
use warpwise_ir::entity::Entity;
use warpwise_prim::Scalar;

/// The work-items of a group, or a single one.
struct Items<'p> {
    frames: Vec<Frame<'p>>,
    /// Scope that each work-item is leaving.
    leaving: Vec<Option<Label>>,
}

/// Indices of the work-items that take part.
type Active = Vec<usize>;

impl<'p> Frame<'p> {
    /// Runs a launch as a device does: one work-item or work-group for each iteration, the last one first.
    pub fn launch_on_device(&self, launch: &Launch, extent: i64) -> Result<(), Stop> {
        let kernel = &self.program.kernels[launch.kernel];
        let touches = Rc::new(RefCell::new(Touches::default()));
        let mut first: Option<Stop> = None;
        for iteration in (0..extent.max(0)).rev() {
            let mut items = self.items(kernel, launch, iteration, &touches)?;
            let all = (0..items.frames.len()).collect();
            items.block(&kernel.body, &all).map_err(|stop| in_kernel(kernel, stop))?;
            for frame in items.frames {
                first = earlier(first, frame.failed.flatten());
            }
        }
        first.map_or(Ok(()), Err)
    }

    fn items(
        &self,
        kernel: &'p Kernel,
        launch: &Launch,
        iteration: i64,
        touches: &Rc<RefCell<Touches>>,
    ) -> Result<Items<'p>, Stop> {
        let mut frames: Vec<Frame<'p>> = Vec::new();
        for item in 0..kernel.group.as_ref().map_or(1, |group| group.size as usize) {
            let mut frame = Frame::new(self.program, &kernel.regs, kernel.mems.len(), Some(None));
            self.pass_arguments(kernel, launch, &mut frame)?;
            frame.set(kernel.lo, vec![Scalar::I64(iteration)])?;
            frame.set(kernel.hi, vec![Scalar::I64(iteration + 1)])?;
            if let Some(group) = &kernel.group {
                frame.set(group.item, vec![Scalar::I64(item as i64)])?;
            }
            for array in kernel.group.iter().flat_map(|group: &Group| &group.local) {
                let at = array.mem.index();
                frame.mems[at] = match frames.first() {
                    Some(first) => first.mems[at].clone(),
                    None => Some(frame.local_array(array)?),
                };
            }
            frame.observed =
                Some((Who { iteration, item, barriers: 0, acquired: false }, Rc::clone(touches)));
            frames.push(frame);
        }
        let leaving = vec![None; frames.len()];
        Ok(Items { frames, leaving })
    }
}

impl Frame<'_> {
    /// Allocates a local array of a work-group whose work-items have the same arguments as this frame.
    fn local_array(&self, array: &LocalArray) -> Result<Block, Stop> {
        let count = self.int(array.count)?;
        Ok(Bytes::fresh(count * array.elem.bytes() as i64)?)
    }
}

impl Items<'_> {
    /// Runs a block for the work-items that take part and are not leaving a scope.
    fn block(&mut self, block: &[Op], active: &Active) -> Result<(), Stop> {
        for op in block {
            let staying: Active = active.iter().copied().filter(|&i| self.leaving[i].is_none()).collect();
            if staying.is_empty() {
                return Ok(());
            }
            self.op(op, &staying)?;
        }
        Ok(())
    }

    fn op(&mut self, op: &Op, active: &Active) -> Result<(), Stop> {
        match op {
            Op::If { cond, then_block, else_block } => {
                let (yes, no) = self.split(*cond, active)?;
                self.block(then_block, &yes)?;
                self.block(else_block, &no)
            }
            Op::For { index, from, to, step, body } => {
                self.counting_loop(*index, (*from, *to, *step), body, active)
            }
            Op::While { test, cond, body } => {
                let mut running = active.clone();
                while !running.is_empty() {
                    self.block(test, &running)?;
                    running.retain(|&i| self.leaving[i].is_none());
                    running = self.split(*cond, &running)?.0;
                    self.block(body, &running)?;
                    running.retain(|&i| self.leaving[i].is_none());
                }
                Ok(())
            }
            Op::Scope { label, body } => {
                self.block(body, active)?;
                for &i in active {
                    if self.leaving[i] == Some(*label) {
                        self.leaving[i] = None;
                    }
                }
                Ok(())
            }
            Op::Leave { label } => {
                active.iter().for_each(|&i| self.leaving[i] = Some(*label));
                Ok(())
            }
            Op::Locked { body, .. } => active.iter().try_for_each(|&i| {
                self.frames[i].locked = true;
                let done = self.block(body, &vec![i]);
                self.frames[i].locked = false;
                done
            }),
            Op::Barrier => self.barrier(active),
            simple @ ops!(value, lane, access, SetMem, arena, Fail, flag, Ticket, Publish, Await, host) => {
                active.iter().try_for_each(|&i| self.frames[i].simple(simple))
            }
        }
    }

    /// Splits the work-items into those for which a condition holds, and the others.
    fn split(&self, cond: Operand, active: &Active) -> Result<(Active, Active), Stop> {
        let (mut yes, mut no) = (Active::new(), Active::new());
        for &i in active {
            if self.frames[i].truth(cond)? { yes.push(i) } else { no.push(i) }
        }
        Ok((yes, no))
    }

    fn counting_loop(
        &mut self,
        index: Reg,
        (from, to, step): (Operand, Operand, i64),
        body: &[Op],
        active: &Active,
    ) -> Result<(), Stop> {
        let mut counts = Vec::new();
        for &i in active {
            counts.push((i, self.frames[i].int(from)?, self.frames[i].int(to)?));
        }
        loop {
            counts.retain(|&(i, at, to)| at < to && self.leaving[i].is_none());
            if counts.is_empty() {
                return Ok(());
            }
            for (i, at, _) in &mut counts {
                let ty = self.frames[*i].scalar_type(index);
                self.frames[*i].set(index, vec![Scalar::int(ty, *at)])?;
                *at += step;
            }
            let running = counts.iter().map(|&(i, ..)| i).collect();
            self.block(body, &running)?;
        }
    }

    fn barrier(&mut self, active: &Active) -> Result<(), Stop> {
        if active.len() != self.frames.len() {
            let message =
                format!("a barrier that {} of {} work-items reach", active.len(), self.frames.len());
            return Err(Stop::Wrong(message));
        }
        let acquired =
            self.frames.iter().any(|frame| matches!(&frame.observed, Some((who, _)) if who.acquired));
        for frame in &mut self.frames {
            if let Some((who, _)) = &mut frame.observed {
                who.barriers += 1;
                who.acquired = acquired;
            }
        }
        Ok(())
    }
}
