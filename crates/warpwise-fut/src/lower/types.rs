//! Shapes of types: trees of scalars, with operands for sizes.
//!
//! A size is read where its locals are in scope. An extent stays open if its size is not known yet: an existential size before
//! its value, or a size of a function's result before the call.

use warpwise_diag::{Failure, Span};
use warpwise_ir::Operand;
use warpwise_ir::sizes::SizeOp;
use warpwise_prim::{ScalarType, ValueType};

use crate::lower::context::Lowering;
use crate::lower::value::{Env, Frame, TypeBinding, Value};
use crate::syntax::ast::PrimType;
use crate::typed::ids::{ACCUMULATOR, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::tree::{AbstractParam, DimIndexKind, Expr, ExprKind, Instance, Scheme};
use crate::typed::ty::{MOST_PARTS, Size, TOO_LARGE, Type, TypeArg};

/// The shape of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Repr {
    /// A scalar.
    Scalar(PrimType),
    /// A record.
    Record(Vec<Repr>),
    /// A sum: the payload of each constructor.
    Sum(Vec<Vec<Repr>>),
    /// An array.
    Array(Extent, Box<Repr>),
    /// A function.
    Function,
    /// An accumulator.
    Acc,
}

/// The size of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extent {
    /// The size is this operand.
    Known(Operand),
    /// The size is that of a local that has no value yet.
    Local(LocalId),
    /// The size is not known yet.
    Unknown,
    /// An abstract type hides the size: every value has its own.
    Hidden,
}

/// The shape of a value without its sizes. Definitions are specialised to forms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Form {
    /// A scalar.
    Scalar(PrimType),
    /// A record.
    Record(Vec<Form>),
    /// A sum: the payload of each constructor.
    Sum(Vec<Vec<Form>>),
    /// An array.
    Array(Box<Form>),
    /// A function.
    Function,
    /// An accumulator.
    Acc,
}

/// A selection of the sizes to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sizes {
    /// All known sizes.
    All,
    /// Constants and locals only, so that no code is emitted. In the arguments for type parameters, all known sizes are read.
    Plain,
}

/// Returns the core IR's type for a scalar type.
pub fn scalar_type(ty: PrimType) -> ScalarType {
    value_type(ty).scalar()
}

/// Returns the external value type for a scalar type.
pub fn value_type(ty: PrimType) -> ValueType {
    match ty {
        PrimType::Bool => ValueType::Bool,
        PrimType::I8 => ValueType::I8,
        PrimType::I16 => ValueType::I16,
        PrimType::I32 => ValueType::I32,
        PrimType::I64 => ValueType::I64,
        PrimType::U8 => ValueType::U8,
        PrimType::U16 => ValueType::U16,
        PrimType::U32 => ValueType::U32,
        PrimType::U64 => ValueType::U64,
        PrimType::F16 => ValueType::F16,
        PrimType::F32 => ValueType::F32,
        PrimType::F64 => ValueType::F64,
    }
}

/// A sum, difference or product inside a size.
struct Computed {
    op: SizeOp,
    x: Operand,
    y: Operand,
    span: Span,
}

