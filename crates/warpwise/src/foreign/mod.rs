//! Foreign functions: external code within a program (papers/004, section 6.1), which works on host arrays or on arrays in a
//! device's memory ([`device`]).

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
use crate::graph::{self, Op};

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
    /// The reference interpreter, which runs only foreign functions made for it.
    Interpreter,
}

impl DeviceKind {
    /// Returns whether it computes in the host's memory.
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
    /// The kind of device that it runs on.
    pub device: DeviceKind,
    /// Its name in messages.
    pub name: &'static str,
    /// The code to call.
    pub implementation: Implementation,
}

/// Code of a foreign function, by the memory that its arguments lie in.
#[derive(Clone)]
pub enum Implementation {
    /// Called on arrays in host memory.
    Host(Arc<Call>),
    /// Called on arrays in the device's memory.
    Device(Arc<DeviceCall>),
}

/// Function from arguments to results.
type Call = dyn Fn(Vec<Value>) -> Result<Vec<Value>, Error> + Send + Sync;

/// Calls a function on host arrays if the program runs on this kind of device; on other devices, computes `elsewhere` instead.
///
/// The function receives dense, row-major arrays in the host's memory. On the processor nothing is copied; other devices copy
/// arguments and results (functions that work in the memory of such a device are made by [`foreign_opencl`] and
/// [`foreign_cuda`]). If the call depends on the state of a loop, every device computes `elsewhere`. An error or a panic of the
/// function is an error of the run. The function may be called even if only the unchosen side of a choice needs its result.
/// `elsewhere` may call another foreign function, for another kind of device.
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
        // A panic may leave the closure's captured state inconsistent, which is the closure's responsibility.
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

/// Makes the node of a foreign function with its fallback.
#[track_caller]
fn node<A: Arrays, R: Arrays>(native: Native, arguments: &A, elsewhere: impl FnOnce(A) -> R) -> R {
    let otherwise = elsewhere(arguments.clone());
    let inputs = vec![crate::acc::gathered(arguments), crate::acc::gathered(&otherwise)];
    let ty = inputs[1].ty.clone();
    crate::acc::separated(graph::node(Op::Foreign(native), inputs, Vec::new(), ty), &otherwise)
}

/// Returns the error for a function that panicked.
fn panicked(name: &str, panic: &(dyn Any + Send)) -> Error {
    let words = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    let words = words.map_or(String::new(), |words| format!(": {words}"));
    Error::Foreign(format!("{name}: panicked{words}"))
}

/// Returns the error for a function that returned one.
fn failed(name: &str, error: &(dyn StdError + Send + Sync)) -> Error {
    Error::Foreign(format!("{name}: {error}"))
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
