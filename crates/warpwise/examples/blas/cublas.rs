//! Products on CUDA devices: cuBLAS. The functions get arrays of the host and copy them to the device and back themselves.

use std::error::Error;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

use libloading::Library;
use warpwise::{Acc, Array, DeviceKind, Matrix, Singleton, Vector, foreign};

use super::{Matrices, Vectors};

type Failed = Box<dyn Error + Send + Sync>;

/// What is called of cuBLAS and of the run time of CUDA.
pub struct Functions {
    handle: Mutex<Handle>,
    malloc: unsafe extern "C" fn(*mut *mut c_void, usize) -> i32,
    free: unsafe extern "C" fn(*mut c_void) -> i32,
    copy: unsafe extern "C" fn(*mut c_void, *const c_void, usize, i32) -> i32,
    dot: unsafe extern "C" fn(*mut c_void, i32, *const f32, i32, *const f32, i32, *mut f32) -> i32,
    product: unsafe extern "C" fn(
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
    ) -> i32,
}

/// What cuBLAS keeps between calls.
struct Handle(*mut c_void);

// SAFETY: a handle may be used on any thread, by one at a time.
unsafe impl Send for Handle {}

/// `cudaMemcpyHostToDevice`, `cudaMemcpyDeviceToHost` and `CUBLAS_OP_N`.
const TO_DEVICE: i32 = 1;
const TO_HOST: i32 = 2;
const AS_IT_IS: i32 = 0;

/// cuBLAS, loaded and set up at first use, or what is missing.
pub fn library() -> Result<&'static Functions, String> {
    static FUNCTIONS: OnceLock<Result<Functions, String>> = OnceLock::new();
    FUNCTIONS.get_or_init(load).as_ref().map_err(String::clone)
}

fn load() -> Result<Functions, String> {
    let cuda = first_of(&["libcudart.so", "libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"])?;
    let blas = first_of(&["libcublas.so", "libcublas.so.13", "libcublas.so.12", "libcublas.so.11"])?;
    let absent = |error: libloading::Error| error.to_string();
    let mut handle = null_mut();
    // SAFETY: the names and types are those of CUDA's headers; the libraries stay until the process ends.
    unsafe {
        let create: unsafe extern "C" fn(*mut *mut c_void) -> i32 =
            *blas.get(b"cublasCreate_v2").map_err(absent)?;
        succeeds("cublasCreate", create(&mut handle)).map_err(|error| error.to_string())?;
        Ok(Functions {
            handle: Mutex::new(Handle(handle)),
            malloc: *cuda.get(b"cudaMalloc").map_err(absent)?,
            free: *cuda.get(b"cudaFree").map_err(absent)?,
            copy: *cuda.get(b"cudaMemcpy").map_err(absent)?,
            dot: *blas.get(b"cublasSdot_v2").map_err(absent)?,
            product: *blas.get(b"cublasSgemm_v2").map_err(absent)?,
        })
    }
}

fn first_of(names: &[&str]) -> Result<&'static Library, String> {
    // SAFETY: loading these libraries sets them up, nothing else.
    let library = names.iter().find_map(|name| unsafe { Library::new(name) }.ok());
    library.map(|library| &*Box::leak(Box::new(library))).ok_or_else(|| format!("{} is not here", names[0]))
}

fn succeeds(what: &str, status: i32) -> Result<(), Failed> {
    if status == 0 { Ok(()) } else { Err(format!("{what} failed with status {status}").into()) }
}

/// Memory of the device.
struct Block<'a> {
    functions: &'a Functions,
    start: *mut c_void,
}

impl Functions {
    fn block(&self, count: usize) -> Result<Block<'_>, Failed> {
        let mut start = null_mut();
        // SAFETY: a place for the result.
        succeeds("cudaMalloc", unsafe { (self.malloc)(&mut start, count.max(1) * 4) })?;
        Ok(Block { functions: self, start })
    }

    fn block_of(&self, elements: &[f32]) -> Result<Block<'_>, Failed> {
        let block = self.block(elements.len())?;
        // SAFETY: both have so many bytes.
        let status =
            unsafe { (self.copy)(block.start, elements.as_ptr().cast(), size_of_val(elements), TO_DEVICE) };
        succeeds("cudaMemcpy", status)?;
        Ok(block)
    }

    fn dot(&self, xs: &[f32], ys: &[f32]) -> Result<f32, Failed> {
        let count = xs.len().min(ys.len());
        let (xs, ys) = (self.block_of(&xs[..count])?, self.block_of(&ys[..count])?);
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        let mut sum = 0.0;
        // SAFETY: the blocks have so many elements, and the sum goes to the host.
        let status = unsafe {
            (self.dot)(handle.0, i32::try_from(count)?, xs.start.cast(), 1, ys.start.cast(), 1, &mut sum)
        };
        succeeds("cublasSdot", status)?;
        Ok(sum)
    }

    /// Of matrices with `n`, `inner` and `m` rows and columns. cuBLAS takes columns one after the other: to it these are the
    /// transposed matrices, and their product is that of the second with the first.
    fn product(&self, a: &[f32], b: &[f32], [n, inner, m]: [usize; 3]) -> Result<Vec<f32>, Failed> {
        let mut result = vec![0.0_f32; n * m];
        if result.is_empty() || inner == 0 {
            return Ok(result);
        }
        let (a, b, c) = (self.block_of(a)?, self.block_of(b)?, self.block(n * m)?);
        let [rows, columns, depth] = [i32::try_from(n)?, i32::try_from(m)?, i32::try_from(inner)?];
        let handle = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the blocks have these extents; the copy comes after the product, and waits for it.
        unsafe {
            let status = (self.product)(
                handle.0,
                AS_IT_IS,
                AS_IT_IS,
                columns,
                rows,
                depth,
                &1.0,
                b.start.cast(),
                columns,
                a.start.cast(),
                depth,
                &0.0,
                c.start.cast(),
                columns,
            );
            succeeds("cublasSgemm", status)?;
            let bytes = size_of_val(result.as_slice());
            succeeds("cudaMemcpy", (self.copy)(result.as_mut_ptr().cast(), c.start, bytes, TO_HOST))?;
        }
        Ok(result)
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        // SAFETY: it was allocated once, and what used it is over. There is nobody to tell of an error.
        unsafe { (self.functions.free)(self.start) };
    }
}

pub fn dot(
    arguments: &Vectors,
    elsewhere: impl FnOnce(Vectors) -> Acc<Singleton<f32>>,
) -> Acc<Singleton<f32>> {
    let Ok(library) = library() else { return elsewhere(arguments.clone()) };
    let native = |(xs, ys): (Vector<f32>, Vector<f32>)| {
        Ok(Array::from_vec([], vec![library.dot(xs.as_slice(), ys.as_slice())?])?)
    };
    foreign(DeviceKind::Cuda, "cublasSdot", native, arguments, elsewhere)
}

pub fn product(
    arguments: &Matrices,
    elsewhere: impl FnOnce(Matrices) -> Acc<Matrix<f32>>,
) -> Acc<Matrix<f32>> {
    let Ok(library) = library() else { return elsewhere(arguments.clone()) };
    let native = |(a, b): (Matrix<f32>, Matrix<f32>)| {
        let ([n, inner], [height, m]) = (a.extents(), b.extents());
        if inner != height {
            return Err(format!("a matrix of {inner} columns times one of {height} rows").into());
        }
        Ok(Array::from_vec([n, m], library.product(a.as_slice(), b.as_slice(), [n, inner, m])?)?)
    };
    foreign(DeviceKind::Cuda, "cublasSgemm", native, arguments, elsewhere)
}
