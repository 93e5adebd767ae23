//! The text format of values.
//!
//! ```text
//! -- a comment to the end of the line
//! true   -12   0x_ff_u8   0b101   1.5e3f32   -f64.inf   f16.nan   0x1.8p3
//! [[1i32, 2i32], [3i32, 4i32,],]   empty([0][2]f64)   "bytes of UTF-8"   ["two", "row"]   [empty([0]i32)]
//! ```
//!
//! Numbers without a suffix are `i32` or `f64`, or of the expected type. Decimal numbers without a suffix must be in range;
//! hexadecimal and binary ones, and integers with a suffix, may spell any bit pattern of their type.

mod floats;
mod literals;
mod parser;
mod strings;
mod writer;

pub(super) use parser::Parser;
pub use writer::write_text;
