//! What must be known of a kernel before its first line is printed.

use rustc_hash::FxHashMap;
use warpwise_imp::{Block, Kernel, Mem, Op, Operand, Reg};
use warpwise_prim::ScalarType;

use super::private::private;

/// How the elements of a memory are accessed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Elements {
    /// All as this type.
    One(ScalarType),
    /// As several types, or through another memory's name.
    Several,
}

/// Facts about a kernel.
#[derive(Default, Debug)]
pub(super) struct Survey {
    /// How often each register is assigned; those that are read but never assigned count 0.
    pub assigned: FxHashMap<Reg, usize>,
    /// How memories are accessed, for those that are.
    pub elements: FxHashMap<Mem, Elements>,
    /// Memories that are read, by any name of theirs that is a parameter.
    pub read: Vec<Mem>,
    /// Memories that are written.
    pub written: Vec<Mem>,
    /// Whether a check, or taking memory, can fail.
    pub fails: bool,
    /// Whether work-items take memory of the arena.
    pub arena: bool,
    /// Every access to an element, by any name.
    pub accessed: Vec<(Mem, ScalarType)>,
    /// Memories that are set to others.
    pub set: Vec<(Mem, Mem)>,
    /// Memories that work-items take for themselves, with their bytes.
    pub taken: Vec<(Mem, Operand)>,
    /// Those of them that are variables, with their bytes.
    pub private: FxHashMap<Mem, i64>,
    /// Memories of which words are combined or waited for.
    pub shared: Vec<Mem>,
    /// Whether work-items use what others have written: after a barrier, a flag, or under a lock.
    pub meets: bool,
}

/// Surveys a kernel.
pub(super) fn survey(kernel: &Kernel) -> Survey {
    let mut survey = Survey::default();
    survey.block(kernel, &kernel.body);
    survey.private = private(&survey);
    for (mem, _) in &survey.taken {
        // Even where nothing is loaded or stored it must be declared.
        survey.elements.entry(*mem).or_insert(Elements::Several);
    }
    survey.arena = survey.taken.iter().any(|(mem, _)| !survey.private.contains_key(mem));
    survey.fails |= survey.arena;
    survey
}

impl Survey {
    fn block(&mut self, kernel: &Kernel, block: &Block) {
        block.iter().for_each(|op| self.op(kernel, op));
    }

    fn reads(&mut self, operands: &[Operand]) {
        for operand in operands {
            if let Operand::Reg(reg) = operand {
                self.assigned.entry(*reg).or_insert(0);
            }
        }
    }

    fn assigns(&mut self, reg: Reg) {
        *self.assigned.entry(reg).or_insert(0) += 1;
    }

    fn access(&mut self, mem: Mem, elements: Elements) {
        if let Elements::One(elem) = elements {
            self.accessed.push((mem, elem));
        }
        let known = *self.elements.entry(mem).or_insert(elements);
        if known != elements {
            self.elements.insert(mem, Elements::Several);
        }
    }

    /// Words that others write meanwhile are read, and maybe written.
    fn takes_word(&mut self, mem: Mem, dsts: &[Reg], indices: &[Operand]) {
        self.meets = true;
        self.reads(indices);
        dsts.iter().for_each(|&dst| self.assigns(dst));
        self.access(mem, Elements::One(ScalarType::I32));
        self.read.push(mem);
        self.written.push(mem);
    }

    fn op(&mut self, kernel: &Kernel, op: &Op) {
        match op {
            Op::Move { dst, x } | Op::Unary { dst, x, .. } | Op::Convert { dst, x, .. } => {
                self.reads(&[*x]);
                self.assigns(*dst);
            }
            Op::Binary { dst, x, y, .. } | Op::Compare { dst, x, y, .. } => {
                self.reads(&[*x, *y]);
                self.assigns(*dst);
            }
            Op::Ternary { dst, x, y, z, .. } | Op::Select { dst, cond: x, x: y, y: z } => {
                self.reads(&[*x, *y, *z]);
                self.assigns(*dst);
            }
            Op::Load { dst, mem, index, mask, ahead: _ } => {
                self.access(*mem, Elements::One(kernel.regs[*dst].ty.scalar));
                self.read.push(*mem);
                self.reads(&[*index]);
                self.reads(mask.as_slice());
                self.assigns(*dst);
            }
            Op::Store { mem, index, value, elem, mask, .. }
            | Op::Atomic { mem, index, value, elem, mask, .. } => {
                self.reads(&[*index, *value]);
                self.reads(mask.as_slice());
                self.access(*mem, Elements::One(*elem));
                self.written.push(*mem);
                if matches!(op, Op::Atomic { .. }) {
                    self.read.push(*mem);
                    self.shared.push(*mem);
                }
            }
            Op::SetMem { dst, src } => {
                self.set.push((*dst, *src));
                self.read.push(*src);
                self.written.push(*src);
                self.access(*dst, Elements::Several);
                self.access(*src, Elements::Several);
            }
            Op::If { cond, then_block, else_block } => {
                self.reads(&[*cond]);
                self.block(kernel, then_block);
                self.block(kernel, else_block);
            }
            Op::For { index, from, to, body, .. } => {
                self.reads(&[*from, *to]);
                self.assigns(*index);
                self.block(kernel, body);
            }
            Op::While { test, cond, body } => {
                self.reads(&[*cond]);
                self.block(kernel, test);
                self.block(kernel, body);
            }
            Op::Scope { body, .. } => self.block(kernel, body),
            Op::Locked { mem, index, body } => {
                self.reads(&[*index]);
                self.access(*mem, Elements::One(ScalarType::I32));
                self.read.push(*mem);
                self.written.push(*mem);
                self.shared.push(*mem);
                self.meets = true;
                self.block(kernel, body);
            }
            Op::Fail { iteration, values, .. } => {
                self.reads(&[*iteration]);
                self.reads(values);
                self.fails = true;
            }
            Op::ArenaAlloc { dst, bytes } => {
                self.taken.push((*dst, *bytes));
                self.reads(&[*bytes]);
            }
            Op::ArenaMark { dst } => self.assigns(*dst),
            Op::ArenaReset { mark } => self.reads(&[*mark]),
            Op::Ticket { dst, mem, index } => self.takes_word(*mem, &[*dst], &[*index]),
            Op::Await { dsts, mem, indices } => self.takes_word(*mem, dsts, indices),
            Op::Publish { mem, index, value: _ } => {
                self.meets = true;
                self.reads(&[*index]);
                self.access(*mem, Elements::One(ScalarType::I32));
                self.written.push(*mem);
            }
            Op::Barrier => self.meets = true,
            Op::Leave { .. } | Op::Claim { .. } => {}
            // The printer refuses these.
            Op::LaneIds { .. }
            | Op::Extract { .. }
            | Op::Insert { .. }
            | Op::Shuffle { .. }
            | Op::Any { .. }
            | Op::All { .. }
            | Op::Count { .. }
            | Op::First { .. }
            | Op::CompressStore { .. }
            | Op::WaitFlag { .. }
            | Op::SetFlag { .. }
            | Op::Alloc { .. }
            | Op::Release { .. }
            | Op::Launch(_)
            | Op::Copy { .. }
            | Op::Fill { .. }
            | Op::Tuned { .. }
            | Op::Threads { .. }
            | Op::Call { .. } => {}
        }
    }
}
