//! Facts about a kernel that are needed before its first line is printed.

use rustc_hash::{FxHashMap, FxHashSet};
use warpwise_imp::traverse::for_each_op;
use warpwise_imp::{Kernel, Mem, Op, Operand, Reg, ops};
use warpwise_prim::ScalarType;

use super::private::private;

/// Kinds of access to the elements of a memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Elements {
    /// All elements are accessed as this type.
    One(ScalarType),
    /// Elements are accessed as several types, or through another memory's name.
    Several,
}

/// Facts about a kernel.
#[derive(Default, Debug)]
pub(super) struct Survey {
    /// Number of assignments of each register; 0 for registers that are read but never assigned.
    pub assigned: FxHashMap<Reg, usize>,
    /// Registers that are combined by idempotent operators.
    pub chosen: FxHashSet<Reg>,
    /// Accesses by memory, for memories that are accessed.
    pub elements: FxHashMap<Mem, Elements>,
    /// Memories that are read, or that another name is set to.
    pub read: Vec<Mem>,
    /// Memories that are written, or that another name is set to.
    pub written: Vec<Mem>,
    /// Whether a check or an allocation can fail.
    pub fails: bool,
    /// Whether work-items allocate from the arena.
    pub arena: bool,
    /// Every access to an element, by any name.
    pub accessed: Vec<(Mem, ScalarType)>,
    /// Pairs of a memory name and a memory that it is set to.
    pub set: Vec<(Mem, Mem)>,
    /// Memories that work-items allocate, with their sizes in bytes.
    pub taken: Vec<(Mem, Operand)>,
    /// The allocated memories that are variables, with their sizes in bytes.
    pub private: FxHashMap<Mem, i64>,
    /// Memories with words that are combined atomically or serve as locks.
    pub shared: Vec<Mem>,
    /// Whether work-items use results of others: after a barrier, a flag, or under a lock.
    pub meets: bool,
}

/// Surveys a kernel.
pub(super) fn survey(kernel: &Kernel) -> Survey {
    let mut survey = Survey::default();
    for_each_op(&kernel.body, &mut |op| survey.op(kernel, op));
    survey.private = private(&survey);
    for (mem, _) in &survey.taken {
        // Such memory must be declared even if nothing is loaded or stored.
        survey.elements.entry(*mem).or_insert(Elements::Several);
    }
    survey.arena = survey.taken.iter().any(|(mem, _)| !survey.private.contains_key(mem));
    survey.fails |= survey.arena;
    survey
}

impl Survey {
    fn access(&mut self, mem: Mem, elements: Elements) {
        if let Elements::One(elem) = elements {
            self.accessed.push((mem, elem));
        }
        let known = *self.elements.entry(mem).or_insert(elements);
        if known != elements {
            self.elements.insert(mem, Elements::Several);
        }
    }

    /// Notes a word that others write meanwhile: it is read, and possibly written.
    fn takes_word(&mut self, mem: Mem, ty: ScalarType) {
        self.meets = true;
        self.access(mem, Elements::One(ty));
        self.read.push(mem);
        self.written.push(mem);
    }

    fn op(&mut self, kernel: &Kernel, op: &Op) {
        op.for_each_operand(|x| {
            if let Operand::Reg(reg) = x {
                self.assigned.entry(reg).or_insert(0);
            }
        });
        op.for_each_assigned(|reg| *self.assigned.entry(reg).or_insert(0) += 1);
        match op {
            Op::Binary { op, x, y, .. } if op.is_idempotent() => {
                let regs = [*x, *y].into_iter().filter_map(|x| match x {
                    Operand::Reg(reg) => Some(reg),
                    Operand::Const(_) => None,
                });
                self.chosen.extend(regs);
            }
            Op::Load { dst, mem, .. } => {
                self.access(*mem, Elements::One(kernel.regs[*dst].ty.scalar));
                self.read.push(*mem);
            }
            Op::Store { mem, elem, .. } => {
                self.access(*mem, Elements::One(*elem));
                self.written.push(*mem);
            }
            Op::Atomic { mem, elem, .. } => {
                self.access(*mem, Elements::One(*elem));
                self.read.push(*mem);
                self.written.push(*mem);
                self.shared.push(*mem);
            }
            Op::SetMem { dst, src } => {
                self.set.push((*dst, *src));
                self.read.push(*src);
                self.written.push(*src);
                self.access(*dst, Elements::Several);
                self.access(*src, Elements::Several);
            }
            Op::Locked { mem, .. } => {
                self.takes_word(*mem, ScalarType::I32);
                self.shared.push(*mem);
            }
            Op::Ticket { mem, .. } => self.takes_word(*mem, ScalarType::I32),
            Op::Await { dst, mem, .. } => self.takes_word(*mem, kernel.regs[*dst].ty.scalar),
            Op::Publish { mem, value, .. } => {
                let ty = match value {
                    Operand::Reg(reg) => kernel.regs[*reg].ty.scalar,
                    Operand::Const(value) => value.ty(),
                };
                self.takes_word(*mem, ty);
            }
            Op::Fail { .. } => self.fails = true,
            Op::ArenaAlloc { dst, bytes } => self.taken.push((*dst, *bytes)),
            Op::Barrier => self.meets = true,
            // The other operations touch no memory, or the printer refuses them.
            ops!(value, lane, Claim, CompressStore, ArenaMark, ArenaReset, control, flag, host) => {}
        }
    }
}
