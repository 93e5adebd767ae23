//! Native code in a running program.

use rustc_hash::FxHashMap;

use crate::builtins::Builtin;

use super::super::code::{Code, FunctionId};
use super::super::value::{Value, tags};
use super::super::world::World;
use super::infer::Repeat;
use super::outline::place;
use super::words::{self, bits, fits, put, take};
use super::{Kind, NativeCode, Plan, Started};

/// The native code that the machine calls.
pub(in crate::host) struct Natives<'a> {
    plan: &'a Plan,
    code: &'a mut dyn NativeCode,
    /// The entry of each function, by the function's number.
    entries: Vec<Option<u32>>,
    /// The entries of loops.
    loops: FxHashMap<(Builtin, FunctionId), u32>,
    /// The words of globals, which the machine owns, and of strings.
    globals: Vec<u64>,
    /// The owner of the strings.
    _strings: Vec<Value>,
    /// Buffer for arguments and results.
    words: Vec<u64>,
    /// Whether the machine is computing a call that native code gave up. It then also computes all inner calls, which could give
    /// up again and again.
    pub is_off: bool,
}

/// The outcome of a call.
pub(in crate::host) enum Answer {
    /// The value of the call.
    Value(Value),
    /// No value, and no effect: the machine must compute the call.
    GivenUp,
    /// There is no native code for it.
    None,
}

impl<'a> Natives<'a> {
    pub(in crate::host) fn new(plan: &'a Plan, compiled: &'a mut dyn NativeCode, code: &Code) -> Natives<'a> {
        let mut entries = vec![None; code.functions.len()];
        let mut loops = FxHashMap::default();
        for (number, entry) in plan.entries.iter().enumerate() {
            match entry.started {
                Started::Call(function) => entries[function.0 as usize] = Some(number as u32),
                Started::Loop(builtin, function) => {
                    loops.insert((builtin, function), number as u32);
                }
            }
        }
        let mut globals = vec![0; plan.n_global_words];
        let strings: Vec<Value> = plan.strings.iter().map(|text| Value::string(text)).collect();
        globals.extend(strings.iter().map(lent));
        Natives {
            plan,
            code: compiled,
            entries,
            loops,
            globals,
            _strings: strings,
            words: Vec::new(),
            is_off: false,
        }
    }

    /// Makes a global visible to native code; it keeps its words until the end of the run.
    pub(in crate::host) fn set_global(&mut self, number: usize, value: &Value) {
        let (kind, first) = &self.plan.globals[number];
        if !fits(kind, value) {
            // The program has bypassed the checker: no code that may read the global can run.
            self.entries.iter_mut().for_each(|entry| *entry = None);
            self.loops.clear();
            return;
        }
        let mut words = Vec::new();
        lend(kind, value, &mut words);
        self.globals[*first..*first + words.len()].copy_from_slice(&words);
    }

    /// Calls a function with its captured values and its arguments.
    pub(in crate::host) fn call<'v>(
        &mut self,
        function: FunctionId,
        arguments: impl Iterator<Item = &'v Value> + Clone,
        world: &dyn World,
    ) -> Answer {
        match self.entries[function.0 as usize] {
            Some(number) if !self.is_off => self.enter(number, arguments, world),
            _ => Answer::None,
        }
    }

    /// Returns the entry that calls a function repeatedly.
    fn loop_of(&self, builtin: Builtin, function: &Value) -> Option<u32> {
        match function {
            Value::Function(closure) => self.loops.get(&(builtin, closure.function)).copied(),
            _ => None,
        }
    }

    /// Returns whether there is native code that maps a function over a sequence.
    pub(in crate::host) fn maps(&self, function: &Value) -> bool {
        !self.is_off && self.loop_of(Builtin::Map, function).is_some()
    }

    /// Runs a built-in with all its arguments, if it calls a function repeatedly.
    pub(in crate::host) fn repeat(
        &mut self,
        builtin: Builtin,
        arguments: &[Value],
        world: &dyn World,
    ) -> Answer {
        if self.is_off || self.loops.is_empty() {
            return Answer::None;
        }
        let Some(place) = Repeat::of(builtin).map(place) else { return Answer::None };
        let Value::Function(closure) = &arguments[place] else { return Answer::None };
        let Some(number) = self.loop_of(builtin, &arguments[place]) else { return Answer::None };
        let others = arguments[..place].iter().chain(&arguments[place + 1..]);
        self.enter(number, closure.captured.iter().chain(others), world)
    }

    fn enter<'v>(
        &mut self,
        number: u32,
        arguments: impl Iterator<Item = &'v Value> + Clone,
        world: &dyn World,
    ) -> Answer {
        let entry = &self.plan.entries[number as usize];
        self.words.clear();
        if !entry.parameters.iter().zip(arguments.clone()).all(|(kind, value)| fits(kind, value)) {
            return Answer::None;
        }
        entry.parameters.iter().zip(arguments).for_each(|(kind, value)| put(kind, value, &mut self.words));
        self.words.resize(self.words.len().max(super::infer::MOST_WORDS), 0);
        let value = self
            .code
            .call(number as usize, &mut self.words, &self.globals, world)
            // SAFETY: the code has put the words of its result there, and gives up their ownership.
            .then(|| unsafe { take(&entry.result, &mut self.words.iter().copied()) })
            .flatten();
        self.is_off = value.is_none();
        value.map_or(Answer::GivenUp, Answer::Value)
    }
}

/// Returns the number or address in a value that somebody else keeps alive.
fn lent(value: &Value) -> u64 {
    let lent = value.clone();
    let bits = bits(lent);
    // SAFETY: the words own the copy of the value; dropping it here restores the count.
    drop(unsafe { words::value(tags::of(value), bits) });
    bits
}

/// Adds the words of a value that somebody else keeps alive.
fn lend(kind: &Kind, value: &Value, words: &mut Vec<u64>) {
    match (kind, value) {
        (Kind::Record(_, kinds), Value::Record(record)) => {
            kinds.iter().zip(record.fields()).for_each(|(kind, field)| lend(kind, field, words));
        }
        (Kind::Unit, _) => {}
        (Kind::Any, _) => words.extend([u64::from(tags::of(value)), lent(value)]),
        _ => words.push(lent(value)),
    }
}
