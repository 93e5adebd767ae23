//! The machine, which runs code.
//!
//! A call pushes a frame and the function's slots on stacks on the heap, so only [`MOST_SLOTS`] and [`MOST_FRAMES`] limit
//! recursion; a call in tail position replaces its function. Built-ins that call functions are frames, too. A failure ends the
//! run with a message, its position, and the open calls.

mod calls;
mod simple;

use warpwise_diag::Span;

use super::budget;
use super::builtins::{self, Arguments, Given, Stop};
use super::channels::Channels;
use super::code::{Code, Function, FunctionId, Instr, Slot, Use};
use super::device::{Device, DeviceError};
use super::loops::Loop;
use super::native::{Answer, Native, Natives};
pub use super::outcome::{Call, Outcome, RunError, TestOutcome};
use super::value::Value;
use super::watch::Races;
use super::world::World;

/// Maximum number of slots on the stack (1 GiB).
pub const MOST_SLOTS: usize = 1 << 26;

/// Maximum number of open calls.
pub const MOST_FRAMES: usize = 1 << 24;

/// Runs a program without native code.
pub fn run(
    code: &Code,
    world: &mut dyn World,
    device: &mut dyn Device,
    report: &mut dyn FnMut(TestOutcome),
) -> Result<Outcome, RunError> {
    run_native(code, None, world, device, report)
}

/// Runs a program, calling native code where available.
pub fn run_native(
    code: &Code,
    native: Option<Native<'_>>,
    world: &mut dyn World,
    device: &mut dyn Device,
    report: &mut dyn FnMut(TestOutcome),
) -> Result<Outcome, RunError> {
    let _counting = budget::start(world.budget());
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
        channels: Channels::default(),
        passed: 0,
        failed: 0,
        is_watched: false,
        is_strict: false,
        races: Races::default(),
    };
    let mut result = machine.main();
    if let (Ok(_), Err(message)) = (&result, machine.channels.finish()) {
        let message = format!("a file that was opened for writing cannot be written: {message}");
        let span = code.functions[0].spans.last().copied().unwrap_or(Span::NONE);
        result = Err(RunError { message, span, device_place: None, calls: Vec::new() });
    }
    let (passed, failed) = (machine.passed, machine.failed);
    super::object::release(machine.stack.drain(..).chain(machine.globals.drain(..)));
    result.map(|exit| Outcome { exit, passed, failed })
}

/// A running program.
pub(super) struct Machine<'a> {
    pub code: &'a Code,
    pub world: &'a mut dyn World,
    device: &'a mut dyn Device,
    report: &'a mut dyn FnMut(TestOutcome),
    stack: Vec<Value>,
    frames: Vec<Frame>,
    globals: Vec<Value>,
    native: Option<Natives<'a>>,
    pub random: u64,
    pub n_symbols: u64,
    pub channels: Channels,
    passed: u64,
    failed: u64,
    /// Whether the running code belongs to an accelerated expression that is watched.
    is_watched: bool,
    /// Whether sequences made by a watched expression must have elements of equal length.
    pub is_strict: bool,
    /// The accesses of the iterations of the watched loops that are running.
    pub races: Races,
}

/// An activation of a function.
#[derive(Clone, Copy, PartialEq, Eq)]
struct State {
    function: FunctionId,
    /// Number of the next instruction.
    at: usize,
    /// Index of its first slot on the stack.
    base: usize,
}

/// A continuation that waits for a value.
enum Frame {
    /// A function, which stores the value in a slot.
    Function(State, Slot),
    /// Arguments, to which the value is applied.
    Apply(Arguments),
    /// A built-in that calls functions.
    Loop(Box<Loop>, Span),
    /// The end of a watched expression.
    Unwatch,
    /// The end of a call that native code gave up.
    GivenUp,
}

/// The next step.
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

    /// Runs functions until one returns to a frame that is not the function that called it.
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
                    match self.run_builtin(*builtin, arguments)? {
                        (Given::Value(value), _) => self.put(*state, *to, value),
                        (Given::Loop(it), is_given_up) => {
                            self.push(Frame::Function(*state, *to))?;
                            if is_given_up {
                                self.push(Frame::GivenUp)?;
                            }
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
                        (self.is_watched, self.is_strict) = (true, self.device.demands_regular());
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
                    if !matches!(self.get(*state, *slot), Value::Con(found) if found.con() == *con) {
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

    // Failures

    /// Returns the source position of the current instruction.
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
        let mut states: Vec<State> = state.into_iter().collect();
        states.extend(self.frames.iter().rev().filter_map(|frame| match frame {
            Frame::Function(state, _) => Some(*state),
            Frame::Apply(_) | Frame::Loop(..) | Frame::Unwatch | Frame::GivenUp => None,
        }));
        // A call that cannot be entered is already open.
        states.dedup();
        let call = |state: &State| Call::In(self.function(state.function).name.clone(), self.span(*state));
        RunError { message, span, device_place, calls: Call::chain(&states, call) }
    }
}

fn ill_typed() -> Stop {
    Stop::Fault("a value has another type than the checker found".to_string())
}
