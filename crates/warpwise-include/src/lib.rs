//! `include_fut!`: the entry points of a program as Rust functions.
//!
//! ```text
//! include_fut!("src/prices.fut");
//!
//! type stats = {mean: f64, count: i64}          pub struct Stats { pub mean: f64, pub count: i64 }
//! entry stats [n] (xs: [n]f64) : stats   ==>    pub fn stats(context: &Context, xs: &Array<Dim1, f64>) -> Result<Stats, Error>
//!                                               static PRICES: Included = Included::new(.. the program's files ..);
//! ```
//!
//! The front end runs while Rust compiles, so an error in the program is an error of the macro, with its file and line. The
//! program's files are embedded in the executable, and Rust recompiles when one of them changes. A context compiles the program
//! at the first call. [`program`] reads the program, [`types`] maps its types to Rust's, and [`declarations`] and [`code`]
//! generate the result.
//!
//! Absent: any knowledge of how values are passed; the generated code calls only `warpwise`.

mod code;
mod declarations;
mod names;
mod program;
mod types;

use proc_macro::TokenStream;
use syn::{LitStr, parse_macro_input};

/// Declares functions for the entry points of a program.
#[proc_macro]
pub fn include_fut(input: TokenStream) -> TokenStream {
    let path = parse_macro_input!(input as LitStr);
    let code = program::read(&path.value()).and_then(|program| code::code(&program));
    code.unwrap_or_else(|message| syn::Error::new(path.span(), message).to_compile_error()).into()
}
