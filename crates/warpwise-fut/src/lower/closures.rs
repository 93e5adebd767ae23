//! Functions passed to recursive core functions.
//!
//! A definition that takes functions is expanded where it is called ([`apply`](crate::lower::apply)), but a recursive one cannot
//! be. It becomes one core function for each choice of functions that it is called with. The values captured by such a function
//! are parameters of the core function:
//!
//! ```text
//! def repeat (n: i64) (f: i64 -> i64) (x: i64) : i64 = if n == 0 then x else repeat (n - 1) f (f x)
//! entry main (n: i64) (a: i64) = repeat n (\y -> y + a) a
//!
//! fun repeat(a: i64, n: i64, x: i64) -> (r: i64) {                     for f = \y -> y + a
//!   ... y: i64 = add x a; r: i64 = call repeat(a, n - 1, y) ...
//! }
//! ```
//!
//! Two functions are the same choice if they have the same code and captured values of the same shapes, where captured functions
//! are compared by the same rule. A function that is passed on unchanged therefore calls one and the same instance. A function
//! that grows with every call would need infinitely many instances, which is a limit ([`MOST_INSTANCES`], [`MOST_PARTS`]).

use std::rc::Rc;

use warpwise_diag::Failure;
use warpwise_ir::{Operand, Type as CoreType, Var};
use warpwise_prim::ScalarType;

use crate::lower::context::Lowering;
use crate::lower::sums::Sum;
use crate::lower::types::{Extent, Form, Sizes};
use crate::lower::value::{Callee, Closure, Env, Frame, TypeBinding, Use, Value};
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::map::{Map, map_function, map_size, map_type};
use crate::typed::tree::{Function, Instance, Lambda};
use crate::typed::ty::{Size, Type};

/// Maximum number of instances of one definition for the functions that it is called with.
const MOST_INSTANCES: usize = 64;

/// Maximum number of parts of the captured values, including those of captured functions.
const MOST_PARTS: usize = 1 << 12;

/// Identity of a function, except for the captured values.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ClosureKey {
    code: Code,
    captured: Vec<CapturedKey>,
    args: Vec<Shape>,
}

/// The code of a function.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Code {
    /// A lambda or local function, by its address in the typed tree.
    Here(usize),
    Def(DefId),
    Intrinsic(Intrinsic),
    Absent,
}

/// The key of one environment of a function: the meanings of the names in its code.
#[derive(Clone, PartialEq, Eq, Hash)]
struct CapturedKey {
    def: Option<DefId>,
    unchecked: bool,
    locals: Vec<(LocalId, Shape)>,
    types: Vec<(TypeParamId, Form)>,
}

/// A value without its numbers.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Shape {
    Leaf(ScalarType),
    Record(Vec<Shape>),
    Sum(Vec<Shape>),
    Array(Box<Shape>),
    Function(Box<ClosureKey>),
}

/// An environment, with the names in it that a function mentions.
struct Captured<'a> {
    env: Env<'a>,
    locals: Vec<LocalId>,
    types: Vec<TypeParamId>,
}

