//! Foreign functions that work on arrays in a device's memory.
//!
//! Such a function receives what its driver's own functions take (handles of the context, the queue and buffers, or addresses),
//! so that a library for the device computes between two programs and nothing is copied to the host. This module is independent
//! of the driver.

use std::error::Error as StdError;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::vec::IntoIter;

use warpwise_prim::Scalar;
use warpwise_runtime::array::Value;
use warpwise_runtime::device::array::{DeviceArray as Resident, Placed};
use warpwise_runtime::device::memory::{Access, DeviceMemory, Pin};

use super::{DeviceKind, Implementation, Native, failed, node, panicked};
use crate::acc::Arrays;
use crate::array::shape_of;
use crate::elt::{Elt, components};
use crate::error::Error;
use crate::function::Output;
use crate::shape::{Extents, Shape};

/// The device that a foreign function works on: its driver's handles, and memory for results.
///
/// See [`foreign_opencl`] and [`foreign_cuda`].
///
/// ```no_run
/// use warpwise::{Context, DeviceArray, Dim1, Error, foreign_cuda, fill};
///
/// // What the device's memory holds, whatever that is.
/// let function = |access: &warpwise::DeviceAccess, _: DeviceArray<Dim1, f32>| {
///     assert!(access.queue().is_null(), "CUDA's default stream");
///     Ok(access.allocate::<Dim1, f32>([100])?)
/// };
/// let result = foreign_cuda("nothing", function, &fill(1, 1.0_f32), |xs| xs);
/// assert_eq!(Context::cuda(0)?.run(&result)?.len(), 100);
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceAccess {
    memory: DeviceMemory,
}

/// An array in a device's memory. Its elements are dense and row-major; each component of the elements has a buffer of its own.
/// The array stays in place and alive as long as a clone of this handle lives.
///
/// ```no_run
/// use warpwise::{Context, DeviceAccess, DeviceArray, Dim2, Error, fill, foreign_opencl};
///
/// let function = |_: &DeviceAccess, matrix: DeviceArray<Dim2, (i32, f64)>| {
///     assert_eq!((matrix.extents(), matrix.len()), ([3, 4], 12));
///     let [numbers, weights] = matrix.buffers()[..] else { unreachable!("a pair has two components") };
///     assert_eq!((numbers.bytes, weights.bytes), (48, 96));
///     Ok(matrix)
/// };
/// Context::opencl(0)?.run(&foreign_opencl("look", function, &fill((3, 4), (1, 0.5)), |matrix| matrix))?;
/// # Ok::<(), Error>(())
/// ```
pub struct DeviceArray<Sh, E> {
    shape: Vec<i64>,
    columns: Vec<(Resident, Arc<Pin>)>,
    of: PhantomData<fn() -> (Sh, E)>,
}

/// Location of one component of an array's elements, which begin at the buffer's start.
///
/// ```
/// use warpwise::DeviceBuffer;
///
/// /// What OpenCL's functions take.
/// fn memory_object(buffer: DeviceBuffer) -> *mut std::ffi::c_void {
///     buffer.handle as usize as *mut _
/// }
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DeviceBuffer {
    /// The `cl_mem` on OpenCL, the address on CUDA (`CUdeviceptr`, a device pointer of the CUDA runtime).
    pub handle: u64,
    /// Size of the elements in bytes. The buffer may be larger.
    pub bytes: usize,
}

/// Function from arguments to results.
pub(super) type DeviceCall = dyn Fn(&DeviceAccess, Vec<Placed>) -> Result<Vec<Placed>, Error> + Send + Sync;

