//! Kernels whose work-items do neighbouring iterations, so that the elements of these are loaded and stored together.
//!
//! ```text
//! const long start = first + 4 * item;
//! const Several<float, 4> together_xs = *(const Several<float, 4> *)(xs + start);
//! Several<float, 4> together_ys;
//! #pragma unroll
//! for (int step = 0; step < 4; step++) { unit = start + step; x = together_xs.at[step]; ...; together_ys.at[step] = y; }
//! *(Several<float, 4> *)(ys + start) = together_ys;
//! ```
//!
//! One load of sixteen bytes keeps as much memory traffic under way as four loads of four bytes, or sixteen of single bytes.
//!
//! Only for straight-line kernels that access nothing but such elements and elements that are the same for all iterations: loads
//! of other elements, which do not share cache lines between neighbours, would be spread over more lines than before (see
//! [`strides`](super::strides) for these). An array is either read or written. Arrays begin where buffers do, at multiples of 256
//! bytes.

use warpwise_imp::{Kernel, Mem, Op, Operand, Reg, ops};
use warpwise_prim::ScalarType;

use super::printer::{Printed, Printer};
use super::survey::{Elements, Survey};

/// Number of bytes loaded or stored at a time: more would be several accesses, each to a part of the neighbours' common range.
const BYTES: u32 = 16;

/// Maximum number of operations in all iterations of a work-item.
const MOST_OPERATIONS: usize = 192;

/// The arrays that a kernel loads and stores together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Together {
    /// Register of the iteration.
    unit: Reg,
    loaded: Vec<(Mem, ScalarType)>,
    stored: Vec<(Mem, ScalarType)>,
    /// Number of iterations.
    pub count: u32,
}

/// Returns the arrays that a kernel can load and store together, if it is of that kind.
pub(super) fn together(kernel: &Kernel, survey: &Survey) -> Option<Together> {
    let [Op::For { index, from, to, step: 1, body }] = kernel.body.as_slice() else { return None };
    if kernel.group.is_some() || *from != kernel.lo.into() || *to != kernel.hi.into() {
        return None;
    }
    let mut found = Together { unit: *index, loaded: Vec::new(), stored: Vec::new(), count: 1 };
    body.iter().try_for_each(|op| found.add(survey, op))?;
    let widest = found.loaded.iter().chain(&found.stored).map(|(_, ty)| ty.bytes() as u32).max()?;
    let most = (MOST_OPERATIONS / body.len()) as u32;
    found.count = (BYTES / widest).min(most.checked_ilog2().map_or(0, |log| 1 << log));
    (found.count > 1).then_some(found)
}

/// Returns whether an operation only computes.
fn computes(op: &Op) -> bool {
    match op {
        Op::Move { .. }
        | Op::Unary { .. }
        | Op::Binary { .. }
        | Op::Ternary { .. }
        | Op::Compare { .. }
        | Op::Convert { .. }
        | Op::Select { .. } => true,
        Op::If { then_block, else_block, .. } => then_block.iter().chain(else_block).all(computes),
        ops!(lane, access, SetMem, arena, For, While, Scope, Leave, Fail, flag, group, host) => false,
    }
}

impl Together {
    /// Adds an operation of an iteration; `None` if it must not occur in such a kernel.
    fn add(&mut self, survey: &Survey, op: &Op) -> Option<()> {
        match op {
            Op::Load { mem, index, mask: None, .. } => {
                if *index == self.unit.into() && !survey.written.contains(mem) {
                    return self.note(survey, *mem, false);
                }
                // The element is the same for all iterations.
                let assigned = |reg| survey.assigned.get(&reg).copied().unwrap_or(0) > 0;
                (!matches!(*index, Operand::Reg(reg) if assigned(reg))).then_some(())
            }
            Op::Store { mem, index, mask: None, .. } => {
                let once = !self.stored.iter().any(|(stored, _)| stored == mem);
                let own = *index == self.unit.into() && !survey.read.contains(mem);
                if once && own { self.note(survey, *mem, true) } else { None }
            }
            other @ ops!(value, lane, access, SetMem, arena, control, Fail, flag, group, host) => {
                computes(other).then_some(())
            }
        }
    }

    fn note(&mut self, survey: &Survey, mem: Mem, stored: bool) -> Option<()> {
        let Some(Elements::One(ty)) = survey.elements.get(&mem) else { return None };
        let known = if stored { &mut self.stored } else { &mut self.loaded };
        if !known.contains(&(mem, *ty)) {
            known.push((mem, *ty));
        }
        Some(())
    }
}

impl Printer<'_> {
    /// Returns the variable that holds an element of this iteration, if it is loaded or stored together with others.
    pub(super) fn at_hand(&self, mem: Mem, index: Operand) -> Option<String> {
        let together = self.at_hand.as_ref().filter(|together| index == together.unit.into())?;
        let mut known = together.loaded.iter().chain(&together.stored);
        known.any(|(known, _)| *known == mem).then(|| format!("together_{}.at[step]", self.mem(mem)))
    }

    /// Prints the kernel's body for neighbouring iterations: all at once if there are enough, otherwise one by one.
    pub(super) fn neighbours(&mut self, together: Together) -> Printed<()> {
        let [Op::For { index, body, .. }] = self.kernel.body.as_slice() else {
            return self.bug("several iterations of what is not one loop");
        };
        let (lo, hi, unit) = (self.reg(self.kernel.lo), self.reg(self.kernel.hi), self.reg(*index));
        let (count, item) = (together.count, self.dialect.work_item());
        // If there are fewer work-items than iterations, each does several.
        self.line(&format!("const bool several = stride < {hi} - first;"));
        self.line(&format!("const long start = several ? first + {count} * {item} : {lo};"));
        self.line(&format!("const long end = several ? start + {count} : start + 1;"));
        self.line(&format!("if (several && end <= {hi} && first % {count} == 0) {{"));
        let several =
            |printer: &Self, ty: ScalarType| format!("Several<{}, {count}>", printer.dialect.ty(ty));
        for &(mem, ty) in &together.loaded {
            let (several, mem) = (several(self, ty), self.mem(mem));
            self.line(&format!("    const {several} together_{mem} = *(const {several} *)({mem} + start);"));
        }
        for &(mem, ty) in &together.stored {
            let (several, mem) = (several(self, ty), self.mem(mem));
            self.line(&format!("    {several} together_{mem};"));
        }
        self.line("    #pragma unroll");
        self.line(&format!("    for (int step = 0; step < {count}; step++) {{"));
        self.line(&format!("        {unit} = start + step;"));
        let stored = together.stored.clone();
        self.at_hand = Some(together);
        self.further_in(body)?;
        self.at_hand = None;
        self.line("    }");
        for (mem, ty) in stored {
            let (several, mem) = (several(self, ty), self.mem(mem));
            self.line(&format!("    *({several} *)({mem} + start) = together_{mem};"));
        }
        self.line("} else {");
        self.line("    #pragma unroll 1");
        self.line(&format!("    for ({unit} = start; {unit} < end && {unit} < {hi}; {unit} += 1) {{"));
        self.further_in(body)?;
        self.line("    }");
        self.line("}");
        Ok(())
    }
}
