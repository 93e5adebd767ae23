//! Application: which function is called is known at compile time, so calling it is expanding it.
//!
//! A lambda, a local function, a definition that takes or gives functions, and everything of the prelude is
//! expanded at each call: its parameters are bound in a frame of their own, and its body is lowered into the
//! body under construction. Every other definition becomes a function of the core IR, one per choice of type
//! arguments (see [`instance`](crate::lower::instance)).
//!
//! ```text
//! def twice f x = f (f x)            entry main (x: i32) : i32 =   becomes   a: i32 = add x 1i32;
//!                                      twice (+ 1) x                         b: i32 = add a 1i32;
//! ```
//!
//! Expansion ends because definitions mention only earlier ones and the language is typed; a definition that mentions itself
//! becomes functions of the core for the functions that it is given (see [`closures`](crate::lower::closures)).

use std::rc::Rc;

use warpwise_diag::Failure;

use crate::lower::context::Lowering;
use crate::lower::expr::{function, is_named};
use crate::lower::types::{Extent, Form, Sizes};
use crate::lower::value::{Callee, Closure, Env, Frame, Use, Value};
use crate::syntax::ast::Liftedness;
use crate::typed::ids::DefId;
use crate::typed::tree::{Function, Instance, Lambda, Scheme};

impl<'a> Lowering<'a, '_> {
    /// A function applied to any number of arguments.
    pub fn apply(&mut self, function: Value<'a>, args: Vec<Value<'a>>) -> Result<Value<'a>, Failure> {
        let Value::Function(closure) = function else {
            return Err(self.bug("a call of what is no function"));
        };
        let mut all = closure.args.clone();
        all.extend(args);
        if all.len() < closure.arity {
            let partial = Closure { callee: closure.callee.clone(), arity: closure.arity, args: all };
            return Ok(Value::Function(Rc::new(partial)));
        }
        let rest = all.split_off(closure.arity);
        let result = self.call(&closure.callee, all)?;
        if rest.is_empty() { Ok(result) } else { self.apply(result, rest) }
    }

    fn call(&mut self, callee: &Callee<'a>, args: Vec<Value<'a>>) -> Result<Value<'a>, Failure> {
        match callee {
            Callee::Lambda(lambda, env) => self.call_lambda(lambda, env, &args),
            Callee::Local(source, home, arguments) => {
                let inner = Frame::inside(home, false);
                self.expand(source, arguments, &inner, &args)
            }
            Callee::Def(def, arguments) if self.is_expanded(*def, arguments, &args)? => {
                if arguments.env.def != Some(*def) {
                    return self.expand_def(*def, arguments, &args);
                }
                if self.form_of_result(*def, arguments)?.has_function() {
                    let message =
                        "a recursive function that gives functions; give data instead, or write a loop";
                    return Err(self.limit(self.code.span, message));
                }
                self.call_instance(*def, arguments, &args)
            }
            Callee::Def(def, arguments) => self.call_instance(*def, arguments, &args),
            Callee::Intrinsic(intrinsic, arguments) => self.intrinsic(*intrinsic, arguments, args),
            Callee::Absent => Err(self.bug("a call of a function that a sum does not carry")),
        }
    }

    fn call_lambda(
        &mut self,
        lambda: &'a Lambda,
        env: &Env<'a>,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, Failure> {
        let inner = Frame::inside(env, false);
        for (param, arg) in lambda.params.iter().zip(args) {
            self.bind_pattern(&param.pattern, arg, &inner)?;
        }
        self.expr(&lambda.body, &inner)
    }

    fn expand_def(
        &mut self,
        def: DefId,
        arguments: &Use<'a>,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, Failure> {
        let source = &self.session.program.defs[def.index()];
        let unchecked = source.attrs.iter().any(|attr| is_named(attr, "unsafe", self));
        let inner = Frame::root(Some(def), unchecked || arguments.env.unchecked);
        let shown = !args.is_empty() && !self.session.in_prelude(source.span) && !self.code.span.is_none();
        if shown {
            self.calls.push(self.code.span);
        }
        let value = self.expand(&source.function, arguments, &inner, args);
        if shown {
            self.calls.pop();
        }
        value
    }

    /// Lowers the body of a function here.
    fn expand(
        &mut self,
        source: &'a Function,
        arguments: &Use<'a>,
        inner: &Env<'a>,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, Failure> {
        self.bind_call(source, arguments, inner, args)?;
        self.expr(&source.body, inner)
    }

    /// Gives the scheme and the parameters of a function their meaning in `inner`; yields the arguments with the
    /// sizes that the parameters' types have.
    pub fn bind_call(
        &mut self,
        source: &'a Function,
        arguments: &Use<'a>,
        inner: &Env<'a>,
        args: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, Failure> {
        // Sizes are read off the arguments where they can be: then inside and outside speak of the same operands.
        for (param, arg) in source.params.iter().zip(args) {
            let mut new = |local| source.scheme.sizes.contains(&local) && inner.value(local).is_none();
            self.bind_sizes(&param.pattern.ty, arg, inner, &mut new);
        }
        if let Some(instance) = arguments.instance {
            self.bind_scheme(&source.scheme, instance, &arguments.env, inner)?;
        }
        let mut fitted = Vec::with_capacity(args.len());
        for (param, arg) in source.params.iter().zip(args) {
            let fits = if arg.extents().is_empty() {
                arg.clone()
            } else {
                let extents = self.extents_of(&param.pattern.ty, inner, Sizes::All)?;
                self.coerce(arg, &extents, &[])
            };
            self.bind_pattern(&param.pattern, &fits, inner)?;
            fitted.push(fits);
        }
        Ok(fitted)
    }

    /// A definition as a value.
    pub fn definition(
        &mut self,
        def: DefId,
        instance: &'a Instance,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let source = &self.session.program.defs[def.index()].function;
        if source.is_constant() {
            return self.constant(def);
        }
        let arguments = Use { instance: Some(instance), env: env.clone() };
        if source.params.is_empty() {
            return self.expand_def(def, &arguments, &[]);
        }
        Ok(function(Callee::Def(def, arguments), source.params.len()))
    }

    /// The value of a constant: functions are expanded at each use, everything else is evaluated once, at the
    /// beginning of the function under construction.
    pub fn constant(&mut self, def: DefId) -> Result<Value<'a>, Failure> {
        if let Some(value) = self.constants.get(&def) {
            return Ok(value.clone());
        }
        let source = &self.session.program.defs[def.index()];
        let arguments = Use { instance: None, env: Frame::root(Some(def), self.session.input.unchecked) };
        let form = self.form(&source.ty, &arguments.env)?;
        if form.has_function() {
            return self.expand_def(def, &arguments, &[]);
        }
        let bodies = self.code.enter_front();
        let value = if form.n_sizes() == 0 || self.session.in_prelude(source.span) {
            self.expand_def(def, &arguments, &[])
        } else {
            self.call_instance(def, &arguments, &[])
        };
        self.code.leave_front(bodies);
        let value = value?;
        self.name(&value, &source.name);
        self.constants.insert(def, value.clone());
        Ok(value)
    }

    fn is_expanded(&mut self, def: DefId, arguments: &Use<'a>, args: &[Value<'a>]) -> Result<bool, Failure> {
        let source = &self.session.program.defs[def.index()];
        if args.iter().any(Value::has_function) || self.form_of_result(def, arguments)?.has_function() {
            return Ok(true);
        }
        let recursive = arguments.env.def == Some(def);
        let wanted = source.attrs.iter().any(|attr| is_named(attr, "inline", self));
        if recursive {
            return Ok(false);
        }
        Ok(wanted
            || self.session.in_prelude(source.span)
            || self.hides_sizes(&source.function.scheme, arguments)?)
    }

    /// Whether a type argument has sizes that nothing but the values tell: a function of the core needs all of them.
    fn hides_sizes(&mut self, scheme: &Scheme, arguments: &Use<'a>) -> Result<bool, Failure> {
        let Some(instance) = arguments.instance else { return Ok(false) };
        for (param, ty) in scheme.types.iter().zip(&instance.types) {
            let is_lifted =
                self.session.program.type_params[param.index()].liftedness != Liftedness::Unlifted;
            if is_lifted && self.extents_of(ty, &arguments.env, Sizes::Plain)?.contains(&Extent::Hidden) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn form_of_result(&mut self, def: DefId, arguments: &Use<'a>) -> Result<Form, Failure> {
        let source = &self.session.program.defs[def.index()].function;
        let inner = Frame::root(Some(def), false);
        if let Some(instance) = arguments.instance {
            for (param, ty) in source.scheme.types.iter().zip(&instance.types) {
                inner.bind_type(*param, crate::lower::value::TypeBinding::Written(ty, arguments.env.clone()));
            }
        }
        self.form(&source.result.ty, &inner)
    }
}
