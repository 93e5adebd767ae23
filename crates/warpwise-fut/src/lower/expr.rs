//! Lowering of expressions. The larger forms have files of their own.

use half::f16;
use warpwise_diag::{Failure, Span};
use warpwise_ir::{Expr as CoreExpr, Operand, Type as CoreType};
use warpwise_prim::{BinaryOp, CompareOp, Scalar, ScalarType};

use crate::lower::context::{Lowering, number, shape_parts, text};
use crate::lower::sums::{Sum, TAG, layout};
use crate::lower::types::{Extent, Repr, Sizes, scalar_type};
use crate::lower::value::{Callee, Closure, Env, Frame, Use, Value};
use crate::syntax::ast::{Attr, AttrKind, Literal, PrimType};
use crate::typed::tree::{Binding, BindingKind, Expr, ExprKind, Instance};
use crate::typed::ty::Type;

impl<'a> Lowering<'a, '_> {
    /// Lowers an expression: emits its computation into the innermost body, and returns its value.
    pub fn expr(&mut self, expr: &'a Expr, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let before = self.enter(expr.span);
        let value = self.form_of_expr(expr, env);
        self.code.span = before;
        value
    }

    fn form_of_expr(&mut self, expr: &'a Expr, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        match &expr.kind {
            ExprKind::Literal(prim, literal) => Ok(Value::leaf(
                constant(*prim, *literal).ok_or_else(|| self.bug("a literal of another type"))?,
            )),
            ExprKind::Bytes(bytes) => self.bytes(bytes),
            ExprKind::Local { local, instance } => match env.value(*local) {
                Some(value) => Ok(instantiate(value, instance, env)),
                None => Err(self.unknown_size(expr.span)),
            },
            ExprKind::Def { def, instance } => self.definition(*def, instance, env),
            ExprKind::Intrinsic { intrinsic, instance } => {
                let callee =
                    Callee::Intrinsic(*intrinsic, Use { instance: Some(instance), env: env.clone() });
                Ok(function(callee, intrinsic.arity()))
            }
            ExprKind::Record(fields) => {
                let fields = fields.iter().map(|field| self.expr(field, env));
                Ok(Value::Record(fields.collect::<Result<_, _>>()?))
            }
            ExprKind::Construct { constructor, arguments } => {
                self.construct(*constructor, arguments, &expr.ty, env)
            }
            ExprKind::Match { scrutinee, cases } => {
                let value = self.expr(scrutinee, env)?;
                self.match_(&value, cases, &expr.ty, env)
            }
            ExprKind::Array(elements) => self.array_literal(elements, &expr.ty, env),
            ExprKind::Project { record, field } => {
                let record = self.expr(record, env)?;
                let fields = self.fields(&record)?;
                fields.get(*field).cloned().ok_or_else(|| self.bug("a record without the field"))
            }
            ExprKind::Index { array, slice } => {
                let array = self.expr(array, env)?;
                self.index(&array, slice, env)
            }
            ExprKind::Update { array, slice, value } => {
                // The value may consume arrays that the indices are read from.
                let dims = self.dims(slice, env)?;
                let value = self.expr(value, env)?;
                let array = self.expr(array, env)?;
                self.update(&array, &dims, &value, env)
            }
            ExprKind::Hole => self.hole(&expr.ty, env),
            ExprKind::Assert { condition, condition_span, body } => {
                self.assertion(condition, *condition_span, body, env)
            }
            ExprKind::Lambda(lambda) => {
                Ok(function(Callee::Lambda(lambda, env.clone()), lambda.params.len()))
            }
            ExprKind::Apply { function, arguments } => {
                let mut values = Vec::with_capacity(arguments.len());
                if expr.is_infix() {
                    for operand in arguments {
                        values.push(self.expr(operand, env)?);
                    }
                } else {
                    for argument in arguments.iter().rev() {
                        values.push(self.expr(argument, env)?);
                    }
                    values.reverse();
                }
                let function = self.expr(function, env)?;
                self.apply(function, values)
            }
            ExprKind::Range { start, second, bound, end } => {
                self.range(start, second.as_deref(), *bound, end, env)
            }
            ExprKind::Let { bindings, body } => {
                for binding in bindings {
                    self.binding(binding, env)?;
                }
                self.expr(body, env)
            }
            ExprKind::If { condition, then, otherwise } => {
                self.branch(condition, then, otherwise, &expr.ty, env)
            }
            ExprKind::Loop(source) => self.loop_(source, env),
            ExprKind::Coerce(body) => self.coercion(body, &expr.ty, env),
            ExprKind::Open { sizes, body } => {
                let value = self.expr(body, env)?;
                self.bind_sizes(&expr.ty, &value, env, &mut |local| sizes.contains(&local));
                Ok(value)
            }
            ExprKind::Attr { attr, body } => self.attributed(attr, body, env),
            ExprKind::Tuned { name, default } => self.tuned(name, default, env),
        }
    }

    fn binding(&mut self, binding: &'a Binding, env: &Env<'a>) -> Result<(), Failure> {
        match &binding.kind {
            BindingKind::Pattern { sizes, pattern, value } => {
                let value = self.expr(value, env)?;
                self.bind_sizes(&pattern.ty, &value, env, &mut |local| sizes.contains(&local));
                self.bind_pattern(pattern, &value, env)
            }
            BindingKind::Function { name, function: source, attrs } => {
                let unchecked = attrs.iter().any(|attr| is_named(attr, "unsafe", self));
                let inner = if unchecked { Frame::inside(env, true) } else { env.clone() };
                let callee = Callee::Local(source, inner.clone(), Use { instance: None, env: inner });
                env.bind(*name, function(callee, source.params.len()));
                Ok(())
            }
        }
    }

    fn assertion(
        &mut self,
        condition: &'a Expr,
        condition_span: Span,
        body: &'a Expr,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let condition = self.expr(condition, env)?;
        let condition = self.scalar(&condition)?;
        let sources = self.session.input.sources;
        let written = if sources.contains(condition_span.file) {
            sources.text(condition_span.file).get(condition_span.start as usize..condition_span.end as usize)
        } else {
            None
        };
        let message = format!("Assertion is false: {}", written.unwrap_or("the condition"));
        let certs = self.check(env, condition, vec![text(message)]);
        let value = self.expr(body, env)?;
        if certs.is_empty() {
            return Ok(value);
        }
        Ok(value.map_leaves(&mut |leaf| self.code.bind_one("", CoreExpr::Operand(leaf), &certs).into()))
    }

    /// Lowers a hole, which fails when it is reached; its value is never read.
    fn hole(&mut self, ty: &'a Type, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let repr = self.repr(ty, env, Sizes::All)?;
        if repr.form().has_function() {
            return Err(self.limit(self.code.span, "a hole that a type parameter makes a function"));
        }
        let mut parts = vec![text("Reached hole of type `")];
        self.repr_parts(&repr, &mut parts);
        parts.push(text("`"));
        let message = self.message(parts);
        let condition = Operand::bool(false);
        let certs = [self.code.bind_one("c", CoreExpr::Assert { cond: condition, message }, &[])];
        let value = self.blank(&repr, &mut Vec::new());
        Ok(value.map_leaves(&mut |leaf| self.code.bind_one("", CoreExpr::Operand(leaf), &certs).into()))
    }

    fn coercion(&mut self, body: &'a Expr, ty: &'a Type, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let value = self.expr(body, env)?;
        let repr = self.repr(ty, env, Sizes::All)?;
        let targets = repr.extents();
        let mut fits = Operand::bool(true);
        for (size, target) in value.extents().into_iter().zip(&targets) {
            match target {
                Extent::Known(target) => {
                    let same = self.code.compare(CompareOp::Eq, size, *target);
                    fits = self.code.and(fits, same);
                }
                // Sizes hidden by a type are never compared.
                Extent::Hidden => {}
                Extent::Local(_) | Extent::Unknown => return Err(self.unknown_size(body.span)),
            }
        }
        let mut message = vec![text("Value of shape ")];
        message.extend(shape_parts(&value.sizes()));
        message.push(text(" cannot match shape of type \""));
        self.repr_parts(&repr, &mut message);
        message.push(text("\""));
        let certs = self.check(env, fits, message);
        Ok(self.coerce(&value, &targets, &certs))
    }

    /// Appends a type with the values of its sizes to a message.
    fn repr_parts(&self, repr: &Repr, parts: &mut Vec<warpwise_ir::MessagePart>) {
        match repr {
            Repr::Scalar(prim) => parts.push(text(prim.name())),
            Repr::Record(fields) => {
                for (i, field) in fields.iter().enumerate() {
                    parts.push(text(if i == 0 { "(" } else { ", " }));
                    self.repr_parts(field, parts);
                }
                parts.push(text(")"));
            }
            Repr::Sum(constructors) => {
                parts.push(text("a sum of"));
                for part in constructors.iter().flatten() {
                    parts.push(text(" "));
                    self.repr_parts(part, parts);
                }
            }
            Repr::Array(extent, element) => {
                parts.push(text("["));
                if let Extent::Known(size) = extent {
                    parts.push(number(*size));
                }
                parts.push(text("]"));
                self.repr_parts(element, parts);
            }
            Repr::Function | Repr::Acc => parts.push(text("function")),
        }
    }

    // --- Literals of arrays -------------------------------------------------------------------

    fn bytes(&mut self, bytes: &[u8]) -> Result<Value<'a>, Failure> {
        let len = Operand::i64(bytes.len() as i64);
        let elements: Vec<Operand> = bytes.iter().map(|byte| Scalar::I8(*byte as i8).into()).collect();
        let array = if elements.is_empty() {
            CoreExpr::Scratch { elem: ScalarType::I8, shape: [len].into_iter().collect() }
        } else {
            CoreExpr::ArrayLit(elements)
        };
        let array = self.code.bind_one("", array, &[]);
        Ok(Value::Array(len, Box::new(Value::leaf(array))))
    }

    fn array_literal(
        &mut self,
        elements: &'a [Expr],
        ty: &'a Type,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let mut values = Vec::with_capacity(elements.len());
        for element in elements {
            values.push(self.expr(element, env)?);
        }
        let len = Operand::i64(values.len() as i64);
        let Some(first) = values.first().cloned() else { return self.empty_array(ty, env) };
        self.demand_data(&first)?;
        let target = first.as_target();
        let rows: Vec<Vec<Operand>> =
            values.iter().map(|value| self.coerce(value, &target, &[]).leaves()).collect();
        let mut leaf = 0;
        let element = first.map_leaves(&mut |_| {
            let column = rows.iter().filter_map(|row| row.get(leaf).copied()).collect();
            leaf += 1;
            self.code.bind_one("", CoreExpr::ArrayLit(column), &[]).into()
        });
        Ok(Value::Array(len, Box::new(element)))
    }

    /// Returns an array without elements. Unknown sizes of its rows are 0.
    fn empty_array(&mut self, ty: &'a Type, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        let repr = self.repr(ty, env, Sizes::All)?;
        self.empty_inside(&repr, &mut Vec::new())
    }

    fn empty_inside(&mut self, repr: &Repr, outer: &mut Vec<Operand>) -> Result<Value<'a>, Failure> {
        Ok(match repr {
            Repr::Scalar(prim) => {
                let shape = outer.iter().copied().collect();
                let scratch = CoreExpr::Scratch { elem: scalar_type(*prim), shape };
                Value::leaf(self.code.bind_one("", scratch, &[]))
            }
            Repr::Record(fields) => {
                let fields = fields.iter().map(|field| self.empty_inside(field, outer));
                Value::Record(fields.collect::<Result<_, _>>()?)
            }
            Repr::Sum(constructors) => {
                let (layout, reprs) = layout(constructors);
                let tag = self.empty_inside(&Repr::Scalar(TAG), outer)?;
                let tag = self.scalar(&tag)?;
                let slots = reprs.iter().map(|repr| self.empty_inside(repr, outer));
                Value::Sum(Sum { layout, tag, slots: slots.collect::<Result<_, _>>()? })
            }
            Repr::Array(extent, element) => {
                let size = match extent {
                    Extent::Known(size) => *size,
                    Extent::Local(_) | Extent::Unknown | Extent::Hidden => Operand::i64(0),
                };
                outer.push(size);
                let element = self.empty_inside(element, outer)?;
                outer.pop();
                Value::Array(size, Box::new(element))
            }
            Repr::Function | Repr::Acc => return Err(self.bug("an array of functions")),
        })
    }

    /// Converts an integer of the language to `i64`.
    pub fn index_operand(&mut self, operand: Operand, ty: &Type) -> Operand {
        let op = match ty {
            Type::Prim(PrimType::U8 | PrimType::U16 | PrimType::U32 | PrimType::U64) => {
                warpwise_prim::ConvertOp::ZExt
            }
            Type::Prim(_)
            | Type::Param(_)
            | Type::Abstract(..)
            | Type::Array(_)
            | Type::Record(_)
            | Type::Sum(_)
            | Type::Arrow(_) => warpwise_prim::ConvertOp::SExt,
        };
        match self.code.ty(operand) {
            CoreType::Scalar(scalar) if scalar.is_int() => self.code.convert(op, operand, ScalarType::I64),
            CoreType::Scalar(_) | CoreType::Array(_) | CoreType::Acc(_) | CoreType::Cert | CoreType::Mem => {
                operand
            }
        }
    }

    /// Emits `0 <= index < size`, as one comparison.
    pub fn in_bounds(&mut self, index: Operand, size: Operand) -> Operand {
        self.code.compare(CompareOp::ULt, index, size)
    }

    /// Emits the conjunction of conditions.
    pub fn all(&mut self, conditions: &[Operand]) -> Operand {
        conditions.iter().fold(Operand::bool(true), |all, cond| self.code.binary(BinaryOp::And, all, *cond))
    }
}

