//! Patterns: tests that jump on failure, and slots for names.

use std::collections::BTreeSet;

use crate::accelerate::variables::pattern_vars;
use crate::tree::{Pat, PatKind, VarId};

use super::super::code::{Instr, Slot};
use super::{Compiler, read};

impl Compiler<'_> {
    /// Tests the value in a slot; adds the jumps that are taken on a mismatch to `fails`.
    pub(super) fn pattern(&mut self, pat: &Pat, slot: Slot, fails: &mut Vec<usize>) {
        let span = pat.span;
        match &pat.kind {
            PatKind::Wildcard => {}
            PatKind::Var(var) => {
                self.body.slots.insert(*var, slot);
            }
            PatKind::Int(value) => {
                self.test(pat, fails, Instr::UnlessInt { slot, value: *value, target: u32::MAX })
            }
            PatKind::Char(value) => {
                self.test(pat, fails, Instr::UnlessChar { slot, value: *value, target: u32::MAX })
            }
            PatKind::Bool(value) => {
                self.test(pat, fails, Instr::UnlessBool { slot, value: *value, target: u32::MAX })
            }
            PatKind::Record(fields) => {
                for (label, inner) in fields {
                    if matches!(inner.kind, PatKind::Wildcard) {
                        continue;
                    }
                    let field = self.field(pat.ty, *label);
                    let to = self.fresh();
                    let sort = self.sort(inner.ty);
                    self.emit(Instr::Project { to, from: read(slot), field, sort }, span);
                    self.pattern(inner, to, fails);
                }
            }
            PatKind::Construct(con, held) => {
                self.test(pat, fails, Instr::UnlessCon { slot, con: *con, target: u32::MAX });
                if !matches!(held.kind, PatKind::Wildcard) {
                    let to = self.fresh();
                    let sort = self.sort(held.ty);
                    self.emit(Instr::Held { to, from: read(slot), sort }, span);
                    self.pattern(held, to, fails);
                }
            }
            PatKind::Seq(items) => {
                let length = items.len() as u32;
                self.test(
                    pat,
                    fails,
                    Instr::UnlessLength { slot, length, at_least: false, target: u32::MAX },
                );
                self.items(items, slot, false, fails);
            }
            PatKind::Edge(first, middle, last) => {
                let length = (first.len() + last.len()) as u32;
                if length > 0 {
                    self.test(
                        pat,
                        fails,
                        Instr::UnlessLength { slot, length, at_least: true, target: u32::MAX },
                    );
                }
                self.items(first, slot, false, fails);
                self.items(last, slot, true, fails);
                if let Some(var) = middle {
                    let to = self.fresh();
                    let (front, back) = (first.len() as u32, last.len() as u32);
                    self.emit(Instr::Middle { to, from: read(slot), front, back }, span);
                    self.body.slots.insert(*var, to);
                }
            }
            PatKind::And(left, right) => {
                self.pattern(left, slot, fails);
                self.pattern(right, slot, fails);
            }
            PatKind::Or(left, right) => self.either(left, right, slot, fails),
            PatKind::Not(inner) => {
                let mut differs = Vec::new();
                self.pattern(inner, slot, &mut differs);
                fails.push(self.jump(span));
                self.land(differs);
            }
        }
    }

    fn test(&mut self, pat: &Pat, fails: &mut Vec<usize>, instr: Instr) {
        fails.push(self.body.code.len());
        self.emit(instr, pat.span);
    }

    fn items(&mut self, items: &[Pat], slot: Slot, from_end: bool, fails: &mut Vec<usize>) {
        for (index, item) in items.iter().enumerate() {
            if matches!(item.kind, PatKind::Wildcard) {
                continue;
            }
            let index = (if from_end { items.len() - 1 - index } else { index }) as u32;
            let to = self.fresh();
            let sort = self.sort(item.ty);
            self.emit(Instr::Item { to, from: read(slot), index, from_end, sort }, item.span);
            self.pattern(item, to, fails);
        }
    }

    /// Compiles `p | q`: both sides store their variables in the same slots.
    fn either(&mut self, left: &Pat, right: &Pat, slot: Slot, fails: &mut Vec<usize>) {
        let mut vars = BTreeSet::new();
        pattern_vars(left, &mut vars);
        let shared: Vec<(VarId, Slot)> = vars.into_iter().map(|var| (var, self.fresh())).collect();
        let mut differs = Vec::new();
        self.side(left, slot, &shared, &mut differs);
        let matched = self.jump(left.span);
        self.land(differs);
        self.side(right, slot, &shared, fails);
        self.land(vec![matched]);
    }

    fn side(&mut self, pat: &Pat, slot: Slot, shared: &[(VarId, Slot)], fails: &mut Vec<usize>) {
        self.pattern(pat, slot, fails);
        for (var, to) in shared {
            let from = self.body.slots[var];
            self.emit(Instr::Move { to: *to, from: read(from) }, pat.span);
        }
        self.body.slots.extend(shared.iter().copied());
    }
}
