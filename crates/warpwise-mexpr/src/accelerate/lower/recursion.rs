//! Recursion that is not a loop: functions on scalars with calls of themselves that are not tail calls.
//!
//! Such a function becomes a core IR function for each combination of argument layouts, and its recursive calls stay calls. All
//! other functions are inlined where they are called. `fib` on integers:
//! ```text
//! recursion_0(n: i64) -> i64 { ... call recursion_0(n - 1) ... call recursion_0(n - 2) ... }
//! ```
//! Needs: arguments and results that are numbers, truth values, characters or records of these, and no output
//! ([`super::super::wellformed`]).

use warpwise_diag::{Failure, Span};
use warpwise_ir::builder::Builder;
use warpwise_ir::entity::Entity;
use warpwise_ir::{Expr as Ir, FunctionId, Program};

use crate::tree::{Binding, ExprKind, VarId};

use super::value::{Data, Function, Layout, Shape, Value};
use super::{FxHashMap, Lowerer};

/// The core IR functions made of recursive functions, by position.
#[derive(Default)]
pub(super) struct Recursions {
    made: Vec<(Key, Option<warpwise_ir::Function>)>,
}

/// The key of a core IR function: a function with the layouts of its arguments and its result.
#[derive(Clone, PartialEq)]
struct Key {
    var: VarId,
    arguments: Vec<Layout>,
    result: Layout,
}

impl Recursions {
    /// Returns a program of these functions; calls refer to them by their ids there.
    pub(super) fn into_program(self) -> Program {
        let mut program = Program::default();
        for function in self.made.into_iter().filter_map(|(_, function)| function) {
            program.functions.push(function);
        }
        program
    }
}

impl Lowerer<'_, '_> {
    /// Lowers a call that is not inlined.
    pub(super) fn recursive_call(
        &mut self,
        var: VarId,
        binding: &Binding,
        function: &Function,
        shape: &Shape,
        span: Span,
    ) -> Result<Value, Failure> {
        let arguments = function.arguments.iter().map(|argument| self.data(argument.clone(), span));
        let arguments = arguments.collect::<Result<Vec<Data>, _>>()?;
        let layouts: Vec<Layout> = arguments.iter().map(|argument| argument.layout.clone()).collect();
        let key = Key { var, arguments: layouts, result: shape.empty() };
        if !key.arguments.iter().chain([&key.result]).all(is_plain) {
            return self.refuse(
                "sequences or tensors in a function that calls itself before the last thing it does",
                span,
            );
        }
        let known = self.functions.recursions.borrow().made.iter().position(|(other, _)| *other == key);
        let index = match known {
            Some(index) => index,
            None => self.make(&key, binding, function)?,
        };
        let args = arguments.into_iter().flat_map(|argument| argument.leaves).collect();
        let types = key.result.types();
        let results: Vec<_> = types.into_iter().map(|ty| self.b.function.fresh("result", ty)).collect();
        self.b.bind_to(results.clone(), Ir::Call { function: FunctionId::new(index), args });
        let leaves = results.into_iter().map(Into::into).collect();
        Ok(Value::Data(Data { layout: key.result, leaves }))
    }

    /// Makes the core IR function; its position is known before its body.
    fn make(&mut self, key: &Key, binding: &Binding, called: &Function) -> Result<usize, Failure> {
        let index = {
            let mut recursions = self.functions.recursions.borrow_mut();
            recursions.made.push((key.clone(), None));
            recursions.made.len() - 1
        };
        let ExprKind::Lambda(parameters, body) = &binding.body.kind else {
            return self.refuse("a recursive definition that is no function", binding.body.span);
        };
        let mut function = warpwise_ir::Function::new(&format!("recursion_{index}"));
        function.span = body.span;
        let mut values = FxHashMap::default();
        for (parameter, layout) in parameters.iter().zip(&key.arguments) {
            let name = self.checked.names.text(self.checked.program.vars[parameter.var.0 as usize].name);
            let leaves =
                layout.types().into_iter().map(|ty| function.param(name, ty, false).into()).collect();
            values.insert(parameter.var, Value::Data(Data { layout: layout.clone(), leaves }));
        }
        let mut inner = Lowerer::new(self.checked, self.functions, Builder::new(&mut function), values);
        (inner.with, inner.rows) = (called.with.clone(), self.rows);
        inner.b.set_span(body.span);
        let result = inner.expr(body).and_then(|value| inner.data(value, body.span))?;
        let unique = vec![false; result.leaves.len()];
        inner.b.finish(result.leaves, &unique);
        self.functions.recursions.borrow_mut().made[index].1 = Some(function);
        Ok(index)
    }
}

/// Returns whether values of a layout are a fixed number of scalars.
fn is_plain(layout: &Layout) -> bool {
    match layout {
        Layout::Scalar(_) => true,
        Layout::Record(fields) => fields.iter().all(|(_, layout)| is_plain(layout)),
        Layout::Seq(..) | Layout::Rows(..) | Layout::Tensor(_) => false,
    }
}
