//! Parametric modules: their definition, application, and sealing.
//!
//! A parametric module is checked where it is written, with a parameter known only by its module type. Its errors are therefore
//! found whether or not it is applied. Each application checks the body again with the argument, to make the result; this finds
//! no new errors.
//!
//! ```text
//! module f (p: { type t  val x : t }) = { def y = p.x }     -- checked with a type `t` that nobody knows
//! module m = f { type t = i32  def x = 1i32 }               -- checked with i32: `m.y` is an i32
//! ```

use std::rc::Rc;

use warpwise_diag::Span;

use crate::check::Checker;
use crate::check::env::{Arrow, Env, Frame, Module, Parametric, ParametricRest};
use crate::check::modules::laying::Seal;
use crate::check::modules::scopes::{Laid, Scopes};
use crate::syntax::ast::{ModuleParam, ModuleTypeExpr};

/// Source positions of an application of a parametric module.
#[derive(Clone, Copy)]
pub struct Application {
    /// Source position of the parametric module's name.
    pub function: Span,
    /// Source position of the argument.
    pub argument: Span,
    /// A noun for the argument, for messages.
    pub subject: &'static str,
}

/// Maximum nesting depth of applications of parametric modules.
const MAX_APPLICATIONS: u32 = 64;

impl<'a> Checker<'a> {
    /// Checks a parametric module with its first parameter, and returns it.
    pub fn parametric(&mut self, param: &'a ModuleParam, rest: ParametricRest<'a>) -> Module<'a> {
        if !self.is_in_application() && !self.trial(|checker| checker.is_sound(param, rest)) {
            return Module::Failed;
        }
        let (env, prefix) = (self.env.clone(), self.prefix.clone());
        Module::Parametric(Rc::new(Parametric::Written { param, rest, env, prefix }))
    }

    /// Whether a parametric module is being applied. Everything inside it was already checked where it was written.
    pub fn is_in_application(&self) -> bool {
        self.applications > 0
    }

    /// Checks the body of a parametric module with assumed arguments.
    fn is_sound(&mut self, param: &'a ModuleParam, rest: ParametricRest<'a>) -> bool {
        let errors = self.n_errors();
        self.env = Frame::inside(&self.env);
        for param in std::iter::once(param).chain(rest.params) {
            if !self.check_module_type(&param.signature) {
                return false;
            }
            let assumed = self.assume(Some(param.name), &param.signature);
            Rc::make_mut(&mut self.env).members.insert_module(param.name.symbol, assumed);
        }
        let module = self.module_body(rest);
        self.n_errors() == errors && !matches!(module, Module::Failed)
    }

    /// Applies a parametric module to an argument.
    pub fn apply_module(
        &mut self,
        function: &Rc<Parametric<'a>>,
        argument: Module<'a>,
        place: Application,
    ) -> Module<'a> {
        if let Module::Failed = argument {
            return Module::Failed;
        }
        if self.applications >= MAX_APPLICATIONS {
            self.limit(place.function, "parametric modules that apply each other this deeply");
            return Module::Failed;
        }
        match &**function {
            Parametric::Written { param, rest, env, prefix } => {
                let scopes = Scopes::single(env.clone());
                let Some(argument) = self.take_argument(argument, &param.signature, place, &scopes) else {
                    return Module::Failed;
                };
                self.applications += 1;
                let mut inside = Frame { parent: Some(env.clone()), ..Frame::default() };
                inside.members.insert_module(param.name.symbol, argument.into_view());
                let outer = std::mem::replace(&mut self.env, Rc::new(inside));
                let outer_prefix = std::mem::replace(&mut self.prefix, prefix.clone());
                let module = match rest.params.split_first() {
                    Some((param, params)) => self.parametric(param, ParametricRest { params, ..*rest }),
                    None => self.module_body(*rest),
                };
                (self.env, self.prefix) = (outer, outer_prefix);
                self.applications -= 1;
                module
            }
            Parametric::Sealed { function, arrow, scopes } => {
                let turned = scopes.turned();
                let Some(argument) = self.take_argument(argument, arrow.argument, place, &turned) else {
                    return Module::Failed;
                };
                let argument = argument.turned();
                let mut inside = scopes.inside();
                if let Some(param) = arrow.param {
                    inside.insert_module(param.symbol, argument.clone());
                }
                let result = self.apply_module(function, argument.actual, place);
                let seal = Seal::new(place.function, true);
                self.lay(&seal, Some(result), arrow.result, &inside).into_view()
            }
            Parametric::Assumed { arrow, env } => {
                let scopes = Scopes::single(env.clone());
                let Some(argument) = self.take_argument(argument, arrow.argument, place, &scopes) else {
                    return Module::Failed;
                };
                self.assume_result(*arrow, argument.into_view(), env)
            }
        }
    }

    /// Returns the argument as seen through the parameter's module type, without hiding its types. `None` if it does not fulfil
    /// the module type.
    fn take_argument(
        &mut self,
        argument: Module<'a>,
        signature: &'a ModuleTypeExpr,
        place: Application,
        scopes: &Scopes<'a>,
    ) -> Option<Laid<'a>> {
        let errors = self.n_errors();
        let seal = Seal { subject: place.subject, ..Seal::new(place.argument, false) };
        let laid = self.lay(&seal, Some(argument), signature, scopes);
        (self.n_errors() == errors).then_some(laid)
    }

    /// Returns the result of a parametric module known only by its module type.
    fn assume_result(&mut self, arrow: Arrow<'a>, argument: Module<'a>, env: &Env<'a>) -> Module<'a> {
        let outer = std::mem::replace(&mut self.env, Frame::inside(env));
        if let Some(param) = arrow.param {
            Rc::make_mut(&mut self.env).members.insert_module(param.symbol, argument);
        }
        let result = self.assume(None, arrow.result);
        self.env = outer;
        result
    }

    /// Returns a parametric module as seen through a module type. It must accept the arguments and return the results that the
    /// module type promises.
    pub fn seal_parametric(
        &mut self,
        seal: &Seal<'a>,
        function: Rc<Parametric<'a>>,
        arrow: Arrow<'a>,
        scopes: &Scopes<'a>,
    ) -> Module<'a> {
        let fits = self.is_in_application()
            || self.trial(|checker| checker.fits_arrow(seal, &function, arrow, scopes.actual()));
        match fits {
            true => {
                Module::Parametric(Rc::new(Parametric::Sealed { function, arrow, scopes: scopes.clone() }))
            }
            false => Module::Failed,
        }
    }

    fn fits_arrow(
        &mut self,
        seal: &Seal<'a>,
        function: &Rc<Parametric<'a>>,
        arrow: Arrow<'a>,
        env: &Env<'a>,
    ) -> bool {
        let errors = self.n_errors();
        self.env = Frame::inside(env);
        let argument = self.assume(arrow.param, arrow.argument);
        if let Some(param) = arrow.param {
            Rc::make_mut(&mut self.env).members.insert_module(param.symbol, argument.clone());
        }
        let scopes = Scopes::single(self.env.clone());
        let subject = "what the module type promises as an argument";
        let place = Application { function: seal.span, argument: seal.span, subject };
        let result = self.apply_module(function, argument, place);
        if let Module::Failed = result {
            return false;
        }
        let subject = "the result of the parametric module";
        let seal = Seal { subject, ..Seal::new(seal.span, true) };
        self.lay(&seal, Some(result), arrow.result, &scopes);
        self.n_errors() == errors
    }
}
