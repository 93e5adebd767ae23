//! Compiled functions: their parameters and results, and how they run.

use std::marker::PhantomData;
use std::panic::Location;
use std::sync::Arc;

use warpwise_runtime::array::{Array as Column, Value};

use crate::acc::Acc;
use crate::array::{Array, RawArray, host_memory};
use crate::context::{Context, Prepared};
use crate::elt::{Elt, components};
use crate::error::Error;
use crate::exp::Exp;
use crate::graph::{self, Ref};
use crate::pending::Pending;
use crate::shape::Shape;

/// A parameter of a compiled function: an [`Acc`] or an [`Exp`].
///
/// ```
/// use warpwise::{Acc, Context, Exp, Vector};
///
/// let function = Context::new()?.compile(|x: Exp<i32>, xs: Acc<Vector<i32>>| xs.map(move |y| x + y))?;
/// assert_eq!(function.run(&10, &vec![1, 2].try_into()?)?.to_vec(), [11, 12]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no parameter of a compiled function",
    note = "parameters are `Acc<Array<..>>` and `Exp<..>`"
)]
pub trait Input: Sized {
    /// Type of the argument on the host.
    type Host;

    /// Makes a new parameter.
    #[doc(hidden)]
    fn parameter() -> (Self, Ref);

    /// Appends the program values of an argument.
    #[doc(hidden)]
    fn values(host: &Self::Host, into: &mut Vec<Value>);
}

/// An argument for a parameter `P` of a compiled function: a reference to an array for an [`Acc`], a value of type `E` or a
/// reference to one for an [`Exp<E>`](Exp).
///
/// ```
/// use warpwise::{Acc, Argument, Context, Error, Exp, Function, Vector};
///
/// fn scaled(by: impl Argument<Exp<f32>>) -> Result<Vector<f32>, Error> {
///     let scale = Context::new()?.compile(|xs: Acc<Vector<f32>>, by: Exp<f32>| xs * by)?;
///     scale.run(&Vector::from([1.0, 2.0]), by)
/// }
///
/// assert_eq!(scaled(0.5)?, scaled(&0.5)?);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument for a parameter of type `{P}`",
    note = "a parameter `Acc<Array<..>>` takes an `&Array<..>` of the same type, an `Exp<E>` takes a value of type `E`"
)]
pub trait Argument<P: Input> {
    /// Returns the value on the host.
    #[doc(hidden)]
    fn host(&self) -> &P::Host;
}

impl<Sh: Shape, E: Elt> Argument<Acc<Array<Sh, E>>> for &Array<Sh, E> {
    fn host(&self) -> &Array<Sh, E> {
        self
    }
}

impl<E: Elt> Argument<Exp<E>> for E {
    fn host(&self) -> &E {
        self
    }
}

impl<E: Elt> Argument<Exp<E>> for &E {
    fn host(&self) -> &E {
        self
    }
}

/// The result type of a computation: an [`Acc`], an [`Exp`], or a tuple of those.
///
/// ```
/// use warpwise::{Context, Error, Output, fill};
///
/// fn results<O: Output>(context: &Context, computation: &O) -> Result<O::Host, Error> {
///     context.run(computation)
/// }
///
/// let (size, sum) = results(&Context::new()?, &(fill(3, 2).size(), fill(3, 2).sum()))?;
/// assert_eq!((size, sum.to_vec()), (3, vec![6]));
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no result of a computation",
    note = "results are `Acc<Array<..>>`, `Exp<..>` and tuples of those"
)]
pub trait Output {
    /// Type of the result on the host.
    type Host: Send + 'static;

    /// Appends the nodes of the results.
    #[doc(hidden)]
    fn nodes(&self, into: &mut Vec<Ref>);

    /// Converts the program's values to the host's type.
    #[doc(hidden)]
    fn host(values: &mut std::vec::IntoIter<Value>) -> Result<Self::Host, Error>;

    /// Appends the program values of a host value.
    #[doc(hidden)]
    fn values(host: &Self::Host, into: &mut Vec<Value>);
}

/// A closure from parameters to results, which [`Context::compile`] compiles.
///
/// ```
/// use warpwise::{Acc, Context, Singleton, Vector};
///
/// fn sum(xs: Acc<Vector<i32>>) -> Acc<Singleton<i32>> {
///     xs.sum()
/// }
///
/// assert_eq!(Context::new()?.compile(sum)?.run(&vec![1, 2].try_into()?)?.to_vec(), [3]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no computation",
    note = "write the types of the closure's parameters, `Acc<Array<..>>` or `Exp<..>`"
)]
pub trait Computation<A> {
    /// Type of the results.
    type Result: Output;

