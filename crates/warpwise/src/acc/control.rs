//! Choices between and loops over whole arrays.

use std::fmt;
use std::panic::Location;

use smallvec::SmallVec;
use warpwise_runtime::device::array::Placed;

use super::Acc;
use crate::array::Array;
use crate::elt::{Elt, IntoExp, Operand};
use crate::error::Error;
use crate::foreign::{DeviceAccess, DeviceArray, DeviceKind, foreign};
use crate::graph::{self, ArrayTy, Function, Op, Ref, Ty};
use crate::shape::Shape;

/// One or several arrays: an [`Acc`], or a tuple of those.
///
/// ```
/// use warpwise::{Context, Arrays, enum_from};
///
/// fn twice<A: Arrays>(arrays: &A, step: impl Fn(A) -> A) -> A {
///     step(step(arrays.clone()))
/// }
///
/// assert_eq!(Context::new()?.run(&twice(&enum_from(2, 1), |xs| xs.map(|x| x * 3)))?.to_vec(), [9, 18]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(message = "`{Self}` is no array computation, nor a tuple of those")]
pub trait Arrays: Clone {
    /// Appends the types of the arrays.
    #[doc(hidden)]
    fn types(into: &mut Vec<ArrayTy>);

    /// Appends the nodes of the arrays.
    #[doc(hidden)]
    fn nodes(&self, into: &mut Vec<Ref>);

    /// Makes handles from nodes.
    #[doc(hidden)]
    fn of_nodes(nodes: &mut std::vec::IntoIter<Ref>) -> Option<Self>;

    /// Argument or result type of a foreign function that works in a device's memory: a [`DeviceArray`], or a tuple of those.
    type OnDevice;

    /// Takes program values as arrays on the device.
    #[doc(hidden)]
    fn resident(
        values: &mut std::vec::IntoIter<Placed>,
        access: &DeviceAccess,
    ) -> Result<Self::OnDevice, Error>;

    /// Appends arrays on the device as program values.
    #[doc(hidden)]
    fn placed(arrays: &Self::OnDevice, access: &DeviceAccess, into: &mut Vec<Placed>) -> Result<(), Error>;
}

impl<Sh: Shape, E: Elt> Arrays for Acc<Array<Sh, E>> {
    fn types(into: &mut Vec<ArrayTy>) {
        into.extend(Acc::<Array<Sh, E>>::ty().array().cloned());
    }

    fn nodes(&self, into: &mut Vec<Ref>) {
        into.push(self.node());
    }

    fn of_nodes(nodes: &mut std::vec::IntoIter<Ref>) -> Option<Self> {
        nodes.next().map(Acc::of)
    }

    type OnDevice = DeviceArray<Sh, E>;

    fn resident(
        values: &mut std::vec::IntoIter<Placed>,
        access: &DeviceAccess,
    ) -> Result<Self::OnDevice, Error> {
        DeviceArray::of_values(values, access)
    }

    fn placed(array: &Self::OnDevice, access: &DeviceAccess, into: &mut Vec<Placed>) -> Result<(), Error> {
        array.values(access, into)
    }
}

macro_rules! tuples {
    ($($($name:ident $at:tt)*;)*) => { $(
        impl<$($name: Arrays),*> Arrays for ($($name,)*) {
            fn types(into: &mut Vec<ArrayTy>) {
                $($name::types(into);)*
            }

            fn nodes(&self, into: &mut Vec<Ref>) {
                $(self.$at.nodes(into);)*
            }

            fn of_nodes(nodes: &mut std::vec::IntoIter<Ref>) -> Option<Self> {
                Some(($($name::of_nodes(nodes)?,)*))
            }

            type OnDevice = ($($name::OnDevice,)*);

            fn resident(
                values: &mut std::vec::IntoIter<Placed>,
                access: &DeviceAccess,
            ) -> Result<Self::OnDevice, Error> {
                Ok(($($name::resident(values, access)?,)*))
            }

            fn placed(
                arrays: &Self::OnDevice,
                access: &DeviceAccess,
                into: &mut Vec<Placed>,
            ) -> Result<(), Error> {
                $($name::placed(&arrays.$at, access, into)?;)*
                Ok(())
            }
        }
    )* };
}

tuples! {
    A 0;
    A 0 B 1;
    A 0 B 1 C 2;
    A 0 B 1 C 2 D 3;
    A 0 B 1 C 2 D 3 E 4;
    A 0 B 1 C 2 D 3 E 4 F 5;
}

