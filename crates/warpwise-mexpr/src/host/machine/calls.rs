//! Calls of functions by number, of function values, and of built-ins that call functions; and delivery of their results.

use std::rc::Rc;

use warpwise_diag::Span;

use crate::builtins::Builtin;

use super::super::budget;
use super::super::builtins::{self, Arguments, Given, Stop};
use super::super::code::{FunctionId, Use};
use super::super::loops::{Loop, Over, Step};
use super::super::native::Answer;
use super::super::value::{Partial, Value};
use super::super::watch::Samples;
use super::{Flow, Frame, MOST_FRAMES, MOST_SLOTS, Machine, State, ill_typed};

/// Maximum number of elements of a tensor that native code makes at a time.
const MOST_INDICES: usize = 1024;

impl Machine<'_> {
    /// Calls the native code of a function, if it has any.
    pub(super) fn call_native(&mut self, function: FunctionId, state: State, arguments: &[Use]) -> Answer {
        let Some(native) = &mut self.native else { return Answer::None };
        let stack = &self.stack;
        let arguments = arguments.iter().map(|operand| &stack[state.base + operand.slot.0 as usize]);
        native.call(function, arguments, self.world)
    }

    /// Starts a function whose captured values and arguments are at the top of the stack.
    pub(super) fn enter(&mut self, function: FunctionId, base: usize) -> Result<State, Stop> {
        budget::take(budget::CALL, String::new)?;
        let n_slots = self.function(function).n_slots as usize;
        if base + n_slots > MOST_SLOTS {
            return Err(too_deep(self.n_calls()));
        }
        self.stack.resize(base + n_slots, Value::Unit);
        Ok(State { function, at: 0, base })
    }

    pub(super) fn push(&mut self, frame: Frame) -> Result<(), Stop> {
        if self.frames.len() >= MOST_FRAMES && self.n_calls() >= MOST_FRAMES {
            return Err(too_deep(self.n_calls()));
        }
        self.frames.push(frame);
        Ok(())
    }

    /// Returns the number of frames that there would be without native code.
    pub(super) fn n_calls(&self) -> usize {
        let is_given_up = self.native.as_ref().is_some_and(|native| native.is_off);
        self.frames.len() - usize::from(is_given_up && !self.frames.is_empty())
    }

    /// Applies a value to arguments.
    pub(super) fn apply(
        &mut self,
        mut function: Value,
        mut arguments: Arguments,
        span: Span,
    ) -> Result<Flow, Stop> {
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
                Value::Builtin(builtin) => match self.run_builtin(builtin, arguments)? {
                    (Given::Value(value), _) => Ok(Flow::Value(value)),
                    (Given::Loop(it), is_given_up) => {
                        if is_given_up {
                            self.push(Frame::GivenUp)?;
                        }
                        self.go_on(it, None, span)
                    }
                },
                _ => Err(ill_typed()),
            };
        }
    }

    /// Runs a built-in, natively if it is a loop with native code; also returns whether the native code gave up.
    pub(super) fn run_builtin(
        &mut self,
        builtin: Builtin,
        arguments: Arguments,
    ) -> Result<(Given, bool), Stop> {
        let answer = match &mut self.native {
            Some(native) => native.repeat(builtin, &arguments, self.world),
            None => Answer::None,
        };
        match answer {
            Answer::Value(value) => Ok((Given::Value(value), false)),
            Answer::GivenUp => Ok((builtins::run(self, builtin, arguments)?, true)),
            Answer::None => match builtins::run(self, builtin, arguments)? {
                Given::Loop(it) if it.over == Over::Tensor => self.make_elements(it),
                given @ (Given::Loop(_) | Given::Value(_)) => Ok((given, false)),
            },
        }
    }

    /// Makes the elements of a tensor by native code, if there is some: a number of them at a time. Returns the rest of the loop if
    /// the native code gives up.
    fn make_elements(&mut self, mut it: Box<Loop>) -> Result<(Given, bool), Stop> {
        let Some(native) = self.native.as_mut().filter(|native| native.maps(&it.function)) else {
            return Ok((Given::Loop(it), false));
        };
        while it.index < it.n {
            let before = it.place.clone();
            let indices = it.next_indices(MOST_INDICES);
            let n_indices = indices.len();
            match native.repeat(Builtin::Map, &[it.function.clone(), Value::Seq(indices)], self.world) {
                Answer::Value(Value::Seq(elements)) if elements.len() == n_indices => {
                    elements.iter().for_each(|element| it.results.push(element));
                    it.index += n_indices;
                }
                answer => {
                    it.place = before;
                    return Ok((Given::Loop(it), matches!(answer, Answer::GivenUp)));
                }
            }
        }
        match it.next(None)? {
            Step::Done(tensor) => Ok((Given::Value(tensor), false)),
            Step::Call(..) => Err(ill_typed()),
        }
    }

    /// Continues a loop, given the result of its last call.
    pub(super) fn go_on(
        &mut self,
        mut it: Box<Loop>,
        mut given: Option<Value>,
        span: Span,
    ) -> Result<Flow, Stop> {
        loop {
            budget::take(budget::CALL, String::new)?;
            let step = it.next(given)?;
            if it.is_raced {
                match &step {
                    Step::Call(..) => self.races.begin(it.index - 1),
                    Step::Done(_) => self.races.end_loop(),
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

    /// Delivers a value to the frames that wait for it; returns `None` if no frame is left.
    pub(super) fn deliver(&mut self, mut value: Value) -> Result<Option<State>, Stop> {
        loop {
            let flow = match self.frames.pop() {
                None => return Ok(None),
                Some(Frame::Function(state, to)) => {
                    self.put(state, to, value);
                    return Ok(Some(state));
                }
                Some(Frame::Unwatch) => {
                    (self.is_watched, self.is_strict) = (false, false);
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

    /// Sets up the inspection of a loop of calls, if the loop would run in parallel.
    pub(in crate::host) fn watch(&mut self, it: &mut Loop) {
        it.must_be_regular = self.is_strict;
        match it.builtin {
            _ if !self.is_watched => {}
            Builtin::Reduce => it.samples = Samples::of(&it.state, &it.source),
            Builtin::Loop => {
                self.races.begin_loop();
                it.is_raced = true;
            }
            // The other loops run in order, or their calls are independent.
            _ => {}
        }
    }
}

/// Returns whether a built-in yields a value without calls.
fn simple(builtin: Builtin, arguments: &Arguments) -> bool {
    matches!(arguments.as_slice(), [left, right] if builtins::binary(builtin, left, right).is_some())
}

fn too_deep(n_calls: usize) -> Stop {
    Stop::Fault(format!(
        "the stack is full: {n_calls} calls are open, which looks like recursion without an end"
    ))
}