impl<'a> Lowering<'a, '_> {
    /// Returns the shape of values of a type.
    pub fn repr(&mut self, ty: &'a Type, env: &Env<'a>, sizes: Sizes) -> Result<Repr, Failure> {
        let outer = self.begin_type()?;
        let repr = self.repr_inside(ty, env, sizes);
        self.end_type(outer);
        repr
    }

    /// Counts a part of a type. Returns the argument for [`end_type`](Self::end_type): whether the part is outermost.
    fn begin_type(&mut self) -> Result<bool, Failure> {
        if self.parts == 0 {
            self.parts = 1;
            return Ok(true);
        }
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return Err(self.limit(self.code.span, TOO_LARGE));
        }
        Ok(false)
    }

    fn end_type(&mut self, outer: bool) {
        if outer {
            self.parts = 0;
        }
    }

    fn repr_inside(&mut self, ty: &'a Type, env: &Env<'a>, sizes: Sizes) -> Result<Repr, Failure> {
        Ok(match ty {
            Type::Prim(prim) => Repr::Scalar(*prim),
            Type::Param(param) => match env.type_binding(*param) {
                Some(TypeBinding::Known(repr)) => (*repr).clone(),
                Some(TypeBinding::Written(ty, env)) => self.repr(ty, &env, Sizes::All)?,
                None => return Err(self.bug("a type parameter without meaning")),
            },
            Type::Abstract(ACCUMULATOR, _) => Repr::Acc,
            Type::Abstract(id, args) => {
                let source = &self.session.program.abstracts[id.index()];
                let mut open = Vec::new();
                let inner = self.abstract_env(&source.params, args, env, sizes, &mut open)?;
                let repr = self.repr(&source.definition, &inner, sizes)?;
                repr.map_extents(&mut |extent| match extent {
                    Extent::Local(local) if source.exists.contains(&local) => Extent::Hidden,
                    Extent::Local(local) => {
                        open.iter().find(|(param, _)| *param == local).map_or(extent, |(_, outside)| *outside)
                    }
                    Extent::Known(_) | Extent::Unknown | Extent::Hidden => extent,
                })
            }
            Type::Array(array) => {
                let extent = self.extent(&array.size, env, sizes)?;
                Repr::Array(extent, Box::new(self.repr(&array.element, env, sizes)?))
            }
            Type::Record(fields) => {
                let fields = fields.iter().map(|field| self.repr(&field.ty, env, sizes));
                Repr::Record(fields.collect::<Result<_, _>>()?)
            }
            Type::Sum(constructors) => {
                let mut sum = Vec::with_capacity(constructors.len());
                for constructor in constructors.iter() {
                    let payload = constructor.payload.iter().map(|ty| self.repr(ty, env, sizes));
                    sum.push(payload.collect::<Result<_, _>>()?);
                }
                Repr::Sum(sum)
            }
            Type::Arrow(_) => Repr::Function,
        })
    }

    /// Returns the form of values of a type.
    pub fn form(&mut self, ty: &'a Type, env: &Env<'a>) -> Result<Form, Failure> {
        let outer = self.begin_type()?;
        let form = self.form_inside(ty, env);
        self.end_type(outer);
        form
    }

    fn form_inside(&mut self, ty: &'a Type, env: &Env<'a>) -> Result<Form, Failure> {
        Ok(match ty {
            Type::Prim(prim) => Form::Scalar(*prim),
            Type::Param(param) => match env.type_binding(*param) {
                Some(TypeBinding::Known(repr)) => repr.form(),
                Some(TypeBinding::Written(ty, env)) => self.form(ty, &env)?,
                None => return Err(self.bug("a type parameter without meaning")),
            },
            Type::Abstract(ACCUMULATOR, _) => Form::Acc,
            Type::Abstract(id, args) => {
                let definition = &self.session.program.abstracts[id.index()];
                let inner =
                    self.abstract_env(&definition.params, args, env, Sizes::Plain, &mut Vec::new())?;
                self.form(&definition.definition, &inner)?
            }
            Type::Array(array) => Form::Array(Box::new(self.form(&array.element, env)?)),
            Type::Record(fields) => {
                let fields = fields.iter().map(|field| self.form(&field.ty, env));
                Form::Record(fields.collect::<Result<_, _>>()?)
            }
            Type::Sum(constructors) => {
                let mut sum = Vec::with_capacity(constructors.len());
                for constructor in constructors.iter() {
                    let payload = constructor.payload.iter().map(|ty| self.form(ty, env));
                    sum.push(payload.collect::<Result<_, _>>()?);
                }
                Form::Sum(sum)
            }
            Type::Arrow(_) => Form::Function,
        })
    }

    /// Returns the environment of an abstract type's definition, in which its parameters are bound. Unknown sizes are added to
    /// `open`.
    fn abstract_env(
        &mut self,
        params: &[AbstractParam],
        args: &'a [TypeArg],
        env: &Env<'a>,
        sizes: Sizes,
        open: &mut Vec<(LocalId, Extent)>,
    ) -> Result<Env<'a>, Failure> {
        let inner = Frame::root(None, env.unchecked);
        for (param, arg) in params.iter().zip(args) {
            match (param, arg) {
                (AbstractParam::Size(local), TypeArg::Size(size)) => match self.extent(size, env, sizes)? {
                    Extent::Known(operand) => inner.bind(*local, Value::Leaf(operand)),
                    extent @ (Extent::Local(_) | Extent::Unknown | Extent::Hidden) => {
                        open.push((*local, extent))
                    }
                },
                (AbstractParam::Type(param), TypeArg::Type(ty)) => {
                    inner.bind_type(*param, TypeBinding::Written(ty, env.clone()));
                }
                (AbstractParam::Size(_), TypeArg::Type(_)) | (AbstractParam::Type(_), TypeArg::Size(_)) => {
                    return Err(self.bug("an argument of the wrong kind for an abstract type"));
                }
            }
        }
        Ok(inner)
    }

    /// Returns a size, if it is known.
    pub fn extent(&mut self, size: &'a Size, env: &Env<'a>, sizes: Sizes) -> Result<Extent, Failure> {
        Ok(match size {
            Size::Const(value) => Extent::Known(Operand::i64(*value)),
            Size::Local(local) => match env.value(*local) {
                Some(Value::Leaf(operand)) => Extent::Known(operand),
                Some(_) | None => Extent::Local(*local),
            },
            Size::Def(_) | Size::Expr(_) if sizes == Sizes::Plain => Extent::Unknown,
            Size::Def(def) => match self.constant(*def)? {
                Value::Leaf(operand) => Extent::Known(operand),
                Value::Record(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                    Extent::Unknown
                }
            },
            Size::Expr(expr) if !locals_known(expr, env) => Extent::Unknown,
            Size::Expr(expr) => match self.size_value(expr, env)? {
                Value::Leaf(operand) => Extent::Known(operand),
                Value::Record(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                    Extent::Unknown
                }
            },
        })
    }

    /// Evaluates a size expression. Types inside it are counted separately.
    fn size_value(&mut self, expr: &'a Expr, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let parts = std::mem::take(&mut self.parts);
        let mut computed = Vec::new();
        let value = self.size_expr(expr, env, &mut computed);
        self.parts = parts;
        let value = value?;
        // The size of an existing array was checked before.
        if !matches!(value, Value::Leaf(size) if self.code.is_size(size)) {
            for Computed { op, x, y, span } in computed {
                let before = self.enter(span);
                self.size(op, x, y, env);
                self.code.span = before;
            }
        }
        Ok(value)
    }

    /// Like [`Lowering::expr`], but collects the sums, differences and products whose overflow is to be checked.
    fn size_expr(
        &mut self,
        expr: &'a Expr,
        env: &Env<'a>,
        computed: &mut Vec<Computed>,
    ) -> Result<Value<'a>, Failure> {
        if let ExprKind::Apply { function, arguments } = &expr.kind
            && let ExprKind::Intrinsic { intrinsic: Intrinsic::Binary(op, PrimType::I64), .. } = function.kind
            && let (Some(size_op), [x, y]) = (SizeOp::of(op), &arguments[..])
        {
            let (x, y) = (self.size_expr(x, env, computed)?, self.size_expr(y, env, computed)?);
            let (x, y) = (self.scalar(&x)?, self.scalar(&y)?);
            computed.push(Computed { op: size_op, x, y, span: expr.span });
            return Ok(Value::Leaf(self.code.binary(op, x, y)));
        }
        self.expr(expr, env)
    }

    /// Binds the wanted locals to the extents at which they occur in a type.
    pub fn bind_sizes(
        &mut self,
        ty: &'a Type,
        value: &Value<'a>,
        env: &Env<'a>,
        wanted: &mut dyn FnMut(LocalId) -> bool,
    ) {
        self.bind_sizes_except(ty, value, env, wanted, &mut Vec::new());
    }

    /// Like [`Lowering::bind_sizes`]; adds the values whose types are parameters to `rest`.
    fn bind_sizes_except(
        &mut self,
        ty: &'a Type,
        value: &Value<'a>,
        env: &Env<'a>,
        wanted: &mut dyn FnMut(LocalId) -> bool,
        rest: &mut Vec<(TypeParamId, Value<'a>)>,
    ) {
        match (ty, value) {
            (Type::Array(array), Value::Array(extent, element)) => {
                if let Size::Local(local) = &array.size
                    && wanted(*local)
                {
                    self.code.mark_size(*extent);
                    env.bind(*local, Value::Leaf(*extent));
                }
                self.bind_sizes_except(&array.element, element, env, wanted, rest);
            }
            (Type::Record(types), Value::Record(fields)) => {
                for (field, value) in types.iter().zip(fields) {
                    self.bind_sizes_except(&field.ty, value, env, wanted, rest);
                }
            }
            (Type::Sum(constructors), Value::Sum(sum)) => {
                for (index, constructor) in constructors.iter().enumerate() {
                    for (ty, value) in constructor.payload.iter().zip(sum.payload(index)) {
                        self.bind_sizes_except(ty, &value, env, wanted, rest);
                    }
                }
            }
            (Type::Abstract(ACCUMULATOR, args), Value::Acc(acc)) => {
                for arg in args.iter() {
                    if let TypeArg::Type(ty) = arg {
                        self.bind_sizes_except(ty, &acc.array, env, wanted, rest);
                    }
                }
            }
            (Type::Abstract(id, args), value) => {
                let definition = &self.session.program.abstracts[id.index()];
                let inner = Frame::root(None, env.unchecked);
                let mut of_params = Vec::new();
                self.bind_sizes_except(&definition.definition, value, &inner, &mut |_| true, &mut of_params);
                for (param, arg) in definition.params.iter().zip(args.iter()) {
                    match (param, arg) {
                        (AbstractParam::Size(inner_local), TypeArg::Size(Size::Local(local))) => {
                            if let Some(extent) = inner.value(*inner_local)
                                && wanted(*local)
                            {
                                env.bind(*local, extent);
                            }
                        }
                        (AbstractParam::Type(param), TypeArg::Type(ty)) => {
                            for (_, value) in of_params.iter().filter(|(of, _)| of == param) {
                                self.bind_sizes_except(ty, value, env, wanted, rest);
                            }
                        }
                        (AbstractParam::Size(_), _) | (AbstractParam::Type(_), _) => {}
                    }
                }
            }
            (Type::Param(param), value) => rest.push((*param, value.clone())),
            (Type::Prim(_) | Type::Array(_) | Type::Record(_) | Type::Sum(_) | Type::Arrow(_), _) => {}
        }
    }

    /// Binds the parameters of a scheme in `inner`, as far as their sizes are known.
    pub fn bind_scheme(
        &mut self,
        scheme: &'a Scheme,
        instance: &'a Instance,
        env: &Env<'a>,
        inner: &Env<'a>,
    ) -> Result<(), Failure> {
        for (param, ty) in scheme.types.iter().zip(&instance.types) {
            inner.bind_type(*param, TypeBinding::Written(ty, env.clone()));
        }
        for (local, size) in scheme.sizes.iter().zip(&instance.sizes) {
            if inner.value(*local).is_none()
                && let Extent::Known(operand) = self.extent(size, env, Sizes::All)?
            {
                inner.bind(*local, Value::Leaf(operand));
            }
        }
        Ok(())
    }

    /// Returns the shape of an intrinsic's type argument.
    pub fn type_argument(&mut self, ty: Option<&'a Type>, env: &Env<'a>) -> Result<Repr, Failure> {
        match ty {
            Some(ty) => self.repr(ty, env, Sizes::All),
            None => Err(self.bug("an intrinsic without its type argument")),
        }
    }

    /// Returns the failure for a size that is not known where it is needed.
    pub fn unknown_size(&self, span: Span) -> Failure {
        self.limit(span, "a size that is not known before its value; give it a name or write the function with its argument")
    }
}