/// Returns the arrays of `then` if the condition holds, else those of `otherwise`; only the chosen side is computed.
///
/// ```
/// use warpwise::{Context, Exp, acond, enum_from, fill};
///
/// let n = Exp::constant(3);
/// let xs = acond(n.gt(2), &enum_from(n, 1), &fill(1, 0));
/// assert_eq!(Context::cpu()?.run(&xs)?.to_vec(), [1, 2, 3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn acond<A: Arrays>(condition: impl Operand<bool>, then: &A, otherwise: &A) -> A {
    let inputs = vec![condition.operand().node(), gathered(then), gathered(otherwise)];
    separated(graph::node(Op::Choose, inputs, Vec::new(), ty::<A>()), then)
}

/// Applies `step` as long as `condition` holds for the arrays, whose extents may change.
///
/// ```
/// use warpwise::{Context, awhile, enum_from};
///
/// // Halve the array until one element is left.
/// let last = awhile(&enum_from(8, 1), |xs| xs.size().gt(1), |xs| {
///     let half = xs.size() / 2;
///     xs.take(half).zip_with(&xs.skip(half), |x, y| x + y)
/// });
/// assert_eq!(Context::cpu()?.run(&last)?.to_vec(), [36]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn awhile<A: Arrays, C: IntoExp<Elt = bool>>(
    initial: &A,
    condition: impl FnOnce(A) -> C,
    step: impl FnOnce(A) -> A,
) -> A {
    let functions = vec![
        function(initial, |arrays| condition(arrays).into_exp().node()),
        function(initial, |arrays| gathered(&step(arrays))),
    ];
    separated(graph::node(Op::While, vec![gathered(initial)], functions, ty::<A>()), initial)
}

impl<Sh: Shape, E: Elt> Acc<Array<Sh, E>> {
    /// Applies a function of arrays to this array, which is computed first, so that no operation is fused across the boundary.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(3, 1).then(|xs| xs.map(|x| x * x)).sum();
    /// assert_eq!(Context::cpu()?.run(&xs)?.to_vec(), [14]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn then<A: Arrays>(&self, f: impl FnOnce(Self) -> A) -> A {
        f(self.compute())
    }
}

impl<Sh: Shape, E: Elt + fmt::Debug> Acc<Array<Sh, E>> {
    /// Prints this array to the standard error output when it is computed. Within loops nothing is printed.
    ///
    /// ```
    /// use warpwise::{Context, enum_from};
    ///
    /// let xs = enum_from(3, 1).trace("numbers").map(|x| x * x);
    /// assert_eq!(Context::cpu()?.run(&xs)?.to_vec(), [1, 4, 9]);
    /// # Ok::<(), warpwise::Error>(())
    /// ```
    #[track_caller]
    pub fn trace(&self, label: &'static str) -> Acc<Array<Sh, E>> {
        let print = move |array: Array<Sh, E>| {
            eprintln!("{label}: {array:?}");
            Ok(array)
        };
        foreign(DeviceKind::Cpu, label, print, self, |array| {
            foreign(DeviceKind::OpenCl, label, print, &array, |array| {
                foreign(DeviceKind::Cuda, label, print, &array, |array| {
                    foreign(DeviceKind::Interpreter, label, print, &array, |array| array)
                })
            })
        })
    }
}

fn ty<A: Arrays>() -> Ty {
    let mut types = Vec::new();
    A::types(&mut types);
    Ty::Arrays(types.into())
}

/// Makes one node of several arrays.
#[track_caller]
pub(crate) fn gathered<A: Arrays>(arrays: &A) -> Ref {
    let mut nodes = Vec::new();
    arrays.nodes(&mut nodes);
    graph::node(Op::Gather, nodes, Vec::new(), ty::<A>())
}

/// Returns handles of a node's arrays. The fallback `like` is unreachable, because the types always match.
#[track_caller]
pub(crate) fn separated<A: Arrays>(whole: Ref, like: &A) -> A {
    let mut types = Vec::new();
    A::types(&mut types);
    let part = |(at, ty): (usize, ArrayTy)| {
        graph::node(Op::Group(at), vec![whole.clone()], Vec::new(), Ty::Arrays(SmallVec::from_iter([ty])))
    };
    let parts: Vec<Ref> = types.into_iter().enumerate().map(part).collect();
    A::of_nodes(&mut parts.into_iter()).unwrap_or_else(|| like.clone())
}

/// Turns a closure on arrays into a function.
#[track_caller]
fn function<A: Arrays>(like: &A, f: impl FnOnce(A) -> Ref) -> Function {
    let place = Location::caller();
    graph::scope(|| {
        let param = graph::parameter(ty::<A>(), place);
        let result = f(separated(param.clone(), like));
        Function { params: vec![param], result }
    })
}
