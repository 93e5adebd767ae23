//! Values of sum types: a tag, and slots for the payloads of the constructors.
//!
//! ```text
//! #point f32 f32 | #circle f32 i32 | #path ([n]f32)
//!
//! tag   i8        0 for #circle, 1 for #path, 2 for #point: by the order of the names
//! slots f32       the radius of a circle, or the abscissa of a point
//!       i32       of a circle
//!       [n]f32    of a path
//!       f32       the ordinate of a point
//! ```
//!
//! Constructors share the slots for scalars of one machine type. An array has a slot of its own, since its sizes are part of the
//! type. Slots that a constructor does not use are zero. A nested sum shares slots with the enclosing one. An array of sums is an
//! array of tags and one array per slot. Functions are known at compile time, and so is the constructor that carries them.
//!
//! `match` becomes a chain of `if`s. A pattern tests only scalars, which can be read whatever the tag is, so each pattern is one
//! condition:
//!
//! ```text
//! match s                       a = eq tag 0i8; b = eq i32_slot 1i32; c = and a b;
//! case #circle r 1 -> f r       if c { f f32_slot } else { g s }
//! case _ -> g s
//! ```

use std::rc::Rc;

use warpwise_diag::Failure;
use warpwise_ir::{Expr as CoreExpr, Operand};
use warpwise_prim::{BinaryOp, CompareOp, Scalar};

use crate::lower::context::Lowering;
use crate::lower::expr::{constant, function};
use crate::lower::types::{Extent, Repr, Sizes, scalar_type};
use crate::lower::value::{Callee, Env, Value};
use crate::syntax::ast::PrimType;
use crate::typed::tree::{Case, Expr, Pat, PatKind};
use crate::typed::ty::{Type, Uniqueness};

/// Type of tags.
pub const TAG: PrimType = PrimType::U8;

/// Maximum number of cases that become nested `if`s. More cases are numbered, and a binary search finds the right one.
const LONGEST_CHAIN: usize = 16;

/// A value of a sum type.
#[derive(Clone)]
pub struct Sum<'a> {
    /// Places of the payloads.
    pub layout: Rc<Layout>,
    /// Tag of the constructor that made the value.
    pub tag: Operand,
    /// Slots of the layout.
    pub slots: Vec<Value<'a>>,
}

/// For each constructor, the places of its payload.
pub type Layout = [Vec<Place>];

/// The place of a value among the slots of a sum.
#[derive(Clone, Debug)]
pub enum Place {
    /// A scalar, an array or a function.
    Slot(usize),
    /// A record, field by field.
    Record(Vec<Place>),
    /// Another sum.
    Sum {
        /// Slot of its tag.
        tag: usize,
        /// Its layout.
        layout: Rc<Layout>,
        /// Slots that this layout refers to.
        slots: Vec<usize>,
    },
}

/// Returns the layout of a sum, and the shapes of its slots. Arrays among the slots are in the order of the constructors.
pub fn layout(constructors: &[Vec<Repr>]) -> (Rc<Layout>, Vec<Repr>) {
    let mut slots = Slots { reprs: Vec::new(), taken: Vec::new() };
    let mut layout = Vec::with_capacity(constructors.len());
    for payload in constructors {
        slots.taken.fill(false);
        layout.push(payload.iter().map(|repr| slots.place(repr)).collect());
    }
    (layout.into(), slots.reprs)
}

/// The slots allocated so far.
struct Slots {
    reprs: Vec<Repr>,
    /// Whether the current constructor uses each slot.
    taken: Vec<bool>,
}

impl Slots {
    fn place(&mut self, repr: &Repr) -> Place {
        match repr {
            Repr::Scalar(prim) => Place::Slot(self.scalar(*prim)),
            Repr::Array(..) | Repr::Function | Repr::Acc => Place::Slot(self.new_slot(repr.clone())),
            Repr::Record(fields) => Place::Record(fields.iter().map(|field| self.place(field)).collect()),
            Repr::Sum(constructors) => {
                let tag = self.scalar(TAG);
                let (layout, reprs) = layout(constructors);
                let slots = reprs.iter().map(|repr| match repr {
                    Repr::Scalar(prim) => self.scalar(*prim),
                    Repr::Array(..) | Repr::Function | Repr::Acc | Repr::Record(_) | Repr::Sum(_) => {
                        self.new_slot(repr.clone())
                    }
                });
                Place::Sum { tag, slots: slots.collect(), layout }
            }
        }
    }

