//! State of a run; statements and bodies.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};

use warpwise_diag::Span;
use warpwise_ir::deep::deep;
use warpwise_ir::entity::SecondaryMap;
use warpwise_ir::{
    Body, Function, FunctionId, Lambda, Message, MessagePart, Operand, Program, Stm, Type, Var,
};
use warpwise_prim::{Scalar, ValueType};

use crate::heap::{Heap, Place};
use crate::memory::place_arguments;
use crate::value::{ArrayValue, Value, element_count};

/// The reason why a run failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum InterpError {
    /// An assertion did not hold.
    Check {
        /// The assertion's message.
        message: String,
        /// Source position of the assertion.
        span: Span,
    },
    /// The run exceeded its steps, its calls nested too deep for the stack, an array was too large, or the run was asked to stop.
    OutOfSteps {
        /// Source position of the statement at which the run was stopped.
        span: Span,
    },
    /// The program is not valid: an index out of bounds without a check, a missing value.
    Invalid {
        /// Description of the error.
        message: String,
        /// Source position of the statement at fault.
        span: Span,
    },
}

/// Runs a function on arguments, one per parameter; blocks of memory are given as [`Value::Token`].
pub fn interpret(
    program: &Program,
    function: FunctionId,
    args: Vec<Value>,
) -> Result<Vec<Value>, InterpError> {
    interpret_within(program, function, args, u64::MAX)
}

/// Runs a function until it ends or `stop` is set, which gives [`InterpError::OutOfSteps`].
pub fn interpret_until(
    program: &Program,
    function: FunctionId,
    args: Vec<Value>,
    stop: &AtomicBool,
) -> Result<Vec<Value>, InterpError> {
    deep(|| {
        let steps = &Cell::new(u64::MAX);
        call(
            program,
            function,
            args,
            Surroundings { stack_base: stack_top(), steps, stop: Some(stop), heap: None },
        )
    })
}

/// Runs a function for at most `steps` steps. A step is a statement executed or an element made. So time and memory are bounded,
/// whatever sizes the program computes.
pub fn interpret_within(
    program: &Program,
    function: FunctionId,
    args: Vec<Value>,
    steps: u64,
) -> Result<Vec<Value>, InterpError> {
    deep(|| {
        let steps = &Cell::new(steps);
        call(program, function, args, Surroundings { stack_base: stack_top(), steps, stop: None, heap: None })
    })
}

/// Runs a function of a program of level `mem` with its memory. Fails if an array does not lie where its placement says, or if
/// parallel iterations race. Blocks among the results are tokens.
pub fn interpret_on_heap(
    program: &Program,
    id: FunctionId,
    args: Vec<Value>,
) -> Result<Vec<Value>, InterpError> {
    interpret_on_heap_within(program, id, args, u64::MAX)
}

/// Runs a function like [`interpret_on_heap`], for at most `steps` steps; allocating a byte is a step, too.
pub fn interpret_on_heap_within(
    program: &Program,
    id: FunctionId,
    args: Vec<Value>,
    steps: u64,
) -> Result<Vec<Value>, InterpError> {
    let heap = RefCell::default();
    let function = &program.functions[id];
    if args.len() != function.params.len() {
        return interpret(program, id, args);
    }
    let args = place_arguments(&heap, function, args);
    let values = deep(|| {
        let steps = &Cell::new(steps);
        let surroundings = Surroundings { stack_base: stack_top(), steps, stop: None, heap: Some(&heap) };
        call(program, id, args, surroundings)
    })?;
    let is_block = |x: &Operand| x.as_var().is_some_and(|var| *function.ty(var) == Type::Mem);
    let results = function.body.result.iter().zip(values);
    Ok(results.map(|(x, value)| if is_block(x) { Value::Token } else { value }).collect())
}

/// State that all activations of a run share.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'p> {
    /// Approximate address of the top of the stack when the run began.
    pub(crate) stack_base: usize,
    /// Number of steps left, for all activations together.
    pub(crate) steps: &'p Cell<u64>,
    /// Flag that ends the run when it is set.
    pub(crate) stop: Option<&'p AtomicBool>,
    /// Memory, if the run models it.
    pub(crate) heap: Option<&'p RefCell<Heap>>,
}

/// Maximum number of bytes that recursion may use, of the stack that [`deep`] provides.
const MAX_STACK: usize = 128 << 20;

/// Maximum number of elements of an array: 4 GiB of scalars.
const MAX_ELEMENTS: usize = 1 << 28;

/// Returns the approximate address of the top of the stack.
#[inline(never)]
fn stack_top() -> usize {
    let here = 0_u8;
    std::ptr::from_ref(std::hint::black_box(&here)).addr()
}

