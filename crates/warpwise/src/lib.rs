//! Data-parallel arrays in Rust: array programs are written as Rust expressions, checked by Rust's type checker, and compiled at
//! run time for every core and every vector lane of the machine.
//!
//! ```
//! use warpwise::{Acc, Array, Context, Vector};
//!
//! let context = Context::new()?;
//! let dot = context.compile(|xs: Acc<Vector<f64>>, ys: Acc<Vector<f64>>| {
//!     xs.zip_with(&ys, |x, y| x * y).sum()
//! })?;
//! let xs = Array::from_vec([3], vec![1.0, 2.0, 3.0])?;
//! let ys = Array::from_vec([3], vec![4.0, 5.0, 6.0])?;
//! assert_eq!(dot.run(&xs, &ys)?.to_vec(), [32.0]);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # Getting started
//!
//! A package names the [features](#features) it uses:
//!
//! ```toml
//! [dependencies]
//! warpwise = { version = "0.1", features = ["ndarray"] }
//!
//! # The compiler is part of the executable. With this, builds without optimisation wait less for it, and take longer to be made.
//! [profile.dev.package."*"]
//! opt-level = 1
//! ```
//!
//! Building the feature `cpu` needs LLVM 19.1's development files (on Debian `llvm-19-dev`, `libzstd-dev` and `zlib1g-dev`;
//! `make setup` in the repository installs them). Nothing else has to be set up: there is no build script, and the executable needs no
//! other files at run time. [`include_fut!`] calls programs in files of their own.
//!
//! The [`guide`] begins with ten programs of a few lines each, and maps names of ndarray, rayon and Accelerate to those of this
//! crate.
//!
//! # Two kinds of computations
//!
//! An [`Acc<Array<Sh, E>>`](Acc) is a *collective* computation: it yields an array of shape `Sh` ([`Dim1`] for vectors, [`Dim2`]
//! for matrices, ...) with elements of type `E`. An [`Exp<E>`](Exp) is a *scalar* computation: it yields one element. Collective
//! operations such as [`map`](Acc::map), [`fold`](Acc::fold) and [`scan`](Acc::scan) apply scalar functions, written as closures
//! on expressions, to all elements at once. Building a program computes nothing. [`Context::run`] computes a result.
//! [`Context::compile`] turns a closure into a typed function that can be run any number of times, from any thread, on arrays of
//! any extents, without recompilation.
//!
//! Parallelism is not nested: a scalar closure cannot use an `Acc`, and the type checker rejects the attempt.
//!
//! ```compile_fail
//! use warpwise::{Context, enum_from};
//!
//! let xs = enum_from(4, 1.0_f32);
//! let ys = xs.map(|x| x / xs.sum().the()); // an `Acc` in a scalar function
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! A scalar may come from an array computed earlier, and elements may be read through a [`Reader`]:
//!
//! ```
//! use warpwise::{Context, fill, generate};
//!
//! let xs = fill(4, 3.0_f32);
//! let total = xs.sum().the();
//! let shares = xs.map(|x| x / total);
//! let reader = shares.reader();
//! let pairs = generate(3, |i| reader.at(i) + reader.at(i + 1));
//! assert_eq!(Context::new()?.run(&pairs)?.to_vec(), [0.5; 3]);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # Elements
//!
//! Elements are scalars, tuples, arrays `[T; N]`, [`Complex`] numbers, vectors ([`V2`] to [`V4`]), and structs and enums with
//! `#[derive(Elt)]` ([`Elt`]). A closure receives the element's *view*: an `Exp` for a scalar, a tuple of expressions for a tuple, a struct of expressions
//! `ParticleExp` for a struct `Particle`, so that fields are accessed directly. A closure may return an expression, a view, a
//! constant, or a tuple of these. In memory there is one array per scalar component.
//!
//! ```
//! use warpwise::{Array, Context, Elt, use_};
//!
//! #[derive(Clone, Debug, PartialEq, Elt)]
//! enum Shape { Circle(f32), Box { width: f32, height: f32 } }
//!
//! let shapes = use_(&Array::from_vec([2], vec![Shape::Circle(1.0), Shape::Box { width: 2.0, height: 3.0 }])?);
//! let areas = shapes.map(|shape| shape.cases(|radius| radius * radius * 3.0, |width, height| width * height));
//! assert_eq!(Context::new()?.run(&areas)?.to_vec(), [3.0, 6.0]);
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! # Scalars
//!
//! Expressions have Rust's operators, with constants on either side, and methods named like those of Rust's numbers. Comparisons
//! are methods ([`lt`](Exp::lt), [`eq`](Exp::eq), ...), since Rust's operators must return `bool`. Choices are written with
//! [`cond`], loops with [`while_`] and [`iterate`](Exp::iterate), conversions with [`cast`](Exp::cast). Integers wrap. An integer
//! division by zero, an index out of bounds and similar failures are run-time errors ([`Error::Check`]) that name the line of the
//! Rust program.
//!
//! # Sharing and fusion
//!
//! The value of a Rust variable is computed once, however often the variable is used: clones of a handle share one computation.
//! An operation whose result is consumed element by element by a single other operation is fused into that operation, without an
//! intermediate array; [`compute`](Acc::compute) prevents fusion. [`Context::show`] prints the resulting program.
//!
//! # Memory
//!
//! Host arrays ([`Array`]) lie in the memory that programs use: neither [`use_`], nor parameters, nor results are copied. A
//! vector of scalars becomes an array without a copy ([`Array::from_vec`]), and so do scalars with another owner
//! ([`Array::from_owner`]). A scalar expression made outside all closures stays valid while the arrays that it reads exist, as an
//! [`Array`] or as part of an [`Acc`]. After that, it is valid until an expression that does not use it has run. Of the scalar
//! expressions that read no array, the latest 4096 stay valid. [`unit()`] turns a scalar into an `Acc`, which keeps it alive.
//!
//! All contexts together use up to 80 % of the machine's memory; [`Context::with_memory_limit`] gives one context a limit of its
//! own.
//!
//! # Foreign functions
//!
//! Code outside this crate can be part of a program: [`foreign()`] calls a function on arrays of the host, [`foreign_opencl`] and
//! [`foreign_cuda`] call one on arrays in a device's memory, each with a fallback for other devices. Arrays are dense and
//! row-major, and copied only between the host and a device ([`Context::device_traffic`] counts these copies). The example `blas`
//! calls OpenBLAS and cuBLAS.
//!
//! # Compiled code
//!
//! A program is compiled for its device when it is first needed. The code is stored in the user's cache folder
//! ([`Context::with_cache`] stores it elsewhere, or only in memory), so that the next start of the same executable compiles
//! nothing. [`Context::with_floats`] says how floats are rounded, `Context::with_vector_width` which vectors the processor uses.
//!
//! # Features
//!
//! All features can be combined. Without `cpu`, `opencl` and `cuda`, only the interpreter is available. Programs link LLVM only
//! with `cpu`, which `static-llvm` and `export` imply.
//!
//! | feature | what it adds |
//! |---|---|
//! | `cpu` (default) | [`Context::cpu`]: the processor; building needs LLVM 19.1 |
//! | `static-llvm` | links LLVM statically instead of as a shared library; building needs its static libraries |
//! | `opencl` | `Context::opencl`: OpenCL devices; the driver is loaded at run time |
//! | `cuda` | `Context::cuda`: CUDA devices; the driver is loaded at run time |
//! | `seq` (default) | [`Seq`]: sequences larger than memory, from raw, `.npy` and Matrix Market files too; [`Parts`]: irregular arrays |
//! | `csv`, `arrow`, `parquet`, `wav`, `gzip` | sequences from files of these formats, one feature per format |
//! | `files` | all of these formats |
//! | `include` | [`include_fut!`]: programs in files of their own |
//! | `ndarray` | conversions from and to arrays of the crate `ndarray`, version 0.16, without copies of scalars in row-major order |
//! | `export` | `Export`: computations as executables and C libraries; needs the libraries of LLD, a C++ compiler and `objcopy` |
//!
//! Opening a file in a format whose feature is off is an error that names the feature.
//!
//! # Other names of this crate
//!
//! Where a package renames this crate, or uses it through a library that re-exports it, `#[derive(Elt)]` takes the path as an
//! attribute:
//!
//! ```
//! # mod library { pub use warpwise; }
//! use library::warpwise::Elt;
//!
//! #[derive(Clone, Elt)]
//! #[elt(crate = "library::warpwise")]
//! struct Particle { position: [f32; 2], mass: f32 }
//! ```
//!
//! [`include_fut!`] needs a dependency with the name `warpwise`.
//!
//! # Versions
//!
//! Rust 1.89 or later is required; only a new minor version may raise this requirement. Before 1.0 a new minor version may change
//! the interface, as `CHANGELOG.md` in the repository describes; a patch version does not. Results of programs are part of the
//! interface: they do not depend on the number of threads, and change within a minor version only to correct errors. The output
//! of [`Context::show`], the contents of the cache, and running times are not part of the interface. Neither are the other crates
//! `warpwise-*`: this crate depends on exactly its own version of each, and a program should not depend on them directly.

