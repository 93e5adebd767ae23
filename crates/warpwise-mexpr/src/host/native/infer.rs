//! What kinds of values functions meet.
//!
//! An [`Instance`] is a function with the kinds of what it captures and takes. Instances are gone over until nothing new is
//! found, starting with the functions whose types the checker has made scalars. One that does something native code does
//! not have is refused, and so is all that calls it; but what does so only on its way to the end of the run is not.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use crate::builtins::Builtin;

use super::super::code::{Code, Function, FunctionId, Instr, Slot, Use};
use super::kinds::{Kind, Leaf};

/// Larger functions are left to the machine.
const MOST_INSTRUCTIONS: usize = 4000;

/// At most so many instances are looked at.
const MOST_INSTANCES: usize = 1000;

/// Functions in functions in functions: no deeper than this.
const DEEPEST: usize = 8;

/// An entry takes, and every function gives, at most so many scalars.
pub(super) const MOST_WORDS: usize = 32;

/// What slots hold, as far as known.
type Slots = Vec<Option<Kind>>;

/// A function for some kinds.
pub(super) struct Instance {
    pub function: FunctionId,
    /// Of what it captures and takes.
    pub arguments: Vec<Kind>,
    /// Of what it gives; none if it never does.
    pub result: Option<Kind>,
    /// What each instruction does.
    pub steps: Vec<Step>,
    is_refused: bool,
}

