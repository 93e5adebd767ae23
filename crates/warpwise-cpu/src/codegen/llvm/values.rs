//! Constants and results of instructions, with their types.

use std::fmt;

use warpwise_prim::{Scalar as PrimScalar, ScalarType};

use super::types::{Address, Any, Bit, Element, Float, Int, Kind, Lanes, Many, One, Precision, Shape, Type};
use crate::codegen::Emitted;

#[derive(Clone)]
pub(in crate::codegen) struct Value<K: Kind, S: Shape = Lanes> {
    pub ty: Type<K, S>,
    pub(super) text: String,
}

pub(in crate::codegen) type Scalar<K> = Value<K, One>;
pub(in crate::codegen) type Vector<K> = Value<K, Many>;
/// A truth value for each lane.
pub(in crate::codegen) type Mask = Value<Bit>;
/// A value that can be branched on.
pub(in crate::codegen) type Condition = Scalar<Bit>;
pub(in crate::codegen) type Pointer = Scalar<Address>;

/// A value whose shape has been determined.
pub(in crate::codegen) enum Shaped<K: Kind> {
    One(Scalar<K>),
    Many(Vector<K>),
}

/// A value whose kind has been determined.
pub(in crate::codegen) enum Data<S: Shape = Lanes> {
    Int(Value<Int, S>),
    Float(Value<Float, S>),
    Bit(Value<Bit, S>),
}

/// An argument of a call: a value of any type.
pub(in crate::codegen) trait Argument: fmt::Display {
    fn type_name(&self) -> String;
}

/// Returns values of one type as the arguments of a call.
pub(in crate::codegen) fn arguments<K: Kind, S: Shape>(values: &[Value<K, S>]) -> Vec<&dyn Argument> {
    values.iter().map(|value| value as &dyn Argument).collect()
}

impl<K: Kind, S: Shape> Value<K, S> {
    pub(super) fn new(text: String, ty: Type<K, S>) -> Value<K, S> {
        Value { ty, text }
    }

    /// Returns the same lanes with another type that is written in the same way, or with a shape that is known by now.
    pub(super) fn seen_as<L: Kind, T: Shape>(&self, element: L::Element) -> Value<L, T> {
        Value::new(self.text.clone(), Type::new(element, self.ty.lanes))
    }

    /// Returns the value without knowledge of its shape.
    pub fn lanewise(&self) -> Value<K> {
        self.seen_as(self.ty.element)
    }

    pub fn any(&self) -> Value<Any, S> {
        self.seen_as(K::element(self.ty.element))
    }
}

impl<K: Kind> Value<K> {
    pub fn shape(&self) -> Shaped<K> {
        if self.ty.is_vector() {
            Shaped::Many(self.seen_as(self.ty.element))
        } else {
            Shaped::One(self.seen_as(self.ty.element))
        }
    }

    pub fn scalar(&self) -> Emitted<Scalar<K>> {
        self.shape().scalar()
    }

    pub fn vector(&self) -> Emitted<Vector<K>> {
        match self.shape() {
            Shaped::Many(vector) => Ok(vector),
            Shaped::One(_) => Err(format!("{} where a vector is needed", self.ty)),
        }
    }
}

impl<K: Kind> Shaped<K> {
    pub fn scalar(self) -> Emitted<Scalar<K>> {
        match self {
            Shaped::One(scalar) => Ok(scalar),
            Shaped::Many(vector) => Err(format!("{} where a scalar is needed", vector.ty)),
        }
    }
}

impl<S: Shape> Value<Any, S> {
    pub fn data(&self) -> Emitted<Data<S>> {
        match self.ty.element {
            Element::Int(bits) => Ok(Data::Int(self.seen_as(bits))),
            Element::Float(precision) => Ok(Data::Float(self.seen_as(precision))),
            Element::Bit => Ok(Data::Bit(self.seen_as(()))),
            Element::Address => Err(format!("{} where numbers are needed", self.ty)),
        }
    }

