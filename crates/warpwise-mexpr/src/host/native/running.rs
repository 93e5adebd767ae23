//! Native code of a running program.

use super::super::code::{Code, FunctionId};
use super::super::value::Value;
use super::super::world::World;
use super::words::{put, take};
use super::{NativeCode, Plan};

/// What the machine calls.
pub(in crate::host) struct Natives<'a> {
    plan: &'a Plan,
    code: &'a mut dyn NativeCode,
    /// The entry of each function, by number.
    entries: Vec<Option<u32>>,
    /// The words of globals.
    globals: Vec<u64>,
    /// Arguments and results.
    words: Vec<u64>,
    /// Whether a call is computed by the machine because native code gave it up. All that it calls is, too:
    /// it could give up again and again.
    pub is_off: bool,
}

/// What comes of a call.
pub(in crate::host) enum Answer {
    /// Its value.
    Value(Value),
    /// Nothing, and nothing has happened: the machine is to compute it.
    GivenUp,
    /// There is no native code for it.
    None,
}

impl<'a> Natives<'a> {
    pub(in crate::host) fn new(plan: &'a Plan, compiled: &'a mut dyn NativeCode, code: &Code) -> Natives<'a> {
        let mut entries = vec![None; code.functions.len()];
        for (number, entry) in plan.entries.iter().enumerate() {
            entries[entry.function.0 as usize] = Some(number as u32);
        }
        let globals = vec![0; plan.n_global_words];
        Natives { plan, code: compiled, entries, globals, words: Vec::new(), is_off: false }
    }

    /// Lets native code see a global.
    pub(in crate::host) fn set_global(&mut self, number: usize, value: &Value) {
        let Some((kind, first)) = &self.plan.globals[number] else { return };
        let mut words = Vec::new();
        if put(kind, value, &mut words).is_some() {
            self.globals[*first..*first + words.len()].copy_from_slice(&words);
        }
    }

    /// Calls a function with what it captured and its arguments.
    pub(in crate::host) fn call<'v>(
        &mut self,
        function: FunctionId,
        arguments: impl Iterator<Item = &'v Value>,
        world: &dyn World,
    ) -> Answer {
        let Some(number) = self.entries[function.0 as usize].filter(|_| !self.is_off) else {
            return Answer::None;
        };
        let entry = &self.plan.entries[number as usize];
        self.words.clear();
        for (kind, value) in entry.parameters.iter().zip(arguments) {
            if put(kind, value, &mut self.words).is_none() {
                return Answer::None;
            }
        }
        self.words.resize(self.words.len().max(super::infer::MOST_WORDS), 0);
        let value = self
            .code
            .call(number as usize, &mut self.words, &self.globals, world)
            .then(|| take(&entry.result, &mut self.words.iter().copied()))
            .flatten();
        self.is_off = value.is_none();
        value.map_or(Answer::GivenUp, Answer::Value)
    }
}
