//! Products on CUDA devices, by cuBLAS on arrays in the device's memory.

use std::error::Error;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::Library;
use warpwise::{Acc, DeviceAccess, DeviceArray, Dim0, Dim1, Dim2, Matrix, Singleton, foreign_cuda};

use super::{Matrices, Vectors};

type Failed = Box<dyn Error + Send + Sync>;

/// The functions of cuBLAS that are called.
pub struct Functions {
    create: unsafe extern "C" fn(*mut *mut c_void) -> i32,
    /// Parameters: the handle, and whether scalars lie in device memory.
    set_pointer_mode: unsafe extern "C" fn(*mut c_void, i32) -> i32,
    dot: Dot,
    product: Product,
    /// State of cuBLAS between calls: one handle per device context.
    handles: Mutex<Vec<(usize, Handle)>>,
}

type Dot = unsafe extern "C" fn(*mut c_void, i32, *const f32, i32, *const f32, i32, *mut f32) -> i32;
type Product = unsafe extern "C" fn(
    *mut c_void,
    i32,
    i32,
    i32,
    i32,
    i32,
    *const f32,
    *const f32,
    i32,
    *const f32,
    i32,
    *const f32,
    *mut f32,
    i32,
) -> i32;

#[derive(Clone, Copy)]
struct Handle(*mut c_void);

// SAFETY: a handle may be used on any thread, by one thread at a time.
unsafe impl Send for Handle {}

/// `CUBLAS_OP_N`, `CUBLAS_POINTER_MODE_HOST` and `CUBLAS_POINTER_MODE_DEVICE`.
const AS_IT_IS: i32 = 0;
const ON_HOST: i32 = 0;
const ON_DEVICE: i32 = 1;

/// Returns cuBLAS, loaded at first use, or a message about what is missing.
pub fn library() -> Result<&'static Functions, String> {
    static FUNCTIONS: OnceLock<Result<Functions, String>> = OnceLock::new();
    FUNCTIONS.get_or_init(load).as_ref().map_err(String::clone)
}

fn load() -> Result<Functions, String> {
    let names = ["libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"];
    // SAFETY: loading the library only initialises it.
    let library = names.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    let library: &'static Library =
        library.map(|library| &*Box::leak(Box::new(library))).ok_or("libcublas.so is not here")?;
    let absent = |error: libloading::Error| error.to_string();
    // SAFETY: the names and types are those of cuBLAS's header; the library stays loaded until the process ends.
    unsafe {
        Ok(Functions {
            create: *library.get(b"cublasCreate_v2").map_err(absent)?,
            set_pointer_mode: *library.get(b"cublasSetPointerMode_v2").map_err(absent)?,
            dot: *library.get(b"cublasSdot_v2").map_err(absent)?,
            product: *library.get(b"cublasSgemm_v2").map_err(absent)?,
            handles: Mutex::default(),
        })
    }
}

fn succeeds(what: &str, status: i32) -> Result<(), Failed> {
    if status == 0 { Ok(()) } else { Err(format!("{what} failed with status {status}").into()) }
}

/// Returns the address of an array's elements.
fn address<Sh: warpwise::Shape>(array: &DeviceArray<Sh, f32>) -> *mut f32 {
    array.buffers()[0].handle as *mut f32
}

impl Functions {
    /// Runs a function with the handle of a device's context, which is current on the thread. Handles use the default stream.
    fn with_handle<R>(
        &self,
        access: &DeviceAccess,
        scalars: i32,
        run: impl FnOnce(*mut c_void) -> Result<R, Failed>,
    ) -> Result<R, Failed> {
        let mut handles = self.handles.lock().unwrap_or_else(PoisonError::into_inner);
        let context = access.context() as usize;
        let known = handles.iter().find(|(of, _)| *of == context).map(|(_, handle)| *handle);
        let Handle(handle) = match known {
            Some(handle) => handle,
            None => {
                let mut fresh = null_mut();
                // SAFETY: the pointer is valid for the result.
                succeeds("cublasCreate", unsafe { (self.create)(&mut fresh) })?;
                handles.push((context, Handle(fresh)));
                Handle(fresh)
            }
        };
        // SAFETY: the handle is valid, and used by nobody else while the lock is held.
        succeeds("cublasSetPointerMode", unsafe { (self.set_pointer_mode)(handle, scalars) })?;
        run(handle)
    }

    fn dot(
        &self,
        access: &DeviceAccess,
        (xs, ys): (DeviceArray<Dim1, f32>, DeviceArray<Dim1, f32>),
    ) -> Result<DeviceArray<Dim0, f32>, Failed> {
        let sum = access.allocate([])?;
        let count = i32::try_from(xs.len().min(ys.len()))?;
        self.with_handle(access, ON_DEVICE, |handle| {
            // SAFETY: the arrays have this many elements, and the sum has room for one.
            let status =
                unsafe { (self.dot)(handle, count, address(&xs), 1, address(&ys), 1, address(&sum)) };
            succeeds("cublasSdot", status)
        })?;
        Ok(sum)
    }

    /// cuBLAS expects column-major matrices: it sees the transposed matrices, whose product is that of the second with the first.
    /// If the summed dimension is empty, it sets the result to zeros.
    fn product(
        &self,
        access: &DeviceAccess,
        (a, b): (DeviceArray<Dim2, f32>, DeviceArray<Dim2, f32>),
    ) -> Result<DeviceArray<Dim2, f32>, Failed> {
        let ([n, inner], [height, m]) = (a.extents(), b.extents());
        let result = access.allocate([n, m])?;
        if result.is_empty() {
            return Ok(result);
        }
        let [rows, columns, depth] =
            [i32::try_from(n)?, i32::try_from(m)?, i32::try_from(inner.min(height))?];
        let stride_a = i32::try_from(inner.max(1))?;
        self.with_handle(access, ON_HOST, |handle| {
            // SAFETY: the matrices have these extents.
            let status = unsafe {
                (self.product)(
                    handle,
                    AS_IT_IS,
                    AS_IT_IS,
                    columns,
                    rows,
                    depth,
                    &1.0,
                    address(&b),
                    columns,
                    address(&a),
                    stride_a,
                    &0.0,
                    address(&result),
                    columns,
                )
            };
            succeeds("cublasSgemm", status)
        })?;
        Ok(result)
    }
}

pub fn dot(
    arguments: &Vectors,
    elsewhere: impl FnOnce(Vectors) -> Acc<Singleton<f32>>,
) -> Acc<Singleton<f32>> {
    let Ok(library) = library() else { return elsewhere(arguments.clone()) };
    foreign_cuda("cublasSdot", |access, vectors| library.dot(access, vectors), arguments, elsewhere)
}

pub fn product(
    arguments: &Matrices,
    elsewhere: impl FnOnce(Matrices) -> Acc<Matrix<f32>>,
) -> Acc<Matrix<f32>> {
    let Ok(library) = library() else { return elsewhere(arguments.clone()) };
    foreign_cuda("cublasSgemm", |access, matrices| library.product(access, matrices), arguments, elsewhere)
}