/// Calls a function on arrays in an OpenCL device's memory if the program runs on such a device; on other devices, computes
/// `elsewhere` instead. Works like [`foreign`](crate::foreign()), but arguments and results stay on the device, and nothing is
/// copied (except arrays of rank 0, since programs take and return scalars by value).
///
/// The function receives OpenCL handles ([`DeviceAccess`], [`DeviceArray::buffers`]) and must leave their reference counts
/// unchanged. Commands that it enqueues in [`DeviceAccess::queue`] run after the preceding work of the program and before the
/// following work. Commands in another queue must have finished when the function returns. The function must not write to its
/// arguments: results are arrays from [`DeviceAccess::allocate`], or arguments.
///
/// ```no_run
/// use std::ffi::c_void;
/// use warpwise::{Acc, Context, DeviceAccess, DeviceArray, Dim1, Error, Vector, foreign_opencl};
///
/// type Copy = unsafe extern "C" fn(
///     *mut c_void, *mut c_void, *mut c_void, usize, usize, usize, u32, *const c_void, *mut c_void,
/// ) -> i32;
///
/// fn copied(xs: &Acc<Vector<f32>>) -> Acc<Vector<f32>> {
///     let function = |access: &DeviceAccess, xs: DeviceArray<Dim1, f32>| {
///         let ys = access.allocate::<Dim1, f32>(xs.extents())?;
///         let [from, to] = [&xs, &ys].map(|array| array.buffers()[0]);
///         // SAFETY: the function is OpenCL's of this name, and both buffers have so many bytes.
///         let status = unsafe {
///             let library = libloading::Library::new("libOpenCL.so.1")?;
///             let copy = library.get::<Copy>(b"clEnqueueCopyBuffer")?;
///             let [from_memory, to_memory] = [from, to].map(|buffer| buffer.handle as usize as *mut c_void);
///             let none = std::ptr::null_mut();
///             copy(access.queue(), from_memory, to_memory, 0, 0, from.bytes, 0, none, none)
///         };
///         if status == 0 { Ok(ys) } else { Err(format!("status {status}").into()) }
///     };
///     foreign_opencl("copied", function, xs, |xs| xs)
/// }
///
/// let function = |xs: Acc<Vector<f32>>| copied(&xs.map(|x| x + 1.0)).map(|x| x * 2.0);
/// let context = Context::opencl(0)?;
/// assert_eq!(context.compile(function)?.run(&vec![1.0, 2.0].try_into()?)?.to_vec(), [4.0, 6.0]);
/// // The argument went to the device, and the result came back.
/// let traffic = context.device_traffic().expect("a device");
/// assert_eq!((traffic.to_device.times, traffic.to_host.times), (1, 1));
/// # Ok::<(), Error>(())
/// ```
#[track_caller]
pub fn foreign_opencl<A: Arrays + Output, R: Arrays + Output>(
    name: &'static str,
    function: impl Fn(&DeviceAccess, A::OnDevice) -> Result<R::OnDevice, Box<dyn StdError + Send + Sync>>
    + Send
    + Sync
    + 'static,
    arguments: &A,
    elsewhere: impl FnOnce(A) -> R,
) -> R {
    on_device::<A, R>(DeviceKind::OpenCl, name, function, arguments, elsewhere)
}

/// Calls a function on arrays in a CUDA device's memory if the program runs on such a device; on other devices, computes
/// `elsewhere` instead. Works like [`foreign_opencl`], but with CUDA addresses. The device's primary context is current on the
/// calling thread, so that libraries such as cuBLAS can be called directly. Work in the default stream runs after the preceding
/// work of the program and before the following work. Work in a stream that does not synchronise with the default stream must
/// first wait for it, and must have finished when the function returns.
///
/// ```no_run
/// use std::ffi::c_void;
/// use warpwise::{Acc, DeviceAccess, DeviceArray, Dim1, Vector, foreign_cuda};
///
/// /// `cudaMemcpy`, for copies on the device.
/// type Copy = unsafe extern "C" fn(*mut c_void, *const c_void, usize, i32) -> i32;
///
/// fn copied(xs: &Acc<Vector<f32>>, copy: Copy) -> Acc<Vector<f32>> {
///     let function = move |access: &DeviceAccess, xs: DeviceArray<Dim1, f32>| {
///         let ys = access.allocate::<Dim1, f32>(xs.extents())?;
///         let [from, to] = [&xs, &ys].map(|array| array.buffers()[0]);
///         // SAFETY: both buffers have so many bytes.
///         match unsafe { copy(to.handle as *mut c_void, from.handle as *const c_void, from.bytes, 3) } {
///             0 => Ok(ys),
///             status => Err(format!("status {status}").into()),
///         }
///     };
///     foreign_cuda("copied", function, xs, |xs| xs)
/// }
/// ```
#[track_caller]
pub fn foreign_cuda<A: Arrays + Output, R: Arrays + Output>(
    name: &'static str,
    function: impl Fn(&DeviceAccess, A::OnDevice) -> Result<R::OnDevice, Box<dyn StdError + Send + Sync>>
    + Send
    + Sync
    + 'static,
    arguments: &A,
    elsewhere: impl FnOnce(A) -> R,
) -> R {
    on_device::<A, R>(DeviceKind::Cuda, name, function, arguments, elsewhere)
}

