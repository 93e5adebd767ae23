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

    /// The family this type belongs to.
    pub fn class(self) -> ScalarClass {
        use ScalarType::*;
        match self {
            Bool => ScalarClass::Bool,
            I8 | I16 | I32 | I64 => ScalarClass::Int,
            F16 | F32 | F64 => ScalarClass::Float,
        }
    }

    /// Whether this is an integer type.
    pub fn is_int(self) -> bool {
        self.class() == ScalarClass::Int
    }

    /// Whether this is a floating-point type.
    pub fn is_float(self) -> bool {
        self.class() == ScalarClass::Float
    }

    /// Bytes one element occupies in memory.
    pub fn bytes(self) -> usize {
        use ScalarType::*;
        match self {
            Bool | I8 => 1,
            I16 | F16 => 2,
            I32 | F32 => 4,
            I64 | F64 => 8,
        }
    }

    /// Width in bits; 1 for `bool`.
    pub fn bits(self) -> u32 {
        match self {
            ScalarType::Bool => 1,
            _ => 8 * self.bytes() as u32,
        }
    }

    /// The name in every text form: `bool`, `i32`, `f64`, ...
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

    /// The type with this name, if there is one.
    pub fn from_name(name: &str) -> Option<ScalarType> {
        Self::ALL.into_iter().find(|ty| ty.name() == name)
    }
}

impl fmt::Display for ScalarType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
