//! Scalar expressions.
//!
//! An [`Exp<E>`] computes one element of type `E`. It is a copyable handle: a subexpression that two expressions share is
//! computed once. Reading order: this file, [`ops`] (operators), [`integer`], [`float`], [`compare`], [`mod@equal`], [`convert`],
//! [`index`], [`control`].

mod compare;
mod control;
mod convert;
mod equal;
mod float;
mod index;
mod integer;
mod ops;

use std::fmt;
use std::marker::PhantomData;
use std::panic::Location;

use warpwise_prim::{BinaryOp, TernaryOp, UnaryOp};

use crate::elt::{Elt, IntoExp, Operand, components};
use crate::graph::{self, Op, Ref, Ty};

pub use control::{cond, while_};
pub(crate) use control::{function1, function2};
pub use equal::{equal, less};
pub use index::{Coordinate, from_index, intersection, to_index, union};

/// A scalar expression of type `E`.
///
/// Expressions come from the parameters of closures, from constants, and from arrays ([`Acc::size`](crate::Acc::size),
/// [`Acc::reader`](crate::Acc::reader)). They are combined by Rust's operators and by methods named like those of Rust's numbers.
///
/// ```
/// use warpwise::{Context, Exp, unit};
///
/// let x = Exp::constant(3.0_f32);
/// let y = 2.0 * x + 1.0;
/// assert_eq!(Context::cpu()?.run(&y)?, 7.0);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Exp<E> {
    handle: u64,
    element: PhantomData<fn() -> E>,
}

impl<E> Clone for Exp<E> {
    fn clone(&self) -> Exp<E> {
        *self
    }
}

impl<E> Copy for Exp<E> {}

impl<E> fmt::Debug for Exp<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Exp<{}>", std::any::type_name::<E>())
    }
}

impl<E: Elt> Exp<E> {
    /// Makes a constant.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// assert_eq!(Context::cpu()?.run(&Exp::constant((1_u8, true)))?, (1, true));
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn constant(value: E) -> Exp<E> {
        let mut values = Vec::new();
        value.store(&mut values);
        Exp::make(Op::Constant(values), Vec::new(), Vec::new())
    }

    /// Returns the value's view: the parts of a tuple, the fields of a struct.
    ///
    /// ```
    /// use warpwise::{Context, Exp};
    ///
    /// let (x, y) = Exp::constant((1_i32, 2_i32)).view();
    /// assert_eq!(Context::cpu()?.run(&(x + y))?, 3);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    pub fn view(self) -> E::View {
        E::view(self)
    }

    /// Concatenates the components of the parts.
    #[doc(hidden)]
    #[track_caller]
    pub fn join(parts: Vec<Ref>) -> Exp<E> {
        Exp::make(Op::Join, parts, Vec::new())
    }

    /// Returns the part of the element that starts at this component.
    #[doc(hidden)]
    #[track_caller]
    pub fn part<T: Elt>(self, start: usize) -> Exp<T> {
        Exp::make(Op::Part(start), vec![self.node()], Vec::new())
    }

    /// Returns the node that the handle refers to.
    #[doc(hidden)]
    #[track_caller]
    pub fn node(self) -> Ref {
        let place = Location::caller();
        graph::find(self.handle).unwrap_or_else(|| {
            let message = "an expression is used outside of the function, or on another thread than, it was made in, \
                           or after the arrays that it reads are gone";
            graph::invalid(message, Exp::<E>::ty(), place)
        })
    }

    /// Makes a handle of a node.
    pub(crate) fn of_node(node: Ref) -> Exp<E> {
        Exp { handle: graph::register(node), element: PhantomData }
    }

    #[track_caller]
    pub(crate) fn make(op: Op, inputs: Vec<Ref>, functions: Vec<graph::Function>) -> Exp<E> {
        Exp::of_node(graph::node(op, inputs, functions, Exp::<E>::ty()))
    }

    pub(crate) fn ty() -> Ty {
        Ty::Scalars(components::<E>().into())
    }

    #[track_caller]
    pub(crate) fn unary(self, op: UnaryOp) -> Exp<E> {
        Exp::make(Op::Unary(op), vec![self.node()], Vec::new())
    }

    #[track_caller]
    pub(crate) fn binary(self, op: BinaryOp, other: Exp<E>) -> Exp<E> {
        Exp::make(Op::Binary(op), vec![self.node(), other.node()], Vec::new())
    }

    #[track_caller]
    pub(crate) fn ternary(self, op: TernaryOp, y: Exp<E>, z: Exp<E>) -> Exp<E> {
        Exp::make(Op::Ternary(op), vec![self.node(), y.node(), z.node()], Vec::new())
    }
}

impl<E: Elt> IntoExp for Exp<E> {
    type Elt = E;

    fn into_exp(self) -> Exp<E> {
        self
    }
}

impl<E: Elt> Operand<E> for Exp<E> {
    fn operand(self) -> Exp<E> {
        self
    }
}
