//! Definitions as core functions: one for each choice of type arguments, made when first called.
//!
//! A function has these parameters, in order: the size parameters of its scheme, the sizes in its type arguments, the other sizes
//! in its parameters' types, the values captured by functions among its arguments (see [`closures`](crate::lower::closures)), and
//! the leaves of its parameters. Its results are the sizes in its result's type that are not among its parameters, then the
//! leaves of its result.
//!
//! ```text
//! def f 'a [n] (xs: [n]a) : ?[k].[k]a              called with a = [m]i32 becomes
//! fun f(n: i64, m: i64, xs: [n][m]i32) -> (k: i64, r: [k][m]i32)
//! ```
//!
//! The signature follows from types alone, so that a recursive function can be called before it is made.

use std::rc::Rc;

use warpwise_diag::Failure;
use warpwise_ir::{Expr, Function, FunctionId, Operand, Param, ResultDecl, Type as CoreType, Var};

use crate::lower::closures::ClosureKey;
use crate::lower::context::{Lowering, Session};
use crate::lower::control::fill;
use crate::lower::expr::is_named;
use crate::lower::types::{Extent, Form, Repr, Sizes};
use crate::lower::value::{Closure, Env, Frame, TypeBinding, Use, Value};
use crate::typed::ids::DefId;

/// A definition with type arguments.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct InstanceKey {
    /// The definition.
    pub def: DefId,
    /// Type arguments, without sizes.
    pub types: Vec<Form>,
    /// Functions among the arguments.
    pub functions: Vec<ClosureKey>,
}

/// A function that is called, but not made yet.
pub struct Promise<'a> {
    key: InstanceKey,
    id: FunctionId,
    /// Functions among the arguments of the first call.
    functions: Vec<Rc<Closure<'a>>>,
}

