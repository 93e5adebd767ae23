//! Runs code.
//!
//! A call pushes a frame and the slots of the function on stacks of our own, so recursion is bounded by [`MOST_SLOTS`] and
//! [`MOST_FRAMES`] only; a call in tail position takes the place of its function. Built-ins that call functions are frames
//! too. What fails ends the run with a message, its place, and the calls that led there.

use std::rc::Rc;

use smallvec::smallvec;
use warpwise_diag::Span;

use crate::builtins::Builtin;

use super::builtins::{self, Arguments, Given, Stop};
use super::code::{Code, Function, FunctionId, Instr, ShapeId, Slot, Use};
use super::device::{Device, DeviceError};
use super::equal::equal;
use super::loops::{Loop, Step};
use super::native::{Answer, Native, Natives};
use super::seq::Seq;
use super::show::show;
use super::value::{Closure, Constructed, Partial, Record, Value};
use super::watch::{Races, Samples};
use super::world::World;

/// The stack has at most so many slots (1 GiB).
pub const MOST_SLOTS: usize = 1 << 26;

/// At most so many calls are open.
pub const MOST_FRAMES: usize = 1 << 24;

/// So many calls of a chain are shown at each end.
const SHOWN_CALLS: usize = 8;

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// The exit code, if the program ended itself.
    pub exit: Option<i64>,
    /// How many tests have passed.
    pub passed: u64,
    /// How many tests have failed.
    pub failed: u64,
}

/// Why a run failed.
#[derive(Clone, PartialEq, Debug)]
pub struct RunError {
    /// What went wrong.
    pub message: String,
    /// Where, on the host.
    pub span: Span,
    /// `file:line:column` in accelerated code, if it is a device that failed and tells.
    pub device_place: Option<String>,
    /// The functions that were being run, innermost first, with the places of the calls in them.
    pub calls: Vec<Call>,
}

/// A function that was being run.
#[derive(Clone, PartialEq, Debug)]
pub enum Call {
    /// One of them.
    In(Rc<str>, Span),
    /// So many that are not shown.
    More(usize),
}

/// A failed test.
#[derive(Clone, PartialEq, Debug)]
pub struct FailedTest {
    /// Where it is.
    pub span: Span,
    /// What is said of it.
    pub message: String,
}

/// Runs a program without native code.
pub fn run(
    code: &Code,
    world: &mut dyn World,
    device: &mut dyn Device,
    report: &mut dyn FnMut(FailedTest),
) -> Result<Outcome, RunError> {
    run_native(code, None, world, device, report)
}

/// Runs a program, calling native code where there is some.
pub fn run_native(
    code: &Code,
    native: Option<Native<'_>>,
    world: &mut dyn World,
    device: &mut dyn Device,
    report: &mut dyn FnMut(FailedTest),
) -> Result<Outcome, RunError> {
    let seed = world.time_ms().to_bits();
    let mut machine = Machine {
        code,
        world,
        device,
        report,
        stack: Vec::new(),
        frames: Vec::new(),
        globals: vec![Value::Unit; code.globals.len()],
        native: native.map(|native| Natives::new(native.plan, native.code, code)),
        random: seed,
        n_symbols: 0,
        passed: 0,
        failed: 0,
        is_watched: false,
        races: None,
    };
    let result = machine.main();
    let (passed, failed) = (machine.passed, machine.failed);
    super::value::release(machine.stack.drain(..).chain(machine.globals.drain(..)));
    result.map(|exit| Outcome { exit, passed, failed })
}

/// A running program.
pub(super) struct Machine<'a> {
    pub code: &'a Code,
    pub world: &'a mut dyn World,
    device: &'a mut dyn Device,
    report: &'a mut dyn FnMut(FailedTest),
    stack: Vec<Value>,
    frames: Vec<Frame>,
    globals: Vec<Value>,
    native: Option<Natives<'a>>,
    pub random: u64,
    pub n_symbols: u64,
    passed: u64,
    failed: u64,
    /// Whether what runs belongs to an accelerated expression that is watched.
    is_watched: bool,
    /// What the iterations of a watched loop have done, while there is one.
    pub races: Option<Races>,
}

/// A function that is being run.
#[derive(Clone, Copy)]
struct State {
    function: FunctionId,
    /// Number of the next instruction.
    at: usize,
    /// Where its slots start.
    base: usize,
}

