//! Calls between instances, and calls of instances by the machine.

use super::super::super::code::{Code, Instr};
use super::super::kinds::Kind;
use super::step::Repeat;
use super::{Analysis, Callee, Instance, MOST_WORDS};

impl Analysis {
    /// Refuses all callers of refused instances.
    pub(super) fn refuse_callers(&mut self) {
        loop {
            let is_lost =
                |it: &Instance| !it.is_refused && self.calls(it).any(|to| self.instances[to].is_refused);
            let lost: Vec<usize> =
                (0..self.instances.len()).filter(|number| is_lost(&self.instances[*number])).collect();
            if lost.is_empty() {
                return;
            }
            lost.into_iter().for_each(|number| self.instances[number].is_refused = true);
        }
    }

    /// Returns the instances that an instance calls.
    fn calls<'a>(&'a self, it: &'a Instance) -> impl Iterator<Item = usize> + 'a {
        it.steps.iter().filter_map(|step| match step.callee {
            Some(Callee::Instance(number)) => Some(number),
            Some(Callee::Builtin(_)) | None => None,
        })
    }

    /// Returns the instances that an instance reaches by one or more calls, in order of number.
    fn called_from(&self, number: usize) -> Vec<usize> {
        let mut is_called = vec![false; self.instances.len()];
        let mut open = vec![number];
        while let Some(next) = open.pop() {
            for callee in self.calls(&self.instances[next]) {
                if !std::mem::replace(&mut is_called[callee], true) {
                    open.push(callee);
                }
            }
        }
        (0..is_called.len()).filter(|number| is_called[*number]).collect()
    }

    /// Returns the instances that these entries need, in order of number.
    pub(in crate::host::native) fn needed(&self, entries: &[usize]) -> Vec<usize> {
        let called = entries.iter().flat_map(|entry| self.called_from(*entry));
        let mut all: Vec<usize> = called.chain(entries.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the instances that the machine is to call: those that repeat work.
    pub(in crate::host::native) fn entries(&self, code: &Code) -> Vec<usize> {
        let repeats = |number: usize| {
            let instrs = &code.functions[self.instances[number].function.0 as usize].code;
            let is_loop = |instr: &Instr| matches!(instr, Instr::Builtin { builtin, .. } if Repeat::of(*builtin).is_some());
            self.called_from(number).contains(&number) || instrs.iter().any(is_loop)
        };
        let repeating: Vec<bool> = (0..self.instances.len()).map(repeats).collect();
        let n_words = |kind: &Kind| kind.leaves().len();
        let is_entry = |number: &usize| {
            let it = &self.instances[*number];
            !it.is_refused
                && it.result.as_ref().is_some_and(Kind::is_plain)
                && it.arguments.iter().map(n_words).sum::<usize>() <= MOST_WORDS
                && (repeating[*number] || self.called_from(*number).iter().any(|callee| repeating[*callee]))
        };
        (0..self.n_candidates).filter(is_entry).collect()
    }
}
