//! Values in files and pipes. Text, binary, `.npy` and `.png` are read and written, the first two also read compressed (gzip);
//! tables, `.npz` and `.jpg` are only written.
//!
//! Readers take any `io::Read` and writers any `io::Write`; only [`files`] and [`whole`] open files. Arrays are read directly
//! into pooled blocks. Input is not trusted: whatever it contains, a reader returns a value or a [`FormatError`] naming the
//! source, the position and the expected type. No memory of the size that a header claims is touched before that much input has
//! arrived; if the length of the input is known, none is even allocated.
//!
//! Absent on purpose: writing compressed files, structured or string `.npy` types, animated images,
//! conversions between number types.

mod binary;
mod error;
mod expected;
#[cfg(feature = "files")]
pub mod files;
mod input;
#[cfg(feature = "files")]
mod jpeg;
mod npy;
#[cfg(feature = "files")]
mod npz;
#[cfg(feature = "files")]
mod png;
mod table;
mod text;
mod values;
pub mod whole;

#[cfg(all(test, feature = "files"))]
mod tests;

pub use binary::{BinaryHeader, binary_header, is_binary, read_binary_header, write_binary};
pub use error::{FormatError, Position};
pub use expected::ExpectedType;
pub use npy::{NpyHeader, npy_header, read_npy, read_npy_header, write_npy};
#[cfg(feature = "files")]
pub use png::{read_png, write_png};
pub use table::push_number;
pub use text::write_text;
pub use values::{Source, read_values};
