//! Values during lowering: trees over operands of the core IR.
//!
//! Records are trees already, so no further pass has to remove tuples. An array is represented by its size and an element value
//! in which an array replaces every scalar: `[n](i32, [m]f32)` is
//!
//! ```text
//! Array(n, Record[ Leaf(a: [n]i32), Array(m, Leaf(b: [n][m]f32)) ])
//! ```
//!
//! Thus an array of tuples is a tuple of arrays, and an array of units still knows its size. The type of a leaf has exactly the
//! sizes of the enclosing arrays. Functions are closures known at compile time; they never become operands.

use std::cell::RefCell;
use std::rc::Rc;

use rustc_hash::FxHashMap;
use warpwise_ir::Operand;

use crate::lower::sums::Sum;
use crate::lower::types::Repr;
use crate::typed::ids::{DefId, LocalId, TypeParamId};
use crate::typed::intrinsic::Intrinsic;
use crate::typed::tree::{Function, Instance, Lambda};
use crate::typed::ty::Type;

/// A compile-time value.
#[derive(Clone)]
pub enum Value<'a> {
    /// A scalar, or an array with the scalars of an array of arrays.
    Leaf(Operand),
    /// One value per field, in the order of the record type.
    Record(Vec<Value<'a>>),
    /// A tag, and slots for the payload of each constructor.
    Sum(Sum<'a>),
    /// An array of this size, with these elements.
    Array(Operand, Box<Value<'a>>),
    /// A function.
    Function(Rc<Closure<'a>>),
    /// An accumulator.
    Acc(Rc<Acc<'a>>),
}

/// A core accumulator, and the array that it adds to.
#[derive(Clone)]
pub struct Acc<'a> {
    /// Operand of the accumulator.
    pub operand: Operand,
    /// The array before the additions; only its shape is used.
    pub array: Value<'a>,
}

/// A function with its captured environment and its first arguments.
#[derive(Clone)]
pub struct Closure<'a> {
    /// The function.
    pub callee: Callee<'a>,
    /// Total number of arguments that the function takes.
    pub arity: usize,
    /// Arguments given so far.
    pub args: Vec<Value<'a>>,
}

/// The code of a function, with its environment.
#[derive(Clone)]
pub enum Callee<'a> {
    /// A lambda, with the environment of its text.
    Lambda(&'a Lambda, Env<'a>),
    /// A function bound by `let`, with the environment of its text and the arguments for its scheme.
    Local(&'a Function, Env<'a>, Use<'a>),
    /// A definition.
    Def(DefId, Use<'a>),
    /// An intrinsic.
    Intrinsic(Intrinsic, Use<'a>),
    /// A placeholder in a sum for a function of another constructor; never called.
    Absent,
}

/// The arguments for a scheme, with their environment.
#[derive(Clone)]
pub struct Use<'a> {
    /// Arguments; `None` before a polymorphic local function is instantiated.
    pub instance: Option<&'a Instance>,
    /// Meanings of the locals and type parameters in the arguments.
    pub env: Env<'a>,
}

/// An environment: the meanings of names at some point.
pub type Env<'a> = Rc<Frame<'a>>;

/// The names of one expansion of a function, and the enclosing environment.
pub struct Frame<'a> {
    parent: Option<Env<'a>>,
    values: RefCell<FxHashMap<LocalId, Value<'a>>>,
    types: RefCell<FxHashMap<TypeParamId, TypeBinding<'a>>>,
    /// Definition that the body belongs to.
    pub def: Option<DefId>,
    /// Whether to leave out checks.
    pub unchecked: bool,
}

/// The meaning of a type parameter.
#[derive(Clone)]
pub enum TypeBinding<'a> {
    /// A type as written, with the environment of its names.
    Written(&'a Type, Env<'a>),
    /// A type whose sizes are known.
    Known(Rc<Repr>),
}

impl<'a> Frame<'a> {
    /// Creates the frame of a definition.
    pub fn root(def: Option<DefId>, unchecked: bool) -> Env<'a> {
        Rc::new(Frame { parent: None, values: RefCell::default(), types: RefCell::default(), def, unchecked })
    }

    /// Creates a frame inside another.
    pub fn inside(parent: &Env<'a>, unchecked: bool) -> Env<'a> {
        Rc::new(Frame {
            parent: Some(parent.clone()),
            values: RefCell::default(),
            types: RefCell::default(),
            def: parent.def,
            unchecked: unchecked || parent.unchecked,
        })
    }

    /// Binds a local in this frame.
    pub fn bind(&self, local: LocalId, value: Value<'a>) {
        self.values.borrow_mut().insert(local, value);
    }

    /// Binds a type parameter in this frame.
    pub fn bind_type(&self, param: TypeParamId, binding: TypeBinding<'a>) {
        self.types.borrow_mut().insert(param, binding);
    }

    /// Adds the locals bound in a frame inside this one.
    pub fn adopt(&self, inner: &Frame<'a>) {
        let bound = inner.values.borrow();
        self.values.borrow_mut().extend(bound.iter().map(|(local, value)| (*local, value.clone())));
    }

    /// Returns the meaning of a local.
    pub fn value(&self, local: LocalId) -> Option<Value<'a>> {
        let mut frame = self;
        loop {
            if let Some(value) = frame.values.borrow().get(&local) {
                return Some(value.clone());
            }
            frame = frame.parent.as_deref()?;
        }
    }

    /// Returns the meaning of a type parameter.
    pub fn type_binding(&self, param: TypeParamId) -> Option<TypeBinding<'a>> {
        let mut frame = self;
        loop {
            if let Some(binding) = frame.types.borrow().get(&param) {
                return Some(binding.clone());
            }
            frame = frame.parent.as_deref()?;
        }
    }
}

