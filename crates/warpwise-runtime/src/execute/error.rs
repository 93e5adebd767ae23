//! Errors of runs.

use std::fmt;

use warpwise_prim::{Scalar, ValueType};

use crate::machine::{BlockName, Check, CheckPart};
use crate::memory::{Bytes, OutOfMemory};

/// Reason why a run failed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunError {
    /// A check of the program failed.
    Check {
        /// Text of the message.
        message: String,
        /// `file:line:column` of the check.
        place: String,
        /// Places where the function with the check was called, innermost first.
        calls: Vec<String>,
    },
    /// The memory budget does not suffice.
    OutOfMemory {
        /// The failed allocation.
        error: OutOfMemory,
        /// The array or kernel that needs the memory, with its source position.
        by: BlockName,
        /// The largest blocks in use, with their sizes.
        held: Vec<(BlockName, u64)>,
    },
    /// The device or its driver failed, in the driver's words.
    Device(String),
    /// The run was interrupted.
    Interrupted,
    /// A compiler bug: the host code is not well-formed.
    Internal(String),
}

impl RunError {
    /// Makes the error for a failure of a device.
    pub(super) fn device(error: impl fmt::Display) -> RunError {
        RunError::Device(error.to_string())
    }

    /// Makes the error for a failed check with these values, as bits.
    pub(super) fn check(check: &Check, values: &[u64]) -> RunError {
        let mut values = values.iter();
        let mut message = String::new();
        for part in &check.parts {
            match part {
                CheckPart::Text(text) => message.push_str(text),
                CheckPart::Value(ty) => message += &surface_text(*ty, values.next().copied().unwrap_or(0)),
            }
        }
        RunError::Check { message, place: check.place.clone(), calls: check.calls.clone() }
    }
}

/// Formats a scalar without a type suffix, with integers signed or unsigned by type.
fn surface_text(ty: ValueType, bits: u64) -> String {
    let value = Scalar::from_bits(ty.scalar(), bits);
    match value {
        Scalar::Bool(x) => x.to_string(),
        Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) if ty.is_unsigned() => {
            bits_of_width(bits, ty.scalar().bits()).to_string()
        }
        Scalar::I8(_) | Scalar::I16(_) | Scalar::I32(_) | Scalar::I64(_) => {
            value.as_int().unwrap_or_default().to_string()
        }
        Scalar::F16(x) => x.to_string(),
        Scalar::F32(x) => x.to_string(),
        Scalar::F64(x) => x.to_string(),
    }
}

fn bits_of_width(bits: u64, width: u32) -> u64 {
    bits & (u64::MAX >> (64 - width))
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RunError::Check { message, place, calls } => {
                write!(f, "{place}: {message}")?;
                calls.iter().try_for_each(|call| write!(f, "\n  called from {call}"))
            }
            RunError::OutOfMemory { error, by, held } => {
                // Array names are made up by the compiler; only a place means something to the user.
                match by.place.is_empty() {
                    true => write!(f, "no room for `{}`: {error}", by.array)?,
                    false => write!(f, "{}: no room for an array: {error}", by.place)?,
                }
                held.iter().enumerate().try_for_each(|(number, (name, bytes))| {
                    let start = if number == 0 { "; the largest in use: " } else { ", " };
                    write!(f, "{start}{}", Bytes(*bytes))?;
                    match name.place.is_empty() {
                        true => write!(f, " of `{}`", name.array),
                        false => write!(f, " of {}", name.place),
                    }
                })
            }
            RunError::Device(message) => write!(f, "the device failed: {message}"),
            RunError::Interrupted => f.write_str("interrupted"),
            RunError::Internal(message) => write!(f, "internal error in host code: {message}"),
        }
    }
}

impl std::error::Error for RunError {}