    pub fn int(&self) -> Emitted<Value<Int, S>> {
        match self.data()? {
            Data::Int(value) => Ok(value),
            Data::Float(_) | Data::Bit(_) => Err(format!("{} where integers are needed", self.ty)),
        }
    }

    pub fn float(&self) -> Emitted<Value<Float, S>> {
        match self.data()? {
            Data::Float(value) => Ok(value),
            Data::Int(_) | Data::Bit(_) => Err(format!("{} where floats are needed", self.ty)),
        }
    }

    pub fn mask(&self) -> Emitted<Value<Bit, S>> {
        match self.data()? {
            Data::Bit(value) => Ok(value),
            Data::Int(_) | Data::Float(_) => Err(format!("{} where truth values are needed", self.ty)),
        }
    }
}

impl<S: Shape> Value<Bit, S> {
    /// Returns the truth values as integers of one bit.
    pub fn as_ints(&self) -> Value<Int, S> {
        self.seen_as(1)
    }
}

impl Type<Address, One> {
    pub fn null(self) -> Pointer {
        self.spelled("null")
    }
}

impl<K: Kind> Type<K, One> {
    /// Returns the parameter of this name of the current function.
    pub fn parameter(self, name: &str) -> Scalar<K> {
        Value::new(format!("%{name}"), self)
    }
}

impl<K: Kind, S: Shape> Type<K, S> {
    /// Returns zero in every lane.
    pub fn zero(self) -> Value<K, S> {
        Value::new("zeroinitializer".into(), self)
    }

    /// Returns poison, for lanes that will all be replaced.
    pub fn poison(self) -> Value<K, S> {
        Value::new("poison".into(), self)
    }

    /// Returns the constant with this text in every lane.
    fn spelled(self, text: &str) -> Value<K, S> {
        let text =
            if self.is_vector() { format!("splat ({} {text})", self.lane()) } else { text.to_string() };
        Value::new(text, self)
    }
}

impl<S: Shape> Type<Int, S> {
    /// Returns the integer in every lane, taken modulo the width.
    pub fn constant(self, value: i64) -> Value<Int, S> {
        self.spelled(&self.digits(value))
    }

    /// Returns the integers 0, 1, 2, ... in the lanes.
    pub fn lane_numbers(self) -> Value<Int, S> {
        if !self.is_vector() {
            return self.zero();
        }
        let lane = |number: u32| format!("{} {}", self.lane(), self.digits(number.into()));
        let lanes: Vec<String> = (0..self.lanes).map(lane).collect();
        Value::new(format!("<{}>", lanes.join(", ")), self)
    }

    fn digits(self, value: i64) -> String {
        match self.bits() {
            1 => if value & 1 == 1 { "true" } else { "false" }.to_string(),
            bits @ 2..64 => (value << (64 - bits) >> (64 - bits)).to_string(),
            _ => value.to_string(),
        }
    }
}

impl<S: Shape> Type<Float, S> {
    /// Returns the float in every lane; it must be representable in the type.
    pub fn constant(self, value: f64) -> Value<Float, S> {
        let text = match self.element {
            Precision::Half => format!("0xH{:04X}", PrimScalar::float(ScalarType::F16, value).to_bits()),
            Precision::Single | Precision::Double => format!("0x{:016X}", value.to_bits()),
        };
        self.spelled(&text)
    }
}

impl<S: Shape> Type<Bit, S> {
    /// Returns the same truth value in every lane.
    pub fn constant(self, value: bool) -> Value<Bit, S> {
        self.spelled(if value { "true" } else { "false" })
    }
}

/// Writes a value with its type, as operands of calls and stores require.
impl<K: Kind, S: Shape> fmt::Display for Value<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.ty, self.text)
    }
}

impl<K: Kind, S: Shape> Argument for Value<K, S> {
    fn type_name(&self) -> String {
        self.ty.to_string()
    }
}