impl<'a> Lowering<'a, '_> {
    /// Collects the functions in a value, in order.
    pub fn functions_in(&self, value: &Value<'a>, found: &mut Vec<Rc<Closure<'a>>>) {
        match value {
            Value::Leaf(_) | Value::Acc(_) => {}
            Value::Record(fields) => fields.iter().for_each(|field| self.functions_in(field, found)),
            Value::Sum(sum) => sum.slots.iter().for_each(|slot| self.functions_in(slot, found)),
            Value::Array(_, element) => self.functions_in(element, found),
            Value::Function(closure) => found.push(closure.clone()),
        }
    }

    /// Returns the key of a function, and appends its captured values to `operands`.
    pub fn capture(
        &mut self,
        closure: &Closure<'a>,
        operands: &mut Vec<Operand>,
    ) -> Result<ClosureKey, Failure> {
        let mut captured = Vec::new();
        for Captured { env, locals, types } in environments(&closure.callee) {
            let mut key =
                CapturedKey { def: env.def, unchecked: env.unchecked, locals: vec![], types: vec![] };
            for local in locals {
                if let Some(value) = env.value(local) {
                    key.locals.push((local, self.shape(&value, operands)?));
                }
            }
            for param in types {
                if let Some(binding) = env.type_binding(param) {
                    let repr = match binding {
                        TypeBinding::Known(repr) => (*repr).clone(),
                        TypeBinding::Written(ty, env) => self.repr(ty, &env, Sizes::All)?,
                    };
                    for extent in repr.extents() {
                        let Extent::Known(size) = extent else {
                            return Err(self.unknown_size(self.code.span));
                        };
                        operands.push(size);
                    }
                    key.types.push((param, repr.form()));
                }
            }
            captured.push(key);
        }
        let args = closure.args.iter().map(|arg| self.shape(arg, operands)).collect::<Result<_, _>>()?;
        Ok(ClosureKey { code: code(&closure.callee), captured, args })
    }

    fn shape(&mut self, value: &Value<'a>, operands: &mut Vec<Operand>) -> Result<Shape, Failure> {
        if operands.len() > MOST_PARTS {
            let message = "a recursive function that is given functions which capture too much";
            return Err(self.limit(self.code.span, message));
        }
        Ok(match value {
            Value::Leaf(leaf) => {
                operands.push(*leaf);
                match self.code.ty(*leaf).elem() {
                    Some(elem) => Shape::Leaf(elem),
                    None => return Err(self.bug("a captured value that is no number")),
                }
            }
            Value::Record(fields) => Shape::Record(
                fields.iter().map(|field| self.shape(field, operands)).collect::<Result<_, _>>()?,
            ),
            Value::Sum(sum) => {
                let tag = Value::Leaf(sum.tag);
                let parts = [&tag].into_iter().chain(&sum.slots);
                Shape::Sum(parts.map(|part| self.shape(part, operands)).collect::<Result<_, _>>()?)
            }
            Value::Array(size, element) => {
                operands.push(*size);
                Shape::Array(Box::new(self.shape(element, operands)?))
            }
            Value::Function(closure) => Shape::Function(Box::new(self.capture(closure, operands)?)),
            Value::Acc(_) => {
                let message = "a recursive function that is given a function which captures an accumulator";
                return Err(self.limit(self.code.span, message));
            }
        })
    }

    /// Returns the same function with fresh variables for its captured values. These are appended to `vars` in the order of
    /// [`capture`](Lowering::capture).
    pub fn recapture(
        &mut self,
        closure: &Closure<'a>,
        key: &ClosureKey,
        vars: &mut Vec<Var>,
    ) -> Result<Value<'a>, Failure> {
        let mut envs = Vec::new();
        for (Captured { env, .. }, key) in environments(&closure.callee).into_iter().zip(&key.captured) {
            let inner = Frame::root(key.def, key.unchecked);
            for (local, shape) in &key.locals {
                if let Some(value) = env.value(*local) {
                    inner.bind(*local, self.fresh_captured(&value, shape, &mut Vec::new(), vars)?);
                }
            }
            for (param, form) in &key.types {
                let sizes: Vec<Var> = (0..form.n_sizes()).map(|_| self.fresh_size("m")).collect();
                let repr = form.with_sizes(&mut sizes.iter().map(|var| Operand::Var(*var)));
                inner.bind_type(*param, TypeBinding::Known(Rc::new(repr)));
                vars.extend(sizes);
            }
            envs.push(inner);
        }
        let args = closure.args.iter().zip(&key.args);
        let args = args.map(|(arg, shape)| self.fresh_captured(arg, shape, &mut Vec::new(), vars));
        let args = args.collect::<Result<_, _>>()?;
        let callee = in_environments(&closure.callee, &mut envs.into_iter());
        let callee = callee.ok_or_else(|| self.bug("a function without its environment"))?;
        Ok(Value::Function(Rc::new(Closure { callee, arity: closure.arity, args })))
    }

    fn fresh_captured(
        &mut self,
        value: &Value<'a>,
        shape: &Shape,
        outer: &mut Vec<Operand>,
        vars: &mut Vec<Var>,
    ) -> Result<Value<'a>, Failure> {
        Ok(match (value, shape) {
            (Value::Leaf(_), Shape::Leaf(elem)) => {
                let var = self.code.fresh("", CoreType::array(*elem, outer.iter().copied()));
                vars.push(var);
                Value::leaf(var)
            }
            (Value::Record(fields), Shape::Record(shapes)) => {
                let fields = fields.iter().zip(shapes);
                let fields = fields.map(|(field, shape)| self.fresh_captured(field, shape, outer, vars));
                Value::Record(fields.collect::<Result<_, _>>()?)
            }
            (Value::Sum(sum), Shape::Sum(shapes)) => {
                let tag = Value::Leaf(sum.tag);
                let parts = [&tag].into_iter().chain(&sum.slots).zip(shapes);
                let parts = parts.map(|(part, shape)| self.fresh_captured(part, shape, outer, vars));
                let mut parts = parts.collect::<Result<Vec<_>, _>>()?;
                let slots = parts.split_off(1);
                let tag = self.scalar(&parts[0])?;
                Value::Sum(Sum { layout: sum.layout.clone(), tag, slots })
            }
            (Value::Array(_, element), Shape::Array(shape)) => {
                let size = self.fresh_size("n");
                vars.push(size);
                outer.push(size.into());
                let element = self.fresh_captured(element, shape, outer, vars)?;
                outer.pop();
                Value::Array(size.into(), Box::new(element))
            }
            (Value::Function(closure), Shape::Function(key)) => self.recapture(closure, key, vars)?,
            (
                Value::Leaf(_)
                | Value::Record(_)
                | Value::Sum(_)
                | Value::Array(..)
                | Value::Function(_)
                | Value::Acc(_),
                _,
            ) => return Err(self.bug("a captured value of another shape")),
        })
    }

    /// Counts an instance of a definition that is called with functions.
    pub fn count_instance(&mut self, def: DefId) -> Result<(), Failure> {
        let count = self.session.given_functions.entry(def).or_insert(0);
        *count += 1;
        if *count > MOST_INSTANCES {
            let message = "a recursive function that gives itself ever new functions; \
                           hand the function on as it is, pass data instead, or write a loop";
            return Err(self.limit(self.code.span, message));
        }
        Ok(())
    }
}

