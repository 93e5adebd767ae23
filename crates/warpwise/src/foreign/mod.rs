//! Foreign functions: other code in the middle of a program (papers/004, section 6.1), which works on arrays of the host
//! or where a device's arrays lie ([`device`]).

mod device;

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

use device::DeviceCall;
pub use device::{DeviceAccess, DeviceArray, DeviceBuffer, foreign_cuda, foreign_opencl};

/// A kind of device.
///
/// ```
/// use warpwise::{Context, DeviceKind};
///
/// assert_eq!(Context::interpreter().kind(), DeviceKind::Interpreter);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum DeviceKind {
    /// The cores of the CPU, whose memory is the host's.
    Cpu,
    /// An OpenCL device.
    OpenCl,
    /// A CUDA device.
    Cuda,
    /// The reference interpreter, for which there are no foreign functions but those made for it.
    Interpreter,
}

impl DeviceKind {
    /// Whether it computes in the host's memory.
    #[cfg(feature = "seq")]
    pub(crate) fn is_host(self) -> bool {
        match self {
            DeviceKind::Cpu | DeviceKind::Interpreter => true,
            DeviceKind::OpenCl | DeviceKind::Cuda => false,
        }
    }
}

/// A foreign function without its Rust type.
#[derive(Clone)]
pub struct Native {
    /// What it is for.
    pub device: DeviceKind,
    /// What to call it in messages.
    pub name: &'static str,
    /// What is called.
    pub implementation: Implementation,
}

/// How a foreign function takes its arguments.
#[derive(Clone)]
pub enum Implementation {
    /// On the host.
    Host(Arc<Call>),
    /// Where they lie, on the device.
    Device(Arc<DeviceCall>),
}

/// From the arguments to the results.
type Call = dyn Fn(Vec<Value>) -> Result<Vec<Value>, Error> + Send + Sync;

/// Calls a function of the host on arrays where the program runs on this kind of device, and does what `elsewhere` says on others.
///
/// The function gets the arrays as they lie in the host's memory: on the processor nothing is copied, from and to other devices they are
/// (functions that work in the memory of such a device are made by [`foreign_opencl`] and [`foreign_cuda`]). They are dense and row-major. Where it depends on the state of a loop, `elsewhere` is done
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
            .map_err(|panic| panicked(name, panic.as_ref()))?
            .map_err(|error| failed(name, error.as_ref()))?;
        let mut values = Vec::new();
        R::values(&result, &mut values);
        Ok(values)
    };
    let native = Native { device, name, implementation: Implementation::Host(Arc::new(call)) };
    node(native, arguments, elsewhere)
}

/// The node of a foreign function with what is done elsewhere.
#[track_caller]
fn node<A: Arrays, R: Arrays>(native: Native, arguments: &A, elsewhere: impl FnOnce(A) -> R) -> R {
    let otherwise = elsewhere(arguments.clone());
    let inputs = vec![crate::acc::gathered(arguments), crate::acc::gathered(&otherwise)];
    let ty = inputs[1].ty.clone();
    crate::acc::separated(graph::node(Op::Foreign(native), inputs, Vec::new(), ty), &otherwise)
}

/// What is said of a function that panicked.
fn panicked(name: &str, panic: &(dyn Any + Send)) -> Error {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let words = words.map_or(String::new(), |words| format!(": {words}"));
    Error::Foreign(format!("{name}: panicked{words}"))
}

/// What is said of a function that gave an error.
fn failed(name: &str, error: &(dyn StdError + Send + Sync)) -> Error {
    Error::Foreign(format!("{name}: {error}"))
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
        let is_same = match (&self.implementation, &other.implementation) {
            (Implementation::Host(one), Implementation::Host(other)) => Arc::ptr_eq(one, other),
            (Implementation::Device(one), Implementation::Device(other)) => Arc::ptr_eq(one, other),
            (Implementation::Host(_), Implementation::Device(_))
            | (Implementation::Device(_), Implementation::Host(_)) => false,
        };
        is_same && self.device == other.device && self.name == other.name
    }
}

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {:?}", self.name, self.device)
    }
}
