//! Data-parallel arrays in Rust: array programs written as Rust expressions, checked by Rust's types, compiled while the
//! program runs for every core and every vector lane of the machine.
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
//! # Two kinds of computations
//!
//! An [`Acc<Array<Sh, E>>`](Acc) is a *collective* computation: it yields an array of shape `Sh` ([`Dim1`] for vectors, [`Dim2`] for
//! matrices, ...) with elements of type `E`. An [`Exp<E>`](Exp) is a *scalar* computation: it yields one element. Collective
//! operations such as [`map`](Acc::map), [`fold`](Acc::fold) and [`scan`](Acc::scan) apply scalar functions, written as closures on
//! expressions, to all elements at once. Nothing is computed when a program is put together; [`Context::run`] computes a result, and
//! [`Context::compile`] makes a typed function of a closure, to be run any number of times, from any thread, on arrays of any
//! extents, without compiling again.
//!
//! Parallelism is not nested: a closure of scalars cannot use an `Acc`, and the type checker says so.
//!
//! ```compile_fail
//! use warpwise::{Context, enum_from};
//!
//! let xs = enum_from(4, 1.0_f32);
//! let ys = xs.map(|x| x / xs.sum().the()); // an `Acc` in a scalar function
//! # Ok::<(), warpwise::Error>(())
//! ```
//!
//! A scalar may come from an array that is computed before, and elements may be read through a [`Reader`]:
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
//! Elements are scalars, tuples, arrays `[T; N]`, [`Complex`] numbers, and structs and enums with `#[derive(Elt)]` ([`Elt`]). What
//! a closure gets is the element's *view*: an `Exp` for a scalar, a tuple of expressions for a tuple, a struct of expressions
//! `ParticleExp` for a struct `Particle`, so that parts are simply there. What it yields may be an expression, a view, a
//! constant, or a tuple of those. On the machine there is an array per scalar component.
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
//! Expressions have Rust's operators, with constants on either side, and methods named as those of Rust's numbers. Comparisons are methods
//! ([`lt`](Exp::lt), [`eq`](Exp::eq), ...), since Rust's operators must give `bool`. Choices are made by [`cond`], loops by [`while_`] and
//! [`iterate`](Exp::iterate), conversions by [`cast`](Exp::cast). Integers wrap. An integer division by zero, an index out of bounds
//! and the like are errors of the run ([`Error::Check`]) that name the line of the Rust program.
//!
//! # Sharing and fusion
//!
//! What a Rust variable holds is computed once, however often it is used: handles are shared, not programs repeated. An operation
//! whose result one other operation takes, element by element, becomes part of that operation, and no array is made in between;
//! [`compute`](Acc::compute) prevents that. [`Context::show`] prints the program that comes out.
//!
//! # Memory
//!
//! Arrays of the host ([`Array`]) lie in the memory that programs use: [`use_`] and parameters copy nothing, and results are not copied either.
//! Scalar expressions made outside all closures are remembered, with the arrays they mention, until their thread ends.
//!
//! # Rust version
//!
//! Rust 1.89 or later.

extern crate self as warpwise;

mod acc;
mod array;
mod context;
mod elt;
mod error;
mod exp;
mod foreign;
mod function;
mod graph;
mod lower;
mod shape;

pub use acc::{
    Acc, All, Arrays, Boundary, Reader, Slicing, acond, awhile, enum_from, enum_from_step, fill, generate,
    unit, use_, zip, zip_with, zip_with3, zip_with4, zip_with5, zip3, zip4,
};
pub use array::{Array, Matrix, Singleton, Vector};
pub use context::Context;
pub use elt::{
    Bits, Complex, ComplexExp, Elt, Float, Integer, IntoExp, Num, Operand, OptionExp, Scalar, Signed,
};
pub use error::Error;
pub use exp::{Exp, cond, while_};
pub use foreign::{DeviceKind, foreign};
pub use function::{Computation, Function, Input, Output, Pending};
pub use half::f16;
pub use shape::{Dim, Dim0, Dim1, Dim2, Dim3, Dim4, Dim5, Dim6, Extend, Extents, Inner, IntoShape, Shape};
pub use warpwise_derive::Elt;

/// What derived code uses.
#[doc(hidden)]
pub mod derived {
    pub use crate::elt::{Values, count, enum_components, enum_fields, enum_load, enum_make, enum_store};
    pub use warpwise_prim::{Scalar, ValueType};
}