impl Repr {
    /// Drops the sizes.
    pub fn form(&self) -> Form {
        match self {
            Repr::Scalar(prim) => Form::Scalar(*prim),
            Repr::Record(fields) => Form::Record(fields.iter().map(Repr::form).collect()),
            Repr::Sum(sum) => {
                Form::Sum(sum.iter().map(|payload| payload.iter().map(Repr::form).collect()).collect())
            }
            Repr::Array(_, element) => Form::Array(Box::new(element.form())),
            Repr::Function => Form::Function,
            Repr::Acc => Form::Acc,
        }
    }

    /// Returns the extents in order.
    pub fn extents(&self) -> Vec<Extent> {
        let mut extents = Vec::new();
        self.visit_extents(&mut |extent| extents.push(extent));
        extents
    }

    fn visit_extents(&self, visit: &mut impl FnMut(Extent)) {
        match self {
            Repr::Scalar(_) | Repr::Function | Repr::Acc => {}
            Repr::Record(fields) => fields.iter().for_each(|field| field.visit_extents(visit)),
            Repr::Sum(sum) => sum.iter().flatten().for_each(|part| part.visit_extents(visit)),
            Repr::Array(extent, element) => {
                visit(*extent);
                element.visit_extents(visit);
            }
        }
    }

    /// Replaces the extents.
    pub fn map_extents(&self, map: &mut impl FnMut(Extent) -> Extent) -> Repr {
        match self {
            Repr::Scalar(_) | Repr::Function | Repr::Acc => self.clone(),
            Repr::Record(fields) => Repr::Record(fields.iter().map(|field| field.map_extents(map)).collect()),
            Repr::Sum(sum) => {
                let sum =
                    sum.iter().map(|payload| payload.iter().map(|part| part.map_extents(map)).collect());
                Repr::Sum(sum.collect())
            }
            Repr::Array(extent, element) => {
                let extent = map(*extent);
                Repr::Array(extent, Box::new(element.map_extents(map)))
            }
        }
    }
}

