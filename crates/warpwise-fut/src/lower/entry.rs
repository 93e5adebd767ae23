//! Entry points: functions whose sizes come from outside.
//!
//! ```text
//! entry main [n] (xs: [n]i32) (ys: [n + 1]i32)      becomes
//! entry main(n: i64, m: i64, xs: [n]i32, ys: [m]i32) { t = add n 1; ok = eq m t; c = assert ok ...; ys' = reshape ys [t] certs c; ... }
//! ```
//!
//! That the sizes fit the arrays is the driver's to check, sizes that are constants included; sizes written as
//! expressions are checked here.

use warpwise_diag::Failure;
use warpwise_ir::{EntryParam, EntryPoint, EntryType, Function, Operand, Param, Type as CoreType, Var};
use warpwise_prim::CompareOp;

use crate::lower::context::{Lowering, Session, shape_parts, text};
use crate::lower::sums::{TAG, layout};
use crate::lower::types::{Extent, Repr, Sizes, value_type};
use crate::lower::value::{Env, Frame, Value};
use crate::syntax::ast::PrimType;
use crate::syntax::session::Symbol;
use crate::typed::ids::{AbstractId, LocalId, TypeParamId};
use crate::typed::map::{Map, map_type};
use crate::typed::tree::{AbstractParam, Entry, Param as SourceParam, SurfaceType};
use crate::typed::ty::{Constructor, Size, Type, TypeArg};

impl<'a> Session<'a> {
    /// Makes the function of an entry point.
    pub fn entry(&mut self, entry: &'a Entry) -> Result<(), Failure> {
        let name = self.input.names.text(entry.name).to_string();
        let span = self.program.defs[entry.def.index()].span;
        let unique = self.unique_name(&name.replace('\'', "_"));
        let function = Lowering::new(self, &unique, span).entry(entry, name)?;
        self.functions.push(function);
        Ok(())
    }

    /// A type as the outside world sees it.
    fn entry_type(&self, text: &str, ty: &'a Type) -> EntryType {
        let mut rank = 0;
        let mut element = ty;
        while let Type::Array(array) = element {
            rank += 1;
            element = &array.element;
        }
        match element {
            Type::Prim(prim) if rank == 0 => EntryType::Scalar(value_type(*prim)),
            Type::Prim(prim) => EntryType::Array(value_type(*prim), rank),
            Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_) => {
                let mut fields = Vec::new();
                self.entry_fields("", ty, 0, &mut fields);
                EntryType::Opaque { name: text.to_string(), fields }
            }
        }
    }

    /// The values a type is made of, with their paths.
    fn entry_fields(&self, path: &str, ty: &Type, rank: usize, fields: &mut Vec<(String, EntryType)>) {
        match ty {
            Type::Prim(prim) => fields.push((path.to_string(), leaf(*prim, rank))),
            Type::Array(array) => self.entry_fields(path, &array.element, rank + 1, fields),
            Type::Record(record) => {
                for field in record.iter() {
                    let path = below(path, self.input.names.text(field.name));
                    self.entry_fields(&path, &field.ty, rank, fields);
                }
            }
            Type::Sum(_) => shape_fields(path, &self.bare_shape(ty), rank, fields),
            Type::Abstract(id, args) => self.entry_fields(path, &self.definition(*id, args), rank, fields),
            Type::Param(_) | Type::Arrow(_) => {}
        }
    }

    /// The shape of values of a type without parameters, without its sizes.
    fn bare_shape(&self, ty: &Type) -> Repr {
        match ty {
            Type::Prim(prim) => Repr::Scalar(*prim),
            Type::Array(array) => Repr::Array(Extent::Unknown, Box::new(self.bare_shape(&array.element))),
            Type::Record(fields) => {
                Repr::Record(fields.iter().map(|field| self.bare_shape(&field.ty)).collect())
            }
            Type::Sum(constructors) => {
                let payload = |constructor: &Constructor| {
                    constructor.payload.iter().map(|ty| self.bare_shape(ty)).collect()
                };
                Repr::Sum(constructors.iter().map(payload).collect())
            }
            Type::Abstract(id, args) => self.bare_shape(&self.definition(*id, args)),
            Type::Param(_) | Type::Arrow(_) => Repr::Function,
        }
    }

    /// What an abstract type with type arguments stands for; sizes are left as they are.
    fn definition(&self, id: AbstractId, args: &[TypeArg]) -> Type {
        let hidden = &self.program.abstracts[id.index()];
        let mut arguments = TypeArguments { params: &hidden.params, args };
        map_type(&hidden.definition, &mut arguments)
    }

    /// The results of an entry point: a tuple is unpacked one level.
    fn entry_results(&self, result: &'a SurfaceType) -> Vec<EntryType> {
        match &result.ty {
            Type::Record(fields) if is_tuple(fields.iter().map(|field| field.name), self) => {
                fields.iter().map(|field| self.entry_type("", &field.ty)).collect()
            }
            ty => vec![self.entry_type(&result.text, ty)],
        }
    }
}

