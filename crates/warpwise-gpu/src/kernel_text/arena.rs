//! Memory that work-items take for themselves while they run.
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
//! A full slot ends the work-item, which is right only where no other waits for it at a barrier.

use warpwise_imp::{Mem, Operand, Reg};
use warpwise_prim::ScalarType;

use super::helpers::Helper;
use super::printer::{Printed, Printer};

impl Printer<'_> {
    /// The work-item's slot.
    pub fn slot(&mut self) -> Printed<()> {
        if self.kernel.group.is_some() {
            return self.limit("memory of work-items that wait for others");
        }
        let bytes = self.dialect.ty(ScalarType::Bool);
        let space = self.dialect.space(warpwise_imp::Space::Arena);
        let item = self.dialect.work_item();
        self.line(&format!("{space} {bytes} *const slot_start = arena + {item} * slot;"));
        self.line("long arena_top = 0;");
        Ok(())
    }

    /// Takes a block from the slot.
    pub fn arena_alloc(&mut self, dst: Mem, bytes: Operand) -> Printed<()> {
        Helper::ArenaFull.add_to(self.helpers);
        let (name, bytes) = (self.mem(dst), self.operand(bytes));
        let pointer = self.pointer(dst, false);
        let unsigned = self.dialect.unsigned(ScalarType::I64);
        self.line(&format!("if (({unsigned}){bytes} > ({unsigned})(slot - arena_top)) {{"));
        self.line(&format!("    arena_full(failure, arena_top, {bytes});"));
        self.line("    return;");
        self.line("}");
        self.line(&format!("{name} = ({pointer})(slot_start + arena_top);"));
        self.line(&format!("arena_top += ({bytes} + 15) & -16;"));
        Ok(())
    }

    /// How full the slot is.
    pub fn arena_mark(&mut self, dst: Reg) -> Printed<()> {
        let full = if self.survey.arena { "arena_top" } else { "0" };
        self.assign(dst, Some(full.to_string()))
    }

    /// Gives back what was taken since a mark.
    pub fn arena_reset(&mut self, mark: Operand) {
        if self.survey.arena {
            let line = format!("arena_top = {};", self.operand(mark));
            self.line(&line);
        }
    }
}
