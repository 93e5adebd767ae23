//! Array computations.
//!
//! An [`Acc<Array<Sh, E>>`] stands for an array that a program computes. Its methods are the collective operations: each applies
//! scalar functions, given as closures on expressions, to all elements at once. They are grouped by purpose: [`construct`],
//! [`elementwise`], [`fold`], [`scan`], [`segmented`], [`view`] (shapes and parts), [`permute`], [`filter`], [`stencil`],
//! [`mod@sort`], [`group`], [`control`]; [`ops`] has Rust's operators, [`numbers`] functions of numbers, and [`summaries`] common
//! operations under the names of other libraries.
//!
//! A scalar closure cannot use an `Acc`: it may only read an array's elements through a [`Reader`] made outside the closure. So
//! no collective operation can be nested in a scalar function, which the type checker enforces.

// An operation's full result type is clearest in its signature.
#![allow(clippy::type_complexity)]

mod construct;
mod control;
mod digits;
mod elementwise;
mod filter;
mod fold;
mod group;
mod numbers;
mod ops;
mod permute;
mod scan;
mod segmented;
mod slices;
mod sort;
mod stencil;
mod summaries;
mod view;

use std::fmt;
use std::marker::PhantomData;
use std::rc::Rc;

use crate::array::Array;
use crate::elt::{Elt, Operand, components};
use crate::exp::Exp;
use crate::graph::{self, Function, Op, Ref, Ty};
use crate::shape::{IntoShape, Shape};

pub use construct::{enum_from, enum_from_step, fill, generate, unit, use_};
pub use control::{Arrays, acond, awhile};
pub(crate) use control::{gathered, separated};
pub use elementwise::{
    izip_with3, izip_with4, izip_with5, izip_with6, izip_with7, izip_with8, izip_with9, zip, zip_with,
    zip_with3, zip_with4, zip_with5, zip_with6, zip_with7, zip_with8, zip_with9, zip3, zip4, zip5, zip6,
    zip7, zip8, zip9,
};
pub use ops::{Elementwise, Spread};
pub use slices::{All, NewAxes, SliceAxis, Slicing, Strided, strided};
pub use sort::{Digits, SortKey};
pub use stencil::Boundary;

/// A computation that yields an array. An `Acc<Array<Sh, E>>` is a collective computation, while an [`Exp`] is a scalar one.
///
/// Cloning makes another handle of the same computation. A computation with several uses is computed once.
///
/// ```
/// use warpwise::{Array, Context, use_};
///
/// let xs = use_(&Array::from_vec([4], vec![1.0_f32, 2.0, 3.0, 4.0])?);
/// let ys = xs.map(|x| x * 2.0 + 1.0);
/// let sum = xs.zip_with(&ys, |x, y| x * y).sum();
/// assert_eq!(Context::cpu()?.run(&sum)?.to_vec(), [70.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Acc<A> {
    /// Stands first, so that the compiler names it when a scalar function captures an `Acc`.
    scalar_functions: PhantomData<dyn MakeAReaderOutsideOfTheClosure>,
    node: Ref,
    array: PhantomData<fn() -> A>,
}

/// Advice in the compiler's message for an array in a scalar function: `xs.reader()` can be used there.
trait MakeAReaderOutsideOfTheClosure {}

/// A reader of an array's elements in scalar functions.
///
/// ```
/// use warpwise::{Array, Context, use_};
///
/// let table = use_(&Array::from_vec([3], vec![10, 20, 30])?).reader();
/// let places = use_(&Array::from_vec([4], vec![2_i64, 0, 1, 2])?);
/// assert_eq!(Context::cpu()?.run(&places.map(move |i| table.at(i)))?.to_vec(), [30, 10, 20, 30]);
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Reader<Sh, E> {
    /// An expression whose node is the array itself.
    array: Exp<E>,
    shape: PhantomData<fn() -> Sh>,
}

impl<A> Clone for Acc<A> {
    fn clone(&self) -> Acc<A> {
        Acc::of(Rc::clone(&self.node))
    }
}

impl<A> fmt::Debug for Acc<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Acc<{}>", std::any::type_name::<A>())
    }
}

impl<Sh, E> Clone for Reader<Sh, E> {
    fn clone(&self) -> Reader<Sh, E> {
        *self
    }
}

impl<Sh, E> Copy for Reader<Sh, E> {}

impl<A> Acc<A> {
    pub(crate) fn node(&self) -> Ref {
        Rc::clone(&self.node)
    }