    fn scalar(&mut self, prim: PrimType) -> usize {
        let fits = |repr: &Repr| match repr {
            Repr::Scalar(other) => scalar_type(*other) == scalar_type(prim),
            Repr::Array(..) | Repr::Function | Repr::Acc | Repr::Record(_) | Repr::Sum(_) => false,
        };
        match (0..self.reprs.len()).find(|&slot| !self.taken[slot] && fits(&self.reprs[slot])) {
            Some(slot) => {
                self.taken[slot] = true;
                slot
            }
            None => self.new_slot(Repr::Scalar(prim)),
        }
    }

    fn new_slot(&mut self, repr: Repr) -> usize {
        self.reprs.push(repr);
        self.taken.push(true);
        self.reprs.len() - 1
    }
}

impl<'a> Sum<'a> {
    /// Returns the payload if this constructor made the value; otherwise arbitrary values of the same types.
    pub fn payload(&self, constructor: usize) -> Vec<Value<'a>> {
        match self.layout.get(constructor) {
            Some(places) => places.iter().map(|place| read(place, &self.slots)).collect(),
            None => Vec::new(),
        }
    }

    /// Returns one mark for the tag and one per leaf of each slot. `marks` has the parts of the sum's type.
    pub fn marks(&self, marks: &Uniqueness) -> Vec<bool> {
        let mut slots: Vec<Vec<bool>> = self.slots.iter().map(|slot| slot.marks(&Uniqueness::No)).collect();
        for (part, place) in self.layout.iter().flatten().enumerate() {
            mark(place, &self.slots, &marks.field(part), &mut slots);
        }
        std::iter::once(*marks == Uniqueness::Yes).chain(slots.into_iter().flatten()).collect()
    }
}

fn read<'a>(place: &Place, slots: &[Value<'a>]) -> Value<'a> {
    match place {
        Place::Slot(slot) => slots[*slot].clone(),
        Place::Record(fields) => Value::Record(fields.iter().map(|field| read(field, slots)).collect()),
        Place::Sum { tag, layout, slots: inner } => {
            let tag = match &slots[*tag] {
                Value::Leaf(tag) => *tag,
                Value::Record(_) | Value::Sum(_) | Value::Array(..) | Value::Function(_) | Value::Acc(_) => {
                    zero(TAG)
                }
            };
            let slots = inner.iter().map(|slot| slots[*slot].clone()).collect();
            Value::Sum(Sum { layout: layout.clone(), tag, slots })
        }
    }
}

fn write<'a>(place: &Place, value: &Value<'a>, slots: &mut [Option<Value<'a>>]) {
    match (place, value) {
        (Place::Slot(slot), value) => slots[*slot] = Some(value.clone()),
        (Place::Record(places), Value::Record(fields)) => {
            places.iter().zip(fields).for_each(|(place, field)| write(place, field, slots));
        }
        (Place::Sum { tag, slots: inner, .. }, Value::Sum(sum)) => {
            slots[*tag] = Some(Value::Leaf(sum.tag));
            inner.iter().zip(&sum.slots).for_each(|(slot, value)| slots[*slot] = Some(value.clone()));
        }
        (Place::Record(_) | Place::Sum { .. }, _) => {}
    }
}

fn mark(place: &Place, values: &[Value], marks: &Uniqueness, slots: &mut [Vec<bool>]) {
    let mut set = |slot: usize, marks: &Uniqueness| {
        let new = values[slot].marks(marks);
        slots[slot].iter_mut().zip(new).for_each(|(old, new)| *old |= new);
    };
    match place {
        Place::Slot(slot) => set(*slot, marks),
        Place::Record(fields) => {
            for (index, field) in fields.iter().enumerate() {
                mark(field, values, &marks.field(index), slots);
            }
        }
        Place::Sum { tag, layout, slots: inner } => {
            set(*tag, if *marks == Uniqueness::Yes { marks } else { &Uniqueness::No });
            let inner_values: Vec<Value> = inner.iter().map(|slot| values[*slot].clone()).collect();
            let mut inner_marks: Vec<Vec<bool>> = inner.iter().map(|slot| slots[*slot].clone()).collect();
            for (part, place) in layout.iter().flatten().enumerate() {
                mark(place, &inner_values, &marks.field(part), &mut inner_marks);
            }
            inner.iter().zip(inner_marks).for_each(|(slot, marks)| slots[*slot] = marks);
        }
    }
}

