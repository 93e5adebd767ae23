//! C declarations of types and parameters.

use warpwise_prim::ValueType;
use warpwise_standalone::interface::{Interface, TypeRef};

use crate::function::{Declared, Passed, pointer, word};

/// Returns the C type of a scalar.
pub fn scalar(ty: ValueType) -> &'static str {
    match ty {
        ValueType::Bool => "bool",
        ValueType::I8 => "int8_t",
        ValueType::I16 => "int16_t",
        ValueType::I32 => "int32_t",
        ValueType::I64 => "int64_t",
        ValueType::U8 => "uint8_t",
        ValueType::U16 => "uint16_t",
        ValueType::U32 => "uint32_t",
        ValueType::U64 => "uint64_t",
        ValueType::F16 => "uint16_t",
        ValueType::F32 => "float",
        ValueType::F64 => "double",
    }
}

/// Declares a parameter for an input value.
pub fn input(interface: &Interface, ty: TypeRef, name: &str) -> Declared {
    match ty {
        TypeRef::Scalar(ty) => {
            Declared { text: format!("const {} {name}", scalar(ty)), passed: Passed::Scalar(ty) }
        }
        TypeRef::Named(number) => {
            pointer(format!("const struct futhark_{} *{name}", interface.types[number].c_name))
        }
    }
}

/// Declares a parameter that points to an output value.
pub fn output(interface: &Interface, ty: TypeRef, name: &str) -> Declared {
    pointer(match ty {
        TypeRef::Scalar(ty) => format!("{} *{name}", scalar(ty)),
        TypeRef::Named(number) => format!("struct futhark_{} **{name}", interface.types[number].c_name),
    })
}

/// Declares the parameters `int64_t dim0, int64_t dim1`.
pub fn sizes(rank: usize, name: &str) -> impl Iterator<Item = Declared> {
    (0..rank).map(move |dim| word(&format!("int64_t {name}{dim}")))
}
