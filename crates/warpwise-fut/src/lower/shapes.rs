//! Sizes of values: reading them, and giving values the sizes that the context expects.
//!
//! The checker has compared sizes by structure. The operands of equal sizes may still differ, for example if one was computed
//! inside a lambda or came out of a call. Then a reshape gives the value its expected sizes, which needs no check and costs
//! nothing:
//!
//! ```text
//! row: [t]i32 = ...;             -- t = n + 1, computed inside the lambda
//! row': [s]i32 = reshape row [s] -- s = n + 1, computed outside
//! ```

use warpwise_diag::Failure;
use warpwise_ir::{Expr, Operand, Type, Var};

use crate::lower::context::Lowering;
use crate::lower::sums::{Sum, TAG, layout};
use crate::lower::types::{Extent, Repr, scalar_type};
use crate::lower::value::{Env, Value};
use crate::typed::tree::{Pat, PatKind};
use crate::typed::ty::{Type as SourceType, Uniqueness};

impl<'a> Lowering<'a, '_> {
    /// Returns the value with the known extents, one for each array in order.
    pub fn coerce(&mut self, value: &Value<'a>, extents: &[Extent], certs: &[Var]) -> Value<'a> {
        let same = |(size, extent): (&Operand, &Extent)| match extent {
            Extent::Known(operand) => operand == size,
            Extent::Local(_) | Extent::Unknown | Extent::Hidden => true,
        };
        if certs.is_empty() && value.extents().iter().zip(extents).all(same) {
            return value.clone();
        }
        self.reshape(value, &mut extents.iter(), &mut Vec::new(), certs)
    }

    fn reshape(
        &mut self,
        value: &Value<'a>,
        extents: &mut std::slice::Iter<Extent>,
        outer: &mut Vec<Operand>,
        certs: &[Var],
    ) -> Value<'a> {
        match value {
            Value::Leaf(operand) => Value::Leaf(self.reshape_leaf(*operand, outer, certs)),
            Value::Record(fields) => {
                Value::Record(fields.iter().map(|field| self.reshape(field, extents, outer, certs)).collect())
            }
            Value::Sum(sum) => {
                let tag = self.reshape_leaf(sum.tag, outer, certs);
                let slots = sum.slots.iter().map(|slot| self.reshape(slot, extents, outer, certs)).collect();
                Value::Sum(Sum { layout: sum.layout.clone(), tag, slots })
            }
            Value::Array(size, element) => {
                let size = match extents.next() {
                    Some(Extent::Known(operand)) => *operand,
                    Some(Extent::Local(_) | Extent::Unknown | Extent::Hidden) | None => *size,
                };
                outer.push(size);
                let element = self.reshape(element, extents, outer, certs);
                outer.pop();
                Value::Array(size, Box::new(element))
            }
            Value::Function(_) | Value::Acc(_) => value.clone(),
        }
    }

    fn reshape_leaf(&mut self, operand: Operand, shape: &[Operand], certs: &[Var]) -> Operand {
        match operand {
            Operand::Var(array) if self.code.function.ty(array).shape() != shape => {
                let expr = Expr::Reshape { array, shape: shape.into() };
                let mut certs = certs.to_vec();
                self.add_fitting(shape, &mut certs);
                Operand::Var(self.code.bind_one("", expr, &certs))
            }
            Operand::Var(_) | Operand::Const(_) => operand,
        }
    }

    /// Adds the certificates that these sizes fit.
    pub fn add_fitting(&self, sizes: &[Operand], certs: &mut Vec<Var>) {
        for cert in sizes.iter().filter_map(|size| self.code.fitting(*size)) {
            if !certs.contains(&cert) {
                certs.push(cert);
            }
        }
    }

    /// Returns the value with sizes that are in scope outside the innermost body. Other sizes are recomputed outside, from the
    /// type.
    pub fn settle(
        &mut self,
        value: Value<'a>,
        repr: impl FnOnce(&mut Self) -> Result<Repr, Failure>,
    ) -> Result<Value<'a>, Failure> {
        let body = self.code.suspend();
        let settled = value.extents().into_iter().all(|size| self.code.in_scope(size));
        let repr = if settled { None } else { Some(repr(self)?) };
        self.code.resume(body);
        let Some(repr) = repr else { return Ok(value) };
        let extents = repr.extents();
        if extents.iter().any(|extent| !matches!(extent, Extent::Known(_))) {
            return Err(self.unknown_size(self.code.span));
        }
        Ok(self.coerce(&value, &extents, &[]))
    }

    /// Creates a value of this shape from fresh variables. Every extent must be known.
    pub fn fresh_value(&mut self, repr: &Repr) -> Result<Value<'a>, Failure> {
        self.fresh_inside(repr, &mut Vec::new())
    }

    fn fresh_inside(&mut self, repr: &Repr, outer: &mut Vec<Operand>) -> Result<Value<'a>, Failure> {
        Ok(match repr {
            Repr::Scalar(prim) => {
                let ty = Type::array(scalar_type(*prim), outer.iter().copied());
                Value::Leaf(self.code.fresh("", ty).into())
            }
            Repr::Record(fields) => {
                let fields = fields.iter().map(|field| self.fresh_inside(field, outer));
                Value::Record(fields.collect::<Result<_, _>>()?)
            }
            Repr::Sum(constructors) => {
                let (layout, reprs) = layout(constructors);
                let tag = self.fresh_inside(&Repr::Scalar(TAG), outer)?;
                let tag = self.scalar(&tag)?;
                let slots = reprs.iter().map(|repr| self.fresh_inside(repr, outer));
                Value::Sum(Sum { layout, tag, slots: slots.collect::<Result<_, _>>()? })
            }
            Repr::Array(Extent::Known(size), element) => {
                outer.push(*size);
                let element = self.fresh_inside(element, outer)?;
                outer.pop();
                Value::Array(*size, Box::new(element))
            }
            Repr::Array(Extent::Local(_) | Extent::Unknown | Extent::Hidden, _) => {
                return Err(self.unknown_size(self.code.span));
            }
            Repr::Function => match self.given.pop_front() {
                Some(function) => function,
                None => return Err(self.bug("a function where only data can stand")),
            },
            Repr::Acc => return Err(self.bug("an accumulator where only data can stand")),
        })
    }

    /// Creates variables for a value like this one, with its sizes.
    pub fn fresh_like(&mut self, value: &Value<'a>) -> Value<'a> {
        self.fresh_like_inside(value, &mut Vec::new())
    }

    fn fresh_like_inside(&mut self, value: &Value<'a>, outer: &mut Vec<Operand>) -> Value<'a> {
        match value {
            Value::Leaf(leaf) => {
                let ty = self.code.ty(*leaf);
                let ty = ty.elem().map_or(ty, |elem| Type::array(elem, outer.iter().copied()));
                Value::leaf(self.code.fresh("", ty))
            }
            Value::Record(fields) => {
                Value::Record(fields.iter().map(|field| self.fresh_like_inside(field, outer)).collect())
            }
            Value::Array(size, element) => {
                outer.push(*size);
                let element = self.fresh_like_inside(element, outer);
                outer.pop();
                Value::Array(*size, Box::new(element))
            }
            Value::Sum(sum) => {
                let tag = self.fresh_like_inside(&Value::Leaf(sum.tag), outer);
                let tag = tag.leaves().first().copied().unwrap_or(sum.tag);
                let slots = sum.slots.iter().map(|slot| self.fresh_like_inside(slot, outer)).collect();
                Value::Sum(Sum { layout: sum.layout.clone(), tag, slots })
            }
            Value::Function(_) => value.clone(),
            Value::Acc(acc) => {
                let ty = self.code.ty(acc.operand);
                value.with_leaves(&mut std::iter::once(self.code.fresh("", ty).into()))
            }
        }
    }

    /// Creates variables for one element of an array.
    pub fn fresh_row(&mut self, element: &Value<'a>) -> Value<'a> {
        element.map_leaves(&mut |leaf| {
            let ty = self.code.ty(leaf).row(1);
            Operand::Var(self.code.fresh("", ty))
        })
    }

    /// Binds the names in a pattern.
    pub fn bind_pattern(&mut self, pattern: &Pat, value: &Value<'a>, env: &Env<'a>) -> Result<(), Failure> {
        match &pattern.kind {
            PatKind::Wildcard | PatKind::Literal(..) => {}
            PatKind::Bind(local) => {
                let source = &self.session.program.locals[local.index()];
                if !self.session.in_prelude(source.span) {
                    self.name(value, self.session.input.names.text(source.name));
                }
                env.bind(*local, value.clone());
            }
            PatKind::Record(patterns) => {
                for (pattern, field) in patterns.iter().zip(self.fields(value)?.to_vec()) {
                    self.bind_pattern(pattern, &field, env)?;
                }
            }
            PatKind::Construct { constructor, parts } => {
                for (pattern, part) in parts.iter().zip(self.sum(value)?.payload(*constructor)) {
                    self.bind_pattern(pattern, &part, env)?;
                }
            }
        }
        Ok(())
    }

    /// Names the variables of a value that have no name yet.
    pub fn name(&mut self, value: &Value<'a>, name: &str) {
        for leaf in value.leaves() {
            if let Operand::Var(var) = leaf {
                let data = &mut self.code.function.vars[var];
                if data.name.is_empty() {
                    data.name = name.as_bytes().into();
                }
            }
        }
    }

    /// Returns the extents of the arrays in values of a type.
    pub fn extents_of(
        &mut self,
        ty: &'a SourceType,
        env: &Env<'a>,
        sizes: crate::lower::types::Sizes,
    ) -> Result<Vec<Extent>, Failure> {
        Ok(self.repr(ty, env, sizes)?.extents())
    }
}

impl<'a> Value<'a> {
    /// Returns the sizes of all arrays, in order.
    pub fn extents(&self) -> Vec<Operand> {
        let mut extents = Vec::new();
        self.visit_extents(&mut |size| extents.push(size));
        extents
    }

    /// Returns the same sizes as target extents for another value.
    pub fn as_target(&self) -> Vec<Extent> {
        self.extents().into_iter().map(Extent::Known).collect()
    }

    fn visit_extents(&self, visit: &mut impl FnMut(Operand)) {
        match self {
            Value::Leaf(_) | Value::Function(_) | Value::Acc(_) => {}
            Value::Record(fields) => fields.iter().for_each(|field| field.visit_extents(visit)),
            Value::Sum(sum) => sum.slots.iter().for_each(|slot| slot.visit_extents(visit)),
            Value::Array(size, element) => {
                visit(*size);
                element.visit_extents(visit);
            }
        }
    }

    /// Replaces the sizes, in order.
    pub fn with_extents(&self, sizes: &mut impl Iterator<Item = Operand>) -> Value<'a> {
        match self {
            Value::Leaf(_) | Value::Function(_) | Value::Acc(_) => self.clone(),
            Value::Record(fields) => {
                Value::Record(fields.iter().map(|field| field.with_extents(sizes)).collect())
            }
            Value::Sum(sum) => {
                let slots = sum.slots.iter().map(|slot| slot.with_extents(sizes)).collect();
                Value::Sum(Sum { layout: sum.layout.clone(), tag: sum.tag, slots })
            }
            Value::Array(size, element) => {
                let size = sizes.next().unwrap_or(*size);
                Value::Array(size, Box::new(element.with_extents(sizes)))
            }
        }
    }

    /// Returns one mark per leaf.
    pub fn marks(&self, marks: &Uniqueness) -> Vec<bool> {
        match self {
            Value::Leaf(_) => vec![*marks == Uniqueness::Yes],
            Value::Record(fields) => {
                let field = |(i, field): (usize, &Value<'a>)| field.marks(&marks.field(i));
                fields.iter().enumerate().flat_map(field).collect()
            }
            Value::Sum(sum) => sum.marks(marks),
            Value::Array(_, element) => {
                element.marks(&if marks.any() { Uniqueness::Yes } else { Uniqueness::No })
            }
            Value::Acc(_) => vec![true],
            Value::Function(_) => Vec::new(),
        }
    }
}