#![cfg_attr(docsrs, feature(doc_cfg))]
// Docs link to items of optional features; without the feature the link is broken.
#![cfg_attr(not(all(feature = "include", feature = "seq")), allow(rustdoc::broken_intra_doc_links))]

extern crate self as warpwise;

mod acc;
mod array;
mod context;
mod elt;
mod error;
mod exp;
#[cfg(feature = "export")]
mod export;
mod foreign;
mod function;
mod graph;
pub mod guide;
#[cfg(feature = "include")]
mod included;
mod lower;
#[cfg(feature = "ndarray")]
mod nd;
mod pending;
pub mod random;
#[cfg(feature = "seq")]
mod seq;
mod shape;

pub use acc::{
    Acc, All, Arrays, Boundary, Elementwise, NewAxes, Reader, SliceAxis, Slicing, SortKey, Spread, Strided,
    acond, awhile, enum_from, enum_from_step, fill, generate, izip_with3, izip_with4, izip_with5, izip_with6,
    izip_with7, izip_with8, izip_with9, strided, unit, use_, zip, zip_with, zip_with3, zip_with4, zip_with5,
    zip_with6, zip_with7, zip_with8, zip_with9, zip3, zip4, zip5, zip6, zip7, zip8, zip9,
};
pub use array::{Array, Matrix, Singleton, Vector};
pub use context::{Cancel, Context, Copies, DeviceTraffic, Floats};
pub use elt::{
    Bits, Complex, ComplexExp, Elt, Float, Integer, IntoExp, Num, Operand, OptionExp, Scalar, Signed, V2,
    V2Exp, V3, V3Exp, V4, V4Exp,
};
pub use error::Error;
pub use exp::{Coordinate, Exp, cond, equal, from_index, intersection, less, to_index, union, while_};
#[cfg(feature = "export")]
#[cfg_attr(docsrs, doc(cfg(feature = "export")))]
pub use export::Export;
pub use foreign::{
    DeviceAccess, DeviceArray, DeviceBuffer, DeviceKind, foreign, foreign_cuda, foreign_opencl,
};
pub use function::{Argument, Computation, Function, Input, Output};
pub use half::f16;
pub use pending::Pending;
#[cfg(feature = "seq")]
#[cfg_attr(docsrs, doc(cfg(feature = "seq")))]
pub use seq::{
    Consumer, Consumers, Element, Parts, Progress, Seq, SeqCause, SeqError, SeqIter, Streaming, consume,
    consume_with, open,
};
pub use shape::{
    Dim, Dim0, Dim1, Dim2, Dim3, Dim4, Dim5, Dim6, Dim7, Dim8, Dim9, Extend, Extents, Inner, IntoShape, Shape,
};
pub use warpwise_derive::Elt;
#[cfg(feature = "seq")]
#[cfg_attr(docsrs, doc(cfg(feature = "seq")))]
pub use warpwise_stream::source::{Format, Source, SourceOptions};

