//! The scalar types.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A scalar type. Integers are signless.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum ScalarType {
    /// Truth values; one byte in memory, 0 or 1.
    Bool,
    /// 8-bit integer.
    I8,
    /// 16-bit integer.
    I16,
    /// 32-bit integer.
    I32,
    /// 64-bit integer; the type of sizes and indices.
    I64,
    /// IEEE 754 binary16.
    F16,
    /// IEEE 754 binary32.
    F32,
    /// IEEE 754 binary64.
    F64,
}

/// The three families of scalar types.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ScalarClass {
    /// `bool`.
    Bool,
    /// `i8` to `i64`.
    Int,
    /// `f16` to `f64`.
    Float,
}

impl ScalarType {
    /// All scalar types, in declaration order.
    pub const ALL: [ScalarType; 8] = {
        use ScalarType::*;
        [Bool, I8, I16, I32, I64, F16, F32, F64]
    };

    /// Returns the family of this type.
    pub fn class(self) -> ScalarClass {
        use ScalarType::*;
        match self {
            Bool => ScalarClass::Bool,
            I8 | I16 | I32 | I64 => ScalarClass::Int,
            F16 | F32 | F64 => ScalarClass::Float,
        }
    }

    /// Returns whether this is an integer type.
    pub fn is_int(self) -> bool {
        self.class() == ScalarClass::Int
    }

    /// Returns whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        self.class() == ScalarClass::Float
    }

    /// Returns the size of one element in memory, in bytes.
    pub fn bytes(self) -> usize {
        use ScalarType::*;
        match self {
            Bool | I8 => 1,
            I16 | F16 => 2,
            I32 | F32 => 4,
            I64 | F64 => 8,
        }
    }

    /// Returns the width in bits; 1 for `bool`.
    pub fn bits(self) -> u32 {
        match self {
            ScalarType::Bool => 1,
            _ => 8 * self.bytes() as u32,
        }
    }

    /// Returns the name used in every text form: `bool`, `i32`, `f64`, ...
    pub fn name(self) -> &'static str {
        use ScalarType::*;
        match self {
            Bool => "bool",
            I8 => "i8",
            I16 => "i16",
            I32 => "i32",
            I64 => "i64",
            F16 => "f16",
            F32 => "f32",
            F64 => "f64",
        }
    }

    /// Returns the type named `name`, if there is one.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A scalar type as the surface languages and value files see it: integers have a sign.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub enum ValueType {
    /// Truth value.
    Bool,
    /// Signed 8-bit integer.
    I8,
    /// Signed 16-bit integer.
    I16,
    /// Signed 32-bit integer.
    I32,
    /// Signed 64-bit integer.
    I64,
    /// Unsigned 8-bit integer.
    U8,
    /// Unsigned 16-bit integer.
    U16,
    /// Unsigned 32-bit integer.
    U32,
    /// Unsigned 64-bit integer.
    U64,
    /// binary16.
    F16,
    /// binary32.
    F32,
    /// binary64.
    F64,
}

impl ValueType {
    /// All surface types, in declaration order.
    pub const ALL: [ValueType; 12] = {
        use ValueType::*;
        [Bool, I8, I16, I32, I64, U8, U16, U32, U64, F16, F32, F64]
    };

    /// Returns the type of such values in the core languages.
    pub fn scalar(self) -> ScalarType {
        use ValueType::*;
        match self {
            Bool => ScalarType::Bool,
            I8 | U8 => ScalarType::I8,
            I16 | U16 => ScalarType::I16,
            I32 | U32 => ScalarType::I32,
            I64 | U64 => ScalarType::I64,
            F16 => ScalarType::F16,
            F32 => ScalarType::F32,
            F64 => ScalarType::F64,
        }
    }

    /// Returns whether this is an unsigned integer type.
    pub fn is_unsigned(self) -> bool {
        matches!(self, ValueType::U8 | ValueType::U16 | ValueType::U32 | ValueType::U64)
    }

    /// Returns the name in source text and value files.
    pub fn name(self) -> &'static str {
        match self {
            ValueType::U8 => "u8",
            ValueType::U16 => "u16",
            ValueType::U32 => "u32",
            ValueType::U64 => "u64",
            other => other.scalar().name(),
        }
    }

    /// Returns the type named `name`, if there is one.
    pub fn from_name(name: &str) -> Option<ValueType> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl fmt::Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