fn zero(prim: PrimType) -> Operand {
    Operand::Const(Scalar::zero(scalar_type(prim)))
}

fn tag_of(constructor: usize) -> Operand {
    Operand::Const(Scalar::I8(constructor as u8 as i8))
}

impl<'a> Lowering<'a, '_> {
    /// Lowers `#c a b`.
    pub fn construct(
        &mut self,
        constructor: usize,
        arguments: &'a [Expr],
        ty: &'a Type,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let mut payload = Vec::with_capacity(arguments.len());
        for argument in arguments {
            payload.push(self.expr(argument, env)?);
        }
        let Repr::Sum(constructors) = self.repr(ty, env, Sizes::All)? else {
            return Err(self.bug("a constructor of what is no sum"));
        };
        let (layout, reprs) = layout(&constructors);
        let mut slots = vec![None; reprs.len()];
        let places = layout.get(constructor).map_or(&[][..], Vec::as_slice);
        for ((place, value), repr) in places.iter().zip(&payload).zip(&constructors[constructor]) {
            let value = self.coerce(value, &repr.extents(), &[]);
            write(place, &value, &mut slots);
        }
        let slots = slots.into_iter().zip(&reprs).map(|(slot, repr)| match slot {
            Some(value) => value,
            None => self.blank(repr, &mut Vec::new()),
        });
        let slots = slots.collect();
        Ok(Value::Sum(Sum { layout, tag: tag_of(constructor), slots }))
    }

    /// Returns a value that is never read.
    pub fn blank(&mut self, repr: &Repr, outer: &mut Vec<Operand>) -> Value<'a> {
        match repr {
            Repr::Scalar(prim) => Value::Leaf(self.blank_leaf(*prim, outer)),
            Repr::Record(fields) => {
                Value::Record(fields.iter().map(|field| self.blank(field, outer)).collect())
            }
            Repr::Array(extent, element) => {
                let size = match extent {
                    Extent::Known(size) => *size,
                    Extent::Local(_) | Extent::Unknown | Extent::Hidden => Operand::i64(0),
                };
                outer.push(size);
                let element = self.blank(element, outer);
                outer.pop();
                Value::Array(size, Box::new(element))
            }
            Repr::Sum(constructors) => {
                let (layout, reprs) = layout(constructors);
                let tag = self.blank_leaf(TAG, outer);
                let slots = reprs.iter().map(|repr| self.blank(repr, outer)).collect();
                Value::Sum(Sum { layout, tag, slots })
            }
            Repr::Function | Repr::Acc => function(Callee::Absent, 1),
        }
    }

    fn blank_leaf(&mut self, prim: PrimType, outer: &[Operand]) -> Operand {
        if outer.is_empty() {
            return zero(prim);
        }
        let shape = outer.iter().copied().collect();
        self.code.bind_one("", CoreExpr::Replicate { shape, value: zero(prim) }, &[]).into()
    }

    /// Lowers `match value case ...`.
    pub fn match_(
        &mut self,
        value: &Value<'a>,
        cases: &'a [Case],
        ty: &'a Type,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        // Some case matches, so the last one needs no test.
        let mut tests = Vec::with_capacity(cases.len());
        for (index, case) in cases.iter().enumerate() {
            let test = match index + 1 == cases.len() {
                true => Operand::bool(true),
                false => self.matches(&case.pattern, value)?,
            };
            if test != Operand::bool(false) {
                tests.push((test, case));
            }
            if test == Operand::bool(true) {
                break;
            }
        }
        if tests.len() <= LONGEST_CHAIN {
            return self.chain(&tests, value, ty, env);
        }
        // The last test always holds; among the others, the first that holds decides.
        let mut chosen = Operand::i64(tests.len() as i64 - 1);
        for (number, (test, _)) in tests.iter().enumerate().rev().skip(1) {
            chosen = self.code.select(*test, Operand::i64(number as i64), chosen);
        }
        let cases: Vec<&'a Case> = tests.iter().map(|(_, case)| *case).collect();
        self.halves(chosen, 0, &cases, value, ty, env)
    }

    /// Lowers cases one after the other.
    fn chain(
        &mut self,
        tests: &[(Operand, &'a Case)],
        value: &Value<'a>,
        ty: &'a Type,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        let Some(((test, case), rest)) = tests.split_first() else {
            return Err(self.bug("a match without cases"));
        };
        if rest.is_empty() {
            return self.case(case, value, env);
        }
        let then = self.aside(|this| this.case(case, value, env))?;
        let otherwise = self.aside(|this| this.chain(rest, value, ty, env))?;
        self.join(*test, then, otherwise, |this| Ok(this.repr(ty, env, Sizes::All)?.extents()))
    }

    /// Lowers the choice of a case by binary search, so that `if`s are nested to logarithmic depth only. The first case has
    /// number `first`.
    fn halves(
        &mut self,
        chosen: Operand,
        first: i64,
        cases: &[&'a Case],
        value: &Value<'a>,
        ty: &'a Type,
        env: &Env<'a>,
    ) -> Result<Value<'a>, Failure> {
        if let [case] = cases {
            return self.case(case, value, env);
        }
        let (front, back) = cases.split_at(cases.len() / 2);
        let middle = first + front.len() as i64;
        let is_in_front = self.code.compare(CompareOp::SLt, chosen, Operand::i64(middle));
        let then = self.aside(|this| this.halves(chosen, first, front, value, ty, env))?;
        let otherwise = self.aside(|this| this.halves(chosen, middle, back, value, ty, env))?;
        self.join(is_in_front, then, otherwise, |this| Ok(this.repr(ty, env, Sizes::All)?.extents()))
    }

    fn case(&mut self, case: &'a Case, value: &Value<'a>, env: &Env<'a>) -> Result<Value<'a>, Failure> {
        self.bind_pattern(&case.pattern, value, env)?;
        self.expr(&case.body, env)
    }

    /// Emits whether a value matches a pattern.
    fn matches(&mut self, pattern: &Pat, value: &Value<'a>) -> Result<Operand, Failure> {
        match &pattern.kind {
            PatKind::Bind(_) | PatKind::Wildcard => Ok(Operand::bool(true)),
            PatKind::Literal(prim, literal) => {
                let literal =
                    constant(*prim, *literal).ok_or_else(|| self.bug("a literal of another type"))?;
                let value = self.scalar(value)?;
                Ok(self.code.compare(CompareOp::Eq, value, literal.into()))
            }
            PatKind::Record(patterns) => {
                let fields = self.fields(value)?.to_vec();
                self.all_match(Operand::bool(true), patterns, &fields)
            }
            PatKind::Construct { constructor, parts } => {
                let sum = self.sum(value)?;
                let (tag, payload) = (sum.tag, sum.payload(*constructor));
                let is_made_with = match sum.layout.len() {
                    1 => Operand::bool(true),
                    _ => self.code.compare(CompareOp::Eq, tag, tag_of(*constructor)),
                };
                self.all_match(is_made_with, parts, &payload)
            }
        }
    }

    /// Emits whether a condition holds and all values match their patterns.
    fn all_match(
        &mut self,
        condition: Operand,
        patterns: &[Pat],
        values: &[Value<'a>],
    ) -> Result<Operand, Failure> {
        let mut all = condition;
        for (pattern, value) in patterns.iter().zip(values) {
            if all == Operand::bool(false) {
                return Ok(all);
            }
            let matches = self.matches(pattern, value)?;
            all = self.code.and(all, matches);
        }
        Ok(all)
    }

    /// Emits whether two sums are equal: they have one constructor and equal payloads.
    pub fn equal_sums(&mut self, x: &Sum<'a>, y: &Sum<'a>) -> Result<Operand, Failure> {
        let mut all = self.code.compare(CompareOp::Eq, x.tag, y.tag);
        for constructor in 0..x.layout.len() {
            let (xs, ys) = (Value::Record(x.payload(constructor)), Value::Record(y.payload(constructor)));
            if xs.leaves().is_empty() {
                continue;
            }
            let applies = self.code.compare(CompareOp::Eq, x.tag, tag_of(constructor));
            if applies == Operand::bool(false) {
                continue;
            }
            let equal = if xs.extents().is_empty() || applies == Operand::bool(true) {
                let equal = self.equal(&xs, &ys)?;
                self.code.select(applies, equal, Operand::bool(true))
            } else {
                // Compare arrays only if the constructor has them.
                let then = self.aside(|this| this.equal(&xs, &ys).map(Value::Leaf))?;
                let otherwise = self.aside(|_| Ok(Value::leaf(Operand::bool(true))))?;
                let value = self.join(applies, then, otherwise, |_| Ok(Vec::new()))?;
                self.scalar(&value)?
            };
            all = self.code.binary(BinaryOp::And, all, equal);
        }
        Ok(all)
    }
}