    /// Builds the nodes of the parameters and the results.
    #[doc(hidden)]
    fn build(self) -> (Vec<Ref>, Vec<Ref>);
}

/// A compiled function with parameters `A` and results `R`. Threads may share it.
///
/// ```
/// use warpwise::{Acc, Array, Context, Vector};
///
/// let double = Context::cpu()?.compile(|xs: Acc<Vector<i32>>| xs.map(|x| x * 2))?;
/// std::thread::scope(|scope| {
///     for n in 0..4 {
///         let double = &double;
///         scope.spawn(move || {
///             let xs = Array::from_vec([n], vec![1; n])?;
///             assert_eq!(double.run(&xs)?.to_vec(), vec![2; n]);
///             Ok::<(), warpwise::Error>(())
///         });
///     }
/// });
/// # Ok::<(), warpwise::Error>(())
/// ```
pub struct Function<A, R> {
    context: Context,
    program: Arc<Prepared>,
    of: PhantomData<fn(A) -> R>,
}

impl<A, R: Output> Function<A, R> {
    pub(crate) fn new(context: Context, program: Prepared) -> Function<A, R> {
        Function { context, program: Arc::new(program), of: PhantomData }
    }

    fn call(&self, arguments: Vec<Value>) -> Result<R::Host, Error> {
        let values = self.context.call(&self.program, arguments)?;
        R::host(&mut values.into_iter())
    }

    fn call_beside(&self, arguments: Vec<Value>) -> Result<Pending<R::Host>, Error> {
        let (context, program) = (self.context.clone(), Arc::clone(&self.program));
        let run = move || R::host(&mut context.call(&program, arguments)?.into_iter());
        Pending::start(run)
    }
}

impl<A, R> Clone for Function<A, R> {
    fn clone(&self) -> Function<A, R> {
        let (context, program) = (self.context.clone(), Arc::clone(&self.program));
        Function { context, program, of: PhantomData }
    }
}

macro_rules! arities {
    ($($($name:ident $small:ident)*;)*) => { $(
        impl<Closure, Res: Output, $($name: Input),*> Computation<($($name,)*)> for Closure
        where
            Closure: FnOnce($($name),*) -> Res,
        {
            type Result = Res;

            fn build(self) -> (Vec<Ref>, Vec<Ref>) {
                $(let $small = $name::parameter();)*
                let mut results = Vec::new();
                self($($small.0),*).nodes(&mut results);
                (vec![$($small.1),*], results)
            }
        }

        impl<Res: Output, $($name: Input),*> Function<($($name,)*), Res> {
            /// Runs the function and waits for the result.
            ///
            /// ```
            /// use warpwise::{Context, Exp};
            ///
            /// let double = Context::new()?.compile(|x: Exp<i32>| x * 2)?;
            /// assert_eq!(double.run(4)?, 8);
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            pub fn run(&self, $($small: impl Argument<$name>),*) -> Result<Res::Host, Error> {
                #[allow(unused_mut)]
                let mut arguments = Vec::new();
                $(<$name as Input>::values($small.host(), &mut arguments);)*
                self.call(arguments)
            }

            /// Starts the function in the background.
            ///
            /// ```
            /// use warpwise::{Context, Exp};
            ///
            /// let double = Context::new()?.compile(|x: Exp<i32>| x * 2)?;
            /// let (first, second) = (double.start(4)?, double.start(5)?);
            /// assert_eq!((first.wait()?, second.wait()?), (8, 10));
            /// # Ok::<(), warpwise::Error>(())
            /// ```
            pub fn start(&self, $($small: impl Argument<$name>),*) -> Result<Pending<Res::Host>, Error> {
                #[allow(unused_mut)]
                let mut arguments = Vec::new();
                $(<$name as Input>::values($small.host(), &mut arguments);)*
                self.call_beside(arguments)
            }
        }
    )* };
}

arities! {
    ;
    A a;
    A a B b;
    A a B b C c;
    A a B b C c D d;
    A a B b C c D d E e;
    A a B b C c D d E e F f;
    A a B b C c D d E e F f G g;
    A a B b C c D d E e F f G g H h;
}

