//! Foreign functions: host code in the middle of a program (papers/004, section 6.1).

use std::any::Any;
use std::error::Error as StdError;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use warpwise_runtime::array::Value;

use crate::acc::Arrays;
use crate::error::Error;
use crate::function::Output;
use crate::graph::{self, Op, Ref, Ty};

/// A kind of device.
///
/// ```
/// use warpwise::{Context, DeviceKind};
///
/// assert_eq!(Context::interpreter().kind(), DeviceKind::Interpreter);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The cores of the CPU, whose memory is the host's.
    Cpu,
    /// An OpenCL device; the function gets arrays copied to the host.
    OpenCl,
    /// A CUDA device; the function gets arrays copied to the host.
    Cuda,
    /// The reference interpreter, for which there are no foreign functions but those made for it.
    Interpreter,
}

/// A function of the host without its Rust type.
#[derive(Clone)]
pub struct Native {
    /// What it is for.
    pub device: DeviceKind,
    /// What to call it in messages.
    pub name: &'static str,
    /// From the arguments to the results.
    pub call: Arc<Call>,
}

type Call = dyn Fn(Vec<Value>) -> Result<Vec<Value>, Error> + Send + Sync;

/// Calls a function of the host on arrays where the program runs on this kind of device, and does what `elsewhere` says on others.
///
/// The function gets the arrays as they lie in memory: nothing is copied. Where it depends on the state of a loop, `elsewhere` is done
/// on every device. An error or a panic of the function is an error of the run. It may be called although only one side of a choice needs its result. `elsewhere` may call another foreign function, for another kind of device.
///
/// ```
/// use warpwise::{Acc, Array, Context, DeviceKind, Vector, foreign};
///
/// fn dot(xs: &Acc<Vector<f64>>, ys: &Acc<Vector<f64>>) -> Acc<warpwise::Singleton<f64>> {
///     let arguments = (xs.clone(), ys.clone());
///     foreign(
///         DeviceKind::Cpu,
///         "dot",
///         |(xs, ys): (Vector<f64>, Vector<f64>)| {
///             let sum = xs.as_slice().iter().zip(ys.as_slice()).map(|(x, y)| x * y).sum();
///             Ok(Array::from_vec([], vec![sum])?)
///         },
///         &arguments,
///         |(xs, ys)| xs.zip_with(&ys, |x, y| x * y).sum(),
///     )
/// }
///
/// let function = |xs: Acc<Vector<f64>>| dot(&xs.map(|x| x + 1.0), &xs).map(|sum| sum * 2.0);
/// let xs = Array::from_vec([2], vec![1.0, 2.0])?;
/// assert_eq!(Context::cpu()?.compile(function)?.run(&xs)?.to_vec(), [16.0]);
/// assert_eq!(Context::interpreter().compile(function)?.run(&xs)?.to_vec(), [16.0]);
/// # Ok::<(), warpwise::Error>(())
/// ```
#[track_caller]
pub fn foreign<A: Arrays + Output, R: Arrays + Output>(
    device: DeviceKind,
    name: &'static str,
    function: impl Fn(A::Host) -> Result<R::Host, Box<dyn StdError + Send + Sync>> + Send + Sync + 'static,
    arguments: &A,
    elsewhere: impl FnOnce(A) -> R,
) -> R {
    let call = move |values: Vec<Value>| {
        let host = A::host(&mut values.into_iter())?;
        // Only what it captures could be seen half done, and that is its own affair.
        let result = catch_unwind(AssertUnwindSafe(|| function(host)))
            .map_err(|panic| Error::Foreign(format!("{name}: panicked{}", words_of(panic.as_ref()))))?
            .map_err(|error| Error::Foreign(format!("{name}: {error}")))?;
        let mut values = Vec::new();
        R::values(&result, &mut values);
        Ok(values)
    };
    let native = Native { device, name, call: Arc::new(call) };
    let otherwise = elsewhere(arguments.clone());
    let inputs = vec![crate::acc::gathered(arguments), crate::acc::gathered(&otherwise)];
    let ty = inputs[1].ty.clone();
    crate::acc::separated(graph::node(Op::Foreign(native), inputs, Vec::new(), ty), &otherwise)
}

/// What a panic says, if it is words.
fn words_of(panic: &(dyn Any + Send)) -> String {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    words.map_or(String::new(), |words| format!(": {words}"))
}

/// How many values of a program a node is.
pub(crate) fn width(node: &Ref) -> usize {
    match &node.ty {
        Ty::Scalars(components) => components.len(),
        Ty::Arrays(arrays) => arrays.iter().map(|array| array.components.len()).sum(),
    }
}

impl PartialEq for Native {
    fn eq(&self, other: &Native) -> bool {
        self.device == other.device && self.name == other.name && Arc::ptr_eq(&self.call, &other.call)
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {:?}", self.name, self.device)
    }
}
