//! Inference of the kinds of values that functions take and return.
//!
//! An [`Instance`] is a function with the kinds of its captured values and arguments. Instances are visited until nothing new is
//! found; the first ones come from the types of all functions that the program reaches. An instance that does something native
//! code does not support is refused, and so are all its callers; but it is not refused if it does so only where the run is
//! certain to end. If a slot holds different kinds on joining paths, it gets a kind that includes both; a slot is empty after its
//! last use.

use rustc_hash::FxHashMap;

use crate::builtins::Builtin;

use super::super::code::{Code, Function, FunctionId, Instr, Slot};
use super::kinds::Kind;

mod calls;
mod step;

pub(super) use step::{Repeat, scalars};

/// Maximum number of instructions of a function; larger ones are left to the machine.
const MOST_INSTRUCTIONS: usize = 4000;

/// Maximum number of instances.
const MOST_INSTANCES: usize = 1000;

/// Maximum nesting depth of functions in functions.
const DEEPEST: usize = 8;

/// Maximum number of words that an entry takes, and that a function returns.
pub(super) const MOST_WORDS: usize = 32;

/// The kinds of slots, as far as known.
pub(super) type Slots = Vec<Option<Kind>>;

/// A function, specialised to kinds.
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
    /// The kinds of slots before it; `None` if it is not reached.
    pub before: Option<Slots>,
    /// The kind of its result.
    pub written: Option<Kind>,
    /// The callee; `None` if a function only receives some of its arguments.
    pub callee: Option<Callee>,
    /// Whether the run certainly ends with this instruction or a later one.
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

/// All instances of a program.
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

/// Returns the functions that the machine itself may reach, without those that only accelerated expressions use.
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

/// Returns for each instruction whether the run certainly ends with it or with a later one.
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
    /// The result of [`ends`] for each function visited so far.
    ends: Vec<Option<Vec<bool>>>,
    has_changed: bool,
}

/// The refusal of an instance.
struct Refused;

/// The successor of an instruction.
enum Next {
    /// The next instruction; the slot holds a value of this kind.
    Written(Slot, Kind),
    /// One of these instructions.
    Goto(Vec<usize>),
    /// No successor, as far as known.
    Nothing,
    /// The function returns a value of this kind.
    Returned(Kind),
}

impl Inference<'_> {
    /// Returns the number of an instance, which is added if it is new; `None` if there must not be such an instance.
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

    /// Visits the instructions of a function once: code only jumps forward.
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

    /// Notes the kind of a function's result.
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

/// Joins the kinds of slots on a path to an instruction. A slot that is empty on some path is not read any more.
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