    pub(crate) fn of(node: Ref) -> Acc<A> {
        Acc { scalar_functions: PhantomData, node, array: PhantomData }
    }
}

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    #[track_caller]
    pub(crate) fn make(op: Op, inputs: Vec<Ref>, functions: Vec<Function>) -> Acc<Array<Sh, E>> {
        Acc::of(graph::node(op, inputs, functions, Acc::<Array<Sh, E>>::ty()))
    }

    pub(crate) fn ty() -> Ty {
        Ty::of_array(Sh::RANK, components::<E>().into())
    }

    /// Returns the extents, outermost first.
    ///
    /// ```
    /// use warpwise::{Context, Dim2, fill};
    ///
    /// let (n, m) = fill((2, 3), 1.0_f32).extents();
    /// assert_eq!(Context::cpu()?.run(&(n * 10 + m))?, 23);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn extents(&self) -> <Sh::Index as Elt>::View {
        self.extents_exp().view()
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// assert_eq!(Context::new()?.run(&fill((2, 3), 1.0).size())?, 6);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn size(&self) -> Exp<i64> {
        product(self.extents_exp(), Sh::RANK)
    }

    /// Returns whether there are no elements.
    ///
    /// ```
    /// use warpwise::{Context, fill};
    ///
    /// assert_eq!(Context::new()?.run(&fill((2, 0), 1.0).is_empty())?, true);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn is_empty(&self) -> Exp<bool> {
        self.size().eq(0)
    }

    /// Returns a reader of the elements for scalar functions.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let table = enum_from(3, 10).reader();
    /// assert_eq!(Context::new()?.run(&enum_from(2, 0_i64).map(|i| table.at(2 - i)))?.to_vec(), [12, 11]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn reader(&self) -> Reader<Sh, E> {
        Reader { array: Exp::of_node(self.node()), shape: PhantomData }
    }

    /// Returns the element at an index, whose bounds are checked at run time. The index is a tuple or an array with one
    /// coordinate per dimension.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let last = enum_from(5, 10_i32).at(4);
    /// assert_eq!(Context::cpu()?.run(&last)?, 14);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn at(&self, index: impl IntoShape<Shape = Sh>) -> E::View {
        at::<Sh::Index, E>(self.node(), index.into_extents(), false)
    }

    #[track_caller]
    pub(crate) fn extents_exp(&self) -> Exp<Sh::Index> {
        Exp::make(Op::Extents, vec![self.node()], Vec::new())
    }
}

impl<E: Elt> Acc<Array<crate::Dim0, E>> {
    /// Returns the one element.
    ///
    /// ```
    /// use warpwise::{Array, Context, use_};
    ///
    /// let xs = use_(&Array::from_vec([2], vec![1.0, 3.0])?);
    /// let total = xs.sum().the();
    /// assert_eq!(Context::cpu()?.run(&xs.map(|x| x / total))?.to_vec(), [0.25, 0.75]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn the(&self) -> E::View {
        at::<(), E>(self.node(), Exp::join(Vec::new()), true)
    }
}

impl<Sh: Shape, E: Elt> Reader<Sh, E> {
    /// Returns the element at an index, whose bounds are checked at run time.
    ///
    /// ```
    /// use warpwise::{Context, enum_from, generate};
    ///
    /// let xs = enum_from(3, 5).reader();
    /// let differences = generate(2, |i| xs.at(i + 1) - xs.at(i));
    /// assert_eq!(Context::new()?.run(&differences)?.to_vec(), [1, 1]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn at(self, index: impl IntoShape<Shape = Sh>) -> E::View {
        at::<Sh::Index, E>(self.array.node(), index.into_extents(), false)
    }

    /// Returns the extents of the array, outermost first.
    ///
    /// ```
    /// use warpwise::{Context, fill, generate};
    ///
    /// let (n, m) = fill((2, 3), true).reader().extents();
    /// assert_eq!(Context::new()?.run(&generate(2, |i| i * m + n))?.to_vec(), [2, 5]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn extents(self) -> <Sh::Index as Elt>::View {
        Exp::<Sh::Index>::make(Op::Extents, vec![self.array.node()], Vec::new()).view()
    }

    /// Returns the element at an index that is in bounds by construction.
    #[track_caller]
    pub(crate) fn at_in_bounds(self, index: impl Operand<Sh::Index>) -> E::View {
        at::<Sh::Index, E>(self.array.node(), index.operand(), true)
    }
}

#[track_caller]
fn at<I: Elt, E: Elt>(array: Ref, index: Exp<I>, in_bounds: bool) -> E::View {
    Exp::<E>::make(Op::At { in_bounds }, vec![array, index.node()], Vec::new()).view()
}

/// Returns the product of the first `rank` components of an index.
#[track_caller]
fn product<I: Elt>(index: Exp<I>, rank: usize) -> Exp<i64> {
    (0..rank)
        .map(|dimension| index.part::<i64>(dimension))
        .fold(Exp::constant(1), |size, extent| size * extent)
}

/// Returns the components of an index.
#[track_caller]
fn dimensions<I: Elt>(index: Exp<I>, rank: usize) -> Vec<Exp<i64>> {
    (0..rank).map(|dimension| index.part::<i64>(dimension)).collect()
}

/// Makes an index from its components.
#[track_caller]
fn index_of<I: Elt>(dimensions: &[Exp<i64>]) -> Exp<I> {
    Exp::join(dimensions.iter().map(|dimension| dimension.node()).collect())
}
