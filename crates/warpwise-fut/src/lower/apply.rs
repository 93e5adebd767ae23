//! Application: every call has a callee known at compile time, and expands it or calls a core function.
//!
//! The following are expanded at each call: lambdas, local functions, definitions that take or return functions, and everything
//! in the prelude. Expansion binds the parameters in a frame of their own, and lowers the body into the body under construction.
//! Every other definition becomes a function of the core IR, one per choice of type arguments (see
//! [`instance`](crate::lower::instance)).
//!
//! ```text
//! def twice f x = f (f x)            entry main (x: i32) : i32 =   becomes   a: i32 = add x 1i32;
//!                                      twice (+ 1) x                         b: i32 = add a 1i32;
//! ```
//!
//! Expansion terminates because definitions mention only earlier ones and the language is typed. A definition that mentions
//! itself becomes a core function for each choice of functions passed to it (see [`closures`](crate::lower::closures)).

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
    /// Applies a function to any number of arguments.
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

    /// Lowers the body of a function in place.
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

    /// Binds the scheme and the parameters of a function in `inner`. Returns the arguments with the sizes of the parameters'
    /// types.
    pub fn bind_call(
        &mut self,
        source: &'a Function,
        arguments: &Use<'a>,
        inner: &Env<'a>,
        args: &[Value<'a>],
    ) -> Result<Vec<Value<'a>>, Failure> {
        // Take sizes from the arguments where possible, so that inside and outside use the same operands.
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

    /// Returns a definition as a value.
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

    /// Returns the value of a constant. A constant that contains functions is expanded at each use; any other is evaluated once,
    /// at the beginning of the function under construction.
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

    /// Whether a type argument has sizes that only values determine. A core function needs to know all sizes.
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