impl<'a> Lowering<'a, '_> {
    /// Calls a definition that returns data only.
    pub fn call_instance(
        &mut self,
        def: DefId,
        arguments: &Use<'a>,
        args: &[Value<'a>],
    ) -> Result<Value<'a>, Failure> {
        let source = &self.session.program.defs[def.index()].function;
        let inner = Frame::root(Some(def), arguments.env.unchecked);
        let args = self.bind_call(source, arguments, &inner, args)?;
        let mut operands = Vec::new();
        for local in &source.scheme.sizes {
            match inner.value(*local) {
                Some(Value::Leaf(size)) => operands.push(size),
                Some(_) | None => return Err(self.unknown_size(self.code.span)),
            }
        }
        let mut types = Vec::new();
        for param in &source.scheme.types {
            let Some(binding) = inner.type_binding(*param) else {
                return Err(self.bug("a type parameter without argument"));
            };
            let repr = match binding {
                TypeBinding::Known(repr) => (*repr).clone(),
                TypeBinding::Written(ty, env) => self.repr(ty, &env, Sizes::All)?,
            };
            for extent in repr.extents() {
                let Extent::Known(size) = extent else { return Err(self.unknown_size(self.code.span)) };
                operands.push(size);
            }
            types.push(repr.form());
            inner.bind_type(*param, TypeBinding::Known(Rc::new(repr)));
        }
        for (param, arg) in source.params.iter().zip(&args) {
            let extents = self.extents_of(&param.pattern.ty, &inner, Sizes::Plain)?;
            operands.extend(self.open_sizes(arg, &extents).0);
        }
        let mut given = Vec::new();
        args.iter().for_each(|arg| self.functions_in(arg, &mut given));
        let functions = given.iter().map(|closure| self.capture(closure, &mut operands));
        let functions = functions.collect::<Result<Vec<_>, _>>()?;
        operands.extend(args.iter().flat_map(Value::leaves));
        let key = InstanceKey { def, types, functions };
        if !given.is_empty() && !self.session.instances.contains_key(&key) {
            self.count_instance(def)?;
        }
        let function = self.session.instance(key, given);
        self.called.push(function);
        self.emit_call(def, function, operands, &inner)
    }

    fn emit_call(
        &mut self,
        def: DefId,
        function: FunctionId,
        args: Vec<Operand>,
        inner: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let result = &self.session.program.defs[def.index()].function.result;
        let repr = self.repr(&result.ty, inner, Sizes::Plain)?;
        let (sizes, value) = self.fresh_result(&repr)?;
        let mut pattern = sizes.clone();
        pattern.extend(self.arrays(&value)?);
        self.code.push(pattern, Expr::Call { function, args }, &[]);
        // The caller can also compute sizes that are expressions.
        self.bind_sizes(&result.ty, &value, inner, &mut |local| result.exists.contains(&local));
        if repr.extents().contains(&Extent::Unknown) {
            let extents = self.extents_of(&result.ty, inner, Sizes::All)?;
            return Ok(self.coerce(&value, &extents, &[]));
        }
        Ok(value)
    }

    /// Creates variables for a value of this shape and for its open sizes.
    pub fn fresh_result(&mut self, repr: &Repr) -> Result<(Vec<Var>, Value<'a>), Failure> {
        let extents = repr.extents();
        let n_open = n_open(&extents);
        let sizes: Vec<Var> = (0..n_open).map(|_| self.fresh_size("n")).collect();
        let operands: Vec<Operand> = sizes.iter().map(|var| Operand::Var(*var)).collect();
        let mut known = fill(&extents, &operands).into_iter();
        let repr = repr.map_extents(&mut |extent| known.next().map_or(extent, Extent::Known));
        Ok((sizes, self.fresh_value(&repr)?))
    }

    /// Creates a variable for a size.
    pub fn fresh_size(&mut self, name: &str) -> Var {
        let var = self.code.fresh(name, CoreType::I64);
        self.code.mark_size(var.into());
        var
    }

    /// Makes the promised function.
    fn define(mut self, Promise { key, functions, .. }: &Promise<'a>) -> Result<Function, Failure> {
        let source = &self.session.program.defs[key.def.index()];
        self.code.span = source.span;
        let unchecked =
            self.session.input.unchecked || source.attrs.iter().any(|attr| is_named(attr, "unsafe", &self));
        let env = Frame::root(Some(key.def), unchecked);
        let mut sizes = self.declare_scheme(key, &env);
        let mut captured = Vec::new();
        for (closure, key) in functions.iter().zip(&key.functions) {
            let function = self.recapture(closure, key, &mut captured)?;
            self.given.push_back(function);
        }
        let mut leaves = Vec::new();
        let mut params = Vec::new();
        for param in &source.function.params {
            let repr = self.repr(&param.pattern.ty, &env, Sizes::Plain)?;
            let (open, value) = self.fresh_result(&repr)?;
            sizes.extend(open);
            let consumed = value.marks(&param.consumes);
            leaves.extend(self.arrays(&value)?.into_iter().zip(consumed));
            self.bind_pattern(&param.pattern, &value, &env)?;
            params.push((param, value));
        }
        let sizes = sizes.into_iter().chain(captured).map(|var| Param { var, consumed: false });
        let leaves = leaves.into_iter().map(|(var, consumed)| Param { var, consumed });
        self.code.function.params = sizes.chain(leaves).collect();
        for (param, value) in params {
            // Apply sizes that are expressions, now that all parameters are bound.
            let extents = self.extents_of(&param.pattern.ty, &env, Sizes::All)?;
            let value = self.coerce(&value, &extents, &[]);
            self.bind_pattern(&param.pattern, &value, &env)?;
        }
        let declared = self.repr(&source.function.result.ty, &env, Sizes::Plain)?;
        let result = self.expr(&source.function.body, &env)?;
        self.finish(key.def, &declared, &result)
    }

    /// Creates parameters for the sizes of a scheme and of type arguments.
    fn declare_scheme(&mut self, key: &InstanceKey, env: &Env<'a>) -> Vec<Var> {
        let scheme = &self.session.program.defs[key.def.index()].function.scheme;
        let mut sizes = Vec::new();
        for local in &scheme.sizes {
            let name = self.session.program.locals[local.index()].name;
            let var = self.fresh_size(self.session.input.names.text(name));
            env.bind(*local, Value::leaf(var));
            sizes.push(var);
        }
        for (param, form) in scheme.types.iter().zip(&key.types) {
            let vars: Vec<Var> = (0..form.n_sizes()).map(|_| self.fresh_size("m")).collect();
            let repr = form.with_sizes(&mut vars.iter().map(|var| Operand::Var(*var)));
            env.bind_type(*param, TypeBinding::Known(Rc::new(repr)));
            sizes.extend(vars);
        }
        sizes
    }

    /// Completes the function of a definition with its result value, whose sizes are those of its type outside the body.
    pub fn finish(mut self, def: DefId, plain: &Repr, value: &Value<'a>) -> Result<Function, Failure> {
        let source = &self.session.program.defs[def.index()].function.result;
        let (sizes, value) = self.open_sizes(value, &plain.extents());
        let mut result = sizes;
        result.extend(value.leaves());
        let (size_vars, declared) = self.fresh_result(plain)?;
        let mut results: Vec<ResultDecl> =
            size_vars.into_iter().map(|var| ResultDecl { var, unique: false }).collect();
        let unique = declared.marks(&source.unique);
        let vars = self.arrays(&declared)?;
        results.extend(vars.into_iter().zip(unique).map(|(var, unique)| ResultDecl { var, unique }));
        self.code.function.results = results;
        Ok(self.code.finish(result))
    }
}

impl<'a> Session<'a> {
    /// Returns the function for a definition with type arguments, and promises it if it does not exist.
    fn instance(&mut self, key: InstanceKey, functions: Vec<Rc<Closure<'a>>>) -> FunctionId {
        if let Some(id) = self.instances.get(&key) {
            return *id;
        }
        let name = self.program.defs[key.def.index()].name.clone();
        let name = self.unique_name(&name);
        let id = self.functions.push(Function::new(&name));
        self.instances.insert(key.clone(), id);
        self.pending.push(Promise { key, id, functions });
        id
    }

    /// Makes all promised functions, including those promised meanwhile.
    pub fn keep_promises(&mut self) -> Result<(), Failure> {
        while let Some(promise) = self.pending.pop() {
            let name = self.functions[promise.id].name.clone();
            let span = self.program.defs[promise.key.def.index()].span;
            let function = Lowering::new(self, &name, span).define(&promise)?;
            self.functions[promise.id] = function;
        }
        Ok(())
    }
}

/// Returns the number of operands for the open extents.
pub fn n_open(extents: &[Extent]) -> usize {
    let mut locals = Vec::new();
    let mut count = 0;
    for extent in extents {
        match extent {
            Extent::Known(_) => {}
            Extent::Unknown | Extent::Hidden => count += 1,
            Extent::Local(local) if locals.contains(local) => {}
            Extent::Local(local) => {
                locals.push(*local);
                count += 1;
            }
        }
    }
    count
}
