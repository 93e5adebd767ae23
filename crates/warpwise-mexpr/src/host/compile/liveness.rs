//! Marking of the last reads of slots.
//!
//! Code only jumps forward, so one walk from the end visits every use after an instruction before the instruction.

use super::super::code::{Function, Instr, Slot, Use};

/// Marks the last uses in a function.
pub(super) fn mark_last_uses(function: &mut Function) {
    let n_slots = function.n_slots as usize;
    let mut is_target = vec![false; function.code.len() + 1];
    for instr in &function.code {
        if let Some(target) = target(instr) {
            is_target[target as usize] = true;
        }
    }
    // The live slots at the targets of jumps.
    let mut at_target: Vec<Option<Live>> = vec![None; function.code.len() + 1];
    let mut live = Live::new(n_slots);
    for index in (0..function.code.len()).rev() {
        let instr = &mut function.code[index];
        if let Some(target) = target(instr) {
            let there = at_target[target as usize].clone().unwrap_or_else(|| Live::new(n_slots));
            if matches!(instr, Instr::Jump { .. }) {
                live = there;
            } else {
                live.add(&there);
            }
        }
        if matches!(
            instr,
            Instr::Return { .. } | Instr::TailCall { .. } | Instr::TailDirect { .. } | Instr::Never
        ) {
            live = Live::new(n_slots);
        }
        visit(instr, &mut live);
        if is_target[index] {
            at_target[index] = Some(live.clone());
        }
    }
}

#[derive(Clone)]
struct Live(Vec<u64>);

impl Live {
    fn new(n_slots: usize) -> Live {
        Live(vec![0; n_slots.div_ceil(64)])
    }

    fn add(&mut self, other: &Live) {
        self.0.iter_mut().zip(&other.0).for_each(|(here, there)| *here |= there);
    }

    fn written(&mut self, slot: Slot) {
        self.0[slot.0 as usize / 64] &= !(1 << (slot.0 % 64));
    }

    /// Marks a slot as live; returns whether it was live before.
    fn looked(&mut self, slot: Slot) -> bool {
        let word = &mut self.0[slot.0 as usize / 64];
        let bit = 1 << (slot.0 % 64);
        let was = *word & bit != 0;
        *word |= bit;
        was
    }

    fn read(&mut self, operand: &mut Use) {
        operand.last = !self.looked(operand.slot);
    }
}

fn target(instr: &Instr) -> Option<u32> {
    match instr {
        Instr::Jump { target }
        | Instr::UnlessBool { target, .. }
        | Instr::UnlessInt { target, .. }
        | Instr::UnlessChar { target, .. }
        | Instr::UnlessCon { target, .. }
        | Instr::UnlessLength { target, .. } => Some(*target),
        _ => None,
    }
}

/// Steps backwards over an instruction: the slot it writes is dead before it, and those it reads are live.
fn visit(instr: &mut Instr, live: &mut Live) {
    match instr {
        Instr::Int { to, .. }
        | Instr::Float { to, .. }
        | Instr::Char { to, .. }
        | Instr::Bool { to, .. }
        | Instr::Unit { to }
        | Instr::String { to, .. }
        | Instr::BuiltinValue { to, .. }
        | Instr::Global { to, .. } => live.written(*to),
        Instr::SetGlobal { from, .. } | Instr::Return { from } => live.read(from),
        Instr::Move { to, from }
        | Instr::Project { to, from, .. }
        | Instr::Construct { to, held: from, .. }
        | Instr::Held { to, from, .. }
        | Instr::Item { to, from, .. }
        | Instr::Middle { to, from, .. } => {
            live.written(*to);
            live.read(from);
        }
        Instr::Update { to, from, value, .. } => {
            live.written(*to);
            live.read(value);
            live.read(from);
        }
        Instr::Equal { to, left, right } => {
            live.written(*to);
            live.read(right);
            live.read(left);
        }
        Instr::Record { to, fields: operands, .. }
        | Instr::Seq { to, items: operands }
        | Instr::Closure { to, captured: operands, .. }
        | Instr::Direct { to, arguments: operands, .. }
        | Instr::Accelerate { to, arguments: operands, .. }
        | Instr::Builtin { to, arguments: operands, .. } => {
            live.written(*to);
            operands.iter_mut().rev().for_each(|operand| live.read(operand));
        }
        Instr::Call { to, function, arguments } => {
            live.written(*to);
            arguments.iter_mut().rev().for_each(|operand| live.read(operand));
            live.read(function);
        }
        Instr::TailCall { function, arguments } => {
            arguments.iter_mut().rev().for_each(|operand| live.read(operand));
            live.read(function);
        }
        Instr::TailDirect { arguments, .. } => {
            arguments.iter_mut().rev().for_each(|operand| live.read(operand));
        }
        Instr::UnlessBool { slot, .. }
        | Instr::UnlessInt { slot, .. }
        | Instr::UnlessChar { slot, .. }
        | Instr::UnlessCon { slot, .. }
        | Instr::UnlessLength { slot, .. } => {
            live.looked(*slot);
        }
        Instr::Failed { message, actual, expected } => {
            live.read(expected);
            live.read(actual);
            message.iter_mut().for_each(|message| live.read(message));
        }
        Instr::Jump { .. } | Instr::Never | Instr::Passed => {}
    }
}