impl<'a> Lowering<'a, '_> {
    fn entry(mut self, entry: &'a Entry, name: String) -> Result<Function, Failure> {
        let source = &self.session.program.defs[entry.def.index()];
        let scheme = &source.function.scheme;
        if !scheme.types.is_empty() {
            let message = "an entry point that is polymorphic in types";
            return Err(self.limit(source.span, message));
        }
        let outer = Frame::root(Some(entry.def), self.session.input.unchecked);
        let mut sizes: Vec<Var> = Vec::new();
        for local in &scheme.sizes {
            let name = self.session.program.locals[local.index()].name;
            let var = self.code.fresh(self.session.input.names.text(name), CoreType::I64);
            self.code.mark_size(var.into());
            outer.bind(*local, Value::leaf(var));
            sizes.push(var);
        }
        let env = Frame::inside(&outer, false);
        let mut leaves = Vec::new();
        let mut params = Vec::new();
        for param in &source.function.params {
            let (open, value) = self.entry_param(param, &outer, &env)?;
            sizes.extend(open);
            let consumed = value.marks(&param.consumes);
            leaves.extend(self.arrays(&value)?.into_iter().zip(consumed));
            params.push((param, value));
        }
        let size_params = sizes.len();
        let sizes = sizes.into_iter().map(|var| Param { var, consumed: false });
        self.code.function.params =
            sizes.chain(leaves.into_iter().map(|(var, consumed)| Param { var, consumed })).collect();
        for (param, value) in &params {
            self.check_entry_param(param, value, &env)?;
        }
        let surface = entry.params.iter().zip(&params).map(|(surface, (param, _))| EntryParam {
            name: surface.name.map_or(String::new(), |name| self.session.input.names.text(name).to_string()),
            consumed: param.consumes.any(),
            ty: self.session.entry_type(&surface.ty.text, &surface.ty.ty),
        });
        let params = surface.collect();
        let results = self.session.entry_results(&entry.result);
        let declared = self.repr(&source.function.result.ty, &env, Sizes::Plain)?;
        let value = self.expr(&source.function.body, &env)?;
        let mut function = self.finish(entry.def, &declared, &value)?;
        let size_results = function.results.len() - value.leaves().len();
        function.entry = Some(EntryPoint { name, size_params, params, size_results, results });
        Ok(function)
    }

    /// Variables for a parameter and its sizes that no size parameter stands for: other parameters may, but whoever calls
    /// does not know.
    fn entry_param(
        &mut self,
        param: &'a SourceParam,
        outer: &Env<'a>,
        env: &Env<'a>,
    ) -> Result<(Vec<Var>, Value<'a>), Failure> {
        let repr = self.repr(&param.pattern.ty, outer, Sizes::Plain)?;
        let (open, value) = self.fresh_result(&repr)?;
        self.bind_pattern(&param.pattern, &value, env)?;
        Ok((open, value))
    }

    /// Gives a parameter the sizes that are written as expressions, once they are checked.
    fn check_entry_param(
        &mut self,
        param: &'a SourceParam,
        value: &Value<'a>,
        env: &Env<'a>,
    ) -> Result<(), Failure> {
        let before = self.enter(param.pattern.span);
        let extents = self.extents_of(&param.pattern.ty, env, Sizes::All)?;
        let mut fits = Operand::bool(true);
        let mut expected = Vec::new();
        for (size, extent) in value.extents().into_iter().zip(&extents) {
            if let Extent::Known(extent) = extent {
                let same = self.code.compare(CompareOp::Eq, size, *extent);
                fits = self.code.and(fits, same);
                expected.push(*extent);
            }
        }
        let mut message = vec![text("Argument has an invalid size: its shape ")];
        message.extend(shape_parts(&value.extents()));
        message.push(text(" cannot match the parameter's shape "));
        message.extend(shape_parts(&expected));
        let certs = self.check(env, fits, message);
        let value = self.coerce(value, &extents, &certs);
        self.code.span = before;
        self.bind_pattern(&param.pattern, &value, env)
    }
}

/// Type arguments in the place of parameters.
struct TypeArguments<'t> {
    params: &'t [AbstractParam],
    args: &'t [TypeArg],
}

impl Map for TypeArguments<'_> {
    fn local(&mut self, _: LocalId) -> Option<Size> {
        None
    }

    fn param(&mut self, param: TypeParamId) -> Option<Type> {
        let mut pairs = self.params.iter().zip(self.args);
        pairs.find_map(|pair| match pair {
            (AbstractParam::Type(other), TypeArg::Type(ty)) if *other == param => Some(ty.clone()),
            (AbstractParam::Type(_) | AbstractParam::Size(_), _) => None,
        })
    }
}

fn leaf(prim: PrimType, rank: usize) -> EntryType {
    let ty = value_type(prim);
    if rank == 0 { EntryType::Scalar(ty) } else { EntryType::Array(ty, rank) }
}

fn below(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_string() } else { format!("{path}.{name}") }
}

/// The values a shape is made of; what has no name is called by its position.
fn shape_fields(path: &str, shape: &Repr, rank: usize, fields: &mut Vec<(String, EntryType)>) {
    let mut numbered = |shapes: &[Repr]| {
        for (index, shape) in shapes.iter().enumerate() {
            shape_fields(&below(path, &index.to_string()), shape, rank, fields);
        }
    };
    match shape {
        Repr::Scalar(prim) => fields.push((path.to_string(), leaf(*prim, rank))),
        Repr::Array(_, element) => shape_fields(path, element, rank + 1, fields),
        Repr::Record(shapes) => numbered(shapes),
        Repr::Sum(constructors) => {
            fields.push((below(path, "tag"), leaf(TAG, rank)));
            shape_fields(path, &Repr::Record(layout(constructors).1), rank, fields);
        }
        Repr::Function | Repr::Acc => {}
    }
}

/// Whether these are the fields of a tuple (or of the unit value).
fn is_tuple(names: impl Iterator<Item = Symbol>, session: &Session) -> bool {
    let mut names = names.enumerate();
    names.all(|(i, name)| session.input.names.text(name) == i.to_string())
}
