//! Infers the kinds of values that functions take and give.
//!
//! An [`Instance`] is a function with the kinds of what it captures and takes. Instances are gone over until nothing new is
//! found, starting with what types say of all functions that the program comes to. One that does something native code does
//! not have is refused, and so is all that calls it; but what does so only on its way to the end of the run is not. Where
//! ways meet on which a slot holds different kinds, it holds what includes both; a slot is empty after its last use.

use rustc_hash::FxHashMap;

use crate::builtins::Builtin;

use super::super::code::{Code, Function, FunctionId, Instr, Slot};
use super::kinds::Kind;

mod calls;
mod step;

pub(super) use step::{Repeat, scalars};

/// Larger functions are left to the machine.
const MOST_INSTRUCTIONS: usize = 4000;

/// At most so many instances are looked at.
const MOST_INSTANCES: usize = 1000;

/// Functions in functions in functions: no deeper than this.
const DEEPEST: usize = 8;

/// An entry takes, and every function gives, at most so many scalars.
pub(super) const MOST_WORDS: usize = 32;

/// The kinds of slots, as far as known.
pub(super) type Slots = Vec<Option<Kind>>;

/// A function for some kinds.
pub(super) struct Instance {
    pub function: FunctionId,
    /// The kinds of captured values and parameters.
    pub arguments: Vec<Kind>,
    /// The kind of the result; `None` if it never returns.
    pub result: Option<Kind>,
    /// Its steps, one for each instruction.
    pub steps: Vec<Step>,
    is_refused: bool,
}

/// An instruction in an instance.
#[derive(Clone, Default, Debug)]
pub(super) struct Step {
    /// The kinds of slots before it; `None` where it is not reached.
    pub before: Option<Slots>,
    /// The kind of its result.
    pub written: Option<Kind>,
    /// The callee; `None` where a function only gets some of its arguments.
    pub callee: Option<Callee>,
    /// Whether a run ends with it or with what follows.
    pub is_end: bool,
}

/// A callee.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Callee {
    /// An instance, by number.
    Instance(usize),
    /// A built-in without effects.
    Builtin(Builtin),
}

/// All instances.
pub(super) struct Analysis {
    pub instances: Vec<Instance>,
    n_candidates: usize,
}

/// Finds the instances of a program, whose last functions are those of its loops.
pub(super) fn infer(code: &Code, globals: &[(Kind, usize)], n_loops: usize) -> Analysis {
    let mut inference = Inference {
        code,
        globals,
        instances: Vec::new(),
        numbers: FxHashMap::default(),
        ends: vec![None; code.functions.len()],
        has_changed: true,
    };
    let loops = code.functions.len() - n_loops..code.functions.len();
    for function in reached(code).into_iter().chain(loops.map(|number| FunctionId(number as u32))) {
        let kinds = code.functions[function.0 as usize].sorts.iter().map(Kind::handed).collect();
        inference.instance(function, kinds);
    }
    let n_candidates = inference.instances.len();
    while std::mem::take(&mut inference.has_changed) {
        let mut number = 0;
        while number < inference.instances.len() {
            inference.visit(number);
            number += 1;
        }
    }
    let mut analysis = Analysis { instances: inference.instances, n_candidates };
    analysis.refuse_callers();
    analysis
}

/// The functions that the machine itself may come to; what only accelerated expressions use is not among them.
fn reached(code: &Code) -> Vec<FunctionId> {
    let mut is_reached = vec![false; code.functions.len()];
    let mut order = vec![FunctionId(0)];
    is_reached[0] = true;
    let mut next = 0;
    while let Some(function) = order.get(next).copied() {
        next += 1;
        for instr in &code.functions[function.0 as usize].code {
            if let Instr::Direct { function, .. }
            | Instr::TailDirect { function, .. }
            | Instr::Closure { function, .. } = instr
                && !std::mem::replace(&mut is_reached[function.0 as usize], true)
            {
                order.push(*function);
            }
        }
    }
    order
}

/// Whether the run ends with an instruction or with what follows, whatever happens.
fn ends(function: &Function) -> Vec<bool> {
    let mut ends = vec![false; function.code.len() + 1];
    for (at, instr) in function.code.iter().enumerate().rev() {
        ends[at] = match instr {
            Instr::Never | Instr::Builtin { builtin: Builtin::Error | Builtin::Exit, .. } => true,
            Instr::Return { .. } | Instr::TailCall { .. } | Instr::TailDirect { .. } => false,
            Instr::Jump { target } => ends[*target as usize],
            Instr::UnlessBool { target, .. }
            | Instr::UnlessInt { target, .. }
            | Instr::UnlessChar { target, .. }
            | Instr::UnlessCon { target, .. }
            | Instr::UnlessLength { target, .. } => ends[*target as usize] && ends[at + 1],
            _ => ends[at + 1],
        };
    }
    ends
}