#[track_caller]
fn on_device<A: Arrays + Output, R: Arrays + Output>(
    device: DeviceKind,
    name: &'static str,
    function: impl Fn(&DeviceAccess, A::OnDevice) -> Result<R::OnDevice, Box<dyn StdError + Send + Sync>>
    + Send
    + Sync
    + 'static,
    arguments: &A,
    elsewhere: impl FnOnce(A) -> R,
) -> R {
    let call = move |access: &DeviceAccess, values: Vec<Placed>| {
        let arrays = A::resident(&mut values.into_iter(), access)?;
        // A panic may leave the closure's captured state inconsistent, which is the closure's responsibility.
        let result = catch_unwind(AssertUnwindSafe(|| function(access, arrays)))
            .map_err(|panic| panicked(name, panic.as_ref()))?
            .map_err(|error| failed(name, error.as_ref()))?;
        let mut values = Vec::new();
        R::placed(&result, access, &mut values)?;
        Ok(values)
    };
    let native = Native { device, name, implementation: Implementation::Device(Arc::new(call)) };
    node(native, arguments, elsewhere)
}

impl DeviceAccess {
    pub(crate) fn new(memory: &DeviceMemory) -> DeviceAccess {
        DeviceAccess { memory: memory.clone() }
    }

    /// Makes the device current on the calling thread.
    pub(crate) fn enter(&self) -> Result<(), Error> {
        self.memory.device().make_current().map_err(|error| Error::Device(error.to_string()))
    }

    /// Returns OpenCL's `cl_device_id`; on CUDA, the integer value of the `CUdevice`.
    ///
    /// ```
    /// let handle: fn(&warpwise::DeviceAccess) -> *mut std::ffi::c_void = warpwise::DeviceAccess::device;
    /// ```
    pub fn device(&self) -> *mut c_void {
        self.memory.device().handles().device as *mut c_void
    }

    /// Returns the `cl_context` or `CUcontext`.
    ///
    /// ```
    /// let handle: fn(&warpwise::DeviceAccess) -> *mut std::ffi::c_void = warpwise::DeviceAccess::context;
    /// ```
    pub fn context(&self) -> *mut c_void {
        self.memory.device().handles().context as *mut c_void
    }

    /// Returns the in-order queue of the programs: the `cl_command_queue`; on CUDA the default stream, which is null.
    ///
    /// ```
    /// let handle: fn(&warpwise::DeviceAccess) -> *mut std::ffi::c_void = warpwise::DeviceAccess::queue;
    /// ```
    pub fn queue(&self) -> *mut c_void {
        self.memory.device().handles().queue as *mut c_void
    }

    /// Allocates an array of these extents on the device, with unspecified elements, within the context's memory limit.
    ///
    /// ```
    /// use warpwise::{DeviceAccess, DeviceArray, Dim2, Error};
    ///
    /// fn square(access: &DeviceAccess, n: usize) -> Result<DeviceArray<Dim2, f32>, Error> {
    ///     access.allocate([n, n])
    /// }
    /// ```
    pub fn allocate<Sh: Shape, E: Elt>(
        &self,
        extents: impl Extents<Shape = Sh>,
    ) -> Result<DeviceArray<Sh, E>, Error> {
        let shape = shape_of(extents)?;
        let column = |ty: &warpwise_prim::ValueType| {
            let column = Resident::allocate(&self.memory, ty.scalar(), &shape)?;
            pinned(column, Access::Write)
        };
        let columns = components::<E>().iter().map(column).collect::<Result<_, Error>>()?;
        Ok(DeviceArray { shape, columns, of: PhantomData })
    }
}

impl<Sh: Shape, E: Elt> DeviceArray<Sh, E> {
    /// Returns the extents, outermost first.
    ///
    /// ```
    /// use warpwise::{DeviceArray, Dim2};
    ///
    /// fn is_square(matrix: &DeviceArray<Dim2, f32>) -> bool {
    ///     matrix.extents()[0] == matrix.extents()[1]
    /// }
    /// ```
    pub fn extents(&self) -> Sh::Extents {
        Sh::extents(&self.shape)
    }