/// What an instruction does in an instance.
#[derive(Clone, Default, Debug)]
pub(super) struct Step {
    /// Of its slots before it; none where it is not reached.
    pub before: Option<Slots>,
    /// Of what it writes.
    pub written: Option<Kind>,
    /// What it calls; none where a function only gets some of its arguments.
    pub callee: Option<Callee>,
    /// Whether a run ends with it or with what follows.
    pub is_end: bool,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Callee {
    /// An instance, by number.
    Instance(usize),
    /// A built-in of scalars.
    Builtin(Builtin),
}

/// All instances.
pub(super) struct Analysis {
    pub instances: Vec<Instance>,
    n_candidates: usize,
}

/// Finds the instances of a program.
pub(super) fn infer(code: &Code, globals: &[Option<(Kind, usize)>]) -> Analysis {
    let mut inference = Inference {
        code,
        globals,
        instances: Vec::new(),
        numbers: FxHashMap::default(),
        ends: vec![None; code.functions.len()],
        has_changed: true,
    };
    for function in reached(code) {
        let forms = &code.functions[function.0 as usize].forms;
        let kinds = forms.iter().flatten().map(Kind::of).collect::<Option<Vec<Kind>>>();
        if let Some(kinds) = kinds.filter(|_| forms.is_some()) {
            inference.instance(function, kinds);
        }
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
    globals: &'a [Option<(Kind, usize)>],
    instances: Vec<Instance>,
    numbers: FxHashMap<(FunctionId, Vec<Kind>), usize>,
    /// Of the functions looked at: where runs end.
    ends: Vec<Option<Vec<bool>>>,
    has_changed: bool,
}

/// What comes of applying a value.
enum Applied {
    /// A call.
    Callee(Callee),
    /// A function that waits for more arguments.
    Partly(Kind),
}

/// Why an instance is refused.
struct Refused;

/// What comes after an instruction.
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
            match self.step(instr, at, &slots, &mut steps[at])? {
                Next::Written(to, kind) => {
                    steps[at].written = Some(kind.clone());
                    let mut after = slots;
                    after[to.0 as usize] = Some(kind);
                    flow(&after, at + 1, steps);
                }
                Next::Goto(targets) => targets.into_iter().for_each(|target| flow(&slots, target, steps)),
                Next::Nothing => {}
                Next::Returned(kind) if kind.leaves().len() > MOST_WORDS => return Err(Refused),
                Next::Returned(kind) => {
                    let result = &mut self.instances[number].result;
                    match result {
                        None => {
                            *result = Some(kind);
                            self.has_changed = true;
                        }
                        Some(known) if *known == kind => {}
                        Some(_) => return Err(Refused),
                    }
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, instr: &Instr, at: usize, slots: &Slots, step: &mut Step) -> Result<Next, Refused> {
        let kind = |slot: Slot| slots[slot.0 as usize].clone().ok_or(Refused);
        let kinds = |operands: &[Use]| -> Result<Vec<Kind>, Refused> {
            operands.iter().map(|operand| kind(operand.slot)).collect()
        };
        let test = |slot, leaf, target: u32| match kind(slot)? {
            Kind::Scalar(found) if found == leaf => Ok(Next::Goto(vec![at + 1, target as usize])),
            _ => Err(Refused),
        };
        Ok(match instr {
            Instr::Move { to, from } => Next::Written(*to, kind(from.slot)?),
            Instr::Int { to, .. } => Next::Written(*to, Kind::INT),
            Instr::Float { to, .. } => Next::Written(*to, Kind::FLOAT),
            Instr::Char { to, .. } => Next::Written(*to, Kind::CHAR),
            Instr::Bool { to, .. } => Next::Written(*to, Kind::BOOL),
            Instr::Unit { to } => Next::Written(*to, Kind::Unit),
            Instr::BuiltinValue { to, builtin } => Next::Written(*to, Kind::Builtin(*builtin, Rc::new([]))),
            Instr::Global { to, global } => {
                let global = self.globals.get(global.0 as usize).and_then(Option::as_ref);
                Next::Written(*to, global.ok_or(Refused)?.0.clone())
            }
            Instr::Record { to, shape, fields } => {
                Next::Written(*to, Kind::Record(*shape, kinds(fields)?.into()))
            }
            Instr::Project { to, from, field } => {
                let record = kind(from.slot)?;
                Next::Written(*to, record.field(*field).ok_or(Refused)?.0.clone())
            }
            Instr::Update { to, from, field, value } => {
                let (record, value) = (kind(from.slot)?, kind(value.slot)?);
                if record.field(*field).is_none_or(|(old, _)| *old != value) {
                    return Err(Refused);
                }
                Next::Written(*to, record)
            }
            Instr::Closure { to, function, captured } => {
                Next::Written(*to, Kind::Function(*function, kinds(captured)?.into()))
            }
            Instr::Direct { to, function, arguments } => {
                let callee = self.instance(*function, kinds(arguments)?).ok_or(Refused)?;
                self.called(Callee::Instance(callee), step, |kind| Next::Written(*to, kind))
            }
            Instr::TailDirect { function, arguments } => {
                let callee = self.instance(*function, kinds(arguments)?).ok_or(Refused)?;
                self.called(Callee::Instance(callee), step, Next::Returned)
            }
            Instr::Call { to, function, arguments } => {
                let applied = self.apply(&kind(function.slot)?, kinds(arguments)?)?;
                self.applied(applied, step, |kind| Next::Written(*to, kind))
            }
            Instr::TailCall { function, arguments } => {
                let applied = self.apply(&kind(function.slot)?, kinds(arguments)?)?;
                self.applied(applied, step, Next::Returned)
            }
            Instr::Builtin { to, builtin: Builtin::SeqLoopAcc, arguments } => {
                let [state, count, function] = &**arguments else { return Err(Refused) };
                if kind(count.slot)? != Kind::INT {
                    return Err(Refused);
                }
                let state = kind(state.slot)?;
                let applied = self.apply(&kind(function.slot)?, vec![state.clone(), Kind::INT])?;
                let Applied::Callee(callee) = applied else { return Err(Refused) };
                step.callee = Some(callee);
                if self.result(callee).is_some_and(|result| result != state) {
                    return Err(Refused);
                }
                Next::Written(*to, state)
            }
            Instr::Builtin { to, builtin, arguments } => {
                let applied = self.apply(&Kind::Builtin(*builtin, Rc::new([])), kinds(arguments)?)?;
                self.applied(applied, step, |kind| Next::Written(*to, kind))
            }
            Instr::Return { from } => Next::Returned(kind(from.slot)?),
            Instr::Jump { target } => Next::Goto(vec![*target as usize]),
            Instr::UnlessBool { slot, target, .. } => test(*slot, Leaf::Bool, *target)?,
            Instr::UnlessInt { slot, target, .. } => test(*slot, Leaf::Int, *target)?,
            Instr::UnlessChar { slot, target, .. } => test(*slot, Leaf::Char, *target)?,
            Instr::Never => Next::Nothing,
            Instr::String { .. }
            | Instr::SetGlobal { .. }
            | Instr::Construct { .. }
            | Instr::Held { .. }
            | Instr::Seq { .. }
            | Instr::Item { .. }
            | Instr::Middle { .. }
            | Instr::Accelerate { .. }
            | Instr::UnlessCon { .. }
            | Instr::UnlessLength { .. }
            | Instr::Equal { .. }
            | Instr::Passed
            | Instr::Failed { .. } => return Err(Refused),
        })
    }

    /// What a value is that is applied.
    fn apply(&mut self, function: &Kind, arguments: Vec<Kind>) -> Result<Applied, Refused> {
        match function {
            Kind::Function(function, captured) => {
                let all: Vec<Kind> = captured.iter().cloned().chain(arguments).collect();
                let code = &self.code.functions[function.0 as usize];
                if all.len() < (code.n_captured + code.n_parameters) as usize {
                    return Ok(Applied::Partly(Kind::Function(*function, all.into())));
                }
                let callee = self.instance(*function, all).map(Callee::Instance);
                callee.map(Applied::Callee).ok_or(Refused)
            }
            Kind::Builtin(builtin, first) => {
                let all: Vec<Kind> = first.iter().cloned().chain(arguments).collect();
                let (parameters, _) = scalars(*builtin).ok_or(Refused)?;
                if all.len() < parameters.len() {
                    return Ok(Applied::Partly(Kind::Builtin(*builtin, all.into())));
                }
                let fits = |(kind, leaf): (&Kind, &Leaf)| *kind == Kind::Scalar(*leaf);
                let all_fit = parameters.len() == all.len() && all.iter().zip(parameters).all(fits);
                all_fit.then_some(Applied::Callee(Callee::Builtin(*builtin))).ok_or(Refused)
            }
            Kind::Unit | Kind::Scalar(_) | Kind::Record(..) => Err(Refused),
        }
    }

    fn result(&self, callee: Callee) -> Option<Kind> {
        match callee {
            Callee::Instance(number) => self.instances[number].result.clone(),
            Callee::Builtin(builtin) => scalars(builtin).map(|(_, result)| Kind::Scalar(result)),
        }
    }

    fn applied(&self, applied: Applied, step: &mut Step, next: impl FnOnce(Kind) -> Next) -> Next {
        match applied {
            Applied::Callee(callee) => self.called(callee, step, next),
            Applied::Partly(kind) => next(kind),
        }
    }

    fn called(&self, callee: Callee, step: &mut Step, next: impl FnOnce(Kind) -> Next) -> Next {
        step.callee = Some(callee);
        self.result(callee).map_or(Next::Nothing, next)
    }
}

/// Notes what slots hold on a way to an instruction; what differs between ways is not known.
fn flow(slots: &Slots, target: usize, steps: &mut [Step]) {
    let Some(step) = steps.get_mut(target) else { return };
    match &mut step.before {
        None => step.before = Some(slots.clone()),
        Some(known) => known.iter_mut().zip(slots).for_each(|(known, kind)| {
            if known != kind {
                *known = None;
            }
        }),
    }
}

/// What a built-in of scalars takes and gives.
pub(super) fn scalars(builtin: Builtin) -> Option<(&'static [Leaf], Leaf)> {
    use Builtin as B;
    use Leaf::{Bool, Char, Float, Int};
    Some(match builtin {
        B::Addi | B::Subi | B::Muli | B::Divi | B::Modi | B::Slli | B::Srli | B::Srai => (&[Int, Int], Int),
        B::Lti | B::Leqi | B::Gti | B::Geqi | B::Eqi | B::Neqi => (&[Int, Int], Bool),
        B::Negi => (&[Int], Int),
        B::Addf | B::Subf | B::Mulf | B::Divf => (&[Float, Float], Float),
        B::Ltf | B::Leqf | B::Gtf | B::Geqf | B::Eqf | B::Neqf => (&[Float, Float], Bool),
        B::Negf | B::ExternalSqrt => (&[Float], Float),
        B::Floorfi | B::Ceilfi | B::Roundfi => (&[Float], Int),
        B::IntToFloat => (&[Int], Float),
        B::Eqc => (&[Char, Char], Bool),
        B::CharToInt => (&[Char], Int),
        B::IntToChar => (&[Int], Char),
        B::ExternalExp | B::ExternalLog | B::ExternalAtan | B::ExternalSin | B::ExternalCos => {
            (&[Float], Float)
        }
        B::ExternalAtan2 | B::ExternalPow => (&[Float, Float], Float),
        _ => return None,
    })
}

impl Analysis {
    /// Refuses all that calls what is refused.
    fn refuse_callers(&mut self) {
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

    /// The instances that one calls.
    fn calls<'a>(&'a self, it: &'a Instance) -> impl Iterator<Item = usize> + 'a {
        it.steps.iter().filter_map(|step| match step.callee {
            Some(Callee::Instance(number)) => Some(number),
            Some(Callee::Builtin(_)) | None => None,
        })
    }

    /// The instances that one comes to by one call or more, in order of number.
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

    /// The instances that are needed for these, in order of number.
    pub(super) fn needed(&self, entries: &[usize]) -> Vec<usize> {
        let called = entries.iter().flat_map(|entry| self.called_from(*entry));
        let mut all: Vec<usize> = called.chain(entries.iter().copied()).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The instances that the machine is to call: those that repeat something.
    pub(super) fn entries(&self, code: &Code) -> Vec<usize> {
        let repeats = |number: usize| {
            let instrs = &code.functions[self.instances[number].function.0 as usize].code;
            let is_loop =
                |instr: &Instr| matches!(instr, Instr::Builtin { builtin: Builtin::SeqLoopAcc, .. });
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