impl<'a> Value<'a> {
    /// Creates a leaf.
    pub fn leaf(operand: impl Into<Operand>) -> Value<'a> {
        Value::Leaf(operand.into())
    }

    /// Returns the operands of the value, in order.
    pub fn leaves(&self) -> Vec<Operand> {
        let mut leaves = Vec::new();
        self.visit_leaves(&mut |leaf| leaves.push(leaf));
        leaves
    }

    fn visit_leaves(&self, visit: &mut impl FnMut(Operand)) {
        match self {
            Value::Leaf(operand) => visit(*operand),
            Value::Record(fields) => fields.iter().for_each(|field| field.visit_leaves(visit)),
            Value::Sum(sum) => {
                visit(sum.tag);
                sum.slots.iter().for_each(|slot| slot.visit_leaves(visit));
            }
            Value::Array(_, element) => element.visit_leaves(visit),
            Value::Acc(acc) => visit(acc.operand),
            Value::Function(_) => {}
        }
    }

    /// Replaces the operands.
    pub fn map_leaves(&self, map: &mut impl FnMut(Operand) -> Operand) -> Value<'a> {
        match self {
            Value::Leaf(operand) => Value::Leaf(map(*operand)),
            Value::Record(fields) => {
                Value::Record(fields.iter().map(|field| field.map_leaves(map)).collect())
            }
            Value::Sum(sum) => {
                let tag = map(sum.tag);
                let slots = sum.slots.iter().map(|slot| slot.map_leaves(map)).collect();
                Value::Sum(Sum { layout: sum.layout.clone(), tag, slots })
            }
            Value::Array(size, element) => Value::Array(*size, Box::new(element.map_leaves(map))),
            Value::Function(closure) => Value::Function(closure.clone()),
            Value::Acc(acc) => {
                Value::Acc(Rc::new(Acc { operand: map(acc.operand), array: acc.array.clone() }))
            }
        }
    }

    /// Replaces the operands by these, in order.
    pub fn with_leaves(&self, leaves: &mut impl Iterator<Item = Operand>) -> Value<'a> {
        self.map_leaves(&mut |leaf| leaves.next().unwrap_or(leaf))
    }

    /// Whether the value contains functions or accumulators, which cannot be passed to core functions.
    pub fn has_function(&self) -> bool {
        match self {
            Value::Leaf(_) => false,
            Value::Record(fields) => fields.iter().any(Value::has_function),
            Value::Sum(sum) => sum.slots.iter().any(Value::has_function),
            Value::Array(_, element) => element.has_function(),
            Value::Function(_) | Value::Acc(_) => true,
        }
    }

    /// Returns the sizes of the outer arrays, down to the first value that is not an array.
    pub fn sizes(&self) -> Vec<Operand> {
        let mut sizes = Vec::new();
        let mut value = self;
        while let Value::Array(size, element) = value {
            sizes.push(*size);
            value = element;
        }
        sizes
    }
}
