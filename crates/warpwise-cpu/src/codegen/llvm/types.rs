//! Kinds and shapes, which Rust checks, and types, which also have widths and numbers of lanes.

use std::fmt;
use std::marker::PhantomData;

use warpwise_imp::ImpType;
use warpwise_prim::ScalarType;

use crate::codegen::Emitted;

/// The kind of the lanes of a value.
pub(in crate::codegen) trait Kind: Copy + PartialEq {
    /// The parameter that distinguishes types of this kind.
    type Element: Copy + PartialEq;

    fn element(element: Self::Element) -> Element;
}

/// Integers, distinguished by their number of bits.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Int {}

#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Float {}

/// Truth values.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Bit {}

#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Address {}

/// Integers, floats or truth values, depending on the program.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Any {}

/// The static knowledge about the number of lanes.
pub(in crate::codegen) trait Shape: Copy + PartialEq {}

/// A scalar.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum One {}

/// A vector.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Many {}

/// A scalar or a vector, for computations lane by lane.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) enum Lanes {}

impl Shape for One {}
impl Shape for Many {}
impl Shape for Lanes {}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::codegen) enum Precision {
    Half,
    Single,
    Double,
}

/// A lane of any kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(in crate::codegen) enum Element {
    Int(u32),
    Float(Precision),
    Bit,
    Address,
}

#[derive(Clone, Copy, PartialEq)]
pub(in crate::codegen) struct Type<K: Kind, S: Shape = Lanes> {
    pub element: K::Element,
    pub lanes: u32,
    shape: PhantomData<S>,
}

impl Kind for Int {
    type Element = u32;

    fn element(bits: u32) -> Element {
        Element::Int(bits)
    }
}

impl Kind for Float {
    type Element = Precision;

    fn element(precision: Precision) -> Element {
        Element::Float(precision)
    }
}

impl Kind for Bit {
    type Element = ();

    fn element((): ()) -> Element {
        Element::Bit
    }
}

impl Kind for Address {
    type Element = ();

    fn element((): ()) -> Element {
        Element::Address
    }
}

impl Kind for Any {
    type Element = Element;

    fn element(element: Element) -> Element {
        element
    }
}

impl Element {
    pub fn bits(self) -> u32 {
        match self {
            Element::Int(bits) => bits,
            Element::Bit => 1,
            Element::Float(Precision::Half) => 16,
            Element::Float(Precision::Single) => 32,
            Element::Float(Precision::Double) | Element::Address => 64,
        }
    }

    /// Returns the type of these lanes in memory: truth values are bytes, and an f16 is moved as its bits.
    pub fn stored(self) -> Element {
        match self {
            Element::Bit => Element::Int(8),
            Element::Float(Precision::Half) => Element::Int(16),
            Element::Int(_) | Element::Float(_) | Element::Address => self,
        }
    }

    pub fn precision(self) -> Emitted<Precision> {
        match self {
            Element::Float(precision) => Ok(precision),
            Element::Int(_) | Element::Bit | Element::Address => {
                Err(format!("{self} where a float is needed"))
            }
        }
    }

    fn suffix(self) -> String {
        match self {
            Element::Int(bits) => format!("i{bits}"),
            Element::Float(_) => format!("f{}", self.bits()),
            Element::Bit => "i1".into(),
            Element::Address => "p0".into(),
        }
    }
}

impl From<ScalarType> for Element {
    fn from(ty: ScalarType) -> Element {
        match ty {
            ScalarType::Bool => Element::Bit,
            ScalarType::I8 => Element::Int(8),
            ScalarType::I16 => Element::Int(16),
            ScalarType::I32 => Element::Int(32),
            ScalarType::I64 => Element::Int(64),
            ScalarType::F16 => Element::Float(Precision::Half),
            ScalarType::F32 => Element::Float(Precision::Single),
            ScalarType::F64 => Element::Float(Precision::Double),
        }
    }
}

impl From<ImpType> for Type<Any> {
    fn from(ty: ImpType) -> Type<Any> {
        Type::new(ty.scalar.into(), ty.lanes.into())
    }
}

impl Type<Int, One> {
    pub const I32: Type<Int, One> = Type::new(32, 1);
    pub const I64: Type<Int, One> = Type::new(64, 1);

    pub const fn int(bits: u32) -> Type<Int, One> {
        Type::new(bits, 1)
    }
}

impl Type<Float, One> {
    pub const fn float(precision: Precision) -> Type<Float, One> {
        Type::new(precision, 1)
    }
}

impl Type<Address, One> {
    pub const POINTER: Type<Address, One> = Type::new((), 1);
}

impl Type<Bit, One> {
    pub const BIT: Type<Bit, One> = Type::new((), 1);
}

impl<K: Kind, S: Shape> Type<K, S> {
    /// Creates a type. The caller guarantees that the shape allows `lanes` lanes.
    pub(super) const fn new(element: K::Element, lanes: u32) -> Type<K, S> {
        Type { element, lanes, shape: PhantomData }
    }

    /// Returns the type with equally many lanes of another kind.
    pub fn of<L: Kind>(self, element: L::Element) -> Type<L, S> {
        Type::new(element, self.lanes)
    }

    /// Returns the type of integers of the same width.
    pub fn as_int(self) -> Type<Int, S> {
        self.of(self.bits())
    }

    pub fn with_lanes(self, lanes: u32) -> Type<K> {
        Type::new(self.element, lanes)
    }

    /// Returns the type of a lane.
    pub fn lane(self) -> Type<K, One> {
        Type::new(self.element, 1)
    }

    /// Returns the size of a lane in bits.
    pub fn bits(self) -> u32 {
        K::element(self.element).bits()
    }

    /// Returns the size of a lane in bytes.
    pub fn bytes(self) -> i64 {
        i64::from(self.bits() / 8)
    }

    pub fn is_vector(self) -> bool {
        self.lanes > 1
    }

    /// Returns the name of this type in intrinsics: `i32`, `v8f64`.
    pub fn suffix(self) -> String {
        let element = K::element(self.element).suffix();
        if self.is_vector() { format!("v{}{element}", self.lanes) } else { element }
    }
}

impl Type<Any> {
    /// Returns the type of these values in memory.
    pub fn stored(self) -> Type<Any> {
        self.of(self.element.stored())
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Element::Int(bits) => write!(f, "i{bits}"),
            Element::Float(Precision::Half) => f.write_str("half"),
            Element::Float(Precision::Single) => f.write_str("float"),
            Element::Float(Precision::Double) => f.write_str("double"),
            Element::Bit => f.write_str("i1"),
            Element::Address => f.write_str("ptr"),
        }
    }
}

impl<K: Kind, S: Shape> fmt::Display for Type<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let element = K::element(self.element);
        if self.lanes > 1 { write!(f, "<{} x {element}>", self.lanes) } else { element.fmt(f) }
    }
}