impl<Sh: Shape, E: Elt> Input for Acc<Array<Sh, E>> {
    type Host = Array<Sh, E>;

    fn parameter() -> (Self, Ref) {
        let node = graph::parameter(Acc::<Array<Sh, E>>::ty(), Location::caller());
        (Acc::of(node.clone()), node)
    }

    fn values(host: &Array<Sh, E>, into: &mut Vec<Value>) {
        values_of(host.raw(), into);
    }
}

impl<E: Elt> Input for Exp<E> {
    type Host = E;

    fn parameter() -> (Self, Ref) {
        let node = graph::parameter(Exp::<E>::ty(), Location::caller());
        (Exp::of_node(node.clone()), node)
    }

    fn values(host: &E, into: &mut Vec<Value>) {
        let mut values = Vec::new();
        host.store(&mut values);
        into.extend(components::<E>().iter().zip(values).map(|(ty, value)| Value::scalar(*ty, value)));
    }
}

impl<Sh: Shape, E: Elt> Output for Acc<Array<Sh, E>> {
    type Host = Array<Sh, E>;

    fn values(host: &Array<Sh, E>, into: &mut Vec<Value>) {
        values_of(host.raw(), into);
    }

    fn nodes(&self, into: &mut Vec<Ref>) {
        into.push(self.node());
    }

    fn host(values: &mut std::vec::IntoIter<Value>) -> Result<Array<Sh, E>, Error> {
        let types = components::<E>();
        let mut columns = Vec::with_capacity(types.len());
        for value in values.by_ref().take(types.len()) {
            columns.push(match value {
                Value::Array { array, .. } => array,
                Value::Scalar { value, .. } => {
                    let mut column = Column::allocate(host_memory(), value.ty(), &[])?;
                    let bytes = column.bytes_mut(host_memory())?;
                    let width = bytes.len();
                    bytes.copy_from_slice(&value.to_bits().to_le_bytes()[..width]);
                    column
                }
            });
        }
        let shape = columns.first().map(|column| column.shape().to_vec());
        match shape {
            Some(shape) if columns.len() == types.len() => {
                Ok(Array::from_raw(RawArray { shape, types, columns }))
            }
            Some(_) | None => Err(Error::Internal("a result is missing".to_string())),
        }
    }
}

impl<E: Elt> Output for Exp<E> {
    type Host = E;

    fn values(host: &E, into: &mut Vec<Value>) {
        <Exp<E> as Input>::values(host, into);
    }

    fn nodes(&self, into: &mut Vec<Ref>) {
        into.push(self.node());
    }

    fn host(values: &mut std::vec::IntoIter<Value>) -> Result<E, Error> {
        let scalars: Vec<warpwise_prim::Scalar> = values
            .by_ref()
            .take(components::<E>().len())
            .filter_map(|value| match value {
                Value::Scalar { value, .. } => Some(value),
                Value::Array { .. } => None,
            })
            .collect();
        E::load(&mut scalars.iter())
            .ok_or_else(|| Error::Check("a result is no value of its type".to_string()))
    }
}

macro_rules! tuples {
    ($($($name:ident $at:tt)*;)*) => { $(
        impl<$($name: Output),*> Output for ($($name,)*) {
            type Host = ($($name::Host,)*);

            fn nodes(&self, into: &mut Vec<Ref>) {
                $(self.$at.nodes(into);)*
            }

            fn host(values: &mut std::vec::IntoIter<Value>) -> Result<Self::Host, Error> {
                Ok(($($name::host(values)?,)*))
            }

            fn values(host: &Self::Host, into: &mut Vec<Value>) {
                $($name::values(&host.$at, into);)*
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
    A 0 B 1 C 2 D 3 E 4 F 5 G 6;
    A 0 B 1 C 2 D 3 E 4 F 5 G 6 H 7;
}

/// Appends the program values of an array; an array of rank 0 becomes one scalar per component.
pub(crate) fn values_of(array: &RawArray, into: &mut Vec<Value>) {
    for (column, ty) in array.columns.iter().zip(&array.types) {
        match column.element(0) {
            Some(value) if array.shape.is_empty() => into.push(Value::scalar(*ty, value)),
            Some(_) | None => into.push(Value::array(*ty, column.clone())),
        }
    }
}