/// Returns the environments in which the code of a function finds its names: that of its text, then that of its use.
fn environments<'a>(callee: &Callee<'a>) -> Vec<Captured<'a>> {
    match callee {
        Callee::Lambda(lambda, env) => vec![Mentioned::of_lambda(lambda).within(env)],
        Callee::Local(source, home, arguments) => {
            vec![Mentioned::of_function(source).within(home), of_use(arguments)]
        }
        Callee::Def(_, arguments) | Callee::Intrinsic(_, arguments) => vec![of_use(arguments)],
        Callee::Absent => Vec::new(),
    }
}

fn of_use<'a>(arguments: &Use<'a>) -> Captured<'a> {
    Mentioned::of_instance(arguments.instance).within(&arguments.env)
}

fn in_environments<'a>(callee: &Callee<'a>, envs: &mut impl Iterator<Item = Env<'a>>) -> Option<Callee<'a>> {
    Some(match callee {
        Callee::Lambda(lambda, _) => Callee::Lambda(lambda, envs.next()?),
        Callee::Local(source, _, arguments) => {
            let home = envs.next()?;
            Callee::Local(source, home, Use { instance: arguments.instance, env: envs.next()? })
        }
        Callee::Def(def, arguments) => {
            Callee::Def(*def, Use { instance: arguments.instance, env: envs.next()? })
        }
        Callee::Intrinsic(intrinsic, arguments) => {
            Callee::Intrinsic(*intrinsic, Use { instance: arguments.instance, env: envs.next()? })
        }
        Callee::Absent => Callee::Absent,
    })
}

fn code(callee: &Callee) -> Code {
    match callee {
        Callee::Lambda(lambda, _) => Code::Here(std::ptr::from_ref::<Lambda>(lambda).addr()),
        Callee::Local(source, ..) => Code::Here(std::ptr::from_ref::<Function>(source).addr()),
        Callee::Def(def, _) => Code::Def(*def),
        Callee::Intrinsic(intrinsic, _) => Code::Intrinsic(*intrinsic),
        Callee::Absent => Code::Absent,
    }
}

/// The names that occur in some code and its types, including those bound there.
#[derive(Default)]
struct Mentioned {
    locals: Vec<LocalId>,
    types: Vec<TypeParamId>,
}

impl Mentioned {
    fn of_lambda(lambda: &Lambda) -> Mentioned {
        let Lambda { params, result, body } = lambda.clone();
        let scheme = crate::typed::tree::Scheme::default();
        let mut function = Function { scheme, params, result, body };
        let mut mentioned = Mentioned::default();
        map_function(&mut function, &mut mentioned);
        mentioned
    }

    fn of_function(function: &Function) -> Mentioned {
        let mut mentioned = Mentioned::default();
        map_function(&mut function.clone(), &mut mentioned);
        mentioned
    }

    fn of_instance(instance: Option<&Instance>) -> Mentioned {
        let mut mentioned = Mentioned::default();
        for ty in instance.iter().flat_map(|instance| &instance.types) {
            map_type(ty, &mut mentioned);
        }
        for size in instance.iter().flat_map(|instance| &instance.sizes) {
            map_size(size, &mut mentioned);
        }
        mentioned
    }

    /// Returns the names that an environment knows, each once.
    fn within<'a>(mut self, env: &Env<'a>) -> Captured<'a> {
        self.locals.retain(|local| env.value(*local).is_some());
        self.locals.sort_unstable();
        self.locals.dedup();
        self.types.retain(|param| env.type_binding(*param).is_some());
        self.types.sort_unstable();
        self.types.dedup();
        Captured { env: env.clone(), locals: self.locals, types: self.types }
    }
}

impl Map for Mentioned {
    fn local(&mut self, local: LocalId) -> Option<Size> {
        self.locals.push(local);
        None
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        self.types.push(param);
        None
    }
}