impl Form {
    /// Adds sizes, in order.
    pub fn with_sizes(&self, sizes: &mut impl Iterator<Item = Operand>) -> Repr {
        match self {
            Form::Scalar(prim) => Repr::Scalar(*prim),
            Form::Record(fields) => {
                Repr::Record(fields.iter().map(|field| field.with_sizes(sizes)).collect())
            }
            Form::Sum(sum) => {
                let sum =
                    sum.iter().map(|payload| payload.iter().map(|part| part.with_sizes(sizes)).collect());
                Repr::Sum(sum.collect())
            }
            Form::Array(element) => {
                let extent = sizes.next().map_or(Extent::Unknown, Extent::Known);
                Repr::Array(extent, Box::new(element.with_sizes(sizes)))
            }
            Form::Function => Repr::Function,
            Form::Acc => Repr::Acc,
        }
    }

    /// Returns the number of sizes.
    pub fn n_sizes(&self) -> usize {
        match self {
            Form::Scalar(_) | Form::Function | Form::Acc => 0,
            Form::Record(fields) => fields.iter().map(Form::n_sizes).sum(),
            Form::Sum(sum) => sum.iter().flatten().map(Form::n_sizes).sum(),
            Form::Array(element) => 1 + element.n_sizes(),
        }
    }