/// Declares functions for the entry points of a program in Futhark's language. The file's path is relative to the folder of the
/// crate's `Cargo.toml`.
///
/// ```
/// warpwise::include_fut!("examples/prices.fut");
///
/// let context = warpwise::Context::new()?;
/// let prices = warpwise::Array::try_from(vec![20.0, 30.0, 40.0])?;
/// let found = stats(&context, &prices)?;
/// assert_eq!((found.mean, found.count), (30.0, 3));
/// # Ok::<(), warpwise::Error>(())
/// ```
///
/// The program of this example:
///
/// ```text
#[doc = include_str!("../examples/prices.fut")]
/// ```
///
/// An entry point `f` becomes a function `f` that takes a [`Context`], then its parameters: scalars, tuples, arrays ([`Array`];
/// sizes become ranks), and structs and enums for named records and sum types, which are declared here, too. Consumed parameters
/// are passed by value, and copied only if somebody else holds them. Records without names are tuples. Several results are a
/// tuple.
///
/// Errors in the program are reported when Rust compiles, with the program's file and line. Changed files are recompiled. The
/// executable contains the files and does not need them at run time. A context compiles each program once.
#[cfg(feature = "include")]
#[cfg_attr(docsrs, doc(cfg(feature = "include")))]
pub use warpwise_include::include_fut;

/// Items that generated code uses.
#[doc(hidden)]
pub mod derived {
    pub use crate::elt::{
        ColumnsMut, Values, count, enum_components, enum_fields, enum_load, enum_make, enum_store, split,
    };
    #[cfg(feature = "include")]
    pub use crate::included::{HostValue, Included, SumLayout, not_a_value};
    pub use warpwise_driver::embedded::{Embedded, EmbeddedFile, EmbeddedImport};
    pub use warpwise_prim::{Scalar, ValueType};
    pub use warpwise_runtime::array::{Array as Column, Value as ProgramValue};

    /// Owned iterator over program values.
    pub type ProgramValues = std::vec::IntoIter<ProgramValue>;
}