/// What waits for a value.
enum Frame {
    /// A function, which wants it in a slot.
    Function(State, Slot),
    /// Arguments, for which it is the function.
    Apply(Arguments),
    /// A built-in that calls functions.
    Loop(Box<Loop>, Span),
    /// What waits for the value of a watched expression.
    Unwatch,
    /// What waits for the value of a call that native code gave up.
    GivenUp,
}

/// What comes next.
enum Flow {
    Run(State),
    Value(Value),
}

impl Machine<'_> {
    fn main(&mut self) -> Result<Option<i64>, RunError> {
        let main = FunctionId(0);
        self.stack.resize(self.function(main).n_slots as usize, Value::Unit);
        let mut state = State { function: main, at: 0, base: 0 };
        loop {
            let stop = match self.function_until_return(&mut state) {
                Ok(value) => match self.deliver(value) {
                    Ok(Some(next)) => {
                        state = next;
                        continue;
                    }
                    Ok(None) => return Ok(None),
                    Err(stop) => stop,
                },
                Err(stop) => stop,
            };
            return match stop {
                Stop::Exit(code) => Ok(Some(code)),
                Stop::Fault(message) => Err(self.error(message, None, Some(state), self.span(state))),
                Stop::FaultAt(message, span) => Err(self.error(message, None, None, span)),
                Stop::Device(DeviceError { message, place }) => {
                    Err(self.error(message, place, Some(state), self.span(state)))
                }
            };
        }
    }

    fn function(&self, function: FunctionId) -> &Function {
        &self.code.functions[function.0 as usize]
    }

    fn get(&self, state: State, slot: Slot) -> &Value {
        &self.stack[state.base + slot.0 as usize]
    }

    fn take(&mut self, state: State, operand: Use) -> Value {
        let slot = &mut self.stack[state.base + operand.slot.0 as usize];
        if operand.last { std::mem::replace(slot, Value::Unit) } else { slot.clone() }
    }

    fn take_all(&mut self, state: State, operands: &[Use]) -> Arguments {
        operands.iter().map(|operand| self.take(state, *operand)).collect()
    }

    fn put(&mut self, state: State, slot: Slot, value: Value) {
        self.stack[state.base + slot.0 as usize] = value;
    }

    /// Runs functions until one gives a value to a frame that is not that of the function it was called from.
    fn function_until_return(&mut self, state: &mut State) -> Result<Value, Stop> {
        let mut code: &[Instr] = &self.code.functions[state.function.0 as usize].code;
        loop {
            let instr = &code[state.at];
            state.at += 1;
            match instr {
                Instr::Builtin { to, builtin, arguments } => {
                    if let [left, right] = **arguments
                        && let Some(result) = builtins::binary(
                            *builtin,
                            self.get(*state, left.slot),
                            self.get(*state, right.slot),
                        )
                    {
                        self.put(*state, *to, result?);
                        continue;
                    }
                    let arguments = self.take_all(*state, arguments);
                    match builtins::run(self, *builtin, arguments)? {
                        Given::Value(value) => self.put(*state, *to, value),
                        Given::Loop(it) => {
                            self.push(Frame::Function(*state, *to))?;
                            match self.go_on(it, None, self.span(*state))? {
                                Flow::Run(next) => {
                                    *state = next;
                                    code = &self.code.functions[state.function.0 as usize].code;
                                }
                                Flow::Value(value) => return Ok(value),
                            }
                        }
                    }
                }
                Instr::Direct { to, function, arguments } => {
                    match self.call_native(*function, *state, arguments) {
                        Answer::Value(value) => {
                            self.put(*state, *to, value);
                            continue;
                        }
                        Answer::GivenUp => {
                            self.push(Frame::Function(*state, *to))?;
                            self.push(Frame::GivenUp)?;
                        }
                        Answer::None => self.push(Frame::Function(*state, *to))?,
                    }
                    let base = self.stack.len();
                    for operand in arguments {
                        let value = self.take(*state, *operand);
                        self.stack.push(value);
                    }
                    *state = self.enter(*function, base)?;
                    code = &self.code.functions[state.function.0 as usize].code;
                }
                Instr::Accelerate { to, number, function, arguments } => {
                    let values = self.take_all(*state, arguments);
                    if let Some(value) = self.device.call(self.code, self.world, *number as usize, &values)? {
                        self.put(*state, *to, value);
                        continue;
                    }
                    self.push(Frame::Function(*state, *to))?;
                    if self.device.watches() {
                        self.is_watched = true;
                        self.push(Frame::Unwatch)?;
                    }
                    let base = self.stack.len();
                    self.stack.extend(values);
                    *state = self.enter(*function, base)?;
                    code = &self.code.functions[state.function.0 as usize].code;
                }
                Instr::TailDirect { function, arguments } => {
                    match self.call_native(*function, *state, arguments) {
                        Answer::Value(value) => {
                            self.stack.truncate(state.base);
                            return Ok(value);
                        }
                        Answer::GivenUp => self.push(Frame::GivenUp)?,
                        Answer::None => {}
                    }
                    let values = self.take_all(*state, arguments);
                    self.stack.truncate(state.base);
                    self.stack.extend(values);
                    *state = self.enter(*function, state.base)?;
                    code = &self.code.functions[state.function.0 as usize].code;
                }
                Instr::Call { to, function, arguments } => {
                    let function = self.take(*state, *function);
                    let arguments = self.take_all(*state, arguments);
                    self.push(Frame::Function(*state, *to))?;
                    match self.apply(function, arguments, self.span(*state))? {
                        Flow::Run(next) => {
                            *state = next;
                            code = &self.code.functions[state.function.0 as usize].code;
                        }
                        Flow::Value(value) => return Ok(value),
                    }
                }
                Instr::TailCall { function, arguments } => {
                    let function = self.take(*state, *function);
                    let arguments = self.take_all(*state, arguments);
                    let span = self.span(*state);
                    self.stack.truncate(state.base);
                    match self.apply(function, arguments, span)? {
                        Flow::Run(next) => {
                            *state = next;
                            code = &self.code.functions[state.function.0 as usize].code;
                        }
                        Flow::Value(value) => return Ok(value),
                    }
                }
                Instr::Return { from } => {
                    let value = self.take(*state, *from);
                    self.stack.truncate(state.base);
                    match self.frames.last() {
                        Some(Frame::Function(caller, to)) => {
                            let (caller, to) = (*caller, *to);
                            self.frames.pop();
                            *state = caller;
                            self.put(caller, to, value);
                            code = &self.code.functions[state.function.0 as usize].code;
                        }
                        _ => return Ok(value),
                    }
                }
                Instr::Jump { target } => state.at = *target as usize,
                Instr::UnlessBool { slot, value, target } => {
                    if !matches!(self.get(*state, *slot), Value::Bool(found) if found == value) {
                        state.at = *target as usize;
                    }
                }
                Instr::UnlessInt { slot, value, target } => {
                    if !matches!(self.get(*state, *slot), Value::Int(found) if found == value) {
                        state.at = *target as usize;
                    }
                }
                Instr::UnlessChar { slot, value, target } => {
                    if !matches!(self.get(*state, *slot), Value::Char(found) if found == value) {
                        state.at = *target as usize;
                    }
                }
                Instr::UnlessCon { slot, con, target } => {
                    if !matches!(self.get(*state, *slot), Value::Con(found) if found.con == *con) {
                        state.at = *target as usize;
                    }
                }
                Instr::UnlessLength { slot, length, at_least, target } => {
                    let found = match self.get(*state, *slot) {
                        Value::Seq(seq) => seq.len(),
                        _ => return Err(ill_typed()),
                    };
                    let length = *length as usize;
                    if found < length || (found > length && !at_least) {
                        state.at = *target as usize;
                    }
                }
                other => self.simple(*state, other)?,
            }
        }
    }

    /// Instructions that neither call nor jump.
    fn simple(&mut self, state: State, instr: &Instr) -> Result<(), Stop> {
        let (to, value) = match instr {
            Instr::Move { to, from } => (*to, self.take(state, *from)),
            Instr::Int { to, value } => (*to, Value::Int(*value)),
            Instr::Float { to, value } => (*to, Value::Float(*value)),
            Instr::Char { to, value } => (*to, Value::Char(*value)),
            Instr::Bool { to, value } => (*to, Value::Bool(*value)),
            Instr::Unit { to } => (*to, Value::Unit),
            Instr::String { to, text } => (*to, Value::string(text)),
            Instr::BuiltinValue { to, builtin } => (*to, Value::Builtin(*builtin)),
            Instr::Global { to, global } => (*to, self.globals[global.0 as usize].clone()),
            Instr::SetGlobal { global, from } => {
                let value = self.take(state, *from);
                if let Some(native) = &mut self.native {
                    native.set_global(global.0 as usize, &value);
                }
                self.globals[global.0 as usize] = value;
                return Ok(());
            }
            Instr::Record { to, shape, fields } => {
                let fields = fields.iter().map(|field| self.take(state, *field)).collect();
                (*to, Value::Record(Rc::new(Record { shape: *shape, fields })))
            }
            Instr::Project { to, from, field } => (*to, self.project(state, *from, *field)?),
            Instr::Update { to, from, field, value } => {
                let record = self.take(state, *from);
                let value = self.take(state, *value);
                (*to, update(record, *field, value)?)
            }
            Instr::Construct { to, con, held } => {
                let held = self.take(state, *held);
                (*to, Value::Con(Rc::new(Constructed { con: *con, held })))
            }
            Instr::Held { to, from } => match self.get(state, from.slot) {
                Value::Con(con) => {
                    let held = con.held.clone();
                    self.forget(state, *from);
                    (*to, held)
                }
                _ => return Err(ill_typed()),
            },
            Instr::Seq { to, items } => {
                let items: Vec<Value> = items.iter().map(|item| self.take(state, *item)).collect();
                (*to, Value::Seq(items.into()))
            }
            Instr::Item { to, from, index, from_end } => {
                let seq = seq(self.get(state, from.slot))?;
                let index = *index as usize;
                let index = if *from_end { seq.len().wrapping_sub(index + 1) } else { index };
                let item = seq.get(index).ok_or_else(ill_typed)?;
                self.forget(state, *from);
                (*to, item)
            }
            Instr::Middle { to, from, front, back } => {
                let seq = seq(self.get(state, from.slot))?;
                let middle = seq.part(*front as usize, seq.len().saturating_sub((front + back) as usize));
                self.forget(state, *from);
                (*to, Value::Seq(middle))
            }
            Instr::Closure { to, function, captured } => {
                let captured = captured.iter().map(|operand| self.take(state, *operand)).collect();
                (*to, Value::Function(Rc::new(Closure { function: *function, captured })))
            }
            Instr::Equal { to, left, right } => {
                let same = equal(self.get(state, left.slot), self.get(state, right.slot));
                (*to, Value::Bool(same))
            }
            Instr::Never => return Err(Stop::Fault("no case matches, or `never` was reached".to_string())),
            Instr::Passed => {
                self.passed += 1;
                return Ok(());
            }
            Instr::Failed { message, actual, expected } => {
                self.test_failed(state, *message, *actual, *expected);
                return Ok(());
            }
            Instr::Builtin { .. }
            | Instr::Call { .. }
            | Instr::Direct { .. }
            | Instr::Accelerate { .. }
            | Instr::TailCall { .. }
            | Instr::TailDirect { .. }
            | Instr::Return { .. }
            | Instr::Jump { .. }
            | Instr::UnlessBool { .. }
            | Instr::UnlessInt { .. }
            | Instr::UnlessChar { .. }
            | Instr::UnlessCon { .. }
            | Instr::UnlessLength { .. } => return Err(ill_typed()),
        };
        self.put(state, to, value);
        Ok(())
    }

    fn project(&mut self, state: State, from: Use, field: u32) -> Result<Value, Stop> {
        let value = match self.get(state, from.slot) {
            Value::Record(record) => record.fields.get(field as usize).cloned().ok_or_else(ill_typed)?,
            _ => return Err(ill_typed()),
        };
        self.forget(state, from);
        Ok(value)
    }

    /// Empties a slot after its last use.
    fn forget(&mut self, state: State, operand: Use) {
        if operand.last {
            self.put(state, operand.slot, Value::Unit);
        }
    }

    fn test_failed(&mut self, state: State, message: Option<Use>, actual: Use, expected: Use) {
        self.failed += 1;
        let message = match message.map(|message| self.get(state, message.slot)) {
            Some(Value::Seq(text)) => text.text(),
            _ => {
                let actual = show(self.code, self.get(state, actual.slot));
                let expected = show(self.code, self.get(state, expected.slot));
                format!("found    {actual}\nexpected {expected}")
            }
        };
        let span = self.span(state);
        (self.report)(FailedTest { span, message });
    }

    // Calls

    /// Calls the native code of a function, if there is some.
    fn call_native(&mut self, function: FunctionId, state: State, arguments: &[Use]) -> Answer {
        let Some(native) = &mut self.native else { return Answer::None };
        let stack = &self.stack;
        let arguments = arguments.iter().map(|operand| &stack[state.base + operand.slot.0 as usize]);
        native.call(function, arguments, self.world)
    }

    /// Starts a function whose captured values and arguments lie at the end of the stack.
    fn enter(&mut self, function: FunctionId, base: usize) -> Result<State, Stop> {
        let n_slots = self.function(function).n_slots as usize;
        if base + n_slots > MOST_SLOTS {
            return Err(too_deep(self.n_calls()));
        }
        self.stack.resize(base + n_slots, Value::Unit);
        Ok(State { function, at: 0, base })
    }

    fn push(&mut self, frame: Frame) -> Result<(), Stop> {
        if self.frames.len() >= MOST_FRAMES && self.n_calls() >= MOST_FRAMES {
            return Err(too_deep(self.n_calls()));
        }
        self.frames.push(frame);
        Ok(())
    }

    /// How many frames there are, whether or not there is native code.
    fn n_calls(&self) -> usize {
        let is_given_up = self.native.as_ref().is_some_and(|native| native.is_off);
        self.frames.len() - usize::from(is_given_up && !self.frames.is_empty())
    }

    /// Applies a value to arguments.
    fn apply(&mut self, mut function: Value, mut arguments: Arguments, span: Span) -> Result<Flow, Stop> {
        loop {
            let n_parameters = match &function {
                Value::Function(closure) => self.function(closure.function).n_parameters as usize,
                Value::Builtin(builtin) => builtin.parameters(),
                Value::Partial(partial) => {
                    let mut all: Arguments = partial.arguments.iter().cloned().collect();
                    all.extend(arguments);
                    arguments = all;
                    function = partial.function.clone();
                    continue;
                }
                _ => return Err(ill_typed()),
            };
            if arguments.len() < n_parameters {
                let partial = Partial { function, arguments: arguments.into_vec() };
                return Ok(Flow::Value(Value::Partial(Rc::new(partial))));
            }
            if arguments.len() > n_parameters {
                let rest: Arguments = arguments.drain(n_parameters..).collect();
                self.push(Frame::Apply(rest))?;
            }
            return match function {
                Value::Function(closure) => {
                    if let Some(native) = &mut self.native {
                        let all = closure.captured.iter().chain(&arguments);
                        match native.call(closure.function, all, self.world) {
                            Answer::Value(value) => return Ok(Flow::Value(value)),
                            Answer::GivenUp => self.push(Frame::GivenUp)?,
                            Answer::None => {}
                        }
                    }
                    let base = self.stack.len();
                    self.stack.extend(closure.captured.iter().cloned());
                    self.stack.extend(arguments);
                    self.enter(closure.function, base).map(Flow::Run)
                }
                Value::Builtin(builtin) => match builtins::run(self, builtin, arguments)? {
                    Given::Value(value) => Ok(Flow::Value(value)),
                    Given::Loop(it) => self.go_on(it, None, span),
                },
                _ => Err(ill_typed()),
            };
        }
    }

    /// Goes on with a loop, given what its last call gave.
    fn go_on(&mut self, mut it: Box<Loop>, mut given: Option<Value>, span: Span) -> Result<Flow, Stop> {
        loop {
            let step = it.next(given)?;
            if it.is_raced {
                match (&step, &mut self.races) {
                    (Step::Call(..), Some(races)) => races.begin(it.index - 1),
                    (Step::Done(_), races) => *races = None,
                    (Step::Call(..), None) => {}
                }
            }
            match step {
                Step::Done(value) => return Ok(Flow::Value(value)),
                Step::Call(Value::Builtin(builtin), arguments) if simple(builtin, &arguments) => {
                    match builtins::run(self, builtin, arguments)? {
                        Given::Value(value) => given = Some(value),
                        Given::Loop(_) => return Err(ill_typed()),
                    }
                }
                Step::Call(function, arguments) => {
                    self.push(Frame::Loop(it, span))?;
                    return self.apply(function, arguments, span);
                }
            }
        }
    }

    /// Gives a value to what waits for it; nothing is left to do if nothing waits.
    fn deliver(&mut self, mut value: Value) -> Result<Option<State>, Stop> {
        loop {
            let flow = match self.frames.pop() {
                None => return Ok(None),
                Some(Frame::Function(state, to)) => {
                    self.put(state, to, value);
                    return Ok(Some(state));
                }
                Some(Frame::Unwatch) => {
                    self.is_watched = false;
                    continue;
                }
                Some(Frame::GivenUp) => {
                    if let Some(native) = &mut self.native {
                        native.is_off = false;
                    }
                    continue;
                }
                Some(Frame::Apply(arguments)) => self.apply(value, arguments, Span::NONE)?,
                Some(Frame::Loop(it, span)) => {
                    self.go_on(it, Some(value), span).map_err(|stop| stop.at(span))?
                }
            };
            match flow {
                Flow::Run(state) => return Ok(Some(state)),
                Flow::Value(next) => value = next,
            }
        }
    }

    // Debugging

    /// Lets a loop of calls be looked at, if it is one that would run in parallel.
    pub(super) fn watch(&mut self, it: &mut Loop) {
        match it.builtin {
            _ if !self.is_watched => {}
            Builtin::Reduce => it.samples = Samples::of(&it.state, &it.source),
            Builtin::Loop if self.races.is_none() => {
                self.races = Some(Races::default());
                it.is_raced = true;
            }
            // The others run in order, or their calls do not depend on each other.
            _ => {}
        }
    }

    /// A pair, as built-ins give it.
    pub(super) fn pair(&self, first: Value, second: Value) -> Value {
        let (shape, flipped): (ShapeId, bool) = self.code.pair;
        let fields = if flipped { smallvec![second, first] } else { smallvec![first, second] };
        Value::Record(Rc::new(Record { shape, fields }))
    }

    // Failures

    /// Where the instruction that is being run comes from.
    fn span(&self, state: State) -> Span {
        self.function(state.function).spans[state.at - 1]
    }

    fn error(
        &self,
        message: String,
        device_place: Option<String>,
        state: Option<State>,
        span: Span,
    ) -> RunError {
        let mut calls: Vec<Call> = Vec::new();
        let mut states: Vec<State> = state.into_iter().collect();
        states.extend(self.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Function(state, _) => Some(*state),
            Frame::Apply(_) | Frame::Loop(..) | Frame::Unwatch | Frame::GivenUp => None,
        }));
        let call = |state: &State| Call::In(self.function(state.function).name.clone(), self.span(*state));
        if states.len() <= 2 * SHOWN_CALLS + 1 {
            calls.extend(states.iter().map(call));
        } else {
            calls.extend(states[..SHOWN_CALLS].iter().map(call));
            calls.push(Call::More(states.len() - 2 * SHOWN_CALLS));
            calls.extend(states[states.len() - SHOWN_CALLS..].iter().map(call));
        }
        RunError { message, span, device_place, calls }
    }
}

/// Whether a built-in gives a value at once.
fn simple(builtin: Builtin, arguments: &Arguments) -> bool {
    matches!(arguments.as_slice(), [left, right] if builtins::binary(builtin, left, right).is_some())
}

fn too_deep(n_calls: usize) -> Stop {
    Stop::Fault(format!(
        "the stack is full: {n_calls} calls are open, which looks like recursion without an end"
    ))
}

fn ill_typed() -> Stop {
    Stop::Fault("a value has another type than the checker found".to_string())
}

fn seq(value: &Value) -> Result<&Seq, Stop> {
    match value {
        Value::Seq(seq) => Ok(seq),
        _ => Err(ill_typed()),
    }
}

/// A record with another field; in place if nobody else holds it.
fn update(record: Value, field: u32, value: Value) -> Result<Value, Stop> {
    let Value::Record(mut record) = record else { return Err(ill_typed()) };
    let place = Rc::make_mut(&mut record).fields.get_mut(field as usize);
    *place.ok_or_else(ill_typed)? = value;
    Ok(Value::Record(record))
}
