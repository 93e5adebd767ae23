//! Scalar types and their literals.

use half::f16;

/// A scalar type of the language. The core's types are signless.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum PrimType {
    /// `bool`.
    Bool,
    /// `i8`.
    I8,
    /// `i16`.
    I16,
    /// `i32`.
    I32,
    /// `i64`.
    I64,
    /// `u8`.
    U8,
    /// `u16`.
    U16,
    /// `u32`.
    U32,
    /// `u64`.
    U64,
    /// `f16`.
    F16,
    /// `f32`.
    F32,
    /// `f64`.
    F64,
}

/// A scalar literal.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Literal {
    /// `true`, `false`.
    Bool(bool),
    /// An integer without suffix. It may have any number type, and be out of range for some.
    Int(u128),
    /// A float without suffix.
    Float(f64),
    /// A character, which is equivalent to an integer literal without suffix.
    Char(char),
    /// An integer with suffix `i8`. All suffixed integers are already wrapped to the range of their type.
    I8(i8),
    /// An integer with suffix `i16`.
    I16(i16),
    /// An integer with suffix `i32`.
    I32(i32),
    /// An integer with suffix `i64`.
    I64(i64),
    /// An integer with suffix `u8`.
    U8(u8),
    /// An integer with suffix `u16`.
    U16(u16),
    /// An integer with suffix `u32`.
    U32(u32),
    /// An integer with suffix `u64`.
    U64(u64),
    /// A float with suffix `f16`.
    F16(f16),
    /// A float with suffix `f32`.
    F32(f32),
    /// A float with suffix `f64`.
    F64(f64),
}

impl PrimType {
    /// All scalar types, in declaration order.
    pub const ALL: [PrimType; 12] = {
        use PrimType::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64]
    };

    /// Returns the name in the language.
    pub fn name(self) -> &'static str {
        match self {
            PrimType::Bool => "bool",
            PrimType::I8 => "i8",
            PrimType::I16 => "i16",
            PrimType::I32 => "i32",
            PrimType::I64 => "i64",
            PrimType::U8 => "u8",
            PrimType::U16 => "u16",
            PrimType::U32 => "u32",
            PrimType::U64 => "u64",
            PrimType::F16 => "f16",
            PrimType::F32 => "f32",
            PrimType::F64 => "f64",
        }
    }

    /// Returns the type with this name, if there is one.
    pub fn from_name(name: &str) -> Option<PrimType> {
        PrimType::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl Literal {
    /// Returns the type of a literal with a suffix or of a truth value; `None` if the type has to be inferred.
    pub fn ty(self) -> Option<PrimType> {
        match self {
            Literal::Bool(_) => Some(PrimType::Bool),
            Literal::Int(_) | Literal::Float(_) | Literal::Char(_) => None,
            Literal::I8(_) => Some(PrimType::I8),
            Literal::I16(_) => Some(PrimType::I16),
            Literal::I32(_) => Some(PrimType::I32),
            Literal::I64(_) => Some(PrimType::I64),
            Literal::U8(_) => Some(PrimType::U8),
            Literal::U16(_) => Some(PrimType::U16),
            Literal::U32(_) => Some(PrimType::U32),
            Literal::U64(_) => Some(PrimType::U64),
            Literal::F16(_) => Some(PrimType::F16),
            Literal::F32(_) => Some(PrimType::F32),
            Literal::F64(_) => Some(PrimType::F64),
        }
    }

    /// Returns the value of a literal with an integer suffix.
    pub fn suffixed_integer(self) -> Option<i128> {
        match self {
            Literal::I8(value) => Some(value.into()),
            Literal::I16(value) => Some(value.into()),
            Literal::I32(value) => Some(value.into()),
            Literal::I64(value) => Some(value.into()),
            Literal::U8(value) => Some(value.into()),
            Literal::U16(value) => Some(value.into()),
            Literal::U32(value) => Some(value.into()),
            Literal::U64(value) => Some(value.into()),
            Literal::Bool(_)
            | Literal::Int(_)
            | Literal::Float(_)
            | Literal::Char(_)
            | Literal::F16(_)
            | Literal::F32(_)
            | Literal::F64(_) => None,
        }
    }
}
