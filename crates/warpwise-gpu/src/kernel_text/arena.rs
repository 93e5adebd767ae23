//! Memory that work-items allocate while they run.
//!
//! ```text
//! __global uchar *const slot_start = arena + get_global_id(0) * slot;
//! long arena_top = 0;
//! ...
//! if ((ulong)bytes_3 > (ulong)(slot - arena_top)) { arena_full(failure, arena_top, bytes_3); return; }
//! row_m2 = (__global float *)(slot_start + arena_top);
//! arena_top += bytes_3 + 15 & -16;
//! ```
//!
//! A full slot ends the work-item, which is correct only if no other work-item waits for it at a barrier.
//!
//! On CUDA slots are interleaved: groups of bytes, each as large as the largest element, of neighbouring slots are adjacent, so
//! neighbouring work-items that access the same places of their slots access adjacent memory.
//!
//! ```text
//! const long line = (extent - first) * 4;              // from one element of a slot to the next
//! row_m2 = arena + arena_top / 4 * line + item * 4;
//! x_7 = *(float *)(row_m2 + i_6 * line);
//! ```
//!
//! Slots are not interleaved if a name stands for memory of the arena at one time and for other memory at another, or if
//! work-items combine words of it.

use rustc_hash::FxHashSet;
use warpwise_imp::{Mem, Operand, Reg};
use warpwise_prim::ScalarType;

use super::dialect::Dialect;
use super::helpers::Helper;
use super::printer::{Printed, Printer};
use super::survey::Survey;

/// Layout of the slots in an arena.
#[derive(Debug)]
pub(super) enum Slots {
    /// One slot after the other.
    Apart,
    /// Interleaved by elements.
    Interleaved {
        /// The memories in the slots.
        mems: FxHashSet<Mem>,
        /// Number of adjacent bytes of a slot.
        bytes: usize,
    },
}

impl Slots {
    /// Chooses the layout of a kernel's slots.
    pub fn of(survey: &Survey, dialect: Dialect) -> Slots {
        // Memory of the arena, the names that are set to it, and the other memories that these are set to.
        let of_arena =
            survey.taken.iter().map(|(mem, _)| *mem).filter(|mem| !survey.private.contains_key(mem));
        let mut mems: FxHashSet<Mem> = of_arena.collect();
        let taken = mems.clone();
        let related = |mems: &FxHashSet<Mem>| {
            let crosses = |&&(dst, src): &&(Mem, Mem)| mems.contains(&dst) != mems.contains(&src);
            survey.set.iter().find(crosses).copied()
        };
        while let Some((dst, src)) = related(&mems) {
            mems.extend([dst, src]);
        }
        let is_from_here = |mem: &Mem| taken.contains(mem) || survey.set.iter().any(|(dst, _)| dst == mem);
        let can_interleave = dialect == Dialect::Cuda
            && mems.iter().all(is_from_here)
            && !survey.shared.iter().any(|mem| mems.contains(mem));
        if !can_interleave {
            return Slots::Apart;
        }
        let accessed = survey.accessed.iter().filter(|(mem, _)| mems.contains(mem));
        let bytes = accessed.map(|(_, elem)| elem.bytes()).max().unwrap_or(1);
        Slots::Interleaved { mems, bytes }
    }

    /// Returns the number of adjacent bytes if a memory is in interleaved slots.
    pub fn bytes_together(&self, mem: Mem) -> Option<usize> {
        match self {
            Slots::Interleaved { mems, bytes } if mems.contains(&mem) => Some(*bytes),
            Slots::Interleaved { .. } | Slots::Apart => None,
        }
    }
}

impl Printer<'_> {
    /// Prints the start of the work-item's slot.
    pub fn slot(&mut self) -> Printed<()> {
        if self.kernel.group.is_some() {
            return self.limit("memory of work-items that wait for others");
        }
        let byte = self.dialect.ty(ScalarType::Bool);
        let space = self.dialect.space(warpwise_imp::Space::Arena);
        let item = self.dialect.work_item();
        match &self.slots {
            Slots::Apart => self.line(&format!("{space} {byte} *const slot_start = arena + {item} * slot;")),
            Slots::Interleaved { bytes, .. } => {
                let line = format!("const long line = (extent - first) * {bytes};");
                self.line(&line);
            }
        }
        self.line("long arena_top = 0;");
        Ok(())
    }

    /// Prints the allocation of a block from the slot.
    pub fn arena_alloc(&mut self, dst: Mem, bytes: Operand) -> Printed<()> {
        if self.survey.private.contains_key(&dst) {
            return Ok(());
        }
        Helper::ArenaFull.add_to(self.helpers);
        let (name, bytes) = (self.mem(dst), self.operand(bytes));
        let pointer = self.pointer(dst, false);
        let unsigned = self.dialect.unsigned(ScalarType::I64);
        self.line(&format!("if (({unsigned}){bytes} > ({unsigned})(slot - arena_top)) {{"));
        self.line(&format!("    arena_full(failure, arena_top, {bytes});"));
        self.unlock("    ");
        self.line("    return;");
        self.line("}");
        match self.slots.bytes_together(dst) {
            None => self.line(&format!("{name} = ({pointer})(slot_start + arena_top);")),
            Some(together) => {
                let item = self.dialect.work_item();
                self.line(&format!("{name} = arena + arena_top / {together} * line + {item} * {together};"));
            }
        }
        self.line(&format!("arena_top += ({bytes} + 15) & -16;"));
        Ok(())
    }

    /// Returns an element of a memory in interleaved slots, with `together` adjacent bytes.
    pub(super) fn interleaved(&self, mem: Mem, elem: ScalarType, index: &str, together: usize) -> String {
        let (name, ty, bytes) = (self.mem(mem), self.dialect.ty(elem), elem.bytes());
        if bytes == together {
            return format!("*({ty} *)({name} + {index} * line)");
        }
        let each = together / bytes;
        let (line, rest) = (each.ilog2(), each - 1);
        format!("*({ty} *)({name} + ({index} >> {line}) * line + ({index} & {rest}) * {bytes})")
    }

    /// Prints the assignment of the slot's fill level to a register.
    pub fn arena_mark(&mut self, dst: Reg) -> Printed<()> {
        let full = if self.survey.arena { "arena_top" } else { "0" };
        self.assign(dst, Some(full.to_string()))
    }

    /// Prints the release of all memory taken since a mark.
    pub fn arena_reset(&mut self, mark: Operand) {
        if self.survey.arena {
            let line = format!("arena_top = {};", self.operand(mark));
            self.line(&line);
        }
    }
}