struct Inference<'a> {
    code: &'a Code,
    globals: &'a [(Kind, usize)],
    instances: Vec<Instance>,
    numbers: FxHashMap<(FunctionId, Vec<Kind>), usize>,
    /// Of the functions looked at: where runs end.
    ends: Vec<Option<Vec<bool>>>,
    has_changed: bool,
}

/// Why an instance is refused.
struct Refused;

/// The successor of an instruction.
enum Next {
    /// The next one; the slot holds this.
    Written(Slot, Kind),
    /// One of these.
    Goto(Vec<usize>),
    /// Nothing, as far as known.
    Nothing,
    /// The function gives this.
    Returned(Kind),
}

impl Inference<'_> {
    /// The number of an instance.
    fn instance(&mut self, function: FunctionId, arguments: Vec<Kind>) -> Option<usize> {
        let key = (function, arguments);
        if let Some(number) = self.numbers.get(&key) {
            return Some(*number);
        }
        let number = self.instances.len();
        let code = &self.code.functions[function.0 as usize];
        let is_deep = key.1.iter().any(|kind| kind.depth() > DEEPEST);
        let n_parameters = (code.n_captured + code.n_parameters) as usize;
        if number == MOST_INSTANCES || is_deep || key.1.len() != n_parameters {
            return None;
        }
        let (arguments, steps) = (key.1.clone(), vec![Step::default(); code.code.len()]);
        self.instances.push(Instance { function, arguments, result: None, steps, is_refused: false });
        self.numbers.insert(key, number);
        self.has_changed = true;
        Some(number)
    }

    fn visit(&mut self, number: usize) {
        let code = self.code;
        let it = &mut self.instances[number];
        if it.is_refused {
            return;
        }
        let function = &code.functions[it.function.0 as usize];
        let mut steps = vec![Step::default(); function.code.len()];
        let mut slots: Slots = it.arguments.iter().cloned().map(Some).collect();
        slots.resize(function.n_slots as usize, None);
        let index = it.function.0 as usize;
        let ends = self.ends[index].take().unwrap_or_else(|| ends(function));
        let done = (function.code.len() <= MOST_INSTRUCTIONS)
            .then(|| steps[0].before = Some(slots))
            .ok_or(Refused)
            .and_then(|()| self.walk(number, function, &ends, &mut steps));
        self.ends[index] = Some(ends);
        let it = &mut self.instances[number];
        it.steps = steps;
        if done.is_err() {
            it.is_refused = true;
            self.has_changed = true;
        }
    }

    /// Goes over a function once: code only jumps forward.
    fn walk(
        &mut self,
        number: usize,
        function: &Function,
        ends: &[bool],
        steps: &mut [Step],
    ) -> Result<(), Refused> {
        for (at, instr) in function.code.iter().enumerate() {
            let Some(slots) = steps[at].before.clone() else { continue };
            if ends[at] {
                steps[at].is_end = true;
                continue;
            }
            let next = self.step(instr, at, &slots, &mut steps[at])?;
            let mut after = slots;
            for operand in instr.reads().iter().filter(|operand| operand.last) {
                after[operand.slot.0 as usize] = None;
            }
            match next {
                Next::Written(to, kind) => {
                    steps[at].written = Some(kind.clone());
                    after[to.0 as usize] = Some(kind);
                    flow(&after, at + 1, steps);
                }
                Next::Goto(targets) => targets.into_iter().for_each(|target| flow(&after, target, steps)),
                Next::Nothing => {}
                Next::Returned(kind) => self.returned(number, kind)?,
            }
        }
        Ok(())
    }

    /// Notes what a function gives.
    fn returned(&mut self, number: usize, kind: Kind) -> Result<(), Refused> {
        let result = &mut self.instances[number].result;
        let joined = match result {
            None => kind,
            Some(known) => known.join(&kind).ok_or(Refused)?,
        };
        if joined.leaves().len() > MOST_WORDS {
            return Err(Refused);
        }
        if result.as_ref() != Some(&joined) {
            *result = Some(joined);
            self.has_changed = true;
        }
        Ok(())
    }
}

/// Notes what slots hold on a way to an instruction. A slot that some way leaves empty is not read any more.
fn flow(slots: &Slots, target: usize, steps: &mut [Step]) {
    let Some(step) = steps.get_mut(target) else { return };
    match &mut step.before {
        None => step.before = Some(slots.clone()),
        Some(known) => known.iter_mut().zip(slots).for_each(|(known, kind)| {
            if known != kind {
                *known = known.as_ref().zip(kind.as_ref()).and_then(|(known, kind)| known.join(kind));
            }
        }),
    }
}