    /// Returns the number of elements.
    ///
    /// ```
    /// let len: fn(&warpwise::DeviceArray<warpwise::Dim1, f32>) -> usize = warpwise::DeviceArray::len;
    /// ```
    pub fn len(&self) -> usize {
        warpwise_runtime::array::element_count(&self.shape).unwrap_or(0) as usize
    }

    /// Returns whether there are no elements.
    ///
    /// ```
    /// let is_empty: fn(&warpwise::DeviceArray<warpwise::Dim1, f32>) -> bool = warpwise::DeviceArray::is_empty;
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the buffers of the elements' components: one for a scalar; for a tuple or a struct, one for each scalar in it, in
    /// order. A buffer is valid as long as this array, or a clone of it, lives.
    ///
    /// ```
    /// use warpwise::{DeviceArray, Dim1};
    ///
    /// fn address(vector: &DeviceArray<Dim1, f32>) -> u64 {
    ///     vector.buffers()[0].handle
    /// }
    /// ```
    pub fn buffers(&self) -> Vec<DeviceBuffer> {
        let buffer = |(column, pin): &(Resident, Arc<Pin>)| DeviceBuffer {
            handle: pin.buffer().0,
            bytes: column.bytes() as usize,
        };
        self.columns.iter().map(buffer).collect()
    }

    /// Takes the next values as the columns of an array.
    pub(crate) fn of_values(values: &mut IntoIter<Placed>, access: &DeviceAccess) -> Result<Self, Error> {
        let count = components::<E>().len();
        let mut columns = Vec::with_capacity(count);
        for value in values.by_ref().take(count) {
            let column = match value {
                Placed::Device(_, array) => array,
                Placed::Host(Value::Array { array, .. }) => Resident::from_host(&access.memory, &array)?,
                Placed::Host(Value::Scalar { value, .. }) => one_element(value, &access.memory)?,
            };
            columns.push(pinned(column, Access::Read)?);
        }
        match columns.first() {
            Some((column, _)) if columns.len() == count => {
                Ok(DeviceArray { shape: column.shape().to_vec(), columns, of: PhantomData })
            }
            Some(_) | None => Err(Error::Internal("an argument is missing".to_string())),
        }
    }

    /// Appends the array's columns as program values.
    pub(crate) fn values(&self, access: &DeviceAccess, into: &mut Vec<Placed>) -> Result<(), Error> {
        for (ty, (column, _)) in components::<E>().into_iter().zip(&self.columns) {
            if !column.data().is_of(&access.memory) {
                return Err(Error::Foreign("a result lies in the memory of another context".to_string()));
            }
            into.push(if self.shape.is_empty() {
                let mut bits = [0; 8];
                column.data().read(0, &mut bits[..ty.scalar().bytes()])?;
                let value = Scalar::from_bits(ty.scalar(), u64::from_le_bytes(bits));
                Placed::Host(Value::scalar(ty, value))
            } else {
                Placed::Device(ty, column.clone())
            });
        }
        Ok(())
    }
}

/// Pins an array, so that it stays where it is.
fn pinned(column: Resident, access: Access) -> Result<(Resident, Arc<Pin>), Error> {
    let pin = column.data().pin(access)?;
    Ok((column, Arc::new(pin)))
}

/// Copies a scalar to the device, as an array of rank 0.
fn one_element(value: Scalar, memory: &DeviceMemory) -> Result<Resident, Error> {
    let column = Resident::allocate(memory, value.ty(), &[])?;
    column.data().write(0, &value.to_bits().to_le_bytes()[..value.ty().bytes()])?;
    Ok(column)
}

impl<Sh, E> Clone for DeviceArray<Sh, E> {
    fn clone(&self) -> Self {
        DeviceArray { shape: self.shape.clone(), columns: self.columns.clone(), of: PhantomData }
    }
}

impl<Sh, E> fmt::Debug for DeviceArray<Sh, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<&Resident> = self.columns.iter().map(|(column, _)| column).collect();
        f.debug_tuple("DeviceArray").field(&columns).finish()
    }
}