pub(crate) fn call<'p>(
    program: &'p Program,
    id: FunctionId,
    args: Vec<Value>,
    surroundings: Surroundings<'p>,
) -> Result<Vec<Value>, InterpError> {
    let function = &program.functions[id];
    let mut machine = Machine {
        program,
        function,
        env: SecondaryMap::default(),
        accs: Vec::new(),
        tokens: SecondaryMap::default(),
        span: function.span,
        stack_base: surroundings.stack_base,
        steps: surroundings.steps,
        stop: surroundings.stop,
        heap: surroundings.heap,
    };
    if surroundings.stack_base.abs_diff(stack_top()) > MAX_STACK {
        return Err(InterpError::OutOfSteps { span: machine.span });
    }
    if args.len() != function.params.len() {
        return Err(machine.invalid(format!("`{}` called with {} arguments", function.name, args.len())));
    }
    for (param, arg) in function.params.iter().zip(args) {
        machine.set(param.var, arg);
    }
    let values = machine.body(&function.body)?;
    function.body.result.iter().try_for_each(|&result| machine.read_whole(result))?;
    Ok(values)
}

/// One activation of a function.
pub(crate) struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) function: &'p Function,
    env: SecondaryMap<Var, Option<Value>>,
    /// The arrays behind the accumulators in use.
    pub(crate) accs: Vec<Accumulator<'p>>,
    /// The number of the accumulator that a token stands for.
    pub(crate) tokens: SecondaryMap<Var, Option<usize>>,
    /// Source position of the current statement.
    pub(crate) span: Span,
    /// Approximate address of the top of the stack when the run began.
    pub(crate) stack_base: usize,
    /// Number of steps left, for all activations together.
    pub(crate) steps: &'p Cell<u64>,
    /// Flag that ends the run when it is set.
    pub(crate) stop: Option<&'p AtomicBool>,
    /// Memory, if the run models it.
    pub(crate) heap: Option<&'p RefCell<Heap>>,
}

/// Arrays into which values are combined.
pub(crate) struct Accumulator<'p> {
    pub(crate) arrays: Vec<ArrayValue>,
    /// The places of the arrays, if memory is modelled.
    pub(crate) places: Vec<Option<Place>>,
    pub(crate) op: Option<&'p Lambda>,
}

/// A result, or the reason why the run failed.
pub(crate) type Run<T> = Result<T, InterpError>;

impl<'p> Machine<'p> {
    /// Runs a body in the current environment.
    pub(crate) fn body(&mut self, body: &'p Body) -> Run<Vec<Value>> {
        for stm in &body.stms {
            self.stm(stm)?;
        }
        body.result.iter().map(|&x| self.operand(x)).collect()
    }

    /// Applies a lambda.
    pub(crate) fn apply(&mut self, lambda: &'p Lambda, args: Vec<Value>) -> Run<Vec<Value>> {
        if lambda.params.len() != args.len() {
            return Err(self.invalid("a lambda is applied to a wrong number of values"));
        }
        for (&param, arg) in lambda.params.iter().zip(args) {
            self.set(param, arg);
        }
        self.body(&lambda.body)
    }

    fn stm(&mut self, stm: &'p Stm) -> Run<()> {
        self.span = stm.span;
        self.spend(1)?;
        self.reads(stm)?;
        let values = self.expr(&stm.expr, &stm.pattern)?;
        if values.len() != stm.pattern.len() {
            return Err(self.invalid("a statement binds another number of values than its expression has"));
        }
        self.span = stm.span;
        for (&var, value) in stm.pattern.iter().zip(values) {
            self.set(var, value);
        }
        stm.pattern.iter().try_for_each(|&var| self.check_type(var))?;
        self.are_inside(&stm.pattern)?;
        self.writes(stm)
    }

    /// Checks that the value of a variable has the variable's type, sizes included.
    fn check_type(&self, var: Var) -> Run<()> {
        let value = self.env[var].as_ref().expect("just set");
        let fits = match (self.function.ty(var), value) {
            (Type::Scalar(ty), Value::Scalar(value)) => *ty == value.ty(),
            (Type::Array(ty), Value::Array(array)) => {
                let mut fits = ty.elem == array.elem && ty.shape.len() == array.shape.len();
                for (&expected, &size) in ty.shape.iter().zip(&array.shape) {
                    fits &= self.int(expected)? == size as i64;
                }
                fits
            }
            (Type::Acc(_), Value::Acc(_)) | (Type::Cert | Type::Mem, Value::Token) => true,
            // A block is a number if memory is modelled.
            (Type::Mem, Value::Scalar(Scalar::I64(_))) => self.heap.is_some(),
            _ => false,
        };
        let name = self.function.vars[var].name();
        if fits { Ok(()) } else { Err(self.invalid(format!("`{name}` does not get a value of its type"))) }
    }

    pub(crate) fn set(&mut self, var: Var, value: Value) {
        self.env[var] = Some(value);
    }