    /// Whether it contains functions or accumulators, which cannot be passed to core functions.
    pub fn has_function(&self) -> bool {
        match self {
            Form::Scalar(_) => false,
            Form::Record(fields) => fields.iter().any(Form::has_function),
            Form::Sum(sum) => sum.iter().flatten().any(Form::has_function),
            Form::Array(element) => element.has_function(),
            Form::Function | Form::Acc => true,
        }
    }
}

/// Whether all locals of a size expression are bound. Size expressions contain no bindings.
fn locals_known(expr: &Expr, env: &Env) -> bool {
    let known = |expr: &Expr| locals_known(expr, env);
    let optional = |expr: &Option<Expr>| expr.as_ref().is_none_or(known);
    match &expr.kind {
        ExprKind::Local { local, .. } => env.value(*local).is_some(),
        ExprKind::Literal(..)
        | ExprKind::Bytes(_)
        | ExprKind::Hole
        | ExprKind::Def { .. }
        | ExprKind::Intrinsic { .. } => true,
        ExprKind::Record(exprs) | ExprKind::Array(exprs) => exprs.iter().all(known),
        ExprKind::Construct { arguments, .. } => arguments.iter().all(known),
        ExprKind::Project { record: body, .. }
        | ExprKind::Coerce(body)
        | ExprKind::Attr { body, .. }
        | ExprKind::Tuned { default: body, .. }
        | ExprKind::Open { body, .. } => known(body),
        ExprKind::Assert { condition, body, .. } => known(condition) && known(body),
        ExprKind::Index { array, slice } => {
            known(array)
                && slice.iter().all(|dim| match &dim.kind {
                    DimIndexKind::Fix(index) => known(index),
                    DimIndexKind::Slice { start, end, stride } => {
                        optional(start) && optional(end) && optional(stride)
                    }
                })
        }
        ExprKind::Apply { function, arguments } => known(function) && arguments.iter().all(known),
        ExprKind::If { condition, then, otherwise } => known(condition) && known(then) && known(otherwise),
        ExprKind::Range { start, second, end, .. } => {
            known(start) && known(end) && second.as_ref().is_none_or(|second| known(second))
        }
        ExprKind::Update { .. }
        | ExprKind::Lambda(_)
        | ExprKind::Let { .. }
        | ExprKind::Match { .. }
        | ExprKind::Loop(_) => false,
    }
}