/// Returns a function value without arguments.
pub fn function<'a>(callee: Callee<'a>, arity: usize) -> Value<'a> {
    Value::Function(std::rc::Rc::new(Closure { callee, arity, args: Vec::new() }))
}

/// Instantiates a polymorphic local function with the arguments for its scheme.
fn instantiate<'a>(value: Value<'a>, instance: &'a Instance, env: &Env<'a>) -> Value<'a> {
    let Value::Function(closure) = &value else { return value };
    match &closure.callee {
        Callee::Local(source, home, _) if !instance.is_empty() => {
            let arguments = Use { instance: Some(instance), env: env.clone() };
            function(Callee::Local(source, home.clone(), arguments), closure.arity)
        }
        Callee::Local(..) | Callee::Lambda(..) | Callee::Def(..) | Callee::Intrinsic(..) | Callee::Absent => {
            value
        }
    }
}

/// Whether an attribute is this plain name.
pub fn is_named(attr: &Attr, name: &str, lowering: &Lowering) -> bool {
    match &attr.kind {
        AttrKind::Name(ident) => lowering.session.input.names.text(ident.symbol) == name,
        AttrKind::Int(_) | AttrKind::Compound(..) => false,
    }
}

/// Returns the core constant for a literal of this type.
pub fn constant(prim: PrimType, literal: Literal) -> Option<Scalar> {
    let ty = scalar_type(prim);
    Some(match literal {
        Literal::Bool(value) => Scalar::Bool(value),
        Literal::I8(value) => Scalar::I8(value),
        Literal::I16(value) => Scalar::I16(value),
        Literal::I32(value) => Scalar::I32(value),
        Literal::I64(value) => Scalar::I64(value),
        Literal::U8(value) => Scalar::I8(value as i8),
        Literal::U16(value) => Scalar::I16(value as i16),
        Literal::U32(value) => Scalar::I32(value as i32),
        Literal::U64(value) => Scalar::I64(value as i64),
        Literal::F16(value) => Scalar::F16(value),
        Literal::F32(value) => Scalar::F32(value),
        Literal::F64(value) => Scalar::F64(value),
        Literal::Int(value) if ty.is_int() => Scalar::int(ty, value as i64),
        Literal::Char(value) if ty.is_int() => Scalar::int(ty, i64::from(value as u32)),
        Literal::Int(value) => float(ty, value as f64)?,
        Literal::Char(value) => float(ty, f64::from(value as u32))?,
        Literal::Float(value) => float(ty, value)?,
    })
}

fn float(ty: ScalarType, value: f64) -> Option<Scalar> {
    match ty {
        ScalarType::F16 => Some(Scalar::F16(f16::from_f64(value))),
        ScalarType::F32 => Some(Scalar::F32(value as f32)),
        ScalarType::F64 => Some(Scalar::F64(value)),
        ScalarType::Bool | ScalarType::I8 | ScalarType::I16 | ScalarType::I32 | ScalarType::I64 => None,
    }
}