    /// Forgets the value of a variable.
    pub(crate) fn unset(&mut self, var: Var) {
        self.env[var] = None;
    }

    pub(crate) fn operand(&self, operand: Operand) -> Run<Value> {
        match operand {
            Operand::Const(value) => Ok(Value::Scalar(value)),
            Operand::Var(var) => self.var(var),
        }
    }

    pub(crate) fn var(&self, var: Var) -> Run<Value> {
        let name = || self.function.vars[var].name();
        self.env[var].clone().ok_or_else(|| self.invalid(format!("`{}` has no value", name())))
    }

    /// Takes the value of a variable that is consumed here, so that it can be overwritten in place.
    pub(crate) fn take_array(&mut self, var: Var) -> Run<ArrayValue> {
        let array = self.array(var)?;
        self.env[var] = None;
        Ok(array)
    }

    pub(crate) fn scalar(&self, operand: Operand) -> Run<Scalar> {
        match operand {
            Operand::Const(value) => Ok(value),
            Operand::Var(_) => {
                self.operand(operand)?.as_scalar().ok_or_else(|| self.invalid("a scalar is needed"))
            }
        }
    }

    pub(crate) fn int(&self, operand: Operand) -> Run<i64> {
        self.scalar(operand)?.as_int().ok_or_else(|| self.invalid("an integer is needed"))
    }

    pub(crate) fn bool(&self, operand: Operand) -> Run<bool> {
        Ok(self.scalar(operand)? == Scalar::Bool(true))
    }

    /// Returns the value of a size; negative ones are invalid.
    pub(crate) fn size(&self, operand: Operand) -> Run<usize> {
        let size = self.int(operand)?;
        usize::try_from(size).map_err(|_| self.invalid(format!("{size} is no size")))
    }

    pub(crate) fn sizes(&self, operands: &[Operand]) -> Run<Vec<usize>> {
        operands.iter().map(|&x| self.size(x)).collect()
    }

    pub(crate) fn ints(&self, operands: &[Operand]) -> Run<Vec<i64>> {
        operands.iter().map(|&x| self.int(x)).collect()
    }

    pub(crate) fn operands(&self, operands: &[Operand]) -> Run<Vec<Value>> {
        operands.iter().map(|&x| self.operand(x)).collect()
    }

    pub(crate) fn array(&self, var: Var) -> Run<ArrayValue> {
        match self.var(var)? {
            Value::Array(array) => Ok(array),
            Value::Scalar(_) | Value::Acc(_) | Value::Token => Err(self.invalid("an array is needed")),
        }
    }

    /// Counts steps that are about to be taken.
    pub(crate) fn spend(&self, steps: usize) -> Run<()> {
        if self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Err(InterpError::OutOfSteps { span: self.span });
        }
        match self.steps.get().checked_sub(steps as u64) {
            Some(left) => {
                self.steps.set(left);
                Ok(())
            }
            None => Err(InterpError::OutOfSteps { span: self.span }),
        }
    }

    /// Counts the elements of an array of this shape that is about to be made, and returns their number. An array of more than
    /// [`MAX_ELEMENTS`] elements is out of steps in any case.
    pub(crate) fn spend_elements(&self, shape: &[usize]) -> Run<usize> {
        let elements = element_count(shape);
        if elements > MAX_ELEMENTS {
            return Err(InterpError::OutOfSteps { span: self.span });
        }
        self.spend(elements).map(|()| elements)
    }

    pub(crate) fn invalid(&self, message: impl Into<String>) -> InterpError {
        InterpError::Invalid { message: message.into(), span: self.span }
    }

    /// Returns the failure of an assertion.
    pub(crate) fn failed(&self, message: &Message) -> Run<InterpError> {
        let mut text = String::new();
        for part in &message.parts {
            match part {
                MessagePart::Text(part) => text.push_str(part),
                MessagePart::Value(x, ty) => text += &surface_text(self.scalar(*x)?, *ty),
            }
        }
        Ok(InterpError::Check { message: text, span: self.span })
    }
}

/// Returns a scalar as text without a type suffix; the type tells whether integers are unsigned.
fn surface_text(value: Scalar, ty: ValueType) -> String {
    match value.as_int() {
        Some(_) if ty.is_unsigned() => value.to_bits().to_string(),
        Some(int) => int.to_string(),
        None => match value.as_bool() {
            Some(truth) => truth.to_string(),
            None => value.as_float().map_or_else(String::new, |x| x.to_string()),
        },
    }
}

impl fmt::Display for InterpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InterpError::Check { message, .. } => f.write_str(message),
            InterpError::OutOfSteps { .. } => {
                f.write_str("the run takes too long or too much memory for the interpreter")
            }
            InterpError::Invalid { message, .. } => write!(f, "invalid program: {message}"),
        }
    }
}

impl std::error::Error for InterpError {}
